"""The generator of random programs: what it writes runs, is varied, and depends on the seed alone."""

from __future__ import annotations

import builtins
import collections
import symtable
from typing import Any

import numpy as np
import pytest

from .choices import Choices, from_seed
from .programs import MIXES, Program, generate
from .running import TookTooLong, loaded, run, same, same_numbers

EXPECTED = {
    name
    for line in (
        "any/all, append, assert, augmented item, box mutated, break, call, chained assignment",
        "local class, pair, range as a value, ranges compared, stored lambda, sum of truth values, tuples compared",
        "walked array written, view",
        "chained comparison, conditional expression, continue, del, dict mutated, early return, elif",
        "else of a loop, for over Python values, for over a range, for over an array: reversed",
        "for over an array: zip, for over a part, for over rows, in, lambda, match, maybe unassigned, nested function",
        "nonlocal, note, part, part written, promotion, raise, reduction, return in a loop, starred, truth of a number",
        "dict at a traced key, dict rebound, enum, list rebound, None, text",
        "for over a generator, generator consumed, generator function, recursion, recursion in an operand, yield",
        "try/except, try/finally, unpacking, walrus, walrus in an operand, while, while True, with",
    )
    for name in line.split(", ")
}


def some_programs(number: int = 60) -> list[Program]:
    return [generate(from_seed(f"{mix}/{seed}"), MIXES[mix]) for seed in range(number) for mix in MIXES]


def leaves_of(value: Any) -> list[Any]:
    """The numbers and arrays in a result, without its structure."""
    if isinstance(value, dict | tuple | list):
        return [
            leaf
            for item in (value.values() if isinstance(value, dict) else value)
            for leaf in leaves_of(item)
        ]
    return [] if value is None else [np.asarray(value, float)]


def test_every_construct_of_the_grammar_appears() -> None:
    features = collections.Counter(feature for program in some_programs() for feature in program.features)
    assert EXPECTED <= features.keys()


def test_nearly_every_program_gives_a_value_and_no_program_fails_by_accident() -> None:
    log: list[str] = []
    outcomes = collections.Counter[str]()
    for program in some_programs():
        with loaded(program.source, xp=np, note=lambda tag, value: value) as namespace:
            for inputs in program.inputs:
                error = run(namespace["main"], inputs, log).error
                outcomes[type(error).__name__] += 1
                assert not isinstance(error, TypeError | IndexError | ZeroDivisionError | TookTooLong), (
                    program.source
                )
    assert outcomes["NoneType"] > 0.85 * outcomes.total()


def never_bound(table: symtable.SymbolTable, known: set[str]) -> list[str]:
    """The global names that a function reads and that nothing binds."""
    read = [s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()]
    inner = [name for child in table.get_children() for name in never_bound(child, known)]
    return [name for name in read if name not in known] + inner


def test_every_name_that_is_read_is_bound_somewhere() -> None:
    for program in some_programs():
        module = symtable.symtable(program.source, "program", "exec")
        known = {
            "note",
            "xp",
            "hits",
            "__class__",
            *dir(builtins),
            *(s.get_name() for s in module.get_symbols()),
        }
        assert not never_bound(module, known), program.source


def test_values_stay_small_enough_for_thirty_two_bits() -> None:
    for program in some_programs():
        with loaded(program.source, xp=np, note=lambda tag, value: value) as namespace:
            for inputs in program.inputs:
                value = run(namespace["main"], inputs, []).value
                assert all(np.all(np.abs(leaf) < 1e6) for leaf in leaves_of(value)), program.source


def test_a_seed_gives_the_same_program_again() -> None:
    first, second = (generate(from_seed("loops/3"), MIXES["loops"]) for _ in range(2))
    assert first.source == second.source
    assert same(first.inputs, second.inputs)


@pytest.mark.parametrize("mix", MIXES)
def test_the_simplest_answers_give_a_short_program(mix: str) -> None:
    program = generate(Choices(lambda n: 0), MIXES[mix])
    assert program.source.count("\n") < 12


def test_comparison_tells_kinds_of_numbers_apart() -> None:
    assert same_numbers(np.int32(3), 3, promotes=False)
    assert not same_numbers(np.float32(3), 3, promotes=False)
    assert same_numbers(np.float32(3), 3, promotes=True)
    assert not same_numbers(np.int32(1), True, promotes=False)
    assert not same((1, True), (1, 1))
