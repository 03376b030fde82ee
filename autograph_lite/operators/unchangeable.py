"""What Python can't change, and NumPy's arrays in it can: `args[0][i] = v`, `t.a[i] = v`.

The array is a value here, so that it gets a new one. A tuple that a name, or an item, means is made anew; an attribute that
can't be set is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_lite.errors import MutationError
from autograph_lite.operators import where
from autograph_lite.operators.values import describe


def with_item(base: Any, index: Any, new: Any, write: Callable[[Any, Any, Any], Any]) -> Any:
    """`base` with another item, by `write`; a new tuple in the place of a tuple."""
    if not isinstance(base, tuple):
        return write(base, index, new)
    items = write(list(base), index, new)
    return type(base)(*items) if hasattr(base, "_fields") else tuple(items)


def check_attribute(owner: Any, attribute: str, new: Any) -> None:
    """To be called before an attribute gets the array that comes of writing an item of the one it has.

    Raises:
      MutationError: it can't be set: of a named tuple, or of a frozen dataclass.
    """
    kind = type(owner)
    parameters = getattr(kind, "__dataclass_params__", None)
    if attribute in getattr(kind, "_fields", ()):
        anew = f"t._replace({attribute}=...)"
    elif parameters is not None and parameters.frozen:
        anew = f"dataclasses.replace(t, {attribute}=...)"
    else:
        return
    raise MutationError(
        f"An item of the attribute '{attribute}' of a '{kind.__name__}' is written, {describe(new)}, and its attributes can't be "
        "set.",
        where=where.here(),
        why="An array is a value to a compiled program: the change makes a new array, which the attribute would have to get.",
        fix=f"make a new object, t = {anew}, with the array that is to be there.",
    )
