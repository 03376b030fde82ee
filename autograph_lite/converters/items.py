"""Reading an item goes through an operator, because the index may be traced and the container a Python list.

    table[i]                              ag.item(table, i)
    x[0], x[:, 1:]                        as they are: nothing traced can decide
    {name: 1}                             {ag.key(name): 1}
    last = rows[-1]                       last = ag.item(rows, -1)
    ys.append(x[0])                       ys.append(x[0])
    first = ys[0]                         first = ag.item(ys, 0)
    rows = helper(x); rows[0]             rows = helper(x); ag.item(rows, 0)
    rows = [x]; put(rows, y); rows[0]     rows = [x]; put(rows, y); ag.item(rows, 0)
    rows[k].append(x); rows[0][0]         ag.item(rows, k).append(x); ag.item(ag.item(rows, 0), 0)
    [y for y in ys if y > 0][0]           ag.item([y for y in ys if y > 0], 0)
    a, b = ys                             a, b = ag.unpack(ys, 2)

The length of a list may be traced. Where the text does not tell that something may be such a list (it is appended to, starts
empty, or comes from a function of the user's), it is left to the list: items that Python takes from it can't be used
(see `stretches`).
"""

from __future__ import annotations

import gast

from autograph_lite.analysis import selections
from autograph_lite.converters import slices
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees


def run(function: gast.AST, context: Context) -> None:
    """Rewrites the reads of items everywhere in `function`, nested functions included."""
    nodes = [*trees.walk(function)]
    context.selected = selections.selected(function, context.ag)
    found = [shown for node in nodes if (shown := _list(node, context)) is not None]
    of_lists = {trees.dotted(node.value) for node in found if isinstance(node, gast.Subscript)} - {""}
    found += [shown for node in nodes if (shown := _item_of(node, of_lists)) is not None]
    context.lists |= of_lists | {trees.dotted(node) for node in found} - {""}
    context.handed |= {name for node in nodes for name in _handed_over(node, context)}
    given = {name for node in nodes for name in _given(node, context)}
    context.handed |= given & {name for node in nodes for name in _displayed(node)}
    _Items(context).visit(function)


_LENGTHENING = ("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft", "remove")


def _list(node: gast.AST, context: Context) -> gast.expr | None:
    """What a statement or an expression shows to be a list that gets longer or shorter."""
    match node:
        case gast.Call(func=gast.Attribute(value=value, attr=method)) if method in _LENGTHENING:
            return value
        case gast.Delete(targets=[gast.Subscript(value=value)]):
            return value
        case gast.Assign(targets=[gast.Name() as target], value=gast.List(elts=[])):
            return target
        case gast.Assign(targets=[gast.Name() as target], value=gast.ListComp() as value):
            return target if _is_filtered(value, context) else None
        case gast.AugAssign(target=target, value=gast.List() | gast.ListComp()):
            return target
    return None


def _item_of(node: gast.AST, of_lists: set[str]) -> gast.expr | None:
    """The name that a statement gives to an item of a list whose items are such lists: `rows[k].append(x)`."""
    match node:
        case gast.Assign(targets=[gast.Name() as target], value=gast.Subscript(value=value)):
            return target if trees.dotted(value) in of_lists else None
        case (
            gast.For(target=gast.Name() as target, iter=value)
            | gast.comprehension(target=gast.Name() as target, iter=value)
        ):
            return target if trees.dotted(value) in of_lists else None
    return None


def _handed_over(node: gast.AST, context: Context) -> list[str]:
    """The name that a statement gives to what a function has made, which may be such a list."""
    match node:
        case gast.Assign(targets=[gast.Name(id=name), *_], value=value) if _is_made(value, context):
            return [name]
    return []


def _given(node: gast.AST, context: Context) -> list[str]:
    """The names that a function of the user's is called with, which may make a list longer."""
    if not isinstance(node, gast.Call) or context.is_library(trees.dotted(node.func)):
        return []
    return [each.id for each in node.args if isinstance(each, gast.Name)]


def _displayed(node: gast.AST) -> list[str]:
    """The name that a statement gives to a list that it displays."""
    match node:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.List()):
            return [name]
    return []


def _is_made(value: gast.expr, context: Context) -> bool:
    match value:
        case gast.Call(
            func=gast.Name(id="list" | "sorted" | "tuple" | "deque") | gast.Attribute(attr="deque")
        ):
            return True
        case gast.Call(func=gast.Name() | gast.Attribute(value=gast.Name(id="self" | "cls")) as func):
            return not context.is_library(trees.dotted(func))
    return False


