"""What is a user told whose function retraces too often? The whole message, for each kind of mistake."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import RetraceWarning, convert
from autograph_lite.runtime.explaining import retrace_warnings
from autograph_lite.runtime.explaining.detector import Frequent
from autograph_lite.runtime.explaining.trace_differences import TraceRecord
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.literal import Literal
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.structure import from_value
from autograph_lite.runtime.types.trace_type import TracingContext, VariableType

from .traces import dictionary, record


def step(x, n):
    return n * x


X = ArraySpec((3,), "float32")
RETRACED = "4 of the last 4 calls of 'step' retraced it: each ran its Python code and compiled it once more."
WHERE = f"  test.py:{step.__code__.co_firstlineno} in step\n      def step(x, n):"


def message(*traces: TraceRecord, functions: int = 1) -> str:
    """What the warning says, apart from where the file lies."""
    text = retrace_warnings.retrace_message(
        step, Frequent(len(traces) - 1, len(traces) - 1, traces, functions)
    )
    return text.replace(step.__code__.co_filename, "test.py")


def expected(why: str, fix: str) -> str:
    return f"{RETRACED}\n{WHERE}\n  {why}\n  Fix: {fix}"


def of(types: Any) -> list[TraceRecord]:
    return [record(x=X, n=each) for each in types]


def test_a_number_that_counts_up():
    assert message(*of(map(Literal, range(1, 6)))) == expected(
        "'n' changed in 4 of them: 1, 2, 3, 4, 5.",
        "pass an array, jnp.asarray(n): each Python number is a trace of its own.",
    )


def test_many_values_are_cut_short():
    text = message(*of(map(Literal, range(9))))

    assert "  'n' changed in 8 of them: 0, 1, 2, 3, 4, 5, ...." not in text
    assert "  'n' changed in 8 of them: 0, 1, 2, 3, 4, 5, and more.\n" in text


def test_two_values_in_turn_are_named_once_each():
    assert "'n' changed in 4 of them: 1, 2." in message(*of(map(Literal, (1, 2, 1, 2, 1))))


def test_numbers_and_arrays_in_turn():
    assert message(*of([Literal(1), X, Literal(2), X, Literal(3)])) == expected(
        "'n' changed in 4 of them: 1, float32[3], 2, 3.",
        "pass an array each time, jnp.asarray(n): a Python number is a trace of its own.",
    )


def test_texts():
    assert message(*of(map(Literal, "abcde"))) == expected(
        "'n' changed in 4 of them: 'a', 'b', 'c', 'd', 'e'.",
        "each value of 'n' is a trace of its own: keep to few of them.",
    )


def test_shapes():
    assert message(*of(ArraySpec((n,), "float32") for n in range(1, 6))) == expected(
        "'n' changed in 4 of them: float32[1], float32[2], float32[3], float32[4], float32[5].",
        "pass reduce_retracing=True, or an ArraySpec with None for the size of 'n' that varies.",
    )


def test_ranks():
    assert message(*of(ArraySpec((1,) * n, "float32") for n in range(5))) == expected(
        "'n' changed in 4 of them: float32[], float32[1], float32[1,1], float32[1,1,1], float32[1,1,1,1].",
        "reshape 'n' to one number of dimensions, or let jax.vmap add the further ones.",
    )


def test_dtypes():
    assert message(*of(ArraySpec((), each) for each in ("f4", "i4", "i2", "f2", "u1"))) == expected(
        "'n' changed in 4 of them: float32[], int32[], int16[], float16[], uint8[].",
        "cast 'n' to one dtype: jnp.asarray(n, 'float32').",
    )


def test_weak_types():
    assert message(
        *of(ArraySpec((), "float32", each) for each in (False, True, False, True, False))
    ) == expected(
        "'n' changed in 4 of them: float32[], weak float32[].",
        "give 'n' a dtype, jnp.asarray(n, 'float32'): an array made of a Python number has a weak one.",
    )


def new_loss():
    def loss(x):
        return x

    return loss


def test_new_functions():
    functions = [new_loss() for _ in range(5)]

    assert message(*of(map(ObjectType, functions))) == expected(
        "'n' changed in 4 of them: <function new_loss.<locals>.loss>.",
        "make 'n' once: a lambda or an inner function is another object each time it is defined.",
    )


def test_new_functions_that_are_gone_by_now():
    traces = of(ObjectType(lambda x: x) for _ in range(5))

    assert "  Fix: make 'n' once: a lambda or an inner function is another object each time" in message(
        *traces
    )


class Config:
    pass


def test_new_objects_that_are_gone_by_now():
    assert message(*of(ObjectType(Config()) for _ in range(5))) == expected(
        "'n' changed in 4 of them: <dead Config object>.",
        "make 'n' once and pass the same object, or make its class a dataclass or a pytree.",
    )


def test_dictionaries_with_other_keys():
    assert message(*of(dictionary(**{key: X}) for key in "abcde")) == expected(
        "'n' changed in 4 of them: {'a': float32[3]}, {'b': float32[3]}, {'c': float32[3]}, {'d': float32[3]}, "
        "{'e': float32[3]}.",
        "pass 'n' with the same classes, keys and lengths each time; stack what grows into one array.",
    )


def test_a_leaf_is_named_by_the_expression_that_gives_it():
    assert message(*of(dictionary(w=X, rate=n) for n in range(5))) == expected(
        "'n['rate']' changed in 4 of them: 0, 1, 2, 3, 4.",
        "pass an array, jnp.asarray(n['rate']): each Python number is a trace of its own.",
    )


def test_variables():
    assert message(*of(VariableType((n,), "float32", True, 0) for n in range(5))) == expected(
        "'n' changed in 4 of them: Variable(float32[0], #0), Variable(float32[1], #0), Variable(float32[2], #0), "
        "Variable(float32[3], #0), Variable(float32[4], #0).",
        "pass Variables of one shape and dtype as 'n', and one Variable twice always or never.",
    )


def test_values_of_two_kinds():
    assert message(*of([X, Literal("a"), X, Literal("a"), X])) == expected(
        "'n' changed in 4 of them: float32[3], 'a'.", "pass values of one trace type as 'n'."
    )


def test_jax_configuration():
    traces = [record(x=X, context=[("jax_enable_x64", flag)]) for flag in (False, True, False, True, False)]

    assert message(*traces) == expected(
        "'jax_enable_x64' changed in 4 of them: False, True.",
        "set 'jax_enable_x64' once, before the first call: traces depend on it.",
    )


def test_an_argument_that_changed_once_is_not_among_the_guilty():
    traces = [record(x=ArraySpec((3 if n else 4,), "float32"), n=Literal(n)) for n in range(5)]

    assert "'x'" not in message(*traces)


def test_two_guilty_arguments_are_both_named():
    assert message(*(record(x=ArraySpec((n,), "float32"), n=Literal(n)) for n in range(1, 6))) == expected(
        "'x' changed in 4 of them: float32[1], float32[2], float32[3], float32[4], float32[5].\n"
        "  'n' changed in 4 of them: 1, 2, 3, 4, 5.",
        "pass reduce_retracing=True, or an ArraySpec with None for the size of 'x' that varies.\n"
        "  Fix: pass an array, jnp.asarray(n): each Python number is a trace of its own.",
    )


def test_arguments_that_grow_in_number():
    traces = [record(x=X, **{f"rest_{i}": X for i in range(n)}) for n in range(0, 10, 2)]

    assert message(*traces) == expected(
        "The number of arguments changed in 4 of them.",
        "pass as many arguments each time; stack what grows in number into one array.",
    )


class Holder:
    def __init__(self, w, mask):
        self.w, self.mask = w, mask


jax.tree_util.register_pytree_node(Holder, lambda h: ((h.w,), h.mask), lambda mask, ws: Holder(*ws, mask))


def test_structures_that_cannot_be_compared_are_taken_to_differ():
    held = [Holder(1, np.arange(2)) for _ in range(5)]

    text = message(*of(from_value(each, TracingContext()) for each in held))

    assert "  'n' changed in 4 of them: " in text
    assert (
        "  Fix: pass 'n' with the same classes, keys and lengths each time; stack what grows into one array."
        in text
    )


def test_a_function_that_is_made_anew():
    assert message(*of([Literal(1)] * 5), functions=5) == expected(
        "5 functions were made from it, and each has traces of its own.",
        "convert the function once, outside of the loop or function that calls it.",
    )


class Scale:
    def __init__(self, k):
        self.k = k

    @convert
    def scaled(self, x):
        return self.k * x


def test_a_method_of_instances_that_are_made_anew():
    with pytest.warns(RetraceWarning) as caught:
        for k in range(5):
            Scale(k).scaled(jnp.float32(1))

    assert str(caught[0].message).splitlines()[-2:] == [
        "  It was called on 5 instances, and each has traces of its own.",
        "  Fix: keep the instances and call them again, or convert a function whose argument is a pytree of their arrays.",
    ]


def test_nothing_that_changes():
    assert message(*of([Literal(1)] * 5)) == expected(
        "The arguments were of the same types: what the function changes or captures has not stayed the same.",
        "make the lists and arrays that it changes once, and keep their lengths, shapes and dtypes; pass what changes "
        "between calls as an argument.",
    )


def decorator(*parts):
    return lambda fn: fn


@decorator(
    1,
)
@decorator()
def decorated(x):
    return x


def test_the_definition_is_named_below_its_decorators():
    text = retrace_warnings.retrace_message(decorated, Frequent(1, 1, (record(x=X), record(x=X)), 1))

    assert f":{decorated.__code__.co_firstlineno + 4} in decorated\n      def decorated(x):\n" in text


def test_what_has_no_definition_in_python_is_named_by_its_last_call():
    partial = functools.partial(step, n=1)

    assert retrace_warnings.retrace_message(
        partial, Frequent(1, 1, (record(x=X), record(x=ArraySpec((), "float32"))), 1)
    ) == (
        "1 of the last 1 calls of 'partial' retraced it: each ran its Python code and compiled it once more.\n"
        "  /model/train.py:8 in main\n"
        "      step(x, n)\n"
        "  'x' changed in 1 of them: float32[3], float32[].\n"
        "  Fix: reshape 'x' to one number of dimensions, or let jax.vmap add the further ones."
    )


def test_the_warning_is_at_the_line_of_the_last_call():
    traces = [record(line, x=X, n=Literal(line)) for line in range(1, 6)]

    with pytest.warns(RetraceWarning) as caught:
        retrace_warnings.warn_of_retraces(step, Frequent(4, 4, tuple(traces), 1))

    assert [(each.filename, each.lineno) for each in caught] == [("/model/train.py", 5)]


def test_the_second_warning_of_a_line_is_shown_too():
    frequent = Frequent(4, 4, tuple(of(map(Literal, range(5)))), 1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        retrace_warnings.warn_of_retraces(step, frequent)
        retrace_warnings.warn_of_retraces(step, frequent)

    assert len(caught) == 2
