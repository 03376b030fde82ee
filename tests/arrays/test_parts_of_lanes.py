"""Is a part of an array that a container holds known where a `vmap` or a `grad` lies between the function and the program?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

M = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def in_a_list(m, k):
    items = [m[k, 0::-1]]
    m[k] += 1
    return items[0].sum() + m.sum()


def in_a_dict(m, k):
    held = {"row": m[1]}
    m[k] = 2
    return held["row"].sum() + m.sum()


def in_a_loop(m, k):
    rows = (m[0], m[k])
    for i in range(k):
        m[0, i] = 5.0
    return rows[0].sum() + m.sum()


def by_a_callee(m, k):
    rows = [m[k]]
    _put(m)
    return rows[0].sum() + m.sum()


def _put(m):
    m[1, 1] = 7.0


def of_a_callee(m, k):
    kept = [m[k] * 1]
    m[k] += 1
    return kept[0].sum() + m.sum()


AROUND = {
    "vmap": lambda fn: lambda m, k: jax.vmap(fn, in_axes=(0, 0))(m[None], jnp.asarray(k)[None])[0],
    "vmap of the array": lambda fn: lambda m, k: jax.vmap(fn, in_axes=(0, None))(m[None], k)[0],
    "grad": lambda fn: lambda m, k: jax.value_and_grad(fn)(m, k)[0],
    "jvp": lambda fn: lambda m, k: jax.jvp(lambda m: fn(m, k), (m,), (m,))[0],
    "vmap of grad": lambda fn: lambda m, k: jax.vmap(jax.value_and_grad(fn), in_axes=(0, None))(m[None], k)[0][0],
}  # fmt: skip


@pytest.mark.parametrize("around", AROUND, ids=AROUND.keys())
@pytest.mark.parametrize("fn", [in_a_list, in_a_dict, in_a_loop, by_a_callee], ids=lambda fn: fn.__name__)
def test_a_write_to_an_array_of_which_a_part_is_held_is_pythons_or_refused(fn, around):
    """What lanes do is recorded for one of them, and then known, and so is what is derived, in a program.

    Not what a function that is not converted calls, as `jvp` does here.
    """
    run = AROUND[around](al.to_graph(fn))
    for way, recorded in ((jax.jit(run), around != "jvp"), (run, "vmap" in around)):
        if recorded:
            np.testing.assert_allclose(way(M, 1), fn(M.copy(), 1))
        else:
            with pytest.raises(al.MutationError, match="shares|a part of it|part of"):
                way(M, 1)


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
def test_a_write_to_an_array_of_which_a_copy_is_held_is_pythons(around):
    for k in (0, 1):
        expected = of_a_callee(M.copy(), k)
        np.testing.assert_allclose(jax.jit(around(al.to_graph(of_a_callee)))(M, k), expected, rtol=1e-6)


def test_a_function_that_a_vmap_inside_calls():
    def f(ms, k):
        return jax.vmap(lambda m: in_a_list(m, k))(ms)

    np.testing.assert_allclose(al.convert(f)(jnp.asarray(M)[None], jnp.int32(1)), [in_a_list(M.copy(), 1)])


def test_no_array_is_a_part_of_a_number_of_a_lane():
    """All of an array is a number in each lane, which the program has one axis more for."""

    def f(a, xs):
        for _ in range(2):
            xs[:2] = a
        return xs, a

    found, _ = jax.jit(jax.vmap(al.to_graph(f)))(np.arange(3), np.zeros((3, 2), int))
    assert found.tolist() == [[0, 0], [1, 1], [2, 2]]
