"""Counterparts: what computes a call of NumPy's, SciPy's, `math`'s or `cmath`'s, once a traced value is among its arguments?

    np.max([a, b]), np.add.reduce(x)      `jnp.max`, `jnp.add.reduce`, with the arguments under JAX's names
    m.dot(x)                              of an array of NumPy's: the method of the same array as JAX's
    np.add(x, y, out=z)                   what is computed is stored in `z`; an error where that is JAX's
    np.save(path, x)                      an error that says what to write

What follows from Python's numbers alone is left to NumPy, and so is all that is not traced.
"""

from __future__ import annotations

import cmath
import functools
import importlib
import inspect
import itertools
import math
import sys
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.constant_folding import FoldingTracer
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import lower_kinds, number_types, numpys_arrays, view_equations
from autograph_lite.operators.aliasing import reads_while_written
from autograph_lite.operators.lane_eval import number_functions
from autograph_lite.operators.lists import array_arguments, dynamic_length
from autograph_lite.operators.numpy_calls import (
    array_methods,
    function_table,
    in_place_calls,
    linear_algebra,
    python_math,
    result_types,
)
from autograph_lite.operators.purity import trial
from autograph_lite.operators.values.boxes import Box
from autograph_lite.operators.values.values import Tracer, is_symbolic, known_value

Given = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]  # what to call, and with what
Counterpart = Callable[[tuple[Any, ...], dict[str, Any]], Given]
_IN_PLACE = frozenset({"fill", "partition", "put", "resize", "sort", "setfield", "byteswap"})
# Which give an array that they are handed, or a part of it.
_GIVING = view_equations.VIEWING | {
    "broadcast_to",
    "broadcast_arrays",
    "diagonal",
    "diag",
    "einsum",
    "sliding_window_view",
    "asarray",
    "asanyarray",
    "ascontiguousarray",
    "asfortranarray",
    "require",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
}
_ASKING = frozenset({np.array_repr, np.piecewise})  # which ask whether what they are handed is NumPy's array
_table: dict[int, tuple[Any, Counterpart]] = {}  # by identity: not everything has a hash


def of(fn: Any) -> Counterpart | None:
    """What a call of `fn` becomes if it is handed a traced value; None where it is none of these functions."""
    found = _table.get(id(fn))
    if found is not None:
        return found[1]
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return _of_ufunc(owner, fn.__name__)
    if isinstance(owner, np.ndarray):
        return _of_method(owner, fn.__name__)
    if isinstance(owner, (np.random.Generator, np.random.RandomState)):
        return _refusing(f"the generator's {fn.__name__}", function_table.RANDOM)
    if isinstance(fn, np.ufunc) or str(getattr(fn, "__module__", "")).startswith("scipy."):
        return _of_scipy(fn)
    return None


