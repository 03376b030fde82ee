"""Where nothing is traced, does the light body do what Python does, and the converted one elsewhere?"""

from __future__ import annotations

import functools
import inspect
import traceback

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import config

scale = 2


def step(x):
    """Doubles what is positive."""
    if x > 0:
        x = x * scale
    return x


def chosen(x):
    def inner(y):
        return y if y > 0 else -y

    return jax.vmap(inner)(x)


def made(n):
    def inner(x, k=3):
        nonlocal n
        if x > n:
            n = n + k
        return x + n

    return inner


def by_lambda(n):
    return lambda x: x if x > n else n


def gathered(n):
    return list(map(lambda x: step(x) - 1, range(n)))


def counted(x):
    global scale
    if x > 0:
        scale = scale + 1
    return scale


def fails(x):
    if x > 0:
        raise ValueError(f"got {x}")


def doubling(xs):
    xs[0] = xs[0] * 2
    return xs


def generated(n):
    for i in range(n):
        if i % 2:
            yield step(i)


class Counter:
    def __init__(self):
        self.total = 0

    def add(self, x):
        if x > 0:
            self.total += step(x)
        return self.total


def test_values_are_those_of_plain_python():
    for fn, args in ((step, (3,)), (step, (-3,)), (gathered, (4,))):
        assert al.to_graph(fn)(*args) == fn(*args)


def test_one_function_serves_python_and_tracing():
    converted = al.to_graph(step)
    assert converted(3) == 6
    assert jax.jit(converted)(3) == 6
    assert jax.grad(converted)(3.0) == 2


def test_functions_handed_to_jax_are_converted():
    assert al.to_graph(chosen)(jnp.array([-1, 2])).tolist() == [1, 2]


@pytest.mark.parametrize("make", [made, by_lambda])
def test_functions_defined_inside_can_be_traced_later(make):
    inner = al.to_graph(make)(1)
    assert inner(0) == make(1)(0)
    assert jax.jit(inner)(5) == make(1)(5)


def test_the_module_of_the_function_is_the_users():
    al.to_graph(counted)(1)
    assert scale == 3
    al.to_graph(counted)(-1)
    counted(-1)
    assert scale == 3
    globals()["scale"] = 2


def test_methods_and_partials_are_light_too():
    counter = Counter()
    assert al.to_graph(counter.add)(2) == 4
    assert al.to_graph(functools.partial(step, x=2))() == 4


def test_generators_stay_generators():
    assert list(al.to_graph(generated)(5)) == [2, 6]


def test_arrays_are_updated_as_under_a_trace():
    assert al.to_graph(doubling)(jnp.array([1, 2])).tolist() == [2, 2]
    assert al.to_graph(doubling)([1, 2]) == [2, 2]


def test_an_exception_comes_from_the_users_line():
    with pytest.raises(ValueError, match="got 1") as error:
        al.to_graph(fails)(1)
    frame = traceback.extract_tb(error.value.__traceback__)[-1]
    assert (frame.filename, frame.line) == (__file__, 'raise ValueError(f"got {x}")')


def test_signature_and_documentation_stay():
    converted = al.to_graph(step)
    assert inspect.signature(converted) == inspect.signature(step)
    assert (converted.__name__, converted.__doc__) == ("step", "Doubles what is positive.")
    assert al.to_graph(converted) is converted


def test_the_light_body_can_be_left_out(monkeypatch):
    monkeypatch.setattr(config, "light_bodies", lambda: False)
    assert "untraced" not in al.to_graph(step).__code__.co_names
    assert al.to_graph(step)(3) == 6


def test_generated_code_is_shown_without_the_light_body():
    assert "untraced" not in al.to_code(step)


class Adder:
    def __call__(self, items, i):
        items[i] += 1
        return items


def test_an_object_that_is_called_is_converted():
    def f(adder, items):
        return adder(items, 1)

    assert al.to_graph(f)(Adder(), jnp.zeros(2)).tolist() == [0, 1]
    assert al.to_graph(f)(Adder(), [0, 0]) == [0, 1]
    with pytest.raises(TypeError, match="'int' object is not callable"):
        al.to_graph(f)(3, [0])
