"""Which simple statement stands here: an assignment in one of its many forms, a mutation, a call, a `del`?"""

from __future__ import annotations

from collections.abc import Callable

from . import states
from .conditions import question
from .expressions import array_expr, of_kind, target, tiny
from .integers import index, int_expr
from .parts import write_part
from .texts import small
from .writer import Writer

SCALARS = ("int", "int", "float", "bool")


def assign(w: Writer) -> None:
    """`a = ...` of some kind, plain or annotated; now and then an integer where floats will follow."""
    kind = w.choices.pick(SCALARS)
    if kind == "float" and w.likes("promotion"):
        name = target(w, kind)
        w.emit(f"{name} = {w.choices.pick(['0', '1', '-2'])}", "promotion")
    else:
        value = of_kind(w, kind)
        name = target(w, kind)
        new = name not in w.scope.kinds and name not in w.scope.maybe
        annotation = f": {kind}" if new and w.choices.chance(10) else ""
        w.emit(f"{name}{annotation} = {value}")
    w.scope.define(name, kind)


def augment(w: Writer) -> None:
    """`a += ...` on a name, or another of the augmented operators."""
    kind = w.choices.pick(["int", "float"])
    names = w.scope.assignable(kind)
    if not names:
        return assign(w)
    name = w.choices.pick(names)
    if w.choices.chance(20):
        w.emit(f"{name} {w.choices.pick(['%=', '//='])} {3 if kind == 'int' else 2.0}", "augmented")
    else:
        w.emit(f"{name} {w.choices.pick(['+=', '-='])} {tiny(w, kind)}", "augmented")
    return None


def unpack(w: Writer) -> None:
    """`a, x = ...`, a swap, starred or nested targets, `divmod`."""
    c = w.choices
    form = c.pick(["pair", "swap", "nested", "starred", "divmod", "list", "rows", "whole"])
    w.shared.features.add("unpacking")
    pairs = w.scope.of_kind("pair")
    if form == "whole" and pairs:
        first, second = two_targets(w, "int", "float")
        w.emit(f"{first}, {second} = {c.pick(pairs)}", "pair")
        return
    known = w.scope.assignable("int")
    if form == "swap" and len(known) > 1:
        first, second = known[0], known[-1]
        w.emit(f"{first}, {second} = {second}, {first}")
        return
    if form == "divmod":
        value, names = f"divmod({of_kind(w, 'int', 1)}, {c.pick([3, 5])})", two_targets(w, "int", "int")
        w.emit(f"{names[0]}, {names[1]} = {value}")
        return
    arrays = w.scope.of_kind("ints")
    if form == "rows" and arrays:
        values = c.pick([f"{arrays[0]}[:2]", f"({arrays[0]}[0], {arrays[0]}[-1])"])
        names = two_targets(w, "int", "int")
        w.emit(f"{names[0]}, {names[1]} = {values}")
        return
    one, half, other = of_kind(w, "int", 1), of_kind(w, "float", 1), of_kind(w, "int", 1)
    if form == "starred":
        rest = w.fresh("list")
        first = target(w, "int")
        w.emit(f"{first}, *{rest} = {one}, {other}, {of_kind(w, 'int', 1)}", "starred")
        w.scope.define(first, "int")
        w.scope.define(rest, "list")
        return
    names = two_targets(w, "int", "float")
    if form == "nested":
        third = w.fresh("int")
        w.emit(f"({names[0]}, ({names[1]}, {third})) = {one}, ({half}, {other})")
        w.scope.define(third, "int")
    elif form == "list":
        w.emit(f"[{names[0]}, {names[1]}] = [{one}, {half}]")
    else:
        w.emit(f"{names[0]}, {names[1]} = {one}, {half}")


def pack(w: Writer) -> None:
    """`pair = a, x`: a tuple under a name, a new one or one that is there."""
    name = target(w, "pair")
    w.emit(f"{name} = {of_kind(w, 'int', 1)}, {of_kind(w, 'float', 1)}", "pair")
    w.scope.define(name, "pair")


def two_targets(w: Writer, *kinds: str) -> list[str]:
    """Two different names to assign; they count as assigned from here on."""
    first = target(w, kinds[0])
    w.scope.define(first, kinds[0])
    second = target(w, kinds[1])
    if second == first:
        second = w.fresh(kinds[1])
    w.scope.define(second, kinds[1])
    return [first, second]


