"""What does the error say about a call that needs the value of a traced array, which no function of JAX's computes?"""

from __future__ import annotations

import decimal
import json
import math
import warnings
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
    [lambda x: bytes(x.astype(int)), shadowed],
    ids=["bytes", "another of that name"],
)
def test_the_remedy_is_general_where_nothing_is_known_to_take_its_place(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(fn)(jnp.float32(2.5))

    assert caught.value.fix == GENERAL


SIZES = {
    "arange": lambda n: np.arange(n),
    "between": lambda n: np.arange(0.0, n, 0.5),
    "zeros": lambda n: np.zeros((n + 1, 2)),
    "eye": lambda n: np.eye(n),
    "linspace": lambda n: np.linspace(0, 1, n),
    "tile": lambda n: np.tile([1.0, 2.0], n),
    "pad": lambda n: np.pad(np.ones(2), n),
    "axis": lambda n: np.ones((2, 2)).sum(axis=n),
    "count": lambda n: np.empty((np.nonzero(n * np.arange(3))[0].shape[0], 2)),
    "list": lambda n: [0.0] * n,
    "tuple": lambda n: n * (1, 2),
}


@pytest.mark.parametrize("fn", SIZES.values(), ids=SIZES)
def test_a_size_is_told_in_our_words(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(
        PythonOnlyError, match="handed over for a size, an axis|how often the items of a"
    ) as caught:
        autograph_lite.convert(fn)(np.int64(1))

    assert caught.value.fix is not None and "np.zeros(most)[:n]" in caught.value.fix
    assert "Abstract" not in str(caught.value) and "1D" not in str(caught.value)


def test_the_remedy_of_a_size_works() -> None:
    @autograph_lite.convert
    def f(n: Any) -> Any:
        return np.sum(np.zeros(9)[:n] + 1), np.arange(9)[:n].sum()

    assert [*map(float, f(np.int64(3)))] == [3.0, 3.0]


@pytest.mark.parametrize(
    "fn", [lambda x: np.unique(x.reshape(2, -1), axis=0), lambda x: np.repeat(x, x)], ids=["unique", "repeat"]
)
def test_a_number_of_items_that_values_tell(fn: Callable[[Any], Any]) -> None:
    with pytest.raises(PythonOnlyError, match="It tells how many items an array gets") as caught:
        autograph_lite.convert(fn)(np.arange(4))

    assert caught.value.fix is not None and "size=n" in caught.value.fix


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


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: float(x @ x),
        lambda x: int(x[0]),
        lambda x: complex(x),
        lambda x: math.sqrt(x),
        lambda x: round(float(x[0]), 1),
        lambda x: [1, 2, 3][int(x)],
    ],
    ids=["float", "int", "complex", "math", "round", "index"],
)
def test_an_array_with_axes_is_no_number_where_numpy_says_so(fn: Callable[[Any], Any]) -> None:
    x = np.array([[1.0]])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # before NumPy 2.4
            expected = fn(x)
    except TypeError:
        with pytest.raises(TypeError, match=r"only a (scalar|number) can"):
            autograph_lite.convert(fn)(x)
    else:
        assert autograph_lite.convert(fn)(x) == expected
    assert autograph_lite.convert(lambda x: x.item())(x) == 1
