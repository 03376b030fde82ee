"""How do calls of a function with Variables stay in C++? Their arrays go in beside the arguments, and the new ones come out.

    result, new = program([v's array], [w's array], *args)        v is written, and its memory given away; w is read
    v's array = new

The list of Variables is that of all programs of the function; a program with others makes a new list.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from autograph_lite import _jax_dispatch
from autograph_lite.runtime import spelled, tracebacks
from autograph_lite.runtime.argument_kinds import registry
from autograph_lite.runtime.compiling import measured
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.state import KEPT, WRITING
from autograph_lite.runtime.traces import Resolved, Traces
from autograph_lite.runtime.variables import Variable

Slow = Callable[[tuple[Any, ...], dict[str, Any]], Any]
MOST = 1000  # Variables of one function; with more of them calls take the slow way


class VariableCalls:
    """Calls of a function whose programs use these Variables.

    Args:
      traces: of the function.
      slow: runs a call by way of the policy.
      inline: whether calls are not to be compiled now.
      other: told of a program that uses other Variables.
      written: those that programs give new values.
      read: the others.
    """

    def __init__(
        self,
        traces: Traces,
        slow: Slow,
        inline: Callable[[], bool],
        other: Callable[[Program], None],
        written: Sequence[Variable],
        read: Sequence[Variable],
    ) -> None:
        self._traces, self._slow, self._inline, self._other = traces, slow, inline, other
        self.written, self.read = list(written), list(read)
        self._places = {id(variable): i for i, variable in enumerate([*written, *read])}
        self._jits: dict[Any, Any] = {}
        name = getattr(traces.fn, "__name__", "f")
        self._dispatcher = _jax_dispatch.Dispatcher(registry(), name, self._plain, self._miss)
        self.call = self._wrapper()

    def _wrapper(self) -> Callable[..., Any]:
        run, written, read = self._dispatcher.call, self.written, self.read

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                with WRITING:
                    taken = [v.taken() if v._lent else v._value for v in written]
                    result, new = run(taken, [v._value for v in read], *args, **kwargs)
                    if new is not None:
                        for variable, value in zip(written, new, strict=True):
                            if value is not None:
                                variable._value, variable._lent = value, False
                return result
            except BaseException as error:
                tracebacks.hide_frames(error)
                raise  # without a frame of this call: a bare `raise` adds none

        return call

    def clear(self) -> None:
        """Forgets which programs serve which calls."""
        self._dispatcher.clear()
        self._jits.clear()

    def serves(self, program: Program) -> bool:
        """Whether the program uses these Variables and no others."""
        written = {id(variable) for variable in self.written}
        return all(id(v) in self._places for v in program.state.variables) and all(
            id(v) in written for v in program.written
        )

    def _plain(self, taken: Any, read: Any, *args: Any, **kwargs: Any) -> Any:
        return self._slow(args, kwargs), None

    def _miss(self, taken: list[Any], read: list[Any], *args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        if self._inline():
            return (self._slow(args, kwargs), None), None, False
        resolved = self._traces.resolve(args, kwargs)
        program = resolved.program
        if not (program.plain and self.serves(program)):
            result = self._traces.call(args, kwargs)
            if program.plain:
                self._other(program)
            return (result, None), None, False
        arguments = registry().flatten((args, kwargs))
        leaves = [*taken, *read, *arguments]
        sources = spelled.sources(resolved, args, kwargs)
        if not spelled.fits(sources, arguments, resolved):
            return (self._traces.call(args, kwargs), None), None, False
        jit = self._jit(resolved, sources, len(taken) + len(read))
        with measured(program.compiling):
            outputs, fast = _jax_dispatch.run(jit, leaves, functools.partial(self._structure, program))
        return self._finished(program, outputs), fast, False

    def _jit(self, resolved: Resolved, sources: Sequence[Any], start: int) -> Any:
        """The program as a function of the Variables' arrays and of those of the call as it is spelled."""
        program = resolved.program
        key = program, spelled.key(sources)
        if key not in self._jits:
            jit = program.jit_for(resolved.arrays)
            state = [self._places[id(variable)] for variable in program.state.variables]
            donated = [state[number] for number in program.donated]

            def run(*leaves: Any) -> Any:
                arrays = spelled.in_order(sources, leaves[start:])
                return jit(*arrays, *[leaves[place] for place in state])

            run.__name__ = getattr(self._traces.fn, "__name__", "f")
            self._jits[key] = jax.jit(run, donate_argnums=donated)
        return self._jits[key]

    def _new(self, program: Program, values: Sequence[Any]) -> list[Any]:
        """The new values of the written Variables, in their order; None for what the program only reads."""
        new: list[Any] = [None] * len(self.written)
        for variable, value in zip(program.state.variables, values, strict=True):
            if value is not KEPT:
                new[self._places[id(variable)]] = value
        return new

    def _structure(self, program: Program, outputs: Sequence[Any]) -> Any:
        if program.returns_arrays:
            tree = _jax_dispatch.tree_of(self._finished(program, outputs), outputs)
            if tree is not None:
                return tree
        return registry().structure(len(outputs), functools.partial(self._finished, program))

    def _finished(self, program: Program, outputs: Sequence[Any]) -> Any:
        returned, values = program.finish(outputs)
        return returned, self._new(program, values)
