"""Rows as inputs: which arrays does a loop read row by row? These become rows of the scan.

    for t in range(1, n):              a scan over the rows of x[1:], which carries the last row of y
        y[t] = a * y[t - 1] + x[t]     and puts out the new one

The loop then neither carries nor copies the arrays, and its gradient takes time in proportion to their rows: that of
an item read from a whole array is a whole array in each iteration. `sliding_windows` does the same for those that it writes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.jax_internals.dataflow.scan_ir import Read, Scan


def run(scan: Scan) -> None:
    """Takes rows of the arrays that the loop does not change, where that pays."""
    _take_rows(scan, _taken(scan))


def check(scan: Scan) -> None:
    """No row is read any more where taking it pays."""
    assert not _taken(scan)


def _taken(scan: Scan) -> list[Read]:
    return [read for read in reads(scan) if read.source in scan.consts and _pays(scan, read)]


def reads(scan: Scan) -> list[Read]:
    """The rows that are read at a position, of whatever array."""
    uses, found, known = scan.uses(), [], scan.known
    rows = {e.invars[0]: e for e in scan.equations if e.primitive.name == "squeeze"}
    for equation in scan.equations:
        if equation.primitive.name != "dynamic_slice":
            continue
        source, start, *_ = equation.invars
        (part,) = equation.outvars
        whole = equation.params["slice_sizes"] == (1, *source.aval.shape[1:])
        if not whole or uses[part] != 1 or part not in rows or rows[part].params["dimensions"] != (0,):
            continue
        position = known.of(start)
        if position is not None and position.slope and known.within(position, source.aval.shape[0]):
            found.append(Read(source, position, (equation, rows[part])))
    return found


def _pays(scan: Scan, read: Read) -> bool:
    """Whether to take the rows of an array is no slower, and makes the loop's derivative faster.

    Rows that are not all of the array's are copied first. The derivative of a loop that carries an array as large takes
    time in proportion to all of it in each iteration, anyway.
    """
    array = scan.consts[read.source]
    if scan.is_whole(array, read.position):
        return True
    shapes = [np.shape(first) for first in (array, *scan.carried.values())]
    if not all(isinstance(n, int) for shape in shapes for n in shape):
        return True
    size, *carried = map(math.prod, shapes)
    return max(carried, default=0) < size


def _take_rows(scan: Scan, reads: Sequence[Read]) -> None:
    """Takes rows in place of reading arrays that the loop does not change."""
    taken: dict[tuple[Any, Position], Any] = {}
    names = {}
    for read in reads:
        row = taken.setdefault((read.source, read.position), read.row)
        if row is not read.row:
            names[read.row] = row
    scan.take_out([e for read in reads for e in read.equations])
    for (source, position), row in taken.items():
        scan.rows[row] = scan.rows_at(scan.consts[source], position)
    scan.rename(names)
