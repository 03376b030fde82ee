"""What does an input signature allow?"""

from __future__ import annotations

import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec

from .probe import C, Probe, echo, ran
from .rows import deviates

INT = ArraySpec([], "int32")


def test_R70_vectors_of_any_size() -> None:
    f = Probe(echo, input_signature=[ArraySpec([None], "int32")])

    assert f(C([1, 2])) == "1/1"
    assert (f(C([1, 2, 3])), f.value.tolist()) == ("1/1", [1, 2, 3])
    assert (f([1, 2]), f.value.tolist()) == ("1/1", [1, 2])
    assert f(np.array([1, 2], np.int32)) == "1/1"
    assert f(np.array([1, 2])) == "1/1"
    assert f(C([[1]])) == "1/1 TypeError: Argument x: found int32[1,1]; allowed: int32[?]"
    assert f(C([1.0])) == "1/1 TypeError: Argument x: found float32[1]; allowed: int32[?]"
    assert f(x=C([1, 2])) == "1/1"
    assert f() == "1/1 TypeError: echo() missing 1 required positional argument: 'x'"


@deviates(
    "1, 2, 2, 2, 2: each rank is traced, under the one signature",
    why="no symbol stands for a rank, neither in JAX nor in StableHLO",
)
def test_R71_arrays_of_any_rank() -> None:
    f = Probe(echo, input_signature=[ArraySpec(None, "float32")])

    assert f(C(1.0)) == "1/1"
    assert f(C([1.0])) == "2/2"
    assert (f(3.0), f.value) == ("2/2", 3.0)
    assert (f(3), f.value.dtype) == ("2/2", "float32")
    assert f(np.float64(2)) == "2/2"
    assert f(C(1)) == "2/2 TypeError: Argument x: found int32[]; allowed: float32[...]"
    assert f("a") == "2/2 TypeError: Argument x: found 'a'; allowed: float32[...]"
    assert len(f.function.concrete_functions) == 1


def test_R72_a_default_is_fixed() -> None:
    def add(x, y=2):
        ran()
        return x + y

    f = Probe(add, input_signature=[INT])

    assert (f(C(1)), f.value) == ("1/1", 3)
    assert f(C(1), 2) == "1/1"
    assert f(C(1), 3) == "1/1 TypeError: Argument y: found Literal[3]; allowed: Literal[2]"
    assert f(C(1), y=2) == "1/1"


@pytest.mark.parametrize(
    "fn, specs, message",
    [
        (
            lambda x, *, k: x,
            [INT],
            "The keyword-only parameter 'k' has no default: input_signature gives specs for positional parameters only.",
        ),
        (lambda x, y: x, [INT], "input_signature has no spec for the parameter 'y', which has no default."),
        (lambda x: x, [INT, INT], "input_signature has 1 more spec than parameters."),
    ],
    ids=["R73", "R75", "R76"],
)
def test_a_signature_that_does_not_fit_is_refused(fn, specs, message) -> None:
    with pytest.raises(TypeError) as caught:
        autograph_lite.convert(fn, input_signature=specs)

    assert str(caught.value) == message


def test_R73_a_keyword_needs_a_default() -> None:
    def scale(x, *, k=3):
        ran()
        return x * k

    f = Probe(scale, input_signature=[INT])

    assert (f(C(2)), f.value) == ("1/1", 6)
    assert f(C(2), k=4) == "1/1 TypeError: Argument k: found Literal[4]; allowed: Literal[3]"


def test_R74_keywords_have_no_specs() -> None:
    f = Probe(lambda x, **named: (ran(), x)[1], input_signature=[INT])

    assert str(f.function.input_signature) == "(x: int32[])"
    assert f(C(1), z=C(2)) == "0/0 TypeError: got an unexpected keyword argument 'z'"
    assert f(C(1)) == "1/1"


def test_R75_a_parameter_without_a_spec_needs_a_default() -> None:
    f = Probe(lambda x, y=None: (ran(), x)[1], input_signature=[INT])

    assert f(C(1)) == "1/1"
    assert f(C(1), C(2)) == "1/1 TypeError: Argument y: found int32[]; allowed: Literal[None]"


def test_R76_there_are_as_many_arguments_as_specs() -> None:
    f = Probe(lambda x, y: (ran(), x + y)[1], input_signature=[INT, INT])

    assert (f(C(1), C(2)), f.value) == ("1/1", 3)
    assert f(C(1), C(2), C(3)).startswith("1/1 TypeError: ")


def test_R77_the_number_of_arguments_is_fixed() -> None:
    f = Probe(lambda *a: (ran(), sum(a))[1], input_signature=[INT, INT])

    assert str(f.function.input_signature) == "(a_0: int32[], a_1: int32[], /)"
    assert (f(C(1), C(2)), f.value) == ("1/1", 3)
    assert f(C(1)) == "1/1 TypeError: missing a required argument: 'a_1'"


def test_R78_structures_of_specs() -> None:
    f, a, b = Probe(echo, input_signature=[{"a": INT, "b": [INT]}]), C(1), C(2)
    allowed = "allowed: {'a': int32[], 'b': [int32[]]}"

    assert f({"a": a, "b": [b]}) == "1/1"
    assert (f({"b": [b], "a": a}), f.value) == ("1/1", {"a": 1, "b": [2]})
    assert f({"a": a, "b": (b,)}) == (
        f"1/1 TypeError: Argument x: found {{'a': int32[], 'b': (int32[],)}}; {allowed}"
    )
    assert f({"a": a}) == f"1/1 TypeError: Argument x: found {{'a': int32[]}}; {allowed}"
    assert f({"a": a, "b": [b], "c": a}) == (
        f"1/1 TypeError: Argument x: found {{'a': int32[], 'b': [int32[]], 'c': int32[]}}; {allowed}"
    )


@pytest.mark.parametrize(
    "specs, message",
    [
        ([5], "input_signature[0] is made of specs, as ArraySpec(shape, dtype): found 5 of type int."),
        (INT, "input_signature is a tuple or a list of specs: found int32[]."),
    ],
)
def test_R78_what_is_no_structure_of_specs_is_refused(specs, message) -> None:
    with pytest.raises(TypeError) as caught:
        autograph_lite.convert(echo, input_signature=specs)

    assert str(caught.value) == message
