"""Items in a text: by what stands in brackets, has an item of an array anything in common with a part of it?

    m[i] + f(m[i + 1])         `m[i]` has been evaluated when `f` writes to the other row

Where the part lies is a fact; what is in brackets is computed of the variables as they are, where these are ints.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.aliasing import access_paths
from autograph_lite.operators.values.values import Tracer


def lie_apart(path: str, index: str, variables: Mapping[str, Any], array: Any) -> bool:
    """Whether an item of what a path means has nothing in common with an array, as far as is known."""
    found, own = _positions(path, index, variables, array), storages.item_positions(array)
    return found is not None and own is not None and not np.isin(found, own).any()


def _positions(path: str, index: str, variables: Mapping[str, Any], array: Any) -> Any:
    root, *attributes = path.split(".")
    owner = variables.get(root)
    for attribute in attributes:
        owner = access_paths.held_attribute(owner, attribute)
    if not isinstance(owner, (jax.Array, np.ndarray)) or not storages.are_in_one_memory(owner, array):
        return None
    try:
        first, *others = _values(index, variables)
        found = storages.item_positions(owner, first)
        for each in others:  # `m[i][j]`
            found = None if found is None else found[each]
        return found
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None


def _values(index: str, variables: Mapping[str, Any]) -> tuple[Any, ...]:
    """What stands in each pair of brackets, of `i][j` in two. Raises LookupError if it is not made of ints."""
    names, code = _compiled(index)
    if any(isinstance(variables[name], Tracer) for name in names):
        raise LookupError(index)
    known = {name: operator.index(variables[name]) for name in names}
    found: tuple[Any, ...] = eval(code, {"__builtins__": {}, _BRACKETS: np.s_}, known)
    return found


@functools.lru_cache(maxsize=1024)
def _compiled(index: str) -> tuple[list[str], Any]:
    try:
        node = ast.parse(f"x[{index}]", mode="eval").body
    except SyntaxError:  # of a view as `m.T[i]`
        raise LookupError(index) from None
    parts: list[ast.expr] = []
    while isinstance(node, ast.Subscript):
        parts.insert(0, node.slice)
        node = node.value
    inside = [each for part in parts for each in ast.walk(part)]
    if not all(isinstance(each, _ALLOWED) for each in inside):
        raise LookupError(index)
    names = [each.id for each in inside if isinstance(each, ast.Name)]
    brackets = ast.Name(_BRACKETS, ast.Load())
    values: list[ast.expr] = [ast.Subscript(brackets, part, ast.Load()) for part in parts]
    whole = ast.fix_missing_locations(ast.Expression(ast.Tuple(values, ast.Load())))
    return names, compile(whole, "<index>", "eval")


_BRACKETS = "np.s_"  # no variable is called so
_ALLOWED = (
    ast.Name, ast.Constant, ast.Tuple, ast.Slice, ast.UnaryOp, ast.BinOp, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip
