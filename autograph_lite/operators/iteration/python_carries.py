"""Python carries: which variables of a rolled loop stay numbers of Python's, and what are they in each iteration?

    n = 0
    for i in range(100):            rolled: x is carried
        n += i                      n is 0, 0, 1, 3, 6, ... before the iterations, and the int 4950 after the loop
        x = jnp.sin(x) * n

Python's loop would have left an int in `n`, with which a shape may be made. So it is computed while tracing, and given to
the iterations as a row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend import core

from autograph_lite.jax_internals.dataflow.framework import Forward
from autograph_lite.jax_internals.dataflow.scan_ir import live
from autograph_lite.operators.lane_eval import primitive_rules, rule_table
from autograph_lite.operators.lane_eval.interpreter import Report, known_constant
from autograph_lite.operators.lane_eval.primitive_rules import Known, UnlikePythonError
from autograph_lite.operators.lane_eval.rule_table import Steps

STEPS = 200_000  # equations that are gone through one iteration after the other
NUMBERS = (bool, int, float, complex)


@dataclasses.dataclass(frozen=True)
class Foretold:
    """A variable that stays a number of Python's."""

    before: Known  # at the start of each iteration
    after: bool | int | float | complex  # after the last


def foretell(
    body: Any, start: Sequence[Any], rows: Sequence[Known | None], count: int, report: Report,
    left: list[int] | None = None, steps: Steps | None = None,
) -> dict[int, Foretold]:  # fmt: skip
    """The variables, by their places in the carry, that stay numbers of Python's.

    Args:
      body: the closed jaxpr of an iteration: carry, rows -> carry, and what is put out.
      start: for each array of the carry, the number that it is before the loop; None where it is none.
      rows: the numbers that the iterations get.
      count: how many iterations there are, at least 1.
      report: as for `side_by_side.run`.
      left: how many equations may still be gone through one iteration after the other, in a list.
      steps: as for `lane_run`, where not all of the iterations may be made.

    Raises:
      Exception: what `report` gives, where the program does something else than Python.
    """
    left = [STEPS] if left is None else left
    types = [v.aval for v in body.jaxpr.invars]
    first = {k: started(value, types[k]) for k, value in enumerate(start) if value is not None}
    known = {k: value for k, value in first.items() if value is not None}
    while known:
        try:
            values = _iterated(body, known, rows, count, report, left, steps)
        except _Unknown as found:
            known = {k: value for k, value in known.items() if k not in found.places}
        else:
            return {k: _foretold(known[k], value) for k, value in values.items()}
    return {}


class _Unknown(Exception):
    """Some of the variables depend on traced data."""

    def __init__(self, places: set[int]) -> None:
        self.places = places


def started(value: Any, aval: Any) -> Known | None:
    """What an array of that type is, which stands for a number of Python's; None where it can't, or the value is none."""
    if aval.shape or not isinstance(value, NUMBERS):
        return None
    found = primitive_rules.convert_lanes(primitive_rules.same_in_all_lanes(value), aval)
    return None if found is None or found.lost.any() else found


def _foretold(first: Known, after: Known) -> Foretold:
    """The variable whose values after the iterations are `after`."""

    def shifted(a: Any, b: Any) -> Any:
        return np.concatenate([a.reshape(1), b.reshape(-1)[:-1]])

    if after.lost.any():
        raise UnlikePythonError("a number goes beyond what the arrays of the program can hold")
    python = shifted(first.python, after.python)
    program = python if python.dtype.kind not in "fc" else python.astype(first.program.dtype)
    return Foretold(Known(python, program, np.zeros(len(python), bool)), after.python.reshape(-1)[-1].item())


def _iterated(
    body: Any, known: dict[int, Known], rows: Sequence[Known | None], count: int, report: Report, left: list[int],
    steps: Steps | None,
) -> dict[int, Known]:  # fmt: skip
    """The values of the variables after each iteration."""
    jaxpr, carried = body.jaxpr, len(body.jaxpr.invars) - len(rows)
    outputs = [jaxpr.outvars[k] for k in known]
    eqns, needed = live(jaxpr.eqns, outputs, effects=False)
    inputs = jaxpr.invars[:carried]
    around = dict(zip(jaxpr.constvars, map(known_constant, body.consts), strict=True))
    if not any(inputs[k] in needed for k in known):
        env = {**around, **dict(zip(jaxpr.invars[carried:], rows, strict=True))}
        results = rule_table.lane_run(count, report, steps, only_numbers=True).walk(eqns, env, outputs)
        found = _all_known(known, results)
        return {k: _broad(value, count) for k, value in zip(known, found, strict=True)}
    sums = _sums(body, known, around, rows, count, report, steps)
    if sums is not None:
        return sums
    now: dict[int, Known | None] = dict(known)
    after: dict[int, list[Known]] = {k: [] for k in known}
    gone: set[int] = set()
    found_last = 0
    for step in range(count):
        env = {**around, **{inputs[k]: value for k, value in now.items()}}
        env.update(zip(jaxpr.invars[carried:], (_lane(row, step) for row in rows), strict=True))
        try:
            results = rule_table.lane_run(1, report, steps, only_numbers=True).walk(eqns, env, outputs)
        except Exception:
            if gone:
                break
            raise
        # It goes on without them, to find all at once: a list that each iteration writes an item of has many.
        if not (new := _unknown(known, results)) <= gone:
            gone, found_last = gone | new, step
        if len(gone) == len(known) or (gone and step > 2 * found_last + 1):
            break
        left[0] -= len(eqns)
        if left[0] < (0 if gone else len(eqns) * (count - step - 1)):
            raise UnlikePythonError(
                "the numbers in it are too many to be compared with Python's while tracing"
            )
        for k, value in zip(known, results, strict=True):
            now[k] = None if value is None or k in gone else _from_table(value)
            after[k] += [each for each in (now[k],) if each is not None]
    if gone:
        raise _Unknown(gone)
    return {k: _stacked(values) for k, values in after.items()}


