"""Reachability: which objects could a body see before it ran?

if x > 0:
table["k"] = x                    a variable of the function's, or of an enclosing one, or a global: seen
self.log.append(x)                in an attribute of the instance, or of its class: seen
new = [x]; new.append(1)          made by the body: not seen, and nobody's state
"""

from __future__ import annotations

import contextvars
import dis
import functools
import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import jax
import numpy as np

from autograph_lite.operators.object_graph import imports, places
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances
from autograph_lite.syntax import codes
from autograph_lite.syntax.names import of_code as names_of_code

R = TypeVar("R")
_PLAIN = (
    *(str, bytes, int, float, complex, bool, type(None), jax.Array, types.CodeType),
    *(types.FrameType, types.TracebackType),  # of what runs: they lead to what the body has made
)
_LEAVES = (*_PLAIN, types.ModuleType, type)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod, property)
_INLINE = 1 << 2  # a class whose instances hide their `__dict__` from the garbage collector (Python 3.13)


class Holder:
    """Stands for a module's dictionary, so that its global variables count as reachable."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.module = module


def each_once(stack: list[Any], leaves: tuple[type, ...] = ()) -> Iterator[Any]:
    """Takes what is on a stack, to which the caller adds: each object once, and none of these classes."""
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if id(item) not in seen and not isinstance(item, leaves):
            seen.add(id(item))
            yield item


def reachable(roots: Iterable[Any], wanted: set[int], *, attributes: bool = False) -> set[int]:
    """Which of the wanted ids belong to objects that can be reached from `roots`.

    Args:
      roots: where the search starts: functions, with the variables that they use, and other objects.
      wanted: ids of objects.
      attributes: whether instances' `__dict__`s may be among them; Python then has to make these.
    """
    roots = list(roots)
    found = _search(roots, wanted, wide=False, attributes=False)
    missing = wanted - found
    return found | _search(roots, missing, wide=True, attributes=attributes) if missing else found


def leading(roots: Iterable[Any], wanted: set[int]) -> set[int]:
    """Which of the wanted ids belong to objects that `roots` are or hold; not what their classes and modules hold."""
    return _search(list(roots), wanted, wide=False, attributes=False) if wanted else set()


def reached_from_outside(
    fn: Any, codes: Iterable[tuple[types.CodeType, dict[str, Any]]], given: Iterable[Any], wanted: set[int]
) -> set[int]:
    """Which of the wanted ids belong to objects that a function reads by names from outside of it, or what these hold."""
    names = [module[name] for code, module in codes for name in globals_loaded(code) if name in module]
    names += [value for code, module in codes for value in imports.values(code, module)]
    held = held_in_cells(fn) if isinstance(fn, types.FunctionType) else ()
    kinds = (
        *_FUNCTIONS,
        types.MethodType,
        type,
        functools.partial,
    )  # others' code: what that names is asked of them
    return leading([item for item in [*held, *names, *given] if not isinstance(item, kinds)], wanted)


def reachable_arrays(roots: Iterable[Any]) -> Iterator[jax.Array]:
    """All arrays that `roots` are or hold, those in closures included; not what their classes and modules hold."""
    stack = list(roots)
    for item in each_once(stack):
        if isinstance(item, jax.Array):
            yield item
        elif isinstance(item, types.FunctionType):
            stack += _held_by(item)
        elif is_open(item):
            stack += referents(item)


def is_of_unhashable_class(item: Any) -> bool:
    """Whether an object's class, or a class, has no hash, so that Python's `isinstance` fails: nobody looks into it."""
    kind = item if isinstance(item, type) else type(item)
    return type(kind).__hash__ is None


def is_open(item: Any) -> bool:
    """Whether an object may hold others that matter here."""
    return not isinstance(item, _LEAVES) and (isinstance(item, types.FunctionType) or _is_open(item))


def referents(item: Any) -> list[Any]:
    """What an object holds."""
    return [*gc.get_referents(item), *_hidden(item)]


def all_reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """All objects that `roots` are, hold, or have functions that use; the user's classes with what they hold.

    Of a module those variables alone that functions use. Objects of JAX's and of other libraries are not looked into.
    """
    stack = list(roots)
    for item in each_once(stack, _PLAIN):
        if is_of_unhashable_class(item):
            continue
        if type(item).__module__ in WRAPPERS:
            stack += [inner for name in WRAPPED if (inner := getattr(item, name, None)) is not None]
            continue
        yield item
        if isinstance(item, types.FunctionType):
            if ownership.is_users(item):
                stack += _used_by(item)
        elif isinstance(item, type):
            stack += [*item.__mro__[1:], *vars(item).values()] if ownership.is_users_own_class(item) else []
        elif not isinstance(item, types.ModuleType) and _is_open(item):
            kind = [type(item)] if ownership.is_users_class(type(item)) else []
            stack += [*referents(item), *kind]
        elif isinstance(wrapped := getattr(item, "__wrapped__", None), types.FunctionType):
            stack.append(wrapped)  # in a function of JAX's


def _used_by(fn: types.FunctionType) -> list[Any]:
    """What a function holds and uses, in the modules that it names, too."""
    found = _of_function(fn)
    modules = [vars(item) for item in found if isinstance(item, types.ModuleType) and _of_namespace(item)]
    return found + [module[name] for module in modules for name in names_used(fn.__code__) if name in module]


def _search(roots: list[Any], wanted: set[int], *, wide: bool, attributes: bool) -> set[int]:
    """`reachable`; with `wide`, in what the user's classes and modules hold, too, which is much and seldom changes."""
    leaves = _PLAIN if wide else _LEAVES
    found: set[int] = set()
    stack = list(roots)
    for item in each_once(stack):
        if len(found) == len(wanted):
            break
        if id(item) in wanted:
            found.add(id(item))
        if isinstance(item, Holder):
            found |= wanted & {id(item.module)}
            stack += _holding(item.module) if wide else []
        elif isinstance(item, types.FunctionType):
            found |= wanted & {id(item.__globals__)}
            stack += _of_function(item)
            if attributes:
                stack.append(vars(item))
        elif wide and isinstance(item, (type, types.ModuleType)) and id(item) not in wanted:
            stack += _of_namespace(item)
        elif (not isinstance(item, leaves) and _is_open(item)) or id(item) in wanted:
            if attributes and _flags(item) & _INLINE:
                stack.append(instances.attributes_of(item))
            inside = referents(item)
            stack += [child for child in inside if not isinstance(child, leaves) or id(child) in wanted]
        elif isinstance(wrapped := getattr(item, "__wrapped__", None), types.FunctionType):
            stack.append(wrapped)  # in a function of JAX's
    return found


