"""Functions of numbers: what do `math.sin(0.1 * i)` and `np.sqrt(i)` give in a loop that is traced with an array in place of `i`?

What Python gives, which computes in 64 bits: it is asked for each iteration, and these are given the results. The program
records the call as that of a function of its own, by whose name it is known again. It is left in the program where the
numbers are not known, as those of a loop around that is not rolled, and is JAX's function there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals.dataflow import scan_ir
from autograph_lite.operators.lane_eval import primitive_rules
from autograph_lite.operators.lane_eval.primitive_rules import Known, UnlikePythonError

_SHARED = (
    "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "fabs", "log", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_OF_MATH = (*_SHARED, "acos", "asin", "atan", "atan2")
_OF_NUMPY = (*_SHARED, "arccos", "arcsin", "arctan", "arctan2")
_PYTHON, _NUMPY = f"{scan_ir.OF_NUMBERS}python_", f"{scan_ir.OF_NUMBERS}numpy_"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f"{_PYTHON}{name}": getattr(math, name) for name in _OF_MATH},
    **{f"{_NUMPY}{name}": getattr(np, name) for name in _OF_NUMPY},
}
# As the program computes them, in its own types.
_PROGRAMS: dict[str, Callable[..., Any]] = {
    **{
        f"{_PYTHON}{name}": getattr(np, name.replace("a", "arc", 1) if name.startswith("a") else name)
        for name in _OF_MATH
    },
    **{f"{_NUMPY}{name}": getattr(np, name) for name in _OF_NUMPY},
}
_NAMES = {id(fun): name for name, fun in FUNCTIONS.items()}


def knows_function(fn: Any) -> bool:
    """Whether `fn` is one of these functions."""
    return id(fn) in _NAMES


@functools.cache
def call_of_numbers(fn: Any, counterpart: Callable[..., Any]) -> Any:
    """`counterpart`, JAX's of `fn`, as the function that is known again."""

    def run(*numbers: Any) -> Any:
        return counterpart(*numbers)

    run.__name__ = _NAMES[id(fn)]
    return jax.jit(run)


def function_called(eqn: Any) -> str:
    """The name of the function that an equation calls; "" where it is none of these."""
    name = eqn.params.get("name") if eqn.primitive.name in ("jit", "pjit") else None
    return name if isinstance(name, str) and name in FUNCTIONS else ""


def gives_numpys_number(name: str) -> bool:
    """Whether it is the name of a function of NumPy's."""
    return name.startswith(_NUMPY)


def apply(name: str, operands: Sequence[Known], aval: Any) -> Known | None:
    """What the function of that name gives of numbers.

    Raises:
      UnlikePythonError: Python raises an exception, or NumPy warns.
    """
    lost = functools.reduce(np.logical_or, (operand.lost for operand in operands))
    lanes = np.broadcast_arrays(*(operand.python for operand in operands))
    numbers = zip(*(array.reshape(-1).tolist() for array in lanes), strict=True)
    try:
        with np.errstate(all="raise"):
            found = [FUNCTIONS[name](*each) for each in numbers]
    except (ArithmeticError, ValueError):
        shown = name.replace(_PYTHON, "math.").replace(_NUMPY, "np.")
        raise UnlikePythonError(f"{shown} has no value for one of its numbers") from None
    python = np.array(found).reshape(lanes[0].shape)
    with np.errstate(all="ignore"):
        program = _PROGRAMS[name](*(operand.program.astype(aval.dtype) for operand in operands))
    return primitive_rules.fit_type(python, program, lost, aval)
