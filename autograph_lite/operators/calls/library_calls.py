"""Library calls: how does converted code call a library? With the converted forms of the user's functions among the arguments.

    jax.lax.scan(step, x, ys)             scan, handed the converted `step`
    heapq.heappush(queue, entry)          as it is, with a look at what is handed over
    warnings.warn("old"), pickle.dumps(f) as it is: they look at the frame that calls, or at the function itself

The look takes a frame of ours between the user's and the library's. It is left out of tracebacks, and `warnings` skips
it where it counts frames.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import struct
import sys
import types
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import float_errors, shape_errors
from autograph_lite.operators.aliasing import shared_memory
from autograph_lite.operators.calls import handed_functions, method_patching, wrappers
from autograph_lite.operators.calls.chosen_views import ChosenView
from autograph_lite.operators.checks import (
    carried_checks,
    concretization_errors,
    known_exceptions,
    text_readers,
)
from autograph_lite.operators.effects import births, journal
from autograph_lite.operators.lists import array_arguments, dynamic_length
from autograph_lite.operators.numpy_calls import arrays_without_axes, counterparts, in_place_calls
from autograph_lite.operators.object_graph import opaque_objects
from autograph_lite.operators.purity import jax_transformed
from autograph_lite.operators.ragged import mask_positions
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.ragged_ops import library_functions
from autograph_lite.operators.user_code import conversion, ownership, source_places
from autograph_lite.operators.values.one_of import OneOf, as_numbers, has_variants, on_each, with_variants
from autograph_lite.operators.values.values import traced

Convert = Callable[[types.FunctionType], Any]
MUTATORS = (list, dict, set, bytearray)
PARTIALS = (functools.partial, jax.tree_util.Partial)
_INERT = frozenset({int, float, complex, bool, str, bytes, types.NoneType})
# These take a list's items apart without using them, so that no item could refuse.
_TAKING = frozenset({"itertools", "collections", "_collections"})
# These compute with Python's own numbers, and say of a tracer that it is none.
_OF_NUMBERS = frozenset({"_struct", "array", "datetime", "decimal", "fractions", "statistics"})
# Of JAX's, those that NumPy or SciPy have too.
_OF_ARRAYS = ("jax.numpy", "jax._src.numpy", "jax.scipy", "jax._src.scipy", "jax._src.ops")
_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
_HELD = (*_FUNCTIONS, *jax_transformed.KINDS)


_OF_DATACLASS_OBJECTS = (dataclasses.asdict, dataclasses.astuple, dataclasses.fields, dataclasses.replace)


def _of_each(fn: Any) -> Any:
    """`fn`, which wants an object, and not one of several."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is OneOf:
            return on_each(lambda one: fn(one, *args[1:], **kwargs), args[0], acts=True)
        return fn(*args, **kwargs)

    return run


