"""Does the user's exception come out where the check is inside jax.vmap, scan, grad and the like, or these are around it?

PYTEST_DONT_REWRITE: the messages of the asserts are compared with Python's own.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import checkify

import autograph_lite

from .outcomes import lines, raised

GOOD, BAD = jnp.float32(0.5), jnp.float32(2)


def small(x):
    if x > 1:
        raise ValueError(f"{x:.2f} is not small")
    return x * 3


def step(total, x):
    assert x < 2, f"{x} after {total}"
    return total + x, total


def counted(total, _):
    return small(total) / 3, None


def doubled(x):
    while x < 10:
        x = x * 2
        assert x < 9, f"{x}"
    return x


INSIDE = {
    "vmap": lambda x: jax.vmap(small)(jnp.stack([x / 9, x]))[1],
    "jit": lambda x: jax.jit(small)(x),
    "grad": lambda x: jax.grad(small)(x),
    "value_and_grad": lambda x: jax.value_and_grad(small)(x)[0],
    "checkpoint": lambda x: jax.checkpoint(small)(x),
    "grad of checkpoint": lambda x: jax.grad(jax.checkpoint(small))(x),
    "jit of vmap of grad": lambda x: jax.jit(jax.vmap(jax.grad(small)))(jnp.stack([x / 9, x]))[1],
    "map": lambda x: jax.lax.map(small, jnp.stack([x / 9, x]))[1],
    "cond": lambda x: jax.lax.cond(x > 0, small, lambda y: y, x),
    "fori_loop": lambda x: jax.lax.fori_loop(0, 3, lambda i, y: small(y) / 3, x),
    "grad of map": lambda x: jax.grad(lambda y: jax.lax.map(small, jnp.stack([y / 9, y])).sum())(x),
    "grad of scan": lambda x: jax.grad(lambda y: jax.lax.scan(counted, y, None, 2)[0])(x),
    "hessian of fori_loop": lambda x: jax.hessian(
        lambda y: jax.lax.fori_loop(0, 2, lambda i, z: small(z) / 3, y)
    )(x),
    "vmap of grad of scan": lambda x: jax.vmap(jax.grad(lambda y: jax.lax.scan(counted, y, None, 2)[0]))(
        jnp.stack([x / 9, x])
    )[1],
    "vjp of checkpoint of scan": lambda x: jax.vjp(
        jax.checkpoint(lambda y: jax.lax.scan(counted, y, None, 2)[0]), x
    )[0],
    "jvp": lambda x: jax.jvp(small, (x,), (x,))[0],
    "linearize": lambda x: jax.linearize(small, x)[0],
}


@pytest.mark.parametrize("name", INSIDE)
def test_a_check_inside_a_transformation(name: str) -> None:
    f = autograph_lite.convert(INSIDE[name])

    error = raised(ValueError, f, BAD)

    assert str(error) == "2.00 is not small"
    assert lines(error, __file__)[-1] == ("small", 'raise ValueError(f"{x:.2f} is not small")')
    assert jnp.isfinite(f(GOOD))


def test_a_check_inside_scan() -> None:
    def f(xs):
        return jax.lax.scan(step, 0.0, xs)[0]

    assert (
        str(raised(AssertionError, autograph_lite.convert(f), jnp.array([0.5, 1.0, 3.0, 4.0])))
        == "3.0 after 1.5"
    )
    assert autograph_lite.convert(f)(jnp.array([0.5, 1.0])) == 1.5


def test_one_of_the_lanes_that_fail_is_raised() -> None:
    def f(xs):
        return jax.vmap(small)(xs)

    error = raised(ValueError, autograph_lite.convert(f), jnp.array([0.1, 2.0, 0.2, 3.0]))

    assert str(error) in ("2.00 is not small", "3.00 is not small")


def test_a_kept_trace_does_not_show_the_lines_of_another_program() -> None:
    def first(x):
        return jax.checkpoint(small)(x)

    def second(x):
        return jax.checkpoint(small)(x) + 1

    raised(ValueError, autograph_lite.convert(first), BAD)
    error = raised(ValueError, autograph_lite.convert(second), BAD)

    assert [name for name, _ in lines(error, __file__)] in (
        ["raised", "small"],
        ["small"],
        ["second", "small"],
    )


def test_a_kept_trace_does_not_lose_the_checks() -> None:
    def f(x):
        return jax.jit(small)(x)

    assert autograph_lite.convert(f, checks=False)(BAD) == 6
    raised(ValueError, autograph_lite.convert(f), BAD)
    assert autograph_lite.convert(f, checks=False)(BAD) == 6


@pytest.mark.parametrize(
    ("around", "good", "bad"),
    [
        (jax.vmap, jnp.array([0.1, 0.2]), jnp.array([0.1, 2.0])),
        (jax.grad, GOOD, BAD),
        (jax.value_and_grad, GOOD, BAD),
    ],
    ids=["vmap", "grad", "value_and_grad"],
)
def test_a_transformation_around_a_converted_function(around, good, bad) -> None:
    f = around(autograph_lite.convert(small))

    f(good)
    error = raised(ValueError, f, bad)

    assert str(error) == "2.00 is not small"
    assert lines(error, __file__)[-1] == ("small", 'raise ValueError(f"{x:.2f} is not small")')


def jit_scan(f):
    return lambda xs: jax.lax.scan(lambda total, x: (total + f(x), x), 0.0, xs)


@pytest.mark.parametrize(
    ("around", "good", "bad"),
    [
        (jax.jit, GOOD, BAD),
        (lambda f: jax.jit(jax.vmap(f)), jnp.array([0.1, 0.2]), jnp.array([0.1, 2.0])),
        (lambda f: jax.jit(jax.grad(f)), GOOD, BAD),
        (jit_scan, jnp.array([0.1, 0.2]), jnp.array([0.1, 2.0])),
    ],
    ids=["jit", "jit of vmap", "jit of grad", "scan"],
)
def test_inside_somebody_elses_program_jax_raises_with_the_users_message(around, good, bad) -> None:
    f = around(autograph_lite.convert(small))

    jax.block_until_ready(f(good))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?s)small.*ValueError: 2.00 is not small"):
        jax.block_until_ready(f(bad))


def test_lanes_that_did_not_take_the_branch_raise_no_alarm() -> None:
    def f(x):
        if x > 0:
            y = jnp.sqrt(x)
            assert y < 2, "too big"
        else:
            y = x
            assert y > -5, "too small"
        return y

    xs = jnp.array([1.0, -4.0, 3.0, -1.0])
    assert jnp.allclose(jax.vmap(autograph_lite.convert(f))(xs), jnp.array([f(x) for x in xs]))
    assert jnp.allclose(autograph_lite.convert(lambda xs: jax.vmap(f)(xs))(xs), jnp.array([f(x) for x in xs]))


def test_lanes_whose_loop_is_over_raise_no_alarm() -> None:
    f = jax.vmap(autograph_lite.convert(doubled))

    assert f(jnp.array([10.0, 20.0])).tolist() == [10.0, 20.0]
    assert str(raised(AssertionError, f, jnp.array([10.0, 3.0]))) == "12.0"


@pytest.mark.parametrize(
    "fn", [small, doubled, INSIDE["vmap"], INSIDE["grad"]], ids=["if", "while", "vmap", "grad"]
)
def test_checks_can_be_left_out_of_the_program(fn) -> None:
    f = autograph_lite.convert(fn, checks=False)

    text = str(jax.make_jaxpr(f)(BAD))

    assert not any(word in text for word in ("check", "callback", "effect"))
    assert jnp.isfinite(f(BAD))
    compiled = jax.jit(f).lower(BAD).compile().as_text()
    assert "callback" not in compiled
    assert "custom-call" not in compiled


def test_a_branch_with_nothing_but_a_check_leaves_no_conditional() -> None:
    assert "cond" not in str(jax.make_jaxpr(autograph_lite.convert(small, checks=False))(BAD))


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (small, "ValueError: 2.0 is not small"),
        (doubled, "AssertionError: 16.0"),
        (INSIDE["vmap"], "ValueError: 2.0 is not small"),
    ],
    ids=["if", "while", "vmap"],
)
def test_checkify_takes_the_checks_where_the_user_asks_for_it(fn, message: str) -> None:
    f = checkify.checkify(jax.jit(autograph_lite.convert(fn, checks="checkify")))

    error, _ = f(BAD)

    assert message in error.get()
    assert f(jnp.float32(10) if fn is doubled else GOOD)[0].get() is None


def test_checks_of_a_converted_function_go_to_checkify_when_asked() -> None:
    converted = autograph_lite.to_graph(small, checks="checkify")
    for run in (checkify.checkify(converted), jax.jit(checkify.checkify(converted))):
        assert run(GOOD)[0].get() is None
        assert str(run(BAD)[0].get()).startswith("ValueError: ")
    assert float(jax.jit(autograph_lite.to_graph(small, checks=False))(BAD)) == 6.0
