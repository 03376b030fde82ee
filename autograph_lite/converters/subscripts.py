"""Writing to an item rebinds the name, because arrays are values; Python containers are changed in place as ever.

    x[i] = v                              x = ag.set_item(x, i, v)
    self.buf[i] = f(v)                    ag.store(f(v), self, 'buf', (i,))
    x[i] += v                             x = ag.update_item(x, (i,), '+=', lambda: v)
    rows.items[f()] = v                   ag.store(v, rows, 'items', ag.step(lambda: f()))
    x[i], x[j] = x[j], x[i]               item, item_2 = x[j], x[i]
                                          ag.viewed(item_2, x, 'x[i]', 'x', 'x[i]', 1)
                                          x = ag.set_item(x, i, item)
                                          x = ag.set_item(x, j, item_2)
    row = m[i]                            row = m[i]
    row[0] = v                            ag.view(row, m, 'row', 'm', 'row = m[i]', 1)
    use(m, row)                           row = ag.set_item(row, 0, v)
                                          use(m, row)

`ag.store(value, base, *steps)` keeps Python's order: the value first, then the base and the steps; a step is an attribute
name or a one-item tuple that holds an index, or a function of the index where that may run code: what is on the way
to the item is read before. Only a name of this function is rebound: a container of the module or of an
enclosing function is reached as it is, so `TABLE[0] = 1` does not make `TABLE` a local name; nor is a name rebound that
nothing reads afterwards, as an array would be lost. `ag.view` refuses to write to an array that NumPy would know by
another name, too (see `analysis.item_stores`).
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from autograph_lite.analysis import item_stores, scopes, views
from autograph_lite.converters import slices, walked
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

Block = list[gast.stmt]
AUGMENTED = {
    gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.FloorDiv: "//=", gast.Mod: "%=",
    gast.Pow: "**=", gast.LShift: "<<=", gast.RShift: ">>=", gast.BitAnd: "&=", gast.BitOr: "|=",
    gast.BitXor: "^=", gast.MatMult: "@=",
}  # fmt: skip


def run(function: gast.FunctionDef, context: Context) -> None:
    """Rewrites the body of `function` in place; nested functions keep theirs."""
    found = item_stores.stores(function)
    walked.run(function, context)
    body = function.body
    own = {*scopes.parameters(function.args), *scopes.bound(body)}
    writable = own | scopes.declared(body)
    visitor = _Stores(context, frozenset(writable), found)
    function.body = visitor.block(body)


class _Stores(trees.Transformer):
    def __init__(self, context: Context, writable: frozenset[str], found: item_stores.Stores) -> None:
        self.context, self.writable, self.found = context, writable, found
        self.lost: frozenset[str] = frozenset()  # of the statement that is rewritten

    def block(self, body: Sequence[gast.stmt]) -> Block:
        done: Block = []
        for node in body:
            new = self.visit(node)
            done += new if isinstance(new, list) else [new]
        return done

    def visit_FunctionDef(self, node: gast.AST) -> gast.AST:
        return node  # a scope of its own

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_Assign(self, node: gast.Assign) -> gast.AST | Block:
        if not any(map(_has_item, node.targets)):
            return node
        before = self.checked(node)
        if len(node.targets) == 1 and isinstance(node.targets[0], gast.Subscript):
            return quote.all_located([*before, *self.store(node.targets[0], node.value)], node)
        value = node.value
        if len(node.targets) > 1 and not isinstance(value, (gast.Name, gast.Constant)):
            kept = self.context.fresh("value")
            before.append(quote.assign([kept], value))
            value = quote.name(kept)
        for target in node.targets:
            items: list[tuple[gast.Subscript, str]] = []
            new = self.with_temporaries(target, items)
            if isinstance(target, gast.Subscript):
                before += self.store(target, value)
                continue
            before.append(gast.Assign([new], value, None))
            before += self.swapped(new, value, items)
            for item, name in items:
                before += self.store(item, quote.name(name))
        return quote.all_located(before, node)

    def swapped(
        self, target: gast.expr, value: gast.expr, items: Sequence[tuple[gast.Subscript, str]]
    ) -> Block:
        """The checks of `m[i], m[j] = m[j], m[i]`: a row that is stored may be a view of what has been written before it."""
        checks: Block = []
        order = [name for _, name in items]
        for view in views.made_by(target, value):
            before = order[: order.index(view.name)] if view.name in order else []
            places = [place for item, name in items if name in before for place in item_stores.stored(item)]
            if any(item_stores.meets(view, path, index, {}) for path, index in places):
                conflict = item_stores.Conflict(view, to_view=False)
                checks.append(_check(conflict, self.context.ag, shown=view.made.partition(" = ")[2]))
        return checks

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST | Block:
        if not isinstance(node.target, gast.Subscript):
            return node
        before = self.checked(node)
        if any(isinstance(n, gast.NamedExpr) for n in trees.walk(node.value)):
            kept = self.context.fresh("value")  # a walrus has to bind in this function
            node.value, value = quote.located(quote.name(kept), node.value), node.value
            before.append(quote.assign([kept], value))
        return quote.all_located([*before, self.update(node.target, node.op, node.value)], node)

    def checked(self, node: gast.stmt) -> Block:
        """The checks before a statement that writes items; notes the names that nothing reads after it."""
        self.lost = self.found.lost.get(node, frozenset())
        return [_check(conflict, self.context.ag) for conflict in self.found.conflicts.get(node, ())]

    def update(self, target: gast.Subscript, op: gast.operator, value: gast.expr) -> gast.stmt:
        base, steps = self.path(target)
        arguments = [base, *steps, quote.constant(AUGMENTED[type(op)]), quote.lambda_([], value)]
        call = gast.Call(quote.expr("ag.update_item", ag=self.context.ag), arguments, [])
        return self.rebind(base, steps, call)

    def visit_For(self, node: gast.For) -> gast.AST:
        self.generic_visit(node)
        self.lost = frozenset()
        items: list[tuple[gast.Subscript, str]] = []
        node.target = self.with_temporaries(node.target, items)
        for item, name in reversed(items):
            node.body = [*quote.all_located(self.store(item, quote.name(name)), node.target), *node.body]
        return node

    def visit_With(self, node: gast.With) -> gast.AST:
        self.generic_visit(node)
        self.lost = frozenset()
        for item in node.items:
            items: list[tuple[gast.Subscript, str]] = []
            if item.optional_vars is not None:
                item.optional_vars = self.with_temporaries(item.optional_vars, items)
            for target, name in reversed(items):
                node.body = [*quote.all_located(self.store(target, quote.name(name)), node), *node.body]
        return node

    def with_temporaries(self, target: gast.expr, items: list[tuple[gast.Subscript, str]]) -> gast.expr:
        """`target` with a new name in place of each item, noted in `items` in the order of assignment."""
        match target:
            case gast.Subscript():
                name = self.context.fresh("item")
                items.append((target, name))
                return quote.located(quote.name(name, gast.Store), target)
            case gast.Starred():
                target.value = self.with_temporaries(target.value, items)
            case gast.Tuple() | gast.List():
                target.elts = [self.with_temporaries(e, items) for e in target.elts]
        return target

    def store(self, target: gast.Subscript, value: gast.expr) -> Block:
        base, steps = self.path(target)
        ag = self.context.ag
        if self.is_rebound(base) and len(steps) == 1 and _is_plain(target.slice):
            index = slices.index(target.slice, self.context.ag)
            call = quote.expr("ag.set_item(base, index, value)", ag=ag, base=base, index=index, value=value)
            return [self.rebind(base, steps, call)]
        call = gast.Call(quote.expr("ag.store", ag=ag), [value, base, *steps], [])
        return [self.rebind(base, steps, call)]

    def rebind(self, base: gast.expr, steps: Sequence[gast.expr], call: gast.expr) -> gast.stmt:
        # An object whose attribute is written stays the object it is.
        rebound = self.is_rebound(base) and not isinstance(steps[0], gast.Constant)
        if isinstance(base, gast.Name) and rebound:
            return quote.assign([base.id], call)
        return gast.Expr(call)

    def is_rebound(self, base: gast.expr) -> bool:
        """Whether a store binds the name anew: it is one of this function's, and is read later."""
        return isinstance(base, gast.Name) and base.id in self.writable and base.id not in self.lost

    def path(self, target: gast.expr) -> tuple[gast.expr, list[gast.expr]]:
        """`a.b[i]` as its base `a` and the steps `'b', (i,)`."""
        match target:
            case gast.Subscript(value=value):
                base, steps = self.path(value)
                index = slices.index(target.slice, self.context.ag)
                if steps and not _is_plain(target.slice) and not _binds(target.slice):
                    step = quote.expr("ag.step(index)", ag=self.context.ag, index=quote.lambda_([], index))
                    return base, [*steps, step]
                return base, [*steps, gast.Tuple([index], gast.Load())]
            case gast.Attribute(value=value, attr=attr):
                base, steps = self.path(value)
                return base, [*steps, quote.constant(attr)]
        return target, []


