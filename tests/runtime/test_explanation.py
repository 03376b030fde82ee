"""Does `explain_retraces` say what differed from the nearest trace, what each cost and what would avoid it?"""

from __future__ import annotations

import collections
import dataclasses
import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite.errors import Location
from autograph_lite.runtime.explaining import explanation
from autograph_lite.runtime.explaining.explanation import Retrace, explain_retraces
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.literal import Literal

from .traces import dictionary, record

X = ArraySpec((3,), "float32")


def test_the_first_trace_differs_from_nothing():
    (found,) = explain_retraces("step", [record(x=X, n=Literal(1))])

    assert found == Retrace(
        index=1,
        signature="(x: float32[3], n: Literal[1])",
        nearest=None,
        differences=(),
        called_from=Location("/model/train.py", 8, "main", "step(x, n)"),
        trace_seconds=0.0125,
        compile_seconds=0.03,
        changed=(),
        advice="",
    )


def test_a_retrace_says_what_differs_and_what_would_avoid_it():
    found = explain_retraces("step", [record(x=X, n=Literal(1)), record(x=X, n=Literal(2))])[1]

    assert (found.nearest, found.differences) == (1, ("n: 1 -> 2",))
    assert found.advice == "pass an array, jnp.asarray(n): each Python number is a trace of its own."


def test_what_reduces_retracing_is_not_told_to_do_so():
    traces = [record(x=X), record(x=ArraySpec((4,), "float32"))]
    found = explain_retraces("step", [dataclasses.replace(each, reduces=True) for each in traces])[1]

    assert found.advice == (
        "give an ArraySpec with None for the size of 'x' that varies; "
        "reduce_retracing finds it where nothing else varies."
    )


def test_the_nearest_trace_has_the_fewest_differences():
    traces = [
        record(x=X, n=Literal(1)),
        record(x=ArraySpec((4,), "float32"), n=Literal(2)),
        record(x=X, n=Literal(3)),
    ]

    assert explain_retraces("step", traces)[2].nearest == 1
    assert explain_retraces("step", traces)[2].differences == ("n: 1 -> 3",)


def test_the_nearest_trace_differs_in_the_dtype_and_not_in_the_shape_too():
    traces = [record(x=ArraySpec((), "float32")), record(x=X), record(x=ArraySpec((), "int32"))]

    found = explain_retraces("step", traces)[2]

    assert (found.nearest, found.differences) == (1, ("x: float32[] -> int32[]",))
    assert found.advice == "cast 'x' to one dtype: jnp.asarray(x, 'float32')."


def test_the_nearest_trace_has_the_same_structure():
    traces = [
        record(d=dictionary(a=X)),
        record(d=dictionary(a=X, b=X)),
        record(d=dictionary(a=ArraySpec((3,), "int32"))),
    ]

    found = explain_retraces("step", traces)[2]

    assert (found.nearest, found.differences) == (1, ("d['a']: float32[3] -> int32[3]",))


def test_arrays_that_differ_in_two_ways_need_two_remedies():
    found = explain_retraces(
        "step", [record(x=ArraySpec((), "float32")), record(x=ArraySpec((3,), "int32"))]
    )[1]

    assert found.advice.splitlines() == [
        "reshape 'x' to one number of dimensions, or let jax.vmap add the further ones.",
        "cast 'x' to one dtype: jnp.asarray(x, 'float32').",
    ]


@pytest.mark.parametrize("other", [jax.random.PRNGKey(0), jax.random.key(0, impl="rbg")], ids=["raw", "rbg"])
def test_a_key_can_not_be_cast(other):
    keys = [ArraySpec.from_array(each) for each in (jax.random.key(0, impl="threefry2x32"), other)]

    found = explain_retraces("step", [record(k=key) for key in keys])[1]

    assert found.advice.splitlines()[-1] == (
        "make 'k' each time by the same function, jax.random.key or jax.random.PRNGKey, and with the same impl."
    )


def test_of_equally_near_traces_it_is_the_newest():
    found = explain_retraces("step", [record(n=Literal(n)) for n in range(3)])

    assert [each.nearest for each in found] == [None, 1, 2]


def test_an_argument_that_is_not_always_there():
    found = explain_retraces("step", [record(x=X), record(x=X, n=Literal(1)), record(n=Literal(1))])

    assert [each.differences for each in found] == [(), ("n: absent -> 1",), ("x: float32[3] -> absent",)]
    assert found[1].advice == "pass as many arguments each time; stack what grows in number into one array."


def test_the_configuration_of_jax_is_compared():
    off, on = [("jax_enable_x64", False)], [("jax_enable_x64", True)]

    found = explain_retraces("step", [record(x=X, context=off), record(x=X, context=on)])[1]

    assert found.differences == ("jax_enable_x64: False -> True",)
    assert found.advice == "set 'jax_enable_x64' once, before the first call: traces depend on it."


def test_a_trace_for_equal_arguments_is_laid_to_state():
    found = explain_retraces("step", [record(x=X), record(x=X)])[1]

    assert found.differences == ()
    assert found.advice == (
        "the arguments are those of an earlier trace: keep what the function changes or captures the same."
    )


def differing(convert: Any, *calls: Any) -> list[tuple[tuple[str, ...], str]]:
    """What differs between the traces of a function that gives its argument back, and the advice; without the first."""
    function = convert(lambda x: x)
    for call in calls:
        function(call)
    return [(each.differences, each.advice) for each in function.explain_retraces()[1:]]


