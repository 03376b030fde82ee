"""Does dispatch see what JAX's structures do not show: types of the users' own, the arrays in them, and iterators?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec
from autograph_lite.runtime.types.trace_type import Single


class ScaledType(Single):
    def __init__(self, unit):
        self.unit = unit

    def arrays(self, value):
        return [value.number]

    def placeholder_value(self, context):
        return Scaled(context.array(ArraySpec([], jnp.float32)), self.unit)

    def __eq__(self, other):
        return isinstance(other, ScaledType) and self.unit == other.unit

    def __hash__(self):
        return hash(self.unit)


class Scaled:
    def __init__(self, number, unit):
        self.number, self.unit = number, unit

    def __tracing_type__(self, context):
        return ScaledType(self.unit)


@jax.tree_util.register_pytree_node_class
class Node(Scaled):
    """To JAX, one structure for all units."""

    def tree_flatten(self):
        return (self.number,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children, "?")


def test_arrays_in_a_type_of_its_own_are_traced_in_their_place() -> None:
    def f(x, scaled, y):
        return x + 10 * scaled.number + 100 * y

    converted = autograph_lite.convert(f)
    for k in np.float32([1, 2, 3]):
        args = jnp.float32(k), Scaled(jnp.float32(k + 1), "m"), jnp.float32(k + 2)
        assert converted(*args) == f(*args)
        assert converted(y=args[2], scaled=args[1], x=args[0]) == f(*args)
    assert converted.trace_count == 1


def test_a_type_of_its_own_tells_more_apart_than_the_structure_does() -> None:
    def meters(scaled):
        return scaled.number * (1000 if scaled.unit == "km" else 1)

    converted = autograph_lite.convert(meters)
    for _ in range(3):
        assert converted(Node(jnp.float32(2), "m")) == 2
        assert converted(Node(jnp.float32(2), "km")) == 2000
    assert converted.trace_count == 2


@pytest.mark.parametrize("make", [iter, zip, enumerate, lambda items: (item for item in items)])
def test_an_iterator_is_refused_where_it_is_consumed_and_no_warning_comes_before(make) -> None:
    @autograph_lite.convert
    def first(iterator, x):
        return next(iterator), x

    for _ in range(2):
        with pytest.raises(autograph_lite.IterationError):
            first(make([1, 2]), jnp.float32(1))


def test_an_iterator_that_is_not_consumed_is_an_object() -> None:
    @autograph_lite.convert
    def ignores(iterator, x):
        return x + 1

    items = iter([1, 2])
    assert [float(ignores(items, jnp.float32(x))) for x in (1, 2)] == [2, 3]
    assert ignores.trace_count == 1
    assert ignores(iter([1]), jnp.float32(1)) == 2
