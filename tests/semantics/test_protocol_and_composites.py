"""What of values whose classes say themselves what counts, and of those that consist of several arrays?"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite import TraceType

from .probe import C, Probe, ran, see
from .rows import deviates


class Fruit:
    """The trace type is the class."""

    def __tracing_type__(self, context: Any) -> TraceType:
        return ByClass(type(self))


class Apple(Fruit): ...


class Mango(Fruit): ...


@dataclasses.dataclass(frozen=True)
class ByClass(TraceType):
    kind: type

    def is_subtype_of(self, other: TraceType) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, context: Any) -> Any:
        return self.kind()


class Level:
    """Any level serves a lower one."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __tracing_type__(self, context: Any) -> TraceType:
        return UpTo(self.n)


@dataclasses.dataclass(frozen=True)
class UpTo(TraceType):
    n: int

    def is_subtype_of(self, other: TraceType) -> bool:
        return isinstance(other, UpTo) and self.n <= other.n

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        levels = [other.n for other in others if isinstance(other, UpTo)]
        return UpTo(100) if len(levels) == len(others) else None

    def placeholder_value(self, context: Any) -> Any:
        return Level(self.n)


def test_R38_a_class_chooses_what_counts() -> None:
    f = Probe(lambda fruit: (ran(), type(fruit).__name__)[1])

    assert f(Apple()) == "1/1"
    assert f(Apple()) == "1/1"
    assert (f(Mango()), f.value) == ("2/2", "Mango")
    assert (f(Apple()), f.value) == ("2/2", "Apple")


def test_R39_a_trace_type_that_is_none_is_refused() -> None:
    class Bad:
        def __tracing_type__(self, context: Any) -> Any:
            return 5

    f = Probe(see)

    assert f(Bad()) == (
        "0/0 TypeError: Argument x: 'test_R39_a_trace_type_that_is_none_is_refused.<locals>.Bad.__tracing_type__' "
        "is to return an autograph_lite.TraceType, and returned 5."
    )


def test_R151_a_trace_type_with_supertypes_generalizes() -> None:
    f = Probe(see, reduce_retracing=True)

    assert f(Level(1)) == "1/1"
    assert f(Level(2)) == "2/2"
    assert f(Level(3)) == "2/2"
    assert f(Level(1)) == "2/2"


def test_R45_a_registered_pytree_with_a_flag() -> None:
    @functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["flag"])
    @dataclasses.dataclass
    class Mask:
        x: Any
        flag: bool = False

    f = Probe(lambda m: (ran(), m.x + m.flag)[1])

    assert f(Mask(C(1))) == "1/1"
    assert (f(Mask(C(2))), f.value) == ("1/1", 2)
    assert (f(Mask(C(2), flag=True)), f.value) == ("2/2", 3)
    assert f(Mask(C(1.0))) == "3/3"


@deviates(
    "1, 2, 3: another number of rows or of values is another shape",
    why="JAX has no ragged arrays, and XLA compiles for sizes; `reduce_retracing` and `None` sizes make it one trace",
)
def test_R46_sparse_and_ragged_arrays() -> None:
    from jax.experimental import sparse

    f = Probe(lambda m, x: (ran(), m @ x)[1])
    x = C([1.0, 2.0])

    assert f(sparse.BCOO.fromdense(C([[1.0, 0.0], [0.0, 2.0]])), x) == "1/1"
    assert (f(sparse.BCOO.fromdense(C([[0.0, 1.0], [2.0, 0.0]])), x), f.value.tolist()) == ("1/1", [2, 2])
    assert f(sparse.BCOO.fromdense(C([[1.0, 0.0], [0.0, 0.0]])), x) == "2/2"


@deviates(
    "`jax.ShapeDtypeStruct` in a call is a literal: 1, 1, 2",
    why="only `get_concrete_function` takes types for values; code may well compute with a spec that it is given",
)
def test_R48_a_spec_in_a_call() -> None:
    f = Probe(lambda spec: (ran(), spec.shape)[1])

    assert f(jax.ShapeDtypeStruct((), np.int32)) == "1/1"
    assert (f(jax.ShapeDtypeStruct((), np.int32)), f.value) == ("1/1", ())
    assert (f(jax.ShapeDtypeStruct((2,), np.int32)), f.value) == ("2/2", (2,))
