"""Powers of integers: what is an int to the power of an int, which is a float in Python where the exponent is negative?

2 ** i                  an int where the exponent is known to be 0 or more, and where its sign is not known: there, a check fails
10 ** -i, k ** -1       where it is known to be 0 or less, a float: 1.0 is 1
np.array([1, 2]) ** -k  NumPy's integers have no such powers
np.array([0, 3]) ** 64  wraps around, where JAX reads six bits of an exponent: 0 ** 64 is 1 to it
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import Location, PythonOnlyError
from autograph_lite.jax_internals import constant_folding
from autograph_lite.jax_internals.dataflow import long_literals, python_ints, recorded_ints
from autograph_lite.jax_internals.loops.powers import EXPONENTS
from autograph_lite.jax_internals.references import number_types, numpys_arrays
from autograph_lite.operators.checks import carried_checks, divisions, exception_templates
from autograph_lite.operators.values.values import traced

_NUMBERS = (int, np.integer, np.bool_, np.ndarray, jax.Array)


def power(base: Any, exponent: Any, compute: Callable[[], Any]) -> Any:
    """`base ** exponent`, one of them traced, which `compute` computes as JAX does."""
    if not (_is_integer(base) and _is_integer(exponent)):
        return compute()
    if not (_is_pythons(base) and _is_pythons(exponent)):
        if not all(map(_is_pythons_or_numpys, (base, exponent))):
            return compute()
        if not _is_positive(exponent):
            check_integers(base, exponent)
        return with_all_bits(base, exponent, compute)
    low, high = _ends(exponent)
    if low >= 0 or high > 0:
        return long_literals.python_power(compute())
    least, most = _ends(base)
    if least <= 0 <= most:
        no_power = divisions.python_error("**", is_float=False)
        carried_checks.fail_if(jnp.logical_and(base == 0, exponent < 0), no_power)
    number = number_types.pythons_number(base, jnp.result_type(float)) if traced(base) else float(base)
    return number**exponent


def check_integers(base: Any, exponent: Any) -> None:
    """NumPy's ValueError where integers are raised to negative integer powers; raised here where that is known."""
    if not (_is_integer(base) and _is_integer(exponent)) or _is_positive(exponent) or 0 in jnp.shape(base):
        return
    if hasattr(base, "dtype"):
        numpys_arrays.refuse_beyond(base, exponent)
    error = ValueError("Integers to negative integer powers are not allowed.")
    if traced(exponent):
        carried_checks.fail_if(jnp.any(jnp.less(exponent, 0)), error)
    elif np.any(np.less(exponent, 0)):
        exception_templates.explicit(error)
        raise error


def with_all_bits(base: Any, exponent: Any, compute: Callable[[], Any]) -> Any:
    """`base ** exponent` of NumPy's integers; `compute` does it by the last six bits of the exponent, as JAX does."""
    power = compute()
    is_static = not traced(exponent) and np.ndim(exponent) == 0  # JAX reads all of that
    if is_static or not (_is_integer(base) and _is_integer(exponent)) or _most(exponent) < EXPONENTS:
        return power
    base = jnp.asarray(base).astype(power.dtype)
    exponent = jnp.asarray(exponent)
    for _ in range(6, 8 * exponent.dtype.itemsize, 6):
        base, exponent = lax.integer_pow(base, EXPONENTS), exponent >> 6
        power *= jnp.power(base, exponent).astype(power.dtype)
    return power


def _most(exponent: Any) -> float:
    """The largest of exponents, as far as it is known."""
    if _kind(exponent) == "b":
        return 1
    if not traced(exponent):
        return int(np.max(exponent, initial=0))
    return _ends(exponent)[1] if _is_pythons(exponent) else math.inf


def unknown_sign(where: Location | None) -> PythonOnlyError:
    """The error of a line of the user's that raises an int of Python's to a negative power, which nobody has foreseen."""
    return PythonOnlyError(
        f"'{where.text if where else 'A loop'}' raises an int to a negative power.",
        where=where,
        why="Python gives a float there, and an int for other exponents. The program has one type: the sign was not known.",
        fix="make the base a float: 2.0 ** e for 2 ** e.",
    )


def _is_integer(value: Any) -> bool:
    return isinstance(value, _NUMBERS) and _kind(value) in "iub"


def _kind(value: Any) -> str:
    return getattr(value.dtype, "kind", "V") if hasattr(value, "dtype") else "i"


def _is_positive(exponent: Any) -> bool:
    """Whether no exponent is negative, as far as that is known without a look at arrays."""
    return _kind(exponent) in "ub" or (_is_pythons(exponent) and _ends(exponent)[0] >= 0)


def _is_pythons(value: Any) -> bool:
    return type(value) in (int, bool) or (traced(value) and python_ints.is_int(jax.typeof(value)))


def _is_pythons_or_numpys(value: Any) -> bool:
    return not isinstance(value, jax.Array) or _is_pythons(value) or numpys_arrays.would_be_numpys(value)


def _ends(value: Any) -> tuple[float, float]:
    if not traced(value):
        return int(value), int(value)
    return recorded_ints.ends_of(value, python_ints.LONG.most) or python_ints.LONG.most


constant_folding.power_of_numbers.append(power)
