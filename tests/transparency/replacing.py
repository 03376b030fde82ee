"""How does every function of a module become its converted form?

A module named as a target is imported afresh, and once its body has run, each of its functions and methods
is replaced in place. Code that imported the module before, the converter's own included, keeps the
original. Modules that a test imports afresh, without their C accelerators, are converted too.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.abc
import importlib.machinery
import operator
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from unittest import mock

import autograph_lite

Function = types.FunctionType


@dataclasses.dataclass
class Replaced:
    """What was replaced: each function with its converted form, and for each that was refused, why."""

    functions: dict[Function, Any] = dataclasses.field(default_factory=dict)
    refused: dict[str, str] = dataclasses.field(default_factory=dict)


def convert_on_import(names: Iterable[str]) -> Replaced:
    """From now on, converts these modules whenever they are imported; the result tells what was replaced."""
    replaced = Replaced()
    originals = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.meta_path.insert(0, _Finder(frozenset(names), originals, replaced))
    return replaced


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules to convert; all others are found and run as usual, with no frame of ours between."""

    def __init__(
        self, names: frozenset[str], originals: dict[str, types.ModuleType], replaced: Replaced
    ) -> None:
        self.names, self.originals, self.replaced = names, originals, replaced

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name in self.names else None
        if spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(name, spec.origin)
        spec.loader.finder = self
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a module's source, then replaces its functions."""

    finder: _Finder

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        name = module.__name__
        # The converter itself may import the module that is half converted: it gets the original.
        with mock.patch.dict(sys.modules, {name: self.finder.originals.get(name, module)}):
            _replace_all(module, name, self.finder.replaced)
        _replace_in(vars(module), self.finder.replaced)


def _replace_all(owner: Any, module: str, replaced: Replaced) -> None:
    """Replaces the functions that `owner`, a module or a class defined in it, holds."""
    for name, value in list(vars(owner).items()):
        if isinstance(value, type) and value.__module__ == module:
            if (
                value is not owner
                and f"{getattr(owner, '__qualname__', '')}.{name}".lstrip(".") == value.__qualname__
            ):
                _replace_all(value, module, replaced)
            continue
        changed = _converted_member(value, lambda function: _converted(function, module, replaced))
        if changed is not value:
            setattr(owner, name, changed)


def _replace_in(container: Any, replaced: Replaced, depth: int = 4) -> Any:
    """The container with converted functions for those in it; dicts and lists are changed in place."""
    if isinstance(container, Function):
        return replaced.functions.get(container, container)
    if depth == 0:
        return container  # tables of functions are flat; what is deeper may contain itself
    if type(container) is tuple:
        changed = tuple(_replace_in(item, replaced, depth - 1) for item in container)
        return container if all(map(operator.is_, changed, container)) else changed
    if type(container) in (dict, list):
        for key, item in list(container.items() if type(container) is dict else enumerate(container)):
            if key != "__builtins__" and (changed := _replace_in(item, replaced, depth - 1)) is not item:
                container[key] = changed
    return container


def _converted_member(value: Any, convert: Callable[[Any], Any]) -> Any:
    """The member with its functions converted; `value` itself if it holds none."""
    if isinstance(value, staticmethod | classmethod):
        changed = convert(value.__func__)
        return value if changed is value.__func__ else type(value)(changed)
    if type(value) is property:
        get, put, remove = (part and convert(part) for part in (value.fget, value.fset, value.fdel))
        return property(get, put, remove, value.__doc__)
    if isinstance(value, functools.cached_property):
        changed = functools.cached_property(convert(value.func))
        changed.attrname = value.attrname
        return changed
    return convert(value)


def _converted(function: Any, module: str, replaced: Replaced) -> Any:
    """The converted function, or the object itself if it is no function of this module or was refused."""
    if not isinstance(function, Function) or function.__module__ != module:
        return function
    if function in replaced.functions:
        return replaced.functions[function]  # a second name of one function stays a second name
    try:
        changed = replaced.functions[function] = autograph_lite.to_graph(function)
    except autograph_lite.AutographError as error:
        replaced.refused[function.__qualname__] = f"{type(error).__name__}: {error}".splitlines()[0]
        return function
    return changed
