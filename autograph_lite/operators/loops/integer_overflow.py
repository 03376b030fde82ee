"""Integer overflow: what becomes of Python's ints that outgrow the program's in a loop? A check fails, at their line.

p = 1
while x * p < limit:
    p = p * 2          an int32 in the program; Python's has no end
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.jax_internals.dataflow import integer_growth
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.user_code import source_places

Variable = tuple[str, Any, Any, Any]
"""Its name; what it is before an iteration, after it, and before the loop."""


def check_overflow(variables: Sequence[Variable]) -> None:
    """To be called when an iteration has been recorded."""
    carried = [(_plain(before), _plain(after), _int(start)) for _, before, after, start in variables]
    found: dict[str, Any] = {}
    for equation, test, becomes in integer_growth.outgrown(recorded_equations.recorded(), carried):
        text = message(recorded_equations.equation_place(equation), [variables[n][0] for n in becomes])
        found[text] = found[text] | test if text in found else test
    for text, test in found.items():
        carried_checks.fail_if(test, OverflowError(text))


def told(error: OverflowError) -> OverflowError:
    """What is said where JAX has met a number of Python's that does not fit; any other error as it is."""
    if "while parsing an argument" not in str(error):
        return error
    where = source_places.raised_at(error)
    return OverflowError(message((where.path, where.line, where.function) if where else None, []))


def may_be() -> bool:
    """Whether what has been recorded of a condition may hold an int that does not fit."""
    return any(True for _ in integer_growth.outgrown(recorded_equations.recorded(), []))


def message(place: tuple[str, int, str] | None, names: Sequence[str]) -> str:
    """What is said of a line whose int does not fit."""
    bits = 8 * jax.dtypes.canonicalize_dtype(np.int64).itemsize
    where = source_places.at(*place) if place else None
    what = f"`{where.text}`" if where else "a loop"
    of = f" of {names[0]!r}" if names else ""
    remedy = "make it a float, as in 1.0" + (
        "." if bits == 64 else ", or have ints of 64 bits: jax.config.update('jax_enable_x64', True)."
    )
    at = f" ({where.path}:{where.line})" if where else ""
    return f"{what} computes an int{of} that does not fit int{bits}; Python's ints have no end{at}. To fix it, {remedy}"


def _plain(value: Any) -> Any:
    return value.value if type(value) is Maybe else value


def _int(value: Any) -> int | None:
    return int(value) if type(value) in (int, bool) else None
