"""What stands before the main function: helpers, functions that mutate an object, classes?"""

from __future__ import annotations

from .blocks import block
from .expressions import of_kind, tiny
from .integers import int_expr
from .texts import small
from .writer import INTEGER, Shape, Writer, join

GATE = """\
class Gate:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        note("enter", self.number)
        return self

    def __exit__(self, kind, error, trace):
        note("exit", self.number)
        return False
"""

LENGTHEN = """\
def lengthen(items, v):
    items += [v]
"""

BOX = """\
tally = [0]


class Box:
    def __init__(self, count, total):
        tally[0] = 0
        self.count = count
        self.total = total
        self.items = [count, 1, 2]

    @property
    def double(self):
        return self.count * 2

    @property
    def seen(self):
        return tally[0]

    def __iadd__(self, v):
        tally[0] = (tally[0] + v) % 11
        return self

    def __enter__(self):
        tally[0] = tally[0] % 7 + 1
        return self

    def __exit__(self, kind, error, trace):
        self.count = (self.count + tally[0]) % 17
        return False
"""

DOUBLE = """\
class Double(Box):
    def add(self, v):
        if v > 1:
            self.total = 0.5
        return super().add(v * 2 % 5)
"""


def _inner(w: Writer, kinds: dict[str, str], room: int, shape: Shape = INTEGER) -> Writer:
    """A writer for another function of the same program; its parameters have these kinds."""
    inner = Writer(w.choices, w.mix, w.shared, shape, room, depth=2)
    inner.taken |= set(kinds)
    for name, kind in kinds.items():
        inner.scope.define(name, kind)
    return inner


def write_helper(w: Writer) -> None:
    """A function from two integers to one, with a default and a keyword-only parameter."""
    name = f"helper{len(w.shared.helpers) or ''}"
    inner = _inner(w, {"a": "int", "b": "int", "extra": "int"}, room=4)
    if not block(inner, 3):
        inner.emit(f"return {of_kind(inner, 'int')}")
    w.shared.module.append("\n".join([f"def {name}(a, b=2, *, extra=1):", *inner.lines, ""]))
    w.shared.helpers.append(name)


def write_recursive(w: Writer) -> None:
    """A function that calls itself a given number of times."""
    inner = _inner(w, {"n": "counter", "a": "int"}, room=3)
    inner.emit("if n <= 0:", "recursion")
    inner.emit("    return a")
    calls = [f"descend(n - {k}, {small(int_expr(inner, 1), '17')})" for k in (1, 2)]
    if w.likes("frames"):  # what is called first is used afterwards
        inner.scope.define("deeper", "int")
        inner.emit(f"deeper = {calls[0]} % 13", "recursion in an operand")
        calls = [f"({calls[0]} + deeper) % 11", f"({inner.choices.pick(calls)} * 2 - deeper) % 13", "deeper"]
    if not block(inner, 2):
        inner.emit(f"return {inner.choices.pick(calls)}")
    w.shared.module.append("\n".join(["def descend(n, a):", *inner.lines, ""]))
    w.shared.recursive.append("descend")


def write_producer(w: Writer) -> None:
    """A generator function, from a count and an integer to at most a dozen integers."""
    name = f"produce{len(w.shared.producers) or ''}"
    inner = _inner(w, {"n": "counter", "a": "int"}, room=5, shape=Shape("nothing", ()))
    inner.mix = {**inner.mix, **dict.fromkeys(NOT_IN_PRODUCERS, 0), "yield": 25, "no value": 0}
    jumped = False
    for _ in range(1 + w.choices.below(2)):
        header = w.choices.pick(["for k in range(n):", "while n > 0:", "if n > 1:"])
        with inner.inside(header, "generator function"):
            if header.startswith("while"):
                inner.emit("n -= 1")
            inner.loops += [frozenset(inner.scope.kinds)] * ("if" not in header)
            known = inner.scope.copy()
            if not block(inner, 3):
                inner.emit(f"yield {small(int_expr(inner, 1), '17')}")
            inner.scope = join(known, [known, inner.scope])
            inner.loops.clear()
        jumped = w.choices.chance(50) and block(inner, 2)
        if jumped:
            break
    if not any("yield" in line for line in inner.lines):
        inner.lines.insert(0, "    yield a")
    w.shared.module.append("\n".join([f"def {name}(n, a):", *inner.lines, ""]))
    w.shared.producers.append(name)
    if any("produce" in line for line in inner.lines):
        w.shared.nesting = 1


# A `yield` in a `try` or `with` is Python's; functions and classes within would be the ones that yield.
NOT_IN_PRODUCERS = ("with", "try/finally", "try/except", "def", "class")


def write_mutator(w: Writer) -> None:
    """A function that changes the object it is given and returns nothing."""
    name = f"change{len(w.shared.mutators) or ''}"
    inner = _inner(w, {"box": "box", "v": "counter"}, room=3, shape=Shape("nothing", ()))
    block(inner, 2)
    inner.emit(f"box.count = {small(int_expr(inner, 1), '17')}")
    w.shared.module.append("\n".join([f"def {name}(box, v):", *inner.lines, ""]))
    w.shared.mutators.append(name)


def write_filler(w: Writer) -> None:
    """A function that writes to the array that it is given, or now and then to a copy of it."""
    inner = _inner(w, {"zs": "ints", "v": "counter"}, room=3)
    if w.choices.chance(20):
        inner.emit("zs = zs.copy()", "array")
    inner.emit(f"zs[{w.choices.pick(['0', '-1', 'v % len(zs)', ':2'])}] = {tiny(inner, 'int')}", "item")
    if not block(inner, 2):
        inner.emit("return int(zs[0]) % 17")
    w.shared.module.append("\n".join(["def fill(zs, v):", *inner.lines, ""]))
    w.shared.fillers.append("fill")


def write_classes(w: Writer) -> None:
    """`Box`, with methods that change its attributes and a list that no name of `main`'s leads to; `Double` overrides one."""
    inner = _inner(w, {"self": "box", "v": "counter"}, room=3)
    inner.level = 2
    if not block(inner, 2):
        inner.emit(f"self.count += {tiny(inner, 'int')}")
        inner.emit("return self.count % 17")
    w.shared.module.append("\n".join([BOX, "    def add(self, v):", *inner.lines, "", "", DOUBLE]))
    w.shared.methods.append("add")
