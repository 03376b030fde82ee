"""What do your own tests need? `assert_converts`, which pytest has as a fixture, and arrays of Hypothesis's.

def test_step(assert_converts):
    assert_converts(step, jnp.ones(3), n=2)

@given(arrays("float32", (3,)))
def test_step_on_any_array(x):
    assert_converts(step, x, n=2)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite import api
from autograph_lite.errors import RetraceWarning

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_LARGEST = 8  # of what is drawn: sums and products of a few stay exact, or close


def assert_converts(
    fn: Callable[..., Any], /, *args: Any, rtol: float | None = None, atol: float = 0.0, **kwargs: Any
) -> Any:
    """Asserts that `fn`, converted and compiled, does what it does in Python.

    A function that is not converted yet is converted again each time; one that is keeps its traces.

    Args:
      fn: a function, or what `convert` made of it, whose options hold then.
      *args: of the call.
      rtol: as for `autograph_lite.verify`.
      atol: likewise.
      **kwargs: of the call.

    Returns:
      What the compiled function returns.

    Raises:
      VerificationError: it does something else, or is refused; the message names the first statement that differs.
      Exception: what both raise.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RetraceWarning)  # a test that converts a function each time means to
        report = api.verify(fn, rtol=rtol, atol=atol)(*args, **kwargs)
    if not report.ok:
        raise report.error() from report.raised
    if report.raised is not None:
        raise report.raised
    return report.result


def arrays(
    dtype: Any = "float32",
    shape: int | tuple[int, ...] | SearchStrategy[Any] = (),
    *,
    elements: SearchStrategy[Any] | None = None,
) -> SearchStrategy[jax.Array]:
    """Arrays of JAX's, for Hypothesis.

    Args:
      dtype: of the arrays.
      shape: of the arrays, or a strategy for it.
      elements: a strategy for the numbers; None for small ones, without nan and infinity.

    Returns:
      A strategy.
    """
    from hypothesis.extra import numpy as drawn

    kind = jnp.dtype(dtype)
    # Hypothesis knows NumPy's own dtypes: what JAX adds to these is cast.
    own = (
        kind
        if kind.kind in "biufc"
        else np.dtype(np.float32 if jnp.issubdtype(kind, jnp.floating) else np.int32)
    )
    found = drawn.arrays(own, shape, elements=_elements(kind) if elements is None else elements)
    return found.map(lambda array: jnp.asarray(array, kind))


def keys() -> SearchStrategy[jax.Array]:
    """Random keys, for Hypothesis.

    Returns:
      A strategy for what `jax.random.key` gives.
    """
    from hypothesis import strategies

    return strategies.integers(0, 2**31 - 1).map(jax.random.key)


def _elements(dtype: Any) -> SearchStrategy[Any]:
    from hypothesis import strategies

    if dtype.kind == "b":
        return strategies.booleans()
    if jnp.issubdtype(dtype, jnp.integer):
        return strategies.integers(
            0 if jnp.issubdtype(dtype, jnp.unsignedinteger) else -_LARGEST, _LARGEST - 1
        )
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return strategies.complex_numbers(
            max_magnitude=_LARGEST, width=64, allow_nan=False, allow_infinity=False
        )
    return strategies.integers(-_LARGEST * 8, _LARGEST * 8).map(lambda eighths: eighths / 8)


__all__ = ["arrays", "assert_converts", "keys"]
