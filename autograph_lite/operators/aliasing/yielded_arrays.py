"""Yielded arrays: does a generator write to an array that it has yielded? Whoever keeps the item would see that in NumPy.

    while x < n:                          for row in rows(n):
        row[0] = x                            kept.append(row)
        yield row                         NumPy's `kept` has one array many times
        x += 1

The loop may have kept the item anywhere, and nothing in the generator's program says so: such a write is refused.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import access_paths
from autograph_lite.operators.aliasing.kept_arrays import names_of, written_next
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import entered, thread


@dataclasses.dataclass
class _Run:
    """A generator whose code runs: how many loops are around it, and by which names its program knows what it has yielded."""

    loops: int
    names: set[int] = dataclasses.field(default_factory=set)
    by: str = "a generator that yields it, or a part of it"
    why: str = (
        "A loop that keeps what it gets would see the change in NumPy: there it is one array all the time."
    )
    fix: str = "yield a copy: yield x.copy()."
    in_place: bool = False  # whether `x += v` writes to them, too, and nothing else tells it
    # these arrays: the name of one that is gone would be another one's
    held: list[Any] = dataclasses.field(default_factory=list)

    def know(self, array: Any) -> set[int]:
        """Adds the names of an array, and of those that it is a part of; gives these."""
        names = names_of(array)
        self.names |= names
        self.held += [array, *access_paths.base_arrays(array)]
        return names


def in_generator() -> entered:
    """The code inside is that of a generator."""
    return entered(yielded=(*thread.now.yielded, _Run(len(thread.now.aliases))))


def holding_arguments(arrays: Sequence[Any], *, numpys: bool) -> entered:
    """The code inside is that of a function that calls itself, and may not write to the arrays that it was handed."""
    run = _Run(
        len(thread.now.aliases),
        by="a function that calls itself, which was handed it, or a part of it",
        why="The calls that wait for this one would see the change in NumPy; an array is a value to a compiled program.",
        fix="write to a copy, x.copy(), and return that.",
        in_place=numpys,
    )
    for each in arrays:
        if numpys_arrays.has_memory(each):
            run.know(each)
    return entered(yielded=(*thread.now.yielded, run))


def note_held(arrays: Sequence[Any]) -> None:
    """To be called with what such a call of a function gives, which may be what it was handed."""
    run = next(run for run in reversed(thread.now.yielded) if run.by != _Run.by)
    for each in arrays:
        if numpys_arrays.has_memory(each):
            run.know(each)


def in_loop_body(item: Any) -> entered:
    """The code inside is that of the loop that gets `item` from the generator whose code has run."""
    *around, run = thread.now.yielded
    for leaf in pytrees.leaves(item):
        if numpys_arrays.has_memory(leaf):
            written = [one for loop in thread.now.aliases[run.loops :] for one in loop.written]
            _refuse(written, run.know(leaf), run)
    return entered(yielded=tuple(around))


def refuse_write_after_yield(same: Sequence[Any]) -> None:
    """Raises MutationError where an array's item is written, in all its forms, by a generator that has yielded it."""
    for run in thread.now.yielded:
        _refuse(same, run.names, run)


def refuse_in_place(array: Any) -> None:
    """To be called before `x += v` for an array that is not known to be NumPy's."""
    for run in thread.now.yielded:
        if run.in_place:
            _refuse([array], run.names, run)


def refuse_yield_after_write(
    written: Sequence[Any], inside: Mapping[Any, Any], after: Mapping[Any, Any]
) -> None:
    """Raises MutationError after an iteration in which a generator has `written` to what the one before has yielded."""
    if thread.now.yielded:
        refuse_write_after_yield([*written_next(written, inside, after).values()])


def _refuse(arrays: Sequence[Any], names: set[int], run: _Run) -> None:
    for one in arrays if names else ():
        if isinstance(one, (jax.Array, np.ndarray)) and not names.isdisjoint(names_of(one)):
            raise MutationError(
                f"An item of an array, {describe(one)}, is written by {run.by}.", why=run.why, fix=run.fix
            )
