"""Dependence test: are two parts of an array surely different ones, by what stands in their brackets?

    m[i - 1]    m[i]                                    a row and the one before it
    m[p]        m[r], in `for r in range(p + 1, n)`     a row and one below it
    m[i, :i]    m[i, i]                                 what stands before an item, and that item
    d["x"]      d["v"]                                  two items of a dict

Both indices are known to have the values that they would have now. Of the tests in Allen and Kennedy, "Optimizing Compilers
for Modern Architectures" (2001), chapter 3, these are the simplest: constant distances and ranges of one variable.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

Linear = tuple[str, int]  # a variable, or the empty text, and what is added to it
# A variable is at least the one, and less than the other.
Ranges = Mapping[str, tuple[Linear | None, Linear | None]]


def are_disjoint(one: str, other: str, ranges: Ranges) -> bool:
    """Whether `x[one]` and `x[other]` have no item in common."""
    pairs = zip(_components(one), _components(other), strict=False)
    return any(_differ(a, b, ranges) or _differ(b, a, ranges) for a, b in pairs)


@functools.lru_cache(1000)
def _components(index: str) -> tuple[ast.expr, ...]:
    """What stands in the first brackets for each axis, up to one that is not a single axis."""
    try:
        node = ast.parse(f"x[{index}]", mode="eval").body
    except SyntaxError:
        return ()  # an index that is not known
    while isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
        node = node.value
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    whole = [i for i, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value in (None, ...)]
    return tuple(parts[: whole[0]] if whole else parts)


def _differ(one: ast.expr, other: ast.expr, ranges: Ranges) -> bool:
    if isinstance(one, ast.Slice):
        return _is_outside(one, other, ranges)
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant) and isinstance(one.value, str):
        return bool(one.value != other.value)
    a, b = linear(one), linear(other)
    if a is None or b is None:
        return False
    if a[0] == b[0]:
        # The one before an item may be the last, counted from the end: another one, if there are as many.
        return a[1] != b[1] and (a[0] != "" or (a[1] < 0) == (b[1] < 0))
    return _is_counted(a, ranges) and _reaches(b, (a[0], a[1] + 1), ranges)


def _is_outside(part: ast.Slice, other: ast.expr, ranges: Ranges) -> bool:
    """Whether a slice ends before another index, or begins after it."""
    if not (_is_forward(part) and (not isinstance(other, ast.Slice) or _is_forward(other))):
        return False
    start, stop = (None if bound is None else linear(bound) for bound in (part.lower, part.upper))
    first = other.lower if isinstance(other, ast.Slice) else other
    place = None if first is None else linear(first)
    if place is None:
        return False
    if stop is not None and _reaches(place, stop, ranges):
        return True
    is_index = not isinstance(other, ast.Slice) and _is_counted(place, ranges)
    return start is not None and is_index and _reaches(start, (place[0], place[1] + 1), ranges)


def _is_forward(part: ast.Slice) -> bool:
    step = part.step
    return step is None or (isinstance(step, ast.Constant) and isinstance(step.value, int) and step.value > 0)


def _reaches(place: Linear, bound: Linear, ranges: Ranges) -> bool:
    """Whether a place of an axis is never before a bound; negative ones are counted from the end."""
    if place == bound:
        return True
    if not place[0] and not bound[0]:
        return place[1] >= bound[1] and (place[1] < 0) == (bound[1] < 0)
    if not _is_counted(bound, ranges):
        return False
    least, limit = ranges.get(place[0], (None, None))[0], ranges.get(bound[0], (None, None))[1]
    return (
        (place[0] == bound[0] and place[1] >= bound[1])
        or (least is not None and least[0] == bound[0] and least[1] + place[1] >= bound[1])
        or (limit is not None and limit[0] == place[0] and limit[1] + bound[1] - 1 <= place[1])
    )


def _is_counted(place: Linear, ranges: Ranges) -> bool:
    """Whether a place is counted from the beginning: it is not negative."""
    least = ranges.get(place[0], (None, None))[0] if place[0] else ("", 0)
    return least is not None and not least[0] and least[1] + place[1] >= 0


def linear(node: ast.AST) -> Linear | None:
    """A variable and the number that is added to it; None for any other expression. Of `ast` and `gast` alike."""
    match node.__class__.__name__, vars(node):
        case "Name", {"id": str(name)}:
            return name, 0
        case "Constant", {"value": int(value)} if not isinstance(value, bool):
            return "", value
        case "UnaryOp", {"op": op, "operand": operand} if op.__class__.__name__ == "USub":
            inner = linear(operand)
            return ("", -inner[1]) if inner is not None and not inner[0] else None
        case "BinOp", {"left": left, "op": op, "right": right} if op.__class__.__name__ in ("Add", "Sub"):
            a, b = linear(left), linear(right)
            if a is None or b is None:
                return None
            if op.__class__.__name__ == "Sub":
                return (a[0], a[1] - b[1]) if not b[0] else None
            return (a[0] or b[0], a[1] + b[1]) if not (a[0] and b[0]) else None
    return None
