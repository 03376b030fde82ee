"""Reductions: what do `sum`, `any`, `all`, `min`, `max`, `functools.reduce` and `next` give of traced items?

Over an array they are one operation, over anything else that is staged one loop, over Python's items
Python's own loop with operators that know traced values. The result is what Python's order of comparisons
gives: the first of equal items, and nan only where Python would return it.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import Maybe, Undefined, assigned
from autograph_lite.jax_internals import avals, symbolic_comparisons, tracing_state
from autograph_lite.jax_internals.dataflow import long_literals
from autograph_lite.jax_internals.references import float_errors, number_types, numpys_arrays
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.branches.truth import python_truth, truth
from autograph_lite.operators.calls import calls
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.effects import journal
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.joins import literal_types
from autograph_lite.operators.lists import growing_lists, list_methods
from autograph_lite.operators.python import sort_keys
from autograph_lite.operators.python.generator_expressions import Generated, operator_loop
from autograph_lite.operators.python.logical import COMPARING, and_, asks_for_order, compared, not_, or_
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.ragged_ops import masked_reductions
from autograph_lite.operators.values.one_of import OneOf, is_large, options_of
from autograph_lite.operators.values.values import any_traced, is_arraylike, is_size, traced

State = tuple[Any, ...]
_ZERO = object()
_NOTHING = object()


def sum_(iterable: Any, /, start: Any = _ZERO) -> Any:
    """`sum(iterable, start)`: over the leading axis of an array, from left to right elsewhere."""
    first = 0 if start is _ZERO else start
    if isinstance(iterable, jax.Array) and traced(iterable) and iterable.ndim:
        if iterable.shape[0] == 0:
            return first
        float_errors.refuse_float_errors("sum", iterable)
        total = jnp.sum(iterable, axis=0, dtype=None if iterable.dtype == bool else iterable.dtype)
        return total if start is _ZERO else start + total
    if isinstance(iterable, Selection):
        total = masked_reductions.sum(iterable, 0, None if iterable.dtype == bool else iterable.dtype)
        return total if start is _ZERO else start + total
    found = iterables.looped(iterable)
    column = _column(found)
    if column is not None:
        total = jnp.sum(jnp.where(_counting(found), column, 0), dtype=column.dtype)
        return first + avals.as_type(total, column.dtype, column.weak_type)
    if found is None:
        journal.consume_all(iterable)
        return sum(growing_lists.readable(iterable, "sum()"), first)
    return operator_loop(found, lambda item, total: (total + item,), (first,), ("the sum",))[0]


def any_(iterable: Any, /) -> Any:
    """`any(iterable)`."""
    return number_types.pythons_bool(_quantified(iterable, any, or_, False))


def all_(iterable: Any, /) -> Any:
    """`all(iterable)`."""
    return number_types.pythons_bool(_quantified(iterable, all, and_, True))


def _quantified(iterable: Any, python: Callable[[Any], bool], join: Callable[..., Any], empty: bool) -> Any:
    if not tracing_state.is_tracing():
        return python(iterable)
    if isinstance(iterable, Selection) and iterable.ndim == 1:
        return (masked_reductions.any if python is any else masked_reductions.all)(iterable)
    if isinstance(iterable, jax.Array) and iterable.ndim == 1:
        return (jnp.any if python is any else jnp.all)(iterable)
    found = iterables.looped(iterable)
    iterables.leave(iterable)
    if found is None:
        return _of_items(growing_lists.readable(iterable, f"{python.__name__}()"), join, empty)
    names = ("the result",)
    if isinstance(found, Generated) and found.eager:
        return operator_loop(
            found, lambda item, result: (join(result, lambda: truth(item)),), (empty,), names
        )[0]
    column = _column(found)
    if column is not None:
        decisive = (column == 0 if empty else column != 0) & _counting(found)
        return jnp.any(decisive) != empty
    decided = not_ if empty else assigned
    return operator_loop(found, lambda item, _: (truth(item),), (empty,), names, until=decided)[0]


def _of_items(items: Iterable[Any], join: Callable[..., Any], empty: bool) -> Any:
    result: Any = empty
    iterator = iter(items)
    for item in iterator:
        known = python_truth(item)
        if traced(known):
            result = truth(known)
            break
        if bool(known) is not empty:
            return not empty
    for item in journal.unchanging(iterator):
        result = join(result, lambda item=item: truth(item))
    return result


def min_(*args: Any, **kwargs: Any) -> Any:
    """`min(...)`."""
    return _extreme(min, lambda new, best: python_truth(compared("<", new, best)), args, kwargs)


def max_(*args: Any, **kwargs: Any) -> Any:
    """`max(...)`."""
    return _extreme(max, lambda new, best: python_truth(compared(">", new, best)), args, kwargs)


def _extreme(
    python: Callable[..., Any], better: Callable[[Any, Any], Any], args: State, kwargs: dict[str, Any]
) -> Any:
    if not tracing_state.is_tracing() or not args or set(kwargs) - {"key", "default"}:
        return python(*args, **kwargs)
    key = callee(kwargs.get("key"))
    items: Any = args
    if len(args) == 1:
        array = args[0]
        if isinstance(array, jax.Array) and array.ndim == 1 and array.size and key is None:
            return _first_best(array, python)
        items = iterables.looped(array)
        column = _column(items) if key is None else None
        if column is not None:
            best = _first_best(column, python, _counting(items))
            empty = _error_of(lambda: python(()))
            return _or_default(items.stretch.length > 0, best, kwargs.get("default", _NOTHING), empty)
        if items is None:
            items = array = tuple(growing_lists.readable(array, f"{python.__name__}()"))
    elif "default" in kwargs:
        return python(*args, **kwargs)  # Python's own error

    # A loop can't carry what `cmp_to_key` makes: it carries the items, and each comparison makes keys of two.
    carried = None if type(key) is COMPARING else key
    beats = better if carried is key else _by_keys(key, better)

    def begin(item: Any) -> State:
        return item, item if carried is None else carried(item)

    def step(item: Any, best: Any, best_key: Any) -> State:
        now = item if carried is None else carried(item)
        return _chosen(beats(now, best_key), (item, now), (best, best_key))

    if isinstance(items, tuple):
        keys = items if key is None else [key(item) for item in items]
        if items and key is None and all(map(is_size, items)):
            return functools.reduce(
                symbolic_comparisons.larger if python is max else symbolic_comparisons.smaller, items
            )
        if not any_traced(keys) and not any(map(asks_for_order, keys)):
            return python(items, **kwargs) if key is None else _python_best(python, items, list(keys), kwargs)
        held = _held(items)  # 300 beside a uint8 is compared, and given, as what it is
        if key is not None and not sort_keys.are_number_keys(keys):  # keys that a program can't choose from
            at = sort_keys.first_best(keys, better)
            best = held[0], 0
            for number, item in enumerate(held[1:], 1):
                best = _chosen(at == number, (item, number), best)
            return literal_types.chosen_of(items, numpys_arrays.note_met(best[0], *items))
        by = _held(keys)
        best = held[0], by[0]
        for item, now in zip(held[1:], by[1:], strict=True):
            best = _chosen(better(now, best[1]), (item, now), best)
        return literal_types.chosen_of(items, numpys_arrays.note_met(best[0], *items))
    names = ("the result", "its key")
    found, (result, _) = _folded(items, begin, step, names)
    return _or_default(found, result, kwargs.get("default", _NOTHING), _error_of(lambda: python(())))


def _by_keys(key: Any, better: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda new, best: better(key(new), key(best))


def _held(values: Sequence[Any]) -> Sequence[Any]:
    """The values, in types that hold all of them where they are numbers, or tuples of such."""
    if all(type(value) is tuple and len(value) == len(values[0]) for value in values):
        return [*zip(*map(_held, zip(*values, strict=True)), strict=True)] if values[0] else values
    numbers = all(is_arraylike(value) and not jnp.ndim(value) for value in values)
    numbers = numbers and not any(map(is_large, values))
    return literal_types.widen_literals(values) if numbers else values


def _python_best(python: Callable[..., Any], items: State, keys: list[Any], kwargs: dict[str, Any]) -> Any:
    if not items:
        return python(items, **kwargs)
    return items[python(range(len(items)), key=keys.__getitem__)]


def _column(found: Any) -> Any:
    """The buffer of a list of numbers whose length only the data knows; None of anything else."""
    if not isinstance(found, iterables.Items):
        return None
    column = list_methods.number_buffer(found.stretch)
    return column if column is not None and column.dtype != bool else None


def _counting(found: Any) -> Any:
    return list_methods.counting(found.stretch)


def _first_best(array: jax.Array, python: Callable[..., Any], valid: Any = True) -> Any:
    """The first of the least or greatest items of a vector; nan only where it comes first, as no comparison beats it.

    `python` is `min` or `max`, and `valid` says for each place whether there is an item; the first ones are.
    """
    keys = array.astype(jnp.int8) if array.dtype == bool else array
    if valid is not True:
        keys = jnp.where(valid, keys, _worst(keys.dtype, python))
    if jnp.issubdtype(array.dtype, jnp.floating):
        keys = jnp.where(jnp.isnan(array), _worst(keys.dtype, python), keys)
        # An infinity at the start beats nothing, but no nan takes its place.
        index = jnp.where(jnp.isnan(array[0]) | (keys[0] == _best(keys, python)), 0, _position(keys, python))
        return array[index]
    return array[_position(keys, python)]


def _worst(dtype: Any, python: Callable[..., Any]) -> Any:
    """What no other value of a type is beaten by."""
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.inf if python is min else -jnp.inf
    limits = np.iinfo(dtype)
    return limits.max if python is min else limits.min


def _best(keys: jax.Array, python: Callable[..., Any]) -> jax.Array:
    return jnp.min(keys) if python is min else jnp.max(keys)


def _position(keys: jax.Array, python: Callable[..., Any]) -> jax.Array:
    return jnp.argmin(keys) if python is min else jnp.argmax(keys)


def _chosen(test: Any, new: State, old: State) -> State:
    """`new if test else old`."""
    if not traced(test):
        return new if test else old
    test = truth(test)
    if all(is_arraylike(v) and jnp.ndim(v) == 0 for v in (*new, *old)):
        return tuple(
            a if a is b else jnp.where(test, *long_literals.beside_each_other(a, b))
            for a, b in zip(new, old, strict=True)
        )
    result: State = if_part(test, lambda: new, lambda: old, (), ("the result", "its key"))
    return result


def reduce_(function: Callable[..., Any], iterable: Any, /, *initial: Any) -> Any:
    """`functools.reduce(function, iterable, initial)`."""
    items, function = iterables.looped(iterable), callee(function)
    if items is None or len(initial) > 1:
        return functools.reduce(function, growing_lists.readable(iterable, "reduce()"), *initial)
    names = ("the result",)
    if initial:
        return operator_loop(items, lambda item, result: (function(result, item),), initial, names)[0]
    found, (result,) = _folded(
        items, lambda item: (item,), lambda item, result: (function(result, item),), names
    )
    return _or_default(found, result, _NOTHING, _error_of(lambda: functools.reduce(function, ())))


def first(items: Generated, *default: Any) -> Any:
    """`next(items, default)` of a generator expression that has not started."""
    names = ("the item",)
    known = iterables.as_staged(items)
    if known is not None and not traced(known.length()):
        items.take()
        return known.at(0) if known.length() else next(iter(()), *default)
    state = operator_loop(
        items,
        lambda item, *_: (True, item),
        (False, Undefined("the item")),
        ("found", *names),
        until=lambda found, *_: found,
    )
    found = _or_default(state[0], assigned(state[1]), default[0] if default else _NOTHING, StopIteration())
    for each in options_of(found) if type(found) is OneOf else (found,):
        numpys_arrays.note_copied_item(each)
    return found


def callee(fun: Any) -> Any:
    """What to call in place of a function that was handed over: `max` in `functools.reduce(max, xs)`.

    What a function of the user's writes is noted at the call, which may stand in a loop that is not being traced yet.
    """
    if not tracing_state.is_tracing():
        return fun
    if isinstance(fun, (type, types.BuiltinFunctionType, types.MethodDescriptorType)):
        return calls.call(fun)
    if type(fun) is COMPARING or not callable(fun):
        return fun
    return lambda *args, **kwargs: calls.call(fun)(*args, **kwargs)


def _folded(
    items: Any, begin: Callable[[Any], State], step: Callable[..., State], names: tuple[str, ...]
) -> tuple[Any, State]:
    """A fold that starts from the first item: whether there is one, and the result."""
    staged = iterables.as_staged(items)
    if staged is not None and not traced(staged.length()):
        if isinstance(staged, Generated):
            staged.take()
            staged._spent = False
        if staged.length() == 0:
            return False, tuple(None for _ in names)
        start = begin(staged.at(0))
        return True, operator_loop(iterables.Rest(staged), step, start, names)

    def body(item: Any, found: Any, *state: Any) -> State:
        if any(isinstance(value, Maybe) and value.present is False for value in state):
            # The first item, or the first pass over a loop that will learn the types.
            return True, *begin(item)
        known = tuple(map(assigned, state))
        if found is True:
            return True, *step(item, *known)
        single = len(names) == 1

        def go() -> Any:
            new = step(item, *known)
            return new[0] if single else new

        def start() -> Any:
            new = begin(item)
            return new[0] if single else new

        result = if_part(found, go, start, (), names)
        return (True, result) if single else (True, *result)

    found, *state = operator_loop(items, body, (False, *map(Undefined, names)), ("found", *names))
    return found, tuple(map(assigned, state))


def _or_default(found: Any, result: Any, default: Any, empty: BaseException) -> Any:
    """`result` where something was found, else the default, or the error."""
    if not traced(found):
        if found:
            return result
        if default is _NOTHING:
            raise empty
        return default
    if default is _NOTHING:
        carried_checks.fail_if(not_(found), empty)
        return result
    return if_part(found, lambda: result, lambda: default, (), ("the result",))


def _error_of(action: Callable[[], Any]) -> BaseException:
    """The exception that Python raises, with the message of its version."""
    try:
        action()
    except (ValueError, TypeError) as error:
        return type(error)(*error.args)
    raise AssertionError("the action has to fail")
