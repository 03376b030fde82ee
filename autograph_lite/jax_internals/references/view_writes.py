"""View writes: what is an array once something is written to a view of it, by the equation that has made the view?

y = x[1:]                             `x` with the new items in a `dynamic_update_slice`
d = np.einsum("ii->i", x)             `x` with them at the places from which `items_at` takes those of `d`
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src.core import Tracer


def place_of_result(equation: Any, result: Any) -> int:
    """Which of the results of an equation one is."""
    return equation.outvars.index(result.val) if len(equation.outvars) > 1 else 0


def _put_slice(equation: Any, _: int, base: Any, new: Any) -> Any:
    params = equation.params
    if all(step == 1 for step in params["strides"] or ()):
        return lax.dynamic_update_slice(base, new, [np.int32(start) for start in params["start_indices"]])
    parts = map(slice, params["start_indices"], params["limit_indices"], params["strides"])
    return base.at[tuple(parts)].set(new)


def _put_dynamic_slice(equation: Any, _: int, base: Any, new: Any) -> Any:
    return _put_on_axes(base, new, equation.in_tracers[1:])


def _put_on_axes(base: Any, new: Any, starts: Sequence[Any]) -> Any:
    """`base` with `new` in it; as it is where an index lies beyond the end of its axis, and XLA would write to the last item."""
    inside = [
        (start >= 0) & (start < size)
        for start, size, count in zip(starts, base.shape, new.shape, strict=True)
        if count == 1
        and isinstance(start, Tracer)
        and (start.parent is not None or start.get_const() is None)
    ]
    if inside:
        old = lax.dynamic_slice(base, starts, new.shape)
        new = lax.select(functools.reduce(operator.and_, inside), new, old)
    return lax.dynamic_update_slice(base, new, starts)


def _put_gather(equation: Any, _: int, base: Any, new: Any) -> Any:
    params, indices = equation.params, equation.in_tracers[1]
    starts: list[Any] = [np.zeros((), indices.aval.dtype)] * base.ndim
    for number, axis in enumerate(params["dimension_numbers"].start_index_map):
        starts[axis] = indices[number]
    return _put_on_axes(base, lax.reshape(new, params["slice_sizes"]), starts)


def _put_reshaped(_: Any, __: int, base: Any, new: Any) -> Any:
    return lax.reshape(new, base.shape)


def _put_reshape(equation: Any, number: int, base: Any, new: Any) -> Any:
    order = equation.params["dimensions"]
    if order is None:
        return _put_reshaped(equation, number, base, new)
    return lax.transpose(lax.reshape(new, [base.shape[axis] for axis in order]), np.argsort(order))


def _put_transpose(equation: Any, _: int, __: Any, new: Any) -> Any:
    return lax.transpose(new, np.argsort(equation.params["permutation"]))


def _put_rev(equation: Any, _: int, __: Any, new: Any) -> Any:
    return lax.rev(new, equation.params["dimensions"])


def _put_unstack(equation: Any, number: int, base: Any, new: Any) -> Any:
    return base.at[(slice(None),) * equation.params["axis"] + (number,)].set(new)


def _put_split(equation: Any, number: int, base: Any, new: Any) -> Any:
    starts = [np.int32(0)] * base.ndim
    starts[equation.params["axis"]] = np.int32(sum(equation.params["sizes"][:number]))
    return lax.dynamic_update_slice(base, new, starts)


def _put_real(_: Any, __: int, base: Any, new: Any) -> Any:
    return lax.complex(new, lax.imag(base))


def _put_imag(_: Any, __: int, base: Any, new: Any) -> Any:
    return lax.complex(lax.real(base), new)


def _put_items(equation: Any, _: int, base: Any, new: Any) -> Any:
    return base.reshape(-1).at[equation.in_tracers[1]].set(new).reshape(base.shape)


def _put_of_type(_: Any, __: int, base: Any, new: Any) -> Any:
    return new.view(base.dtype)


# Compiled functions of ours that give views: what they are called, so that no user's is, and how these are written through.
CALLED_VIEWS: dict[Any, Callable[[Any, int, Any, Any], Any]] = {
    "np.einsum": _put_items,
    "np.ndarray.view": _put_of_type,
}


def called_view(name: str) -> Callable[[Any], Any]:
    """Lets a program show a function, to be compiled, by one of these names."""

    def named(fun: Any) -> Any:
        fun.__name__ = fun.__qualname__ = name
        return fun

    return named


@jax.jit
@called_view("np.einsum")
def items_at(array: jax.Array, places: np.ndarray[Any, Any]) -> jax.Array:
    """The items at `places` in the row of all items, each at one place at most; in NumPy a view."""
    return array.reshape(-1).at[places].get(mode="promise_in_bounds")


PUT: dict[str, Callable[[Any, int, Any, Any], Any]] = {
    "broadcast_in_dim": _put_reshaped, "convert_element_type": _put_reshaped, "dynamic_slice": _put_dynamic_slice,
    "expand_dims": _put_reshaped,
    "gather": _put_gather, "imag": _put_imag, "real": _put_real, "reshape": _put_reshape, "rev": _put_rev,
    "slice": _put_slice, "split": _put_split,
    "squeeze": _put_reshaped, "transpose": _put_transpose, "unstack": _put_unstack,
}  # fmt: skip
