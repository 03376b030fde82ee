"""Calls: what does one in converted code call? The converted form of the user's functions; everything else as it is.

ag.call(helper)                       the converted helper
ag.call(obj.method)                   the converted method, bound to obj
ag.call(len)                          our len, which knows traced arrays
ag.call(jax.lax.scan)                 scan, with the user's functions among its arguments converted
ag.call(Counter)                      the class, whose methods are converted while converted code runs
"""

from __future__ import annotations

import _sitebuiltins
import collections
import contextvars
import enum
import functools
import inspect
import operator
import sys
import types
import weakref
from typing import Any

import numpy as np

from autograph_lite.analysis import selections
from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.operators.aliasing import shared_memory
from autograph_lite.operators.calls import (
    chosen_views,
    host_callbacks,
    library_calls,
    method_patching,
    recursion_guard,
    single_dispatch,
)
from autograph_lite.operators.calls.wrappers import may_wrap, rewrapped
from autograph_lite.operators.checks import (
    catching,
    concretization_errors,
    exception_templates,
    text_readers,
)
from autograph_lite.operators.effects import births, clocks, container_identity, journal, lru_caches
from autograph_lite.operators.lists import dynamic_length, growing_lists, list_methods
from autograph_lite.operators.numpy_calls import counterparts, polynomials, vectorized
from autograph_lite.operators.object_graph import context_variables, reachability
from autograph_lite.operators.purity import jax_transformed, known_calls, trial
from autograph_lite.operators.purity.known_calls import READERS
from autograph_lite.operators.ragged_ops import library_functions
from autograph_lite.operators.user_code import conversion, ownership, unconverted
from autograph_lite.operators.user_code.conversion import convert_function, is_converted, plain, transpiler
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import OneOf, on_each, with_variants
from autograph_lite.operators.values.values import describe, python_value, traced
from autograph_lite.tracing import thread
from autograph_lite.transpiler import is_guarded, original

OVERLOADS: dict[Any, Any] = {}


def install_operators(operators: object, overloads: dict[Any, Any]) -> None:
    """Hands over the operators that generated code calls; done once, when the package is imported."""
    shallow: dict[str, Any] = {"call": shallow_call, "iterated": lambda callee, **_: shallow_call(callee)}
    conversion.set_operators(operators, types.SimpleNamespace(**{**vars(operators), **shallow}))
    OVERLOADS.update(overloads)
    trial.entering.append(_look_around)


def _look_around(fn: types.FunctionType) -> None:
    """Looks at what a function on trial may call where no operator tells: special methods, and the makers of missing items."""
    method_patching.seen_around(fn)
    for value in reachability.values_used(fn):
        if isinstance(value, collections.defaultdict) and value.default_factory is not None:
            _look_at_call(value.default_factory)


def _look_at_call(fn: Any) -> None:
    with journal.journal(outer=tracing_state.trace_state()):
        call(fn)()


def shallow_call(callee: Any, *, spread: bool = False) -> Any:
    """What to call where callees are not to be converted: builtins keep their array meaning."""
    if isinstance(callee, (type, types.BuiltinFunctionType, np.ufunc, type(np.sum))):
        return call(callee, spread=spread)
    return callee


def call(callee: Any, *, spread: bool = False) -> Any:
    """What to call in place of `callee`; with `spread`, with the items of something, `*items`."""
    if trial.is_on_trial():
        trial.refuse_call(callee)
        for maker in known_calls.makers(callee):
            _look_at_call(maker)
        found = trial.looking(callee, _called_for(callee))
    else:
        found = _called_for(callee)
    if spread and dynamic_length.any_made() and not _takes_any_number(callee):
        return functools.partial(_unspread, found)
    return found


def _takes_any_number(callee: Any) -> bool:
    """Whether a function of the user's takes `*items` of a list whose length only the data knows: they are such a list in it."""
    fn = inspect.getattr_static(callee, "__init__") if isinstance(callee, type) else callee
    fn = getattr(fn, "__func__", fn)
    return (
        isinstance(fn, types.FunctionType)
        and bool(fn.__code__.co_flags & inspect.CO_VARARGS)
        and ownership.is_users(fn)
    )


