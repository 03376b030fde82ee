"""In-place calls: what do functions of NumPy's that write to an array do to one of the program, or may, as those with `out=`?

np.add(a, b, out=x), np.add.at(x, i, v)      what is computed is stored, as by `x[...] = `, for all who know the array
np.copyto(x, v), np.fill_diagonal(x, 0)
x.sort(), x.fill(v)                          of an array that NumPy would have made, or the caller holds as NumPy's
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError, PythonOnlyError
from autograph_lite.jax_internals.constant_folding import FoldingTracer
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import (
    lower_kinds,
    number_types,
    numpys_arrays,
)
from autograph_lite.operators.aliasing import reads_while_written
from autograph_lite.operators.aliasing.callers_arrays import Argument
from autograph_lite.operators.checks import catching, index_bounds
from autograph_lite.operators.lists import array_arguments
from autograph_lite.operators.numpy_calls import exact_values, refused_results
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import Tracer, any_traced, describe
from autograph_lite.tracing import thread


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.apply_along_axis`.

    Raises:
      MutationError: the function writes to what it is handed, a part of `arr` in NumPy.
      PythonOnlyError: it gives integers on one path and floats on another. NumPy makes all of the type of the first one.
    """
    called = not_writing(func1d, "np.apply_along_axis")

    def each(*parts: Any, **named: Any) -> Any:
        found = called(*parts, **named)
        if isinstance(found, Tracer) and lower_kinds.lowest_kind(found) < lower_kinds.kind_number(
            found.dtype
        ):
            raise PythonOnlyError(
                f"A function that np.apply_along_axis calls gives {describe(found)} on one path, and a lower type on another.",
                where=source_places.line_of_function(func1d)
                if hasattr(func1d, "__code__")
                else source_places.here(),
                why="NumPy makes all that it gives of the type of the first one, which is known when the program runs.",
                fix="let it give one type on each path: 0.0 in place of 0.",
            )
        return found

    return jnp.apply_along_axis(each, axis, arr, *args, **kwargs)


def not_writing(fn: Any, caller: str) -> Any:
    """`fn`, which is handed copies of parts of arrays. Raises MutationError where it writes to one of them."""

    @functools.wraps(fn)
    def run(*parts: Any, **kwargs: Any) -> Any:
        known = thread.now.references
        handed = [Argument(-1, part, False, True, of_state=True) for part in parts]
        if known is not None:
            known.arguments.update((id(each.handle), each) for each in handed)
        found = fn(*parts, **kwargs)
        if any(each.is_written for each in handed):
            raise MutationError(
                f"A function that {caller} calls with a part of a traced array writes to it.",
                where=source_places.line_of_function(fn) if hasattr(fn, "__code__") else source_places.here(),
                why="NumPy hands it the part itself, and the program a copy: the array would not see the change.",
                fix="write to a copy, row = row.copy(), and return it; or write a loop over the rows.",
            )
        return found

    return run


