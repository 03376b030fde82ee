"""Array methods: what do methods and attributes of traced arrays do that NumPy's have otherwise, or that write to an array?

m.max(0, out=x), m.clip(2, 5, m)      what is computed is stored, as by `np.max(m, 0, x)`
x.flat, x.flat = v, z.real = v        the array's own items: all of them are written
x.shape = (2, 3)                      refused: it is set in place
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import MutationError, PythonOnlyError
from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.constant_folding import FoldingTracer
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import (
    float_errors,
    number_types,
    numpys_arrays,
    storages,
    view_writes,
)
from autograph_lite.operators.aliasing import reads_while_written
from autograph_lite.operators.lists import array_arguments
from autograph_lite.operators.numpy_calls import counts_and_places, in_place_calls, result_types
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.tracing import thread


def _taken_of(array: Any, *args: Any, **kwargs: Any) -> Any:
    return (in_place_calls.taken if numpys_arrays.is_numpys(array) else Tracer.take)(array, *args, **kwargs)


def _chosen_of(array: Any, *choices: Any, **mode: Any) -> Any:
    return counts_and_places.chosen_items(array, choices[0] if len(choices) == 1 else choices, **mode)


_OWN: dict[str, Any] = {
    "clip": in_place_calls.within_limits, "dot": in_place_calls.products("dot"), "round": in_place_calls.rounded,
    "take": _taken_of, "choose": _chosen_of,
    "compress": lambda a, condition, axis=None: counts_and_places.compress(condition, a, axis),
}  # fmt: skip
_TAKING_OUT = (
    *_OWN, "all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod", "std", "sum", "trace", "var",
)  # fmt: skip


def _taking_out(name: str) -> Any:
    """A method of an array that may be handed the array for its result, `x.clip(0, 1, out=x)`."""
    method = _OWN.get(name) or recorded_copies.jax_stand_in(getattr(Tracer, name))
    # `choose` takes each for a choice, and the second of the others is a type
    by_place = name not in ("all", "any", "choose")
    place: Any = in_place_calls.place_of_out(getattr(np, name)) - 1 if by_place else math.inf

    @functools.wraps(getattr(Tracer, name))
    def run(self: Any, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        float_errors.refuse_float_errors(name, self)
        if len(args) > place and args[place] is not None:
            args, out = (*args[:place], *args[place + 1 :]), args[place]
        out = out[0] if type(out) is tuple and len(out) == 1 else out
        self, args, kwargs = _in_numpys_types(name, self, args, kwargs)
        if out is None:
            found = method(self, *args, **kwargs)
            # of an array without axes NumPy makes a number
            return numpys_arrays.note_next(found, self) if name in _OWN and self.ndim else found
        own = (args[0], self, *args[1:]) if name == "compress" else (self, *args)
        reads_while_written.refuse_out(name, out, *own, **kwargs)
        new = functools.partial(in_place_calls.fitting, out, name, method, self, *args, **kwargs)
        return in_place_calls.store_whole(out, new, lambda: _out_of_jax(name))

    return run


def _in_numpys_types(name: str, array: Any, args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
    """The array and the arguments of a method, of the types in which NumPy computes it if the array would be NumPy's."""
    (new, *given), named = result_types.in_numpys_types(getattr(np, name), (array, *args), kwargs)
    if (new is array and name != "choose") or not numpys_arrays.would_be_numpys(array):
        return array, args, kwargs
    return array if new is array else numpys_arrays.note_next(new, array), given, named


def _giving_places(name: str) -> Any:
    """A method that gives places, which are ints of 64 bits if the array would be NumPy's and the program has these."""
    otherwise = getattr(Tracer, name)

    @functools.wraps(otherwise)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        self, args, kwargs = _in_numpys_types(name, self, args, kwargs)
        found = otherwise(self, *args, **kwargs)
        is_wider = configuration.has_64_bits() and numpys_arrays.would_be_numpys(self)
        return numpys_arrays.note_next(found.astype(int), self) if is_wider else found

    return run


def _keeping_cells(name: str) -> Any:
    """A method that gives an array without axes for one of NumPy's, and a number for a number."""
    otherwise = recorded_copies.jax_stand_in(getattr(Tracer, name))

    @functools.wraps(getattr(Tracer, name))
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = otherwise(self, *args, **kwargs)
        if self.ndim or not storages.is_cell(self):
            return found
        is_copied = found is self and kwargs.get("copy", True)
        return numpys_arrays.as_cell(lax.copy_p.bind(found) if is_copied else found)

    return run


def _out_of_jax(name: str) -> MutationError:
    return MutationError(
        f"The result of '{name}' is to be put into an array of JAX's.",
        why="Such an array keeps its items.",
        fix=f"take the result: y = x.{name}(...).",
    )


