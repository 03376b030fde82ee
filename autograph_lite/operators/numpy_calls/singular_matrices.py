"""Singular matrices: where does NumPy raise a LinAlgError, and JAX goes on with NaN? A `try` that catches it sees it.

try: y = np.linalg.solve(a, b)            a check of the program, whether the result of finite operands is finite
except np.linalg.LinAlgError: y = b
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.checks import carried_checks, catching

_SINGULAR = "Singular matrix"
_MESSAGES = {"inv": _SINGULAR, "solve": _SINGULAR, "cholesky": "Matrix is not positive definite"}


def _caught(fun: Callable[..., Any], message: str) -> Callable[..., Any]:
    """A function of `jax.numpy.linalg` that raises where NumPy's does, if a `try` catches that."""

    @functools.wraps(fun)
    def run(a: Any, *others: Any, **named: Any) -> Any:
        found = fun(a, *others, **named)
        if not catching.is_caught(np.linalg.LinAlgError):
            return found
        known = jnp.stack([jnp.all(jnp.isfinite(jnp.asarray(each))) for each in (a, *others)])
        failed = jnp.all(known) & ~jnp.all(jnp.isfinite(found))
        carried_checks.fail_if(failed, np.linalg.LinAlgError(message))
        # Nothing is made of the result then; a derivative would be NaN.
        return fun(jnp.where(failed, jnp.eye(jnp.shape(a)[-1]), a), *others, **named)

    return run


CAUGHT = {name: _caught(getattr(jnp.linalg, name), message) for name, message in _MESSAGES.items()}
