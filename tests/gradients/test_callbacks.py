"""What becomes of prints and callbacks in a loop that is differentiated?"""

from __future__ import annotations

import linecache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

import autograph_lite
from autograph_lite import NotDifferentiableError, convert, to_graph


@pytest.mark.parametrize(
    "say", [autograph_lite.print, lambda x: jax.debug.print("{}", x)], ids=["ours", "jax"]
)
def test_a_loop_prints_once(say, capfd) -> None:
    @convert
    def f(x):
        while x < 10.0:
            say(x)
            x = x * 2
        return x

    assert jax.jit(jax.grad(f))(jnp.float32(3)) == 4
    jax.effects_barrier()
    assert capfd.readouterr().out.split() == ["3.0", "6.0"]


def staged(x):
    for _ in range(3):
        x = x + jax.pure_callback(np.exp, x, x)
    return x


def repeated(x):
    while x < 10.0:
        x = x + jax.pure_callback(np.exp, x, x)
    return x


def decided(x):
    if x > 0:
        x = x + jax.pure_callback(np.exp, x, x)
    return x


def straight(x):
    y = 2 * x
    x = x + jax.pure_callback(np.exp, x, x)
    return x * y


def impure(x):
    y = 2 * x
    x = x + io_callback(np.exp, x, x)
    return x * y


def within(x):
    return jax.grad(straight)(x)


def within_a_loop(x):
    while x < 10.0:
        x = x + jax.grad(decided)(x)
    return x


def refusal(function) -> str:
    line = function.__code__.co_firstlineno + 2
    return (
        "The result of a callback is differentiated.\n"
        f"  {__file__}:{line} in {function.__name__}\n"
        f"      {linecache.getline(__file__, line).strip()}\n"
        "  JAX does not see what the callback computes, and no rule says what its derivative is.\n"
        "  Fix: use autograph_lite.py_function with a vjp=, or take jax.lax.stop_gradient of what the callback is given."
    )


@pytest.mark.parametrize("function", [staged, repeated, decided, straight, impure], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "derivative",
    [
        lambda f: jax.grad(convert(f, static_loops="stage")),
        lambda f: jax.grad(convert(f)),
        lambda f: jax.grad(to_graph(f)),
        lambda f: jax.grad(jax.jit(to_graph(f))),
        lambda f: jax.jacfwd(convert(f)),
        lambda f: convert(jax.grad(f)),
        lambda f: lambda x: jax.vmap(jax.grad(convert(f)))(x[None]),
    ],
    ids=["rolled", "convert", "to_graph", "jit", "forward", "inside", "vmap"],
)
def test_a_callback_without_rule_is_named(function, derivative) -> None:
    with pytest.raises(NotDifferentiableError) as raised:
        derivative(function)(jnp.float32(1))
    assert str(raised.value) == refusal(function)


@pytest.mark.parametrize(("function", "named"), [(within, straight), (within_a_loop, decided)])
def test_a_callback_is_named_where_converted_code_takes_the_gradient(function, named) -> None:
    with pytest.raises(NotDifferentiableError) as raised:
        convert(function)(jnp.float32(1))
    assert str(raised.value) == refusal(named)


def test_a_callback_of_a_library_is_named_in_a_loop() -> None:
    @autograph_lite.do_not_convert
    def exp(x):
        return jax.pure_callback(np.exp, x, x)

    @convert
    def f(x):
        while x < 10.0:
            x = x + exp(x)
        return x

    with pytest.raises(NotDifferentiableError, match=r"^The result of a callback is differentiated\."):
        jax.grad(f)(jnp.float32(1))


@pytest.mark.parametrize("function", [staged, repeated, decided, straight, impure], ids=lambda f: f.__name__)
def test_a_callback_that_is_not_differentiated_is_called(function) -> None:
    run = convert(function, static_loops="stage")
    np.testing.assert_allclose(run(jnp.float32(1)), by_hand(function, 1.0), rtol=1e-5)
    np.testing.assert_allclose(jax.jit(to_graph(function))(jnp.float32(1)), by_hand(function, 1.0), rtol=1e-5)


def by_hand(function, x):
    y, exp = 2 * x, np.exp
    match function.__name__:
        case "staged":
            for _ in range(3):
                x = x + exp(x)
        case "repeated":
            while x < 10.0:
                x = x + exp(x)
        case _:
            x = x + exp(x)
    return x * y if function in (straight, impure) else x


def test_a_callback_of_a_stopped_gradient_is_a_constant() -> None:
    @convert(static_loops="stage")
    def f(x):
        y = x
        for _ in range(3):
            y = y + x * jax.pure_callback(np.exp, x, jax.lax.stop_gradient(x))
        return y

    np.testing.assert_allclose(jax.grad(f)(jnp.float32(1)), 1 + 3 * np.exp(1.0), rtol=1e-6)


def test_a_callback_in_a_function_with_a_rule_of_its_own() -> None:
    @jax.custom_vjp
    def exp(x):
        return jax.pure_callback(np.exp, x, x)

    exp.defvjp(lambda x: (exp(x), exp(x)), lambda y, ct: (ct * y,))

    @convert
    def f(x):
        return exp(x) * 2

    np.testing.assert_allclose(jax.grad(f)(jnp.float32(1)), 2 * np.exp(1.0), rtol=1e-6)


def test_the_lanes_of_a_callback_and_its_named_operands() -> None:
    @convert
    def f(x, y):
        return jax.pure_callback(
            lambda x, k, *, y: {"a": x * k + y}, {"a": x}, x, 3, y=y, vmap_method="expand_dims"
        )["a"]

    x, y = np.float32([1, 2]), np.float32([3, 4])
    np.testing.assert_allclose(jax.vmap(f)(x, y), x * 3 + y)


def test_a_callback_of_ours_without_rule_is_named() -> None:
    @convert
    def f(x):
        while x < 10.0:
            x = x + autograph_lite.py_function(np.exp, (x,), result=x)
        return x

    with pytest.raises(
        NotDifferentiableError, match=r"^'exp' is differentiated, and has no rule for it\.\n  .*\.py:\d+"
    ):
        jax.grad(f)(jnp.float32(1))


def slope(args, result, cotangent):
    return (cotangent * result,)


def test_a_pure_callback_with_a_rule() -> None:
    @convert
    def f(x):
        while x < 10.0:
            x = x + autograph_lite.py_function(np.exp, (x,), result=x, pure=True, vjp=slope)
        return x

    x = 1.0
    wanted = 1.0
    while x < 10.0:
        wanted *= 1 + np.exp(x)
        x = x + np.exp(x)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(jnp.float32(1)), wanted, rtol=1e-4)


def test_an_impure_callback_is_not_called_again() -> None:
    @convert
    def f(x):
        while x < 10.0:
            x = x + autograph_lite.py_function(np.exp, (x,), result=x, vjp=slope)
        return x

    with pytest.raises(NotDifferentiableError) as raised:
        jax.grad(f)(jnp.float32(1))
    said = str(raised.value).splitlines()
    assert said[0] == "A loop with an impure callback in its body is differentiated."
    assert said[-2:] == [
        "  The gradient runs the body once more, and would call it again.",
        "  Fix: say that it is pure: autograph_lite.py_function(..., pure=True) or jax.pure_callback.",
    ]
