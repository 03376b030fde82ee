"""What does the error say about a call that needs the value of a traced array, which no function of JAX's computes?"""

from __future__ import annotations

import decimal
import json
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError

from .messages import message

GENERAL = "compute with jax.numpy on the array, or pass the value as a Python number, which is not traced."


def shadowed(x: Any) -> Any:
    class Mine:
        @staticmethod
        def floor(value: Any) -> float:
            return value.__float__()

    math = Mine
    return math.floor(x)


@pytest.mark.parametrize(
    "fn",
    [lambda x: np.arange(x), lambda x: np.ones(x.astype(int)), lambda x: bytes(x.astype(int)), shadowed],
    ids=["a range", "a size", "bytes", "another of that name"],
)
def test_the_remedy_is_general_where_nothing_is_known_to_take_its_place(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert caught.value.fix == GENERAL


@pytest.mark.parametrize(
    "fn", [lambda x: decimal.Decimal(x), lambda x: json.dumps([x])], ids=["Decimal", "json"]
)
def test_a_library_that_names_the_type(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError, match="Python needs the value of a traced array") as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert "Tracer" not in str(caught.value)


def test_a_whole_message() -> None:
    def f(x):
        return math.factorial(x)

    assert message(f, jnp.int32(1)) == (
        "PythonOnlyError: 'math.factorial' is called with a traced value.\n"
        "  test.py:1 in f\n"
        "      return math.factorial(x)\n"
        "  It is NumPy's or Python's own: it would need the value, which is known when the compiled program runs.\n"
        "  Fix: compute it in floats, jnp.exp(jax.scipy.special.gammaln(n + 1)): Python's integers grow, and those of a "
        "program don't."
    )
