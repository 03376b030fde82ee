"""Table of functions: which function computes what each of NumPy's does of traced values, or what is to be written instead?

np.sin, np.linalg.norm, np.fft.rfft   of the same name in `jax.numpy`
np.fix, np.row_stack                  of other names
np.ascontiguousarray, np.histogram    functions of this file
np.save, np.nditer, np.matrix         refused on traced values, with what to write; NumPy computes them of its own arrays
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import number_types, numpys_arrays
from autograph_lite.operators.checks import carried_checks, integer_powers
from autograph_lite.operators.lists import array_arguments
from autograph_lite.operators.numpy_calls import (
    changed_lengths,
    counts_and_places,
    exact_values,
    fourier,
    in_place_calls,
    linear_algebra,
    named_axes,
)
from autograph_lite.operators.numpy_calls.quantiles import quantile_of_items
from autograph_lite.operators.ragged import unique_values

NAMESPACES: tuple[tuple[types.ModuleType, Any], ...] = (
    (np, jnp),
    (np.linalg, jnp.linalg),
    (np.fft, jnp.fft),
)

# By what to write in place of them on a traced value; those that write to an array, where that is JAX's.
REFUSED: dict[str, str] = {
    name: fix
    for fix, names in {
        "print the array, which shows it when the program runs, or make the text of what the call returns.":
            "array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific info",
        "return the array, and read and write files outside of the converted function, or in autograph_lite.py_function.":
            "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex fromstring memmap from_dlpack "
            "frombuffer",
        "loop over the places, `for i in np.ndindex(x.shape)`, and read `x[i]`.":
            "nditer nested_iters flatiter broadcast",
        "use an array of two dimensions, and `@` for its products.": "matrix asmatrix bmat",
        "keep an array for each field, or the coefficients in an array: np.polyval(p, x).": "recarray record poly1d",
        "leave it out: a compiled program has values, and nobody sees where they lie.":
            "may_share_memory shares_memory isfortran",
        "say which type is meant, x.astype(...): a compiled program's types don't depend on values.":
            "real_if_close min_scalar_type common_type mintypecode",
        "use np.asarray, and test np.isfinite(x).all().": "asarray_chkfinite",
        "compute with numbers, such as days since a date.":
            "datetime64 timedelta64 datetime_as_string datetime_data busday_count busday_offset busdaycalendar is_busday isnat",
        "compute with numbers: a traced array holds nothing else.":
            "str_ bytes_ void object_ character flexible frompyfunc typename",
        "write the items: x[...] = np.where(mask, values, x).": "copyto putmask place",
        "write the items: x[i] = v.": "put put_along_axis",
        "write the items: x[np.arange(n), np.arange(n)] = v.": "fill_diagonal",
    }.items()
    for name in names.split()
}  # fmt: skip
RANDOM = "draw with jax.random, from a key that the function is handed, or hand over what NumPy has drawn."

# These take no array, change how NumPy itself works, or have a row by another name (`bool`).
LEFT_ALONE = frozenset({
    "bool", "dtype", "errstate", "finfo", "generic", "get_include", "get_printoptions", "getbufsize", "geterr", "geterrcall",
    "iinfo", "ndarray", "ndindex", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating",
    "complexfloating", "printoptions", "set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config",
    "show_runtime", "test", "ufunc", "vectorize", "LinAlgError",
})  # fmt: skip


def _with_an_axis(a: Any, dtype: Any = None) -> Any:
    """`np.ascontiguousarray` and `np.asfortranarray`, whose order `counterparts.as_numpys` sees to."""
    array = jnp.asarray(a, dtype)
    return array if array.ndim else array.reshape(1)


def _with_axes(ndim: int, *arrays: Any) -> Any:
    """`np.atleast_1d` and the like: an array that has the axes itself, or a part of it that has them."""
    missing: dict[int, list[tuple[int, ...]]] = {1: [(0,)], 2: [(0, 1), (0,)], 3: [(0, 1, 2), (0, 2), (2,)]}
    found = [jnp.asarray(each) for each in arrays]
    made = [each if each.ndim >= ndim else jnp.expand_dims(each, missing[ndim][each.ndim]) for each in found]
    return made[0] if len(made) == 1 else tuple(made)


def _array(object: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **named: Any) -> Any:
    """`np.array`; with `copy=None` or `False` the array that it is handed, or, with more axes, a part of it."""
    make = functools.partial(jnp.array, copy=copy, ndmin=ndmin) if copy else jnp.asarray
    found = make(object, dtype, **named)
    return found if copy or found.ndim >= ndmin else found.reshape((1,) * (ndmin - found.ndim) + found.shape)


def _require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    return jnp.asarray(a, dtype)


def _by_whole_numbers(name: str) -> Callable[[Any, Any], Any]:
    """A quotient, or what is left: NumPy's is 0 where an integer is divided by 0, and that of machines is anything."""
    fun = getattr(jnp, name)

    def divided(x1: Any, x2: Any) -> Any:
        x1, x2 = array_arguments.numpys_array(x1), array_arguments.numpys_array(x2)
        if not jnp.issubdtype(jnp.result_type(x1, x2), jnp.integer):
            return fun(x1, x2)
        return number_types.divided_as_numpy(fun, x1, x2)

    return divided


