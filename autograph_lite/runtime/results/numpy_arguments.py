"""NumPy's arguments: what does a call leave in the arrays of NumPy's that it was given? What NumPy would have left there.

A program is made for arrays of JAX's, and one with more outputs for NumPy's, if the function writes to them. Which of them
it writes, and so which have to be told apart, is known when it was traced once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from autograph_lite.errors import MutatedArgumentError
from autograph_lite.jax_internals import numpy_constants
from autograph_lite.jax_internals.references import storages
from autograph_lite.jax_internals.references.storages import References
from autograph_lite.operators.aliasing import arrays_left_twice
from autograph_lite.operators.aliasing.callers_arrays import Argument
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import describe
from autograph_lite.runtime.state import left_arrays


class Lent(NamedTuple):
    """An array or a number of NumPy's among those of a call."""

    first: int  # the number of the first that is the same array
    is_writeable: bool  # whether NumPy lets anybody write to it
    # how many items further the next one along each axis lies; None in C's order
    strides: tuple[int, ...] | None
    dtype: np.dtype[Any] | None = None  # its type, where JAX has another one for it, of 32 bits
    is_number: bool = False  # whether it is no array, but a number
    is_left: bool = False  # whether it is one of JAX's that a call has left in place of NumPy's
    is_shared: bool = False  # whether others that were left may share its items in Python


Key = tuple[Lent | None, ...]


def lent(arrays: Sequence[Any]) -> Key:
    """For each array of a call, what is known of it where it is NumPy's."""
    first: dict[int, int] = {}
    return tuple(
        Lent(
            first.setdefault(id(array), number),
            array.flags.writeable,
            _strides(array),
            _type(array.dtype),
            is_shared=bool(arrays_left_twice.others_of(array)),
        )
        if isinstance(array, np.ndarray)
        else Lent(number, False, None, is_number=True)
        if isinstance(array, np.generic)
        else Lent(
            first.setdefault(id(array), number),
            True,
            None,
            is_left=True,
            is_shared=bool(arrays_left_twice.others_of(array)),
        )
        if left_arrays.is_left(array)
        else None
        for number, array in enumerate(arrays)
    )


