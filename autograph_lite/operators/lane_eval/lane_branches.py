"""Conditionals in lanes: what does one give in each lane, where the numbers decide, and where traced data do?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_lite.operators.lane_eval.interpreter import Run, Values, common_value, refuse_lost
from autograph_lite.operators.lane_eval.primitive_rules import Known


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
