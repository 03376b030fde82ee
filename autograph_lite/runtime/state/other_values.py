"""Other values: has Python put another value in the place of one, while a function was traced? Then the next call is to find it.

self.x = self.x + self.v          arrays, with no traced value in them
self.t += 1                       a number
self.mode = "b"                   a text, a flag, an enum
self.a, self.b = self.b, self.a   objects that were there
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from autograph_lite.errors import MutationError
from autograph_lite.operators.lists import dynamic_length
from autograph_lite.operators.object_graph import reachability
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.place import MISSING, Place
from autograph_lite.operators.values.values import Tracer, is_arraylike

ARRAYS = (np.ndarray, np.generic, jax.Array)
NUMBERS = (bool, int, float, complex)
MAKING = ("__init__", "__new__", "__post_init__")  # methods that make objects
_VALUES = (*NUMBERS, str, bytes, type(None))
_LITERALS = (enum.Enum, type, types.FunctionType, types.BuiltinFunctionType, np.ufunc, np.dtype)


def _pairs(new: Any, old: Any) -> list[tuple[Any, Any]]:
    """What a place holds, and has held: of lists, tuples and dicts of one structure, what is in them."""
    kinds = (list, tuple, dict)
    if (
        new is old
        or not (isinstance(new, kinds) and isinstance(old, kinds))
        or dynamic_length.is_dynamic(new)
    ):
        return [(new, old)]
    leaves, tree = pytrees.flatten(new)
    others, other_tree = pytrees.flatten(old)
    return [*zip(leaves, others, strict=True)] if tree == other_tree else []


def is_another(new: Any, old: Any) -> bool:
    """Whether Python has put an array in the place of another one: `s.x = s.x + 1` of arrays that are known while tracing."""
    if type(old) in NUMBERS and isinstance(new, np.ndarray):
        return True
    if new is old or not all(isinstance(each, ARRAYS) for each in (new, old)):
        return False
    if not (is_arraylike(new) and is_arraylike(old)) or isinstance(old, Tracer):
        return False
    # `s.x += 1` may leave one of 32 bits, and has changed the array itself
    return not np.array_equal(new, np.asarray(old).astype(new.dtype), equal_nan=new.dtype.kind in "fc")


def is_other_array(value: Any, before: Any, was_there: Callable[[Any], bool]) -> bool:
    """Whether Python has put an array, or what holds some, in the place of another, or has taken one away.

    Args:
      value: what a place holds.
      before: what it has held.
      was_there: whether a value was to be seen before: an array that was is put there as it is.
    """
    if value is MISSING:
        return isinstance(before, ARRAYS) and not isinstance(before, Tracer)
    if _are_objects(value, before):
        return was_there(value)
    return any(is_another(*pair) and not was_there(pair[0]) for pair in _pairs(value, before))


def other_values(value: Any, before: Any) -> list[tuple[Any, Any]]:
    """The numbers, texts and the like that Python has put in the place of others, with these."""
    return [pair for pair in _pairs(value, before) if _is_other_value(*pair)]


def _is_other_value(new: Any, old: Any) -> bool:
    if isinstance(old, np.generic):
        old = old.item()
    elif isinstance(new, np.generic):
        new = new.item()
    if not all(type(each) in _VALUES or isinstance(each, _LITERALS) for each in (new, old)):
        return False
    if isinstance(new, _LITERALS) or isinstance(old, _LITERALS):
        return new is not old and not (type(new) is type(old) and new == old)
    return (type(new), repr(new)) != (type(old), repr(old))


def is_named_elsewhere(owner: Any, name: Any, executed: Iterable[types.CodeType]) -> bool:
    """Whether methods of an object's class name an attribute, or a key, that have not run, but for those that make it."""
    ran = {(code.co_name, code.co_firstlineno) for code in executed}
    methods = [
        fn
        for base in type(owner).__mro__
        if ownership.is_users_own_class(base)
        for key, value in vars(base).items()
        if key not in MAKING
        for fn in ownership.functions_of(value)
    ]
    others = [fn.__code__ for fn in methods if isinstance(fn, types.FunctionType) and ownership.is_users(fn)]
    return any(
        (name in reachability.names_used(code) or name in code.co_consts)
        and (code.co_name, code.co_firstlineno) not in ran
        for code in others
    )


def _are_objects(new: Any, old: Any) -> bool:
    """Whether Python has put an object in the place of another one."""
    own = all(
        ownership.is_users_class(type(each)) and pytrees.flatten(each)[0][:1] == [each] for each in (new, old)
    )
    return own and new is not old


def holds_tracer(value: Any) -> bool:
    """Whether a traced value, or a symbolic size, stands anywhere in `value`."""
    return any(isinstance(leaf, Tracer) or export.is_symbolic_dim(leaf) for leaf in pytrees.leaves(value))


def widened(value: Any, *, deep: bool, kinds: tuple[type, ...] = NUMBERS) -> Any:
    """Numbers that an object holds become inputs like arrays: the next call will find an array there."""
    if deep and isinstance(value, (list, tuple, dict)):
        leaves, tree = pytrees.flatten(value)
        return jax.tree.unflatten(tree, [widened(leaf, deep=False, kinds=kinds) for leaf in leaves])
    return jnp.asarray(value) if isinstance(value, kinds) else value


def refuse_appended(place: Place, arrays: Sequence[Any], before: Sequence[Any]) -> None:
    """Raises MutationError where a list from outside gets an array to which the program writes: each call would do that."""
    if any(sum(each is array for each in arrays) > sum(each is array for each in before) for array in arrays):
        raise MutationError(
            f"'{place.label('items')}' gets an array of NumPy's from outside of the function, to which the function writes.",
            where=source_places.here(),
            why="Each call would put the array itself there, once more, and a program gives arrays of its own.",
            fix="append a copy: x.copy().",
        )
