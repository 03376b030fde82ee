"""Builtins that have an array meaning where an argument is traced; Python's own everywhere else."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.errors import IterationError
from autograph_lite.operators import checks, iterables, journal, where
from autograph_lite.operators.logical import and_, or_
from autograph_lite.operators.values import describe, traced


def range_(*args: Any) -> Any:
    """`range(...)`, staged where a bound is traced."""
    if not any(map(traced, args)):
        return range(*args)
    bounds = [*args]
    if not 1 <= len(bounds) <= 3:
        return range(*args)  # Python's own error
    for bound in bounds:
        if not jnp.issubdtype(jnp.result_type(bound), jnp.integer) or jnp.ndim(bound):
            raise TypeError(f"range() takes integers; a bound is {describe(bound)}.")
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if traced(step):
        checks.fail_if(step == 0, ValueError("range() arg 3 must not be zero"))
    elif step == 0:
        return range(0, 1, 0)
    return iterables.Range(start, stop, step)


def len_(value: Any) -> Any:
    """`len(value)`: the size of the leading axis of an array."""
    if isinstance(value, jax.Array):
        if value.ndim == 0:
            raise TypeError("len() of unsized object")
        return value.shape[0]
    if isinstance(value, iterables.Staged):
        return value.length()
    return len(value)


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(iterable, start)`."""
    found = iterables.staged(iterable)
    return enumerate(iterable, start) if found is None else iterables.Enumerated(found, start)


def zip_(*args: Any, strict: bool = False) -> Any:
    """`zip(*args)`, staged where all arguments are arrays or ranges and one is traced."""
    found = iterables.combined(args)
    if found is None:
        return zip(*args, strict=strict)
    new = iterables.Zipped(found)
    lengths = [part.length() for part in found]
    if strict and not any(map(traced, lengths)) and len(set(lengths)) > 1:
        return zip(*map(range, lengths), strict=True)  # Python's own error
    return new


def reversed_(value: Any) -> Any:
    """`reversed(value)`."""
    found = iterables.staged(value)
    return reversed(value) if found is None else iterables.Reversed(found)


def map_(fun: Callable[..., Any], *args: Any) -> Any:
    """`map(fun, *args)`."""
    found = iterables.combined(args)
    return map(fun, *args) if found is None else iterables.Mapped(fun, iterables.Zipped(found))


