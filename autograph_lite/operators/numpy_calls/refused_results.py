"""Refused results: which arrays does NumPy take for the results of its functions, by `out=` and in place?

np.sum(x, out=i)                      of any type
np.add(i, x, out=i)                   TypeError: what is computed is of a higher kind than integers
np.dot(a, b, out=c)                   ValueError, but of the type of the product
"""

from __future__ import annotations

from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import exception_templates


def refuse_type(array: Any, name: str, new: Any, first: Any = None, *rest: Any) -> None:
    """Refuses an array for the result of `name`, if NumPy's function of these arguments does for its type."""
    is_of_integers = name in _OF_INTEGERS and not jnp.issubdtype(jnp.asarray(first).dtype, jnp.inexact)
    if name in ("dot", "multi_dot"):
        if array.dtype != new.dtype:
            raise_as_numpy(
                ValueError(
                    f"output array is not acceptable: it is {array.dtype}, and 'dot' gives {new.dtype}"
                )
            )
    elif name in _PLACES:
        if not np.can_cast(array.dtype, np.int64):
            raise_as_numpy(TypeError(f"Cannot cast array data from {array.dtype!r} to {np.dtype(int)!r}"))
    elif name == "einsum" and configuration.has_64_bits():
        refuse_cast(array, "einsum's output", new)
        if np.result_type(array.dtype, new.dtype) != array.dtype:
            raise_as_numpy(
                TypeError(f"Iterator requested dtype could not be cast to {array.dtype!r}, the operand 'out'")
            )
    elif not is_of_integers:
        is_tens = name in ("around", "round") and any(type(each) is int and each < 0 for each in rest)
        refuse_cast(array, f"ufunc '{name}' output", new.astype(float) if is_tens else new)


# Functions that write to arrays of any type; of integers, which NumPy leaves as they are, or has no nan of; and places.
TO_ANY_TYPE = frozenset({
    "sum", "prod", "mean", "var", "max", "min", "amax", "amin", "all", "any", "cumsum", "cumprod", "cumulative_sum",
    "cumulative_prod", "trace", "take", "compress", "choose", "median", "nanmedian", "nanpercentile", "nanquantile", "nansum",
    "nanprod", "nanmax", "nanmin", "nancumsum", "nancumprod", "reduce", "accumulate", "reduceat",
})  # fmt: skip
_OF_INTEGERS = frozenset({"ceil", "floor", "trunc", "nanmean", "nanvar"})
_PLACES = frozenset({"argmax", "argmin", "nanargmax", "nanargmin"})


def refuse_change(array: Any, symbol: str, new: Any) -> None:
    """Refuses `array += v` for the symbol "add", or `array[mask] += v`, if NumPy does for the type of what is computed."""
    fun = number_types.UFUNCS.get(symbol)
    refuse_cast(array, f"ufunc '{symbol if fun is None else fun.__name__}' output", new)


def refuse_cast(array: Any, what: str, new: Any) -> None:
    """Refuses to write to an array, as NumPy's `+=` does, what is of a type of a higher kind."""
    if _kind(new.dtype) > _kind(array.dtype):
        raise_as_numpy(
            TypeError(
                f"Cannot cast {what} from {new.dtype!r} to {array.dtype!r} with casting rule 'same_kind'"
            )
        )


def raise_as_numpy(error: Exception) -> NoReturn:
    """Raises an error of NumPy's; on a staged path it is raised only if that path is taken."""
    exception_templates.explicit(error)
    raise error


def _kind(dtype: Any) -> int:
    """The higher, the more values a type has: none of a higher kind is written in place to one of a lower."""
    kinds: tuple[Any, ...] = (
        jnp.bool_, jnp.unsignedinteger, jnp.signedinteger, jnp.floating, jnp.complexfloating,
    )  # fmt: skip
    return next(number for number, kind in enumerate(kinds) if jnp.issubdtype(dtype, kind))
