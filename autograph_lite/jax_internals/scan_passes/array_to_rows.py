"""Rows for arrays: how are they put in place of an array in a loop's body, where it reads and writes few rows of it?

D[i, j] = D[i - 1, j] + D[i, j - 1]         row[j] = above[j] + row[j - 1]
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions
from autograph_lite.jax_internals.dataflow.primitive_traits import BARRIER
from autograph_lite.jax_internals.dataflow.scan_ir import Scan, is_variable, writes_place

# For each iteration of the inner loop, so many items of a row may be taken out of the array and put back.
COPIED = 8
# As many rows are taken out.
MOST = 4


@dataclasses.dataclass
class Taken:
    """The rows of an array that the inner loop writes."""

    array: Any  # the variable of the inner body that carries the array
    rows: dict[Position, Any]  # the variables that carry them
    # the variables of rows that it only reads
    others: dict[Position, Any] = dataclasses.field(default_factory=dict)


def take(scan: Scan, array: Any, slopes: set[int]) -> Taken | None:
    """Takes few rows in place of an array that the loop carries, where it writes no others; else None.

    Args:
      scan: the inner loop, whose known positions are those of the outer one; is changed.
      array: the variable that carries the array.
      slopes: those of positions for which the inner loop has a constant.
    """
    uses, inner = _Uses.of(scan, array), scan.known
    if uses is None or not uses.writes or not all(isinstance(n, int) for n in array.aval.shape):
        return None
    written = [inner.of(_first_index(e, uses.made)) for e in uses.writes]
    read = [inner.of(e.invars[1]) for e in uses.reads]
    found = [at for at in (*written, *read) if at is not None and inner.within(at, array.aval.shape[0])]
    # Rows whose numbers differ by a constant are never the same.
    if len(found) < len(written) + len(read) or {at.slope for at in found} - {found[0].slope}:
        return None
    rows = dict.fromkeys(found[: len(written)])
    copied = math.prod(array.aval.shape[1:]) * len(rows)
    if (
        len(rows) > MOST
        or found[0].slope not in slopes
        or copied > COPIED * scan.length * sum(math.prod(e.invars[2].aval.shape) for e in uses.writes)
    ):
        return None

    def row() -> Any:
        return core.Var(core.mapped_leading_aval(array.aval.shape[0], array.aval))

    others = dict.fromkeys(at for at in found if at not in rows)
    taken = Taken(array, {at: row() for at in rows}, {at: row() for at in others})
    _rewrite(scan, taken, uses, inner)
    return taken


@dataclasses.dataclass
class _Uses:
    """What the inner loop does with an array that it carries."""

    made: dict[Any, Any]  # the equations of its body, by what they make
    # those that write items of the array, one after the other
    writes: list[Any] = dataclasses.field(default_factory=list)
    reads: list[Any] = dataclasses.field(default_factory=list)  # those that read items
    # by the variable that such an equation makes, the equation that takes the axes of one place out of it
    items: dict[Any, Any] = dataclasses.field(default_factory=dict)
    # those behind which the array goes by another name
    barriers: list[Any] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, scan: Scan, array: Any) -> _Uses | None:
        """None where it does anything else than to read and to write items."""
        found = cls({v: e for e in scan.equations for v in e.outvars})
        counts = scan.uses()
        squeezed = {e.invars[0]: e for e in scan.equations if e.primitive.name == "squeeze"}
        names, now = {array}, {array}
        for equation in scan.equations:
            used = [n for n, v in enumerate(equation.invars) if is_variable(v) and v in names]
            if not used:
                continue
            if equation.primitive.name == BARRIER:
                now |= {equation.outvars[n] for n in used if equation.invars[n] in now}
                names |= {equation.outvars[n] for n in used}
                found.barriers.append(equation)
            elif used == [0] and _is_read(equation):
                (part,) = equation.outvars
                item = squeezed.get(part)
                if item is None or counts[part] != 1 or 0 not in item.params["dimensions"]:
                    return None
                found.reads.append(equation)
                found.items[part] = item
            elif used == [0] and equation.invars[0] in now and _is_write(equation, found.made):
                now = {equation.outvars[0]}
                names |= now
                found.writes.append(equation)
            else:
                return None
        ends = [atom for atom in scan.results() if is_variable(atom) and atom in names]
        return found if len(ends) == 1 and scan.next[array] in now else None


def _is_read(equation: Any) -> bool:
    return equation.primitive.name == "dynamic_slice" and bool(equation.params["slice_sizes"][0] == 1)


def _is_write(equation: Any, made: Mapping[Any, Any]) -> bool:
    """Whether an equation writes at one place of an array, whose numbers are put together by another equation."""
    if not writes_place(equation):
        return False
    array, index, new = (atom.aval for atom in equation.invars)
    if array.weak_type or new.weak_type:
        return False
    count: int = index.shape[0]
    parts = made.get(equation.invars[1])
    joined: bool = parts is not None and parts.primitive.name == "concatenate" and len(parts.invars) == count
    return joined or count == 1


def _first_index(equation: Any, made: Mapping[Any, Any]) -> Any:
    """Which place of the first axis is written."""
    index = equation.invars[1]
    return index if index.aval.shape == (1,) else made[index].invars[0]


def _rewrite(scan: Scan, taken: Taken, uses: _Uses, inner: Positions) -> None:
    """Puts the rows in place of the array."""
    last = scan.next[taken.array]
    contents = {taken.array: taken.rows}  # the rows, in each version of the array
    squeezed = {id(e) for e in uses.items.values()}
    equations: list[Any] = []
    names: dict[Any, Any] = {}
    for equation in scan.equations:
        if any(equation is each for each in uses.writes):
            rows, at = contents[equation.invars[0]], inner.of(_first_index(equation, uses.made))
            (before,) = (row for each, row in rows.items() if each == at)
            new, after = _write(equation, before, uses.made)
            equations += new
            contents[equation.outvars[0]] = {each: after if each == at else row for each, row in rows.items()}
        elif any(equation is each for each in uses.reads):
            place, known = inner.of(equation.invars[1]), {**taken.others, **contents[equation.invars[0]]}
            (source,) = (row for each, row in known.items() if each == place)
            item = uses.items[equation.outvars[0]]
            new, names[item.outvars[0]] = _read(equation, item, source)
            equations += new
        elif any(equation is each for each in uses.barriers):
            equations += _barrier(equation, contents)
        elif id(equation) not in squeezed:
            equations.append(equation)
    scan.equations = equations
    del scan.carried[taken.array], scan.next[taken.array]
    for at, row in taken.rows.items():
        scan.carried[row], scan.next[row] = None, contents[last][at]
    scan.consts.update(dict.fromkeys(taken.others.values()))
    scan.rename({old: new for old, new in names.items() if old is not new})


def _write(equation: Any, before: Any, made: Mapping[Any, Any]) -> tuple[list[Any], Any]:
    """The equations in place of a write, and the row after it."""
    _, index, new = equation.invars
    count = index.aval.shape[0]
    if count == 1:
        return [], new
    _, *rest = made[index].invars
    equations = []
    if len(rest) == 1:
        index = rest[0]
    else:
        index = core.Var(core.ShapedArray((count - 1,), index.aval.dtype))
        equations.append(made[equation.invars[1]].replace(invars=rest, outvars=[index]))
    places = tuple(range(count - 1))
    numbers = lax.ScatterDimensionNumbers(
        equation.params["dimension_numbers"].update_window_dims, places, places
    )
    after = core.Var(before.aval)
    params = {**equation.params, "dimension_numbers": numbers}
    return [*equations, equation.replace(invars=[before, index, new], outvars=[after], params=params)], after


def _read(equation: Any, item: Any, source: Any) -> tuple[list[Any], Any]:
    """The equations in place of a read and of that which takes the axes of one place out of it, and what they give."""
    sizes = equation.params["slice_sizes"][1:]
    part, equations = source, []
    if sizes != source.aval.shape:
        part = core.Var(core.mapped_leading_aval(1, equation.outvars[0].aval))
        params = {**equation.params, "slice_sizes": sizes}
        equations.append(
            equation.replace(invars=[source, *equation.invars[2:]], outvars=[part], params=params)
        )
    rest = tuple(axis - 1 for axis in item.params["dimensions"] if axis)
    if not rest:
        return equations, part
    equations.append(item.replace(invars=[part], params={**item.params, "dimensions": rest}))
    return equations, item.outvars[0]


def _barrier(equation: Any, contents: dict[Any, Any]) -> list[Any]:
    """The equation in place of a barrier: without the array, which goes by another name behind it."""
    kept = []
    for before, after in zip(equation.invars, equation.outvars, strict=True):
        if is_variable(before) and before in contents:
            contents[after] = contents[before]
        else:
            kept.append((before, after))
    if not kept:
        return []
    invars, outvars = zip(*kept, strict=True)
    return [equation.replace(invars=list(invars), outvars=list(outvars))]
