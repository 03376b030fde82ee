"""Numbers of several classes that meet in one variable: what `is True`, `isinstance` and `type` say of them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert


def number_and_int(x, i):
    n = 1 if x > 0 else 2
    return isinstance(n, int), isinstance(n, bool), isinstance(n, float), type(n) is int


def number_or_half(x, i):
    n = 1 if x > 0 else 2.5
    return isinstance(n, (int, float)), isinstance(n, str), isinstance(n, complex)


def count_of_steps(x, i):
    n = 0
    while n < x:
        n += 1
    return isinstance(n, int), isinstance(n, bool)


def computed_of_counts(x, i):
    n = 1 if x > 0 else 2
    z = n * 3 + 1
    return isinstance(z, int), isinstance(z / 2, float), isinstance(z, float)


def number_of_an_argument(x, i):
    v = x if x > 0 else 0.0
    return isinstance(v, str), isinstance(v, int), v is None


def sum_of_arguments(x, i):
    total = 0
    for v in (x, x):
        total += v
    return isinstance(total, float), isinstance(total, int)


def bools_alone(x, i):
    v = True if x > 0 else False  # noqa: SIM210
    return isinstance(v, str), isinstance(v, float)


RIGHT = [
    number_and_int, number_or_half, count_of_steps, computed_of_counts, number_of_an_argument, sum_of_arguments,
    bools_alone,
]  # fmt: skip


def flag_or_number(x, i):
    v = True if x > 0 else 2
    return v is True


def flag_in_a_class(x, i):
    v = True if x > 0 else 2
    return isinstance(v, bool)


def type_of_a_flag(x, i):
    v = 7 if x > 0 else False
    return type(v) is bool


def missing_is_false(x, i):
    v = x if x > 0 else False
    if v is False:
        return -1.0
    return v * 2


def missing_is_false_in_a_loop(x, i):
    v = False
    for k in range(3):
        if x > k:
            v = 7
    return v is not False


def whole_or_half(x, i):
    n = 1 if x > 0 else 2.5
    return isinstance(n, int)


def computed_of_both(x, i):
    n = 1 if x > 0 else 2.5
    return isinstance(n * 2, int)


def callee_that_gives_both(x, i):
    def sign(x):
        if x > 0:
            return True
        return -1

    return sign(x) is True


def item_of_a_list(x, i):
    numbers = [0]
    if x > 0:
        numbers[0] = True
    return numbers[0] is True


def item_at_an_index(x, i):
    return [True, 2][i] is True


def value_of_a_key(x, i):
    return isinstance({0: True, 1: 2}[int(i)], bool)


def larger(x, i):
    return isinstance(max(1, x), int)


def last_operand(x, i):
    return (x and True) is True


def default_of_next(x, i):
    found = next((k for k in range(3) if k > x), False)
    return found is False


REFUSED = [
    flag_or_number, flag_in_a_class, type_of_a_flag, missing_is_false, missing_is_false_in_a_loop, whole_or_half,
    computed_of_both, callee_that_gives_both, item_of_a_list, item_at_an_index, value_of_a_key, larger, last_operand,
    default_of_next,
]  # fmt: skip
KINDS = {"numpy": (np.float64, np.int64), "jax": (jnp.float32, jnp.int32)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [1.0, -1.0])
@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_class_that_is_the_same_on_all_paths(function, number, kind):
    real, whole = KINDS[kind]
    x, i = real(number), whole(number > 0)

    assert convert(function)(x, i) == function(x, i)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_class_that_paths_give_differently(function, kind):
    real, whole = KINDS[kind]

    with pytest.raises(PythonOnlyError, match="on some paths|numbers of several classes have met"):
        convert(function)(real(1.0), whole(1))


def test_numbers_that_python_knows_are_told_apart():
    @convert
    def kind(c, x):
        v = True if c else 2
        return x + 1, v is True, isinstance(v, bool)

    assert kind(True, jnp.float32(1))[1:] == (True, True)
    assert kind(False, jnp.float32(1))[1:] == (False, False)
