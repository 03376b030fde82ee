"""Tracing state: is JAX tracing on this thread, and what: the innermost trace, the outermost, a tracer's own?"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from jax._src import callback, checkify, config, core, effects, linear_util
from jax._src.interpreters import batching, partial_eval
from jax.extend.core import get_opaque_trace_state  # type: ignore[attr-defined]

from autograph_lite.jax_internals.numpy_constants import folding_tracer, keep_constants
from autograph_lite.jax_internals.references import ambient

F = TypeVar("F", bound=Callable[..., Any])

# Without it a reverse-mode derivative of a scan leaves out the checks of its body, without a word (0.10.2, 0.12.0.1).
effects.partial_eval_kept_effects.add_type(checkify.ErrorEffect)


trace_state: Callable[[], object] = get_opaque_trace_state


def is_tracing() -> bool:
    """Whether JAX is tracing on this thread."""
    return not core.trace_state_clean()


def no_trace() -> contextlib.AbstractContextManager[None]:
    """A context in which JAX computes, whatever is being traced around it."""
    # The public jax.ensure_compile_time_eval goes on tracing where an operand is traced.
    context: contextlib.AbstractContextManager[None] = core.eval_context()
    return context


_traces, _python = core.trace_state_strong_ref, core.eval_trace


def untraced() -> bool:
    """Whether JAX is not tracing on this thread: `not is_tracing()`, in a third of the time.

    Functions ask it where they begin; where one is traced, its program keeps copies of NumPy's arrays from then on.
    """
    trace = _traces.value
    if trace is _python or trace is None:
        return True
    keep_constants()
    ambient.begin()
    return False


def is_computed() -> bool:
    """Whether what runs now is computed with values of `vmap`, or of a derivative in a program, and recorded for none of them.

    A derivative where no program is recorded has values that Python can see.
    """
    traces: list[Any] = [*open_traces()]
    kinds = (batching.BatchTrace, partial_eval.DynamicJaxprTrace)
    return (
        bool(traces)
        and not isinstance(traces[0], partial_eval.DynamicJaxprTrace)
        and any(isinstance(trace, kinds) for trace in traces)
        and not config.disable_jit.value
    )


def is_in_lanes() -> bool:
    """Whether some of these are values of lanes."""
    recording = (partial_eval.DynamicJaxprTrace, core.EvalTrace)
    around = itertools.takewhile(lambda trace: not isinstance(trace, recording), open_traces())
    return any(isinstance(trace, batching.BatchTrace) for trace in around)


def begin_inside(given: Iterable[Any]) -> None:
    """To be called where JAX begins to record a converted function that a program has handed it, with what it is given."""
    keep_constants()
    for each in given:
        folding_tracer(each)
    ambient.know_references(core.trace_ctx.trace)
    ambient.begin_in(core.trace_ctx.trace)


def lowered(value: Any) -> Any:
    """What a tracer stands for, where that is a constant; else the value itself."""
    return core.full_lower(value)


def is_zero(number: Any) -> bool:
    """Whether a number, or what a tracer stands for, is known to be 0."""
    value = lowered(number)
    return not isinstance(value, core.Tracer) and bool(value == 0)


def without_leak_check(fun: F) -> F:
    """`fun`, which keeps tracers of the traces that it opens until it has joined them; JAX's leak check is not for it.

    What the user's code leaks is found all the same, by the check of the trace around.
    """

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not config.check_tracer_leaks.value:
            return fun(*args, **kwargs)
        with config.check_tracer_leaks(False):
            return fun(*args, **kwargs)

    return run  # type: ignore[return-value]


def open_traces() -> Iterator[Any]:
    """The traces that are going on on this thread, the innermost first, as far as JAX tells."""
    trace: Any = core.trace_ctx.trace
    while trace is not None and not isinstance(trace, core.EvalTrace):
        yield trace
        trace = getattr(trace, "parent_trace", None)


def outermost_trace() -> Any:
    """The outermost trace of this thread, as an object that is itself only."""
    return [core.trace_ctx.trace, *open_traces()][-1]


def program_trace() -> Callable[[], Any]:
    """Gives the innermost trace of this thread that records a program, for as long as it goes on; else None.

    Those of `grad` and `vmap` record none: they compute with what they are given.
    """
    recorded = (weakref.ref(t) for t in open_traces() if isinstance(t, partial_eval.DynamicJaxprTrace))
    return next(recorded, _no_trace)


def _no_trace() -> None:
    return None


def is_recorded(value: Any) -> bool:
    """Whether `value` is no tracer, or one of a trace that records a program: `grad` and `vmap` know nothing of it."""
    return not isinstance(value, core.Tracer) or isinstance(
        getattr(value, "_trace", None), partial_eval.DynamicJaxprTrace
    )


def is_of_this_trace(value: Any) -> bool:
    """Whether `value` is a tracer of the innermost trace of this thread."""
    return isinstance(value, core.Tracer) and getattr(value, "_trace", None) is core.trace_ctx.trace


def trace_of(value: Any) -> Any:
    """The trace that a tracer belongs to."""
    return getattr(value, "_trace", None)


def is_same(a: Any, b: Any) -> bool:
    """Whether two tracers are one value of a program that is recorded."""
    return a is b or (isinstance(a, partial_eval.DynamicJaxprTracer) and a.val is getattr(b, "val", None))


def current_trace() -> Any:
    """The innermost trace of this thread, as an object that is itself only."""
    return core.trace_ctx.trace


def is_of(value: Any, trace: Any) -> bool:
    """Whether `value` is a tracer of that trace."""
    return isinstance(value, core.Tracer) and getattr(value, "_trace", None) is trace


def when_trace_ends(action: Callable[[], None]) -> None:
    """Calls `action` once the outermost trace of this thread is over, or nobody has it any more."""
    trace = outermost_trace()
    # JAX drops this with the last equation. Who needs `action` to let go of the trace's tracers would keep the trace itself.
    constants = getattr(getattr(trace, "frame", None), "constid_to_tracer", None)
    weakref.finalize(trace if constants is None else constants, action)


def asks_for_type() -> bool:
    """Whether JAX asks for an attribute to tell the type of a value, two frames above: it gives up where there is one."""
    return sys._getframe(2).f_code in _TYPES


_TYPES = {core.shaped_abstractify.__code__, core.typeof.__code__}


def empty_trace(trace: Any) -> None:
    """Empties a trace that has ended."""
    # A trace holds the tracers around that it uses, and each of them holds the trace: neither would ever go.
    trace.frame.constvar_to_val.clear()
    trace.invalidate()


def abandon_trace() -> None:
    """To be called before an exception of ours ends the current trace: JAX forgets to let go of it then."""
    trace = core.trace_ctx.trace
    if isinstance(trace, partial_eval.DynamicJaxprTrace):
        empty_trace(trace)


def is_alive(value: Any) -> bool:
    """Whether `value` is a tracer of one of the traces that are going on on this thread, as far as JAX tells."""
    trace = core.trace_ctx.trace
    while not isinstance(trace, core.EvalTrace):
        if trace is None or getattr(value, "_trace", None) is trace:
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def in_callback() -> bool:
    """Whether a callback of JAX's is running on this thread, as that of `jax.pure_callback`."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != callback.__name__:
        frame = frame.f_back
    return frame is not None


def axes_in_scope() -> bool:
    """Whether code that runs now is inside of a `vmap` or `shard_map` that names its axes."""
    return bool(core.get_axis_env().axis_sizes)


def traced_function() -> tuple[str, str, int] | None:
    """The name, file and line of the function whose results JAX takes apart; None where it does not say."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        for value in frame.f_locals.values() if frame.f_code.co_filename.startswith(_JAX) else ():
            about = value.debug_info if isinstance(value, linear_util.WrappedFun) else value
            if isinstance(about, core.DebugInfo) and about.func_filename and about.func_lineno:
                return about.func_name, about.func_filename, about.func_lineno
        frame = frame.f_back
    return None


_JAX = core.__file__.rpartition("core")[0]
