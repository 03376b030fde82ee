"""Ownership: whose code is a function: the user's, which is converted, or a library's, which is called as it is?

Decided by where the file lies: the standard library, installed packages and this package are libraries; everything else
is the user's. A function without a file (a built-in, `exec`) can't be converted.
"""

from __future__ import annotations

import cmath
import collections
import functools
import math
import pathlib
import site
import sys
import sysconfig
import types
from typing import Any

import numpy as np

from autograph_lite.operators.user_code import pure_callables
from autograph_lite.operators.user_code.source_places import PACKAGE
from autograph_lite.syntax import codes
from autograph_lite.syntax.source_text import texts

MARK = "__autograph_lite_do_not_convert__"


def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    names = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    names |= {*site.getsitepackages(), site.getusersitepackages()}
    import jax
    import numpy

    names |= {str(pathlib.Path(module.__file__ or "").parent) for module in (jax, numpy)}
    found = {*names, *(str(pathlib.Path(name).resolve()) for name in names), PACKAGE}
    return tuple(sorted(f"{name.rstrip('/')}/" for name in found if name))


FOLDERS = _library_folders()
IN_PYTHON = f"{PACKAGE}/operators/python/heaps_and_searches.py"  # written to be converted


@functools.cache
def is_library_file(path: str) -> bool:
    """Whether a file belongs to an installed library."""
    if path.startswith("<frozen"):
        return True
    if path == IN_PYTHON:
        return False
    return path.startswith(FOLDERS) or str(pathlib.Path(path).resolve()).startswith(FOLDERS)


def is_users(fn: Any) -> bool:
    """Whether `fn` is a Python function of the user's that may be converted."""
    if not isinstance(fn, types.FunctionType) or getattr(fn, MARK, False):
        return False
    if fn.__code__.co_name == "__annotate__":
        return False  # what evaluates a class's annotations, from Python 3.14 on
    path = fn.__code__.co_filename
    if path[:1] == "<" and not texts.is_known(path):
        return False  # made by `exec`, as the methods of a dataclass are: there is no text to convert
    return not is_library_file(path)


def is_users_class(kind: type) -> bool:
    """Whether a class has methods of the user's: its own, or those of a base."""
    return any(is_users_own_class(base) for base in kind.__mro__[:-1])


@functools.lru_cache(maxsize=4096)
def is_users_own_class(kind: type) -> bool:
    """Whether the class statement itself is the user's."""
    for value in vars(kind).values():
        for fn in functions_of(value):
            if is_users(fn) or is_users(getattr(fn, "__wrapped__", None)):
                return True
    return False


def is_users_namespace(kind: type) -> bool:
    """Whether a class statement of the user's has made a class, with methods or without."""
    return bool(kind.__flags__ & _HEAP) and not is_librarys_own_class(kind)


_HEAP = 1 << 9  # of a class that a statement has made


@functools.lru_cache(maxsize=4096)
def only_stores(kind: type) -> bool:
    """Whether a class is the user's and has a generated constructor: what it is handed, no library's method calls."""
    if is_of_library(kind):
        return False
    make = kind.__new__ if kind.__init__ is object.__init__ else kind.__init__  # type: ignore[misc]
    path = make.__code__.co_filename if isinstance(make, types.FunctionType) else ""
    return path.startswith("<") and not path.startswith("<frozen")


def is_of_library(kind: type) -> bool:
    """Whether a class, or one of its bases, is a library's; Python's own among them, but not its built-in ones."""
    return any(map(is_librarys_own_class, kind.__mro__))


def is_librarys_own_class(kind: type) -> bool:
    """Whether the class statement itself is a library's, Python's own among them."""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return path is not None and is_library_file(path)


def may_be_chosen(kind: type) -> bool:
    """Whether an object of a class may be one of several: the class is the user's, and its calls are noted as births."""
    if hasattr(kind, "__dataclass_fields__"):
        return is_users_class(kind) or only_stores(kind)
    return is_users_class(kind) or _is_bare(kind)


