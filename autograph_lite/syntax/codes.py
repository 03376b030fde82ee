"""Code objects: which are in a function's code, and what do the variables hold that a function takes from around it?"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any


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
