"""Result types: in which type does NumPy compute a function of arrays for which JAX takes a narrower one, with 64 bits?

np.mean(x)                            float64 of integers, and of bools; JAX's is float32 of those of 32 bits or fewer
np.concatenate([i, x])                float64 of int64 and float32; JAX's is float32
np.cov(m), np.interp(x, xs, ys)       float64 at least

The arrays are cast before JAX's function computes. A program without 64 bits has JAX's types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.references import number_types

Types = Sequence[np.dtype[Any]]


def _joined(types: Types) -> np.dtype[Any]:
    return np.result_type(*types)


def _floats(types: Types) -> np.dtype[Any]:
    joined = _joined(types)
    return joined if joined.kind in "fc" else np.dtype(np.float64)


def _floats_of_first(types: Types) -> np.dtype[Any]:
    return _joined((_floats(types[:1]), *types[1:]))


def _floats_of_each(types: Types) -> np.dtype[Any]:
    return _joined([_floats((each,)) for each in types])


def _with_ints(types: Types) -> np.dtype[Any]:
    return _joined((*types, np.dtype(np.int64)))


def _doubles(types: Types) -> np.dtype[Any]:
    return _joined((*types, np.dtype(np.float64)))


# The functions, by the type in which they compute arrays of such types.
_NAMES: tuple[tuple[Any, Callable[[Types], np.dtype[Any]], str], ...] = (
    (
        np,
        _joined,
        "concatenate concat stack hstack vstack row_stack dstack column_stack block append array asarray asanyarray "
        "ascontiguousarray asfortranarray where select choose clip diff dot inner outer vdot tensordot einsum kron cross "
        "union1d setxor1d intersect1d isin searchsorted digitize polyval polyadd polysub polymul convolve correlate "
        "isclose allclose array_equal array_equiv",
    ),
    (
        np,
        _floats_of_first,
        "mean var std average median percentile quantile nanmean nanvar nanstd nanmedian nanpercentile nanquantile gradient "
        "sinc i0 poly roots histogram histogram_bin_edges",
    ),
    (np, _floats, "linspace logspace histogram2d histogramdd"),
    (np, _floats_of_each, "polydiv"),
    (np, _doubles, "cov corrcoef interp polyfit geomspace"),
    (np, _with_ints, "polyder polyint"),
    (np.linalg, _joined, "multi_dot cross outer tensordot"),
    (
        np.linalg,
        _floats_of_each,
        "norm vector_norm matrix_norm det slogdet inv pinv solve lstsq tensorinv tensorsolve svd svdvals qr eig eigh eigvals "
        "eigvalsh cholesky cond matrix_rank",
    ),
    (
        np.fft,
        _floats,
        "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft",
    ),
)
_RULES = {
    id(fun): rule
    for module, rule, names in _NAMES
    for name in names.split()
    if (fun := vars(module).get(name)) is not None
}
# Parameters, or places, of such functions whose arrays or numbers have no part in the type.
_APART: dict[str, frozenset[Any]] = {
    "where": frozenset({0, "condition"}),
    "select": frozenset({"condlist"}),
    "choose": frozenset({0, "a"}),
    "searchsorted": frozenset({"sorter"}),
    "histogram": frozenset({"bins", "range", "weights"}),
    "cond": frozenset({"p"}),
}
_NEVER = frozenset({
    "axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "count", "decimals", "deg", "k", "kth", "mode", "n",
    "new_shape", "num", "offset", "ord", "rcond", "s", "shift", "where",
})  # fmt: skip
# Functions to which a number of Python's is an array of int64 or float64.
_ARRAYS_OF_NUMBERS = frozenset({"append", "kron", "outer", "polyadd", "polysub", "polyval"})


def in_numpys_types(fun: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The arguments of a call of NumPy's, with arrays of the types in which NumPy computes it, in a program with 64 bits."""
    if not configuration.has_64_bits():
        return args, named
    if isinstance(fun, np.ufunc):
        return number_types.in_types_of_ufunc(fun, args), named
    rule, name = _RULES.get(id(fun)), getattr(fun, "__name__", "")
    is_told = named.get("dtype") is not None or any(isinstance(each, (type, np.dtype)) for each in args)
    if is_told or (rule is None and not (name == "matrix_power" and named.get("n", 0) < 0)):
        return args, named
    apart, strong = parameters_apart(fun), name in _ARRAYS_OF_NUMBERS
    given = {key: value for key, value in (dict(enumerate(args)) | named).items() if key not in apart}
    types = [each for value in given.values() for each in _types(value, strong, name != "select")]
    if not types or any(each.kind not in "biufc" for each in types):
        return args, named
    dtype = (rule or _floats)(types)
    cast = {key: _cast(value, dtype, strong) for key, value in given.items()}
    return (*(cast.get(place, value) for place, value in enumerate(args)),), {
        key: cast.get(key, value) for key, value in named.items()
    }


def parameters_apart(fun: Any) -> frozenset[Any]:
    """The parameters of a function, or their places, that have no part in the type of its result, as an axis."""
    return _APART.get(getattr(fun, "__name__", ""), frozenset()) | _NEVER


def _types(value: Any, strong: bool, in_lists: bool) -> Iterator[np.dtype[Any]]:
    """The types of the arrays in an argument; those of Python's numbers where these are arrays to NumPy, too."""
    if type(value) in (list, tuple):
        for each in value:
            yield from _types(each, in_lists, in_lists)
    elif type(kind := number_types.type_in_numpy(value)) is not type:
        yield from () if kind is None else (kind,)
    elif strong:
        yield np.dtype(kind)


def _cast(value: Any, dtype: np.dtype[Any], strong: bool) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_cast(each, dtype, True) for each in value)
    kind = number_types.type_in_numpy(value)
    if kind is None or (type(kind) is type and not (strong and isinstance(value, jax.Array))):
        return value
    is_part = dtype.kind == "c" and np.dtype(kind).kind != "c"
    return number_types.cast_to(value, np.dtype(f"f{dtype.itemsize // 2}") if is_part else dtype)
