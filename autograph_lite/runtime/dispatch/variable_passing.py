"""Variable passing: how do calls of a function with Variables stay in C++? Arrays go in beside the arguments, and come out.

    result, new = program([v's array], [w's array], *args)        v is written, and its memory given away; w is read
    v's array = new

The list of Variables is that of all programs of the function; a program with others makes a new list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.jax_internals import configuration, cpp_registry
from autograph_lite.operators.values import pytrees
from autograph_lite.runtime.dispatch import argument_order, bound_calls
from autograph_lite.runtime.explaining import tracebacks
from autograph_lite.runtime.state.carried_state import KEPT
from autograph_lite.runtime.state.variable import DEBUGGED, LENT, WRITING, Variable, exclusive_memory
from autograph_lite.runtime.tracing.compile_times import measured
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace_table import Traces

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]
FEW = 16  # Variables whose arrays are handed over without a loop
# The lock is taken by hand: `with` takes three times as long for it.
_CALL = """\
        {own}acquire()
        try:
            {own}result, {own}new = ({own}run if {unlent} else {own}keeping)(
                {values}, {read}{arguments}
            )
            if {own}new.__class__ is list and ({unlent}):
                {assign}
            elif {own}new is not None:
                {own}give_back({own}new)
        finally:
            {own}release()
        return {own}result
"""
# Somebody may hold an array of a Variable that has nothing to do with this function. To copy an array that somebody holds takes
# longer than most calls: another program takes no memory of Variables'.
_UNLENT = "not {own}lent or {own}lent.isdisjoint({own}mine)"
_LOOP = """\
for {own}v, {own}value in zip({own}written, {own}new):
                    {own}v._value = {own}value
