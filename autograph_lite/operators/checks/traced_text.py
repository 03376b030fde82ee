"""Traced text: what is text with traced values in it? What a message can be made of when they are known, and nothing else.

f"{mass} kg"                          ag.format("{} kg", mass)
raise Heavy(f"{mass} kg")             the program hands over `mass` when it has run, and the text is made then
if f"{mass}" == "3":                  refused: while tracing there is no such text
"""

from __future__ import annotations

import builtins
import functools
import inspect
import itertools
import logging
import operator
import re
import string
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsIndex, cast

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import symbolic_comparisons, tracing_state
from autograph_lite.operators.checks import held_containers
from autograph_lite.operators.purity import trial
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import instances, pytrees
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import OneOf, has_known_variants, on_each, settled
from autograph_lite.operators.values.values import Tracer, describe, is_symbolic, known_value, traced


def _fixed(value: Any, _values: Sequence[Any]) -> Any:
    return value


def into_payload(
    tree: Any, payload: list[Any], copies: dict[int, list[Any]] | None = None
) -> Callable[[Sequence[Any]], Any]:
    """Rebuilds `tree` from the payload's values; adds its traced values to the payload.

    Args:
      tree: the value.
      payload: the values that the program hands over.
      copies: where the copies of the objects around are that hold it.
    """
    whole, copies = copies is None, {} if copies is None else copies
    opened = held_containers.opened(tree, lambda leaf: _holds(leaf) or _holds_unknown(leaf))
    leaves, structure = pytrees.flatten(opened)
    leaves = [*map(unboxed, leaves)]
    slots: list[Callable[[Sequence[Any]], Any]] = []
    for leaf in leaves:
        if isinstance(leaf, Text):
            slots.append(leaf.rebuilt(payload))
        elif _is_caught(leaf):
            parts = into_payload((leaf.args, _attributes(leaf)), payload)
            slots.append(functools.partial(_made_again, type(leaf), parts))
        elif (shown := shows_traced(leaf) if whole else _leads_to_unknown(leaf)) or _holds_unknown(leaf):
            begun = id(leaf) in copies
            copy = copies.setdefault(id(leaf), [])
            state = {} if begun else instances.held_by(leaf)
            attributes = None if begun else into_payload(state, payload, copies)
            again = functools.partial(_again, type(leaf), copy, [*state], attributes)
            slots.append(again if shown else functools.partial(_kept_or_again, leaf, again))
        elif traced(leaf):
            trial.refuse_handing_over(leaf)
            payload.append(symbolic_comparisons.size_as_array(leaf) if is_symbolic(leaf) else leaf)
            slots.append(operator.itemgetter(len(payload) - 1))
        else:
            slots.append(functools.partial(_fixed, _as_now(leaf)))
    return lambda values: _with_items(
        settled(jax.tree.unflatten(structure, [slot(values) for slot in slots]))
    )


def _is_caught(value: Any) -> bool:
    """Whether a value is an exception whose text has traced values in it, as a `try` catches one."""
    if not isinstance(value, BaseException):
        return False
    return holds_traced((value.args, _attributes(value) if has_own_text(value) else {}))


def has_own_text(error: BaseException) -> bool:
    """Whether a method of Python's makes the text of an exception, of its attributes for instance."""
    methods = type(error).__str__, type(error).__repr__
    return any(isinstance(method, types.FunctionType) for method in methods)


def shows_traced(value: Any) -> bool:
    """Whether a method of the user's makes the text of an object, and asks for values that are not known yet."""
    if not _leads_to_unknown(value):
        return False
    payload: list[Any] = []
    try:
        shown = into_payload(value, payload, {})([_Unasked()] * len(payload))
        return any(type(leaf) is OneOf for leaf in _inside(value)) or not all(
            isinstance(make(shown), str) for make in (str, repr, builtins.format)
        )
    except Exception:  # it asks, or a method of the user's fails, which Python tells
        return True


def _leads_to_unknown(value: Any) -> bool:
    kind: type = type(value)
    return _writes_text(kind) and any(_is_unknown(leaf) or type(leaf) is OneOf for leaf in _inside(value))


