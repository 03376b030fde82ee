"""How is an exception made again, once the traced values in its message are known?

While a function is traced, `raise Heavy(f"{mass} kg")` makes the exception with a tracer in it. Its recipe is the call that
made it, `Heavy(...)`, with holes for the traced values; these travel in the program, and the call is repeated with them.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from autograph_lite import _jax
from autograph_lite.operators import journal
from autograph_lite.operators.values import describe, traced

REMEMBERED = (
    32  # exceptions on their way to the statement that stages them; a user's `except` may have stopped some
)


@dataclasses.dataclass(frozen=True)
class Made:
    """An exception and the call that made it."""

    error: BaseException
    kind: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def made(
    error: BaseException, kind: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Remembers that `kind(*args, **kwargs)` made `error`."""
    _remember(Made(error, kind, args, kwargs))


def making(kind: Callable[..., Any]) -> Callable[..., Any]:
    """`kind`, which makes exceptions, with a memory of how."""

    def make(*args: Any, **kwargs: Any) -> Any:
        error = kind(*args, **kwargs)
        if isinstance(error, BaseException):
            made(error, kind, args, kwargs)
        return error

    return make


def explicit(error: BaseException) -> None:
    """Remembers that the user's `raise` statement raises `error`."""
    _remember(error)


def is_explicit(error: BaseException) -> bool:
    """Whether a `raise` statement of the user's has raised `error`, or the read of a variable without a value."""
    unassigned = type(error) is UnboundLocalError or (
        type(error) is NameError and "free variable" in str(error)
    )
    return unassigned or any(known is error for known in _remembered())


def _remember(fact: Made | BaseException) -> None:
    """Keeps a fact until the outermost staged statement is over: there are tracers in it."""
    kept = _remembered()
    kept.append(fact)
    del kept[:-REMEMBERED]


def _remembered() -> list[Any]:
    outermost = journal.outermost()
    return outermost.exceptions if outermost is not None else []


def _call_of(error: BaseException) -> Made | None:
    """The call that made `error`."""
    return next((m for m in reversed(_remembered()) if isinstance(m, Made) and m.error is error), None)


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How to make an exception.

    Attributes:
      payload: the traced values that it needs.
      make: makes it from the values that they have in the program that has run.
      template: its text as checkify formats it.
    """

    payload: list[Any]
    make: Callable[[Sequence[Any]], BaseException]
    template: str


def of(error: BaseException) -> Recipe:
    """The recipe of `error`, and of its cause."""
    payload: list[Any] = []
    make = _maker(error, payload)
    cause, hidden = error.__cause__, error.__suppress_context__
    make_cause = _maker(cause, payload) if cause is not None else None
    weak = [_jax.weak_type(value) if isinstance(value, jax.Array) else True for value in payload]

    def run(values: Sequence[Any]) -> BaseException:
        # What was a Python number before tracing is one in the message, too.
        known = [
            value.item() if is_weak and value.ndim == 0 else value
            for value, is_weak in zip(values, weak, strict=True)
        ]
        new = make(known)
        new.__cause__ = make_cause(known) if make_cause is not None else None
        new.__suppress_context__ = hidden
        return new

    return Recipe(payload, run, _template(error))


def _maker(error: BaseException, payload: list[Any]) -> Callable[[list[Any]], BaseException]:
    """Makes `error` again from all the payload's values; adds those that it needs to the payload."""
    kind = type(error)
    call = _call_of(error)
    if call is None:
        args, attributes = _parted(error.args, payload), _parted(vars(error), payload)
        return lambda values: _bare(kind, args(values), attributes(values))
    parted = _parted((call.args, call.kwargs), payload)
    seen = _parted(error.args, payload)
    construct = call.kind

    def make(values: list[Any]) -> BaseException:
        args, kwargs = parted(values)
        try:
            new = construct(*args, **kwargs)
        except Exception:  # a user's constructor may want what it got while tracing
            new = None
        return new if isinstance(new, BaseException) else _bare(kind, seen(values), {})

    return make


