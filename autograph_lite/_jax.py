"""Every use of JAX that is not its documented public API, each with the versions it was checked on.

Checked on jax 0.10.2 and 0.12.0.1. Everything else in this package uses public names only.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
import threading
import types
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import (
    api,
    callback,
    checkify,
    config,
    core,
    effects,
    source_info_util,
    traceback_util,
)
from jax._src.interpreters import partial_eval
from jax._src.lax import lax as lax_internal
from jax.extend.core import (  # type: ignore[attr-defined]
    get_opaque_trace_state,
)

from autograph_lite._jax_constants import keep_constants

F = TypeVar("F", bound=Callable[..., Any])
trace_state: Callable[[], object] = get_opaque_trace_state
# Without it a reverse-mode derivative of a scan leaves out the checks of its body, without a word (0.10.2, 0.12.0.1).
effects.partial_eval_kept_effects.add_type(checkify.ErrorEffect)


def tracing() -> bool:
    """Whether JAX is tracing on this thread."""
    return not core.trace_state_clean()


def no_trace() -> contextlib.AbstractContextManager[None]:
    """A context in which JAX computes, whatever is being traced around it."""
    # The public jax.ensure_compile_time_eval goes on tracing where an operand is traced.
    context: contextlib.AbstractContextManager[None] = core.eval_context()
    return context


_traces, _python = core.trace_state_strong_ref, core.eval_trace


def untraced() -> bool:
    """Whether JAX is not tracing on this thread: `not tracing()`, in a third of the time.

    Functions ask it where they begin; where one is traced, its program keeps copies of NumPy's arrays from then on.
    """
    trace = _traces.value
    if trace is _python or trace is None:
        return True
    keep_constants()
    return False


def as_type(value: Any, dtype: Any, weak: bool) -> jax.Array:
    """`value` as an array of that dtype and weak type."""
    # The public lax.convert_element_type can't make a weakly typed array.
    array: jax.Array = value if isinstance(value, jax.Array) else jnp.asarray(value)
    if array.dtype == dtype and weak_type(array) == weak:
        return array
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):
        return array
    convert: Any = lax_internal._convert_element_type
    converted: jax.Array = convert(array, np.dtype(dtype), weak_type=weak)
    return converted


def lowered(value: Any) -> Any:
    """What a tracer stands for, where that is a constant; else the value itself."""
    return core.full_lower(value)


def is_zero(number: Any) -> bool:
    """Whether a number, or what a tracer stands for, is known to be 0."""
    value = lowered(number)
    return not isinstance(value, core.Tracer) and bool(value == 0)


def weak_type(array: Any) -> bool:
    """Whether the array's dtype came from a Python scalar, and so gives way in a promotion."""
    return bool(getattr(jax.typeof(array), "weak_type", False))


def is_weak(aval: Any) -> bool:
    """Whether a type's dtype came from a Python scalar."""
    return bool(getattr(aval, "weak_type", False))


def varying_axes(array: Any) -> frozenset[str]:
    """The mesh axes of an enclosing shard_map over which the value differs from device to device."""
    return varying_of(jax.typeof(array))


def varying_of(aval: Any) -> frozenset[str]:
    """As `varying_axes`, of an array's type."""
    vma: Any = getattr(aval, "vma", None)  # 0.10
    if vma is None:
        vma = getattr(getattr(aval, "manual_axis_type", None), "varying", frozenset())  # 0.12
    return frozenset(vma)


def as_varying(array: jax.Array, axes: frozenset[str]) -> jax.Array:
    """`array`, marked as varying over at least these mesh axes."""
    missing = tuple(sorted(axes - varying_axes(array)))
    return lax.pcast(array, missing, to="varying") if missing else array


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


def outermost_trace() -> Any:
    """The outermost trace of this thread, as an object that is itself only."""
    trace = core.trace_ctx.trace
    while (parent := getattr(trace, "parent_trace", None)) is not None and not isinstance(
        parent, core.EvalTrace
    ):
        trace = parent
    return trace


