"""Builtins that have an array meaning where an argument is traced; Python's own everywhere else."""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import operator
import types
import warnings
from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import ConditionError, IterationError, PythonOnlyError
from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.constant_folding import FoldingTracer
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import number_types, numpys_arrays
from autograph_lite.jax_internals.references.vector_iterator import VectorIterator
from autograph_lite.operators.branches.truth import Sized, truth
from autograph_lite.operators.calls import calls, numpys_classes
from autograph_lite.operators.calls.chosen_views import ChosenView
from autograph_lite.operators.checks import carried_checks, divisions, text_readers
from autograph_lite.operators.effects import journal, shared_containers
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.joins import join_types, literal_types
from autograph_lite.operators.lists import dynamic_length, growing_lists, list_methods
from autograph_lite.operators.loops import rolling
from autograph_lite.operators.numpy_calls import exact_values
from autograph_lite.operators.python import (
    comprehensions,
    generator_expressions,
    heaps_and_searches,
    logical,
    modular_powers,
    reductions,
    sort_keys,
)
from autograph_lite.operators.ragged.selection import METHODS, Selection, unsized
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.boxes import opening
from autograph_lite.operators.values.one_of import OneOf, as_number, on_each, options_of
from autograph_lite.operators.values.values import (
    Lazy,
    Tracer,
    any_traced,
    as_index,
    describe,
    fold_test,
    is_arraylike,
    is_one_number,
    is_symbolic,
    known_value,
    python_value,
    result_type,
    traced,
)


def _is_narrow(bound: Any) -> bool:
    """Whether an integer is of another type than Python's ints have, in which their differences may not fit."""
    return isinstance(bound, jax.Array) and bound.dtype != result_type(0)


def range_(*args: Any) -> Any:
    """`range(...)`, staged where a bound is traced.

    Raises:
      IterationError: a traced bound is no integer, or an array of several.
      ValueError: the step is zero; where it is traced, when the program runs.
    """
    if not any(map(traced, args)):
        return range(*args)
    bounds = [*map(_known_bound, args)]
    if not any(map(traced, bounds)):
        return range(*bounds)
    if not 1 <= len(bounds) <= 3:
        return range(*args)  # Python's own error
    for bound in bounds:
        if not traced(bound):
            operator.index(bound)  # for its error
        elif jnp.ndim(bound) or result_type(bound).kind not in "biu":
            raise _no_bound(bound)
    bounds = [as_index(bound) if _is_narrow(bound) else bound for bound in bounds]
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if traced(step):
        carried_checks.fail_if(step == 0, ValueError("range() arg 3 must not be zero"))
    elif step == 0:
        return range(0, 1, 0)
    return iterables.Range(start, stop, step)


def _known_bound(bound: Any) -> Any:
    found = python_value(bound)
    if found is bound or type(found) is not int:
        return bound
    rolling.counted()
    return found


def _no_bound(bound: Any) -> IterationError:
    fix = "take one of its items, or its size: len(array)." if jnp.ndim(bound) else "convert it: int(bound)."
    return IterationError(
        f"range() takes integers; a bound is {describe(bound)}.",
        why="The number of iterations is one integer for the whole loop.",
        fix=fix,
    )


_length = len  # the user's code may replace the built-in one by a function that asks us