def chain(w: Writer) -> None:
    """`a = b = ...`, also into an item."""
    value = of_kind(w, "int")
    first = target(w, "int")
    w.scope.define(first, "int")
    second = w.choices.pick(["", *(f"{name}['a']" for name in w.scope.of_kind("dict"))])
    if not second:
        second = target(w, "int")
        w.scope.define(second, "int")
    w.emit(f"{first} = {second} = {value}", "chained assignment")


def write_array(w: Writer) -> None:
    """`xs[i] = ...` or `xs[i] += ...`, an item, a slice or a row; a new array if there is none to write."""
    c = w.choices
    name = w.to_be_written("ints", "floats", "matrix")
    if name is None or c.chance(15):
        return new_array(w)
    kind = w.scope.kinds[name]
    if kind == "ints" and w.shared.fillers and c.chance(60):
        return fill_array(w, name)
    if kind != "matrix" and w.likes("views"):
        return write_held(w, name)
    scalar = "int" if kind == "ints" else "float"
    places = [f"[{index(w, f'len({name})')}]", "[:2]", "[1:]"]
    if kind == "matrix":
        places = [f"[{index(w, f'len({name})')}, {index(w, f'{name}.shape[1]')}]", "[:, 0]", "[0]"]
    place = places[0] if c.chance(75) else c.pick(places)
    counters = w.scope.assignable("int")
    if kind != "matrix" and counters and c.chance(20):
        return write_and_bind(w, name, scalar, c.pick(counters))
    if c.chance(40):
        w.emit(f"{name}{place} += {tiny(w, scalar)}", "augmented item")
    else:
        w.emit(f"{name}{place} = {of_kind(w, scalar, 1)}", "item")
    return None


def write_and_bind(w: Writer, name: str, kind: str, counter: str) -> None:
    """`xs[k], k = ...`, `xs[k] += (k := 2)`: a statement that writes an item and binds what its index is."""
    item, value, number = f"{name}[{counter} % len({name})]", tiny(w, kind), tiny(w, "int")
    form = w.choices.pick([
        f"{item}, {counter} = {value}, {number}", f"{counter}, {item} = {number}, {value}",
        f"{item}, ({counter}, {name}[0]) = {value}, ({number}, {value})",
        f"{item} = ({counter} := {number})", f"{item} += ({counter} := {counter} + {number})",
    ])  # fmt: skip
    w.emit(form, "item and its index")


def write_held(w: Writer, name: str) -> None:
    """`held = [xs, 0]` and `held[0][-1] = 3`: the item of an array that a list, a dict or a tuple has got."""
    value, place = w.choices.pick([
        (f"[{name}, 0]", "[0]"), (f"[0, {name}]", "[-1]"), (f"({name}, 0)", "[0]"), (f"dict(k={name})", "['k']"),
        (f"[({name}, 1)]", "[0][0]"), (f"[{name}.copy()]", "[0]"),
    ])  # fmt: skip
    held = w.fresh("list")
    w.emit(f"{held} = {value}", "array held")
    w.emit(f"{held}{place}[{w.choices.pick(['0', '-1', ':2'])}] = {tiny(w, 'int')}")
    if w.choices.chance(40):
        w.emit(f"{name} = {held}{place}", "array of a container")
        w.renew(name)


def fill_array(w: Writer, name: str) -> None:
    """`a = fill(xs, 2)`: a function that writes to the array, or to a copy of it, while others may hold a part of it."""
    called = f"{w.shared.fillers[0]}({name}{w.choices.pick(['', '', '.copy()'])}, {tiny(w, 'int')})"
    if w.choices.chance(30):
        return fill_held(w, name, called)
    if w.choices.chance(60):
        w.emit(called, "array filled")
        return
    new = target(w, "int")
    w.emit(f"{new} = {called}", "array filled")
    w.scope.define(new, "int")


def fill_held(w: Writer, name: str, called: str) -> None:
    """`part = xs[1:]`, `fill(xs, 2)` and `part.sum()`; or `xs * fill(xs, 2)`, which has evaluated `xs` when `fill` runs."""
    new = target(w, "int")
    if w.choices.chance(40):
        w.emit(f"{new} = int(({name} * {called}).sum()) % 17", "operand written")
    else:
        part = w.fresh("list")
        value = w.choices.pick([f"{name}[1:]", f"{name}[::-1]", f"[{name}[:2]][0]", f"{name}[:2].copy()"])
        w.emit(f"{part} = {value}", "part held")
        w.emit(called, "array filled")
        w.emit(f"{new} = int({part}.sum()) % 17")
    w.scope.define(new, "int")


