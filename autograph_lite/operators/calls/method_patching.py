"""Method patching: how are methods converted that Python or a library calls: properties, operators, `__init__`, `__call__`?

Such calls do not pass through `ag.call`. So the user's classes that converted code meets have their methods replaced by
converted ones as long as an outermost converted function is being traced or runs, and get their own back afterwards.
A converted method behaves as the original, so another thread that meets it in between sees no difference.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import sys
import threading
import traceback
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals import numpy_constants, tracing_state
from autograph_lite.operators.aliasing import shared_memory
from autograph_lite.operators.calls import handed_functions, single_dispatch, wrappers
from autograph_lite.operators.checks import catching
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.object_graph import held_items, reachability
from autograph_lite.operators.user_code import conversion, ownership, source_places
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.tracing import entered, thread

_lock = threading.RLock()
# For each name, the user's own and what stands in for it.
_installed: dict[type, dict[str, tuple[Any, Any]]] = {}
_users: dict[type, int] = {}


# What is handed over most, and leads to no object of the user's.
_WITHOUT_METHODS: frozenset[type] = frozenset({
    int, float, bool, complex, str, bytes, type(None), np.ndarray, types.FunctionType,
})  # fmt: skip


class _Scope:
    """The classes whose methods are converted until a trace is over."""

    def __init__(self) -> None:
        self.classes: set[type] = set()
        self.form: bool | str = True

    def guard(self) -> None:
        """Lets methods stand in, from now on, that can be called inside of a `try`."""
        if self.form is True:
            self.form = "guarded"
            with _lock:
                for kind in self.classes:
                    replaced, _installed[kind] = _installed.get(kind, {}), {}
                    for name, (value, new) in replaced.items():
                        if vars(kind).get(name) is new:
                            type.__setattr__(kind, name, value)
                            _replace(kind, name, "guarded", _installed[kind])

    def add(self, kind: type) -> None:
        if type(kind) is not type and kind not in self.classes and ownership.is_users_own_class(type(kind)):
            self.add(type(kind))  # a metaclass of the user's
        for base in kind.__mro__[:-1] if kind not in self.classes else ():
            if base not in self.classes:
                self.classes.add(base)
                for descriptor in _acquire(base, self.form):
                    self.add(descriptor)

    def close(self) -> None:
        while self.classes:
            _release(self.classes.pop())


class _Local(threading.local):
    def __init__(self) -> None:
        # Where nothing is traced: the outermost converted function that runs, and its scope.
        self.untraced: tuple[types.FrameType, _Scope] | None = None
        # Of a trace that somebody else has opened: where it fails, the exception may keep it for long.
        self.of_trace: tuple[weakref.ref[Any], _Scope] | None = None


_local = _Local()


@contextlib.contextmanager
def converted_methods() -> Iterator[None]:
    """Inside, methods of the user's classes that are met are converted."""
    scope = _Scope()
    try:
        with entered(scope=scope):
            yield
    finally:
        scope.close()


def _scope() -> _Scope | None:
    """Of what runs now; None where no converted function does."""
    inside: _Scope | None = thread.now.scope
    if inside is not None:
        return inside
    if tracing_state.is_tracing():
        trace = tracing_state.outermost_trace()
        if _local.of_trace is None or _local.of_trace[0]() is not trace:
            _leave_failed_trace()
            scope = _Scope()
            _local.of_trace = weakref.ref(trace), scope
            tracing_state.when_trace_ends(scope.close)
        return _local.of_trace[1]
    _leave_failed_trace()
    if _local.untraced is None:
        frames = [frame for frame, _ in traceback.walk_stack(sys._getframe(2))]
        begun = [frame for frame in frames if "begins" in frame.f_code.co_names]
        outermost = next((f for f in reversed(begun) if conversion.is_converted_code(f.f_code)), None)
        if outermost is None:
            return None
        _local.untraced = outermost, _Scope()
        open_scopes.append(_local.untraced[1])
    return _local.untraced[1]


# Those of functions that run where nothing is traced, of all threads: there are few, and most functions meet no class.
open_scopes: list[_Scope] = []


def _leave_failed_trace() -> None:
    if _local.of_trace is not None:
        _local.of_trace[1].close()
        _local.of_trace = None


