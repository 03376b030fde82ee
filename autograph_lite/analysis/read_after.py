"""Later reads: which variables and attributes are read after a place in a function, an item store or a call?

sift(x, 0)            an item store in `sift` changes what `x` means here, in NumPy
return x.max()        `x` is read after the call
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import gast

from autograph_lite.analysis import scopes
from autograph_lite.analysis.item_stores import (
    Needs,
    Stored,
    attributes_bound,
    name_sets,
    stored_in,
    stored_through,
    targets,
)
from autograph_lite.analysis.liveness import Names
from autograph_lite.analysis.views import View, overlap, seen_by
from autograph_lite.syntax import trees
from autograph_lite.syntax.source_text.source import Span


@dataclasses.dataclass(frozen=True, eq=False)
class Place:
    """A place in a function that runs."""

    function: gast.FunctionDef  # the function, as it was written
    statement: gast.stmt  # the innermost one that the place is in
    # the expression that stands there: a call, or one that runs a method, as `a + b`; None for a store
    node: gast.expr | None
    inner: gast.Lambda | None  # the innermost lambda around the place, in that statement

    @property
    def call(self) -> gast.Call | None:
        """The call that stands there, if it is one."""
        return self.node if isinstance(self.node, gast.Call) else None

    @property
    def line(self) -> int:
        """Where it is in its file."""
        return int((self.node or self.statement).lineno)

    @property
    def drops_result(self) -> bool:
        """Whether nothing takes the value of the call."""
        return isinstance(self.statement, gast.Expr) and self.statement.value is self.call

    @functools.cached_property
    def names(self) -> Names:
        """All variables that the function names: those that generated code has of its own are none of them."""
        nodes = trees.walk(self.function)
        return frozenset(str(node.id) for node in nodes if isinstance(node, gast.Name))

    @functools.cached_property
    def assigned(self) -> Names:
        """The variables that the statement binds when what it computes is there."""
        return frozenset(_assigned(self.statement))

    @functools.cached_property
    def stored_through(self) -> Names:
        """The variables through which the statement writes items: `rows` of `rows[0].x[1] = v`."""
        return frozenset(name for each in targets(self.statement) for name in stored_through(each))

    @functools.cached_property
    def stored(self) -> frozenset[Stored]:
        """The items of variables and attributes that the statement writes."""
        return frozenset(stored_in(self.statement))

    @functools.cached_property
    def operands(self) -> tuple[View, ...]:
        """What the statement has evaluated before the place, and uses after it; of arrays, `made` is the text."""
        if self.node is None:
            return ()
        scope = self.statement if self.inner is None else self.inner.body
        found = [each for node in _waiting(scope, self.node) for each in _parts_of(node)]
        if isinstance(scope, gast.AugAssign) and isinstance(scope.target, gast.Name):
            # Where another function binds it, `a += put()` is converted so that it is read after the call.
            others = scopes.bound_by_others([*scopes.own_nodes(self.function.body)])
            found = [each for each in found if each is not scope.target or scope.target.id not in others]
        return tuple(
            dataclasses.replace(view, made=gast.unparse(each).strip())
            for each in found
            for view in seen_by(each)
        )


@functools.lru_cache(maxsize=256)
def place_of_span(function: gast.FunctionDef, span: Span) -> Place | None:
    """The place at `span`, nested functions excluded."""
    statement: gast.stmt | None = None
    here: gast.expr | None = None
    inner: gast.Lambda | None = None
    for node in scopes.own_nodes(function.body):
        if isinstance(node, gast.stmt) and _is_around(node, span):
            statement = node  # inner ones come later
    for node in trees.walk(statement) if statement is not None else ():
        if isinstance(node, gast.Lambda) and _is_around(node.body, span):
            inner = node
        elif isinstance(node, gast.expr) and _span(node) == span and not _is_stored(node):
            here = node
    if here is None and isinstance(statement, gast.With) and _span(statement) == span:
        # Python 3.11 gives the calls of `__enter__` and `__exit__` the lines of the whole statement.
        here = statement.items[0].context_expr
    return None if statement is None else Place(function, statement, here, inner)


@functools.lru_cache(maxsize=256)
def read_after(
    place: Place, paths: Names, replaced: Names = frozenset(), held: Names = frozenset()
) -> tuple[Names, Names]:
    """Of variables and attributes, those that the function reads after `place`; and those that others may read then.

    Args:
      place: where something is written to.
      paths: the variables and attributes.
      replaced: those of them in which the statement puts something in the place of all that is written to.
      held: those that mean an object which holds the array, and outlives the call though it is a parameter.
    """
    soon = {*_loaded_after(place)}
    if place.inner is not None:
        return frozenset(path for path in paths if path.partition(".")[0] in soon), frozenset()
    function = place.function
    parameters, own, always = name_sets(function)
    views = [View(path, "") for path in paths]
    needs = _Needs(always, views, own - parameters)
    needs.held = held
    needs.block(function.body, needs.at_exit)
    bound = {*place.assigned, *attributes_bound(place.statement)}
    after = needs.after.get(place.statement, frozenset())
    if place.node is None:  # of a loop, between two iterations
        after |= needs.heads.get(place.statement, frozenset())
    known = [view for view in views if not {view.path, view.root} & bound and view.path not in replaced]
    read = {
        view.path for view in known if view.is_read in after and (view.root in after or view.root not in own)
    }
    read |= {view.path for view in views if view.root in soon}
    kept = {
        view.path
        for view in known
        if view.is_kept in after and (view.path not in parameters or view.path in held)
    }
    return frozenset(read), frozenset(kept)


class _Needs(Needs):
    """As `Needs`; the views are of what was written."""

    held: Names = frozenset()  # what means an object that holds items, which may get others

    def read(self, node: gast.AST) -> Names:
        """As `Needs.read`; who writes to other items of what has got an old array would write to that."""
        if node not in self.reads:
            super().read(node)
            written = [path for path, _ in stored_in(node)]
            self.reads[node] |= {v.is_read for v in self.views for path in written if overlap(path, v.path)}
            match node:
                case gast.Assign(targets=[gast.Subscript(value=owner)], value=value) if (
                    path := trees.dotted(owner)
                ) in self.held and path.partition(".")[0] not in scopes.names_read(value):
                    self.reads[node] -= {v.is_read for v in self.views if v.path == path}
        return self.reads[node]


@functools.lru_cache(maxsize=256)
def given_back(place: Place, *, leaves: bool) -> tuple[View, ...]:
    """What a `return` has evaluated in whose `finally` the place is, or if it `leaves` a `with`, in that; `made` is the text."""
    given: list[gast.expr] = []
    for node in scopes.own_nodes(place.function.body):
        body: list[Any] = []
        if isinstance(node, (gast.Try, gast.TryStar)) and place.statement in [
            *trees.statements(node.finalbody)
        ]:
            body = [*node.body, *node.handlers, *node.orelse]
        elif isinstance(node, gast.With) and leaves and node is place.statement:
            body = node.body
        given += [
            n.value for n in scopes.own_nodes(body) if isinstance(n, gast.Return) and n.value is not None
        ]
    return tuple(
        dataclasses.replace(view, made=gast.unparse(each).strip())
        for value in given
        for each in _parts_of(value)
        for view in seen_by(each)
    )


def _assigned(statement: Any) -> list[str]:
    """The variables that a statement assigns when what it computes is there."""
    targets = [*getattr(statement, "targets", ()), getattr(statement, "target", None)]
    targets += [item.optional_vars for item in getattr(statement, "items", ())]
    return scopes.bound([target for target in targets if target is not None])


def _loaded_after(place: Place) -> Iterator[str]:
    """The variables that the statement, or the lambda in it, reads when what runs at the place is over."""
    if place.node is None:
        return
    end = _span(place.node)[2:]
    for node in trees.walk(place.statement if place.inner is None else place.inner.body):
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load) and _span(node)[:2] >= end:
            yield node.id


def _waiting(node: gast.AST, place: gast.expr) -> list[gast.expr]:
    """The operands that are evaluated before `place`, which is in `node`, and wait for it."""
    found: list[gast.expr] = []
    while node is not place:
        operands = _operands(node)
        inner = next(
            (each for each in trees.children(node) if any(n is place for n in trees.walk(each))), None
        )
        if inner is None:
            return []
        if inner in operands:
            found += operands[: operands.index(inner)]
        node = inner
    return found


def _operands(node: gast.AST) -> list[Any]:
    """What is evaluated for a node, in Python's order, and used when all is there."""
    match node:
        case gast.BinOp(left=left, right=right):
            return [left, right]
        case gast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case gast.Subscript(value=value, slice=index, ctx=gast.Load()):
            return [value, index]
        case gast.Call(func=func, args=args, keywords=keywords):
            return [func.value if isinstance(func, gast.Attribute) else func, *args, *keywords]
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return list(elts)
        case gast.Dict(values=values):
            return list(values)
        case gast.AugAssign(target=target, value=value):
            return [target, value]
    return []


def _parts_of(node: gast.AST) -> list[gast.expr]:
    """An operand; of a tuple or a list, its items."""
    match node:
        case gast.keyword(value=value) | gast.Starred(value=value):
            return _parts_of(value)
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return [part for each in elts for part in _parts_of(each)]
        case gast.Dict(values=values):
            return [part for each in values for part in _parts_of(each)]
        case gast.expr():
            return [node]
    return []


def _is_stored(node: gast.expr) -> bool:
    """Whether something is assigned to an expression, and all that the statement computes is there."""
    return isinstance(getattr(node, "ctx", None), gast.Store | gast.Del)


def _is_around(node: gast.AST, span: Span) -> bool:
    own = _span(node)
    return own[:2] <= span[:2] and span[2:] <= own[2:]


def _span(node: Any) -> Span:
    if not hasattr(node, "lineno"):  # gast's name of `except E as e`
        return 0, 0, 0, 0
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