def _power(x1: Any, x2: Any) -> Any:
    """`np.power`: JAX's gives anything where integers have negative exponents, or such of more than six bits."""
    x1, x2 = array_arguments.numpys_array(x1), array_arguments.numpys_array(x2)
    integer_powers.check_integers(x1, x2)
    return integer_powers.with_all_bits(x1, x2, lambda: jnp.power(x1, x2))


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    if isinstance(bins, str):
        raise PythonOnlyError(
            f"'np.histogram' finds as many bins as the data ask for, '{bins}'.",
            why="A compiled program has arrays of fixed shapes, and the data are known when it runs.",
            fix="say how many there are: bins=10.",
        )
    given, (a, bins, weights) = bins, map(array_arguments.numpys_array, (a, bins, weights))
    counts, computed = jnp.histogram(a, bins, range, weights, density)
    edges: Any = computed
    if np.ndim(bins):  # as NumPy, the very array
        edges = given if isinstance(given, (np.ndarray, jax.Array)) else jnp.asarray(bins)
    dtype = float if density else int if weights is None else weights.dtype
    return counts.astype(dtype), edges


def _meshgrid(*xi: Any, copy: Any = True, sparse: Any = False, indexing: Any = "xy") -> tuple[Any, ...]:
    """`np.meshgrid`, of all items of what has several axes; without copies, the grids are parts of what it is handed."""
    rows = [jnp.ravel(jnp.asarray(each)) for each in xi]
    if copy:
        return tuple(recorded_copies.made_new(jnp.meshgrid(*rows, sparse=sparse, indexing=indexing), xi, {}))
    np.meshgrid(*([0] * len(xi)), indexing=indexing)  # for its errors
    places = [1, 0, *range(2, len(rows))] if indexing == "xy" and len(rows) > 1 else [*range(len(rows))]
    shapes = [[-1 if each == place else 1 for each in range(len(rows))] for place in places]
    grids = (*(row.reshape(shape) for row, shape in zip(rows, shapes, strict=True)),)
    return grids if sparse else _broadcast_arrays(*grids)


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """`np.trapezoid`, which adds narrow integers and bools in their own type."""
    y, x = jnp.moveaxis(jnp.asarray(y), axis, -1), x if x is None else jnp.asarray(x)
    widths = dx if x is None else jnp.diff(x if x.ndim == 1 else jnp.moveaxis(x, axis, -1))
    sums = y[..., 1:] + y[..., :-1]
    if configuration.has_64_bits():
        widths, sums = number_types.in_types_of_ufunc(np.multiply, (widths, sums))
    return (widths * sums / 2.0).sum(-1)


