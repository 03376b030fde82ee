"""Flow of views: which may there be before each statement of a function, as it was written, its jumps included?"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.views import View, chained, made_by, put_in, views_of_loop
from autograph_lite.syntax import trees


@dataclasses.dataclass(frozen=True)
class Unbound:
    """A variable that may have no value yet."""

    name: str


@dataclasses.dataclass(frozen=True)
class Given:
    """A parameter that still has the value that the caller has given it."""

    name: str


Fact = View | Unbound | Given
UNKNOWN = "?"  # an index
# Methods that move the items of a list or a deque.
SHIFTS = frozenset({
    "appendleft", "clear", "extendleft", "insert", "pop", "popleft", "remove", "reverse", "rotate", "sort"
})  # fmt: skip
State = frozenset[Fact]  # None is what no path leads to
Made = dict[gast.AST, list[View]]


def made_in(nodes: Iterable[gast.AST], written: set[str]) -> Made:
    """The views that assignments and `for` make, of a function's own `nodes`; those that have to do with `written` variables."""
    found: Made = {}
    for node in nodes:
        match node:
            case gast.Assign(targets=targets, value=value):
                views = (
                    [view for target in targets for view in made_by(target, value)]
                    + chained(targets)
                    + put_in(node)
                )
            case gast.AnnAssign(target=target, value=gast.expr() as value):
                views = made_by(target, value)
            case gast.Expr():
                views = put_in(node)
            case gast.For(target=target, iter=iterable) | gast.AsyncFor(target=target, iter=iterable):
                views = views_of_loop(target, iterable)
            case _:
                continue
        if views:
            found[node] = views
    linked = _linked([(view.name, view.root) for views in found.values() for view in views], written)
    kept = {node: [view for view in views if view.name in linked] for node, views in found.items()}
    return {node: views for node, views in kept.items() if views}


def _linked(pairs: Iterable[tuple[str, str]], names: Iterable[str]) -> set[str]:
    """The names that pairs link to `names`, and these."""
    links = collections.defaultdict(set)
    for one, other in pairs:
        links[one].add(other)
        links[other].add(one)
    found, new = set(names), list(names)
    while new:
        more = links[new.pop()] - found
        found |= more
        new += more
    return found


class Flow:
    """A forward walk over the statements of a function.

    Attributes:
      live: the names that may be read after each statement: no other view matters.
      before: what there may be before each statement.
      around: the `for` loops around each statement.
      views: all that are made.
    """

    def __init__(self, made: Made, live: dict[gast.AST, frozenset[str]]) -> None:
        self.made, self.live = made, live
        self.before: dict[gast.AST, State] = {}
        self.around: dict[gast.AST, tuple[gast.For | gast.AsyncFor, ...]] = {}
        self.loops: tuple[gast.For | gast.AsyncFor, ...] = ()
        self.views: set[View] = set()
        self.left: list[tuple[list[State], list[State]]] = []  # by `break` and `continue` of the loops around
        self.tried: list[set[Fact]] = []  # what the `try` blocks around have come to

    def block(self, body: Sequence[gast.stmt], state: State | None) -> State | None:
        """What there may be after `body`."""
        for statement in body:
            if state is None:
                return None
            state = self.alive(statement, self.statement(statement, state))
            for seen in self.tried:
                seen.update(state or ())
        return state

    def alive(self, node: gast.stmt, state: State | None) -> State | None:
        """What of `state` matters after a statement."""
        if not state or node not in self.live:
            return state
        live = self.live[node]
        return frozenset(each for each in state if each.name in live)

    def statement(self, node: gast.stmt, state: State) -> State | None:
        """What there may be after a statement."""
        self.before[node] = state | self.before.get(node, frozenset())
        self.around[node] = self.loops
        match node:
            case gast.If(test=test):
                state = _without(state, [test])
                return _either(self.block(node.body, state), self.block(node.orelse, state))
            case gast.While(test=test):
                return self.loop(node, _without(state, [test]), [])
            case gast.For() | gast.AsyncFor():
                return self.loop(node, state, [node.target])
            case gast.Try() | gast.TryStar():
                return self.try_statement(node, state)
            case gast.With() | gast.AsyncWith():
                self.tried.append(set(state))
                after = self.block(node.body, _without(state, node.items))
                return _either(after, frozenset(self.tried.pop()))  # a manager may swallow an exception
            case gast.Match():
                matched = [self.block(case.body, _without(state, [case.pattern])) for case in node.cases]
                return _either(state, *matched)
            case gast.Break():
                self.left[-1][0].append(state)
                return None
            case gast.Continue():
                self.left[-1][1].append(state)
                return None
            case gast.Return() | gast.Raise():
                return None
        return self.with_new(node, state, _without(state, [node]))

    def with_new(self, node: gast.AST, before: State, left: State) -> State:
        """What there may be after a statement that has `left` this of what was there `before`."""
        found, kept = set(new := self.made.get(node, ())), set()
        bound, paths = (set(scopes.bound([node])), {*attributes_bound(node)}) if new else (set(), set())
        for view in new:
            for old in before:
                if not isinstance(old, View) or view.held or view.path in paths:
                    continue
                if old.name == view.path:
                    found.add(_through(view, old))
                elif old.path == view.path and old.is_same:
                    found.add(dataclasses.replace(view, path=old.name))
                elif old.path == view.path and view.is_same and old.name not in bound:
                    kept.add(dataclasses.replace(old, path=view.name))
        found = kept.union(*(_renamed(view, new, bound) for view in found))
        found = {view for view in found if view.name != view.root}
        self.views |= found
        return left | found

    def loop(
        self, node: gast.While | gast.For | gast.AsyncFor, state: State, targets: Sequence[gast.expr]
    ) -> State | None:
        """What there may be after a loop that binds `targets`."""
        outer = self.loops
        while True:
            self.left.append(([], []))
            self.loops = outer if isinstance(node, gast.While) else (*outer, node)
            end = self.block(node.body, self.with_new(node, state, _without(state, targets)))
            self.loops = outer
            broken, continued = self.left.pop()
            bigger = state.union(end or (), *continued)
            if bigger == state:
                return _either(self.block(node.orelse, state), *broken)
            state = bigger

    def try_statement(self, node: gast.Try, state: State) -> State | None:
        """What there may be after a `try`."""
        self.tried.append(set(state))
        after = self.block(node.orelse, self.block(node.body, state))
        rescued = frozenset(self.tried.pop())
        for handler in node.handlers:
            after = _either(after, self.block(handler.body, rescued))
        if not node.finalbody:
            return after
        ended = self.block(node.finalbody, rescued | (after or frozenset()))
        return None if after is None else ended


