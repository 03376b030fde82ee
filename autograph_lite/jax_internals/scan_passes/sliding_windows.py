"""Sliding windows: when is a carried array an output of the iterations? When these write rows of it next to each other.

y[t] = a * y[t - 1] + b * y[t - 2]     carries two rows; each iteration puts out the newest
y[t] = y[t] + y[t + 1]                 takes rows of what `y` was before the loop
x[t] -= e; x[t + 1] += e               carries one row, and takes the one after it; puts out x[t], which is final then

The rows that an iteration reads and writes are a window, which moves by one row from iteration to iteration. Where the
number of the row grows by two, there are two such windows: one of the even rows, one of the odd ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions
from autograph_lite.jax_internals.dataflow.scan_ir import Put, Read, Scan, writes_place
from autograph_lite.jax_internals.scan_passes import rows_as_inputs

# As many rows are carried.
WIDEST = 4


@dataclasses.dataclass
class _Writing:
    """How the body changes an array."""

    versions: list[Any]  # the array's variable, and that after each write
    equations: list[Any]  # the writes
    positions: list[Position]  # of the rows that they write

    @property
    def slope(self) -> int:
        """By how much the number of each row grows from iteration to iteration."""
        return self.positions[0].slope


def run(scan: Scan) -> None:
    """Makes outputs of the arrays that the loop carries, where that can be."""
    found = rows_as_inputs.reads(scan)
    for variable in list(scan.carried):
        _try(scan, variable, found)


def check(scan: Scan) -> None:
    """Each row of an array that is written comes out of the loop: of its outputs, or carried to the end."""
    for put in (put for puts in scan.written.values() for put in puts):
        assert put.output < len(scan.outputs) and scan.carried.keys() >= set(put.rest.values())


def _try(scan: Scan, variable: Any, reads: Sequence[Read]) -> None:
    writing = _writing(scan, variable, scan.known)
    if writing is None:
        return
    mine = [read for read in reads if any(read.source is v for v in writing.versions)]
    uses = scan.uses()
    if sum(uses[v] for v in writing.versions) != len(mine) + len(writing.equations) + 1:
        return  # something else takes the array
    if any(read.position.slope != writing.slope for read in mine):
        return
    windows = _windows(scan, writing, mine)
    if any(window.width > WIDEST for window in windows.values()):
        return
    if any(w.width for w in windows.values()) and any(e.invars[2].aval.weak_type for e in writing.equations):
        return  # what is carried on would not be of the type of what is carried
    _put_out(scan, variable, writing, mine, windows)


def _writing(scan: Scan, variable: Any, known: Positions) -> _Writing | None:
    versions, equations = [variable], []
    for equation in scan.equations:
        if equation.primitive.name == "scatter" and equation.invars[0] is versions[-1]:
            versions.append(equation.outvars[0])
            equations.append(equation)
    if scan.next[variable] is not versions[-1] or not equations or not all(map(_writes_row, equations)):
        return None
    positions = [known.of(equation.invars[1]) for equation in equations]
    found = [at for at in positions if at is not None and known.within(at, variable.aval.shape[0])]
    if len(found) < len(positions) or len({at.slope for at in found}) > 1 or not found[0].slope:
        return None
    return _Writing(versions, equations, found)


def _writes_row(equation: Any) -> bool:
    """Whether an equation replaces one row of an array."""
    array, index, *_ = (atom.aval for atom in equation.invars)
    return writes_place(equation) and index.shape == (1,) and not array.weak_type


@dataclasses.dataclass
class _Window:
    """Rows that an iteration writes in part; their places are counted in iterations, from that of the first write on."""

    origin: Position  # the position of place 0
    step: int  # by how much the number of a row grows from a place to the next
    first: int = 0  # the first place that is read or written
    final: int = 0  # the first that is written: no later iteration changes it
    last: int = 0  # the last that is written: no earlier iteration has changed it

    @property
    def width(self) -> int:
        """How many rows are carried."""
        return self.last - self.first

    @property
    def places(self) -> range:
        """Its places."""
        return range(self.first, self.last + 1)

    def place(self, position: Position) -> int:
        """The place of a row."""
        return (position.offset - self.origin.offset) // self.step

    def at(self, place: int) -> Position:
        """The position of a place."""
        return Position(self.origin.slope, self.origin.offset + place * self.step)


def _windows(scan: Scan, writing: _Writing, reads: Sequence[Read]) -> dict[int, _Window]:
    """By what is left of the numbers of their rows, divided by the slope: the windows."""
    slope = writing.slope
    found: dict[int, _Window] = {}
    step = -slope if scan.reverse else slope
    for at in writing.positions:
        window = found.setdefault(at.offset % abs(slope), _Window(at, step))
        window.final, window.last = min(window.final, window.place(at)), max(window.last, window.place(at))
    for window in found.values():
        window.first = window.final
    for read in reads:
        key = read.position.offset % abs(slope)
        if key in found:
            found[key].first = min(found[key].first, found[key].place(read.position))
    return found


def _put_out(
    scan: Scan, variable: Any, writing: _Writing, reads: Sequence[Read], windows: Mapping[int, _Window]
) -> None:
    array = scan.carried[variable]
    scan.take_out([*writing.equations, *(e for read in reads for e in read.equations)])
    del scan.carried[variable], scan.next[variable]
    entering = {key: _entering(scan, array, window, variable.aval) for key, window in windows.items()}
    # What is in the window, in each version of the array.
    contents = {
        variable: {(key, place): row for key, each in entering.items() for place, row in each.items()}
    }
    slope = abs(writing.slope)
    steps = zip(writing.versions, writing.equations, writing.positions, writing.versions[1:], strict=False)
    for before, equation, at, after in steps:
        key = at.offset % slope
        contents[after] = {**contents[before], (key, windows[key].place(at)): equation.invars[2]}
    names = {}
    for read in reads:
        key = read.position.offset % slope
        place = windows[key].place(read.position) if key in windows else 0
        if key in windows and place <= windows[key].last:
            names[read.row] = contents[read.source][key, place]
        else:  # no iteration before has written it
            scan.rows[read.row] = scan.rows_at(array, read.position)
    newest = contents[writing.versions[-1]]
    scan.written[variable] = [
        _leaving(scan, array, key, w, entering[key], newest) for key, w in windows.items()
    ]
    scan.rename(names)


def _entering(scan: Scan, array: Any, window: _Window, aval: Any) -> dict[int, Any]:
    """The variables of the rows of a window at the beginning of an iteration: all but the last are carried."""
    found = {place: core.Var(core.mapped_leading_aval(aval.shape[0], aval)) for place in window.places}
    begin = scan.length - 1 if scan.reverse else 0
    for place, row in found.items():
        at = window.at(place)
        if place == window.last:
            scan.rows[row] = scan.rows_at(array, at)
        else:
            scan.carried[row] = lax.index_in_dim(array, at.slope * begin + at.offset, keepdims=False)
    return found


def _leaving(
    scan: Scan, array: Any, key: int, window: _Window, entering: Mapping[int, Any], newest: Mapping[Any, Any]
) -> Put:
    """Hands the rows of a window on to the next iteration, and puts out the one that is final."""
    end = 0 if scan.reverse else scan.length - 1
    rest = {}
    for place in window.places[:-1]:
        scan.next[entering[place]] = newest[key, place + 1]
        at = window.at(place + 1)
        if place >= window.final:
            rest[at.slope * end + at.offset] = entering[place]
    scan.outputs.append(newest[key, window.final])
    return Put(array, window.at(window.final), len(scan.outputs) - 1, rest)
