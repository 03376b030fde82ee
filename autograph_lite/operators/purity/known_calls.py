"""Pure calls: is a call, or a special method, known to leave nothing behind that the journal does not see?

    math.sqrt(t), helper(x), rows.append(x)       known: pure, converted, a container that the journal compares
    cursor.execute(q), bar.update(1), f.write(s)  not known: Python has to do it for each item

Known are the user's functions, whose own calls are looked at when they run, and what `pure` lists.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import random
import sys
import types
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.operators.object_graph import opaque_objects
from autograph_lite.operators.purity import jax_transformed
from autograph_lite.operators.user_code import conversion, ownership, pure_callables
from autograph_lite.operators.user_code.conversion import plain

READERS = frozenset({
    "copy", "count", "get", "index", "items", "keys", "values", "union", "intersection", "difference", "issubset",
    "issuperset", "isdisjoint", "symmetric_difference", "decode", "hex", "startswith", "endswith", "find", "__getitem__",
})  # fmt: skip
# The journal compares what objects of these classes hold, and is told when their methods are called.
_COMPARED_MODULES = frozenset({"collections", "weakref", "_weakrefset", "queue"})
_SET = ("__setattr__", "__delattr__", "__setitem__", "__delitem__")
IN_PLACE = (
    "__iadd__", "__iand__", "__iconcat__", "__ifloordiv__", "__ilshift__", "__imatmul__", "__imod__", "__imul__", "__ior__",
    "__ipow__", "__irshift__", "__isub__", "__itruediv__", "__ixor__",
)  # fmt: skip
TEXT = ("__format__", "__str__", "__repr__")
ITEMS = ("__iter__", "__next__", "__contains__", "__getitem__", "__len__")
_ASKING = (map, filter, sorted, min, max, functools.reduce)  # ours call it by the operators
_MEMO = functools._lru_cache_wrapper
_SLOTS = (
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)


def unknown_call_name(callee: Any) -> str | None:
    """What Python calls `callee`, if it is not known what a call of it leaves behind; None if it is."""
    kind = type(callee)
    if kind is types.FunctionType:
        return None if _is_known_function(callee) else _name(callee.__module__, callee)
    if kind is types.MethodType:
        return _unknown_method(callee.__self__, callee.__func__)
    if isinstance(callee, types.BuiltinFunctionType):
        owner = callee.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return (
                None
                if pure_callables.is_pure(callee.__module__, callee.__name__)
                else _name(callee.__module__, callee)
            )
        if isinstance(owner, type):
            return _unless_pure(_definer(owner, callee.__name__) or owner, callee.__name__)
        return _unknown_method(owner, callee)
    if isinstance(callee, type):
        return _unknown_class(callee)
    if isinstance(callee, functools.partial):
        return unknown_call_name(callee.func)
    if isinstance(callee, _SLOTS):
        if isinstance(callee, types.MethodWrapperType) and callee.__name__ in ("__call__", "__next__"):
            return (
                unknown_call_name(callee.__self__) if callee.__name__ == "__call__" else _name(None, callee)
            )
        owner = callee.__objclass__
        return _unless_pure(_definer(owner, callee.__name__) or owner, callee.__name__)
    return _unknown_object(callee)


def is_librarys(callee: Any) -> bool:
    """Whether a callable is a library's, and so is handed values past the operators."""
    if isinstance(callee, types.MethodType):
        callee = callee.__func__
    if isinstance(callee, types.FunctionType):
        return not (
            conversion.is_converted(callee) or ownership.is_users(callee) or ownership.is_users(plain(callee))
        )
    if isinstance(callee, functools.partial):
        return False  # what it calls is asked
    if isinstance(callee, type):
        return not _is_users(callee)
    return not (conversion.is_compiled(callee) or ownership.is_users_class(type(callee)))


def unknown_handed(value: Any, callee: Any) -> str | None:
    """`unknown_call_name` for a callable that a library's `callee` is handed, which calls it past the operators."""
    owner = getattr(value, "__self__", None)
    if (
        isinstance(owner, (list, dict, set, bytearray, collections.deque, np.ndarray))
        and callee not in _ASKING
    ):
        return None if value.__name__ in READERS else f"{type(owner).__name__}.{value.__name__}"
    return unknown_call_name(value)


def makers(callee: Any) -> list[Any]:
    """What a dataclass's own constructor calls to make what is not given."""
    fields = getattr(callee, "__dataclass_fields__", None) if isinstance(callee, type) else None
    found = [field.default_factory for field in (fields or {}).values()]
    return [make for make in found if make is not dataclasses.MISSING]


def unknown_of(value: Any, names: tuple[str, ...]) -> str | None:
    """The first of these methods of an object's class for which that is not known."""
    kind: type = type(value)
    return _first_unknown(kind, names)


def unknown_store(owner: Any) -> str | None:
    """What in an object's class is not known to store what it is given where the journal sees it."""
    kind: type = type(owner)
    if isinstance(owner, types.FunctionType) and not _is_known_function(owner):
        return owner.__qualname__
    return _unknown_store(kind)