def _without(state: State, nodes: Sequence[gast.AST]) -> State:
    """What is left when `nodes` have bound what they bind."""
    if not state:
        return state
    state = frozenset(_moved(each, shifted) for each in state) if (shifted := _shifted(nodes)) else state
    names, deleted = set(scopes.bound(nodes)), scopes.names_deleted(nodes)
    paths = {path for node in nodes for path in attributes_bound(node)}
    if not names and not deleted and not paths:
        return state
    gone = names | deleted
    left = {_now(each, gone) for each in state if each.name not in gone and not _is_of(each, gone, paths)}
    return frozenset(left | {Unbound(name) for name in deleted})


def _shifted(nodes: Iterable[gast.AST]) -> set[str]:
    """The lists whose items have other places after `nodes`."""
    found = set()
    for node in nodes:
        for part in trees.walk(node):
            match part:
                case gast.Call(func=gast.Attribute(value=owner, attr=attr)) if attr in SHIFTS:
                    found.add(trees.dotted(owner))
                case (
                    gast.Subscript(value=owner, ctx=gast.Del())
                    | gast.Subscript(value=owner, slice=gast.Slice(), ctx=gast.Store())
                ):
                    found.add(trees.dotted(owner))
    return found


def _moved(each: Fact, shifted: set[str]) -> Fact:
    if isinstance(each, View) and each.path in shifted:
        return dataclasses.replace(each, index=UNKNOWN)
    return each


def _now(each: Fact, bound: set[str]) -> Fact:
    """A view, whose index no longer tells where it is if its variables are bound again."""
    if isinstance(each, View) and bound.intersection(_NAME.findall(each.index)):
        return dataclasses.replace(each, index=UNKNOWN)
    return each


_NAME = re.compile(r"[^\W\d]\w*")


def _is_of(each: Fact, names: set[str], paths: set[str]) -> bool:
    return isinstance(each, View) and (each.root in names or each.path in paths)


def attributes_bound(node: gast.AST) -> Iterator[str]:
    """The attributes that a statement binds, `self.x`."""
    match node:
        case gast.Assign(targets=targets):
            for target in targets:
                parts = target.elts if isinstance(target, (gast.Tuple, gast.List)) else [target]
                yield from (trees.dotted(part) for part in parts if isinstance(part, gast.Attribute))


def _either(*states: State | None) -> State | None:
    reached = [state for state in states if state is not None]
    return frozenset[Fact]().union(*reached) if reached else None


def _renamed(view: View, new: Iterable[View], bound: set[str]) -> list[View]:
    """A new view, by the names that what it is a view of has now: after `u, v = v, u` the old `v` is `u`."""
    if view.chained or view.held or view.root not in bound:
        return [view]
    rest = view.path[len(view.root) :]
    return [
        dataclasses.replace(view, path=other.name + rest)
        for other in new
        if other.is_same and not other.chained and other.path == view.root
    ]


def _through(view: View, old: View) -> View:
    """What a view of a view is a view of; of parts of parts there is no end in a loop, so that these are not told apart."""
    if old.is_same or view.is_same:
        part = view if old.is_same else old
        index, drops = part.index, part.drops
    else:
        index, drops = UNKNOWN, None
    return dataclasses.replace(old, name=view.name, made=view.made, index=index, drops=drops)
