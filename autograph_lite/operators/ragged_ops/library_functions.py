"""Library functions: what does one give of selections? What it gives of the items, where that is known.

jnp.sum(A[i, :j]), jnp.exp(x[mask])   a reduction, a function of each item
jnp.fft.fft(x[:n])                    an error: it would need the length
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.ragged import indexing, unique_values
from autograph_lite.operators.ragged.elementwise import astype, elementwise
from autograph_lite.operators.ragged.selection import (
    METHODS,
    Selection,
    extents_of,
    having,
    padded,
    require_known,
    selections_exist,
    tamed,
    unsized,
)
from autograph_lite.operators.ragged_ops import (
    einsum,
    joined_parts,
    masked_reductions,
    order_statistics,
    polynomials,
    products,
)

_MODULES = ("jax.numpy", "numpy", "jax.nn", "jax.scipy", "jax.lax", "jax._src", "jax.numpy.linalg")
_UNFAILING = frozenset({
    "add", "subtract", "negative", "positive", "abs", "absolute", "sign", "where", "less", "less_equal", "greater",
    "greater_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bitwise_not", "invert", "isnan", "isinf", "isfinite", "floor", "ceil", "round",
    "real", "imag", "conj", "conjugate", "minimum", "maximum", "clip", "relu", "zeros_like", "ones_like",
})  # fmt: skip
_OF_ITEMS = frozenset({
    *(name for name, fun in vars(np).items() if isinstance(fun, np.ufunc) and fun.signature is None and fun.nout == 1),
    "abs", "absolute", "where", "clip", "round", "around", "real", "imag", "conj", "conjugate", "angle", "sinc", "i0",
    "nan_to_num", "isclose", "zeros_like", "ones_like", "sign", "square", "fmod", "pow", "acos", "asin", "atan", "atan2",
    "acosh", "asinh", "atanh", "cbrt",
    "relu", "relu6", "sigmoid", "softplus", "soft_sign", "silu", "swish", "gelu", "elu", "selu", "celu", "leaky_relu",
    "log_sigmoid", "hard_tanh", "hard_sigmoid", "mish", "softmin",
    "erf", "erfc", "erfinv", "gammaln", "digamma", "expit", "logit", "xlogy", "xlog1py", "ndtr", "ndtri", "betaln",
    "rsqrt", "integer_pow",
})  # fmt: skip


def has_selection(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an argument is a selection, or a list or tuple with one in it."""
    return selections_exist() and any(_found(value) is not None for value in (*args, *kwargs.values()))


def _found(value: Any) -> Selection | None:
    if isinstance(value, Selection):
        return value
    if type(value) in (list, tuple):
        return next((item for item in value if isinstance(item, Selection)), None)
    return None


def call_library(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    of_arrays: Callable[..., Any] | None = None,
) -> Any:
    """`fun(*args, **kwargs)` of a library's function, where an argument is a selection.

    Args:
      fun: the function.
      args: of the call.
      kwargs: of the call.
      of_arrays: what it is of traced arrays, where it is NumPy's.
    """
    known = _meaning(fun, of_arrays)
    found = map(_found, (*args, *kwargs.values()))
    selection = next(selection for selection in found if selection is not None)
    if kwargs.get("out") is not None or (isinstance(fun, np.ufunc) and len(args) > fun.nin):
        raise unsized(selection, f"is handed to '{_name(fun)}' with 'out'")
    if known is not None:
        require_known(known, selection, args, kwargs)
        return known(*args, **kwargs)
    raise unsized(selection, f"is handed to '{_name(fun)}'")


def _name(fun: Any) -> str:
    name = str(getattr(fun, "__name__", type(fun).__name__))
    if name == "meth" and fun.__closure__:  # a method that a tracer leaves to the type of its value
        return next((cell.cell_contents for cell in fun.__closure__ if type(cell.cell_contents) is str), name)
    return name


