"""Places: what is one in the user's objects, which a staged body may write to: where is it read, and put back?"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Hashable
from typing import Any

from autograph_lite.operators.user_code import place_names

MISSING = type("MISSING", (), {"__repr__": lambda self: "MISSING"})()
Contents = dict[Hashable, Any]


@dataclasses.dataclass(frozen=True)
class Place:
    """An object that is changed in place."""

    owner: Any  # the object
    # its contents, as a new dictionary from keys (attribute names, indices, ...) to values
    read: Callable[[], Contents]
    write: Callable[[Contents], None]  # makes its contents equal to such a dictionary
    # how a message calls a key's place where the user's source does not tell
    shown: Callable[[Hashable], str]
    ours: bool = False  # whether it is state of this package, which is there before any body runs
    # what is seen under a key that is not there: the class's attribute; MISSING if nothing is
    default: Callable[[Hashable], Any] = lambda _: MISSING
    # the instance's `__dict__`, where the place is that: code may write to it past the instance
    attributes: dict[str, Any] | None = None
    part: str = ""  # tells the place from the owner's others, where it has several
    # whether only all of the contents can be compared, and none can be carried by a program
    opaque: bool = False
    # in which the owner was made, where it is the memory of an array of a program: it ends with that
    trace: Any = None

    @property
    def key(self) -> Hashable:
        """What makes two places one."""
        if self.attributes is not None:
            return id(self.attributes)
        if self.is_variable:
            return id(self.owner[0]), self.owner[1]
        return (id(self.owner), self.part) if self.part else id(self.owner)

    @property
    def is_variable(self) -> bool:
        """Whether it is one global variable, whose owner is the module's dictionary and the name."""
        return type(self.owner) is tuple

    @property
    def variables(self) -> dict[str, Any] | None:
        """The global variables, where the place is all those of a module."""
        if isinstance(self.owner, types.ModuleType):
            return vars(self.owner)
        return self.owner if type(self.owner) is dict and "__builtins__" in self.owner else None

    @property
    def holds_items(self) -> bool:
        """Whether the contents are the items of a container, and not its attributes."""
        return self.attributes is None and not self.part

    @property
    def _has_names(self) -> bool:
        return not self.holds_items or isinstance(self.owner, (types.ModuleType, type))

    def label(self, key: Hashable) -> place_names.Label:
        """How the user calls a key's place."""
        return place_names.label(self.owner, key, self.shown(key), attribute=self._has_names)
