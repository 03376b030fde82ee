"""Augmented assignment: what may `xs += ys` change in place, among all that a function's variables lead to?

    xs += [x]; self.rows += [x]           a list, a set, a deque, an array of NumPy's: Python changes the object itself

Generated code keeps the statement as it is, since most are on numbers. So what they may change is noted before a function runs
that has such statements.
"""

from __future__ import annotations

import array
import collections
import dis
import types
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.operators.object_graph import held_items, opaque_objects
from autograph_lite.operators.object_graph.reachability import by_code, held_in_cells
from autograph_lite.operators.purity import trial
from autograph_lite.operators.user_code import ownership

# Of an array that no name leads to and that is copied; of a larger one a checksum tells that it changes.
_MOST_BYTES = 1 << 16
_SEQUENCES = (list, bytearray, collections.deque, array.array)
_CHANGED = {"+=": _SEQUENCES, "*=": _SEQUENCES, "|=": (set, dict), "&=": (set,), "-=": (set,), "^=": (set,)}


@by_code
def operators(code: types.CodeType) -> frozenset[str]:
    """The operators of the augmented assignments; `i += 1` counts as "number", which no container takes."""
    found, before = set(), None
    for each in dis.get_instructions(code):
        if each.opname == "BINARY_OP" and each.argrepr.endswith("="):
            number = (
                before is not None and "CONST" in before.opname and isinstance(before.argval, (int, float))
            )
            found.add("number" if number and each.argrepr != "*=" else each.argrepr)
        before = each
    return frozenset(found)


def changeable(values: Iterable[Any], operators: frozenset[str]) -> Iterator[tuple[Any, bool]]:
    """What augmented assignments with these operators may change in place: the values, and what is in these.

    With each, whether it is an array that is too large to be copied.
    """
    kinds = tuple(kind for operator in operators for kind in _CHANGED.get(operator, ()))
    todo = collections.deque((value, True) for value in values)
    seen: set[int] = set()
    while todo:
        value, named = todo.popleft()
        value = value.value if isinstance(value, Maybe) else value
        if isinstance(value, (jax.Array, *_PLAIN)) or id(value) in seen:
            continue
        seen.add(id(value))
        trial.refuse_augmented(value)
        if isinstance(value, np.ndarray):
            yield value, not named and value.nbytes > _MOST_BYTES
            continue
        if isinstance(value, kinds) or (kinds and opaque_objects.holds_others(value)):
            yield value, False
        by_name = named and held_items.items_getter(value) is held_items.attributes
        if not held_items.are_all(value, lambda kind: issubclass(kind, (jax.Array, *_PLAIN))):
            todo.extend((item, by_name) for item in _inside(value))
        kind = value if isinstance(value, type) else type(value)
        if ownership.is_users_class(kind):
            held = (item for each in kind.__mro__ for item in vars(each).values())
            todo.extend((item, named) for item in held if isinstance(item, _HELD_BY_CLASSES))


_HELD_BY_CLASSES = (np.ndarray, list, dict, set, collections.deque)
_PLAIN = (types.NoneType, bool, int, float, complex, str, bytes)


def checksum(array: np.ndarray[Any, Any]) -> int:
    """A number that is another one, but for one case in four thousand million, when an array has got other items."""
    return zlib.crc32(array.data.cast("B") if array.flags.c_contiguous and array.size else array.tobytes())


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, types.MethodType):
        return value.__self__, value.__func__
    return held_in_cells(value) if isinstance(value, types.FunctionType) else held_items.values_in(value)