def _holds_unknown(leaf: Any) -> bool:
    """Whether an object of the user's leads to traced values, whatever its text is."""
    return ownership.may_be_chosen(type(leaf)) and any(
        map(_is_unknown, _inside(leaf, ownership.may_be_chosen))
    )


def _inside(value: Any, opens: Callable[[type], bool] | None = None) -> Iterator[Any]:
    """What the attributes of an object lead to, through objects of classes that `opens` holds for: those that write text."""
    opens = opens or _writes_text
    left, seen = [value], {id(value)}
    while left:
        held = held_containers.opened(instances.held_by(left.pop()), lambda _: True)
        for leaf in map(unboxed, pytrees.leaves(held, lambda node: type(node) is OneOf)):
            yield leaf
            if id(leaf) not in seen and opens(type(leaf)):
                seen.add(id(leaf))
                left.append(leaf)


class _Unasked:
    """Stands for a value that is not known: whatever asks for it fails."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return _Unasked
        raise TypeError(name)

    def __str__(self) -> str:
        raise TypeError

    __repr__ = __str__
    __format__ = __bool__ = __eq__ = __ne__ = __hash__ = __str__  # type: ignore[assignment]


@functools.lru_cache(maxsize=4096)
def _writes_text(kind: type) -> bool:
    """Whether a method that is no library's makes the text of the objects of a class, all whose bases Python's statement made."""
    makers = [inspect.unwrap(getattr(kind, name)) for name in ("__str__", "__repr__", "__format__")]
    return (
        kind.__flags__ & _MADE_BY_A_STATEMENT != 0
        and all(base.__flags__ & _MADE_BY_A_STATEMENT for base in kind.__mro__[:-1])
        and not issubclass(kind, BaseException)
        and any(
            isinstance(fn, types.FunctionType) and not ownership.is_library_file(fn.__code__.co_filename)
            for fn in makers
        )
    )


_MADE_BY_A_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _again(
    kind: type,
    copy: list[Any],
    names: Sequence[str],
    attributes: Callable[[Sequence[Any]], Any] | None,
    values: Sequence[Any],
) -> Any:
    """An object with the attributes of those names, as they are in the payload; the copy, where that is begun."""
    if attributes is not None:
        copy[:] = [object.__new__(kind)]
        known = attributes(values)
        for name in names:
            object.__setattr__(copy[0], name, known[name])
    return copy[0]


def _kept_or_again(leaf: Any, again: Callable[[Sequence[Any]], Any], values: Sequence[Any]) -> Any:
    """The object itself; a copy, where the path that has made it is over, whose values it holds."""
    found = _inside(leaf, ownership.may_be_chosen)
    lost = any(
        isinstance(value, Text) or (isinstance(value, Tracer) and not tracing_state.is_alive(value))
        for value in found
    )
    return again(values) if lost else leaf


def _attributes(error: BaseException) -> dict[str, Any]:
    return {name: value for name, value in vars(error).items() if not isinstance(value, BaseException)}


def _made_again(
    kind: type[BaseException], parts: Callable[[Sequence[Any]], Any], values: Sequence[Any]
) -> BaseException:
    return bare(kind, *parts(values))


def bare(kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """An exception past its constructor."""
    new = kind.__new__(kind, *args)
    new.args = args
    vars(new).update(attributes)
    return new


def _as_now(value: Any) -> Any:
    """`value`; of what the user may write into before the program runs, an array of NumPy's or an object, a copy."""
    if shows_traced(value):
        kept: list[Any] = []
        return into_payload(value, kept)(kept)
    return value.copy() if isinstance(value, np.ndarray) else value


def refuse_reading(text: Any, *_: Any, by: str = "", where: Any = None) -> Any:
    """Raises PythonOnlyError: text that is not known yet is read, by a function of that name, at a place if not here."""
    raise PythonOnlyError(
        f"Text with the value of a traced array in it, {str.__str__(text)!r}, is compared, looked into or changed{by}.",
        where=where,
        why="The text is made while tracing, when the value is not known.",
        fix="use the value itself, or return it and make the text of the result. The messages of `assert` and `raise` are\n"
        "  completed, autograph_lite.print prints when the program runs, and autograph_lite.py_function calls Python then.",
    )


