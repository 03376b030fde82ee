"""Opaque objects: which ones of libraries change so that no program can carry it, and what tells that they did?

    rng.random(), text.write("x"), numbers[0] = 5      for a random.Random, an io.StringIO, an array.array

Their state is kept before a staged statement, put back after it, and a change of it is refused. Other objects that are
written in C, such as a hash, a database's cursor or an open file, tell nobody what is in them: they are not followed.
"""

from __future__ import annotations

import array
import collections
import contextlib
import functools
import io
import pickle
import queue
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_lite.operators.object_graph import context_variables
from autograph_lite.operators.values.place import Place

RANDOMNESS = "use jax.random, with a key that the function is given and splits."
_ITEMS = "make it an array of JAX's, jnp.asarray(...), and bind the changed array to the name."
_QUEUE = "return the value, and put it into the queue after the call."
_STACK = "call it before the statement, or write a `with` inside the statement."
_TEXT = "collect the values in a list, or show them with autograph_lite.print."


def _set_array_items(owner: array.array[Any], items: bytes) -> None:
    owner[:] = array.array(owner.typecode, items)


def _set_memory(owner: memoryview, items: bytes) -> None:
    if not owner.readonly and owner.c_contiguous:
        owner.cast("B")[:] = items


def _text(owner: Any) -> Any:
    return None if owner.closed else (owner.getvalue(), owner.tell())


def _set_text(owner: Any, state: Any) -> None:
    if state is not None and not owner.closed:
        text, position = state
        owner.seek(0)
        owner.truncate()
        owner.write(text)
        owner.seek(position)


def _random(owner: random.Random) -> Any:
    return None if isinstance(owner, random.SystemRandom) else random.Random.getstate(owner)


def _set_random(owner: random.Random, state: Any) -> None:
    if state is not None:
        random.Random.setstate(owner, state)


def _numpy_random(owner: Any) -> bytes:
    return pickle.dumps(_bits(owner).state)


def _set_numpy_random(owner: Any, state: bytes) -> None:
    _bits(owner).state = pickle.loads(state)


def _bits(owner: Any) -> Any:
    if isinstance(owner, np.random.RandomState):
        return owner._bit_generator
    return owner.bit_generator if isinstance(owner, np.random.Generator) else owner


def _callbacks(owner: Any) -> tuple[Any, ...]:
    return tuple(owner._exit_callbacks)


def _set_callbacks(owner: Any, callbacks: tuple[Any, ...]) -> None:
    owner._exit_callbacks = collections.deque(callbacks)


# What is kept of an object of each type, how it is put back, and what to do instead.
_KINDS: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], None], str]] = {
    array.array: (lambda owner: owner.tobytes(), _set_array_items, _ITEMS),
    memoryview: (lambda owner: owner.tobytes(), _set_memory, _ITEMS),
    io.StringIO: (_text, _set_text, _TEXT),
    io.BytesIO: (_text, _set_text, _TEXT),
    contextlib.ExitStack: (_callbacks, _set_callbacks, _STACK),
    contextlib.AsyncExitStack: (_callbacks, _set_callbacks, _STACK),
    queue.SimpleQueue: (context_variables.queued, context_variables.set_queued, _QUEUE),
    random.Random: (_random, _set_random, RANDOMNESS),
    np.random.Generator: (_numpy_random, _set_numpy_random, RANDOMNESS),
    np.random.RandomState: (_numpy_random, _set_numpy_random, RANDOMNESS),
    np.random.BitGenerator: (_numpy_random, _set_numpy_random, RANDOMNESS),
}
KINDS = tuple(_KINDS)

# The generators behind the functions of the modules `random` and `numpy.random`, which no variable holds.
MODULES = (random.random.__self__, np.random.rand.__self__)  # type: ignore[attr-defined]


def opaque_place(owner: Any) -> Place | None:
    """The place that such an object is; None where it is another kind of object."""
    if not isinstance(owner, KINDS):
        return None
    read, write, _ = _kind_of(owner)

    def restore(new: dict[Any, Any]) -> None:
        if new["state"] != read(owner):
            write(owner, new["state"])

    return Place(
        owner, lambda: {"state": read(owner)}, restore, lambda _: f"a {type(owner).__name__}", opaque=True
    )


def opaque_advice(owner: Any) -> str:
    """What to do in place of a change to such an object."""
    return _kind_of(owner)[2]


def _kind_of(owner: Any) -> tuple[Callable[[Any], Any], Callable[[Any, Any], None], str]:
    return next(row for kind, row in _KINDS.items() if isinstance(owner, kind))


def holds_others(owner: Any) -> bool:
    """Whether an object keeps what it holds in containers that the standard library's own methods change."""
    kind: type = type(owner)
    return _is_holder(kind)


@functools.lru_cache(maxsize=1024)
def _is_holder(kind: type) -> bool:
    return any(base.__module__ in _HOLDERS for base in kind.__mro__)


# ChainMap, UserDict, WeakKeyDictionary, Queue and their like. In other modules, a logger's or a path's containers are
# caches, which change where the user's program changes nothing.
_HOLDERS = frozenset({"collections", "weakref", "_weakrefset", "queue"})
