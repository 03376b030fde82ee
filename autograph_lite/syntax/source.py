"""Where is the source of a function, and what is its tree?

    read(fn) -> Source(path="model.py", first_line=14, text="def step(x): ...", node=<gast.FunctionDef>, ...)

The whole file is parsed, once per text, and the definition is looked up by line and name. So line and column
numbers are the file's own, and what surrounds the function (its class, for private names) is known.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import linecache
import tokenize
import types
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import gast

from autograph_lite.errors import ConversionError, Location, SourceNotFoundError
from autograph_lite.syntax import compiling, trees
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.mangling import class_in, mangle, mangled
from autograph_lite.syntax.translation import to_gast

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
Span: TypeAlias = tuple[int, int, int, int]


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of one function.

    Attributes:
      path: the file, as Python names it in tracebacks.
      first_line: the line of the first decorator, or of the `def` or lambda; 1-based.
      text: the lines of the definition, as they are in the file.
      node: a new gast tree, located in the file, with private names mangled.
      enclosing_class: the innermost class around the definition, also through functions.
    """

    path: str
    first_line: int
    text: str
    node: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda
    enclosing_class: str | None


@dataclasses.dataclass(frozen=True)
class _Found:
    node: Definition
    enclosing_class: str | None


_given: weakref.WeakKeyDictionary[types.CodeType, Source] = weakref.WeakKeyDictionary()


def give(code: types.CodeType, source: Source) -> None:
    """Says what the source of a function with this code is, which stands in no file."""
    _given[code] = source


def read(fn: types.FunctionType) -> Source:
    """The source of `fn`.

    Raises:
      SourceNotFoundError: there is no text: a built-in, `exec`, a session without history.
      ConversionError: the text is not that of `fn`, or it can't be told which lambda of a line `fn` is.
    """
    code = getattr(fn, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise _without_source(fn, "It is not written in Python.")
    given = _given.get(code)
    if given is not None:
        return dataclasses.replace(given, node=trees.copied(given.node))
    lines = _lines(fn)
    if not lines:
        raise _without_source(fn, f"Python has kept no text for '{code.co_filename}'.")
    with deep_recursion():
        found = _only(_candidates(lines, code), code, lines)
        node = mangle(to_gast(found.node), found.enclosing_class)
    assert isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda))
    first = _first_line(found.node)
    text = "".join(lines[first - 1 : found.node.end_lineno])
    return Source(code.co_filename, first, text, node, found.enclosing_class)


def around(code: types.CodeType, span: Span) -> gast.FunctionDef | None:
    """The tree of the innermost function around a place in the file of `code`; None where there is no such text.

    Args:
      code: of a function of that file.
      span: line and column of the place's start, and of its end.
    """
    path = code.co_filename
    lines = linecache.getlines(path)  # the same list until the file is read anew
    known = _arounds.get((path, span))
    if known is None or known[0] is not lines:
        if len(_arounds) >= _MOST_AROUNDS:
            _arounds.clear()
        known = _arounds[path, span] = lines, _around(path, "".join(lines), span)
    return known[1]


_arounds: dict[tuple[str, Span], tuple[list[str], gast.FunctionDef | None]] = {}
_MOST_AROUNDS = 512


def _around(path: str, text: str, span: Span) -> gast.FunctionDef | None:
    try:
        found = [*_definitions(_parsed(path, text), span[0], None)]
    except SyntaxError:
        return None
    functions = [each for each in found if isinstance(each.node, ast.FunctionDef)]
    if not functions:
        return None
    with deep_recursion():
        tree = mangle(to_gast(functions[-1].node), functions[-1].enclosing_class)
    assert isinstance(tree, gast.FunctionDef)
    return tree


