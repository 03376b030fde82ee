"""Immutable owners: what can Python not change though NumPy's arrays in it can? `args[0][i] = v`, `t.a[i] = v`.

The array is a value here, so that it gets a new one. A tuple that a name, or an item, means is made again; an attribute that
can't be set is an error. What an array or a mask picks is a copy, `x[[i, j]][0] = v`: nobody sees what is written to it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.operators.ragged import index_axes
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.values.values import describe


def with_item(base: Any, index: Any, new: Any, write: Callable[[Any, Any, Any], Any]) -> Any:
    """`base` with another item, by `write`; a new tuple in the place of a tuple; itself where the item was a copy."""
    if isinstance(base, (jax.Array, np.ndarray, Selection)) and index_axes.is_picked(index):
        return base
    if not isinstance(base, tuple):
        return write(base, index, new)
    items = write(list(base), index, new)
    return type(base)(*items) if hasattr(base, "_fields") else tuple(items)


def check_attribute(owner: Any, attribute: str, new: Any) -> None:
    """To be called before an attribute gets the array that comes of writing an item of the one it has.

    Raises:
      MutationError: it can't be set: of a named tuple, of a frozen dataclass, or of an array; or it is not the object's own.
    """
    kind = type(owner)
    parameters = getattr(kind, "__dataclass_params__", None)
    if attribute in getattr(kind, "_fields", ()):
        rebuilt = f"t._replace({attribute}=...)"
    elif parameters is not None and parameters.frozen:
        rebuilt = f"dataclasses.replace(t, {attribute}=...)"
    else:
        _check_place(owner, attribute, new)
        return
    raise MutationError(
        f"An item of the attribute '{attribute}' of a '{kind.__name__}' is written, {describe(new)}, and its attributes can't be "
        "set.",
        why="An array is a value to a compiled program: the change makes a new array, which the attribute would have to get.",
        fix=f"make a new object, t = {rebuilt}, with the array that is to be there.",
    )


def _check_place(owner: Any, attribute: str, new: Any) -> None:
    """Refuses to set what an object only shows: `x.T`, a property without a setter, an attribute of its class."""
    kind = owner.__name__ if isinstance(owner, type) else type(owner).__name__
    found = inspect.getattr_static(owner, attribute, None)
    if isinstance(owner, (jax.Array, np.ndarray)):
        kind = "array"
        what, fix = (
            "computed from the array",
            "write the item of the array itself, for example x[:, i] in place of x.T[i].",
        )
    elif attribute in getattr(owner, "__dict__", ()):
        return
    elif isinstance(found, property) and found.fset is None:
        what = "computed and can't be set"
        fix = f"write the item by the attribute that holds the array which '{attribute}' gives."
    elif hasattr(type(found), "__set__"):
        return
    else:
        what = "no attribute of its own, but of its class or of another object"
        fix = (
            f"write the item there, for example by {kind}.{attribute} if it is the class's, or give the object an array of its "
            "own before."
        )
    raise MutationError(
        f"An item of the attribute '{attribute}' of '{kind}' is written, {describe(new)}, which is {what}.",
        why="An array is a value to a compiled program: the change makes a new array, which the attribute would have to get.",
        fix=fix,
    )
