"""What can a mutation choose from: which expressions, blocks, names, conditions and values does a function have?"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from .choices import Choices
from .places import Place, places


def expressions_of(function: ast.FunctionDef, *kinds: type[ast.AST]) -> list[Place]:
    """The places of the body where an expression of these kinds is read."""
    found = [place for statement in function.body for place in places(statement)]
    return [
        p
        for p in found
        if isinstance(p.get(), kinds) and not isinstance(getattr(p.get(), "ctx", None), ast.Store)
    ]


def blocks_of(tree: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements in the tree."""
    fields = ("body", "orelse", "finalbody")
    blocks = [getattr(node, field, None) for node in ast.walk(tree) for field in fields]
    return [block for block in blocks if isinstance(block, list) and block and isinstance(block[0], ast.stmt)]


def some_spot(function: ast.FunctionDef, c: Choices) -> tuple[list[ast.stmt], int]:
    """A block, and the position of one of its statements."""
    spots = [(block, i) for block in blocks_of(function) for i in range(len(block))]
    return c.pick(spots)


def names_of(function: ast.FunctionDef) -> list[str]:
    """The function's parameters and variables."""
    arguments = [argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)]
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(arguments + stored)) or ["None"]


def some_test(function: ast.FunctionDef, c: Choices) -> ast.expr:
    """A condition: one of the function's own, or a comparison of a variable, or a constant."""
    own = [p.get() for p in expressions_of(function, ast.Compare, ast.BoolOp)]
    if own and c.chance(60):
        return copy.deepcopy(c.pick(own))
    name = c.pick(names_of(function))
    return parsed(c.pick([name, f"not {name}", f"{name} == {c.below(3)}", "True", "False"]))


def some_value(function: ast.FunctionDef, c: Choices) -> ast.expr:
    """What an added `return` gives: one of the values that are returned elsewhere, or a variable."""
    returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    return (
        copy.deepcopy(c.pick(returned)) if returned and c.chance(70) else parsed(c.pick(names_of(function)))
    )


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def filled(text: str, *bodies: Sequence[ast.stmt], test: ast.expr | None = None) -> list[ast.stmt]:
    """The statements of `text`, in which the n-th `...` stands for the n-th of `bodies` and `TEST` for the test."""
    left = list(bodies)

    class Fill(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> object:
            if isinstance(node.value, ast.Constant) and node.value.value is Ellipsis:
                return list(left.pop(0)) or [ast.Pass()]
            return self.generic_visit(node)

        def visit_Name(self, node: ast.Name) -> ast.expr:
            return test if node.id == "TEST" and test is not None else node

    return [Fill().visit(statement) for statement in ast.parse(text).body]
