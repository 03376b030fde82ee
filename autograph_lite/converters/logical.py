"""`and`, `or`, `not`, chained comparisons, `in` and conditional expressions become operators that know traced values.

    a and f(b)                            ag.and_(a, lambda: f(b))
    not a                                 ag.not_(a)
    a < f() < c                           ag.compare(a, '<', f(), '<', lambda: c)
    x in (1, 3)                           ag.in_(x, (1, 3))
    done is True                          ag.compare(done, 'is', True)
    best = a[0], 0; (a[i], i) < best      best = a[0], 0; ag.compare((a[i], i), '<', best)
    a if c else b                         ag.if_expr(c, lambda: a, lambda: b)
    x - [1, 2]                            ag.arithmetic(x, '-', [1, 2])

Operands that Python always evaluates are evaluated directly and once, the others on demand and at most once. Tests that
look at Python structure only (`x is None and y is None`) stay Python's. A list that a test looks at, `while stack and ok`,
is asked for its truth, `ag.truth(stack)`, where its length may be traced. Sums of truth values: see `truths`.
"""

from __future__ import annotations

import builtins

import gast

from autograph_lite.converters import opaque, truths
from autograph_lite.converters.calls import named_sequences
from autograph_lite.converters.context import Context
from autograph_lite.converters.static import binds_or_suspends, is_static
from autograph_lite.syntax import quote, trees

SYMBOLS = {
    gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "==", gast.NotEq: "!=",
    gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}  # fmt: skip
ARITHMETIC = {
    gast.Add: "+", gast.Sub: "-", gast.Mult: "*", gast.Div: "/", gast.FloorDiv: "//", gast.Mod: "%", gast.Pow: "**",
    gast.MatMult: "@", gast.BitAnd: "&", gast.BitOr: "|", gast.BitXor: "^",
}  # fmt: skip
MEMBERSHIP, IDENTITY = (gast.In, gast.NotIn), (gast.Is, gast.IsNot)
ORDERED = (gast.Lt, gast.LtE, gast.Gt, gast.GtE)
# What a test may have for an operand that is a list, or a number beside a truth value.
VALUES = (gast.Name, gast.Attribute, gast.Subscript, gast.Call, gast.BinOp)


def run(function: gast.AST, context: Context) -> None:
    """Rewrites expressions everywhere in `function`, nested functions included."""
    truths.run(function, context)
    logical = _Logical(context)
    logical.rows = _rows(function, context)
    logical.generic_visit(function)


def mark_stored(value: gast.expr, target: gast.Subscript) -> None:
    """Notes that a conditional expression is stored in a part of an array, as slices tell: `ag.if_expr(..., stored=True)`."""
    parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    if any(
        isinstance(part, gast.Slice) or (isinstance(part, gast.Constant) and part.value is ...)
        for part in parts
    ):
        _mark_stored(value)


def _mark_stored(value: gast.expr) -> None:
    if isinstance(value, gast.IfExp):
        value.is_stored = True  # type: ignore[attr-defined]


