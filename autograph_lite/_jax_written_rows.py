"""When is an array that a loop carries an output of its iterations? When each writes one row of it, and reads at most rows.

y[t] = a * y[t - 1] + b * y[t - 2]     carries two rows, the newest of which each iteration puts out
y[t] = y[t] + y[t + 1]                 takes rows of what `y` was before the loop
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import lax
from jax._src import core

from autograph_lite._jax_positions import Position, Positions
from autograph_lite._jax_scans import Read, Scan, Written, writes_place

# How many rows back an array may be read: as many are carried.
DEEPEST = 4


@dataclasses.dataclass
class _Writing:
    """How the body changes an array.

    Attributes:
      versions: the array's variable, and that after each write.
      equations: the writes.
      position: of the row that all of them write.
    """

    versions: list[Any]
    equations: list[Any]
    position: Position

    def newest(self, version: Any) -> Any:
        """The row as it is in a version of the array after a write."""
        return self.equations[self.versions.index(version) - 1].invars[2]


def put_out(scan: Scan, variable: Any, reads: Sequence[Read], known: Positions) -> None:
    """Makes a carried array an output, where that can be."""
    writing = _writing(scan, variable, known)
    if writing is None:
        return
    mine = [read for read in reads if any(read.source is v for v in writing.versions)]
    uses = scan.uses()
    if sum(uses[v] for v in writing.versions) != len(mine) + len(writing.equations) + 1:
        return  # something else takes the array
    backs = [_iterations_back(read.position, writing.position, scan.reverse) for read in mine]
    if any(back is _UNKNOWN or (back or 0) > DEEPEST for back in backs):
        return
    if any(backs) and any(equation.invars[2].aval.weak_type for equation in writing.equations):
        return  # what is carried on would not be of the type of what is carried
    _put_out(scan, variable, writing, list(zip(mine, backs, strict=True)))


def _writing(scan: Scan, variable: Any, known: Positions) -> _Writing | None:
    versions, equations = [variable], []
    for equation in scan.equations:
        if equation.primitive.name == "scatter" and equation.invars[0] is versions[-1]:
            versions.append(equation.outvars[0])
            equations.append(equation)
    if scan.next[variable] is not versions[-1] or not equations or not all(map(_writes_row, equations)):
        return None
    positions = {known.of(equation.invars[1]) for equation in equations}
    position = positions.pop()
    if positions or position is None or not position.slope:
        return None
    return _Writing(versions, equations, position) if known.within(position, variable.aval.shape[0]) else None


def _writes_row(equation: Any) -> bool:
    """Whether an equation replaces one row of an array."""
    array, index, *_ = (atom.aval for atom in equation.invars)
    return writes_place(equation) and index.shape == (1,) and not array.weak_type


_UNKNOWN = object()


def _iterations_back(read: Position, write: Position, reverse: bool) -> Any:
    """How many iterations ago the row that is read was written: 0 in this one; None: not before it is read."""
    if read.slope != write.slope:
        return _UNKNOWN
    back, rest = divmod(write.offset - read.offset, -write.slope if reverse else write.slope)
    return back if rest == 0 and back >= 0 else None


def _put_out(scan: Scan, variable: Any, writing: _Writing, reads: Sequence[tuple[Read, Any]]) -> None:
    first = scan.carried[variable]
    rows = {read.row for read, _ in reads}
    scan.take_out([*writing.equations, *(e for e in scan.equations if e.outvars and e.outvars[0] in rows)])
    del scan.carried[variable], scan.next[variable]
    scan.written[variable] = Written(first, writing.position, len(scan.outputs))
    scan.outputs.append(writing.newest(writing.versions[-1]))
    last = _carried(scan, writing, first, max((back for _, back in reads if back), default=0))
    names = {}
    for read, back in reads:
        if back:
            names[read.row] = last[back - 1]
        elif back == 0 and read.source is not variable:
            names[read.row] = writing.newest(read.source)
        else:
            scan.rows[read.row] = scan.rows_at(first, read.position)
    scan.rename(names)


def _carried(scan: Scan, writing: _Writing, first: Any, count: int) -> list[Any]:
    """Carries the rows that the last iterations wrote, the newest first."""
    newer = writing.newest(writing.versions[-1])
    step = -writing.position.slope if scan.reverse else writing.position.slope
    at = writing.position.range(scan.length)[step < 0]  # the row that the first iteration writes
    kept = []
    for back in range(1, count + 1):
        row = core.Var(newer.aval)
        scan.carried[row] = lax.index_in_dim(first, at - back * step, keepdims=False)
        scan.next[row] = newer
        kept.append(row)
        newer = row
    return kept
