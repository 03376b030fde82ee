"""Definitions: which in a text may be that of a function: those at its line, or those that compile to its code?

A whole file is parsed, once per text. So line and column numbers are the file's own, and what surrounds a definition
(its class, for private names) is known.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import inspect
import tokenize
import types
from collections.abc import Iterator

from autograph_lite.errors import ConversionError, Location
from autograph_lite.syntax.mangling import class_in, mangled
from autograph_lite.syntax.source_text import compiled, compiling


@dataclasses.dataclass(frozen=True)
class Found:
    """A definition, and the innermost class around it."""

    node: compiled.Definition
    enclosing_class: str | None


@dataclasses.dataclass(frozen=True)
class Text:
    """A text as far as it is Python: all of it, or one definition."""

    tree: ast.Module
    enclosing_class: str | None
    imports: frozenset[str]


def parsed_text(lines: list[str], code: types.CodeType) -> Text:
    """A text. Raises ConversionError: neither it nor the definition of `code` in it is Python."""
    try:
        return _whole(code.co_filename, "".join(lines))
    except SyntaxError as error:
        tree = _alone(lines, code, error)
        return Text(tree, class_in(code.co_qualname), compiled.imported(_statements_of_imports(lines)))


@functools.lru_cache(maxsize=16)
def _whole(path: str, text: str) -> Text:
    tree = compiling.parse(text, path)
    return Text(tree, None, compiled.imported(tree.body))


def _statements_of_imports(lines: list[str]) -> Iterator[ast.stmt]:
    for line in lines:
        if line.startswith(("import ", "from ")):
            with contextlib.suppress(SyntaxError):
                yield from compiling.parse(line).body


def at_line(text: Text, code: types.CodeType) -> list[Found]:
    """The definitions that start at the line of `code`, with its name and parameters."""
    found = definitions_around(text.tree, code.co_firstlineno, text.enclosing_class)
    return [each for each in found if _fits(each, code)]


def compiled_to(lines: list[str], code: types.CodeType) -> list[Found]:
    """The definitions in a text that compile to `code`: those at its line, or the nearest that has moved."""
    try:
        text = parsed_text(lines, code)
    except ConversionError:
        return []
    there = [each for each in at_line(text, code) if _compiles(each, text, code)]
    if there:
        return there
    moved = [
        each for each in definitions_around(text.tree, None, text.enclosing_class) if _named_as(each, code)
    ]
    moved.sort(key=lambda each: abs(each.node.lineno - code.co_firstlineno))
    return [each for each in moved if _compiles(each, text, code)][:1]


def _compiles(found: Found, text: Text, code: types.CodeType) -> bool:
    statements = [each for each in text.tree.body if _covers(each, found.node.lineno)]
    ways = (text.imports, compiled.imported(statements))  # as a file is compiled; statement by statement
    return compiled.compiles_to(found.node, code, found.enclosing_class, ways)


def _fits(found: Found, code: types.CodeType) -> bool:
    node = found.node
    return (
        code.co_firstlineno in (node.lineno, first_line(node))
        and _named_as(found, code)
        and max(line or 0 for _, _, line in code.co_lines()) <= (node.end_lineno or node.lineno)
    )


def _named_as(found: Found, code: types.CodeType) -> bool:
    named = getattr(found.node, "name", "<lambda>") == code.co_name
    return named and _parameters(found) == _code_parameters(code)


def _alone(lines: list[str], code: types.CodeType, error: SyntaxError) -> ast.Module:
    """The definition alone, where the rest of the file is not Python, as while it is being edited."""
    try:
        block = inspect.getblock(lines[code.co_firstlineno - 1 :])
        indented = bool(block) and block[0][:1].isspace()
        above = "\n" * (code.co_firstlineno - 2) + "if 1:\n" if indented else "\n" * (code.co_firstlineno - 1)
        return compiling.parse(above + "".join(block), code.co_filename)
    except (SyntaxError, tokenize.TokenError):
        raise ConversionError(
            f"The source of '{code.co_qualname}' could not be read: its file is not valid Python.",
            where=location(code, lines),
            why=f"line {error.lineno}: {error.msg}",
            fix="undo or finish the change to the file, then import it again.",
        ) from error


def definitions_around(tree: ast.AST, line: int | None, enclosing_class: str | None) -> Iterator[Found]:
    """Functions and lambdas in `tree`, whose lines contain `line` where one is given, outer ones first."""
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield Found(tree, enclosing_class)
    for field, children in ast.iter_fields(tree):
        inner = tree.name if isinstance(tree, ast.ClassDef) and field == "body" else enclosing_class
        for child in children if isinstance(children, list) else [children]:
            if isinstance(child, ast.AST) and (line is None or _covers(child, line)):
                yield from definitions_around(child, line, inner)


def _covers(node: ast.AST, line: int) -> bool:
    if not isinstance(node, (ast.stmt, ast.expr)):
        return True
    return first_line(node) <= line <= (node.end_lineno or node.lineno)


def first_line(node: ast.stmt | ast.expr) -> int:
    """The line of its first decorator, or its own."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _parameters(found: Found) -> tuple[int, int, list[str]]:
    args = found.node.args
    plain = args.posonlyargs + args.args + args.kwonlyargs
    names = plain + [arg for arg in (args.vararg, args.kwarg) if arg]
    return len(args.posonlyargs), len(args.kwonlyargs), [mangled(a.arg, found.enclosing_class) for a in names]


def _code_parameters(code: types.CodeType) -> tuple[int, int, list[str]]:
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + stars
    return code.co_posonlyargcount, code.co_kwonlyargcount, list(code.co_varnames[:count])


def location(code: types.CodeType, lines: list[str]) -> Location:
    """The place where `code` begins, with the text of its line."""
    line = code.co_firstlineno
    text = lines[line - 1].strip() if line <= len(lines) else ""
    return Location(code.co_filename, line, code.co_qualname, text)