def new_array(w: Writer) -> None:
    """A name for a new array."""
    kinds = [kind for kind in ("ints", "floats", "matrix") if w.scope.of_kind(kind)]
    if not kinds:
        return assign(w)
    kind = w.choices.pick(kinds)
    value = view(w, kind) if w.likes("views") else array_expr(w, kind).text
    names = [name for name in w.scope.assignable(kind) if name not in w.scope.locked | w.scope.walked]
    name = w.choices.pick(names) if names and w.choices.chance(40) else w.fresh(kind)
    w.emit(f"{name} = {value}", "array")
    if name in w.scope.kinds:
        w.renew(name)
    w.scope.define(name, kind)
    return None


def view(w: Writer, kind: str) -> str:
    """An array that shares its memory with another one."""
    w.shared.features.add("view")
    name = w.choices.pick(w.scope.of_kind(kind))
    if w.choices.chance(30):
        return w.choices.pick(
            [f"[{name}, 0][0]", f"dict(k={name}).get('k')", f"({name}, 0)[0]", f"list(({name},)).pop()"]
        )
    return name + w.choices.pick(["", "", "[:]", "[::-1]", ".reshape(-1)" if kind != "matrix" else ".T.T"])


def mutate(w: Writer) -> None:
    """A change inside a dict, a list or an object; a new one of them if there is none."""
    c = w.choices
    names = w.scope.of_kind("dict", "list", "box")
    if not names or c.chance(15):
        return new_container(w)
    name = c.pick(names[::-1])
    kind = w.scope.kinds[name]
    if kind == "list":
        w.emit(f"{name}[{c.pick(['0', '-1'])}] {c.pick(['=', '+='])} {tiny(w, 'int')}", "list item")
        return None
    if kind == "box" and c.chance(30):
        return mutate_inside(w, name)
    if kind == "dict" and c.chance(25):
        return order_of_keys(w, name)
    scalar = c.pick(["int", "float"])
    place = {"dict": {"int": "['a']", "float": "['b']"}, "box": {"int": ".count", "float": ".total"}}[kind][
        scalar
    ]
    if c.chance(50):
        w.emit(f"{name}{place} += {tiny(w, scalar)}", f"{kind} mutated")
    else:
        w.emit(f"{name}{place} = {of_kind(w, scalar, 1)}", f"{kind} mutated")
    return None


def order_of_keys(w: Writer, name: str) -> None:
    """What is seen of the order of a dict's keys, and now and then another order."""
    if name not in w.scope.locked and w.choices.chance(30):
        key = w.choices.pick(["a", "b"])
        w.emit(f"{name}['{key}'] = {name}.pop('{key}')", "key moved")
    view = w.choices.pick(["", ".values()", ".items()"])
    w.emit(f"note({w.tag()}, [*{name}{view}])", "order of keys")


def mutate_inside(w: Writer, box: str) -> None:
    """A change of an object's list, by an item or as a whole, or of what its class alone knows."""
    form = w.choices.pick(["item", "item", "list", "operator"])
    if w.likes("append"):
        w.emit(f"{box}.items += [{tiny(w, 'int')}]", "append")
    elif form == "item":
        place = f"{box}.items[{w.choices.pick(['0', '-1', 'abs(-1)', f'len({box}.items) - 1'])}]"
        w.emit(f"{place} {w.choices.pick(['=', '+='])} {tiny(w, 'int')}", "list of an object")
    elif form == "list":
        w.emit(f"{box}.items = [{of_kind(w, 'int', 1)}, {box}.items[0], 3]", "list of an object")
    else:
        w.emit(f"{box} += {tiny(w, 'int')}", "operator of an object")


