"""Loop-carried aliases: which variables of a staged body would be one array in NumPy, and were one before the loop?

old = g.m                             `old` and `g.m` are two arrays in the body, which were one before it
for k in range(n):
    g.put()                           so NumPy changes `old`, too
    prev = g.m                        from the second iteration on, `prev` and `g.m` are one
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import lower_kinds, numpys_arrays, storages
from autograph_lite.tracing import thread

Pair = tuple[Any, Any]


@dataclasses.dataclass
class Loop:
    """A loop whose body is traced."""

    same: list[Pair]  # pairs of arrays that are one: what a variable is in the body, and was before
    parts: list[Pair]  # pairs of arrays; the first is a part of the second
    # called with the array in the body whose variable has to be what it was before the loop, as its items are written and
    # others see them; it ends the trace, or says whether the array is one of the iteration's own
    hold: Callable[[Any], bool]
    # the arrays that the body has written items of, with what they were before the loops around
    written: list[Any] = dataclasses.field(default_factory=list)
    # what the body has done with arrays, where it matters what an iteration leaves
    uses: list[lower_kinds.Use] = dataclasses.field(default_factory=list)
    # what some path has left in a list whose length only the data know, with the list's name
    kept: list[tuple[str, Any]] = dataclasses.field(default_factory=list)
    trace: Any = dataclasses.field(default_factory=tracing_state.current_trace)  # of the body


def carried(same: Sequence[Pair], parts: Sequence[Pair], hold: Callable[[Any], bool]) -> Loop:
    """What is known where a loop's body is traced: `same`, what variables are there, and were before the loop.

    Of `parts`, the body makes one a part of the other, or the same; `hold` is as in `Loop`.
    """
    return Loop([(new, old) for new, old in same if isinstance(new, jax.Array)], [*parts], hold)


def are_traced() -> bool:
    """Whether bodies of staged loops are traced."""
    return bool(thread.now.aliases)


def note_write(same: Sequence[Any]) -> None:
    """An item of an array is written, which is all of `same` in the loops around."""
    for loop in thread.now.aliases:
        loop.written += same


def as_before_loops(array: Any) -> list[Any]:
    """An array, and what the variable that holds it was before each of the loops around."""
    found = [array]
    for loop in reversed(thread.now.aliases):
        found += [old for new, old in loop.same if new is found[-1]][:1]
    return found


def base_arrays_in_loops(array: Any) -> list[Any]:
    """The arrays that `array` is a part of, by the program that is being recorded, and by what is known of the loops around.

    What was before a loop holds in its first iteration, and what an iteration leaves in the others: they are not mixed.
    """
    found = recorded_views.parts_from(array)
    if not thread.now.aliases:
        return found
    todo: list[tuple[Any, frozenset[int]]] = [(each, frozenset()) for each in (array, *found)]
    while todo:
        one, asked = todo.pop()
        for number, loop in enumerate(thread.now.aliases):
            if number in asked:
                continue
            wholes = [
                whole for part, whole in loop.parts if part is one or recorded_views.recorded_as(part) is one
            ]
            found += wholes
            before = [old for new, old in loop.same if new is one]
            found += before if one is not array else ()
            for other in (*wholes, *before):
                further = recorded_views.parts_from(other)
                found += further
                todo += [(each, asked | {number}) for each in (other, *further)]
    return found


def parts_of_iterations(array: Any) -> list[Any]:
    """What an iteration before has made a part of a loop's variable, or the variable a part of that."""
    pairs = [pair for loop in thread.now.aliases for pair in loop.parts]
    return [whole for part, whole in pairs if part is array] + [
        part for part, whole in pairs if whole is array
    ]


def aliases_after_iteration(after: Sequence[Any], moved: Collection[int]) -> Iterator[tuple[int, int]]:
    """Pairs of numbers of arrays: after an iteration, the first is the second, or a part of it, or of what it is a part of.

    The latter is looked for of those that an iteration has `moved`, so that they are other arrays than before it.
    """
    known = [
        (n, each)
        for n, each in enumerate(after)
        if isinstance(each, jax.Array) and numpys_arrays.has_memory(each)
    ]
    roots = {n: _origins(each) for n, each in known if len(known) > 1}
    for n, part in known:
        wholes = base_arrays_in_loops(part)
        for m, other in known:
            is_moved = n in moved or m in moved
            if n != m and (
                _is_one_of(part, wholes, other)
                or _may_be_part(part, other, of_one=is_moved)
                or (is_moved and not roots[n].isdisjoint(roots[m]))
            ):
                yield n, m


def _origins(array: Any) -> set[int]:
    return {id(root) for root in numpys_arrays.origins(array)}


def _is_one_of(part: Any, wholes: Sequence[Any], other: Any) -> bool:
    names = recorded_views.view_key(other)
    return part is other or any(id(each) in names for each in wholes)


def _may_be_part(part: Any, other: Any, *, of_one: bool) -> bool:
    """Whether what one is on a path, `if x > 0: best = acc`, is what the other one is on it, or a part of that.

    Or both are parts `of_one`, if that is asked.
    """
    todo, seen = [(part, other)], set[tuple[int, int]]()
    for one, whole in todo:
        ways, others = numpys_arrays.ways(one), numpys_arrays.ways(whole)
        same = len(ways) == len(others)
        for way, each in zip(ways, others, strict=True) if same else ((way, whole) for way in ways):
            if isinstance(way, np.ndarray) and isinstance(each, np.ndarray):
                if storages.base_of(way) is storages.base_of(each):
                    return True
                continue
            if not isinstance(way, jax.Array) or not isinstance(each, jax.Array):
                continue
            if _is_one_of(way, base_arrays_in_loops(way), each):
                return True
            if of_one and not _origins(way).isdisjoint(_origins(each)):
                return True
            if (id(way), id(each)) not in seen:
                seen.add((id(way), id(each)))
                todo.append((way, each))
    return False
