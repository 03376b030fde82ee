"""Copies: which functions of JAX's hand back the array that they were given, where NumPy's make a copy, and what copies then?

y = x.astype(np.float32)              of a float32 array, JAX gives `x` itself
y = m.flatten()                       a `reshape`, as what `m.ravel()` gives, which is a view in NumPy
y = lax.cond(p, same, same, x)        `x` itself, as no branch changes it
u.cumsum()                            of a uint8 array, JAX's wraps, and NumPy's has the type of a sum
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import dtypes
from jax._src import core
from jax._src.array import ArrayImpl
from jax._src.lax import lax
from jax._src.numpy import array_methods

from autograph_lite.converters.calls import COMPILED_VIEWS, HANDING_BACK
from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import recorded_equations, tracing_state
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import eager_views, numpys_arrays, view_equations
from autograph_lite.tracing import thread


def _copying(fn: Any) -> Any:
    """`fn`, which gives a new array."""

    @functools.wraps(fn)
    def run(array: Any, *args: Any, copy: bool = True, **kwargs: Any) -> Any:
        found = fn(array, *args, **kwargs)
        if not copy:
            return of_type(found, array, kwargs.get("dtype", args[0] if args else None))
        if not _is_or_views(found, array):
            return found
        return numpys_arrays.note_next(copied(found), array)

    return run


def _is_or_views(found: Any, array: Any) -> bool:
    if not getattr(found, "ndim", 0):
        return False  # a number
    recorded = recorded_views.recorded_as(found)
    if isinstance(found, core.Tracer) and not isinstance(recorded, core.Tracer):
        # In a derivative or a lane, which is computed at once.
        return eager_views.memory_of(recorded) is not None
    return recorded is recorded_views.recorded_as(array) or bool(recorded_views.parts_from(found))


def copied(array: Any) -> Any:
    """A copy, of the same type; of a tracer one that the program makes, which costs nothing there."""
    if isinstance(array, core.Tracer):
        return lax.copy_p.bind(array)
    with tracing_state.no_trace():
        return lax.copy_p.bind(array)


def _in_order(fn: Any) -> Any:
    """`ravel` or `flatten`, also in the order in which the array lies, "A" and "K"."""

    @functools.wraps(fn)
    def run(a: Any, order: str = "C", **kwargs: Any) -> Any:
        a, order = _as_it_lies(a, order)
        return fn(a, order, **kwargs)

    return run


def _reshaping(fn: Any) -> Any:
    """`reshape`, also in the order "A"."""

    @functools.wraps(fn)
    def run(a: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("order") == "A":
            kwargs["order"] = _as_it_lies(a, "A")[1]
        return fn(a, *args, **kwargs)

    return run


def _as_it_lies(array: Any, order: str) -> tuple[Any, str]:
    """The array with its axes so that the order, C's or F's, gives its items as they lie.

    Raises:
      PythonOnlyError: nobody knows how NumPy's array lies.
    """
    if order not in ("A", "K") or not isinstance(array, core.Tracer):
        return array, order
    axes = view_equations.axes_as_they_lie(array, order) if array.ndim > 1 else ()
    if axes is None:
        raise PythonOnlyError(
            f"The items of an array, {array.aval.str_short()}, are asked for in the order '{order}', as they lie in memory.",
            why="How NumPy would lay the array out is not known.",
            fix='say which order is meant, "C" or "F"; or take a copy in the one that is, x.copy("C").',
        )
    if axes == (*range(array.ndim),)[::-1]:
        return array, "C" if array.ndim < 2 else "F"
    return array if axes == (*range(array.ndim),) else array.transpose(axes), "C"


def laid_out(found: Any, order: Any) -> Any:
    """`found`, a new array, as NumPy lays it out in the order of C or of Fortran, "F"; as it is in another order."""
    if not isinstance(found, core.Tracer) or found.ndim < 2 or order not in ("C", "F"):
        return found
    if order == "C":
        return view_equations.note_in_order(found)
    turned = view_equations.note_in_order(copied(found.transpose()))
    return numpys_arrays.note_next(turned, found).transpose()


def in_order(array: Any, order: Any) -> Any:
    """An array that lies in the order of C or of Fortran, "F": itself, or a copy; as it is in another order."""
    if not isinstance(array, core.Tracer) or order not in ("C", "F"):
        return array
    if view_equations.lies_in_a_row(array, None if order == "C" else range(array.ndim)[::-1]):
        return array
    return laid_out(numpys_arrays.note_next(copied(array), array), order)


def _copy(fn: Any) -> Any:
    """`copy`, in an order."""
    return functools.wraps(fn)(lambda array, order="C": laid_out(fn(array), order))


def _cast(fn: Any) -> Any:
    """`astype`, with NumPy's arguments."""
    cast = _copying(fn)

    @functools.wraps(fn)
    def run(
        array: Any, *args: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, **kwargs: Any
    ) -> Any:
        if casting != "unsafe":
            own, new = numpys_arrays.type_of(array) or array.dtype, np.dtype(kwargs.get("dtype", *args[:1]))
            if not np.can_cast(own, new, casting):
                raise TypeError(
                    f"Cannot cast array data from {own!r} to {new!r} according to the rule '{casting}'"
                )
        return in_order(cast(array, *args, **kwargs), order)

    return run


