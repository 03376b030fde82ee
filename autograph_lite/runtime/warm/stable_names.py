"""Which names does a function's code look up, and can what they lead to depend on anything but the code?"""

from __future__ import annotations

import builtins
import dis
import types
from collections.abc import Iterator
from typing import Any

from autograph_lite.operators.object_graph.reachability import globals_loaded
from autograph_lite.syntax import codes
from autograph_lite.syntax.names import of_code

UNSET = "<unset>"
_ABSENT = "<absent>"
# Builtins whose results depend on the process or on files.
_IMPURE_BUILTINS = frozenset({
    "open", "input", "eval", "exec", "compile", "__import__", "globals", "locals", "id", "hash", "breakpoint",
    "memoryview",
})  # fmt: skip
_LOOKUPS = frozenset({"getattr", "hasattr", "setattr", "delattr", "vars", "dir"})
# What reads attributes whose names are values, and is an attribute itself: `operator.attrgetter`, `module.__getattribute__`.
_LOOKUP_ATTRIBUTES = frozenset({
    "__dict__", "__getattribute__", "__getattr__", "attrgetter", "methodcaller", "getattr", "hasattr", "setattr", "delattr",
})  # fmt: skip
# Parts of the pure libraries that are not: random numbers of NumPy's own, files, settings, scopes that read Variables.
_IMPURE = frozenset({
    "load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap", "DataSource", "open_memmap", "init_scope",
    "inside_function", "functions_run_eagerly", "py_function", "from_slices", "TensorArray", "get_printoptions",
    "geterr", "getbufsize", "seterr", "live_arrays", "process_index", "local_devices", "get_include",
    "__globals__", "__builtins__", "__annotations__", "__doc__", "__subclasses__", "get_type_hints", "get_annotations",
})  # fmt: skip


class UnknownError(Exception):
    """It can't be said what a trace would read; the text names what is in the way."""


def refuse_impure(name: str, module: str) -> None:
    """Raises UnknownError for what a pure library has that is not pure."""
    if name.rpartition(".")[2] in _IMPURE or module.startswith("numpy.random"):
        raise UnknownError(f"'{module}.{name}'")


def looks_up(value: Any) -> bool:
    """Whether a value is a builtin that reads attributes by names that are values, under whatever name it is known.

    Raises:
      UnknownError: it is a builtin whose result depends on more than code.
    """
    name = getattr(value, "__name__", "")
    if not isinstance(name, str) or getattr(builtins, name, None) is not value:
        return False
    if name in _IMPURE_BUILTINS:
        raise UnknownError(f"'{name}', which depends on more than code")
    return name in _LOOKUPS


class Scope:
    """The names in a function's code and in the functions inside of it.

    Attributes:
      attributes: what may be read of objects: `case Module(rate=r)` has the name among its constants.
      looks_up: whether it may read attributes whose names are computed.

    Raises:
      UnknownError: it imports, or reads what depends on more than code.
    """

    def __init__(self, fn: types.FunctionType) -> None:
        self._fn, self._names = fn, sorted({*globals_loaded(fn.__code__), *_written(fn.__code__)})
        read = frozenset(of_code(fn.__code__))
        self.attributes = read | frozenset(_texts(fn.__code__.co_consts))
        found = [looks_up(self._lookup(name)) for name in self._names]
        self.looks_up = any(found) or not read.isdisjoint(_LOOKUP_ATTRIBUTES)
        named = {name for name in self.attributes if name.startswith("__")}  # getattr(f, "__doc__")
        impure = (read | named) & _IMPURE
        if impure:
            raise UnknownError(f"'{min(impure)}', which may depend on more than code")
        self._refuse_code(fn.__code__)

    def _lookup(self, name: str) -> Any:
        return self._fn.__globals__.get(name, getattr(builtins, name, _ABSENT))

    def globals(self) -> Iterator[tuple[str, Any]]:
        """The global names that are read, with what they are bound to now."""
        for name in self._names:
            value = self._lookup(name)
            is_pythons = (
                isinstance(value, (types.BuiltinFunctionType, type)) and value.__module__ == "builtins"
            )
            yield name, f"builtin {value.__qualname__}" if is_pythons else value

    def _refuse_code(self, code: types.CodeType) -> None:
        """Refuses imports, and numbers from NumPy's own generators."""
        for each in codes.nested_codes(code):
            last: Any = None
            for step in dis.get_instructions(each):
                if step.opname.startswith("IMPORT_"):
                    raise UnknownError(f"an import in '{each.co_qualname}'")
                if step.argval == "random" and "ATTR" in step.opname:
                    owner = self._lookup(last.argval) if last and "GLOBAL" in last.opname else None
                    if getattr(owner, "__name__", "") != "jax":
                        raise UnknownError("'random', which may be NumPy's")
                last = step


def _written(code: types.CodeType) -> Iterator[str]:
    """The names of globals that the code binds."""
    steps = (step for each in codes.nested_codes(code) for step in dis.get_instructions(each))
    return (step.argval for step in steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def _texts(consts: tuple[Any, ...]) -> Iterator[str]:
    """The texts among the constants of code, and of the code in it."""
    for const in consts:
        if isinstance(const, str):
            yield const
        elif isinstance(const, tuple):
            yield from _texts(const)
        elif isinstance(const, types.CodeType):
            yield from _texts(const.co_consts)
