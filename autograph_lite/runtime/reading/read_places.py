"""Read places: where does a function find what it reads from outside? Under the names in its code, and in that of what it calls.

self.w @ x                  `w` of the instance, and what that holds
self.history                not there, if no code of the function has the name
getattr(self, name)         whatever it has
"""

from __future__ import annotations

import argparse
import array
import collections
import dataclasses
import dis
import enum
import functools
import operator
import sys
import types
from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.object_graph import imports, opaque_objects, places, reachability
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.boxes import Box
from autograph_lite.operators.values.place import Place
from autograph_lite.runtime.state.other_values import ARRAYS, MAKING, NUMBERS
from autograph_lite.syntax import codes

_ANY_NAME = frozenset({  # global variables, by which code may read attributes that it does not name
    "getattr", "vars", "copy", "deepcopy", "asdict", "astuple", "replace", "dataclasses", "attrgetter", "operator",
    "eval", "exec", "locals", "globals",
})  # fmt: skip
_FUNCTIONS = (types.FunctionType, types.MethodType)
# Of new objects, or for people.
_ELSEWHERE = frozenset({*MAKING, "__repr__", "__str__"})
# A Variable is an input by itself.
_PLAIN = (*NUMBERS, str, bytes, type(None), jax.Array, types.CodeType, types.FrameType, Box)
# What is told by its value.
VALUES = (*NUMBERS, str, bytes, enum.Enum, np.dtype, range, slice)


@dataclasses.dataclass(frozen=True)
class Read:
    """A place that a function may read.

    Attributes:
      place: the object.
      key: in it.
      value: what is there.
    """

    place: Place
    key: Hashable
    value: Any


def attribute_names(roots: Iterable[Any]) -> frozenset[str] | None:
    """The names that a function may read attributes by; None for any."""
    found = [*reachability.all_reachable(roots)]
    if any(isinstance(item, operator.attrgetter) for item in found):
        return None
    methods = {id(fn): name for item in found if isinstance(item, type) for fn, name in _methods_of(item)}
    for item in found:
        if not isinstance(item, type):  # what is held by itself may be called under any name
            held = reachability.referents(item)
            for fn in [getattr(each, "__func__", each) for each in held if isinstance(each, _FUNCTIONS)]:
                methods.pop(id(fn), None)
    for kind in _made_in(found):  # there may be new objects of them
        for name in MAKING:
            methods.pop(id(vars(kind).get(name)), None)
    waiting = [fn for fn in found if isinstance(fn, types.FunctionType)]
    names: set[str] = set()
    while waiting:
        called = [fn for fn in waiting if _is_called(methods.get(id(fn)), names)]
        if not called:
            break
        for fn in called:
            if not _ANY_NAME.isdisjoint(reachability.globals_loaded(fn.__code__)):
                return None
            names |= _names_in(fn.__code__)
        waiting = [fn for fn in waiting if not any(fn is each for each in called)]
    return None if "__dict__" in names else frozenset(names)


def _made_in(found: Iterable[Any]) -> Iterator[type]:
    """The classes that functions have under a name, and their bases."""
    for fn in found:
        if isinstance(fn, types.FunctionType):
            loaded = [fn.__globals__.get(name) for name in reachability.globals_loaded(fn.__code__)]
            for value in [*loaded, *codes.closure_variables(fn).values()]:
                yield from value.__mro__[:-1] if isinstance(value, type) else ()


def _methods_of(kind: type) -> Iterator[tuple[types.FunctionType, str]]:
    for name, value in vars(kind).items():
        for fn in ownership.functions_of(value):
            inner = getattr(fn, "__wrapped__", None)
            yield from ((each, name) for each in (fn, inner) if isinstance(each, types.FunctionType))


def _is_called(name: str | None, names: set[str]) -> bool:
    """Whether a function is called that a class has under this name, or that no class has."""
    if name is None or name in names:
        return True
    return name.startswith("__") and name.endswith("__") and name not in _ELSEWHERE


