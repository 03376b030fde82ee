"""Real functions that were changed in a few places: conversion does with them what plain Python does."""

from __future__ import annotations

import ast

import pytest

from autograph_lite import operators

from .choices import from_seed
from .compare_mutants import compare_mutant
from .findings import Report
from .functional import functional
from .mutants import MIXES, mutant
from .mutations import WAYS
from .programs import Program
from .smaller import smaller
from .test_programs import BUDGET

PER_MIX = max(4, BUDGET // 150)
STEP = """
def step(xs, limit):
    total = 0
    for x in xs:
        if x > limit and x != 3:
            total = x
        else:
            total = total + 2 * x
        kept = total if total > 1 else 0
    return kept
"""


def compared(mix: str, numbers: range) -> Report:
    """What was found with the mutants of these numbers, up to the first finding."""
    report = Report()
    for number in numbers:
        report.add(compare_mutant(mutant(from_seed(f"{mix}/{number}"), mix)))
        if report.findings:
            break
    return report


@pytest.mark.parametrize("mix", MIXES)
def test_converted_mutants_do_what_python_does(mix: str) -> None:
    report = compared(mix, range(PER_MIX))
    assert not report.findings, report.findings[0]
    assert report.counts["converted: runs" if mix == "library" else "jit: runs"] > 0


def test_a_broken_operator_is_found_on_python_values_and_shown_in_a_smaller_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(operators, "not_", bool)
    found = compared("library", range(20)).findings[0]
    less = smaller(found, attempts=10, comparison=compare_mutant)
    assert (less.form, len(less.program.source) < len(found.program.source)) == (found.form, True)


def test_a_broken_operator_is_found_in_a_compiled_program(monkeypatch: pytest.MonkeyPatch) -> None:
    right = operators.if_stmt

    def exchanged(test, true_fun, false_fun, *rest, **options):  # type: ignore[no-untyped-def]
        from jax.core import Tracer

        sides = (false_fun, true_fun) if isinstance(test, Tracer) else (true_fun, false_fun)
        return right(test, *sides, *rest, **options)

    monkeypatch.setattr(operators, "if_stmt", exchanged)
    found = compared("numeric", range(20)).findings
    assert "jit" in {finding.form for finding in found}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_mutating_changes_a_function_and_often_leaves_python(way: str) -> None:
    changed, valid = set(), 0
    for seed in range(40):
        tree = ast.parse(STEP)
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)
        if WAYS[way][1](function, from_seed(seed)):
            text = ast.unparse(ast.fix_missing_locations(tree))
            changed.add(text)
            valid += _compiles(text)
    assert changed - {STEP.strip()}
    assert valid >= 3


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("mix", MIXES)
def test_a_seed_gives_the_same_mutant_again(mix: str) -> None:
    first, second = (mutant(from_seed(f"{mix}/3"), mix) for _ in range(2))
    assert first.source == second.source
    assert repr(first.inputs) == repr(second.inputs)


def test_mutants_that_do_not_end_are_left_alone() -> None:
    program = Program("def main(a):\n    while a:\n        pass\n", ((1,),), frozenset())
    assert compare_mutant(program).counts == {"without end": 1}


def test_a_write_makes_an_array_of_its_own_for_the_name_that_is_written() -> None:
    source = "def main(x):\n    y = x\n    y[0] += 1\n    y[1], k = (3, 4)\n    return x\n"
    written = "    y = fresh(y)\n"
    assert functional(source) == (
        f"def main(x):\n    y = x\n{written}    y[0] += 1\n{written}    y[1], k = (3, 4)\n    return x\n"
    )