def _meaning(fun: Any, of_arrays: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """What a library's function does with selections; None where that is not known."""
    name, module = (
        _name(fun),
        getattr(fun, "__module__", None) or ("numpy" if isinstance(fun, np.ufunc) else ""),
    )
    if not module.startswith(_MODULES):
        return None
    name = name.removeprefix("_reduce_") if name.startswith("_reduce_") else name
    if name == "norm" and "linalg" in module:
        return masked_reductions.norm
    if name == "log_softmax" or name == "softmax":
        return {"softmax": softmax, "log_softmax": log_softmax}[name]
    found = _KNOWN.get(name)
    if found is None and name in _OF_ITEMS:
        # NumPy's `clip` and `round` call methods, and have other parameters than JAX's.
        is_jaxs = module.startswith("numpy") and name not in ("around", "clip", "round")
        of_jax = getattr(jnp, name, fun)
        return functools.partial(_of_items, name, (of_arrays or of_jax) if is_jaxs else fun)
    return found


def _of_items(name: str, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of each item, of this name; options that are selections are operands, too."""
    options = [key for key, value in kwargs.items() if isinstance(value, Selection)]
    places = [k for k, value in enumerate(args) if value is not None and not isinstance(value, (str, type))]
    operands = [*(args[k] for k in places), *(kwargs[key] for key in options)]

    def run(*arrays: Any) -> Any:
        given = list(args)
        for k, array in zip(places, arrays, strict=False):
            given[k] = array
        return fun(*given, **{**kwargs, **dict(zip(options, arrays[len(places) :], strict=True))})

    return elementwise(run, operands, fill=... if name in _UNFAILING else None)


def softmax(value: Selection, axis: int = -1) -> Any:
    """`jax.nn.softmax`."""
    array = jax.nn.softmax(_or_nothing(value, axis), axis)
    return having(value, array, value.extents)


def log_softmax(value: Selection, axis: int = -1) -> Any:
    """`jax.nn.log_softmax`."""
    array = jax.nn.log_softmax(_or_nothing(value, axis), axis)
    return having(value, array, value.extents)


def _or_nothing(value: Selection, axis: int) -> Any:
    tame = Selection(tamed(value), value.extents, value.origin)
    return padded(tame, -jnp.inf, [axis % value.ndim])


def _array(value: Any, dtype: Any = None, **_: Any) -> Any:
    value = joined_parts.stack(value) if isinstance(value, (list, tuple)) else value
    return value if dtype is None or not isinstance(value, Selection) else astype(value, dtype)


def _copy(value: Any, dtype: Any = None, **options: Any) -> Any:
    return _array(METHODS["copy"](value) if isinstance(value, Selection) else value, dtype, **options)


def _take(value: Any, indices: Any, axis: int | None = None) -> Any:
    if axis is None and len(extents_of(value)) > 1:
        value = joined_parts.ravel(value)
    whole = (slice(None),) * ((axis or 0) % len(extents_of(value)))
    found = _found(indices)
    return indexing.picked(value, (*whole, indices), None if found is None else found.origin)


def _diff(value: Selection) -> Any:
    whole = (slice(None),) * (value.ndim - 1)
    return value[(*whole, slice(1, None))] - value[(*whole, slice(None, -1))]


def _reshape(value: Selection, *shape: Any) -> Any:
    if shape in ((-1,), ((-1,),)):
        return joined_parts.ravel(value)
    raise unsized(value, "is asked for its 'reshape'")


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    found = default
    for test, value in reversed([*zip(condlist, choicelist, strict=True)]):
        operands = test, value, found
        found = (
            _of_items("where", jnp.where, *operands) if has_selection(operands, {}) else jnp.where(*operands)
        )
    return found


def _ix(*rows: Any) -> tuple[Any, ...]:
    def along(axis: int, row: Any) -> Any:
        index = [slice(None) if k == axis else None for k in range(len(rows))]
        return (row if isinstance(row, Selection) else jnp.asarray(row))[tuple(index)]

    return tuple(along(axis, row) for axis, row in enumerate(rows))


_OTHERS: dict[str, Callable[..., Any]] = {
    "asarray": _array, "array": _copy, "shape": lambda value: value.shape, "ndim": lambda value: value.ndim,
    "size": lambda value: value.size, "transpose": lambda value: value.T,
    "flip": lambda value, axis=0: indexing.picked(value, (slice(None),) * axis + (slice(None, None, -1),)),
    "take": _take, "diff": _diff, "ix_": _ix, "select": _select,
}  # fmt: skip
_KNOWN: dict[str, Callable[..., Any]] = {
    **masked_reductions.REDUCTIONS, **order_statistics.ORDER, **products.PRODUCTS, **einsum.CONTRACTIONS, **joined_parts.JOINED,
    **polynomials.POLYNOMIALS, **unique_values.FUNCTIONS, **_OTHERS,
}  # fmt: skip
METHODS.update({name: _OTHERS[name] for name in ("transpose", "take")})
METHODS["reshape"] = _reshape
METHODS["round"] = lambda value, *a: elementwise(lambda x: x.round(*a), (value,), fill=...)
