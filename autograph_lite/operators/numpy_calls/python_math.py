"""Numbers as Python's: what do `math`, `cmath` and methods as `x.item()`, `n.bit_length()` give of a traced number?

    math.sin(x), math.lgamma(x)           a float of `jnp.sin`, of `jax.scipy.special.gammaln`
    math.floor(x), math.isqrt(n)          an int
    math.remainder(x, y), math.isclose    other functions than JAX's of these names

Where Python raises, `math.sqrt(-1.0)`, a program goes on with NaN or infinity, as NumPy does; in a `try` that catches a
ValueError the functions in `_REAL` and `_POLES` raise that, too, and those in `_OVERFLOWS` an OverflowError where a double has no
room for the result: with float32s, `math.exp(100.0)` is infinity, and does not raise.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import catching, divisions, index_bounds
from autograph_lite.operators.numpy_calls import exact_values
from autograph_lite.operators.values.values import describe, is_one_number, known_value


def _number(value: Any, kind: type) -> Any:
    """A traced number that adds like one of Python's."""
    return number_types.pythons_number(value, jnp.result_type(kind))


def _operand(value: Any, kind: type) -> Any:
    array = jnp.asarray(value)
    if not is_one_number(array):
        raise TypeError(f"only a number can be handed to a function of Python's; this is {describe(array)}.")
    if kind is int and not jnp.issubdtype(array.dtype, jnp.integer) and array.dtype != bool:
        raise TypeError("'float' object cannot be interpreted as an integer")
    if kind is float and jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise TypeError("must be real number, not complex")
    return _number(array.reshape(()), kind)


def _of(fun: Callable[..., Any], given: type, gives: Any) -> Callable[..., Any]:
    """`fun` of numbers as Python's, which gives one, or a tuple of them; None is a bool's own type."""

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        found = fun(*(_operand(arg, given) for arg in args), **kwargs)
        if gives is None:
            return number_types.pythons_bool(found)
        return tuple(map(_number, found, gives)) if isinstance(gives, tuple) else _number(found, gives)

    return run


