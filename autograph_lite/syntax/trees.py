"""How is a tree walked, rewritten and copied fast?

Passes look at each node many times, and `ast` takes its time. Contexts and operators (`Load()`, `Add()`) are
no nodes here: no pass rewrites them, and they are a third of a tree.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import gast

Node = TypeVar("Node")

_PLAIN = frozenset(
    {"id", "attr", "ctx", "op", "ops", "kind", "type_comment", "lineno", "is_async", "conversion", "simple"}
)


@functools.cache
def fields(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes, in the order in which they are written."""
    return tuple(name for name in getattr(kind, "_fields", ()) if name not in _PLAIN)


def children(node: gast.AST) -> list[gast.AST]:
    """The nodes directly in `node`, in the order in which they are written."""
    found: list[gast.AST] = []
    kind: Any = node.__class__
    for name in fields(kind):
        value: Any = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            found.append(value)
    return found


def walk(node: gast.AST) -> Iterator[gast.AST]:
    """`node` and all nodes in it, in the order in which they are written."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        inner = children(node)
        if inner:
            inner.reverse()
            stack += inner


def copied(tree: Node) -> Node:
    """A deep copy of a node, or of a list of nodes."""
    copy: Any
    if isinstance(tree, list):
        copy = [copied(item) for item in tree]
    elif isinstance(tree, gast.AST):
        copy = tree.__class__.__new__(tree.__class__)
        for name, value in vars(tree).items():
            nested = value.__class__ is list or isinstance(value, gast.AST)
            setattr(copy, name, copied(value) if nested else value)
    else:
        copy = tree
    return copy  # type: ignore[no-any-return]


class Transformer:
    """`ast.NodeTransformer`, with the methods of each class looked up once."""

    _methods: dict[type, Callable[[Any, Any], Any] | None]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: gast.AST) -> Any:
        """What takes the place of `node`: a node, a list of statements, or None."""
        kind = node.__class__
        try:
            method = self._methods[kind]
        except KeyError:
            method = self._methods[kind] = getattr(type(self), f"visit_{kind.__name__}", None)
        return self.generic_visit(node) if method is None else method(self, node)

    def generic_visit(self, node: gast.AST) -> Any:
        """Visits what is in `node`, which keeps its place."""
        kind: Any = node.__class__
        for name in fields(kind):
            old = getattr(node, name, None)
            if old.__class__ is list:
                if old:
                    self._visit_list(old)
            elif isinstance(old, gast.AST):
                new = self.visit(old)
                if new is None:
                    delattr(node, name)
                elif new is not old:
                    setattr(node, name, new)
        return node

    def _visit_list(self, items: list[Any]) -> None:
        new: list[Any] = []
        for item in items:
            if isinstance(item, gast.AST):
                item = self.visit(item)
                if item is None:
                    continue
                if not isinstance(item, gast.AST):
                    new += item
                    continue
            new.append(item)
        items[:] = new
