"""Wrappers: how is a library's wrapper around a function of the user's made to wrap the converted form?

A library's, or one that it has made from text that Python has not kept, as beartype does.
"""

from __future__ import annotations

import contextlib
import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.operators.calls import handed_functions
from autograph_lite.operators.effects import augmented_assignments, journal
from autograph_lite.operators.purity import jax_transformed
from autograph_lite.operators.user_code import ownership, unconverted
from autograph_lite.operators.user_code.conversion import (
    convert_function,
    is_compiled,
    is_converted,
    plain,
    stands_for,
)
from autograph_lite.syntax import codes


def may_wrap(fn: types.FunctionType) -> bool:
    """Whether `fn` may be a library's wrapper, which holds what it wraps in its closure or its defaults."""
    return bool(fn.__closure__ or fn.__kwdefaults__) and (
        not ownership.is_users(fn) or unconverted.is_textless(fn)
    )


def rewrapped(wrapper: types.FunctionType) -> Any:
    """A library's wrapper around a function of the user's, around its converted form; None where it is none.

    `jax.grad(loss)` and `jax.vmap(row)`, made outside of converted code, are such, functions made with functools.wraps, and
    those under `contextlib.contextmanager`.
    """
    if wrapper not in _rewraps:
        _rewraps[wrapper] = None  # for itself, if it is in its own closure
        if jax_transformed.wraps_users(getattr(wrapper, "__wrapped__", None)):
            _rewraps[wrapper] = _rebuilt(wrapper, frozenset())
    return _rewraps[wrapper]


_rewraps: weakref.WeakKeyDictionary[types.FunctionType, Any] = weakref.WeakKeyDictionary()


def _rebuilt(wrapper: types.FunctionType, around: frozenset[int]) -> Any:
    """`wrapper` with the converted forms of the user's functions in its closure and defaults; None where there are none.

    `around` are the wrappers that it is inside of; one may be in itself.
    """
    around |= {id(wrapper)}
    cells = []
    for cell in wrapper.__closure__ or ():
        held = codes.content(cell)
        new = _converted_inside(held, around)
        cells.append(cell if new is held else types.CellType(new))
    defaults = {
        name: _converted_inside(held, around) for name, held in (wrapper.__kwdefaults__ or {}).items()
    }
    if all(cell is old for cell, old in zip(cells, wrapper.__closure__ or (), strict=True)) and all(
        new is (wrapper.__kwdefaults__ or {})[name] for name, new in defaults.items()
    ):
        return None
    made = types.FunctionType(
        wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = defaults or wrapper.__kwdefaults__
    made.__dict__.update(wrapper.__dict__)
    made.__qualname__ = wrapper.__qualname__
    return made


def _converted_inside(held: Any, around: frozenset[int]) -> Any:
    """What a wrapper is to hold in place of this: its converted form, where it is a function of the user's or wraps one."""
    if isinstance(held, types.FunctionType):
        is_inner = id(held) not in around and not is_converted(plain(held))
        if is_inner and (unconverted.is_textless(held) or not ownership.is_users(held)):
            return _rebuilt(held, around) or held
        return handed_on(held, convert_function) if ownership.is_users(held) else held
    if isinstance(held, (types.MethodType, functools.partial, *jax_transformed.KINDS)) or is_compiled(held):
        return handed_on(held, convert_function)
    if isinstance(held, contextlib._GeneratorContextManager) and ownership.is_users(
        getattr(held, "func", None)
    ):
        return _made_anew(held)
    return held


def handed_on(fn: Any, convert: Callable[[Any], Any]) -> Any:
    """What a wrapper calls in place of `fn`: the converted form, if it is the user's, or a wrapper around such."""
    if isinstance(fn, types.MethodType):
        if not ownership.is_users(fn.__func__):
            return fn
        inner = noting(convert(fn.__func__))
        return types.MethodType(handed_functions.beginning(inner, bound=True, called=True), fn.__self__)
    if isinstance(fn, functools.partial):
        inner = handed_on(fn.func, convert)
        return fn if inner is fn.func else type(fn)(inner, *fn.args, **fn.keywords)
    if ownership.is_users(fn):
        return handed_functions.beginning(noting(convert(fn)), called=True)
    if isinstance(fn, types.FunctionType):
        return rewrapped(fn) or fn
    if is_compiled(fn):
        return handed_functions.beginning(fn, called=True)
    return jax_transformed.convert_transformed(fn, lambda each: handed_on(each, convert)) or fn


def _made_anew(manager: Any) -> Any:
    """A context manager that decorates a function, and so is made for each call, from the converted generator."""
    made = object.__new__(type(manager))
    vars(made).update(vars(manager), func=noting(convert_function(manager.func)))
    return made


def noting(fn: Any) -> Any:
    """`fn`, converted; where it writes variables of enclosing functions or globals, or augments some, a form that notes them.

    What converted code calls by a name notes them itself; Python calls `__enter__` or `__add__` past the operators, and a
    library what it wraps.
    """
    if not any(journal.written_variables(fn.__code__)) and not augmented_assignments.operators(fn.__code__):
        return fn

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        journal.note_handed(fn)
        journal.record_augmented(fn, (*args, *kwargs.values()))
        return fn(*args, **kwargs)

    return stands_for(run, fn)
