"""Statements in lanes: what does an inner loop give in each lane, and what a conditional?

The steps of a loop are taken one after the other, or all side by side. Numbers decide on branches, or traced data do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend import core

from autograph_lite.jax_internals.dataflow import induction_variables, scan_ir
from autograph_lite.operators.lane_eval import all_steps_at_once, primitive_rules
from autograph_lite.operators.lane_eval.exact_rows import ExactRows, stacked_rows
from autograph_lite.operators.lane_eval.interpreter import (
    Run,
    Values,
    common_value,
    known_constant,
    refuse_lost,
)
from autograph_lite.operators.lane_eval.primitive_rules import Known


def walk_scan(run: Run, eqn: Any, operands: Values) -> Values:
    """The outputs of a `scan`."""
    exact = run.exact
    body, length = eqn.params["jaxpr"], eqn.params["length"]
    consts, carry, rows = scan_ir.groups(eqn, operands)
    if all(o is None for o in operands) or not length:
        return [None] * len(eqn.outvars)
    rows = [r if r is not None and r.python.ndim == 2 else None for r in rows]
    if eqn.params["reverse"]:
        rows = [r and r.changed(lambda array: array[:, ::-1]) for r in rows]
    nothing = [None] * (len(eqn.outvars) - len(carry))
    at_once = exact and ExactRows(exact.wanted)
    kept = _at_once(run, body, length, consts, carry, rows, at_once)
    if kept is not None:
        if exact is not None and at_once is not None:
            exact.keep_loop(eqn, at_once)
        return [*kept, *nothing]
    forgotten: set[int] = set()
    while True:
        now, of_steps, known = carry, [], len(exact.wanted) if exact else 0
        for step in range(length):
            run.spend(run.count)
            row = [r and _at_step(r, step) for r in rows]
            of_steps.append(exact and ExactRows(exact.wanted))
            new = run.closed(body, [*consts, *now, *row], of_steps[-1])[: len(carry)]
            if _forget(forgotten, carry, now, new):
                break
            now = new
        else:
            if exact is not None and len(exact.wanted) == known:  # else all is gone through once more
                exact.keep_loop(eqn, stacked_rows(exact.wanted, [one for one in of_steps if one is not None]))
            return [*now, *nothing]


def _at_step(rows: Known, step: int) -> Known:
    return rows.changed(lambda array: array[:, min(step, array.shape[1] - 1)])


def _at_once(
    run: Run, body: Any, length: int, consts: Values, carry: Values, rows: Values, exact: ExactRows | None
) -> Values | None:
    """The carry of a scan, where all its steps can be taken side by side; else None."""
    first, last = len(consts), len(consts) + len(carry)
    steps = dict(enumerate(induction_variables.steps(body, first)[: len(carry)], first))
    types = {k: body.jaxpr.invars[k].aval for k in steps}
    counters = {
        k: indices
        for k, start in enumerate(carry, first)
        if (indices := _counter(types[k], steps[k], start, length)) is not None
    }
    args = [counters.get(k, value) for k, value in enumerate([*consts, *carry, *rows])]
    carried = {k: k - first for k in range(first, last) if k not in counters}
    kept = all_steps_at_once.steady(body, args, carried)
    if kept is None:
        return None
    inside = [k in counters or k >= last for k in range(len(args))]
    all_steps_at_once.walk_steps_at_once(run, body, np.full(run.count, length), kept, inside, exact)
    return [_after(types[k], steps[k], counters[k]) if k in counters else kept[k] for k in range(first, last)]


def _after(aval: Any, step: int | None, indices: Known) -> Known | None:
    """What a variable is after the steps in which it is these numbers."""
    after = indices.python[:, -1].astype(object) + step
    return primitive_rules.fit_type(after, after, np.zeros(1, bool), aval)


def _counter(aval: Any, step: int | None, start: Known | None, length: int) -> Known | None:
    """The numbers that a variable of a loop is in its steps, where it is counted from the same number in all lanes; else None."""
    if not step or start is None or start.python.size != 1 or start.python.dtype.kind != "i":
        return None
    first, info = int(start.python.reshape(())), np.iinfo(aval.dtype)
    fits = all(info.min <= first + step * k <= info.max for k in (0, length - 1))
    return primitive_rules.same_in_all_lanes(first + step * np.arange(length)) if fits else None


def _forget(forgotten: set[int], carry: Values, now: Values, new: Values) -> bool:
    """Whether something in the carry turns out to depend on traced data; it is then taken out of `carry`, and stays out."""
    for k in forgotten:
        new[k] = None  # a step gives a number, and a later one takes it away
    gone = [k for k, value in enumerate(new) if value is None and now[k] is not None]
    for k in gone:
        carry[k] = None
    forgotten.update(gone)
    return bool(gone)


def while_(run: Run, eqn: Any, operands: Values) -> Values:
    """The outputs of a `while`."""
    test, body = eqn.params["cond_jaxpr"], eqn.params["body_jaxpr"]
    a = eqn.params["cond_nconsts"]
    b = a + eqn.params["body_nconsts"]
    of_test, of_body, carry = operands[:a], operands[a:b], operands[b:]
    if all(o is None for o in operands):
        return [None] * len(eqn.outvars)
    counted = _counted(run, test, body, of_test, of_body, carry)
    if counted is not None:
        return counted
    forgotten: set[int] = set()
    while True:
        found = _stepped(run, test, body, of_test, of_body, carry, forgotten)
        if found is not None:
            return found


def _counted(
    run: Run, test: Any, body: Any, of_test: Values, of_body: Values, carry: Values
) -> Values | None:
    """A loop of ours over an index below a known bound, whose other variables are not known: all steps side by side."""
    compare, index, first = test.jaxpr, carry[0], len(of_body)
    if index is None or len(compare.eqns) != 1 or compare.eqns[0].primitive.name != "lt":
        return None
    left, right = compare.eqns[0].invars
    if left is not compare.invars[len(of_test)]:
        return None
    around = dict(zip(compare.invars, [*of_test, *carry], strict=True))
    bound = known_constant(right.val) if isinstance(right, core.Literal) else around.get(right)
    if bound is None or index.python.any() or induction_variables.steps(body, first)[0] != 1:
        return None
    lengths = np.broadcast_to(bound.python.reshape(-1), run.count).clip(0)
    indices = primitive_rules.same_in_all_lanes(np.arange(int(lengths.max(initial=0))))
    args = [*of_body, indices, *carry[1:]]
    kept = all_steps_at_once.steady(body, args, {first + k: k for k in range(1, len(carry))})
    if kept is None:
        return None
    all_steps_at_once.walk_steps_at_once(run, body, lengths, kept, [k == first for k in range(len(args))])
    return [None, *kept[first + 1 :]]


def _stepped(
    run: Run, test: Any, body: Any, of_test: Values, of_body: Values, carry: Values, forgotten: set[int]
) -> Values | None:
    """The loop, step by step in all lanes; None where something turns out to depend on traced data."""
    now = [
        c and c.at(np.arange(run.count), run.count) if c is not None and len(c.python) > 1 else c
        for c in carry
    ]
    active = np.arange(run.count)
    done: list[tuple[Any, Values]] = []
    while len(active):
        run.spend(len(active))
        walk = run.inside(len(active))
        some = [c and c.at(active, run.count) for c in of_test]
        (go,) = walk.closed(test, [*some, *now])
        if go is None:
            return _unpredictable(run, test, body, of_test, of_body, carry)
        going = np.broadcast_to(go.python.reshape(-1), len(active))
        ended = np.flatnonzero(~going)
        if len(ended):
            done.append((active[ended], [c and c.at(ended, len(active)) for c in now]))
            on = np.flatnonzero(going)
            now, active = [c and c.at(on, len(active)) for c in now], active[on]
        if not len(active):
            break
        some = [c and c.at(active, run.count) for c in of_body]
        new = run.inside(len(active)).closed(body, [*some, *now])
        if _forget(forgotten, carry, now, new):
            return None
        now = new
    return [merge_lanes(run.count, [(lanes, out[k]) for lanes, out in done]) for k in range(len(carry))]


def _unpredictable(run: Run, test: Any, body: Any, of_test: Values, of_body: Values, carry: Values) -> Values:
    """A loop that traced data end: what it changes is not known."""
    jaxpr = body.jaxpr
    first = len(of_body)
    kept = [
        c if out is jaxpr.invars[first + k] else None
        for k, (c, out) in enumerate(zip(carry, jaxpr.outvars, strict=True))
    ]
    run.closed(test, [*of_test, *kept])
    run.closed(body, [*of_body, *kept])
    return kept


def cond(run: Run, eqn: Any, operands: Values) -> Values:
    """The outputs of a `cond`: each lane goes through its branch."""
    which, *args = operands
    branches = eqn.params["branches"]
    if which is None:
        ways = [run.closed(branch, args) for branch in branches]
        return [common_value(values) for values in zip(*ways, strict=True)]
    refuse_lost([which])
    chosen = np.broadcast_to(which.python.reshape(-1).astype(np.int64).clip(0, len(branches) - 1), run.count)
    parts = []
    for place, branch in enumerate(branches):
        lanes = np.flatnonzero(chosen == place)
        if len(lanes):
            some = [a and a.at(lanes, run.count) for a in args]
            parts.append((lanes, run.inside(len(lanes)).closed(branch, some)))
    return [
        merge_lanes(run.count, [(lanes, out[k]) for lanes, out in parts]) for k in range(len(eqn.outvars))
    ]


def merge_lanes(count: int, parts: Sequence[tuple[Any, Known | None]]) -> Known | None:
    """The value whose lanes are in `parts`."""
    if any(value is None or value.python.ndim > 1 for _, value in parts):
        return None
    result = []
    for field in ("python", "program", "lost"):
        arrays = [(lanes, getattr(value, field)) for lanes, value in parts]
        whole = np.zeros(count, np.result_type(*(a.dtype for _, a in arrays)))
        for lanes, array in arrays:
            whole[lanes] = array
        result.append(whole)
    return Known(result[0], result[0] if result[0].dtype.kind not in "fc" else result[1], result[2])