def follows_traced(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call is JAX's if the items are known: it writes to a traced array, gives one or a part, or asks for its class.

    So is one that gives the items one by one, which may be written meanwhile.
    """
    if isinstance(in_place_calls.target(fn, args, kwargs), Tracer):
        return True
    is_given_back = fn is np.array and kwargs.get("copy", True) is not True
    follows = (
        is_given_back
        or getattr(fn, "__name__", "") in _GIVING
        or any(fn is each for each in (*_ASKING, *_GOING_THROUGH, *_GIVING_PARTS))
    )
    return follows and any(isinstance(arg, Tracer) for arg in (*args, *kwargs.values()))


_GOING_THROUGH: tuple[Any, ...] = (np.ndenumerate, np.nditer, np.nested_iters, np.broadcast)
_GIVING_PARTS = (np.ix_, np.meshgrid, np.poly1d, np.real_if_close, np.lib.stride_tricks.as_strided)
# What gives an array that it is handed if it is told to copy nothing, or has nothing to change, too.
_MAY_GIVE = _GIVING | {
    "apply_over_axes", "diff", "histogram", "ix_", "matrix_power", "meshgrid", "polyder", "polyint", "trim_zeros", "unstack",
}  # fmt: skip


_TYPED = frozenset(
    {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "astype", "require"}
)


def as_numpys(found: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What JAX gives for a call of a function of NumPy's: copies where that makes new arrays, or ones of another type."""
    name = getattr(fn, "__name__", "")
    if name.endswith("_like") and "dtype" not in kwargs and args:
        note = lower_kinds.note_numbers_of if isinstance(args[0], (list, tuple)) else lower_kinds.note_like
        note(found, args[0])
    if args and name in _TYPE_AT and not isinstance(args[0], Tracer):
        dtype = kwargs.get("dtype", args[_TYPE_AT[name]] if len(args) > _TYPE_AT[name] else None)
        of = dict(enumerate(args)).get(name == "full", kwargs.get("fill_value"))
        lower_kinds.note_numbers_of(found, of, dtype)
    lower_kinds.refuse_bools(name, args[:2])
    if name in _LAYING:
        order = {"ascontiguousarray": "C", "asfortranarray": "F"}.get(name, kwargs.get("order"))
        order = args[1] if name == "copy" and len(args) > 1 else order
        if name == "require":
            wanted = {each[0].upper() for each in kwargs.get("requirements", (*args, None, None)[2]) or ()}
            order = "F" if "F" in wanted else "C" if "C" in wanted else None
        return recorded_copies.in_order(_new_as_numpys(found, name, fn, args, kwargs), order)
    if getattr(fn, "__module__", None) == "numpy.linalg":
        for each in found if isinstance(found, tuple) else (found,):
            if isinstance(each, Tracer) and each.ndim == 2 and name in _IN_ORDER:
                view_equations.note_in_order(each)
    return _new_as_numpys(found, name, fn, args, kwargs)


# Functions that make arrays of numbers, and which of their arguments is the type.
_TYPE_AT = {
    "full": 2,
    **dict.fromkeys(("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"), 1),
}
# Functions that make arrays in the order that they are told, and those that make matrices in C's.
_LAYING = frozenset({
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy", "zeros_like", "ones_like", "empty_like",
    "full_like", "require",
})  # fmt: skip
_IN_ORDER = frozenset({"inv", "pinv", "solve", "cholesky", "qr", "svd", "eigh", "eig", "lstsq"})


def _new_as_numpys(found: Any, name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    array = args[0] if args else None
    found = number_types.numpys_number(found)
    if isinstance(fn, type):
        return recorded_copies.of_type(found, array, fn)
    if name in _TYPED and isinstance(array, (list, tuple)):
        return recorded_copies.made_new(found, args, kwargs)
    if name in _TYPED:
        return recorded_copies.of_type(found, array, kwargs.get("dtype", args[1] if len(args) > 1 else None))
    if name in _MAY_GIVE or in_place_calls.target(fn, args, kwargs) is not None:
        return found
    return recorded_copies.made_new(found, args, kwargs)


def stays(fn: Any) -> bool:
    """Whether `fn` is one of these functions that a module holds, and no object is asked each time that it is called."""
    return id(fn) in _table and not isinstance(getattr(fn, "__self__", None), np.random.RandomState)


def has_traced_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a traced value is among the arguments, or in a list or tuple there, that has no value yet.

    Numbers of Python's alone, in a loop on trial, are for Python to compute with, as doubles: the call ends the trial,
    unless it is `of_numbers`.
    """
    traced = [value for value in (*args, *kwargs.values()) if _has_traced(value)]
    return bool(traced) and not all(map(trial.is_number_of_python, traced))


def of_numbers(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What computes `fn` of these arguments, numbers of Python's alone in a loop on trial, where that is known; else None."""
    if (
        not number_functions.knows_function(fn)
        or kwargs
        or (isinstance(fn, np.ufunc) and len(args) != fn.nin)
    ):
        return None
    if not any(map(_has_traced, args)):
        return None
    if not all(type(value) in (int, float, bool) or trial.is_number_of_python(value) for value in args):
        return None
    found = of(fn)
    return None if found is None else number_functions.call_of_numbers(fn, found(args, kwargs)[0])


def _has_traced(value: Any) -> bool:
    kind = value.__class__
    if kind is list or kind is tuple:
        return any(map(_has_traced, value)) or dynamic_length.is_dynamic(value)
    if isinstance(value, Tracer):
        return known_value(value) is None
    return isinstance(value, Box) or is_symbolic(value)


def _refused(name: str, fix: str, does: str = "is called with a traced value") -> PythonOnlyError:
    return PythonOnlyError(
        f"'{name}' {does}.",
        why="It is NumPy's or Python's own: it would need the value, which is known when the compiled program runs.",
        fix=fix,
    )


def not_in_jax(fn: Any, error: BaseException) -> PythonOnlyError:
    """What is said where JAX's function cannot do what a call of NumPy's asks for."""
    name = getattr(fn, "__name__", "the function")
    return PythonOnlyError(
        f"'{name}' is called with traced values and arguments that JAX's function doesn't take.",
        why=str(error),
        fix="leave out what is said there, or write it with other functions of arrays.",
    )


def _refusing(name: str, fix: str) -> Counterpart:
    def refuse(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        raise _refused(name, fix)

    return refuse


def _writing(name: str, make: Callable[..., Any], fix: str) -> Counterpart:
    """A call that changes its first argument to what `make` gives."""
    writing = array_arguments.taking_sequences(in_place_calls.writing(make, lambda: _refused(name, fix)))
    return lambda args, kwargs: (writing, args, kwargs)


def _computing(name: str, fun: Any, theirs: Any) -> Counterpart:
    """A call of `theirs`, JAX's or ours, with the arguments that NumPy's `fun` takes."""
    if str(getattr(theirs, "__module__", None)).startswith(__name__.partition(".")[0]):
        theirs = array_arguments.taking_sequences(theirs)

    def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        args = _beside_narrow(fun, args, kwargs)
        out = in_place_calls.target(fun, args, kwargs)
        if out is None:
            return theirs, *_arguments(name, fun, theirs, args, kwargs)
        kwargs, where = {**kwargs, "out": None}, True
        if isinstance(fun, np.ufunc):
            args, where = args[: fun.nin], array_arguments.numpys_array(kwargs.pop("where", True))
        elif len(args) > (place := in_place_calls.place_of_out(fun)):
            args = (*args[:place], None, *args[place + 1 :])
            kwargs.pop("out")
        own, named = _arguments(name, fun, theirs, args, kwargs)
        reads_while_written.refuse_out(fun.__name__, out, *own, **named)
        known = "" if kwargs.get("casting", "same_kind") != "same_kind" else fun.__name__
        if type(out) is tuple:
            if where is not True:
                raise _refused(
                    name,
                    "leave out `where=`, and choose with np.where.",
                    "gives several arrays where a mask says so",
                )
            several = functools.partial(array_arguments.taking_sequences(theirs), *own, **named)
            refuse = functools.partial(_refused, name, *function_table.OUT)
            return in_place_calls.store_each, (out, known, several, refuse), {}

        def new() -> Any:
            found = in_place_calls.fitting(out, known, theirs, *own, **named)
            return found if where is True else jnp.where(where, found, out)

        return in_place_calls.store_whole, (out, new, lambda: _refused(name, *function_table.OUT)), {}

    return given


# Functions, besides ufuncs, whose result has the type of their array, whatever int of Python's is beside it.
_OF_ITS_TYPE = frozenset({np.where, np.full_like})


def _beside_narrow(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments, with arrays of NumPy's in place of ints that the type of another array, as uint8, does not hold.

    Raises:
      OverflowError: NumPy does, as they are to have the array's type.
    """
    arrays = [each for each in args if isinstance(each, (Tracer, np.ndarray))]
    if fun is np.insert:  # its index is no item of the array
        if isinstance(array := args[0] if args else kwargs.get("arr"), (Tracer, np.ndarray)):
            numpys_arrays.refuse_beyond(array, args[2:3] or (kwargs.get("values"),), stored=True)
        return args
    beyond = [
        type(each) is int and any(numpys_arrays.is_beyond(array, each) for array in arrays) for each in args
    ]
    if any(beyond) and not isinstance(fun, np.ufunc):
        apart = result_types.parameters_apart(fun)
        names = itertools.chain(_parameters(fun), itertools.repeat(""))
        beyond = [is_so and own not in apart for is_so, own in zip(beyond, names, strict=False)]
    if not any(beyond) or fun is np.clip:
        return args
    is_ufunc = isinstance(fun, np.ufunc) and fun.types[-1][-1] != "?" and f"{'BB'[: fun.nin]}->B" in fun.types
    for array in arrays if is_ufunc or fun in _OF_ITS_TYPE else ():
        numpys_arrays.refuse_beyond(array, [*args])
    return (*(np.asarray(each) if is_so else each for each, is_so in zip(args, beyond, strict=True)),)


def _replacing(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    """`np.nan_to_num`, which changes the array that it is handed if it is to make no copy."""
    compute = _computing("np.nan_to_num", np.nan_to_num, jnp.nan_to_num)
    array = in_place_calls.target(np.nan_to_num, args, kwargs)
    if array is None:
        return compute(args, kwargs)
    named = {**kwargs, "copy": True} if len(args) < 2 else kwargs
    fun, given, named = compute((*args[:1], True, *args[2:]) if len(args) > 1 else args, named)

    def refuse() -> PythonOnlyError:
        fix = "leave out copy=False, and take the result: x = np.nan_to_num(x)."
        return _refused("np.nan_to_num", fix, "changes a traced array in place")

    return in_place_calls.store_whole, (array, lambda: fun(*given, **named), refuse), {}


def _arguments(
    name: str, fun: Any, theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """NumPy's arguments, as JAX's function takes them."""
    for value in (*args, *kwargs.values()):
        for each in value if type(value) in (list, tuple) else (value,):
            if numpys_arrays.has_own_operators(type(each)):
                raise numpys_arrays.other_array(each)
    if isinstance(fun, np.ufunc):
        args, kwargs = _ufunc_arguments(name, fun, args, kwargs)
    else:
        has_none = fun in _MAKING and bool(args) and _has_none(args[0])
        args, kwargs = _by_name(name, fun, theirs, args, kwargs)
        if has_none or kwargs.get("dtype") is object:
            raise _refused(name, "keep them in a list.", "makes an array of objects of traced values")
    args, kwargs = result_types.in_numpys_types(fun, args, kwargs)
    return tuple(map(_type, args)), {key: _type(value) for key, value in kwargs.items()}


_MAKING = frozenset({np.array, np.asarray, np.asanyarray})


def _has_none(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple)) and any(map(_has_none, value)))


def _type(value: Any) -> Any:
    """JAX's type in place of NumPy's, which JAX would warn of where it has none of 64 bits."""
    return function_table.canonical(value) if isinstance(value, (type, np.dtype)) else value


def _by_name(
    name: str, fun: Any, theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments under the names that JAX's function has for them, or at its places where it has others."""
    known = _parameters(theirs)
    takes_any = any(each.kind == each.VAR_KEYWORD for each in known.values())
    by_place = [each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in known.values()]
    taken, named = _under_names(fun, args, kwargs)
    defaults = _parameters(fun)
    given: dict[str, Any] = {}
    for place, own, value in named:
        key = own if own in known else function_table.RENAMED.get(own, own)
        if key == "out" and value is not None:
            raise _refused(name, *function_table.OUT)
        if function_table.is_left_out(fun, key, value):
            continue
        if key in known and known[key].kind in (
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.KEYWORD_ONLY,
        ):
            given[key] = value
        elif place == len(taken) < len(by_place) and by_place[place]:
            taken.append(value)
        elif takes_any and place < 0:  # `np.pad(x, 1, constant_values=2)`: of no name in NumPy's, too
            given[key] = value
        elif (key not in function_table.MEANINGLESS or fun in function_table.ORDERED) and not _is_default(
            defaults.get(own), value
        ):
            does = f"is called with '{key}=', which JAX's function hasn't"
            raise _refused(name, "leave it out, or write what it means.", does)
    return (*taken,), given


def _is_default(parameter: inspect.Parameter | None, value: Any) -> bool:
    """Whether an argument is what the function takes where there is none."""
    if parameter is None or parameter.default in _NONE_GIVEN:
        return value is None
    return type(value) is type(parameter.default) and bool(value == parameter.default)


_NONE_GIVEN = (None, inspect.Parameter.empty, np._NoValue)


def _under_names(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], list[tuple[int, str, Any]]]:
    """The arguments that have no name in NumPy's function; its place and name, and the value, of each of the others."""
    order = list(_parameters(fun).values())
    places = {parameter.name: place for place, parameter in enumerate(order)}
    if any(parameter.kind == parameter.VAR_POSITIONAL for parameter in order) or len(args) > len(order):
        return [*args], [(-1, key, value) for key, value in kwargs.items()]
    found = [*zip(range(len(args)), places, args, strict=False)]
    return [], found + [(places.get(key, -1), key, value) for key, value in kwargs.items()]


def _parameters(fun: Any) -> dict[str, inspect.Parameter]:
    """Those of a function; none where nobody knows."""
    try:
        return dict(inspect.signature(fun).parameters)
    except (TypeError, ValueError):
        return {}


def _ufunc_arguments(
    name: str, fun: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given = {
        key: value
        for key, value in kwargs.items()
        if key not in function_table.MEANINGLESS and value is not None
    }
    if given.pop("out", None) is not None or any(value is not None for value in args[fun.nin :]):
        raise _refused(name, *function_table.OUT)
    if given.pop("where", True) is not True:
        raise _refused(
            name,
            "choose between values: np.where(mask, np.sqrt(x), 0).",
            "leaves items without a value, by `where=`",
        )
    dtype = given.pop("dtype", None)
    if given:
        raise _refused(name, "leave it out.", f"is called with '{next(iter(given))}='")
    args = args[: fun.nin]
    if dtype is None and "casting" not in kwargs:
        return args, {}
    args = (*(arg if type(arg) in (bool, int, float, complex) else jnp.asarray(arg) for arg in args),)
    given_types = [arg.dtype if isinstance(arg, jax.Array) else type(arg) for arg in args]
    signature = (*(None,) * fun.nin, *(None if dtype is None else np.dtype(dtype),) * fun.nout)
    casting: Any = kwargs.get("casting", "same_kind")
    computed = fun.resolve_dtypes((*given_types, *(None,) * fun.nout), signature=signature, casting=casting)
    if dtype is None:
        return args, {}
    return (*(jnp.asarray(arg, _type(kind)) for arg, kind in zip(args, computed, strict=False)),), {}


def _of_ufunc(fun: np.ufunc, method: str) -> Counterpart:
    """`np.add.reduce` and the like."""
    name = f"np.{fun.__name__}.{method}"
    if method == "at":
        fix = "write the items: x[i] += v; where i names one more than once, jnp.add.at gives a new array."
        added = in_place_calls.added_at(fun)
        return _refusing(name, fix) if added is None else _writing(name, added, fix)
    theirs = getattr(getattr(jnp, fun.__name__, None), method, None)
    if theirs is None and hasattr(jnp, fun.__name__):
        made = jnp.frompyfunc(getattr(jnp, fun.__name__), fun.nin, fun.nout, identity=fun.identity)
        theirs = getattr(made, method, None)
    if theirs is None:
        return _refusing(name, "write it with functions of arrays.")

    def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        bound = getattr(fun, method)
        out, place = in_place_calls.target(bound, args, kwargs), in_place_calls.place_of_out(bound)
        args = (*args[:place], None, *args[place + 1 :]) if len(args) > place else args
        kwargs = {**kwargs, "out": None}
        first = [(jnp.asarray(arg) if isinstance(arg, list) else arg) for arg in args[:2]]
        if method == "outer" and configuration.has_64_bits():
            first = [*number_types.in_types_of_ufunc(fun, first)]
        named = {key: _type(value) for key, value in kwargs.items() if value is not None or key == "axis"}
        if method == "reduce" and first and fun not in (np.add, np.multiply) and configuration.has_64_bits():
            first[0] = number_types.in_types_of_ufunc(fun, (first[0],) * fun.nin)[0]
        if method in ("accumulate", "reduceat") and first:
            dtype = named.get("dtype", (*args, None, None, None)[3 if method == "reduceat" else 2])
            first[0] = _in_its_type(fun, first[0], dtype)
        if out is None:
            return theirs, (*first, *map(_type, args[2:])), named
        new = functools.partial(
            in_place_calls.fitting, out, method, theirs, *first, *map(_type, args[2:]), **named
        )
        return in_place_calls.store_whole, (out, new, lambda: _refused(name, *function_table.OUT)), {}

    return given


def _in_its_type(fun: np.ufunc, array: Any, dtype: Any) -> Any:
    """The array, cast to the type in which `fun.accumulate` and `fun.reduceat` compute."""
    if dtype is None and fun in (np.add, np.multiply):
        dtype = recorded_copies.summed_type(array)
    elif dtype is None and fun in (np.logical_and, np.logical_or, np.logical_xor):
        dtype = bool
    elif dtype is None and configuration.has_64_bits() and fun.nin == 2:
        return number_types.in_types_of_ufunc(fun, (array, array))[0]
    return array if dtype is None else jnp.asarray(array).astype(_type(dtype))


def _of_method(owner: np.ndarray[Any, Any], method: str) -> Counterpart | None:
    """A method of an array of NumPy's, which is handed a traced value."""
    if method in _IN_PLACE:
        fix, make = "write the items: x[...] = v, x[i] = v.", in_place_calls.METHODS.get(method)
        shown = f"the array's {method}"
        if make is None:
            return _refusing(shown, fix)
        writing = in_place_calls.writing(make, lambda: _refused(shown, fix))
        return lambda args, kwargs: (writing, (owner, *args), kwargs)
    fun = getattr(np.ndarray, method, None)
    if fun is None or not hasattr(jax.Array, method):
        return None

    def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        if kwargs.get("out") is not None:
            raise _refused(f"the array's {method}", *function_table.OUT)
        return getattr(jnp.asarray(owner), method), args, kwargs

    return given


_NAMES_IN_JAX = {"psi": "digamma"}  # of one function, the name that it says, and JAX's


def _of_scipy(fn: Any) -> Counterpart | None:
    """A function of one of SciPy's modules, or a method of a distribution, if the user has imported that."""
    owner = getattr(fn, "__self__", None)
    if owner is not None:
        return _of_distribution(owner, fn.__name__)
    for part in ("special", "linalg", "fft", "stats", "signal", "ndimage", "integrate"):
        theirs, name = sys.modules.get(f"scipy.{part}"), getattr(fn, "__name__", "")
        if theirs is None or getattr(theirs, name, None) is not fn:
            continue
        found = getattr(importlib.import_module(f"jax.scipy.{part}"), _NAMES_IN_JAX.get(name, name), None)
        found = function_table.OF_SCIPY.get(part, {}).get(name, found)
        if found is None:
            return _refusing(
                f"scipy.{part}.{name}", f"jax.scipy.{part} has none of this name: write it with jax.numpy."
            )
        return _computing(f"scipy.{part}.{name}", fn, found)
    return None


def _of_distribution(owner: Any, method: str) -> Counterpart | None:
    """`scipy.stats.norm.cdf` and the like, also of a distribution with its parameters, `norm(0, 2).cdf`."""
    stats, theirs = sys.modules.get("scipy.stats"), importlib.import_module("jax.scipy.stats")
    kind = type(getattr(owner, "dist", owner))
    for name in vars(theirs) if stats is not None else ():
        if type(getattr(stats, name, None)) is not kind:
            continue
        shown, found = f"scipy.stats.{name}.{method}", getattr(getattr(theirs, name), method, None)
        if found is None:
            return _refusing(shown, f"jax.scipy.stats.{name} has no {method}: write it with jax.numpy.")
        if name == "multivariate_normal":
            found = functools.partial(linear_algebra.density_of_vectors, found)
        if kind is type(owner):
            return _computing(shown, getattr(owner, method), found)
        return lambda args, kwargs: (found, (*args, *owner.args), {**owner.kwds, **kwargs})
    return None


def _enter() -> None:
    array_methods.install_methods()
    names = {np: "np", np.linalg: "np.linalg", np.fft: "np.fft", np.lib.stride_tricks: "np.lib.stride_tricks"}
    for module, name, fun, found in function_table.rows():
        text = f"{names.get(module, 'np.random')}.{name}"
        make = in_place_calls.BY_FUNCTION.get(id(fun))
        if make is not None and isinstance(found, str):
            counterpart = _writing(text, make, found)
        else:
            counterpart = _refusing(text, found) if isinstance(found, str) else _computing(text, fun, found)
        _table[id(fun)] = fun, counterpart
    _table[id(np.nan_to_num)] = np.nan_to_num, _replacing
    for module, functions in ((math, python_math.MATH), (cmath, python_math.CMATH)):
        for name, number in functions.items():
            if (fun := getattr(module, name, None)) is not None:
                _table[id(fun)] = fun, _plainly(number)
    for name, fix in python_math.REFUSED.items():
        if (fun := getattr(math, name, None)) is not None:
            _table[id(fun)] = fun, _refusing(f"math.{name}", fix)
    for kind, method in itertools.product((Tracer, FoldingTracer), (python_math.item, python_math.tolist)):
        of_jax = getattr(kind, method.__name__, None)
        if isinstance(of_jax, types.FunctionType):
            _table[id(of_jax)] = of_jax, _plainly(method)
    FoldingTracer.is_integer = python_math.has_no_fraction  # type: ignore[attr-defined]
    FoldingTracer.bit_length = python_math.bit_length  # type: ignore[attr-defined]
    FoldingTracer.bit_count = python_math.bit_count  # type: ignore[attr-defined]
    FoldingTracer.numerator = property(python_math.numerator)  # type: ignore[attr-defined]
    FoldingTracer.denominator = property(python_math.denominator)  # type: ignore[attr-defined]


def _plainly(fun: Any) -> Counterpart:
    return lambda args, kwargs: (fun, args, kwargs)


_enter()
