"""How is a check of a program written as data, so that it raises where the user's classes are not known?

raise ValueError(f"{mass} kg")      {"type": "builtins.ValueError", "args": {"tuple": [{"text": ["{} kg", ...]}]}, ...}

Python's own exceptions come back as such; those of the user's as `SavedCheckError`, with their names and texts.
"""

from __future__ import annotations

import builtins
import functools
import string
from collections.abc import Sequence
from typing import Any

from autograph_lite import errors
from autograph_lite.errors import AutographError, SavedCheckError
from autograph_lite.operators.checks.exception_attributes import set_attributes
from autograph_lite.operators.checks.exception_templates import Hole, Outline, Pattern
from autograph_lite.operators.checks.raising import Site
from autograph_lite.operators.checks.traced_text import printable
from autograph_lite.runtime.saving.saved_values import (
    Json,
    NotDataError,
    literal,
    read_literal,
    read_tree,
    tree,
)


def encode_check(site: Site) -> Json:
    """A check of a program as data."""
    last = site.trace[-1] if site.trace else None
    line = f"{last.path}:{last.span[0]} in {last.function}" if last is not None else ""
    if site.outline is None:
        raise NotDataError("a check that comes from a file itself")
    return {"number": site.number, "line": line, "error": _error(site.outline)}


def _error(outline: Outline) -> Json:
    kind = outline.kind
    return {
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "args": tree(outline.args, _part),
        "attributes": tree(outline.attributes, _part),
        "cause": None if outline.cause is None else _error(outline.cause),
        "context": None if outline.context is None else _error(outline.context),
        "hides_context": outline.hides_context,
        "weak": list(outline.weak),
    }


def _part(value: Any, *, exact: bool = False) -> Json:
    """An argument of an exception as data; unless it has to be exact, what a message would show of one that is none."""
    if isinstance(value, Hole):
        return {"hole": value.number} if value.number >= 0 or not exact else literal(value)
    if isinstance(value, Pattern):
        return {"text": [value.template, tree(value.values, functools.partial(_part, exact=exact))]}
    try:
        return literal(value)
    except NotDataError:
        if exact:
            raise
        return literal(str(value))


def is_exact(site: Site) -> bool:
    """Whether a check is the same after it was data: its exceptions are Python's or ours, and what they hold is data."""
    return _is_exact(site.outline)


def _is_exact(outline: Outline | None) -> bool:
    if outline is None:
        return True
    if outline.kind.__module__ not in ("builtins", errors.__name__):
        return False
    try:
        tree((outline.args, outline.attributes), functools.partial(_part, exact=True))
    except NotDataError:
        return False
    return _is_exact(outline.cause) and _is_exact(outline.context)


def read_check(data: Json, values: Sequence[Any]) -> BaseException:
    """The exception of a check that has failed."""
    error = read_error(data["error"], values)
    if data["line"]:
        error.add_note(f"Raised at {data['line']}, in the source that was saved.")
    return error


def read_error(data: Json, values: Sequence[Any]) -> BaseException:
    """The exception that data stand for, with these values of its payload."""
    pairs = zip(values, data["weak"], strict=True)
    known = [value.item() if weak and value.ndim == 0 else value for value, weak in pairs]
    read = functools.partial(read_tree, read=functools.partial(_read_part, values=known))
    error = _made(data["type"], read(data["args"]))
    set_attributes(error, read(data.get("attributes", _NONE)))  # not there in files of earlier versions
    for name in ("cause", "context"):
        if data.get(name) is not None:
            setattr(error, f"__{name}__", read_error(data[name], values))
    error.__suppress_context__ = data["hides_context"]
    return error


_NONE: Json = {"dict": []}


def refuse_unreadable(data: Json, count: int) -> None:
    """Raises an exception for what `read_error` could not read; makes no text, which values may be wrong for."""
    if not (type(data["type"]) is str and type(data["hides_context"]) is bool and type(data["weak"]) is list):
        raise ValueError("an exception is told in another way")
    if len(data["weak"]) != count:
        raise ValueError(f"an exception has {count} values, and {len(data['weak'])} are named")
    args = read_tree(data["args"], read=functools.partial(_tried_part, count=count))
    if type(args) is not tuple:
        raise ValueError("the arguments of an exception are no tuple")
    attributes = read_tree(data.get("attributes", _NONE), read=functools.partial(_tried_part, count=count))
    if type(attributes) is not dict or any(type(name) is not str for name in attributes):
        raise ValueError("the attributes of an exception have no names")
    if type(attributes.get("__notes__", [])) is not list:
        raise ValueError("the notes of an exception are no list")
    for other in (data["cause"], data.get("context")):
        if other is not None:
            refuse_unreadable(other, count)


def _tried_part(data: Json, count: int) -> Any:
    if "hole" in data:
        if type(data["hole"]) is not int or data["hole"] >= count:
            raise ValueError(f"{data['hole']!r} is no number of a value")
        return None
    if "text" in data:
        template, fields = data["text"]
        inner = read_tree(fields, read=functools.partial(_tried_part, count=count))
        _refuse_lookups(template)
        template.format(*[_Anything()] * len(inner))
        return None
    return read_literal(data)


class _Anything:
    """Has any format."""

    def __format__(self, spec: str) -> str:
        return ""

    def __str__(self) -> str:
        return ""

    __repr__ = __str__


def _read_part(data: Json, values: Sequence[Any]) -> Any:
    if "hole" in data:
        return values[data["hole"]] if data["hole"] >= 0 else "?"
    if "text" in data:
        template, fields = data["text"]
        inner = read_tree(fields, read=functools.partial(_read_part, values=values))
        _refuse_lookups(template)
        return template.format(*map(printable, inner))
    return read_literal(data)


def _refuse_lookups(template: str) -> None:
    """Raises ValueError for a template that would read attributes of the values, which none of ours does."""
    for _, field, spec, _ in string.Formatter().parse(template):
        if field and not field.isdigit():
            raise ValueError(f"the template {template!r} has a field {field!r}")
        _refuse_lookups(spec or "")


def _made(name: str, args: tuple[Any, ...]) -> BaseException:
    module, _, kind = name.rpartition(".")
    home = {"builtins": builtins, errors.__name__: errors}.get(module)
    known = getattr(home, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        try:
            return _ours(known, args) if issubclass(known, AutographError) else known(*args)
        except Exception:  # it wants other arguments than it shows
            pass
    return SavedCheckError(
        f"{kind}: {', '.join(map(str, args))}" if args else kind,
        why=f"The function raised '{name}', a class that the file does not hold.",
        fix="catch autograph_lite.SavedCheckError, or raise one of Python's own exceptions.",
    )


def _ours(kind: type[AutographError], args: tuple[Any, ...]) -> BaseException:
    made = kind.__new__(kind, *args)
    made.args, made.what, made.where, made.why, made.fix = args, str(args[0]), (), "", ""
    return made
