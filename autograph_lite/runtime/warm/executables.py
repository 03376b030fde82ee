"""How is a program compiled so that it can be written, and run so that nothing is lost where it can't be read?"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.experimental.compilation_cache import compilation_cache

from autograph_lite.jax_internals import configuration
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.scoped import Now

HIT = "/jax/compilation_cache/cache_hits"
logger = logging.getLogger("autograph_lite")


_hits: Now[int] = Now(0)


@functools.cache
def _listen() -> None:
    jax.monitoring.register_event_listener(_note)


def _note(event: str, **_: Any) -> None:
    _hits.value += event == HIT


def compile_here(lowered: Any) -> Any:
    """The program, compiled here: what comes out of JAX's own cache can't be written again (jaxlib 0.10 and 0.12, CPU)."""
    _listen()
    before = _hits.value
    made = lowered.compile()
    if _hits.value == before:
        return made
    with _without_jaxs_cache():
        return lowered.compile()


_CACHE_OPTION = "jax_enable_compilation_cache"


@contextlib.contextmanager
def _without_jaxs_cache() -> Iterator[None]:
    before: bool = getattr(jax.config, _CACHE_OPTION)
    jax.config.update(_CACHE_OPTION, False)
    compilation_cache.reset_cache()  # which remembers whether it is on
    try:
        yield
    finally:
        jax.config.update(_CACHE_OPTION, before)
        compilation_cache.reset_cache()


class Guarded:
    """A program from a file, with the function that it was made of in reserve."""

    def __init__(self, compiled: Any, program: Program, fits: Callable[[Any], bool]) -> None:
        self.compiled = compiled
        self._loaded = configuration.in_cpp(compiled)
        self._program, self._fits = program, fits
        self._works = False

    def __call__(self, *flat: Any) -> Any:
        """Runs the program; where it is of no use here, traces the function."""
        return self._run(flat, lambda function: function(*flat))

    def _cache_miss(self, *flat: Any) -> Any:
        """The same as `dispatch` asks a function of `jax.jit` for it: with what C++ needs to run it the next time."""
        if not hasattr(self._loaded, "_cache_miss"):
            return self(*flat), None, False
        return self._run(flat, lambda function: function._cache_miss(*flat))

    def _run(self, flat: tuple[Any, ...], run: Callable[[Any], Any]) -> Any:
        if self._loaded is None or not all(map(self._fits, flat)):
            return run(self._program.jit)
        if self._works:
            return run(self._loaded)
        try:
            outputs = run(self._loaded)
        except Exception as error:  # XLA may find only now that it can't use the file
            if any(isinstance(array, jax.Array) and array.is_deleted() for array in flat):
                raise
            logger.debug("'%s' is traced: %s", self._program.name, error)
            self._loaded = None
            return run(self._program.jit)
        self._works = True
        return outputs
