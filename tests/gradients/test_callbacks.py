"""What becomes of prints and callbacks in a loop that is differentiated?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import NotDifferentiableError, convert


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


def test_a_callback_without_rule_is_named() -> None:
    @convert
    def f(x):
        while x < 10.0:
            x = x + jax.pure_callback(np.exp, x, x)
        return x

    with pytest.raises(NotDifferentiableError) as raised:
        jax.grad(f)(jnp.float32(1))
    line = f.__wrapped__.__code__.co_firstlineno + 3
    said = str(raised.value).splitlines()
    assert said[:3] == [
        "A loop is differentiated whose body computes with the result of a callback.",
        f"  {__file__}:{line} in f",
        "      x = x + jax.pure_callback(np.exp, x, x)",
    ]


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