@source_places.between
def with_converted_arguments(fn: Any, convert: Convert) -> Any:
    """`fn`, a library's callable, handed the converted forms of the user's functions."""
    module = getattr(fn, "__module__", None)
    root = module.partition(".")[0] if isinstance(module, str) else ""
    of_numpy = counterparts.of(fn)
    if of_numpy is not None and module in ("math", "cmath"):
        return _of_numbers(fn, of_numpy)
    if root in ownership.UNTOUCHED_MODULES or module in ownership.UNTOUCHED_MODULES:
        return _of_each(fn) if root == "dataclasses" and fn in _OF_DATACLASS_OBJECTS else fn
    if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType)) and fn in ownership.UNTOUCHED:
        return fn
    if isinstance(fn, type) and ownership.only_stores(fn):
        return fn
    keeps = fn is dict or fn is set or fn is frozenset  # and calls nothing
    changes_nothing = root in ("jax", "jaxlib")
    computes = changes_nothing or root == "numpy"
    positions = mask_positions.meaning(fn)
    takes_arrays = changes_nothing and module is not None and module.startswith(_OF_ARRAYS)
    makes_arrays = root == "numpy" or isinstance(getattr(fn, "__self__", None), np.ndarray)
    takes_items = root in _TAKING or isinstance(getattr(fn, "__self__", None), collections.deque)
    # The standard library keeps what it is handed: a list copied here would miss what is put into it.
    deep = root not in sys.stdlib_module_names and root != "autograph_lite"

    def in_place_of_numpys(value: Any) -> Any:
        """A function of NumPy's that JAX's is handed, `np.sort`, as one of traced values."""
        return with_converted_arguments(value, convert) if counterparts.of(value) is not None else value

    def of_items(*args: Any, **kwargs: Any) -> Any:
        assert of_numpy is not None
        counterpart, given, named = of_numpy(args, kwargs)
        return counterpart(*given, **named)

    of_arrays = of_items if root == "numpy" and of_numpy is not None else None

    def run(*args: Any, **kwargs: Any) -> Any:
        if computes and has_variants((args, kwargs)):
            args, kwargs = as_numbers((args, kwargs))
        values = [value for value in (*args, *kwargs.values()) if type(value) not in _INERT]
        noted: dict[int | str, Any] = {}
        if values and not tracing_state.untraced():
            if (fn is not copy.deepcopy and any(type(value) is OneOf for value in values)) or (
                computes and any(map(has_variants, values))
            ):

                def each(*args: Any, **kwargs: Any) -> Any:
                    bound = (
                        fn.args if isinstance(fn, functools.partial) else ()
                    )  # a class may have an `args`, too
                    for owner in filter(is_changeable, (getattr(fn, "__self__", None), *bound)):
                        journal.note_change(owner, written=False)
                    return run(*args, **kwargs)

                return with_variants(each, args, kwargs, deep=computes)
            text_readers.refuse_handing(fn, args, kwargs)
            if keeps and len(args) == 1 and type(args[0]) is ChosenView:
                return args[0].each(run, **kwargs)
            for value in values:
                method_patching.convert_methods(value)
            if takes_items:
                for value in values:
                    dynamic_length.whole(value)
            if positions is not None and (mask := mask_positions.asked_of(fn, args, kwargs)) is not None:
                return _made(positions(mask), values) if root == "numpy" else positions(mask)
            if (root == "numpy" or takes_arrays) and dynamic_length.any_made():
                args = (*map(array_arguments.as_part, args),)
                kwargs = {name: array_arguments.as_part(value) for name, value in kwargs.items()}
            if root != "autograph_lite" and library_functions.has_selection(args, kwargs):
                part = library_functions.call_library(fn, args, kwargs, of_arrays)
                return _made(part, values) if root == "numpy" else part
            if (recorded := counterparts.of_numbers(fn, args, kwargs)) is not None:
                return recorded(*args)
            if of_numpy is not None and (
                counterparts.has_traced_argument(args, kwargs)
                or counterparts.follows_traced(fn, args, kwargs)
            ):
                counterpart, given, named = of_numpy(args, kwargs)
                given = tuple(map(in_place_of_numpys, given))
                called = with_converted_arguments(recorded_copies.jax_stand_in(counterpart), convert)
                try:
                    found = called(*given, **named)
                except NotImplementedError as error:
                    raise counterparts.not_in_jax(fn, error) from error
                except (TypeError, ValueError) as error:
                    shape_errors.refuse_as_numpy(error, fn, *args, **kwargs)
                    raise
                if root == "numpy":
                    float_errors.refuse_float_errors(fn.__name__, *jax.tree.leaves(found), of_numpy=True)
                if not library_functions.has_selection((found,), {}):
                    found = counterparts.as_numpys(found, fn, args, kwargs)
                if root == "numpy":
                    found = arrays_without_axes.array_or_number(found, fn, args, kwargs)
                return _made(found, values)
            if not changes_nothing and journal.active() is not None:
                noted = _note([*enumerate(args), *kwargs.items()])
            if makes_arrays and not changes_nothing:
                written = in_place_calls.target(fn, args, kwargs)
                for each in written if type(written) is tuple else (written,):
                    shared_memory.check_write_by_python(each)
        if values and not keeps and any(_may_hold_functions(value, deep) for value in values):
            args = tuple(_argument(value, convert, deep) for value in args)
            kwargs = {name: _argument(value, convert, deep) for name, value in kwargs.items()}
        args = text_readers.known_results(fn, args)
        copies: dict[int, Any] = {}
        if fn is copy.deepcopy and len(args) == 1 and not kwargs:
            args = (*args, copies)
        try:
            result = fn(*args, **kwargs)
        except BaseException as error:
            source_places.without_frame(error)
            if isinstance(error, (TypeError, ValueError)):
                shape_errors.refuse_method(error, fn, args, kwargs)
            taken = array_arguments.as_arrays(fn, args, kwargs, error) if takes_arrays else None
            if taken is not None:
                return run(*taken[0], **taken[1])
            if carried_checks.escapes_to_outer_trace() and concretization_errors.is_about_tracer(error):
                raise concretization_errors.needs_value(error) from error
            if type(error) is AssertionError and not error.args and journal.staging():
                raise concretization_errors.says_nothing(fn, error) from error
            if (
                root in _OF_NUMBERS
                and isinstance(error, (TypeError, struct.error))
                and not carried_checks.is_in_a_try()  # a handler asks the same
                and any(map(traced, values))
                and not known_exceptions.is_about_the_call(error)
            ):
                raise concretization_errors.needs_value(error) from error
            if isinstance(error, ValueError) and "read-only" in str(error) and any(map(traced, values)):
                raise concretization_errors.writes_to_copy(fn) from error
            if isinstance(error, (ValueError, ArithmeticError)):
                text_readers.refuse_made_of_text(fn, values, error)
            raise  # a bare `raise` adds no entry for this frame
        if values:
            text_readers.refuse_made_of_text(fn, values, result)
        if noted:
            journal.passed(noted)
        if fn is copy.copy and not any(result is value for value in values):
            copies[0] = result
        for made in copies.values():
            kind: Any = type(made)
            if _is_copied_by_python(kind):
                journal.gave_birth(made)
        return births.made(result, [*values, getattr(fn, "__self__", None)]) if makes_arrays else result

    return run