_refuse: Any = refuse_reading  # of whatever type the method is that it stands for


class Text(str):
    """Text with traced values in it: their values come in when the program has run."""

    template: str  # for `str.format`
    values: tuple[Any, ...]  # of the template's fields, some of them traced
    place: Any  # the user's line that has made it

    def rebuilt(self, payload: list[Any]) -> Callable[[Sequence[Any]], str]:
        """Makes the text from the payload's values; adds the traced values to the payload."""
        parts = into_payload(self.values, payload)
        template = self.template

        def make(values: Sequence[Any]) -> str:
            known = parts(values)
            return (
                format(template, *known) if holds_traced(known) else template.format(*map(printable, known))
            )

        return make

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __contains__ = _refuse
    __len__ = __iter__ = __getitem__ = __mod__ = __mul__ = __rmul__ = __rtruediv__ = _refuse
    __int__ = __float__ = __complex__ = _refuse  # Python asks for these before it reads the text

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:  # asked for by who prints, and before Python 3.12 by `path / text`
        if sys._getframe(1).f_globals.get("__name__") == "pathlib":
            refuse_reading(self, by=" by 'Path'")
        return str.__str__(self)

    def ljust(self, width: SupportsIndex, fill: str = " ", /) -> str:  # noqa: D102
        return format(f"{{:{fill}<{width}}}", self)

    def rjust(self, width: SupportsIndex, fill: str = " ", /) -> str:  # noqa: D102
        return format(f"{{:{fill}>{width}}}", self)

    def __add__(self, other: str) -> str:
        return format("{}{}", self, other)

    def __radd__(self, other: str) -> str:
        return format("{}{}", other, self)


_KEPT = ("format", "format_map", "join", "ljust", "maketrans", "rjust")
for _name in dir(str):
    if not _name.startswith("__") and _name not in _KEPT:
        setattr(Text, _name, _refuse)


def printable(value: Any) -> Any:
    """A scalar of JAX's prints as NumPy's in text, 0.1 for a float32; a dtype and a text of NumPy's have a shape, too."""
    return value[()] if isinstance(value, (jax.Array, np.ndarray)) and value.shape == () else value


def format(template: str, /, *args: Any, **kwargs: Any) -> str:
    """`template.format(*args, **kwargs)`; where a value is traced, text that is completed when the program has run.

    Raises:
      PythonOnlyError: the template, or what says how a field is to be written, has the value of a traced array in it.
    """
    if any(map(has_known_variants, args)) and not holds_traced(
        [arg for arg in args if not has_known_variants(arg)]
    ):
        return on_each(functools.partial(format, template, **kwargs), *args)  # type: ignore[no-any-return]
    trial.refuse_unknown_text((*args, *kwargs.values()))
    if not holds_traced((template, args, kwargs)):
        return template.format(*args, **kwargs)
    args, kwargs = pytrees.map(_folded, _opened((args, kwargs)))
    if not holds_traced((template, args, kwargs)):
        return template.format(*args, **kwargs)
    if isinstance(template, Text):
        raise _no_text(template)
    trial.refuse_text((args, kwargs))
    found: list[Any] = []
    plain = _numbered(template, args, kwargs, found)
    values = pytrees.map(lambda leaf: _as_now(unboxed(leaf)), _opened(tuple(found)))
    shown = pytrees.map(as_unknown, _opened(values))
    try:
        new = Text(plain.format(*shown))
    except Exception:  # a method of the user's may compute with what it shows
        new = Text(template)
    new.template, new.values, new.place = plain, values, source_places.here()
    return new


def as_unknown(leaf: Any) -> Any:
    """What stands for a value in text that is made while it is not known."""
    if shows_traced(leaf):
        return Unknown(leaf, type(leaf).__name__)
    return Unknown(leaf) if isinstance(leaf, (Tracer, BaseException)) or is_symbolic(leaf) else leaf


