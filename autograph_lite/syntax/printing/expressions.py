"""Expressions: how is one written with no more parentheses and lines than it needs?

This half of the printer holds expressions and what statements share with them, `printer.py` the statements.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator, Sequence

import astunparse

from autograph_lite.syntax.printing.precedence import Level, level_of, may_be_bare

WIDTH = 110


class ExpressionPrinter(astunparse.Unparser):
    """Methods are named after node types, as in the base class, which prints the types that are missing."""

    def __init__(self, tree: ast.AST, file: io.StringIO) -> None:
        self._column = 0
        self._one_line = False
        self._bare: list[ast.AST] = []
        super().__init__(tree, file)

    # What the base class calls for every node; here it is decided on parentheses, blank lines and columns.

    def fill(self, text: str = "") -> None:
        """Begins a line."""
        self.write("\n" + "    " * self._indent + text)

    def write(self, text: str) -> None:
        """Appends to the line."""
        self.f.write(text)
        newline = text.rfind("\n")
        self._column = self._column + len(text) if newline < 0 else len(text) - newline - 1

    def dispatch(self, tree: ast.AST) -> None:
        """Prints a node where any expression may stand that is not a bare tuple."""
        self._put(tree, Level.TEST)

    def _put(self, node: ast.AST, level: Level) -> None:
        """Prints `node`, in parentheses where it binds less tightly than `level`."""
        enclosed = level_of(node) < level and not any(node is child for child in self._bare)
        outer, self._bare = self._bare, may_be_bare(node)
        self.write("(" * enclosed)
        getattr(self, "_" + type(node).__name__)(node)
        self.write(")" * enclosed)
        self._bare = outer

    def _text(self, node: ast.AST) -> str:
        """`node` on one line."""
        kept = self.f, self._column, self._one_line
        self.f, self._one_line = io.StringIO(), True
        self.dispatch(node)
        text: str = self.f.getvalue()
        self.f, self._column, self._one_line = kept
        return text

    def _list(self, nodes: Sequence[ast.AST]) -> None:
        for index, node in enumerate(nodes):
            self.write(", " * (index > 0))
            self.dispatch(node)

    def _NamedExpr(self, t: ast.NamedExpr) -> None:
        self._put(t.target, Level.ATOM)
        self.write(" := ")
        self._put(t.value, Level.TEST)

    def _Await(self, t: ast.Await) -> None:
        self.write("await ")
        self._put(t.value, Level.ATOM)

    def _Yield(self, t: ast.Yield) -> None:
        self.write("yield")
        if t.value:
            self.write(" ")
            self.dispatch(t.value)

    def _YieldFrom(self, t: ast.YieldFrom) -> None:
        self.write("yield from ")
        self.dispatch(t.value)

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write(" async for " if t.is_async else " for ")
        self.dispatch(t.target)
        self.write(" in ")
        self._put(t.iter, Level.OR)
        for condition in t.ifs:
            self.write(" if ")
            self._put(condition, Level.OR)

    def _IfExp(self, t: ast.IfExp) -> None:
        self._put(t.body, Level.OR)
        self.write(" if ")
        self._put(t.test, Level.OR)
        self.write(" else ")
        self._put(t.orelse, Level.TEST)

    def _arguments(self, t: ast.arguments) -> None:
        plain = [*t.posonlyargs, *t.args]
        defaults = [*[None] * (len(plain) - len(t.defaults)), *t.defaults]
        shown = [self._parameter(arg, default) for arg, default in zip(plain, defaults, strict=True)]
        if t.posonlyargs:
            shown.insert(len(t.posonlyargs), "/")
        if t.vararg or t.kwonlyargs:
            shown.append("*" + (self._text(t.vararg) if t.vararg else ""))
        shown += map(self._parameter, t.kwonlyargs, t.kw_defaults)
        if t.kwarg:
            shown.append("**" + self._text(t.kwarg))
        self.write(", ".join(shown))

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        equals = " = " if arg.annotation else "="
        return self._text(arg) + (equals + self._text(default) if default else "")

    def _Lambda(self, t: ast.Lambda) -> None:
        parameters = self._text(t.args)
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.dispatch(t.body)

    def _BoolOp(self, t: ast.BoolOp) -> None:
        for index, value in enumerate(t.values):
            self.write(f" {self.boolops[type(t.op)]} " if index else "")
            self._put(value, level_of(t).tighter)

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        self.write("not " if isinstance(t.op, ast.Not) else self.unop[type(t.op).__name__])
        self._put(t.operand, level_of(t))

    def _BinOp(self, t: ast.BinOp) -> None:
        level = level_of(t)
        left, right = (level.tighter, Level.SIGN) if level is Level.POWER else (level, level.tighter)
        self._put(t.left, left)
        self.write(f" {self.binop[type(t.op).__name__]} ")
        self._put(t.right, right)

    def _Compare(self, t: ast.Compare) -> None:
        self._put(t.left, Level.BIT_OR)
        for op, operand in zip(t.ops, t.comparators, strict=True):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self._put(operand, Level.BIT_OR)

    def _Attribute(self, t: ast.Attribute) -> None:
        # `3.real` is no Python, `(3).real` is.
        if isinstance(t.value, ast.Constant) and type(t.value.value) is int:
            self.write(f"({t.value.value})")
        else:
            self._put(t.value, Level.ATOM)
        self.write(f".{t.attr}")

    def _Subscript(self, t: ast.Subscript) -> None:
        self._put(t.value, Level.ATOM)
        self.write("[")
        self.dispatch(t.slice)
        self.write("]")

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self._put(t.value, Level.BIT_OR)

    def _Tuple(self, t: ast.Tuple) -> None:
        if not t.elts:
            self.write("()")
        self._list(t.elts)
        self.write("," * (len(t.elts) == 1))

    def _Set(self, t: ast.Set) -> None:
        self.write("{*()}") if not t.elts else self._enclosed("{", t.elts, "}")

    def _Dict(self, t: ast.Dict) -> None:
        self.write("{")
        for index, (key, value) in enumerate(zip(t.keys, t.values, strict=True)):
            self.write(", " * (index > 0))
            if key is None:
                self.write("**")
                self._put(value, Level.BIT_OR)
            else:
                self.dispatch(key)
                self.write(": ")
                self.dispatch(value)
        self.write("}")

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        try:
            self.write(ast.unparse(t))
        except ValueError:  # before Python 3.12 an f-string holds no backslash, and generated code in it may
            self.write("".join(self._joined(t)))

    def _TemplateStr(self, t: ast.AST) -> None:
        self.write(ast.unparse(t))

    def _joined(self, t: ast.JoinedStr) -> Iterator[str]:
        """The f-string as `''.join(('a = ', format(a, '')))`, which is what it means."""
        yield "''.join(("
        for part in t.values:
            if isinstance(part, ast.FormattedValue):
                conversion = {-1: "", ord("s"): "str", ord("r"): "repr", ord("a"): "ascii"}[part.conversion]
                value = f"{conversion}({self._text(part.value)})" if conversion else self._text(part.value)
                yield f"format({value}, {self._text(part.format_spec) if part.format_spec else repr('')}), "
            else:
                yield f"{self._text(part)}, "
        yield "))"

    def _List(self, t: ast.List) -> None:
        self._enclosed("[", t.elts, "]")

    def _Call(self, t: ast.Call) -> None:
        self._put(t.func, Level.ATOM)
        if len(t.args) == 1 and not t.keywords and isinstance(t.args[0], ast.GeneratorExp):
            self.dispatch(t.args[0])
        else:
            self._enclosed("(", [*t.args, *t.keywords], ")")

    def _enclosed(self, opening: str, nodes: Sequence[ast.AST], closing: str) -> None:
        """Nodes on one line, or, where that gets too long, on as few as they need, aligned with the first."""
        self.write(opening)
        texts = [self._text(node) for node in nodes]
        if self._one_line or self._column + len(", ".join(texts)) < WIDTH:
            self.write(", ".join(texts) + closing)
            return
        start = self._column
        if start > WIDTH * 2 // 3:
            start = 4 * (self._indent + 2)
            self.write("\n" + " " * start)
        for index, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            if index:
                fits = self._column + len(text) + 3 <= WIDTH
                self.write(", " if fits else ",\n" + " " * start)
            self.dispatch(node)
        self.write(closing)
