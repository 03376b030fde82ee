"""Pickling: how is a compiled function pickled? As Python pickles functions: by where it is found, with its options.

A function that stands in its module under its name comes back as that; one made of a function of a module, as
`fast = convert(step)`, is made again of it. Traces are not kept: they are made again where it is called.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import PicklingError
from autograph_lite.operators.user_code import source_places


def is_found(value: Any) -> bool:
    """Whether a value stands in its module under its name."""
    return _at(getattr(value, "__module__", None), getattr(value, "__qualname__", "")) is value


def python_function(fn: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """How to get a user's function elsewhere: what to call, and with what. Raises PicklingError: no module has it."""
    module, name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", None)
    if module is None or name is None:  # an object that is called: Python knows how to pickle that, or not
        return _itself, (fn,)
    found = _at(module, name)
    if found is fn or getattr(found, "python_function", None) is fn:
        return find_by_name, (module, name)
    if getattr(fn, "__self__", None) is not None:  # a bound method comes with its instance
        return _itself, (fn,)
    raise PicklingError(
        f"'{name}' can't be pickled: module '{module}' does not have it under that name.",
        where=source_places.line_of_function(fn) if hasattr(fn, "__code__") else (),
        why="A function is pickled by its name. A lambda has none, and a function defined in another is a new one at each call.",
        fix="define it at the top of a module; or use autograph_lite.save, which writes the program.",
    )


def find_by_name(module: str, name: str) -> Any:
    """The user's function of that name in a module."""
    importlib.import_module(module)
    found = _at(module, name)
    return getattr(found, "python_function", found)


def _itself(fn: Any) -> Any:
    return fn


def _at(module: str | None, name: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), sys.modules[module or ""])
    except (AttributeError, KeyError):
        return None
