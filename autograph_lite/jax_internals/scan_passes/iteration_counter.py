"""Counters: how do a scan's iterations know their numbers? They count, where rows of `arange` would be read from memory.

for k in range(n):           carries p, 0 at first and one more after each iteration: XLA makes it the loop's own
    ... d[k + 1] ...         counter, where a row of arange(n) is one read more in each fused computation
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.jax_internals.dataflow.scan_ir import Scan


def run(scan: Scan) -> None:
    """Counts in place of taking rows that are positions."""
    taken = _counted(scan)
    if scan.at_once or not taken:
        return
    at = {v: p.from_the_end(scan.length) if scan.reverse else p for v, p in taken.items()}
    kind = next(iter(taken)).aval.dtype
    numbers = jax.make_jaxpr(lambda p: [p + kind.type(1), *(_number(p, v.aval, at[v]) for v in taken)])
    jaxpr = numbers(jax.ShapeDtypeStruct((), kind)).jaxpr
    (counter,), (after, *values) = jaxpr.invars, jaxpr.outvars
    for variable in taken:
        del scan.rows[variable]
    scan.equations = [*jaxpr.eqns, *scan.equations]
    scan.carried[counter] = kind.type(0)
    scan.next[counter] = after
    scan.rename(dict(zip(taken, values, strict=True)))


def check(scan: Scan) -> None:
    """Nothing that can be counted is read from memory."""
    assert scan.at_once or not _counted(scan)


def _counted(scan: Scan) -> dict[Any, Position]:
    return {v: at for v, at in scan.numbers.items() if v in scan.rows and _fits(at, v.aval.dtype)}


def _fits(position: Position, dtype: Any) -> bool:
    """Whether its numbers can be computed in this type: range(-(2**31), 2**31, 2**32 - 1) has items too far apart."""
    info = np.iinfo(dtype)
    return all(info.min <= number <= info.max for number in (position.slope, position.offset))


def _number(counter: Any, aval: Any, position: Position) -> Any:
    """The number at a position, of the type that it is to have."""
    number = counter
    if position.slope != 1:
        number = number * counter.dtype.type(position.slope)
    if position.offset:
        number = number + counter.dtype.type(position.offset)
    return avals.as_type(number, aval.dtype, avals.is_weak(aval))