WRAPPERS = ("autograph_lite.runtime.public.function", "autograph_lite.runtime.functions.methods")
WRAPPED = ("python_function", "__self__")
_OURS = (  # which hold the user's functions and values while a loop runs
    "autograph_lite.operators.iteration.iterables",
    "autograph_lite.operators.python.generator_expressions",
    "autograph_lite.operators.values.one_of",
    "autograph_lite.converters.python_ops",
    "autograph_lite.runtime.public.function",
)
_WITH_CACHES = ("jax", "jaxlib", "autograph_lite")
_CACHING = ("_abc",)  # an abstract class knows all classes that were asked whether they are its own
_Cached: type[Any] = type(functools.lru_cache(len))
_open: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def _is_open(item: Any) -> bool:
    """Whether to look into an object: those of JAX and of other libraries lead to their caches.

    What a body has made stands in such a cache already, under some function that JAX has traced.
    """
    if isinstance(item, _Cached):
        return ownership.is_users(item.__wrapped__)
    return _has_open_class(type(item))


def _has_open_class(kind: type) -> bool:
    known = _open.get(kind)
    if known is None:
        root = kind.__module__.partition(".")[0] if isinstance(kind.__module__, str) else ""
        known = _open[kind] = (
            issubclass(kind, (list, tuple, dict, set, frozenset, np.ndarray, functools.partial))
            or (root in sys.stdlib_module_names and root not in _CACHING)
            or kind.__module__ in _OURS
            or _is_users_module(kind.__module__)
        )
    return known


def _of_function(fn: types.FunctionType) -> list[Any]:
    """What a function holds and names; the variables of JAX's modules and of ours are caches, and nobody's state."""
    name = fn.__globals__.get("__name__")
    caches = isinstance(name, str) and name.partition(".")[0] in _WITH_CACHES
    if caches:
        return _held_by(fn)
    imported = imports.values(fn.__code__, fn.__globals__)
    return _held_by(fn) + globals_named(fn.__globals__, names_used(fn.__code__), imported)


