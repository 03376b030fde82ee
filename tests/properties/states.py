"""Which values that are no numbers stand here? Texts, members of an enum, and None beside a number: a condition chooses them."""

from __future__ import annotations

from . import conditions, integers
from .texts import Expr, read, small
from .writer import Writer

ENUM = """\
class State(enum.Enum):
    IDLE = 1
    BUSY = 2
    DONE = 5
"""
VALUES = {
    "text": ['"idle"', '"busy"', '"done"'],
    "state": ["State.IDLE", "State.BUSY", "State.DONE"],
    "last": ["None"],
}


def assign_state(w: Writer) -> None:
    """`mode = "busy"`, `state = State.DONE if ... else State.IDLE`, `last = None`, `last = a + 1`."""
    c = w.choices
    kind = c.pick([*VALUES])
    if kind == "state" and ENUM not in w.shared.module:
        w.shared.module.insert(0, ENUM)
    first, second = c.pick(VALUES[kind]), c.pick(VALUES[kind])
    if kind == "last" and c.chance(70):
        first = small(integers.int_expr(w, 1), "97")
    value = f"({first}) if {conditions.bool_expr(w, 1).operand()} else {second}" if c.chance(30) else first
    names = w.scope.assignable(kind)
    name = c.pick(names) if names and c.chance(70) else w.fresh(kind)
    w.emit(f"{name} = {value}", {"text": "text", "state": "enum", "last": "None"}[kind])
    w.scope.define(name, kind)


def of_state(w: Writer) -> Expr | None:
    """An integer that such a value decides."""
    c = w.choices
    name = read(w, *VALUES)
    if name is None:
        return None
    kind = (w.scope.kinds | w.scope.maybe)[name]
    if kind == "last":
        test = c.pick([f"{name} is None", f"not ({name} is not None)", f"{name} == None"])
        return Expr(f"({c.pick(['4', '-1'])} if {test} else {name})")
    first, second = c.pick(VALUES[kind]), c.pick(VALUES[kind])
    if c.chance(20):
        items = ", ".join(f"{value}: {n + 2}" for n, value in enumerate(VALUES[kind]))
        return Expr(f"{{{items}}}[{name}]", 5)
    if c.chance(15):
        return Expr(f"len({name})" if kind == "text" else f"{name}.value", 5)
    tests = [f"{name} == {first}", f"{name} != {first}", f"{name} in ({first}, {second})"]
    if kind == "state":
        tests += [f"{name} is {first}", f"{name} is not {first}"]
    return Expr(f"({c.pick(['3', '0'])} if {c.pick(tests)} else 7)", 7)