def _caught(name: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math` that raises a ValueError outside of its domain, where a `try` catches it."""

    def fails(found: Any, *args: Any) -> Any:
        known = [jnp.asarray(arg, float) for arg in args]
        failed = jnp.isnan(found) & ~functools.reduce(jnp.logical_or, map(jnp.isnan, known))
        if name not in _POLES:
            return failed
        infinite = jnp.isinf(found) & functools.reduce(jnp.logical_and, map(jnp.isfinite, known))
        at_poles = {"pow": known[0] == 0, "gamma": known[0] <= 0}  # elsewhere the result is too large
        return failed | (infinite & at_poles.get(name, True))

    inside = 2.0 if name == "acosh" else 0.5
    instead = lambda failed, *args: [jnp.where(failed, inside, arg) for arg in args]  # noqa: E731
    return catching.raising(fun, ValueError, "math domain error", fails, instead)


def _overflowing(name: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `math` that raises an OverflowError where its result is too large for a double, where a `try` catches it."""

    def fails(found: Any, *args: Any) -> Any:
        known = [jnp.asarray(arg, float) for arg in args]
        return functools.reduce(jnp.logical_and, map(jnp.isfinite, known)) & _OVERFLOWS[name](*known)

    instead = lambda failed, *args: [jnp.where(failed, 1, arg) for arg in args]  # noqa: E731
    return catching.raising(fun, OverflowError, "math range error", fails, instead)


_LARGEST = math.log(sys.float_info.max)
_OVERFLOWS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("exp", "expm1"), lambda x: x > _LARGEST),
    **dict.fromkeys(("sinh", "cosh"), lambda x: jnp.abs(x) > _LARGEST + math.log(2)),
    "exp2": lambda x: x >= sys.float_info.max_exp,
    "gamma": lambda x: x > 171.6243769563027,
    "pow": divisions.is_too_large,
    "ldexp": lambda x, i: (x != 0) & (jnp.frexp(x)[1] + i > sys.float_info.max_exp),
}
_POLES = ("atanh", "gamma", "lgamma", "log", "log10", "log1p", "log2", "pow")


def _log(x: Any, *base: Any) -> Any:
    if not base:
        return jnp.log(x)
    known = known_value(base[0])
    return jnp.log(x) / (jnp.log(base[0]) if known is None else lax.optimization_barrier(jnp.log(known)))


def _remainder(x: Any, y: Any) -> Any:
    """IEEE 754's: by the nearest multiple, the even one of two."""
    rest = jnp.fmod(jnp.abs(x), y := jnp.abs(y))
    other = rest - y
    is_odd = jnp.fmod(jnp.abs(x) - rest, 2 * y) != 0
    nearer = jnp.where((rest > -other) | ((rest == -other) & is_odd), other, rest)
    return jnp.where(jnp.isinf(y) & jnp.isfinite(x), x, jnp.copysign(1.0, x) * nearer)


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:
    larger = jnp.maximum(jnp.abs(a), jnp.abs(b))
    near = jnp.abs(a - b) <= jnp.maximum(rel_tol * larger, abs_tol)
    return (a == b) | (near & ~(jnp.isinf(a) | jnp.isinf(b)))


def _isqrt(n: Any) -> Any:
    root = jnp.sqrt(n).astype(n.dtype)
    root = jnp.where((root > 0) & (root > n // jnp.maximum(root, 1)), root - 1, root)
    return jnp.where(root + 1 <= n // (root + 1), root + 1, root)


def _hypot(*sides: Any) -> Any:
    return functools.reduce(jnp.hypot, sides, jnp.zeros(()))


def _ulp(x: Any) -> Any:
    x = jnp.abs(x)
    return jnp.nextafter(x, jnp.inf) - x


def _whole(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that rounds, which leaves an int as it is."""

    def run(x: Any) -> Any:
        array = jnp.asarray(x)
        if array.size == 1 and not jnp.issubdtype(array.dtype, jnp.inexact):
            return _operand(array, int)
        return _number(fun(divisions.finite(_operand(array, float))), int)

    return run


def _items(values: Iterable[Any]) -> list[Any]:
    return [*values]


def _fsum(seq: Iterable[Any], /) -> Any:
    return _number(sum(map(jnp.asarray, _items(seq)), jnp.zeros(())), float)


def _prod(iterable: Iterable[Any], /, *, start: Any = 1) -> Any:
    return functools.reduce(lambda total, item: total * item, _items(iterable), start)


def _sumprod(p: Iterable[Any], q: Iterable[Any], /) -> Any:
    return sum(a * b for a, b in zip(p, q, strict=True))


def _dist(p: Iterable[Any], q: Iterable[Any], /) -> Any:
    return _number(_hypot(*(jnp.asarray(a - b, float) for a, b in zip(p, q, strict=True))), float)


_REAL = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cos", "cosh", "degrees", "exp",
    "exp2", "expm1", "fabs", "fmod", "log10", "log1p", "log2", "nextafter", "radians", "sin", "sinh", "sqrt", "tan",
    "tanh",
)  # fmt: skip
_COMPLEX = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log10", "sin", "sinh", "sqrt", "tan",
    "tanh",
)  # fmt: skip
_ASKED = ("isnan", "isinf", "isfinite")

MATH: dict[str, Callable[..., Any]] = {
    **{name: _of(exact_values.FUNCTIONS.get(name) or getattr(jnp, name), float, float) for name in _REAL},
    **{name: _of(getattr(jnp, name), float, None) for name in _ASKED},
    **{name: _of(getattr(special, name), float, float) for name in ("erf", "erfc")},
    "gamma": _of(exact_values.gamma, float, float),
    "lgamma": _of(special.gammaln, float, float),
    "floor": _whole(jnp.floor), "ceil": _whole(jnp.ceil), "trunc": _whole(jnp.trunc),
    "frexp": _of(jnp.frexp, float, (float, int)), "modf": _of(jnp.modf, float, (float, float)),
    "ldexp": lambda x, i, /: _number(jnp.ldexp(_operand(x, float), _operand(i, int)), float),
    "gcd": lambda *n: functools.reduce(_of(jnp.gcd, int, int), n, 0),
    "lcm": lambda *n: functools.reduce(_of(jnp.lcm, int, int), n, 1),
    "isqrt": _of(_isqrt, int, int), "pow": _of(jnp.power, float, float), "log": _of(_log, float, float),
    "remainder": _of(_remainder, float, float), "isclose": _of(_isclose, float, None),
    "hypot": _of(_hypot, float, float), "ulp": _of(_ulp, float, float),
    "fsum": _fsum, "prod": _prod, "sumprod": _sumprod, "dist": _dist,
}  # fmt: skip
CMATH: dict[str, Callable[..., Any]] = {
    **{name: _of(getattr(jnp, name), complex, complex) for name in _COMPLEX},
    **{name: _of(getattr(jnp, name), complex, None) for name in _ASKED},
    "phase": _of(jnp.angle, complex, float), "log": _of(_log, complex, complex), "isclose": _of(_isclose, complex, None),
    "polar": _of(lambda z: (jnp.abs(z), jnp.angle(z)), complex, (float, float)),
    "rect": _of(lambda r, phi: r * jax.lax.complex(jnp.cos(phi), jnp.sin(phi)), float, complex),
}  # fmt: skip
MATH.update({name: _caught(name, MATH[name]) for name in (*_REAL, *_POLES, "remainder")})
MATH.update({name: _overflowing(name, MATH[name]) for name in _OVERFLOWS})
MATH["isqrt"] = catching.raising(
    MATH["isqrt"], ValueError, "isqrt() argument must be nonnegative",
    lambda _, n: jnp.asarray(n) < 0, lambda failed, n: [jnp.where(failed, 1, n)],
)  # fmt: skip
_BIG = "compute it in floats, jnp.exp(jax.scipy.special.gammaln(n + 1)): Python's integers grow, and those of a program don't."
REFUSED = {
    **dict.fromkeys(("factorial", "comb", "perm"), _BIG),
    "fma": "write x * y + z, which is rounded twice.",
}


def item(array: Any, *place: Any) -> Any:
    """`array.item()`: a number that adds like Python's."""
    if len(place) == 1 and not isinstance(place[0], tuple):
        array = array.reshape(-1)
        index_bounds.check_places(jnp.asarray(place[0]), array.size, array.size)
    array = array[place[0] if place and isinstance(place[0], tuple) else place] if place else array
    if array.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    kind = {"f": float, "i": int, "u": int, "c": complex}.get(np.dtype(array.dtype).kind, float)
    number = array.reshape(())
    return number_types.pythons_bool(number) if array.dtype == bool else _number(number, kind)


def has_no_fraction(number: Any) -> Any:
    """`number.is_integer()`, of a float."""
    if number.ndim:
        raise AttributeError("is_integer")  # as of an array of NumPy's
    return number_types.pythons_bool(number == jnp.floor(number))


def bit_length(number: Any) -> Any:
    """`number.bit_length()`, of an int of Python's. Raises AttributeError: it is an item of an array, or an array."""
    if number.ndim or not number.aval.weak_type or not jnp.issubdtype(number.dtype, jnp.integer):
        raise AttributeError("bit_length")
    rest: Any = abs(number)
    bits: Any = 0
    for step in (32, 16, 8, 4, 2, 1):
        high = rest >> step
        bits += jnp.where(high > 0, step, 0)
        rest = jnp.where(high > 0, high, rest)
    return bits + jnp.where(rest > 0, 1, 0)


def bit_count(number: Any) -> Any:
    """`number.bit_count()`. Raises AttributeError: it is no int, or an array."""
    if number.ndim or not jnp.issubdtype(number.dtype, jnp.integer):
        raise AttributeError("bit_count")
    return jnp.bitwise_count(abs(number)).astype(int)


def numerator(number: Any) -> Any:
    """`number.numerator`. Raises AttributeError: it is no int, or an array."""
    if number.ndim or not jnp.issubdtype(number.dtype, jnp.integer):
        raise AttributeError("numerator")
    return number


def denominator(number: Any) -> Any:
    """`number.denominator`. Raises AttributeError: it is no int, or an array."""
    return jnp.ones_like(numerator(number))


def tolist(array: Any) -> Any:
    """`array.tolist()`: its numbers, in lists."""
    return [tolist(row) for row in array] if array.ndim else item(array)
