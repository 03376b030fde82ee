"""Known exceptions: would Python raise with the real values what was raised while some of them were traced?

    try:
        part = Fraction(number, 3)        # a tracer is no Rational: TypeError, whatever the number is
    except TypeError:
        part = None

Python, or the standard library, has been handed a traced value, or one of several, and has raised. JAX and libraries that
know it look at shapes and types alone, and what they raise is taken for a fact, as what the user's own `raise` raises is.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import re
import sysconfig
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph_lite.errors import PythonOnlyError
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values.one_of import OneOf
from autograph_lite.operators.values.values import Tracer

_SAYS_UNKNOWN = re.compile(r"\w*Tracer\b|\bOneOf\b")
# Whatever the values are: the call itself is not one that the callee takes.
_OF_THE_CALL = re.compile(
    r"\b(?:takes|missing|unexpected|multiple values for|expected|invalid)\b.*\bargument"
    r"|^too many positional arguments|is not callable$|^Can't instantiate abstract class|^cannot create .* instances$"
)
# Nor do these know an operator, with an array or a number of NumPy's beside them.
_OF_OPERANDS = re.compile(
    r"^(?:unsupported operand|'\S+' not supported between)"
    r".*'(?:NoneType|str|bytes|dict|set|type|function|builtin_function_or_method)'"
    r"|^'\w*Tracer' object is not callable$"
)
_STANDARD = tuple(f"{sysconfig.get_paths()[key]}/" for key in ("stdlib", "platstdlib"))
# What a number or an array may be in Python, where the value is traced.
_NUMBERS = (bool, int, float, complex, np.ndarray, np.float64, np.int64)


def of_unknown(error: BaseException) -> PythonOnlyError | None:
    """The refusal of an exception that says nothing about the values, as it was raised because one of them is traced; or None."""
    return None if is_raised_anyway(error) else _unknown(error)


def is_raised_anyway(error: BaseException) -> bool:
    """Whether Python would raise an exception with the real values, as far as that can be told."""
    if isinstance(error, AttributeError):
        return not _lacks_numbers_attribute(error)
    if isinstance(error, (LookupError, StopIteration)):
        return True  # what is looked up is known: a traced key is refused
    entries = source_places.entries(error.__traceback__)
    users = next((n for n in reversed(range(len(entries))) if _is_users(entries[n].tb_frame.f_code)), None)
    if users is None or any(map(_is_of_a_library, entries[users + 1 :])):
        return True
    last = entries[-1]
    if not _is_standard(last) and _raises(last):
        return True
    if is_about_the_call(error) or is_about_operands(error):
        return True
    if _SAYS_UNKNOWN.search(_text(error)):
        return False
    operands = [value for entry in entries[users + 1 :] if _is_standard(entry) for value in _handed(entry)]
    if len(entries) == users + 1:
        operands += _named(last)
    return not any(isinstance(value, (Tracer, OneOf)) for value in operands)


def is_about_the_call(error: BaseException) -> bool:
    """Whether Python says of a call that the function takes no such arguments."""
    return _OF_THE_CALL.search(_text(error)) is not None


def is_about_operands(error: BaseException) -> bool:
    """Whether Python says of an operator, or of a call, that there is none of such operands, whatever their values are."""
    return type(error) is TypeError and _OF_OPERANDS.search(_text(error)) is not None


def _lacks_numbers_attribute(error: AttributeError) -> bool:
    """Whether what has no such attribute is a traced value, and what it stands for may have one."""
    if type(error.obj) is OneOf:
        return True
    return isinstance(error.obj, Tracer) and any(hasattr(kind, error.name or "") for kind in _NUMBERS)


def _text(error: BaseException) -> str:
    return " ".join(part for part in error.args if type(part) is str)


def _is_users(code: types.CodeType) -> bool:
    return not source_places.is_hidden(code) and not ownership.is_library_file(code.co_filename)


def _is_standard(entry: types.TracebackType) -> bool:
    path = entry.tb_frame.f_code.co_filename
    return path.startswith(("<frozen", *_STANDARD)) and "/site-packages/" not in path


def _is_of_a_library(entry: types.TracebackType) -> bool:
    """Whether the frame is JAX's, or that of an installed library."""
    path = entry.tb_frame.f_code.co_filename
    return (
        ownership.is_library_file(path)
        and not path.startswith(f"{source_places.PACKAGE}/")
        and not _is_standard(entry)
    )


def _raises(entry: types.TracebackType) -> bool:
    """Whether it is a `raise` statement that the frame is at."""
    at = entry.tb_frame.f_code.co_code[entry.tb_lasti]
    return dis.opname[at] in ("RAISE_VARARGS", "RERAISE")


def _handed(entry: types.TracebackType) -> Iterator[Any]:
    """The arguments of the function that an entry of a traceback is of."""
    names, rest, keywords, values = inspect.getargvalues(entry.tb_frame)
    for name in names:
        yield values.get(name)
    yield from values.get(rest or "", ())
    yield from values.get(keywords or "", {}).values()


def _named(entry: types.TracebackType) -> Iterator[Any]:
    """What the names mean in the arguments of the call that an entry of a traceback is at."""
    frame = entry.tb_frame
    try:
        call = ast.parse(source_places.segment(frame.f_code, entry.tb_lasti), mode="eval").body
    except SyntaxError:
        return
    if not isinstance(call, ast.Call):
        return
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for name in _names(argument):
            yield frame.f_locals.get(name, frame.f_globals.get(name, getattr(builtins, name, None)))


def _names(node: ast.AST) -> Iterator[str]:
    """The names that arithmetic is done with: not what is asked for an attribute, or handed to a call."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Starred)):
        for part in ast.iter_child_nodes(node):
            yield from _names(part)
    elif isinstance(node, ast.Subscript):
        yield from _names(node.value)


def _unknown(error: BaseException) -> PythonOnlyError:
    said = _SAYS_UNKNOWN.sub("traced value", str(error).partition("\n")[0])
    return PythonOnlyError(
        f"'{type(error).__name__}', which is caught, is raised because a value is traced. {said}",
        where=source_places.raised_at(error, ownership.is_library_file) or source_places.here(),
        why="Python was handed what stands for the value while tracing. What it would do with the value itself is not known.",
        fix="decide with `if` or `match` on the value, or pass it as a Python value, which is not traced.",
    )
