"""Refused results: which arrays does NumPy take for the results of its functions, by `out=` and in place?

np.sum(x, out=i)                      of any type
np.add(i, x, out=i)                   TypeError: what is computed is of a higher kind than integers
np.dot(a, b, out=c)                   ValueError, but of the type of the product
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.references import lower_kinds, number_types
from autograph_lite.operators.checks import exception_templates
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import any_traced, describe


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
    if lower_kinds.kind_number(new.dtype) > lower_kinds.kind_number(array.dtype):
        raise_as_numpy(
            TypeError(
                f"Cannot cast {what} from {new.dtype!r} to {array.dtype!r} with casting rule 'same_kind'"
            )
        )


def refuse_narrower(array: Any, value: Any) -> None:
    """Refuses to write to an array what it would not hold where it has the type that it had before a loop, or on another path.

    NumPy cuts it off there, `u = np.arange(3)`, then `u[0] = 2.5` and `u = u / 2` in each iteration, or it raises an error.
    """

    def error(may_be: str, name: str) -> MutationError:
        fix = f"let an iteration leave what '{name}' was before: {name} = {name}.astype(float)."
        return MutationError(
            f"An item of an array, {describe(array)}, is written, which {may_be}.",
            where=source_places.here(),
            why="NumPy cuts off what it writes to such an array, and the program has one type for both.",
            fix=fix
            if name
            else "let it be of floats from the start, x = x.astype(float) before the loop, or np.zeros(n).",
        )

    lower_kinds.Use(array, functools.partial(_holds, value=value), error).ask()


def _holds(kind: int, value: Any) -> bool:
    """Whether an array of such a type has a value as it is; of a traced one its type says so."""
    if isinstance(value, (list, tuple)):
        return all(_holds(kind, each) for each in value)
    if any_traced(value):
        return lower_kinds.lowest_kind(value) <= kind
    given = np.asarray(value)
    of = (bool, np.int64, np.int64, float, complex)[kind]
    return given.dtype.kind not in "biufc" or bool(np.all(given.astype(of) == given))


def raise_as_numpy(error: Exception) -> NoReturn:
    """Raises an error of NumPy's; on a staged path it is raised only if that path is taken."""
    exception_templates.explicit(error)
    raise error
