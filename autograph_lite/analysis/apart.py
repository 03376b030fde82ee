"""Are two parts of an array surely different ones, by what stands in their brackets?

    m[i - 1]    m[i]                                    a row and the one before it
    m[p]        m[r], in `for r in range(p + 1, n)`     a row and one below it
    d["x"]      d["v"]                                  two items of a dict

Both indices are known to have the values that they would have now.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

Linear = tuple[str, int]  # a variable, or the empty text, and what is added to it
Ranges = Mapping[
    str, tuple[Linear | None, Linear | None]
]  # a variable is at least the one, and less than the other


def apart(one: str, other: str, ranges: Ranges) -> bool:
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
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant) and isinstance(one.value, str):
        return bool(one.value != other.value)
    a, b = linear(one), linear(other)
    if a is None or b is None:
        return False
    if a[0] == b[0]:
        return a[1] != b[1] and (a[0] != "" or (a[1] < 0) == (b[1] < 0))
    least, limit = ranges.get(a[0], (None, None))
    if b[0] == "" and (b[1] < 0 or least is None or least[0] or least[1] + a[1] < 0):
        return False  # counted from the end, one may be the other
    above = least is not None and least[0] == b[0] and least[1] + a[1] > b[1]
    below = limit is not None and limit[0] == b[0] and limit[1] + a[1] <= b[1]
    return above or below


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
