"""Trees: how is one walked, rewritten and copied fast?

Passes look at each node many times, and `ast` takes its time. Contexts and operators (`Load()`, `Add()`) are
no nodes here: no pass rewrites them, and they are a third of a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, TypeVar

import gast

Node = TypeVar("Node")

_PLAIN = frozenset(
    {"id", "attr", "ctx", "op", "ops", "kind", "type_comment", "lineno", "is_async", "conversion", "simple"}
)
# Lists of these fields hold nodes and nothing else.
_NODES = frozenset({
    "args", "bases", "body", "cases", "comparators", "decorator_list", "elts", "finalbody", "generators", "handlers",
    "ifs", "items", "keywords", "orelse", "patterns", "targets",
})  # fmt: skip


class _Fields(dict[Any, tuple[tuple[str, bool], ...]]):
    def __missing__(self, kind: Any) -> tuple[tuple[str, bool], ...]:
        names = () if kind is gast.Constant else getattr(kind, "_fields", ())
        self[kind] = tuple((name, name in _NODES) for name in names if name not in _PLAIN)
        return self[kind]


# For each kind of node, the fields that may hold nodes, in the order in which they are written.
_fields = _Fields()


def children(node: gast.AST) -> list[gast.AST]:
    """The nodes directly in `node`, in the order in which they are written."""
    found: list[gast.AST] = []
    held = node.__dict__
    for name, nodes in _fields[node.__class__]:
        value = held.get(name)
        if value.__class__ is list:
            if value:
                found += value if nodes else [item for item in value if isinstance(item, gast.AST)]
        elif isinstance(value, gast.AST):
            found.append(value)
    return found


def is_leaf_node(node: Any) -> bool:
    """Whether a node is one of the two commonest that have no others in them."""
    kind = node.__class__
    return kind is gast.Constant or (kind is gast.Name and node.annotation is None)


def dotted(node: gast.AST) -> str:
    """`a.b.c` as text; nothing for another expression."""
    match node:
        case gast.Name(id=name):
            return str(name)
        case gast.Attribute(value=value, attr=attr):
            base = dotted(value)
            return f"{base}.{attr}" if base else ""
    return ""


def owner(node: gast.AST) -> gast.AST:
    """What the items belong to that `node` is one of: `a.b` of `a.b[i][j]`; `node` itself if it is no item."""
    while isinstance(node, gast.Subscript):
        node = node.value
    return node


def walk(node: gast.AST) -> Iterator[gast.AST]:
    """`node` and all nodes in it, in the order in which they are written."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if is_leaf_node(node):
            continue
        inner = children(node)
        if inner:
            inner.reverse()
            stack += inner


def names_bound(node: gast.AST) -> set[str]:
    """The names that are bound anywhere in `node`."""
    return {
        each.id for each in walk(node) if isinstance(each, gast.Name) and not isinstance(each.ctx, gast.Load)
    }


def statements(body: Iterable[gast.AST], closed: Container[type] = ()) -> Iterator[gast.AST]:
    """The statements of a block, with its handlers and cases, and all in them, but what is in nodes of `closed` classes."""
    stack = [*body]
    stack.reverse()
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ in closed:
            continue
        held = node.__dict__
        for name in _BLOCKS:
            inner = held.get(name)
            if isinstance(inner, list):
                stack += reversed(inner)


_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")


def copy_tree(tree: Node) -> Node:
    """A deep copy of a node, or of a list of nodes."""
    copy: Any
    if isinstance(tree, list):
        copy = [copy_tree(item) for item in tree]
    elif isinstance(tree, gast.AST):
        copy = tree.__class__.__new__(tree.__class__)
        held = copy.__dict__
        for name, value in tree.__dict__.items():
            held[name] = copy_tree(value) if value.__class__ is list or isinstance(value, gast.AST) else value
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
        if method is not None:
            return method(self, node)
        return node if is_leaf_node(node) else self.generic_visit(node)

    def generic_visit(self, node: gast.AST) -> Any:
        """Visits what is in `node`, which keeps its place."""
        held = node.__dict__
        for name, _ in _fields[node.__class__]:
            old = held.get(name)
            if old is None:
                continue
            if old.__class__ is list:
                if old:
                    self.visit_list(old)
            elif isinstance(old, gast.AST):
                new = self.visit(old)
                if new is None:
                    delattr(node, name)
                elif new is not old:
                    setattr(node, name, new)
        return node

    def visit_list(self, items: list[Any]) -> None:
        """Visits the nodes of a list, in place."""
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


class ScopeTransformer(Transformer):
    """Rewrites one scope: functions and classes in it are scopes of their own, and stay as they are."""

    def visit_FunctionDef(self, node: gast.AST) -> gast.AST:
        """The node as it is."""
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def block(self, body: Iterable[gast.stmt]) -> list[gast.stmt]:
        """What takes the place of statements."""
        done = [*body]
        self.visit_list(done)
        return done


class CodeTransformer(Transformer):
    """Rewrites what runs: annotations of parameters stay as they are."""

    def visit_arguments(self, node: gast.arguments) -> gast.AST:
        """Visits the defaults."""
        self.visit_list(node.defaults)
        node.kw_defaults = [default and self.visit(default) for default in node.kw_defaults]
        return node