def len_(value: Any) -> Any:
    """`len(value)`: the size of the leading axis of an array."""
    if isinstance(value, jax.Array):
        if value.ndim == 0:
            raise TypeError("len() of unsized object")
        return value.shape[0]
    if isinstance(value, Selection):
        return value.shape[0]
    if isinstance(value, iterables.Looped):
        raise TypeError("object of type 'generator' has no len()")
    if isinstance(value, iterables.Passing):
        raise TypeError(f"object of type '{value.kind.__name__}' has no len()")
    if isinstance(value, iterables.Staged):
        length = value.length()  # of a range that ends before it starts: negative
        return jnp.maximum(length, 0) if traced(length) and not is_symbolic(length) else length
    if dynamic_length.is_dynamic(value):
        return dynamic_length.dynamic_len(value)
    if isinstance(value, (list, tuple)):
        return growing_lists.growing_len(value)
    own = getattr(type(dynamic_length.known_inside(value)), "__len__", None)
    if isinstance(own, types.FunctionType):  # of the user's: Python would ask a traced answer for an int
        length = own(value)
        return length if traced(length) else len(Sized(length))
    return _length(value)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(iterable, start)`."""
    if traced(start) and not is_symbolic(start):
        if jnp.ndim(start) or start.dtype.kind not in "biu":
            raise TypeError(f"'{describe(start)}' object cannot be interpreted as an integer")
        start = _known_bound(start)
        start = as_index(start) if traced(start) else start
    found = iterables.as_staged(iterable)
    if found is None and isinstance(iterable, generator_expressions.Generated):
        return generator_expressions.Numbered(iterable, start)
    iterables.leave(iterable)
    if found is None:
        return iterables.Counted(iterable, start) if traced(start) else enumerate(iterable, start)
    return iterables.Passing(iterables.Enumerated(found, start), enumerate)


def zip_(*args: Any, strict: bool = False) -> Any:
    """`zip(*args)`, staged where all arguments are arrays or ranges and one is traced."""
    found = iterables.combined(args)
    if found is None:
        return zip(*args, strict=strict)
    first, *others = (part.length() for part in found)
    for number, length in enumerate(others, 2) if strict else ():
        for word, differs in (("shorter", length < first), ("longer", length > first)):
            error = ValueError(
                f"zip() argument {number} is {word} than argument{'s 1-' if number > 2 else ' '}{number - 1}"
            )
            if traced(differs):
                carried_checks.fail_if(differs, error)
            elif differs:
                raise error
    return iterables.Passing(iterables.Zipped(found), zip)


def reversed_(value: Any) -> Any:
    """`reversed(value)`."""
    if isinstance(value, iterables.Looped):
        raise TypeError("'generator' object is not reversible")
    if isinstance(value, iterables.Passing):
        raise TypeError(f"'{value.kind.__name__}' object is not reversible")
    found = iterables.as_staged(value)
    return reversed(value) if found is None else iterables.Passing(iterables.Reversed(found), reversed)


def map_(fun: Callable[..., Any], *args: Any) -> Any:
    """`map(fun, *args)`."""
    fun = reductions.callee(fun)
    if len(args) == 1 and isinstance(args[0], iterables.Looped):
        return generator_expressions.make_generated(args[0], fun)
    found = iterables.combined(args)
    if found is None:
        return map(fun, *args)
    return iterables.Passing(iterables.Mapped(fun, iterables.Zipped(found)), map)


def length_hint_(value: Any, *default: int) -> Any:
    """`operator.length_hint(value)`."""
    own = getattr(type(dynamic_length.known_inside(value)), "__len__", None)
    if dynamic_length.is_dynamic(value) or isinstance(own, types.FunctionType):
        return len_(value)
    return operator.length_hint(value, *default)


def abs_(value: Any) -> Any:
    """`abs(value)`."""
    if not traced(value):
        return abs(value)
    value = number_types.as_operand(value)
    return recorded_copies.made_new(jnp.abs(value), [value], {})  # JAX gives an array that has no sign itself


FoldingTracer.__abs__ = abs_  # type: ignore[method-assign]


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int(x)`: truncation towards zero, as an int32 scalar that adds like a Python int."""
    if len(args) != 1 or kwargs:
        text_readers.refuse_texts(args, int)
        return int(*args, **kwargs)
    value = _asked(args[0], "__int__")
    if traced(value):
        return value if is_symbolic(value) else _scalar(value, int)
    return int(value)


def float_(*args: Any) -> Any:
    """`float(x)`: a scalar that adds like a Python float."""
    if len(args) != 1:
        return float(*args)
    value = _asked(args[0], "__float__")
    return _scalar(value, float) if traced(value) else float(value)


def complex_(*args: Any, **kwargs: Any) -> Any:
    """`complex(real, imag)`: a scalar that adds like a Python complex."""
    if len(args) == 1:
        args = (_asked(args[0], "__complex__"),)
    if kwargs or not any(map(traced, args)):
        return complex(*args, **kwargs)
    real, *imaginary = (jnp.asarray(arg) for arg in args)
    return _scalar(real + 1j * imaginary[0] if imaginary else real, complex)


def bool_(*args: Any) -> Any:
    """`bool(x)`."""
    if len(args) != 1:
        return bool(*args)
    value = truth(*args)
    return value if isinstance(value, bool) else number_types.pythons_bool(fold_test(value))


def divmod_(left: Any, right: Any, /) -> Any:
    """`divmod(a, b)`: of numbers, `a // b` and `a % b`, which raise where `b` is 0."""
    sizes = any(map(is_symbolic, (left, right)))
    if any_traced((left, right)) and not (sizes or jnp.ndim(left) or jnp.ndim(right)):
        quotient = divisions.floor_quotient(left, right)
        if avals.weak_type(quotient) and quotient.dtype.kind == "i":  # one check, as Python has one error
            return quotient, left - quotient * right
        return quotient, divisions.remainder(left, right)
    return divmod(left, right)


def _asked(value: Any, method: str) -> Any:
    """What a method of a user's class answers: Python would refuse a traced number. Any other is left for Python to ask for."""
    own = getattr(type(value), method, None)
    if not isinstance(own, types.FunctionType) or isinstance(value, jax.Array) or is_symbolic(value):
        return value
    answer = own(value)
    return answer if traced(answer) else type(type(value).__name__, (), {method: lambda _: answer})()


