"""Exception templates: how is an exception made again, once the traced values in its message are known?

While a function is traced, `raise Heavy(f"{mass} kg")` makes the exception with a tracer in it. Its recipe is the call that
made it, `Heavy(...)`, with holes for the traced values; these travel in the program, and the call is repeated with them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import re
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from autograph_lite.errors import AutographError
from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.references import shape_errors
from autograph_lite.operators.checks import held_containers, known_exceptions
from autograph_lite.operators.checks.exception_attributes import PREFIX, Held, held_attributes, set_attributes
from autograph_lite.operators.checks.traced_text import (
    Text,
    Unknown,
    as_unknown,
    bare,
    has_own_text,
    holds_traced,
    into_payload,
    shows_traced,
)
from autograph_lite.operators.effects import journal
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.values import Tracer, traced

# Exceptions on their way to the statement that stages them; a user's `except` may have stopped some.
REMEMBERED = 32


@dataclasses.dataclass(frozen=True)
class Made:
    """An exception, the call that made it, and what it held then."""

    error: BaseException
    kind: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    held: Held


def note_recipe(
    error: BaseException, kind: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Remembers that `kind(*args, **kwargs)` made `error`, or has given it, where it is no method of `error` itself."""
    if getattr(kind, "__self__", None) is not error:
        _remember(Made(error, kind, args, kwargs, Held(error)))


def making(kind: Callable[..., Any]) -> Callable[..., Any]:
    """`kind`, which makes exceptions, with a memory of how."""

    def make(*args: Any, **kwargs: Any) -> Any:
        error = kind(*args, **kwargs)
        if isinstance(error, BaseException):
            note_recipe(error, kind, args, kwargs)
        return error

    return make


def explicit(error: BaseException) -> None:
    """Remembers that the user's `raise` statement raises `error`."""
    _remember(error)


def is_explicit(error: BaseException) -> bool:
    """Whether a `raise` statement of the user's has raised `error`, or Python has, of values that it knows.

    Such are a read of what has no value or is not there, a division by 0, a use of None, and a loop over a dict or a set that
    changes which keys it has.
    """
    if covered(error) is not None:
        return False
    unassigned = type(error) is UnboundLocalError or (
        type(error) is NameError and "free variable" in str(error)
    )
    return (
        unassigned
        or any(known is error for known in _remembered())
        or hasattr(error, _EXPLICIT)
        or is_about_none(error)
        or _is_of_known_values(error)
    )


def is_about_none(error: BaseException) -> bool:
    """Whether a line of the user's has used None for what it is not, as the `best` of `best = None; found = False`.

    Or a text, a dict or the like, as an operand.
    """
    path = _last_file(error)
    if ownership.is_library_file(path) and not path.startswith(f"{source_places.PACKAGE}/"):
        return False
    if isinstance(error, AttributeError):
        return error.name is not None and error.obj is None  # a `raise` of the user's has no name
    return type(error) is TypeError and (
        "NoneType" in str(error) or known_exceptions.is_about_operands(error)
    )


def _is_of_known_values(error: BaseException) -> bool:
    """Whether Python tells of a container that it has no such item, or changes in a loop over it, or of a division by 0.

    Or of an object of the user's, or an array, that it has no such attribute, or of a sequence that it has more or fewer
    items than names.
    Or NumPy's types do not hold a number of Python's.
    """
    if type(error) in (OverflowError, ValueError) and str(error).startswith(_BEYOND):
        return True
    if type(error) is RuntimeError:
        return _CHANGED.search(str(error)) is not None
    path = _last_file(error)
    if type(error) is AttributeError and error.name is not None and _is_known(error.obj, error):
        return path.startswith(f"{source_places.PACKAGE}/") or not ownership.is_library_file(path)
    is_uneven = type(error) is ValueError and _UNEVEN.match(str(error)) is not None
    is_known = is_uneven or type(error) in (IndexError, KeyError, ZeroDivisionError)
    return is_known and not ownership.is_library_file(path)


def _is_known(asked: Any, error: AttributeError) -> bool:
    """Whether what has been asked for an attribute has none in Python, either: a list's, `x.append`, where `x` is an array."""
    if isinstance(asked, Tracer):
        return hasattr(list, str(error.name)) and known_exceptions.is_raised_anyway(error)
    return ownership.may_be_chosen(type(asked))


_BEYOND = ("Python integer ", "cannot convert float ")
_UNEVEN = re.compile("(?:not enough|too many) values to unpack ")
_CHANGED = re.compile("(?:changed size|keys changed|mutated) during iteration$")


