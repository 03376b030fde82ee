"""JAX's configuration: what of it does a trace depend on, and what do we change of JAX's logs and tracebacks?"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from typing import Any

import jax
from jax._src import api, config, source_info_util, traceback_util


def trace_context() -> Hashable:
    """JAX's configuration, as far as a trace depends on it: x64, precision, promotion, mesh, contexts of users' own."""
    context: Hashable = config.trace_context()
    return context


def has_64_bits() -> bool:
    """Whether the program has numbers of 64 bits: types are NumPy's then, and JAX's without."""
    return bool(config.enable_x64.value)


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


def hide_files(path: str) -> None:
    """Hides the frames of the files under `path` in tracebacks, as JAX hides its own."""
    traceback_util.register_exclusion(path)
    # And in what jaxprs and compiled programs say about their lines.
    source_info_util.register_exclusion(path)


def in_cpp(compiled: Any) -> Any:
    """A `jax.stages.Compiled` as a function that C++ runs, like one of `jax.jit`; itself where there is no such way."""
    try:
        call = compiled._executable.create_cpp_call(compiled._params)
    except Exception:  # whatever another version of JAX raises where its insides have changed
        return compiled
    return call if hasattr(call, "_cache_miss") else compiled
