"""Every use of JAX that is not its documented public API, each with the versions it was checked on.

Checked on jax 0.10.2 and 0.12.0.1. Everything else in this package uses public names only.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core, traceback_util
from jax._src.lax import lax as lax_internal
from jax.extend.core import get_opaque_trace_state, jaxpr_as_fun

trace_state: Callable[[], object] = get_opaque_trace_state


def tracing() -> bool:
    """Whether JAX is tracing on this thread."""
    return not core.trace_state_clean()


def as_type(value: Any, dtype: Any, weak: bool) -> jax.Array:
    """`value` as an array of that dtype and weak type."""
    # The public lax.convert_element_type can't make a weakly typed array.
    array = value if isinstance(value, jax.Array) else jnp.asarray(value)
    if jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended):
        return array
    if array.dtype == dtype and weak_type(array) == weak:
        return array
    return lax_internal._convert_element_type(array, np.dtype(dtype), weak_type=weak)


def weak_type(array: Any) -> bool:
    """Whether the array's dtype came from a Python scalar, and so gives way in a promotion."""
    return bool(getattr(jax.typeof(array), "weak_type", False))


def varying_axes(array: Any) -> frozenset[str]:
    """The mesh axes of an enclosing shard_map over which the value differs from device to device."""
    aval = jax.typeof(array)
    vma = getattr(aval, "vma", None)  # 0.10
    if vma is None:
        vma = getattr(getattr(aval, "manual_axis_type", None), "varying", frozenset())  # 0.12
    return frozenset(vma)


def as_varying(array: jax.Array, axes: frozenset[str]) -> jax.Array:
    """`array`, marked as varying over at least these mesh axes."""
    missing = tuple(sorted(axes - varying_axes(array)))
    return lax.pcast(array, missing, to="varying") if missing else array


def when_trace_ends(action: Callable[[], None]) -> None:
    """Calls `action` once the outermost trace of this thread is over."""
    trace = core.trace_ctx.trace
    while (parent := getattr(trace, "parent_trace", None)) is not None and not isinstance(parent, core.EvalTrace):
        trace = parent
    weakref.finalize(trace, action)


class Traced:
    """A function without arguments, traced once: the types of its outputs, and a way to emit its equations."""

    def __init__(self, fun: Callable[[], Sequence[Any]]) -> None:
        self.jaxpr = jax.make_jaxpr(fun)()
        self.avals = list(self.jaxpr.out_avals)

    def emit(self) -> list[Any]:
        """The outputs, computed in the current trace; the function itself is not run again."""
        return list(jaxpr_as_fun(self.jaxpr)())


def hide_frames(path: str) -> None:
    """Hides the frames of the files under `path` in tracebacks, as JAX hides its own."""
    traceback_util.register_exclusion(path)