def rebind(w: Writer) -> None:
    """`items = items[::-1]`, `d = dict(d)`, `box = copy.copy(box)`, now and then with another name for the old or the new one."""
    c = w.choices
    names = [name for kind in ("dict", "list", "box") for name in w.scope.assignable(kind)]
    names = [name for name in names if name not in w.scope.locked]
    if not names:
        return new_container(w)
    name = c.pick(names)
    kind = w.scope.kinds[name]
    forms = {
        "dict": [f"dict({name})", f"{name}.copy()", f"{{**{name}, 'a': {tiny(w, 'int')}}}",
                 f"{{'a': {name}['a'] + 1, 'b': {name}['b']}}", f"{{'b': {name}['b'], 'a': {name}['a'] + 1}}",
                 f"dict(reversed({name}.items()))", f"dict(sorted({name}.items()))"],
        "list": [f"{name}[::-1]", f"list({name})", f"[{name}[-1], *{name}[1:]]", f"[v % 17 + 1 for v in {name}]"],
        "box": [f"copy.copy({name})", f"Box({name}.count, {name}.total)"],
    }  # fmt: skip
    other = w.fresh(kind) if c.chance(25) else ""
    if other and c.chance(50):
        w.emit(f"{other} = {name}", "alias")
        w.scope.define(other, kind)
        other = ""
    w.emit(f"{name} = {c.pick(forms[kind])}", f"{kind} rebound")
    if other:
        w.emit(f"{other} = {name}", "alias")
        w.scope.define(other, kind)
    return None


def new_container(w: Writer) -> None:
    """A dict, a list, an object or a second name for an object."""
    c = w.choices
    kind = c.pick(["dict", "list", "box"] if w.shared.methods else ["dict", "list"])
    boxes = w.scope.of_kind("box")
    if kind == "dict":
        items = [f"'a': {of_kind(w, 'int', 1)}", f"'b': {of_kind(w, 'float', 1)}"]
        text = f"{{{', '.join(c.pick([items, items[::-1]]))}}}"
    elif kind == "list" and boxes and c.chance(20):
        text = f"{c.pick(boxes)}.items"
        w.shared.features.add("list of an object under a name")
    elif kind == "list":
        text = f"[{of_kind(w, 'int', 1)}, {of_kind(w, 'int', 0)}, {of_kind(w, 'int', 0)}]"
    elif boxes and c.chance(30):
        text = c.pick(boxes)
        w.shared.features.add("alias")
    else:
        text = f"{c.pick(['Box', 'Box', 'Double'])}({of_kind(w, 'int', 1)}, {of_kind(w, 'float', 1)})"
    name = w.fresh(kind)
    w.emit(f"{name} = {text}", kind)
    w.scope.define(name, kind)


def grow(w: Writer) -> None:
    """A list that gets longer or shorter; a new one if there is none."""
    c = w.choices
    lists = [name for name in w.scope.of_kind("list") if name not in w.scope.locked]
    if not lists:
        name = w.fresh("list")
        w.emit(f"{name} = [{of_kind(w, 'int', 1)}, {of_kind(w, 'int', 0)}, {c.pick([1, 2, 3])}]", "list")
        w.scope.define(name, "list")
        return
    name = c.pick(lists)
    if c.chance(30):  # the items that other statements read stay
        with w.inside(f"if len({name}) > 3:", "pop"):
            w.emit(f"{name}.pop({c.pick(['', '', '0', '-2'])})")
    elif c.chance(15):
        w.emit(f"lengthen({name}, {of_kind(w, 'int', 1)})", "append")
    else:
        value = of_kind(w, "int", 1)
        form = c.pick(
            [
                f".append({value})",
                f".append({value})",
                f" += [{value}]",
                f".extend([{value}, 1])",
                f".insert(0, {value})",
            ]
        )
        w.emit(f"{name}{form}", "append")


def queue(w: Writer) -> None:
    """A deque that a condition makes longer, and a loop that takes off what the data has put there."""
    c = w.choices
    name = w.fresh("queue")
    w.emit(f"{name} = collections.deque([{of_kind(w, 'int', 1)}])", "deque")
    end = c.pick(["append", "append", "appendleft"])
    with w.inside(f"if {question(w)}:"):
        w.emit(f"{name}.{end}({of_kind(w, 'int', 1)})")
    if c.chance(30):
        w.emit(f"{name}.rotate({c.pick([1, -1, 2])})")
    value, total = of_kind(w, "int", 1), target(w, "int")
    w.emit(f"{total} = {value}")
    w.scope.define(total, "int")
    item = w.fresh("int")
    header = (
        f"while {name}:" if c.chance(60) else f"while len({name}) > 0 and {name}[{c.pick(['0', '-1'])}] < 9:"
    )
    with w.inside(header, "while over a deque"):
        w.emit(f"{item} = {name}.{c.pick(['popleft', 'popleft', 'pop'])}()")
        w.emit(f"{total} = ({total} * 2 + {item}) % 17")
        with w.inside(f"if {item} > 1:"):  # smaller ones alone: the loop ends
            w.emit(f"{name}.{end}({item} // 2)")


