"""Do gradients go through what a loss assigns to Variables, as calculus has it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph_lite as al
from autograph_lite import MutationError, Variable

w, v = Variable(0.0, name="w"), Variable(0.0, name="v")
kept = jax.jit(lambda x: x * w)


@pytest.fixture(autouse=True)
def _start() -> None:
    w.assign(1.5)
    v.assign(0.5)


def doubled(x: Any) -> Any:
    w.assign(w * 2)
    return w * x


def added(x: Any) -> Any:
    w.assign_add(w * x)
    return w * w


def squared(x: Any) -> Any:
    v.assign(w * x)
    return v * v + w


def in_a_branch(x: Any) -> Any:
    if x > 0:
        w.assign(w * x)
    else:
        w.assign_sub(w * 0.5)
    return w * w


def in_a_loop(x: Any) -> Any:
    for _ in range(3):
        w.assign(w * x)
        v.assign_add(w)
    return v * w


def in_a_while(x: Any) -> Any:
    while w < 20.0:
        w.assign(w * x)
    return w * 1.0


def in_a_callee(x: Any) -> Any:
    return doubled(x) + squared(x)


def constant_then(x: Any) -> Any:
    w.assign(5.0)
    return w * x + v


def stopped(x: Any) -> Any:
    w.assign(w * x)
    w.assign(lax.stop_gradient(w.value))
    return w * w


def kept_by_jax(x: Any) -> Any:
    w.assign(w * 2)
    return lax.scan(lambda total, y: (total + y * w, None), 0.0, jnp.arange(3.0))[0] * x


def in_rows(x: Any) -> Any:
    w.assign(w * 2)
    return jax.vmap(lambda y: y * w)(jnp.arange(3.0)).sum() * x


def caught(x: Any) -> Any:
    try:
        w.assign(w * x)
        raise ValueError
    except ValueError:
        return w * w


class Held:
    """A Variable of plain Python's: the functional form of a loss runs with it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def assign(self, value: Any) -> None:
        self.value = value * jnp.float32(1)

    def assign_add(self, value: Any) -> None:
        self.value = self.value + value

    def assign_sub(self, value: Any) -> None:
        self.value = self.value - value

    def __mul__(self, other: Any) -> Any:
        return self.value * (other.value if isinstance(other, Held) else other)

    def __add__(self, other: Any) -> Any:
        return self.value + other

    __rmul__, __radd__ = __mul__, __add__

    def __lt__(self, other: Any) -> Any:
        return self.value < other


def expected(loss: Callable[..., Any], x: Any) -> tuple[Any, Any, list[Any]]:
    """The value, the gradients by w, v and x, and what is assigned, of the loss as plain Python under `jax.grad`."""

    def functional(start: Any, x: Any) -> Any:
        held = {"w": Held(start[0]), "v": Held(start[1])}
        names = {**globals(), **held}
        for name in ("doubled", "squared"):
            names[name] = type(loss)(globals()[name].__code__, names)
        result = type(loss)(loss.__code__, names)(x)
        return result, [held["w"].value, held["v"].value]

    start = jnp.float32(1.5), jnp.float32(0.5)
    (value, left), gradients = jax.value_and_grad(functional, (0, 1), has_aux=True)(start, x)
    return value, gradients, left


