"""Which functions of the user's does a program come from? The one that was traced, and those that it calls, with their texts."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Collection, Iterator
from typing import Any

import gast

from autograph_lite import transpiler
from autograph_lite.errors import AutographError
from autograph_lite.operators.user_code import ownership
from autograph_lite.runtime.explaining.line_links import Line, Place
from autograph_lite.syntax import codes
from autograph_lite.syntax.names import of_code
from autograph_lite.syntax.source_text import source


@dataclasses.dataclass(frozen=True)
class Section:
    """A function of the user's."""

    name: str  # as Python qualifies it
    path: str  # its file
    first_line: int  # where it begins there
    source: tuple[Line, ...]  # its lines as they are written
    generated: tuple[Line, ...]  # those of its generated code; empty where it was called as it is
    note: str = ""  # why there is no generated code; else empty

    def covers(self, place: Place) -> bool:
        """Whether a place is one of its lines."""
        return place[0] == self.path and 0 <= place[1] - self.first_line < len(self.source)


def sections(fn: Any, places: Collection[Place], *, recursive: bool = True) -> list[Section]:
    """The function, and those it leads to with a line among `places`. Raises AutographError: the function has no source."""
    main = _python_function(fn)
    found = [_section(main, converted=True)]
    left = {place for place in places if not found[0].covers(place)}
    for callee in _reachable(main, getattr(fn, "__self__", None)):
        if not any(_may_cover(callee, place) for place in left):
            continue
        try:
            section = _section(callee, converted=recursive and ownership.is_users(callee))
        except AutographError:
            continue
        if any(map(section.covers, left)):
            found.append(section)
            left = {place for place in left if not section.covers(place)}
    return found


def _python_function(fn: Any) -> Any:
    """The function that was written: of a method, of a `functools.partial`, of an object that can be called."""
    while not isinstance(fn, types.FunctionType):
        inner = next((getattr(fn, name) for name in ("__func__", "func") if hasattr(fn, name)), None)
        if inner is None:
            return vars(type(fn)).get("__call__", fn)
        fn = inner
    return inspect.unwrap(fn)


def _section(fn: types.FunctionType, *, converted: bool) -> Section:
    read = source.read_source(fn)
    choices = _choices(read.node)
    own = tuple(
        Line(
            text, frozenset((read.path, each) for each in {number, *choices.get(number, ())} if text.strip())
        )
        for number, text in enumerate(read.text.splitlines(), read.first_line)
    )
    name = fn.__qualname__.rpartition("<locals>.")[2]
    if not converted:
        return Section(name, read.path, read.first_line, own, (), "not converted: called as it is")
    text, numbers = transpiler.to_mapped_source(fn, ownership.leads_to_library)
    generated = tuple(
        Line(line, frozenset((read.path, number) for number in lines))
        for line, lines in zip(text.splitlines(), numbers, strict=True)
    )
    return Section(name, read.path, read.first_line, own, generated)


def _choices(node: gast.AST) -> dict[int, set[int]]:
    """The lines of the first cases of each `match`, by its own: there the program has the choice."""
    found: dict[int, set[int]] = {}
    for each in gast.walk(node):
        if isinstance(each, gast.Match):
            found.setdefault(each.lineno, set()).add(each.cases[0].pattern.lineno)
    return found


def _may_cover(fn: types.FunctionType, place: Place) -> bool:
    return fn.__code__.co_filename == place[0] and fn.__code__.co_firstlineno <= place[1]


def _reachable(fn: types.FunctionType, instance: Any) -> Iterator[types.FunctionType]:
    """The functions of the user's that `fn` may call, by the names in its code, the nearest first."""
    todo: list[Any] = [fn, *_members(type(instance))] if instance is not None else [fn]
    seen: set[int] = {id(fn)}
    for each in todo:
        names = set(of_code(each.__code__))
        values = [each.__globals__[name] for name in names if name in each.__globals__]
        values += codes.closure_variables(each).values()
        modules = [value for value in values if isinstance(value, types.ModuleType)]
        values += [vars(module)[name] for module in modules for name in names if name in vars(module)]
        new = [inner for value in values for inner in _functions(value) if id(inner) not in seen]
        for inner in dict.fromkeys(new):
            if not ownership.is_library_file(inner.__code__.co_filename):
                seen.add(id(inner))
                todo.append(inner)
    yield from (each for each in todo if each is not fn)


def _functions(value: Any) -> list[types.FunctionType]:
    """The functions that a value is made of: itself, what it wraps, or the methods of its class."""
    if isinstance(value, types.ModuleType):
        return []
    found = ownership.functions_of(value) or _members(value if isinstance(value, type) else type(value))
    inner = [inspect.unwrap(each) for each in found if callable(each)]
    return [each for each in inner if isinstance(each, types.FunctionType)]


def _members(kind: type) -> list[types.FunctionType]:
    if not ownership.is_users_class(kind):
        return []
    values = [value for base in kind.__mro__[:-1] for value in vars(base).values()]
    return [
        each
        for value in values
        for each in ownership.functions_of(value)
        if isinstance(each, types.FunctionType)
    ]
