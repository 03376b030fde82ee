"""Shared containers: who else holds a list that paths leave somewhere, now that a new one stands for it there?

    rows = table.rows
    if x > 0:
        table.rows = [x, x]       # staged: `table.rows` is a new list of the joined items
    rows[0] = 1                   # where the path is not taken, Python would change `table.rows` too: refused

What nobody else holds is nobody's business: writing to the new list is right then.
"""

from __future__ import annotations

import collections
import sys
import traceback
from collections.abc import Sequence
from typing import Any, TypeAlias

from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.object_graph import live_variables
from autograph_lite.operators.object_graph.reachability import reachable
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.tracing import thread

# A joined value, and what the paths have left there.
Joined: TypeAlias = tuple[Any, Sequence[Any]]


def note_shared(variables: Sequence[Joined], places: Sequence[Joined], roots: Sequence[Any]) -> None:
    """Notes the containers that joined values stand for, where somebody else holds one of them.

    To be called when the joined values are in their places, and so what they replace is no longer there.

    Args:
      variables: the values of variables, which the user's frames still hold as they were.
      places: those of attributes, items and cells.
      roots: what the paths could see.
    """
    joined = [*variables, *places]
    replacing = [container_identity.containers(value) for value, _ in joined]
    if not any(replacing):
        return
    inside_of = [[container_identity.containers(value) for value in options] for _, options in joined]
    held = [{id(o): o for owners in each for o in owners} for each in inside_of]
    twice = {i for each in inside_of for owners in each for i in _repeated(owners)}
    counts = collections.Counter(ident for owners in held for ident in owners)
    of_places = {ident for owners in held[len(variables) :] for ident in owners}
    known = reachable(roots, set(counts))
    if missing := of_places - known:
        known = known | reachable(_running(), missing)
    if known and (live := live_variables.live_values()) is not None:
        known = reachable(live, known)
    for (value, options), owners, inside in zip(joined, held, replacing, strict=True):
        if not inside or container_identity.is_any_of(value, options):
            continue
        originals = [
            o
            for i, o in owners.items()
            if i in known or counts[i] > 1 or i in twice or container_identity.is_shared(o)
        ]
        if originals:
            container_identity.remember_copies(inside, originals)


def _repeated(owners: Sequence[Any]) -> set[int]:
    counts = collections.Counter(map(id, owners))
    return {ident for ident, count in counts.items() if count > 1}


def _running() -> list[Any]:
    """What the variables of the user's functions hold that run on this thread, and the managers that they have entered."""
    found: list[Any] = [kinds for kinds, *_ in thread.now.handlers]
    for frame, _ in traceback.walk_stack(sys._getframe(1)):
        path = frame.f_code.co_filename
        if (
            frame.f_code.co_name != "<module>"
            and not source_places.is_hidden_file(path)
            and not ownership.is_library_file(path)
        ):
            found += frame.f_locals.values()
    return found
