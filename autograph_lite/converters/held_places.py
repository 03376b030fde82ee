"""Held places: what of an assignment's targets may raise, and is computed before anything is stored there?

a[idx(k)], b.n = u, v                 item, item_2 = u, v
                                      value = idx(k)
                                      a[value] = item
                                      b.n = item_2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph_lite.syntax import quote, trees


def stored_to(target: gast.expr) -> list[gast.expr]:
    """What a target stores to, one after the other."""
    match target:
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return [leaf for each in elts for leaf in stored_to(each)]
        case gast.Starred(value=value):
            return stored_to(value)
    return [target]


def with_items(
    target: gast.expr, fresh: Callable[[str], str]
) -> tuple[gast.expr, list[tuple[gast.expr, str]]]:
    """The same target with a name in place of each thing that it stores to, and these with their names."""
    match target:
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            parts = [with_items(each, fresh) for each in elts]
            new = gast.Tuple([part for part, _ in parts], gast.Store())
            return quote.located(new, target), [pair for _, pairs in parts for pair in pairs]
        case gast.Starred(value=value):
            part, pairs = with_items(value, fresh)
            return quote.located(gast.Starred(part, gast.Store()), target), pairs
    name = fresh("item")
    return quote.located(quote.name(name, gast.Store), target), [(target, name)]


def has_call(node: gast.AST) -> bool:
    """Whether an expression calls something."""
    return any(isinstance(inner, gast.Call) for inner in trees.walk(node))


def may_raise(node: gast.AST) -> bool:
    """Whether an expression calls something, or takes an item."""
    return any(isinstance(inner, (gast.Call, gast.Subscript)) for inner in trees.walk(node))


def hold_place(
    target: gast.expr, held: Callable[[gast.expr], tuple[list[Any], gast.expr]]
) -> list[Any] | None:
    """What computes the indices and the object of a target that may raise, by `held`, which gives a name for each.

    None where that can't be done: what a call gives has its items written, and is to be the array itself.
    """
    if not isinstance(target, (gast.Attribute, gast.Subscript)):
        return []
    first: list[Any] | None = []
    if isinstance(target.value, (gast.Attribute, gast.Subscript)):
        first = hold_place(target.value, held)
    elif has_call(target.value):
        if isinstance(target, gast.Subscript):
            return None
        first, target.value = held(target.value)
    if first is None or isinstance(target, gast.Attribute):
        return first
    indices = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    for number, index in enumerate(indices):
        if isinstance(index, gast.Slice):
            for bound in ("lower", "upper", "step"):
                value = getattr(index, bound)
                if value is not None and may_raise(value):
                    parts, name = held(value)
                    first += parts
                    setattr(index, bound, name)
        elif may_raise(index):
            if isinstance(index, gast.Starred):
                return None
            parts, indices[number] = held(index)
            first += parts
    if not isinstance(target.slice, gast.Tuple):
        target.slice = indices[0]
    return first
