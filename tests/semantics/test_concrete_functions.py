"""Which trace does `get_concrete_function` give, which one serves a call, and what may a concrete function be called with?"""

from __future__ import annotations

from typing import Any

import pytest

import autograph_lite
from autograph_lite import ArraySpec

from .probe import C, Probe, echo, ran, shaped
from .rows import deviates

UNBLOCKED = "who asks for a more specific trace means to have it; calls then take the most specific one"
NAMELESS = "a name is no property of values; parameters have names already"
ANY_RANK = ArraySpec(None, "float32")


def floats(*shape: int | None) -> ArraySpec:
    return ArraySpec(shape, "float32")


def request(f: Probe, *specs: Any) -> str:
    """Asks for a concrete function; the counts after that."""
    f.function.get_concrete_function(*specs)
    return f.counts


def server(f: Probe, *shape: int) -> str:
    """The type of the trace that serves an array of a shape."""
    f.value = None
    f(shaped(*shape))
    trace = f.function._traces.resolve((shaped(*shape),), {}).trace
    return str(trace.function_type).removeprefix("(x: float32").removesuffix(")")


@deviates("1, 1, 1, 2, 2, 3", why=UNBLOCKED)
def test_R88_a_trace_that_was_asked_for_serves_calls() -> None:
    f = Probe(echo)

    assert request(f, floats(None)) == "1/1"
    assert f(shaped(3)) == "1/1"
    assert f(shaped(5)) == "1/1"
    assert request(f, shaped(3)) == "2/2"
    assert request(f, floats(3)) == "2/2"
    assert f(shaped(2, 2)) == "3/3"


def test_R89_a_spec_and_a_literal() -> None:
    f, spec = Probe(lambda x, n: (ran(), x * n)[1]), ArraySpec([], "int32")

    assert request(f, spec, 2) == "1/1"
    assert (f(C(1), 2), f.value) == ("1/1", 2)
    assert (f(C(1), 3), f.value) == ("2/2", 3)
    assert request(f, spec, spec) == "3/3"


@deviates("specs have no names", why=NAMELESS)
def test_R90_a_spec_that_is_asked_for_again() -> None:
    f = Probe(echo)
    first = f.function.get_concrete_function(floats(None))
    second = f.function.get_concrete_function(floats(None))

    assert f.counts == "1/1"
    assert first.jaxpr is second.jaxpr


@deviates("specs have no names", why=NAMELESS)
def test_R102_a_spec_and_a_call() -> None:
    f = Probe(echo)

    assert request(f, floats(None)) == "1/1"
    assert request(f, floats(None)) == "1/1"
    assert f(shaped(3)) == "1/1"


@deviates("specs have no names", why=NAMELESS)
def test_R103_a_spec_for_a_keyword_and_a_call() -> None:
    f = Probe(echo)
    f.function.get_concrete_function(x=floats(None))

    assert f.counts == "1/1"
    assert f(shaped(3)) == "1/1"


SPECS = [floats(2, 2), floats(2, None), floats(None, 2), floats(None, None), ANY_RANK]
SERVERS = {
    (2, 2): "[2,2]",
    (3, 2): "[?,2]",
    (2, 3): "[2,?]",
    (3, 3): "[?,?]",
    (3,): "[...]",
    (): "[...]",
}


def test_R104_the_most_specific_trace_serves() -> None:
    f = Probe(echo)

    assert [request(f, spec) for spec in SPECS] == ["1/1", "2/2", "3/3", "4/4", "5/5"]
    assert {shape: server(f, *shape) for shape in SERVERS} == SERVERS


@deviates("three traces", why=UNBLOCKED)
def test_R105_a_general_trace_comes_first() -> None:
    f = Probe(echo)

    assert [request(f, spec) for spec in (ANY_RANK, floats(None), floats(2))] == ["1/1", "2/2", "3/3"]


@deviates("as in R104", why=UNBLOCKED)
def test_R91_the_most_specific_trace_serves_whatever_came_first() -> None:
    f = Probe(echo)

    assert [request(f, spec) for spec in reversed(SPECS)] == ["1/1", "2/2", "3/3", "4/4", "5/5"]
    assert {shape: server(f, *shape) for shape in SERVERS} == SERVERS


@deviates("the older of the two serves, and `[3]` is traced when it is asked for", why=UNBLOCKED)
@pytest.mark.parametrize("specs, serves", [(SPECS[2:0:-1], "[?,2]"), (SPECS[1:3], "[2,?]")])
def test_R92_two_traces_that_nothing_orders(specs: list[ArraySpec], serves: str) -> None:
    f, vectors = Probe(echo), Probe(echo)
    for spec in specs:
        f.function.get_concrete_function(spec)

    assert server(f, 2, 2) == serves
    assert [request(vectors, floats(None)), vectors(shaped(3))] == ["1/3", "1/3"]
    assert request(vectors, floats(3)) == "2/4"
    assert server(vectors, 3) == "[3]"


@deviates(
    "literals may be left out, or passed by position or keyword; another shape, dtype or literal is a `TypeError`",
    why="a concrete function is for the types that it was traced for, and says which",
)
def test_R106_calls_of_a_concrete_function() -> None:
    def fused(a, b=2, *, c=3):
        ran()
        return a * b * c

    call = autograph_lite.convert(fused).get_concrete_function(ArraySpec([], "float32"))
    x = C(2.0)

    assert str(call.function_type) == "(a: float32[], b: Literal[2], *, c: Literal[3]) -> float32[]"
    assert [call(x), call(x, 2), call(a=x), call(x, b=2, c=3), call(x, 2, c=3)] == [12.0] * 5
    for args, message in _refused(x):
        with pytest.raises(TypeError) as caught:
            call(*args)
        assert str(caught.value) == f"fused: {message}"


def _refused(x: Any) -> list[tuple[tuple[Any, ...], str]]:
    return [
        ((x, 3), "b: Literal[3] where Literal[2] was."),
        ((2.0,), "a: Literal[2.0] where float32[] was."),
        ((C(2),), "a: int32[] where float32[] was."),
        ((C([1.0, 2.0]),), "a: float32[2] where float32[] was."),
        ((), "missing a required argument: 'a'"),
    ]
