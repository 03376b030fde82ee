"""What counts of an object that refers to others: a partial, a wrapper, a function, a weak reference, a module, a generator?"""

from __future__ import annotations

import functools
import weakref

import jax

import autograph_lite

from .probe import C, Probe, ran, see
from .rows import deviates


class Object: ...


def test_R43_a_partial_is_an_object() -> None:
    f, one, two = Probe(lambda p: (ran(), p(1))[1]), functools.partial(max, 2), functools.partial(max, 2)

    assert f(one) == "1/1"
    assert (f(one), f.value) == ("1/1", 2)
    assert f(two) == "2/2"


@deviates("1, 2: a wrapper is not what it wraps", why="it may do something else: that is what it is for")
def test_R44_a_function_and_a_wrapper_of_it() -> None:
    def wrapped(x):
        return x

    @functools.wraps(wrapped)
    def wrapper(x):
        return wrapped(x) + 1

    f = Probe(lambda g: (ran(), g(1))[1])

    assert (f(wrapper), f.value) == ("1/1", 2)
    assert (f(wrapped), f.value) == ("2/2", 1)


def test_R40_a_converted_function_as_an_argument() -> None:
    g = autograph_lite.convert(lambda x: x + 1)
    f = Probe(lambda g, x: (ran(), g(x))[1])

    assert (f(g, C(1)), f.value) == ("1/1", 2)
    assert (f(g, C(2)), f.value) == ("1/1", 3)


def test_R41_a_weak_reference_is_refused() -> None:
    f, one = Probe(see), Object()

    assert f(weakref.ref(one)) == (
        "0/0 TypeError: Argument x: A ReferenceType can't be an argument: pass the object that it refers to."
    )


def test_R42_a_weak_proxy_is_refused() -> None:
    f, one = Probe(see), Object()
    refused = (
        "0/0 TypeError: Argument x: A ProxyType can't be an argument: pass the object that it refers to."
    )

    assert f(weakref.proxy(one)) == refused
    assert f(weakref.proxy(one)) == refused


def test_R147_modules_are_told_by_identity_and_each_gets_its_own_value() -> None:
    class Scale(autograph_lite.Module):
        def __init__(self, w: float) -> None:
            self.w = w

    f, one, two = Probe(lambda m, x: (ran(), m.w * x)[1]), Scale(1.0), Scale(2.0)
    found = []
    for module in (one, two, one):
        found.append((f(module, C(1.0)), f.value))

    assert found == [("1/1", 1.0), ("2/2", 2.0), ("2/2", 1.0)]


@deviates(
    "1, 1, 1: keys of `jax.random` are arrays",
    why="JAX's generators are values, and the program takes any of them",
)
def test_R145_random_generators() -> None:
    f = Probe(lambda key: (ran(), jax.random.uniform(key))[1])

    assert f(jax.random.key(1)) == "1/1"
    assert (f(jax.random.key(1)), f.value) == ("1/1", jax.random.uniform(jax.random.key(1)))
    assert (f(jax.random.key(2)), f.value) == ("1/1", jax.random.uniform(jax.random.key(2)))