def _check(conflict: item_stores.Conflict, ag: str, shown: str = "") -> gast.stmt:
    view = conflict.view
    texts = map(quote.constant, (shown or view.name, view.path, shown or view.made, view.drops))
    operator = quote.expr("ag.view" if conflict.to_view else "ag.viewed", ag=ag)
    call = gast.Call(operator, [quote.name(view.name), quote.name(view.root), *texts], [])
    if not conflict.read:
        call.keywords.append(gast.keyword("read", quote.constant(False)))
    if conflict.deep:
        call.keywords.append(gast.keyword("deep", quote.constant(True)))
    return gast.Expr(call)


def _has_item(target: gast.expr) -> bool:
    match target:
        case gast.Subscript():
            return True
        case gast.Starred(value=value):
            return _has_item(value)
        case gast.Tuple(elts=elts) | gast.List(elts=elts):
            return any(map(_has_item, elts))
    return False


def _binds(index: gast.expr) -> bool:
    """Whether an index does what a lambda can't do for the function around it."""
    return any(
        isinstance(n, (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)) for n in trees.walk(index)
    )


def _is_plain(index: gast.expr) -> bool:
    """Whether evaluating the index can't run user code of consequence, so that its order does not matter."""
    allowed = (
        gast.Name, gast.Constant, gast.Tuple, gast.Slice, gast.UnaryOp, gast.BinOp,
        gast.expr_context, gast.operator, gast.unaryop,
    )  # fmt: skip
    return all(isinstance(n, allowed) for n in trees.walk(index))