LOSSES = [
    *(doubled, added, squared, in_a_branch, in_a_loop, in_a_while, in_a_callee),
    *(constant_then, stopped, kept_by_jax, in_rows, caught),
]
FORMS: dict[str, Callable[[Any], Any]] = {
    "Python": lambda loss: al.value_and_grad(loss, [w, v]),
    "a converted loss": lambda loss: al.value_and_grad(al.convert(loss), [w, v]),
    "a converted gradient": lambda loss: al.convert(lambda x: al.value_and_grad(loss, [w, v])(x)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
def test_the_gradient_is_by_what_a_variable_holds_at_first(loss: Any, form: str) -> None:
    x = jnp.float32(3)
    value, (gradients, by_x), left = expected(loss, x)
    found, ours = FORMS[form](loss)(x)
    assert np.allclose(found, value)
    assert np.allclose(ours, gradients)
    assert np.allclose([w.value, v.value], left)
    if form == "a converted gradient":
        return
    w.assign(1.5)
    v.assign(0.5)
    assert np.allclose(jax.grad(loss if form == "Python" else al.convert(loss))(x), by_x)
    assert np.allclose([w.value, v.value], left)


@pytest.mark.parametrize("form", FORMS)
def test_a_loss_may_return_a_variable(form: str) -> None:
    def loss(x: Any) -> Any:
        w.assign(w * x)
        return w

    def with_more(x: Any) -> Any:
        return loss(x), {"v": v, "w": w}

    found, (by_w, by_v) = FORMS[form](loss)(jnp.float32(3))
    assert [*map(float, (found, by_w, by_v, w))] == [4.5, 3, 0, 4.5]
    by_w, more = al.grad(with_more if form == "Python" else al.convert(with_more), w, has_aux=True)(2.0)
    assert float(by_w) == 2
    assert {name: float(value) for name, value in more.items()} == {"v": 0.5, "w": 9}


def test_the_gradient_is_the_quotient_of_small_differences() -> None:
    def at(number: float) -> float:
        w.assign(number)
        v.assign(0.5)
        return float(in_a_loop(jnp.float32(2)))

    differences = (at(1.51) - at(1.49)) / 0.02
    at_first = al.convert(lambda x: al.grad(in_a_loop, w)(x))
    w.assign(1.5)
    v.assign(0.5)
    assert np.isclose(at_first(jnp.float32(2)), differences, rtol=1e-3)


def test_second_derivatives_go_through_what_is_assigned() -> None:
    def fourth() -> Any:
        w.assign(w * w)
        return w * w

    second = al.grad(al.grad(fourth, w), w)
    assert float(second()) == 27  # 12 w ** 2
    assert float(w) == 2.25
    w.assign(1.5)
    assert float(al.convert(lambda: second())()) == 27
    w.assign(1.5)
    cubed = al.convert(lambda x: w.assign(x * x * w).value * x)
    assert float(jax.hessian(cubed)(2.0)) == 18  # 6 w x


def test_functions_that_jax_keeps_see_no_derivative_that_is_over() -> None:
    def loss(x: Any) -> Any:
        w.assign(w * 2)
        return kept(x)

    step = al.convert(lambda x: (al.grad(loss, w)(x), kept(x), jax.grad(loss)(x), kept(x)))
    assert [*map(float, step(3.0))] == [6, 9, 6, 18]
    assert [*map(float, step(3.0))] == [6, 36, 24, 72]


@pytest.mark.parametrize("convert", [lambda f: f, al.convert], ids=["Python", "converted"])
def test_no_tracer_stays_when_the_derivative_is_over(convert: Any) -> None:
    with jax.checking_leaks():
        assert float(convert(lambda x: al.grad(doubled, w)(x))(3.0)) == 6
        assert float(convert(lambda x: jax.grad(doubled)(x))(3.0)) == 6
    assert isinstance(w.value, jax.Array)
    assert not isinstance(w.value, jax.core.Tracer)


def test_rows_may_not_assign_each_its_own_value_in_a_gradient() -> None:
    def row(x: Any) -> Any:
        return al.grad(lambda: w.assign(w * x).value, w)()

    with pytest.raises(MutationError, match="'w' is changed inside a function that was handed to"):
        al.convert(jax.vmap(row))(jnp.arange(3.0))
    f = al.convert(lambda x: w.assign(x).value)
    message = "'w' is changed by a converted function that is called inside jax.jit, jax.vmap, jax.grad or the like."
    for transformed, x in (jax.jit(f), 1.0), (jax.jit(jax.grad(f)), 1.0), (jax.vmap(f), jnp.ones(3)):
        with pytest.raises(MutationError) as caught:
            transformed(x)
        assert str(caught.value).splitlines()[0] == message
    assert float(w) == 1.5


def test_statistics_of_a_module_are_part_of_its_gradient() -> None:
    class Normed(al.Module):
        def __init__(self) -> None:
            self.k, self.mean = Variable(2.0), Variable(0.0, trainable=False)

        def __call__(self, x: Any) -> Any:
            self.mean.assign(0.9 * self.mean + 0.1 * (self.k * x).mean())
            return self.k * x - self.mean

    model, x = Normed(), jnp.arange(3.0)
    loss = al.convert(lambda x: (model(x) ** 2).sum())
    right = jax.grad(lambda k: ((k * x - 0.1 * (k * x).mean()) ** 2).sum())(2.0)
    assert np.allclose(al.grad(loss, model.trainable_variables)(x)[0], right)
    assert np.isclose(float(model.mean), 0.2)
