"""Item stores: after which does nothing read the array, so that what they write would be lost?

    row = m[i]
    row[0] = v            nothing reads `row` afterwards: only who knows it by another name would see the change
    return m

A backward walk finds what is read later. It serves `read_after`, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.liveness import Names, Walk
from autograph_lite.analysis.views import AROUND, View, index_text, overlap
from autograph_lite.syntax import trees

# Attributes that tell nothing of an array's items.
TYPES = frozenset({"shape", "ndim", "dtype", "size", "itemsize", "nbytes"})
# Whoever calls one of these may read any variable.
READERS = frozenset({"locals", "vars", "dir", "eval", "exec"})


Stored = tuple[str, str]  # the path of what an item belongs to, and its index, as text
_INNER = (*scopes.FUNCTIONS, gast.ClassDef, gast.GeneratorExp)
_LOOKED_AT = frozenset({
    gast.AnnAssign, gast.Assign, gast.AsyncFor, gast.AugAssign, gast.Expr, gast.For, gast.Name, *_INNER
})  # fmt: skip


def lost_stores(function: gast.FunctionDef) -> dict[gast.AST, Names]:
    """The statements of a function that write items, or `row += v`, with the names that nothing reads afterwards.

    The function is as it was written; those of nested functions are excluded.
    """
    body = function.body
    nodes = [node for node in scopes.own_nodes(body) if node.__class__ in _LOOKED_AT]
    written = {
        n: frozenset(path for path, _ in places)
        for n in nodes
        if n.__class__ is not gast.Name and (places := stored_in(n))
    }
    for n in nodes:
        if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
            written[n] = frozenset({n.target.id})
    if not written or any(isinstance(n, gast.Name) and n.id in READERS for n in nodes):
        return {}
    parameters, own, always = name_sets(function, inner=any(isinstance(node, _INNER) for node in nodes))
    needs = Needs(always, (), own - parameters)
    needs.block(body, frozenset())
    unread = {n: own & names - needs.after[n] for n, names in written.items() if n in needs.after}
    return {n: names for n, names in unread.items() if names}


def name_sets(function: gast.FunctionDef, *, inner: bool = True) -> tuple[Names, Names, Names]:
    """A function's parameters, its own variables, and those that others may read, `inner` functions there are among them."""
    body = function.body
    parameters = frozenset(scopes.parameter_names(function.args))
    declared = scopes.declared(body)
    own = (parameters | frozenset(scopes.bound(body))) - declared
    return parameters, own, ((scopes.captured(body) & own) if inner else frozenset()) | declared


def targets(node: gast.AST) -> list[gast.expr]:
    """What a statement assigns to, if it can write items."""
    match node:
        case gast.Assign(targets=targets):
            return list(targets)
        case gast.AugAssign(target=target):
            return [target]
    return []


def stored_in(node: gast.AST) -> list[Stored]:
    """The items that a statement writes: the paths of what they belong to, and the indices, as text."""
    return [place for target in targets(node) for place in stored(target)]


def stored(target: gast.expr) -> list[Stored]:
    """The paths whose items an assignment to `target` writes, and the indices of these, as text."""
    match target:
        case gast.Subscript():
            path = trees.dotted(trees.owner(target))
            return [(path, _indices(target))] if path else []
        case gast.Starred(value=value):
            return stored(value)
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return [place for each in elts for place in stored(each)]
    return []


def stored_through(target: gast.expr) -> list[str]:
    """The variables through which an assignment to `target` writes items: `rows` of `rows[0].x[1]`."""
    if isinstance(target, gast.Starred):
        return stored_through(target.value)
    if isinstance(target, (gast.Tuple, gast.List)):
        return [name for each in target.elts for name in stored_through(each)]
    has_items = False
    while isinstance(target, (gast.Subscript, gast.Attribute)):
        has_items |= isinstance(target, gast.Subscript)
        target = target.value
    return [str(target.id)] if has_items and isinstance(target, gast.Name) else []


def attributes_bound(node: gast.AST) -> Iterator[str]:
    """The attributes that a statement binds, `self.x`."""
    match node:
        case gast.Assign(targets=targets):
            for target in targets:
                parts = target.elts if isinstance(target, (gast.Tuple, gast.List)) else [target]
                yield from (trees.dotted(part) for part in parts if isinstance(part, gast.Attribute))


