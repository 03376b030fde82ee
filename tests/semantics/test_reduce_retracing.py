"""What does `reduce_retracing` make of calls that differ, and how often does Python run for them?"""

from __future__ import annotations

import functools

from autograph_lite import ArraySpec

from .probe import C, Probe, echo, ran, runs, shaped
from .rows import deviates

GROWTH = "calls with more arguments have no type in common with those before: they are traced for themselves"

ints = functools.partial(shaped, dtype="int32")


def types(f: Probe) -> list[str]:
    """The types of the arguments that there are traces for."""
    return [str(concrete.function_type).partition(" ->")[0] for concrete in f.function.concrete_functions]


def total(*arrays):
    ran()
    return sum(array.sum() for array in arrays)


def test_R80_vectors() -> None:
    f = Probe(echo, reduce_retracing=True)

    assert [f(shaped(n)) for n in (3, 5, 7, 3)] == ["1/1", "2/2", "2/2", "2/2"]
    assert f.value.shape == (3,)
    assert types(f) == ["(x: float32[3])", "(x: float32[?])"]


def test_R81_sizes_are_generalized_one_by_one() -> None:
    f = Probe(echo, reduce_retracing=True)
    shapes = [(2, 3), (2, 4), (5, 6), (9, 9), (2, 3)]

    assert [f(shaped(*shape)) for shape in shapes] == ["1/1", "2/2", "3/3", "3/3", "3/3"]
    assert types(f) == ["(x: float32[2,3])", "(x: float32[2,?])", "(x: float32[?,?])"]


@deviates(
    "1, 2, 3, 4 runs for two types: each rank is traced, under one type",
    why="no symbol stands for a rank, neither in JAX nor in StableHLO",
)
def test_R82_ranks() -> None:
    f = Probe(echo, reduce_retracing=True)

    assert [f(shaped(*shape)) for shape in ((2,), (2, 2), (2, 2, 2), ())] == ["1/1", "2/2", "3/3", "4/4"]
    assert (f(shaped(2, 2)), f.value.shape) == ("4/4", (2, 2))
    assert types(f) == ["(x: float32[2])", "(x: float32[...])"]


def test_R83_each_dtype_for_itself() -> None:
    f = Probe(echo, reduce_retracing=True)
    arrays = [shaped(2), ints(2), shaped(3), ints(3), ints(4)]

    assert [f(array) for array in arrays] == ["1/1", "2/2", "3/3", "4/4", "4/4"]
    assert types(f) == ["(x: float32[2])", "(x: int32[2])", "(x: float32[?])", "(x: int32[?])"]


def test_R84_each_literal_for_itself() -> None:
    f = Probe(lambda x, n: (ran(), x * n)[1], reduce_retracing=True)
    calls = [(2, 1), (3, 2), (3, 1), (4, 1), (4, 2), (5, 2)]

    assert [f(shaped(size), n) for size, n in calls] == ["1/1", "2/2", "3/3", "3/3", "4/4", "4/4"]
    assert f.value.tolist() == [2.0] * 5


def test_R85_structures() -> None:
    def first(tree):
        ran()
        return tree["a"]

    def tree(a, *b):
        return {"a": shaped(a), "b": [shaped(size) for size in b]}

    f = Probe(first, reduce_retracing=True)
    calls = [(2, 2), (3, 2), (3, 4), (9, 9), (2, 2, 2)]

    assert [f(tree(*sizes)) for sizes in calls] == ["1/1", "2/2", "3/3", "3/3", "4/4"]


@deviates("1, 2, 3, 3", why=GROWTH)
def test_R86_more_arguments_in_between() -> None:
    f = Probe(total, reduce_retracing=True)

    assert f(shaped(2)) == "1/1"
    assert (f(shaped(2), shaped(2)), f.value) == ("2/2", 4)
    assert f(shaped(3)) == "3/3"
    assert (f(shaped(4)), f.value) == ("3/3", 4)


@deviates("1, 2", why=GROWTH)
def test_R99_more_arguments() -> None:
    f = Probe(total, reduce_retracing=True)

    assert f(shaped(2)) == "1/1"
    assert (f(shaped(2), shaped(2)), f.value) == ("2/2", 4)


def test_R100_fewer_arguments() -> None:
    f = Probe(total, reduce_retracing=True)

    assert f(shaped(2), shaped(2)) == "1/1"
    assert f(shaped(2)) == "2/2"
    assert f(shaped(3)) == "3/3"


@deviates("1, 2, 3", why=GROWTH)
def test_R101_other_keywords() -> None:
    f = Probe(lambda **named: (ran(), sum(named.values()))[1], reduce_retracing=True)

    assert f(a=shaped(2)) == "1/1"
    assert f(b=shaped(2)) == "2/2"
    assert (f(a=shaped(2), b=shaped(2)), f.value.tolist()) == ("3/3", [2, 2])


def test_R87_an_input_signature_decides_alone() -> None:
    f = Probe(echo, reduce_retracing=True, input_signature=[ArraySpec([None], "float32")])

    assert f(shaped(2)) == "1/1"
    assert f(shaped(3)) == "1/1"


def test_R125_without_it_each_shape_is_a_trace() -> None:
    f = Probe(echo)

    assert [f(x) for x in (C(1), C(2), C([1, 2, 3]), C([1, 2, 3, 4]))] == ["1/1", "1/1", "2/2", "3/3"]


def test_R126_python_runs_once_for_all_sizes() -> None:
    f = Probe(echo, input_signature=[ArraySpec([None], "float32")])

    assert f(shaped(3)) == "1/1"
    assert (f(shaped(4)), f.value.shape) == ("1/1", (4,))
    assert runs() == 1
