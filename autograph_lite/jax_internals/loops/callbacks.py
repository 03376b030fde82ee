"""Callbacks: which are there in a program, and how is it run once more without what it prints?"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Sequence
from typing import Any

from autograph_lite.errors import Location, NotDifferentiableError
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.jax_internals.loops.symbolic_shapes import Sized


def quiet(closed: Any) -> Any:
    """A closed jaxpr without its equations that only print."""
    return _Quiet({}).jaxpr(closed) if closed.effects else closed


class _Quiet(Sized):
    def _bind(self, eqn: Any, inputs: Sequence[Any]) -> Iterable[Any]:
        return [] if _is_print(eqn) else super()._bind(eqn, inputs)


def _is_print(eqn: Any) -> bool:
    return eqn.primitive.name in ("debug_callback", "debug_print") and not eqn.outvars


def result_of_callback(jaxpr: Any) -> Location | tuple[()]:
    """The user's line that takes a result from a callback, in a jaxpr or in what it calls."""
    for eqn in recorded_equations.equations(jaxpr):
        if "callback" in eqn.primitive.name and not _is_print(eqn):
            place = recorded_equations.equation_place(eqn)
            if place is not None:
                path, line, function = place
                return Location(path, line, function, linecache.getline(path, line).strip())
    return ()


def is_without_derivative(error: Exception) -> bool:
    """Whether JAX says that a callback is differentiated."""
    return "callbacks do not support JVP" in str(error)


def no_derivative(place: Location | tuple[()]) -> NotDifferentiableError:
    """What is to be raised where the callback at that line is differentiated."""
    return NotDifferentiableError(
        "The result of a callback is differentiated.",
        where=place,
        why="JAX does not see what the callback computes, and no rule says what its derivative is.",
        fix="use autograph_lite.py_function with a vjp=, or take jax.lax.stop_gradient of what the callback is given.",
    )
