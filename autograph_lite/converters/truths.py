"""Which sums are of Python's truth values? Python adds them as integers; arrays of bools would be joined by `or`.

    (not a) + (x in xs)                   ag.number(not a) + ag.number(x in xs)
    any(xs) - all(ys)                     ag.number(any(xs), any) - ag.number(all(ys), all)
    up = down = False                     up = down = False
    if x > 0: up = True                   if x > 0: up = True
    return up + down                      return ag.number(up) + ag.number(down)
    count = not a; count += not b         count += ag.number(not b)
    y = True                              y = True
    while y < n: y = y + y                while y < n: y = ag.number(y) + ag.number(y)
    for i in range(n):                    for i in range(n):
        k += (i > 1) + (i % 3 == 0)           k += ag.number(i > 1, range) + ag.number(i % 3 == 0, range)
    (x > 1) + (y > 1)                     as it is: NumPy's own bools are added so

A variable is a truth value if all that this function assigns to it is, and an integer of Python's if all is that, or what a
loop over a range gives. The builtins that make one may be hidden by other functions, so what the name means is handed on.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence

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
COMPARISONS = (gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.Eq, gast.NotEq)
COUNTED = (gast.Add, gast.Sub, gast.Mult, gast.FloorDiv, gast.Mod)
# Variables, and the builtins that they are made by.
MadeBy = dict[str, frozenset[str]]


@dataclasses.dataclass(frozen=True)
class _Known:
    """The variables that are truth values of Python's, those that are integers of Python's, and those that are one of both."""

    truths: MadeBy
    integers: MadeBy
    either: MadeBy

    def without(self, names: Container[str]) -> _Known:
        """All but some variables."""
        return _Known(
            *(
                {k: v for k, v in each.items() if k not in names}
                for each in (self.truths, self.integers, self.either)
            )
        )


def run(function: gast.AST, context: Context) -> None:
    """Rewrites sums of truth values everywhere in `function`, nested functions included."""
    if _may_have_some(function):
        _Sums(context).visit(function)


def _may_have_some(function: gast.AST) -> bool:
    """Whether an operator has operands that may all be truth values: few functions do, and one look is quick."""
    names: MadeBy = {}
    integers: MadeBy = {}
    known = _Known(names, integers, {})
    operands: list[tuple[gast.expr, ...]] = []
    for node in trees.walk(function):
        if isinstance(node, gast.BinOp):
            operands.append((node.left, node.right))
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, SIGNS):
            operands.append((node.operand,))
        elif isinstance(node, gast.AugAssign):
            operands.append((node.value,))
        elif isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            integers[node.id] = frozenset()
        elif isinstance(node, gast.Assign) and (
            type(node.value) in (*PASSED_ON, gast.Compare) or _made_by(node.value, known) is not None
        ):
            names.update((t.id, frozenset()) for t in node.targets if isinstance(t, gast.Name))
    return any(all(_made_by(operand, known) is not None for operand in each) for each in operands)


class _Sums(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag = context.ag
        self.known = _Known({}, {}, {})
        self.counters: frozenset[str] = frozenset()

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        before, bindings = (self.known, self.counters), _Bindings.of(node)
        outer = self.known.without({*scopes.bound(node.body), *bindings.shared})
        integers = {**outer.integers, **bindings.integers(self.ag)}
        truths = {**outer.truths, **bindings.truths(self.ag, integers)}
        either = bindings.either(self.ag, _Known(truths, integers, outer.either))
        self.known = _Known(truths, integers, either)
        self.counters = bindings.counters(self.known)
        self.generic_visit(node)
        self.known, self.counters = before
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.AST:
        before, self.known = self.known, _Known({}, {}, {})
        self.generic_visit(node)
        self.known = before
        return node

    def visit_Lambda(self, node: gast.Lambda) -> gast.AST:
        before = self.known
        self.known = before.without(scopes.parameter_names(node.args))
        self.generic_visit(node)
        self.known = before
        return node

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        left, right = self.truth(node.left), self.truth(node.right)
        self.generic_visit(node)
        if isinstance(node.op, SUMS) and left is not None and right is not None:
            node.left, node.right = self.number(node.left, left), self.number(node.right, right)
        return node

    def visit_AugAssign(self, node: gast.AugAssign) -> gast.AST:
        by = self.truth(node.value)
        self.generic_visit(node)
        is_counter = isinstance(node.target, gast.Name) and node.target.id in self.counters
        if isinstance(node.op, SUMS) and is_counter and by is not None:
            node.value = self.number(node.value, by)
        return node

    def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.AST:
        by = self.truth(node.operand)
        self.generic_visit(node)
        if isinstance(node.op, SIGNS) and by is not None:
            node.operand = self.number(node.operand, by)
        return node

    def truth(self, node: gast.expr) -> frozenset[str] | None:
        """The builtins that make the value, if it may be a truth value of Python's, and is an integer else."""
        return None if _counted(node, self.known.integers) is not None else _either(node, self.known)

    def number(self, node: gast.expr, by: frozenset[str]) -> gast.expr:
        if isinstance(node, gast.Constant):
            return node
        builtins = [quote.name(name) for name in sorted(by)]
        return quote.located(gast.Call(quote.expr("ag.number", ag=self.ag), [node, *builtins], []), node)


