"""Matrix products: what are those of selections? Those of the whole arrays, with zeros in place of what is not chosen.

A[i, :j] @ B[:j, k]                   zeros from the place j on
A[:i, :j] @ x[:j]                     a selection of i items
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.ragged.elementwise import onto
from autograph_lite.operators.ragged.extents import Extent
from autograph_lite.operators.ragged.selection import METHODS, Selection, extents_of, having, padded, unsized
from autograph_lite.operators.ragged_ops.einsum import einsum
from autograph_lite.operators.ragged_ops.masked_products import product
from autograph_lite.operators.values.values import is_arraylike


def matmul(a: Any, b: Any) -> Any:
    """`a @ b`."""
    if max(len(extents_of(a)), len(extents_of(b))) > 2 and extents_of(a) and extents_of(b):
        left, right = len(extents_of(a)) > 1, len(extents_of(b)) > 1
        rows, columns = "i" * left, "k" * right
        return einsum(f"{'...' * left}{rows}j,{'...' * right}j{columns}->...{rows}{columns}", a, b)
    return _product(jnp.matmul, a, b, -2 if len(extents_of(b)) > 1 else 0)


def dot(a: Any, b: Any) -> Any:
    """`jnp.dot`."""
    return a * b if not extents_of(a) or not extents_of(b) else matmul(a, b)


def inner(a: Any, b: Any) -> Any:
    """`jnp.inner`."""
    return _product(jnp.inner, a, b, -1)


def vdot(a: Any, b: Any) -> Any:
    """`jnp.vdot`, of vectors."""
    _require_vectors(a, b)
    return _product(jnp.vdot, a, b, -1)


def outer(a: Any, b: Any) -> Any:
    """`jnp.outer`, of vectors."""
    selection = _require_vectors(a, b)
    return having(selection, jnp.outer(_zeroed(a), _zeroed(b)), [extents_of(a)[0], extents_of(b)[0]])


def _require_vectors(a: Any, b: Any) -> Selection:
    """A check that both have one axis; the selection among them."""
    selection: Selection = a if isinstance(a, Selection) else b
    if len(extents_of(a)) != 1 or len(extents_of(b)) != 1:
        raise unsized(selection, "is taken for one row of items")
    return selection


def _zeroed(value: Any) -> Any:
    return padded(value, 0) if isinstance(value, Selection) else value


def _product(fun: Callable[[Any, Any], Any], a: Any, b: Any, axis: int) -> Any:
    """A product that sums over the last axis of `a` and the given one of `b`."""
    selection = a if isinstance(a, Selection) else b
    left, right = list(extents_of(a)), list(extents_of(b))
    if not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2:
        raise unsized(selection, "stands in a product of arrays of these axes")
    summed = left[-1] or right[axis]
    arrays, chosen = [], []
    for value, extents, place in ((a, left, -1), (b, right, axis)):
        target: list[Extent | None] = list(extents)
        target[place] = summed
        arrays.append(jnp.asarray(onto(value, target)))
        chosen.append(target)
    del left[-1], right[axis]
    rest = [*left, *right]
    return having(selection, product(fun, arrays, chosen, rest), rest)


def _operator(*, swapped: bool) -> Callable[[Any, Any], Any]:
    def run(self: Selection, other: Any) -> Any:
        if not isinstance(other, Selection) and not is_arraylike(other):
            return NotImplemented
        return matmul(other, self) if swapped else matmul(self, other)

    return run


METHODS.update({"dot": dot, "@": _operator(swapped=False), "r@": _operator(swapped=True)})
PRODUCTS: dict[str, Callable[..., Any]] = {
    "matmul": matmul, "dot": dot, "inner": inner, "vdot": vdot, "outer": outer,
}  # fmt: skip
