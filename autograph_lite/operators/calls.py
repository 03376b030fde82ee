"""What does a call in converted code call? The converted form of the user's functions; everything else as it is.

ag.call(helper)                       the converted helper
ag.call(obj.method)                   the converted method, bound to obj
ag.call(len)                          our len, which knows traced arrays
ag.call(jax.lax.scan)                 scan, with the user's functions among its arguments converted
ag.call(Counter)                      the class, whose methods are converted while converted code runs
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import ConversionError, SourceNotFoundError
from autograph_lite.operators import (
    aliases,
    bounded,
    classes,
    journal,
    library,
    lists,
    policy,
    recipes,
    recursion,
    scope,
    stretches,
    unconverted,
)
from autograph_lite.transpiler import Transpiler

READERS = frozenset({
    "copy", "count", "get", "index", "items", "keys", "values", "union", "intersection", "difference", "issubset",
    "issuperset", "isdisjoint", "symmetric_difference", "decode", "hex", "startswith", "endswith", "find",
})  # fmt: skip

_state: dict[str, Any] = {}
_overloads: dict[Any, Any] = {}


def install(operators: object, overloads: dict[Any, Any]) -> None:
    """Hands over the operators that generated code calls; done once, when the package is imported."""
    shallow = types.SimpleNamespace(**{**vars(operators), "call": shallow_call})
    _state["operators"] = operators, shallow
    _state["transpilers"] = {
        True: Transpiler(operators, policy.leads_to_library),
        False: Transpiler(shallow, policy.leads_to_library),
        "both": Transpiler(operators, policy.leads_to_library, form="both"),
        "light": Transpiler(operators, policy.leads_to_library, form="light"),
    }
    _overloads.update(overloads)


def install_function(kinds: tuple[type, ...]) -> None:
    """Hands over the classes of compiled functions, which lie above this layer."""
    _state["function_type"] = kinds


def transpiler(*, recursive: bool | str = True) -> Transpiler:
    """The transpiler of this process that converts callees too, or the one that does not.

    Args:
      recursive: "both" and "light" give transpilers that convert callees, too, into those forms.
    """
    found: Transpiler = _state["transpilers"][recursive]
    return found


def shallow_call(callee: Any) -> Any:
    """What to call where callees are not to be converted: builtins keep their array meaning."""
    if isinstance(callee, (type, types.BuiltinFunctionType)):
        return call(callee)
    return callee


def is_converted(fn: types.FunctionType) -> bool:
    """Whether `fn` is generated code."""
    code = fn.__code__
    if not fn.__closure__:
        return False
    for name, cell in zip(code.co_freevars, fn.__closure__, strict=True):
        if name.startswith("ag"):
            try:
                if any(cell.cell_contents is operators for operators in _state["operators"]):
                    return True
            except ValueError:
                continue
    return False


def is_converted_code(code: types.CodeType) -> bool:
    """Whether a code object may be generated."""
    return any(name.startswith("ag") for name in (*code.co_freevars, *code.co_names[:0]))


def convert(fn: types.FunctionType) -> Callable[..., Any]:
    """The converted form of a user's function; the function itself where it has no source."""
    if is_converted(fn):
        return fn
    try:
        return transpiler().convert(fn)
    except ConversionError as error:
        if not unconverted.is_left(fn, error):
            raise
        unconverted.remember(fn, error)
        return fn


def converted(fn: Any, *, recursive: bool | str = True) -> Any:
    """The converted form of what a user asked to convert, whatever kind of callable it is.

    Raises:
      SourceNotFoundError: there is no source.
      TypeError: `fn` is a class, or can't be called.
    """
    python = _state.get("function_type")
    if python is not None and isinstance(fn, python):
        return fn.inside()
    if isinstance(fn, types.FunctionType):
        around = rewrapped(fn) if fn.__closure__ and not policy.is_users(fn) else None
        if around is not None:
            return around
        return fn if is_converted(fn) else transpiler(recursive=recursive).convert(fn)
    if isinstance(fn, types.MethodType):
        return types.MethodType(converted(fn.__func__, recursive=recursive), fn.__self__)
    if isinstance(fn, functools.partial):
        return functools.partial(converted(fn.func, recursive=recursive), *fn.args, **fn.keywords)
    if isinstance(fn, type):
        raise unconverted.not_a_function(fn)
    if not callable(fn):
        raise unconverted.not_a_function(fn)
    inner = inspect.unwrap(fn)
    if isinstance(inner, types.FunctionType):
        return converted(inner, recursive=recursive)
    method = getattr(type(fn), "__call__", None)  # noqa: B004 (the function is wanted)
    method = getattr(method, "__wrapped__", method)
    if isinstance(method, types.FunctionType):
        return types.MethodType(converted(method, recursive=recursive), fn)
    raise SourceNotFoundError(
        f"'{getattr(fn, '__name__', type(fn).__name__)}' has no source: it is not written in Python.",
        fix="convert a Python function that calls it.",
    )


