"""C++ dispatch: how does a call find its program without running Python? By JAX's own, whose cache key is our signature.

A call that was not seen comes to `_miss`, where the policy (`traces`) chooses or makes a program. What is given back
with the result lets C++ run the same program for the next call with that structure, those literals, dtypes and shapes.
Literals are told apart by hash and equality where that is faster.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.jax_internals import cpp_registry
from autograph_lite.operators.values import pytrees
from autograph_lite.runtime.dispatch import argument_order, bound_calls
from autograph_lite.runtime.dispatch.argument_kinds import registry
from autograph_lite.runtime.dispatch.variable_passing import MOST, VariableCalls
from autograph_lite.runtime.explaining import tracebacks
from autograph_lite.runtime.tracing.compile_times import measured
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace_table import Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]


MANY = 16  # programs, after which literals are hashed


class FastDispatch:
    """Calls in C++.

    Args:
      traces: of the function.
      slow: runs a call by way of the policy.
      inline: whether calls are not to be compiled now.
      changed: told of what is to be called from now on.
    """

    def __init__(
        self, traces: Traces, slow: Slow, inline: Callable[[], bool], changed: Callable[[Any], None]
    ) -> None:
        self._traces, self._slow, self._inline, self._changed = traces, slow, inline, changed
        self._failed = False
        self._carries = False  # whether the last call was of a program that reads or writes objects
        self._name = getattr(self._traces.fn, "__name__", "f")
        self._missed = tracebacks.hiding(cpp_registry.of_known_classes(registry(), self._miss))
        self._dispatcher = cpp_registry.Dispatcher(registry(), self._name, self._plain, self._missed)
        self._packs = bound_calls.packs_keywords(traces.shown)
        self._direct = self._packing() if self._packs else self._dispatcher.call
        self._kept = 0  # programs that C++ has been given
        self._by_types: HashedLiterals | None = None
        self._variables: VariableCalls | None = None
        self.call: Any = self._direct

    def _packing(self) -> Callable[..., Any]:
        name = getattr(self._traces.fn, "__qualname__", self._name)
        parameters = bound_calls.parameters_of(self._traces.shown)
        body = f"        return {bound_calls.OWN}run({parameters.arguments})"
        return bound_calls.compile_function(name, parameters, body, {"run": self._dispatcher.call})

    def clear(self) -> None:
        """Forgets which programs serve which calls; to ask again costs little, as each program keeps what was compiled."""
        self._carries = False
        self._dispatcher.clear()
        if self._by_types is not None:
            self._by_types.clear()
        if self._variables is not None:
            self._variables = None  # which would keep Variables of objects that are gone
            self._redirect(self._direct if self._by_types is None else self._by_types.call)

    def _redirect(self, call: Any) -> None:
        self.call = call
        self._changed(call)

    @tracebacks.hiding
    def _plain(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._slow(*bound_calls.arguments_of_cpp(self._packs, args, kwargs))

    def _miss(self, /, *args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        args, kwargs = bound_calls.arguments_of_cpp(self._packs, args, kwargs)
        try:
            if self._failed:  # C++ would ask for each of the calls that raised once, for ever
                self._failed = False
                self.clear()
            return self._run(args, kwargs)
        except BaseException:
            self._failed = True
            raise

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool]:
        if self._inline():
            return self._slow(args, kwargs), None, False
        if self._carries:  # objects, for which it is asked below which program serves the call
            return self._traces.call(args, kwargs), None, False
        resolved = self._traces.resolve(args, kwargs)
        program = resolved.program
        if (not program.plain and program.ready is None) or program.state.slots:
            if program.plain and self._variables is not None and self._variables.serves(program):
                # Somebody has kept what ran the calls before.
                return self._variables.call(*args, **kwargs), None, False
            result = self._traces.call(args, kwargs)
            if program.plain:
                self._with_variables(program)
            self._carries = not program.state.is_ours
            return result, None, False
        leaves = registry().flatten((args, [*kwargs.values()]))
        sources = argument_order.spelled_sources(resolved, leaves, args, kwargs)
        if sources is None:
            return program(resolved.arrays), None, False
        self._kept += 1
        if self._kept == MANY and self._by_types is None:
            self._hash_literals()
        if program.ready is None:
            jit = argument_order.spelled_program(self._name, resolved, sources)
        elif all(i == source for i, source in enumerate(sources)):
            jit = program.ready  # which another process has compiled
        else:
            return program(resolved.arrays), None, False
        with measured(program.compiling):
            outputs, fast = cpp_registry.run_jitted(jit, leaves, functools.partial(_structure, program))
        return _finished(program, outputs), fast, False

    def _hash_literals(self) -> None:
        """Lets calls with numbers and strings find their program by hash: C++ looks through structures one by one."""
        hashed = HashedLiterals(self._traces, registry(), self._dispatcher.call, self._plain, self._missed)
        if hashed.call is not None:
            self._by_types = hashed
            self._redirect(hashed.call)

    def _with_variables(self, program: Program) -> None:
        """Lets calls bring the Variables that the program uses, and those of the others that there are."""
        programs = [
            program,
            *(other for trace in self._traces.cache for other in trace.programs if other.plain),
        ]
        written = {id(v): v for other in programs for v in other.written}
        used = {id(v): v for other in programs for v in other.state.variables}
        if len(used) > MOST + len(program.state.variables):
            return  # each call would bring the Variables of many objects
        read = [variable for ident, variable in used.items() if ident not in written]
        self._variables = VariableCalls(
            self._traces, registry(), self._slow, self._inline, self._with_variables,
            [*written.values()], read,
        )  # fmt: skip
        self._redirect(self._variables.call)


def _structure(program: Program, outputs: Sequence[Any]) -> Any:
    """What C++ is to make of the outputs: the result itself, where that is all; else it calls `finish`."""
    result = program.returned(outputs) if program.returns_arrays else outputs
    if program.returns_arrays:
        tree = cpp_registry.tree_of(result, outputs, sorts=not pytrees.holds_out_of_order(result))
        if tree is not None:
            return tree
    return registry().structure(len(outputs), functools.partial(_finished, program))


def _finished(program: Program, outputs: Sequence[Any]) -> Any:
    try:
        return program.finish(outputs)[0]
    except BaseException as error:
        tracebacks.hide_frames(error)
        raise


class SlowDispatch:
    """Calls by way of the policy, each of them: what is left where this JAX lacks what C++ needs."""

    def __init__(self, slow: Slow) -> None:
        self._slow = slow

    @tracebacks.hiding
    def call(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs a call."""
        return self._slow(args, kwargs)

    def clear(self) -> None:
        """Forgets nothing, as nothing is kept."""


def best(
    traces: Traces, slow: Slow, inline: Callable[[], bool], changed: Callable[[Any], None]
) -> FastDispatch | SlowDispatch:
    """The fast way, where this JAX has what it takes."""
    return FastDispatch(traces, slow, inline, changed) if cpp_registry.works() else SlowDispatch(slow)


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