"""
MOST = 64  # Variables of other programs that calls bring along


class VariableCalls:
    """Calls of a function whose programs use these Variables.

    Args:
      traces: of the function.
      registry: what is structure among the arguments.
      slow: runs a call by way of the policy.
      inline: whether calls are not to be compiled now.
      other: told of a program that uses other Variables.
      written: those that programs give new values.
      read: the others.
    """

    def __init__(
        self,
        traces: Traces,
        registry: cpp_registry.Registry,
        slow: Slow,
        inline: Callable[[], bool],
        other: Callable[[Program], None],
        written: Sequence[Variable],
        read: Sequence[Variable],
    ) -> None:
        self._traces, self._registry, self._slow, self._inline = traces, registry, slow, inline
        self._other = other
        self.written, self.read = list(written), list(read)
        self._places = {id(variable): i for i, variable in enumerate([*written, *read])}
        self._name = getattr(traces.fn, "__name__", "f")
        self._packs = bound_calls.packs_keywords(traces.shown)
        self._dispatchers = [
            cpp_registry.Dispatcher(
                registry,
                self._name,
                self._plain,
                tracebacks.hiding(cpp_registry.of_known_classes(registry, missed)),
            )
            for missed in (functools.partial(self._miss, keep) for keep in (False, True))
        ]
        self.call = self._wrapper()

    def _wrapper(self) -> Callable[..., Any]:
        parameters = bound_calls.parameters_of(self._traces.shown)
        values = _values("written", len(self.written))
        known = {
            "lent": LENT, "mine": {DEBUGGED, *map(id, self.written)}, "acquire": WRITING.acquire, "release": WRITING.release,
            "run": self._dispatchers[0].call, "keeping": self._dispatchers[1].call, "give_back": self._give_back,
            "hide": self._hide,
            "written": self.written, "read": self.read,
            **{f"written{i}": variable for i, variable in enumerate(self.written[:FEW])},
            **{f"read{i}": variable for i, variable in enumerate(self.read[:FEW])},
        }  # fmt: skip
        body = _CALL.format(
            own=bound_calls.OWN,
            values=values,
            unlent=_UNLENT.format(own=bound_calls.OWN),
            read=_values("read", len(self.read)),
            assign=f"{values} = {bound_calls.OWN}new"
            if 0 < len(self.written) <= FEW
            else _LOOP.format(own=bound_calls.OWN),
            arguments=f", {parameters.arguments}" if parameters.arguments else "",
        )
        name = getattr(self._traces.fn, "__qualname__", "f")
        return bound_calls.compile_function(name, parameters, body, known)

    def _give_back(self, new: Sequence[Any]) -> None:
        """Notes that nobody else holds the new arrays."""
        for variable, value in zip(self.written, new, strict=True):
            if value is not None:
                variable._settle(value)

    def _hide(self, error: BaseException) -> None:
        """Hides our frames; says so where it is the array of a Variable that was given away."""
        if isinstance(error, (RuntimeError, ValueError)):
            with exclusive_memory():  # another call may have the memory for now
                for variable in (*self.written, *self.read):
                    variable.refuse_gone()
        tracebacks.hide_frames(error)

    def serves(self, program: Program) -> bool:
        """Whether the program uses these Variables and no others, and writes none but those that are written."""
        written = {id(variable) for variable in self.written}
        uses = all(id(variable) in self._places for variable in program.state.variables)
        return uses and all(id(variable) in written for variable in program.written)

    def _plain(self, taken: Any, read: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self._slow(*bound_calls.arguments_of_cpp(self._packs, args, kwargs)), None

    def _miss(
        self, keep: bool, taken: list[Any], read: list[Any], /, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any, bool]:
        args, kwargs = bound_calls.arguments_of_cpp(self._packs, args, kwargs)
        if self._inline():
            return (self._slow(args, kwargs), None), None, False
        resolved = self._traces.resolve(args, kwargs)
        program = resolved.program
        # JAX would run again what gives a nan, with arrays whose memory is taken: `Program` knows what to do.
        if configuration.debugging():
            return (self._traces.call(args, kwargs), None), None, False
        if not (program.plain and self.serves(program)):
            result = self._traces.call(args, kwargs)
            if program.plain:
                self._other(program)
            return (result, None), None, False
        arguments = self._registry.flatten((args, [*kwargs.values()]))
        leaves = [*taken, *read, *arguments]
        sources = argument_order.spelled_sources(resolved, arguments, args, kwargs)
        if sources is None:
            return (self._traces.call(args, kwargs), None), None, False
        places = [self._places[id(variable)] for variable in program.state.variables]
        start = len(taken) + len(read)
        jit = argument_order.spelled_program(self._name, resolved, sources, places, start, keep)
        with measured(program.compiling):
            outputs, fast = cpp_registry.run_jitted(jit, leaves, functools.partial(self._structure, program))
        return self._finished(program, outputs), fast, False

    def _new(self, program: Program, values: Sequence[Any]) -> list[Any] | tuple[Any, ...]:
        """The new values of the written Variables, in their order; a tuple with None for what is not written."""
        new: list[Any] = [None] * len(self.written)
        for variable, value in zip(program.state.variables, values, strict=True):
            if value is not KEPT:
                new[self._places[id(variable)]] = value
        return tuple(new) if any(value is None for value in new) else new

    def _structure(self, program: Program, outputs: Sequence[Any]) -> Any:
        if program.returns_arrays:
            result = self._finished(program, outputs)
            tree = cpp_registry.tree_of(result, outputs, sorts=not pytrees.holds_out_of_order(result))
            if tree is not None:
                return tree
        return self._registry.structure(len(outputs), functools.partial(self._finished, program))

    def _finished(self, program: Program, outputs: Sequence[Any]) -> Any:
        returned, values = program.finish(outputs)
        return returned, self._new(program, values)


def _values(name: str, count: int) -> str:
    """The expression for the arrays of the written Variables, or of those that are read only."""
    own = bound_calls.OWN
    if not 0 < count <= FEW:
        return f"[{own}v._value for {own}v in {own}{name}]" if count else "()"
    return f"[{', '.join(f'{own}{name}{i}._value' for i in range(count))}]"
