"""Which values that are no numbers stand here? Texts, members of enums, functions, objects of two classes, and None: a condition chooses."""

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
LEVEL = """\
class Level(enum.IntEnum):
    LOW = 1
    MID = 4
    HIGH = 6
"""
STEPS = """\
def halve(v):
    return v // 2
""", """\
def mirror(v):
    return -v if v > 3 else v + 2
""", """\
def settle(v):
    while v > 9:
        v = v - 4
    return v
"""  # fmt: skip
SHAPES = """\
class Disc:
    def __init__(self, size):
        self.size, self.grown = size, 0

    def area(self, v):
        return (self.size * 3 + v) % 23

    def grow(self, v):
        self.size = (self.size + v) % 29
        self.grown += 1
""", """\
class Plate:
    def __init__(self, size):
        self.size = size

    def area(self, v):
        if v > self.size:
            return self.size
        return (self.size * self.size - v) % 19

    def grow(self, v):
        if v > 2:
            self.size = v % 13
"""  # fmt: skip
OBJECTS = ("disc", "plate")
VALUES = {
    "text": ['"idle"', '"busy"', '"done"'],
    "state": ["State.IDLE", "State.BUSY", "State.DONE"],
    "last": ["None"],
    "level": ["Level.LOW", "Level.MID", "Level.HIGH"],
    "step": ["halve", "mirror", "settle"],
    "shape": [*OBJECTS],
}
PARTS = {"state": (ENUM,), "level": (LEVEL,), "step": STEPS}
FEATURES = {
    "text": "text",
    "state": "enum",
    "last": "None",
    "level": "IntEnum",
    "step": "chosen function",
    "shape": "chosen object",
}


def write_objects(w: Writer) -> None:
    """Two objects of two classes, with methods of the same names."""
    w.shared.module[:0] = SHAPES
    w.taken |= {*OBJECTS}
    w.emit(f"disc, plate = Disc({w.choices.below(6)}), Plate({w.choices.below(6)})")
    for name in OBJECTS:
        w.scope.define(name, "shape")
    w.scope.fixed |= {*OBJECTS}


def _change(w: Writer, name: str) -> None:
    """`shape.grow(a)`, `shape.size = a`: of the one that was chosen."""
    value = small(integers.int_expr(w, 1), "11")
    w.emit(w.choices.pick([f"{name}.grow({value})", f"{name}.size = {value}"]), "changed object")


def assign_state(w: Writer) -> None:
    """`mode = "busy"`, `state = State.DONE if ... else State.IDLE`, `last = None`, `last = a + 1`."""
    c = w.choices
    shapes = w.scope.of_kind("shape")
    has_objects = {*OBJECTS} <= {*shapes}
    kind = c.pick([kind for kind in VALUES if kind != "shape"] + ["shape"] * 4 * has_objects)
    w.shared.module[:0] = [part for part in PARTS.get(kind, ()) if part not in w.shared.module]
    if kind == "shape" and c.chance(50):
        _change(w, c.pick(shapes[::-1]))
        return
    first, second = c.pick(VALUES[kind]), c.pick(VALUES[kind])
    if kind == "last" and c.chance(70):
        first = small(integers.int_expr(w, 1), "97")
    value = f"({first}) if {conditions.bool_expr(w, 1).operand()} else {second}" if c.chance(30) else first
    names = w.scope.assignable(kind)
    name = c.pick(names) if names and c.chance(70) else w.fresh(kind)
    w.emit(f"{name} = {value}", FEATURES[kind])
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
    if kind == "shape":
        call = f"{name}.area({small(integers.int_expr(w, 1), '13')})"
        return Expr(c.pick([call, f"{name}.size", f"({name}.size if isinstance({name}, Disc) else 3)"]))
    if kind == "step" and c.chance(70):
        return Expr(f"{name}({small(integers.int_expr(w, 1), '13')})")
    first, second = c.pick(VALUES[kind]), c.pick(VALUES[kind])
    if kind == "level" and c.chance(40):
        return Expr(c.pick([f"({name} + 1)", f"(3 if {name} > {first} else 5)", f"{name} % 3"]), 8)
    if c.chance(20):
        items = ", ".join(f"{value}: {n + 2}" for n, value in enumerate(VALUES[kind]))
        return Expr(f"{{{items}}}[{name}]", 5)
    if c.chance(15) and kind != "step":
        return Expr(f"len({name})" if kind == "text" else f"{name}.value", 5)
    tests = [f"{name} == {first}", f"{name} != {first}", f"{name} in ({first}, {second})"]
    if kind in ("state", "level", "step"):
        tests += [f"{name} is {first}", f"{name} is not {first}"]
    return Expr(f"({c.pick(['3', '0'])} if {c.pick(tests)} else 7)", 7)
