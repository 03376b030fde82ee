"""Writing to an item rebinds the name, because arrays are values; Python containers are changed in place as ever.

    x[i] = v                              x = ag.set_item(x, i, v)
    self.buf[i] = f(v)                    ag.store(f(v), self, 'buf', (i,))
    x[i] += v                             x = ag.update_item(x, (i,), '+=', lambda: v)
    rows.items[f()] = v                   ag.store(v, rows, 'items', ag.step(lambda: f()))
    x[i], x[j] = x[j], x[i]               item, item_2 = x[j], x[i]
                                          x = ag.set_item(x, i, item)
                                          x = ag.set_item(x, j, item_2)
    a[i], i = 5, 2                        item_3, i_2 = 5, 2
                                          a = ag.set_item(a, i, item_3)
                                          i = i_2

`ag.store(value, base, *steps)` keeps Python's order: the value first, then the base and the steps; a step is an attribute
name or a one-item tuple that holds an index, or a function of the index where that may run code: what is on the way
to the item is read before. Only a name of this function is rebound: a container of the module or of an
enclosing function is reached as it is, so `TABLE[0] = 1` does not make `TABLE` a local name; nor is a name rebound that
nothing reads afterwards, as an array would be lost; nor may `row += v` change an array that nothing reads afterwards,
`ag.unread(row)`. Where the value's evaluation may bind the base or an index again (see `analysis.shared`), it comes
before them in a statement of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from autograph_lite.analysis import item_stores, scopes, shared
from autograph_lite.analysis.liveness import Names
from autograph_lite.converters import logical, slices, walked
from autograph_lite.converters.context import Context
from autograph_lite.converters.static import binds_or_suspends
from autograph_lite.syntax import quote, trees

Block = list[gast.stmt]
AUGMENTED = {
    gast.LShift: "<<=",
    gast.RShift: ">>=",
    **{op: f"{text}=" for op, text in logical.ARITHMETIC.items()},
}


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    lost = item_stores.lost_stores(function)
    walked.run(function, context)
    body = function.body
    own = {*scopes.parameter_names(function.args), *scopes.bound(body)}
    writable = own | scopes.declared(body)
    visitor = _Stores(context, frozenset(writable), lost, shared.shared_variables(body, own))
    function.body = visitor.block(body)


class _Stores(trees.ScopeTransformer):
    def __init__(
        self,
        context: Context,
        writable: frozenset[str],
        unread: Mapping[gast.AST, Names],
        others: shared.Shared,
    ) -> None:
        self.context, self.writable, self.unread, self.others = context, writable, unread, others
        self.lost: Names = (
            frozenset()
        )  # of the statement that is rewritten: names that nothing reads after it

    def visit_Assign(self, node: gast.Assign) -> gast.AST | Block:
        self.lost = self.unread.get(node, frozenset())
        before: Block = []
        if not any(map(_has_item, node.targets)):
            return node
        if len(node.targets) == 1 and isinstance(node.targets[0], gast.Subscript):
            logical.mark_stored(node.value, node.targets[0])
            return quote.all_located([*before, *self.store(node.targets[0], node.value)], node)
        value = node.value
        if len(node.targets) > 1 and not isinstance(value, (gast.Name, gast.Constant)):
            kept = self.context.fresh("value")
            before.append(quote.assign([kept], value))
            value = quote.name(kept)
        for target in node.targets:
            if isinstance(target, gast.Subscript):
                before += self.store(target, value)
                continue
            items: list[tuple[gast.expr, str]] = []
            new = self.with_temporaries(target, items)
            before.append(gast.Assign([new], value, None))
            for item, name in items:
                before += self.assigned(item, name)
        return quote.all_located(before, node)

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST | Block:
        self.lost = self.unread.get(node, frozenset())
        before: Block = []
        target = node.target
        if isinstance(target, gast.Name) and target.id in self.lost:
            before += quote.stmts("ag.unread(y)", ag=self.context.ag, y=target.id)
        if isinstance(target, gast.Name) and target.id in self.others.written and not _is_plain(node.value):
            # It writes items of what is changed in place then.
            node.value = self.kept("value", node.value, before)
            return quote.all_located([*before, node], node)
        if not isinstance(target, gast.Subscript):
            return [*quote.all_located(before, node), node] if before else node
        logical.mark_stored(node.value, target)
        base, steps = self.path(target)
        name, binds = self.rebound(base, steps), binds_or_suspends(node.value)
        if name and (binds or self.is_changed(name, target, node.value)):
            apart = (
                len(steps) == 1 and name.id not in scopes.bound([node.value]) and self.others.keeps(name.id)
            )
            new = self.apart(target, name, node) if apart else self.compared(target, name, node)
            return quote.all_located([*before, *new], node)
        if binds:
            before += self.indices_kept(target)
            node.value = self.kept("value", node.value, before)
        return quote.all_located([*before, self.update(target, node.op, node.value)], node)

    def apart(self, target: gast.Subscript, base: gast.Name, node: gast.AugAssign) -> Block:
        """`x[i] += v` where `v` may write items of `x`, too: the item is read, changed and stored."""
        before = self.indices_kept(target)
        index = trees.copy_tree(target.slice)
        item = self.kept("item", gast.Subscript(trees.copy_tree(base), index, gast.Load()), before)
        added = gast.AugAssign(quote.name(item.id, gast.Store), node.op, node.value)
        return [*before, quote.located(added, node), *self.store(target, item)]

    def compared(self, target: gast.Subscript, base: gast.Name, node: gast.AugAssign) -> Block:
        """`x[i] += v` where `v` may bind `x` to something else, to which nothing is written."""
        before: Block = []
        kept = self.kept("base", base, before)
        if binds_or_suspends(node.value):
            before += self.indices_kept(target)
            node.value = self.kept("value", node.value, before)
        update = self.updated(_with_base(target, kept), node.op, node.value)
        return [*before, self.still(base, kept, update)]

    def still(self, base: gast.Name, kept: gast.Name, update: gast.expr) -> gast.stmt:
        """Binds `base` to what `update` gives, which writes to an item of `kept`, if `base` is `kept` still."""
        text = "ag.still(before, new, now)"
        call = quote.expr(text, ag=self.context.ag, before=kept.id, new=update, now=base.id)
        return quote.assign([base.id], call)

    def kept(self, name: str, value: gast.expr, before: Block) -> gast.Name:
        """The value in a variable of its own, which a statement `before` binds."""
        kept = self.context.fresh(name)
        before.append(quote.located(quote.assign([kept], value), value))
        return quote.located(quote.name(kept), value)

    def indices_kept(self, target: gast.expr) -> Block:
        """Statements that evaluate the indices of a target, which has their values in their place then."""
        before: Block = []
        while isinstance(target, (gast.Subscript, gast.Attribute)):
            if isinstance(target, gast.Subscript) and not isinstance(target.slice, gast.Constant):
                inner: Block = []
                target.slice = self.kept("index", slices.index_expr(target.slice, self.context.ag), inner)
                before = [*inner, *before]  # those of `a` in `a[i][j]` come first
            target = target.value
        return before

    def is_changed(self, base: gast.expr, target: gast.expr, value: gast.expr) -> bool:
        """Whether evaluating the target's indices, or the value, may bind the name `base`."""
        return self.others.may_change([base]) and not (_is_plain(value) and _has_plain_indices(target))

    def update(self, target: gast.Subscript, op: gast.operator, value: gast.expr) -> gast.stmt:
        return self.rebind(*self.path(target), self.updated(target, op, value))

    def updated(self, target: gast.Subscript, op: gast.operator, value: gast.expr) -> gast.expr:
        base, steps = self.path(target)
        arguments = [base, *steps, quote.constant(AUGMENTED[type(op)]), quote.lambda_([], value)]
        return gast.Call(quote.expr("ag.update_item", ag=self.context.ag), arguments, [])

    def visit_For(self, node: gast.For) -> gast.AST:
        self.generic_visit(node)
        self.lost = frozenset()
        items: list[tuple[gast.expr, str]] = []
        node.target = self.with_temporaries(node.target, items)
        node.body = [
            *(new for item, name in items for new in self.placed(item, name, node.target)),
            *node.body,
        ]
        return node

    def visit_With(self, node: gast.With) -> gast.AST:
        first = next((n for n, item in enumerate(node.items, 1) if _has_item(item.optional_vars)), 0)
        if 0 < first < len(node.items):  # Python stores the item before it enters the next manager
            rest = gast.copy_location(gast.With(node.items[first:], node.body, None), node)
            node.items, node.body = node.items[:first], [rest]
        self.generic_visit(node)
        self.lost = frozenset()
        items: list[tuple[gast.expr, str]] = []
        for item in node.items:
            if item.optional_vars is not None:
                item.optional_vars = self.with_temporaries(item.optional_vars, items)
        node.body = [*(new for target, name in items for new in self.placed(target, name, node)), *node.body]
        return node

    def placed(self, target: gast.expr, name: str, node: gast.AST) -> Block:
        """`assigned`, at the place of the statement around."""
        return quote.all_located(self.assigned(target, name), node)

    def with_temporaries(self, target: gast.expr, items: list[tuple[gast.expr, str]]) -> gast.expr:
        """`target` with a new name in place of each item, and of what an item before it may read.

        These are noted in `items`, in the order of assignment.
        """
        match target:
            case gast.Subscript():
                name = self.context.fresh("item")
            case gast.Attribute() if items:
                name = self.context.fresh("item")
            case gast.Name() if any(_may_read(item, target.id) for item, _ in items):
                name = self.context.fresh(target.id)
            case gast.Starred():
                target.value = self.with_temporaries(target.value, items)
                return target
            case gast.Tuple() | gast.List():
                target.elts = [self.with_temporaries(e, items) for e in target.elts]
                return target
            case _:
                return target
        items.append((target, name))
        return quote.located(quote.name(name, gast.Store), target)

    def assigned(self, target: gast.expr, name: str) -> Block:
        """Assigns to a target that a temporary stands for."""
        if isinstance(target, gast.Subscript):
            return self.store(target, quote.name(name))
        return [gast.Assign([target], quote.name(name), None)]

    def store(self, target: gast.Subscript, value: gast.expr) -> Block:
        base, steps = self.path(target)
        ag = self.context.ag
        before: Block = []
        name = self.rebound(base, steps)
        if name and not _is_plain(value) and (binds_or_suspends(value) or self.others.may_change([target])):
            value = self.kept("value", value, before)  # Python evaluates it before the rest
        if name and self.is_changed(base, target, value):
            if len(steps) == 1 and self.others.keeps(name.id):
                before += self.indices_kept(target)
            else:
                kept = self.kept("base", name, before)
                stored = gast.Call(quote.expr("ag.store", ag=ag), [value, kept, *steps], [])
                return [*before, self.still(name, kept, stored)]
        if name and len(steps) == 1 and _is_plain(target.slice):
            index = slices.index_expr(target.slice, self.context.ag)
            new = quote.expr("ag.set_item(base, index, value)", ag=ag, base=base, index=index, value=value)
            return [*before, self.rebind(base, steps, new)]
        call = gast.Call(quote.expr("ag.store", ag=ag), [value, base, *steps], [])
        return [*before, self.rebind(base, steps, call)]

    def rebind(self, base: gast.expr, steps: Sequence[gast.expr], call: gast.expr) -> gast.stmt:
        name = self.rebound(base, steps)
        return quote.assign([name.id], call) if name else gast.Expr(call)

    def rebound(self, base: gast.expr, steps: Sequence[gast.expr]) -> gast.Name | None:
        """The name that a store binds again; none for an object whose attribute is written, which stays what it is."""
        of_object = isinstance(steps[0], gast.Constant)
        return base if isinstance(base, gast.Name) and self.is_rebound(base) and not of_object else None

    def is_rebound(self, base: gast.expr) -> bool:
        """Whether a store binds the name again: it is one of this function's, and is read later."""
        return isinstance(base, gast.Name) and base.id in self.writable and base.id not in self.lost

    def path(self, target: gast.expr) -> tuple[gast.expr, list[gast.expr]]:
        """`a.b[i]` as its base `a` and the steps `'b', (i,)`."""
        match target:
            case gast.Subscript(value=value):
                base, steps = self.path(value)
                index = slices.index_expr(target.slice, self.context.ag)
                if steps and not _is_plain(target.slice) and not binds_or_suspends(target.slice):
                    step = quote.expr("ag.step(index)", ag=self.context.ag, index=quote.lambda_([], index))
                    return base, [*steps, step]
                return base, [*steps, gast.Tuple([index], gast.Load())]
            case gast.Attribute(value=value, attr=attr):
                base, steps = self.path(value)
                return base, [*steps, quote.constant(attr)]
        return target, []