def _in_a_row(fn: Any) -> Any:
    """`ravel`, which gives a vector itself, and in NumPy a copy of one with gaps: `x[::2].ravel()`."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        found, array = fn(*args, **kwargs), args[0] if args else kwargs.get("a")
        is_new = False
        if isinstance(array, core.Tracer):  # which stands for another in a branch
            is_vector = array.ndim == 1 and not view_equations.lies_in_a_row(array)
            order = kwargs.get("order", args[1] if len(args) > 1 else "C")
            is_new = is_vector or (order == "C" and view_equations.lies_otherwise(array, "C"))
        return numpys_arrays.note_next(copied(found), array) if is_new else found

    return run


def _new(fn: Any) -> Any:
    """`fn`, which gives a new array where it gives one of its arguments."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        return made_new(fn(*args, **kwargs), args[:3], kwargs)

    return run


def _changed(fn: Any) -> Any:
    """`fn`, which gives an array with some items changed, `x.at[:k].set(v)`: JAX hands back `x` where there are none."""

    @functools.wraps(fn)
    def run(ref: Any, *args: Any, **kwargs: Any) -> Any:
        return made_new(fn(ref, *args, **kwargs), (ref.array,), {})

    return run


def _making(fn: Any) -> Any:
    """`vectorize`, which makes a function: where that hands its argument on, NumPy's gives a new array."""
    return functools.wraps(fn)(lambda *args, **kwargs: _new(fn(*args, **kwargs)))