def begins(*values: Any, around: tuple[str, ...] = ()) -> bool:
    """Whether nothing is traced where a converted function begins that is called from outside: its light body runs.

    Args:
      *values: its arguments.
      around: the variables from around it that may hold objects of the user's.

    The classes of those have converted methods until `ends` is called, or the trace is over.
    """
    untraced = tracing_state.untraced()
    if not untraced and thread.now.scope is not None:
        return False  # part of a program, which has seen to it
    if not untraced:
        for leaf in jax.tree.leaves(values):
            numpy_constants.folding_tracer(leaf)  # what somebody else's program was handed
    look = _meet if untraced else seen_inside
    for value in values:
        if not _is_common(value):
            look(value)
    if around:
        frame = sys._getframe(1)
        for name in around:
            look(frame.f_locals.get(name, frame.f_globals.get(name)))
    return untraced


def _is_common(value: Any) -> bool:
    try:
        return type(value) in _WITHOUT_METHODS
    except TypeError:  # a metaclass of the user's whose classes can't be hashed
        return False


def _meet(value: Any) -> None:
    """Converts the methods of the classes of an object, of what it has for attributes, and of the first item of a container.

    A call is not to look through all that it is given. What is not seen runs as it is, which is right, or an error of JAX's.
    """
    kind = type(value)  # `isinstance` would ask the object
    if kind is list or kind is tuple or kind is set:
        value = next(iter(value), None)
    elif kind is dict:
        value = next(iter(value.values()), None)
    kind = type(value)
    if issubclass(kind, type):
        seen_class(value)
    elif not _is_plain(kind):
        held = [*(instances.attributes_of(value) or {}).values()]
        try:
            kinds: Iterable[type] = {kind, *map(type, held)} - _WITHOUT_METHODS
        except TypeError:  # as in `_is_common`
            kinds = [kind, *map(type, held)]
        for each in kinds:
            if (thread.now.scope is not None or _changes(each)) and not _is_plain(each):
                _add(each)


def ends() -> None:
    """Marks the end of what `begins` has begun, where there are open scopes."""
    _close(sys._getframe(1))


def ending(body: Callable[[], Any]) -> Any:
    """What the body of a lambda gives, which `begins` has begun."""
    try:
        return body()
    finally:
        _close(sys._getframe(1))


def _close(frame: types.FrameType) -> None:
    if _local.untraced is not None and _local.untraced[0] is frame:
        scope = _local.untraced[1]
        _local.untraced = None
        open_scopes.remove(scope)
        scope.close()


def convert_methods(value: Any) -> None:
    """Converts the methods of an object's class, if it is the user's."""
    if not isinstance(value, (jax.Array, types.ModuleType, types.FunctionType)):
        seen_class(value if isinstance(value, type) else type(value))


def users_own(kind: type, name: str, value: Any) -> Any:
    """What a class has under a name as its user gave it, where it holds `value` now: that may be a converted method."""
    own, new = _installed.get(kind, {}).get(name, (value, value))
    return own if value is new else value


def record(owner: Any) -> Any:
    """Notes that an attribute or an item of `owner` is about to be written, by its own methods where it has some; returns it."""
    if isinstance(owner, jax.Array) and not isinstance(owner, Tracer):
        raise MutationError(
            f"An item of an array of JAX's, {describe(owner)}, is written in a function that stays Python's.",
            where=source_places.here(),
            why="A generator, a coroutine and a function that calls locals() are not converted, and JAX's arrays do not change.",
            fix="write x = x.at[i].set(v), or call a function that writes the items and returns the array.",
        )
    convert_methods(owner)
    shared_memory.check_write_by_python(owner)
    return journal.note_change(owner)


def recast(owner: Any, name: str) -> Any:
    """`record`, before another attribute than its contents is written. Raises MutationError inside a staged statement."""
    if journal.staging():
        raise join_errors.recast_error(owner, name)
    return record(owner)


def seen_inside(value: Any) -> None:
    """`convert_methods` for an object that a library owns, and for the objects in it, whose methods the library may call."""
    if thread.now.scope is not None or _local.untraced is not None or tracing_state.is_tracing():
        _see_inside(value)


