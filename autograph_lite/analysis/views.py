"""Views: what may the value of an expression be a view of? Of what it names.

    m[i]              of m
    self.grid.T       of self.grid

It stands on Python's stack while the rest of its statement runs, so that no variable leads there.
"""

from __future__ import annotations

import dataclasses

import gast

from autograph_lite.syntax import trees

# Methods of an array whose result is, or may be, a view of it.
METHODS = frozenset({"reshape", "ravel", "squeeze", "swapaxes", "transpose", "view"})
# Functions of NumPy's whose result is, or may be, a view of the first argument.
FUNCTIONS = METHODS | {
    "asarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diagonal", "expand_dims", "flip", "fliplr", "flipud",
    "moveaxis", "real", "rot90",
}  # fmt: skip
# Attributes of an array that are views of it.
ATTRIBUTES = frozenset({"T", "mT", "real", "imag", "flat"})
# Builtins that give the items of what they are handed.
AROUND = frozenset({"enumerate", "iter", "reversed", "zip"})
NAMESPACES = frozenset({"np", "numpy", "jnp", "xp"})


@dataclasses.dataclass(frozen=True)
class View:
    """What may be a view of an array."""

    path: str  # what it is a view of, `m` or `self.grid`
    made: str  # where it became one, as text
    # `i`, as text, of an item `m[i]`, `i][j` of `m[i][j]`; else the empty text
    index: str = ""
    # how many dimensions a view has less than what the path names; None where that is not known
    drops: int | None = 0

    @property
    def root(self) -> str:
        """The variable of the path."""
        return self.path.partition(".")[0]

    # What a backward walk notes beside the names that are live. A space makes them different from any name.
    @property
    def is_read(self) -> str:
        """That the path is read later."""
        return f"{self.path} is read, {self.made}"

    @property
    def is_kept(self) -> str:
        """That what the path is reached by outlives the call."""
        return f"{self.path} is kept, {self.made}"


def index_text(index: gast.expr) -> str:
    """What stands in brackets, as text."""
    return gast.unparse(gast.Subscript(gast.Name("x", gast.Load(), None, None), index, gast.Load()))[2:-1]


def overlap(path: str, other: str) -> bool:
    """Whether one path is the other, or leads to it."""
    return path == other or path.startswith(f"{other}.") or other.startswith(f"{path}.")


def seen_by(value: gast.expr) -> list[View]:
    """What the value of an expression may be a view of."""
    match value:
        case gast.Name() | gast.Attribute():
            path = trees.dotted(value)
            views = [View(path, "")] if path.count(".") in (0, 1) and path else []
            if isinstance(value, gast.Attribute) and value.attr in ATTRIBUTES:
                views += [dataclasses.replace(view, drops=None) for view in seen_by(value.value)]
            return views
        case gast.Subscript(value=base, slice=index):
            drops = _drops(index)
            return [
                dataclasses.replace(
                    view,
                    index=_chained(view, index_text(index)),
                    drops=None if view.drops is None else view.drops + drops,
                )
                for view in seen_by(base)
            ]
        case gast.Call(func=gast.Attribute(value=gast.Name(id=module), attr=attr), args=[base, *_]) if (
            attr in FUNCTIONS and module in NAMESPACES
        ):
            return [dataclasses.replace(view, drops=None) for view in seen_by(base)]
        case gast.Call(func=gast.Attribute(value=base, attr=attr)) if attr in METHODS:
            return [dataclasses.replace(view, drops=None) for view in seen_by(base)]
        case gast.IfExp(body=body, orelse=orelse):
            return [*seen_by(body), *seen_by(orelse)]
        case gast.BoolOp(values=values):
            return [view for each in values for view in seen_by(each)]
    return []


def _chained(view: View, text: str) -> str:
    """The index of an item of a view; what is no index where the axes of the view may be others, as in `m[i].T[j]`."""
    if view.drops is None:
        return f"{view.index}][][{text}"
    return f"{view.index}][{text}" if view.index else text


def _drops(index: gast.expr) -> int:
    """By how many dimensions an index reduces those of an array, if no array stands in it."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    new = sum(isinstance(p, gast.Constant) and p.value is None for p in parts)
    kept = sum(isinstance(p, gast.Slice) or (isinstance(p, gast.Constant) and p.value is ...) for p in parts)
    return len(parts) - kept - 2 * new
