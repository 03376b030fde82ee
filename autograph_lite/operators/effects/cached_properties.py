"""Cached properties: what does one leave behind whose first read is inside of a staged statement?

    if x > 0:
        y = x * model.norm        Python keeps `norm` in the object, if it comes here

Nothing: a program can't keep what one path alone has computed. The body that is traced keeps the value, and what reads the
property afterwards computes it again. That is the same value as long as nothing has been changed; where something has, it is
an error, as Python might give the value from before.
"""

from __future__ import annotations

from typing import Any

import jax

from autograph_lite.errors import MutationError
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees

_UNCHANGING = (jax.Array, int, float, complex, str, bytes, type(None), tuple, frozenset, type)
Key = tuple[int, str]


class Cache:
    """The cached properties that one body has computed, and those that bodies inside of it have."""

    def __init__(self) -> None:
        self._kept: dict[Key, tuple[Any, Any, int, Any]] = {}  # object, value, writes before, line
        self._forgotten: dict[Key, tuple[Any, int, Any]] = {}

    def get(self, instance: Any, name: str, writes: int) -> tuple[Any] | None:
        """The value that the body has computed, in a tuple; None where it has not.

        Raises:
          MutationError: a body that is over has computed it, and something may have been changed since.
        """
        key = id(instance), name
        if key in self._kept:
            return (self._kept[key][1],)
        if key in self._forgotten and self._forgotten[key][1] != writes:
            raise _changed(
                f"{type(instance).__name__}.{name}", self._forgotten[key][2], "after it was read there"
            )
        return None

    def keep(self, instance: Any, name: str, value: Any, writes: int) -> None:
        """Keeps a value that was computed just now. Raises MutationError: it can be changed in place, and Python's would be."""
        for leaf in pytrees.leaves(value):
            if not isinstance(leaf, _UNCHANGING):
                break
        else:
            if isinstance(value, _UNCHANGING):
                self._kept[id(instance), name] = instance, value, writes, source_places.here()
                return
        whole = f"{type(instance).__name__}.{name}"
        raise MutationError(
            f"The cached property '{whole}' is first read inside of a staged statement, and is a {type(value).__name__}.",
            why="Python keeps the object that one path alone makes, with all later changes to it.",
            fix=f"read '{whole}' once before the statement.",
        )

    def refuse_change(self, changed: Any) -> None:
        """Refuses what the body has changed besides."""
        for (_, name), (instance, _, _, line) in self._kept.items():
            raise _changed(f"{type(instance).__name__}.{name}", line, f"where '{changed}' is changed")

    def add_forgotten(self, inner: Cache) -> None:
        """Takes over what a body that is over has computed."""
        self._forgotten.update(inner._forgotten)
        for key, (instance, _, writes, line) in inner._kept.items():
            self._forgotten[key] = instance, writes, line


def _changed(whole: str, line: Any, when: str) -> MutationError:
    return MutationError(
        f"The cached property '{whole}' is first read inside of a staged statement, {when}.",
        where=(line, source_places.here()),
        why="Python would give the value from before the change if it has come there, and the new one if it has not.",
        fix=f"read '{whole}' once before the statement.",
    )