@functools.lru_cache(maxsize=4096)
def _is_copied_by_python(kind: type) -> bool:
    """Whether a copy is a new object: a method of its class's might hand out one that there was."""
    return ownership.may_be_chosen(kind) and all(
        getattr(kind, name, None) is getattr(object, name, None)
        for name in ("__copy__", "__deepcopy__", "__new__", "__reduce__", "__reduce_ex__")
    )


def _made(found: Any, given: list[Any]) -> Any:
    """What a function of NumPy's has made, a part of an array included."""
    if isinstance(found, tuple):
        parts = [_made(each, given) for each in found]
        return type(found)(*parts) if hasattr(found, "_fields") else tuple(parts)
    if isinstance(found, Selection) and not any(found is each for each in given):
        births.made(found.array, ())
        return found
    return births.made(found, given)


def _of_numbers(fn: Any, of_numpy: counterparts.Counterpart) -> Any:
    """A function of `math` or `cmath`, which is handed numbers and nothing else."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if tracing_state.untraced():
            return fn(*args, **kwargs)
        if any(type(value) is OneOf for value in args):
            return with_variants(run, args, kwargs, deep=False)
        if (recorded := counterparts.of_numbers(fn, args, kwargs)) is not None:
            return recorded(*args)
        if not counterparts.has_traced_argument(args, kwargs):
            return fn(*args, **kwargs)
        counterpart, given, named = of_numpy(args, kwargs)
        return births.made(counterpart(*given, **named), ())

    return run


def _note(arguments: list[tuple[int | str, Any]]) -> dict[int | str, Any]:
    """Notes which of its arguments, by position or name, a library's function may change; gives those."""
    noted = {}
    for position, value in arguments:
        if is_changeable(value):
            noted[position] = journal.note_change(value, written=False)
        elif isinstance(value, types.GeneratorType):
            journal.consume(value)
        elif isinstance(value, (types.FunctionType, types.MethodType)):
            fn: Any = getattr(value, "__func__", value)
            if isinstance(fn, types.FunctionType):
                journal.record_augmented(fn, [value, *(other for _, other in arguments)])
        else:
            journal.note_entered(value)
    return noted


