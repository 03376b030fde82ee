"""Which loop stands here?

Every loop ends: a `while` counts, and its counter is assigned nowhere else.
"""

from __future__ import annotations

from . import parts
from .blocks import COMPOUND, block
from .conditions import question
from .expressions import of_kind, tiny, walrus
from .integers import int_expr, produced
from .jumps import return_
from .writer import Writer, join


def while_(w: Writer) -> bool:
    """`while` with a counter, the bound a Python number or a traced one, perhaps with an `else`."""
    c = w.choices
    counter = w.fresh("counter")
    start = c.pick(["0", "0", f"{int_expr(w, 1).operand()} % 3"])
    w.emit(f"{counter} = {start}")
    w.scope.define(counter, "counter")
    bound = f"{counter} < {c.pick(['3', f'{int_expr(w, 1).operand()} % 5', '4'])}"
    if c.chance(25):
        known = w.scope.copy()
        condition = f"{bound} and {walrus(w)}" if w.likes("walrus") else f"{bound} and ({question(w)})"
        new = {name: kind for name, kind in w.scope.kinds.items() if name not in known.kinds}
        for name in new:  # assigned in the body, and perhaps not after the loop
            w.scope.forget(name)
    else:
        condition, new = bound, {}
    return _loop(w, f"while {condition}:", "while", new, first=f"{counter} += 1")


def while_true(w: Writer) -> bool:
    """`while True` that a counted `break` or `return` ends."""
    counter = w.fresh("counter")
    w.emit(f"{counter} = 0")
    w.scope.define(counter, "counter")
    stop = f"if {counter} > {w.choices.pick(['3', f'{int_expr(w, 1).operand()} % 5'])}:"
    before = w.scope.copy()
    w.loops.append(frozenset(w.scope.kinds))
    with w.inside("while True:", "while True"):
        w.emit(f"{counter} += 1")
        with w.inside(stop):
            if w.choices.chance(25):
                return_(w)
            else:
                w.emit("break")
        block(w, 3)
    w.loops.pop()
    w.scope = join(before, [before, w.scope])
    return False


def for_range(w: Writer) -> bool:
    """`for i in range(...)` with one, two or three arguments, steps of either sign."""
    c = w.choices
    bound = f"{int_expr(w, 1).operand()} % {c.pick([4, 5])}"
    other = f"{int_expr(w, 1).operand()} % 3"
    step = f"(1 if {question(w, 0)} else -2)"
    ranges = [f"range({bound})", "range(3)", f"range({other}, {bound})", f"range({bound}, {other} - 2, -1)"]
    ranges += [f"range({other}, 6, 2)", f"range(4, {other}, -2)", f"range({other}, {bound}, {step})"]
    counter = w.fresh("counter")
    return _loop(w, f"for {counter} in {c.pick(ranges)}:", "for over a range", {counter: "counter"})


def for_array(w: Writer) -> bool:
    """`for v in xs`, also enumerated, zipped, reversed, sliced, or over the rows of a matrix."""
    c = w.choices
    arrays = [name for name in w.scope.of_kind("ints", "floats") if name not in w.hidden]
    rows = w.scope.of_kind("matrix")
    if rows and (not arrays or c.chance(20)):
        row = w.fresh("floats")
        lock = {rows[0], row}
        return _loop(w, f"for {row} in {rows[0]}:", "for over rows", {row: "floats"}, lock=lock)
    if not arrays:
        return for_range(w)
    array, second = c.pick(arrays), c.pick(arrays)
    item, other, counter = w.fresh("counter"), w.fresh("counter"), w.fresh("counter")
    kind, kind2 = ("counter" if w.scope.kinds[name] == "ints" else "float" for name in (array, second))
    item = w.fresh("float") if kind == "float" else item
    other = w.fresh("float") if kind2 == "float" else other
    targets = {item: kind}
    form = c.pick(["plain", "enumerate", "zip", "reversed", "slice", "both", "start", "empty", "three"])
    header = f"{item} in {array}"
    if w.likes("parts read") and c.chance(25):
        counter = w.fresh("counter")
        header = f"for {counter} in {parts.positions(w, array)}:"
        return _loop(w, header, "for over positions", {counter: "counter"}, lock={array})
    if w.likes("parts read"):
        header = f"for {item} in {parts.part(w, array)}:"
        return _loop(w, header, "for over a part", {item: kind}, lock={array})
    if form in ("enumerate", "start"):
        header = f"{counter}, {item} in enumerate({array}{', 1' if form == 'start' else ''})"
        targets |= {counter: "counter"}
    elif form in ("zip", "both", "three"):
        targets |= {other: kind2}
        header = f"{item}, {other} in zip({array}, {second})"
        if form == "both":
            header = f"{counter}, ({item}, {other}) in enumerate(zip({array}, {second}))"
            targets |= {counter: "counter"}
        elif form == "three":
            header = f"{item}, {counter}, {other} in zip({array}, range(5), {second})"
            targets |= {counter: "counter"}
    elif form == "reversed":
        header = f"{item} in reversed({array})"
    elif form == "slice":
        header = f"{item} in {array}{c.pick(['[1:]', '[::-1]', '[:2]'])}"
    elif form == "empty" and c.chance(30):
        return _loop(w, f"for {item} in {array}[9:]:", "for over nothing", targets, lock={array})
    if form == "slice":
        return _loop(w, f"for {header}:", f"for over an array: {form}", targets, lock={array}, runs=True)
    walked = {array, second}
    return _loop(w, f"for {header}:", f"for over an array: {form}", targets, walked=walked, runs=True)


