"""Is an object that a variable may hold, where some path leaves it unassigned, still the one object that paths write to?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


@dataclasses.dataclass
class Record:
    total: float
    log: list


class Counter:
    def __init__(self, total):
        self.total = total


def dict_in_a_loop(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        d = {"a": a, "b": 0.5}
    except KeyError:
        return x
    for i in range(a % 4):
        if i > 1:
            d["b"] = x / 2
    return d["b"]


def dict_with_a_try_in_the_loop(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        d = {"a": a, "b": 0.5}
    except KeyError:
        return x
    for i in range(a % 4):
        try:
            if i > 0:
                raise ValueError("q")
        except ValueError:
            d["b"] = x / 2
    return d["b"]


def list_in_a_while(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        items = [a * 1.0, 2.0]
    except KeyError:
        return x
    i = 0
    while i < a % 4:
        if x > 0:
            items[i % 2] += x
        i += 1
    return items[0] * 3 + items[1]


def record_in_nested_loops(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        record = Record(a * 1.0, [0.0, 0.0])
        counter = Counter(0.5)
    except KeyError:
        return x
    finally:
        x = x + 1
    for i in range(a % 4):
        for j in range(i + 1):
            if j != 1:
                record.total += j + x
            else:
                record.log[0] -= x
                counter.total += x
    return record.total + record.log[0] + counter.total


def growing_list(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        items = [1.0]
    except KeyError:
        return x
    for i in range(a % 4):
        if i > 0:
            items.append(x)
    total = 0.0
    for item in items:
        total = total * 2 + item
    return total


def lists_that_swap(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        first, second = [1.0], [2.0]
    except KeyError:
        return x
    for _ in range(a % 4):
        first, second = second, first
        first[0] += x
    return first[0] * 10 + second[0]


def deleted_on_a_path(a, x):
    kept = d = {"a": 1.0}
    if a > 5:
        del d
    for i in range(a % 4):
        if a <= 5 and i > 0:
            d["a"] += x
    return kept["a"]


def extended_in_place(a, x):
    try:
        if a > 5:
            raise KeyError("p")
        items = [1.0]
    except KeyError:
        return x
    if x > 0:
        items += [x]
    for _ in range(a % 4):
        items += [x]
    return items[-1] + len(items)


def extended_under_another_name(a, x):
    kept = [1.0]
    if a < 5:
        items = kept
    i = 0
    while i < 2:
        if a < 5:
            items += [x]
        i += 1
    return kept[-1] + len(kept)


@pytest.mark.parametrize(
    "f",
    [
        dict_in_a_loop,
        dict_with_a_try_in_the_loop,
        list_in_a_while,
        record_in_nested_loops,
        growing_list,
        lists_that_swap,
        deleted_on_a_path,
        extended_in_place,
        extended_under_another_name,
    ],
)
def test_a_write_reaches_the_object_of_a_variable_that_may_be_unassigned(f):
    converted = al.convert(f)
    for a, x in [(3, 1.0), (7, 2.0), (4, -1.0), (2, 0.5)]:
        np.testing.assert_allclose(converted(jnp.int32(a), jnp.float32(x)), f(a, x), rtol=1e-6)


def test_grad_goes_through_such_an_object():
    # Of 3 iterations, two add `x` to the first item, which counts threefold.
    derivative = jax.jit(jax.grad(al.to_graph(list_in_a_while), argnums=1))
    assert float(derivative(jnp.int32(3), jnp.float32(1.0))) == 7.0


def test_two_such_variables_of_one_object_are_refused():
    def f(a, x):
        try:
            if a > 5:
                raise KeyError("p")
            d = {"a": a * 1.0}
            other = d
        except KeyError:
            return x
        for i in range(a % 4):
            if i > 0:
                d["a"] += x
        return d["a"] + other["a"]

    with pytest.raises(al.MutationError) as caught:
        al.convert(f)(jnp.int32(3), jnp.float32(1.0))
    assert str(caught.value).startswith(
        "A dict, 'd', is written to that is one object on one path of a staged statement and another on another path."
    )
