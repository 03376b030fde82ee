"""What of a class says something that nothing else does? What `namedtuple`, `dataclass` and `abc` put into it."""

from __future__ import annotations

import abc
import collections
import dataclasses
import functools
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from autograph_lite.operators.user_code import ownership
from autograph_lite.syntax.names import of_code

# Attributes of classes that Python makes of the text, in any order; who reads `__doc__` is refused (see `stable_names`).
DERIVED = frozenset({
    "__doc__", "__static_attributes__", "__firstlineno__", "__annotate__", "__annotate_func__",
    "__annotations_cache__", "__conditional_annotations__",
})  # fmt: skip


def made_of_fields(kind: type) -> Mapping[str, Any]:
    """What `namedtuple` makes for a class with these fields, of nothing but their names."""
    fields = vars(kind).get("_fields")
    if not issubclass(kind, tuple) or not isinstance(fields, tuple):
        return {}
    return dict(vars(collections.namedtuple("_", fields, rename=True)))  # a copy: the class is let go of


def code_of(value: Any) -> types.CodeType | None:
    """The code of a method, whatever kind it is."""
    return getattr(getattr(value, "__func__", value), "__code__", None)


@functools.cache
def names_in_methods(kind: Any) -> frozenset[str]:
    """The names that a class's own methods use, those of the attributes among them that all its objects have."""
    found = [code_of(method) for base in kind.__mro__ for method in vars(base).values()]
    return frozenset(name for code in found if code is not None for name in of_code(code))


def of_field(field: dataclasses.Field[Any]) -> Iterator[Any]:
    """What `dataclasses.fields` tells of one."""
    kind = field.type
    yield kind if isinstance(kind, type) and is_of_user(kind) else str(kind)
    held = {name: getattr(field, name) for name in field.__slots__ if name not in ("type", "metadata")}
    held["_field_type"] = repr(held["_field_type"])
    yield {name: "missing" if value is dataclasses.MISSING else value for name, value in held.items()}
    yield dict(field.metadata)


def registered(kind: Any) -> Iterator[str]:
    """The classes that count as an abstract one's because somebody has said so of it, or of one below it."""
    for known in abc._get_dump(kind)[0]:  # type: ignore[attr-defined]
        cls = known()
        if cls is not None and (is_of_user(kind) or is_of_user(cls)):
            yield f"{cls.__module__}.{cls.__qualname__}"
    for child in type.__subclasses__(kind):
        yield from registered(child)


def is_of_user(kind: type) -> bool:
    """Whether the user has written a class."""
    return ownership.is_users_class(kind) or is_users_module(kind.__module__)


@functools.cache
def is_users_module(name: str) -> bool:
    """Whether a module of this name is the user's."""
    path = getattr(sys.modules.get(name), "__file__", None)
    return path is not None and not ownership.is_library_file(path)
