"""Changed lengths: what do `np.insert` and `np.delete` give where the places are traced?

np.insert(x, n, v)                    an array that has one item more, and an IndexError where there is no such place
np.delete(x, n)                       one that has one less
np.delete(x, places), np.delete(x, mask)   x[keep]: the part of `x` that a mask chooses
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.checks import index_bounds
from autograph_lite.operators.numpy_calls import counts_and_places
from autograph_lite.operators.values.values import Tracer, known_value


def with_items_inserted(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """`np.insert`."""
    size = jnp.size(arr) if axis is None else jnp.shape(arr)[axis]
    if isinstance(obj, Tracer) and jnp.issubdtype(obj.dtype, jnp.integer):
        index_bounds.check_places(obj, size, size + 1)
    return jnp.insert(jnp.asarray(arr), obj, values, axis)


def without_places(arr: Any, obj: Any, axis: Any = None) -> Any:
    """`np.delete`."""
    array, axis = (jnp.ravel(arr), 0) if axis is None else (jnp.asarray(arr), axis % jnp.ndim(arr))
    if not isinstance(obj, Tracer) or known_value(obj) is not None:
        places: Any = np.asarray(obj, int) if type(obj) is list and not obj else obj
        return jnp.delete(array, places, axis)
    size = array.shape[axis]
    if obj.dtype == bool and obj.ndim:
        if obj.shape != (size,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis length of "
                f"{size}"
            )
        return counts_and_places.compress(~obj, array, axis)
    obj = obj.astype(int)
    index_bounds.check_places(obj, size, size)
    if not obj.ndim or obj.size == 1:
        left = jnp.arange(max(size - 1, 0))
        place = obj.reshape(()) % max(size, 1)
        return jnp.take(array, left + (left >= place), axis)
    return counts_and_places.compress(jnp.ones(size, bool).at[obj].set(False), array, axis)


FUNCTIONS: dict[str, Callable[..., Any]] = {"insert": with_items_inserted, "delete": without_places}
