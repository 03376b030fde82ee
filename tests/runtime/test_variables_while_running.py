"""What becomes of a Variable while the program that assigns it runs: in callbacks of JAX's, and where JAX finds a nan?"""

from __future__ import annotations

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

import autograph_lite
from autograph_lite import ArraySpec, Variable, VariableError

X = jnp.float32(1)
OLD = "  A program gives Variables their new values when it has ended: the function would get the old one."


def of_callback(callback, writes=True):
    """A function that assigns a Variable, and reads it in a callback; and the Variable."""
    count = Variable(0.0, name="count")

    def read(x):
        return np.asarray(count.value) + x

    @autograph_lite.convert
    def f(x):
        if writes:
            count.assign_add(1.0)
        return callback(read, jax.ShapeDtypeStruct((), "float32"), x) + count.value

    return f, count


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback])
def test_a_callback_reads_no_variable_of_which_the_value_is_old(callback):
    f, count = of_callback(callback)
    for _ in range(2):
        with pytest.raises(VariableError) as caught:
            f(X)
        lines = str(caught.value).splitlines()
        assert lines[0] == "Variable 'count' is read in a callback of a program that assigns it."
        assert [line.strip() for line in lines[2:]] == [
            "return np.asarray(count.value) + x",
            OLD.strip(),
            "Fix: pass the value to the function.",
        ]
    assert float(count) == 0


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback])
def test_a_callback_reads_what_its_program_only_reads(callback):
    f, count = of_callback(callback, writes=False)
    count.assign(2.0)
    assert [float(f(X)), float(f(X))] == [5, 5]


def test_a_callback_assigns_nothing_that_its_program_assigns():
    count = Variable(0.0, name="count")

    @autograph_lite.convert
    def f(x):
        count.assign_add(1.0)
        io_callback(lambda: count.assign(100.0) and None, None)
        return x

    with pytest.raises(VariableError, match="'count' is assigned in a callback of a program that uses it"):
        f(X)
    assert float(count) == 0


def assigning(callback, x, run):
    """Calls `run`, which gives nothing, when the program runs."""
    if callback is jax.debug.callback:
        callback(run, x)
        return x
    return callback(lambda x: (run(x), x)[1], jax.ShapeDtypeStruct((), "float32"), x)


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback, jax.debug.callback])
@pytest.mark.parametrize("options", [{}, {"input_signature": [ArraySpec((None,), "float32")]}])
def test_a_callback_assigns_nothing_that_its_program_reads(callback, options):
    count = Variable(0.0, name="count")

    @autograph_lite.convert(**options)
    def f(x):
        before = count.value
        return assigning(callback, x.sum(), lambda _: count.assign(5.0)) + before * 10 + count.value

    for _ in range(2):
        with pytest.raises(VariableError) as caught:
            f(jnp.ones(3))
        lines = str(caught.value).splitlines()
        assert lines[0] == "Variable 'count' is assigned in a callback of a program that uses it."
        assert [line.strip() for line in lines[3:]] == [
            "A program reads Variables when it begins, and gives them their new values when it has ended.",
            "Fix: return the new value from the function, and assign it in the converted function.",
        ]
    assert float(count) == 0


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback, jax.debug.callback])
def test_a_callback_that_hides_its_refusal_fails_the_call(callback):
    count = Variable(0.0, name="count")

    def assign(_):
        with contextlib.suppress(VariableError):
            count.assign(5.0)

    @autograph_lite.convert
    def f(x):
        return assigning(callback, x, assign) + count.value

    with pytest.raises(VariableError, match="'count' is assigned in a callback of a program that uses it"):
        f(X)
    assert float(count) == 0


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback, jax.debug.callback])
def test_a_callback_assigns_what_its_program_does_not_use(callback):
    count, seen = Variable(1.0), Variable(0.0)

    @autograph_lite.convert
    def f(x):
        return assigning(callback, x, lambda x: seen.assign_add(x)) + count.value

    assert [float(f(X)), float(f(X))] == [2, 2]
    assert float(seen) == 2


def of_quotient():
    """A function that assigns a Variable, and gives no number for 0; and the Variable."""
    count = Variable(jnp.zeros(3))

    @autograph_lite.convert
    def f(x, y):
        count.assign_add(jnp.ones(3))
        return x / y

    return f, count


@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("debug, x", [(jax.debug_nans, 0.0), (jax.debug_infs, 1.0)])
def test_a_variable_outlives_a_call_in_which_jax_finds_a_nan(before, debug, x):
    f, count = of_quotient()
    for _ in range(before):
        f(X, X)
    with debug(True):
        for _ in range(2):
            with pytest.raises(FloatingPointError):
                f(jnp.float32(x), jnp.float32(0))
        assert count.value.tolist() == [before] * 3
        f(X, X)
    f(X, X)
    assert count.value.tolist() == [before + 2] * 3


def test_memory_is_handed_over_again_when_jax_looks_for_nans_no_longer():
    f, count = of_quotient()
    with jax.debug_nans(True):
        f(X, X)
    for _ in range(3):
        f(X, X)
    old = count._value
    f(X, X)
    assert old.is_deleted()
    assert count.value.tolist() == [5] * 3