def test_a_size_of_zero_has_a_program_of_its_own():
    spec = al.ArraySpec((None,), jnp.float32)

    found = differing(al.convert(input_signature=[[spec]]), [jnp.ones(3)], [jnp.ones(0)], [jnp.ones(4)])

    assert found == [
        (
            ("x[0]: float32[?] -> float32[0]",),
            "an empty 'x[0]' has a trace of its own: a program for arrays of all sizes is one for those that have items.",
        )
    ]


def test_arrays_of_any_rank_have_a_program_for_each_shape():
    spec = al.ArraySpec(None, jnp.float32)

    found = differing(al.convert(input_signature=[spec]), *map(jnp.ones, [(3,), (2, 0), (3,)]))

    advice = "no program serves all shapes of 'x', so each has a trace of its own: keep to few of them."
    assert found == [(("x: float32[3] -> float32[2,0]",), advice)]


def test_sizes_that_were_equal_by_chance_are_named():
    matrix, vector = al.ArraySpec((None, None), jnp.float32), al.ArraySpec((None,), jnp.float32)
    function = al.convert(lambda a, b, c: a @ b @ c, input_signature=[matrix, matrix, vector])
    for shapes in ([(3, 3), (3, 3), (3,)], [(5, 6), (6, 7), (7,)]):
        function(*map(jnp.ones, shapes))

    (found,) = function.explain_retraces()[1:]

    assert found.differences == ("equal sizes: others -> a.shape[1] = b.shape[0], b.shape[1] = c.shape[0]",)
    assert found.advice == (
        "call it first with sizes that differ where they may: those that are equal then are one in its program."
    )


def test_a_call_inside_of_another_trace_is_traced_for_that():
    function = al.convert(lambda x: x)
    function(jnp.ones(3))
    jax.jit(lambda x: function(x))(jnp.ones(3))

    found = function.explain_retraces()[1]

    assert found.differences == ("called: by itself -> in another trace",)
    assert found.advice.startswith(
        "a call inside of another trace, as of jax.jit or jax.grad, is traced once"
    )


def test_keys_in_another_order():
    pairs = [("a", jnp.ones(3)), ("b", jnp.ones(2))]

    found = differing(al.convert, *map(collections.OrderedDict, [pairs, pairs[::-1]]))

    assert [advice for _, advice in found] == ["put the keys of 'x' in one order."]


def test_keywords_in_another_order():
    f = al.convert(lambda **kw: sum(kw.values()))
    f(b=jnp.ones(3), a=jnp.ones(3))
    f(a=jnp.ones(3), b=jnp.ones(3))
    [found] = f.explain_retraces()[1:]
    assert found.differences == ("keywords: b, a -> a, b",)
    assert found.advice == "pass the keywords in one order: the function may go through them."


def test_a_variable_and_an_array():
    found = differing(al.convert, al.Variable(jnp.ones(3)), jnp.ones(3))

    assert [advice for _, advice in found] == [
        "pass 'x' always as a Variable or always as an array, 'x.value'."
    ]


def test_a_global_that_has_changed_is_told():
    _, found = explain_retraces("step", [record(x=X), record(x=X, changed=("RATE",))])

    assert found.changed == ("RATE",)
    assert found.advice == (
        "pass 'RATE' as an argument or keep it in a Variable: Python has changed what the trace had read."
    )


def test_it_is_a_sequence_of_frozen_records():
    found = explain_retraces("step", [record(n=Literal(n)) for n in range(3)])

    assert len(found) == 3
    assert [each.index for each in found] == [1, 2, 3]
    assert found[-1] is found[2]
    assert found[1:] == (found[1], found[2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        found[0].index = 7


def test_each_trace_is_compared_with_a_bounded_number_of_others(monkeypatch):
    monkeypatch.setattr(explanation, "COMPARED", 2)
    traces = [
        record(x=X, n=Literal(0)),
        *(record(x=ArraySpec((9,), "float32"), n=Literal(n)) for n in (1, 2)),
        record(x=X, n=Literal(0)),
    ]

    assert explain_retraces("step", traces)[3].nearest == 3


def test_the_table():
    traces = [
        record(21, x=X, n=Literal(1)),
        record(22, x=X, n=Literal(2), trace=0.004, compile=1.5),
        record(22, x=X, n=Literal(3), trace=0.003, compile=None, changed=("RATE",)),
    ]

    assert (
        str(explain_retraces("step", traces))
        == textwrap.dedent("""\
        step: 3 traces, 19.5 ms tracing, 1.5 s compiling
          trace  signature                       tracing  compiling  called from       what differs
              1  (x: float32[3], n: Literal[1])  12.5 ms    30.0 ms  train.py:21 main
              2  (x: float32[3], n: Literal[2])   4.0 ms      1.5 s  train.py:22 main  n: 1 -> 2, as of trace 1
              3  (x: float32[3], n: Literal[3])   3.0 ms             train.py:22 main  n: 2 -> 3, 'RATE' has changed, as of trace 2
          2, 3: pass an array, jnp.asarray(n): each Python number is a trace of its own.
          3: pass 'RATE' as an argument or keep it in a Variable: Python has changed what the trace had read.""")
    )


def test_the_table_of_one_trace_that_nobody_called():
    trace = dataclasses.replace(record(x=X), called_from=(), compile_seconds=None)

    assert str(explain_retraces("step", [trace])) == textwrap.dedent("""\
        step: 1 trace, 12.5 ms tracing
          trace  signature        tracing  compiling  called from  what differs
              1  (x: float32[3])  12.5 ms""")


def test_long_signatures_are_cut_in_the_table_only():
    trace = record(**{f"argument_{n}": X for n in range(9)})
    found = explain_retraces("step", [trace])

    assert "argument_8" in found[0].signature
    assert "argument_8" not in str(found)
    assert " ..." in str(found)


def test_a_function_without_traces():
    assert str(explain_retraces("step", [])) == "step: no traces"
