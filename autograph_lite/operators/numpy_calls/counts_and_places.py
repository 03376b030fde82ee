"""Counts, places and polynomials: what do np.bincount, compress, extract, ndenumerate, polydiv and roots give?

np.bincount(x, minlength=3)           as many counts as the greatest integer says: a part of an array that has room for them
np.compress(mask, x)                  x[mask]
np.ndenumerate(m)                     the places of `m` and its items, as rows of arrays that a staged loop goes through
"""

from __future__ import annotations

import operator
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import DynamicShapeError, PythonOnlyError
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.lists import array_arguments, capacity
from autograph_lite.operators.ragged import indexing
from autograph_lite.operators.ragged.extents import Span
from autograph_lite.operators.ragged.selection import Origin, Selection
from autograph_lite.operators.ragged.slice_spelling import Spelled
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import Tracer, describe, known_value

_FIX = "say how many there are: jnp.bincount(x, length=n); or counts = np.zeros(n, int), and np.add.at(counts, x, 1)."


def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """`np.bincount`. Raises PythonOnlyError: nobody knows how many counts there may be, and no call could find out."""
    x, weights = array_arguments.numpys_array(x), None if weights is None else jnp.asarray(weights, float)
    if not isinstance(x, Tracer) or known_value(x) is not None:
        return jnp.bincount(x, weights, minlength)
    if not (jnp.issubdtype(x.dtype, jnp.integer) or x.dtype == bool) or x.ndim != 1:
        return np.bincount(np.zeros((1,) * x.ndim, x.dtype))  # for its errors
    least, numbers = operator.index(minlength), x.astype(int)
    kinds = 2 if x.dtype == bool else np.iinfo(x.dtype).max + 1
    size = max(kinds if kinds <= 256 else capacity.room(), least)
    if size < kinds and not capacity.room():
        raise PythonOnlyError(
            f"'np.bincount' counts traced integers, {describe(x)}.",
            why="The greatest of them says how many counts there are, and is known when the program runs.",
            fix=_FIX,
        )
    greatest = jnp.max(numbers, initial=-1)
    negative = ValueError("'list' argument must have no negative elements")
    carried_checks.fail_if(jnp.min(numbers, initial=0) < 0, negative)
    if size < kinds:
        error = capacity.OutgrownError(
            f"'{source_places.expression()}' makes more than {size} counts.",
            where=source_places.here(),
            why="The program has room for so many. It can't be run again with more: it calls Python, or it is far too many.",
            fix=_FIX,
        )
        carried_checks.fail_if(greatest >= size, error)
    counts = jnp.bincount(numbers, weights, length=size)
    if least >= kinds:
        return counts
    why = "The greatest of the integers says how many counts there are."
    origin = Origin(source_places.here(), Spelled(source_places.expression(), why, _FIX))
    return Selection(counts, (Span(size, 0, jnp.maximum(greatest + 1, least)),), origin)


def polydiv(u: Any, v: Any) -> Any:
    """`np.polydiv`, whose rest has no zeros in front of it: the data tell how many there are."""
    u, v = (jnp.atleast_1d(jnp.asarray(each)) for each in (u, v))
    quotient, rest = jnp.polydiv(u, v)
    rest = rest[min(max(u.size - v.size + 1, 0), u.size - 1) :]
    size = rest.shape[0]
    if size == 1:
        return quotient, rest
    eps = jnp.finfo(rest.dtype).eps  # type: ignore[no-untyped-call]
    taken = jnp.convolve(jnp.abs(quotient), jnp.abs(v))[-size:]  # from each of them, with some rounding
    counts = jnp.abs(rest) > jnp.maximum(
        1e-8, 8 * eps * taken
    )  # the other ones are what that leaves of zeros
    first = jnp.where(jnp.any(counts), jnp.argmax(counts), size - 1)
    fix = "take the coefficients of the rest by jnp.polydiv(u, v)[1], with the zeros in front."
    why = "Only the data knows how many zeros its rest begins with."
    origin = Origin(source_places.here(), Spelled(source_places.expression(), why, fix))
    return quotient, Selection(rest, (Span(size, first, size),), origin)


def roots(p: Any) -> Any:
    """`np.roots`, which leaves out zeros in front."""
    return jnp.roots(without_leading_zeros(p, "finds the roots of"), strip_zeros=False)


def without_leading_zeros(p: Any, does: str) -> Any:
    """A polynomial without the zeros in front that the text shows; where the data has one, a check fails."""
    p = known_value(p) if isinstance(p, Tracer) and known_value(p) is not None else p
    if not isinstance(p, Tracer):
        p = p if isinstance(p, (list, tuple)) else np.atleast_1d(p)
        while len(p) > 1 and not isinstance(p[0], Tracer) and p[0] == 0:
            p = p[1:]
        if not isinstance(p[0], Tracer):
            return jnp.asarray(p)
    p = jnp.atleast_1d(jnp.asarray(p))
    if p.size > 1:
        error = DynamicShapeError(
            f"'{source_places.expression()}' {does} a polynomial that begins with a zero.",
            where=source_places.here(),
            why="NumPy leaves such zeros out, and the program is compiled for as many coefficients as there are.",
            fix="leave them out before the call; or keep them in a product: np.convolve(p, q).",
        )
        carried_checks.fail_if(p[0] == 0, error)
    return p


def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    """`np.compress`."""
    condition, a = map(array_arguments.numpys_array, (condition, a))
    if not isinstance(condition, Tracer) or known_value(condition) is not None:
        return jnp.compress(np.asarray(condition), jnp.asarray(a), axis)
    array, axis = (jnp.ravel(a), 0) if axis is None else (jnp.asarray(a), axis % np.ndim(a))
    mask = condition.astype(bool)
    missing = array.shape[axis] - mask.shape[0]
    mask = jnp.pad(mask, (0, missing)) if missing > 0 else mask
    fix = "keep all items and mask those that do not count: jnp.where(mask, x, 0)."
    origin = Origin(source_places.here(), Spelled(source_places.expression(), "Its mask is traced.", fix))
    return indexing.picked(array, (*(slice(None),) * axis, mask), origin)


def extract(condition: Any, arr: Any) -> Any:
    """`np.extract`."""
    condition, arr = map(array_arguments.numpys_array, (condition, arr))
    return compress(jnp.ravel(condition) != 0, jnp.ravel(arr))


def chosen_items(a: Any, choices: Any, mode: Any = "raise") -> Any:
    """`np.choose`, with the check that NumPy makes."""
    a = array_arguments.numpys_array(a)
    choices = [*map(array_arguments.numpys_array, choices)] if isinstance(choices, (list, tuple)) else choices
    if mode == "raise":
        places, mode = jnp.asarray(a), "clip"
        is_wrong = jnp.any((places < 0) | (places >= len(choices)))
        carried_checks.fail_if(is_wrong, ValueError("invalid entry in choice array"))
    return jnp.choose(a, choices, mode=mode)


def ndenumerate(arr: Any) -> Any:
    """`np.ndenumerate`: pairs of the indices of an item, and the item."""
    if not arr.ndim:
        return iter([((), arr)])
    rows = np.indices(arr.shape).reshape(arr.ndim, -1)
    found = iterables.combined((*rows, arr.reshape(-1)))
    assert found is not None  # one of them is traced
    *places, items = found
    return iterables.Passing(iterables.Zipped((iterables.Zipped((*places,)), items)), np.ndenumerate)
