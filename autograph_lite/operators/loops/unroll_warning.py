"""Unrolling: when does a loop over Python values, which is traced once for each iteration, become slow? It warns then."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from autograph_lite import config
from autograph_lite.errors import Location, UnrolledLoopWarning
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.operators.loops import rolling
from autograph_lite.operators.user_code import source_places
from autograph_lite.scoped import Now

ITEMS = "its items are Python values"
CONDITION = "its condition is a Python value"


_warned: Now[int] = Now(0)  # how often on this thread


def counter(body_fun: Callable[..., Any], why: str = "", what: str = ITEMS) -> Callable[[], None]:
    """A function to be called after each iteration; it warns once, at the user's line, if no loop inside has.

    It says `why` the loop is not rolled, where that was tried, and `what` it is that Python knows.
    """
    limit, warned = config.unroll_limit(), _warned.value
    recorded = recorded_equations.recorded()
    first = number = len(recorded)
    count, equations, wait = 0, 0, 0

    def step() -> None:
        nonlocal count, equations, number, wait
        count += 1
        now = len(recorded)
        if now - number < wait or not limit or _warned.value != warned:
            return
        equations += recorded_equations.equations_in(recorded[number:])
        number = now
        # To look into each equation takes its time: next when half of what is left may be there.
        wait = (limit - equations) * (now - first) // (2 * max(equations, 1))
        if equations > limit and (loop := source_places.line_of_function(body_fun)):
            _warned.value += 1
            text = _text(loop, count, equations, why, what)
            warnings.warn_explicit(text, UnrolledLoopWarning, loop.path, loop.line)

    return step


def warn_of_copies(body_fun: Callable[..., Any], generator: str, count: int) -> None:
    """Warns of the body of a loop over a generator, which is a copy of its own at each `yield`, and in each loop around."""
    if config.unroll_limit() and (loop := source_places.line_of_function(body_fun)):
        text = (
            f"The loop at {loop.path}:{loop.line} and those around it have recorded {count} bodies: each `yield` of "
            f"'{generator}' is a copy of the body, and loops over generators around it multiply the copies. Make a list "
            "of the items before the outer loop, or yield in one place."
        )
        warnings.warn_explicit(text, UnrolledLoopWarning, loop.path, loop.line)


def _text(loop: Location, count: int, equations: int, why: str, what: str) -> str:
    text = f"The loop at {loop.path}:{loop.line} has been unrolled into {equations} equations by its first {count} iterations"
    if why:
        return f"{text}. It can't be rolled: {why}."
    text += f": {what}, so each iteration is traced and compiled."
    rolls = "" if rolling.wanted() else "convert with static_loops='auto' to roll such loops."
    if what == ITEMS:
        return f"{text} Use autograph_lite.range to stage it{f', or {rolls}' if rolls else '.'}"
    return f"{text} {rolls.capitalize()}".rstrip()
