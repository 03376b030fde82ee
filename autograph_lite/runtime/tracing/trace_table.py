"""Trace table: which trace serves a call? The arguments are bound, typed and looked up; what is not there is traced.

This is what happens where `dispatch` has not seen a call of that kind; on a hit none of it runs.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import operator
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax.core import Tracer

from autograph_lite.errors import AutographError
from autograph_lite.jax_internals import configuration, tracing_state
from autograph_lite.operators.effects import mutual_exclusion
from autograph_lite.operators.effects.outside_arrays import Once
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.explaining.trace_differences import Served, TraceRecord
from autograph_lite.runtime.state import buffer_donation
from autograph_lite.runtime.state.carried_state import Retyped
from autograph_lite.runtime.state.creations import Creations
from autograph_lite.runtime.tracing.compile_times import Compiling
from autograph_lite.runtime.tracing.concrete import ConcreteFunction
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Options, Placeholders, Trace
from autograph_lite.runtime.tracing.trace_cache import TraceCache
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.input_signature import (
    accept,
    allowed_for_instance,
    from_input_signature,
    is_of_method,
    method_signature,
    without_self,
)
from autograph_lite.runtime.types.structure import from_value
from autograph_lite.runtime.types.trace_type import TracingContext, variable_types
from autograph_lite.syntax import signatures

REMEMBERED = 1000  # traces that `explain_retraces` tells of

ANYTHING = inspect.signature(lambda *args, **kwargs: None)


class Resolved(NamedTuple):
    """A call with what serves it."""

    bound: inspect.BoundArguments  # its arguments, defaults included
    type: FunctionType  # their type
    arrays: list[Any]  # the traced arrays in them, in the order of the parameters
    variables: list[Any]  # the distinct Variables in them
    trace: Trace  # what was traced for that type, or for one that accepts it
    program: Program  # what is to run


# Of the arguments of a call: their type, arrays and Variables.
Contents = tuple[FunctionType, list[Any], list[Any]]


def _are_same(one: Contents, other: Contents) -> bool:
    """Whether two looks at the arguments of a call have found the same, and nothing of another thread's trace."""
    if one[0] != other[0] or not all(map(operator.is_, [*one[1], *one[2]], [*other[1], *other[2]])):
        return False
    return tracing_state.is_tracing() or not any(isinstance(array, Tracer) for array in one[1])


class Made(NamedTuple):
    """A trace that was made: what of it is told to users."""

    record: TraceRecord
    compiling: Compiling

    def now(self) -> TraceRecord:
        """The record with what has happened since."""
        return dataclasses.replace(self.record, compile_seconds=self.compiling.seconds)