def _vander(x: Any, N: Any = None, increasing: Any = False) -> Any:  # noqa: N803 (NumPy's name)
    """`np.vander`, of narrow integers and bools such as hold their powers."""
    x = jnp.asarray(x)
    x = x.astype(canonical(np.promote_types(x.dtype, int)))
    if x.ndim != 1 or x.dtype.kind != "i":
        return jnp.vander(x, N, increasing)
    count = len(x) if N is None else operator.index(N)
    powers = jnp.cumprod(jnp.broadcast_to(x[:, None], (len(x), count)).at[:, :1].set(1), 1, dtype=x.dtype)
    return powers if increasing else powers[:, ::-1]


def _triangle(name: str) -> Callable[..., Any]:
    """`np.tril` or `np.triu`, of one axis as many times as it has items."""
    fun = getattr(jnp, name)

    def run(m: Any, k: Any = 0) -> Any:
        m = jnp.asarray(m)
        return fun(jnp.broadcast_to(m, m.shape * 2) if m.ndim == 1 else m, k)

    return run


def _running(name: str) -> Callable[..., Any]:
    """`np.cumsum` and the like, which have the type of a sum."""
    fun = getattr(jnp, name)

    def run(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        a = array_arguments.numpys_array(a)
        return fun(a, axis, recorded_copies.summed_type(a) if dtype is None else dtype)

    return run


def _cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    """`np.cumulative_prod`, which has the type of a product."""
    dtype = recorded_copies.summed_type(x) if dtype is None else dtype
    return jnp.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)


def _giving_itself(fun: Callable[..., Any], times: int) -> Callable[..., Any]:
    """`np.diff` and the like, which give the array itself where they are to do what they do so many times."""
    signature = inspect.signature(fun)
    array, count = [*signature.parameters][:2]

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        found, given = fun(*args, **kwargs), signature.bind(*args, **kwargs).arguments
        return jnp.asarray(given[array]) if given.get(count, 1) == times else found

    return run


def _real_or_imag(name: str) -> Callable[..., Any]:
    """`np.real` and `np.imag`, of an array or of what becomes one, as a list of numbers."""
    return lambda val: getattr(val if hasattr(val, name) else jnp.asarray(val), name)


def _sums_of_products(name: str, usual: str) -> Callable[..., Any]:
    """`np.convolve` and `np.correlate`; of integers these are integers, and floats in JAX."""
    fun = getattr(jnp, name)

    def run(a: Any, v: Any, mode: Any = usual) -> Any:
        a, v = jnp.asarray(a), jnp.asarray(v)
        dtype = jnp.result_type(a, v)
        if dtype == np.bool_:
            return run(a.astype(int), v.astype(int), mode) != 0
        if not jnp.issubdtype(dtype, jnp.integer):
            return fun(a, v, mode)
        places = jax.eval_shape(functools.partial(fun, mode="full"), a, v).shape[0]  # for its errors, too
        turned, is_swapped = v[::-1] if name == "correlate" else v, a.size < v.size
        full = jnp.zeros(places, dtype).at[np.add.outer(np.arange(a.size), np.arange(v.size))]
        least, most = sorted((a.size, v.size))
        start = {"full": 0, "valid": least - 1}.get(
            mode, (least - (not (is_swapped and name == "correlate"))) // 2
        )
        stop = {"full": places, "valid": most}.get(mode, start + most)
        return full.add(jnp.outer(a.astype(dtype), turned.astype(dtype)))[start:stop]

    return run


def _polymul(a1: Any, a2: Any) -> Any:
    """`np.polymul`, which leaves out zeros in front; of integers one of these."""
    factors = (counts_and_places.without_leading_zeros(each, "multiplies") for each in (a1, a2))
    return _sums_of_products("convolve", "full")(*factors)


def _reciprocal(x: Any) -> Any:
    """`np.reciprocal`, of integers one of these."""
    array = jnp.asarray(x)
    return (
        jnp.where(jnp.abs(array) == 1, array, 0)
        if jnp.issubdtype(array.dtype, jnp.integer)
        else jnp.reciprocal(array)
    )