def _folded(value: Any) -> Any:
    """A value of NumPy's in place of a traced one that follows from Python's values alone."""
    found = known_value(unboxed(value))
    return value if found is None else printable(found)


def _numbered(template: str, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Any]) -> str:
    """`template` with fields that are filled one after the other; adds what fills them to `found`."""
    reader, count, result = string.Formatter(), itertools.count(), ""
    for literal, field, spec, conversion in reader.parse(template):
        result += literal.replace("{", "{{").replace("}", "}}")
        if field is None:
            continue
        result += f"{{{'!' + conversion if conversion else ''}"
        found.append(_value(field, args, kwargs, count))
        if spec:
            wanted = [
                _value(inner, args, kwargs, count)
                for _, inner, _, _ in reader.parse(spec)
                if inner is not None
            ]
            if holds_traced(wanted):
                raise _no_text(template)
            result += f":{_FIELDS.sub(_automatic, spec).format(*wanted)}"
        result += "}"
    return result


_FIELDS = re.compile(r"\{[^{}!:]*")


def _automatic(_: re.Match[str]) -> str:
    return "{"


def _value(field: str, args: tuple[Any, ...], kwargs: dict[str, Any], count: Iterator[int]) -> Any:
    """What a field means, `0`, `name.attribute[1]`, or the next of `args`."""
    named = re.match(r"[^.[]+", field)
    return string.Formatter().get_field(field if named else f"{next(count)}{field}", args, kwargs)[0]


def mapped(template: str, values: Any, /) -> str:
    """`template.format_map(values)`."""
    if isinstance(values, dict) and holds_traced(values) and all(type(key) is str for key in values):
        return format(template, **values)
    return template.format_map(values)


_FIELD = re.compile(
    r"%(?:(?P<percent>%)|(?:\((?P<name>[^)]*)\))?(?P<flags>[-+ 0]*)(?P<size>\d*)(?P<places>\.\d+)?(?P<kind>[sraidufFeEgGxXoc]))"
)


def percent(template: Any, values: Any) -> Any:
    """`template % values`. Raises PythonOnlyError: a traced value for a field that `str.format` has no counterpart for."""
    if isinstance(template, str):
        trial.refuse_unknown_text(values if isinstance(values, tuple) else (values,))
    if not isinstance(template, str) or not holds_traced(values):
        return template % values
    values = pytrees.map(_folded, _opened(values))
    if not holds_traced(values):
        return template % values
    trial.refuse_text(values)
    fields = [*_FIELD.finditer(template)]
    wanted = [field for field in fields if not field["percent"]]
    names = [field["name"] for field in wanted]
    if "%" in _FIELD.sub("", template) or (None in names and any(names)):
        raise _no_text(template)
    given = values if isinstance(values, tuple) else (values,)
    if wanted and None not in names:
        given = tuple(cast(Any, values)[name] for name in names)
    elif len(given) != len(wanted):
        return template % tuple(map(Unknown, given))  # Python's own error
    rest = iter(given)
    parts, end = "", 0
    taken = []
    for field in fields:
        parts += template[end : field.start()].replace("{", "{{").replace("}", "}}")
        end = field.end()
        if field["percent"]:
            parts += "%"
        else:
            taken.append(_whole(next(rest)) if field["kind"] in "diu" else next(rest))
            parts += _field(field, taken[-1], template)
    return format(parts + template[end:].replace("{", "{{").replace("}", "}}"), *taken)


def _whole(value: Any) -> Any:
    """A number as %d writes it: without its fraction."""
    if isinstance(value, (float, np.floating)):
        return int(value)
    if not traced(value) or is_symbolic(value) or not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    whole = jnp.trunc(value)
    return jnp.where(whole == 0, 0, whole)  # and no -0


def _field(found: re.Match[str], value: Any, template: str) -> str:
    """A field of `%` as one of `str.format`."""
    kind, flags, places = found["kind"], found["flags"], found["places"] or ""
    if kind in "sra":
        size = ("<" if "-" in flags else ">") + found["size"] if found["size"] else ""
        return f"{{!{kind}:{size}{places}}}"
    if kind == "c" or (kind in "diuxXo" and places):
        raise _no_text(template)
    sign = "".join(flag for flag in "+ 0" if flag in flags and not (flag == "0" and "-" in flags))
    if kind in "diu":
        kind = ".0f" if hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.floating) else "d"
    return f"{{:{'<' if '-' in flags else ''}{sign}{found['size']}{places}{kind}}}"


