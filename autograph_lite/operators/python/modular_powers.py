"""Modular powers: what is `pow(base, exp, mod)` of traced ints? It is computed by squaring, in a loop.

Knuth, "The Art of Computer Programming", volume 2, 4.6.3, algorithm A. Its products have 64 bits where the modulus has 32. A
negative exponent is one of the inverse, by Euclid's algorithm, extended: 4.5.2, algorithm X.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.loops.while_stmt import while_stmt
from autograph_lite.operators.values.values import traced


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    """`pow(base, exp, mod)`: a traced exponent below 0, which asks for an inverse, is a ValueError."""
    if mod is None or not any(map(traced, (base, exp, mod))):
        return pow(base, exp) if mod is None else pow(base, exp, mod)
    base, exp, mod = map(_int, (base, exp, mod))
    if traced(mod):
        carried_checks.fail_if(mod == 0, ValueError("pow() 3rd argument cannot be 0"))
        mod = jnp.where(mod == 0, 1, mod)
    if traced(exp):
        error = ValueError("pow() with a traced exponent needs one of 0 or more")
        carried_checks.fail_if(exp < 0, error)
    elif exp < 0:
        base, exp = _inverse(base, mod), -exp

    def step(result: Any, base: Any, exp: Any) -> tuple[Any, Any, Any]:
        return jnp.where(exp % 2 == 1, result * base % mod, result), base * base % mod, exp // 2

    return while_stmt(lambda _, __, exp: exp > 0, step, (1 % mod, base % mod, exp))[0]


def _inverse(base: Any, mod: Any) -> Any:
    """The number whose product with `base` is 1, but for multiples of `mod`."""

    def step(rest: Any, next_rest: Any, factor: Any, next_factor: Any) -> tuple[Any, Any, Any, Any]:
        times = rest // next_rest
        return next_rest, rest - times * next_rest, next_factor, factor - times * next_factor

    rest, _, inverse, _ = while_stmt(lambda _, rest, *__: rest != 0, step, (abs(mod), base % abs(mod), 0, 1))
    carried_checks.fail_if(rest != 1, ValueError("base is not invertible for the given modulus"))
    return inverse


def _int(number: Any) -> Any:
    if jnp.ndim(number) or not jnp.issubdtype(jnp.result_type(number), jnp.integer):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    return number_types.pythons_number(number, jnp.result_type(int)) if traced(number) else number
