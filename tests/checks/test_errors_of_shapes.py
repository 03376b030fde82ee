"""Arrays of NumPy's whose shapes do not fit: NumPy's error, in its words, which a handler catches and a path not taken has not."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert


def put_in_place(x, y):
    x += y
    return x


REFUSED = {
    "operator": lambda x, y: x + y,
    "operator from the right": lambda x, y: np.ones(7) - y,
    "comparison": lambda x, y: x == y,
    "product": lambda x, y: x @ y,
    "in place": put_in_place,
    "function": lambda x, y: np.maximum(x, y),
    "dot": lambda x, y: np.dot(x, y),
    "joined": lambda x, y: np.concatenate([x, y[None]]),
    "stacked": lambda x, y: np.vstack([x, y]),
    "method": lambda x, y: x.reshape(7),
    "matrix": lambda x, y: np.linalg.inv(np.outer(x, y)),
    "axis": lambda x, y: np.sum(x, axis=5),
}


_OWN_WORDS = "axis", "in place", "operator from the right"  # JAX's are as good, or the order is another


@pytest.mark.parametrize("name", REFUSED)
def test_error_is_numpys(name: str) -> None:
    fun = REFUSED[name]
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        fun(np.ones(3), np.ones(2))
    with pytest.raises(type(expected.value)) as found:
        convert(fun)(np.ones(3), np.ones(2))

    assert type(found.value) is type(expected.value)
    if name not in _OWN_WORDS:
        assert str(found.value) == str(expected.value)


def caught(x: Any, y: Any, c: Any) -> Any:
    total = 0.0
    for i in range(3):
        try:
            total += (x[: i + 1] * y).sum()
        except ValueError:
            total -= 10
    if c > 0:
        try:
            return total + np.concatenate([x, y]).reshape(2, 2).sum()
        except ValueError:
            return -total
    return total


def on_a_path(x: Any, y: Any, c: Any) -> Any:
    return (x + y).sum() if c > 0 else x.sum()


def test_handlers_catch_it_and_paths_that_are_not_taken_have_it_not() -> None:
    x, y = np.ones(3), np.ones(2)
    for c in (np.float64(1), np.float64(-1)):
        assert convert(caught)(x, y, c) == caught(x, y, c)
    assert convert(on_a_path)(x, y, np.float64(-1)) == 3
    with pytest.raises(ValueError, match="could not be broadcast together with shapes"):
        convert(on_a_path)(x, y, np.float64(1))


def test_arrays_of_jaxs_have_jaxs_error() -> None:
    with pytest.raises(TypeError, match="add got incompatible shapes"):
        convert(lambda x, y: x + y)(jnp.ones(3), jnp.ones(2))
