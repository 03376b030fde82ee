"""List comprehensions and generator expressions become operators, as what they iterate over may be traced.

    [f(x) for x in xs]                    ag.list_of(xs, lambda x: f(x))
    sum(x for x in xs if x > 0)           sum(ag.generator(xs, lambda x: x, lambda x: x > 0))
    [a * b for a, b in pairs]             ag.list_of(pairs, lambda a, b: a * b)
    any(v for i, v in zip(a, b) if i)     any(ag.generator(zip(a, b), lambda i, v: v, lambda i, v: i, maker=zip))
    [v for row in m for v in row]         ag.list_of(m, lambda row: ag.list_of(row, lambda v: v), flat=True)

Other comprehensions stay Python's: those that bind a name (`:=`) or suspend, those that make a function
which keeps their variable, and sets and dicts, whose items have to be Python values. Their conditions
refuse a traced value.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TypeAlias

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters.context import Context
from autograph_lite.converters.static import is_static
from autograph_lite.syntax import quote, trees

Comprehension: TypeAlias = gast.ListComp | gast.GeneratorExp | gast.SetComp | gast.DictComp
REDUCERS = frozenset({"sum", "any", "all", "min", "max"})
# Functions that look at the scope that they are called in.
INTROSPECTING = frozenset({"locals", "eval", "exec", "vars", "dir", "super", "__class__"})


def run(function: gast.AST, context: Context) -> None:
    """Rewrites comprehensions everywhere in `function`, nested functions included."""
    _Comprehensions(context, trees.names_bound(function), function).generic_visit(function)


class _Comprehensions(trees.CodeTransformer):
    def __init__(self, context: Context, stored: set[str], function: gast.AST) -> None:
        self.context, self.ag, self.stored, self.whole = context, context.ag, stored, function

    @functools.cached_property
    def outside(self) -> set[str]:
        return _outside(self.whole, frozenset())

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        # Decorators and annotations run where they stand, before anything is traced.
        node.args = self.visit(node.args)
        node.body = [self.visit(s) for s in node.body]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Call(self, node: gast.Call) -> gast.Call:
        """`sum([...])` and the like need no list."""
        match node:
            case gast.Call(func=gast.Name(id=name), args=[gast.ListComp() as made, *rest]) if self.reduces(
                name
            ) and all(map(self.stays, [*rest, *(k.value for k in node.keywords)])):
                node.args = [self.converted(made, reduced=True), *map(self.visit, rest)]
                node.keywords = [self.visit(k) for k in node.keywords]
                return node
        self.generic_visit(node)
        return node

    def stays(self, argument: gast.expr) -> bool:
        """Whether an argument is the same before and after the items have been computed."""
        if isinstance(argument, gast.Name):
            return argument.id not in self.taken
        constant = (gast.Constant, gast.UnaryOp, gast.unaryop)
        return isinstance(argument, gast.Lambda) or all(isinstance(n, constant) for n in trees.walk(argument))

    @functools.cached_property
    def taken(self) -> set[str]:
        """The names that functions bind which they have from around them."""
        found = [n for n in trees.walk(self.whole) if isinstance(n, (gast.Nonlocal, gast.Global))]
        return {name for n in found for name in n.names}

    def reduces(self, name: str) -> bool:
        return name in REDUCERS and name not in self.stored and self.context.is_library(name)

    def visit_ListComp(self, node: gast.ListComp | gast.GeneratorExp) -> gast.expr:
        return self.converted(node)

    visit_GeneratorExp = visit_ListComp

    def visit_SetComp(self, node: gast.SetComp | gast.DictComp) -> gast.expr:
        return self.python(node)

    visit_DictComp = visit_SetComp

    def python(self, node: Comprehension) -> gast.expr:
        """`node` as it is, but for its conditions, and variables that have the name of another one.

        Python 3.12 and 3.13 inline a comprehension, and then lose a variable of that name which a nested function reads. One of
        the user's is converted later, from its own text, so that the variable keeps its name there.
        """
        self.generic_visit(node)
        for part in node.generators:
            part.ifs = [test if is_static(test) else self.tested(test) for test in part.ifs]
        shared = [name for name in _targets(node) if name in self.outside]
        if _kept([node]).intersection(shared) and _can_be_apart(node):
            return self.apart(node)
        if shared and not isinstance(node, gast.GeneratorExp) and not _binds_parameters(node, shared):
            first = node.generators[0].iter  # evaluated outside
            node.generators[0].iter = gast.Constant(None, None)
            _Renamed({name: self.context.fresh(name) for name in shared}).visit(node)
            node.generators[0].iter = first
        return node

    def apart(self, node: Comprehension) -> gast.expr:
        """`[*(x for ...)]`: of a generator, which has a scope of its own, the names stay those of the user's functions in it."""
        if isinstance(node, gast.GeneratorExp):
            return node
        if not isinstance(node, gast.DictComp):
            items = gast.Starred(gast.GeneratorExp(node.elt, node.generators), gast.Load())
            return quote.located(
                gast.List([items], gast.Load()) if isinstance(node, gast.ListComp) else gast.Set([items]),
                node,
            )
        item = self.context.fresh("item")
        pairs = gast.GeneratorExp(gast.Tuple([node.key, node.value], gast.Load()), node.generators)
        found: gast.expr = quote.expr(f"{{{item}[0]: {item}[1] for x in y}}")
        target = gast.Name(item, gast.Store(), None, None)
        found.generators = [gast.comprehension(target, pairs, [], 0)]  # type: ignore[attr-defined]
        return quote.located(found, node)

    def tested(self, test: gast.expr) -> gast.expr:
        return quote.expr_at(test, "ag.filter_test(test)", ag=self.ag, test=test)

    def converted(self, node: gast.ListComp | gast.GeneratorExp, *, reduced: bool = False) -> gast.expr:
        if not _can_move(node) or (
            isinstance(node.generators[0].iter, (gast.Tuple, gast.List, gast.Set, gast.Dict, gast.Constant))
            and not any(g.ifs for g in node.generators)
        ):
            return self.python(node)
        self.generic_visit(node)
        text = "ag.list_of(it)" if isinstance(node, gast.ListComp) else "ag.generator(it)"
        value, flat = node.elt, False
        for part in reversed(node.generators):
            call = quote.expr(text, ag=self.ag, it=part.iter)
            assert isinstance(call, gast.Call)
            call.args.append(self.function(part.target, value))
            if part.ifs:
                test = part.ifs[0] if len(part.ifs) == 1 else gast.BoolOp(gast.And(), part.ifs)
                call.args.append(self.function(part.target, quote.located(test, part.ifs[0])))
            for keyword, holds in (("flat", flat), ("reduced", reduced)):
                if holds:
                    call.keywords.append(gast.keyword(keyword, quote.constant(True)))
            maker = _maker(part.iter)
            if maker and isinstance(node, gast.GeneratorExp) and (part.ifs or flat):
                call.keywords.append(gast.keyword("maker", quote.located(quote.name(maker), part.iter)))
            value, flat = quote.located(call, node), True
        return value

    def function(self, target: gast.expr, value: gast.expr) -> gast.expr:
        """A function of the item to `value`."""
        target = trees.copy_tree(target)
        names = _names(target)
        if names is not None:
            return quote.located(quote.lambda_(names, value), value)
        item = self.context.fresh("item")
        inner = gast.comprehension(target, gast.List([quote.name(item)], gast.Load()), [], 0)
        single = gast.Subscript(gast.ListComp(value, [inner]), quote.constant(0), gast.Load())
        return quote.located(quote.lambda_([item], single), value)