def _see_inside(value: Any) -> None:
    todo = [value]
    for item in reachability.each_once(todo):
        kind = type(item)  # `isinstance` would ask the object
        if _is_plain(kind) or held_items.are_all(item, _is_plain):
            continue
        seen_class(kind)
        if issubclass(kind, (list, tuple, collections.deque)):
            todo += item
        todo += item.values() if issubclass(kind, dict) else (instances.attributes_of(item) or {}).values()


_PLAIN = (jax.Array, Tracer, type, types.ModuleType, types.FunctionType, str, int, float, types.NoneType)


def _is_plain(kind: type) -> bool:
    return issubclass(kind, _PLAIN)


def seen_around(fn: Any, *values: Any) -> None:
    """`seen_inside` for the values that a function is called with, and for those of its closure and globals.

    A statement in it is a function of its own, whose globals are the function's.
    """
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, types.FunctionType):
        values = (*values, getattr(fn, "__self__", None), *reachability.values_used(fn))
    for value in values:
        seen_inside(value)


def seen_in_cells(fn: types.FunctionType) -> None:
    """`convert_methods` for what a function has got from those around it."""
    for value in reachability.held_in_cells(fn):
        convert_methods(value)


def seen_class(kind: type) -> None:
    """Converts the methods of a class and of its bases, where they are the user's, for as long as JAX is tracing."""
    # Most classes have no such methods, where nothing is traced: it is not looked for what runs.
    if thread.now.scope is not None or tracing_state.is_tracing() or _changes(kind):
        _add(kind)


def _add(kind: type) -> None:
    if type(kind).__hash__ is type.__hash__:  # see `_changes`
        scope = _scope()
        if scope is not None:
            scope.add(kind)


def _acquire(kind: type, form: bool | str) -> list[Any]:
    """Lets converted methods stand in for a class's own; gives the user's classes of its descriptors."""
    traced = tracing_state.is_tracing()
    if traced:
        names, descriptors = [*vars(kind)], _descriptors(kind)
    else:
        called = _called_by_python(kind)
        names, descriptors = called.names, called.descriptors
    with _lock:
        _users[kind] = _users.get(kind, 0) + 1
        replaced = _installed.setdefault(kind, {})
        if _users[kind] == 1 or (traced and kind not in _traced):
            for name in names if ownership.is_users_own_class(kind) else ():
                _replace(kind, name, form if traced else "both", replaced)
            if traced:
                _traced.add(kind)
    return descriptors


def _replace(kind: type, name: str, form: bool | str, replaced: dict[str, tuple[Any, Any]]) -> None:
    if name in replaced:
        return
    value = vars(kind)[name]
    new = _converted(value, form)
    if name == "__call__":  # an object may be what JAX is handed
        new = handed_functions.beginning(new, bound=True, called=True)
    if new is not value:
        try:
            type.__setattr__(kind, name, new)  # past a metaclass that may do more
        except (AttributeError, TypeError):
            return  # a class that can't be changed: its methods are converted where they are called
        replaced[name] = value, new


def _descriptors(kind: type) -> list[Any]:
    """The user's own classes of what a class holds, whose methods Python calls for its attributes."""
    kinds: set[Any] = {type(value) for value in vars(kind).values()}
    return [each for each in kinds if hasattr(each, "__get__") and ownership.is_users_own_class(each)]


def _changes(kind: type) -> bool:
    """Whether converted methods stand in for any of a class's where nothing is traced."""
    if type(kind).__hash__ is not type.__hash__:
        return False  # a metaclass that compares classes in its own way: its methods are converted where they are called
    known = _known.get(weakref.ref(kind))
    if known is not None and known.unchanged and _size(known.held) == _size(vars(kind)):
        return False
    if any(map(_installed.get, kind.__mro__)):
        return True
    if type(kind) is not type and ownership.is_users_own_class(type(kind)):
        return True
    called = [_called_by_python(base) for base in kind.__mro__]
    if any(each.names or each.descriptors for each in called):
        return True
    # Another thread may have converted some since.
    called[0].unchanged = not any(map(_installed.get, kind.__mro__))
    return False


@dataclasses.dataclass
class _Called:
    """What of a class Python calls by itself and has to be converted where nothing is traced; `ag.light` sees to the rest."""

    held: list[int]  # the identities of all that the class held
    names: list[str]  # of the methods
    descriptors: list[Any]  # the user's classes of its descriptors
    unchanged: bool = False  # whether there is no such thing in its bases and its metaclass either


