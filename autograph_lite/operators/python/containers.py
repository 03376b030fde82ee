"""Containers: what do methods of Python's containers mean where they compare traced values?

items.sort(), items.index(x), items.count(x)   as Python computes them, without asking for the truth of a comparison
items.remove(x), items.pop(k), del items[k], items.insert(k, x), queue.rotate(k)   numbers change places, and how many
                                               there are is known
table.pop(x), names.add(x)                     refused: the structure would depend on the value
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import jax.numpy as jnp

from autograph_lite.errors import TracedIndexError
from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.branches.truth import truth
from autograph_lite.operators.checks import carried_checks, catching, exception_templates, traced_text
from autograph_lite.operators.effects import journal
from autograph_lite.operators.lists import bounded_growth, list_methods, packing
from autograph_lite.operators.lists.dynamic_length import Stretch, is_dynamic, length_error
from autograph_lite.operators.python import builtins
from autograph_lite.operators.python.logical import asks_user, equal
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import any_traced, as_index, describe, is_arraylike, traced

T = TypeVar("T")
Sequenced = list[Any] | deque[Any]


def _sort(owner: list[Any], /, *, key: Any = None, reverse: Any = False) -> None:
    items = builtins.list_(owner)
    journal.note_change(owner).clear()  # functions that compare see no items, as in Python
    try:
        items = builtins.sorted_(items, key=key, reverse=reverse)
        if owner:
            raise ValueError("list modified during sort")
    finally:
        owner[:] = items


def _known(owner: Any, value: Any) -> bool:
    """Whether Python can compare `value` with all items."""
    return not (any_traced([value, *owner]) or any(map(asks_user, [value, *owner])))


def _same(item: Any, value: Any) -> Any:
    """Whether a container takes an item for `value`."""
    return truth(item is value or equal(item, value))


def _count(owner: Any, value: Any, /) -> Any:
    if _known(owner, value):
        return owner.count(value)
    same = [_same(item, value) for item in owner]
    return _pythons(sum(jnp.asarray(one, int) for one in same)) if any(map(traced, same)) else sum(same)


def _index(owner: Any, value: Any, /, start: Any = 0, stop: Any = sys.maxsize) -> Any:
    is_bounded = traced(start) or traced(stop)
    if _known(owner, value) and not is_bounded:
        return owner.index(value, start, stop)
    numbers = range(len(owner)) if is_bounded else range(len(owner))[start:stop]
    kind = type(owner).__name__
    same: list[Any] = []
    for number in numbers:
        if number >= len(owner):
            break  # a comparison has removed items
        same.append(_same(owner[number], value))
        if same[-1] is True and not is_bounded:
            break  # Python does not compare those that follow
    text = f"{kind}.index(x): x not in {kind}"
    missing = ValueError(
        traced_text.format("{} is not in deque", value) if isinstance(owner, deque) else text
    )
    if is_bounded and same:
        low, high = (list_methods.from_start(bound, len(owner), len(owner)) for bound in (start, stop))
        same = [(low <= number) & (number < high) & one for number, one in zip(numbers, same, strict=False)]
    if not any(map(traced, same)):
        if True not in same:
            if isinstance(owner, deque):
                raise missing
            empty: Any = () if isinstance(owner, tuple) else []
            return empty.index(value)  # for its error, whose words differ from version to version
        return numbers[len(same) - 1]
    found = jnp.stack([*map(jnp.asarray, same)])
    carried_checks.fail_if(jnp.logical_not(jnp.any(found)), missing)
    return _pythons(numbers.start + jnp.argmax(found))


def _pythons(number: Any) -> Any:
    return number_types.pythons_number(number, jnp.result_type(int))


def _remove(owner: Sequenced, value: Any, /) -> None:
    if _known(owner, value):
        return owner.remove(value)
    kind = "deque" if isinstance(owner, deque) else "list"
    missing = ValueError(f"{kind}.remove(x): x not in {kind}")
    for number, item in enumerate(owner):
        same = _same(item, value)
        if traced(same):
            rows = _numbers(owner)
            if rows is None:
                raise TracedIndexError(
                    f"remove() looks for {describe(value)} in a {kind}, and a traced value decides which item it is.",
                    why=f"The items of a {kind} have their places while tracing.",
                    fix="keep the items in an array with a mask of those that count, jnp.where(items == x, False, mask).",
                )
            holds = jnp.stack([jnp.asarray(_same(item, value)) for item in owner])
            carried_checks.fail_if(~jnp.any(holds), missing)
            _without(owner, rows, jnp.argmax(holds))
            return None
        if same:
            if number < len(owner):  # else the comparison has removed it
                del owner[number]
            return None
    raise missing


def _numbers(owner: Sequenced) -> Stretch | None:
    """The items of a list or a deque in one array; None where they are not all numbers, or tuples of numbers."""
    leaves = pytrees.leaves([*owner])
    if not leaves or not all(_is_number(leaf) for leaf in leaves) or not all(map(_is_plain, owner)):
        return None
    return packing.packed(owner)


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (bool, int, float, complex)) or (is_arraylike(leaf) and not jnp.ndim(leaf))


def _is_plain(item: Any) -> bool:
    return all(map(_is_plain, item)) if type(item) is tuple else _is_number(item)


def _without(owner: Sequenced, rows: Stretch, place: Any) -> None:
    """Takes off an item; none where what has looked for it has raised an exception that a `try` catches."""
    order = [jnp.where(k < place, k, k + 1) for k in range(len(owner) - 1)]
    if_part(catching.unraised(), lambda: _rearrange(owner, rows, order), lambda: None)


def _rearrange(owner: Sequenced, rows: Stretch, order: Iterable[Any]) -> None:
    bounded_growth.list_place(journal.note_change(owner)).write(dict(enumerate(map(rows.at, order))))


def _pop(owner: list[Any], place: Any = -1, /) -> Any:
    if not traced(place):
        return _python_pop(owner, place)
    return take_off(owner, place, "pop()", "pop index out of range" if owner else "pop from empty list")


def take_off(owner: Sequenced, place: Any, name: str, message: str) -> Any:
    """Takes an item off at a traced place, and gives it; `message` is that of the IndexError where there is none."""
    missing = IndexError(message)
    if not owner:
        exception_templates.explicit(missing)
        raise missing
    rows = _numbers(owner)
    if rows is None or jnp.ndim(place) or jnp.result_type(place).kind not in "biu":
        raise _no_place(name, owner, place)
    size, place = len(owner), as_index(place)
    place = jnp.where(place < 0, place + size, place)
    carried_checks.fail_if((place < 0) | (place >= size), missing)
    found = rows.at(jnp.clip(place, 0, size - 1))
    _without(owner, rows, place)
    return found


def _rotate(owner: deque[Any], count: Any = 1, /) -> None:
    if not traced(count) or not owner:
        return owner.rotate(count if not traced(count) else 0)
    rows, size = _numbers(owner), len(owner)
    if rows is None:
        raise _no_place("rotate()", owner, count)
    _rearrange(owner, rows, [(k - as_index(count)) % size for k in range(size)])
    return None


def _insert(owner: list[Any], place: Any, value: Any, /) -> None:
    rows = _numbers([*owner, value]) if traced(place) else None
    if rows is None:
        _python_insert(owner, place, value)
        return
    size, place = len(owner), as_index(place)
    place = jnp.clip(jnp.where(place < 0, place + size, place), 0, size)
    order = [jnp.where(k < place, k, jnp.where(k == place, size, k - 1)) for k in range(size + 1)]
    _rearrange(owner, rows, order)


def _extend(owner: deque[Any], items: Any, /) -> None:
    items = builtins.list_(items)
    if owner.maxlen is not None and is_dynamic(items):
        raise length_error(items)
    owner.extend(items)


def key(value: T) -> T:
    """A key of a dict, or an item of a set. Raises TracedIndexError: it is traced."""
    if value.__class__ is not str and any_traced(value):
        raise TracedIndexError(
            f"A traced value, {describe(value)}, is a key of a dict or an item of a set.",
            why="Keys are Python values, known while tracing.",
            fix="use `match` or `if` on the value, or an array indexed by it.",
        )
    return value


def _looking(
    refused: Callable[[str, Any, Any], TracedIndexError], method: Callable[..., Any]
) -> Callable[..., Any]:
    """A method that looks for its first argument: a key, an item, or a place."""

    def run(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        if args and any_traced(args[:1]):
            raise refused(f"{method.__name__}()", owner, args[0])
        try:
            return method(owner, *args, **kwargs)
        except LookupError as error:
            exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
            raise

    return run


def no_key(name: str, owner: Any, value: Any) -> TracedIndexError:
    """The error for a traced value by which a dict or a set is asked."""
    return TracedIndexError(
        f"{name} looks for a traced value, {describe(value)}, in a {type(owner).__name__}.",
        why="The keys of a dict and the items of a set are Python values.",
        fix="use `match` or `if` on the value, `in`, or an array indexed by it.",
    )


def _no_place(name: str, owner: Any, value: Any) -> TracedIndexError:
    kind = "deque" if isinstance(owner, deque) else "list"
    return TracedIndexError(
        f"{name} is given a traced place in a {kind}, {describe(value)}.",
        why=f"The items of a {kind} have their places while tracing: which of them move depends on the value.",
        fix="keep arrays in an array, and move them by an index of it: items[jnp.where(k < i, k, k + 1)] with "
        "k = jnp.arange(len(items) - 1) is without item i. Numbers, and tuples of them, can change places.",
    )


_python_pop, _python_insert = (_looking(_no_place, method) for method in (list.pop, list.insert))
_KEYED = (dict.get, dict.pop, dict.setdefault, set.add, set.discard, set.remove)
OVERLOADS: dict[Any, Any] = {
    list.sort: _sort, list.count: _count, list.index: _index, list.remove: _remove,
    tuple.count: _count, tuple.index: _index,
    **{method: _looking(no_key, method) for method in _KEYED},
    list.pop: _pop, list.insert: _insert,
    deque.count: _count, deque.index: _index, deque.remove: _remove, deque.rotate: _rotate,
    deque.extend: _extend,
}  # fmt: skip
