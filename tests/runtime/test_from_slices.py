"""What does a loop over `from_slices` do? It runs over the slices of arrays, and its program does not grow with them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import from_slices
from tests.errors.messages import message


def equations(fn, *args) -> int:
    return str(jax.make_jaxpr(autograph_lite.convert(fn))(*args)).count("=")


def test_a_loop_over_two_arrays() -> None:
    @autograph_lite.convert
    def error(xs, ys):
        total = 0.0
        for x, y in from_slices((xs, ys)):
            total += (x - y) ** 2
        return total

    assert error(jnp.arange(3.0), jnp.ones(3)) == 2


def test_the_program_does_not_grow_with_the_data() -> None:
    def f(scale, xs):
        total = 0.0
        for x in from_slices(xs):
            total += scale * x
        return total

    sizes = {equations(lambda s, n=n: f(s, np.arange(n, dtype=np.float32)), 2.0) for n in (3, 3000)}
    assert len(sizes) == 1
    assert autograph_lite.convert(f)(2.0, np.arange(4, dtype=np.float32)) == 12


def test_an_element_has_the_structure_of_the_arrays() -> None:
    data = {"x": jnp.arange(6.0).reshape(3, 2), "y": (jnp.arange(3), [4, 5, 6])}

    @autograph_lite.convert
    def f(data):
        found = jnp.zeros(2)
        for element in from_slices(data):
            first, second = element["y"]
            found += element["x"] * first + second
        return found

    assert f(data).tolist() == [25, 28]
    assert [int(element["y"][1]) for element in from_slices(data)] == [4, 5, 6]


def test_a_loop_that_is_left_early() -> None:
    @autograph_lite.convert
    def find(xs, limit):
        for k, (x, y) in enumerate(from_slices((xs, 10 * xs))):
            if x == 2:
                continue
            if x > limit:
                break
            if y == 30:
                return -1.0
        return float(k)

    xs = jnp.arange(6.0)
    assert find(xs, jnp.float32(1)) == 3
    assert find(xs, jnp.float32(4)) == -1


def test_zip_with_another_array() -> None:
    @autograph_lite.convert
    def f(xs, ys):
        total = 0.0
        for (x, z), y in zip(from_slices((xs, xs)), ys, strict=False):
            total += x * y + z
        return total

    assert f(jnp.arange(3.0), jnp.ones(3)) == 6


def test_its_gradient() -> None:
    @autograph_lite.convert
    def loss(w, data):
        total = 0.0
        for x, y in data:
            if x > 0:
                total += (w * x - y) ** 2
        return total

    data = from_slices((jnp.array([-1.0, 1.0, 2.0]), jnp.array([5.0, 1.0, 3.0])))
    assert jax.grad(loss)(2.0, data) == 2 * (2 - 1) * 1 + 2 * (4 - 3) * 2


def test_it_is_an_argument_and_other_data_of_its_shape_use_its_trace() -> None:
    traced = []

    @autograph_lite.convert
    def total(data):
        traced.append(len(data))
        found = 0.0
        for x in data:
            found += x
        return found

    assert total(from_slices(jnp.arange(3.0))) == 3
    assert total(from_slices(jnp.ones(3))) == 3
    assert total(from_slices(jnp.ones(4))) == 4
    assert traced == [3, 4]


def test_without_elements_the_loop_does_not_run() -> None:
    @autograph_lite.convert
    def f(x):
        for y in from_slices(jnp.zeros(0)):
            x = x + y + 1
        return x

    assert f(jnp.float32(2)) == 2


def test_outside_of_converted_code_it_is_an_iterable_of_python() -> None:
    slices = from_slices((jnp.arange(3), np.arange(3.0)))
    assert len(slices) == 3
    assert [(int(x), float(y)) for x, y in slices] == [(0, 0), (1, 1), (2, 2)]
    assert [int(x) for x in from_slices([1, 2, 3])] == [1, 2, 3]
    assert repr(slices) == "from_slices((int32[3], float32[3]))"


def test_arrays_of_different_lengths() -> None:
    def f(xs, ys):
        for x, y in from_slices({"x": xs, "y": ys}):
            xs = xs + x + y
        return xs

    assert message(f, jnp.zeros(3), jnp.zeros((4, 2))) == (
        "IterationError: from_slices takes arrays with first axes of one length.\n"
        "  test.py:1 in f\n"
        '      for x, y in from_slices({"x": xs, "y": ys}):\n'
        "  arrays['x'] has shape (3,).\n"
        "  arrays['y'] has shape (4, 2).\n"
        "  Fix: cut the arrays to the same length, or repeat what belongs to all slices with jnp.broadcast_to."
    )


@pytest.mark.parametrize("arrays", [(), jnp.float32(1), (jnp.zeros(3), 2.0)], ids=str)
def test_what_has_no_first_axis(arrays) -> None:
    with pytest.raises(autograph_lite.IterationError, match="takes arrays with first axes of one length"):
        from_slices(arrays)
