"""Which arrays does a loop read and write row by row? They become rows and outputs of the scan.

    for t in range(1, n):              a scan over the rows of x[1:], which carries the last row of y
        y[t] = a * y[t - 1] + x[t]     and puts out the new one

The loop then neither carries nor copies the arrays, and its gradient takes time in proportion to their rows: that of
an item read from a whole array is a whole array in each iteration.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions
from autograph_lite.jax_internals.dataflow.scan_ir import Put, Read, Scan, inlined
from autograph_lite.jax_internals.scan_passes import inner_loop_rows, iteration_counter, vectorize
from autograph_lite.jax_internals.scan_passes.sliding_windows import put_out


@dataclasses.dataclass
class Split:
    """A scan's body, what it takes, and how its results become those of the body that was given."""

    body: Any
    scan: Scan
    variables: list[Any]
    put_out: int

    def joined(self, carried: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arrays after the last iteration and the outputs of the body that was given."""
        after = dict(zip(self.scan.carried, carried, strict=True))
        written, length = self.scan.written, self.scan.length
        for variable, array in self.scan.kept.items():
            after[variable] = avals.as_type(array, variable.aval.dtype, avals.is_weak(variable.aval))
        found = [
            overwritten(written[v], outputs, after, length) if v in written else after[v]
            for v in self.variables
        ]
        return found, list(outputs[: self.put_out])


def split(
    body: Any, consts: Sequence[Any], init: Sequence[Any], rows: Sequence[Any], positions: Mapping[int, Position],
    length: int, reverse: bool, bind: inner_loop_rows.Bind, at_once: bool = False,
) -> Split | None:  # fmt: skip
    """The same loop with rows in place of arrays that are read and written row by row; None where nothing changes.

    Args:
      body: constants, carried arrays and rows -> carried arrays and outputs.
      consts: what the body takes that no iteration changes.
      init: the carried arrays before the loop.
      rows: the arrays whose rows the iterations take.
      positions: which of the rows are numbers that follow from the number of the iteration, and how.
      length: the number of iterations.
      reverse: whether the rows are taken from the last to the first.
      bind: binds a loop inside of it once more.
      at_once: whether all iterations may be computed at once.
    """
    jaxpr = getattr(body, "jaxpr", body)
    downwards = all(position.slope < 0 for position in positions.values())
    if downwards and len(positions) == len(rows) and len(jaxpr.outvars) == len(init):
        # From the last row to the first, as the rows lie in memory, where reversed rows would be copies.
        positions, reverse = {n: p.from_the_end(length) for n, p in positions.items()}, not reverse
    given = body, consts, init, rows, positions, length, reverse, bind, at_once
    barred = {
        equation.outvars[0].aval
        for equation in jaxpr.eqns
        if equation.primitive.name == "optimization_barrier"
    }
    if barred:
        # They make updates of whole arrays fast (`operators.in_place`): not needed where all of these become rows.
        found = _split(*given, barriers=False)
        if found is not None and not any(variable.aval in barred for variable in found.scan.carried):
            return found
    return _split(*given, barriers=True)


def _split(
    body: Any, consts: Sequence[Any], init: Sequence[Any], rows: Sequence[Any], positions: Mapping[int, Position],
    length: int, reverse: bool, bind: inner_loop_rows.Bind, at_once: bool, *, barriers: bool,
) -> Split | None:  # fmt: skip
    jaxpr = getattr(body, "jaxpr", body)
    invars, end = jaxpr.invars, len(consts) + len(init)
    carried, xs = invars[len(consts) : end], invars[end:]
    known = Positions(
        {xs[number]: position for number, position in positions.items()}, length, barriers=barriers
    )
    equations = inner_loop_rows.read(inlined(jaxpr.eqns), known, bind)
    if not barriers:
        equations = [e for e in equations if e.primitive.name != "optimization_barrier"]
    results = known.name(jaxpr.outvars)
    scan = Scan(
        equations, dict(zip(invars, consts, strict=False)), dict(zip(carried, init, strict=True)),
        dict(zip(xs, rows, strict=True)), dict(zip(carried, results, strict=False)), results[len(init) :], length,
        reverse,
    )  # fmt: skip
    scan.keep_unchanged()
    reads = _reads(scan, known)
    for variable in list(scan.carried):
        put_out(scan, variable, reads, known)
    _take_rows(scan, [read for read in reads if read.source in scan.consts and _pays(scan, read)])
    _simplify(scan, {xs[number]: position.range(length) for number, position in positions.items()})
    scan.keep_unchanged()
    scan.drop_unused()
    numbers = {xs[number]: position for number, position in positions.items()}
    if at_once and vectorize.is_mapped(scan):
        scan.mapped = numbers
    else:
        iteration_counter.count(scan, numbers)
    new = jaxpr.replace(
        invars=[*scan.consts, *scan.carried, *scan.rows], outvars=scan.results(), eqns=scan.equations
    )
    return Split(body.replace(jaxpr=new), scan, list(carried), len(results) - len(init))


def _simplify(scan: Scan, known: Mapping[Any, tuple[int, int]]) -> None:
    """Leaves out what the ranges of numbers make needless, in the loops inside, too."""
    scan.equations, results = value_ranges.Ranges(known, simplifies=True).simpler(
        scan.equations, scan.results()
    )
    scan.next = dict(zip(scan.carried, results, strict=False))
    scan.outputs = results[len(scan.carried) :]


def _reads(scan: Scan, known: Positions) -> list[Read]:
    """The rows that are read at a position, of whatever array."""
    uses, found = scan.uses(), []
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
            found.append(Read(source, rows[part].outvars[0], position))
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
    rows = set(taken.values()) | set(names)
    scan.take_out([e for e in scan.equations if e.outvars and e.outvars[0] in rows])
    for (source, position), row in taken.items():
        scan.rows[row] = scan.rows_at(scan.consts[source], position)
    scan.rename(names)


def overwritten(puts: Sequence[Put], outputs: Sequence[Any], after: Mapping[Any, Any], length: int) -> Any:
    """The array after the loop: what it was before, with the rows that were written.

    Args:
      puts: which rows these are.
      outputs: of the loop.
      after: its variables after the last iteration.
      length: the number of iterations.
    """
    rest = {n: jnp.expand_dims(after[variable], 0) for put in puts for n, variable in put.rest.items()}
    pieces = _interlaced(puts, outputs, length)
    array = puts[0].array
    if pieces is None:
        pieces = {}
        for put in puts:
            low, high = put.position.range(length)
            rows, step = _in_order(put, outputs), abs(put.position.slope)
            if step > 1:
                array = jnp.asarray(array).at[low : high + 1 : step].set(rows)
            else:
                pieces = {low: rows}
    return _put_together(array, {**pieces, **rest})


def _put_together(array: Any, pieces: Mapping[int, Any]) -> Any:
    """The array with other rows from some numbers on.

    No `dynamic_update_slice`: in a loop, XLA for CPUs writes it over a row that it still reads (jax 0.10.2 and 0.12.0.1).
    """
    parts, end = [], 0
    for start, rows in sorted(pieces.items()):
        if start > end:
            parts.append(lax.slice_in_dim(array, end, start))
        parts.append(avals.as_type(rows, rows.dtype, False))
        end = start + rows.shape[0]
    if end < array.shape[0]:
        parts.append(lax.slice_in_dim(array, end, array.shape[0]))
    return parts[0] if len(parts) == 1 else lax.concatenate(parts, 0)


def _in_order(put: Put, outputs: Sequence[Any]) -> Any:
    """The rows of an output in the order in which they stand in the array."""
    rows = outputs[put.output]
    return lax.rev(rows, [0]) if put.position.slope < 0 else rows


def _interlaced(puts: Sequence[Put], outputs: Sequence[Any], length: int) -> dict[int, Any] | None:
    """What a loop writes that writes all of so many neighbouring rows, and where it begins; None for another.

    x[i], x[i + 1] = ... for i in range(0, n, 2): a place in between them for each row would be computed.
    """
    step = abs(puts[0].position.slope)
    first = min(put.position.range(length)[0] for put in puts)
    order = {put.position.range(length)[0] - first: put for put in puts}
    if step == 1 or sorted(order) != list(range(step)):
        return None
    rows = [_in_order(order[k], outputs) for k in range(step)]
    return {first: jnp.stack(rows, 1).reshape(length * step, *rows[0].shape[1:])}
