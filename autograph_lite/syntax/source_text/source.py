"""Source: where is that of a function, and what is its tree?

    read_source(fn) -> Source(path="model.py", first_line=14, text="def step(x): ...", node=<gast.FunctionDef>, ...)

What runs is what was imported: the definition stands at the function's line in a text that has not changed since, or compiles
to the function's code. `texts` knows the texts, `unchanged` whether a file is what it was.
"""

from __future__ import annotations

import ast
import dataclasses
import types
import weakref
from typing import TypeAlias

import gast

from autograph_lite.errors import ConversionError, SourceNotFoundError
from autograph_lite.syntax import trees
from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.mangling import mangle
from autograph_lite.syntax.source_text import compiling, definitions, texts, unchanged
from autograph_lite.syntax.translation import to_gast

Span: TypeAlias = tuple[int, int, int, int]


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of one function."""

    path: str  # the file, as Python names it in tracebacks
    first_line: int  # the line of the first decorator, or of the `def` or lambda; 1-based
    text: str  # the lines of the definition, as they are in the file
    # a new gast tree, located in the file, with private names mangled
    node: gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda
    enclosing_class: str | None  # the innermost class around the definition, also through functions
    lines: list[str]  # those of the whole file


_given: weakref.WeakKeyDictionary[types.CodeType, Source] = weakref.WeakKeyDictionary()


def give(code: types.CodeType, source: Source) -> None:
    """Says what the source of a function with this code is, which stands in no file."""
    _given[code] = source


def read_source(fn: types.FunctionType) -> Source:
    """The source of `fn`.

    Raises:
      SourceNotFoundError: there is no text: a built-in, `exec`, a session without history.
      ConversionError: no text that is to be had is that of `fn`.
    """
    code = getattr(fn, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise _without_source(fn, "It is not written in Python.")
    given = _given.get(code)
    if given is not None:
        return dataclasses.replace(given, node=trees.copy_tree(given.node))
    with deep_recursion():
        found, lines = _found(fn, code)
        node = mangle(to_gast(found.node), found.enclosing_class)
    assert isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda))
    first = definitions.first_line(found.node)
    text = "".join(lines[first - 1 : found.node.end_lineno])
    return Source(code.co_filename, first, text, node, found.enclosing_class, lines)


# What was found once holds for the process: the file may be edited afterwards.
_read = weakref.WeakKeyDictionary[types.CodeType, tuple[str, definitions.Found, list[str]]]()


def _found(fn: types.FunctionType, code: types.CodeType) -> tuple[definitions.Found, list[str]]:
    """The definition of `fn`, and the lines of the text that it stands in."""
    known = _read.get(code)
    if known is None or known[0] != code.co_filename:  # equal code may stand in two files
        known = _read[code] = code.co_filename, *_sought(fn, code)
    return known[1:]


def _sought(fn: types.FunctionType, code: types.CodeType) -> tuple[definitions.Found, list[str]]:
    made_of = texts.text_of_converted(code)  # of what a converted function defines, and was converted with it
    if made_of is not None:
        own = _told(definitions.at_line(definitions.parsed_text(made_of, code), code), code)
        if own is not None:
            return own, made_of
    now = next(texts.texts_of(fn), None)
    if now is None:
        raise _without_source(fn, f"Python has kept no text for '{code.co_filename}'.")
    failure: ConversionError | None = None
    there: list[definitions.Found] = []
    try:
        there = definitions.at_line(definitions.parsed_text(now, code), code)
    except ConversionError as error:
        failure = error
    told = _told(there, code)
    if told is not None and (texts.is_its_own(code) or unchanged.since_import(fn)):
        return told, now
    for lines in texts.texts_of(fn):
        same = definitions.compiled_to(lines, code)
        if same:  # the same code makes any of them right
            return _told(same, code) or same[0], lines
    if told is not None and unchanged.gives_again(fn):
        return told, now
    if code.co_filename[:1] == "<":  # texts are registered under such names, one after another
        raise _without_source(
            fn, f"The text that is kept for '{code.co_filename}' is that of another function."
        )
    raise failure or _changed(code, now, there)


def function_around(code: types.CodeType, span: Span) -> gast.FunctionDef | None:
    """The tree of the innermost function around a `span` in the file of `code`; None where there is no such text."""
    path = code.co_filename
    lines = texts.text_of_code(code)  # the same list until the file is read again
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
        found = [*definitions.definitions_around(compiling.parse(text, path), span[0], None)]
    except SyntaxError:
        return None
    functions = [each for each in found if isinstance(each.node, ast.FunctionDef)]
    if not functions:
        return None
    with deep_recursion():
        tree = mangle(to_gast(functions[-1].node), functions[-1].enclosing_class)
    assert isinstance(tree, gast.FunctionDef)
    return tree


def _told(candidates: list[definitions.Found], code: types.CodeType) -> definitions.Found | None:
    """That of several on a line which is meant; None where Python does not tell, as of a lambda that is a constant in 3.12."""
    if len(candidates) == 1:
        return candidates[0]
    spans = {found for p in code.co_positions() if (found := span(*p)) and found[:2] != found[2:]}
    around = [found for found in candidates if spans and all(_within(s, found) for s in spans)]
    # A lambda in a lambda is within both: the innermost is meant.
    return max(around, key=lambda found: (found.node.lineno, found.node.col_offset), default=None)


def _changed(code: types.CodeType, lines: list[str], there: list[definitions.Found]) -> ConversionError:
    return ConversionError(
        f"The source of '{code.co_qualname}' has changed since it was defined.",
        where=definitions.location(code, lines),
        why=f"what stands at line {code.co_firstlineno} now is not what Python has imported."
        if there
        else f"line {code.co_firstlineno} no longer defines '{code.co_name}' with the same parameters.",
        fix="import the module again, or restart Python.",
    )


def span(line: int | None, end_line: int | None, column: int | None, end_column: int | None) -> Span | None:
    """A position of a code object's as a span; None where Python does not tell."""
    if line is None or end_line is None or column is None or end_column is None:
        return None
    return line, column, end_line, end_column


def _within(span: Span, found: definitions.Found) -> bool:
    body = found.node.body
    if not isinstance(body, ast.expr):
        return False
    return (body.lineno, body.col_offset) <= span[:2] and span[2:] <= (body.end_lineno, body.end_col_offset)


_TYPED = "define it in a file or a notebook cell; Python 3.13 and IPython keep what is typed."


def _without_source(fn: object, why: str) -> SourceNotFoundError:
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__qualname__
    typed = getattr(getattr(fn, "__code__", None), "co_filename", "") == "<stdin>"
    return SourceNotFoundError(
        f"No source for '{name}'.",
        where=(),
        why=why,
        fix=_TYPED
        if typed
        else "define it in a file or a notebook cell, or register its text with `linecache`.",
    )
