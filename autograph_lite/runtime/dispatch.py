"""How does a call find its program without running Python? By JAX's own dispatch, whose cache key is our signature.

A call that was not seen comes to `_miss`, where the policy (`traces`) chooses or makes a program. What is given back
with the result lets C++ run the same program for the next call with that structure, those literals, dtypes and shapes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from autograph_lite import _jax_dispatch, config
from autograph_lite.runtime import spelled, tracebacks
from autograph_lite.runtime.argument_kinds import registry
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.public_dispatch import PublicDispatch
from autograph_lite.runtime.traces import Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class FastDispatch:
    """Calls in C++.

    Args:
      traces: of the function.
      slow: runs a call that C++ can't be told to run: in somebody else's trace, or with state.
      inline: whether calls are not to be compiled now.
    """

    def __init__(self, traces: Traces, slow: Slow, inline: Callable[[], bool]) -> None:
        self._traces, self._slow, self._inline = traces, slow, inline
        self._jits: dict[Any, Any] = {}
        name = getattr(traces.fn, "__name__", "f")
        self._dispatcher = _jax_dispatch.Dispatcher(registry(), name, self._plain, self._miss)
        self.call: Any = self._dispatcher.call

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        self._dispatcher.clear()
        self._jits.clear()

    def _plain(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._slow(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise

    def _miss(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        try:
            return self._run(args, kwargs)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise  # without a frame of this call: a bare `raise` adds none

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool]:
        if self._inline():
            return self._slow(args, kwargs), None, False
        resolved = self._traces.resolve(args, kwargs)
        program = resolved.program
        if not program.plain:
            return self._traces.call(args, kwargs), None, False
        leaves = registry().flatten((args, kwargs))
        sources = spelled.sources(resolved, args, kwargs)
        if len(leaves) != sum(isinstance(source, int) for source in sources):
            return program(resolved.arrays), None, False  # an array where C++ sees none
        outputs, fast = _jax_dispatch.run(
            self._jit(program, sources), leaves, lambda outputs: _structure(program, outputs)
        )
        return _finished(program, outputs), fast, False

    def _jit(self, program: Program, sources: Sequence[Any]) -> Any:
        """`program.jit` as a function of the arrays in the order in which the call spells them."""
        if all(i == source for i, source in enumerate(sources)):
            return program.jit
        key = program, tuple(source if isinstance(source, int) else None for source in sources)
        if key not in self._jits:
            jit = program.jit

            def reordered(*leaves: Any) -> Any:
                return jit(*spelled.in_order(sources, leaves))

            reordered.__name__ = getattr(self._traces.fn, "__name__", "f")
            self._jits[key] = jax.jit(reordered)
        return self._jits[key]


def _structure(program: Program, outputs: Sequence[Any]) -> Any:
    """What C++ is to make of the outputs: the result itself, where that is all; else it calls `finish`."""
    tree = _jax_dispatch.tree_of(program.returned(outputs), outputs) if program.returns_arrays else None
    if tree is not None:
        return tree
    return registry().structure(len(outputs), functools.partial(_finished, program))


def _finished(program: Program, outputs: Sequence[Any]) -> Any:
    try:
        return program.finish(outputs)
    except BaseException as error:
        tracebacks.hide_frames(error)
        raise


def best(traces: Traces, slow: Slow, inline: Callable[[], bool]) -> FastDispatch | PublicDispatch:
    """The fast way, where this JAX has what it takes; AUTOGRAPH_LITE_FAST_DISPATCH=0 asks for the other."""
    fast = config.fast_dispatch() and _jax_dispatch.works()
    return (FastDispatch if fast else PublicDispatch)(traces, slow, inline)
