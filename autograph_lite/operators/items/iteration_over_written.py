"""Written iterables: what does a loop over an array give whose body writes to it? The items as they are by then, as NumPy's.

An array of JAX's is a value: what the name means is another one after each write. So the loop counts places.
"""

from __future__ import annotations

import builtins
from typing import Any

import jax
import numpy as np

from autograph_lite.operators.items.subscripts import item
from autograph_lite.operators.iteration.iterables import Range
from autograph_lite.operators.values.values import traced


def walked(value: Any, *builtins_around: Any) -> Any:
    """`value` if it is an array; None for anything else, and where a function of the user's is called as a builtin is.

    A Variable is none: its iterator gives the items that it had, as `tf.Variable`'s.
    """
    if any(called not in _BUILTINS for called in builtins_around):
        return None
    return value if isinstance(value, (jax.Array, np.ndarray)) and value.ndim else None


_BUILTINS = (enumerate, zip, reversed)


def places_of(value: Any, walked: Any) -> Any:
    """The places of an array, for a staged loop where it is traced; anything else itself."""
    if walked is None:
        return value
    count = walked.shape[0]
    return Range(0, count, 1) if traced(walked) else builtins.range(count)


def at_place(now: Any, place: Any, walked: Any) -> Any:
    """The item at a place of an array as it is `now`; the item itself where `place` is one."""
    return place if walked is None else item(now, place)
