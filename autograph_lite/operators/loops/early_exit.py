"""Early exit: when is a loop over rows that a traced value leaves a `while` of the program? Where its gradient takes less so.

for x in xs:
    s = step(s, x)
    if s > limit:       a scan runs to the last row, and keeps what the derivative needs of each;
        break           a `while` does so for the iterations that there are, and keeps some of its states
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.operators.loops import integer_overflow
from autograph_lite.operators.trace_context import loop_options

FEW = 32
"""A loop over so few rows costs less than what would keep its states."""
BYTES = 1 << 22
"""What the states that are kept may take: else they are worth more than the rows that are not run."""


def early_exit_pays(body: Any, start: Sequence[Any], count: Any) -> bool:
    """Whether a loop whose body does nothing once it has been left is to end there; see `scan_until`."""
    if not isinstance(count, int) or count <= FEW or len(body.out_avals) > len(start):
        return False
    loop = loop_options.current()
    states = 2 * _kept(count) * sum(t.size * t.dtype.itemsize for t in map(jax.typeof, start))
    return loop.options == loop_options.UNSET and loop.unroll == 1 and states <= BYTES


def _kept(count: int) -> int:
    return math.isqrt(count - 1) + 2 & ~1


def scan_until(
    test: Any, body: Any, start: Sequence[Any], rows: Sequence[Any], count: int, *, reverse: bool
) -> list[Any]:
    """The variables after the loop.

    Args:
      test: the closed jaxpr of whether it goes on, of the variables.
      body: the closed jaxpr of an iteration, of the variables and a row.
      start: the variables before the loop.
      rows: arrays that the iterations take the rows of.
      count: of the rows.
      reverse: whether they are taken from the last to the first.
    """

    def more(arrays: list[Any]) -> tuple[None, list[Any]]:
        return None, [(arrays[0] < count) & jaxpr_as_fun(test)(*arrays[1:])[0]]

    def step(arrays: list[Any]) -> tuple[None, list[Any]]:
        index, *now = arrays
        place = (count - 1) - index if reverse else index
        row = [lax.dynamic_index_in_dim(r, place, keepdims=False, allow_negative_indices=False) for r in rows]
        return None, [index + 1, *jaxpr_as_fun(body)(*now, *row)]

    init = [jax.numpy.int32(0), *start]
    types = list(map(jax.typeof, init))
    (_, until), (_, iteration) = (loop_binding.trace(part, types, scan_until) for part in (more, step))
    options = dataclasses.replace(loop_options.UNSET, bound=count, kept=_kept(count))
    return loop_binding.while_loop(until, iteration, init, options, integer_overflow.note)[1:]
