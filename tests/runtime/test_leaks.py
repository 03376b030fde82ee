"""Does a traced value never stay behind in what a call leaves or returns?"""

from __future__ import annotations

import threading

import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import MutationError


class Node:
    value = None


def test_a_new_object_with_a_traced_attribute_is_not_returned():
    @al.convert
    def f(x):
        node = Node()
        node.value = x * 2
        return node

    with pytest.raises(MutationError, match="The result holds a traced value inside a Node object"):
        f(jnp.float32(3))


def test_a_function_that_closes_over_a_traced_value_is_not_returned():
    @al.convert
    def f(x):
        return lambda: x * 2

    with pytest.raises(MutationError, match="The result holds a traced value"):
        f(jnp.float32(3))


def test_a_new_object_with_a_traced_attribute_does_not_stay_in_an_attribute():
    owner = Node()

    @al.convert
    def f(x):
        node = Node()
        node.value = x * 2
        owner.value = node
        return x

    with pytest.raises(MutationError):
        f(jnp.float32(3))
    assert owner.value is None


def test_a_new_object_with_a_traced_attribute_does_not_stay_in_a_list():
    kept = []

    @al.convert
    def f(x):
        node = Node()
        node.value = x * 2
        kept.append(node)
        return x

    with pytest.raises(MutationError):
        f(jnp.float32(3))
    assert kept == []


def test_arrays_in_containers_and_attributes_come_out_as_arrays():
    owner = Node()
    owner.value = [0.0, 0.0]

    @al.convert
    def f(x):
        owner.value[0] = owner.value[1]
        owner.value[1] = x
        return {"a": (x, [x * 2])}, owner

    for x in (1.0, 2.0):
        result, same = f(jnp.float32(x))
    assert (float(result["a"][1][0]), same is owner, list(map(float, owner.value))) == (4.0, True, [1.0, 2.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda x: (y * x for y in [1, 2]),
        lambda x: (y for y in [x]),
        lambda x: map(lambda y: y * x, [1, 2]),
        lambda x: zip([x], [1], strict=True),
        lambda x: iter([x]),
    ],
    ids=["generator", "its source", "map", "zip", "iter"],
)
def test_an_iterator_over_traced_values_is_not_returned(make):
    with pytest.raises(MutationError, match="The result holds a traced value"):
        al.convert(make)(jnp.float32(3))


def test_an_exception_with_a_traced_argument_does_not_stay_in_a_list():
    kept = []

    @al.convert
    def f(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            kept.append(error)
        return x

    with pytest.raises(MutationError, match="holds a traced value inside a ValueError object"):
        f(jnp.float32(3))
    assert kept == []


def test_an_attribute_of_each_thread_is_an_array_of_that_thread():
    local, seen = threading.local(), {}

    @al.convert
    def f(x):
        local.value = local.value + x
        return x

    def run(start):
        local.value = jnp.float32(start)
        f(jnp.float32(1)), f(jnp.float32(2))
        seen[start] = float(local.value)

    run(10)
    for start in (20, 30):
        thread = threading.Thread(target=run, args=(start,))
        thread.start()
        thread.join()
    assert seen == {10: 13, 20: 23, 30: 33}
    assert float(local.value) == 13


def test_a_new_attribute_of_each_thread_is_an_array_of_that_thread():
    local, seen = threading.local(), []

    @al.convert
    def f(x):
        local.value = x * 2
        return x

    def run():
        f(jnp.float32(3))
        seen.append(float(local.value))

    for _ in range(2):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    run()
    assert seen == [6, 6, 6]