def _sums(
    body: Any, known: dict[int, Known], around: dict[Any, Known | None], rows: Sequence[Known | None], count: int,
    report: Report, steps: Steps | None,
) -> dict[int, Known] | None:  # fmt: skip
    """`_iterated` where each variable is added to something that depends on none of them; else None."""
    jaxpr, carried = body.jaxpr, len(body.jaxpr.invars) - len(rows)
    made = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars if eqn.primitive.name == "add"}
    inputs = jaxpr.invars[:carried]
    env = {**around, **dict(zip(jaxpr.invars[carried:], rows, strict=True))}
    moved = _Moved().results(jaxpr, [k if k in known else _FREE for k in range(len(jaxpr.invars))])
    found = {}
    for k, first in known.items():
        out = jaxpr.outvars[k]
        if is_counted := moved[k] == k and first.python.dtype.kind == "i":
            added, start = [out], {inputs[other]: value for other, value in known.items()}
        else:
            eqn, start = None if isinstance(out, core.Literal) else made.get(out), {}
            added = [v for v in eqn.invars if v is not inputs[k]] if eqn is not None else []
        eqns, needed = live(jaxpr.eqns, added, effects=False)
        if not is_counted and (len(added) != 1 or any(inputs[other] in needed for other in known)):
            return None
        try:
            run = rule_table.lane_run(count, _unlike if is_counted else report, steps, only_numbers=True)
            (value,) = run.walk(eqns, {**env, **start}, added)
        except _NotAtOnceError:
            return None
        if value is None or value.python.ndim > 1 or value.lost.any():
            return None
        each = _broad(value, count).python - (first.python.reshape(1) if is_counted else 0)
        summed = np.cumsum(np.concatenate([first.python.reshape(1), each]))[1:]
        after = primitive_rules.fit_type(summed, summed, np.zeros(1, bool), out.aval)
        if after is None:
            return None
        found[k] = _broad(after, count)
    return found


class _NotAtOnceError(Exception):
    """What is computed of a variable's first number is none that it has in a later iteration."""


def _unlike(*_: Any) -> Exception:
    return _NotAtOnceError()


_FREE = -1
Move = int | None  # the number of the variable to which it adds, none of them, or nobody knows


class _Moved(Forward[Move]):
    """What is one of the variables and something that depends on none of them: `if i % 9 == 0: n += i`."""

    literal = constant = _FREE

    def joined(self, values: Sequence[Move]) -> Move:
        return values[0] if len({*values}) == 1 else None

    def decided(self, test: Move, value: Move) -> Move:
        return value if test == _FREE else None

    def operation(self, equation: Any, operands: list[Move]) -> list[Move]:
        name, others = equation.primitive.name, [each for each in operands if each != _FREE]
        if not others:
            return [_FREE] * len(equation.outvars)
        if name == "select_n" and operands[0] == _FREE:
            return [self.joined(operands[1:])]
        is_sum = name == "add" or (name == "sub" and operands[1] == _FREE)
        types = [v.aval.dtype for v in (*equation.invars, *equation.outvars)]
        is_same = (
            name == "convert_element_type" and types[0].kind == types[1].kind == "i" and types[0] <= types[1]
        )
        return [others[0] if len(others) == 1 and (is_sum or is_same) else None] * len(equation.outvars)


def _unknown(known: dict[int, Known], results: Sequence[Known | None]) -> set[int]:
    return {k for k, value in zip(known, results, strict=True) if value is None or value.python.ndim > 1}


def _all_known(known: dict[int, Known], results: Sequence[Known | None]) -> list[Known]:
    if places := _unknown(known, results):
        raise _Unknown(places)
    return [value for value in results if value is not None]


def _from_table(value: Known) -> Known:
    """A number as the next iteration gets it: Python's, rounded once."""
    if value.python is value.program or value.python.dtype.kind not in "fc":
        return value
    with np.errstate(over="ignore", under="ignore"):
        return Known(value.python, value.python.astype(value.program.dtype), value.lost)


def _lane(row: Known | None, step: int) -> Known | None:
    return row and Known(row.python[step : step + 1], row.program[step : step + 1], np.zeros(1, bool))


def _broad(value: Known, count: int) -> Known:
    return value.changed(lambda array: np.broadcast_to(array.reshape(-1), count))


def _stacked(values: Sequence[Known]) -> Known:
    parts = [
        np.concatenate([np.reshape(getattr(v, field), -1) for v in values])
        for field in ("python", "program", "lost")
    ]
    same = parts[0].dtype.kind not in "fc"
    return Known(parts[0], parts[0] if same else parts[1], parts[2])