def _made_by(node: gast.AST, known: _Known) -> frozenset[str] | None:
    """The builtins that make the value, if Python's value of the expression is a `bool` for sure."""
    match node:
        case gast.Constant(value=bool()) | gast.UnaryOp(op=gast.Not()):
            return frozenset()
        case gast.Name(id=name):
            return known.truths.get(name)
        case gast.Compare(ops=[op]) if isinstance(op, TESTS):
            return frozenset()
        case gast.Compare(left=left, ops=[gast.Eq() | gast.NotEq()], comparators=[right]) if isinstance(
            left, DISPLAYS
        ) and isinstance(right, DISPLAYS):
            return frozenset()
        case gast.Compare(left=left, ops=ops, comparators=right) if all(
            isinstance(op, COMPARISONS) for op in ops
        ):
            return _all([_counted(each, known.integers) for each in (left, *right)])
        case gast.Call(func=gast.Name(id=name)) if name in BUILTINS:
            return frozenset({name})
        case gast.BoolOp(values=values):
            return _all([_made_by(each, known) for each in values])
        case gast.IfExp(body=body, orelse=orelse):
            return _all([_made_by(body, known), _made_by(orelse, known)])
    return None


def _counted(node: gast.AST, integers: MadeBy) -> frozenset[str] | None:
    """The builtins that make the value, if Python's value of the expression is an `int` for sure, or an error."""
    match node:
        case gast.Constant(value=int(number)):
            return None if isinstance(number, bool) else frozenset()
        case gast.Name(id=name):
            return integers.get(name)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            return _counted(operand, integers)
        case gast.BinOp(left=left, op=op, right=right) if isinstance(op, COUNTED):
            return _all([_counted(left, integers), _counted(right, integers)])
    return None


def _either(node: gast.AST, known: _Known) -> frozenset[str] | None:
    """The builtins that make the value, if Python's value of the expression is an `int` or a `bool` for sure."""
    for by in (_made_by(node, known), _counted(node, known.integers)):
        if by is not None:
            return by
    match node:
        case gast.Name(id=name):
            return known.either.get(name)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            return _either(operand, known)
        case gast.BinOp(left=left, op=op, right=right) if isinstance(op, COUNTED):
            return _all([_either(left, known), _either(right, known)])
        case gast.IfExp(body=body, orelse=orelse):
            return _all([_either(body, known), _either(orelse, known)])
    return None


