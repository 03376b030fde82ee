"""Which class does a function define for itself?

Its body reads the function's variables once, its method whenever it is called.
"""

from __future__ import annotations

from .blocks import COMPOUND, block
from .expressions import of_kind
from .writer import INTEGER, Writer


def local_class(w: Writer) -> bool:
    """A class with an attribute that is computed in its body, and a method that closes over the function's variables."""
    name = f"Local{w.tag()}"
    outer, loops, shape = w.scope, w.loops, w.shape
    known = outer.copy()
    known.define("v", "counter")
    known.fixed = known.locked = frozenset(known.kinds)
    known.maybe = {}
    value, half = of_kind(w, "int", 1), of_kind(w, "float", 0)
    with w.inside(f"class {name}:", "local class"):
        w.emit(f"count = {value}")
        w.emit(f"total, rest = {half}, count % 3")
        w.scope, w.loops, w.shape = known, [], INTEGER
        with w.inside("def get(self, v):", "nested function"):
            if not block(w, 2):
                w.emit(f"return ({of_kind(w, 'int', 1)} + self.count + self.rest) % 17")
    w.scope, w.loops, w.shape = outer, loops, shape
    w.scope.define(f"{name}().get", "fun")
    w.scope.define(f"{name}.count", "int")
    w.scope.define(f"{name}.total", "float")
    w.scope.fixed |= {f"{name}.count", f"{name}.total"}
    if w.level > 1:  # what a path defines is read there only
        w.emit(f"note({w.tag()}, {name}().get({name}.rest))", "note")
        for part in (f"{name}().get", f"{name}.count", f"{name}.total"):
            del w.scope.kinds[part]
    return False


COMPOUND["class"] = local_class
