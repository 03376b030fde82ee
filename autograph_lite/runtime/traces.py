"""Which trace serves a call? The arguments are bound, typed and looked up; what there is no trace for is traced.

This is what happens where `dispatch` has not seen a call of that kind; on a hit none of it runs.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from autograph_lite import _jax
from autograph_lite.runtime.cache import TraceCache
from autograph_lite.runtime.creations import Creations
from autograph_lite.runtime.function_type import FunctionType
from autograph_lite.runtime.input_signature import accept, from_input_signature
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.trace import Options, Trace
from autograph_lite.runtime.trace_types import TracingContext


class Resolved(NamedTuple):
    """A call with what serves it.

    Attributes:
      bound: its arguments, defaults included.
      type: their type.
      arrays: the traced arrays in them, in the order of the parameters.
      trace: what was traced for that type, or for one that accepts it.
      program: what is to run.
    """

    bound: inspect.BoundArguments
    type: FunctionType
    arrays: list[Any]
    trace: Trace
    program: Program


class Traces:
    """The traces of one function.

    Attributes:
      allowed: the one type of calls that an input signature allows; None for any.
      count: how many traces were made.

    Args:
      fn: the user's function.
      python: gives it as it is to be called: bound, where it is a method.
      converted: gives what that was converted to.
      options: how it is traced.
      bound: whether the first parameter is an instance that calls do not give.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        python: Callable[[], Callable[..., Any]],
        converted: Callable[[], Callable[..., Any]],
        options: Options,
        *,
        bound: bool,
    ) -> None:
        self.fn, self.python, self.converted, self.options = fn, python, converted, options
        code = getattr(fn, "__code__", None)
        # A wrapper may take other arguments than what it wraps: the signature that it shows is the other's.
        self._plain = code is not None and not hasattr(fn, "__signature__")
        signature = inspect.signature(fn, follow_wrapped=not self._plain)
        self.signature = _without_self(signature) if bound else signature
        specs = options.input_signature
        self.allowed = None if specs is None else from_input_signature(self.signature, specs)
        self.cache: TraceCache[Trace] = TraceCache(max_traces=options.max_traces)
        self.count = 0
        self._creations = Creations()
        self.lock = threading.RLock()

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        """The arguments by parameter, defaults included.

        Raises:
          TypeError: they do not fit; what Python says about it.
        """
        bound: inspect.BoundArguments | None = None
        misfit = TypeError()
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            misfit = error
        if bound is None:  # outside of the handler, whose exception Python's own would show as its cause
            if self._plain:
                self.python()(*args, **kwargs)  # runs nothing: Python says what is wrong
            raise misfit
        bound.apply_defaults()
        return bound if self.allowed is None else accept(self.allowed, self.signature, args, kwargs)

    def type_of(self, bound: inspect.BoundArguments) -> FunctionType:
        """The type of a call whose arguments are bound."""
        return self.allowed or FunctionType.from_bound(self.signature, bound, TracingContext())

    def resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Resolved:
        """What serves a call.

        Raises:
          TypeError: the arguments do not fit the parameters.
          Exception: what tracing raises; then nothing is kept.
        """
        bound = self.bind(args, kwargs)
        found = self.type_of(bound)
        arrays = found.arrays(bound)
        with self.lock:  # two threads that call at once make one trace
            trace = self.cache.lookup(found, _jax.trace_context())
            known = trace is not None
            if trace is None:
                trace = self._new(found)
            program = trace.program(arrays)
            if not known and program.owned:
                self.keep(trace)
        return Resolved(bound, found, arrays, trace, program)

    def _new(self, found: FunctionType) -> Trace:
        """A trace for calls of a type, or for those of the cache, too."""
        if self.options.reduce_retracing and self.allowed is None:
            found = self.cache.generalize(found, _jax.trace_context())
        return Trace(self.fn, self.converted, found, self.options, self._creations)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs what serves a call."""
        resolved = self.resolve(args, kwargs)
        result = resolved.trace(resolved.arrays)
        if not resolved.program.owned:
            with self.lock:
                if self.cache.lookup(resolved.type, _jax.trace_context()) is None:
                    self.keep(resolved.trace)
        return result

    def keep(self, trace: Trace) -> None:
        """Keeps a trace that was made."""
        self.cache.add(trace.function_type, trace, _jax.trace_context())
        self.count += 1


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)
