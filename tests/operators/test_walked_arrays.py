"""A loop over an array that its body writes to is given the items as they are by then, as by NumPy's iterator."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

RUNS = {"convert": al.convert, "jit": lambda f: jax.jit(al.to_graph(f)), "untraced": al.to_graph}


def plain(x, y):
    for v in x:
        x[-1] += v
    return x


def in_place(x, y):
    total = 0
    for v in x:
        x += 1
        total += v
    return x, total


def running_sums(x, y):
    for i, v in enumerate(x):
        if i + 1 < len(x):
            x[i + 1] += v
    return x


def backwards(x, y):
    for v in reversed(x):
        if v > 2:
            break
        x[0] += v
    else:
        x[1] = 50
    return x, v


def together(x, y):
    total = 0
    for i, (p, q) in enumerate(zip(x, y, strict=True)):
        x[-1] = x[-1] + p
        y[1], x[1] = y[1] + q, y[0]
        total += q * p + i
    return x, y, total


def nested(x, y):
    for v in x:
        for w in x:
            x[0] += w * 0.5
        if v > 100:
            return v, x
        x[2] -= v
    return x.sum(), x


def rows(x, y):
    m, total = x.reshape(2, 2), 0
    for row in m:
        total += row.sum()
        m[1] += 2 * row
    return m, total


def of_python(x, y):
    items, total = [1, 2, 3], 0
    for i, v in enumerate(items):
        items[-1] = items[-1] + v
        total += v * x[0]
    return items, total


def of_an_inner_function(x, y):
    count = 0

    def walk(values):
        nonlocal count
        for v in values:
            values[0] = v + 1
            count += v
        return values

    return walk(x), count


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "f",
    [plain, in_place, running_sums, backwards, together, nested, rows, of_python, of_an_inner_function],
)
def test_items_are_those_of_the_moment(f, run):
    converted = RUNS[run](f)
    for x in (np.arange(4.0), np.array([3.0, 1, 1, 2])):
        y = np.arange(4.0) + 1
        wanted = f(x.copy(), y.copy())
        found = converted(jnp.asarray(x), jnp.asarray(y))
        jax.tree.map(np.testing.assert_allclose, found, wanted)


def test_arrays_of_numpys_stay_numpys():
    wanted, found = np.arange(4.0), np.arange(4.0)
    running_sums(wanted, None)
    assert al.to_graph(running_sums)(found, None) is found
    np.testing.assert_array_equal(found, wanted)


def test_a_variable_gives_the_items_that_it_had():
    state = al.Variable(np.array([3, 0, 2]))

    @al.convert
    def f(x):
        for item in state:
            x += item
            state[2] = x
        return x

    assert int(f(jnp.int32(1))) == 6
    assert state.value.tolist() == [3, 0, 6]


def test_a_function_that_is_called_as_a_builtin_is():
    def f(x):
        def enumerate(values):
            return [(1, values[0] * 2), (2, values[1] * 3)]

        for i, v in enumerate(x):
            x[0] += v * i
        return x

    for run in RUNS.values():
        np.testing.assert_allclose(run(f)(jnp.arange(4.0) + 1), f(np.arange(4.0) + 1))


def test_the_loop_is_a_scan_and_has_a_gradient():
    staged = al.to_graph(lambda x: running_sums(x, None)[-1])
    assert "scan" in str(jax.make_jaxpr(staged)(jnp.ones(4)))
    np.testing.assert_allclose(jax.grad(staged)(jnp.arange(4.0)), np.ones(4))
