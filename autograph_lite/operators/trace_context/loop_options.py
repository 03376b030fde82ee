"""Loop options: what has the user said of a loop? `set_loop_options(...)`, the first statement of its body, sets it.

    while x > tolerance:
        autograph_lite.set_loop_options(maximum_iterations=100)
        x = step(x)

The call runs when the body does, or is traced; the loop that it stands in looks at what it has left.
"""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import symbolic_comparisons, tracing_state
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.jax_internals.while_lanes import Options
from autograph_lite.operators.user_code import source_places
from autograph_lite.syntax import first_statements
from autograph_lite.tracing import thread


class Loop:
    """A loop that is running, or being traced."""

    __slots__ = ("code", "counts", "done", "most", "options", "overflown", "unroll")

    def __init__(self, body_fun: Callable[..., Any]) -> None:
        self.code: types.CodeType = body_fun.__code__
        # whether its iterations are those of the user's loop, which may run over some of the items alone
        self.counts = True
        self.options = UNSET  # that its body has set
        self.unroll = 1  # how many iterations of a scan are one of the program's
        self.done = 0  # iterations that Python has run
        self.most: int | None = None  # iterations that it is known to have at most
        # numbers that tell of ints of Python's that do not fit, with the places that they stand for
        self.overflown: list[tuple[Any, Any]] = []

    def stands_at(self, path: str, line: int | None) -> bool:
        """Whether it is the loop on that line; any is where the line is None."""
        return line is None or (self.code.co_filename, self.code.co_firstlineno) == (path, line)

    def is_over(self) -> bool:
        """To be called after each iteration that Python runs: whether the loop has had all that it may have."""
        self.done += 1
        return self.options.bound is not None and self.left() == 0

    def is_left(self) -> bool:
        """Whether it has had them."""
        return self.left() == 0

    def left(self) -> int | None:
        """How many iterations it may still have; None where nobody has said it."""
        most = self.options.bound
        return None if most is None else max(0, most - self.done)


UNSET = Options()


def current() -> Loop:
    """The innermost loop."""
    loop: Loop = thread.now.loop
    return loop


def leave_uncounted() -> None:
    """Notes that the iterations of the innermost loop, if there is one, are not those of the user's loop."""
    if thread.now.loop:
        current().counts = False


def iterations_left() -> int | None:
    """How many iterations the innermost loop may still have; None where nobody has said it."""
    return current().left() if thread.now.loop else None


def most() -> int | None:
    """How many iterations the innermost loop has at most; None where nobody knows."""
    known = [
        most for most in (iterations_left(), current().most if thread.now.loop else None) if most is not None
    ]
    return min(known, default=None)


class ShorterError(Exception):
    """A loop of a known number of iterations has fewer."""

    def __init__(self, count: Any) -> None:
        super().__init__(f"It has {count} iterations at most.")
        self.count = count


def check_length(count: Any) -> None:
    """To be called when the body of a loop of `count` iterations has been traced. Raises ShorterError: it may have fewer."""
    left = current().left()
    if left is not None and symbolic_comparisons.compare_sizes(operator.le, count, left) is not True:
        raise ShorterError(symbolic_comparisons.smaller(count, left))


def bounded_while_loop(
    cond: Any, body: Any, init: Sequence[Any], tell: Callable[[Any, Any], None]
) -> list[Any]:
    """`lax.while_loop` of two closed jaxprs, the innermost loop's: it ends when it has had all iterations that it may have.

    Ints of Python's that do not fit are given to `tell`, as `wide_loops` says.
    """
    options, left = current().options, current().left()
    if not options.reverse:
        options = dataclasses.replace(options, place=source_places.here())
    if left is None:
        return loop_binding.while_loop(cond, body, init, options, tell)
    types = [jax.typeof(jnp.int32(0)), *body.in_avals]
    test, step = jaxpr_as_fun(cond), jaxpr_as_fun(body)

    def go_on(now: list[Any]) -> tuple[None, list[Any]]:
        return None, [jnp.logical_and(now[0] < left, test(*now[1:])[0])]

    def count(now: list[Any]) -> tuple[None, list[Any]]:
        return None, [now[0] + 1, *step(*now[1:])]

    (_, until), (_, run) = (loop_binding.trace(part, types, set_loop_options) for part in (go_on, count))
    options = dataclasses.replace(options, bound=left)
    return loop_binding.while_loop(until, run, [jnp.int32(0), *init], options, tell)[1:]


def set_loop_options(
    *,
    maximum_iterations: int | None = None,
    differentiable: bool = True,
    checkpoints: int | None = None,
    unroll: int = 1,
) -> None:
    """Says how the loop is to be run whose body starts with this call. Under plain Python it does nothing.

    Args:
      maximum_iterations: after so many iterations the loop ends, as if its condition were false then: no error, as in
        TensorFlow. A loop whose number of iterations has a bound is differentiated in less time.
      differentiable: False leaves the loop to `lax.while_loop`, which has no reverse derivative: to take it is an error.
      checkpoints: how many states the loop keeps for its reverse derivative. Fewer take less memory, and more time.
      unroll: how many iterations of a loop of known length are run as one, as in `jax.lax.scan`: on a GPU small bodies
        gain by it, on a CPU they seldom do. A loop whose length the data decides runs them one by one.

    Raises:
      ValueError: it stands elsewhere, or a number is not a positive Python int.
    """
    numbers = {"maximum_iterations": maximum_iterations, "checkpoints": checkpoints, "unroll": unroll}
    for name, value in numbers.items():
        if (value is not None or name == "unroll") and (type(value) is not int or value < 1):
            may_be = "an int from 1 on" if name == "unroll" else "None or an int from 1 on"
            raise ValueError(f"set_loop_options: {name} is {value!r}; it may be {may_be}.")
    frame = source_places.user_frame()
    if frame is None:
        return
    path = frame.f_code.co_filename
    line = first_statements.loop_begun(frame.f_code, frame.f_lineno)
    if line == 0:
        raise ValueError(
            f"set_loop_options: it is called at {path}:{frame.f_lineno}, which does not begin the body of a loop; "
            "it may be the first statement in a `for` or a `while`."
        )
    loop: Loop | None = thread.now.loop
    if loop is not None and loop.stands_at(path, line):
        if maximum_iterations is not None and not loop.counts:
            raise ValueError(
                f"set_loop_options: maximum_iterations is set at {path}:{frame.f_lineno}, in a loop over items that a condition "
                "chooses, or an inner loop gives: nobody counts them. Count in the body, and leave it by `break`."
            )
        loop.unroll = unroll
        loop.options = Options(maximum_iterations, checkpoints, differentiable)


def in_loop() -> bool:
    """Whether it is."""
    return thread.now.carried is not None


def is_carried(value: Any) -> bool:
    """Whether the innermost loop carries this array, and it is as the iteration before has left it."""
    return any(tracing_state.is_same(value, each) for each in thread.now.carried or ())
