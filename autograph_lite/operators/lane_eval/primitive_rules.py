"""Transfer functions: what does an operation give for numbers that Python would have had? One NumPy function per primitive.

A number is kept for many iterations at once, one lane for each: as Python computes it, and, where it is a float, also as
the program does, in its narrower type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals.dataflow.primitive_traits import COMPARISONS, FOLDS

Lanes = np.ndarray[Any, Any]


class UnlikePythonError(Exception):
    """Python would have done something else than the program; says what."""


class TooCloseError(UnlikePythonError):
    """Floats are so close to where an operation jumps that the program's may lie on the other side."""


@dataclasses.dataclass(frozen=True)
class Known:
    """A value that depends on nothing but the number of the iteration."""

    python: Lanes  # as Python computes it; the first axis is that of the lanes; there may be one lane for all
    program: Lanes  # as the program does
    lost: Lanes  # where the program's type can't hold it

    def at(self, lanes: Lanes, count: int) -> Known:
        """The value in some of `count` lanes."""
        return self.changed(lambda array: array if len(array) == 1 != count else array[lanes])

    def as_python(self) -> Known:
        """The value, if the program computes what Python does."""
        return Known(self.python, self.python, self.lost)

    def changed(self, change: Callable[[Lanes], Lanes]) -> Known:
        """The value with other lanes, or of another shape: `change` is asked for each of its arrays."""
        python = change(self.python)
        return Known(
            python, python if self.python is self.program else change(self.program), change(self.lost)
        )

    @property
    def exact(self) -> bool:
        """Whether the program computes what Python does."""
        return self.python is self.program or bool(np.all(self.python == self.program))


def same_in_all_lanes(value: Any) -> Known:
    """A number, or an array of them, that is the same in all lanes."""
    plain = np.asarray(value)
    python = plain[None]
    if plain.dtype.kind == "f":
        exact = np.asarray(float(value))[None] if isinstance(value, float) else python.astype(np.float64)
        return Known(exact, python.astype(np.float32), np.zeros(1, bool).reshape((1,) * python.ndim))
    if plain.dtype.kind == "c":
        exact = python.astype(np.complex128)
        return Known(exact, python.astype(np.complex64), np.zeros((1,) * python.ndim, bool))
    if plain.dtype.kind in "iu":
        python = python.astype(np.int64)
    return Known(python, python, np.zeros((1,) * python.ndim, bool))


