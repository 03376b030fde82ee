"""Items that are written where nothing is traced: Python's own way for its containers; an array is a value here, too.

`ag.put`, `ag.put_at` and `ag.update_at` are `ag.set_item`, `ag.store` and `ag.update_item` of the light body, and the
others are these for the commonest targets. Nothing is noted, since there is no trace that would have to carry it or undo it.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_lite.converters.python_ops import IN_PLACE, evaluated
from autograph_lite.operators.aliasing import immutable_owners
from autograph_lite.operators.items import subscripts

# What Python changes in place, by methods that no user wrote.
CHANGED: frozenset[Any] = frozenset({
    list, dict, np.ndarray, bytearray, collections.deque, collections.defaultdict, collections.OrderedDict,
    collections.Counter,
})  # fmt: skip


def put(base: Any, index: Any, value: Any) -> Any:
    """`base[index] = value`; returns what the name is bound to then."""
    if base.__class__ in CHANGED:
        base[index] = value
        return base
    return subscripts.store(value, base, (index,))


def put_into(value: Any, base: Any, index: Any) -> None:
    """`base[index] = value`, where no name is bound to `base`. Raises MutationError: an array would be lost."""
    if base.__class__ in CHANGED:
        base[index] = value
    else:
        subscripts.store_shared(value, base, (index,))


def put_of(value: Any, base: Any, name: str, owner: Any, index: Any) -> None:
    """`base.name[index] = value`, where `base.name` is `owner`."""
    if owner.__class__ in CHANGED:
        owner[index] = value
    else:
        _kept((base,), (name, index), owner, subscripts.store(value, owner, (index,)))


def update_of(base: Any, name: str, owner: Any, index: Any, symbol: str, operand: Callable[[], Any]) -> None:
    """`base.name[index] += operand()`, for the symbol `'+='`, where `base.name` is `owner`, which Python does not change."""
    _kept((base,), (name, index), owner, subscripts.update_item(owner, (index,), symbol, operand))


def put_at(value: Any, base: Any, *steps: Any) -> Any:
    """`base.a[i] = value` for the steps `'a', (i,)`; returns what `base` is then."""
    owners, owner, known = _reached(base, steps)
    last = known[-1]
    if owner.__class__ in CHANGED:
        owner[last[0]] = value
        return base
    return _kept(owners, known, owner, subscripts.store(value, owner, last))


def update_at(base: Any, *steps_symbol_operand: Any) -> Any:
    """`base.a[i] += operand()` for the steps `'a', (i,)` and the symbol `'+='`; returns what `base` is then."""
    *given, symbol, operand = steps_symbol_operand
    owners, owner, steps = _reached(base, given)
    last = steps[-1]
    if owner.__class__ in CHANGED:
        index = last[0]
        owner[index] = IN_PLACE[symbol](owner[index], operand())
        return base
    return _kept(owners, steps, owner, subscripts.update_item(owner, last, symbol, operand))


def put_shared(value: Any, base: Any, *steps: Any) -> None:
    """`put_at` where no name of the function is bound to `base`. Raises MutationError: an array would be lost."""
    subscripts.refuse_new_array(base, put_at(value, base, *steps))


def update_at_shared(base: Any, *steps_symbol_operand: Any) -> None:
    """`update_at` where no name of the function is bound to `base`. Raises MutationError: an array would be lost."""
    subscripts.refuse_new_array(base, update_at(base, *steps_symbol_operand))


def _reached(base: Any, given: Sequence[Any]) -> tuple[list[Any], Any, list[Any]]:
    """The owners on the way to the item that the last step names, that of the item, and the steps, evaluated in turn."""
    owners: list[Any] = []
    steps: list[Any] = []
    owner = base
    for each in given[:-1]:
        step = evaluated(each)
        steps.append(step)
        owners.append(owner)
        if step.__class__ is str:
            owner = getattr(owner, step)
        else:
            owner = owner[step[0]] if owner.__class__ in CHANGED else subscripts.item(owner, step[0])
    steps.append(evaluated(given[-1]))
    return owners, owner, steps


def _kept(owners: Sequence[Any], steps: Sequence[Any], old: Any, new: Any) -> Any:
    """What the first owner is when `new` has taken the place of `old`, which the last one holds."""
    for owner, step in zip(reversed(owners), reversed(steps[:-1]), strict=True):
        if new is old:
            return owners[0]
        if step.__class__ is str:
            immutable_owners.check_attribute(owner, step, new)
            setattr(owner, step, new)
            return owners[0]
        old, new = owner, immutable_owners.with_item(owner, step[0], new, put)
    return new
