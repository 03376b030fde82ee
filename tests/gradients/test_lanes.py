"""Under `vmap`, does what a lane does not do stay out of its derivative, and out of that of what the lanes share?"""

from __future__ import annotations

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from autograph_lite import convert
from tests.examples import examples


def divided(x, c, w):
    """A lane with c = 0 never divides by it."""
    while x > 1:
        x = w * x / c
    return x


def rooted(x, c, w):
    """A lane that is at 0 has left the loop: there the root has no derivative."""
    while x > 0.01:
        x = x - w * jnp.sqrt(x)
        if x < c:
            x = 0 * x
    return x


def counted(x, c, w):
    for i in range(c):
        x = x - w * jnp.sqrt(x) / (c - i)
    return x


def left(x, c, w):
    for i in range(6):
        if i >= c:
            break
        x = x - w * jnp.sqrt(x)
    return x


def branched(x, c, w):
    if c > 0:
        x = w * jnp.sqrt(x) / c
    else:
        x = x * 2
    return x


CASES = [
    (divided, [0.5, 8.0, 3.0], [0.0, 2.0, 3.0]),
    (rooted, [0.0, 0.5, 2.0], [0.0, 0.02, 0.03]),
    (counted, [0.0, 0.5, 2.0], [0, 5, 3]),
    (left, [0.0, 0.5, 2.0], [0, 5, 3]),
    (branched, [0.0, 8.0, 3.0], [0.0, 2.0, 3.0]),
]


@pytest.mark.parametrize(("plain", "xs", "cs"), CASES, ids=[case[0].__name__ for case in CASES])
def test_no_nan_from_what_a_lane_does_not_do(plain, xs, cs) -> None:
    f = convert(plain)
    w = jnp.float32(0.9)
    argnums = (0, 2) if isinstance(cs[1], int) else (0, 1, 2)
    one = [jax.grad(plain, argnums)(jnp.float32(x), c, w) for x, c in zip(xs, cs, strict=True)]
    *lanes, shared = map(np.array, zip(*one, strict=True))
    wanted = [*lanes, shared.sum()]

    def total(*args):
        return jnp.sum(jax.vmap(f, (0, 0, None))(*args))

    arrays = jnp.array(xs), jnp.array(cs), w
    for transform in (lambda g: g, jax.jit):
        for g, w_ in zip(transform(jax.grad(total, argnums))(*arrays), wanted, strict=True):
            np.testing.assert_allclose(g, w_, rtol=1e-5)
    found = jax.vmap(jax.grad(f, argnums), (0, 0, None))(*arrays)
    for g, w_ in zip(found, [*lanes, shared], strict=True):
        np.testing.assert_allclose(g, w_, rtol=1e-5)


def test_forward_derivative_of_lanes_has_no_nan() -> None:
    f = convert(divided)
    xs, cs = jnp.array([0.5, 8.0, 3.0]), jnp.array([0.0, 2.0, 3.0])
    found = jax.jvp(lambda cs: jax.vmap(f, (0, 0, None))(xs, cs, 0.9), (cs,), (jnp.ones(3),))[1]
    assert found[0] == 0
    assert bool(jnp.all(jnp.isfinite(found)))