@reachability.by_code
def _names_in(code: types.CodeType) -> frozenset[str]:
    if any(
        step.opname == "MATCH_CLASS"
        for each in codes.nested_codes(code)
        for step in dis.get_instructions(each)
    ):
        return frozenset({"__dict__"})  # by position: the class has the names
    texts = {const for each in codes.nested_codes(code) for const in each.co_consts if isinstance(const, str)}
    return reachability.names_used(code) | {text for text in texts if text.isidentifier()}


class Reading:
    """What a function may read from outside, but for what a class is made of.

    Args:
      roots: what it could see.
      known: slots of places that matter, whatever they hold.

    Attributes:
      places: where it finds what, numbers and texts apart.
      foreign: likewise, in objects of libraries.
      plain: where it finds numbers, texts and the like, in objects and containers of the user's.
      functions: of the user's, which may be given other code.
      objects: of the user's classes, which may get other attributes, and the classes.
      names: by which it reads attributes; None for any.
      arrays: those of NumPy's, in tuples and closures, too.
    """

    def __init__(self, roots: Iterable[Any], known: Collection[Hashable]) -> None:
        todo = [*roots]
        self.names = names = attribute_names(todo)
        self.objects: list[Any] = []
        self.places: list[Read] = []
        self.foreign: list[Read] = []
        self.plain: list[Read] = []
        self.functions: list[types.FunctionType] = []
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._leading: set[int] = set()
        holders: dict[int, list[int]] = {}
        foreign: set[int] = set()  # what objects of libraries hold
        # of the function itself they are arguments, and what they hold tells calls apart
        passed = {id(each) for root in todo[:1] for each in _defaults(root)}
        for item in reachability.each_once(todo, _PLAIN):
            if id(item) in passed and isinstance(item, _CONTAINERS):
                continue
            if reachability.is_of_unhashable_class(item):
                continue
            if isinstance(item, types.FunctionType) and ownership.is_users(item):
                self.functions.append(item)
            if isinstance(item, type) or instances.attributes_of(item) is not None:
                self.objects += [item] if _is_of_users(item) else []
            # an object of the user's class is the user's, whoever holds it
            is_foreign = _is_foreign(item) or (id(item) in foreign and isinstance(item, _CONTAINERS))
            found = [*_places_of(item, names)]
            read = [each for each in found if _matters(each.value)]
            if isinstance(item, opaque_objects.KINDS) and not isinstance(item, array.array):
                continue  # as the state of a generator of random numbers
            plain = [] if is_foreign else [each for each in found if isinstance(each.value, VALUES)]
            self.plain += plain
            held = [*(each.value for each in read), *_held_apart(item, names)]
            foreign.update(map(id, held) if is_foreign else ())
            for each in held:
                holders.setdefault(id(each), []).append(id(item))
                if isinstance(each, jax.Array):
                    self._leading.add(id(each))
            (self.foreign if is_foreign else self.places).extend(read)
            values = isinstance(item, (tuple, set, frozenset)) and any(
                isinstance(each, VALUES) for each in item
            )
            if plain or values or (known and any((each.place.key, each.key) in known for each in found)):
                self._leading.add(id(item))
            self.arrays += [item] if isinstance(item, np.ndarray) else []
            todo += held
        self._leading |= {*map(id, self.arrays)}
        waiting = [*self._leading]
        while waiting:
            new = {*holders.get(waiting.pop(), ())} - self._leading
            self._leading |= new
            waiting += new

    def leads_to_values(self, item: Any) -> bool:
        """Whether an item is an array, of JAX's too, or holds some, or numbers, texts, or a place that matters."""
        return id(item) in self._leading


def _matters(value: Any) -> bool:
    return value is None or isinstance(value, ARRAYS) or not isinstance(value, (*_PLAIN, *VALUES))


def _is_of_users(item: Any) -> bool:
    kind = item if isinstance(item, type) else type(item)
    return ownership.is_users_namespace(kind) or kind in _NAMESPACES


_NAMESPACES = (types.SimpleNamespace, argparse.Namespace)


def _is_foreign(item: Any) -> bool:
    """Whether an object is of a library's class: that may change numbers of its own at any time."""
    if type(item).__module__ in reachability.WRAPPERS:
        return False
    return ownership.is_librarys_own_class(type(item)) and not isinstance(item, _HOLDERS)


