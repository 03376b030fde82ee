"""What happens while `run_functions_eagerly` is on? The user's own Python runs, and the traces stay as they are."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    autograph_lite.run_functions_eagerly(False)


def test_python_runs_at_each_call_and_the_traces_are_kept() -> None:
    ran = 0

    @autograph_lite.convert
    def f(x):
        nonlocal ran
        ran += 1
        return x + 1

    x = jnp.float32(2)
    f(x)
    assert ran == 1
    autograph_lite.run_functions_eagerly(True)
    assert (f(x), f(x)) == (3, 3)
    assert ran == 3
    autograph_lite.run_functions_eagerly(False)
    assert f(x) == 3
    assert ran == 3


def test_values_are_arrays_and_no_tracers() -> None:
    seen = []

    @autograph_lite.convert
    def f(x):
        y = 2 * x
        seen.append(float(y))
        if y > 3:
            return y
        return -y

    autograph_lite.run_functions_eagerly(True)
    assert f(jnp.float32(2)) == 4
    assert f(jnp.float32(1)) == -2
    assert seen == [4.0, 2.0]


def test_functions_called_by_it_run_as_python_too() -> None:
    ran = []

    @autograph_lite.convert
    def inner(x):
        ran.append("inner")
        return x + 1

    @autograph_lite.convert
    def outer(x):
        ran.append("outer")
        return inner(x) * 2

    autograph_lite.run_functions_eagerly(True)
    assert outer(jnp.float32(1)) == 4
    assert outer(jnp.float32(1)) == 4
    assert ran == ["outer", "inner", "outer", "inner"]


def test_a_method_runs_on_its_instance() -> None:
    class Scale:
        rate = 3.0

        @autograph_lite.convert
        def apply(self, x):
            return self.rate * x if x > 0 else x

    autograph_lite.run_functions_eagerly(True)
    assert Scale().apply(jnp.float32(2)) == 6


def test_a_gradient_is_that_of_the_python_function() -> None:
    @autograph_lite.convert
    def f(x):
        return x * x if x > 0 else -x

    autograph_lite.run_functions_eagerly(True)
    assert jax.grad(f)(3.0) == 6
    assert jax.grad(f)(-3.0) == -1


def test_the_flag_is_told() -> None:
    assert not autograph_lite.functions_run_eagerly()
    autograph_lite.run_functions_eagerly(True)
    assert autograph_lite.functions_run_eagerly()


def test_a_flag_that_is_no_bool_is_refused() -> None:
    with pytest.raises(TypeError) as caught:
        autograph_lite.run_functions_eagerly(1)  # type: ignore[arg-type]
    assert str(caught.value) == "run_functions_eagerly: flag is 1; it may be True or False."