def abs_(value: Any) -> Any:
    """`abs(value)`."""
    return jnp.abs(value) if traced(value) else abs(value)


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int(x)`: truncation towards zero, as an int32 scalar that adds like a Python int."""
    if len(args) == 1 and traced(args[0]):
        return _scalar(args[0], int)
    return int(*args, **kwargs)


def float_(*args: Any) -> Any:
    """`float(x)`: a scalar that adds like a Python float."""
    return _scalar(args[0], float) if len(args) == 1 and traced(args[0]) else float(*args)


def bool_(*args: Any) -> Any:
    """`bool(x)`."""
    from autograph_lite.operators.conditions import truth

    return truth(args[0]) if len(args) == 1 and traced(args[0]) else bool(*args)


def _scalar(value: Any, kind: type) -> Any:
    from autograph_lite import _jax

    array = jnp.asarray(value)
    if array.size != 1:
        raise TypeError(f"only a scalar can become a Python {kind.__name__}; this is {describe(value)}.")
    if kind is int and jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise TypeError("int() argument must be a real number, not 'complex'")
    return _jax.as_type(array.reshape(()), jnp.result_type(kind), True)


def round_(value: Any, ndigits: Any = None) -> Any:
    """`round(value, ndigits)`: to even; an int where `ndigits` is None."""
    if not traced(value):
        return round(value) if ndigits is None else round(value, ndigits)
    if ndigits is None:
        return _scalar(jnp.round(value), int)
    return jnp.round(value, ndigits)


def min_(*args: Any, **kwargs: Any) -> Any:
    """`min(...)`."""
    return _extreme(min, jnp.minimum, args, kwargs)


def max_(*args: Any, **kwargs: Any) -> Any:
    """`max(...)`."""
    return _extreme(max, jnp.maximum, args, kwargs)


def _extreme(python: Callable[..., Any], pair: Callable[[Any, Any], Any], args: tuple[Any, ...], kwargs: Any) -> Any:
    values = args
    if len(args) == 1:
        found = iterables.staged(args[0])
        if found is None and not isinstance(args[0], (list, tuple)):
            return python(*args, **kwargs)
        if found is not None and not kwargs and isinstance(args[0], jax.Array) and args[0].ndim == 1:
            return jnp.min(args[0]) if python is min else jnp.max(args[0])
        values = tuple(args[0])
    if not any(map(traced, values)) or not values:
        return python(*args, **kwargs)
    key = kwargs.get("key")
    if key is None:
        result = values[0]
        for value in values[1:]:
            result = pair(result, value)
        return result
    from autograph_lite.operators.if_stmt import if_stmt

    best, best_key = values[0], key(values[0])
    for value in values[1:]:
        now = key(value)
        better = now < best_key if python is min else now > best_key
        best, best_key = if_stmt(
            better, lambda v=value, k=now: (v, k), lambda v=best, k=best_key: (v, k), names=("the result", "its key")
        )
    return best


_ZERO = object()


def sum_(iterable: Any, /, start: Any = _ZERO) -> Any:
    """`sum(iterable, start)`: over the leading axis of an array, from left to right elsewhere."""
    if isinstance(iterable, jax.Array) and traced(iterable) and iterable.ndim:
        total = jnp.sum(iterable, axis=0, dtype=iterable.dtype if iterable.dtype != bool else None)
        return total if start is _ZERO else start + total
    start = 0 if start is _ZERO else start
    found = iterables.staged(iterable)
    if found is None:
        return sum(iterable, start)
    from autograph_lite.operators.for_stmt import for_stmt

    def add(item: Any, total: Any) -> Any:
        return (total + item,)

    return for_stmt(found, add, (start,))[0]


def any_(iterable: Any) -> Any:
    """`any(iterable)`."""
    return _quantified(iterable, any, or_, False)


def all_(iterable: Any) -> Any:
    """`all(iterable)`."""
    return _quantified(iterable, all, and_, True)


def _quantified(iterable: Any, python: Callable[[Any], bool], join: Callable[..., Any], empty: bool) -> Any:
    from autograph_lite.operators.conditions import truth

    if isinstance(iterable, jax.Array) and traced(iterable) and iterable.ndim == 1:
        return (jnp.any if python is any else jnp.all)(iterable)
    found = iterables.staged(iterable)
    if found is not None:
        from autograph_lite.operators.for_stmt import for_stmt

        def step(item: Any, result: Any) -> Any:
            return (join(result, lambda: truth(item)),)

        return for_stmt(found, step, (empty,), until=lambda result: result if python is any else ~jnp.asarray(result))[0]
    result: Any = empty
    for item in iterable:
        if traced(item) or traced(result):
            result = join(result, lambda item=item: truth(item))
        elif bool(item) is not empty:
            return not empty
    return result


def sorted_(iterable: Any, /, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted(...)`: of a traced vector, its items in order, as an array's rows."""
    if isinstance(iterable, jax.Array) and traced(iterable) and iterable.ndim == 1:
        keys = jax.vmap(key)(iterable) if key is not None else iterable
        order = jnp.argsort(keys, stable=True, descending=bool(reverse))
        return list(iterable[order])
    values = list(iterable)
    if key is None and any(map(traced, values)):
        ordered = jnp.sort(jnp.stack(list(map(jnp.asarray, values))), descending=bool(reverse))
        return list(ordered)
    return sorted(values, key=key, reverse=reverse)


def next_(iterator: Any, *default: Any) -> Any:
    """`next(iterator)`: refused in a staged body, where it would take one item for all iterations."""
    if journal.depth() > 1 and not isinstance(iterator, (iterables.Staged, jax.Array)):
        raise IterationError(
            f"next() is called on a {type(iterator).__name__} inside a staged statement.",
            where=where.here(),
            why="The statement is traced once, so that every execution would get the same item, whether it runs or not.",
            fix="take the item before the statement, or iterate over an array.",
        )
    return builtins.next(iterator, *default)


def setattr_(owner: Any, name: str, value: Any) -> None:
    """`setattr(owner, name, value)`."""
    builtins.setattr(journal.record(owner), name, value)


def delattr_(owner: Any, name: str) -> None:
    """`delattr(owner, name)`."""
    builtins.delattr(journal.record(owner), name)


OVERLOADS: dict[Any, Any] = {
    range: range_, len: len_, enumerate: enumerate_, zip: zip_, reversed: reversed_, map: map_, abs: abs_, int: int_,
    float: float_, bool: bool_, round: round_, min: min_, max: max_, sum: sum_, any: any_, all: all_,
    sorted: sorted_, next: next_, setattr: setattr_, delattr: delattr_,
}  # fmt: skip
