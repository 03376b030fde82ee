"""What counts of an object: its values where it is a structure, else which object it is, and what it equals?"""

from __future__ import annotations

import dataclasses
import enum
import functools
import gc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .probe import C, Probe, echo, ran, see
from .rows import LIVE, deviates

STRUCTURE = (
    "a dataclass is what its fields are, as a tuple is; that needs neither a hash nor the instance to live"
)
EVICTED = "a trace that can serve no call any more is memory lost: it is dropped when its object goes"
UNHASHABLE = "identity needs no hash"


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: Any
    y: Any


@dataclasses.dataclass(eq=False)
class Plain:
    x: Any


class Object:
    v = 0


class Equal:
    def __init__(self, v: int) -> None:
        self.v = v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and self.v == other.v

    def __hash__(self) -> int:
        return hash(self.v)


def value(o: Any) -> Any:
    ran()
    return o.v


@deviates("1, 1, 2, 2: other arrays in it use the same trace", why=STRUCTURE)
def test_R15_a_dataclass() -> None:
    f = Probe(lambda p: (ran(), p.x + p.y)[1])

    assert f(Point(C(1), C(2))) == "1/1"
    assert (f(Point(C(3), C(4))), f.value) == ("1/1", 7)
    assert f(Point(1, 2)) == "2/2"
    assert (f(Point(1, 2)), f.value) == ("2/2", 3)


def test_R16_a_frozen_dataclass() -> None:
    f, kept = Probe(echo), Fixed(1, 2)

    assert f(kept) == "1/1"
    assert f(Fixed(1, 2)) == "1/1"
    assert (f(Fixed(1, 3)), f.value) == ("2/2", Fixed(1, 3))
    assert f(Fixed(1, 2)) == "2/2"


@deviates("1, 1, 1: two of equal fields share a trace", why=STRUCTURE)
def test_R17_a_dataclass_that_is_told_by_identity() -> None:
    f, a, b = Probe(lambda p: (ran(), p.x)[1]), Plain(1), Plain(1)

    assert f(a) == "1/1"
    assert f(a) == "1/1"
    assert f(b) == "1/1"
    assert (f(Plain(2)), f.value) == ("2/2", 2)


def test_R18_a_class_with_static_fields_and_arrays() -> None:
    @functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])
    @dataclasses.dataclass
    class Masked:
        n: int
        x: Any

    f = Probe(lambda m: (ran(), m.x + m.n)[1])

    assert (f(Masked(1, C(1))), f.value) == ("1/1", 2)
    assert (f(Masked(1, C(2))), f.value) == ("1/1", 3)
    assert (f(Masked(2, C(1))), f.value) == ("2/2", 3)
    assert f(Masked(1, C(1.0))) == "3/3"


@deviates(
    "1, 2, 3, 4, 5: without arrays, an attrs object is an object like others",
    why="attrs is no dependency of ours",
)
def test_R51_a_class_that_makes_its_own_equality() -> None:
    class Attributes:
        __hash__ = None  # type: ignore[assignment]

        def __init__(self, x: Any, y: Any) -> None:
            self.x, self.y = x, y

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Attributes) and (self.x, self.y) == (other.x, other.y)

    f = Probe(lambda a: (ran(), a.x)[1])
    objects = [Attributes(C(1), C(2)), Attributes(1, 2), Attributes(1, 2), Attributes(1, 3)]

    assert [f(each) for each in objects] == ["1/1", "2/2", "3/3", "4/4"]
    assert f(objects[0]) == "4/4"


def test_R50_an_enum_by_its_member() -> None:
    Color = enum.Enum("Color", "R B")
    f = Probe(echo)

    assert f(Color.R) == "1/1"
    assert f(Color.R) == "1/1"
    assert (f(Color.B), f.value) == ("2/2", Color.B)


@deviates(
    "1, 1, 2, 3, 3, 4, 4, 4: shapes are tuples; a dtype of NumPy is a literal by its value",
    why="an equal shape is the same shape",
)
def test_R49_dtypes_and_shapes() -> None:
    f, x = Probe(echo), C([[1, 2]])

    assert f(jnp.float32) == "1/1"
    assert f(jnp.float32) == "1/1"
    assert f(jnp.int32) == "2/2"
    assert f(x.shape) == "3/3"
    assert f(C([[3, 4]]).shape) == "3/3"
    assert f(np.dtype("int32")) == "4/4"
    assert f(np.dtype("int32")) == "4/4"
    assert f(x.dtype) == "4/4"


def test_R30_objects_by_identity() -> None:
    f, one, two = Probe(value), Object(), Object()
    two.v = 2

    assert f(one) == "1/1"
    assert f(one) == "1/1"
    assert (f(two), f.value) == ("2/2", 2)


@deviates("1, 2, 2: what the function reads of it is read at each call", why=LIVE)
def test_R31_an_object_that_changes_is_the_same() -> None:
    f, one = Probe(value), Object()
    f(one)

    one.v = 5

    assert (f(one), f.value) == ("2/2", 5)
    one.v = 6
    assert (f(one), f.value) == ("2/2", 6)


def test_R32_objects_that_are_equal() -> None:
    f, a, b, other = Probe(value), Equal(1), Equal(1), Equal(2)

    assert f(a) == "1/1"
    assert f(b) == "1/1"
    assert (f(other), f.value) == ("2/2", 2)
    assert f(Equal(1)) == "2/2"


@deviates("1, 2, 3, 4 runs, and one trace at a time", why=EVICTED)
def test_R33_equal_objects_that_die_between_calls() -> None:
    f = Probe(value)
    kept = []
    for _ in range(4):
        f(Equal(1))
        gc.collect()
        kept.append(len(f.function.concrete_functions))

    assert f.counts == "4/4"
    assert kept == [0, 0, 0, 0]


@deviates("1, 1, 2: told by identity", why=UNHASHABLE)
def test_R34_an_object_without_a_hash() -> None:
    class Unhashable:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return True

    f, one, two = Probe(see), Unhashable(), Unhashable()

    assert f(one) == "1/1"
    assert f(one) == "1/1"
    assert f(two) == "2/2"


def test_R35_an_object_whose_hash_is_another_at_each_call() -> None:
    class Restless:
        count = 0

        def __eq__(self, other: object) -> bool:
            return self is other

        def __hash__(self) -> int:
            Restless.count += 1
            return Restless.count

    f, one = Probe(see), Restless()

    assert f(one) == "1/1"
    assert f(one) == "1/1"


@deviates("1, 2, 2: what the function reads of it is read at each call", why=LIVE)
def test_R36_an_object_that_changes_what_it_equals() -> None:
    f, one = Probe(see), Equal(1)

    assert f(one) == "1/1"
    one.v = 2
    assert f(one) == "2/2"
    one.v = 1
    assert f(one) == "2/2"


def test_R37_an_object_without_weak_references_is_held() -> None:
    class Slotted:
        __slots__ = ("v",)

        def __init__(self, v: int) -> None:
            self.v = v

    f, one, two = Probe(value), Slotted(1), Slotted(2)

    assert f(one) == "1/1"
    assert f(one) == "1/1"
    assert (f(two), f.value) == ("2/2", 2)
