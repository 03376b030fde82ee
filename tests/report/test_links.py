"""Does each line of generated code, jaxpr and HLO stand for the right lines of the source?"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from autograph_lite import convert
from autograph_lite.runtime.explaining.line_links import Line
from autograph_lite.runtime.explaining.program_graph import Node
from autograph_lite.runtime.reporting.trace_facts import Gathered, gather
from tests.report import model

XS, N = jax.ShapeDtypeStruct((4,), "float32"), jax.ShapeDtypeStruct((), "int32")


@pytest.fixture(scope="module")
def shown() -> Gathered:
    return gather(convert(model.step), (XS, N), {})


def line_of(text: str) -> int:
    """The number of the one line of the model that reads like this."""
    lines = inspect.getsource(model).splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.strip() == text]
    return found


def counterparts(lines: Iterable[Line], text: str) -> list[str]:
    place = (model.__file__, line_of(text))
    return [line.text.strip() for line in lines if place in line.places]


def test_the_source_is_the_function_and_what_it_calls_as_they_are_written(shown: Gathered) -> None:
    assert [section.name for section in shown.sections] == ["step", "scaled"]
    for section, function in zip(shown.sections, (model.step, model.scaled), strict=True):
        assert [line.text for line in section.source] == inspect.getsource(function).splitlines()
        assert section.first_line == function.__code__.co_firstlineno


def test_a_branch_is_linked_to_its_generated_functions(shown: Gathered) -> None:
    generated = shown.sections[0].generated
    assert counterparts(generated, "total = total + scaled(x)") == ["return total + ag.call(scaled)(x)"]
    of_if = counterparts(generated, "if x > 1:")
    assert of_if[0] == "def true_fun(total):"
    assert any(text.startswith("total = ag.if_stmt(x > 1") for text in of_if)


def test_a_statement_is_linked_to_its_equations(shown: Gathered) -> None:
    (divided,) = counterparts(shown.jaxpr, "total = total / 2")
    assert " = div " in divided
    of_if = counterparts(shown.jaxpr, "if x > 1:")
    assert " = gt " in of_if[0]
    assert any(" = cond[" in text for text in of_if)
    assert counterparts(shown.jaxpr, "return jnp.sin(x)")[0].count(" = sin ") == 1


def test_an_equation_over_several_lines_is_linked_with_all_of_them(shown: Gathered) -> None:
    of_loop = counterparts(shown.jaxpr, "for x in xs:")
    assert " = scan[" in of_loop[0]
    assert "length=4" in of_loop
    assert of_loop[-1].startswith("]")


def test_an_instruction_of_the_compiled_program_is_linked_to_its_line(shown: Gathered) -> None:
    assert any(" cosine(" in text for text in counterparts(shown.hlo, "total = jnp.cos(total)"))
    assert any(" sine(" in text for text in counterparts(shown.hlo, "return jnp.sin(x)"))
    assert not any(" sine(" in text for text in counterparts(shown.hlo, "total = jnp.cos(total)"))
    assert not any("metadata" in line.text or line.text == "StackFrames" for line in shown.hlo)


def test_every_place_of_generated_code_is_a_line_of_the_function(shown: Gathered) -> None:
    for section in shown.sections:
        assert all(section.covers(place) for line in section.generated for place in line.places)
        assert all(line.places for line in section.generated if line.text.strip())


def test_the_header_of_a_match_is_linked_to_the_choice_of_the_program(shown: Gathered) -> None:
    of_match = shown.sections[0].source[line_of("match n:") - shown.sections[0].first_line]
    assert of_match.places == {(model.__file__, line_of("match n:")), (model.__file__, line_of("case 0:"))}


def test_the_control_flow_is_a_tree_with_the_lines_of_its_statements(shown: Gathered) -> None:
    scan, loop, switch = shown.nodes
    assert [each.label for each in shown.nodes] == ["scan of 4 steps", "while_loop", "switch of 3 branches"]
    assert (scan.place, loop.place) == (
        (model.__file__, line_of("for x in xs:")),
        (model.__file__, line_of("while total > 1:")),
    )
    (choice,) = scan.parts[0].nodes
    assert [part.name for part in choice.parts] == ["false", "true"]
    assert [node.place for node in choice.parts[1].nodes] == [(model.__file__, line_of("if x > 3:"))]
    assert len(switch.parts) == 3


def test_the_branch_that_is_called_true_is_the_one_of_a_true_condition() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        y = x
        if x > 0:
            y = jnp.sin(x) * 2
        return y

    (choice,) = gather(convert(f), (jax.ShapeDtypeStruct((), "float32"),), {}).nodes
    assert {part.name: part.equations > 0 for part in choice.parts} == {"false": False, "true": True}


def test_methods_that_a_method_calls_are_shown() -> None:
    shown = gather(convert(model.Layer(1.0).apply), (jax.ShapeDtypeStruct((), "float32"),), {})
    assert [section.name for section in shown.sections] == ["Layer.apply", "Layer.halved"]
    assert any(" = div " in text for text in counterparts(shown.jaxpr, "x = x / 2"))


def test_what_is_not_converted_has_no_generated_code() -> None:
    own, left_alone = gather(convert(model.calls), (jnp.float32(1),), {}).sections
    assert own.generated
    assert not left_alone.generated
    assert left_alone.note == "not converted: called as it is"


def test_without_arguments_it_is_the_newest_trace_that_is_shown() -> None:
    f = convert(model.step)
    f(jnp.arange(3.0), 5)
    f(jnp.arange(6.0), 5)
    shown = gather(f, (), {})
    assert shown.signature.startswith("(xs: float32[6], n: Literal[5]")
    assert len(shown.retraces) == f.trace_count == 2


def test_a_program_for_any_size_is_shown_without_compiled_code() -> None:
    f = convert(model.straight, input_signature=[jax.ShapeDtypeStruct((), "float32")])
    assert gather(f, (), {}).hlo
    g = convert(model.straight, reduce_retracing=True)
    for size in (2, 3):
        g(jnp.zeros(size))
    shown = gather(g, (), {})
    assert not shown.hlo
    assert shown.hlo_note.startswith("TypeError: XLA compiles programs for known sizes")
    assert shown.jaxpr


def test_a_function_without_control_flow_has_none() -> None:
    nodes: tuple[Node, ...] = gather(convert(model.straight), (jnp.float32(1),), {}).nodes
    assert nodes == ()


class Halving:
    """An object that can be called."""

    def __call__(self, x):  # type: ignore[no-untyped-def]
        while x > 1:
            x = x / 2
        return x


def larger(a, x):  # type: ignore[no-untyped-def]
    return x if x > a else a


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (Halving(), ("Halving", "Halving.__call__")),
        (functools.partial(larger, jnp.float32(1)), ("larger", "larger")),
        (lambda x: x if x > 0 else -x, ("<lambda>", "<lambda>")),
    ],
)
def test_whatever_can_be_converted_has_a_report(function: Any, names: tuple[str, str]) -> None:
    shown = gather(convert(function), (jnp.float32(1),), {})
    assert (shown.name, shown.sections[0].name) == names
    assert len(shown.nodes) == len(shown.decisions) == 1


def test_a_list_whose_length_only_the_data_know_has_a_report() -> None:
    def above(xs):  # type: ignore[no-untyped-def]
        return [x for x in xs if x > 1]

    f = convert(above)
    assert gather(f, (jnp.arange(4.0),), {}).signature == "(xs: float32[4])"
    f(jnp.arange(4.0))
    assert "above(xs: float32[4])" in f._repr_html_()
