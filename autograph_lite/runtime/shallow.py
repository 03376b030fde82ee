"""What is the structure of a call, where its arguments are arrays, literals, and dictionaries and lists of arrays?

f(x, {"w": x, "b": y}, 3)      ((None, ("b", "w"), (int, 3)), ()) and [x, y, x]

JAX makes an object of the structure, which takes longer than Python's own look at what most calls bring.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph_lite.runtime.array_spec import array_types
from autograph_lite.runtime.positional import LITERALS

Shape = tuple[tuple[Any, ...], tuple[str, ...]]
_TEXTS = frozenset([str])


class _Deeper(Exception):
    """JAX has to look at the call."""


def parted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Shape, list[Any]] | None:
    """What tells the call from others beside its arrays, and these in JAX's order; None for all other calls."""
    names = tuple(sorted(kwargs)) if kwargs else ()
    leaves: list[Any] = []
    try:
        return (_shapes([*args, *map(kwargs.__getitem__, names)], leaves), names), leaves
    except _Deeper:
        return None


def _shapes(values: Iterable[Any], leaves: list[Any]) -> tuple[Any, ...]:
    arrays = array_types()
    shapes: list[Any] = []
    for value in values:
        kind = type(value)
        if kind in arrays:
            leaves.append(value)
            shapes.append(None)
        elif kind in LITERALS:
            shapes.append((kind, value))
        else:
            shape, items = _container(kind, value)
            if not arrays.issuperset(map(type, items)):
                raise _Deeper
            leaves += items
            shapes.append(shape)
    return tuple(shapes)


def _container(kind: type, value: Any) -> tuple[tuple[Any, ...], Any]:
    if kind is dict and _TEXTS.issuperset(map(type, value)):
        keys = sorted(value)
        return tuple(keys), [*map(value.__getitem__, keys)]
    if kind is list or kind is tuple:
        return (kind, len(value)), value
    raise _Deeper
