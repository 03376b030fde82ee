"""Code objects: which are in a function's code, and what do the variables hold that a function takes from around it?"""

from __future__ import annotations

import types
import weakref
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class ByCode(Generic[V]):
    """What is known of code objects while they live, by identity: comparing two takes twice as long for each level in them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[types.CodeType], V]] = {}

    def __setitem__(self, code: types.CodeType, value: V) -> None:
        place, known = id(code), self._known
        known[place] = weakref.ref(code, lambda _: known.pop(place, None)), value

    def __contains__(self, code: types.CodeType) -> bool:
        return id(code) in self._known

    def get(self, code: types.CodeType) -> V | None:
        """What is known of `code`; None where nothing is."""
        found = self._known.get(id(code))
        return None if found is None else found[1]


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code, and that of all that is defined in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from nested_codes(const)


def content(cell: types.CellType, missing: Any = None) -> Any:
    """What a cell of a closure holds; `missing` where its variable is not assigned yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return missing


def defaults(fn: types.FunctionType) -> list[Any]:
    """The default values of a function's parameters."""
    return [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]


_MISSING = object()


def closure_variables(fn: types.FunctionType) -> dict[str, Any]:
    """What the variables of enclosing functions hold that a function takes from there, by their names."""
    cells = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    found = {name: content(cell, _MISSING) for name, cell in cells}
    return {name: value for name, value in found.items() if value is not _MISSING}