def _all(made_by: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    """The builtins that make several values, if all of them are known."""
    found: frozenset[str] = frozenset()
    for each in made_by:
        if each is None:
            return None
        found |= each
    return found


def _counter(node: gast.AST) -> str:
    """The variable that a loop over a range binds; the empty text for anything else."""
    match node:
        case gast.For(target=gast.Name(id=name), iter=gast.Call(func=gast.Name(id="range"))):
            return str(name)
    return ""


@dataclasses.dataclass(frozen=True)
class _Bindings:
    """What a function binds."""

    nodes: list[gast.AST]  # the function's own
    stores: Counter[str]  # how often each name is bound in it
    shared: set[str]  # names that parameters, other scopes or definitions, imports and patterns bind

    @classmethod
    def of(cls, node: gast.FunctionDef) -> _Bindings:
        nodes = list(scopes.own_nodes(node.body))
        stores = Counter(n.id for n in nodes if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load))
        return cls(nodes, stores, {*scopes.parameter_names(node.args), *scopes.bound_by_others(nodes)})

    def only(self, count: Counter[str]) -> list[str]:
        """The names whose bindings are all counted."""
        return [name for name in count if count[name] == self.stores[name] and name not in self.shared]

    def integers(self, ag: str) -> MadeBy:
        """The variables to which nothing but integers of Python's is assigned, by loops over ranges, too."""
        by = frozenset({"range"} if any(map(_counter, self.nodes)) else ())
        return self._assigned_only(ag, by, {}, _counted)

    def either(self, ag: str, known: _Known) -> MadeBy:
        """The variables to which nothing but truth values and integers of Python's is assigned; those from outside, too."""
        by = frozenset[str]().union(*known.truths.values(), *known.integers.values())
        return self._assigned_only(
            ag,
            by,
            known.either,
            lambda value, found: _either(value, dataclasses.replace(known, either=found)),
        )

    def _assigned_only(
        self, ag: str, by: frozenset[str], outer: MadeBy, judge: Callable[[gast.expr, MadeBy], object]
    ) -> MadeBy:
        """`outer`, and the variables that nothing binds but loops over ranges, and assignments of values that `judge` knows.

        `judge` is handed a value and the variables found so far, and gives None for what it does not know.
        """
        counters = [name for node in self.nodes if (name := _counter(node))]
        found = {**outer, **dict.fromkeys(self.stores, by)}
        while True:
            count = Counter(counters)
            for node in self.nodes:
                count.update(
                    name
                    for name, value in _assigned(node)
                    if _is_no_value(value, ag) or judge(value, found) is not None
                )
            new = {**outer, **dict.fromkeys(self.only(count), by)}
            if new == found:
                return found
            found = new

    def truths(self, ag: str, integers: MadeBy) -> MadeBy:
        """The variables to which nothing but truth values is assigned."""
        assigned = [n for n in self.nodes if isinstance(n, gast.Assign)]
        found: MadeBy = {}
        while True:
            known, made = _Known(found, integers, {}), MadeBy()
            count: Counter[str] = Counter()
            for node in assigned:
                by = frozenset[str]() if _is_no_value(node.value, ag) else _made_by(node.value, known)
                for target in node.targets:
                    if by is not None and isinstance(target, gast.Name):
                        count[target.id] += 1
                        made[target.id] = made.get(target.id, frozenset()) | by
            new = {name: made[name] for name in self.only(count)}
            if new == found:
                return found
            found = new

    def counters(self, known: _Known) -> frozenset[str]:
        """The variables that start as truth values or numbers of Python's, to which only such are added."""
        count: Counter[str] = Counter()
        for node in self.nodes:
            if isinstance(node, (gast.Assign, gast.AugAssign)):
                targets = node.targets if isinstance(node, gast.Assign) else [node.target]
                if isinstance(node.value, gast.Constant) or _made_by(node.value, known) is not None:
                    count.update(target.id for target in targets if isinstance(target, gast.Name))
        return frozenset(self.only(count)) | known.either.keys()


def _assigned(node: gast.AST) -> Iterator[tuple[str, gast.expr]]:
    """The variables that an assignment binds, each with its value."""
    match node:
        case gast.AugAssign(target=gast.Name(id=name) as changed, op=op, value=value):
            yield name, gast.BinOp(changed, op, value)
        case gast.Assign(targets=targets, value=value):
            for target in targets:
                match target, value:
                    case gast.Name(id=name), _:
                        yield name, value
                    case gast.Tuple(elts=names), gast.Tuple(elts=values) if len(names) == len(values):
                        yield from (
                            (each.id, item)
                            for each, item in zip(names, values, strict=True)
                            if isinstance(each, gast.Name)
                        )


def _is_no_value(node: gast.expr, ag: str) -> bool:
    """Whether a value stands for a variable that has none yet."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="Undefined")):
            return bool(name == ag)
    return False
