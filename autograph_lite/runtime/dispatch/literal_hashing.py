"""Hashing: how does a function that has seen hundreds of literals find a program?

Literals are structure to C++, which compares structures one by one: 25 ns for each that it has. `jax.jit` hashes static
arguments; so arguments that are numbers and strings become those, and Python tells their types apart before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.jax_internals import cpp_registry
from autograph_lite.runtime.dispatch import bound_calls
from autograph_lite.runtime.tracing.trace_table import Traces


class HashedLiterals:
    """Calls whose literals are hashed.

    Args:
      traces: of the function.
      registry: what is structure among the arguments.
      other: runs calls without literals of such types.
      plain: what runs while `jax.disable_jit` is in force.
      miss: called where there is no program.
    """

    def __init__(
        self,
        traces: Traces,
        registry: cpp_registry.Registry,
        other: Callable[..., Any],
        plain: Callable[..., Any],
        miss: cpp_registry.Miss,
    ) -> None:
        self._registry = registry
        self._dispatchers: list[cpp_registry.Dispatcher] = []
        self._table: dict[tuple[type, ...], Callable[..., Any]] = {}
        self._name = getattr(traces.fn, "__name__", "f")
        keywords = [p.name for p in traces.signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
        self._other, self._plain, self._miss = (_with_keywords(keywords, fun) for fun in (other, plain, miss))
        qualname = getattr(traces.fn, "__qualname__", self._name)
        known = {"table": self._table.get, "other": self._new}
        # takes the arguments as the function does; None where its signature has `*args` or `**kwargs`
        self.call = bound_calls.compile_dispatch(traces.shown, qualname, known)

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        for dispatcher in self._dispatchers:
            dispatcher.clear()

    def _new(self, *args: Any) -> Any:
        """The first call with arguments of these types, in the order of the parameters."""
        types = tuple(map(type, args))
        static = tuple(i for i, kind in enumerate(types) if kind in bound_calls.LITERALS)
        self._table[types] = self._hashing(static) if static else self._other
        return self._table[types](*args)

    def _hashing(self, static: tuple[int, ...]) -> Callable[..., Any]:
        made = cpp_registry.Dispatcher(self._registry, self._name, self._plain, self._miss, static)
        self._dispatchers.append(made)
        call: Callable[..., Any] = made.call
        return call


def _with_keywords(keywords: Sequence[str], fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun` as a function of all arguments by position."""

    def run(*args: Any) -> Any:
        positional, named = bound_calls.bind_arguments(keywords, args)
        return fun(*positional, **named)

    return run
