"""Held items: what does an object hold, and under which keys? Items, attributes, and what an iterator has yet to give.

No methods of the user's classes run.
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.jax_internals.references.vector_iterator import VectorIterator
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.values import Lazy

_ARRAYS = frozenset({"jax", "jaxlib"})
_PLAIN = _ARRAYS | {"builtins", "autograph_lite", "numpy"}  # of modules and functions, too
Items = Iterable[tuple[Any, Any]]


def items_getter(value: Any) -> Callable[[Any], Items] | None:
    """Gives what an object has got, each with its key; None where it has nothing that matters."""
    kind: type = type(value)
    return items_getter_of_class(kind)


@functools.lru_cache(maxsize=1024)
def items_getter_of_class(kind: type) -> Callable[[Any], Items] | None:
    """Likewise, for the objects of a class."""
    root = str(kind.__module__).partition(".")[0]
    if root in _ARRAYS or issubclass(kind, np.ndarray):
        return of_array
    if kind is Maybe:  # a variable that a loop may have bound
        return _of_maybe
    for base, found in (*_ITEMS.items(), *LAZY.items()):
        if issubclass(kind, base):
            return found
    return None if issubclass(kind, type) or root in _PLAIN else attributes


def values_in(value: Any) -> list[Any]:
    """What an object has got as items and attributes; no methods of the user's classes run."""
    found = items_getter(value)
    return [] if found is None else [item for _, item in found(value)]


def of_array(_value: Any) -> Items:
    """Nothing: an array is looked at as a whole."""
    return ()


def attributes(value: Any) -> Items:
    """Its attributes, in slots or not, by name."""
    return instances.held_by(value).items()


def _of_maybe(value: Maybe) -> Items:
    return [("value", value.value)]


def _of_function(value: types.FunctionType) -> Items:
    return [*enumerate(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).items()]


def _of_generator(value: types.GeneratorType[Any, Any, Any]) -> Items:
    """Its own variables: those of functions around are theirs, which have the new array when it goes on."""
    frame = value.gi_frame
    return (
        []
        if frame is None
        else [(k, v) for k, v in frame.f_locals.items() if k not in frame.f_code.co_freevars]
    )


def _of_iterator(value: Any) -> Items:
    """What an iterator of Python's has yet to give, or was made of: it tells those who copy it."""
    try:
        maker, made_of, *place = value.__reduce__()
    except RuntimeError:  # the dict has got other keys since: the next item is this error
        return ()
    if place and isinstance(made_of[0], (list, tuple)):
        made_of = made_of[0][: place[0] + 1] if maker is reversed else made_of[0][place[0] :]
    return enumerate(made_of)


_EMPTY: dict[Any, Any] = {}
_ITERATORS: tuple[type, ...] = (
    type(iter(np.zeros(1))),  # of what has `__getitem__`
    type(iter([])),
    type(iter(())),
    reversed,  # of what has `__getitem__`, as arrays of jax 0.10
    type(reversed([])),
    *(type(iter(each)) for each in (_EMPTY, _EMPTY.values(), _EMPTY.items())),
    *(type(reversed(each)) for each in (_EMPTY, _EMPTY.values(), _EMPTY.items())),
)
_OF_ITERTOOLS = {kind for kind in vars(itertools).values() if isinstance(kind, type)}
# What reads an array when it is called, or asked for an item.
LAZY: dict[type, Callable[[Any], Items]] = {
    types.FunctionType: _of_function,
    functools.partial: lambda value: [("func", value.func), *enumerate(value.args), *value.keywords.items()],
    types.MethodType: lambda value: [("self", value.__self__)],
    types.GeneratorType: _of_generator,
    Lazy: lambda value: [*vars(value).items()],
    np.flatiter: lambda value: [("base", value.base)],
    np.ndenumerate: lambda value: [("iter", value.iter)],
    np.nditer: lambda value: enumerate(value.operands),
    **dict.fromkeys(_OF_ITERTOOLS, lambda value: enumerate(gc.get_referents(value))),
    **dict.fromkeys((map, zip, filter, enumerate, VectorIterator, *_ITERATORS), _of_iterator),
}

# Past the methods of subclasses; all at once, since another thread may change what is looked at.
_ITEMS: dict[type, Callable[[Any], Items]] = {
    dict: lambda value: [*dict.items(value)],
    list: lambda value: enumerate([*list.__iter__(value)]),
    tuple: lambda value: enumerate(tuple.__iter__(value)),
    collections.deque: lambda value: enumerate([*collections.deque.__iter__(value)]),
}


# Of subclasses nobody knows what else they have.
_INSIDE: dict[type, Callable[[Any], Iterable[Any]]] = {
    dict: lambda container: [*container.values()],  # at once: another thread may change it
    **dict.fromkeys((list, tuple, set, frozenset, collections.deque), lambda container: [*container]),
}


def are_all(container: Any, is_one: Callable[[type], bool]) -> bool:
    """Whether an object is one of Python's containers, and holds nothing but values of such classes."""
    items = _INSIDE.get(type(container))
    return items is not None and all(map(is_one, set(map(type, items(container)))))
