"""Does a `try` catch what a traced condition raises, as Python does, and is nothing done that comes after the `raise`?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.checks import caught_programs
from tests.one_of.agreement import PROGRAMS, outcome, same


def _by_function():
    calls = {}
    for function, call in PROGRAMS[caught_programs.__name__]:
        calls.setdefault(function, []).append(call)
    return calls.items()


@pytest.mark.parametrize(
    ("function", "calls"), _by_function(), ids=lambda value: getattr(value, "__name__", "")
)
def test_what_a_traced_condition_raises_is_caught(function, calls) -> None:
    converted = autograph_lite.convert(function)
    for call in calls:
        expected = outcome(function, *[np.float32(arg) if isinstance(arg, float) else arg for arg in call])
        found = outcome(converted, *map(jnp.asarray, call))
        assert same(found, expected), (call, found, expected)


@pytest.mark.parametrize(
    "function",
    [
        caught_programs.written_in_the_handler,
        caught_programs.written_by_the_handler,
        caught_programs.written_in_a_finally,
    ],
)
def test_an_array_that_an_exception_holds_is_not_written(function) -> None:
    with pytest.raises(autograph_lite.MutationError, match="which an exception holds that a `try` may catch"):
        autograph_lite.convert(function)(np.float32(3))


def test_derivatives_and_lanes() -> None:
    division = autograph_lite.to_graph(caught_programs.division)
    derivative = jax.grad(division)
    assert [float(derivative(x)) for x in (2.0, 0.0, -4.0)] == [-0.25, 0.0, -0.0625]
    xs = jnp.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(jax.vmap(division)(xs), [0, 1, 0.5])
    np.testing.assert_allclose(jax.jit(jax.vmap(derivative))(xs), [0, -1, -0.25])


def test_nothing_is_left_of_a_try_in_which_nothing_is_raised() -> None:
    def f(x):
        try:
            y = caught_programs.safe_div(x, 2.0)
            z = jnp.sin(y)
        except ZeroDivisionError:
            z = 0.0
        return z

    def plain(x):
        return jnp.sin(x / 2.0)

    assert str(jax.make_jaxpr(autograph_lite.to_graph(f))(1.0)) == str(jax.make_jaxpr(plain)(1.0))


def test_what_is_not_caught_comes_out_of_a_jit() -> None:
    f = jax.jit(autograph_lite.to_graph(caught_programs.uncaught))
    assert [f(1.0), f(12.0)] == [1, 2]
    with pytest.raises(jax.errors.JaxRuntimeError, match="KeyError: 'a'"):
        jax.block_until_ready(f(-3.0))


def test_a_limit_of_the_program_is_not_caught() -> None:
    def factorial(n):
        try:
            product = 1
            for i in range(n):
                product = product * (i + 1)
        except Exception:
            return -1
        return product

    converted = autograph_lite.convert(factorial)
    assert converted(jnp.int32(5)) == 120
    with pytest.raises(OverflowError, match="does not fit int32"):
        converted(jnp.int32(20))


class Listed:
    def __init__(self, value, known):
        known.append(self)
        if value > 3:
            raise ValueError(self)
        self.value = value


def of_a_list(n):
    known = []
    try:
        Listed(n, known)
    except ValueError:
        pass
    return hasattr(known[0], "value")


def of_the_exception(n):
    try:
        Listed(n, [])
    except ValueError as e:
        return hasattr(e.args[0], "value")
    return None


def of_a_finally(n):
    found = {}
    try:
        try:
            if n > 3:
                raise ValueError
            found["k"] = n
        finally:
            n = len(found)
    except ValueError:
        pass
    return n


def of_a_callers_name(n):
    found = {}

    def fill(held, n):
        other, held = held, 0
        try:
            if n > 3:
                raise ValueError
            other["k"] = n
        except ValueError:
            pass

    fill(found, n)
    return len(found)


@pytest.mark.parametrize(
    ("function", "label"),
    [
        (of_a_list, "self.value"),
        (of_the_exception, "self.value"),
        (of_a_finally, "found['k']"),
        (of_a_callers_name, "other['k']"),
    ],
)
def test_what_is_missing_where_something_was_raised_is_refused_where_it_can_be_seen(function, label) -> None:
    with pytest.raises(autograph_lite.MutationError) as caught:
        autograph_lite.convert(function)(jnp.int32(1))
    assert caught.value.what == f"'{label}' exists on one path of a staged statement and not on another."


@pytest.mark.parametrize("kind", [KeyError, caught_programs.Large])
def test_a_function_that_always_raises_under_ones_own_jit_raises_while_tracing(kind) -> None:
    def f(x):
        word = "much" if x > 1 else "little"
        raise kind(word if kind is KeyError else x)

    with pytest.raises(kind):
        jax.jit(autograph_lite.to_graph(f))(jnp.float32(1))


def raised_again(x):
    try:
        raise ValueError(f"x is {x + 1}")
    except ValueError:
        if x > 2:
            return x
        raise


def raised_again_after_another(x):
    try:
        raise ValueError(f"x is {x + 1}")
    except (KeyError, ValueError):
        try:
            if x > 2:
                raise KeyError("caught")
        except KeyError:
            return x * 2
        raise


@pytest.mark.parametrize("function", [raised_again, raised_again_after_another])
def test_what_a_handler_raises_again_on_one_path_alone(function) -> None:
    converted = autograph_lite.convert(function)
    for run in (converted, jax.jit(autograph_lite.to_graph(function))):
        value = run(jnp.int32(5))
        assert (value.value() if hasattr(value, "value") else value) == function(5)
        with pytest.raises(Exception, match="x is 2"):
            jax.block_until_ready(run(jnp.int32(1)))
            jax.effects_barrier()
