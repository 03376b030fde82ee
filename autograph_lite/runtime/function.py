"""A converted function that runs compiled: `@autograph_lite.convert`.

Arrays among the arguments are traced; everything else is a literal, and another literal is another trace. The cache of
traces is kept behind `_program`, and is all that has to change for another policy.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Callable, Hashable
from typing import Any

from autograph_lite import _jax
from autograph_lite.errors import MutationError
from autograph_lite.operators import calls, checks as program_checks, where
from autograph_lite.operators.values import Tracer
from autograph_lite.runtime import eager, tracebacks
from autograph_lite.runtime.program import Program
from autograph_lite.runtime.signature import Split
from autograph_lite.runtime.state import Restart, State

_SUSPENDING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_ASSIGNED = ("__code__", "__defaults__", "__kwdefaults__")  # `inspect` asks a coroutine function for them


TRACES = 24  # of one signature, each of which may find more state that is carried


class Function:
    """A function of the user's, converted and compiled by JAX when it is called.

    Attributes:
      python_function: the function as the user wrote it.
    """

    def __init__(
        self, fn: Callable[..., Any], *, recursive: bool, checks: bool | str, static_loops: str
    ) -> None:
        self.python_function = fn
        self._recursive, self._checks, self._rolled = recursive, checks, static_loops == "stage"
        self._converted = calls.converted(fn, recursive=recursive)
        is_function = isinstance(fn, (types.FunctionType, types.MethodType))
        code = getattr(fn, "__code__", None) if is_function else None
        # A wrapper may take other arguments than what it wraps: the signature that it shows is the other's.
        self._plain = code is not None and not hasattr(fn, "__signature__")
        self._signature = inspect.signature(fn, follow_wrapped=not self._plain)
        self._suspends = code is not None and bool(code.co_flags & _SUSPENDING)
        self._states: dict[Hashable, State] = {}
        self._programs: dict[Hashable, Program] = {}
        self._lock = threading.RLock()
        functools.update_wrapper(self, fn, (*functools.WRAPPER_ASSIGNMENTS, *_ASSIGNED))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the compiled program for these arguments; makes it first if there is none.

        Raises:
          TypeError: the arguments do not fit the function's parameters.
          Exception: what an `assert` or `raise` of the user's raises.
        """
        try:
            if self._suspends or program_checks.within_program():
                return self._converted(*args, **kwargs)
            if eager.on():
                return self.python_function(*args, **kwargs)
            arguments = self._bound(args, kwargs)
            return self._run(arguments)
        except BaseException as error:
            tracebacks.hide_frames(error)
            raise  # without a frame of this call: a bare `raise` adds none

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Split:
        bound: inspect.BoundArguments | None = None
        misfit = TypeError()
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            misfit = error
        if bound is None:  # outside of the handler, whose exception Python's own would show as its cause
            if self._plain:
                self.python_function(*args, **kwargs)  # runs nothing: Python says what is wrong
            raise misfit
        bound.apply_defaults()
        return Split.of((bound.args, bound.kwargs))

    def _run(self, arguments: Split) -> Any:
        key = arguments.key()
        owned = not _jax.tracing() and not any(isinstance(leaf, Tracer) for leaf in arguments.arrays)
        with self._lock:  # two threads that call at once make one trace
            state = self._states.setdefault(key, State())
        for _ in range(TRACES):
            try:
                with self._lock:
                    program = self._program(key, arguments, state, owned)
                return program(arguments)
            except Restart:
                continue
        places = ", ".join(
            dict.fromkeys(f"'{place.label(k)}'" for place, k in list(state.slots.values())[-3:])
        )
        raise MutationError(
            f"{places}: each trace of '{self.python_function.__name__}' changes other objects than the one before.",
            where=where.of_function(self.python_function),
            why="What a call changes is read from the objects before it, and so has to be there before.",
            fix="make the objects once, outside of the function.",
        )

    def _program(self, key: Hashable, arguments: Split, state: State, owned: bool) -> Program:
        before = state.read()
        full = key, before.key(), owned
        program = self._programs.get(full)
        if program is None:
            outside = "checkify" if self._checks == "checkify" else "callback"
            program = Program(
                self._converted,
                arguments,
                state,
                checked=bool(self._checks),
                outside=outside,
                owned=owned,
                rolled=self._rolled,
            )
            program.prepare(arguments)
            self._programs[full] = program  # only now: a trace that raises leaves nothing behind
        return program

    def inside(self) -> Callable[..., Any]:
        """What converted code calls in place of this function: its converted form, as part of the trace around."""
        converted: Callable[..., Any] = self._converted
        return converted

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function bound to an instance, as a method."""
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<autograph_lite.Function {self.__qualname__}>"  # type: ignore[attr-defined]


calls.install_function(Function)