def _last_file(error: BaseException) -> str:
    """The file whose line has raised `error`; "" where that is not known."""
    entries = source_places.entries(error.__traceback__)
    return entries[-1].tb_frame.f_code.co_filename if entries else ""


def covered(error: BaseException) -> AutographError | None:
    """The refusal of ours that was on its way when a `finally` of the user's raised `error` in its place."""
    known = error.__context__
    while known is not None and not isinstance(known, AutographError):
        known = known.__context__
    return known


# Of an exception that is raised before any staged statement, and may be raised again in one: `except ...: if x > 0: raise`.
_EXPLICIT, _CALL = shape_errors.EXPLICIT, f"{PREFIX}call__"


def _remember(fact: Made | BaseException) -> None:
    """Keeps a fact until the outermost staged statement is over: there are tracers in it."""
    if journal.outermost() is None:
        with contextlib.suppress(AttributeError):
            if tracing_state.is_tracing() and isinstance(fact, Made):
                setattr(fact.error, _CALL, fact)
            elif tracing_state.is_tracing():
                setattr(fact, _EXPLICIT, True)
        return
    kept = _remembered()
    kept.append(fact)
    del kept[:-REMEMBERED]


def _remembered() -> list[Any]:
    outermost = journal.outermost()
    return outermost.exceptions if outermost is not None else []


def _call_of(error: BaseException) -> Made | None:
    """The call that made `error`."""
    known = next((m for m in reversed(_remembered()) if isinstance(m, Made) and m.error is error), None)
    return known or getattr(error, _CALL, None)


@dataclasses.dataclass(frozen=True)
class Hole:
    """Stands for a value of the payload: the one of that number."""

    number: int


@dataclasses.dataclass(frozen=True)
class Pattern:
    """Text with values of the payload in it: a template for `str.format`, and the values of its fields."""

    template: str
    values: Any


@dataclasses.dataclass(frozen=True)
class Outline:
    """An exception without the values of its payload, to be written to a file."""

    kind: type[BaseException]  # its class
    args: Any  # its arguments, with a `Hole` or `Pattern` where values of the payload go
    attributes: Any  # those that were set since it was made, likewise
    cause: Outline | None  # that of its cause; None if it has none
    context: Outline | None  # that of the exception in whose handler it was raised
    hides_context: bool  # whether it was raised `from` something
    weak: tuple[bool, ...]  # of each value of the payload, whether it was a Python number before tracing


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How to make an exception."""

    payload: list[Any]  # the traced values that it needs
    # makes it from the values that they have in the program that has run
    make: Callable[[Sequence[Any]], BaseException]
    template: str  # its text as checkify formats it
    outline: Outline  # what a file can hold of it


@dataclasses.dataclass(frozen=True)
class Chain:
    """What an exception was raised from, and what was handled then."""

    cause: BaseException | None
    context: BaseException | None


def recipe_of(error: BaseException, chain: Chain | None = None) -> Recipe:
    """The recipe of `error`, and of its cause and context, which are those of `chain` where that is given."""
    if is_about_none(error):  # Python's text names the types of both operands
        error.args = tuple(
            re.sub(r"\b\w*Tracer\b", "Array", each) if type(each) is str else each for each in error.args
        )
    payload: list[Any] = []
    chain = chain or chain_of(error)
    make = _with_chain(error, chain, payload)
    weak = [avals.weak_type(value) if isinstance(value, jax.Array) else True for value in payload]

    def run(values: Sequence[Any]) -> BaseException:
        # What was a Python number before tracing is one in the message, too.
        known = [
            value.item() if is_weak and value.ndim == 0 and not isinstance(value, Tracer) else value
            for value, is_weak in zip(values, weak, strict=True)
        ]
        return make(known)

    return Recipe(payload, run, _template(error), _outline(error, chain, payload, tuple(weak)))


def _with_chain(
    error: BaseException, chain: Chain, payload: list[Any], within: Sequence[BaseException] = ()
) -> Callable[[list[Any]], BaseException]:
    """`_maker`, with cause and context, and those of these."""
    make, within = _maker(error, payload), [*within, error]
    hides, from_context = error.__suppress_context__, chain.cause is chain.context
    others = [
        None if other is None or any(other is each for each in within)
        else _with_chain(other, chain_of(other), payload, within)
        for other in (chain.cause, None if from_context else chain.context)
    ]  # fmt: skip

    def run(values: list[Any]) -> BaseException:
        new = make(values)
        cause, context = (None if other is None else other(values) for other in others)
        new.__cause__, new.__context__ = cause, cause if from_context else context
        new.__suppress_context__ = hides
        return new

    return run


def chain_of(error: BaseException) -> Chain:
    """What an exception tells of that itself."""
    context = error.__context__
    return Chain(error.__cause__, context if context is not None and _is_users(context) else None)


def _is_users(context: BaseException) -> bool:
    """Whether it is the user's code that has caught an exception: one of the program, not one around it."""
    caught = context.__traceback__
    return not isinstance(context, AutographError) and (
        caught is None or is_converted_code(caught.tb_frame.f_code)
    )