def program_trace() -> Callable[[], Any]:
    """Gives the innermost trace of this thread that records a program, for as long as it goes on; else None.

    Those of `grad` and `vmap` record none: they compute with what they are given.
    """
    trace = core.trace_ctx.trace
    while trace is not None and not isinstance(trace, core.EvalTrace):
        if isinstance(trace, partial_eval.DynamicJaxprTrace):
            return weakref.ref(trace)
        trace = getattr(trace, "parent_trace", None)
    return _no_trace


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


def trace_context() -> Hashable:
    """JAX's configuration, as far as a trace depends on it: x64, precision, promotion, mesh, contexts of users' own."""
    context: Hashable = config.trace_context()
    return context


_OPTIONS = (
    "jax_enable_x64",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
    "jax_numpy_rank_promotion",
    "jax_default_prng_impl",
    "jax_debug_nans",
    "jax_disable_jit",
)


def trace_options() -> tuple[tuple[str, Any], ...]:
    """The options of JAX's configuration that a trace depends on, as far as users set them, with their values."""
    return tuple((name, getattr(jax.config, name)) for name in _OPTIONS if hasattr(jax.config, name))


def let_go(trace: Any) -> None:
    """Empties a trace that has ended."""
    # A trace holds the tracers around that it uses, and each of them holds the trace: neither would ever go.
    trace.frame.constvar_to_val.clear()
    trace.invalidate()


def abandon_trace() -> None:
    """To be called before an exception of ours ends the current trace: JAX forgets to let go of it then."""
    trace = core.trace_ctx.trace
    if isinstance(trace, partial_eval.DynamicJaxprTrace):
        let_go(trace)


def is_alive(value: Any) -> bool:
    """Whether `value` is a tracer of one of the traces that are going on on this thread, as far as JAX tells."""
    trace = core.trace_ctx.trace
    while not isinstance(trace, core.EvalTrace):
        if trace is None or getattr(value, "_trace", None) is trace:
            return True
        trace = getattr(trace, "parent_trace", None)
    return False


def equation_mark() -> Any:
    """Where the program that is being recorded on this thread is now; None where none is."""
    trace = core.trace_ctx.trace
    equations = getattr(getattr(trace, "frame", None), "tracing_eqns", None)
    return None if equations is None else (trace, len(equations))


def equations_since(mark: Any) -> int | None:
    """How many equations have been recorded since, those in branches and bodies included; None where nobody knows."""
    if mark is None or core.trace_ctx.trace is not mark[0]:
        return None
    return equations_in(mark[0].frame.tracing_eqns[mark[1] :])


def equations_in(recorded: Sequence[Any]) -> int:
    """How many equations these are, of those that are still there, with those in branches and bodies."""
    kept = [each() if isinstance(each, weakref.ref) else each for each in recorded]
    return sum(_equations_of(each) for each in kept if each is not None)


def _equations_of(equation: Any) -> int:
    """How many equations one is, with those of its branches and bodies."""
    if not equation.primitive.multiple_results:  # as each primitive has that runs a jaxpr
        return 1
    jaxprs: Any = core.jaxprs_in_params(equation.params)
    return 1 + sum(_equations_of(each) for jaxpr in jaxprs for each in getattr(jaxpr, "jaxpr", jaxpr).eqns)


def jaxprs_in(equation: Any) -> list[Any]:
    """The jaxprs that an equation runs."""
    found: Any = core.jaxprs_in_params(equation.params) if equation.primitive.multiple_results else ()
    return [getattr(each, "jaxpr", each) for each in found]


def recorded() -> Sequence[Any]:
    """What the program that is being recorded on this thread has for its equations so far, and will have."""
    equations: list[Any] = getattr(getattr(program_trace()(), "frame", None), "tracing_eqns", [])
    return equations


def has_checks(jaxpr: Any) -> bool:
    """Whether a closed jaxpr holds checks for checkify, in whatever it calls."""
    return any(type(effect).__name__ == "ErrorEffect" for effect in jaxpr.effects)


def callback_of(equation: Any) -> Any:
    """The Python function that an equation of a jaxpr calls while the program runs; None where it calls none."""
    found = equation.params.get("callback") if "callback" in equation.primitive.name else None
    # JAX wraps it, and does not name what it wraps.
    while (inner := getattr(found, "callback_func", getattr(found, "func", None))) is not None:
        found = inner
    return found


