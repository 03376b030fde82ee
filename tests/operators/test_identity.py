"""Is a bool that the program computes one of Python's two, where the code asks `is True`?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite.errors import PythonOnlyError
from tests.operators.agreement import agree


def test_a_flag_that_a_branch_has_set():
    def f(x):
        done = False
        if x > 0:
            done = True
        first = 1.0 if done is True else 0.0
        if done is not True:
            first = first - 5
        if True is done and x is not None:
            first = first + 10
        return first

    agree(f, 3.0, -2.0)


def test_a_loop_until_a_flag_is_set():
    def f(x):
        done, n = False, 0.0
        while done is False:
            n += 1
            if n > x:
                done = True
        return n

    agree(f, 3.0, -2.0)


def test_chained_with_another_comparison():
    def f(x):
        done = bool(x > 1)
        return 1.0 if done is not False is not True else 2.0

    agree(f, 3.0, 0.5)


def test_match_on_a_bool():
    def f(x):
        values = [1.0, 2.0]
        match bool(x > 0):
            case True:
                values[0] = x
            case False:
                values = [x, x]
        return values

    agree(f, 3.0, -2.0)


@pytest.mark.parametrize(
    "asks",
    [
        lambda x: (x > 0) is True,
        lambda x: (x > 0).all() is not False,
        lambda x: (x > 0 if x < 5 else True) is True,
        lambda x: True if x < 0 else (x > 0) is True,
    ],
    ids=["compared", "all", "on-a-path", "in-a-branch"],
)
def test_a_truth_value_of_numpys_is_none_of_pythons(asks):
    with pytest.raises(
        PythonOnlyError, match=r"asks whether a truth value of NumPy's(.|\n)*bool\(flag\) is True"
    ):
        al.convert(asks)(np.float64(2))


def test_a_number_is_no_bool():
    def f(x):
        return 1.0 if x is True else 2.0

    agree(f, 1.0, 0.0)
    assert al.convert(f)(True) == 1.0
    assert float(al.convert(f)(jnp.int32(1))) == 2.0


def test_python_values_are_asked_by_python():
    def f(value):
        return value is True, value is not False

    for value in (True, False, 1, None, np.bool_(True), "yes"):
        assert al.to_graph(f)(value) == f(value)


@given(st.booleans(), st.booleans())
def test_any_two_bools(a, b):
    def f(a, b):
        flag = bool(a)
        if b:
            flag = not flag
        return (flag is True) + 2 * (flag is not True) + 4 * (flag is False)

    assert int(jax.jit(al.to_graph(f))(a, b)) == f(a, b)


def test_a_size_that_nobody_knows_is_no_bool():
    def f(xs):
        return xs.sum() if len(xs) is True else xs.sum() + 1

    general = al.convert(f, input_signature=[al.ArraySpec([None], jnp.float32)])
    assert float(general(jnp.ones(3))) == 4.0
