"""How are methods converted that Python or a library calls: properties, operators, `__init__`, a module's `__call__`?

Such calls do not pass through `ag.call`. So the user's classes that converted code meets have their methods replaced by
converted ones as long as an outermost converted function is being traced, and get their own back afterwards.
A converted method behaves as the original, so another thread that meets it in between sees no difference.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import types
import weakref
from collections.abc import Iterator
from typing import Any

import jax

from autograph_lite import _jax
from autograph_lite.operators import converting, journal, mismatch, places, policy, reach, wrappers
from autograph_lite.operators.values import Tracer, is_symbolic

_lock = threading.RLock()
_installed: dict[
    type, dict[str, tuple[Any, Any]]
] = {}  # for each name, the user's own and what stands in for it
_users: dict[type, int] = {}


LIMIT, DEPTH = 2000, 6  # how many objects are looked at, and how deep, where a library's object is called


class _Scope:
    """The classes whose methods are converted until a trace is over."""

    def __init__(self) -> None:
        self.classes: set[type] = set()

    def add(self, kind: type) -> None:
        for base in kind.__mro__[:-1] if kind not in self.classes else ():
            if base not in self.classes:
                self.classes.add(base)
                _acquire(base)
                kinds: set[Any] = {type(value) for value in vars(base).values()}
                for held in kinds:
                    if hasattr(held, "__get__") and policy.is_users_own_class(held):
                        self.add(held)  # a descriptor of the user's

    def close(self) -> None:
        while self.classes:
            _release(self.classes.pop())


class _Local(threading.local):
    def __init__(self) -> None:
        self.scopes: list[_Scope] = []
        # Of a trace that somebody else has opened: where it fails, the exception may keep it for long.
        self.of_trace: tuple[weakref.ref[Any], _Scope] | None = None


_local = _Local()


@contextlib.contextmanager
def converted_methods() -> Iterator[None]:
    """Inside, methods of the user's classes that are met are converted."""
    scope = _Scope()
    _local.scopes.append(scope)
    try:
        yield
    finally:
        _local.scopes.pop()
        scope.close()


def _scope() -> _Scope:
    if _local.scopes:
        return _local.scopes[-1]
    trace = _jax.outermost_trace()
    if _local.of_trace is None or _local.of_trace[0]() is not trace:
        _leave_failed_trace()
        scope = _Scope()
        _local.of_trace = weakref.ref(trace), scope
        _jax.when_trace_ends(scope.close)
    return _local.of_trace[1]


def _leave_failed_trace() -> None:
    if _local.of_trace is not None:
        _local.of_trace[1].close()
        _local.of_trace = None


def seen(value: Any) -> None:
    """Converts the methods of an object's class, if it is the user's."""
    if not isinstance(value, (jax.Array, types.ModuleType, types.FunctionType)):
        seen_class(value if isinstance(value, type) else type(value))


def record(owner: Any) -> Any:
    """Notes that an attribute or an item of `owner` is about to be written, by its own methods where it has some; returns it."""
    seen(owner)
    return journal.record(owner)


def recast(owner: Any, name: str) -> Any:
    """`record`, where `owner.__class__`, or another attribute that is none of its contents, is about to be written.

    Raises:
      MutationError: it is inside a staged statement.
    """
    if journal.staged():
        raise mismatch.recast(owner, name)
    return record(owner)


def seen_inside(value: Any) -> None:
    """`seen` for an object that a library owns, and for the objects in it, whose methods the library may call."""
    if not _jax.tracing():
        return
    todo = [(value, 0)]
    known: set[int] = set()
    while todo and len(known) < LIMIT:
        item, depth = todo.pop()
        if id(item) in known or isinstance(
            item, (jax.Array, type, types.ModuleType, types.FunctionType, str, int, float)
        ):
            continue
        known.add(id(item))
        seen(item)
        if depth < DEPTH:
            inside = list(item) if isinstance(item, (list, tuple)) else []
            inside += (
                list(item.values())
                if isinstance(item, dict)
                else list((places.attributes_of(item) or {}).values())
            )
            todo += [(child, depth + 1) for child in inside]


def seen_around(fn: Any, *values: Any) -> None:
    """`seen_inside` for the values that a function is called with, and for those of its closure and globals."""
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, types.FunctionType):
        values = (*values, getattr(fn, "__self__", None), *journal.captured(fn))
    for value in values:
        seen_inside(value)


def seen_in_cells(fn: types.FunctionType) -> None:
    """`seen` for what a function has got from those around it."""
    for value in reach.held_in_cells(fn):
        seen(value)


def seen_class(kind: type) -> None:
    """Converts the methods of a class and of its bases, where they are the user's, for as long as JAX is tracing."""
    if _local.scopes or _jax.tracing():
        _scope().add(kind)
    else:
        _leave_failed_trace()


def _acquire(kind: type) -> None:
    if not policy.is_users_own_class(kind):
        return
    with _lock:
        if kind in _installed:
            _users[kind] += 1
            return
        replaced: dict[str, tuple[Any, Any]] = {}
        for name, value in list(vars(kind).items()):
            new = _converted(value)
            if new is not value:
                try:
                    type.__setattr__(kind, name, new)  # past a metaclass that may do more
                except (AttributeError, TypeError):
                    continue  # a class that can't be changed: its methods are converted where they are called
                replaced[name] = value, new
        _installed[kind] = replaced
        _users[kind] = 1


def _release(kind: type) -> None:
    with _lock:
        if kind not in _users:
            return
        _users[kind] -= 1
        if not _users[kind]:
            del _users[kind]
            for name, (value, new) in _installed.pop(kind).items():
                if vars(kind).get(name) is new:  # the user may have set another since
                    type.__setattr__(kind, name, value)


def _converted(value: Any) -> Any:
    match value:
        case types.FunctionType() if policy.is_users(value) or _is_ordering(value):
            return wrappers.noting(converting.convert(value))
        case types.FunctionType() if value.__closure__ and hasattr(value, "__wrapped__"):
            return wrappers.rewrapped(value) or value
        case staticmethod() | classmethod():
            inner = _converted(value.__func__)
            return value if inner is value.__func__ else type(value)(inner)
        case property():
            parts = [p if p is None else _converted(p) for p in (value.fget, value.fset, value.fdel)]
            if all(new is old for new, old in zip(parts, (value.fget, value.fset, value.fdel), strict=True)):
                return value
            return property(parts[0], parts[1], parts[2], value.__doc__) if type(value) is property else value
        case functools.cached_property() if type(value) is functools.cached_property:
            return _CachedProperty(value, _converted(value.func))
        case functools.singledispatchmethod():
            return _converted_dispatch(value)
    return value


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
            journal.record(instance)
        return super().__get__(instance, owner)


def _converted_dispatch(method: functools.singledispatchmethod[Any]) -> functools.singledispatchmethod[Any]:
    new = functools.singledispatchmethod(_converted(method.func))
    for kind, implementation in method.dispatcher.registry.items():
        new.dispatcher.register(kind, _converted(implementation))
    if Tracer not in method.dispatcher.registry:
        new.dispatcher.register(Tracer, _converted(method.dispatcher.dispatch(jax.Array)))
    return new


def implementation(fn: Any, value: Any) -> Any:
    """What a function of `functools.singledispatch` calls for `value`: of a traced one, what it calls for an array."""
    if is_symbolic(value):
        return fn.dispatch(int)
    is_array = isinstance(value, Tracer) and Tracer not in fn.registry
    return fn.dispatch(jax.Array if is_array else type(value))
