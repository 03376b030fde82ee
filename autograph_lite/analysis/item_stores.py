"""Item stores: which would arrays, as values, not carry out as NumPy does?

    row = m[i]
    row[0] = v            NumPy changes m as well: `m` is read later, so that the difference would be seen
    return row, m

Forward, a walk finds what each name may be a view of; backward, one finds what is read later. Whoever writes an item of one
of the two is told, unless `m[i] = row` follows, which makes them equal again. The same walk finds the stores, and the
`row += v`, after which nothing reads the array: what they write would be lost.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.apart import Ranges, are_disjoint, linear
from autograph_lite.analysis.liveness import Names, Walk
from autograph_lite.analysis.view_flow import Flow, State, Unbound, attributes_bound, made_in
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


@dataclasses.dataclass(frozen=True)
class Conflict:
    """A view, and an item store that one of the two would not see."""

    view: View
    to_view: bool  # whether the item of the view is written, and not that of what it is a view of
    # whether what is not written is read later in this function; else it is only kept by an object
    read: bool = True
    deep: bool = False  # whether an item of an item is written: then an array that a list or a dict holds is


@dataclasses.dataclass(frozen=True)
class Stores:
    """What is to be known of the item stores of one function."""

    lost: dict[gast.AST, Names]  # the statements, with the names whose new values nothing reads
    conflicts: dict[gast.AST, list[Conflict]]  # by statement


def stores(function: gast.FunctionDef, also: Mapping[gast.AST, Sequence[Stored]] | None = None) -> Stores:
    """Item stores of a function, nested functions excluded, that arrays as values would not carry out as NumPy does.

    Args:
      function: as it was written.
      also: for statements that write no item themselves, what the functions that they call write.
    """
    body = function.body
    nodes = [node for node in scopes.own_nodes(body) if node.__class__ in _LOOKED_AT]
    written = {n: places for n in nodes if n.__class__ is not gast.Name and (places := stored_in(n))}
    written.update({node: list(places) for node, places in (also or {}).items()})
    added = {
        n: n.target.id for n in nodes if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name)
    }
    if not (written or added) or any(isinstance(n, gast.Name) and n.id in READERS for n in nodes):
        return Stores({}, {})
    parameters, own, always = name_sets(function, inner=any(isinstance(node, _INNER) for node in nodes))
    needs = Needs(always, {}, (), own - parameters)
    needs.block(body, frozenset())
    unread = {n: name for n, name in added.items() if n in needs.after and name in own - needs.after[n]}
    found = Stores({n: frozenset({name}) for n, name in unread.items()}, {})
    if not written:
        return found
    roots = {path.partition(".")[0] for places in written.values() for path, _ in places}
    flow = Flow(made_in(nodes, roots), needs.after)
    if flow.made:
        flow.block(body, frozenset(map(Unbound, own - parameters)))
        needs = Needs(always, flow.before, flow.views, own - parameters)
        needs.block(body, needs.at_exit)
    for node, places in written.items():
        after = needs.after.get(node)
        if after is None:
            continue  # nothing leads there
        if lost := (own & {path for path, _ in places}) - after:
            found.lost[node] = lost
        state = flow.before.get(node, frozenset())
        unbound = {each.name for each in state if isinstance(each, Unbound)}
        views = {each for each in state if isinstance(each, View) and not {each.name, each.root} & unbound}
        if not views:
            continue
        known = views - {*needs.restored(node)}
        conflicts = _conflicts(
            known, _Store(node, places), after | _stored_later(node), _ranges(flow.around[node])
        )
        if conflicts:
            found.conflicts[node] = conflicts
    return found


def name_sets(function: gast.FunctionDef, *, inner: bool = True) -> tuple[Names, Names, Names]:
    """A function's parameters, its own variables, and those that others may read, `inner` functions there are among them."""
    body = function.body
    parameters = frozenset(scopes.parameter_names(function.args))
    declared = scopes.declared(body)
    own = (parameters | frozenset(scopes.bound(body))) - declared
    return parameters, own, ((scopes.captured(body) & own) if inner else frozenset()) | declared


@dataclasses.dataclass(frozen=True)
class _Store:
    """A statement that writes items, and the places that it writes: paths and indices."""

    node: gast.AST
    places: Sequence[Stored]

    @property
    def is_deep(self) -> bool:
        """Whether an item of an item is written."""
        return any(
            isinstance(part, gast.Subscript) and isinstance(part.value, gast.Subscript)
            for target in _targets(self.node)
            for part in trees.walk(target)
        )


