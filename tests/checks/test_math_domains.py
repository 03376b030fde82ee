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


def inverted(v, n):
    return v**-1


def inverse_root(v, n):
    return abs(v) ** -0.5


def to_an_int(v, n):
    return v**n


def to_a_float(v, n):
    return abs(v) ** v


def of_a_number(v, n):
    return 2.0 ** (v * 2)


def of_zero(v, n):
    return 0.0**v


def squared(v, n):
    return v**2


RAISING = {
    **{f.__name__: f for f in (inverted, inverse_root, to_an_int, to_a_float, of_a_number, of_zero, squared)},
    **{
        name: lambda v, n, name=name: getattr(math, name)(v)
        for name in ("exp", "expm1", "exp2", "sinh", "cosh", "gamma", "lgamma")
    },
    "ldexp": lambda v, n: math.ldexp(v, n * 2),
    "isqrt": lambda v, n: float(math.isqrt(n)),
    "math.pow": lambda v, n: math.pow(v, v),
    "remainder": lambda v, n: math.remainder(v, n),
}


@pytest.mark.parametrize("name", RAISING)
@pytest.mark.parametrize("x64", [False, True])
def test_what_overflows_or_has_no_value_is_caught(name, x64):
    def caught(xs):
        v, n, calls = float(xs[0]), int(xs[1]), 0
        try:
            found = RAISING[name](v, n)
            calls += 1
        except OverflowError:
            found = -2.0
        except ZeroDivisionError:
            found = -3.0
        except ValueError:
            found = -5.0
        return found, calls

    with jax.enable_x64(x64):
        converted = convert(caught)
        for xs in ([0.0, 0], [-4.0, -4], [0.5, 2], [3.0, 3], [1100.0, 600], [-1100.0, -1100]):
            np.testing.assert_allclose(converted(np.array(xs)), caught(np.array(xs)), rtol=1e-5)


def test_a_power_that_is_changed_in_place():
    def caught(xs):
        v = float(xs[0])
        try:
            v **= -1
        except ArithmeticError:
            v = 7.0
        return v

    for x in (0.0, 4.0):
        assert convert(caught)(np.array([x])) == caught(np.array([x]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers_of_numpys_numbers_raise_nothing():
    def caught(xs):
        try:
            return xs[0] ** -1, xs[1] ** xs[1], xs**2
        except ArithmeticError:
            return xs[0], xs[0], xs

    xs = np.array([0.0, 1100.0])
    jax.tree.map(np.testing.assert_allclose, convert(caught)(xs), caught(xs))


def test_a_power_that_fits_costs_nothing():
    def fitting(xs):
        v = float(xs[0])
        try:
            return v**2 + v**0.5
        except ArithmeticError:
            return 0.0

    assert " eq " not in str(convert(fitting).get_concrete_function(np.array([3.0])).jaxpr)


def test_derivatives_of_powers_are_those_of_what_ran():
    def caught(xs):
        v = float(xs[0])
        try:
            return v**-1
        except ZeroDivisionError:
            return v * 3

    np.testing.assert_allclose(jax.grad(convert(caught))(jnp.array([0.0])), [3.0])
    np.testing.assert_allclose(jax.grad(convert(caught))(jnp.array([2.0])), [-0.25])
