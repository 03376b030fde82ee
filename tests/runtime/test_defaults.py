"""Are arguments bound as Python binds them: defaults that change in place, and keywords of any name?"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


def test_a_numpy_array_for_a_default_is_read_at_each_call():
    offset = np.ones(3, np.float32)

    @al.convert
    def f(x, y=offset):
        return x + y

    seen = []
    for value in (1, 4, 9):
        offset[:] = value
        seen += [f(jnp.zeros(3)).tolist(), f(jnp.zeros(3)).tolist()]
    assert seen == [[value] * 3 for value in (1, 1, 4, 4, 9, 9)]


@pytest.mark.parametrize(
    ("default", "grow"),
    [([1.0], lambda d: d.append(2.0)), ({"a": 1.0}, lambda d: d.update(b=2.0)), ({1}, lambda d: d.add(2))],
)
def test_a_container_for_a_default_is_read_at_each_call(default, grow):
    @al.convert
    def f(x, y=default):
        return x + len(y)

    first = [float(f(jnp.float32(0))) for _ in range(2)]
    grow(default)
    assert [*first, float(f(jnp.float32(0)))] == [1, 1, 2]


def test_a_default_that_changes_is_read_where_variables_are_used_and_arguments_are_many():
    total, scale = al.Variable(0.0), np.ones((), np.float32)

    @al.convert
    def f(*xs, by=scale):
        total.assign_add(sum(xs) * by)
        return total.value + 0

    one = jnp.float32(1)
    first = [float(f(one)), float(f(one))]
    scale[()] = 10
    assert [*first, float(f(one)), float(f(one, one))] == [1, 2, 12, 32]


@pytest.mark.parametrize("default", [[1.0], np.ones(1, np.float32)], ids=["a list", "an array"])
def test_a_default_that_changes_is_read_by_methods_and_where_arguments_are_many(default):
    class Scale:
        @al.convert
        def method(self, x, by=default):
            return x * by[0]

    @al.convert
    def many(*xs, by=default):
        return xs[0] * by[0]

    x, scale, seen = jnp.float32(1), Scale(), []
    for value in (1.0, 2.0, 3.0):
        default[0] = value
        seen += [float(each(x)) for each in (scale.method, many, scale.method, many)]
    assert seen == [value for value in (1, 2, 3) for _ in range(4)]


def test_a_function_for_a_default_needs_no_second_trace():
    @al.convert
    def f(x, activation=jnp.tanh):
        return activation(x)

    assert [float(f(jnp.float32(0))) for _ in range(3)] == [0, 0, 0]
    assert f.trace_count == 1


def test_a_keyword_may_have_the_name_of_a_parameter_that_takes_none():
    @al.convert
    def f(x, /, **rest):
        return x - rest["x"] + rest["self"]

    calls = [f(jnp.float32(3), x=jnp.float32(1), self=jnp.float32(10)) for _ in range(2)]
    assert list(map(float, calls)) == [12, 12]


def test_a_parameter_that_takes_no_keyword_is_missing_where_one_is_given():
    def f(x, /, **rest):
        return x

    converted = al.convert(f)
    with pytest.raises(TypeError) as expected:
        f(x=1)
    with pytest.raises(TypeError) as found:
        converted(x=1)
    assert str(found.value) == str(expected.value)
