"""`math.sqrt(-1.0)` and the like in a `try` that catches the ValueError: what Python does."""

import math

import hypothesis
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, to_graph


def skipped(xs):
    total, failed = 0.0, 0
    for v in xs:
        try:
            total += math.sqrt(v)
        except ValueError:
            failed += 1
    return total, failed


def stored(xs):
    out = np.zeros(len(xs))
    for i, v in enumerate(xs):
        try:
            out[i] = math.log(v)
        except ArithmeticError:
            out[i] = -100
        except ValueError:
            out[i] = -1
    return out


class Counter:
    def __init__(self):
        self.failed, self.total = 0, 0.0

    def add(self, v):
        try:
            self.total += math.acos(v)
        except ValueError:
            self.failed += 1


def in_a_method(xs):
    counter = Counter()
    for v in xs:
        counter.add(v)
    return counter.failed, counter.total


def root(v):
    return 2 * math.sqrt(v)


def of_a_callee(xs):
    try:
        a = root(xs[0]) + root(xs[1])
    except Exception:
        a = xs[2]
    else:
        a += 1
    finally:
        b = xs[0]
    return a + b


def left(xs):
    while xs[0] > -2:
        try:
            xs[1] += math.sqrt(xs[0])
        except ValueError:
            break
        xs[0] -= 1
    return xs


def power(xs):
    try:
        return math.pow(xs[0], -1.0) + math.log2(abs(xs[1])) + math.atanh(xs[2] / 8)
    except ValueError:
        return 7.0


def inverse(xs):
    try:
        return math.acosh(xs[0])
    except ValueError:
        return xs[1] * 3


FUNCTIONS = (skipped, stored, in_a_method, of_a_callee, left, power, inverse)
NUMBERS = st.sampled_from([-8.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 8.0, math.inf])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda fn: fn.__name__)
@hypothesis.given(st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_it_is_pythons(function, xs):
    hypothesis.assume(function is not left or xs[0] < 9)
    with np.errstate(all="ignore"):
        want = function(np.array(xs))
    for form in (convert, lambda fn: jax.jit(to_graph(fn))):
        found = form(function)(jnp.array(xs, jnp.float32))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), found, want)


def test_derivatives_are_those_of_what_ran():
    xs = jnp.array([4.0, -1.0, 0.25])
    np.testing.assert_allclose(jax.grad(lambda xs: convert(skipped)(xs)[0])(xs), [0.25, 0.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(jax.grad(convert(inverse))(jnp.array([0.5, 1.0, 1.0])), [0, 3, 0])
    np.testing.assert_allclose(jax.vmap(convert(inverse))(jnp.array([[0.5, 2.0], [1.0, 2.0]])), [6, 0])


def test_where_nothing_catches_it_a_program_goes_on_with_nan():
    def outside(x):
        try:
            return math.sqrt(x)
        except KeyError:
            return x

    assert jnp.isnan(convert(outside)(jnp.float32(-1)))