def is_changeable(value: Any) -> bool:
    """Whether a library's function can change an object in a way that the journal can tell."""
    return isinstance(value, (*MUTATORS, np.ndarray, *opaque_objects.KINDS)) or opaque_objects.holds_others(
        value
    )


def _may_hold_functions(value: Any, deep: bool) -> bool:
    if isinstance(value, _HELD) or _is_frozen_callable(value) or (deep and conversion.is_compiled(value)):
        return True
    return (
        deep
        and isinstance(value, (list, tuple))
        and any(isinstance(item, _HELD) or conversion.is_compiled(item) for item in value)
    )


def _argument(value: Any, convert: Convert, deep: bool) -> Any:
    """What to hand to a library in place of `value`."""
    if isinstance(value, types.FunctionType):
        if ownership.is_users(value):
            return _handed(value, convert, deep)
        return handed_functions.beginning(value) if deep else value
    if isinstance(value, types.MethodType):
        fn: Any = value.__func__
        method_patching.convert_methods(value.__self__)
        if ownership.is_users(fn):
            return types.MethodType(_handed(fn, convert, deep, bound=True), value.__self__)
        if deep and (begun := handed_functions.beginning(fn, bound=True)) is not fn:
            return types.MethodType(begun, value.__self__)
        owner = with_converted(value.__self__, convert)
        return value if owner is value.__self__ else types.MethodType(fn, owner)
    if deep and conversion.is_compiled(value):
        return handed_functions.beginning(value)
    if type(value) in PARTIALS:
        return type(value)(_argument(value.func, convert, deep), *value.args, **value.keywords)
    wrapped = of_jax(value, convert)
    if wrapped is not None:
        return wrapped
    if _is_frozen_callable(value):
        return with_converted(value, convert)
    if deep and type(value) in (list, tuple) and any(_may_hold_functions(item, deep) for item in value):
        return type(value)(_argument(item, convert, deep) for item in value)
    return value


def with_converted(value: Any, convert: Convert) -> Any:
    """A library's object, with the converted forms of the user's functions that it holds: `eqx.nn.Lambda(act)`.

    It is a copy for one call. So it has to be a pytree that nobody can change, as modules of Equinox's are.
    """
    kind: type = type(value)
    if not _is_frozen(kind) or not tracing_state.is_tracing():
        return value
    leaves, tree = jax.tree.flatten(value)
    if not any(isinstance(leaf, _FUNCTIONS) for leaf in leaves):
        return value
    return jax.tree.unflatten(tree, [_argument(leaf, convert, False) for leaf in leaves])


@functools.lru_cache(maxsize=4096)
def _is_frozen(kind: type) -> bool:
    params = getattr(kind, "__dataclass_params__", None)
    if params is None or ownership.is_users_class(kind):
        return False
    # Equinox forbids changes by a method, and not by the dataclass's own option.
    return bool(params.frozen) or any(
        base.__name__ == "Module" and base.__module__.startswith("equinox.") for base in kind.__mro__
    )


def _is_frozen_callable(value: Any) -> bool:
    kind: type = type(value)
    return callable(value) and _is_frozen(kind)


def _handed(fn: Any, convert: Convert, deep: bool, *, bound: bool = False) -> Any:
    journal.note_handed(fn)
    converted = convert(fn)
    return handed_functions.beginning(converted, bound=bound) if deep else converted


def of_jax(value: Any, convert: Convert) -> Any:
    """What stands in for a function of the user's that JAX has wrapped; None where it is something else."""
    found = jax_transformed.convert_transformed(value, lambda fn: wrappers.handed_on(fn, convert))
    if found is not None:
        journal.note_handed(getattr(value, "__wrapped__", None))
    return found
