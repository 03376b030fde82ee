"""Views: what may a name be a view of? Of what the statement names that binds it.

    row = m[i]        row of m
    g = self.grid     g of self.grid
    for row in m:     row of m

A view of NumPy's shares its memory with the array that it was taken from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

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
    """A name that may be a view of an array: `row = m[i]`, `g = self.grid`, `for row in m`."""

    name: str  # `row`
    path: str  # what it is a view of, `m` or `self.grid`
    made: str  # where it became one, as text
    index: str = ""  # `i`, as text, where the name is an item of what the path names; else the empty text
    # how many dimensions a view has less than what the path names; None where that is not known
    drops: int | None = 0
    # whether it is one of several, `x, v = state`: code on values, which leaves the state as it is
    unpacked: bool = False
    chained: bool = False  # whether the path is what the same statement binds, `x = y = value`
    # whether the path names a list, a tuple or a dict that has got the name's value as an item, `rows = [row]`
    held: bool = False

    @property
    def root(self) -> str:
        """The variable of the path."""
        return self.path.partition(".")[0]

    @property
    def is_same(self) -> bool:
        """Whether the name is no part of what the path names."""
        return self.drops == 0 and not self.index

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


def made_by(target: gast.expr, value: gast.expr) -> list[View]:
    """The views that `target = value` makes."""
    match target, value:
        case (
            (gast.Tuple(elts=targets) | gast.List(elts=targets)),
            (gast.Tuple(elts=values) | gast.List(elts=values)),
        ) if len(targets) == len(values) and not any(
            isinstance(e, gast.Starred) for e in (*targets, *values)
        ):
            return [view for t, v in zip(targets, values, strict=True) for view in made_by(t, v)]
        case gast.Tuple(elts=targets) | gast.List(elts=targets), gast.Name() | gast.Attribute():
            items = [gast.Subscript(value, gast.Constant(k, None), gast.Load()) for k in range(len(targets))]
            unpacked = [view for t, item in zip(targets, items, strict=True) for view in made_by(t, item)]
            return [dataclasses.replace(view, unpacked=True) for view in unpacked]
        case gast.Name(id=name), _:
            views = seen_by(value)
            made = f"{name} = {gast.unparse(value)}" if views else ""
            return [dataclasses.replace(view, name=name, made=made) for view in views]
        case gast.Attribute(), gast.Name(id=name):
            path = trees.dotted(target)
            return [View(name, path, f"{path} = {name}")] if path.count(".") == 1 else []
    return []


# An array has no item with more dimensions than it has itself: what is put in one is copied.
_IN_A_CONTAINER = -1


def put_in(node: gast.AST) -> list[View]:
    """The views that a statement makes of names whose values it puts in a list, a tuple or a dict."""
    items: list[tuple[str, gast.expr]]
    match node:
        case gast.Assign(targets=[gast.Name(id=path)], value=gast.List(elts=elts) | gast.Tuple(elts=elts)):
            items = [(str(place), item) for place, item in enumerate(elts)]
        case gast.Assign(targets=[gast.Name(id=path)], value=gast.Dict(keys=keys, values=values)):
            items = [(gast.unparse(k) if k else "?", v) for k, v in zip(keys, values, strict=True)]
        case gast.Assign(
            targets=[gast.Subscript(value=(gast.Name() | gast.Attribute()) as owner, slice=index)], value=item
        ):
            path, items = trees.dotted(owner), [(index_text(index), item)]
        case gast.Expr(
            value=gast.Call(
                func=gast.Attribute(value=(gast.Name() | gast.Attribute()) as owner, attr="append"),
                args=[item],
            )
        ):
            path, items = trees.dotted(owner), [("?", item)]
        case _:
            return []
    if not path or path.count(".") > 1:
        return []
    made = gast.unparse(node).strip()
    names = [(index, item.id) for index, item in items if isinstance(item, gast.Name)]
    return [View(name, path, made, index, _IN_A_CONTAINER, held=True) for index, name in names]


def chained(targets: Sequence[gast.expr]) -> list[View]:
    """The views that `x = y = value` makes whatever the value is: both names mean it."""
    names = [target.id for target in targets if isinstance(target, gast.Name)]
    made = " = ".join([*names, "..."])
    return [View(name, names[0], made, chained=True) for name in names[1:]]


def seen_by(value: gast.expr) -> list[View]:
    """What the value of an expression may be a view of."""
    match value:
        case gast.Name() | gast.Attribute():
            path = trees.dotted(value)
            views = [View("", path, "")] if path.count(".") in (0, 1) and path else []
            if isinstance(value, gast.Attribute) and value.attr in ATTRIBUTES:
                views += [dataclasses.replace(view, drops=None) for view in seen_by(value.value)]
            return views
        case gast.Subscript(value=base, slice=index):
            drops, text = _drops(index), index_text(index)
            return [
                dataclasses.replace(
                    view,
                    index=text if not view.index and view.drops == 0 else f"{view.index}][{text}",
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


def _drops(index: gast.expr) -> int:
    """By how many dimensions an index reduces those of an array, if no array stands in it."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    new = sum(isinstance(p, gast.Constant) and p.value is None for p in parts)
    kept = sum(isinstance(p, gast.Slice) or (isinstance(p, gast.Constant) and p.value is ...) for p in parts)
    return len(parts) - kept - 2 * new


def views_of_loop(target: gast.expr, iterable: gast.expr, index: str = "") -> list[View]:
    """The views that `for target in iterable` makes."""
    match iterable, target:
        case ((gast.Name() | gast.Attribute()), gast.Name(id=name)):
            path = trees.dotted(iterable)
            made = f"for {name} in {path}"
            return [View(name, path, made, index, 1)] if path.count(".") in (0, 1) and path else []
        case gast.Call(func=gast.Name(id="reversed"), args=[value]), _:
            return views_of_loop(target, value)
        case gast.Call(func=gast.Name(id="enumerate"), args=[value, *start]), gast.Tuple(elts=[count, item]):
            return views_of_loop(item, value, count.id if isinstance(count, gast.Name) and not start else "")
        case gast.Call(func=gast.Name(id="zip"), args=args), gast.Tuple(elts=items) if len(args) == len(
            items
        ):
            return [
                view for item, each in zip(items, args, strict=True) for view in views_of_loop(item, each)
            ]
    return []
