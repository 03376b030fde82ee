"""Do arrays that a loop reads and writes row by row become rows and outputs of its scan, with the same values?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from benchmarks import structure

N = 7


def recurrence(x, y):
    for t in range(1, len(x)):
        y[t] = 0.5 * y[t - 1] + x[t]
    return y


def two_back(x, y):
    for t in range(2, len(x)):
        y[t] = y[t - 1] + y[t - 2] * x[t - 2]
    return y


def backwards(x, y):
    for t in range(len(x) - 2, -1, -1):
        y[t] = x[t] - x[t + 1] * y[t + 1]
    return y


def in_place(x, y):
    for t in range(1, len(x) - 1):
        y[t] = y[t - 1] + y[t] + y[t + 1]
        y[t] += x[t] * y[t]
    return y


def every_other(x, y):
    for t in range(1, len(x), 2):
        y[t] = y[t - 1] + x[t]
    return y


def every_other_downwards(x, y):
    for t in range(len(x) - 1, 2, -2):
        y[t] = y[t - 2] + x[t] * y[t - 1]
    return y


def spread(x, y):
    for t in range(len(x) // 2):
        y[2 * t] = x[t] + y[2 * t + 1]
    return y


def rows(x, y):
    A = jnp.outer(x, y) if isinstance(x, jax.Array) else np.outer(x, y)
    for t in range(1, len(x)):
        A[t] = A[t - 1] * 0.5 + A[t]
    return A


def with_a_constant(x, y):
    for t in range(len(x)):
        y[t] = 0.0
    return y


def of_the_row_before(x, y):
    for t in range(1, len(x)):
        y[t] = 1.0
        x[t] = y[t - 1] + x[t]
    return x, y


def shifted_write(x, y):
    for t in range(len(x) - 1):
        y[t + 1] = y[t] + x[t]
    return y


def numbered(x, y):
    for t, v in enumerate(x):
        y[t] = v * y[t]
    return y


STAGED = (
    recurrence, two_back, backwards, in_place, every_other, every_other_downwards, spread, rows, with_a_constant,
    shifted_write, numbered,
)  # fmt: skip


def from_the_end(x, y):
    for t in range(len(x)):
        y[t] = y[t - 1] + x[t]
    return y


def mirrored(x, y):
    n = len(x)
    for t in range(n):
        y[t] = y[n - 1 - t] + x[t]
    return y


def twice(x, y):
    for t in range(len(x) - 1):
        y[t] = x[t]
        y[t + 1] = y[t] * 2
    return y


def far_back(x, y):
    for t in range(6, len(x)):
        y[t] = y[t - 6] + x[t]
    return y


def whole(x, y):
    for t in range(len(x)):
        y[t] = y.sum() + x[t]
    return y


def handed_out(x, y):
    z = y
    for t in range(len(x)):
        y[t] = x[t]
        z = y * 2
    return y, z


def choosing(x, y):
    for t in range(1, len(x)):
        if x[t] > 0:
            y[t] = y[t - 1]
    return y


KEPT = (from_the_end, mirrored, twice, far_back, whole, handed_out, choosing, of_the_row_before)


def given(dtype=np.float32):
    rng = np.random.default_rng(5)
    return rng.normal(size=N).astype(dtype), rng.normal(size=N).astype(dtype)


def converted(program):
    return autograph_lite.convert(program, static_loops="stage")


@pytest.mark.parametrize("program", STAGED + KEPT)
def test_the_values_are_those_of_numpy(program):
    x, y = given()
    expected = program(x.copy(), y.copy())
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6),
        converted(program)(x, y),
        expected,
    )


def test_an_item_to_which_a_function_is_applied_is_no_row_that_is_written():
    def program(x, y):
        for t in range(1, len(x)):
            y = y.at[t].apply(jnp.sin)
        return y

    x, y = map(jnp.asarray, given())
    np.testing.assert_allclose(converted(program)(x, y), jnp.sin(y).at[0].set(y[0]), rtol=1e-6)


def test_rows_of_an_array_of_symbolic_size_are_read():
    def program(x):
        total = 0.0
        for t in range(3):
            total += x[t]
        return total

    spec = autograph_lite.ArraySpec([None], jnp.float32)
    run = autograph_lite.convert(program, static_loops="stage", input_signature=[spec])
    assert float(run(jnp.arange(5.0))) == 3.0


@pytest.mark.parametrize("program", STAGED)
def test_no_iteration_reads_or_writes_the_whole_array(program):
    x, y = map(jnp.asarray, given())
    staged = list(loops(jax.make_jaxpr(converted(program))(x, y).jaxpr))
    (loop,) = found if (found := [e for e in staged if e.primitive.name == "scan"]) else [None]
    if loop is None:  # whose iterations need nothing of each other: there is no loop
        assert {e.primitive.name for e in staged} & {"dynamic_slice", "gather"} == set()
        return
    body = getattr(loop.params["jaxpr"], "jaxpr", loop.params["jaxpr"])
    assert {e.primitive.name for e in body.eqns} & {"scatter", "dynamic_slice"} == set()


def loops(jaxpr):
    for equation in jaxpr.eqns:
        if equation.primitive.name in structure.WRAPPERS:
            yield from loops(getattr(equation.params["jaxpr"], "jaxpr", equation.params["jaxpr"]))
        else:
            yield equation


@pytest.mark.parametrize("program", [p for p in STAGED + KEPT if p is not choosing])
def test_the_derivatives_are_those_of_the_unrolled_loop(program):
    x, y = map(jnp.asarray, given())

    def total(program):
        return lambda x, y: sum(jnp.sum(jnp.sin(leaf)) for leaf in jax.tree.leaves(program(x, y)))

    derivative = jax.jacfwd if program is in_place else jax.grad
    found, expected = (
        jax.jit(derivative(total(f), (0, 1)))(x, y)
        for f in (converted(program), autograph_lite.convert(program))
    )
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), found, expected)


def test_many_lanes_give_what_one_by_one_give():
    x, y = (jnp.stack([a, a + 1, -a]) for a in given())
    run = converted(in_place)
    expected = [run(*lane) for lane in zip(x, y, strict=True)]
    np.testing.assert_allclose(jax.vmap(run)(x, y), jnp.stack(expected), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.int32, np.float16, np.complex64])
def test_arrays_keep_their_dtype(dtype):
    x, y = (np.asarray(a * 3, dtype) for a in given())
    found = converted(shifted_write)(x, y)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, shifted_write(x.copy(), y.copy()), rtol=1e-2)


def test_what_no_iteration_changes_any_more_is_an_array_of_jax():
    def program(x, kept):
        for i in autograph_lite.range(len(x)):
            if i < 0:
                kept = kept + 1
            x[i] = x[i] + kept
        return x, kept

    seen = []

    def run(x):
        after = autograph_lite.to_graph(program)(x, np.float32(2))
        seen.append(after[1])
        return after

    x, kept = jax.jit(run)(jnp.ones(4))
    np.testing.assert_array_equal(x, np.full(4, 3, np.float32))
    assert kept == 2
    assert isinstance(seen[0], jax.Array)
    assert seen[0].dtype == np.float32