def globals_named(module: dict[str, Any], names: Iterable[str], imported: Iterable[Any] = ()) -> list[Any]:
    """The global variables of these names, what is `imported`, and the containers among those of modules: `sys.path`."""
    found = [*(module[name] for name in names if name in module), *imported]
    modules = [vars(item) for item in found if isinstance(item, types.ModuleType)]
    inside = [variables[name] for variables in modules for name in names if name in variables]
    held = [item for item in inside if isinstance(item, places.CONTAINERS)]
    return found + [item for item in held if item is not sys.modules]  # which is nobody's state


def values_used(fn: types.FunctionType) -> list[Any]:
    """What the variables hold that a function, or one in it, takes from around it."""
    named = map(fn.__globals__.get, names_used(fn.__code__))
    return [*named, *held_in_cells(fn), *imports.values(fn.__code__, fn.__globals__)]


def held_in_cells(fn: types.FunctionType) -> Iterable[Any]:
    """What the variables of enclosing functions hold that a function takes from there."""
    return codes.closure_variables(fn).values() if fn.__closure__ else ()


def _held_by(fn: types.FunctionType) -> list[Any]:
    """Variables of functions around a function, its defaults and its attributes."""
    return [*(fn.__closure__ or ()), *codes.defaults(fn), *vars(fn).values()]


def _of_namespace(item: Any) -> list[Any]:
    """What a class or module of the user's holds; of a module's functions those that hold something themselves."""
    is_class = isinstance(item, type)
    name = item.__module__ if is_class else item.__name__
    if not (isinstance(name, str) and _is_users_module(name)):
        return []
    held = list(vars(item).values())
    if not is_class:
        return [*(value for value in held if not isinstance(value, _FUNCTIONS)), *_holding(vars(item))]
    # Python calls methods where no name says so: `with obj`, `a + b`, `obj.x = 1`.
    functions = [
        each
        for value in held
        for fn in ownership.functions_of(value)
        for each in (fn, getattr(fn, "__wrapped__", None))
    ]
    methods = [fn for fn in functions if ownership.is_users(fn)]
    return [*item.__mro__[1:], type(item), *methods, *(v for v in held if not isinstance(v, _FUNCTIONS))]


def _holding(module: dict[str, Any]) -> list[Any]:
    """The user's functions of a module that hold something: decorated ones, and those with defaults or attributes."""
    return [value for value in module.values() if ownership.is_users(value) and _held_by(value)]


def _hidden(item: Any) -> list[Any]:
    """What an object holds without telling the garbage collector."""
    if isinstance(item, np.ndarray):
        return [item.base, *(item.flat if item.dtype.hasobject else ())]
    if isinstance(item, memoryview):
        return [item.obj]
    if isinstance(item, contextvars.ContextVar):
        return [item.get(None)]
    return [item()] if isinstance(item, weakref.ref) else []


@functools.lru_cache(maxsize=1024)
def _is_users_module(name: str) -> bool:
    path = getattr(sys.modules.get(name), "__file__", None)
    if path is None:
        root = name.partition(".")[0]  # what makes a module that has no file: `jaxlib._jax.guard_lib`
        if root in sys.stdlib_module_names:
            return False  # Python's import system would lead to all modules
        path = getattr(sys.modules.get(root), "__file__", None)
    return path is None or not ownership.is_library_file(path)


def by_code(find: Callable[[types.CodeType], R]) -> Callable[[types.CodeType], R]:
    """`find`, asked once for each code object; a `lru_cache` would hash all that is in it each time."""
    known: dict[int, tuple[types.CodeType, R]] = {}

    @functools.wraps(find)
    def get(code: types.CodeType) -> R:
        found = known.get(id(code))
        if found is None:
            if len(known) >= 4096:
                known.clear()
            found = known[id(code)] = code, find(code)  # which is kept, so that its id stays its own
        return found[1]

    return get


@by_code
def names_used(code: types.CodeType) -> frozenset[str]:
    """The names of global variables that a function's code may use, and of attributes."""
    return frozenset(names_of_code(code))


@by_code
def globals_loaded(code: types.CodeType) -> frozenset[str]:
    """The names of global variables that a function's code reads, and of no attributes."""
    steps = (step for each in codes.nested_codes(code) for step in dis.get_instructions(each))
    return frozenset(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


def _flags(item: Any) -> int:
    kind: Any = type(item)
    return int(kind.__flags__)