class _Logical(trees.Transformer):
    def __init__(self, context: Context) -> None:
        self.ag, self.lists, self.context = context.ag, context.lists, context
        self.rows: set[str] = set()  # names that may stand for tuples or lists, as the text tells

    def visit_If(self, node: gast.If) -> gast.AST:
        self.truths(node.test)
        self.generic_visit(node)
        return node

    visit_While = visit_If

    def truths(self, test: gast.AST) -> None:
        """Asks lists and numbers for their truth where nothing but that is wanted of them.

        The length of a list may be traced, and `grid[i, j] and not seen[i, j]` is a number or a bool.
        """
        match test:
            case gast.BoolOp():
                for number, value in enumerate(test.values):
                    if isinstance(value, VALUES):
                        truth = quote.expr("ag.truth(value)", ag=self.ag, value=value)
                        test.values[number] = quote.located(truth, value)
                    self.truths(value)
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                self.truths(operand)

    def visit_ClassDef(self, node: gast.ClassDef) -> gast.AST:
        self.generic_visit(node)
        opaque.run(node, self.context)
        return node

    def visit_BoolOp(self, node: gast.BoolOp) -> gast.AST:
        if is_static(node):
            return node
        self.generic_visit(node)
        first, *rest = node.values
        if any(map(binds_or_suspends, rest)):
            return self.tested(node)
        text = "ag.and_(first)" if isinstance(node.op, gast.And) else "ag.or_(first)"
        call = quote.expr(text, ag=self.ag, first=first)
        assert isinstance(call, gast.Call)
        call.args += [quote.located(quote.lambda_([], value), value) for value in rest]
        return quote.located(call, node)

    def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.AST:
        static = is_static(node.operand)
        self.generic_visit(node)
        if not isinstance(node.op, gast.Not) or static:
            return node
        return quote.expr_at(node, "ag.not_(operand)", ag=self.ag, operand=node.operand)

    def visit_Compare(self, node: gast.Compare) -> gast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return self.comparison(node)
        if any(map(binds_or_suspends, node.comparators[1:])):
            return self.tested(node)
        if len(node.ops) == 2 and isinstance(node.comparators[0], (gast.Name, gast.Constant)):
            return self.two(node)
        arguments: list[gast.expr] = [node.left]
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            arguments.append(quote.constant(SYMBOLS[type(operator)]))
            arguments.append(quote.located(quote.lambda_([], operand), operand))
        # The first two operands are always evaluated.
        arguments[2] = node.comparators[0]
        return quote.located(gast.Call(quote.expr("ag.compare", ag=self.ag), arguments, []), node)

    def two(self, node: gast.Compare) -> gast.AST:
        """`a < b < c` as `ag.and_(a < b, lambda: b < c)`, where `b` costs nothing to evaluate twice."""
        middle, right = node.comparators
        first = self.comparison(gast.copy_location(gast.Compare(node.left, node.ops[:1], [middle]), node))
        second = self.comparison(
            gast.copy_location(gast.Compare(trees.copy_tree(middle), node.ops[1:], [right]), node)
        )
        return quote.expr_at(node, "ag.and_(first, lambda: second)", ag=self.ag, first=first, second=second)

    def comparison(self, node: gast.Compare) -> gast.AST:
        operator, right = node.ops[0], node.comparators[0]
        displays = (gast.Tuple, gast.List, gast.Dict)
        if isinstance(operator, MEMBERSHIP):
            text = "ag.in_(left, right)" if isinstance(operator, gast.In) else "ag.not_in(left, right)"
        elif isinstance(operator, (gast.Eq, gast.NotEq)) and (
            isinstance(node.left, displays)
            or isinstance(right, displays)
            or {trees.dotted(node.left), trees.dotted(right)} & self.lists
            or _may_be_objects(node.left, right)
        ):
            text = "ag.equal(left, right)" if isinstance(operator, gast.Eq) else "ag.not_equal(left, right)"
        elif isinstance(operator, IDENTITY) or (
            isinstance(operator, ORDERED) and self.may_be_rows(node.left, right)
        ):
            text = f"ag.compare(left, {SYMBOLS[type(operator)]!r}, right)"
        else:
            return node
        return quote.expr_at(node, text, ag=self.ag, left=node.left, right=right)

    def may_be_rows(self, left: gast.expr, right: gast.expr) -> bool:
        """Whether operands of `<` may be tuples or lists, as the text tells of one, or of both: `a.key < b.key`."""
        if any(isinstance(each, (gast.Constant, gast.UnaryOp)) for each in (left, right)):
            return False
        if isinstance(left, gast.Attribute) and isinstance(right, gast.Attribute) and left.attr == right.attr:
            return True
        return self.may_be_row(left) or self.may_be_row(right)

    def may_be_row(self, node: gast.expr) -> bool:
        """Whether the text tells that it is a tuple or a list, an item of one, or what a function makes."""
        node = _taken_of(node, self.ag)
        if isinstance(node, gast.Call) and isinstance(node.func, gast.Name):
            return not hasattr(builtins, node.func.id) and not self.context.is_library(node.func.id)
        return isinstance(node, (gast.Tuple, gast.List, gast.Dict)) or trees.dotted(node) in self.rows

    def visit_BinOp(self, node: gast.BinOp) -> gast.AST:
        self.generic_visit(node)
        symbol = ARITHMETIC.get(type(node.op))
        if symbol is None or not self.may_be_array_and_sequence(node):
            return node
        text = f"ag.arithmetic(left, {symbol!r}, right)"
        return quote.expr_at(node, text, ag=self.ag, left=node.left, right=node.right)

    def may_be_array_and_sequence(self, node: gast.BinOp) -> bool:
        """Whether one operand is written as a list, a tuple or a range, and the other one may be an array beside it."""
        sequence, other = (node.right, node.left) if _is_sequence(node.right) else (node.left, node.right)
        if (
            not _is_sequence(sequence)
            or _is_sequence(other)
            or isinstance(other, (gast.Constant, gast.JoinedStr))
        ):
            return False
        match (
            sequence,
            node.op,
        ):  # `ys + [x]`, `shape + (1,)`, `[0] * n` and `text % (a, b)` are mostly Python's
            case gast.List() | gast.Tuple(), gast.Add():
                is_number = isinstance(other, (gast.Name, gast.BinOp, gast.UnaryOp))
                return is_number and trees.dotted(other) not in self.lists
            case gast.List(elts=items) | gast.Tuple(elts=items), gast.Mult():
                return len(items) > 1
            case gast.Tuple(), gast.Mod():
                return False
        return True

    def visit_IfExp(self, node: gast.IfExp) -> gast.AST:
        static, stored = is_static(node.test), getattr(node, "is_stored", False)
        self.truths(node.test)
        for part in (node.body, node.orelse) if stored else ():
            _mark_stored(part)
        self.generic_visit(node)
        if static:
            return node
        if binds_or_suspends(node.body) or binds_or_suspends(node.orelse):
            node.test = self.test(node.test)
            return node
        text = f"ag.if_expr(test, lambda: body, lambda: orelse{', stored=True' if stored else ''})"
        return quote.expr_at(node, text, ag=self.ag, test=node.test, body=node.body, orelse=node.orelse)

    def tested(self, node: gast.expr) -> gast.expr:
        """`node` left to Python, since an operand binds a name or suspends; each truth test refuses a traced value."""
        if isinstance(node, gast.BoolOp):
            node.values = [*map(self.test, node.values[:-1]), node.values[-1]]
        return node

    def test(self, node: gast.expr) -> gast.expr:
        return quote.expr_at(node, "ag.python_test(test)", ag=self.ag, test=node)


