"""`x += v` of an array of NumPy's that the function has made and others hold, under the user's own `jax.jit` and `vmap`."""

from __future__ import annotations

import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

HOLDERS = {
    "name": lambda array: array,
    "part": lambda array: array[1:],
    "list": lambda array: [array],
    "object": lambda array: types.SimpleNamespace(array=array),
    "closure": lambda array: lambda: array,
}


def traced_operand(buffer, n):
    buffer += n


def traced_loop(buffer, n):
    for _ in range(n):
        buffer += 1


def traced_while(buffer, n):
    k = 0
    while k < n:
        buffer *= 2
        k += 1


def traced_condition(buffer, n):
    if n > 2:
        buffer += n


WRITERS = [traced_operand, traced_loop, traced_while, traced_condition]


def using(write: Any, hold: Any) -> Any:
    def f(n):
        buffer = np.array([4, 0])
        held = hold(buffer)
        write(buffer, n)
        return held, buffer.sum()

    return f


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize("write", WRITERS)
def test_it_is_refused(write: Any, hold: Any) -> None:
    with pytest.raises(al.MutationError, match="An array of NumPy's"):
        jax.jit(lambda n: al.to_graph(using(write, hold))(n)[1])(jnp.int32(3))


@pytest.mark.parametrize("write", [traced_loop, traced_while])
def test_in_a_loop_of_lanes_it_is_refused(write: Any) -> None:
    with pytest.raises(al.MutationError, match="An array of NumPy's"):
        jax.vmap(lambda n: al.to_graph(using(write, HOLDERS["part"]))(n)[1])(jnp.arange(3))


def test_the_message() -> None:
    def f(n):
        buffer = np.array([4, 0])
        first = buffer[:1]
        buffer += n
        return first

    with pytest.raises(al.MutationError) as caught:
        jax.jit(al.to_graph(f))(jnp.int32(3))
    line = f.__code__.co_firstlineno + 3
    assert str(caught.value) == (
        "An array of NumPy's, int64[2], is changed in place to values that the program computes, and it has other names.\n"
        f"  {__file__}:{line} in f\n"
        "      buffer += n\n"
        "  An array of NumPy's can't hold them, and only one name would mean the new array.\n"
        "  Fix: make it an array of JAX's, x = jnp.array(x), and write its items, x[:] = x + v; or compile with "
        "autograph_lite.convert, which makes it so."
    )


@pytest.mark.parametrize("n", [0, 1, 5])
def test_of_one_name_it_is_numpys(n: int) -> None:
    def f(n):
        buffer = np.array([4, 0])
        buffer += n
        for _ in range(n):
            buffer += 1
        return buffer.sum() + buffer[1]

    assert jax.jit(al.to_graph(f))(jnp.int32(n)) == f(n)


def test_the_remedy_can_be_followed() -> None:
    def f(n):
        buffer = jnp.array([4, 0])
        first = buffer[:1]
        buffer[:] = buffer + n
        return first

    assert jax.jit(al.to_graph(f))(jnp.int32(3)).tolist() == [7]