def _strides(array: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    return None if array.flags.c_contiguous else tuple(step // array.itemsize for step in array.strides)


def _type(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    return None if dtype.kind not in "iufc" or jax.dtypes.canonicalize_dtype(dtype) == dtype else dtype


def told_apart(found: Key, asked: Collection[int]) -> Key:
    """What matters of it where these arrays may be written: all that are one of them."""
    firsts = {each.first for number in asked if (each := found[number]) is not None}
    return tuple(each if each is not None and each.first in firsts else None for each in found)


def enter(found: Key, asked: Collection[int], arrays: Sequence[Any], known: References) -> list[Any]:
    """What a function is to see of the arrays of a program, which is noted: an array that is given twice is one."""
    seen = list(arrays)
    for number, each in enumerate(told_apart(found, asked)):
        if each is not None:
            seen[number] = seen[each.first]
    for number, array in enumerate(seen):
        of = found[number] if number < len(found) else None
        numpy_constants.folding_tracer(array)
        if isinstance(array, jax.Array) and id(array) not in known.arguments:
            known.arguments[id(array)] = (
                Argument(number, array, False, True)
                if of is None
                else Argument(
                    number,
                    array,
                    not (of.is_number or of.is_left),
                    of.is_writeable,
                    of.strides,
                    of.dtype,
                    of.is_number,
                    is_left=of.is_left,
                    is_shared=of.is_shared,
                )
            )
            _note_cell(known.arguments[id(array)], known)
    return seen


def _note_cell(argument: Argument, known: References) -> None:
    """Notes that an array of NumPy's without axes is one, and no number."""
    if argument.is_numpy and isinstance(argument.handle, jax.Array) and not argument.handle.ndim:
        known.cells[id(argument.handle)] = argument.handle


def enter_state(
    held: Mapping[int, Any],
    kinds: Sequence[Any],
    arrays: Sequence[Any],
    stands: Mapping[int, tuple[Any, Any]],
    known: References,
) -> list[Any]:
    """What a function is to see of the arrays of its state, which is noted.

    Args:
      held: those that are arrays of NumPy's outside of the program, by number.
      kinds: what each of them is in Python.
      arrays: of the program.
      stands: arrays of NumPy's to which the program writes, and what stands for each.
      known: of the program.
    """
    standing, seen = (
        {id(array): stand for array, stand in stands.values()},
        [*map(numpy_constants.folding_tracer, arrays)],
    )
    for number, array in held.items():
        value = seen[number] = standing.get(id(array), seen[number])
        if array is not None and id(array) not in standing:
            (of,) = lent([array])
            assert of is not None
            noted = Argument(
                -1, value, True, of.is_writeable, of.strides, of.dtype, of_state=True, outside=array
            )
            _note_cell(known.arguments.setdefault(id(value), noted), known)
    for number, kind in enumerate(kinds):
        if number not in held and isinstance(seen[number], jax.Array) and seen[number].ndim:
            first, is_shared = kind or (number, False)
            value = seen[number] = seen[first]
            noted = Argument(
                -1, value, False, True, is_left=kind is not None, is_shared=is_shared, of_state=True
            )
            known.arguments.setdefault(id(value), noted)
    return seen


def written(known: References) -> list[Argument]:
    """The arguments that the function may have written to, or has asked about: are they NumPy's?"""
    of_call = [each for each in known.arguments.values() if not each.of_state]
    return [each for each in of_call if each.is_written or each.is_asked]


def written_of_state(known: References) -> list[np.ndarray[Any, Any]]:
    """The arrays of NumPy's that places held, which the function may have written to."""
    return [each.outside for each in known.arguments.values() if each.is_written and each.outside is not None]


def tells_state_apart(known: References) -> bool:
    """Whether the function may write to arrays that places held, so that it matters which of them are NumPy's."""
    return any(each.of_state and each.is_written for each in known.arguments.values())


def refuse_left(known: References, given: Sequence[Any]) -> None:
    """Raises MutatedArgumentError where an array that a call has left somewhere is passed by itself, and written."""
    for each in written(known):
        if each.is_left and each.is_written and any(each.handle is array for array in given):
            raise MutatedArgumentError(
                f"An array that a call has left in an object, {describe(each.handle)}, is passed by itself, and written.",
                where=each.at or source_places.here(),
                why="In Python it would be NumPy's, and the object would see the change; here it is one of JAX's, which stays.",
                fix="pass the object, and take the array there; or pass a copy, x.copy().",
            )


def asks_for_kinds(known: References) -> bool:
    """Whether it matters that one of NumPy's is a number or an array without axes, or which type it has: JAX does not tell."""
    return any(
        (each.is_asked and (each.is_typed or not each.handle.ndim) and (each.is_numpy or each.is_number))
        or (each.is_written and each.is_number)
        for each in known.arguments.values()
    )


def is_there_twice(found: Key, number: int) -> bool:
    """Whether an array of NumPy's is among those of a call more than once."""
    own = found[number] if number < len(found) else None
    return own is not None and sum(each is not None and each.first == own.first for each in found) > 1


def left(known: References, *, owned: bool) -> dict[int, Any]:
    """The arrays of NumPy's with other items, by number. Raises MutatedArgumentError in a part of somebody's trace."""
    found = {
        each.position: each.handle
        for each in written(known)
        if each.is_numpy and id(each.handle) in known.storages
    }
    for number in () if owned else found:
        raise MutatedArgumentError(
            "An array of NumPy's that was passed as an argument is written, and the call is part of somebody else's trace.",
            where=known.arguments[id(found[number])].at or source_places.here(),
            why="What is written is known when the program runs, and nobody would put it into the array then.",
            fix="pass a copy, jnp.asarray(x), and return what is written.",
        )
    return found


def refuse_overlap(name: str, arrays: Sequence[Any], numbers: Sequence[int]) -> None:
    """Raises MutatedArgumentError where an array that is written shares its memory with another one."""
    for number in numbers:
        for other in arrays:
            if (
                isinstance(other, np.ndarray)
                and other is not arrays[number]
                and np.may_share_memory(other, arrays[number])
            ):
                raise MutatedArgumentError(
                    f"'{name}' writes to an array of NumPy's, {describe(arrays[number])}, that shares its memory with another "
                    f"argument, {describe(other)}.",
                    where=source_places.here(),
                    why="Each array is an input of the compiled program: a change of one is not seen in the other.",
                    fix="pass one array, and take its parts in the function; or pass a copy, x.copy().",
                )


def refuse_seen_from_outside(
    name: str, arrays: Sequence[Any], numbers: Sequence[int], outside: Collection[int]
) -> None:
    """Refuses a call in which an array that is written is also read from outside of the function.

    Args:
      name: of the function.
      arrays: of the call.
      numbers: of those that are written.
      outside: the ids of such arrays, or of what they are parts of.

    Raises:
      MutatedArgumentError: it is.
    """
    for number in numbers:
        if id(storages.base_of(arrays[number])) in outside:
            raise MutatedArgumentError(
                f"'{name}' writes to an array of NumPy's, {describe(arrays[number])}, that it uses from outside, too.",
                where=source_places.here(),
                why="Each argument is an input of the compiled program: a change is not seen in what is read from outside.",
                fix="pass it, or use it from outside, but not both.",
            )


def write(target: np.ndarray[Any, Any], new: Any) -> None:
    """Puts what a program gives into an array of the caller's.

    JAX has fewer types: an item that is what it was, as far as the program can tell, stays as it is.
    """
    now = np.asarray(new)
    if now.dtype == target.dtype or not now.size:
        target[...] = now
        return
    with np.errstate(all="ignore"):
        before = target.astype(now.dtype)
        bits = np.dtype(f"u{min(now.dtype.itemsize, 8)}")
        changed = np.ascontiguousarray(before).view(bits) != np.ascontiguousarray(now).view(bits)
        np.copyto(target, now, casting="unsafe", where=changed.reshape(*now.shape, -1).any(-1))