def _counting_in_floats(name: str) -> Callable[..., Any]:
    """`np.histogram2d` or `np.histogramdd`."""
    fun = getattr(jnp, name)

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        counts, *edges = fun(*args, **kwargs)
        return counts.astype(float), *edges

    return run


def _poly(seq_of_zeros: Any) -> Any:
    """`np.poly`, real for a real matrix."""
    found = jnp.poly(jnp.asarray(seq_of_zeros))
    return found if jnp.iscomplexobj(seq_of_zeros) else found.real


@functools.wraps(jnp.polyfit)
def _polyfit(x: Any, y: Any, deg: Any, *args: Any, **kwargs: Any) -> Any:
    return jnp.polyfit(jnp.asarray(x) + 0.0, jnp.asarray(y) + 0.0, deg, *args, **kwargs)


def _gradient(*args: Any, **options: Any) -> Any:
    found = jnp.gradient(*args, **options)
    return tuple(found) if type(found) is list else found


@functools.wraps(jnp.where)
def _where(condition: Any, *values: Any, **named: Any) -> Any:
    """`np.where`, but for the array of objects that NumPy makes of None."""
    if any(each is None for each in (*values, *named.values())):
        raise PythonOnlyError(
            "'np.where' makes an array of objects, of None.",
            why="A compiled program has arrays of numbers.",
            fix="use a number in place of None: np.nan, or 0 and a mask beside it.",
        )
    return jnp.where(condition, *values, **named)


def _ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Any:
    """`np.ravel_multi_index`, with the check that NumPy makes."""
    if mode == "raise":
        mode = "clip"
        is_wrong = jnp.any(
            jnp.stack(
                [jnp.any((each < 0) | (each >= size)) for each, size in zip(multi_index, dims, strict=True)]
            )
        )
        carried_checks.fail_if(is_wrong, ValueError("invalid entry in coordinates array"))
    return jnp.ravel_multi_index(multi_index, dims, mode, order)


