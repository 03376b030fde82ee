"""Which sums are of Python's truth values? Python adds them as integers; arrays of bools would be joined by `or`.

    (not a) + (x in xs)                   ag.number(not a) + ag.number(x in xs)
    any(xs) - all(ys)                     ag.number(any(xs), any) - ag.number(all(ys), all)
    up = down = False                     up = down = False
    if x > 0: up = True                   if x > 0: up = True
    return up + down                      return ag.number(up) + ag.number(down)
    (x > 1) + (y > 1)                     as it is: NumPy's own bools are added so

A variable is a truth value if all that this function assigns to it is. The builtins that make one may be hidden by
other functions, so what the name means is handed on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import gast

from autograph_lite.analysis import scopes
from autograph_lite.converters.context import Context
from autograph_lite.syntax import quote, trees

BUILTINS = frozenset({"any", "all", "bool"})
SUMS = (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.FloorDiv, gast.Mod, gast.Pow, gast.LShift, gast.RShift)
SIGNS = (gast.USub, gast.UAdd, gast.Invert)
TESTS = (gast.In, gast.NotIn, gast.Is, gast.IsNot)
DISPLAYS = (gast.Tuple, gast.List, gast.Dict, gast.Set)
# The variables that are truth values, and the builtins that they are made by.
Truths = dict[str, frozenset[str]]


def run(function: gast.AST, context: Context) -> None:
    """Rewrites sums of truth values everywhere in `function`, nested functions included."""
    _Sums(context).visit(function)


class _Sums(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag = context.ag
        self.names: Truths = {}

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        before, parameters = self.names, scopes.parameters(node.args)
        own = {*parameters, *scopes.bound(node.body), *_written_inside(node.body)}
        outer = {name: by for name, by in before.items() if name not in own}
        self.names = {**outer, **_variables(node.body, parameters, self.ag)}
        self.generic_visit(node)
        self.names = before
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.AST:
        before, self.names = self.names, {}
        self.generic_visit(node)
        self.names = before
        return node

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        before = self.names
        self.names = {name: by for name, by in before.items() if name not in scopes.parameters(node.args)}
        self.generic_visit(node)
        self.names = before
        return node

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        left, right = _made_by(node.left, self.names), _made_by(node.right, self.names)
        self.generic_visit(node)
        if isinstance(node.op, SUMS) and left is not None and right is not None:
            node.left, node.right = self.number(node.left, left), self.number(node.right, right)
        return node

    def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.AST:
        by = _made_by(node.operand, self.names)
        self.generic_visit(node)
        if isinstance(node.op, SIGNS) and by is not None:
            node.operand = self.number(node.operand, by)
        return node

    def number(self, node: gast.expr, by: frozenset[str]) -> gast.expr:
        if isinstance(node, gast.Constant):
            return node
        builtins = [quote.name(name) for name in sorted(by)]
        return quote.located(gast.Call(quote.expr("ag.number", ag=self.ag), [node, *builtins], []), node)


def _made_by(node: gast.AST, names: Truths) -> frozenset[str] | None:
    """The builtins that make the value, if Python's value of the expression is a `bool` for sure."""
    match node:
        case gast.Constant(value=bool()) | gast.UnaryOp(op=gast.Not()):
            return frozenset()
        case gast.Name(id=name):
            return names.get(name)
        case gast.Compare(ops=[op]) if isinstance(op, TESTS):
            return frozenset()
        case gast.Compare(left=left, ops=[gast.Eq() | gast.NotEq()], comparators=[right]):
            return frozenset() if isinstance(left, DISPLAYS) and isinstance(right, DISPLAYS) else None
        case gast.Call(func=gast.Name(id=name)) if name in BUILTINS:
            return frozenset({name})
        case gast.BoolOp(values=values):
            return _all_made_by(values, names)
        case gast.IfExp(body=body, orelse=orelse):
            return _all_made_by([body, orelse], names)
    return None


def _all_made_by(nodes: Sequence[gast.expr], names: Truths) -> frozenset[str] | None:
    found: frozenset[str] = frozenset()
    for node in nodes:
        by = _made_by(node, names)
        if by is None:
            return None
        found |= by
    return found


def _variables(body: Sequence[gast.stmt], parameters: Sequence[str], ag: str) -> Truths:
    """The variables of a function to which nothing but truth values is assigned."""
    nodes = list(scopes.own_nodes(body))
    stores = Counter(n.id for n in nodes if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load))
    assigned = [n for n in nodes if isinstance(n, gast.Assign)]
    shared = {*parameters, *_written_inside(body), *scopes.declared(body, gast.Nonlocal)}
    shared |= scopes.declared(body, gast.Global)
    found: Truths = {}
    while True:
        made: dict[str, frozenset[str]] = {}
        count: Counter[str] = Counter()
        for node in assigned:
            by = frozenset[str]() if _is_no_value(node.value, ag) else _made_by(node.value, found)
            for target in node.targets:
                if by is not None and isinstance(target, gast.Name):
                    count[target.id] += 1
                    made[target.id] = made.get(target.id, frozenset()) | by
        new = {name: made[name] for name in made if count[name] == stores[name] and name not in shared}
        if new == found:
            return found
        found = new


def _is_no_value(node: gast.expr, ag: str) -> bool:
    """Whether a value stands for a variable that has none yet."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="Undefined")):
            return bool(name == ag)
    return False


def _written_inside(body: Sequence[gast.stmt]) -> set[str]:
    """Names that nested functions assign, and those that other statements than assignments bind."""
    found: set[str] = set()
    for statement in body:
        for node in trees.walk(statement):
            match node:
                case gast.Nonlocal(names=names):
                    found.update(names)
                case (
                    gast.FunctionDef(name=name) | gast.AsyncFunctionDef(name=name) | gast.ClassDef(name=name)
                ):
                    found.add(name)
                case gast.alias(name=name, asname=asname):
                    found.add(asname or name)
                case gast.ExceptHandler(name=gast.Name(id=name)) | gast.MatchAs(name=str(name)):
                    found.add(name)
                case gast.MatchStar(name=str(name)) | gast.MatchMapping(rest=str(name)):
                    found.add(name)
    return found
