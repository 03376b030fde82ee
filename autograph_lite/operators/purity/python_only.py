"""Python only: does a loop's body do what a program of arrays can't do repeatedly, or see that a number is an array?

open(path), eval(text)              done once while tracing, and not once for each item
str(x), id(x)                       another answer for an array than for Python's number

Generated code calls these as they stand. What it calls through an operator is looked at there (see `known_calls`). A branch is
looked at where it is traced: no iteration may come to it.
"""

from __future__ import annotations

import builtins
import dis
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.operators.object_graph import python_iterators
from autograph_lite.operators.object_graph.reachability import by_code
from autograph_lite.syntax import codes

# `isinstance`, `type` and `hasattr` look at what they are asked of (`calls.numpys_classes`).
SEEING = frozenset({"id", "repr", "str", "ascii", "format", "vars", "dir"})
DOING = frozenset({"open", "input", "eval", "exec", "breakpoint", "__import__", "locals", "globals"})


def reason(fn: Callable[..., Any]) -> tuple[int, str] | None:
    """The line of `fn` that only Python can run for each item, and why; None where there is none that is known."""
    if not isinstance(fn, types.FunctionType):
        return None
    values = codes.closure_variables(fn)
    for name, line in _names(fn.__code__):
        why = _why(name, values if name in values else fn.__globals__)
        if why:
            return line, why
    return None


def _why(name: str, values: dict[str, Any]) -> str | None:
    if name == "class":
        return "a class is made, which may be registered where it is made"
    if name == "is":
        return "'is' would see an array in place of a number"
    if name not in values or values[name] is getattr(builtins, name, values):
        if name in SEEING:
            return f"{name}() would see an array in place of a number"
        if name in DOING:
            return f"'{name}' may leave something behind, or give something else, at each call"
        return None
    return "an item is taken from an iterator" if python_iterators.is_pythons(values[name]) else None


@by_code
def _names(code: types.CodeType) -> tuple[tuple[str, int], ...]:
    """The names that a function takes from around it, and functions in it that are no branches do, with their lines."""
    return tuple(dict.fromkeys(_found(code)))


# A function of the user's that is called so is looked at where it is called.
_BRANCH = re.compile(r"(true|false)_fun(_\d+)?")


def _found(code: types.CodeType) -> Iterator[tuple[str, int]]:
    before, made = None, None
    inside: list[types.CodeType] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IS_OP" and not (
            before and before.opname == "LOAD_CONST" and before.argval is None
        ):
            yield "is", code.co_firstlineno
        before = instruction
        if isinstance(instruction.argval, types.CodeType):
            made = instruction.argval
            inside.append(made)
        elif made is not None and instruction.opname.startswith("STORE_"):
            name = instruction.argval if isinstance(instruction.argval, str) else instruction.argval[0]
            if _BRANCH.fullmatch(name):
                inside.remove(made)
            made = None
        if instruction.opname == "LOAD_BUILD_CLASS":
            yield "class", code.co_firstlineno
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "IMPORT_NAME"):
            position = instruction.positions
            yield str(instruction.argval), (position.lineno if position else None) or code.co_firstlineno
    for each in inside:
        yield from _found(each)