class _Renamed(trees.Transformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: gast.Name) -> gast.AST:
        node.id = self.names.get(node.id, node.id)
        return node


def _maker(iterable: gast.expr) -> str | None:
    """The name that an expression calls for an iterator of its own."""
    match iterable:
        case gast.Call(func=gast.Name(id="enumerate" | "reversed" | "zip" as name)):
            return name
    return None


def _targets(node: Comprehension) -> list[str]:
    return list(scopes.bound([gast.Expr(part.target) for part in node.generators]))


def _binds_parameters(node: gast.AST, names: Sequence[str]) -> bool:
    """Whether a function in `node` has a parameter of these names, which its calls may spell, or looks at its scope."""
    found = [n for n in trees.walk(node) if isinstance(n, gast.Name)]
    return any((isinstance(n.ctx, gast.Param) and n.id in names) or n.id in INTROSPECTING for n in found)


def _can_be_apart(node: gast.AST) -> bool:
    """Whether a comprehension may be a generator's: it may not suspend, nor may one of a dict bind a name, see `apart`."""
    never = (gast.Await, gast.NamedExpr) if isinstance(node, gast.DictComp) else (gast.Await,)
    return not any(
        isinstance(n, never) or (isinstance(n, gast.comprehension) and n.is_async) for n in trees.walk(node)
    )


def _outside(node: gast.AST, bound: frozenset[str]) -> set[str]:
    """The names in `node` that are not those of a comprehension around them."""
    if isinstance(node, gast.Name):
        return {node.id} - bound
    if isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
        first = _outside(node.generators[0].iter, bound)
        inside = bound | frozenset(_targets(node))
        parts = [c for c in trees.children(node) if c is not node.generators[0]]
        parts += [*node.generators[0].ifs]
        return first.union(*(_outside(part, inside) for part in parts))
    return set().union(*(_outside(child, bound) for child in trees.children(node)))


def _names(target: gast.expr) -> list[str] | None:
    """Parameters that take an item apart as the target does; None where only an assignment can."""
    match target:
        case gast.Name(id=name):
            return [name]
        case gast.Tuple(elts=elts) | gast.List(elts=elts) if len(elts) > 1:
            found = [e.id for e in elts if isinstance(e, gast.Name)]
            return found if len(found) == len(elts) == len(set(found)) else None
    return None


def _can_move(node: gast.ListComp | gast.GeneratorExp) -> bool:
    """Whether the parts of a comprehension can become functions."""
    for inner in trees.walk(node):
        if isinstance(inner, (gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)):
            return False
        if isinstance(inner, gast.comprehension) and inner.is_async:
            return False
        if isinstance(inner, gast.Name) and inner.id in INTROSPECTING:
            return False
    targets = set(scopes.bound([gast.Expr(g.target) for g in node.generators]))
    inside = [node.elt, *(t for g in node.generators for t in g.ifs), *(g.iter for g in node.generators[1:])]
    # `[lambda: i for i in xs]`: all of the functions see the last `i`.
    return not targets & _kept(inside) and all(_plain(g.target) for g in node.generators)


def _kept(nodes: Sequence[gast.AST]) -> frozenset[str]:
    return functools.reduce(frozenset.union, (scopes.captured([node]) for node in nodes), frozenset())


def _plain(target: gast.expr) -> bool:
    """Whether the target consists of names only: `for x[0] in xs` is possible."""
    allowed = (gast.Name, gast.Tuple, gast.List, gast.Starred, gast.expr_context)
    return all(isinstance(n, allowed) for n in trees.walk(target))
