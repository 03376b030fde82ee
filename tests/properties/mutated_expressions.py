"""How is an expression of a function changed: operators, constants, conditions, choices, names for parts?"""

from __future__ import annotations

import ast
import copy

from .choices import Choices
from .mutation_parts import expressions_of, names_of, some_spot, some_test
from .places import places

COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
# Powers, shifts and true division are taken away but not put in: they make numbers that never end, or floats.
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def operator(function: ast.FunctionDef, c: Choices) -> bool:
    found = [n for n in ast.walk(function) if isinstance(n, ast.BinOp | ast.AugAssign)]
    found = [n for n in found if isinstance(n.op, (*ARITHMETIC, *BITS, ast.Div, ast.Pow, ast.RShift))]
    if not found:
        return False
    node = c.pick(found)
    node.op = c.pick(BITS if isinstance(node.op, BITS) else ARITHMETIC)()
    return True


def comparison(function: ast.FunctionDef, c: Choices) -> bool:
    found = [
        n for n in ast.walk(function) if isinstance(n, ast.Compare) and isinstance(n.ops[0], COMPARISONS)
    ]
    if found:
        node = c.pick(found)
        if c.chance(20):  # a chain
            node.ops.append(c.pick(COMPARISONS)())
            node.comparators.append(copy.deepcopy(c.pick([node.left, *node.comparators])))
        else:
            node.ops[0] = c.pick(COMPARISONS)()
    return bool(found)


def constant(function: ast.FunctionDef, c: Choices) -> bool:
    found = [
        p
        for p in expressions_of(function, ast.Constant)
        if not isinstance(p.node, ast.JoinedStr | ast.FormattedValue)
    ]
    if not found:
        return False
    place = c.pick(found)
    old = place.get().value
    new: object = 0
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int):
        new = c.pick([old + 1, old - 1, 0, 1, 2])
    elif isinstance(old, float):
        new = c.pick([-old, 0.0, 2 * old, 1.0])
    elif isinstance(old, str):
        new = c.pick(["", old[:-1], old + "x"])
    elif isinstance(old, bytes):
        new = c.pick([b"", old[:-1], old + b"x"])
    place.put(ast.Constant(new))
    return True


def condition(function: ast.FunctionDef, c: Choices) -> bool:
    """`if t` becomes `if not t`, `if t and u`, `if (seen := t)` and the like."""
    found = [n for n in ast.walk(function) if isinstance(n, ast.If | ast.While | ast.IfExp | ast.Assert)]
    if not found:
        return False
    node = c.pick(found)
    old, other = node.test, some_test(function, c)
    both = [old, other] if c.chance(50) else [other, old]
    node.test = c.pick(
        [
            ast.UnaryOp(ast.Not(), old),
            ast.BoolOp(c.pick([ast.And, ast.Or])(), both),
            ast.NamedExpr(ast.Name("seen", ast.Store()), old),
            ast.IfExp(other, old, some_test(function, c)),
        ]
    )
    return True


def logic(function: ast.FunctionDef, c: Choices) -> bool:
    found = [n for n in ast.walk(function) if isinstance(n, ast.BoolOp)]
    if found:
        node = c.pick(found)
        if c.chance(50):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        else:
            node.values.reverse()
    return bool(found)


def name(function: ast.FunctionDef, c: Choices) -> bool:
    found = [p for p in expressions_of(function, ast.Name) if p.get().id in names_of(function)]
    if found:
        c.pick(found).put(ast.Name(c.pick(names_of(function)), ast.Load()))
    return bool(found)


def choice(function: ast.FunctionDef, c: Choices) -> bool:
    """`e` becomes `e if t else f`, where `f` is another expression of the function."""
    found = expressions_of(function, ast.Name, ast.BinOp, ast.Call, ast.Constant, ast.Subscript)
    found = [p for p in found if not isinstance(p.node, ast.JoinedStr | ast.FormattedValue)]
    if found:
        place = c.pick(found)
        near = [p.get() for p in found if type(p.get()) is type(place.get())]
        both = [place.get(), copy.deepcopy(c.pick(near))]
        if c.chance(50):
            place.put(ast.IfExp(some_test(function, c), both[0], both[1]))
        else:
            place.put(ast.BoolOp(c.pick([ast.And, ast.Or])(), both))
    return bool(found)


def named(function: ast.FunctionDef, c: Choices) -> bool:
    """A part of a statement gets a name in the line before, or by a walrus."""
    block, i = some_spot(function, c)
    if not isinstance(block[i], ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.If):
        return False
    here = block[i].test if isinstance(block[i], ast.If) else getattr(block[i], "value", None)
    found = (
        [p for p in places(here) if isinstance(p.get(), ast.BinOp | ast.Call | ast.Subscript)] if here else []
    )
    found = [p for p in found if not isinstance(getattr(p.get(), "ctx", None), ast.Store)]
    if not found:
        return False
    place = c.pick(found)
    old = place.get()
    if c.chance(50):
        place.put(ast.NamedExpr(ast.Name("part", ast.Store()), old))
    else:
        place.put(ast.Name("part", ast.Load()))
        block.insert(i, ast.Assign([ast.Name("part", ast.Store())], old))
    return True
