"""Single results: which result of somebody else's program would XLA overwrite, since the program calls the host after it?

    k = b                                 XLA copies `b` for the branch, and hands out this copy as the result, too: it is
    for x in xs: k = ...                  the only one, and XLA takes it for done before the host is called. The loop
    if k > 7: raise ValueError            changes it (CPU, jax 0.10.2 and 0.12.0.1; the same program by hand is wrong, too)
    return b

Such a result is chosen in the end, by whether a check has failed. It uses JAX's insides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core

from autograph_lite.jax_internals.references import ambient


def note_host_call(code: Any) -> None:
    """To be called where a program is to call the host if `code`, an int32, is not 0: its only result is apart from then on."""
    trace: Any = core.trace_ctx.trace
    frame: Any = getattr(trace, "frame", None)
    if getattr(code, "_trace", None) is trace and ambient.is_ambient(frame):
        ambient.kept_facts(frame).checked = code


def _apart(frame: Any, results: Sequence[Any]) -> Sequence[Any]:
    """The only result of a program is a value of its own."""
    code = ambient.noted_facts(frame).checked
    return results if code is None or len(results) != 1 else [_chosen(code, results[0])]


ambient.endings.append(_apart)


def _chosen(code: Any, result: Any) -> Any:
    aval = result.aval
    if not isinstance(aval, core.ShapedArray) or jnp.issubdtype(aval.dtype, jax.dtypes.extended):
        return result
    failed = lax.broadcast(lax.ne(code, jnp.int32(0)), result.shape)
    return lax.select_n(failed, result, lax.full_like(result, 0))