def _conflicts(views: Iterable[View], store: _Store, after: Names, ranges: Ranges) -> list[Conflict]:
    """The views that a store changes on one side, while the other side is live `after` it."""
    found: list[Conflict] = []
    order = sorted(views, key=lambda v: (v.made, v.path))
    deep = store.is_deep
    for view in order:
        mine = [path for path, _ in store.places if path == view.name]
        if mine and (view.is_read in after or view.is_kept in after):
            found.append(Conflict(view, to_view=True, read=view.is_read in after))
        if view.name not in after or (view.held and not deep):
            continue
        if any(meets(view, path, index, ranges) for path, index in store.places):
            found.append(Conflict(view, to_view=False, deep=deep))
        for other in order:  # another part of what the written one is a part of
            if other.name != view.name and _beside(other, view, store.places, ranges):
                beside = dataclasses.replace(view, path=other.name, index="", drops=None)
                found.append(Conflict(beside, to_view=False))
    return list(dict.fromkeys(found))


def meets(view: View, path: str, index: str, ranges: Ranges) -> bool:
    """Whether a store to an item of what `path` names may change a view."""
    if view.path == path:
        return not are_disjoint(view.index, index, ranges)
    return overlap(path, view.path)  # as `m.T` and `m`, which count other axes


def _beside(written: View, view: View, places: Sequence[Stored], ranges: Ranges) -> bool:
    """Whether a store writes to one view of what the other is a view of, too, and they may have items in common."""
    if written.path != view.path or written.held or written.is_same or view.is_same:
        return False
    return any(path == written.name for path, _ in places) and not are_disjoint(
        written.index, view.index, ranges
    )


def _ranges(loops: Iterable[gast.For | gast.AsyncFor]) -> Ranges:
    """What is known of the variables of loops over ranges, where their bodies bind neither these nor the bounds."""
    found = {}
    for loop in loops:
        match loop:
            case gast.For(target=gast.Name(id=name), iter=gast.Call(func=called, args=[*bounds])) if (
                trees.dotted(called) in ("range", "autograph_lite.range")
            ):
                step = linear(bounds[2]) if len(bounds) == 3 else ("", 1)
                if step is None or step[0] or step[1] == 0 or not 1 <= len(bounds) <= 3:
                    continue
                first, last = (("", 0), linear(bounds[0])) if len(bounds) == 1 else map(linear, bounds[:2])
                if step[1] < 0:
                    first, last = last and (last[0], last[1] + 1), first and (first[0], first[1] + 1)
                used = {name, *(bound[0] for bound in (first, last) if bound)}
                if not used.intersection(scopes.bound(loop.body)):
                    found[name] = first, last
    return found


def _targets(node: gast.AST) -> list[gast.expr]:
    """What a statement assigns to, if it can write items."""
    match node:
        case gast.Assign(targets=targets):
            return list(targets)
        case gast.AugAssign(target=target):
            return [target]
    return []


def _stored_later(node: gast.AST) -> Names:
    """The names that `m[i], m[j] = row, other` stores when it has written an item already."""
    match node:
        case gast.Assign(value=gast.Tuple(elts=[_, *later]) | gast.List(elts=[_, *later])):
            return frozenset(each.id for each in later if isinstance(each, gast.Name))
    return frozenset()


def stored_in(node: gast.AST) -> list[Stored]:
    """The items that a statement writes: the paths of what they belong to, and the indices, as text."""
    return [place for target in _targets(node) for place in stored(target)]


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


class Needs(Walk):
    """Backward: what is live after each statement, and which views' sources are read later."""

    def __init__(
        self, always: Names, before: Mapping[gast.AST, State], views: Iterable[View], local: Names
    ) -> None:
        self.before, self.views = before, tuple(views)
        self.of: dict[str, list[View]] = {}  # by what they are views of
        for view in self.views:
            self.of.setdefault(view.root, []).append(view)
        super().__init__(always | {v.is_read for v in self.views if v.root in always})
        self.after: dict[gast.AST, Names] = {}  # what is live after each statement
        # what is live where the function is left
        self.at_exit = frozenset(v.is_kept for v in self.views if v.root not in local and not v.unpacked)
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
                restored = frozenset(v.is_read for v in self.restored(node))
                return (live - self.ended(node)) | (self.read(node) - restored)
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

        return self.fixpoint(entry, head)

    def walked(self, node: gast.For | gast.AsyncFor, target: Names) -> Names:
        """What a loop reads at each iteration: items that the one before may have written, though not by its own target."""
        read = {view.is_read for view in self.views if view.name not in target}
        return self.read(node.iter) & (read | _walked_over(node.iter) - target)

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
                known = [v for v in self.before.get(node, ()) if isinstance(v, View) and v.name == name]
                place = (trees.dotted(trees.owner(target)), _indices(target)) if known else ("", "")
                other = {(v.path, v.made) for v in known if (v.path, v.index) != place}
                return [v for v in known if (v.path, v.made) not in other]
        return []


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
            case gast.Name(ctx=gast.Store()):
                continue
            case gast.Attribute(ctx=gast.Store()) if trees.dotted(part):
                continue
            case gast.Name() | gast.Attribute() if path := trees.dotted(part):
                yield path
                continue
        stack += trees.children(part)
