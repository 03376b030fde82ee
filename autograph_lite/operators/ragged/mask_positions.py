"""Mask positions: where does a traced mask hold? At a selection of all positions, those that it chooses.

    jnp.nonzero(m), jnp.where(m)          (jnp.arange(n)[m],)
    jnp.argwhere(m), jnp.flatnonzero(m), m.nonzero()

So they go where parts go: x[i] reads and writes what `m` chooses, len(i), i[0], i + 1, i > 3, for k in i.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.dataflow import recorded_ints
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.ragged.extents import Chosen
from autograph_lite.operators.ragged.selection import (
    METHODS,
    Origin,
    Selection,
    array_of,
    as_row,
    chosen,
    extents_of,
)
from autograph_lite.operators.ragged.slice_spelling import Spelled, sized
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.values import Tracer, python_value, traced
from autograph_lite.syntax.source_text.compiling import parse_expression


def nonzero(mask: Any) -> tuple[Any, ...]:
    """`jnp.nonzero(mask)`: for each axis the positions where it holds, selections by one extent; arrays where it is known."""
    if not extents_of(mask):
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use jnp.atleast_1d(scalar).nonzero() instead."
        )
    known = mask if isinstance(mask, np.ndarray) else python_value(mask)
    if isinstance(known, np.ndarray):  # of Python's values alone
        return tuple(row.astype(jnp.result_type(int)) for row in np.nonzero(known))
    array, extents = array_of(mask), extents_of(mask)
    holds, lanes = (array if array.dtype == bool else array != 0), chosen(extents)
    holds = holds if lanes is None else holds & lanes
    extent, origin = Chosen(holds.reshape(-1)), _origin(array.size)
    rows = []
    for axis, (own, size) in enumerate(zip(extents, array.shape, strict=True)):
        row = as_row(jnp.arange(size) if own is None else own.ranks(), axis, array.ndim)
        row = jnp.broadcast_to(row, array.shape).reshape(-1)
        rows.append(Selection(recorded_ints.note_range(row, 0, size - 1), (extent,), origin))
    return tuple(rows)


def _of_method(mask: Any) -> tuple[Any, ...]:
    """`mask.nonzero()`: NumPy's if the mask is."""
    rows = nonzero(mask)
    for row in rows:
        numpys_arrays.note_next(array_of(row), array_of(mask))
    return rows


_NAMES = ("nonzero", "argwhere", "flatnonzero", "where")


def _origin(size: Any) -> Origin:
    """What messages say of positions: the user's call, its mask, and the call that gives so many as are known."""
    text = source_places.expression()
    try:
        name, mask, shown = next(filter(None, map(_spelled, ast.walk(parse_expression(text)))))
    except (SyntaxError, StopIteration):
        return Origin(
            source_places.here(), Spelled(text, "A mask in it is traced.", sized("nonzero", "mask", size))
        )
    return Origin(
        source_places.here(), Spelled(shown, f"The mask '{mask}' is traced.", sized(name, mask, size))
    )


def _spelled(node: ast.AST) -> tuple[str, str, str] | None:
    """Of a call that finds positions, its function's name, its mask, and its text."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[mask]) if name in _NAMES:
            return name, ast.unparse(mask), ast.unparse(node)
        case ast.Call(func=ast.Attribute(value=mask, attr=name), args=[]) if name in _NAMES:
            return name, ast.unparse(mask), ast.unparse(node)
    return None


def flatnonzero(mask: Any) -> Any:
    """`jnp.flatnonzero(mask)`."""
    rows, place = nonzero(mask), 0
    for row, length in zip(rows, np.shape(mask), strict=True):
        place = place * length + row
    return place


def argwhere(mask: Any) -> Any:
    """`jnp.argwhere(mask)`: a row for each position."""
    rows = nonzero(mask)
    if not isinstance(rows[0], Selection):
        return np.stack(rows, axis=-1)
    first = rows[0]
    return Selection(jnp.stack([row.array for row in rows], -1), (*first.extents, None), first.origin)


# By the identity of a function of JAX's or NumPy's, which stays.
_MEANING: dict[int, Callable[[Any], Any]] = {
    id(getattr(module, name)): fun
    for module in (jnp, np)
    for name, fun in (("where", nonzero), ("nonzero", nonzero), ("argwhere", argwhere), ("flatnonzero", flatnonzero))
}  # fmt: skip
_MEANING[id(Tracer.nonzero)] = _of_method
METHODS["nonzero"] = nonzero


def meaning(fun: Any) -> Callable[[Any], Any] | None:
    """What a library's function gives of one argument, a traced mask; None of a function that looks for no positions."""
    return _MEANING.get(id(fun))


def asked_of(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The mask that a call of `fun` hands over alone, which is traced, or an array of NumPy's for JAX; else None."""
    given = [*args, *(value for name, value in kwargs.items() if value is not None or name == "a")]
    alone = len(given) == 1 and (args or not kwargs.keys().isdisjoint(("a", "condition")))
    value = unboxed(given[0]) if alone else None
    if isinstance(value, np.ndarray):
        return value if getattr(fun, "__module__", "") == "jax.numpy" else None
    return value if isinstance(value, Selection) or traced(value) else None
