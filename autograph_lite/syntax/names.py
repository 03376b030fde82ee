"""Fresh names: which names does a tree use, and which are still free for generated code?"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable

import gast

from autograph_lite.syntax import codes, trees


class Fresh:
    """Hands out names that are not in use: `true_fun`, then `true_fun_2`, `true_fun_3`, ...

    >>> fresh = Fresh({"x", "true_fun_2"})
    >>> fresh("true_fun"), fresh("true_fun"), fresh("x")
    ('true_fun', 'true_fun_3', 'x_2')
    """

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._last: dict[str, int] = {}

    def __call__(self, base: str) -> str:
        """Returns an unused name that starts with `base`, and reserves it."""
        number = self._last.get(base, 0) + 1
        while (name := base if number == 1 else f"{base}_{number}") in self._used:
            number += 1
        self._last[base] = number
        self._used.add(name)
        return name


_OPERATORS = re.compile(r"ag(_known)?(_\d+)?")


def is_operators(name: str) -> bool:
    """Whether generated code may find the operators, or what it keeps for them, under a name: `ag`, and not `again`."""
    return _OPERATORS.fullmatch(name) is not None


def used_names(*given: gast.AST) -> frozenset[str]:
    """Every name in trees that is, or may become, a variable: at any depth, bound or read."""
    return frozenset(name for tree in given for node in trees.walk(tree) for name in _names(node))


def _names(node: gast.AST) -> Iterable[str]:
    match node:
        case gast.Name():
            return (node.id,)
        case gast.Global() | gast.Nonlocal():
            return node.names
        case gast.alias():
            return ((node.asname or node.name).split(".")[0],)
        case gast.MatchMapping():
            return (node.rest,) if node.rest else ()
    name = getattr(node, "name", None)  # definitions, captures, type parameters; `except` holds a gast.Name
    return (name,) if isinstance(name, str) else ()


def of_code(code: types.CodeType) -> list[str]:
    """The names of global variables that a function's code may use, and of attributes, the functions in it included."""
    return [*dict.fromkeys(name for each in codes.nested_codes(code) for name in each.co_names)]