class Traces:
    """The traces of one function.

    Attributes:
      allowed: the one type of calls that an input signature allows; None for any.
      of_instances: whether the input signature is that of the bound method: here it is for instances that are structures,
        and any such instance is allowed.
      donated: the arguments that calls give away.
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
        signature = signatures.signature(fn, follow_wrapped=not self._plain)
        self.signature = without_self(signature) if bound else signature
        # Of functions that Python binds for us: in its messages it counts the instance, which these do not take.
        self.shown = ANYTHING if bound or isinstance(fn, types.MethodType) else self.signature
        self.of_instances = False
        self.allowed = self._allowed(options.input_signature, bound=bound)
        self.donated = buffer_donation.donated_slots(
            signature, options.donate_argnums, options.donate_argnames
        )
        self.cache: TraceCache[Trace] = TraceCache(max_traces=options.max_traces)
        self.count = 0
        self._writes = False  # whether a program writes to objects of its calls
        self.history: collections.deque[Made] = collections.deque(maxlen=REMEMBERED)
        self._creations = Creations()
        # Called when traces are gone, or others serve calls.
        self.dropped: Callable[[], object] = lambda: None
        self.watches = False  # whether Python may change what traces have read
        # Called when that is so from now on.
        self.watching: Callable[[], object] = lambda: None
        # Called when a call has made a trace.
        self.retraced: Callable[[TraceRecord], object] = lambda record: None
        self.owner: Callable[[], Any] = lambda: None  # gives the compiled function whose traces they are
        self.lock = threading.RLock()

    def _allowed(self, specs: Any, *, bound: bool) -> FunctionType | None:
        if specs is None:
            return None
        try:
            return from_input_signature(self.signature, specs)
        except TypeError:
            if bound or not is_of_method(self.fn, self.signature, specs):
                raise
            self.of_instances = True
            return method_signature(self.signature, specs)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        """The arguments by parameter, defaults included. Raises TypeError: they do not fit; what Python says about it."""
        bound: inspect.BoundArguments | None = None
        misfit = TypeError()
        try:
            bound = _bound(self.signature, args, kwargs)
        except TypeError as error:
            misfit = error
        if bound is None:  # outside of the handler, whose exception Python's own would show as its cause
            if self._plain:
                self.python()(*args, **kwargs)  # runs nothing: Python says what is wrong
            raise misfit
        return bound if self.allowed is None else accept(self.allowed, self.signature, args, kwargs)

    def type_of(self, bound: inspect.BoundArguments) -> FunctionType:
        """The type of a call whose arguments are bound."""
        context = TracingContext()
        if self.allowed is None:
            return FunctionType.from_bound(self.signature, bound, context)
        if not self.of_instances:
            return self.allowed
        return allowed_for_instance(self.allowed, from_value(self.allowed.values(bound)[0], context))

    def known_values(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[FunctionType, tuple[list[Any], dict[str, Any]]]:
        """A call's type, and its arguments as arrays of JAX's, cast to the signature. Raises TypeError: they do not fit."""
        bound = self.bind(args, kwargs)
        found = self.type_of(bound)
        arrays = [jnp.array(array, copy=bool(self.donated)) for array in found.arrays(bound)]
        variables = found.variables(bound)
        values = Placeholders(arrays, lambda type: variables[type.alias])
        return found, found.placeholder_arguments(values)

    def look(self) -> None:
        """Looks whether Python has changed what traces have read: they are made again."""
        for trace in self.cache:
            trace.reader.look_between_calls()

    def would_trace(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether there is no trace yet for a call of this type."""
        with self.lock:
            return self._lookup(self.type_of(self.bind(args, kwargs))) is None

    def is_recoded(self) -> bool:
        """Whether a function that a trace has called has got other code, as `%autoreload` gives it."""
        return any(trace.reader.is_recoded() for trace in self.cache)

    def resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Resolved:
        """What serves a call.

        Raises:
          TypeError: the arguments do not fit the parameters.
          Exception: what tracing raises; then nothing is kept.
        """
        try:
            return mutual_exclusion.run_exclusively(lambda: self._resolve(args, kwargs))
        except Retyped:
            pass  # its objects hold Variables now
        try:
            return mutual_exclusion.run_exclusively(lambda: self._resolve(args, kwargs))
        except Retyped as again:
            self._creations.undo()
            assert again.refused is not None
            raise again.refused from None

    def _resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Resolved:
        bound = self.bind(args, kwargs)
        found, arrays, variables = mutual_exclusion.read_steadily(lambda: self._contents(bound), _are_same)
        buffer_donation.refuse_gone(name_of(self.fn), found, arrays)
        with self.lock:  # two threads that call at once make one trace
            before = self.count
            trace = self._lookup(found)
            known = trace is not None
            if trace is None:
                trace = self._new(found)
            elif not trace.state.is_ours:
                mutual_exclusion.claim()  # it is asked for what the objects hold
            program = trace.program(arrays, variables, self._values_of(found, args, kwargs))
            if not known and program.owned and not program.raises:
                self.keep(trace)
            fresh = self.history[-1].record if self.count > before and program.owned else None
        if fresh is not None:
            self.retraced(fresh)
        return Resolved(bound, found, arrays, variables, trace, program)

    def _contents(self, bound: inspect.BoundArguments) -> Contents:
        found = self.type_of(bound)
        return found, found.arrays(bound), found.variables(bound)

    def explained(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
        """What an error about donated memory, which a call has raised, is to the user; None for another."""
        if isinstance(error, AutographError):
            return None
        bound = self.bind(args, kwargs)
        found = self.type_of(bound)
        traces = [trace for trace in self.cache for _ in trace.programs]
        held = [variable.held for trace in traces for variable in trace.state.variables]
        return buffer_donation.explain_donation(
            error, name_of(self.fn), found, found.arrays(bound), self.donated, held
        )

    def _lookup(self, found: FunctionType, *, exact: bool = False) -> Trace | None:
        self._evict()
        return self.cache.lookup(found, configuration.trace_context(), exact=exact)

    def _evict(self) -> None:
        """Drops the traces whose objects are gone."""
        if self.cache.evict():
            self.dropped()

    def concrete(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ConcreteFunction:
        """The trace for arguments of exactly these types, which may be given in their place."""
        bound, found = self._specified(args, kwargs)
        return self.concrete_of(found, None if bound is None else found.variables(bound))

    def concrete_of(self, found: FunctionType, variables: Sequence[Any] | None = None) -> ConcreteFunction:
        """The trace for calls of exactly this type, with these Variables among the arguments, or any."""
        if variables is None:
            variables = [kind for type in found.types for kind in variable_types(type)]
        known = variables
        return mutual_exclusion.run_exclusively(lambda: self._concrete(self._exact(found, known)))

    def _exact(self, found: FunctionType, variables: Sequence[Any]) -> Trace:
        """The trace for exactly this type; makes it if there is none."""
        arrays = [spec.placeholder() for spec in specs_in(found.types)]
        with self.lock:
            trace = self._lookup(found, exact=True)
            if trace is None or not trace.programs:
                trace = self._traced(found)
                program = self._tried(trace, arrays, variables)
                if program.raises:
                    raise self._always_raises()
                if program.once:
                    raise self._serves_once(program.once)
                self.keep(trace)
                self.dropped()  # calls that another trace has served find the more specific one now
            elif trace.main.lends:
                self._tried(trace, arrays, variables)  # for arrays of JAX's, which its types are
        return trace

    def _tried(self, trace: Trace, arrays: Sequence[Any], variables: Sequence[Any]) -> Program:
        """The program for types of arrays, of rank 0 for any rank. Raises TypeError if it can't be traced for that."""
        found = trace.function_type
        if all(spec.shape is not None for spec in specs_in(found.types)):
            return trace.program(arrays, variables)
        try:
            return trace.program(arrays, variables)
        except Exception as error:
            raise TypeError(
                f"{name_of(self.fn)}{found}: each rank is a program of its own, and that of rank 0, which was tried, "
                f"can't be traced ({type(error).__name__}). Ask with a known rank: ArraySpec((None, 3), 'float32'), "
                "where None is any size."
            ) from error

    def _concrete(self, trace: Trace) -> ConcreteFunction:
        return ConcreteFunction(name_of(self.fn), self.signature, trace, self.owner)

    def _always_raises(self) -> AutographError:
        return AutographError(
            f"Every call of '{name_of(self.fn)}' with arguments of these types raises.",
            where=source_places.line_of_function(self.fn),
            why="There is no concrete function for what returns nothing.",
            fix="call it with values, to see what it raises.",
        )

    def _serves_once(self, once: Once) -> AutographError:
        return AutographError(
            f"'{name_of(self.fn)}' {once.said()}",
            where=once.line or source_places.line_of_function(self.fn),
            why="Python does that at each call, and no program can.",
            fix="pass the array as an argument; or call the function, which is traced at each call."
            if not once.puts
            else "call the function, which is traced at each call.",
        )

    def _specified(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[inspect.BoundArguments | None, FunctionType]:
        """The arguments of `get_concrete_function`, and their type."""
        allowed = self.allowed
        if allowed is not None and self.of_instances and args:
            allowed = allowed_for_instance(allowed, from_value(args[0], TracingContext(specs=True)))
        if allowed is not None and not (args[self.of_instances :] or kwargs):
            return None, allowed
        bound = _bound(self.signature, args, kwargs)
        found = FunctionType.from_bound(self.signature, bound, TracingContext(specs=True))
        if allowed is not None and not found.is_subtype_of(allowed):
            raise TypeError(f"{name_of(self.fn)}: {'; '.join(found.differences(allowed))} (input_signature).")
        return bound, found if allowed is None else allowed

    def all(self) -> list[ConcreteFunction]:
        """The traces that there are, the oldest first."""
        with self.lock:
            self._evict()
            return [self._concrete(trace) for trace in self.cache if trace.programs]

    def clear(self) -> None:
        """Forgets all traces."""
        with self.lock:
            self.cache.clear()
            self.dropped()

    def _new(self, found: FunctionType) -> Trace:
        """A trace for calls of a type, or for those of the cache, too."""
        if self.options.reduce_retracing and self.allowed is None:
            found = self.cache.generalize(found, configuration.trace_context())
        return self._traced(found)

    def _traced(self, found: FunctionType) -> Trace:
        dropped = weakref.WeakMethod(self._outdated)
        return Trace(
            self.fn, self.converted, found, self.options, self._creations, self._made, self.donated,
            lambda: (clear := dropped()) is not None and clear(),
        )  # fmt: skip

    def _outdated(self) -> None:
        self.dropped()

    def _made(self, trace: Trace, program: Program, seconds: float, served: Served) -> None:
        """Notes that a program was traced."""
        record = TraceRecord(
            trace.function_type,
            source_places.here(),
            seconds,
            context=configuration.trace_options(),
            reduces=self.options.reduce_retracing,
            served=served,
            changed=trace.reader.told(),
        )
        if trace.reader.watches and not self.watches:
            self.watches = True
            self.watching()
        self.history.append(Made(record, program.compiling))
        self.count += 1

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs what serves a call."""
        return mutual_exclusion.run_exclusively(lambda: self._call(args, kwargs))

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        claimed = self._writes  # which another thread may set while this one makes its first trace
        if claimed:
            mutual_exclusion.claim()  # what its objects hold is read now, and written when the program has run
        resolved = self.resolve(args, kwargs)
        if resolved.program.writes is not None and not claimed:
            self._writes = claimed = True
            mutual_exclusion.claim()
            resolved = self.resolve(args, kwargs)
        if claimed and resolved.program.calls_users:
            mutual_exclusion.release_objects()  # what it calls may wait for them
        result = resolved.trace(
            resolved.arrays, resolved.variables, values=self._values_of(resolved.type, args, kwargs)
        )
        if not resolved.program.owned and not resolved.program.raises:
            with self.lock:
                if self._lookup(resolved.type) is None:
                    self.keep(resolved.trace)
        return result

    def _values_of(
        self, found: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[[], list[Any]]:
        """Gives the arguments of a call as the caller has them, not as an input signature casts them."""
        return lambda: found.values(_bound(self.signature, args, kwargs))

    def keep(self, trace: Trace) -> None:
        """Keeps a trace that was made."""
        self._evict()
        before = len(self.cache)
        self.cache.add(trace.function_type, trace, configuration.trace_context())
        if len(self.cache) <= before:
            self.dropped()


def _bound(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> inspect.BoundArguments:
    """The arguments by parameter, defaults included."""
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    for name in signature.parameters:
        if name not in bound.arguments:  # `bind` takes `f(x=1)` of `def f(x, /, **rest)`
            raise TypeError(f"missing a required argument: {name!r}")
    return bound
