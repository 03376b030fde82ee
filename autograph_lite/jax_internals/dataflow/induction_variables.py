"""Induction variables: which variables of a `while` count, and which conditions compare them with a bound?

    while k >= 0 and a[k] > key:       k counts down by one, and the loop goes on as long as it is not below zero
        k -= 1

The basic ones of Aho, Lam, Sethi and Ullman, "Compilers" (2006), 9.1.8.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax._src import core

from autograph_lite.jax_internals.dataflow.intervals import ANY, Ends

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "ne": "ne", "eq": "eq"}
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq", "eq": "ne"}
Facts = dict[Any, bool]
"""Variables of a jaxpr, and comparisons, that are true or false."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Comparison:
    """Of two integers, or whatever else."""

    name: str
    left: Any
    right: Any

    def of(self, operands: dict[Any, Any]) -> _Comparison:
        """The same of what is handed to the program that makes it."""
        left, right = (operands.get(_variable(each), each) for each in (self.left, self.right))
        return _Comparison(self.name, left, right)


def open_jaxpr(closed: Any) -> Any:
    """The jaxpr of a closed one."""
    return getattr(closed, "jaxpr", closed)


def is_integer(aval: Any) -> bool:
    """Whether a value is one signed integer."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and not aval.shape and bool(jnp.issubdtype(dtype, jnp.signedinteger))


def steps(body: Any, consts: int, facts: Facts | None = None) -> list[int | None]:
    """For each variable by how much an iteration changes it; None where that is not one number.

    Args:
      body: the jaxpr of an iteration.
      consts: how many of its inputs come before the variables.
      facts: what is so in the iterations that are meant.
    """
    jaxpr = open_jaxpr(body)
    made = _made(jaxpr)
    # After the variables of a scan come its rows, and what it puts out.
    return [
        _step(before, after, made, facts or {})
        for before, after in zip(jaxpr.invars[consts:], jaxpr.outvars, strict=False)
    ]


def _made(jaxpr: Any) -> dict[Any, Any]:
    return {v: equation for equation in jaxpr.eqns for v in equation.outvars}


def _step(before: Any, after: Any, made: dict[Any, Any], facts: Facts) -> int | None:
    if after is before:
        return 0
    equation = None if isinstance(after, core.Literal) else made.get(after)
    if equation is None or not is_integer(before.aval):
        return None
    name, given = equation.primitive.name, equation.invars
    if name == "select_n" and facts.get(_variable(given[0])) is not None:
        return _step(before, given[1 + facts[given[0]]], made, facts)
    if name == "cond" and (which := facts.get(_selector(equation, made))) is not None:
        branch = open_jaxpr(equation.params["branches"][which])
        result = branch.outvars[_place(equation, after)]
        operands = dict(zip(branch.invars, given[1:], strict=True))
        if _variable(result) in operands:
            return _step(before, operands[result], made, facts)
        starts = [v for v, operand in operands.items() if operand is before]
        return _step(starts[0], result, _made(branch), {}) if starts else None
    if name not in ("add", "sub"):
        return None
    left, right = given
    if right is before and name == "add":
        left, right = right, left
    if left is not before or not isinstance(right, core.Literal):
        return None
    return int(right.val) if name == "add" else -int(right.val)


def going_on(cond: Any, consts: int, body: Any, variables: int) -> Facts:
    """What is so in an iteration that another one follows: variables of the body.

    Args:
      cond: the jaxpr of the condition.
      consts: how many of its inputs come before the loop's variables.
      body: the jaxpr of an iteration.
      variables: how many there are.
    """
    jaxpr, after = open_jaxpr(cond), open_jaxpr(body)
    places = {v: n for n, v in enumerate(jaxpr.invars[consts:])}
    made, found = _made(after), Facts()
    for atom, holds in _facts(jaxpr.outvars[0], True, _made(jaxpr)):
        if atom in places and places[atom] < variables:
            found.update(_facts(after.outvars[places[atom]], holds, made))
    return found


@dataclasses.dataclass(frozen=True)
class Test:
    """A comparison that holds before each iteration, or in each that another one follows."""

    variable: int  # the number of the one that counts
    step: int  # by how much
    name: str  # of the comparison
    other: Any  # what it is compared with
    dtype: Any  # of both
    # 0 where it holds before each iteration, 1 where the first one is another, 2 where the last one is
    late: int = 0

    def limit(self, start: Ends, bound: Ends) -> tuple[float, Ends]:
        """How many iterations there are at most, and between which numbers the variable lies in them.

        Args:
          start: between which numbers it lies before the loop.
          bound: the same of what it is compared with.
        """
        if self.late == 1:
            start = start[0] + self.step, start[1] + self.step
        count, ends = self._until(start, bound) if self.name == "ne" else self._within(start, bound)
        return (count + 1, ANY) if self.late else (count, ends)

    def _until(self, start: Ends, bound: Ends) -> tuple[float, Ends]:
        if start[0] != start[1] or bound[0] != bound[1] or math.inf in map(abs, (*start, *bound)):
            return math.inf, ANY
        count, rest = divmod(bound[0] - start[0], self.step)
        return (math.inf, ANY) if rest or count < 0 else (count, ANY)

    def _within(self, start: Ends, bound: Ends) -> tuple[float, Ends]:
        info, up, strict = np.iinfo(self.dtype), self.step > 0, self.name in ("lt", "gt")
        first, end = (start[0], bound[1]) if up else (start[1], bound[0])
        last = min(end, info.max) - strict if up else max(end, info.min) + strict
        if not info.min <= last + self.step <= info.max:  # it may overflow, and go on
            return math.inf, ANY
        unknown = math.inf in (abs(first), abs(end))
        count = math.inf if unknown else max(0, (last - first) // self.step + 1)
        return count, (first, last) if up else (last, first)


def tests(cond: Any, consts: int, variables: Sequence[int | None]) -> Iterator[Test]:
    """The comparisons of variables that count with something, without which the loop ends."""
    jaxpr = open_jaxpr(cond)
    counting = {v: (n, 0) for n, v in enumerate(jaxpr.invars[consts:]) if variables[n]}
    made = _made(jaxpr)
    yield from _compared(Facts(_facts(jaxpr.outvars[0], True, made)), counting, variables)


def nonzero_where(jaxpr: Any, test: Any, holds: bool) -> set[Any]:
    """The variables of a jaxpr that are not 0 where a test in it holds, or does not."""
    found = set()
    for fact, is_true in _facts(test, holds, _made(jaxpr)):
        if not isinstance(fact, _Comparison):
            continue
        name, left, right = fact.name, fact.left, fact.right
        if isinstance(left, core.Literal):
            name, left, right = _MIRRORED[name], right, left
        if isinstance(right, core.Literal) and not isinstance(left, core.Literal):
            compare = getattr(operator, name if is_true else _NEGATED[name])
            if not compare(0, right.val):
                found.add(left)
    return found


def later_tests(body: Any, consts: int, variables: Sequence[int | None], facts: Facts) -> Iterator[Test]:
    """Those of them that an iteration makes, as by `break`."""
    jaxpr = open_jaxpr(body)
    counts = [n for n, step in enumerate(variables) if step]
    counting = {jaxpr.invars[consts + n]: (n, 2) for n in counts}
    counting.update({v: (n, 1) for n in counts if (v := _variable(jaxpr.outvars[n])) is not None})
    for test in _compared(facts, counting, variables):
        if isinstance(test.other, core.Literal):
            yield test


def _compared(
    facts: Facts, counting: dict[Any, tuple[int, int]], variables: Sequence[int | None]
) -> Iterator[Test]:
    for fact, holds in facts.items():
        if not isinstance(fact, _Comparison):
            continue
        name, left, right = fact.name, fact.left, fact.right
        if _variable(left) not in counting:
            name, left, right = _MIRRORED[name], right, left
        if _variable(left) not in counting:
            continue
        name, (place, late) = name if holds else _NEGATED[name], counting[left]
        step = variables[place] or 0
        if name == "ne" or (name != "eq" and (step > 0) == (name in ("lt", "le"))):
            yield Test(place, step, name, right, left.aval.dtype, late)


def _facts(atom: Any, holds: bool, made: dict[Any, Any]) -> Iterator[tuple[Any, bool]]:
    """What is true or false where `atom` is: `a` and `b` where `a and b` is true, ..."""
    if isinstance(atom, core.Literal):
        return
    yield atom, holds
    equation = made.get(atom)
    if equation is None:
        return
    name, given = equation.primitive.name, equation.invars
    if name in _MIRRORED:
        yield _Comparison(name, *given), holds
    elif name == "not":
        yield from _facts(given[0], not holds, made)
    elif name == ("and" if holds else "or"):
        yield from _facts(given[0], holds, made)
        yield from _facts(given[1], holds, made)
    elif name == "while_reached" and holds:
        yield from _facts(given[0], True, made)
    elif name == "convert_element_type" and given[0].aval.dtype == bool:
        yield from _facts(given[0], holds, made)
    elif name == "select_n" and len(given) == 3 and given[0].aval.dtype == bool:
        for which in (0, 1):
            if _is(given[1 + which], not holds):
                yield from _facts(given[0], not which, made)
                yield from _facts(given[2 - which], holds, made)
    elif name == "cond" and (tested := _selector(equation, made)) is not None:
        for which in (0, 1):
            branch = open_jaxpr(equation.params["branches"][which])
            if _is(_source(branch, branch.outvars[_place(equation, atom)]), not holds):
                yield from _facts(tested, not which, made)
                yield from _in_branch(equation, atom, not which, holds, made)


def _in_branch(
    equation: Any, atom: Any, which: int, holds: bool, made: dict[Any, Any]
) -> Iterator[tuple[Any, bool]]:
    """What is so where a result of a conditional is true or false, and the branch is known."""
    branch = open_jaxpr(equation.params["branches"][which])
    operands = dict(zip(branch.invars, equation.invars[1:], strict=True))
    for fact, is_so in _facts(branch.outvars[_place(equation, atom)], holds, _made(branch)):
        if isinstance(fact, _Comparison):
            yield fact.of(operands), is_so
        elif fact in operands:
            yield from _facts(operands[fact], is_so, made)


def _is(atom: Any, value: bool) -> bool:
    return isinstance(atom, core.Literal) and bool(atom.val) == value


def _variable(atom: Any) -> Any:
    """The atom, which may be a key; None in place of a literal."""
    return None if isinstance(atom, core.Literal) else atom


def _place(equation: Any, variable: Any) -> int:
    return next(n for n, each in enumerate(equation.outvars) if each is variable)


def _source(jaxpr: Any, atom: Any) -> Any:
    """What an atom is converted from."""
    made = {v: e for e in jaxpr.eqns for v in e.outvars if e.primitive.name == "convert_element_type"}
    while _variable(atom) in made:
        [atom] = made[atom].invars
    return atom


def _selector(equation: Any, made: dict[Any, Any]) -> Any:
    """The bool that chooses between the branches of a conditional; None where it has not got two."""
    converted = made.get(_variable(equation.invars[0]))
    if converted is None or converted.primitive.name != "convert_element_type":
        return None
    [tested] = converted.invars
    two = len(equation.params["branches"]) == 2 and tested.aval.dtype == bool
    return _variable(tested) if two else None
