"""Which functions does a name in a module stand for? One, or all of a class or of a file."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autograph_lite.cli.usage import UsageError

_MISSING = object()


@dataclasses.dataclass(frozen=True)
class Found:
    """A function written in Python."""

    name: str  # its name in the module, such as "Model.step"
    function: Callable[..., Any]  # the function itself, without decorators
    code: types.CodeType  # its code, which knows file and line
    # what a user would call; for a bound or class method it has its first argument already
    call: Callable[..., Any]
    # whether the first argument would be an instance, which the command line can't give
    is_method: bool = False

    @property
    def line(self) -> int:
        """The line where it begins, decorators included."""
        return self.code.co_firstlineno


def find_functions(module: types.ModuleType, place: str, name: str) -> list[Found]:
    """The functions that `name` stands for in `module`, all of the module's own for "".

    Raises:
      UsageError: there is no such name, or it stands for nothing that was written as Python source.
    """
    if not name:
        return _functions_of_module(module, place)
    owner: object = module
    value: object = module
    for part in name.split("."):
        owner, value = value, _member(value, part)
        if value is _MISSING:
            raise UsageError(f"{place} has no {name!r}{_suggestion(owner, part)}")
    if isinstance(value, type):
        functions = _in_order(_functions_of_class(value, name))
        if not functions:
            raise UsageError(f"{name!r} in {place} is a class without methods that are written in Python")
        return functions
    functions = [found for found in _functions_of_value(value, name, owner) if _has_source(found.function)]
    if not functions:
        raise UsageError(f"{name!r} in {place} {_why_not(value, owner)}")
    return functions


def _member(owner: object, name: str) -> object:
    if not isinstance(owner, type):
        return getattr(owner, name, _MISSING)
    # Static, so that class methods and properties are found as they were written.
    found = inspect.getattr_static(owner, name, _MISSING)
    if found is _MISSING and name.startswith("__"):
        return inspect.getattr_static(owner, f"_{owner.__name__.lstrip('_')}{name}", _MISSING)
    return found


def _suggestion(owner: object, name: str) -> str:
    names = (
        [candidate for candidate in vars(owner) if not candidate.startswith("__")] if _has_vars(owner) else []
    )
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _has_vars(value: object) -> bool:
    return hasattr(value, "__dict__")


def _why_not(value: object, owner: object) -> str:
    if any(True for _ in _functions_of_value(value, "", owner)):
        return "has no source: it was made by exec or eval, or its file is gone"
    if callable(value) or isinstance(value, (classmethod, staticmethod)):
        return "has no source: it is not written in Python"
    return f"is of type {type(value).__name__!r}; give a function, a method or a class"


def _functions_of_module(module: types.ModuleType, place: str) -> list[Found]:
    found: list[Found] = []
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__:
            found += _functions_of_class(value, name)
        elif not isinstance(value, type):
            found += _functions_of_value(value, name, module)
    own = _in_order(f for f in found if f.code.co_filename == module.__file__)
    if not own:
        raise UsageError(f"{place} defines no functions")
    return own


def _in_order(found: Iterable[Found]) -> list[Found]:
    """As the file has them, without second names of the same function, such as `backward = forward`."""
    by_code: dict[types.CodeType, Found] = {}
    for function in found:
        # Python 3.14 has such a function for a class's annotations.
        if function.code.co_name != "__annotate__":
            by_code.setdefault(function.code, function)
    return sorted(by_code.values(), key=lambda f: f.line)


def _functions_of_class(cls: type, name: str) -> Iterator[Found]:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    mangling = f"_{cls.__name__.lstrip('_')}__"
    for attribute, value in vars(cls).items():
        member = f"__{attribute.removeprefix(mangling)}" if attribute.startswith(mangling) else attribute
        if isinstance(value, type):
            if value.__qualname__ == f"{cls.__qualname__}.{member}":
                yield from _functions_of_class(value, f"{name}.{member}")
        else:
            for found in _functions_of_value(value, f"{name}.{member}", cls):
                # A dataclass or a named tuple has methods that were generated, or are the standard library's.
                if found.code.co_filename == file and _has_source(found.function):
                    yield found


def _functions_of_value(value: object, name: str, owner: object) -> Iterator[Found]:
    """The functions behind one member of `owner`: a function, a method, a property, a decorated one."""
    in_class = isinstance(owner, type)
    match value:
        case staticmethod():
            yield from _functions_of_value(value.__func__, name, owner=None)
        case classmethod():
            yield from _functions_of_value(types.MethodType(value.__func__, owner), name, owner)
        case property():
            for accessor in (value.fget, value.fset, value.fdel):
                yield from _functions_of_value(accessor, name, owner)
        case functools.cached_property() | functools.partialmethod():
            yield from _functions_of_value(value.func, name, owner)
        case functools.partial():
            for found in _functions_of_value(value.func, name, owner):
                yield dataclasses.replace(found, call=value)
        case types.MethodType():
            for found in _functions_of_value(value.__func__, name, owner=None):
                yield dataclasses.replace(found, call=types.MethodType(found.function, value.__self__))
        case types.FunctionType() if not hasattr(value, "__wrapped__"):
            yield Found(name, value, value.__code__, value, in_class)
        case _:
            inner = _undecorated(value)
            if inner is not value:
                yield from _functions_of_value(inner, name, owner)
            elif isinstance(
                call := inspect.getattr_static(type(value), "__call__", None), types.FunctionType
            ):
                yield from _functions_of_value(types.MethodType(call, value), name, owner)


def _undecorated(value: object) -> object:
    try:
        return inspect.unwrap(value) if callable(value) else value
    except (
        Exception
    ):  # an object that answers to every name, such as a lazy proxy, is not a decorated function
        return value


def _has_source(function: Callable[..., Any]) -> bool:
    # Since 3.13, linecache has the text of `python -c` by that name.
    if inspect.getfile(function) == "<string>":
        return False
    try:
        inspect.getsource(function)
    except (OSError, TypeError, SyntaxError):
        return False
    return True
