"""Masked products: which operands get zeros where they are not chosen? Both: what is there may be infinite, or nan.

    v[k:] @ R[k:, k:]                     v and R with zeros up to k

One is enough where the other is finite: integers get none. On CPUs, where zeros may take as long as the product, there are two
more ways, both measured in loops. The derivative has zeros in both in any case.

- A large matrix gets none before the product turns out to be infinite or nan, and is computed again. With zeros in both,
  products with 32 rows took as long, with 48 rows 1.4 times as long, with 96 and with 200 twice as long.
- A row times a row is the sum of products, with zeros in place of these. With zeros in both, rows of 100 took 1.1 to 1.5
  times as long.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.operators.ragged.extents import Extent
from autograph_lite.operators.ragged.selection import chosen_by

# From so many items on a matrix gets no zeros before they turn out to be needed.
LARGE = 2048

Product = Callable[[Any, Any], Any]
Extents = Sequence[Extent | None]


def product(fun: Product, arrays: Sequence[Any], extents: Sequence[Extents], left: Extents) -> Any:
    """A product of the chosen items of two arrays.

    `fun` is linear in each array; the chosen items that are summed over are at the same places. `extents` say for each array, and
    `left` for the result, what is chosen on its axes.
    """
    lanes = [_lanes(each) for each in extents]
    by_size = sorted((0, 1), key=lambda k: _size(arrays[k]), reverse=True)
    for place in by_size:
        if not jnp.issubdtype(arrays[place].dtype, jnp.inexact):
            return fun(*_zeroed(arrays, lanes, but=place))
    sparing = _sparing(arrays, lanes, by_size[0])
    if sparing is None:
        return fun(*_zeroed(arrays, lanes))
    return _differentiable(fun, sparing, list(arrays), lanes, _lanes(left))


def _sparing(
    arrays: Sequence[Any], lanes: Sequence[Sequence[Any]], largest: int
) -> Callable[..., Any] | None:
    """How the product is computed with fewer zeros; None where it is not."""
    if jax.default_backend() != "cpu" or all(row is None for row in lanes[largest]):
        return None
    if LARGE <= _size(arrays[largest]) < math.inf and max(map(jnp.ndim, arrays)) > 1:
        return functools.partial(_checked, largest)
    wide = all(array.dtype in (jnp.float32, jnp.float64) for array in arrays)
    return _summed if wide and max(map(jnp.ndim, arrays)) == 1 else None


def _size(array: Any) -> float:
    """The number of items; infinity where JAX knows a symbol for it."""
    shape = jnp.shape(array)
    return math.prod(shape) if all(isinstance(n, int) for n in shape) else math.inf


def _lanes(extents: Extents) -> list[Any]:
    """For each axis, which of its places are chosen; None of one that is whole."""
    return [None if extent is None else extent.lanes() for extent in extents]


def _zeroed(arrays: Sequence[Any], lanes: Sequence[Sequence[Any]], but: int | None = None) -> list[Any]:
    """The arrays with zeros for items that are not chosen, but for one of them."""
    masks = [None if place == but else chosen_by(rows) for place, rows in enumerate(lanes)]
    return [
        array if mask is None else jnp.where(mask, array, jnp.zeros((), array.dtype))
        for array, mask in zip(arrays, masks, strict=True)
    ]


def _checked(large: int, fun: Product, arrays: list[Any], lanes: list[list[Any]], left: list[Any]) -> Any:
    """The product, without zeros in the `large` operand as long as what `left` chooses of it is finite."""
    found = fun(*_zeroed(arrays, lanes, but=large))
    mask = chosen_by(left)
    fails = jnp.any(~jnp.isfinite(found) if mask is None else ~jnp.isfinite(found) & mask)

    def again(_: Any) -> Any:
        return jnp.bool_(False), fun(*_zeroed(arrays, lanes))

    # A loop of one iteration at most: under `vmap`, a `cond` would compute both.
    return lax.while_loop(lambda state: state[0], again, (fails, found))[1]


def _summed(_: Product, arrays: list[Any], lanes: list[list[Any]], __: list[Any]) -> Any:
    """The product of two rows of real numbers."""
    a, b = arrays
    return jnp.sum(jnp.where(lanes[0][0], a * b, jnp.zeros((), jnp.result_type(a, b))))


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _differentiable(
    fun: Product, sparing: Callable[..., Any], arrays: list[Any], lanes: list[list[Any]], left: list[Any]
) -> Any:
    """The product as `sparing` computes it, with the derivative that it has with zeros in both."""
    return sparing(fun, arrays, lanes, left)


@_differentiable.defjvp
def _derivative(
    fun: Product, sparing: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    arrays, lanes, left = primals

    def with_zeros(arrays: list[Any]) -> Any:
        return fun(*_zeroed(arrays, lanes))

    _, tangent = jax.jvp(with_zeros, (arrays,), (tangents[0],))
    return _differentiable(fun, sparing, arrays, lanes, left), tangent
