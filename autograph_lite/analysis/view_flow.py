"""Flow of items: where are those that were written, before each statement of a function, its jumps included?"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.views import View
from autograph_lite.syntax import trees

UNKNOWN = "?"  # an index
# Methods that move the items of a list or a deque.
SHIFTS = frozenset({
    "appendleft", "clear", "extendleft", "insert", "pop", "popleft", "remove", "reverse", "rotate", "sort"
})  # fmt: skip
State = frozenset[View]  # None is what no path leads to


class Flow:
    """A forward walk over the statements of a function.

    Attributes:
      before: what there may be before each statement.
    """

    def __init__(self) -> None:
        self.before: dict[gast.AST, State] = {}
        self.left: list[tuple[list[State], list[State]]] = []  # by `break` and `continue` of the loops around
        self.tried: list[set[View]] = []  # what the `try` blocks around have come to

    def block(self, body: Sequence[gast.stmt], state: State | None) -> State | None:
        """What there may be after `body`."""
        for statement in body:
            if state is None:
                return None
            state = self.statement(statement, state)
            for seen in self.tried:
                seen.update(state or ())
        return state

    def statement(self, node: gast.stmt, state: State) -> State | None:
        """What there may be after a statement."""
        self.before[node] = state | self.before.get(node, frozenset())
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
        return _without(state, [node])

    def loop(
        self, node: gast.While | gast.For | gast.AsyncFor, state: State, targets: Sequence[gast.expr]
    ) -> State | None:
        """What there may be after a loop that binds `targets`."""
        while True:
            self.left.append(([], []))
            end = self.block(node.body, _without(state, targets))
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
    gone = {*scopes.bound(nodes), *scopes.names_deleted(nodes)}
    paths = {path for node in nodes for path in attributes_bound(node)}
    if not gone and not paths:
        return state
    return frozenset(_now(each, gone) for each in state if each.root not in gone and each.path not in paths)


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


def _moved(each: View, shifted: set[str]) -> View:
    return dataclasses.replace(each, index=UNKNOWN) if each.path in shifted else each


def _now(each: View, bound: set[str]) -> View:
    """An item, whose index no longer tells where it is if its variables are bound again."""
    if bound.intersection(_NAME.findall(each.index)):
        return dataclasses.replace(each, index=UNKNOWN)
    return each


_NAME = re.compile(r"[^\W\d]\w*")


def attributes_bound(node: gast.AST) -> Iterator[str]:
    """The attributes that a statement binds, `self.x`."""
    match node:
        case gast.Assign(targets=targets):
            for target in targets:
                parts = target.elts if isinstance(target, (gast.Tuple, gast.List)) else [target]
                yield from (trees.dotted(part) for part in parts if isinstance(part, gast.Attribute))


def _either(*states: State | None) -> State | None:
    reached = [state for state in states if state is not None]
    return frozenset[View]().union(*reached) if reached else None
