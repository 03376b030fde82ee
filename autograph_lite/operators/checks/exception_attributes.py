"""Attributes of exceptions: what was set in one since it was made?

error = Rejected("negative")
error.row = i; error.add_note(f"row {i}"); error.args = (..)

The call that made it is repeated when the values are known; what was set since is set again.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances, pytrees

PREFIX = "__autograph_lite_"
"""What the names begin with under which we remember something of an exception."""


class Held:
    """What an exception held at a time, to tell what was set since.

    Attributes:
      args, cause: its arguments, and what it was raised from.
      parts: what its attributes lead to, by their names.
    """

    def __init__(self, error: BaseException) -> None:
        self.args, self.cause = error.args, error.__cause__
        self.parts = {name: [*_parts(value, set())] for name, value in held_attributes(error).items()}

    def set_since(self, error: BaseException) -> dict[str, Any]:
        """The attributes of `error` that are others now, or hold something else."""
        now = held_attributes(error)
        return {name: value for name, value in now.items() if not self._has(name, value)}

    def _has(self, name: str, value: Any) -> bool:
        before, parts = self.parts.get(name), [*_parts(value, set())]
        if before is None or len(before) != len(parts):
            return False
        return all(a is b or (type(a) in _COMPARED and a == b) for a, b in zip(before, parts, strict=True))

    def removed(self, error: BaseException) -> list[str]:
        """The attributes that `error` has no more."""
        now = held_attributes(error)
        return [name for name in self.parts if name not in now]

    def is_same(self, error: BaseException) -> bool:
        """Whether `error` holds that still."""
        same = self.args is error.args and self.cause is error.__cause__
        return same and not self.set_since(error) and not self.removed(error)


_COMPARED: tuple[type, ...] = (jax.tree_util.PyTreeDef, set)


def _parts(value: Any, seen: set[int]) -> Iterator[Any]:
    """What a value consists of, where somebody may change it."""
    leaves, structure = pytrees.flatten(value)
    yield structure
    for leaf in leaves:
        yield leaf
        if type(leaf) is set:
            yield {*leaf}
        elif ownership.is_users_class(type(leaf)) and id(leaf) not in seen:
            seen.add(id(leaf))
            yield from _parts(instances.held_by(leaf), seen)


def held_attributes(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception, also those that its class has room for, as `errno` of an OSError."""
    held = {name: value for name, value in vars(error).items() if not name.startswith(PREFIX)}
    kind: type = type(error)
    for name, slot in _room_in(kind).items():
        with contextlib.suppress(AttributeError):
            held[name] = slot.__get__(error)
    return held


@functools.lru_cache(maxsize=1024)
def _room_in(kind: type) -> dict[str, types.MemberDescriptorType]:
    return {
        name: slot
        for base in reversed(kind.__mro__)
        if base not in (BaseException, AttributeError)  # which has the object that was asked
        for name, slot in vars(base).items()
        if isinstance(slot, types.MemberDescriptorType)
    }


def set_attributes(error: BaseException, attributes: dict[str, Any], removed: Sequence[str] = ()) -> None:
    """Gives `error` attributes, and takes some away."""
    kind: type = type(error)
    room = _room_in(kind)
    for name, value in attributes.items():
        if name not in room:
            vars(error)[name] = value
            continue
        with contextlib.suppress(AttributeError):  # what a group holds is there already
            room[name].__set__(error, value)
    for name in removed:
        vars(error).pop(name, None)
