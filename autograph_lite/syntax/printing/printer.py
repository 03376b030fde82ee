r"""What does a tree look like as a person would write it?

    unparse(tree)   # "def step(x):\n    return x + 1\n"

`astunparse` does the work; its subclass here leaves out parentheses that Python does not need, sets blank
lines around nested functions, breaks long calls, and hands what `astunparse` gets wrong (patterns, f-strings,
type parameters) to `ast.unparse`. What is printed parses to the same tree: the tests print and parse the
standard library.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from typing import TypeAlias, TypeGuard

import gast

from autograph_lite.syntax import translation
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.printing.expressions import ExpressionPrinter

_Def: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def unparse(node: ast.AST) -> str:
    """The text of a gast or ast tree: an expression as it is, statements with a final newline."""
    buffer = io.StringIO()
    with deep_recursion():
        if isinstance(node, getattr(gast, type(node).__name__, ())):
            node = translation.to_python(node)
        _Printer(node, buffer)
    text = buffer.getvalue().strip("\n")
    return text + "\n" if text and isinstance(node, (ast.stmt, ast.Module)) else text


class _Printer(ExpressionPrinter):
    """The half of the printer for statements."""

    def dispatch(self, tree: ast.AST | list[ast.stmt]) -> None:
        """Prints a block or a node."""
        if isinstance(tree, list):
            self._block(tree)
        else:
            super().dispatch(tree)

    def _block(self, body: list[ast.stmt], *, of_class: bool = False) -> None:
        """Statements, with a blank line before and after each function or class."""
        for index, statement in enumerate(body):
            above = body[index - 1] if index else None
            if isinstance(above, _DEFS) or (isinstance(statement, _DEFS) and not (of_class and index == 0)):
                self.write("\n" if self._indent or index == 0 else "\n\n")
            if index == 0 and _is_text(statement):
                self._docstring(statement)
            else:
                self.dispatch(statement)

    def _docstring(self, statement: ast.Expr) -> None:
        assert isinstance(statement.value, ast.Constant)
        text = str(statement.value.value)
        shown = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        if text.endswith('"') or not text.replace("\n", "").isprintable():
            shown = ""
        self.fill(f'"""{shown}"""' if shown else repr(text))

    def _Module(self, tree: ast.Module) -> None:
        self._block(tree.body)

    def _definition(self, keyword: str, t: _Def, signature: Callable[[], None]) -> None:
        for decorator in t.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(f"{keyword} {t.name}")
        if parameters := getattr(t, "type_params", []):
            self.write(f"[{', '.join(map(ast.unparse, parameters))}]")
        signature()
        self.enter()
        self._block(t.body, of_class=isinstance(t, ast.ClassDef))
        self.leave()

    def _FunctionDef(self, t: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        def signature() -> None:
            self.write("(")
            self.dispatch(t.args)
            self.write(")")
            if t.returns:
                self.write(" -> ")
                self.dispatch(t.returns)

        self._definition("async def" if isinstance(t, ast.AsyncFunctionDef) else "def", t, signature)

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, t: ast.ClassDef) -> None:
        def bases() -> None:
            if t.bases or t.keywords:
                self.write("(")
                self._list([*t.bases, *t.keywords])
                self.write(")")

        self._definition("class", t, bases)

    def _Match(self, t: ast.Match) -> None:
        self.fill("match ")
        self.dispatch(t.subject)
        self.enter()
        for case in t.cases:
            guard = f" if {self._text(case.guard)}" if case.guard else ""
            self._suite(f"case {ast.unparse(case.pattern)}{guard}", case.body)
        self.leave()

    def _Try(self, t: ast.Try) -> None:
        self._suite("try", t.body)
        for handler in t.handlers:
            header = "except*" if type(t).__name__ == "TryStar" else "except"
            header += f" {self._text(handler.type)}" if handler.type else ""
            self._suite(f"{header} as {handler.name}" if handler.name else header, handler.body)
        if t.orelse:
            self._suite("else", t.orelse)
        if t.finalbody:
            self._suite("finally", t.finalbody)

    _TryStar = _Try

    def _suite(self, header: str, body: list[ast.stmt]) -> None:
        self.fill(header)
        self.enter()
        self._block(body)
        self.leave()

    def _withitem(self, t: ast.withitem) -> None:
        # `with (a, b):` opens a and then b; a tuple needs parentheses of its own.
        doubled = isinstance(t.context_expr, ast.Tuple) and not t.optional_vars
        self.write("(" * doubled)
        super()._withitem(t)
        self.write(")" * doubled)

    def _TypeAlias(self, t: ast.AST) -> None:
        self.fill(ast.unparse(t))


def _is_text(statement: ast.stmt) -> TypeGuard[ast.Expr]:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
