"""Variable frames: what does a Variable hold on this thread, while a program that uses it is traced or differentiated?

Outside of traces a Variable holds a plain array, which every thread sees. A thread that traces a program has a frame
with the values that the Variables have in it: tracers, which no other thread and no later call ever sees.

JAX keeps what it has traced of the user's functions, `jax.lax.scan(body, ...)`, with the values that they read from around
them. So that it does not take such a trace for another value of a Variable, what JAX compares of its surroundings changes
whenever a Variable that was read in that way does.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import jax

from autograph_lite.errors import VariableError
from autograph_lite.jax_internals import tangents_of_state, tracing_state
from autograph_lite.operators.effects import journal
from autograph_lite.runtime.state.creations import Creations
from autograph_lite.tracing import entered, thread


class Held(Protocol):
    """A Variable, as a frame knows it."""

    _value: Any

    def _settle(self, value: Any, /) -> None: ...

    def lend(self) -> None:
        """Lets others have the array, so that no call gives it away."""


class Frame:
    """The values of Variables in one trace."""

    def __init__(self, creations: Creations | None = None) -> None:
        # what the function that is traced has created; None for a gradient inside of a trace
        self.creations = creations
        self.values: dict[int, tuple[Any, Any]] = {}  # the Variables with their values, by id
        # Variables that the trace came across and that are no inputs of its program
        self.found: dict[int, Any] = {}
        self.created: list[Any] = []  # Variables that the trace has made
        # ids of Variables that functions have read which JAX traces, and keeps, for the user's code
        self.captured: set[int] = set()
        self.brings_out = False  # whether the Variables may be kept in objects of the call; each gets its own
        self.refused: VariableError | None = None  # the error for a Variable that must be kept there
        self.surroundings = contextlib.ExitStack()
        self.number = next(_numbers)

    @property
    def is_program(self) -> bool:
        """Whether it is that of a whole program."""
        return self.creations is not None

    def refuse(self, refusal: VariableError | None) -> None:
        """Refuses to create a Variable, at once or where it is known that no object of the call keeps it."""
        if refusal is not None and not self.brings_out:
            raise refusal
        self.refused = self.refused or refusal

    def renew(self, changed: Iterable[int]) -> None:
        """Makes JAX trace functions again where they have read a Variable that is now changed, given by its id."""
        if not self.captured.isdisjoint(changed):
            self.captured.clear()
            self.surroundings.enter_context(_surroundings(next(_numbers)))


_surroundings = jax.make_user_context(default_value=0)
_numbers = itertools.count(2)


class _Shared:
    """The surroundings in which programs are traced, until functions that JAX keeps have read a Variable in them."""

    number = 1


def program() -> Frame | None:
    """The frame of the program that is being traced on this thread."""
    return next((frame for frame in reversed(thread.now.variables) if frame.is_program), None)


@contextlib.contextmanager
def inside(frame: Frame) -> Iterator[Frame]:
    """Inside, Variables have their values in `frame`."""
    around = frame if frame.is_program else program()
    if frame.is_program:
        frame.surroundings.enter_context(_surroundings(_Shared.number))
    elif around is not None:
        around.renew(frame.values)
    now = thread.now
    try:
        with entered(variables=(*now.variables, frame), in_program=now.in_program or frame.is_program):
            yield frame
    finally:
        if frame.is_program:
            frame.surroundings.close()
        elif around is not None:
            around.renew(frame.values)


@contextlib.contextmanager
def outside_traces() -> Iterator[None]:
    """Inside, Variables have the values that they have outside of any trace."""
    with entered(variables=()), _surroundings(0):
        yield


def read_variable(variable: Held) -> Any:
    """What `variable` holds on this thread, for the user's code."""
    frame, now = program(), journal.active()
    value = variable_value(variable)
    if frame is not None and now is not None and tracing_state.program_trace()() is not now.program():
        frame.captured.add(id(variable))
        _Shared.number = next(_numbers)  # of the programs to come
        if tangents_of_state.number_of(value) is not value:
            # The derivative that is in it may be over when JAX meets the function again.
            frame.renew([id(variable)])
    return value


def variable_value(variable: Held) -> Any:
    """What `variable` holds on this thread."""
    for frame in reversed(thread.now.variables):
        held = frame.values.get(id(variable))
        if held is not None:
            return tangents_of_state.read_with_tangents((frame.number, id(variable)), held[1])
        if frame.is_program:
            frame.found[id(variable)] = variable
            break
    return tangents_of_state.read_with_tangents((None, id(variable)), variable._value)


def hold(variable: Held, value: Any) -> None:
    """Makes `variable` hold `value` on this thread: in the innermost frame, or for good where there is none."""
    frame = program()
    if frame is not None and frame.captured and variable_value(variable) is not value:
        frame.renew([id(variable)])
    around = thread.now.variables[-1] if thread.now.variables else None
    number = tangents_of_state.store_with_tangents((around and around.number, id(variable)), value)
    if around is not None:
        around.values[id(variable)] = variable, number
        return
    variable._settle(number)
    if number is not value:
        variable.lend()