def _scalar(value: Any, kind: type) -> Any:
    if (found := known_value(value)) is not None and not found.ndim:
        rolling.counted()
        return kind(found.item())
    array = jnp.asarray(value)
    if not is_one_number(array):
        raise TypeError(f"only a scalar can become a Python {kind.__name__}; this is {describe(value)}.")
    if jnp.issubdtype(array.dtype, jnp.complexfloating) and kind is not complex:
        raise TypeError(f"{kind.__name__}() argument must be a real number, not 'complex'")
    number = divisions.finite(array.reshape(())) if kind is int else array.reshape(())
    return number_types.pythons_number(number, jnp.result_type(kind))


def round_(value: Any, ndigits: Any = None) -> Any:
    """`round(value, ndigits)`: to even; an int where `ndigits` is None."""
    if traced(ndigits) and isinstance(value, (int, float, jax.Array)):
        return _rounded_at(jnp.asarray(value), ndigits)
    if not traced(value):
        return round(value) if ndigits is None else round(value, ndigits)
    if jnp.issubdtype(jnp.result_type(value), jnp.bool_):
        return jnp.where(value, round(True, ndigits), 0)
    if ndigits is None:
        return _scalar(jnp.round(value), int)
    if jnp.issubdtype(jnp.result_type(value), jnp.integer):
        return value if ndigits >= 0 else _rounded_integer(value, 10**-ndigits)
    found = exact_values.rounded_to_decimals(value, ndigits)
    if number_types.is_pythons_number(value):
        return number_types.pythons_number(found, found.dtype)
    return numpys_arrays.note_number_of(found, value)


def _rounded_at(value: jax.Array, ndigits: Any) -> Any:
    """`round(value, ndigits)`, where the program knows the digit."""
    if not jnp.issubdtype(value.dtype, jnp.floating):
        value = value.astype(jnp.result_type(value.dtype, int)) if value.dtype == bool else value
        most = int(np.iinfo(value.dtype).max)
        units = jnp.asarray([10**n for n in range(len(str(most)))], value.dtype)
        above = -ndigits >= len(units)
        rounded = _rounded_integer(value, units[jnp.clip(-ndigits, 0, len(units) - 1)])
        return jnp.where(ndigits >= 0, value, jnp.where(above, 0, rounded))
    last = jnp.finfo(value.dtype).maxexp * 3 // 10  # type: ignore[no-untyped-call]
    factor = jnp.asarray([10.0**n for n in range(last)], value.dtype)[jnp.clip(jnp.abs(ndigits), 0, last - 1)]
    up, down = jnp.round(value * factor) / factor, jnp.round(value / factor) * factor
    return jnp.where(ndigits < 0, down, jnp.where(jnp.isfinite(value * factor), up, value))


def _rounded_integer(value: Any, unit: Any) -> Any:
    """The multiple of `unit` next to an integer; the even one where two are as near."""
    quotient, rest = value // unit, value % unit
    up = (2 * rest > unit) | ((2 * rest == unit) & (quotient % 2 == 1))
    return (quotient + jnp.where(up, 1, 0).astype(quotient.dtype)) * unit


