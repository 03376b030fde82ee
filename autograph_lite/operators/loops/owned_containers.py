"""Ownership of containers: which of a loop's variables are the only ones to hold their lists, dicts and dataclass objects?

    for i in range(n):
        acc = [acc[1], acc[0]]        nobody else reads the list of the iteration before: `acc` may be written to, in the loop
        acc[0] += 1                   and after it, though each iteration has a new list in the program

Another holder would not see what is written to the list that stands for its own: of such a variable, writes are refused.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.joins.join_types import Captured
from autograph_lite.operators.object_graph import live_variables, reachability
from autograph_lite.operators.values import dataclass_objects


def owned_before(values: Sequence[Captured], funs: Sequence[Callable[..., Any]]) -> frozenset[int]:
    """The numbers of such variables, before a loop whose condition and body are the functions."""
    inside = [container_identity.containers(each.value) for each in values]
    live = live_variables.live_values() if any(inside) and funs else None
    return frozenset() if live is None else _alone(dict(enumerate(inside)), values, [], [*live, *funs])


def owned_after(
    before: frozenset[int], values: Sequence[Captured], contents: Sequence[Captured], roots: Iterable[Any]
) -> frozenset[int]:
    """Which of them still are after an iteration that leaves these values and contents of places."""
    if not before:
        return before
    inside = {n: container_identity.containers(values[n].value) for n in before}
    return frozenset(n for n in before if not inside[n]) | _alone(inside, values, contents, roots)


def _alone(
    inside: dict[int, list[Any]],
    values: Sequence[Captured],
    contents: Sequence[Captured],
    roots: Iterable[Any],
) -> frozenset[int]:
    every = [each.value for each in (*values, *contents)]
    counts = collections.Counter(id(one) for each in every for one in container_identity.containers(each))
    leaves = [leaf for each in every for leaf in dataclass_objects.flatten_dataclasses(each)[0]]
    opaque = [leaf for leaf in leaves if reachability.is_open(leaf)]
    wanted = {id(one) for owners in inside.values() for one in owners}
    known = reachability.reachable([*roots, *opaque], wanted) if wanted else set()
    return frozenset(
        n
        for n, owners in inside.items()
        if owners
        and not any(counts[id(o)] > 1 or id(o) in known or container_identity.is_shared(o) for o in owners)
    )
