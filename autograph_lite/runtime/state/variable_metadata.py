"""Metadata: what is a Variable besides its value? Its class, whether it is trained, and what a class of the user's adds.

class Clipped(Variable):
    def __init__(self, value, least):
        super().__init__(value)
        self.least = least                     an attribute of its own
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

from autograph_lite.operators.values import instances


class Described(Protocol):
    """A Variable, as far as this asks."""

    @property
    def name(self) -> str | None:
        """What it is called."""
        ...

    @property
    def trainable(self) -> bool:
        """Whether it is trained."""
        ...


class Fixed:
    """The same object, or an equal one of the same type."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fixed) or type(self.value) is not type(other.value):
            return False
        if self.value is other.value:
            return True
        try:
            return bool(self.value == other.value)
        except Exception:  # of arrays with several items, or whatever a user's `__eq__` raises
            return False

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclasses.dataclass(frozen=True)
class VariableKind:
    """What JAX compares of a Variable, its value apart; two names make no two programs."""

    name: str | None = dataclasses.field(compare=False)
    trainable: bool
    cls: type[Any]
    attributes: tuple[tuple[str, Fixed], ...] = ()

    @classmethod
    def of(cls, variable: Described) -> VariableKind:
        """That of a Variable."""
        held = tuple((name, Fixed(value)) for name, value in own_attributes(variable).items())
        return cls(variable.name, variable.trainable, type(variable), held)

    def give(self, variable: Described) -> None:
        """Gives a Variable of the class the same attributes."""
        for name, held in self.attributes:
            object.__setattr__(variable, name, held.value)


def own_attributes(variable: Described) -> dict[str, Any]:
    """What a class of the user's keeps in a Variable, in slots or not, by name in their order."""
    held = instances.held_by(variable)
    return {name: held[name] for name in sorted(held)}