def sorted_(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    """`sorted(...)`: stable; where a traced value decides on the order, items that don't stack are each one of several."""
    items: Any = iterable
    if type(iterable) is ChosenView and key is None:
        return cast("list[Any]", iterable.each(sorted_, reverse=reverse))
    key = reductions.callee(key)
    if not (isinstance(iterable, jax.Array) and traced(iterable) and iterable.ndim == 1):
        items = list_(iterable)
    if dynamic_length.is_dynamic(items):
        return [*list_methods.ordered(items, key, reverse).contents().values()]
    if len(items) < 2:
        one = list(items)
        if key is not None and one:
            key(one[0])  # it may print, or raise
        return one
    keys = items
    if key is not None and isinstance(items, list):
        keys = [key(item) for item in items]
    elif key is not None:
        keys = comprehensions.list_of(items, lambda item: key(item))
    if (
        arrays := [key for key in keys if is_arraylike(key) and jnp.ndim(key)]
        if isinstance(keys, list)
        else []
    ):
        raise _no_order(arrays[0])
    order = sort_keys.sorted_positions(keys, reverse=bool(reverse))
    if isinstance(order, list) and isinstance(items, list):
        return [items[i] for i in order]
    if not isinstance(items, list):
        numbers = growing_lists.unstacked(items[jnp.asarray(order)])
        for each in numbers:
            numpys_arrays.note_number_of(each, items)
        return numbers
    others = [leaf for item in items for leaf in pytrees.leaves(item) if not is_arraylike(leaf)]
    if (
        others
        or len({(pytrees.structure(item), *map(jnp.shape, pytrees.leaves(item))) for item in items}) > 1
    ):
        refused = _no_place(others[0]) if others else _unlike(items)
        return [chosen_item[0](items, place, lambda _: refused) for place in jnp.asarray(order)]
    stacked = pytrees.map(lambda *leaves: literal_types.stacked(leaves)[order], *items)
    leaves, tree = pytrees.flatten(stacked)
    made = [jax.tree.unflatten(tree, row) for row in zip(*map(growing_lists.unstacked, leaves), strict=True)]
    given = [pytrees.leaves(item) for item in items]
    for each in made:
        for new, *options in zip(pytrees.leaves(each), *given, strict=True):
            literal_types.chosen_of(options, numpys_arrays.note_met(new, *options))
            numpys_arrays.note_number_of(new, *options)
    # Each of the new ones may be any of these.
    shared_containers.note_shared([], [(made, [item]) for item in items], [])
    return made


# From above: the item at a traced place, given the items, the place and what makes the error.
chosen_item: list[Callable[..., Any]] = []


def _no_order(key: Any) -> ConditionError:
    return ConditionError(
        f"sorted() compares arrays, {describe(key)}.",
        why="Which of two arrays comes first is ambiguous.",
        fix="give a key that is a number, or a tuple of numbers: sorted(items, key=lambda item: item[0]).",
    )


def _unlike(items: list[Any]) -> ConditionError:
    kinds = [join_types.structural(join_types.template_of(item)) for item in items]
    found = [*dict.fromkeys(map(join_types.describe_template, kinds))]
    return ConditionError(
        f"sorted() puts {found[0]} and {found[1]} in order by traced keys.",
        why="Which item comes first depends on the data, and arrays of two shapes, or more than 16 items, have no common type.",
        fix="give all items the same structure and shape.",
    )


def _no_place(item: Any) -> ConditionError:
    kind = type(item).__name__
    return ConditionError(
        f"sorted() orders objects of the type {kind} by traced keys.",
        why="Which object comes first depends on the data, and a compiled program tells at most 16 objects apart.",
        fix=f"sort what the objects hold, or register {kind} as a pytree, for example with "
        "jax.tree_util.register_dataclass."
        if ownership.is_users_class(type(item))
        else "put a number in place of it, such as its place in a list.",
    )


def list_(*args: Any) -> list[Any]:
    """`list(iterable)`."""
    if len(args) == 1 and (items := _items(args[0])) is not None:
        return _collected(items)
    made = (generator_expressions.Generated, generator_expressions.Numbered)
    if len(args) == 1 and isinstance(args[0], made) and args[0].is_fresh:
        return comprehensions.gathered(args[0])
    return list(*map(_whole, args))


def deque_(iterable: Any = (), maxlen: Any = None) -> collections.deque[Any]:
    """`collections.deque(iterable, maxlen)`."""
    items = list_(iterable)
    if maxlen is not None and dynamic_length.is_dynamic(items):
        raise dynamic_length.length_error(items)
    return collections.deque(items, maxlen)


def _tolist(part: Selection) -> list[Any]:
    """`part.tolist()`, of a part of an array of one axis: a list whose length only the data knows."""
    if part.ndim > 1:
        raise unsized(part, "is asked for its 'tolist'")
    return list_(part)


METHODS["tolist"] = _tolist


def fromiter_(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    """`np.fromiter(iterable, dtype)`: an array of the items."""
    if not tracing_state.is_tracing():
        return np.fromiter(iter, dtype, count)
    is_cut = count >= 0 and not isinstance(iter, Lazy)  # what has no end is taken so far
    given: Any = iter
    items: Any = list_(itertools.islice(given, count) if is_cut else given)
    if count >= 0:
        items = items[:count]
        if len(items) < count:
            raise ValueError(
                f"iterator too short: Expected {count} but iterator had only {len(items)} items."
            )
    if not dynamic_length.is_dynamic(items) and (not any_traced(items) or any(map(np.ndim, items))):
        return np.fromiter(items, dtype)  # or NumPy's error
    return calls.call(np.array)(items, dtype)


def tuple_(*args: Any) -> tuple[Any, ...]:
    """`tuple(iterable)`."""
    if len(args) == 1 and (items := _items(args[0])) is not None:
        return tuple(_collected(items))
    return tuple(*map(_whole, args))


def _items(iterable: Any) -> iterables.Staged | None:
    """What a list or tuple is made of by a staged loop, but for the rows of an array."""
    picked = isinstance(iterable, Selection) and iterable.extents[0] is not None
    known = picked or isinstance(iterable, (iterables.Staged, iterables.Stepping))
    return iterables.as_staged(iterable) if known else None


def _collected(items: iterables.Staged) -> list[Any]:
    return comprehensions.collected(items, items.length())


def _whole(iterable: Any) -> Any:
    if isinstance(iterable, jax.Array) and iterable.ndim and is_symbolic(iterable.shape[0]):
        raise IterationError(
            f"A list or tuple is made of the rows of an array, {describe(iterable)}.",
            why=f"How many rows there are, {iterable.shape[0]}, is not known while tracing for all sizes.",
            fix="keep the array, which can be indexed and iterated over as the list can, or trace for a known size.",
        )
    journal.consume_all(iterable)
    return growing_lists.readable(iterable, "list() or tuple()")


def filter_(fun: Callable[..., Any] | None, iterable: Any) -> Any:
    """`filter(fun, iterable)`."""
    if tracing_state.is_tracing() and (
        isinstance(iterable, comprehensions.ITEMS) or iterables.is_staged(iterable)
    ):
        return generator_expressions.make_generated(
            iterable, lambda item: item, reductions.callee(fun) or (lambda item: item)
        )
    return filter(fun, iterable)


def repeat_(value: Any, *times: Any, **given: Any) -> Any:
    """`itertools.repeat(value, times)`, staged where the number is traced."""
    number = times[0] if len(times) == 1 else given.get("times")
    if not traced(number):
        return itertools.repeat(value, *times, **given)
    return map_(lambda _: value, range_(number))


def _asking(python: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `itertools` that asks a condition of each item, which Python has to know."""

    def ask(condition: Any, iterable: Any, /) -> Any:
        fun = reductions.callee(condition)
        if not tracing_state.is_tracing() or not callable(fun):
            return python(condition, iterable)
        return python(
            lambda item: generator_expressions.filter_test(fun(item)), dynamic_length.whole(iterable)
        )

    return ask


def next_(iterator: Any, *default: Any) -> Any:
    """`next(iterator)`: refused in a staged body for an iterator from outside: one item for all runs."""
    if isinstance(iterator, generator_expressions.Generated) and iterator.is_fresh:
        found = iterator.known()
        return reductions.first(iterator, *default) if found is None else builtins.next(iter(found), *default)
    if isinstance(iterator, iterables.Stepping):
        return iterator.step(*default)
    journal.consume(iterator)
    return builtins.next(iterator, *default)


def iter_(values: Any, *sentinel: Any) -> Any:
    """`iter(values)`; of a vector in a derivative it reads the numbers when it is asked for them: JAX takes all of them here."""
    found = builtins.iter(values, *sentinel)
    return VectorIterator(values, found) if isinstance(values, Tracer) and type(found) is _TAKEN else found


_TAKEN = type(iter(()))


def setattr_(owner: Any, name: str, value: Any) -> None:
    """`setattr(owner, name, value)`."""
    builtins.setattr(journal.note_change(owner), name, value)


def delattr_(owner: Any, name: str) -> None:
    """`delattr(owner, name)`."""
    builtins.delattr(journal.note_change(owner), name)


_OF_VALUES: dict[Any, Any] = {
    range: range_, len: len_, enumerate: enumerate_, zip: zip_, reversed: reversed_, map: map_,
    filter: filter_, operator.length_hint: length_hint_, abs: abs_, int: int_, float: float_,
    complex: complex_, bool: bool_, round: round_, list: list_, tuple: tuple_, sorted: sorted_, min: reductions.min_,
    max: reductions.max_, sum: reductions.sum_, any: reductions.any_, all: reductions.all_, pow: modular_powers.pow_,
    functools.reduce: reductions.reduce_, operator.truth: bool_, operator.not_: logical.not_, divmod: divmod_,
}  # fmt: skip


def type_(*args: Any, **kwargs: Any) -> Any:
    """`type(value)`, or the making of a class."""
    is_asked = len(args) == 1 and not kwargs
    return numpys_classes.class_of(args[0]) if is_asked else builtins.type(*args, **kwargs)


def getattr_(value: Any, name: str, *default: Any) -> Any:
    """`getattr(value, name)`: the class is what `type` says, but of an object that says another."""
    kind = numpys_classes.class_of(value) if name == "__class__" else type(value)
    return getattr(value, name, *default) if kind is type(value) else kind


def hasattr_(value: Any, name: str) -> bool:
    """`hasattr(value, name)`: a number of NumPy's has no length, and an array of NumPy's no `at`."""
    text_readers.refuse_texts((name,), hasattr)
    return numpys_classes.has_attribute(value, name)


def vars_(owner: Any) -> Any:
    """`vars(owner)`."""
    if type(owner) is OneOf:  # writing to the dict would write to the object
        kinds = dict.fromkeys(f"a {type(each).__name__}" for each in options_of(owner))
        raise PythonOnlyError(
            f"vars() is asked for the attributes of one of several objects, {' or '.join(kinds)}.",
            why="A traced value decides which object it is, and the program knows it when it runs.",
            fix="read the attributes by their names, or give the classes a method that gives a dict of them.",
        )
    return vars(owner)


def open_(*args: Any, **kwargs: Any) -> Any:
    """`open(path)`."""
    text_readers.refuse_texts([*args, *kwargs.values()], open)
    return open(*args, **kwargs)  # noqa: PTH123 (what the user has called)


def _of_each(fun: Callable[..., Any], *, asks: bool) -> Callable[..., Any]:
    """`fun`, of each variant where an argument is one of several."""

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        if all(type(arg) is not OneOf for arg in args):
            return fun(*args, **kwargs)
        return on_each(functools.partial(fun, **kwargs), *args, asks=asks)

    return run


def _of_numbers(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun`, with numbers in place of the members of enums of numbers that are traced."""

    @functools.wraps(fun)
    def run(*args: Any, **kwargs: Any) -> Any:
        return fun(*map(as_number, args), **{name: as_number(value) for name, value in kwargs.items()})

    return run


_OF_TYPES: dict[Any, Any] = {
    **{fun: fun for fun in (callable, issubclass, id)}, hasattr: hasattr_, isinstance: numpys_classes.is_instance, type: type_,
}  # fmt: skip


def _in_python(python: Any, ours: types.FunctionType) -> Callable[..., Any]:
    """A function of `heapq` or `bisect`: as Python text where a comparison, or the length of the list, may be staged."""

    @functools.wraps(python)
    def run(*args: Any, **kwargs: Any) -> Any:
        is_staged = tracing_state.is_tracing() and (
            journal.staging() or any(dynamic_length.is_dynamic(arg) or any_traced(arg) for arg in args)
        )
        return (calls.call(ours) if is_staged else calls.adapted(python))(*args, **kwargs)

    return run


OVERLOADS: dict[Any, Any] = {
    **{python: _in_python(python, ours) for python, ours in heaps_and_searches.IN_PYTHON.items()},
    **{builtin: _of_each(fun, asks=True) for builtin, fun in _OF_TYPES.items()},
    getattr: _of_each(getattr_, asks=False), vars: vars_, open: open_,
    **{builtin: _of_each(opening(fun), asks=False) for builtin, fun in _OF_VALUES.items()},
    **{builtin: _of_numbers(_of_each(opening(_OF_VALUES[builtin]), asks=False)) for builtin in (range, enumerate)},
    **{fun: _asking(fun) for fun in (itertools.takewhile, itertools.dropwhile, itertools.filterfalse)},
    itertools.repeat: repeat_, collections.deque: deque_, np.fromiter: fromiter_,
    iter: iter_, next: next_, setattr: setattr_, delattr: delattr_, warnings.warn: source_places.warn_,
}  # fmt: skip