def _lines(fn: types.FunctionType) -> list[str]:
    path = fn.__code__.co_filename
    if path == "<string>":  # of `exec`; since 3.13 linecache may hold the text of `python -c` under this name
        return []
    from_code = getattr(linecache, "_getlines_from_code", None)  # the REPL of Python 3.13.1 and later
    if from_code is not None and (lines := from_code(fn.__code__)):
        return list(lines)
    if Path(path).exists():  # otherwise the text was registered, and the check would discard it
        linecache.checkcache(path)
    lines = linecache.getlines(path, fn.__globals__)
    # Text that was registered may come without the ends of its lines, as `timeit` registers it.
    return [line if line.endswith("\n") else f"{line}\n" for line in lines] if path[:1] == "<" else lines


def _candidates(lines: list[str], code: types.CodeType) -> list[_Found]:
    """The definitions that start at the line of `code` and have its name and parameters."""
    try:
        tree = _parsed(code.co_filename, "".join(lines))
        outer = None
    except SyntaxError as error:
        tree, outer = _parsed_alone(lines, code, error), class_in(code.co_qualname)
    if code.co_filename.startswith("<") and not _gives(tree, code):
        return []
    return [found for found in _definitions(tree, code.co_firstlineno, outer) if _fits(found, code)]


def _gives(tree: ast.Module, code: types.CodeType) -> bool:
    """Whether compiling `tree` gives `code` again; asked of text that was registered, one after another under one name."""
    todo = [compiling.compile_module(tree, code.co_filename, code.co_flags & compiling.FEATURES)]
    for made in todo:
        if _instructions(made) == _instructions(code):
            return True
        todo += [const for const in made.co_consts if isinstance(const, types.CodeType)]
    return False


def _compiles_to(node: Definition, code: types.CodeType) -> bool:
    """Whether the lambda, without what is around it, gives `code`; one that closes over variables does not."""
    if not isinstance(node, ast.Lambda):
        return False
    args = node.args
    parameters = ast.arguments(
        args.posonlyargs,
        args.args,
        args.vararg,
        args.kwonlyargs,
        [None for _ in args.kwonlyargs],
        args.kwarg,
        [],
    )
    bare = ast.copy_location(ast.Lambda(parameters, node.body), node)
    tree = ast.Module([ast.copy_location(ast.Expr(bare), node)], [])
    module = compiling.compile_module(tree, code.co_filename, code.co_flags & compiling.FEATURES)
    return any(
        isinstance(c, types.CodeType) and _instructions(c) == _instructions(code) for c in module.co_consts
    )


def _instructions(code: types.CodeType) -> tuple[Any, ...]:
    constants = [_instructions(c) if isinstance(c, types.CodeType) else (type(c), c) for c in code.co_consts]
    return code.co_code, code.co_names, constants


def _fits(found: _Found, code: types.CodeType) -> bool:
    node = found.node
    return (
        code.co_firstlineno in (node.lineno, _first_line(node))
        and getattr(node, "name", "<lambda>") == code.co_name
        and _parameters(found) == _code_parameters(code)
        and max(line or 0 for _, _, line in code.co_lines()) <= (node.end_lineno or node.lineno)
    )


@functools.lru_cache(maxsize=16)
def _parsed(path: str, text: str) -> ast.Module:
    return compiling.parse(text, path)


def _parsed_alone(lines: list[str], code: types.CodeType, error: SyntaxError) -> ast.Module:
    """The definition alone, where the rest of the file is not Python, as while it is being edited."""
    try:
        block = inspect.getblock(lines[code.co_firstlineno - 1 :])
        indented = bool(block) and block[0][:1].isspace()
        above = "\n" * (code.co_firstlineno - 2) + "if 1:\n" if indented else "\n" * (code.co_firstlineno - 1)
        return compiling.parse(above + "".join(block), code.co_filename)
    except (SyntaxError, tokenize.TokenError):
        raise ConversionError(
            f"The source of '{code.co_qualname}' could not be read: its file is not valid Python.",
            where=_location(code, lines),
            why=f"line {error.lineno}: {error.msg}",
            fix="undo or finish the change to the file, then import it again.",
        ) from error