def call(w: Writer) -> None:
    """A call for its side effect: a helper that mutates an object, a method, `append`, `note`."""
    c = w.choices
    boxes = w.scope.of_kind("box")
    options = [f"{box}.{method}({tiny(w, 'int')})" for box in boxes for method in w.shared.methods]
    options += [f"{mutator}({box}, {tiny(w, 'int')})" for box in boxes for mutator in w.shared.mutators]
    if w.scope.of_kind("list") and w.likes("append"):
        grow(w)
    elif options:
        w.emit(c.pick(options), "call for its effect")
    else:
        w.emit(f"note({w.tag()}, {int_expr(w, 1).text})", "note")


def delete(w: Writer) -> None:
    """`del a`, of a name that no earlier iteration and no closure needs."""
    before = w.loops[-1] if w.loops else frozenset()
    names = [name for name in w.scope.assignable("int") if name not in before]
    if len(names) < 2:
        return assign(w)
    name = w.choices.pick(names)
    if w.choices.chance(30) and name != "hits":  # what a branch does to a global, it does while it is traced
        return delete_on_one_path(w, name)
    w.emit(f"del {name}", "del")
    w.scope.forget(name)
    if name == "hits":  # a missing global is Python's own error, on a path that is traced and not taken, too
        del w.scope.maybe[name]
    return None


def delete_on_one_path(w: Writer, name: str) -> None:
    """A name that is deleted under a condition, and read then."""
    with w.inside(f"if {question(w, 0)}:", "maybe unassigned"):
        w.emit(f"del {name}", "del")
    w.emit(f"note({w.tag()}, {name})", "note")
    w.scope.forget(name)


def scratch(w: Writer) -> None:
    """An array of NumPy's own that is written between two uses: the first is of what it was."""
    c = w.choices
    factor, before = tiny(w, "int"), of_kind(w, "int", 0)
    name = target(w, "int")
    use = f"(buffer * ({factor})).sum()"
    w.emit(f"buffer = np.array({c.pick(['[3, 1, 2]', '[4, 0]'])})")
    w.emit(f"{name} = (({before}) + {use}) % 17")
    w.scope.define(name, "int")
    w.emit(c.pick(["buffer[0] = 5", "buffer[1:] = 7", "buffer += 1", "buffer[-1] -= 2"]))
    if "try/except" in w.shared.features and {"maybe unassigned", "raise"} & w.shared.features:
        # What is computed before may raise: then the change is made on one path only, of an array that is NumPy's.
        w.shared.features.add("array of NumPy's changed where nothing was raised")
    w.emit(f"{name} = ({name} + (buffer * ({tiny(w, 'int')})).sum()) % 17", "scratch array")


def yield_(w: Writer) -> None:
    """`yield a`, of a generator function."""
    w.emit(f"yield {small(int_expr(w, 1), '17')}", "yield")


def recur(w: Writer) -> None:
    """`a = descend(b % 4, x)`, a function that calls itself; else an assignment."""
    if not w.shared.recursive:
        return assign(w)
    name = target(w, "int")
    call = f"{w.shared.recursive[0]}({int_expr(w, 0).operand()} % 4, {small(int_expr(w, 1), '17')})"
    w.emit(f"{name} = {call}")
    w.scope.define(name, "int")


SIMPLE: dict[str, Callable[[Writer], None]] = {
    "assign": assign,
    "augment": augment,
    "unpack": unpack,
    "pack": pack,
    "chain": chain,
    "array": write_array,
    "scratch": scratch,
    "part": write_part,
    "mutate": mutate,
    "rebind": rebind,
    "call": call,
    "grow": grow,
    "queue": queue,
    "del": delete,
    "state": states.assign_state,
    "yield": yield_,
    "recur": recur,
}
