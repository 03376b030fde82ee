"""Is a converted function under JAX's transformations what the plain one is there, and traced once?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import jaxpr_as_fun

from autograph_lite import Variable, convert


def plain(x):
    """Of a number: a loop and a branch that keep gradients."""
    y = x
    for _ in range(3):
        y = y * x
    if x < 0:
        y = 2.0 * y
    return jnp.sin(y)


def expected(x):
    """`plain`, as `lax` has it."""
    y = x**4
    return jnp.sin(jnp.where(x < 0, 2.0 * y, y))


POINTS = jnp.array([-1.5, -0.3, 0.4, 1.2])


def close(one, other):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), one, other)


@pytest.fixture
def f():
    return convert(plain)


CASES = {
    "grad": lambda f: jax.grad(f)(0.4),
    "value_and_grad": lambda f: jax.value_and_grad(f)(0.4),
    "jvp": lambda f: jax.jvp(f, (0.4,), (1.0,)),
    "vjp": lambda f: jax.vjp(f, 0.4)[1](1.0),
    "linearize": lambda f: jax.linearize(f, 0.4)[1](1.0),
    "hessian": lambda f: jax.hessian(f)(0.4),
    "jacfwd": lambda f: jax.jacfwd(f)(0.4),
    "vmap": lambda f: jax.vmap(f)(POINTS),
    "vmap of vmap": lambda f: jax.vmap(jax.vmap(f))(POINTS.reshape(2, 2)),
    "vmap of grad": lambda f: jax.vmap(jax.grad(f))(POINTS),
    "vmap of vmap of grad": lambda f: jax.vmap(jax.vmap(jax.grad(f)))(POINTS.reshape(2, 2)),
    "grad of sum of vmap": lambda f: jax.grad(lambda xs: jax.vmap(f)(xs).sum())(POINTS),
    "grad of jit": lambda f: jax.grad(jax.jit(f))(0.4),
    "jit of grad": lambda f: jax.jit(jax.grad(f))(0.4),
    "jit of vmap of grad": lambda f: jax.jit(jax.vmap(jax.grad(f)))(POINTS),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f))(0.4),
    "checkpoint in vmap": lambda f: jax.vmap(jax.grad(jax.checkpoint(f)))(POINTS),
    "scan": lambda f: lax.scan(lambda c, x: (c + f(x), f(c)), 0.0, POINTS),
    "grad of scan": lambda f: jax.grad(lambda c: lax.scan(lambda c, x: (c + f(c * x), None), c, POINTS)[0])(
        0.1
    ),
    "map": lambda f: lax.map(f, POINTS),
    "fori_loop": lambda f: lax.fori_loop(0, 3, lambda i, c: c + f(c), 0.1),
    "while_loop": lambda f: lax.while_loop(lambda c: f(c) < 0.5, lambda c: c + 0.1, 0.1),
    "cond": lambda f: lax.cond(True, f, lambda x: x, 0.4),
    "switch": lambda f: lax.switch(1, [lambda x: x, f], 0.4),
    "vectorize": lambda f: jnp.vectorize(f)(POINTS.reshape(2, 2)),
    "tree.map": lambda f: jax.tree.map(f, {"a": 0.4, "b": [jnp.float32(1.2)]}),
    "pure_callback": lambda f: jax.pure_callback(
        lambda x: np.float32(f(x)), jax.ShapeDtypeStruct((), "float32"), 0.4
    ),
    "eval_shape": lambda f: np.zeros(jax.eval_shape(f, POINTS[0]).shape),
    "lowered": lambda f: jax.jit(f).lower(POINTS[0]).compile()(POINTS[0]),
    "jaxpr": lambda f: jaxpr_as_fun(jax.make_jaxpr(f)(POINTS[0]))(POINTS[0])[0],
}


@pytest.mark.parametrize("case", CASES)
def test_it_gives_what_the_function_gives(case, f):
    close(CASES[case](f), CASES[case](expected))


def test_it_does_so_after_it_was_called(f):
    f(POINTS[0])
    for case in ("grad", "vmap of grad", "checkpoint", "scan", "lowered"):
        close(CASES[case](f), CASES[case](expected))


def test_a_call_after_transformations_gives_the_right_answer(f):
    for case in ("grad", "vmap of grad", "checkpoint", "scan", "lowered"):
        CASES[case](f)
    close(f(jnp.float32(0.4)), expected(0.4))


def test_the_body_runs_once_for_the_outer_program_and_once_for_its_own():
    runs = []

    @convert
    def f(x):
        runs.append(x.shape)
        return x + 1

    outer = jax.jit(lambda x: f(x) * 2)
    for _ in range(3):
        assert outer(jnp.float32(1)) == 4
        assert f(jnp.float32(1)) == 2
    assert runs == [(), ()]


def test_a_retrace_of_the_outer_program_traces_it_again():
    runs = []

    @convert
    def f(x):
        runs.append(x.shape)
        return x.sum()

    outer = jax.jit(lambda x: f(x) * 2)
    for size in (1, 2, 3, 2, 1):
        assert outer(jnp.ones(size)) == 2 * size
    assert runs == [(1,), (2,), (3,)]


def test_a_literal_is_a_literal_in_an_outer_program():
    @convert
    def power(x, n):
        y = x
        for _ in range(n - 1):
            y = y * x
        return y

    assert jax.jit(lambda x: power(x, 3) + power(x, n=2))(jnp.float32(2)) == 12


def test_a_traced_integer_may_be_what_was_a_literal():
    @convert
    def power(x, n):
        y = x
        for _ in range(n - 1):
            y = y * x
        return y

    assert power(jnp.float32(2), 3) == 8
    assert jax.jit(power)(jnp.float32(2), 3) == 8
    assert power(jnp.float32(2), jnp.int32(3)) == 8


def test_a_custom_vjp_calls_one():
    @convert
    def clipped(g):
        if jnp.abs(g) > 1:
            g = jnp.sign(g)
        return g

    @jax.custom_vjp
    def f(x):
        return 3.0 * x

    f.defvjp(lambda x: (f(x), None), lambda _, g: (clipped(3.0 * g),))
    assert jax.grad(f)(1.0) == 1
    assert jax.vmap(jax.grad(f))(POINTS).tolist() == [1] * 4


def test_one_is_a_custom_vjp():
    @jax.custom_vjp
    def f(x):
        return inner(x)

    @convert
    def inner(x):
        if x > 0:
            return x * x
        return -x

    @convert
    def forward(x):
        return f(x), x

    @convert
    def backward(x, g):
        if x > 0:
            return (g * 10,)
        return (g * 20,)

    f.defvjp(forward, backward)
    assert jax.grad(f)(3.0) == 10
    assert jax.grad(f)(-3.0) == 20
    assert f(3.0) == 9


def test_a_custom_jvp_is_called_in_one():
    @jax.custom_jvp
    def f(x):
        return x * x

    f.defjvp(lambda primals, tangents: (f(*primals), 100.0 * tangents[0]))

    @convert
    def g(x):
        if x > 0:
            return f(x)
        return x

    assert jax.grad(g)(2.0) == 100
    assert jax.grad(g)(-2.0) == 1


def test_gradients_are_taken_inside():
    @convert
    def step(x):
        if x.sum() > 0:
            return jax.grad(lambda v: (v**3).sum())(x)
        return jax.vmap(jax.grad(lambda v: v**2))(x)

    close(step(jnp.array([1.0, 2.0])), [3.0, 12.0])
    close(step(jnp.array([-1.0, -2.0])), [-2.0, -4.0])


def test_a_variable_is_read_by_an_outer_gradient():
    w = Variable(2.0)

    @convert
    def f(x):
        return w * x * x

    assert jax.grad(f)(3.0) == 12
    w.assign(3.0)
    assert jax.grad(f)(3.0) == 18
    assert jax.vmap(jax.grad(f))(jnp.array([1.0, 2.0])).tolist() == [6, 12]


def test_without_jit_it_gives_the_same(f):
    with jax.disable_jit():
        close(f(jnp.float32(0.4)), expected(0.4))
        close(f(jnp.float32(-0.3)), expected(-0.3))
    close(f(jnp.float32(1.2)), expected(1.2))


def test_without_jit_after_calls_it_gives_the_same(f):
    f(jnp.float32(0.4))
    with jax.disable_jit():
        close(f(jnp.float32(-0.4)), expected(-0.4))
    assert f.trace_count >= 1


def test_nans_are_found_where_jax_is_asked_to():
    @convert
    def f(x):
        if x > 0:
            x = x * 2
        return jnp.log(x)

    assert np.isnan(f(jnp.float32(-1)))
    with jax.debug_nans(True):
        close(f(jnp.float32(1)), np.log(2))
        with pytest.raises(FloatingPointError):
            f(jnp.float32(-1)).block_until_ready()
    assert np.isnan(f(jnp.float32(-1)))


def test_a_switch_of_x64_between_calls_is_another_trace(f):
    def half(x):
        return x / 2 + jnp.zeros(())

    f = convert(half)
    assert f(3).dtype == np.float32
    with jax.enable_x64(True):
        assert f(3).dtype == np.float64
        assert f(np.float64(3)).dtype == np.float64
    assert f(3).dtype == np.float32
    assert f(np.float64(3)).dtype == np.float32


def test_a_matmul_precision_is_another_trace():
    f = convert(lambda x: x @ x)
    x = jnp.ones((2, 2))
    f(x)
    with jax.default_matmul_precision("float32"):
        assert f(x).tolist() == [[2, 2], [2, 2]]
    f(x)
    assert f.trace_count == 2


def test_a_shape_is_known_without_a_run(f):
    shape = jax.eval_shape(f, jax.ShapeDtypeStruct((), "float32"))
    assert shape == jax.ShapeDtypeStruct((), "float32")


def test_a_jaxpr_holds_what_it_does():
    @convert
    def f(x):
        while x < 10:
            x = x * 2
        return x

    assert "while" in str(jax.make_jaxpr(f)(1.0))
    assert "while" in jax.jit(f).lower(1.0).as_text()
