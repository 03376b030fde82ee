"""Unrolled size: how much longer is a program if Python runs a loop? By the equations of its body, or its text before."""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax

from autograph_lite.jax_internals import recorded_equations
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.operators.object_graph.reachability import by_code
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.operators.values import pytrees
from autograph_lite.syntax.names import is_operators

# Measured on CPUs: from 16 iterations on an unrolled loop over numbers runs slower, and its gradient up to 60 times as slow;
# a loop adds about as much to the time to compile as 100 equations do. Arrays have to be put into one for a loop.
LONG, FEW, OF_ARRAYS = 16, 100, 1000
# What Python may have computed of its numbers.
PYTHONS = (
    primitive_traits.ARITHMETIC | primitive_traits.SHAPES | primitive_traits.PARTS | {"concatenate", "square"}
)
UNKNOWN = 16  # iterations of a loop that nobody can count
LIBRARY = 4  # what a call of a library's may be in equations
# A call of the user's, a loop, an item that is read at a place that the program computes, and one that is written.
_OPERATORS = (
    {"call": 30, "for_stmt": 10, "while_stmt": 10, "item": 4}
    | dict.fromkeys(
        ("set_item", "store", "store_shared", "put", "put_at", "put_into", "put_of", "put_shared"), 6
    )
    | dict.fromkeys(("update_item", "update_shared", "update_at", "update_at_shared", "update_of"), 10)
)


# Iterations -> how many equations, beyond those of one iteration, are few; None for any.
Few = Callable[[int], int | None]


class Small(Refused):
    """Python is to run the loop, which makes a small program so."""

    def __init__(self, size: int, few: int) -> None:
        super().__init__(f"{said(size)}, unrolled up to {few}")
        self.size = size  # how many equations an iteration makes


def few_of(items: Sequence[Any] = ()) -> Few:
    """How many equations are few, of a loop over such items."""
    if len(items) and any(isinstance(leaf, jax.Array) for leaf in pytrees.leaves(items[0])):
        return lambda _: OF_ARRAYS
    return lambda count: FEW if count < LONG else 0


def never(_: int) -> None:
    """How many are few where a loop is rolled in any case."""


def is_small(size: int, count: int, few: Few) -> bool:
    """Whether so many iterations of so many equations are few: a rolled loop has those of one."""
    most = few(count)
    return most is not None and (count - 1) * size <= most


def judge(body: Any, known: Sequence[bool], count: int, few: Few) -> str:
    """The figures by which a loop is to be rolled; "" where it is in any case. Raises Small: it is to be run by Python.

    `body` and `known` are as for `work`; the loop has `count` iterations, and `few` says how many of their equations are few.
    """
    most = few(count)
    if most is None:
        return ""
    size = work(body, known)
    if is_small(size, count, few):
        raise Small(size, most)
    return said(size)


def said(size: int) -> str:
    """The figures; how many iterations there are is told with what becomes of them."""
    return f"{size} equations an iteration"


def work(body: Any, known: Sequence[bool]) -> int:
    """How many equations an iteration of Python's makes: those of a loop inside once for each of its iterations.

    Args:
      body: a closed jaxpr.
      known: which of its inputs are Python's numbers: what Python computes of them is no part of the program. A variable
        that becomes something else in an iteration is none of them.
    """
    jaxpr = getattr(body, "jaxpr", body)
    numbers = {v for v, is_known in zip(jaxpr.invars, known, strict=True) if is_known}
    while True:
        total, found = _work(jaxpr, numbers)
        pairs = zip(jaxpr.invars, jaxpr.outvars, strict=False)  # after the variables come rows, and outputs
        changed = {v for v, after in pairs if v in numbers and not _is_known(after, found)}
        if not changed:
            return total
        numbers -= changed


def _work(jaxpr: Any, numbers: set[Any]) -> tuple[int, set[Any]]:
    """How many equations there are, if these are Python's numbers; and what is one then."""
    total, found = 0, {*numbers}
    for equation in jaxpr.eqns:
        given = [_is_known(v, found) for v in equation.invars]
        size = _size(equation, given)
        if all(given) and not size:
            found.update(equation.outvars)
        total += size
    return total, found


def _is_known(atom: Any, numbers: set[Any]) -> bool:
    return hasattr(atom, "val") or atom in numbers


def _size(equation: Any, given: Sequence[bool]) -> int:
    if "branches" in equation.params:
        ways = [_inside(way, given[1:]) for way in equation.params["branches"]]
        return max(ways) if given[0] else 1 + sum(ways)
    inside = recorded_equations.jaxprs_in(equation)
    if not inside:
        return int(not all(given) or equation.primitive.name not in PYTHONS)
    often = equation.params.get("length", UNKNOWN if "cond_jaxpr" in equation.params else 1)
    return (often if isinstance(often, int) else UNKNOWN) * sum(_inside(each, given) for each in inside)


def _inside(jaxpr: Any, given: Sequence[bool]) -> int:
    variables = getattr(jaxpr, "jaxpr", jaxpr).invars
    is_loop = len(variables) != len(given)
    return work(jaxpr, [False] * len(variables) if is_loop else given)


@by_code
def at_most(code: types.CodeType) -> int:
    """About how many equations a body makes at most, by its text."""
    found, before = 0, ""
    for instruction in dis.get_instructions(code):
        name, value = instruction.opname, instruction.argval
        if name.startswith(("BINARY_", "COMPARE_", "UNARY_", "STORE_SUBSCR")):
            found += 1
        elif name.startswith("CALL"):
            found += LIBRARY
        elif name in ("LOAD_ATTR", "LOAD_METHOD") and is_operators(before):
            found += _OPERATORS.get(value, 1) - LIBRARY
        before = value if isinstance(value, str) else ""
    return found + sum(at_most(each) for each in code.co_consts if isinstance(each, types.CodeType))
