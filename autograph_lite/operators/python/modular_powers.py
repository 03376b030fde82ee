"""Modular powers: what is `pow(base, exp, mod)` of traced ints? It is computed by squaring, in a loop.

Knuth, "The Art of Computer Programming", volume 2, 4.6.3, algorithm A. Its products have 64 bits where the modulus has 32.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.loops.while_stmt import while_stmt
from autograph_lite.operators.values.values import traced


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    """`pow(base, exp, mod)`: an exponent below 0, which asks for an inverse, is a ValueError."""
    if mod is None or not any(map(traced, (base, exp, mod))):
        return pow(base, exp) if mod is None else pow(base, exp, mod)
    base, exp, mod = map(_int, (base, exp, mod))
    carried_checks.fail_if(
        jnp.less(exp, 0), ValueError("pow() with a traced exponent needs one of 0 or more")
    )

    def step(result: Any, base: Any, exp: Any) -> tuple[Any, Any, Any]:
        return jnp.where(exp % 2 == 1, result * base % mod, result), base * base % mod, exp // 2

    return while_stmt(lambda _, __, exp: exp > 0, step, (1 % mod, base % mod, exp))[0]


def _int(number: Any) -> Any:
    if jnp.ndim(number) or not jnp.issubdtype(jnp.result_type(number), jnp.integer):
        raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    return number_types.pythons_number(number, jnp.result_type(int)) if traced(number) else number