@functools.lru_cache(maxsize=4096)
def _unknown_store(kind: type) -> str | None:
    found = _first_unknown(kind, _SET)
    if kind in opaque_objects.KINDS or issubclass(kind, (types.ModuleType, type)):
        return None
    for base in kind.__mro__ if found is None else ():
        if _is_known_class(base):
            continue
        for name, value in vars(base).items():
            if hasattr(type(value), "__set__") and name not in ("__dict__", "__weakref__"):
                return f"{kind.__name__}.{name}"
    return found


def unknown_object(value: Any) -> str | None:
    """The class of an object that a library is handed, if it is not known what its methods leave behind."""
    kind: type = type(value)
    known = isinstance(value, (types.ModuleType, jax.Array)) or all(map(_is_known_class, kind.__mro__))
    return None if known else kind.__name__


def _is_known_function(fn: types.FunctionType) -> bool:
    if conversion.is_converted(fn):
        return True
    if hasattr(fn, ownership.MARK):
        return False
    if ownership.is_users(fn) or ownership.is_users(plain(fn)):
        return True
    if fn.__code__.co_filename == "<string>" and fn.__name__.startswith("__"):
        return True  # of a dataclass, or a named tuple
    return pure_callables.is_pure(fn.__globals__.get("__name__"), fn.__qualname__)


def _unknown_method(owner: Any, fn: Any) -> str | None:
    name = getattr(fn, "__name__", "")
    if isinstance(fn, types.FunctionType) and _is_known_function(fn):
        return None
    definer = _definer(owner if isinstance(owner, type) else type(owner), name)
    if definer is None or isinstance(owner, random.SystemRandom):
        return _name(type(owner).__module__, fn)
    if (
        isinstance(fn, types.FunctionType)
        and definer.__module__ not in _COMPARED_MODULES
        and definer not in opaque_objects.KINDS
    ):
        return f"{definer.__qualname__}.{name}"
    return _unless_pure(definer, name)


def _unknown_class(kind: type) -> str | None:
    if pure_callables.is_pure(kind.__module__, kind.__qualname__):
        return None
    if not _is_users(kind):
        return None if kind in opaque_objects.KINDS else _name(kind.__module__, kind)
    maker: type = type(kind)
    return _first_unknown(kind, ("__new__", "__init__")) or _first_unknown(maker, ("__call__",))


def _unknown_object(callee: Any) -> str | None:
    """An object with `__call__`, a compiled function of JAX's, a function of a library's that C has made."""
    kind: type = type(callee)
    if conversion.is_compiled(callee) or isinstance(callee, jax_transformed.KINDS):
        return None
    if isinstance(callee, np.ufunc):
        made = set("".join(callee.types)) <= {"O", "-", ">"}  # np.frompyfunc
        return callee.__name__ if made else None
    if isinstance(callee, _MEMO) and ownership.is_users(callee.__wrapped__):
        return None  # what it calls is looked at
    own = _definer(kind, "__call__")
    by_python = own is not None and isinstance(vars(own)["__call__"], types.FunctionType)
    # An object that Python calls has the name of what it wraps.
    if not by_python and hasattr(callee, "__qualname__") and isinstance(callee.__module__, str):
        found = pure_callables.is_pure(callee.__module__, callee.__qualname__)
        return None if found else _name(callee.__module__, callee)
    return _first_unknown(kind, ("__call__",))


@functools.lru_cache(maxsize=4096)
def _first_unknown(kind: type, names: tuple[str, ...]) -> str | None:
    for name in names:
        definer = _definer(kind, name)
        if definer is not None and (found := _unless_pure(definer, name)):
            return found
    return None


def _definer(kind: type, name: str) -> type | None:
    """The class that a method comes from."""
    return next((base for base in kind.__mro__ if name in vars(base)), None)


def _unless_pure(definer: type, name: str) -> str | None:
    known = (
        definer in opaque_objects.KINDS
        or definer.__module__ in _COMPARED_MODULES
        or pure_callables.is_pure(definer.__module__, f"{definer.__qualname__}.{name}")
        or _is_users(definer)
    )
    return None if known else f"{definer.__qualname__}.{name}"


@functools.lru_cache(maxsize=4096)
def _is_known_class(kind: type) -> bool:
    return _unless_pure(kind, "") is None


@functools.lru_cache(maxsize=4096)
def _is_users(kind: type) -> bool:
    """Whether the class statement is the user's, so that its methods are converted."""
    if ownership.is_users_own_class(kind):
        return True
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if path is None:
        return kind.__module__ == "__main__"
    return path.endswith((".py", ".pyc")) and not ownership.is_library_file(path)


def _name(module: str | None, callee: Any) -> str:
    name = (
        getattr(callee, "__qualname__", None)
        or getattr(callee, "__name__", None)
        or type(callee).__qualname__
    )
    if not module or module in ("builtins", "__main__") or "." in name:
        return name.replace("<locals>.", "")
    return f"{module.lstrip('_')}.{name}"


def is_alone(value: Any) -> bool:
    """Whether what a library makes of a value takes no items that others take: it holds no iterators."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return not any(isinstance(item, Iterator) for item in value)
    if isinstance(value, dict):
        return not any(isinstance(item, Iterator) for item in value.values())
    return not ownership.is_users_class(type(value)) or callable(value)