def _only_read(name: str, fix: str) -> property:
    """An attribute of an array that NumPy's arrays let one set."""

    def refuse(self: Any, value: Any) -> None:
        raise MutationError(
            f"The {name} of an array, {describe(self)}, is set.",
            why="An array of a compiled program keeps what it is, for all who know it.",
            fix=fix,
        )

    return property(_jaxs(name), refuse)


def _flat(self: Any) -> Any:
    """`x.flat`: the array's own items in a row, as `x.reshape(-1)` gives them where NumPy copies nothing for it."""
    row = self.reshape(1, -1).reshape(-1)  # another one than `x`
    if storages.root(row) is storages.root(self):
        if (known := thread.now.references) is not None:
            known.flats[id(row)] = row
        return row
    raise MutationError(
        f"The items of an array, {describe(self)}, are asked for by `.flat`, and do not lie in a row.",
        why="`.flat` gives the array's own items, and a compiled program would have a copy of them.",
        fix="x.ravel() for a copy; or x[i, j] for an item of the array.",
    )


@functools.partial(jax.jit, static_argnums=1)
@view_writes.called_view("np.ndarray.view")
def _view_of_type(x: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    return x.view(dtype)


def _view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """`x.view(dtype)`, or of NumPy's class of arrays, which it has."""
    kind = dtype if inspect.isclass(dtype) and issubclass(dtype, np.ndarray) else type
    if kind not in (None, np.ndarray):
        raise PythonOnlyError(
            f"An array is to be seen as one of the class '{kind.__name__}'.",
            why="An array of a program has no operators or methods of a class.",
            fix="leave it an array.",
        )
    if dtype is None or dtype is kind or np.dtype(dtype) == self.dtype:
        return Tracer.view(self)
    return _view_of_type(self, np.dtype(dtype))


def _set_flat(self: Any, value: Any) -> None:
    numpys_arrays.refuse_beyond(self, value, stored=True)
    value = number_types.stored_none(self, value)
    reads_while_written.refuse_flat(self, value)
    in_place_calls.store_whole(
        self,
        lambda: jnp.resize(array_arguments.numpys_array(value), self.shape),
        lambda: AttributeError("'flat' of JAX's array"),
    )


def _jaxs(attribute: str) -> Any:
    return getattr(Tracer, attribute).fget


def _imag(self: Any) -> Any:
    """`x.imag`, which is zeros of no array's where that is real."""
    found = _jaxs("imag")(self)
    is_new = not np.iscomplexobj(self) and numpys_arrays.is_numpys(self)
    return numpys_arrays.read_only(found) if is_new else found


def _set_part(is_imaginary: bool) -> Callable[[Any, Any], None]:
    """`z.real = value`, or `z.imag = value`: all of it is written, for all who know `z`."""

    def put(self: Any, value: Any) -> None:
        is_complex = np.iscomplexobj(self)
        if is_imaginary and not is_complex:
            raise TypeError("cannot set imaginary part of a real array")

        def make() -> Any:
            part = jnp.broadcast_to(jnp.asarray(value), self.shape).astype(self.real.dtype)
            parts = (self.real, part) if is_imaginary else (part, self.imag)
            return lax.complex(*parts) if is_complex else part

        in_place_calls.store_whole(self, make, lambda: _parts_of_jaxs(self, is_imaginary))

    return put


def _parts_of_jaxs(array: Any, is_imaginary: bool) -> MutationError:
    return MutationError(
        f"The {'imaginary' if is_imaginary else 'real'} part of an array, {describe(array)}, is set.",
        why="The array is one of JAX's, which nobody can write to.",
        fix="z = z.real + 1j * v, which is a new array."
        if is_imaginary
        else "z = v + 1j * z.imag, which is a new array.",
    )


def _byteswapped(self: Any, inplace: Any = False) -> Any:
    """`x.byteswap()`, of the array itself if that is said."""
    swap = functools.partial(Tracer.byteswap, self)
    return in_place_calls.store_whole(self, swap, lambda: _out_of_jax("byteswap")) if inplace else swap()


def install_methods() -> None:
    """Gives traced arrays these methods and attributes."""
    attributes: dict[str, Any] = {
        **{name: _taking_out(name) for name in _TAKING_OUT},
        **{name: _giving_places(name) for name in ("argpartition", "searchsorted")},
        **{name: _keeping_cells(name) for name in ("astype", "copy")},
        "view": _view, "byteswap": _byteswapped,
        "imag": property(_imag, _set_part(True)),
        "real": property(_jaxs("real"), _set_part(False)),
        "shape": _only_read("shape", "x = x.reshape(...), which is a part of it."),
        "dtype": _only_read("dtype", "x = x.astype(...), or x = x.view(...)."),
        "flat": property(_flat, _set_flat),
    }  # fmt: skip
    for name, attribute in attributes.items():
        setattr(FoldingTracer, name, attribute)
