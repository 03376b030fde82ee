"""What is text with traced values in it? Something that a message can be made of when they are known, and nothing else.

f"{mass} kg"                          ag.format("{} kg", mass)
raise Heavy(f"{mass} kg")             the program hands over `mass` when it has run, and the text is made then
if f"{mass}" == "3":                  refused: while tracing there is no such text
"""

from __future__ import annotations

import builtins
import functools
import operator
import re
import string
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite import _jax_dims
from autograph_lite.errors import PythonOnlyError
from autograph_lite.operators import trees, trials, where
from autograph_lite.operators.boxes import opened
from autograph_lite.operators.values import Tracer, describe, is_symbolic, traced


def _fixed(value: Any, _values: Sequence[Any]) -> Any:
    return value


def parted(tree: Any, payload: list[Any]) -> Callable[[Sequence[Any]], Any]:
    """Rebuilds `tree` from the payload's values; adds its traced values to the payload."""
    leaves, structure = trees.flatten(tree)
    leaves = [*map(opened, leaves)]
    slots: list[Callable[[Sequence[Any]], Any]] = []
    for leaf in leaves:
        if isinstance(leaf, Text):
            slots.append(leaf.rebuilt(payload))
        elif traced(leaf):
            payload.append(_jax_dims.as_array(leaf) if is_symbolic(leaf) else leaf)
            slots.append(operator.itemgetter(len(payload) - 1))
        else:
            slots.append(functools.partial(_fixed, _as_now(leaf)))
    return lambda values: jax.tree.unflatten(structure, [slot(values) for slot in slots])


def _as_now(value: Any) -> Any:
    """`value`; of an array of NumPy's a copy, as the user may write into it before the program runs."""
    return value.copy() if isinstance(value, np.ndarray) else value


class Text(str):
    """Text with traced values in it: their values come in when the program has run.

    Attributes:
      template: for `str.format`.
      values: of the template's fields, some of them traced.
      place: the user's line that has made it.
    """

    template: str
    values: tuple[Any, ...]
    place: Any

    def rebuilt(self, payload: list[Any]) -> Callable[[Sequence[Any]], str]:
        """Makes the text from the payload's values; adds the traced values to the payload."""
        parts = parted(self.values, payload)
        template = self.template
        return lambda values: template.format(*map(printable, parts(values)))

    def _refuse(self, *_: Any) -> Any:
        raise PythonOnlyError(
            f"Text with the value of a traced array in it, {str.__str__(self)!r}, is compared, or looked for.",
            where=where.here(),
            why="The text is made while tracing, when the value is not known.",
            fix="compare the value itself; in the messages of `assert` and `raise` the text is completed.",
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __contains__ = _refuse

    def __add__(self, other: str) -> str:
        return format("{}{}", self, other)

    def __radd__(self, other: str) -> str:
        return format("{}{}", other, self)


def printable(value: Any) -> Any:
    """A scalar of JAX's prints as NumPy's scalar in text: 0.1 for a float32."""
    return value[()] if getattr(value, "shape", None) == () else value


def format(template: str, *values: Any) -> str:
    """`template.format(*values)`; where a value is traced, text that is completed when the program has run."""
    if not holds_traced(values):
        return template.format(*values)
    trials.refuse_text(values)
    values = trees.map(lambda leaf: _as_now(opened(leaf)), values)
    shown = trees.map(
        lambda leaf: Unknown(leaf) if isinstance(leaf, Tracer) or is_symbolic(leaf) else leaf, values
    )
    new = Text(template.format(*shown))
    new.template, new.values, new.place = template, values, where.here()
    return new


_FIELD = re.compile(r"%(?:(?P<percent>%)|(?P<flags>[-+ 0]*)(?P<size>\d*(?:\.\d+)?)(?P<kind>[sridfeEgG]))")


def percent(template: Any, values: Any) -> Any:
    """`template % values`.

    Raises:
      PythonOnlyError: `values` has a traced one for a field that `str.format` has no counterpart for.
    """
    if not isinstance(template, str) or not holds_traced(values):
        return template % values
    trials.refuse_text(values)
    text = _FIELD.sub(_field, template.replace("{", "{{").replace("}", "}}"))
    if "%" in text.replace("%%", "") or isinstance(values, dict):
        raise _no_text(template)
    return format(text.replace("%%", "%"), *(values if isinstance(values, tuple) else (values,)))


def _field(found: re.Match[str]) -> str:
    """A field of `%` as one of `str.format`."""
    if found["percent"]:
        return "%%"
    kind, flags = found["kind"], found["flags"]
    if kind in "sr":
        size = ("<" if "-" in flags else ">") + found["size"] if found["size"] else ""
        return f"{{!{kind}:{size}}}"
    sign = "".join(flag for flag in "+ 0" if flag in flags and not (flag == "0" and "-" in flags))
    return f"{{:{'<' if '-' in flags else ''}{sign}{found['size']}{'d' if kind == 'i' else kind}}}"


def joined(separator: str, items: Iterable[str], /) -> str:
    """`separator.join(items)`."""
    items = list(items)
    if not holds_traced(items):
        return separator.join(items)
    return functools.reduce(lambda text, item: format("{}{}{}", text, separator, item), items)


def filled(template: str, /, *args: Any, **kwargs: Any) -> str:
    """`template.format(*args, **kwargs)`.

    Raises:
      PythonOnlyError: one of `args` is traced, and the fields of `template` have names or numbers.
    """
    if not holds_traced((args, kwargs)):
        return template.format(*args, **kwargs)
    if any(field for _, field, _, _ in string.Formatter().parse(template)):
        raise _no_text(template)
    return format(template, *args)


def _no_text(template: str) -> PythonOnlyError:
    return PythonOnlyError(
        f"{template!r} takes the value of a traced array.",
        where=where.here(),
        why="The text is made while tracing, when the value is not known.",
        fix="write it as an f-string: its text is completed in the messages of `assert` and `raise`.",
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
    leaves = map(opened, trees.leaves(value))
    return any(isinstance(leaf, (Tracer, Text)) or is_symbolic(leaf) for leaf in leaves)


OVERLOADS: dict[Any, Any] = {
    str: text, repr: representation, builtins.format: formatted, str.join: joined, str.format: filled,
}  # fmt: skip
