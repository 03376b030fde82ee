"""Written iterables: what does a loop over an array give whose body writes to it? The items as they are by then, as NumPy's.

An array of JAX's is a value: what the name means is another one after each write. So the loop counts places.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from autograph_lite.operators.items.subscripts import item
from autograph_lite.operators.iteration.iterables import Range
from autograph_lite.operators.values.values import traced


def walked(value: Any, *builtins_around: Any) -> Range | range | None:
    """The places of `value` if it is an array; None for anything else, and where a function of the user's stands as a builtin.

    A Variable is none: its iterator gives the items that it had, as `tf.Variable`'s. The array itself is not kept: a
    variable that has it would be one more name of what the loop writes.
    """
    if any(called not in _BUILTINS for called in builtins_around):
        return None
    if not isinstance(value, (jax.Array, np.ndarray)) or not value.ndim:
        return None
    count = value.shape[0]
    return Range(0, count, 1) if traced(value) else range(count)


_BUILTINS = (enumerate, zip, reversed)


def places_of(value: Any, walked: Range | range | None) -> Any:
    """The places of an array, for a staged loop where it is traced; anything else itself."""
    return value if walked is None else walked


def at_place(now: Any, place: Any, walked: Range | range | None) -> Any:
    """The item at a place of an array as it is `now`; the item itself where `place` is one."""
    return place if walked is None else item(now, place)
