"""Errors of floats: has the function told NumPy, or `warnings`, to raise where it gives infinity or nan otherwise?

    with np.errstate(divide="raise"):     refused where an operation of NumPy's on traced values may divide by zero
        y = a / b
    with np.errstate(divide="ignore"):    as it is
        y = a / b

What holds where a program is called is not part of it: the next call may find something else.
"""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.core import Tracer

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals.references import number_types, numpys_arrays, view_equations
from autograph_lite.tracing import thread

# What is raised, "divide", by which words that was told, and which filter of warnings.
Told = dict[str, tuple[str, int]]

_NAMES = {"d": "divide", "o": "over", "u": "under", "i": "invalid"}
# Which of them an operation may raise of floats, by their first letters; any other operation each of them.
_MAY_RAISE = {
    letters: frozenset(names.split())
    for letters, names in {
        # These give what they are handed, or parts of it, or bools.
        "": "< <= > >= == != & | ^ << >> abs absolute all amax amin any append argmax argmin array asanyarray "
        "ascontiguousarray atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to ceil choose clip "
        "column_stack compress concat concatenate copy copysign cummax cummin delete diag diagonal dstack empty_like "
        "extract fabs fill_diagonal fix floor fmax fmin full_like hstack insert max maximum min minimum nan_to_num "
        "nanmax nanmin negative ones_like pad partition positive repeat resize rint roll round select sign sort stack "
        "take tile tril triu trunc unique vstack where zeros_like",
        "oi": "+ - add subtract sum cumsum mean nansum trace diff",
        "oui": "* @ multiply matmul square prod cumprod dot inner exp exp2 expm1 sinh cosh",
        "doi": "// divmod floor_divide",
        "i": "% mod remainder fmod sqrt sin cos arcsin arccos",
    }.items()
}
_OF_INTEGERS = frozenset({"//", "%", "divmod", "floor_divide", "remainder", "mod", "fmod"})
_SHOWN = {
    "add": "+", "sub": "-", "mul": "*", "matmul": "@", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip


def raised_float_errors() -> Told:
    """What NumPy and Python raise now of errors of floats, or hand to a function of the user's."""
    errors, warned = np.geterr(), _raised_warning()
    raised = {kind: (f"{kind}={how!r}", 0) for kind, how in errors.items() if how in ("raise", "call", "log")}
    if warned is not None:
        kinds = (kind for kind, how in errors.items() if how == "warn")
        raised |= dict.fromkeys(kinds, ("warnings='error'", id(warned)))
    return raised


def _raised_warning() -> Any:
    """The filter by which Python raises NumPy's warnings of floats; None where it does not."""
    for each in warnings.filters:
        action, message, kind, *_ = each
        if issubclass(RuntimeWarning, kind) and (message is None or "encountered" in str(message.pattern)):
            return each if action == "error" else None
    return None


def refuse_float_errors(name: str, *operands: Any, of_numpy: bool = False) -> None:
    """Refuses an operation for which the function has told NumPy to raise errors of floats, where it may come to one.

    Args:
      name: of an operator, "__rtruediv__", a method, or a function.
      operands: of it, or what it gives; nothing is refused of Python's numbers.
      of_numpy: whether it is a function of NumPy's, which takes JAX's arrays for its own.

    Raises:
      PythonOnlyError: it may.
    """
    before: Told | None = thread.now.float_errors
    if before is None or not (now := raised_float_errors()) or now == before:
        return
    if name[0] == "_":
        name = name.strip("_")
        name = _SHOWN.get(name, _SHOWN.get(name[1:], name))
    new = {kind: how for kind, how in now.items() if how not in before.values()}
    raised = [new[kind][0] for kind in _kinds(name, operands) if kind in new]
    if not raised or not (of_numpy or any(map(_is_numpys, operands))):
        return
    raise PythonOnlyError(
        f"'{name}' is asked of traced values where NumPy is told to raise errors of floats, "
        f"{', '.join(dict.fromkeys(raised))}.",
        why="A compiled program goes on with infinity or nan there, and raises nothing.",
        fix="leave out what tells NumPy so, and test the values before, `if b == 0:`, or what has come out,\n"
        "  `if not np.isfinite(y): raise FloatingPointError(...)`.",
    )


def _kinds(name: str, operands: Any) -> list[str]:
    """The errors that an operation may come to."""
    given = [
        each
        for each in operands
        if isinstance(each, (jax.Array, np.ndarray, np.generic, int, float, complex))
    ]
    if name != "/" and not any(jnp.issubdtype(jnp.result_type(each), np.inexact) for each in given):
        return ["divide"] if name in _OF_INTEGERS else []
    if name in view_equations.VIEWING:
        return []
    return [_NAMES[each] for each in next((of for of, names in _MAY_RAISE.items() if name in names), "doui")]


def _is_numpys(value: Any) -> bool:
    return (
        isinstance(value, Tracer)
        and number_types.is_pythons_number(value) is not True
        and numpys_arrays.would_be_numpys(value)
    )
