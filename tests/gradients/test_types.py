"""Does a loop have its gradient whatever else it carries: other dtypes, numbers, keys, lists, Variables, sizes without a number?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import autograph_lite
from autograph_lite import ArraySpec, Variable, convert, value_and_grad


def powers(x, n):
    y = x
    while n > 0:
        y = y * x
        n = n - 1
    return y


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_dtypes(dtype) -> None:
    with jax.enable_x64(dtype == "float64"):
        x = jnp.asarray(1.5 if dtype != "complex64" else 1 + 0.5j, dtype)
        found = jax.jit(jax.grad(convert(powers), holomorphic=dtype == "complex64"))(x, 3)
        assert found.dtype == dtype
        np.testing.assert_allclose(np.asarray(found, complex), 4 * complex(x) ** 3, rtol=1e-2)


def test_gradient_with_respect_to_an_int_is_float0() -> None:
    found = jax.grad(convert(powers), 1, allow_int=True)(jnp.float32(2), jnp.int32(3))
    assert found.dtype == jax.dtypes.float0


def test_a_loop_of_ints_is_that_of_lax() -> None:
    def plain(n):
        count = jnp.int32(0)
        while n > 1:
            n = n // 2
            count += 1
        return count

    program = jax.make_jaxpr(autograph_lite.to_graph(plain))(9)
    assert [eqn.primitive for eqn in program.eqns if eqn.primitive.name == "while"] == [jax.lax.while_p]


def test_keys_and_bools_in_the_loop() -> None:
    def noisy(x, key, n):
        up = True
        for _ in range(n):
            key, now = jax.random.split(key)
            noise = jax.random.uniform(now)
            x = jnp.where(up, x * (1 + noise), x / (1 + noise))
            up = jnp.logical_not(up)
        return x

    key = jax.random.key(3)
    found = jax.jit(jax.grad(convert(noisy)))(2.0, key, 70)
    np.testing.assert_allclose(found, noisy(1.0, key, 70), rtol=1e-4)
    rows = jax.vmap(jax.grad(convert(noisy)), (0, None, 0))(jnp.ones(2), key, jnp.array([3, 5]))
    np.testing.assert_allclose(rows, [noisy(1.0, key, 3), noisy(1.0, key, 5)], rtol=1e-5)


def test_gradient_with_respect_to_a_variable() -> None:
    w = Variable(jnp.float32(1.5))

    @convert
    def loss(x, n):
        while n > 0:
            x = x * w
            n = n - 1
        return x

    value, (slope,) = jax.jit(value_and_grad(loss, [w]))(jnp.float32(2), 3)
    assert (value, slope) == (2 * 1.5**3, 2 * 3 * 1.5**2)


def test_what_is_appended_comes_out_of_a_scan() -> None:
    @convert
    def trace(x, w):
        seen = []
        for row in w:
            x = jnp.tanh(row * x)
            seen.append(x)
        return jnp.stack(seen)

    w = jnp.linspace(0.5, 1.5, 6)
    program = str(jax.make_jaxpr(jax.grad(lambda x: jnp.sum(trace(x, w))))(0.3))
    assert program.count("scan[") == 2
    assert "dynamic_update_slice" not in program


def test_a_gradient_in_a_program_for_any_size() -> None:
    @convert(input_signature=[ArraySpec((None,), jnp.float32)])
    def slope(x):
        def total(v):
            while jnp.sum(v * v) < 100.0:
                v = 2 * v
            return jnp.sum(v)

        return jax.grad(total)(x)

    for size in (2, 5):
        np.testing.assert_allclose(slope(jnp.full(size, 5.0 / size**0.5)), np.full(size, 2.0))


def test_gradient_in_a_shard_map() -> None:
    mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    f = convert(lambda x: powers(x, jnp.int32(3)))
    mapped = jax.shard_map(jax.vmap(jax.grad(f)), mesh=mesh, in_specs=P("d"), out_specs=P("d"))
    np.testing.assert_allclose(jax.jit(mapped)(jnp.array([1.0, 2.0])), [4.0, 32.0])


def test_collectives_over_lanes() -> None:
    def f(x, n):
        while n > 0:
            x = x * 0.5 + jax.lax.psum(x, "lanes")
            n = n - 1
        return x

    def total(xs):
        return jnp.sum(jax.vmap(convert(f), (0, None), axis_name="lanes")(xs, 2) ** 2)

    def by_hand(xs):
        for _ in range(2):
            xs = xs * 0.5 + jnp.sum(xs)
        return jnp.sum(xs**2)

    xs = jnp.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(jax.jit(jax.grad(total))(xs), jax.grad(by_hand)(xs), rtol=1e-5)


def test_custom_rules_in_the_loop_are_used() -> None:
    @jax.custom_vjp
    def straight(x):
        return jnp.round(x)

    straight.defvjp(lambda x: (straight(x), None), lambda _, ct: (ct,))

    @convert
    def f(x, n):
        for _ in range(n):
            x = straight(x * 1.5)
        return x

    assert jax.jit(jax.grad(f))(2.0, 3) == 1.5**3


def test_zero_iterations_in_reverse_leave_the_cotangent() -> None:
    assert jax.jit(jax.grad(convert(powers)))(2.0, 0) == 1
    assert autograph_lite.to_graph(powers)(2.0, 0) == 2
