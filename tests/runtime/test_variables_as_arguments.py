"""What becomes of Variables that are arguments: those that a call returns, those of defaults, and those that it would keep?"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import pytest

import autograph_lite
from autograph_lite import MutationError, Variable, VariableError, convert, to_graph

OURS = Variable(5.0)


@dataclasses.dataclass
class Holder:
    v: Any


class Plain:
    v: Any = None


OTHERS = Plain()
OTHERS.v = Variable(0.0)


def test_a_variable_that_is_returned_is_its_value_at_that_call() -> None:
    @convert
    def f(v: Any) -> Any:
        v.assign_add(1.0)
        return v, [v], {"k": Holder(v)}

    one, other = Variable(1.0), Variable(2.0)
    results = [f(v) for v in (one, other, one)]
    found = [[*map(float, (first, second, held["k"].v))] for first, (second,), held in results]
    assert found == [[2] * 3, [3] * 3, [3] * 3]
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves([result[:2] for result in results]))
    assert (float(one), float(other), f.trace_count) == (3, 3, 1)


def test_calls_return_the_values_that_a_counter_has_had() -> None:
    n = Variable(0)

    @convert
    def count() -> Any:
        n.assign_add(1)
        return n

    @convert
    def twice() -> Any:
        before = count()
        return before, count(), n

    assert [int(v) for v in [count(), count(), count()]] == [1, 2, 3]
    concrete = count.get_concrete_function()
    assert [int(v) for v in [concrete(), concrete()]] == [4, 5]
    assert [*map(int, twice())] == [6, 7, 7]
    autograph_lite.run_functions_eagerly(True)
    try:
        assert [int(v) for v in [count(), count()]] == [8, 9]
    finally:
        autograph_lite.run_functions_eagerly(False)
    assert to_graph(lambda: n)() is n  # which is plain Python


def test_what_holds_a_variable_and_is_returned_stays_what_it_is() -> None:
    @convert
    def f(given: Holder) -> Any:
        OTHERS.v.assign_add(1.0)
        return given, OTHERS

    given = Holder(Variable(2.0))
    found, other = f(given)
    assert found is given
    assert other is OTHERS
    assert isinstance(given.v, Variable)
    assert isinstance(other.v, Variable)


def test_a_concrete_function_returns_the_value_of_the_callers_variable() -> None:
    concrete = convert(lambda v: v).get_concrete_function(Variable(1.0))
    assert [float(concrete(Variable(value))) for value in (2.0, 3.0)] == [2, 3]


def test_a_copy_of_a_concrete_function_returns_the_values_of_variables_of_its_own() -> None:
    v = Variable(1.0)

    @convert
    def f() -> Any:
        v.assign_add(1.0)
        return v

    copied = f.get_concrete_function().clone()
    assert [float(value) for value in (copied(), copied(), f())] == [2, 3, 2]
    assert float(copied.variables[0]) == 3


def test_a_variable_as_a_default_is_an_argument_like_others() -> None:
    default = Variable(1.0)

    @convert
    def f(x: Any, v: Any = default, *, more: Any = (default,)) -> Any:
        v.assign_add(x)
        return v * 1, more[0] is v

    other = Variable(10.0)
    assert [float(n) for n in f(1.0)] == [2, True]
    assert [float(n) for n in f(1.0)] == [3, True]
    assert [float(n) for n in f(1.0, other)] == [11, False]
    assert [float(n) for n in f(1.0)] == [4, True]
    assert (float(default), float(other), f.trace_count) == (4, 11, 2)


def test_an_attribute_with_the_name_of_a_global_variable_is_another_thing() -> None:
    @convert
    def f(held: Any) -> Any:
        held.OURS.assign_add(1.0)
        return held.OURS * 1

    @dataclasses.dataclass
    class Held:
        OURS: Any

    start = float(OURS)
    assert float(f(Held(OURS))) == start + 1
    assert float(f(Held(Variable(0.0)))) == 1
    assert float(OURS) == start + 1


def test_a_variable_that_is_passed_and_used_from_outside_is_refused() -> None:
    captured = Variable(1.0)

    @convert
    def f(v: Any, x: Any) -> Any:
        return v * captured * x

    assert float(f(Variable(3.0), 2.0)) == 6
    with pytest.raises(VariableError, match="is an argument of 'f', which uses it from outside, too"):
        f(captured, 2.0)
    assert float(jax.jit(lambda x: f(captured, x))(2.0)) == 2


def keeps_in_an_attribute(v: Any, kept: Any) -> Any:
    kept.v = v
    return v * 1


def keeps_in_a_list(v: Any, kept: Any) -> Any:
    LISTED.append(v)
    return v * 1


LISTED: list[Any] = []


@pytest.mark.parametrize("keep", [keeps_in_an_attribute, keeps_in_a_list])
def test_a_variable_of_the_call_is_not_kept_in_an_object(keep: Any) -> None:
    kept = Plain()
    with pytest.raises(MutationError, match="An object from outside .* holds a Variable that was passed"):
        convert(keep)(Variable(1.0), kept)
    assert kept.v is None
    assert LISTED == []


def test_a_variable_of_the_call_is_not_returned_inside_of_an_object() -> None:
    def hides(v: Any) -> Any:
        made = Plain()
        made.v = v
        return made

    for fn in (hides, lambda v: lambda: v):
        with pytest.raises(MutationError, match="The result holds a Variable that was passed as an argument"):
            convert(fn)(Variable(1.0))
