"""Trip count: how many iterations has a `while` whose condition follows from Python's numbers? As many as Python would make.

    t = 0.0
    while t < T:                    t is 0.0, 0.1, 0.2, 0.30000000000000004, ...: doubles, as Python adds them
        x = step(x, t)
        t += 0.1

The body's program has been traced with arrays in place of the numbers. What the condition needs of it is computed as Python
computes it, for many iterations at once, until the condition is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import constant_folding
from autograph_lite.jax_internals.dataflow.scan_ir import live
from autograph_lite.operators.iteration import python_carries
from autograph_lite.operators.iteration.python_carries import Foretold
from autograph_lite.operators.lane_eval import interpreter, rule_table
from autograph_lite.operators.lane_eval.interpreter import Report
from autograph_lite.operators.lane_eval.primitive_rules import Known, UnlikePythonError
from autograph_lite.operators.lane_eval.rule_table import Steps
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.operators.values.values import known_value

FIRST, LONGEST = 32, 4096  # iterations that are computed at once
MOST = 1_000_000
# An iteration that may be beyond the last takes no more steps of loops in the body than so many times those of one that
# Python makes: `while n % 2 == 0: n //= 2` is endless for the 0 that ends the loop around it.
AS_MANY, AT_FIRST = 8, 8


class _Unknown(Exception):
    """It is not known whether there is another iteration."""


class TracedError(Exception):
    """Traced values decide whether there is a second iteration."""


def trip_count(
    body: Any, test: Any, start: Sequence[Any], numbers: Sequence[Any], indexed: bool, report: Report,
    holds: Callable[[Mapping[int, Foretold], Sequence[Known], int], bool],
) -> int:  # fmt: skip
    """The number of iterations of a loop whose condition holds at first.

    Where `holds` says that the body is another one from some iteration on, it is an estimate.

    Args:
      body: the closed jaxpr of an iteration: carry, and the number of the iteration if it is `indexed` -> carry.
      test: of the same -> whether there is another iteration.
      start: the arrays that enter the loop.
      numbers: for each of them, the number that it is before the loop; None where it is none.
      indexed: whether they take the number of the iteration.
      report: gives the exception for an equation that does something else than Python.
      holds: variables that stay numbers, rows, how many iterations -> whether the body is that of all of these.

    Raises:
      TracedError: traced values decide on it.
      Refused: it is not known.
    """
    done, at_once, now, left, taken = 0, FIRST, list(numbers), [python_carries.STEPS], AT_FIRST
    test, is_same = _with_constants(test), True
    while done < MOST:
        if not is_same and done >= 4 * FIRST:
            return done  # what is beyond the change is looked at once more, from there on
        alone = [interpreter.MOST] if at_once == 1 else None
        try:
            stay, rows, goes_on = _some(
                body, test, now, done, at_once, indexed, report, left, _steps(AS_MANY * taken, alone)
            )
        except _Unknown:
            if not is_same:
                return done
            if at_once > 1:  # perhaps traced values decide on later ones alone
                at_once = 1
                continue
            if done == 0 and _follows_data(test, start, numbers):
                raise TracedError from None
            raise Refused("its condition can't be computed as Python computes it") from None
        except (Refused, UnlikePythonError) as found:  # perhaps after the last iteration
            if not is_same:
                return done
            if at_once == 1:
                raise found if isinstance(found, Refused) else Refused(str(found)) from None
            at_once //= 2
            continue
        if not goes_on.all():
            return done + int(np.argmin(goes_on)) + 1
        is_same = is_same and holds(stay, rows, at_once)
        now = [stay[k].after if k in stay else None for k in range(len(now))]
        taken = max(taken, interpreter.MOST - alone[0] if alone else 0)
        done, at_once = done + at_once, min(2 * at_once, LONGEST)
    raise Refused(f"Python's numbers don't end it within {MOST} iterations")


def _steps(each: int, alone: list[int] | None) -> Steps:
    """How many steps walks may take: so many for each lane, or all together what is left for an iteration that is surely made."""
    return lambda lanes: [each * lanes] if alone is None else alone


def _some(
    body: Any, test: Any, now: Sequence[Any], done: int, number: int, indexed: bool, report: Report, left: list[int],
    steps: Steps,
) -> tuple[Mapping[int, Foretold], list[Known], Any]:  # fmt: skip
    """The variables that stay numbers in some iterations, the rows, and after which of these there is another one."""
    indices = np.arange(done, done + number)
    rows = [Known(indices, indices, np.zeros(number, bool))] if indexed else []
    stay = python_carries.foretell(body, now, rows, number, report, left, steps)
    given = [stay[k].before if k in stay else None for k in range(len(now))]
    (goes_on,) = rule_table.lane_run(number, report, steps, alone=True).closed(test, [*given, *rows])
    if goes_on is None or goes_on.python.ndim != 1:
        raise _Unknown
    if goes_on.lost.any():
        raise UnlikePythonError("a number goes beyond what the arrays of the program can hold")
    return stay, rows, np.broadcast_to(goes_on.python, number)


def _follows_data(test: Any, start: Sequence[Any], numbers: Sequence[Any]) -> bool:
    """Whether traced values decide on a condition that nobody knows, beside numbers of Python's alone."""
    jaxpr, outputs = test.jaxpr, test.jaxpr.outvars
    held = [*zip(jaxpr.constvars, test.consts, strict=True), *zip(jaxpr.invars, start, strict=False)]
    data = {v for v, value in held if constant_folding.follows_from(value) > constant_folding.Source.LOOP}
    # Of a whole array Python knows as little as the program does, once it is computed from data.
    alone = {
        v for v, number in zip(jaxpr.invars, numbers, strict=False) if number is None and not v.aval.shape
    }
    others = alone - data
    for eqn in jaxpr.eqns:
        if not data.isdisjoint(v for v in eqn.invars if not isinstance(v, core.Literal)):
            data.update(eqn.outvars)
    return outputs[0] in data and others.isdisjoint(live(jaxpr.eqns, outputs, effects=False)[1])


def _with_constants(test: Any) -> Any:
    """The closed jaxpr with the values of what it computes from constants, and from what follows from Python's numbers."""
    jaxpr = test.jaxpr
    values = {
        v: found
        for v, const in zip(jaxpr.constvars, test.consts, strict=True)
        if (found := known_value(const)) is not None
    }
    first = [v for v in jaxpr.constvars if v in values]
    fixed, eqns = set(first), []
    for eqn in jaxpr.eqns:
        numeric = all(getattr(v.aval.dtype, "kind", "") in "biufc" for v in eqn.outvars)
        constant = all(isinstance(v, core.Literal) or v in fixed for v in eqn.invars)
        if numeric and constant and "callback" not in str(eqn):
            fixed.update(eqn.outvars)
            eqns.append(eqn)
    made = [v for eqn in eqns for v in eqn.outvars]
    alone = jaxpr.replace(constvars=[], invars=first, outvars=made, eqns=eqns)
    with jax.ensure_compile_time_eval():
        results = jaxpr_as_fun(test.replace(jaxpr=alone, consts=[]))(*(values[v] for v in first))
    values.update(zip(made, map(np.asarray, results), strict=True))
    others = [v for v in jaxpr.constvars if v not in values]
    consts = dict(zip(jaxpr.constvars, test.consts, strict=True))
    done = set(map(id, eqns))
    rest = jaxpr.replace(
        constvars=[*values, *others], eqns=[eqn for eqn in jaxpr.eqns if id(eqn) not in done]
    )
    return test.replace(jaxpr=rest, consts=[*values.values(), *(consts[v] for v in others)])
