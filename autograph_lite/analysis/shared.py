"""Shared variables: which variables of a function may other functions bind, while one of its statements runs?

    def f(a):
        def put(v):
            nonlocal a
            a[0] = v          # binds `a` to a new array, of the same items but one
            return 7

        a[1] = put(5)         # `a` is to be read after the call

A variable that `put` binds by more than the stores of items may be another object afterwards, as `a = a * 2` makes one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import gast

from autograph_lite.analysis import scopes
from autograph_lite.syntax import trees
from autograph_lite.syntax.names import is_operators

_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
_STORES = frozenset({"set_item", "still", "store", "update_item"})


@dataclasses.dataclass(frozen=True)
class Shared:
    """What others may do to the variables that a function reads."""

    own: frozenset[str]  # the variables of the function that no other function binds
    written: frozenset[str]  # those whose items others write, and which they do not bind in another way

    def keeps(self, name: str) -> bool:
        """Whether others write items of a variable at most, which stays the same array or object to Python."""
        return name in self.own or name in self.written

    def may_change(self, nodes: Iterable[gast.AST]) -> bool:
        """Whether others may bind a variable that is named in one of the nodes."""
        return any(
            isinstance(n, gast.Name) and n.id not in self.own for node in nodes for n in trees.walk(node)
        )


def shared_variables(body: list[gast.stmt], own: Iterable[str]) -> Shared:
    """What others may do to the variables of a function; `own` are its parameters and what it binds."""
    functions = [n for n in trees.statements(body, _FUNCTIONS) if isinstance(n, _FUNCTIONS)]
    inner = [n for function in functions for n in trees.walk(function)]
    taken = {name for n in inner if isinstance(n, gast.Nonlocal) for name in n.names}
    declared = scopes.declared(body)
    bound = _bound_anew(inner) if taken else set()
    return Shared(frozenset(own) - taken - declared, frozenset(taken - bound - declared))


def _stored(node: gast.AST) -> gast.Name | None:
    """The name that a statement binds to the new array that an item store makes."""
    match node:
        case gast.Assign(
            targets=[gast.Name() as name],
            value=gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr=attr)),
        ) if attr in _STORES and is_operators(root):
            return name
    return None


def _bound_anew(nodes: Iterable[gast.AST]) -> set[str]:
    """Names that nodes bind, but for the new arrays that item stores make, which are converted already."""
    found, stored = set(), set()
    for node in nodes:  # a statement comes before what is in it
        match node:
            case gast.Assign() if target := _stored(node):
                stored.add(target)
            case gast.Name(id=name, ctx=gast.Store() | gast.Del()) if node not in stored:
                found.add(name)
            case gast.AugAssign(target=gast.Name(id=name)):
                found.add(name)
    return found
