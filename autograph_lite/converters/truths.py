"""Which sums are of Python's truth values? Python adds them as integers; arrays of bools would be joined by `or`.

    (not a) + (x in xs)                   ag.number(not a) + ag.number(x in xs)
    any(xs) - all(ys)                     ag.number(any(xs), any) - ag.number(all(ys), all)
    up = down = False                     up = down = False
    if x > 0: up = True                   if x > 0: up = True
    return up + down                      return ag.number(up) + ag.number(down)
    count = not a; count += not b         count += ag.number(not b)
    (x > 1) + (y > 1)                     as it is: NumPy's own bools are added so

A variable is a truth value if all that this function assigns to it is. The builtins that make one may be hidden by
other functions, so what the name means is handed on.
"""

from __future__ import annotations

import dataclasses
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
PASSED_ON = frozenset({gast.Name, gast.BoolOp, gast.IfExp})
DISPLAYS = (gast.Tuple, gast.List, gast.Dict, gast.Set)
# The variables that are truth values, and the builtins that they are made by.
Truths = dict[str, frozenset[str]]


def run(function: gast.AST, context: Context) -> None:
    """Rewrites sums of truth values everywhere in `function`, nested functions included."""
    if _may_have_some(function):
        _Sums(context).visit(function)


def _may_have_some(function: gast.AST) -> bool:
    """Whether an operator has operands that may all be truth values: few functions do, and one look is quick."""
    names: Truths = {}
    operands: list[tuple[gast.expr, ...]] = []
    for node in trees.walk(function):
        if isinstance(node, gast.BinOp):
            operands.append((node.left, node.right))
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, SIGNS):
            operands.append((node.operand,))
        elif isinstance(node, gast.AugAssign):
            operands.append((node.value,))
        elif isinstance(node, gast.Assign) and (
            type(node.value) in PASSED_ON or _made_by(node.value, {}) is not None
        ):
            names.update((t.id, frozenset()) for t in node.targets if isinstance(t, gast.Name))
    return any(all(_made_by(operand, names) is not None for operand in each) for each in operands)


class _Sums(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag = context.ag
        self.names: Truths = {}
        self.counters: frozenset[str] = frozenset()

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        before, bindings = (self.names, self.counters), _Bindings.of(node)
        own = {*scopes.bound(node.body), *bindings.shared}
        outer = {name: by for name, by in self.names.items() if name not in own}
        self.names = {**outer, **bindings.truths(self.ag)}
        self.counters = bindings.counters(self.names)
        self.generic_visit(node)
        self.names, self.counters = before
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

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST:
        by = _made_by(node.value, self.names)
        self.generic_visit(node)
        is_counter = isinstance(node.target, gast.Name) and node.target.id in self.counters
        if isinstance(node.op, SUMS) and is_counter and by is not None:
            node.value = self.number(node.value, by)
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


@dataclasses.dataclass(frozen=True)
class _Bindings:
    """What a function binds.

    Attributes:
      nodes: the function's own.
      stores: how often each name is bound in it.
      shared: names that parameters, other scopes or definitions, imports and patterns bind.
    """

    nodes: list[gast.AST]
    stores: Counter[str]
    shared: set[str]

    @classmethod
    def of(cls, node: gast.FunctionDef) -> _Bindings:
        nodes = list(scopes.own_nodes(node.body))
        stores = Counter(n.id for n in nodes if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load))
        return cls(nodes, stores, {*scopes.parameters(node.args), *scopes.bound_by_others(nodes)})

    def only(self, count: Counter[str]) -> list[str]:
        """The names whose bindings are all counted."""
        return [name for name in count if count[name] == self.stores[name] and name not in self.shared]

    def truths(self, ag: str) -> Truths:
        """The variables to which nothing but truth values is assigned."""
        assigned = [n for n in self.nodes if isinstance(n, gast.Assign)]
        found: Truths = {}
        while True:
            made: Truths = {}
            count: Counter[str] = Counter()
            for node in assigned:
                by = frozenset[str]() if _is_no_value(node.value, ag) else _made_by(node.value, found)
                for target in node.targets:
                    if by is not None and isinstance(target, gast.Name):
                        count[target.id] += 1
                        made[target.id] = made.get(target.id, frozenset()) | by
            new = {name: made[name] for name in self.only(count)}
            if new == found:
                return found
            found = new

    def counters(self, truths: Truths) -> frozenset[str]:
        """The variables that start as truth values or numbers of Python's, to which only such are added."""
        count: Counter[str] = Counter()
        for node in self.nodes:
            if isinstance(node, (gast.Assign, gast.AugAssign)):
                targets = node.targets if isinstance(node, gast.Assign) else [node.target]
                if isinstance(node.value, gast.Constant) or _made_by(node.value, truths) is not None:
                    count.update(target.id for target in targets if isinstance(target, gast.Name))
        return frozenset(self.only(count))


def _is_no_value(node: gast.expr, ag: str) -> bool:
    """Whether a value stands for a variable that has none yet."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="Undefined")):
            return bool(name == ag)
    return False