def _divided(a: Lanes, b: Lanes) -> Lanes:
    return a / b if a.dtype.kind in "fc" else np.sign(a) * np.sign(b) * (abs(a) // abs(b))


def _rest(a: Lanes, b: Lanes) -> Lanes:
    return np.fmod(a, b) if a.dtype.kind == "f" else a - b * _divided(a, b)


def _power(a: Lanes, b: Lanes) -> Lanes:
    if a.dtype.kind in "fc":
        return np.asarray(np.power(a, b.astype(a.dtype)))
    return np.asarray(np.power(a.astype(object), b.astype(object)))


def _rounded(a: Lanes, *, rounding_method: int) -> Lanes:
    return np.rint(a) if int(rounding_method) else np.trunc(a + np.copysign(0.5, a))


def _shifted(a: Lanes, b: Lanes) -> Lanes:
    if (b < 0).any():
        raise UnlikePythonError("a number is shifted by a negative one, for which Python raises ValueError")
    return np.asarray(np.left_shift(a.astype(object), b.astype(object)))


def _chosen(which: Lanes, *cases: Lanes) -> Lanes:
    result = cases[0]
    for place, case in enumerate(cases[1:], 1):
        result = np.where(which == place, case, result)
    return result


RULES: dict[str, Callable[..., Any]] = {
    **FOLDS, "div": _divided, "rem": _rest, "pow": _power, "integer_pow": lambda a, *, y: _power(a, np.asarray([y])),
    "floor": np.floor, "ceil": np.ceil, "round": _rounded, "shift_left": _shifted,
    "shift_right_arithmetic": lambda a, b: np.right_shift(a, np.minimum(b, 63)),
    "select_n": _chosen, "is_finite": np.isfinite, "real": np.real, "imag": np.imag,
    "complex": lambda a, b: a + 1j * b, "conj": lambda a, **_: np.conj(a),
}  # fmt: skip
JUMPS = COMPARISONS | {"floor", "ceil", "round", "rem"}
RELATIVE = 1e-4  # floats that differ by less may compare otherwise in the narrower type
TWICE = 2  # XLA's roundings may add up to as much as NumPy's do
LESS_EXACT = "a float is less exact in the arrays of the program than in Python"
DRIFT = 1e-5  # of a float: some hundred roundings of a float32
WRONG = 1e-3  # of a float: nobody would call it rounding
NOISE = 1e-12  # of the largest of the floats: what is smaller may be Python's rounding, as `0.1 * 3 - 0.3` is


def applied(
    name: str, operands: Sequence[Known], params: dict[str, Any], aval: Any, *, strong: bool = False
) -> Known | None:
    """The result of a primitive; None where Python would not have had it as a number, unless it may be `strong`.

    Raises:
      UnlikePythonError: Python raises an exception, or the rounding of floats decides.
    """
    operands = aligned(operands)
    if name in ("div", "rem") and (operands[1].python == 0).any():
        raise UnlikePythonError("a number is divided by zero, for which Python raises ZeroDivisionError")
    if name in JUMPS:
        _refuse_close(name, operands)
    options = {
        k: params[k] for k in ("y", "rounding_method") if k in params and name in ("integer_pow", "round")
    }
    with np.errstate(all="ignore"):
        python = RULES[name](*(o.python for o in operands), **options)
        same = all(o.python is o.program for o in operands)
        program = python if same else RULES[name](*(o.program for o in operands), **options)
        if name == "div" and aval.dtype == np.float64:  # XLA may multiply by the reciprocal of a number
            program = np.where(python == np.rint(python), program, np.nextafter(program, np.inf))
    lost = _chosen(operands[0].python, *(o.lost for o in operands[1:])) if name == "select_n" else False
    for operand in operands[:1] if name == "select_n" else operands:
        lost = lost | operand.lost
    return fit_type(python, program, np.asarray(lost), aval, strong=strong)


def aligned(operands: Sequence[Known]) -> Sequence[Known]:
    """Numbers and rows of numbers, which an operation takes side by side: a number counts for all of a row."""
    axes = max(operand.python.ndim for operand in operands)

    def row(array: Lanes) -> Lanes:
        return array.reshape(len(array), *array.shape[1:], *(1 for _ in range(axes - array.ndim)))

    if all(operand.python.ndim == axes for operand in operands):
        return operands
    return [operand.changed(row) for operand in operands]


def _refuse_close(name: str, operands: Sequence[Known]) -> None:
    """Refuses floats so close to where an operation jumps that the program's may lie on the other side."""
    if operands[0].python.dtype.kind not in "fc" or all(operand.exact for operand in operands):
        return
    a, off = operands[0].python, _drift(operands[0])
    if name == "rem":
        with np.errstate(all="ignore"):
            a, off = a / operands[1].python, (off + _drift(operands[1])) / abs(operands[1].python)
        b = np.rint(a)
    elif len(operands) > 1:
        b, off = operands[1].python, off + _drift(operands[1])
    else:
        b = np.rint(a - 0.5) + 0.5 if name == "round" else np.rint(a)
    if (abs(a - b) <= np.maximum(RELATIVE * np.maximum(1, abs(a) + abs(b)), TWICE * off)).any():
        raise TooCloseError("floats are compared or rounded that differ by no more than a float32 may be off")


def _drift(operand: Known) -> Lanes:
    """How far what the program computes is from what Python does, rounded to the program's type."""
    with np.errstate(all="ignore"):
        off = operand.program - operand.python.astype(operand.program.dtype)
    return np.asarray(np.abs(off), np.float64)


def has_drifted(operand: Known) -> bool:
    """Whether the program has a number with less than the precision of its type, as after `(i + 0.001) - i`.

    Beside the largest of them; or in a lane by so much that what is divided by it is wrong: `1 - math.cos(0.001 * i)`.
    """
    if operand.python.dtype.kind not in "fc" or not operand.python.size:
        return False
    sizes = np.abs(operand.python)
    with np.errstate(all="ignore"):
        largest, off = np.max(sizes), _drift(operand)
        drifted = (off > DRIFT * largest) | ((off > WRONG * sizes) & (sizes > NOISE * largest))
    return bool((drifted & ~operand.lost).any())


def is_less_exact(operand: Known) -> bool:
    """Whether the program has a number with less than the precision of its type in some lane, however small it is there."""
    if operand.python.dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        drifted = _drift(operand) > DRIFT * np.abs(operand.python)
    return bool((drifted & ~operand.lost).any())


def fit_type(python: Lanes, program: Lanes, lost: Lanes, aval: Any, *, strong: bool = False) -> Known | None:
    """A value of that type; lost where the type can't hold it, and None where the type is none of a Python number's.

    Floats that came from arrays are `strong`: Python has them in their own type, too.
    """
    if aval.dtype == bool:
        return Known(python, program, lost)
    weak, kind = getattr(aval, "weak_type", False), np.dtype(aval.dtype).kind
    if kind in "iu":
        info = np.iinfo(aval.dtype)
        over = np.asarray((python < info.min) | (python > info.max), bool)
        if over.any():
            if not weak:
                return None
            python, lost = np.where(over, 0, python), lost | over
        if info.bits < 64 or kind == "i":
            python = python.astype(np.int64)
        return Known(python, python, lost)
    if kind not in "fc" or not (weak or strong):
        return None
    with np.errstate(all="ignore"):
        python = python if weak else python.astype(aval.dtype)
        python = python.astype(np.float64 if kind == "f" else np.complex128)
        program = program.astype(aval.dtype)
    return Known(python, program, lost | ~np.isfinite(program))


def convert_lanes(operand: Known, aval: Any, *, strong: bool = False) -> Known | None:
    """`operand` in another type, as `fit_type` has it. Raises UnlikePythonError: it does not fit, or rounding decides."""
    kind = np.dtype(aval.dtype).kind
    if kind == "c":
        return fit_type(operand.python, operand.program, operand.lost, aval, strong=strong)
    if operand.python.dtype.kind == "f" and kind in "iu":
        _refuse_close("floor", [operand])
        with np.errstate(all="ignore"):
            whole = np.trunc(operand.python).astype(object)
        return fit_type(whole, whole, operand.lost, aval)
    if operand.python.dtype.kind != "f" and kind == "f":
        python, program = operand.python.astype(np.float64), operand.python.astype(aval.dtype)
        return fit_type(python, program, operand.lost, aval, strong=strong)
    if kind == "b":
        if ((operand.python != 0) != (operand.program != 0)).any():
            raise UnlikePythonError(LESS_EXACT)
        return Known(operand.python != 0, operand.python != 0, operand.lost)
    if kind in "iu" and operand.python.dtype.kind in "iub":
        info = np.iinfo(aval.dtype)
        whole = operand.python.astype(np.int64) if operand.python.dtype != object else operand.python
        if ((whole < info.min) | (whole > info.max)).any():
            raise UnlikePythonError(f"a number does not fit into {aval.dtype}, which Python would tell")
        return fit_type(whole, whole, operand.lost, aval)
    return (
        fit_type(operand.python, operand.program, operand.lost, aval, strong=strong) if kind == "f" else None
    )