def _outline(
    error: BaseException,
    chain: Chain,
    payload: Sequence[Any],
    weak: tuple[bool, ...],
    within: Sequence[BaseException] = (),
) -> Outline:
    numbers = {id(value): number for number, value in enumerate(payload)}

    def shown(leaf: Any) -> Any:
        if isinstance(leaf, Text):
            return Pattern(leaf.template, pytrees.map(shown, leaf.values))
        if isinstance(leaf, BaseException) and holds_traced(leaf):  # a file has its text alone
            one = len(leaf.args) == 1
            plain = one and not isinstance(leaf, KeyError)
            return Pattern("{}" if plain else "{!r}", pytrees.map(shown, leaf.args if one else (leaf.args,)))
        if shows_traced(leaf):
            return type(leaf).__name__
        if isinstance(leaf, held_containers.KINDS) and holds_traced(leaf):  # a file has its text alone
            inside: list[Any] = []
            into_payload(leaf, inside)
            return Pattern(_field(leaf, itertools.count()), [*map(shown, inside)])
        found = unboxed(leaf)
        return Hole(numbers.get(id(found), -1)) if traced(found) else leaf

    within = [*within, error]
    cause, context = (
        None if other is None or any(other is each for each in within)
        else _outline(other, chain_of(other), payload, weak, within)
        for other in (chain.cause, chain.context)
    )  # fmt: skip
    args, attributes = pytrees.map(shown, (error.args, _set_since(error, _call_of(error))))
    hides = error.__suppress_context__
    return Outline(type(error), args, attributes, cause, context, hides, weak)


def _maker(error: BaseException, payload: list[Any]) -> Callable[[list[Any]], BaseException]:
    """Makes `error` again from all the payload's values; adds those that it needs to the payload."""
    kind, call = type(error), _call_of(error)
    construct = (
        None if call is None else call.kind
    )  # the program keeps what makes the exception, and no tracers
    args: dict[str, Any] = {"args": error.args}
    parts = args if call is None else {"call": (call.args, call.kwargs), **args}
    replaced = call is not None and call.held.args is not error.args
    # What the message shows comes first in the payload, see `_template`.
    parts = {**(args if replaced else {}), **parts, "attributes": _set_since(error, call)}
    removed = [] if call is None else call.held.removed(error)
    rebuilt = into_payload(parts, payload)

    def make(values: list[Any]) -> BaseException:
        known, new = rebuilt(values), None
        if construct is not None:
            with contextlib.suppress(Exception):  # a user's constructor may want what it got while tracing
                given, named = known["call"]
                new = construct(*given, **named)
        if not isinstance(new, BaseException):
            new = bare(kind, known["args"], {})
        elif replaced:
            new.args = known["args"]
        set_attributes(new, known["attributes"], removed)
        return new

    return make


def _set_since(error: BaseException, call: Made | None) -> dict[str, Any]:
    """The attributes that an exception has got since the call that made it."""
    return held_attributes(error) if call is None else call.held.set_since(error)


def _template(error: BaseException) -> str:
    """The message for checkify, whose fields take the payload's values, in order."""
    call = _call_of(error)
    fresh = call is not None and call.held.args is error.args
    shown = (*call.args, *call.kwargs.values()) if call is not None and fresh else error.args
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
        if holds_traced(value):
            result += _field(value, fields)
        else:
            result += _quoted(f"{{{'!' + conversion if conversion else ''}:{spec or ''}}}".format(value))
    return result


def _field(value: Any, fields: Iterator[int]) -> str:
    """A field for each traced value in `value`, in the order of the payload."""
    if not holds_traced(value):
        return _quoted(value)
    if traced(value):
        return f"{{{next(fields)}}}"
    if isinstance(value, Text):
        return _text_template(value, fields)
    payload: list[Any] = []
    make = into_payload(value, payload)
    try:
        numbered = make([Unknown(leaf, f"\0{next(fields)}\1") for leaf in payload])
        if isinstance(numbered, BaseException) and has_own_text(numbered):
            numbered = BaseException.__str__(numbered)
        return _quoted(numbered).replace("\0", "{").replace("\1", "}")
    except Exception:  # a method of the user's may compute with what it shows
        return _quoted(pytrees.map(as_unknown, value))


def _quoted(value: Any) -> str:
    return str(value).replace("{", "{{").replace("}", "}}")
