"""Untraced calls: what does a call become where nothing is traced? As little of ours as gives Python's result."""

from __future__ import annotations

import collections
import functools
import inspect
import threading
import types
from typing import Any

import jax

from autograph_lite.errors import SourceNotFoundError
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.calls.calls import HIGHER_ORDER, OVERLOADS, adapted, call, library_function
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.user_code.conversion import is_converted, transpiler

# Classes whose methods are called as they are.
BUILTIN: frozenset[Any] = frozenset({
    list, dict, set, frozenset, tuple, str, bytes, bytearray, collections.deque, collections.defaultdict,
    collections.OrderedDict,
})  # fmt: skip
_light: dict[types.FunctionType, types.FunctionType] = {}
_unchanged: set[types.FunctionType] = set()  # those that call nothing


def light(callee: Any) -> Any:
    """What to call in place of `callee` where nothing is traced."""
    kind = type(callee)
    if kind is _METHOD:
        try:
            if callee.__func__ in _unchanged:
                return callee
        except TypeError:  # a method made of an object that can't be hashed
            return call(callee)
        fn = callee.__func__
        if type(fn) is _FUNCTION:
            new = _light.get(fn) or _light_function(fn)
            return callee if new is fn else _METHOD(new, callee.__self__)
    elif kind is _FUNCTION:
        return _light.get(callee) or _light_function(callee)
    elif kind is _BUILTIN:
        owner = callee.__self__
        if owner is None or type(owner) is types.ModuleType:
            return _light_known(callee)
        return adapted(callee) if isinstance(owner, list) and callee.__name__ == "sort" else callee
    elif issubclass(kind, type):
        if kind.__hash__ is not type.__hash__:
            return callee  # its metaclass compares in its own way, and it can't be kept
        if kind is not type or ownership.is_users_class(callee):  # a metaclass has a `__call__`
            method_patching.seen_class(callee)
        return _light_known(callee)
    elif kind is functools.partial:
        return functools.partial(light(callee.func), *callee.args, **callee.keywords)
    elif (
        ownership.is_users_class(kind)
        and type(run := inspect.getattr_static(kind, "__call__", None)) is _FUNCTION
    ):
        return light(_METHOD(run, callee))
    stand_in = recorded_copies.stand_in_at_once(callee)
    return call(callee) if stand_in is callee else stand_in


def copying(callee: Any) -> Any:
    """`light`, for a method called `flatten`: JAX's gives a copy, and is the same function as `ravel`."""
    return callee if isinstance(getattr(callee, "__self__", None), jax.Array) else light(callee)


def light_at(callee: Any, known: list[Any], index: int) -> Any:
    """`light`, for a call that remembers the first function that it calls, and what to call in its place."""
    new = light(callee)
    if known[index] is None and type(callee) is _FUNCTION and callee in _light:
        with _lock:  # what is found under a function is its own at any time
            if known[index] is None:
                known[index + 1] = new
                known[index] = callee
    return new


_lock = threading.Lock()
_FUNCTION, _METHOD, _BUILTIN = types.FunctionType, types.MethodType, types.BuiltinMethodType


def _light_function(fn: types.FunctionType) -> Any:
    made_once = not fn.__closure__  # a closure is made again and again, and is not to be kept
    if is_converted(fn):
        new, made_once = fn, "<locals>" not in fn.__qualname__
    elif not ownership.is_users(fn):
        new = library_function(fn)
    else:
        try:
            new = transpiler(recursive="light").convert(fn)
        except SourceNotFoundError:
            return call(fn)
        if not is_converted(new):  # it calls nothing: the user's own does the same
            new = fn
    if made_once and len(_light) < 10000:
        _light[fn] = new
        if new is fn:
            _unchanged.add(fn)
    return new


@functools.lru_cache(maxsize=4096)
def _light_known(callee: Any) -> Any:
    """`light` for a class or a builtin function, which needs no array meaning."""
    if callee in OVERLOADS:
        return adapted(callee) if callee in HIGHER_ORDER else callee
    if callee in ownership.UNTOUCHED:
        return callee  # of `math`, which has nothing of the user's to call
    return callee if isinstance(callee, type) and ownership.is_users_class(callee) else adapted(callee)