def _computing(fn: Any) -> Any:
    """`fn`, which computes arrays, where JAX hands back one that all branches, or an iteration, leave as it is."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        mark = recorded_equations.equation_mark()
        found = fn(*args, **kwargs)
        if mark is None or thread.now.references is None:
            return found
        return jax.tree.map(
            lambda each: each if recorded_equations.is_since(each, mark) else copied(each), found
        )

    return run


def made_new(found: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a call gives of these arguments, with copies in place of what is one of them, or looks like a part of one."""
    if type(found) in (list, tuple):
        return type(found)([made_new(each, args, kwargs) for each in found])
    arguments = [*args, *kwargs.values()]
    given = [each for arg in arguments for each in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    if not any(_is_or_views(found, each) for each in given):
        return found
    return numpys_arrays.note_next(copied(found), *given)


def of_type(found: Any, array: Any, dtype: Any) -> Any:
    """`found`, what JAX gives for `array` as one of that type; a copy, if NumPy's has another type, of 64 or 32 bits."""
    if dtype is None or not isinstance(array, core.Tracer) or not _is_or_views(found, array):
        return found
    if isinstance(dtype, np.dtype) and dtype == array.dtype:
        return found  # that of an array of the program, x.dtype
    own = numpys_arrays.type_of(array)
    if own is None:
        is_unknown = numpys_arrays.is_numpys(array)
        return numpys_arrays.note_met(copied(found), found) if is_unknown else found
    if own != np.dtype(dtype):
        return numpys_arrays.note_next(copied(found), array)
    return array if found.shape == array.shape else found


def summed_type(array: Any) -> Any:
    """The type of NumPy's sums of bools and narrow integers, also running ones, where JAX's wrap; None for that of the items."""
    kind = np.dtype(getattr(array, "dtype", float))
    wide = dtypes.canonicalize_dtype({"b": np.int64, "i": np.int64, "u": np.uint64}.get(kind.kind, kind))
    return wide if wide.itemsize > kind.itemsize else None


def _summing(fn: Any) -> Any:
    """`cumsum`, of NumPy's type if the array would be NumPy's."""

    @functools.wraps(fn)
    def run(array: Any, axis: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
        dtype = summed_type(array) if dtype is None and numpys_arrays.is_numpys(array) else dtype
        return fn(array, axis, dtype, **kwargs)

    return run


def noted_view(part: Any, whole: Any) -> Any:
    """Notes, where JAX computes at once, that an array is a view of another one; gives it."""
    eager_views.note_view(recorded_views.recorded_as(part), recorded_views.recorded_as(whole))
    return part


def _fixed(fn: Any) -> Any:
    """`diagonal`, to whose result NumPy lets nobody write."""

    @functools.wraps(fn)
    def run(array: Any, *args: Any, **kwargs: Any) -> Any:
        found = noted_view(fn(array, *args, **kwargs), array)
        return numpys_arrays.read_only(found) if numpys_arrays.is_numpys(array) else found

    return run


@functools.wraps(jnp.diag)
def _diag(v: Any, k: Any = 0) -> Any:
    v = v if hasattr(v, "ndim") else jnp.asarray(v)
    return jnp.diag(v, k) if v.ndim == 1 else _fixed(jnp.diag)(v, k)


_METHODS = ("clip", "repeat", "round")
_UPDATES = ("add", "apply", "divide", "max", "min", "mul", "multiply", "power", "set", "subtract")
_UpdateRef: Any = getattr(array_methods, "_IndexUpdateRef", object)  # what `x.at[i]` is
_CONTROL_FLOW = ("cond", "switch", "map", "scan", "while_loop", "fori_loop")
_COPYING: dict[Any, Any] = {
    **{fn: _new(fn) for name in HANDING_BACK if (fn := getattr(jnp, name, None)) is not None},
    **{
        fn: _new(fn)
        for fn in (
            jax.lax.convert_element_type,
            jax.lax.concatenate,
            jnp.full,
            jnp.full_like,
            jnp.apply_along_axis,
        )
    },
    jnp.vectorize: _making(jnp.vectorize),
    **{fn: _changed(fn) for name in _UPDATES if (fn := getattr(_UpdateRef, name, None)) is not None},
    **{
        fn: _new(fn) for kind in (ArrayImpl, core.Tracer) for fn in (getattr(kind, name) for name in _METHODS)
    },
    **{fn: _fixed(fn) for fn in (ArrayImpl.diagonal, core.Tracer.diagonal, jnp.diagonal, jnp.broadcast_to)},
    jnp.diag: _diag,
    **{fn: _computing(fn) for fn in (getattr(jax.lax, name) for name in _CONTROL_FLOW)},
    **{fn: _summing(fn) for fn in (core.Tracer.cumsum, core.Tracer.cumprod)},
    **{fn: _in_a_row(_in_order(fn)) for fn in (jnp.ravel, ArrayImpl.ravel, core.Tracer.ravel)},
    **{fn: _cast(fn) for fn in (jnp.astype, ArrayImpl.astype, core.Tracer.astype)},
    core.Tracer.copy: _copy(core.Tracer.copy),
    **{fn: _reshaping(fn) for fn in (jnp.reshape, core.Tracer.reshape)},
    **{fn: _copying(_in_order(fn)) for fn in (ArrayImpl.flatten, core.Tracer.flatten)},
}


_COMPILED = {
    **{
        fn: eager_views.in_sight(_COPYING.get(fn, fn))
        for name in COMPILED_VIEWS
        if (fn := getattr(jnp, name, None)) is not None
    },
    **{
        fn: eager_views.in_sight(_COPYING.get(fn, fn))
        for fn in (
            ArrayImpl.ravel,
            ArrayImpl.swapaxes,
            ArrayImpl.diagonal,
            ArrayImpl.squeeze,
            ArrayImpl.transpose,
        )
    },
}
_COPYING.update(_COMPILED)


def _of_jaxs(numpys: Any, jaxs: Any) -> Any:
    """A function of NumPy's that gives a view, of JAX's arrays as well: NumPy's would give one of its own."""

    @functools.wraps(numpys)
    def run(array: Any, *args: Any, **kwargs: Any) -> Any:
        return (jaxs if isinstance(array, jax.Array) else numpys)(array, *args, **kwargs)

    return run


_NUMPYS_VIEWS = {
    getattr(np, name): _of_jaxs(getattr(np, name), _COMPILED[fn])
    for name in sorted(COMPILED_VIEWS)
    if hasattr(np, name) and (fn := getattr(jnp, name, None)) is not None
}


def stand_in_at_once(fn: Callable[..., Any]) -> Any:
    """`jax_stand_in`, where nothing is recorded: also in place of functions of NumPy's that are handed JAX's arrays."""
    try:
        return _NUMPYS_VIEWS[fn]
    except (KeyError, TypeError):
        return jax_stand_in(fn)


def jax_stand_in(fn: Callable[..., Any]) -> Any:
    """What to call in place of a function of JAX's."""
    try:
        return _COPYING.get(fn, fn)
    except TypeError:  # it has no hash
        return fn
