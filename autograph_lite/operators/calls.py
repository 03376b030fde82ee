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
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_lite.errors import ConversionError, SourceNotFoundError
from autograph_lite.operators import (
    classes,
    journal,
    list_errors,
    lists,
    opaque,
    policy,
    recipes,
    recursion,
    transformed,
    unconverted,
)
from autograph_lite.transpiler import Transpiler

MUTATORS = (list, dict, set, bytearray)
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


def install_function(kind: type) -> None:
    """Hands over the class of compiled functions, which lies above this layer."""
    _state["function_type"] = kind


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
    except SourceNotFoundError as error:
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


def light(callee: Any) -> Any:
    """What to call in place of `callee` where nothing is traced."""
    kind = type(callee)
    if kind is _FUNCTION:
        return _light.get(callee) or _light_function(callee)
    if kind is _METHOD:
        fn = callee.__func__
        if type(fn) is _FUNCTION:
            new = _light.get(fn) or _light_function(fn)
            return callee if new is fn else _METHOD(new, callee.__self__)
    elif kind is _BUILTIN and type(callee.__self__) in _CONTAINERS and callee.__name__ != "sort":
        return callee
    return call(callee)


_FUNCTION, _METHOD, _BUILTIN = types.FunctionType, types.MethodType, types.BuiltinMethodType
_CONTAINERS = frozenset({list, dict, set, str, bytes, tuple, frozenset, bytearray})


def _light_function(fn: types.FunctionType) -> Any:
    if not policy.is_users(fn) or is_converted(fn):
        return call(fn)
    try:
        new = transpiler(recursive="light").convert(fn)
    except SourceNotFoundError:
        return call(fn)
    if not is_converted(new):  # it calls nothing: the user's own does the same
        new = fn
    if not fn.__closure__ and len(_light) < 10000:  # a closure is made again and again, and is not to be kept
        _light[fn] = new
    return new


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
    if isinstance(callee, functools.partial):
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
    return called if reason is None else unconverted.explained(called, reason)


def _library_function(fn: types.FunctionType) -> Any:
    if is_converted(fn):  # of the standard library, converted on purpose
        return fn
    if isinstance(getattr(fn, "registry", None), types.MappingProxyType) and hasattr(fn, "dispatch"):
        return _dispatching(fn)
    inner = getattr(fn, "__wrapped__", None)
    if inner is not None and fn.__closure__:
        rewrapped = _rewrapped(fn, inner)
        if rewrapped is not None:
            return rewrapped
    return _with_converted_arguments(fn)