def _unspread(called: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls what would have to know how many items `*items` are."""
    for arg in args:
        if isinstance(arg, dynamic_length.Part):
            raise arg.misused()
    return called(*args, **kwargs)


def _called_for(callee: Any) -> Any:
    if type(callee) is OneOf:
        if (view := chosen_views.view_of(callee)) is not None:
            return view
        return lambda *args, **kwargs: on_each(lambda one: call(one)(*args, **kwargs), callee, acts=True)
    if (known := _handing.get(id(callee))) is not None:
        return known
    kind = type(callee)
    if kind is types.FunctionType:
        return _function(callee)
    if kind is types.MethodType:
        return _method(callee)
    # A subclass of it has methods that ask for their class: `array.extend`.
    if isinstance(callee, types.BuiltinFunctionType):
        return catching.unless_late(callee, _builtin(callee)) if thread.now.catching else _builtin(callee)
    if isinstance(callee, type):
        return _class(callee)
    if kind in library_calls.PARTIALS:  # a subclass may have a `__call__` of its own
        return functools.partial(call(callee.func), *callee.args, **callee.keywords)
    if isinstance(callee, (types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType)):
        return _wrapper(callee)
    return _object(callee)


# The converted forms of the user's functions that have been called, with the code that was converted: whose a function is
# need not be asked at each call.
_called = weakref.WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, Any]]()
# The same, called inside of a `try`.
_guarded = weakref.WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, Any]]()


def _function(fn: types.FunctionType) -> Any:
    called_before = _called
    if thread.now.catching:
        called_before = _guarded
        fn = fn if is_guarded(fn.__code__) else original(plain(fn))
    known = called_before.get(fn)
    if known is not None and known[0] is fn.__code__ and not hasattr(fn, ownership.MARK):
        new = known[1]
    else:
        if not ownership.is_users(fn) and not ownership.is_users(fn := plain(fn)):
            return _textless(fn) if unconverted.is_textless(fn) else library_function(fn)
        new = convert_function(fn)
        if new is not fn:
            called_before[fn] = fn.__code__, new
    if trial.is_on_trial():
        trial.enter_on_trial(new)
    called = new if journal.active() is None else recursion_guard.guarded(new)
    return _taking_selections(fn, called) if selections.any_selection_converted() else called


def _taking_selections(fn: types.FunctionType, called: Any) -> Any:
    """`called`, the converted form of `fn`; handed a selection, it runs the form that looks at all its calls."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if is_converted(fn) or not library_functions.has_selection(args, kwargs):
            return called(*args, **kwargs)
        new = transpiler(recursive="wary").convert(fn)
        return (new if journal.active() is None else recursion_guard.guarded(new))(*args, **kwargs)

    return run


def _textless(fn: types.FunctionType) -> Any:
    """A function made from text that Python has not kept: what it fails for is explained."""
    if may_wrap(fn) and rewrapped(fn) is not None:
        return library_function(fn)
    if unconverted.why(fn) is None:
        convert_function(fn)
    reason = unconverted.why(fn)
    return (
        library_function(fn)
        if reason is None
        else adapted(concretization_errors.explain_unconverted(fn, reason, fn.__name__))
    )


def library_function(fn: types.FunctionType) -> Any:
    """What to call in place of a function of a library's."""
    if (overload := OVERLOADS.get(fn)) is not None:
        return overload
    if hasattr(fn, ownership.MARK):
        unconverted.note_marked(fn)
    if is_converted(fn):  # of the standard library, converted on purpose
        return fn
    if is_dispatching(fn):
        return dispatching(fn)
    around = rewrapped(fn) if may_wrap(fn) else None
    if around is not None or hasattr(fn, "__wrapped__"):
        # The user's context manager that decorates a function, or an object of the user's that JAX has wrapped.
        method_patching.seen_in_cells(fn)
    return (
        adapted(recorded_copies.jax_stand_in(host_callbacks.CALLING.get(fn, fn)))
        if around is None
        else around
    )


def is_dispatching(fn: types.FunctionType) -> bool:
    """Whether `functools.singledispatch` has made a function."""
    return isinstance(getattr(fn, "registry", None), types.MappingProxyType) and hasattr(fn, "dispatch")


def dispatching(fn: Any) -> Any:
    """What to call in place of such a function, whose implementations are the user's."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return fn(*args, **kwargs)  # Python says what is wrong
        return on_each(lambda one: of(one, *args[1:], **kwargs), args[0], acts=True)

    def of(value: Any, *args: Any, **kwargs: Any) -> Any:
        return call(single_dispatch.implementation(fn, value))(value, *args, **kwargs)

    return run


def _method(method: types.MethodType) -> Any:
    owner = method.__self__
    fn = plain(method.__func__) if type(method.__func__) is types.FunctionType else method.__func__
    if type(fn) is types.FunctionType and (overload := OVERLOADS.get(fn)) is not None:
        return functools.partial(overload, owner)
    method_patching.convert_methods(owner)
    clocks.drawn(owner, fn.__name__)
    if fn.__name__ == "__enter__":
        journal.note_entered(owner)
    noted = not ownership.is_users(fn) and journal.active() is not None and library_calls.is_changeable(owner)
    if noted:
        journal.note_change(dynamic_length.known_inside(owner))
    if isinstance(fn, types.FunctionType):
        if not ownership.is_users(fn):
            if str(fn.__module__).startswith("scipy.stats."):
                return adapted(method)
            method_patching.seen_inside(owner)
            owner = library_calls.with_converted(owner, convert_function)
        new = _function(fn)
        return method if new is fn and owner is method.__self__ else types.MethodType(new, owner)
    if type(fn) is lru_caches.KIND:
        return types.MethodType(call(fn), owner)
    if callable(fn) and ownership.is_users(getattr(fn, "func", None)):
        return types.MethodType(call(fn), owner)
    of_jax = library_calls.of_jax(fn, convert_function)
    if of_jax is not None:  # a method under `jax.jit`
        return types.MethodType(of_jax, owner)
    return adapted(method) if noted or isinstance(owner, _OF_NUMPY) else method


def _builtin(fn: Any) -> Any:
    overload = OVERLOADS.get(fn)
    if overload is not None:
        return adapted(overload) if fn in HIGHER_ORDER else overload
    owner = getattr(fn, "__self__", None)
    clocks.called(fn)
    if owner is None or isinstance(owner, (types.ModuleType, np.ufunc)):
        return adapted(fn)
    if journal.active() is not None:
        if fn is object.__new__:  # in a `__new__` of the user's
            return _noting_birth(object, fn)
        clocks.drawn(owner, fn.__name__)
        if isinstance(owner, contextvars.ContextVar):
            if fn.__name__ == "get":
                return fn
            journal.note_change(owner)
            return context_variables.setting(owner) if fn.__name__ == "set" else fn
        if isinstance(owner, types.GeneratorType):
            journal.consume(owner)
        if isinstance(owner, library_calls.MUTATORS) and fn.__name__ in READERS:
            growing_lists.readable(owner, f"its {fn.__name__}()")
        elif not isinstance(owner, (str, bytes, tuple, int, float)):
            journal.note_change(owner)
    elif isinstance(owner, library_calls.MUTATORS) and fn.__name__ not in READERS:
        container_identity.refuse_write(owner)
    shared_memory.check_write_by_python(owner, fn.__name__)
    if dynamic_length.is_dynamic(owner) and fn.__name__ in list_methods.METHODS:
        return functools.partial(list_methods.METHODS[fn.__name__], owner)
    method = OVERLOADS.get(getattr(type(owner), fn.__name__, None))
    if method is not None:
        return adapted(functools.partial(method, owner))
    if isinstance(owner, str):
        return text_readers.method(fn)
    if isinstance(owner, _FOLLOWED):
        return fn
    if journal.active() is None and not isinstance(owner, _OF_NUMPY):
        return text_readers.watched(fn)
    return adapted(fn)  # it may write to its arguments: `np.add.at`


_OF_NUMPY = (np.ndarray, np.random.Generator, np.random.RandomState)  # they know no traced value
_FOLLOWED = (list, dict, bytes, tuple, int, float, set, bytearray)


HIGHER_ORDER: frozenset[object] = frozenset({map, filter, sorted, min, max, functools.reduce})


def _class(kind: type) -> Any:
    if type(kind).__hash__ is not type.__hash__:
        return kind  # its metaclass compares in its own way, and it can't be looked up
    overload = OVERLOADS.get(kind)
    if overload is not None:
        return adapted(overload) if kind in HIGHER_ORDER else overload
    if issubclass(kind, BaseException):
        if ownership.is_users_class(kind):
            method_patching.seen_class(kind)
        return exception_templates.making(kind)
    if type(kind) is not type:  # a metaclass has a `__call__`
        method_patching.seen_class(kind)
    # One without makes a new class, which is named after its caller.
    if issubclass(kind, enum.Enum) and kind.__members__:
        return _members(kind)
    if ownership.is_users_class(kind):
        method_patching.seen_class(kind)
        return _noting_birth(kind, kind) if journal.active() is not None and _makes_anew(kind) else kind
    made = adapted(kind)
    noted = hasattr(kind, "__dataclass_fields__") or ownership.may_be_chosen(kind)
    if noted and journal.active() is not None and _makes_anew(kind):
        return _noting_birth(kind, made)
    return made


def _members(kind: type[enum.Enum]) -> Any:
    """A class of an enum: called, it looks up a member."""

    def look_up(*args: Any, **kwargs: Any) -> Any:
        if any(type(arg) is OneOf for arg in args):
            return with_variants(look_up, args, kwargs, deep=False)
        text_readers.refuse_texts(args, kind)
        args = tuple(map(python_value, args))
        if any(map(traced, args)):
            raise PythonOnlyError(
                f"A member of {kind.__name__} is looked up by a traced value, {describe(args[0])}.",
                why="Which member has that value is known when the program runs.",
                fix="choose the member with `if`, or index a list of them: `list(Kind)[n]`.",
            )
        return kind(*args, **kwargs)

    return look_up


def _makes_anew(kind: type) -> bool:
    """Whether each call of a class makes an object: the user's `__new__` may hand out one that there was."""
    makers: list[Any] = [kind.__new__, type(kind).__call__]
    return not any(ownership.is_users(plain(fn)) for fn in makers if isinstance(fn, types.FunctionType))


def _noting_birth(kind: type, make: Any) -> Any:
    def construct(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if isinstance(made, kind):
            journal.gave_birth(made)
            births.made_by_default(made)
        return made

    return construct


def _wrapper(fn: Any) -> Any:
    """A slot of a C type, such as `object.__setattr__`: its first argument may be changed."""
    owner = getattr(fn, "__self__", None)
    slot = fn if owner is None else getattr(type(owner), fn.__name__, None)
    if type(slot) is types.WrapperDescriptorType and (overload := OVERLOADS.get(slot)) is not None:
        return overload if owner is None else functools.partial(overload, owner)
    if getattr(fn, "__objclass__", None) is str:
        overload = OVERLOADS.get(fn)
        return text_readers.method(fn) if overload is None else adapted(overload)
    if type(fn) is types.MethodDescriptorType and fn.__objclass__ in _HOLDING:
        return functools.partial(_unbound, fn)
    if dynamic_length.is_dynamic(owner) and fn.__name__ in list_methods.METHODS:
        return functools.partial(list_methods.METHODS[fn.__name__], owner)
    if journal.active() is None:
        return fn
    if fn.__name__ == "__next__":
        journal.consume_all(owner)
    if fn is type.__call__:
        return lambda kind, *args, **kwargs: _wrapper(fn.__get__(kind))(*args, **kwargs)
    if fn.__name__ == "__call__" and isinstance(owner, type) and owner.__new__ is object.__new__:  # type: ignore[comparison-overlap]
        return _noting_birth(owner, fn)  # of a metaclass, `super().__call__()`

    def run(*args: Any, **kwargs: Any) -> Any:
        target = owner if owner is not None else args[0] if args else None
        if target is not None:
            journal.note_change(target)
            shared_memory.check_write_by_python(target, fn.__name__)
        return fn(*args, **kwargs)

    return run


def _unbound(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """`list.append(xs, x)`, which is `xs.append(x)`."""
    if not args or not isinstance(args[0], fn.__objclass__):
        return fn(*args, **kwargs)  # Python says what is wrong
    return _builtin(fn.__get__(args[0]))(*args[1:], **kwargs)


_HOLDING = (list, tuple, dict, set, frozenset, collections.deque)


def _object(callee: Any) -> Any:
    """An object with `__call__`, a compiled function of JAX's, a callable of a library's."""
    kind = type(callee)
    if kind is _sitebuiltins.Quitter:  # `exit` and `quit`
        return OVERLOADS[sys.exit]
    if conversion.is_compiled(callee):
        return callee if thread.now.left else _valued(call(callee.inside()))
    if ownership.is_users_class(kind):
        method_patching.convert_methods(callee)
        return callee
    wrapped = library_calls.of_jax(callee, convert_function)
    if wrapped is not None:
        return wrapped
    if isinstance(callee, np.vectorize):
        return vectorized.under_vmap(callee, call)
    if isinstance(callee, polynomials.KINDS):
        return polynomials.evaluating(callee, call)
    if vectorized.is_made_of_python(callee):
        return vectorized.ufunc_under_vmap(callee, call)
    if kind is operator.methodcaller:
        return _by_name(callee)
    method_patching.seen_inside(callee)
    library = library_calls.with_converted(callee, convert_function)
    if isinstance(library, jax_transformed.KINDS):
        library = recorded_copies.jax_stand_in(library)
    called = adapted(library)
    if kind is not lru_caches.KIND or journal.active() is None:
        return called
    return lru_caches.remembering(callee, called, call(callee.__wrapped__) if trial.is_on_trial() else None)


def _by_name(caller: Any) -> Any:
    """`operator.methodcaller(name, ...)`, which calls the method as converted code does."""
    make, args = caller.__reduce__()
    given: tuple[Any, ...] = (*getattr(make, "args", ()), *args)
    named: dict[str, Any] = getattr(make, "keywords", {})
    return lambda owner: call(getattr(owner, given[0]))(*given[1:], **named)


def _valued(fn: Any) -> Any:
    """`fn`, the inside of a compiled function: what that returns of a Variable is its value."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return pytrees.unbox_leaves(fn(*args, **kwargs))

    return run


# Of NumPy's functions and `math`'s, which stay: making it takes longer than most of them.
_handing: dict[int, Any] = {}


def adapted(fn: Any) -> Any:
    """`fn`, a library's callable, handed the converted forms of the user's functions."""
    known = _handing.get(id(fn))
    if known is None:
        known = library_calls.with_converted_arguments(fn, convert_function)
        if getattr(fn, "__module__", None) == "itertools":
            known = _with_builtins(known)
        if clocks.makes_generators(fn):
            known = clocks.seeding(known, fn)
        if counterparts.stays(fn):
            _handing[id(fn)] = known
    return known


def _with_builtins(fn: Any) -> Any:
    """`fn`, handed what is called in place of Python's functions and NumPy's: `itertools.accumulate(xs, max)`."""

    def called(value: Any) -> Any:
        is_python = isinstance(value, types.BuiltinFunctionType) and value in OVERLOADS
        is_other = type(value) in library_calls.PARTIALS or (
            callable(value) and counterparts.of(value) is not None
        )
        return call(value) if is_python or is_other else value

    def run(*args: Any, **kwargs: Any) -> Any:
        return fn(*map(called, args), **{name: called(value) for name, value in kwargs.items()})

    return run