def _rows(function: gast.AST, context: Context) -> set[str]:
    """Names of lists and tuples, of what functions make, and of items of these, as far as the text tells."""
    found = named_sequences(function) | context.lists | context.handed
    for node in trees.walk(function):
        match node:
            case (
                gast.Assign(targets=[gast.Name(id=name)], value=value)
                | gast.For(target=gast.Name(id=name), iter=value)
            ) if trees.dotted(_taken_of(value, context.ag)) in found:
                found.add(name)
    return found


def _taken_of(node: gast.expr, ag: str) -> gast.expr:
    """What an expression takes an item of; the expression itself if it is none of these."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=root), attr="item"), args=[of, _]) if (
            root == ag
        ):
            return _taken_of(of, ag)
        case gast.Subscript(value=of):
            return _taken_of(of, ag)
    return node


def _is_sequence(node: gast.expr) -> bool:
    match node:
        case gast.Call(func=gast.Name(id="range")):
            return True
        case gast.List(elts=items) | gast.Tuple(elts=items):
            return len(items) > 0
    return False


def _may_be_objects(left: gast.expr, right: gast.expr) -> bool:
    """Whether nothing in the text says that two operands of `==` are numbers: they may be tuples or objects."""
    kinds = (gast.Name, gast.Attribute, gast.Subscript, gast.Call)
    return isinstance(left, kinds) and isinstance(right, kinds)