ALL_THREADS = 0  # in the place of a thread's number


def debugging() -> bool:
    """Whether JAX looks for nans or infs in what programs give, and runs them once more where it finds some."""
    return any(getattr(jax.config, f"jax_debug_{what}") for what in ("nans", "infs"))


def on_debugging(told: Callable[[bool], object]) -> None:
    """Calls `told` with whether JAX may be `debugging` on some thread, now and whenever that may have changed.

    JAX switches it off, and back, where it runs a jaxpr: that it is spoken of does not mean that it is on.
    """
    on: set[tuple[str, int]] = set()
    for name, state in (("nans", config.debug_nans), ("infs", config.debug_infs)):
        state._update_global_hook = _chained(state._update_global_hook, name, lambda: ALL_THREADS, on, told)
        state._update_thread_local_hook = _chained(
            state._update_thread_local_hook, name, threading.get_ident, on, told
        )
        if getattr(jax.config, f"jax_debug_{name}"):
            on.add((name, ALL_THREADS))
    told(bool(on))


def _chained(
    before: Callable[[Any], object] | None,
    name: str,
    thread: Callable[[], int],
    on: set[tuple[str, int]],
    told: Callable[[bool], object],
) -> Callable[[Any], None]:
    def changed(value: Any) -> None:
        if before is not None:
            before(value)
        _let_global_decide()
        (on.add if value else on.discard)((name, thread()))
        told(bool(on))

    return changed


def _let_global_decide() -> None:
    """Lets a thread for which nothing is set look for nans if all do.

    JAX has it look for none, for ever, once one of its own functions has switched that off for a moment, as `jaxpr_as_fun` does.
    """
    if all(state.get_local() is config.config_ext.unset for state in (config.debug_nans, config.debug_infs)):
        api._post_hook_state.set_local(config.config_ext.unset)


def in_callback() -> bool:
    """Whether a callback of JAX's is running on this thread, as that of `jax.pure_callback`."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != callback.__name__:
        frame = frame.f_back
    return frame is not None


def no_log_of(kind: type[BaseException]) -> None:
    """JAX logs what a callback raises; exceptions of this kind come out of the call, and are not to be told twice."""

    def wanted(record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], kind))

    logging.getLogger("jax._src.callback").addFilter(wanted)


def jit_info(compiled: Any) -> Any:
    """The options that a function was given to `jax.jit` with; None where this version of JAX does not tell."""
    return getattr(compiled, "_jit_info", None)


def shows_all_frames() -> bool:
    """Whether the user has asked JAX not to hide any frames (JAX_TRACEBACK_FILTERING=off)."""
    return bool(config.traceback_filtering.value == "off")


def hide_frames(path: str) -> None:
    """Hides the frames of the files under `path` in tracebacks, as JAX hides its own."""
    traceback_util.register_exclusion(path)
    source_info_util.register_exclusion(
        path
    )  # and in what jaxprs and compiled programs say about their lines


def equation_place(equation: Any) -> tuple[str, int, str] | None:
    """The user's file, line and function that an equation of a jaxpr comes from; None where nobody knows."""
    frame = source_info_util.user_frame(equation.source_info.traceback)
    return (
        None
        if frame is None
        else (
            frame.file_name,
            frame.start_line,
            frame.function_name.rpartition(".")[2],
        )
    )


def placed_here(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, whose equations come from the line that is running now, whenever they are made."""
    source = source_info_util.current()

    def run(*args: Any) -> Any:
        with source_info_util.user_context(source.traceback):
            return fn(*args)

    return run


def axes_in_scope() -> bool:
    """Whether code that runs now is inside of a `vmap` or `shard_map` that names its axes."""
    return bool(core.get_axis_env().axis_sizes)


def in_cpp(compiled: Any) -> Any:
    """A `jax.stages.Compiled` as a function that C++ runs, like one of `jax.jit`; itself where there is no such way."""
    try:
        call = compiled._executable.create_cpp_call(compiled._params)
    except Exception:  # whatever another version of JAX raises where its insides have changed
        return compiled
    return call if hasattr(call, "_cache_miss") else compiled