class Needs(Walk):
    """Backward: what is live after each statement, and which views' sources are read later."""

    def __init__(self, always: Names, views: Iterable[View], local: Names) -> None:
        self.views = tuple(views)
        self.of: dict[str, list[View]] = {}  # by what they are views of
        for view in self.views:
            self.of.setdefault(view.root, []).append(view)
        super().__init__(always | {v.is_read for v in self.views if v.root in always})
        self.after: dict[gast.AST, Names] = {}  # what is live after each statement
        self.heads: dict[gast.AST, Names] = {}  # and where an iteration of each loop begins, or the loop ends
        # what is live where the function is left
        self.at_exit = frozenset(v.is_kept for v in self.views if v.root not in local)
        self.left: list[dict[str, Names]] = []

    def read(self, node: gast.AST) -> Names:
        """As `Walk.read`, with the views whose sources are read."""
        if node not in self.reads:
            super().read(node)
            chains = _chains(node) if self.views else ()
            of = self.of
            sees = {v.is_read for c in chains for v in of.get(c.partition(".")[0], ()) if overlap(c, v.path)}
            self.reads[node] |= sees
        return self.reads[node]

    def statement(self, node: gast.stmt, live: Names) -> Names:
        """As `Walk.statement`, of a function that jumps."""
        self.after[node] = live | self.after.get(node, frozenset())
        match node:
            case gast.Break() | gast.Continue():
                return self.left[-1][type(node).__name__] | self.always
            case gast.Return():
                return super().statement(node, live) | self.at_exit
            case gast.While(test=test):
                head = self.read(test) | self.block(node.orelse, live)
                return self.settled(node, head, live, frozenset())
            case gast.For() | gast.AsyncFor():
                target = frozenset(scopes.bound([node.target]))
                head = self.block(node.orelse, live) | self.read(node.target) | self.walked(node, target)
                return self.settled(node, head, live, target) | self.read(node.iter)
            case gast.Assign():
                return (live - self.ended(node)) | self.read(node)
        return super().statement(node, live)

    def settled(
        self, node: gast.While | gast.For | gast.AsyncFor, head: Names, live: Names, target: Names
    ) -> Names:
        """What is live at the head of a loop."""

        def entry(at_end: Names) -> Names:
            self.left.append({"Break": live, "Continue": at_end})
            found = self.block(node.body, at_end)
            self.left.pop()
            return found - target

        self.heads[node] = self.fixpoint(entry, head)
        return self.heads[node]

    def walked(self, node: gast.For | gast.AsyncFor, target: Names) -> Names:
        """What a loop reads at each iteration: items that the one before may have written, though not by its own target."""
        read = {view.is_read for view in self.views}
        return self.read(node.iter) & (read | _walked_over(node.iter) - target)

    def ended(self, node: gast.Assign) -> Names:
        """What an assignment does not owe to what follows: names and attributes that it binds."""
        names, paths = scopes.bound(node.targets), {*attributes_bound(node)}
        gone = [v for name in names for v in self.of.get(name, ())]
        gone += [v for v in self.views if v.path in paths] if paths else []
        return frozenset({*names, *(note for v in gone for note in (v.is_read, v.is_kept))})


def _walked_over(iterable: gast.expr) -> Names:
    """The names that a loop takes items of."""
    match iterable:
        case gast.Name(id=name):
            return frozenset({name})
        case gast.Call(func=gast.Name(id=name), args=args) if name in AROUND:
            return frozenset().union(*map(_walked_over, args))
    return frozenset()


def _indices(target: gast.Subscript) -> str:
    inner = f"{_indices(target.value)}][" if isinstance(target.value, gast.Subscript) else ""
    return inner + index_text(target.slice)


def _chains(node: gast.AST) -> Iterator[str]:
    """The variables and attributes that a node reads the items of: `x`, `self.x`; not for `x.shape` and `len(x)`."""
    stack = [node]
    added = node.target if isinstance(node, gast.AugAssign) else None
    while stack:
        part = stack.pop()
        match part:
            case gast.Subscript(ctx=gast.Store()) if part is not added and trees.dotted(trees.owner(part)):
                while isinstance(part, gast.Subscript):
                    stack.append(part.slice)
                    part = part.value
                continue
            case gast.Attribute(attr=attr) if attr in TYPES and trees.dotted(part):
                continue
            case gast.Call(func=gast.Name(id="len"), args=[argument]) if trees.dotted(argument):
                continue
            case gast.Call(func=gast.Attribute(value=owner)) if path := trees.dotted(owner):
                yield path  # a method may read all that the object has
                stack += trees.children(part)[1:]
                continue
            case gast.Name(ctx=gast.Store()) | gast.Attribute(ctx=gast.Store()) if (
                part is not added and trees.dotted(part)
            ):
                continue
            case gast.Name() | gast.Attribute() if path := trees.dotted(part):
                yield path
                continue
        stack += trees.children(part)