def _has_item(target: gast.expr | None) -> bool:
    match target:
        case gast.Subscript():
            return True
        case gast.Starred(value=value):
            return _has_item(value)
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return any(map(_has_item, elts))
    return False


def _may_read(target: gast.expr, name: str) -> bool:
    """Whether assigning to a target may read a variable."""
    plain = isinstance(target, gast.Subscript) and _has_plain_indices(target)
    return not plain or any(isinstance(n, gast.Name) and n.id == name for n in trees.walk(target))


def _has_plain_indices(target: gast.expr) -> bool:
    """Whether none of the indices of a target runs code of consequence."""
    while isinstance(target, (gast.Subscript, gast.Attribute)):
        if isinstance(target, gast.Subscript) and not _is_plain(target.slice):
            return False
        target = target.value
    return True


def _with_base(target: gast.expr, base: gast.Name) -> gast.Subscript:
    """`target`, items of items of a variable, with another variable in its place."""
    assert isinstance(target, gast.Subscript)
    value = base if isinstance(target.value, gast.Name) else _with_base(target.value, base)
    return gast.copy_location(gast.Subscript(value, target.slice, target.ctx), target)


def _is_plain(index: gast.expr) -> bool:
    """Whether evaluating the index can't run user code of consequence, so that its order does not matter."""
    allowed = (
        gast.Name, gast.Constant, gast.Tuple, gast.Slice, gast.UnaryOp, gast.BinOp,
        gast.expr_context, gast.operator, gast.unaryop,
    )  # fmt: skip
    return all(isinstance(n, allowed) for n in trees.walk(index))