def _called_by_python(kind: type) -> _Called:
    """What Python calls of a class; it is kept as long as the class holds the same, as each call of a function may ask."""
    held = [*map(identity, vars(kind).values())]
    known = _known.get(weakref.ref(kind))
    if known is None or known.held != held:
        own = vars(kind).items() if ownership.is_users_own_class(kind) else ()
        names = [
            name
            for name, value in own
            if not isinstance(value, types.FunctionType) or name[:2] == "__"
            if _converted(value, "both") is not value
        ]
        known = _Called(held, names, _descriptors(kind))
        if not _installed.get(kind):  # it holds the user's own
            _known[weakref.ref(kind, _forget)] = known
    return known


def _forget(gone: weakref.ref[type]) -> None:
    _known.pop(gone, None)


identity = object.__hash__  # `id` runs an audit hook of JAX's
_size = len  # not what a user has put in its place
_traced: set[type] = set()  # those that a trace has met
_known: dict[weakref.ref[type], _Called] = {}  # a `WeakKeyDictionary` is asked in Python


def _release(kind: type) -> None:
    with _lock:
        if kind not in _users:
            return
        _users[kind] -= 1
        if not _users[kind]:
            del _users[kind]
            _traced.discard(kind)
            for name, (value, new) in _installed.pop(kind).items():
                if vars(kind).get(name) is new:  # the user may have set another since
                    type.__setattr__(kind, name, value)


def _converted(value: Any, form: bool | str) -> Any:
    match value:
        case types.FunctionType() if ownership.is_users(value) or _is_ordering(value):
            if form == "both" and not _calls_or_writes(value):
                return value  # it calls nothing, and writes no items
            return wrappers.noting(conversion.convert_function(value, form))
        case types.FunctionType() if value.__closure__ and hasattr(value, "__wrapped__"):
            return wrappers.rewrapped(value) or value
        case staticmethod() | classmethod():
            inner = _converted(value.__func__, form)
            return value if inner is value.__func__ else type(value)(inner)
        case property():
            parts = [p if p is None else _converted(p, form) for p in (value.fget, value.fset, value.fdel)]
            if all(new is old for new, old in zip(parts, (value.fget, value.fset, value.fdel), strict=True)):
                return value
            return property(parts[0], parts[1], parts[2], value.__doc__) if type(value) is property else value
        case functools.cached_property() if type(value) is functools.cached_property:
            return _CachedProperty(value, _converted(value.func, form))
        case functools.singledispatchmethod():
            return _converted_dispatch(value, form)
    return value


def _calls_or_writes(fn: types.FunctionType) -> bool:
    """Whether a function calls something, or writes items: where nothing is traced, any other does what it says."""
    light: Any = conversion.convert_function(fn, "light")
    return conversion.is_converted(light)


def _is_ordering(fn: types.FunctionType) -> bool:
    """Whether `functools.total_ordering` has made a method: `not (a < b)` may ask a traced value."""
    return fn.__module__ == "functools" and fn.__qualname__.startswith(
        ("_lt_from", "_le_from", "_gt_from", "_ge_from")
    )


class _CachedProperty(functools.cached_property[Any]):
    """A cached property whose write to the instance is noted."""

    def __init__(self, original: functools.cached_property[Any], func: Any) -> None:
        super().__init__(func)
        self.attrname = original.attrname

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None and self.attrname not in vars(instance):
            name, func = str(self.attrname), self.func
            known = journal.cached_property(instance, name)
            if known is not None:
                return known[0]
            if journal.staging():
                return journal.keep_cached(instance, name, func(instance))
            journal.record_cached(instance)
        return super().__get__(instance, owner)


def _converted_dispatch(
    method: functools.singledispatchmethod[Any], form: bool | str
) -> functools.singledispatchmethod[Any]:
    new = single_dispatch.DispatchMethod(_converted(method.func, form))
    for kind, implementation in method.dispatcher.registry.items():
        new.dispatcher.register(kind, _converted(implementation, form))
    return new


def _guard_methods() -> None:
    scope = _scope() if tracing_state.is_tracing() else None
    if scope is not None:
        scope.guard()


catching.preparing[:] = [_guard_methods]
