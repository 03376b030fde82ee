"""Does a loop's body do something that a program of arrays can't do again and again, or see that a number is an array?

print(i), time.perf_counter()       done once while tracing, and not once for each item
isinstance(i, int), type(i)         another answer for an array than for Python's int
"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Callable, Iterator
from typing import Any

from autograph_lite.operators.reach import by_code

SEEING = frozenset(
    {"isinstance", "type", "hasattr", "id", "callable", "repr", "str", "ascii", "format", "vars", "dir"}
)
DOING = frozenset({"print", "open", "input", "eval", "exec", "breakpoint", "__import__", "locals", "globals"})
MODULES = frozenset({
    "time", "os", "io", "_io", "sys", "logging", "warnings", "random", "secrets", "uuid", "datetime", "subprocess", "socket",
    "threading", "multiprocessing", "asyncio", "queue", "shutil", "tempfile", "pathlib", "gc", "inspect", "builtins",
})  # fmt: skip


def reason(fn: Callable[..., Any]) -> tuple[int, str] | None:
    """The line of `fn` that only Python can run for each item, and why; None where there is none that is known."""
    if not isinstance(fn, types.FunctionType):
        return None
    values: dict[str, Any] = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name, line in _names(fn.__code__):
        why = _why(name, values if name in values else fn.__globals__)
        if why:
            return line, why
    return None


def _why(name: str, values: dict[str, Any]) -> str | None:
    if name == "is":
        return "'is' would see an array in place of a number"
    if name not in values or values[name] is getattr(builtins, name, values):
        if name in SEEING:
            return f"{name}() would see an array in place of a number"
        if name in DOING or name in MODULES:
            return f"'{name}' of Python's is to be used for each item, and not once for all"
        return None
    value = values[name]
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if not isinstance(value, (types.ModuleType, types.BuiltinFunctionType, types.FunctionType, type)):
        return None
    if isinstance(module, str) and module.partition(".")[0] in MODULES and not isinstance(value, type):
        return f"'{name}' of Python's is to be used for each item, and not once for all"
    return None


@by_code
def _names(code: types.CodeType) -> tuple[tuple[str, int], ...]:
    """The names that a function takes from around it, those of the functions in it included, with their lines."""
    return tuple(dict.fromkeys(_found(code)))


def _found(code: types.CodeType) -> Iterator[tuple[str, int]]:
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IS_OP" and not (
            before and before.opname == "LOAD_CONST" and before.argval is None
        ):
            yield "is", code.co_firstlineno
        before = instruction
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "IMPORT_NAME"):
            position = instruction.positions
            yield instruction.argval, (position.lineno if position else None) or code.co_firstlineno
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _found(constant)
