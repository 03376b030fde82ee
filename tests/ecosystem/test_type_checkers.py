"""Can type checkers that run stand above and below `convert`, on functions, methods and helpers?"""

import jax
import jax.numpy as jnp
import pytest
from beartype import beartype
from beartype.roar import BeartypeCallHintParamViolation, BeartypeCallHintReturnViolation

import autograph_lite


def clipped(x: jax.Array, top: float = 2.0) -> jax.Array:
    if x > top:
        return x * 0 + top
    return x


ABOVE = beartype(autograph_lite.convert(clipped))
BELOW = autograph_lite.convert(beartype(clipped))
SOURCE_ONLY = jax.jit(autograph_lite.to_graph(beartype(clipped)))


@pytest.mark.parametrize("fn", [ABOVE, BELOW, SOURCE_ONLY], ids=["above", "below", "source only"])
@pytest.mark.parametrize("x", [1.0, 3.0])
def test_the_value_is_the_functions(fn, x):
    assert fn(jnp.array(x)) == clipped(x)
    assert fn.__name__ == "clipped"


@pytest.mark.parametrize("fn", [ABOVE, BELOW], ids=["above", "below"])
def test_an_argument_of_another_type_is_refused(fn):
    with pytest.raises(BeartypeCallHintParamViolation, match="parameter x='a' violates type hint"):
        fn("a")


def test_a_result_of_another_type_is_refused():
    @autograph_lite.convert
    @beartype
    def f(x: jax.Array) -> int:
        if x > 0:
            x = x + 1
        return x

    with pytest.raises(BeartypeCallHintReturnViolation):
        f(jnp.array(1.0))


@beartype
def helper(x: jax.Array) -> jax.Array:
    while x > 10:
        x = x / 2
    return x


def test_a_checked_helper_is_converted():
    @autograph_lite.convert
    def f(x):
        return helper(x) + 1

    assert f(jnp.array(36.0)) == helper(jnp.array(36.0)) + 1


class Model:
    def __init__(self, rate):
        self.rate = rate

    @beartype
    @autograph_lite.convert
    def above(self, x: jax.Array) -> jax.Array:
        return x * self.rate if x > 0 else x

    @autograph_lite.convert
    @beartype
    def below(self, x: jax.Array) -> jax.Array:
        return x * self.rate if x > 0 else x


@pytest.mark.parametrize("x", [2.0, -2.0])
def test_methods_are_checked(x):
    model = Model(3.0)
    assert model.above(jnp.array(x)) == model.below(jnp.array(x)) == (x * 3 if x > 0 else x)
    for method in (model.above, model.below):
        with pytest.raises(BeartypeCallHintParamViolation):
            method(x)


def test_a_bound_method_and_a_concrete_function_can_be_checked():
    f = autograph_lite.convert(clipped)
    assert beartype(f.get_concrete_function(jnp.array(1.0)))(jnp.array(3.0)) == 2
    assert beartype(Model(2.0).below)(jnp.array(3.0)) == 6


def test_the_derivative_goes_through():
    assert jax.grad(BELOW)(jnp.array(1.0)) == jax.grad(ABOVE)(jnp.array(1.0)) == 1
    assert jax.vmap(BELOW)(jnp.array([1.0, 5.0])).tolist() == [1, 2]
