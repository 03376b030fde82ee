"""What is written to an array of two names in a program that somebody else records, by `jax.jit(to_graph(f))`, is seen by both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

X = jnp.arange(3.0)


class Holder:
    def __init__(self, x: Any) -> None:
        self.x, self.rest = x, x[1:]


def put(h: Any) -> None:
    h.rest[0] = 7.0


def seen_from_around(x: Any) -> Any:
    h = Holder(x * 1)
    al.to_graph(put)(h)
    return h.x + 0 * x


def seen_after_two(x: Any) -> Any:
    h = Holder(x * 1)
    al.to_graph(put)(h)
    al.to_graph(doubled)(h)
    return h.x


def doubled(h: Any) -> None:
    h.rest[0] = 2 * h.x[1]


def in_a_branch(x: Any) -> Any:
    v = x[1:]
    if x[2] > 0:
        v[0] = 5.0
    return x, v


def in_a_loop(x: Any) -> Any:
    y = x * 1
    v = y[1:]
    for k in range(jnp.int32(y[2])):
        v[k] = v[k] + y[0] + 1
    return y, v


def of_a_vector(v: Any) -> Any:
    d = jnp.diag(v)
    d[0, 0] = 5.0
    return d, v


WHOLE: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "an object, around": (seen_from_around, [0, 7, 2]),
    "an object, by two": (seen_after_two, [0, 14, 2]),
    "a branch": (al.to_graph(in_a_branch), ([0, 5, 2], [5, 2])),
    "a loop": (al.to_graph(in_a_loop), ([0, 2, 3], [2, 3])),
    "a matrix of a vector": (al.to_graph(of_a_vector), (np.diag([5, 1, 2]), [0, 1, 2])),
    "a body of scan": (
        lambda x: jax.lax.scan(lambda c, y: al.to_graph(in_a_branch)(c + y), x, X),
        ([3, 5, 5], [[5, 2], [5, 3], [5, 5]]),
    ),
    "a program in one": (lambda x: jax.jit(al.to_graph(in_a_branch))(x * 1), ([0, 5, 2], [5, 2])),
    "a derivative of a program": (
        jax.grad(lambda x: (jax.jit(al.to_graph(in_a_branch))(x)[0] ** 2).sum()),
        [0, 0, 4],
    ),
    "lanes of a program": (
        lambda x: jax.vmap(jax.jit(al.to_graph(in_a_branch)))(jnp.stack([x, -x])),
        ([[0, 5, 2], [0, -1, -2]], [[5, 2], [-1, -2]]),
    ),
}


@pytest.mark.parametrize("case", WHOLE)
def test_all_names_see_it(case: str) -> None:
    run, wanted = WHOLE[case]
    found = jax.jit(run)(X)
    jax.tree.map(np.testing.assert_array_equal, found, jax.tree.map(np.asarray, wanted, is_leaf=_is_list))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, np.ndarray))


def test_no_tracer_is_left_and_a_trace_that_failed_leaves_nothing() -> None:
    def f(x: Any, failing: bool) -> Any:
        v = x[1:]
        v[0] = 7.0
        if failing:
            raise ValueError("told")
        return x

    with pytest.raises(ValueError, match="told"):
        jax.jit(al.to_graph(f), static_argnums=1)(X, True)
    with jax.checking_leaks():
        assert jax.jit(al.to_graph(f), static_argnums=1)(X, False).tolist() == [0, 7, 2]
    assert X.tolist() == [0, 1, 2]


def test_where_nothing_is_recorded_it_is_refused() -> None:
    with pytest.raises(al.MutationError, match="which in NumPy shares its memory with 'x'"):
        al.to_graph(in_a_branch)(X)
    found = jax.vmap(al.to_graph(in_a_branch))(X[None])  # what lanes do is recorded for one of them
    jax.tree.map(
        np.testing.assert_array_equal, found, jax.tree.map(lambda v: np.array([v]), in_a_branch(np.array(X)))
    )


@pytest.mark.parametrize("items", [(4, 0, 0, 5), (-9, -9, -9, -9), (-4, 4, 4, 5)])
def test_a_part_that_a_branch_wrote_to_is_no_value_of_a_loop_after_it(items):
    def fn(a, b, xs, ys):
        if all(-v > b for v in xs):
            ys[a + 1 :: -1][: b + 1] = 3.0
            ys[:2][:1] = 1.0
        for _ in (xs > -a).nonzero()[0]:
            ys[2 * b : a % 3] = (ys[2 * b : a % 3] + 1) % 2.5
        return ys

    xs, ys = np.array(items, np.int32), np.array([3.5, -1.0, 2.0, 0.0], np.float32)
    found = jax.jit(al.to_graph(fn))(-2, 3, xs, ys)
    np.testing.assert_allclose(found, fn(-2, 3, xs, ys.copy()))


class Named:
    def __init__(self, **arrays):
        vars(self).update(arrays)


def by_attributes(x):
    h = Named(u=np.array(x))
    h.v = h.u
    h.v += 1
    return h.u


def by_items(x):
    held = {"u": np.sin(x)}
    held["part"] = held["u"][1:]
    held["part"] += 1
    rows = [held["u"]]
    rows[0] *= 2
    return held["u"], rows


def by_variables(x):
    u = np.array(x)
    v = u
    v += 1
    w = np.abs(u)[1:] * 2
    same = w
    w -= u[0]
    return u, same


def in_a_loop_and_a_branch(x):
    u = np.array(x)
    v, turned = u, u.reshape(3, 1).T
    for k in range(9):
        v += k
    if x[0] < 9:
        turned *= 2
    np.add(u, 1, out=u)
    return u, v


@pytest.mark.parametrize("function", [by_attributes, by_items, by_variables, in_a_loop_and_a_branch])
def test_what_numpys_functions_make_is_changed_in_place(function: Any) -> None:
    found, wanted = jax.jit(al.to_graph(function))(X), function(np.array(X))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_jaxs_arrays_are_not_changed_in_place() -> None:
    def f(x: Any) -> Any:
        h = Named(u=jnp.array(x), w=x)
        h.v, h.y = h.u, h.w
        h.v += 1
        h.y += 1
        return h.u, h.w

    for one in jax.jit(al.to_graph(f))(X):
        np.testing.assert_array_equal(one, X)
