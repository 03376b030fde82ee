"""Divisions of Python's numbers by zero: Python's error, where a traced value decides, and what a `try` makes of it."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert
from tests.callees import how_many_large


def quotient(xs):
    n = how_many_large(xs)
    return 10 // n


def rest(xs):
    n = how_many_large(xs)
    return 10 % n


def in_a_loop(xs):
    n, total = 2, 0
    for v in xs:
        if v < 2:
            n = n - 1
        total += 7 // n
    return total


def wide(xs):
    n = how_many_large(xs)
    k = 100_000 * (n + 1)
    return k * k // n % 1009


def both_parts(xs):
    n = how_many_large(xs)
    return sum(divmod(10, n))


RAISING = (quotient, rest, in_a_loop, wide, both_parts)


def mean(xs):
    total, n = 0.0, 0
    for v in xs:
        if v > 2:
            total += v
            n += 1
    try:
        return total / n
    except ZeroDivisionError:
        return -1.0


def of_ints(xs):
    n = how_many_large(xs)
    try:
        k = 7 // n + 9 % n
    except ArithmeticError:
        k = -1
    return k


def in_place(xs):
    n, y = how_many_large(xs), 10
    try:
        y //= n
        y += 1
    except ZeroDivisionError as error:
        return y, error.args[0]
    return y, ""


def inside(n):
    half = 1 / n
    return half * 2


def by_a_callee(xs):
    n, done = how_many_large(xs), 0
    try:
        half = inside(n)
        done = 1
    except Exception:
        half = 0.0
    return half, done


def in_iterations(xs):
    total = 0.0
    for v in xs:
        n = 0 if v > 2 else 2
        try:
            total += 1 / n
        except ZeroDivisionError:
            total += 100.0
    return total


def not_caught(xs):
    n = how_many_large(xs)
    try:
        k = 10 // n
    except ValueError:
        k = -1
    return k


def raised_again(xs):
    n = how_many_large(xs)
    try:
        try:
            if n > 2:
                raise ZeroDivisionError("many")
            y = 1.0 / n
        except ZeroDivisionError as error:
            raise ValueError("bad") from error
    except ValueError:
        y = -1.0
    return y


def of_an_array(xs):
    n = how_many_large(xs)
    try:
        return xs / n
    except ZeroDivisionError:
        return xs


def in_a_lambda(xs):
    n = how_many_large(xs)
    mean = lambda s: s / n  # noqa: E731
    try:
        return mean(10)
    except ZeroDivisionError:
        return -5.0


def in_lambdas_that_functions_call(xs):
    n = how_many_large(xs)
    found = []
    for each in (
        lambda: sum(map(lambda v: 6 // v, (n, 2))),
        lambda: max((1, 2, n), key=lambda v: 6 % v),
        lambda: divmod(10, n)[1],
        lambda: [lambda: 10 % n][0](),
    ):
        try:
            found.append(each())
        except ZeroDivisionError:
            found.append(-5)
    return found


CATCHING = (
    in_a_lambda,
    in_lambdas_that_functions_call,
    mean,
    of_ints,
    in_place,
    by_a_callee,
    in_iterations,
    raised_again,
    of_an_array,
)
SOME, NONE = np.array([1.0, 3.0, 4.0], np.float32), np.array([1.0, 1.0, 1.0], np.float32)


def text(said, line):
    return f"{said}: `{line}`"


@pytest.mark.parametrize("f", [*RAISING, not_caught], ids=lambda f: f.__name__)
def test_ints_raise_as_in_python(f):
    converted = convert(f)
    assert converted(jnp.asarray(SOME)) == f(SOME)
    with pytest.raises(ZeroDivisionError) as python:
        f(NONE)
    with pytest.raises(ZeroDivisionError) as ours:
        converted(jnp.asarray(NONE))
    said, _, place = str(ours.value).partition(": `")
    assert said == str(python.value)
    assert "n" in place and "test_divisions.py:" in place


@pytest.mark.parametrize("f", CATCHING, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_try_catches_them(f):
    converted = convert(f)
    for xs in (SOME, NONE, SOME):
        ours, python = converted(jnp.asarray(xs)), f(xs)
        if isinstance(python, tuple) and isinstance(python[-1], str):
            ours, python = (
                (int(ours[0]), getattr(ours[1], "value", lambda: ours[1])()),
                (python[0], python[1]),
            )
            assert ours == python
        else:
            jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), ours, python)


def test_what_a_condition_leaves_out_costs_nothing():
    def tested(xs):
        n = how_many_large(xs)
        if n > 0 and xs[0] > 0:
            k = 10 // n
        else:
            k = 0
        return k + (10 % n if n else 0)

    converted = convert(tested)
    for xs in (SOME, NONE):
        assert converted(jnp.asarray(xs)) == tested(xs)
    assert len(converted.get_concrete_function(jnp.asarray(SOME)).jaxpr.outvars) == 1


def test_derivatives_and_lanes():
    value, gradient = jax.value_and_grad(convert(mean))(jnp.asarray(SOME))
    assert value == 3.5 and gradient.tolist() == [0, 0.5, 0.5]
    assert jax.grad(convert(mean))(jnp.asarray(NONE)).tolist() == [0, 0, 0]
    lanes = jax.vmap(convert(mean))(jnp.stack([SOME, NONE]))
    assert lanes.tolist() == [3.5, -1.0]


BY_ZERO = {
    "float": lambda x, zero: float(x.sum()) / zero,
    "float // zero": lambda x, zero: float(x[0]) // zero,
    "int": lambda x, zero: int(x[0]) // zero,
    "rest": lambda x, zero: int(x[0]) % zero,
    "both": lambda x, zero: divmod(int(x[0]), zero),
    "length": lambda x, zero: int(x.sum()) / len([]),
    "computed": lambda x, zero: ((float(x[0]) - 1) * 2) / zero,
    "bool": lambda x, zero: bool(x[0] > 2) / zero,
    "by a bool": lambda x, zero: int(x[0]) // (zero > 0),
    "by a float": lambda x, zero: int(x[0]) % 0.0,
    "complex": lambda x, zero: complex(x[0], 1) / zero,
    "math": lambda x, zero: math.sqrt(x[0]) / zero,
    "item": lambda x, zero: x[0].item() / zero,
    "counted": lambda x, zero: sum(1 for v in x if v > 1) / zero,
    "of a list": lambda x, zero: x.tolist()[1] / zero,
    "of a path": lambda x, zero: int(x[0]) // zero if x[0] > 2 else 1,
    "not taken": lambda x, zero: int(x[0]) // zero if x[0] > 5 else 1,
    "not reached": lambda x, zero: sum(int(v) // zero for v in x[5:]),
    "NumPy's": lambda x, zero: (x[0] / zero, x.sum() / zero, np.float64(x[1]) / zero, x.mean() % zero),
    "by NumPy's": lambda x, zero: float(x[0]) / np.float64(zero),
    "NumPy's of Python's": lambda x, zero: np.sin(float(x[0])) / zero,
    "an array": lambda x, zero: x / zero,
}


@pytest.mark.parametrize("name", BY_ZERO)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_zero_that_is_known_while_tracing(name):
    divided, x = BY_ZERO[name], np.array([3.0, 1.0])

    def caught(x, zero):
        try:
            return divided(x, zero)
        except ZeroDivisionError as error:
            return str(error)

    expected, found = caught(x, 0), convert(caught)(x, 0)
    if not isinstance(expected, str):
        jax.tree.map(np.testing.assert_array_equal, found, expected)
        return
    assert found == expected
    with pytest.raises(ZeroDivisionError) as ours:
        convert(divided)(x, 0)
    assert str(ours.value) == expected


@pytest.mark.parametrize("divisor", [0.0, 2.0])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpys_numbers_raise_nothing(divisor):
    def f(a, x, b):
        zero, found = float(b[0]), []
        for each in (
            lambda: a / zero,
            lambda: x[0] / zero,
            lambda: x[0] % zero,
            lambda: sum(divmod(x[1], zero)),
            lambda: x.sum() / (zero * 2),
            lambda: (a * 2 + 1) / zero,
            lambda: np.float64(3.0) / zero,
            lambda: np.float64(int(x[0])) / zero,
            lambda: np.sin(float(x[0])) / zero,
            lambda: 1.0 / np.sin(zero),
            lambda: float(x[0]) / x[2],
            lambda: float(a) / zero,
            lambda: (1 - float(x[0])) * 2 / zero,
            lambda: int(x[0]) // int(zero),
            lambda: True / zero,
        ):
            try:
                found.append(each())
            except ZeroDivisionError:
                found.append(-9.0)
        return found

    args = np.float64(6.0), np.array([3.0, 1.0, 0.0]), np.array([divisor])
    np.testing.assert_allclose(convert(f)(*args), f(*args), rtol=1e-6)


BY_ZEROS_OF_NUMPYS = {
    "items": lambda x, z: (x[0] // z[0], x[1] % z[1], divmod(x[2], z[2]), x[1] // 0, x[0] % 0),
    "arrays": lambda x, z: (x // z, x % z, divmod(x, z), x // 0, 7 // z, 7 % z, x[:, None] // z),
    "one is Python's": lambda x, z: (int(x[0]) // z[0], x[1] // int(z[0]), x.sum() // int(z[0])),
    "in place": lambda x, z: written(x.copy(), z),
    "in a loop": lambda x, z: quotients(x, z),
    "of a quotient": lambda x, z: written(x // z, z),
}


def quotients(x, z):
    total = 0
    for v, w in zip(x, z, strict=True):
        total = total + v // w + divmod(v, w)[0]
    return total


def written(x, z):
    y = x
    y //= z
    y %= z + 1
    return x


@pytest.mark.parametrize("name", BY_ZEROS_OF_NUMPYS)
@pytest.mark.parametrize("is_guarded", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int16", "uint8"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpys_integers_by_zero_are_0(name, is_guarded, dtype):
    divided = BY_ZEROS_OF_NUMPYS[name]

    def guarded(x, z):
        try:
            return divided(x, z)
        except ZeroDivisionError:
            return None

    f = guarded if is_guarded and not name.startswith("in ") else divided
    x, z = np.array([3, -5, 0, 7]).astype(dtype), np.array([0, 0, 0, 2]).astype(dtype)
    found, expected = convert(f)(x.copy(), z), f(x.copy(), z)
    jax.tree.map(np.testing.assert_array_equal, jax.tree.leaves(found), jax.tree.leaves(expected))


def test_a_divisor_that_is_not_0_costs_nothing():
    f = lambda x: (x // 3, 1 + x[0] // np.array([2, 5]), x // np.int32(7))  # noqa: E731
    program = convert(f).get_concrete_function(np.array([3, 4]))
    assert " eq " not in str(program.jaxpr)


def test_a_zero_of_the_path_that_is_taken():
    def f(x, zero):
        total = int(x[0])
        try:
            if x[0] > 2:
                total //= zero
            total += 1
        except ZeroDivisionError:
            total = -total
        for v in x:
            try:
                total += int(v) % 0
            except ZeroDivisionError:
                total += 10
        return total

    for first in (1.0, 3.0):
        x = np.array([first, 1.0])
        assert convert(f)(x, 0) == f(x, 0)


def test_a_number_of_jaxs_is_divided_as_jax_does():
    f = lambda x: (x / 0, jnp.sin(x) / 0)  # noqa: E731
    for x in (jnp.asarray(2.0), jnp.float32(2.0)):
        assert [*convert(f)(x)] == [*f(x)]