def test_two_axes_of_lanes() -> None:
    def f(x, n):
        for _ in range(n):
            x = jnp.sin(x) * 2
        return x

    xs, ns = jnp.linspace(0.1, 1, 6).reshape(2, 3), jnp.array([[1, 2, 3], [0, 5, 1]])
    rows = jax.vmap(jax.vmap(convert(f)))
    found = jax.jit(jax.grad(lambda xs: jnp.sum(rows(xs, ns))))(xs)
    each = jax.vmap(jax.vmap(jax.grad(convert(f))))(xs, ns)
    wanted = [[jax.grad(f)(x, int(n)) for x, n in zip(*row, strict=True)] for row in zip(xs, ns, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_allclose(each, wanted, rtol=1e-5)


def shared(x, c, d, w):
    """A lane with c = 0 or d = 0 never divides by it."""
    while x > 1:
        x = w * x / c
        if x > 20:
            x = jnp.sqrt(x - 20 * d)
        x = x / d
    return x


def in_two_loops(x, c, d, w):
    while x > 1:
        y = x
        while y > 0.5:
            y = w * y / c
        x = x / d + 0.1 * y
    return x


def poisoned(seed: int, follows: list[set[str]]) -> list[np.ndarray]:
    """x, c, d, w with an axis of three for each map that they follow; where c or d is 0, the loops are not entered."""
    random = np.random.default_rng(seed)
    shapes = [[3 if name in names else 1 for names in follows] for name in "xcdw"]
    x, c, d = random.uniform(0.2, 6, shapes[0]), *(random.choice([0.0, 2.0, 1.5], s) for s in shapes[1:3])
    return [np.where((c == 0) | (d == 0), 0.5, x), c, d, random.uniform(0.8, 1, shapes[3])]


def gradients_of_lanes(f, follows, arrays) -> None:
    """Compares the gradient of a sum over the lanes with the sum of those of each lane in plain Python."""
    lanes = np.ndindex(*[3] * len(follows))
    everywhere = [np.broadcast_to(array, [3] * len(follows)) for array in arrays]
    wanted = [np.zeros(array.shape) for array in arrays]
    for lane in lanes:
        found = jax.grad(f, (0, 1, 2, 3))(*(jnp.float32(array[lane]) for array in everywhere))
        for sums, array, g in zip(wanted, arrays, found, strict=True):
            sums[tuple(i if size > 1 else 0 for i, size in zip(lane, array.shape, strict=True))] += g

    mapped = convert(f)
    for names in reversed(follows):
        mapped = jax.vmap(mapped, tuple(0 if name in names else None for name in "xcdw"))

    def total(*args):
        return jnp.sum(mapped(*args))

    given = [jnp.asarray(array, jnp.float32).reshape([n for n in array.shape if n > 1]) for array in arrays]
    ours = jax.jit(jax.grad(total, (0, 1, 2, 3)))(*given)
    for g, w in zip(ours, wanted, strict=True):
        np.testing.assert_allclose(g, w.reshape(g.shape), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", [shared, in_two_loops])
def test_no_nan_where_constants_follow_some_of_the_maps(f) -> None:
    follows = [{"x", "c"}, {"x", "d"}]
    gradients_of_lanes(f, follows, poisoned(1, follows))


@examples(4)
@given(data=st.data())
def test_no_nan_whichever_maps_each_array_follows(data) -> None:
    subsets = st.sets(st.sampled_from("cdw")).map(lambda names: names | {"x"})
    follows = data.draw(st.lists(subsets, min_size=1, max_size=3))
    f = data.draw(st.sampled_from([shared, in_two_loops]))
    gradients_of_lanes(f, follows, poisoned(data.draw(st.integers(0, 99)), follows))


def test_no_nan_in_reverse_over_reverse() -> None:
    f = convert(divided)
    xs, cs, w = jnp.array([0.5, 8.0, 3.0]), jnp.array([0.0, 2.0, 3.0]), jnp.float32(0.9)

    def slope(f, x, c):
        return jnp.sum(jax.grad(lambda c: jnp.sum(f(x, c, w)))(c))

    lanes = jax.vmap(f, (0, 0, None))
    wanted = [jax.hessian(lambda c, x=x: divided(x, c, w))(c) for x, c in zip(xs[1:], cs[1:], strict=True)]
    found = jax.jit(jax.grad(lambda c: slope(lanes, xs, c)))(cs)
    np.testing.assert_allclose(found, [0, *wanted], rtol=1e-4)


def test_second_derivatives_of_lanes_with_keys_and_counters() -> None:
    def noisy(x, key, n):
        for _ in range(n):
            key, now = jax.random.split(key)
            x = x * jnp.sin(x + jax.random.uniform(now))
        return x

    xs, ns, keys = jnp.array([0.5, 1.0, 1.5]), jnp.array([0, 3, 5]), jax.random.split(jax.random.key(1), 3)
    lanes = jax.vmap(convert(noisy))
    slope = jax.grad(lambda xs: jnp.sum(lanes(xs, keys, ns)))
    found = jax.jit(jax.grad(lambda xs: jnp.sum(slope(xs))))(xs)
    wanted = [jax.hessian(noisy)(x, key, int(n)) for x, key, n in zip(xs, keys, ns, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