_light: dict[types.FunctionType, types.FunctionType] = {}
_unchanged: set[types.FunctionType] = set()  # those that call nothing


def light(callee: Any) -> Any:
    """What to call in place of `callee` where nothing is traced."""
    kind = type(callee)
    if kind is _METHOD:
        fn = callee.__func__
        if type(fn) is _FUNCTION:
            if fn in _unchanged:
                return callee
            new = _light.get(fn) or _light_function(fn)
            return callee if new is fn else _METHOD(new, callee.__self__)
    elif kind is _FUNCTION:
        return _light.get(callee) or _light_function(callee)
    elif kind is _BUILTIN:
        owner = callee.__self__
        if owner is None or type(owner) is types.ModuleType:
            return _light_known(callee)
        return _handing(callee) if isinstance(owner, list) and callee.__name__ == "sort" else callee
    elif issubclass(kind, type):
        return _light_known(callee)
    elif kind is functools.partial:
        return functools.partial(light(callee.func), *callee.args, **callee.keywords)
    return call(callee)


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
    elif not policy.is_users(fn):
        new = _library_function(fn)
    else:
        try:
            new = transpiler(recursive="light").convert(fn)
        except ConversionError as error:
            if not unconverted.is_left(fn, error):
                raise
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
    if callee in _overloads:
        return _handing(callee) if callee in _HIGHER_ORDER else callee
    return callee if isinstance(callee, type) and policy.is_users_class(callee) else _handing(callee)


def call(callee: Any) -> Any:
    """What to call in place of `callee`."""
    kind = type(callee)
    if kind is types.FunctionType:
        return _function(callee)
    if kind is types.MethodType:
        return _method(callee)
    if kind is types.BuiltinFunctionType or kind is types.BuiltinMethodType:
        return _builtin(callee)
    if isinstance(callee, type):
        return _class(callee)
    if kind in library.PARTIALS:  # a subclass may have a `__call__` of its own
        return functools.partial(call(callee.func), *callee.args, **callee.keywords)
    if isinstance(callee, (types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType)):
        return _wrapper(callee)
    return _object(callee)


def _function(fn: types.FunctionType) -> Any:
    if not policy.is_users(fn):
        return _textless(fn) if unconverted.is_textless(fn) else _library_function(fn)
    new = convert(fn)
    return new if journal.active() is None else recursion.guarded(new)


def _textless(fn: types.FunctionType) -> Any:
    """A function made from text that Python has not kept: what it fails for is explained."""
    called = _library_function(fn)
    if unconverted.why(fn) is None:
        convert(fn)
    reason = unconverted.why(fn)
    return called if reason is None else unconverted.explained(called, reason, fn.__name__)


def _library_function(fn: types.FunctionType) -> Any:
    if is_converted(fn):  # of the standard library, converted on purpose
        return fn
    if isinstance(getattr(fn, "registry", None), types.MappingProxyType) and hasattr(fn, "dispatch"):
        return _dispatching(fn)
    around = rewrapped(fn) if fn.__closure__ else None
    return _handing(fn) if around is None else around