def _dispatching(fn: Any) -> Any:
    """A function of `functools.singledispatch`, whose implementations are the user's."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return fn(*args, **kwargs)  # Python says what is wrong
        return call(fn.dispatch(type(args[0])))(*args, **kwargs)

    return run


def _rewrapped(wrapper: types.FunctionType, inner: Any) -> Any:
    """A library's wrapper (made with functools.wraps) around the converted form of the user's function."""
    if not policy.is_users(inner):
        return None
    new = convert(inner)
    cells = []
    found = False
    for cell in wrapper.__closure__ or ():
        try:
            here = cell.cell_contents is inner
        except ValueError:
            here = False
        found = found or here
        cells.append(types.CellType(new) if here else cell)
    if not found:
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
    noted = not policy.is_users(fn) and journal.active() is not None and _is_changeable(owner)
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
    return _with_converted_arguments(method) if noted else method


def _builtin(fn: Any) -> Any:
    overload = _overloads.get(fn)
    if overload is not None:
        return _with_converted_arguments(overload) if fn in _HIGHER_ORDER else overload
    owner = getattr(fn, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return _with_converted_arguments(fn)
    if journal.active() is not None:
        if isinstance(owner, MUTATORS) and fn.__name__ in READERS:
            lists.readable(owner, f"its {fn.__name__}()")
        elif not isinstance(owner, (str, bytes, tuple, int, float)):
            list_errors.touched(owner)
            journal.record(owner)
    method = _overloads.get(getattr(type(owner), fn.__name__, None))
    if method is not None:
        return _with_converted_arguments(functools.partial(method, owner))
    if isinstance(owner, (list, dict)):
        return _with_converted_arguments(fn) if fn.__name__ in ("sort", "setdefault", "update") else fn
    if journal.active() is None or isinstance(owner, (str, bytes, tuple, int, float, set, bytearray)):
        return fn
    return _with_converted_arguments(fn)  # it may write to them: `np.add.at`


_HIGHER_ORDER: frozenset[object] = frozenset({map, filter, sorted, min, max, functools.reduce})


def _class(kind: type) -> Any:
    overload = _overloads.get(kind)
    if overload is not None:
        return _with_converted_arguments(overload) if kind in _HIGHER_ORDER else overload
    if issubclass(kind, BaseException) and journal.active() is not None:
        return recipes.making(kind)
    if policy.is_users_class(kind):
        classes.seen_class(kind)
        if journal.active() is not None:
            return _noting_birth(kind)
        return kind
    return _with_converted_arguments(kind)


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
        return call(callee.inside())
    if policy.is_users_class(kind):
        classes.seen(callee)
        return callee
    wrapped = _transformed(callee)
    if wrapped is not None:
        return wrapped
    classes.seen_inside(callee)
    return _with_converted_arguments(callee)


def _with_converted_arguments(fn: Any) -> Any:
    """`fn`, handed the converted forms of the user's functions."""
    changes_nothing = (getattr(fn, "__module__", None) or "").partition(".")[0] in ("jax", "jaxlib")

    @functools.wraps(fn, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        values = [*args, *kwargs.values()]
        noted = {}
        if journal.active() is not None and not changes_nothing:
            noted = _note_changeable([*enumerate(args), *kwargs.items()])
        if any(map(_may_hold_functions, values)):
            args = tuple(map(argument, args))
            kwargs = {name: argument(value) for name, value in kwargs.items()}
        result = fn(*args, **kwargs)
        if noted:
            journal.passed(noted)
        return result

    return run


def _may_hold_functions(value: Any) -> bool:
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial, *transformed.KINDS)):
        return True
    if isinstance(value, (list, tuple)) and len(value) < 64:
        return any(isinstance(v, (types.FunctionType, types.MethodType, functools.partial)) for v in value)
    if hasattr(type(value), "__mro__") and not isinstance(value, (str, int, float, type(None))):
        classes.seen(value)
    return False


def _note_changeable(arguments: list[tuple[int | str, Any]]) -> dict[int | str, Any]:
    """Notes which of its arguments, by position or name, a library's function may change; gives those."""
    noted = {}
    for position, value in arguments:
        if _is_changeable(value):
            noted[position] = journal.record(value, written=False)
        elif isinstance(value, types.GeneratorType):
            journal.consume(value)
    return noted


def _is_changeable(value: Any) -> bool:
    """Whether a library's function can change an object in a way that the journal can tell."""
    return isinstance(value, (*MUTATORS, np.ndarray, *opaque.KINDS)) or opaque.holds_others(value)


def argument(value: Any) -> Any:
    """What to hand to a library in place of `value`."""
    if isinstance(value, types.FunctionType):
        return _handed(value) if policy.is_users(value) else value
    if isinstance(value, types.MethodType):
        fn: Any = value.__func__
        classes.seen(value.__self__)
        return types.MethodType(_handed(fn), value.__self__) if policy.is_users(fn) else value
    if isinstance(value, functools.partial):
        return functools.partial(argument(value.func), *value.args, **value.keywords)
    wrapped = _transformed(value)
    if wrapped is not None:
        return wrapped
    if type(value) in (list, tuple) and any(map(_may_hold_functions, value)):
        return type(value)(map(argument, value))
    return value


def _handed(fn: Any) -> Any:
    journal.handed(fn)
    return convert(fn)


def _transformed(value: Any) -> Any:
    """What stands in for a function of the user's that JAX has wrapped; None where it is something else."""
    found = transformed.converted(value, convert)
    if found is not None:
        journal.handed(getattr(value, "__wrapped__", None))
    return found


__all__ = ["ConversionError", "argument", "call", "convert", "install", "is_converted"]