def _definitions(tree: ast.AST, line: int, enclosing_class: str | None) -> Iterator[_Found]:
    """Functions and lambdas in `tree` whose lines contain `line`, outer ones first."""
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield _Found(tree, enclosing_class)
    for field, children in ast.iter_fields(tree):
        inner = tree.name if isinstance(tree, ast.ClassDef) and field == "body" else enclosing_class
        for child in children if isinstance(children, list) else [children]:
            if isinstance(child, ast.AST) and _covers(child, line):
                yield from _definitions(child, line, inner)


def _covers(node: ast.AST, line: int) -> bool:
    if not isinstance(node, (ast.stmt, ast.expr)):
        return True
    return _first_line(node) <= line <= (node.end_lineno or node.lineno)


def _first_line(node: ast.stmt | ast.expr) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _parameters(found: _Found) -> tuple[int, int, list[str]]:
    args = found.node.args
    plain = args.posonlyargs + args.args + args.kwonlyargs
    names = plain + [arg for arg in (args.vararg, args.kwarg) if arg]
    return len(args.posonlyargs), len(args.kwonlyargs), [mangled(a.arg, found.enclosing_class) for a in names]


def _code_parameters(code: types.CodeType) -> tuple[int, int, list[str]]:
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount + stars
    return code.co_posonlyargcount, code.co_kwonlyargcount, list(code.co_varnames[:count])


def _only(candidates: list[_Found], code: types.CodeType, lines: list[str]) -> _Found:
    if not candidates:
        raise ConversionError(
            f"The source of '{code.co_qualname}' has changed since it was defined.",
            where=_location(code, lines),
            why=f"line {code.co_firstlineno} no longer defines '{code.co_name}' with the same parameters.",
            fix="import the module again, or restart Python.",
        )
    if len(candidates) == 1:
        return candidates[0]
    spans = {found for p in code.co_positions() if (found := span(*p)) and found[:2] != found[2:]}
    around = [found for found in candidates if spans and all(_within(s, found) for s in spans)]
    if around:  # a lambda in a lambda is within both: the innermost is meant
        return max(around, key=lambda found: (found.node.lineno, found.node.col_offset))
    # Python 3.12 gives no column to a lambda that is a constant.
    same = [found for found in candidates if _compiles_to(found.node, code)]
    if same:
        return same[0]
    if len({ast.dump(found.node) for found in candidates}) == 1:
        return candidates[0]
    raise ConversionError(
        f"It can't be told which of {len(candidates)} lambdas '{code.co_qualname}' is.",
        where=_location(code, lines),
        why="they stand on one line and have the same parameters, and Python runs without column numbers.",
        fix="put each lambda on a line of its own.",
    )


def span(line: int | None, end_line: int | None, column: int | None, end_column: int | None) -> Span | None:
    """A position of a code object's as a span; None where Python does not tell."""
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def _within(span: Span, found: _Found) -> bool:
    body = found.node.body
    if not isinstance(body, ast.expr):
        return False
    return (body.lineno, body.col_offset) <= span[:2] and span[2:] <= (body.end_lineno, body.end_col_offset)


def _location(code: types.CodeType, lines: list[str]) -> Location:
    line = code.co_firstlineno
    text = lines[line - 1].strip() if line <= len(lines) else ""
    return Location(code.co_filename, line, code.co_qualname, text)


_TYPED = "define it in a file or a notebook cell; Python 3.13 and IPython keep what is typed."


def _without_source(fn: object, why: str) -> SourceNotFoundError:
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__qualname__
    typed = getattr(getattr(fn, "__code__", None), "co_filename", "") == "<stdin>"
    return SourceNotFoundError(
        f"No source for '{name}'.",
        why=why,
        fix=_TYPED
        if typed
        else "define it in a file or a notebook cell, or register its text with `linecache`.",
    )
