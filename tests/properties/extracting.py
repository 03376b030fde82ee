"""Which part of a module does an expression reach?

module = read("bisect")
reached(module, {"insort"})    # the definition of `insort`, and of `bisect_right`, which it calls

What gives a function in C in place of one in Python (`from _bisect import *`) binds no name that is asked for, and
is left out; so are docstrings and the annotations of functions.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
from collections.abc import Iterator
from pathlib import Path


@functools.cache
def read(name: str) -> ast.Module:
    """The module's syntax tree, without docstrings and annotations."""
    module = importlib.import_module(name)
    return _plain(Path(str(module.__file__)).read_text(), str(module.__package__))


@functools.cache
def read_file(path: Path) -> ast.Module:
    """The syntax tree of a file, without docstrings and annotations."""
    return _plain(path.read_text(), "")


def reached(module: ast.Module, wanted: set[str]) -> list[ast.stmt]:
    """Copies of the statements that bind these names, and those that they read, in the module's order."""
    statements = [(statement, set(_bound(statement))) for statement in module.body]
    kept: set[int] = set()
    while fresh := {i for i, (_, bound) in enumerate(statements) if not wanted.isdisjoint(bound)} - kept:
        kept |= fresh
        wanted = wanted.union(*(_read_names(statements[i][0]) for i in fresh))
    return [copy.deepcopy(statements[i][0]) for i in sorted(kept)]


def names_in(expression: str) -> set[str]:
    """The names that an expression reads."""
    return _read_names(ast.parse(expression))


def _read_names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _bound(statement: ast.AST) -> Iterator[str]:
    """The names that a statement binds in its module, or to whose value it adds an attribute or an item."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
    elif isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store | ast.Del):
        yield statement.id
    elif isinstance(statement, ast.Attribute | ast.Subscript) and isinstance(statement.ctx, ast.Store):
        base: ast.expr = statement
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        yield from [base.id] if isinstance(base, ast.Name) else []
    elif isinstance(statement, ast.Expr) and isinstance(
        statement.value, ast.Call
    ):  # `Template.__init_subclass__()`
        yield from _bound(
            ast.Attribute(getattr(statement.value.func, "value", ast.Constant(0)), "", ast.Store())
        )
    else:
        for child in ast.iter_child_nodes(statement):
            yield from _bound(child)


def _plain(text: str, package: str) -> ast.Module:
    module = ast.parse(text)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign) and not isinstance(node.target, ast.Attribute):
            node.annotation = ast.Name("object", ast.Load())
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = package.rsplit(".", node.level - 1)[0]
            node.module, node.level = ".".join(filter(None, (base, node.module))), 0
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            text_first = (
                node.body and isinstance(node.body[0], ast.Expr) and ast.get_docstring(node, clean=False)
            )
            if isinstance(text_first, str):
                node.body = node.body[1:] or [ast.Pass()]
    return module