def _copied(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    if casting == "same_kind":
        # a number of Python's has no type of its own
        is_weak = type(src) is int and jnp.issubdtype(dst.dtype, jnp.integer)
        refused_results.refuse_cast(dst, "array data", dst if is_weak else jnp.asarray(src))
    reads_while_written.refuse_reads(dst, where, reads_while_written.another)
    return jnp.where(where, src, dst)


def _put_mask(a: Any, mask: Any, values: Any) -> Any:
    values = jnp.asarray(values)
    return jnp.where(mask, values if values.shape == a.shape else jnp.resize(values, a.shape), a)


def _placed(arr: Any, mask: Any, vals: Any) -> Any:
    reads_while_written.refuse_placed(arr, mask, vals)
    return jnp.place(arr, mask, jnp.asarray(vals), inplace=False)


def _on_the_diagonal(a: Any, val: Any, wrap: Any = False) -> Any:
    reads_while_written.refuse_diagonal(a, val, wrap)
    if not wrap or a.ndim != 2 or a.shape[0] <= a.shape[1]:
        return jnp.fill_diagonal(a, val, inplace=False)
    places = np.arange(0, a.size, a.shape[1] + 1)
    return (
        a.ravel().at[places].set(jnp.resize(jnp.asarray(val), places.shape).astype(a.dtype)).reshape(a.shape)
    )


def _put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> Any:
    ind = jnp.asarray(ind)
    if mode == "raise":
        index_bounds.check_places(ind, a.size, a.size)
    new = jnp.put(a, ind, jnp.asarray(v), None if mode == "raise" else mode, inplace=False)
    goes_on = catching.unraised()  # in a `try`, what fails writes nothing
    return new if goes_on is True else jnp.where(goes_on, new, a)


def of_places(name: str, ordered: Callable[..., Any]) -> Callable[..., Any]:
    """`np.partition` or `np.argpartition`; at a place that only the data knows, all items are in order."""

    def run(a: Any, kth: Any, axis: Any = -1, **_: Any) -> Any:
        a = jnp.ravel(a) if axis is None else jnp.asarray(a)
        axis = -1 if axis is None else axis
        if isinstance(kth, (list, tuple)) and not any_traced(kth):
            np.partition(np.empty(a.shape[axis]), kth)  # for its errors
            return ordered(a, axis)
        if isinstance(kth, Tracer):
            index_bounds.check_places(kth, a.shape[axis], a.shape[axis])
            return ordered(a, axis)
        return getattr(jnp, name)(a, kth, axis)

    return run


def _of_its_size(a: Any, *shape: Any, refcheck: Any = True) -> Any:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if (*sizes,) != a.shape:
        raise PythonOnlyError(
            "An array is given another size in place, by 'resize'.",
            why="An array of a compiled program has one shape, and others may know it.",
            fix="make a new one: x = np.resize(x, n), x = np.append(x, values).",
        )
    return a


def _of_values(place: int, name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    """`make`, which gets at that place, or by that name, what the array is to hold."""

    def made(array: Any, *args: Any, **kwargs: Any) -> Any:
        key: Any = place - 1 if len(args) >= place else name
        known: dict[Any, Any] = dict(enumerate(args)) | kwargs
        # `copyto` takes no float for an integer, and cuts it where it is told to; and no None
        numpys_arrays.refuse_beyond(array, known.get(key), stored=make is not _copied)
        if key in known and make is not _copied:
            known[key] = number_types.stored_none(array, known[key])
        return make(array, *(known.pop(number) for number in range(len(args))), **known)

    return made


# What gives the array as it is after such a function, by the function's name.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "copyto": _of_values(1, "src", _copied), "putmask": _of_values(2, "values", _put_mask),
    "put": _of_values(2, "v", _put),
    "place": _of_values(2, "vals", _placed),
    "put_along_axis": _of_values(2, "values", lambda arr, indices, values, axis: (
        jnp.put_along_axis(arr, indices, values, axis, inplace=False))),
    "fill_diagonal": _of_values(1, "val", _on_the_diagonal),
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {
    "fill": _of_values(1, "value", lambda a, value: jnp.broadcast_to(value, a.shape)),
    "sort": lambda a, axis=-1, **_: jnp.sort(a, axis),
    "partition": of_places("partition", jnp.sort), "resize": _of_its_size,
    "put": _of_values(2, "values", lambda a, indices, values, mode="raise": _put(a, indices, values, mode)),
}  # fmt: skip
BY_FUNCTION = {id(getattr(np, name)): make for name, make in _FUNCTIONS.items()}


def target(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The array that a call of NumPy's writes to; None for most, and a tuple for ufuncs that give several."""
    out = kwargs.get("out")
    if out is None and isinstance(fn, np.ufunc):
        out = args[fn.nin :] or None
        out = out if out is None or len(out) == fn.nout else (*out, *(None,) * (fn.nout - len(out)))
    elif out is None and id(fn) in BY_FUNCTION:
        out = args[0] if args else next((kwargs[name] for name in FIRST if name in kwargs), None)
    elif out is None and args and getattr(fn, "__name__", "") == "at":
        out = args[0]
    elif out is None and len(args) > (place := place_of_out(fn)):
        out = args[place]
    elif fn is np.nan_to_num and not kwargs.get("copy", args[1] if len(args) > 1 else True):
        out = args[0] if args else kwargs.get("x")
    return out[0] if type(out) is tuple and len(out) == 1 else out


FIRST = ("dst", "arr", "a")  # what these functions call the array that they write to


def place_of_out(fn: Any) -> Any:
    """At which place a function of NumPy's is handed the array for its result; infinity where it takes none there."""
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return {"reduce": 3, "accumulate": 3, "reduceat": 4}.get(fn.__name__, math.inf)
    return _place_of_out(fn) if type(fn) is type(np.sum) else math.inf


@functools.cache
def _place_of_out(fn: Any) -> Any:
    known = inspect.signature(fn).parameters
    if "out" not in known or known["out"].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return math.inf
    return [*known].index("out")


def added_at(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """What gives an array after `ufunc.at`."""
    fun = getattr(jnp, ufunc.__name__, None)
    at = getattr(fun, "at", None)
    if at is None:
        return None

    def added(a: Any, indices: Any, *b: Any) -> Any:
        index, b = _index(indices), (*map(_index, b),)
        if not any(isinstance(each, _BASIC) for each in (index if type(index) is tuple else (index,))):
            return at(a, index, *b, inplace=False)
        places = jnp.arange(a.size).reshape(a.shape).at[index].get(mode="fill", fill_value=a.size)
        values = [jnp.broadcast_to(each, places.shape).ravel() for each in b]
        return at(a.ravel(), places.ravel(), *values, inplace=False).reshape(a.shape)

    return added


_BASIC = (slice, type(None), type(...))  # which a program takes in an index, and `jnp.add.at` does not


def _index(indices: Any) -> Any:
    """What JAX takes for a list of positions."""
    if type(indices) is tuple:
        return tuple(map(_index, indices))
    return jnp.asarray(indices) if type(indices) is list else indices


def writing(make: Callable[..., Any], refuse: Callable[[], Exception]) -> Callable[..., Any]:
    """A function that changes its first argument to what `make` gives for its arguments, or raises `refuse()`."""

    def run(*args: Any, **kwargs: Any) -> None:
        if not args:
            name = next(name for name in FIRST if name in kwargs)
            args, kwargs = (kwargs[name],), {key: value for key, value in kwargs.items() if key != name}
        store_whole(args[0], lambda: make(*args, **kwargs), refuse)

    return run


def store_whole(array: Any, make: Callable[[], Any], refuse: Callable[[], Exception]) -> Any:
    """Puts what `make` gives into an array, for all who know it; gives that. Raises what `refuse` gives of one of JAX's."""
    known = thread.now.references
    done = NotImplemented if known is None else known.change(array, "set", make)
    if done is NotImplemented:
        raise refuse()
    return done


def _method(name: str, make: Callable[..., Any]) -> Any:
    otherwise = getattr(Tracer, name, None)

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        known = thread.now.references
        if (
            known is not None
            and known.change(self, "set", lambda: make(self, *args, **kwargs)) is not NotImplemented
        ):
            return None
        if otherwise is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return otherwise(self, *args, **kwargs)

    run.__name__ = name
    return run


for _name, _make in METHODS.items():
    setattr(FoldingTracer, _name, _method(_name, _make))


def rounded(a: Any, decimals: Any = 0) -> Any:
    """`np.round`, of integers also to tens and hundreds: to the even multiple where two are as near."""
    array = jnp.asarray(a)
    if array.dtype == bool:
        return array.astype(np.float16)
    if not jnp.issubdtype(array.dtype, jnp.integer) or decimals >= 0:
        is_real = jnp.issubdtype(array.dtype, jnp.floating)
        return (
            exact_values.rounded_to_decimals(array, decimals)
            if decimals and is_real
            else _jaxs_round(a, decimals)
        )
    unit = 10**-decimals
    if unit > jnp.iinfo(array.dtype).max:  # type: ignore[no-untyped-call]
        return jnp.zeros_like(array)
    quotient, rest = jnp.divmod(array, unit)
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    return (quotient + up.astype(array.dtype)) * unit


def within_limits(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None, **named: Any
) -> Any:
    """`np.clip`, also of complex numbers, which NumPy has an order of."""
    a, low, high = map(
        array_arguments.numpys_array, (a, a_min if min is None else min, a_max if max is None else max)
    )
    dtype: Any = getattr(a, "dtype", np.dtype(float))
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":  # a limit beyond what the type holds is none
        ends = np.iinfo(dtype)
        low = None if type(low) is int and low < ends.min else low
        high = None if type(high) is int and high > ends.max else high
    if not any(map(np.iscomplexobj, (a, low, high))):
        return _jaxs_clip(a, low, high, **named)
    found = jnp.asarray(a) if low is None else jnp.maximum(a, low)
    return recorded_copies.made_new(found if high is None else jnp.minimum(found, high), (a,), {})


def taken(a: Any, indices: Any, axis: Any = None, mode: Any = "raise") -> Any:
    """`np.take`, which gives the last item for an index beyond the end, as `x[i]` does."""
    a, indices = jnp.asarray(a), jnp.asarray(indices)
    if mode == "raise":
        around = (slice(None),) * (0 if axis is None else axis % a.ndim)
        index_bounds.check_array(a.reshape(-1) if axis is None else a, (*around, indices))
        size = a.size if axis is None else a.shape[axis]
        mode, indices = "clip", jnp.where(indices < 0, indices + size, indices)
    return jnp.take(a, indices, axis, mode=mode)


_jaxs_clip = recorded_copies.jax_stand_in(jnp.clip)


def products(name: str) -> Callable[..., Any]:
    """`np.dot` or `np.inner`, of a number as NumPy's `*`."""
    fun = getattr(jnp, name)

    def product(a: Any, b: Any) -> Any:
        a, b = map(array_arguments.numpys_array, (a, b))
        if jnp.ndim(a) and jnp.ndim(b):
            return fun(a, b)
        return jnp.multiply(
            *(np.asarray(each) if type(each) in (bool, int, float) else jnp.asarray(each) for each in (a, b))
        )

    return product


def fitting(array: Any, name: str, fun: Any, *args: Any, **named: Any) -> Any:
    """What `fun` gives, which `out=array` gets; refused where NumPy refuses it.

    Ufuncs, and what is made of one, write to arrays with more axes; others to such of the shape of what they give. Reductions
    write to arrays of any type, others to no type of a lower kind.
    """
    new = array_arguments.taking_sequences(fun)(*args, **named)
    is_ufunc = isinstance(getattr(np, name, None), np.ufunc) or name in ("around", "clip", "round")
    if name and not is_ufunc and jnp.shape(new) != array.shape:
        refused_results.raise_as_numpy(
            ValueError(f"output array has the shape {array.shape}, and what '{name}' gives {jnp.shape(new)}")
        )
    if name and name not in refused_results.TO_ANY_TYPE:
        refused_results.refuse_type(array, name, new, *args, *named.values())
    return new


def store_each(arrays: Any, name: str, make: Callable[[], Any], refuse: Callable[[], Exception]) -> Any:
    """Puts each of the results of a ufunc that gives several, `np.divmod(x, y, out=(q, r))`, into its array."""
    return tuple(
        found
        if array is None
        else store_whole(array, functools.partial(fitting, array, name, lambda new=found: new), refuse)
        for array, found in zip(arrays, make(), strict=True)
    )


_jaxs_round = recorded_copies.jax_stand_in(jnp.round)