def _dispatching(fn: Any) -> Any:
    """A function of `functools.singledispatch`, whose implementations are the user's."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return fn(*args, **kwargs)  # Python says what is wrong
        return call(fn.dispatch(type(args[0])))(*args, **kwargs)

    return run


def rewrapped(wrapper: types.FunctionType) -> Any:
    """A library's wrapper around a function of the user's, around its converted form; None where it is none.

    `jax.grad(loss)` and `jax.vmap(row)`, made outside of converted code, are such, and functions made with functools.wraps.
    """
    if wrapper not in _rewraps:
        wraps_users = hasattr(wrapper, "__wrapped__") and policy.is_users(inspect.unwrap(wrapper))
        _rewraps[wrapper] = _rebuilt(wrapper, WRAPPERS) if wraps_users else None
    return _rewraps[wrapper]


WRAPPERS = 6  # one in the other; jax.hessian takes five
_rewraps: weakref.WeakKeyDictionary[types.FunctionType, Any] = weakref.WeakKeyDictionary()


def _rebuilt(wrapper: types.FunctionType, depth: int) -> Any:
    """`wrapper` with the converted forms of the user's functions in its closure; None where there are none."""
    cells = []
    for cell in wrapper.__closure__ or ():
        try:
            held = new = cell.cell_contents
        except ValueError:  # not assigned yet
            held = new = None
        if isinstance(held, types.FunctionType) and policy.is_users(held):
            new = convert(held)
        elif isinstance(held, types.FunctionType) and depth and not is_converted(held):
            new = _rebuilt(held, depth - 1) or held
        cells.append(cell if new is held else types.CellType(new))
    if all(cell is old for cell, old in zip(cells, wrapper.__closure__ or (), strict=True)):
        return None
    made = types.FunctionType(
        wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = wrapper.__kwdefaults__
    made.__dict__.update(wrapper.__dict__)
    made.__qualname__ = wrapper.__qualname__
    return made


def _method(method: types.MethodType) -> Any:
    owner = method.__self__
    fn = method.__func__
    classes.seen(owner)
    noted = not policy.is_users(fn) and journal.active() is not None and library.is_changeable(owner)
    if noted:
        journal.record(owner)
    if isinstance(fn, types.FunctionType):
        if not policy.is_users(fn):
            classes.seen_inside(owner)
        new = _function(fn)
        if new is fn:
            return method
        return types.MethodType(new, owner)
    if callable(fn) and policy.is_users(getattr(fn, "func", None)):
        return types.MethodType(call(fn), owner)
    of_jax = library.of_jax(fn, convert)
    if of_jax is not None:  # a method under `jax.jit`
        return types.MethodType(of_jax, owner)
    return _handing(method) if noted else method


def _builtin(fn: Any) -> Any:
    overload = _overloads.get(fn)
    if overload is not None:
        return _handing(overload) if fn in _HIGHER_ORDER else overload
    owner = getattr(fn, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return _handing(fn)
    if journal.active() is not None:
        if isinstance(owner, library.MUTATORS) and fn.__name__ in READERS:
            lists.readable(owner, f"its {fn.__name__}()")
        elif not isinstance(owner, (str, bytes, tuple, int, float)):
            journal.record(owner)
    elif isinstance(owner, library.MUTATORS) and fn.__name__ not in READERS:
        aliases.refuse_write(owner)
    if fn.__name__ == "pop" and isinstance(owner, list) and stretches.holds(owner):
        return functools.partial(bounded.pop, owner)
    method = _overloads.get(getattr(type(owner), fn.__name__, None))
    if method is not None:
        return _handing(functools.partial(method, owner))
    if journal.active() is None or isinstance(owner, _FOLLOWED):
        return fn
    return _handing(fn)  # it may write to its arguments: `np.add.at`


_FOLLOWED = (list, dict, str, bytes, tuple, int, float, set, bytearray)


_HIGHER_ORDER: frozenset[object] = frozenset({map, filter, sorted, min, max, functools.reduce})


def _class(kind: type) -> Any:
    overload = _overloads.get(kind)
    if overload is not None:
        return _handing(overload) if kind in _HIGHER_ORDER else overload
    if issubclass(kind, BaseException) and journal.active() is not None:
        return recipes.making(kind)
    if policy.is_users_class(kind):
        classes.seen_class(kind)
        if journal.active() is not None:
            return _noting_birth(kind)
        return kind
    return _handing(kind)


def _noting_birth(kind: type) -> Any:
    def construct(*args: Any, **kwargs: Any) -> Any:
        now = journal.active()
        made = kind(*args, **kwargs)
        if now is not None and isinstance(made, kind):
            now.born[id(made)] = made
        return made

    return construct


def _wrapper(fn: Any) -> Any:
    """A slot of a C type, such as `object.__setattr__`: its first argument may be changed."""
    if journal.active() is None:
        return fn
    owner = getattr(fn, "__self__", None)

    def run(*args: Any, **kwargs: Any) -> Any:
        target = owner if owner is not None else args[0] if args else None
        if target is not None:
            journal.record(target)
        return fn(*args, **kwargs)

    return run


def _object(callee: Any) -> Any:
    """An object with `__call__`, a compiled function of JAX's, a callable of a library's."""
    kind = type(callee)
    python = _state.get("function_type")
    if python is not None and isinstance(callee, python):
        return callee if scope.left() else call(callee.inside())
    if policy.is_users_class(kind):
        classes.seen(callee)
        return callee
    wrapped = library.of_jax(callee, convert)
    if wrapped is not None:
        return wrapped
    classes.seen_inside(callee)
    return _handing(callee)


def _handing(fn: Any) -> Any:
    """`fn`, a library's callable, handed the converted forms of the user's functions."""
    return library.handing(fn, convert)


__all__ = ["ConversionError", "call", "convert", "install", "is_converted"]
