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
    """An object that is changed in place.

    Attributes:
      owner: the object.
      read: its contents, as a new dictionary from keys (attribute names, indices, ...) to values.
      write: makes its contents equal to such a dictionary.
      shown: how a message calls a key's place where the user's source does not tell.
      ours: whether it is state of this package, which is there before any body runs.
      attributes: the instance's `__dict__`, where the place is that: code may write to it past the instance.
      part: tells the place from the owner's others, where it has several.
      opaque: whether only all of the contents can be compared, and none can be carried by a program.
      trace: in which the owner was made, where it is the memory of an array of a program: it ends with that.
      default: what is seen under a key that is not there: the class's attribute; MISSING if nothing is.
    """

    owner: Any
    read: Callable[[], Contents]
    write: Callable[[Contents], None]
    shown: Callable[[Hashable], str]
    ours: bool = False
    default: Callable[[Hashable], Any] = lambda _: MISSING
    attributes: dict[str, Any] | None = None
    part: str = ""
    opaque: bool = False
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
