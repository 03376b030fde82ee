"""Powers of ints: which equations are `a ** b` as JAX computes it, by squaring?

Half of what these compute is not used, and may be as large as it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_lite.jax_internals.dataflow.induction_variables import is_integer
from autograph_lite.jax_internals.dataflow.python_ints import is_int, operation_name
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable

EXPONENTS = 64
"""The first that JAX does not read."""


def power_at(equations: Sequence[Any], start: int) -> Sequence[Any]:
    """The equations of a power of Python's ints whose first one is at `start`; none where there is none."""
    first = equations[start]
    if (
        first.primitive.name != "eq"
        or not all(is_integer(v.aval) for v in first.invars)
        or not _is_part(first)
    ):
        return []
    end = start + 1
    while end < len(equations) and equations[end].primitive.name != "eq" and _is_part(equations[end]):
        end += 1
    group = equations[start:end]
    if len(group) < 2 or group[1].primitive.name != "ne" or not any(map(_is_choice, group)):
        return []
    given = [v for v in operands(group) if is_variable(v)]
    return group if given and all(is_int(v.aval) for v in given) else []


def operands(group: Sequence[Any]) -> tuple[Any, Any]:
    """The base and the exponent."""
    return group[0].invars[0], group[1].invars[0]


def power_of(group: Sequence[Any]) -> Any:
    """The variable of the result."""
    return next(each for each in reversed(group) if _is_choice(each)).outvars[0]


def _is_choice(equation: Any) -> bool:
    return operation_name(equation) in ("_where", "select_n")  # simplified loops have no calls


def _is_part(equation: Any) -> bool:
    traceback = equation.source_info.traceback
    return traceback is not None and any(
        "pow" in frame.function_name and frame.file_name.endswith("numpy/ufuncs.py")
        for frame in traceback.frames
    )