def _bare(kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """An exception past its constructor."""
    new = kind.__new__(kind, *args)
    new.args = args
    vars(new).update(attributes)
    return new


def _fixed(value: Any, _values: Sequence[Any]) -> Any:
    return value


def _parted(tree: Any, payload: list[Any]) -> Callable[[Sequence[Any]], Any]:
    """Rebuilds `tree` from the payload's values; adds its traced values to the payload."""
    leaves, structure = jax.tree.flatten(tree, is_leaf=lambda v: isinstance(v, Text))
    slots: list[Callable[[Sequence[Any]], Any]] = []
    for leaf in leaves:
        if isinstance(leaf, Text):
            slots.append(leaf.rebuilt(payload))
        elif traced(leaf):
            payload.append(leaf)
            slots.append(operator.itemgetter(len(payload) - 1))
        else:
            slots.append(functools.partial(_fixed, leaf))
    return lambda values: jax.tree.unflatten(structure, [slot(values) for slot in slots])


class Text(str):
    """Text with traced values in it: their values come in when the program has run.

    Attributes:
      template: for `str.format`.
      values: of the template's fields, some of them traced.
    """

    template: str
    values: tuple[Any, ...]

    def rebuilt(self, payload: list[Any]) -> Callable[[Sequence[Any]], str]:
        """Makes the text from the payload's values; adds the traced values to the payload."""
        parts = _parted(self.values, payload)
        template = self.template
        return lambda values: template.format(*map(_known, parts(values)))


def _known(value: Any) -> Any:
    """A scalar of JAX's prints as NumPy's scalar in text: 0.1 for a float32."""
    return value[()] if getattr(value, "shape", None) == () else value


def format(template: str, *values: Any) -> str:
    """`template.format(*values)`; where a value is traced, text that is completed when the program has run."""
    if not _holds_traced(values):
        return template.format(*values)
    shown = jax.tree.map(lambda leaf: _Unknown(leaf) if traced(leaf) else leaf, values)
    new = Text(template.format(*shown))
    new.template, new.values = template, values
    return new


class _Unknown:
    """Stands for a traced value in text that nobody should read."""

    def __init__(self, value: Any, text: str = "") -> None:
        self.text = text or describe(value)

    def __format__(self, spec: str) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def _template(error: BaseException) -> str:
    """The message for checkify, whose fields take the payload's values, in order."""
    call = _call_of(error)
    shown = (*call.args, *call.kwargs.values()) if call is not None else error.args
    fields = iter(range(1_000_000))
    parts = [
        _text_template(part, fields) if isinstance(part, Text) else _field(part, fields) for part in shown
    ]
    name = _quoted(type(error).__name__)
    return f"{name}: {', '.join(parts)}" if parts else name


def _text_template(text: Text, fields: Iterator[int]) -> str:
    result = ""
    values = iter(text.values)
    for literal, field, spec, conversion in string.Formatter().parse(text.template):
        result += _quoted(literal)
        if field is None:
            continue
        value = next(values)
        if _holds_traced(value):
            result += _field(value, fields)
        else:
            result += _quoted(f"{{{'!' + conversion if conversion else ''}:{spec or ''}}}".format(value))
    return result


def _field(value: Any, fields: Iterator[int]) -> str:
    """A field for each traced value in `value`, in the order of the payload."""
    if not _holds_traced(value):
        return _quoted(value)
    if traced(value):
        return f"{{{next(fields)}}}"
    numbered = jax.tree.map(
        lambda leaf: _Unknown(leaf, f"\0{next(fields)}\1") if traced(leaf) else leaf, value
    )
    return _quoted(numbered).replace("\0", "{").replace("\1", "}")


def _holds_traced(value: Any) -> bool:
    return any(map(traced, jax.tree.leaves(value)))


def _quoted(value: Any) -> str:
    return str(value).replace("{", "{{").replace("}", "}}")