# whose attributes and items are the user's
_HOLDERS = (types.FunctionType, types.MethodType, types.ModuleType, type, list, dict, collections.deque, array.array,
            *_NAMESPACES, functools.partial, collections.UserDict, collections.UserList,
            collections.ChainMap)  # fmt: skip
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)


def _places_of(item: Any, names: frozenset[str] | None) -> Iterator[Read]:
    if type(item).__module__ in reachability.WRAPPERS:
        return
    if isinstance(item, types.FunctionType):
        for name, cell in zip(item.__code__.co_freevars, item.__closure__ or (), strict=True):
            yield from _all_of(places.cell_place(cell, name))
        used, module = reachability.globals_loaded(item.__code__), item.__globals__
        used = _names_in(item.__code__) if "globals" in used else used
        for name in (used & module.keys()) - {"__builtins__"} if ownership.is_users(item) else ():
            yield from _all_of(places.global_place(module, name))
        for imported, parts in imports.modules(item.__code__, item.__globals__):
            for name in parts if _is_users_module(imported) else ():
                yield from _all_of(places.global_place(vars(imported), name))
        for place in places.object_places(item) if vars(item) else ():
            yield from (
                read for read in _all_of(place) if _has_name(read.key, names) and read.key != "__wrapped__"
            )
    elif isinstance(item, types.ModuleType):
        if _is_users_module(item):
            for name in vars(item).keys() & (names or vars(item).keys()):
                yield from _all_of(places.global_place(vars(item), name))
    elif isinstance(item, type):
        for read in _all_of(places.object_places(item)[0]) if ownership.is_users_namespace(item) else ():
            if _has_name(read.key, names):
                own = method_patching.users_own(item, str(read.key), read.value)
                yield Read(read.place, read.key, own)
    elif reachability.is_open(item) and not isinstance(item, (np.ndarray, types.MethodType)):
        kind = type(item)
        of_library = (
            ownership.is_of_library(kind) and kind not in _NAMESPACES
        )  # whose methods have other names
        for place in places.object_places(item):
            is_whole = of_library or place.holds_items
            yield from (read for read in _all_of(place) if is_whole or _has_name(read.key, names))


def _is_users_module(module: types.ModuleType) -> bool:
    """Whether a module is the user's; `sys`, which has no file either, leads to all of them."""
    path = getattr(module, "__file__", None)
    return (
        module.__name__ not in sys.builtin_module_names
        if path is None
        else not ownership.is_library_file(path)
    )


def _all_of(place: Place) -> Iterator[Read]:
    return (Read(place, key, value) for key, value in place.read().items())


def _has_name(name: Hashable, names: frozenset[str] | None) -> bool:
    return names is None or name in names


def _defaults(root: Any) -> list[Any]:
    fn = getattr(root, "__func__", root)
    return codes.defaults(fn) if isinstance(fn, types.FunctionType) else []


def _own_module(fn: types.FunctionType) -> list[types.ModuleType]:
    """The module of a function that may ask for it: `sys.modules[__name__]`."""
    module = sys.modules.get(fn.__module__) if "modules" in _names_in(fn.__code__) else None
    return [] if module is None else [module]


def _held_apart(item: Any, names: frozenset[str] | None) -> list[Any]:
    """What an item holds beside its places: methods that are called on an object, items of a tuple, a function's defaults."""
    if type(item).__module__ in reachability.WRAPPERS:
        return [inner for name in reachability.WRAPPED if (inner := getattr(item, name, None)) is not None]
    if isinstance(item, types.FunctionType):
        return [*codes.defaults(item), *imports.values(item.__code__, item.__globals__), *_own_module(item)]
    if isinstance(item, types.MethodType):
        return [item.__self__, item.__func__]
    if isinstance(item, type):
        methods = [
            pair for base in item.__mro__ if ownership.is_users_own_class(base) for pair in _methods_of(base)
        ]
        called = [fn for fn, name in methods if names is None or _is_called(name, {*names})]
        return [*called, *item.__mro__[1:]]
    if not reachability.is_open(item):
        return []
    kind = type(item)
    attributes = instances.attributes_of(item)
    has_names = attributes is not None or instances.object_slots(item)
    if has_names and not ownership.is_of_library(kind):
        return [kind]
    return [each for each in reachability.referents(item) if each is not attributes]