def _giving_places(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives places as ints, of 64 bits where the program has these."""
    return functools.wraps(fun)(lambda *args, **kwargs: jnp.asarray(fun(*args, **kwargs), int))


def _polyder(p: Any, m: Any = 1) -> Any:
    """`np.polyder`, of integers one of these."""
    p = jnp.asarray(p)
    found = jnp.polyder(p, m)
    return found if jnp.issubdtype(p.dtype, jnp.inexact) else jnp.asarray(found, int)


def _unstacked(x: Any, *, axis: Any = 0) -> tuple[Any, ...]:
    return tuple(jnp.moveaxis(jnp.asarray(x), axis, 0))


def _broadcast_to(array: Any, shape: Any) -> Any:
    array = array_arguments.numpys_array(array)
    return _fixed(jnp.broadcast_to(array, shape), array)


def _broadcast_arrays(*args: Any) -> tuple[Any, ...]:
    given = tuple(map(array_arguments.numpys_array, args))
    if len({jnp.shape(each) for each in given}) == 1:
        return given
    made = zip(jnp.broadcast_arrays(*given), given, strict=True)
    return tuple(
        array if new.shape == jnp.shape(array) else numpys_arrays.read_only(new, overlaps=True)
        for new, array in made
    )


def _diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    a = array_arguments.numpys_array(a)
    return _fixed(jnp.diagonal(a, offset, axis1, axis2), a)


def _diag(v: Any, k: Any = 0) -> Any:
    v = array_arguments.numpys_array(v)
    return jnp.diag(v, k) if jnp.ndim(v) == 1 else _diagonal(v, k)


def _fixed(made: Any, array: Any) -> Any:
    """What a function of NumPy's has `made` of `array`, a view that it lets nobody write to."""
    if made is array:
        made = lax.rev(array, ())  # another one: `array` itself may be written
    return numpys_arrays.read_only(recorded_copies.noted_view(made, array))


def _sliding_windows(
    x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False
) -> Any:
    """`np.lib.stride_tricks.sliding_window_view`; the program has a copy, to which nobody writes."""
    sizes = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    axes = axis if isinstance(axis, (tuple, list)) else range(len(sizes)) if axis is None else (axis,)
    places = tuple(each % jnp.ndim(x) for each in axes)
    # For its errors.
    np.lib.stride_tricks.sliding_window_view(np.broadcast_to(0, jnp.shape(x)), sizes, places)
    windows = sliding_window_view(jnp.asarray(x), sizes, places)
    return numpys_arrays.read_only(recorded_copies.noted_view(windows, x), overlaps=writeable)


@functools.partial(jax.jit, static_argnums=(1, 2))
def sliding_window_view(x: jax.Array, sizes: tuple[int, ...], axes: tuple[int, ...]) -> jax.Array:
    """The windows, of the name by which `recorded_views` knows that NumPy's are views."""
    for size, axis in zip(sizes, axes, strict=True):
        count = x.shape[axis] - size + 1
        x = jnp.moveaxis(jnp.take(x, np.arange(count)[:, None] + np.arange(size), axis), axis + 1, -1)
    return x


_OWN: dict[str, Any] = {
    **unique_values.FUNCTIONS, **changed_lengths.FUNCTIONS,
    "einsum": named_axes.named_axes_product, "broadcast_to": _broadcast_to, "diagonal": _diagonal, "diag": _diag,
    "broadcast_arrays": _broadcast_arrays, "unstack": _unstacked, "rot90": inspect.unwrap(jnp.rot90),
    **{f"atleast_{ndim}d": functools.partial(_with_axes, ndim) for ndim in (1, 2, 3)},
    "array": _array, "asanyarray": jnp.asarray, "ascontiguousarray": _with_an_axis,
    "asfortranarray": _with_an_axis, "require": _require,
    **{name: _counting_in_floats(name) for name in ("histogram2d", "histogramdd")}, "histogram": _histogram,
    "where": _where, "gradient": functools.wraps(jnp.gradient)(_gradient),
    "sinc": lambda x: jnp.where(jnp.isinf(x), jnp.nan, jnp.sinc(x)),
    "reciprocal": _reciprocal, "poly": _poly, "polyfit": _polyfit, "einsum_path": named_axes.einsum_path,
    "choose": counts_and_places.chosen_items,
    "ravel_multi_index": _ravel_multi_index, "take": in_place_calls.taken, "fix": jnp.trunc, "meshgrid": _meshgrid,
    "take_along_axis": functools.partial(jnp.take_along_axis, mode="clip"),
    **dict.fromkeys(("around", "round"), in_place_calls.rounded), "row_stack": jnp.vstack,
    "bincount": counts_and_places.bincount,
    **{name: in_place_calls.products(name) for name in ("dot", "inner")}, "clip": in_place_calls.within_limits,
    **{name: _triangle(name) for name in ("tril", "triu")},
    **{name: getattr(counts_and_places, name) for name in ("polydiv", "roots")}, "polymul": _polymul,
    "partition": in_place_calls.of_places("partition", jnp.sort),
    "argpartition": _giving_places(in_place_calls.of_places("argpartition", jnp.argsort)),
    **{name: _giving_places(getattr(jnp, name)) for name in ("searchsorted", "digitize")},
    **{name: quantile_of_items(name) for name in ("quantile", "percentile", "nanquantile", "nanpercentile")},
    "isscalar": lambda element: not (jnp.ndim(element) or numpys_arrays.has_memory(element)),
    "compress": counts_and_places.compress, "extract": counts_and_places.extract,
    "ndenumerate": counts_and_places.ndenumerate, "apply_along_axis": in_place_calls.apply_along_axis,
    "convolve": _sums_of_products("convolve", "full"), "correlate": _sums_of_products("correlate", "valid"),
    **{name: _running(name) for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")},
    "cumulative_prod": _cumulative_prod, "trapezoid": _trapezoid, "trapz": _trapezoid, "vander": _vander,
    **{name: _giving_itself(getattr(jnp, name), 0) for name in ("diff", "polyint")}, "polyder": _giving_itself(_polyder, 0),
    **{name: _real_or_imag(name) for name in ("imag", "real")},
    **dict.fromkeys(("power", "pow"), _power),
    **exact_values.FUNCTIONS,
    **{name: _by_whole_numbers(name) for name in ("floor_divide", "remainder", "mod", "fmod", "divmod")},
}  # fmt: skip
_OWN_OF_LINALG = {
    **linear_algebra.OF_NUMPY,
    "matrix_power": _giving_itself(jnp.linalg.matrix_power, 1),
    "diagonal": lambda x, *, offset=0: _diagonal(x, offset, -2, -1),
}
OF_SCIPY = {"linalg": linear_algebra.OF_SCIPY, "fft": fourier.OF_SCIPY}
RENAMED = {"a_min": "min", "a_max": "max"}  # parameters, in JAX
# Parameters that say how an array lies in memory, or how NumPy goes about it, and change no value.
MEANINGLESS = frozenset({"order", "subok", "like", "casting", "check_finite", "overwrite_x", "workers"})
# Parameters that are left out even where JAX's function has one of the name: with these values, or with all.
_LEFT_OUT = {
    "order": ("K", "A", "C", "F", None),
    "out": (None,),
    "overwrite_input": None,
}
_SORTING = frozenset({np.sort, np.argsort, np.partition, np.argpartition, np.isin})  # the same by each `kind`
OUT = "take the result, `z[...] = np.add(x, y)`.", "writes a traced value into an array that it is handed"


# Functions whose result depends on the order.
ORDERED = frozenset({np.ravel, np.reshape, np.ravel_multi_index, np.unravel_index})


def is_left_out(fun: Any, parameter: str, value: Any) -> bool:
    """Whether JAX's function isn't handed this argument of NumPy's, since it changes no value."""
    if parameter == "order" and value != "C" and fun in ORDERED:
        return False
    if parameter == "kind" and fun in _SORTING:
        return True
    values = _LEFT_OUT.get(parameter, ())
    return values is None or ((value is None or isinstance(value, str)) and value in values)


def rows() -> Iterator[tuple[Any, str, Any, Any]]:
    """Those public functions that have an answer: module, name, itself, and what computes it, or what to write instead."""
    for module, theirs in NAMESPACES:
        for name in filter(lambda name: name[0] != "_" and name not in LEFT_ALONE, dir(module)):
            fun = vars(module).get(
                name
            )  # `getattr` would load modules, `np.f2py` and `np.testing`, that nobody needs
            if not callable(fun):
                continue
            if name in REFUSED:
                yield module, name, fun, REFUSED[name]
            elif name in _OWN and module is np:
                yield module, name, fun, _OWN[name]
            elif isinstance(fun, type):
                if issubclass(fun, (np.number, np.bool_)):
                    yield module, name, fun, _of_scalars(fun)
            elif name in _OWN_OF_LINALG and module is np.linalg:
                yield module, name, fun, _OWN_OF_LINALG[name]
            elif hasattr(theirs, name):
                found = getattr(theirs, name)  # NumPy's own, `np.iterable`, is called as it is
                yield module, name, fun, functools.partial(fun) if found is fun else found
    strides = np.lib.stride_tricks
    yield strides, "sliding_window_view", strides.sliding_window_view, _sliding_windows
    yield (
        strides,
        "as_strided",
        strides.as_strided,
        "take the items: x[np.arange(n)[:, None] + np.arange(k)].",
    )
    for name, fun in vars(np.random).items():
        if callable(fun) and name[0] != "_":
            yield np.random, name, fun, RANDOM


def canonical(dtype: Any) -> Any:
    """The type that JAX has for one of NumPy's: one of 32 bits in place of one of 64, unless it is told to use these."""
    try:
        return jax.dtypes.canonicalize_dtype(np.dtype(dtype))
    except TypeError:
        return dtype


def _of_scalars(kind: type) -> Callable[[Any], Any]:
    """`np.float32(x)`, of a number or an array."""

    def made(x: Any) -> Any:
        is_so = isinstance(x, jax.Array) and x.ndim and x.dtype == canonical(kind)
        return x if is_so else jnp.asarray(x).astype(canonical(kind))

    return made
