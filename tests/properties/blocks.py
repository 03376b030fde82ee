"""Which statements make up a block, and which compound statement without repetition stands here?

Every writer of a statement returns True if the statement always jumps, so that nothing may follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import jumps
from .assignments import SIMPLE, delete_on_one_path
from .conditions import question
from .expressions import walrus
from .integers import int_expr
from .writer import INTEGER, Scope, Writer, join

COMPOUND: dict[str, Callable[[Writer], bool]] = {}
JUMPS: dict[str, Callable[[Writer], bool]] = {
    "leave": jumps.leave_loop,
    "return": jumps.return_,
    "raise": jumps.raise_,
    "assert": jumps.assert_,
}


def statement(w: Writer) -> bool:
    """Writes one statement; True if nothing may follow it."""
    w.room -= 1
    names = [*SIMPLE, *(COMPOUND if w.depth > 0 and w.room > 0 else ())]
    names += [name for name in JUMPS if w.level > 1 or name == "assert"]
    if not w.loops:
        names = [name for name in names if name != "leave"]
    name = w.choices.weighted({name: w.mix.get(name, 0) for name in names})
    if name in SIMPLE:
        SIMPLE[name](w)
        return False
    return JUMPS[name](w) if name in JUMPS else COMPOUND[name](w)


def block(w: Writer, most: int = 4) -> bool:
    """Writes one to `most` statements; True if the last one always jumps."""
    for _ in range(1 + w.choices.below(most)):
        if statement(w):
            return True
        if w.room <= 0:
            return False
    return False


def branches(
    w: Writer,
    before: Scope,
    headers: list[str],
    *,
    exhaustive: bool,
    feature: str = "",
    captures: Mapping[str, str] | None = None,
) -> bool:
    """Writes one block under each header and joins what is known after them; True if all of them jump.

    Args:
      w: the function being written.
      before: what is known at the start of every branch.
      headers: the lines that introduce the branches.
      exhaustive: whether one of the branches always runs.
      feature: what the statistics call this.
      captures: for headers that bind a counter, its name.
    """
    paths = [] if exhaustive else [before.copy()]
    for header in headers:
        w.scope = before.copy()
        if captures and header in captures:
            w.scope.define(captures[header], "counter")
        with w.inside(header, feature):
            if captures and header in captures and w.choices.chance(15):
                delete_on_one_path(w, captures[header])
            jumped = block(w, 3)
        paths += [] if jumped else [w.scope]
    w.scope = join(before, paths) if paths else before
    return not paths


def if_(w: Writer) -> bool:
    """`if`, with `elif` and `else` or without."""
    c = w.choices
    headers = [f"if {walrus(w) if w.likes('walrus') else question(w)}:"]
    before = w.scope.copy()
    while c.chance(25):
        headers.append(f"elif {question(w)}:")
        w.shared.features.add("elif")
    exhaustive = c.chance(50)
    headers += ["else:"] if exhaustive else []
    return branches(w, before, headers, exhaustive=exhaustive, feature="if")


def chain_on_one_value(w: Writer) -> bool:
    """`if a == 0: ... elif a == 1: ...`, which may become a switch."""
    names = w.scope.of_kind("int", "counter")
    if not names:
        return if_(w)
    name = w.choices.pick(names)
    headers = [f"{'elif' if i else 'if'} {name} == {i}:" for i in range(2 + w.choices.below(3))]
    exhaustive = w.choices.chance(60)
    headers += ["else:"] if exhaustive else []
    return branches(w, w.scope.copy(), headers, exhaustive=exhaustive, feature="chain on one value")


def match(w: Writer) -> bool:
    """`match` on an integer: values, alternatives, guards, captures, the wildcard; or on a pair."""
    c = w.choices
    if c.chance(30):
        return match_pair(w)
    subject = f"{int_expr(w, 1).operand()} % {c.pick([4, 3, 5])}" if c.chance(70) else int_expr(w, 0).text
    before = w.scope.copy()
    with w.inside(f"match {subject}:", "match"):
        headers = ["case 0:"]
        headers += [c.pick(["case 1 | 2:", "case 1:", "case 3 | -1:"]) for _ in range(c.below(2))]
        headers += [f"case 2 if {question(w)}:"] if c.chance(30) else []
        exhaustive = c.chance(70)
        if not exhaustive:
            return branches(w, before, headers, exhaustive=False)
        name = w.fresh("counter")
        last = c.pick(["_", name, f"{name} if {name} > 2"])
        headers.append(f"case {last}:")
        captures = {} if last == "_" else {headers[-1]: name}
        return branches(w, before, headers, exhaustive=" if " not in last, captures=captures)


def match_pair(w: Writer) -> bool:
    """`match` on a tuple of two integers, by values inside of it and by guards."""
    c = w.choices
    before = w.scope.copy()
    with w.inside(f"match ({int_expr(w, 1).operand()} % 3, {int_expr(w, 0).text}):", "match"):
        one, other = w.fresh("counter"), w.fresh("counter")
        headers = [c.pick(["case (0, _):", "case (1, 0 | 2):", "case (0 | 1, _):"])]
        headers += [f"case ({one}, 1) if {one} != 1:"] if c.chance(50) else []
        headers.append(f"case ({one}, {other}) if {question(w)}:")
        headers.append(c.pick(["case _:", "case (_, _):"]))
        captures = {header: one for header in headers if header.startswith(f"case ({one},")}
        return branches(w, before, headers, exhaustive=True, captures=captures)


def with_(w: Writer) -> bool:
    """`with` one or two context managers that record their entering and leaving."""
    boxes = [f"with {box}:" for box in w.scope.of_kind("box")] if w.shared.methods else []
    header = w.choices.pick(
        ["with Gate(1):", "with Gate(1) as gate:", "with Gate(1), Gate(2) as gate:", *boxes]
    )
    if w.likes("nonlocal"):
        header = _manager(w) or header
    with w.inside(header, "with"):
        return block(w, 3)


def _manager(w: Writer) -> str | None:
    """A context manager made of a generator that writes to a variable of the function."""
    names = [name for name in w.scope.assignable("int") if name != "hits"]
    if not names:
        return None
    manager, written = w.fresh("fun"), w.choices.pick(names)
    w.emit("@contextmanager", "manager")
    with w.inside(f"def {manager}():", "nested function"):
        w.emit(f"nonlocal {written}", "nonlocal")
        w.emit(f"{written} = {_reduced(f'{written} + 3')}")
        w.emit("yield")
        w.emit(f"{written} = {_reduced(f'{written} * 2 + 1')}")
    return f"with {manager}():"


def try_finally(w: Writer) -> bool:
    """`try ... finally`, the `finally` block without jumps."""
    before = w.scope.copy()
    with w.inside("try:", "try/finally"):
        jumped = block(w, 3)
    after = w.scope
    w.scope = join(before, [before, after])
    with w.inside("finally:"):
        SIMPLE[w.choices.pick(["call", "assign", "mutate", "augment"])](w)
    for name, kind in w.scope.kinds.items():
        after.define(name, kind)
    w.scope = join(before, [after])
    return jumped


def try_except(w: Writer) -> bool:
    """`try ... except ValueError`, with something that may raise inside, maybe with `else`, `finally` and a `raise` of its own."""
    before = w.scope.copy()
    with w.inside("try:", "try/except"):
        if w.choices.chance(60):
            with w.inside(f"if {question(w)}:"):
                jumps.raise_(w)
        jumped = block(w, 2)
    tried = w.scope
    w.scope = join(before, [before, tried])
    kinds = ["ValueError", "(KeyError, ValueError)"]
    if w.shared.features.isdisjoint(
        {"del", "maybe unassigned"}
    ):  # no NameError, which comes with part 2 alone
        kinds.append("Exception")
    name = w.fresh("error") if w.choices.chance(30) else ""
    with w.inside(f"except {w.choices.pick(kinds)}{f' as {name}' if name else ''}:"):
        caught = block(w, 2)
        if not caught and w.choices.chance(10):
            caught = jumps.raise_again(w)
    handled = w.scope
    w.scope = tried
    if w.choices.chance(20):
        with w.inside("else:"):
            passed = block(w, 2)
        jumped, tried = jumped or passed, w.scope
    paths = [*([] if jumped else [tried]), *([] if caught else [handled])]
    w.scope = join(before, paths) if paths else before
    return not paths


def nested_function(w: Writer) -> bool:
    """A function or a lambda inside the function, closing over its variables."""
    c = w.choices
    name = w.fresh("fun")
    if c.chance(35):
        default = f", k={int_expr(w, 1).text}" if c.chance(25) else ""
        with_parameter = w.scope.copy()
        with_parameter.define("v", "counter")
        outer, w.scope = w.scope, with_parameter
        body = _reduced(f"{int_expr(w, 2).operand()}{' + k' if default else ''}")
        text = f"lambda v{default}: {body}"
        w.scope = outer
        if c.chance(25):  # in a container, called from there
            w.emit(f"{name} = {{'f': None, 'g': 3}}", "lambda")
            w.emit(f"{name}['f'] = {text}", "stored lambda")
            name += "['f']"
        else:
            w.emit(f"{name} = {text}", "lambda")
        w.scope.define(name, "fun")
        return False
    outer, loops, shape = w.scope, w.loops, w.shape
    known = outer.copy()
    known.define("v", "counter")
    rebound = [name for name in known.assignable("int") if name != "hits"][:1] if w.likes("nonlocal") else []
    written = _array_of_its_own(w) if w.likes("closure writes") and w.scope.of_kind("ints") else None
    known.fixed = frozenset(known.kinds) - frozenset(rebound)
    known.maybe = {}
    # A nested function may write items of an array that is being walked over when it is called.
    known.locked = frozenset(known.kinds)
    w.scope, w.loops, w.shape = known, [], INTEGER
    with w.inside(f"def {name}(v):", "nested function"):
        if rebound:
            rebinding = f"{rebound[0]} = {_reduced(f'{rebound[0]} + v')}"
            if w.choices.chance(30):  # a declaration counts for all of the function
                with w.inside("if v > 1:", "nonlocal"):
                    w.emit(f"nonlocal {rebound[0]}")
                    w.emit(rebinding)
            else:
                w.emit(f"nonlocal {rebound[0]}", "nonlocal")
            w.emit(rebinding)
        if written:
            w.emit(
                f"{written}[v % len({written})] = {_reduced(int_expr(w, 1).text)}", "closure writes an array"
            )
        if not block(w, 2):
            w.emit(f"return {_reduced(int_expr(w, 1).text)}")
    w.scope, w.loops, w.shape = outer, loops, shape
    w.scope.define(name, "fun")
    return False


def _array_of_its_own(w: Writer) -> str:
    """A new array that no loop walks over: what a call writes meanwhile is not seen there in JAX."""
    name = w.fresh("ints")
    w.emit(f"{name} = {w.scope.of_kind('ints')[0]} + 0")
    w.hidden.add(name)
    w.scope.define(name, "ints")
    return name


def _reduced(text: str) -> str:
    return f"({text}) % 17"


COMPOUND |= {
    "if": if_,
    "chain on one value": chain_on_one_value,
    "match": match,
    "with": with_,
    "try/finally": try_finally,
    "try/except": try_except,
    "def": nested_function,
}
