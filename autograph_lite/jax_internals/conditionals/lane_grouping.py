"""Lane grouping: how do lanes that take the same branch run together, where only the data tell which branch that is?

    branches   0 1 1 0 1                  chunks of two lanes:   [0 3] branch 0,   [1 2] branch 1,   [4 4] branch 1

Each branch has as many chunks as its lanes fill, the last one filled up with its first lane. That makes a known number of
chunks at most, so that a loop over all of them can be differentiated; what is left over does nothing. Of 4 to 256 lanes in a
chunk, 16 to 64 took the least time on a CPU, for small and large branches, where 5 % or 50 % of the lanes took the dear one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

CHUNK = 32


@dataclasses.dataclass(frozen=True)
class Groups:
    """Lanes in chunks."""

    chunk: int  # lanes in each
    branch: jax.Array  # of each chunk, the branch that it takes; the number of branches where it is left over
    lane: jax.Array  # (chunks, chunk); which lanes are in it
    real: jax.Array  # likewise; whether they are there for what they give, and not to fill it up
    place: jax.Array  # of each lane, where it is among all lanes of all chunks

    def run(self, one: Callable[[Any, list[Any]], list[Any]], rows: list[Any]) -> list[Any]:
        """What the lanes of `rows` give, by `one`: the branch of a chunk, the rows of its lanes -> what these give."""

        def step(chunk: Any) -> list[Any]:
            branch, lane, real = chunk
            return one(branch, [_only(real, row[lane]) for row in rows])

        results = lax.map(step, (self.branch, self.lane, self.real))
        return [result.reshape(-1, *result.shape[2:])[self.place] for result in results]


def group_lanes(index: jax.Array, count: int, chunk: int) -> Groups:
    """The lanes in chunks of one branch each.

    Args:
      index: of each lane, the branch that it takes, from 0 to `count` - 1.
      count: of branches.
      chunk: lanes that a chunk has at most.
    """
    size = index.shape[0]
    chunk = min(chunk, size)
    chunks = min(size, (size + count * (chunk - 1)) // chunk)
    takes = index[:, None] == jnp.arange(count, dtype=index.dtype)
    lanes = jnp.sum(takes, axis=0, dtype="int32")
    before = jnp.cumsum(takes, axis=0, dtype="int32") - 1  # lanes before this one that take each branch
    filled = (lanes + chunk - 1) // chunk
    ends = jnp.cumsum(filled, dtype="int32")
    rank = jnp.take_along_axis(before, index[:, None], axis=1)[:, 0]
    place = (ends - filled)[index] * chunk + rank
    branch = jnp.sum(jnp.arange(chunks)[:, None] >= ends, axis=1, dtype="int32")
    first = jnp.argmax(takes, axis=0).astype("int32")[jnp.minimum(branch, count - 1)]
    lane = jnp.repeat(first, chunk).at[place].set(jnp.arange(size, dtype="int32"))
    real = jnp.zeros(chunks * chunk, bool).at[place].set(True)
    return Groups(chunk, branch, lane.reshape(chunks, chunk), real.reshape(chunks, chunk), place)


def _only(real: jax.Array, rows: Any) -> Any:
    """`rows`; no derivative comes from those that fill a chunk up: zero times infinity is not zero."""
    mask = real.reshape(real.shape + (1,) * (rows.ndim - 1))
    if not jnp.issubdtype(rows.dtype, jnp.inexact):
        return rows
    return jnp.where(mask, rows, lax.stop_gradient(rows))
