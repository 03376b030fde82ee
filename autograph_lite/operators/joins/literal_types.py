"""Literal promotion: does a number that Python knows fit into the type in which paths meet?

    r = x if c else -1        -1 gives way to the type of any integer, as in x + 1; a uint8 has no -1, so that r is an int32

JAX's promotion looks at types only, and would make 255 of it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.errors import BranchMismatchError
from autograph_lite.jax_internals.references import number_types, numpys_arrays
from autograph_lite.operators.joins.join_types import (
    Array,
    Captured,
    Fixed,
    Mismatch,
    Template,
    as_array_type,
    describe_leaf,
    fitted,
    join_arrays,
)
from autograph_lite.operators.values.values import ARRAYS, result_type


def holding(template: Template, values: Iterable[Captured]) -> Template:
    """`template` with types that hold the numbers of Python's among the values. Raises Mismatch where none does."""
    if not any(_is_narrow(kind) for kind in template.leaves):
        return template
    leaves = list(template.leaves)
    for value in values:
        known = fitted(value, template) if value.present is not False else []
        for i, (leaf, kind) in enumerate(zip(known, leaves, strict=False)):
            if isinstance(kind, Array) and not _holds(kind.dtype, leaf):
                leaves[i] = _wider(kind, leaf)
    return template.of(leaves)


def widen_literals(values: Sequence[Any]) -> list[Any]:
    """Numbers and arrays, one traced, in types that hold them when JAX promotes. Raises BranchMismatchError: none does."""
    if all(type(value) in (int, float) for value in values):
        return list(values)
    kind = Array(jnp.result_type(*values), False, ())
    for value in values:
        if not _holds(kind.dtype, value):
            try:
                kind = _wider(kind, value)
            except Mismatch as found:
                raise _no_common_type(found) from None
            values = [each.astype(kind.dtype) if isinstance(each, ARRAYS) else each for each in values]
    return list(values)


def stacked(values: Sequence[Any]) -> jax.Array:
    """The numbers or arrays as the rows of an array whose type holds them."""
    return jnp.stack([jnp.asarray(value) for value in widen_literals(values)])


def chosen_of(values: Sequence[Any], chosen: Any) -> Any:
    """`chosen`, one of the values, with a note of whose number it is, and of what types these have where some are Python's."""
    if isinstance(chosen, jax.Array) and not chosen.ndim:
        numpys_arrays.note_number_of(chosen, *values)
        kinds = [kind for each in values if (kind := as_array_type(Fixed(each))) is not None]
        if all(not kind.shape for kind in kinds) and (met := functools.reduce(join_arrays, kinds).met):
            number_types.note_number_types(chosen, met)
    return chosen


def _no_common_type(found: Mismatch) -> BranchMismatchError:
    return BranchMismatchError(
        f"A traced value chooses among {found.left} and {found.right}.",
        why="No integer type that JAX has here holds both.",
        fix="make them of one type: jnp.int32(...), or another number that the type holds.",
    )


def _is_narrow(kind: Any) -> bool:
    """Whether a type may not hold a number of Python's: the one that JAX gives such numbers holds them, or none does."""
    if not isinstance(kind, Array) or kind.weak or kind.dtype == bool:
        return False
    return kind.dtype not in (result_type(0), result_type(0.0))


def _holds(dtype: Any, leaf: Any) -> bool:
    """Whether a type holds a number of Python's, as far as there is one: up to rounding."""
    if type(leaf) is int and jnp.issubdtype(dtype, jnp.integer):
        info = jnp.iinfo(dtype)  # type: ignore[no-untyped-call]
        return bool(info.min <= leaf <= info.max)
    if type(leaf) in (int, float) and jnp.issubdtype(dtype, jnp.floating) and math.isfinite(leaf):
        return bool(abs(leaf) <= float(jnp.finfo(dtype).max))  # type: ignore[no-untyped-call]
    return True


def _wider(kind: Array, leaf: Any) -> Array:
    """The type that holds a number of Python's and all that is of type `kind`."""
    whole = jnp.issubdtype(kind.dtype, jnp.integer)
    wide = join_arrays(kind, Array(result_type(leaf if whole else float(leaf)), False, kind.shape))
    if whole:  # of uint64 and int64 JAX makes a float64, which rounds
        ends = jnp.iinfo(kind.dtype)  # type: ignore[no-untyped-call]
        integer = jnp.issubdtype(wide.dtype, jnp.integer)
        if not integer or not all(_holds(wide.dtype, int(end)) for end in (ends.min, ends.max, leaf)):
            raise Mismatch(str(kind), describe_leaf(Fixed(leaf)))
    return wide
