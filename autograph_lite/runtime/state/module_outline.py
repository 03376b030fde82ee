"""Tree structure of Modules: what is one without its Variables' values? What JAX compares, and builds Modules from."""

from __future__ import annotations

import dataclasses
from typing import Any

from autograph_lite.operators.values import instances
from autograph_lite.runtime.state.variable import Variable, remade
from autograph_lite.runtime.state.variable_metadata import Fixed, VariableKind


@dataclasses.dataclass(frozen=True)
class Slot:
    """Where a Variable is: the number of its value, with what else belongs to it."""

    number: int
    kind: VariableKind


@dataclasses.dataclass(frozen=True)
class Again:
    """An object that is met for another time, by its number."""

    number: int


@dataclasses.dataclass(frozen=True)
class Parts:
    """A Module or container, by its class, with what it holds."""

    kind: type
    keys: tuple[Any, ...]
    held: tuple[Any, ...]
    is_module: bool


@dataclasses.dataclass(frozen=True)
class Outline:
    """The structure of a Module; equal to that of another whose Variables can stand in for its own."""

    root: Parts

    def __hash__(self) -> int:
        return hash((self.root.kind, self.root.keys))

    def rebuilt(self, values: list[Any]) -> Any:
        """A Module of this structure, with Variables that hold `values`."""
        made: list[Any] = []
        variables: dict[int, Variable] = {}

        def build(part: Any) -> Any:
            if isinstance(part, Slot):
                if part.number not in variables:
                    value = values[part.number]
                    variables[part.number] = remade(value, part.kind)
                return variables[part.number]
            if isinstance(part, Again):
                return made[part.number]
            return _build(part, made, build) if isinstance(part, Parts) else part.value

        return build(self.root)


def _build(part: Parts, made: list[Any], build: Any) -> Any:
    kind: Any = part.kind
    if part.is_module:
        new = object.__new__(kind)
        made.append(new)
        for name, value in zip(part.keys, part.held, strict=True):
            object.__setattr__(new, name, build(value))
        return new
    number = len(made)
    made.append(None)  # a tuple can't hold itself, and is there once it is whole
    if kind is dict:
        made[number] = new = {}
        new.update(zip(part.keys, map(build, part.held), strict=True))
        return new
    if kind is list:
        made[number] = new = []
        new.extend(map(build, part.held))
        return new
    items = [build(value) for value in part.held]
    made[number] = new = kind(*items) if hasattr(kind, "_fields") else kind(items)
    return new


def outline(module: Any, holders: tuple[type, ...]) -> tuple[list[Variable], Outline]:
    """The Variables of a Module, each once, and its structure; `holders` are the classes whose attributes are looked at."""
    variables: dict[int, Variable] = {}
    met: dict[int, int] = {}

    def part_of(item: Any) -> Any:
        if isinstance(item, Variable):
            variables.setdefault(id(item), item)
            return Slot(list(variables).index(id(item)), VariableKind.of(item))
        is_module = isinstance(item, holders)
        if not is_module and not _is_container(item):
            return Fixed(item)
        if id(item) in met:
            return Again(met[id(item)])
        met[id(item)] = len(met)
        held = instances.held_by(item) if is_module else item
        pairs = list(held.items() if isinstance(held, dict) else enumerate(held))
        return Parts(
            type(item), tuple(k for k, _ in pairs), tuple(part_of(value) for _, value in pairs), is_module
        )

    root = part_of(module)
    return list(variables.values()), Outline(root)


def _is_container(item: Any) -> bool:
    return type(item) in (list, dict) or isinstance(item, tuple)