@functools.lru_cache(maxsize=4096)
def _is_bare(kind: type) -> bool:
    """Whether its objects are told apart alone, and may have attributes: `object()`, and `class Mark: pass` of the user's."""
    makes_nothing = kind.__init__ is object.__init__ and kind.__new__ is object.__new__  # type: ignore[misc,comparison-overlap]
    return kind is object or (
        makes_nothing and type(kind) is type and bool(kind.__dictoffset__) and not is_of_library(kind)
    )


def functions_of(value: Any) -> list[Any]:
    """The functions that an attribute of a class consists of."""
    match value:
        case types.FunctionType():
            return [value]
        case staticmethod() | classmethod():
            return functions_of(value.__func__)
        case property():
            return [f for f in (value.fget, value.fset, value.fdel) if f is not None]
        case functools.cached_property() | functools.singledispatchmethod():
            return [value.func]
    return [value.python_function] if hasattr(type(value), "python_function") else []


# What lies in these modules looks at the frame that calls it, or wants the user's function itself: its source, its identity,
# its place in a module.
UNTOUCHED_MODULES = frozenset({
    "absl", "atexit", "bdb", "concurrent.futures.process", "dataclasses", "dis", "enum", "faulthandler", "inspect",
    "logging", "loguru", "multiprocessing", "pdb", "pickle", "_pickle", "queue", "_queue", "signal", "_signal", "sys",
    "traceback", "typing", "warnings", "_warnings", "weakref", "_weakref",
    "autograph_lite.runtime.host.py_function", "autograph_lite.runtime.verifying.recording",
})  # fmt: skip
UNTOUCHED = frozenset({
    collections.namedtuple, functools.partial, functools.update_wrapper, functools.wraps,
    *(fn for module in (math, cmath) for fn in vars(module).values() if isinstance(fn, types.BuiltinFunctionType)),
})  # fmt: skip

# Functions of these modules that take no function of the user's: a call of theirs needs no operator, but those of NumPy's and
# Python's where a traced value may be among the arguments.
OF_NUMPY = ("numpy", "math", "cmath")
ROOTS = (*OF_NUMPY, "jax.numpy", "operator", "jax.random", "jax.nn", "jax.scipy", "builtins")
CALLBACKS = frozenset({
    "vectorize", "apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "frompyfunc", "methodcaller",
    "setitem", "delitem", "iadd", "iconcat", "isub", "imul", "ior", "iand", "ixor", "call", "map", "sorted", "min",
    "max", "filter", "length_hint", "truth", "not_", "contains", "countOf", "indexOf", "index", "getitem", "eq", "ne",
    "copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "fromiter", "fsum", "sumprod", "astype",
    "full", "full_like",  # which ask for the type of a member of an enum
})  # fmt: skip


def leads_to_library(
    fn: types.FunctionType, dotted: str, operands: int = 0, takes_traced: bool = False
) -> bool:
    """Whether `dotted`, as `fn` would find it now, is a library function that takes no callback and changes no object.

    Args:
      fn: the function that calls it.
      dotted: its name there.
      operands: how many positional arguments it is called with: a ufunc of NumPy's writes to one too many.
      takes_traced: whether a traced value may be among the arguments: then NumPy's functions need JAX's in their place.
    """
    root, *attributes = dotted.split(".")
    found = lookup(fn, root)
    if not attributes:
        import builtins

        return found is getattr(builtins, root, None) and found is not None
    if attributes[-1] in CALLBACKS or not isinstance(found, types.ModuleType):
        return False
    owner = ""
    for name in attributes:
        if not isinstance(found, types.ModuleType):
            return False
        owner = found.__name__
        found = getattr(found, name, None)
        if found is None:
            return False
    if not pure_callables.is_pure(owner, attributes[-1]) or (
        isinstance(found, np.ufunc) and operands > found.nin
    ):
        return False
    roots = ROOTS[len(OF_NUMPY) :] if takes_traced else ROOTS
    return any(owner == known or owner.startswith(f"{known}.") for known in roots)


def lookup(fn: types.FunctionType, name: str) -> Any:
    """What `fn` finds under a name now; None for a variable of its own."""
    import builtins

    for free, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        if free == name:
            return codes.content(cell)
    if name in fn.__code__.co_varnames or name in fn.__code__.co_cellvars:
        return None
    return fn.__globals__.get(name, getattr(builtins, name, None))
