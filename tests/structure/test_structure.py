"""Is a converted program what an expert would have written in `lax`? Is user code traced once?"""

from __future__ import annotations

import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import transpiler
from autograph_lite.jax_internals.conditionals import branch_traces
from autograph_lite.jax_internals.loops import loop_binding
from benchmarks import generated, structure
from benchmarks.programs import PROGRAMS, agree

SAME = [name for name, program in PROGRAMS.items() if "cond" not in program.extras]


@pytest.fixture(
    params=[branch_traces.OpenTrace, branch_traces.ClosedTrace], ids=["private JAX", "public JAX"]
)
def branch_trace(request, monkeypatch):
    """Branches are traced in the way that this JAX offers, or in the way that any JAX does."""
    monkeypatch.setattr(branch_traces, "branch_trace", lambda: request.param)
    # 50 guards take nearly all of Python's 1,000 frames in the second way, and a test runner has some of its own.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 2000))
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("name", PROGRAMS)
def test_converted_equals_hand_written(name, branch_trace):
    assert agree(PROGRAMS[name], autograph_lite.to_graph(PROGRAMS[name].python))


@pytest.mark.parametrize("name", PROGRAMS)
def test_jaxpr_has_the_primitives_of_hand_written_code(name, branch_trace):
    program = PROGRAMS[name]
    ours = structure.primitives(autograph_lite.to_graph(program.python), *program.arguments)
    by_hand = structure.primitives(program.by_hand, *program.arguments)
    assert set(by_hand - ours) <= {
        "convert_element_type"
    }  # casts of loop variables, which we bring to their types first
    assert set(ours - by_hand) <= set(program.extras)


@pytest.mark.parametrize("name", SAME)
def test_optimised_program_has_the_instructions_of_hand_written_code(name, branch_trace):
    program = PROGRAMS[name]
    ours = structure.instructions(autograph_lite.to_graph(program.python), *program.arguments)
    assert ours == structure.instructions(program.by_hand, *program.arguments)


def test_this_jax_offers_the_fast_way_of_tracing_branches():
    assert branch_traces.branch_trace() is branch_traces.OpenTrace


def test_a_jax_without_the_fast_way_gets_the_public_one(monkeypatch):
    monkeypatch.delattr(branch_traces.conditionals, "cond_p")
    branch_traces.branch_trace.cache_clear()
    try:
        assert branch_traces.branch_trace() is branch_traces.ClosedTrace
    finally:
        branch_traces.branch_trace.cache_clear()


def test_this_jax_offers_the_fast_way_of_making_loops():
    assert loop_binding._offered()


def test_a_jax_with_other_loops_gets_them_from_the_public_functions(monkeypatch):
    monkeypatch.setattr(loop_binding, "loops", types.SimpleNamespace())
    loop_binding._offered.cache_clear()
    program = PROGRAMS["for over an array"]
    converted = autograph_lite.to_graph(program.python)
    try:
        assert not loop_binding._offered()
        # A function of its own: JAX would keep the trace that another test has made of the converted one.
        assert agree(program, lambda *arguments: converted(*arguments))
    finally:
        loop_binding._offered.cache_clear()


TRACED = []


@autograph_lite.do_not_convert
def mark(name):
    TRACED.append(name)


def deep_branches(x):
    if x > 0:
        mark("outer true")
        if x > 1:
            mark("inner true")
            y = x * 2
        else:
            mark("inner false")
            y = 1  # another type: joined without a second trace
    else:
        mark("outer false")
        y = x
    return y


def typed_loops(xs, n):
    total = jnp.float32(0)
    for x in xs:
        mark("for")
        total = total + x
    while total > n:
        mark("while")
        total = total / 2
    return total


def loops_from_numbers(xs, n):
    total = 0.0
    for x in xs:
        mark("for")
        total = total + x
    count = 0
    for _ in range(n):
        mark("range")
        count = count + n
    left = jnp.sum(xs)
    while left > 0.5:
        mark("while")
        left = left / 2
    return total, count, left


@pytest.mark.parametrize(
    ("fn", "arguments", "expected"),
    [
        (loops_from_numbers, (jnp.ones(3), np.int32(4)), ["for", "range", "while"]),
        (deep_branches, (1.0,), ["outer true", "inner true", "inner false", "outer false"]),
        (typed_loops, (jnp.ones(3), 1.0), ["for", "while"]),
    ],
)
def test_user_code_is_traced_once(fn, arguments, expected, branch_trace):
    TRACED.clear()
    converted = autograph_lite.to_graph(fn)
    jax.make_jaxpr(lambda *args: converted(*args))(*arguments)
    assert TRACED == expected


def test_a_program_is_traced_once_for_arguments_of_one_type():
    TRACED.clear()
    fn = autograph_lite.convert(deep_branches)
    for value in (3.0, -1.0, 0.5):
        fn(jnp.float32(value))
    assert len(TRACED) == 4


def test_functions_of_one_code_object_are_converted_once(monkeypatch):
    converted = []
    original = transpiler.convert_tree

    def counting(fn, *args, **kwargs):
        converted.append(fn.__name__)
        return original(fn, *args, **kwargs)

    monkeypatch.setattr(transpiler, "convert_tree", counting)

    def make(k):
        def scaled(x):
            return x * k if x > 0 else x

        return scaled

    assert [autograph_lite.to_graph(make(k))(2) for k in range(4)] == [0, 2, 4, 6]
    assert converted == ["scaled"]


def test_a_function_is_converted_to_the_same_object_again():
    assert autograph_lite.to_graph(deep_branches) is autograph_lite.to_graph(deep_branches)


@pytest.mark.parametrize("make", [generated.mixed, generated.conditionals, generated.guards])
def test_generated_code_is_linear_in_the_function(make):
    lines = [autograph_lite.to_code(make(size)).count("\n") for size in (100, 200)]
    assert lines[1] < 2.2 * lines[0]