def for_python(w: Writer) -> bool:
    """`for` over a tuple, a list, a dict or pairs that Python holds."""
    c = w.choices
    item, other = w.fresh("counter"), w.fresh("counter")
    values = f"({of_kind(w, 'int', 1)}, 1, {of_kind(w, 'int', 0)})"
    headers = [f"{item} in {values}", f"{item}, {other} in [(1, {of_kind(w, 'int', 0)}), (2, 0)]"]
    headers += [f"{item}, {other} in enumerate({values})", f"{item}, {other} in zip((0, 1), {values})"]
    lists = w.scope.of_kind("list")
    headers += [f"{item} in {name}" for name in lists]
    headers += [f"{item} in [v + 1 for v in (0, 2)]", f"{item} in reversed({values})"]
    header = c.pick(headers)
    targets = {item: "counter"} | ({other: "counter"} if header.startswith(f"{item}, {other} in ") else {})
    tables = w.scope.of_kind("dict")
    if tables and c.chance(20):
        key = f"{tables[0]}[key]"
        return _loop(w, f"for key in {tables[0]}:", "for over keys", first=f"{key} = ({key} + 1) % 5")
    boxes = w.scope.of_kind("box")
    if boxes and c.chance(25):
        box = w.fresh("box")
        return _loop(
            w, f"for {box} in ({boxes[0]}, {boxes[-1]}):", "for over objects", {box: "box"}, runs=True
        )
    return _loop(w, f"for {header}:", "for over Python values", targets, lock=set(lists), runs=True)


def for_produced(w: Writer) -> bool:
    """`for v in produce(3, a)`, also enumerated."""
    # Each `yield` is a copy of the body, and loops around multiply the copies.
    if not w.shared.producers or w.generators >= w.shared.nesting or (w.loops and w.choices.chance(75)):
        return for_range(w)
    item, counter = w.fresh("counter"), w.fresh("counter")
    call = produced(w)
    headers = [f"{item} in {call}", f"{counter}, {item} in enumerate({call})"]
    header = w.choices.pick([*headers, f"{counter}, {item} in enumerate({call}, 1)", headers[0]])
    targets = {item: "counter"} | ({counter: "counter"} if header.startswith(f"{counter}, ") else {})
    w.generators += 1
    done = _loop(w, f"for {header}:", "for over a generator", targets)
    w.generators -= 1
    return done


def _loop(
    w: Writer,
    header: str,
    feature: str,
    targets: dict[str, str] | None = None,
    *,
    first: str = "",
    lock: set[str] | None = None,
    walked: set[str] | None = None,
    runs: bool = False,
) -> bool:
    """Writes a loop and perhaps its `else`; never True, as the body may not run or break.

    Args:
      w: the function being written.
      header: the loop's first line.
      feature: what the statistics call this loop.
      targets: the names that each iteration assigns, with their kinds.
      first: the first line of the body, which counts.
      lock: arrays that may not be written inside.
      walked: arrays that may not be bound anew inside.
      runs: whether the body runs at least once, so that the targets are assigned after the loop.
    """
    before = w.scope.copy()
    for name, kind in (targets or {}).items():
        w.scope.define(name, kind)
    w.scope.locked |= frozenset(lock or ())
    w.scope.walked |= frozenset(walked or ())
    w.scope.fixed |= frozenset(targets or ())
    w.loops.append(frozenset(before.kinds))
    with w.inside(header, feature):
        if first:
            w.emit(first)
        elif targets and "box" not in targets.values() and w.choices.chance(10):
            w.emit(f"note({w.tag()}, {next(iter(targets))})", "note")
        block(w, 3)
    w.loops.pop()
    inner = w.scope
    if runs:
        for name, kind in (targets or {}).items():
            before.define(name, kind)
    w.scope = join(before, [before, inner])
    if w.choices.chance(20):
        skipped = w.scope.copy()
        with w.inside("else:", "else of a loop"):
            block(w, 2)
        w.scope = join(skipped, [skipped, w.scope])
    return False


def count_and_add(w: Writer) -> bool:
    """An accumulation, the loop that people write most."""
    kind = w.choices.pick(["ints", "floats"])
    arrays = [name for name in w.scope.of_kind(kind) if name not in w.hidden]
    if not arrays:
        return for_range(w)
    scalar = "int" if kind == "ints" else "float"
    total, item = w.fresh(scalar), w.fresh("counter" if scalar == "int" else "float")
    w.emit(f"{total} = {'0' if scalar == 'int' else '0.0'}")
    w.scope.define(total, scalar)
    step = f"{total} += {tiny(w, scalar)}"
    targets = {item: "counter" if scalar == "int" else "float"}
    header = f"for {item} in {arrays[0]}:"
    return _loop(w, header, "accumulation", targets, first=step, lock={arrays[0]}, runs=True)


COMPOUND |= {
    "while": while_,
    "while True": while_true,
    "for range": for_range,
    "for array": for_array,
    "for python": for_python,
    "for produced": for_produced,
    "accumulate": count_and_add,
}
