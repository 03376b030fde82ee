"""Iterators: may a loop that a traced value ends take all items of one of Python's while it is traced?

for v in itertools.islice(xs, 4):     yes: the loop has made it, nobody else takes items from it, and it ends
for v in it:                          no: code after the loop may go on with it
for v in zip(it, xs):                 no: likewise, as somebody else holds `it`
any(v > 0 for v, w in zip(xs, ws))    yes: likewise
for v in itertools.count():           no: it never ends
"""

from __future__ import annotations

import gc
import inspect
import io
import itertools
import operator
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_lite.jax_internals.references.vector_iterator import VectorIterator
from autograph_lite.syntax.source_text import texts

MOST = 1024  # items of an iterator that may have no end
_MADE = re.compile(r"\s*for\b.*?\bin\s+([\w.]+)\(")
_MAKERS = (enumerate, zip, reversed)
_EXPRESSION = re.compile(r"\s*for\b.*?\bin\s+\(.+\bfor\b")
_BACKWARDS: tuple[type, ...] = (
    reversed, type(reversed([])), type(reversed(range(0))), type(reversed(range(2**70))),
    type(reversed({})), type(reversed({}.values())), type(reversed({}.items())),
)  # fmt: skip
_MOVING: tuple[type, ...] = (
    *(enumerate, zip, *_BACKWARDS, type(iter([])), type(iter(())), type(iter("")), type(iter(range(0)))),
    VectorIterator,
    *(type(iter({})), type(iter({}.values())), type(iter({}.items())), type(iter(set()))),
)
_BY_INDEX = type(iter(np.empty(1)))  # takes items by `__getitem__`, of whatever it runs over
_ALL_IN_STEP: tuple[type, ...] = (zip, map, itertools.starmap)
_IN_STEP: tuple[type, ...] = (
    enumerate,
    filter,
    itertools.accumulate,
    itertools.dropwhile,
    itertools.pairwise,
)


def is_own(iterator: Any, body_fun: Callable[..., Any]) -> bool:
    """Whether the header of a loop makes the iterator that it runs over, of nothing that others take items from."""
    code = body_fun.__code__
    return _is_made(iterator, texts.line(code, code.co_firstlineno)) and not _shares(iterator)


def is_own_of(maker: Any, iterator: Any) -> bool:
    """`is_own` for what a call of `maker` has made, where taking an item runs nothing of the user's."""
    return any(maker is one for one in _MAKERS) and _only_moves(iterator) and not _shares(iterator)


def _is_made(iterator: Any, header: str) -> bool:
    if isinstance(iterator, types.GeneratorType) and _EXPRESSION.match(header):
        return True
    made = _MADE.match(header)
    if made is None:
        return False
    names = made[1].split(".")
    if isinstance(iterator, types.GeneratorType):
        return iterator.gi_code.co_name in names
    return type(iterator).__name__ in names or (names[-1] == "reversed" and isinstance(iterator, _BACKWARDS))


def source_iterators(iterator: Any) -> list[Any]:
    """The iterators that an iterator takes its items from."""
    held = [*gc.get_referents(iterator)]
    if isinstance(iterator, types.GeneratorType):
        held = [iterator.gi_frame.f_locals.get(".0")] if iterator.gi_frame else []
    held += [item for each in held if isinstance(each, tuple) for item in each]
    return [each for each in held if isinstance(each, Iterator)]


def _only_moves(iterator: Any) -> bool:
    if type(iterator) is _BY_INDEX:
        return all(type(each) is np.ndarray for each in gc.get_referents(iterator))
    return isinstance(iterator, _MOVING) and all(map(_only_moves, source_iterators(iterator)))


def _shares(iterator: Any) -> bool:
    """Whether anybody else holds an iterator that this one takes its items from, directly or not."""
    inner = source_iterators(iterator)
    return max(map(sys.getrefcount, inner), default=0) > _own(iterator) or any(map(_shares, inner))


def _own(iterator: Any) -> int:
    """How many references are counted to what only an iterator holds."""
    if not isinstance(iterator, types.GeneratorType):
        return _HELD
    return _HELD_BY_EXPRESSION + (inspect.getgeneratorstate(iterator) != inspect.GEN_CREATED)


_EXAMPLE, _EXPRESSION_EXAMPLE = enumerate(iter(())), (item for item in iter([0]))
_HELD = max(map(sys.getrefcount, source_iterators(_EXAMPLE)))
_HELD_BY_EXPRESSION = max(map(sys.getrefcount, source_iterators(_EXPRESSION_EXAMPLE)))


def is_endless_iterator(iterator: Any) -> bool:
    """Whether it is known that an iterator has no last item."""
    if isinstance(iterator, (itertools.count, itertools.cycle)):
        return True
    if isinstance(iterator, itertools.repeat):
        return operator.length_hint(iterator, -1) < 0
    inner = source_iterators(iterator) if isinstance(iterator, (*_ALL_IN_STEP, *_IN_STEP)) else []
    return bool(inner) and all(map(is_endless_iterator, inner))


def is_pythons(value: Any) -> bool:
    """Whether a value is an iterator as Python's own are, generators or written in C: of `iter`, `itertools`, `csv`."""
    return is_read(value) and not isinstance(value, io.IOBase)  # a file moves when it is written, too


def is_read(value: Any) -> bool:
    """Whether a value is such an iterator, or a file."""
    return isinstance(value, (types.GeneratorType, *_MOVING)) or (
        isinstance(value, Iterator) and isinstance(type(value).__next__, types.WrapperDescriptorType)
    )


_OF_LISTS: tuple[type, ...] = type(iter([])), type(reversed([]))


def position(iterator: Any) -> Any:
    """What changes when items are taken from an iterator of Python's, as far as that can be told."""
    if isinstance(iterator, types.GeneratorType):
        frame = iterator.gi_frame
        if frame is None:
            return None
        own = {k: v for k, v in frame.f_locals.items() if k not in iterator.gi_code.co_freevars}
        return frame.f_lasti, {k: position(v) if is_pythons(v) else _identified(v) for k, v in own.items()}
    if isinstance(iterator, _OF_LISTS):
        return iterator.__reduce__()[2:]  # not its length, as the list may grow
    if isinstance(iterator, itertools.count):
        return repr(iterator)
    # The last item, or nothing at the end.
    held = [] if isinstance(iterator, _MOVING) else gc.get_referents(iterator)
    return (
        operator.length_hint(iterator, -1),
        [*map(position, filter(is_pythons, source_iterators(iterator)))],
        [(id(each), [*map(id, each)] if type(each) is tuple else None) for each in held],
    )


def _identified(value: Any) -> Any:
    return repr(value) if isinstance(value, (int, float, str)) else id(value)  # nan is not equal to itself
