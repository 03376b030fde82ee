"""Functions that JAX is handed write to arrays as NumPy does: under derivatives, in lanes, in loops and programs of JAX's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph_lite as al
from autograph_lite.jax_internals import tracing_state


def through_a_view(p):
    q = p * 1
    row = q[1:]
    row[0] = row[1] * q[0]
    q[0] += 1
    return (q**2).sum() + row.sum()


def in_a_dict(p):
    d = {"x": p * 1}
    q = d["x"]
    q[0] = 2 * q[1]
    d["x"] = q
    return (d["x"] ** 2).sum()


def added_to_another_name(p):
    out = np.zeros(3, np.float32)
    same = out
    same += p
    return (out * p).sum()


def added_under_a_condition(p):
    out = np.zeros(3, np.float32)
    same = out
    if p[0] > 0:
        same += p
    return (out * p).sum()


def added_in_a_loop(p):
    out = np.zeros(3, np.float32)
    same = out
    for k in range(5):
        same += p * k
    return (out * p).sum()


def added_to_a_row(p):
    out = np.zeros((2, 3), np.float32)
    out[0] += p
    row = out[0]
    row *= 2
    return (out[0] * p).sum()


def given_as_out(p):
    out = np.ones(3, np.float32)
    same = out
    np.multiply(same, p, out=same)
    return (out * p).sum()


def in_a_list(p):
    out = np.zeros(3, np.float32)
    rows = [out]
    for i in range(3):
        rows[0][i] = p[i] ** 2
    return out.sum()


class Holder:
    def __init__(self, f):
        self.f = f

    def bump(self):
        self.f[0] = self.f[1] * 3


def in_an_object(p):
    h = Holder(p * 2)
    h.bump()
    row = h.f[1:]
    row[0] = 4 * p[0]
    return (h.f**2).sum()


def returned_early(p):
    q = p * 1
    row = q[::-1]
    if p[0] > 1.5:
        return q.sum()
    row[0] = p[0] * p[1]
    return q.sum()


def add_to(array, values):
    array += values


def added_by_a_helper(p):
    out = np.zeros(3, np.float32)
    add_to(out, p)
    return (out * p).sum()


class Sums:
    def __init__(self, size):
        self.sums = np.zeros(size, np.float32)

    @property
    def doubled(self):
        sums = self.sums
        sums += sums
        return sums


def added_by_a_property(p):
    s = Sums(3)
    s.sums[:] = p
    return (s.doubled * p).sum() + s.sums[0]


def summed_into(p):
    out = np.zeros(3, np.float32)
    rows = [out]
    p.cumsum(out=out)
    return (rows[0] * p).sum()


BODIES = [
    through_a_view, in_a_dict, added_to_another_name, added_under_a_condition, added_in_a_loop, added_to_a_row, given_as_out,
    in_a_list, in_an_object, returned_early, added_by_a_helper, added_by_a_property, summed_into,
]  # fmt: skip

# how JAX comes to call a function, of one row or of several
WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, w: jax.value_and_grad(f)(w[0])[0],
    "jvp": lambda f, w: jax.jvp(f, (w[0],), (w[0],))[0],
    "vjp": lambda f, w: jax.vjp(f, w[0])[0],
    "jit": lambda f, w: jax.jit(f)(w[0]),
    "checkpoint": lambda f, w: jax.checkpoint(f)(w[0]),
    "cond": lambda f, w: lax.cond(w[0, 0] > 0, f, lambda p: p[0], w[0]),
    "scan": lambda f, w: lax.scan(lambda c, x: (c, f(x)), 0, w)[1],
    "map": lambda f, w: lax.map(f, w),
    "fori_loop": lambda f, w: lax.fori_loop(0, 2, lambda i, c: c.at[i].set(f(w[i])), jnp.zeros(2)),
    "vmap": lambda f, w: jax.vmap(f)(w),
    "vmap of grad": lambda f, w: jax.vmap(jax.value_and_grad(f))(w)[0],
    "grad of vmap": lambda f, w: jax.jvp(lambda v: jax.vmap(f)(v), (w,), (w,))[0],
}
ROWS = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0]], np.float32)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_what_is_written_is_as_in_numpy(body: Any, way: str) -> None:
    found = al.convert(lambda w: WAYS[way](body, w))(ROWS)
    wanted = np.array([body(row.copy()) for row in ROWS])
    np.testing.assert_allclose(found, wanted if np.ndim(found) else wanted[0], rtol=1e-5)


class Model:
    def __init__(self, scale):
        self.scale = scale

    def loss(self, p):
        out = np.zeros(3, np.float32)
        same = out
        same += p
        return (out * p).sum() * self.scale

    def __call__(self, p):
        out = np.zeros(3, np.float32)
        same = out
        same += p
        return (out * p).sum() * self.scale

    @staticmethod
    def static(p):
        out = np.zeros(3, np.float32)
        same = out
        same += p
        return (out * p).sum() * 2

    @classmethod
    def of_class(cls, p):
        out = np.zeros(3, np.float32)
        same = out
        same += p
        return (out * p).sum() * 2


def scaled(p, scale=1):
    return added_to_another_name(p) * scale


# what JAX is handed, which computes twice the sum of squares
HANDED: dict[str, Callable[[], Any]] = {
    "a method": lambda: Model(2).loss,
    "an object": lambda: Model(2),
    "a static method": lambda: Model.static,
    "a class method": lambda: Model.of_class,
    "a partial": lambda: functools.partial(scaled, scale=2),
    "jitted": lambda: jax.jit(functools.partial(scaled, scale=2)),
    "a jitted method": lambda: jax.jit(Model(2).loss),
    "a derivative": lambda: jax.vmap(lambda p: jax.value_and_grad(scaled)(p, 2)[0]),
    "converted": lambda: al.convert(functools.partial(scaled, scale=2)),
}
MADE = {name: make() for name, make in HANDED.items()}
# what was made of it before, outside of converted code
OUTSIDE = {
    name: (jax.value_and_grad(made), jax.jit(made), jax.vmap(made), jax.checkpoint(made))
    for name, made in MADE.items()
    if name != "a derivative"
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HANDED)
def test_whatever_is_handed_writes_as_in_numpy(name: str, way: str) -> None:
    whole = name == "a derivative"

    def main(w):
        made = HANDED[name]()
        return WAYS[way]((lambda p: made(p[None])[0]) if whole else made, w)

    found = al.convert(main)(ROWS)
    wanted = [28, 90] if np.ndim(found) else 28
    np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_was_made_outside_writes_as_in_numpy(name: str) -> None:
    def main(w):
        derived, jitted, mapped, again = OUTSIDE[name]
        return derived(w[0])[0], derived(w[0])[1], jitted(w[0]), mapped(w), again(w[0])

    value, gradient, jitted, mapped, again = al.convert(main)(ROWS)
    assert (float(value), float(jitted), float(again), mapped.tolist()) == (28, 28, 28, [28, 90])
    np.testing.assert_allclose(gradient, 4 * ROWS[0])


def test_one_of_several_that_are_handed_in_a_list() -> None:
    def main(w, n):
        return lax.switch(n, [jax.jit(scaled), scaled, Model(2).loss, Model.static], w)

    assert [float(al.convert(main)(ROWS[0], n)) for n in range(4)] == [14, 14, 28, 28]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_gradients_are_those_of_what_is_written(body: Any) -> None:
    x, step = ROWS[0].astype(float), np.eye(3) / 64
    wanted = [(body(x + each) - body(x - each)) * 32 for each in step]
    for found in (al.convert(lambda w: jax.grad(body)(w))(ROWS[0]), jax.grad(al.convert(body))(ROWS[0])):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("way", WAYS)
def test_in_a_program_of_somebody_else_it_is_right_or_refused(way: str) -> None:
    def outcome(body: Any) -> str:
        try:
            found = jax.jit(al.to_graph(lambda w: WAYS[way](body, w)))(ROWS)
        except al.AutographError as error:
            return type(error).__name__
        wanted = np.array([body(row.copy()) for row in ROWS])
        np.testing.assert_allclose(found, wanted if np.ndim(found) else wanted[0], rtol=1e-5)
        return "right"

    outcomes = {body.__name__: outcome(body) for body in BODIES}
    assert outcomes["through_a_view"] == outcomes["in_a_dict"] == outcomes["in_an_object"] == "right"
    assert (
        outcomes["added_to_another_name"] == "MutationError"
    )  # an array of NumPy's, whose other names would not see it


def test_what_a_loss_leaves_in_objects_is_theirs() -> None:
    def step(w):
        log, h, counts = [], Holder(None), np.zeros(2)

        def loss(p):
            log.append("called")
            h.f = jnp.arange(3.0) * 2  # of the data alone
            h.inner = Holder(jnp.ones(2) + 1)
            counts[1] = 4
            return ((p - h.f) ** 2).sum() * counts[1]

        gradient = jax.grad(loss)(w)
        return gradient, h.f, h.inner.f, len(log), counts.sum()

    for way in (al.convert, lambda f: jax.jit(al.to_graph(f)), al.to_graph):
        gradient, left, inner, calls, counted = way(step)(jnp.ones(3))
        assert (gradient.tolist(), left.tolist(), inner.tolist()) == ([8, -8, -24], [0, 2, 4], [2, 2])
        assert (calls, counted) == (1, 4)


def test_what_depends_on_what_is_differentiated_does_not_outlive_it() -> None:
    def step(w):
        h = Holder(None)

        def loss(p):
            h.f = p * 2
            return p.sum()

        jax.grad(loss)(w)
        return h.f

    with pytest.raises(al.MutationError, match="used when that has ended"):
        al.convert(step)(jnp.ones(3))


def test_results_that_are_no_arrays() -> None:
    def step(w):
        def loss(p):
            return (p**2).sum(), {"name": "squares", "count": 3, "twice": p * 2, "none": None}

        gradient, found = jax.grad(loss, has_aux=True)(w)
        same = (found["name"], found["count"], found["none"]) == ("squares", 3, None)
        return gradient + found["twice"], same

    gradient, same = al.convert(step)(jnp.ones(3))
    assert (gradient.tolist(), bool(same)) == ([4, 4, 4], True)


def test_keywords_defaults_and_what_is_not_differentiated() -> None:
    def step(w):
        def loss(p, kind, *rest, scale=2, **more):
            q = p * 1
            q[::2] = 0 if kind == "odd" else 5
            return (q * scale).sum() + sum(rest) + more["bias"]

        return jax.grad(loss)(w, "odd", 1, 2, bias=3), jax.value_and_grad(loss)(w, "even", scale=3, bias=w[0])

    gradient, (value, other) = al.convert(step)(jnp.ones(3))
    assert (gradient.tolist(), float(value), other.tolist()) == ([0, 2, 0], 34, [0, 3, 0])


def test_checks_and_exceptions_of_a_loss() -> None:
    def step(w, limit):
        def loss(p):
            if p.sum() <= limit:
                raise ValueError("too small")
            return (p**2).sum()

        return jax.grad(loss)(w)

    converted = al.convert(step)
    assert converted(jnp.ones(3), 2.0).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="too small"):
        converted(jnp.ones(3), 4.0)


def test_an_exception_leaves_what_was_written_before_it() -> None:
    def step(w):
        log = []

        def loss(p):
            log.append("called")
            raise KeyError("k")

        try:
            jax.grad(loss)(w)
        except KeyError:
            log.append("caught")
        return len(log)

    assert step(jnp.ones(3)) == al.convert(step)(jnp.ones(3)) == al.to_graph(step)(jnp.ones(3)) == 2


def test_an_array_from_outside_is_refused() -> None:
    def step(w):
        buffer = w * 1

        def loss(p):
            buffer[0] = 4.0
            return (p**2).sum() * buffer[0]

        return jax.grad(loss)(w), buffer

    with pytest.raises(al.MutationError, match="is from outside of it"):
        al.convert(step)(jnp.ones(3))


def test_second_derivatives_and_rules_of_the_users() -> None:
    @jax.custom_vjp
    def doubled(x):
        y = x * 1
        y[0] = 2 * x[0]
        return y

    doubled.defvjp(lambda x: (doubled(x), None), lambda _, g: (g * 3,))

    def loss(p):
        q = p * 1
        row = q[1:]
        row[0] = q[0] ** 3
        return (q * doubled(p)).sum()

    def plain(p):
        q = p.at[1].set(p[0] ** 3)
        return (q * _doubled(p)).sum()

    @jax.custom_vjp
    def _doubled(x):
        return x.at[0].set(2 * x[0])

    _doubled.defvjp(lambda x: (_doubled(x), None), lambda _, g: (g * 3,))
    x = jnp.array([1.0, 2.0, 3.0])
    found = al.convert(lambda w: (jax.grad(loss)(w), jax.jacrev(jax.grad(loss))(w)))(x)
    for ours, wanted in zip(found, (jax.grad(plain)(x), jax.jacrev(jax.grad(plain))(x)), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-5)


def test_what_writes_to_no_array_is_derived_as_it_is() -> None:
    """JAX takes twice the time to trace the derivative of what is recorded."""
    recorded = []

    def loss(p):
        recorded.append(tracing_state.is_computed())
        return (p**2).sum()

    def written(p):
        recorded.append(tracing_state.is_computed())
        q = p * 1
        row = q[1:]
        row[0] = 3
        return (q**2).sum()

    al.convert(lambda w: jax.grad(loss)(w))(jnp.ones(3))
    assert recorded == [True]
    recorded.clear()
    al.convert(lambda w: jax.grad(written)(w))(jnp.ones(3))
    assert recorded[-1] is False


def swapped_rows(p):
    m, places = p @ p.T, np.arange(2)
    for k in range(2):
        pivot = k + np.argmax(np.abs(m[k:, k]))
        if pivot != k:
            m[[k, pivot]] = m[[pivot, k]]
            places[[k, pivot]] = places[[pivot, k]]
        m[k + 1 :, k] /= m[k, k]
        m[k + 1 :, k + 1 :] -= np.outer(m[k + 1 :, k], m[k, k + 1 :])
    return m, places


def test_checks_of_integers_leave_those_before_them() -> None:
    x = np.array([[0.5, 2.5, 1.5], [3.5, 0.75, 5.5]], np.float32)
    wanted = swapped_rows(x)
    ours = al.convert(lambda x: jax.vmap(lambda p: [*swapped_rows(p)])(x[None]))(x)
    for one, other in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(one[0], other, rtol=1e-5)
    found, _ = al.convert(lambda x: jax.jvp(lambda p: swapped_rows(p)[0], (x,), (x,)))(x)
    np.testing.assert_allclose(found, wanted[0], rtol=1e-5)
