"""Forward tangents of state: what is the value of a Variable to a derivative that is being taken?

    def loss(x):
        w.assign(w * x)       a tracer of `jax.grad`'s: a number, and how it follows from what is differentiated by
        return w * w          that tracer again

Who holds the value, a Variable or a frame, holds the number alone, which is good for longer than the derivative. The tracer
is kept by the trace that it is of, until that is over.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Hashable
from typing import Any

from jax._src.interpreters import ad

from autograph_lite.jax_internals import tracing_state

_TRACERS = ad.JVPTracer, ad.LinearizeTracer
_KEPT = "_autograph_lite_values"  # an attribute of JAX's traces: each has a dict


def number_of(value: Any) -> Any:
    """What `value` is without the derivatives that are being taken."""
    while isinstance(value, _TRACERS):
        value = value.primal
    return value


def store_with_tangents(key: Hashable, value: Any) -> Any:
    """The number that whoever is called `key` is to hold from now on, for `value`; see `read_with_tangents`."""
    number = number_of(value)
    for trace in tracing_state.open_traces():
        getattr(trace, _KEPT, {}).pop(key, None)
    while value is not number:
        _kept(value._trace)[key] = number, value
        value = value.primal
    return number


def _kept(trace: Any) -> dict[Hashable, Any]:
    own = vars(trace)
    if _KEPT not in own:
        own[_KEPT] = {}
        # JAX calls it when the trace is over, and then looks for tracers that somebody still has: `check_tracer_leaks`.
        own["invalidate"] = functools.partial(_end, weakref.ref(trace))
    kept: dict[Hashable, Any] = own[_KEPT]
    return kept


def _end(reference: weakref.ref[Any]) -> None:
    trace: Any = reference()
    vars(trace)[_KEPT].clear()
    type(trace).invalidate(trace)


def read_with_tangents(key: Hashable, number: Any) -> Any:
    """The value of whoever is called `key` and holds `number`, with the derivatives that are being taken here."""
    for trace in tracing_state.open_traces():
        kept = getattr(trace, _KEPT, None)
        known, value = kept.get(key, (None, None)) if kept else (None, None)
        if value is not None and known is number:
            return value
    return number
