"""Slice spelling: how does a message show a part of an array, the bound that is traced, and the mask to use instead?

A[i, :j]                              'j' is traced; jnp.where(jnp.arange(5) < j, A[i, :], 0)
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from autograph_lite.syntax.source_text.compiling import parse, parse_expression

_SIZED = "say how many there are to be, and what stands for those that are missing: {}."
_KEEP = "keep all items and mask those that do not count: jnp.where({}, {}, 0)."


@dataclasses.dataclass(frozen=True)
class Spelled:
    """What a message says of a part: its text, why nobody knows how long it is, and the remedy."""

    text: str
    why: str
    fix: str


def spell_slice(text: str, position: int, size: Any, *, after: int = 0, gathered: bool = False) -> Spelled:
    """How the user spells a part of an array.

    Args:
      text: the expression, or the statement that it stands in.
      position: which part of the index has no known length; -1 where that is not known.
      size: the length of the axis.
      after: how many axes the part has behind that one.
      gathered: whether arrays of places stand beside it.
    """
    found = _subscript(text, position)
    if found is None:
        return Spelled(text, "A bound in it is traced.", _KEEP.format(f"jnp.arange({size}) < stop", "x"))
    parts, part = _parts(found, position)
    base = _without(found, parts, part)
    shown = ast.unparse(found)
    if not isinstance(part, ast.Slice):
        condition = ast.unparse(part)
        fix = sized("nonzero", condition, size) if gathered else _kept(condition, base, after)
        return Spelled(shown, f"The mask '{condition}' is traced.", fix)
    bounds = [bound for bound in (part.lower, part.upper) if bound is not None and not _is_constant(bound)]
    names = " and ".join(f"'{ast.unparse(bound)}'" for bound in bounds)
    why = f"The bound{'s' if len(bounds) > 1 else ''} {names} {'are' if len(bounds) > 1 else 'is'} traced."
    return Spelled(shown, why, _kept(_mask(part, size), base, after))


def _kept(condition: str, base: str, after: int) -> str:
    """What to write in place of the items of `base` that a condition chooses, with so many axes behind it."""
    if after:
        atom = isinstance(parse_expression(condition), ast.Name | ast.Call | ast.Subscript | ast.Attribute)
        axes = ", ".join(["...", *["None"] * after])
        condition = f"{condition if atom else f'({condition})'}[{axes}]"
    return _KEEP.format(condition, base)


def sized(name: str, given: str, size: Any) -> str:
    """What to write in place of a call whose result has as many items as the data say."""
    return _SIZED.format(f"jnp.{name}({given}, size={size}, fill_value={size})")


def _subscript(text: str, position: int) -> ast.Subscript | None:
    """The item in a text whose length is not known; None where there is none."""
    for parsed in (parse_expression, parse):
        try:
            tree = parsed(text)
        except SyntaxError:
            continue
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
        parts = [(node, _parts(node, position)[1]) for node in found]
        unknown = (node for node, part in parts if isinstance(part, ast.Slice) and not _is_constant(part))
        return next(unknown, found[0] if found else None)  # of x[:j][::-1] and A[:j][i] the first
    return None


def _parts(item: ast.Subscript, position: int) -> tuple[list[ast.expr], ast.expr]:
    """All parts of an index, and the one at that position."""
    parts = item.slice.elts if isinstance(item.slice, ast.Tuple) else [item.slice]
    return parts, parts[position] if -len(parts) <= position < len(parts) else parts[-1]


def _without(found: ast.Subscript, parts: list[ast.expr], part: ast.expr) -> str:
    """The expression with the whole axis in place of `part`."""
    others: list[ast.expr] = [ast.Slice() if other is part else other for other in parts]
    if all(ast.unparse(other) == ":" for other in others):
        return ast.unparse(found.value)
    return ast.unparse(ast.Subscript(found.value, ast.Tuple(others, ast.Load()), ast.Load()))


def _mask(part: ast.Slice, size: Any) -> str:
    places, step = f"jnp.arange({size})", "" if part.step is None else ast.unparse(part.step)
    down = step.startswith("-")
    tests = []
    if part.lower is not None:
        tests.append(f"{places} {'<=' if down else '>='} {ast.unparse(part.lower)}")
    if part.upper is not None:
        tests.append(f"{places} {'>' if down else '<'} {ast.unparse(part.upper)}")
    if step.removeprefix("-") not in ("", "1"):
        first = ast.unparse(part.lower) if part.lower is not None else f"{size} - 1" if down else ""
        tests.append(f"{f'({places} - ({first}))' if first else places} % {step.removeprefix('-')} == 0")
    return " & ".join(f"({test})" for test in tests) if len(tests) > 1 else "".join(tests) or f"{places} >= 0"


def _is_constant(bound: ast.expr) -> bool:
    return all(not isinstance(node, (ast.Name, ast.Attribute, ast.Call)) for node in ast.walk(bound))