def join_text(separator: str, items: Iterable[str], /) -> str:
    """`separator.join(items)`."""
    items = list(items)
    if isinstance(separator, Text):
        refuse_reading(separator)
    if _lists and _lists[0](items):
        return format("{}", Joined(separator, items))
    if not holds_traced(items):
        return separator.join(items)
    return functools.reduce(lambda text, item: format("{}{}{}", text, separator, item), items)


_lists: list[Callable[[Any], Any]] = []  # from above


def has_traced_length(value: Any) -> bool:
    """Whether a value is a list whose length only the data knows."""
    return bool(_lists and _lists[0](value))


def knows_lists(is_dynamic: Callable[[Any], bool], with_known_items: Callable[[Any], Any]) -> None:
    """Hands over what tells lists whose length only the data knows, and what gives them their items when the program has run."""
    _lists[:] = [is_dynamic, with_known_items]


def _with_items(tree: Any) -> Any:
    return _lists[1](tree) if _lists else tree


@jax.tree_util.register_pytree_node_class
class Joined:
    """The text of a list's items, when the program has run that knows how many there are."""

    def __init__(self, separator: str, items: list[Any]) -> None:
        self.separator, self.items = separator, items

    def __format__(self, spec: str) -> str:
        known = not _lists[0](self.items)
        return builtins.format(self.separator.join(self.items), spec) if known else "texts of a list"

    def tree_flatten(self) -> tuple[tuple[list[Any]], str]:
        """As JAX asks for it."""
        return (self.items,), self.separator

    @classmethod
    def tree_unflatten(cls, separator: str, items: Any) -> Joined:
        """As JAX asks for it."""
        return cls(separator, items[0])


def _no_text(template: str) -> PythonOnlyError:
    return PythonOnlyError(
        f"{str.__str__(template)!r} takes the value of a traced array where the text can't be completed later.",
        why="The text is made while tracing, when the value is not known.",
        fix='write the value as a field of an f-string, f"{x:>5}", with a width that is known: that is completed in the\n'
        "  messages of `assert` and `raise`.",
    )


def text(*args: Any, **kwargs: Any) -> str:
    """`str(value)`."""
    return format("{}", *args) if len(args) == 1 and holds_traced(args) else str(*args, **kwargs)


def representation(value: Any, /) -> str:
    """`repr(value)`."""
    return format("{!r}", value) if holds_traced(value) else repr(value)


def formatted(value: Any, spec: str = "", /) -> str:
    """`format(value, spec)`."""
    return format("{:{}}", value, spec) if holds_traced(value) else builtins.format(value, spec)


def logged(record: logging.LogRecord) -> str:
    """`record.getMessage()`."""
    message = text(record.msg)
    return percent(message, record.args) if record.args else message


class Unknown:
    """Stands for a traced value in text that nobody should read."""

    def __init__(self, value: Any, text: str = "") -> None:
        self.text = text or describe(value)

    def __format__(self, spec: str) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


def holds_traced(value: Any) -> bool:
    """Whether a value that is not known yet, or text of one, stands anywhere in `value`."""
    return any(map(_holds, pytrees.leaves(_opened(value))))


def _holds(leaf: Any) -> bool:
    found = unboxed(leaf)
    return _is_unknown(found) or shows_traced(found)


def _opened(tree: Any) -> Any:
    return held_containers.opened(tree, _holds)


def _is_unknown(leaf: Any) -> bool:
    return isinstance(leaf, (Tracer, Text)) or is_symbolic(leaf) or _is_caught(leaf)


OVERLOADS: dict[Any, Any] = {
    str: text, repr: representation, builtins.format: formatted, str.join: join_text, str.format: format,
    str.format_map: mapped, logging.LogRecord.getMessage: logged,
}  # fmt: skip
