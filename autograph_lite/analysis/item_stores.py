"""Which item stores would arrays, as values, not carry out as NumPy does?

    row = m[i]
    row[0] = v            NumPy changes m as well: `m` is read later, so that the difference would be seen
    return row, m

Forward, a walk finds what each name may be a view of; backward, one finds what is read later. Whoever writes an item of one
of the two is told, unless `m[i] = row` follows, which makes them equal again. The same walk finds the stores after which
nothing reads the array: what they write would be lost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.liveness import Names, Walk
from autograph_lite.analysis.view_flow import Flow, Unbound, attributes_bound, made_in
from autograph_lite.analysis.views import View, overlap
from autograph_lite.syntax import trees

# Attributes that tell nothing of an array's items.
TYPES = frozenset({"shape", "ndim", "dtype", "size", "itemsize", "nbytes"})
# Whoever calls one of these may read any variable.
READERS = frozenset({"locals", "vars", "dir", "eval", "exec"})


@dataclasses.dataclass(frozen=True)
class Conflict:
    """A view, and an item store that one of the two would not see.

    Attributes:
      view: the view.
      to_view: whether the item of the view is written, and not that of what it is a view of.
      read: whether what is not written is read later in this function; else it is only kept by an object.
      deep: whether an item of an item is written: then an array that a list or a dict holds is.
    """

    view: View
    to_view: bool
    read: bool = True
    deep: bool = False


@dataclasses.dataclass(frozen=True)
class Stores:
    """What is to be known of the item stores of one function.

    Attributes:
      lost: the statements, with the names whose new values nothing reads.
      conflicts: by statement.
    """

    lost: dict[gast.AST, Names]
    conflicts: dict[gast.AST, list[Conflict]]


def stores(function: gast.FunctionDef) -> Stores:
    """Item stores of a function, nested functions excluded, that arrays as values would not carry out as NumPy does."""
    body = function.body
    nodes = list(scopes.own_nodes(body))
    written = {node: paths for node in nodes if (paths := _written(node))}
    if not written or any(isinstance(n, gast.Name) and n.id in READERS for n in nodes):
        return Stores({}, {})
    parameters = frozenset(scopes.parameters(function.args))
    declared = scopes.declared(body, gast.Nonlocal) | scopes.declared(body, gast.Global)
    own = (parameters | frozenset(scopes.bound(body))) - declared
    always = (scopes.captured(body) & own) | declared
    needs = _Needs(always, (), own - parameters)
    needs.block(body, frozenset())
    roots = {path.partition(".")[0] for paths in written.values() for path in paths}
    flow = Flow(made_in(nodes, roots), needs.after)
    if flow.made:
        flow.block(body, frozenset(map(Unbound, own - parameters)))
        needs = _Needs(always, flow.views, own - parameters)
        needs.block(body, needs.at_exit)
    found = Stores({}, {})
    for node, paths in written.items():
        after = needs.after.get(node)
        if after is None:
            continue  # nothing leads there
        if lost := (own & {*paths}) - after:
            found.lost[node] = lost
        state = flow.before.get(node, frozenset())
        unbound = {each.name for each in state if isinstance(each, Unbound)}
        views = {each for each in state if isinstance(each, View) and not {each.name, each.root} & unbound}
        if conflicts := _conflicts(views - {*needs.restored(node)}, paths, after | _stored_later(node)):
            deep = any(
                isinstance(n, gast.Subscript) and isinstance(n.value, gast.Subscript) for n in _targets(node)
            )
            found.conflicts[node] = [dataclasses.replace(c, deep=deep and not c.to_view) for c in conflicts]
    return found


def _conflicts(views: Iterable[View], paths: Sequence[str], after: Names) -> list[Conflict]:
    """The views of which a store to `paths` changes one side, while the other is live `after` it."""
    found = []
    for view in sorted(views, key=lambda v: (v.made, v.path)):
        if view.name in paths and (view.is_read in after or view.is_kept in after):
            found.append(Conflict(view, to_view=True, read=view.is_read in after))
        if view.name in after and not view.held and any(overlap(path, view.path) for path in paths):
            found.append(Conflict(view, to_view=False))
    return found


def _targets(node: gast.AST) -> list[gast.AST]:
    """The parts of what a statement assigns to."""
    match node:
        case gast.Assign(targets=targets):
            return [part for target in targets for part in trees.walk(target)]
        case gast.AugAssign(target=target):
            return [*trees.walk(target)]
    return []


def _stored_later(node: gast.AST) -> Names:
    """The names that `m[i], m[j] = row, other` stores when it has written an item already."""
    match node:
        case gast.Assign(value=gast.Tuple(elts=[_, *later]) | gast.List(elts=[_, *later])):
            return frozenset(each.id for each in later if isinstance(each, gast.Name))
    return frozenset()


def _written(node: gast.AST) -> list[str]:
    """The paths whose items a statement writes."""
    match node:
        case gast.Assign(targets=targets):
            return [path for target in targets for path in stored(target)]
        case gast.AugAssign(target=target):
            return stored(target)
    return []


def stored(target: gast.expr) -> list[str]:
    """The paths whose items an assignment to `target` writes."""
    match target:
        case gast.Subscript():
            path = trees.dotted(_owner(target))
            return [path] if path else []
        case gast.Starred(value=value):
            return stored(value)
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return [path for each in elts for path in stored(each)]
    return []


def _owner(node: gast.expr) -> gast.expr:
    while isinstance(node, gast.Subscript):
        node = node.value
    return node


class _Needs(Walk):
    """Backward: what is live after each statement, and which views' sources are read later.

    Attributes:
      after: what is live after each statement.
      at_exit: what is live where the function is left.
    """

    def __init__(self, always: Names, views: Iterable[View], local: Names) -> None:
        self.views = tuple(views)
        self.of: dict[str, list[View]] = {}  # by what they are views of
        self.named: dict[str, list[View]] = {}
        for view in self.views:
            self.of.setdefault(view.root, []).append(view)
            self.named.setdefault(view.name, []).append(view)
        super().__init__(always | {v.is_read for v in self.views if v.root in always})
        self.after: dict[gast.AST, Names] = {}
        self.at_exit = frozenset(v.is_kept for v in self.views if v.root not in local and not v.unpacked)
        self.left: list[dict[str, Names]] = []

    def read(self, node: gast.AST) -> Names:
        if node not in self.reads:
            super().read(node)
            chains = _chains(node) if self.views else ()
            of = self.of
            sees = {v.is_read for c in chains for v in of.get(c.partition(".")[0], ()) if overlap(c, v.path)}
            self.reads[node] |= sees
        return self.reads[node]

    def statement(self, node: gast.stmt, live: Names) -> Names:
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
                restored = frozenset(v.is_read for v in self.restored(node))
                return (live - self.ended(node)) | (self.read(node) - restored)
        return super().statement(node, live)

    def settled(
        self, node: gast.While | gast.For | gast.AsyncFor, head: Names, live: Names, target: Names
    ) -> Names:
        def entry(at_end: Names) -> Names:
            self.left.append({"Break": live, "Continue": at_end})
            found = self.block(node.body, at_end)
            self.left.pop()
            return found - target

        return self.fixpoint(entry, head)

    def walked(self, node: gast.For | gast.AsyncFor, target: Names) -> Names:
        """What a loop reads at each iteration: items that the one before may have written, though not by its own target."""
        return self.read(node.iter) & {view.is_read for view in self.views if view.name not in target}

    def ended(self, node: gast.Assign) -> Names:
        """What an assignment does not owe to what follows: names that it binds, and views that it stores where they come from."""
        names, paths = scopes.bound(node.targets), {*attributes_bound(node)}
        gone = [v for name in names for v in self.of.get(name, ())]
        gone += [v for v in self.views if v.path in paths] if paths else []
        return frozenset(
            {*names, *(note for v in (*gone, *self.restored(node)) for note in (v.is_read, v.is_kept))}
        )

    def restored(self, node: gast.AST) -> list[View]:
        """The views that `m[i] = row` stores where they come from."""
        match node:
            case gast.Assign(targets=[gast.Subscript() as target], value=gast.Name(id=name)):
                if name not in self.named:
                    return []
                path, index = trees.dotted(_owner(target)), _indices(target)
                return [v for v in self.named.get(name, ()) if (v.path, v.index) == (path, index)]
        return []


def _indices(target: gast.Subscript) -> str:
    inner = f"{_indices(target.value)}][" if isinstance(target.value, gast.Subscript) else ""
    return inner + gast.unparse(target.slice)


def _chains(node: gast.AST) -> Iterator[str]:
    """The variables and attributes that a node reads the items of: `x`, `self.x`; not for `x.shape` and `len(x)`."""
    stack = [node]
    while stack:
        part = stack.pop()
        match part:
            case gast.Attribute(attr=attr) if attr in TYPES and trees.dotted(part):
                continue
            case gast.Call(func=gast.Name(id="len"), args=[argument]) if trees.dotted(argument):
                continue
            case gast.Name(ctx=gast.Store()):
                continue
            case gast.Attribute(ctx=gast.Store()) if trees.dotted(part):
                continue
            case gast.Name() | gast.Attribute() if path := trees.dotted(part):
                yield path
                continue
        stack += trees.children(part)