class _Items(trees.CodeTransformer):
    def __init__(self, context: Context) -> None:
        self.context = context
        self.lists = context.lists | context.handed

    def visit_Subscript(self, node: gast.Subscript) -> gast.AST:
        is_end = self.is_end(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load) or _is_type(node.value):
            return node
        if _is_static(node.slice) and not is_end:
            return node
        if any(isinstance(n, (gast.Starred, gast.Slice)) for n in trees.walk(node.slice)):
            index = slices.index_expr(node.slice, self.context.ag)
        else:
            index = node.slice
        call = quote.expr("ag.item(value, index)", ag=self.context.ag, value=node.value, index=index)
        return quote.located(call, node)

    def visit_Dict(self, node: gast.Dict) -> gast.AST:
        self.generic_visit(node)
        node.keys = [key if key is None else self.key(key) for key in node.keys]
        return node

    def visit_Set(self, node: gast.Set) -> gast.AST:
        self.generic_visit(node)
        node.elts = [item if isinstance(item, gast.Starred) else self.key(item) for item in node.elts]
        return node

    def key(self, node: gast.expr) -> gast.expr:
        """A key, which a traced value can't be."""
        if isinstance(node, gast.Constant):
            return node
        return quote.expr_at(node, "ag.key(value)", ag=self.context.ag, value=node)

    def visit_Assign(self, node: gast.Assign) -> gast.AST:
        unpacks = any(isinstance(target, (gast.Tuple, gast.List)) for target in node.targets)
        is_list = unpacks and self.may_be_list(node.value)
        self.generic_visit(node)
        if is_list:
            node.value = self.taken_apart(node.targets, node.value)
        return node

    def taken_apart(self, targets: list[gast.expr], value: gast.expr) -> gast.expr:
        """`value` for names that its items get."""
        match targets:
            case [gast.Tuple(elts=names) | gast.List(elts=names)] if not any(
                isinstance(name, gast.Starred) for name in names
            ):
                count = gast.Constant(len(names), None)
                ag = self.context.ag
                return quote.expr_at(value, "ag.unpack(value, count)", ag=ag, value=value, count=count)
        return self.whole(value)

    def may_be_list(self, value: gast.expr) -> bool:
        """Whether it may be a list that gets longer, a part of one, or the one of several that is."""
        match value:
            case gast.BoolOp(values=values):
                return any(map(self.may_be_list, values))
            case gast.IfExp(body=body, orelse=other):
                return self.may_be_list(body) or self.may_be_list(other)
            case gast.Subscript(value=of, slice=gast.Slice()):
                return self.may_be_list(of)
            case gast.ListComp():
                return True
        return (
            trees.dotted(value) in self.lists
            or _is_filtered(value, self.context)
            or _is_made(value, self.context)
        )

    def visit_Match(self, node: gast.Match) -> gast.AST:
        self.generic_visit(node)
        if any(
            isinstance(pattern, gast.MatchSequence) for case in node.cases for pattern in trees.walk(case)
        ):
            node.subject = self.whole(node.subject)
        return node

    def whole(self, value: gast.expr) -> gast.expr:
        """`value` where Python has to know how many items it has."""
        return quote.expr_at(value, "ag.whole(value)", ag=self.context.ag, value=value)

    def is_end(self, node: gast.Subscript) -> bool:
        """Whether the item may be one of a list that gets longer, so that a traced value says where it is."""
        negative = isinstance(node.slice, gast.UnaryOp) and isinstance(node.slice.op, gast.USub)
        known = trees.dotted(_read(node.value, self.context.ag)) in self.lists
        part = isinstance(node.value, gast.Subscript) and self.is_end(node.value)
        return (
            negative
            or known
            or part
            or _is_filtered(node.value, self.context)
            or _is_made(node.value, self.context)
        )

    def visit_AnnAssign(self, node: gast.AnnAssign) -> gast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        node.args = self.visit(node.args)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.body = [self.visit(s) for s in node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef


def _read(value: gast.expr, ag: str) -> gast.expr:
    """What is read, of a variable that may not have been assigned."""
    match value:
        case gast.Call(
            func=gast.Attribute(value=gast.Name(id=root), attr="defined" | "assigned"), args=[read]
        ) if root == ag:
            return read
    return value


def _is_filtered(value: gast.expr, context: Context) -> bool:
    """Whether an expression is a list of the items that a filter has left: `[x for x in xs if x > 0]`, or that sorted.

    So is one of the items of a part of an array whose length only the program knows.
    """
    match value:
        case gast.ListComp(generators=parts):
            return any(part.ifs or _may_select(part.iter, context) for part in parts)
        case gast.Call(args=[gast.ListComp() | gast.GeneratorExp() as first, *_]):
            return any(part.ifs for part in first.generators)
    return False


def _may_select(value: gast.expr, context: Context) -> bool:
    known = context.selected
    return selections.may_select(value, known.names, known.masks, context.ag)


def _is_static(index: gast.expr) -> bool:
    """Whether no variable stands in the index, and no list, which JAX does not take."""
    kinds = (gast.Name, gast.Call, gast.NamedExpr, gast.Await, gast.List)
    return not any(isinstance(n, kinds) for n in trees.walk(index))


def _is_type(value: gast.expr) -> bool:
    """`list[int]` and the like: a type, not an item."""
    return isinstance(value, gast.Name) and value.id in ("list", "dict", "tuple", "set", "type", "frozenset")
