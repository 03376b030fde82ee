"""Does the error about a call that needs a value name JAX's function, or what to write?"""

from __future__ import annotations

import decimal
import json
import math
from collections.abc import Callable
from math import sqrt
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError

from .messages import message

GENERAL = "compute with jax.numpy on the array, or pass the value as a Python number, which is not traced."


def own(x: Any) -> Any:
    return math.log(x)


def spread_over_lines(x: Any) -> Any:
    while x < 10:
        x += np.maximum(
            x,
            3.0,
        )
    return x


def hidden_by_a_local(x: Any) -> Any:
    math = np
    return math.floor(x)


def shadowed(x: Any) -> Any:
    class Mine:
        @staticmethod
        def floor(value: Any) -> float:
            return value.__float__()

    math = Mine
    return math.floor(x)


@pytest.mark.parametrize(
    ("fn", "fix"),
    [
        (lambda x: math.floor(x), "use jnp.floor in place of math.floor."),
        (lambda x: sqrt(x) + 1, "use jnp.sqrt in place of sqrt."),
        (lambda x: math.lgamma(x), "use jax.scipy.special.gammaln in place of math.lgamma."),
        (lambda x: math.erf(x), "use jax.scipy.special.erf in place of math.erf."),
        (lambda x: np.where(x > 0, x, 0), "use jnp.where in place of np.where."),
        (lambda x: np.linalg.norm(x), "use jnp.linalg.norm in place of np.linalg.norm."),
        (lambda x: math.floor(np.tanh(x)), "use jnp.tanh in place of np.tanh."),
        (lambda x: [math.exp(v) for v in (x, x)], "use jnp.exp in place of math.exp."),
        (lambda x: own(x) if x > 0 else x, "use jnp.log in place of math.log."),
        (spread_over_lines, "use jnp.maximum in place of np.maximum."),
        (hidden_by_a_local, "use jnp.floor in place of math.floor."),
        (
            lambda x: (2 * x).item(),
            "write (2 * x) in place of (2 * x).item(): a program takes it for a number.",
        ),
        (lambda x: x.tolist(), "write list(x) in place of x.tolist()."),
    ],
)
def test_the_remedy_names_what_to_write(fn: Callable[[Any], Any], fix: str) -> None:
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert caught.value.fix == fix


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.item(0),
        lambda x: math.fsum([x]),
        lambda x: np.random.normal(x),
        lambda x: np.arange(x),
        lambda x: np.ones(x.astype(int)),
        lambda x: list(map(math.floor, [x])),
        shadowed,
    ],
    ids=[
        "item(0)",
        "no such function of JAX's",
        "no function of arrays",
        "a range",
        "a size",
        "no call of the line's",
        "another of that name",
    ],
)
def test_the_remedy_is_general_where_nothing_is_known_to_take_its_place(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert caught.value.fix == GENERAL


def test_what_is_named_exists() -> None:
    found = [name for name in dir(math) if hasattr(jnp, name)]

    assert {"floor", "ceil", "sqrt", "exp", "log", "sin", "hypot", "isnan", "prod"} <= set(found)


@pytest.mark.parametrize(
    "fn", [lambda x: decimal.Decimal(x), lambda x: json.dumps([x])], ids=["Decimal", "json"]
)
def test_a_library_that_names_the_type(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError, match="Python needs the value of a traced array") as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert "Tracer" not in str(caught.value)


def test_a_whole_message() -> None:
    def f(x):
        return np.where(x > 0, x, 0)

    assert message(f, jnp.float32(1)) == (
        "PythonOnlyError: Python needs the value of a traced array. The numpy.ndarray conversion method __array__() was "
        "called on traced array with shape bool[]\n"
        "  test.py:1 in f\n"
        "      return np.where(x > 0, x, 0)\n"
        "  The value is known when the compiled program runs, and not while the function is traced.\n"
        "  Fix: use jnp.where in place of np.where."
    )
