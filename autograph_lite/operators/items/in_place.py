"""In place: what does `x += v` do to an array of the program? What NumPy does if the array would be NumPy's, and else a new one.

prev = x                              both names are the array that changes, where the caller passed it as NumPy's, or
x += dx                               NumPy's functions have made it; of JAX's arrays, `prev` stays what it was
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.constant_folding import CHANGES, FoldingTracer
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.aliasing import (
    callers_arrays,
    loop_carried_aliases,
    loop_rows,
    shared_memory,
    user_frames,
    ways_out,
    yielded_arrays,
)
from autograph_lite.operators.effects import births, journal
from autograph_lite.operators.items import block_stores
from autograph_lite.operators.items.subscripts import unread, write_item
from autograph_lite.operators.numpy_calls import refused_results
from autograph_lite.operators.ragged import blocks
from autograph_lite.operators.ragged.selection import METHODS, Selection, as_row, chosen, having, unsized
from autograph_lite.operators.ragged_ops import order_statistics
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import retracing
from autograph_lite.operators.values.values import Tracer, any_traced, describe
from autograph_lite.tracing import changing, thread

_SPELLED = {"and": "and_", "or": "or_"}


def change_in_place(array: Any, symbol: str, operand: Any, *, called: bool = False) -> Any:
    """`array += operand` for the symbol 'add', where NumPy changes the array; NotImplemented where a new one is made, as by JAX.

    Args:
      array: a traced one; or NumPy's, which has asked a traced operand.
      symbol: of the operator; 'set' for `array[...] = operand()`.
      operand: what is added.
      called: whether a function does it, and no name gets what is given.

    Raises:
      TypeError, ValueError: as NumPy's.
    """
    retracing.want_recorded()
    if isinstance(array, np.ndarray):
        callers_arrays.refuse_read_only(array)
        shared_memory.refuse_kept_copy(array)
        shared_memory.refuse_taken(array)
        if symbol == "set":
            births.want_anew(array)
        elif births.is_held_by_others(array):
            births.want_anew(array)
            owners = births.owners(array)
            if user_frames.are_held_twice(owners) or ways_out.held_by_managers(owners):
                _refuse_held(array)
        return NotImplemented if symbol == "set" else _of_its_type(array, symbol, operand)
    if isinstance(array, Selection):
        _refuse_part(array)
        return (
            NotImplemented
            if symbol == "set"
            else _changed_copy(array, lambda: _computed(array, symbol, operand))
        )
    births.refuse_shown(array)
    shared_memory.refuse_taken(array)
    loop_rows.refuse_copies(array, in_place=True)
    if numpys_arrays.is_numpys(array):
        ways_out.refuse_raised(array)
    is_seen = callers_arrays.about_to_write(array) or numpys_arrays.is_handle(array)
    if not is_seen:
        before = [each for each in numpys_arrays.same_in_loops(array) if isinstance(each, np.ndarray)]
        if not array.ndim:
            shared_memory.refuse_unclear_number(array)
            if not storages.is_cell(array) and not before:
                return NotImplemented
            for each in before:  # what it is after that would be a number
                births.want_anew(each)
        _refuse_loops_names(array)
        if not numpys_arrays.is_numpys(array):
            if user_frames.are_held_twice([*numpys_arrays.origins(array)]):
                numpys_arrays.ask_whose(array)  # the program serves no others
            _note_changed(array)
            yielded_arrays.refuse_in_place(array)
            _refuse_copy_in_list(array)
            return NotImplemented
    shared_memory.refuse_joined(array)
    if symbol == "set":
        return _written(array, operand(), called=True)
    if type(operand) in (list, tuple, range) and not any_traced(operand):
        operand = np.asarray(operand)
    now = storages.latest_version(array)
    new = getattr(operator, _SPELLED.get(symbol, symbol))(now, operand)
    if isinstance(new, Selection):  # of as many items as the array has, or a check fails
        new = blocks.write_block(now, slice(None), new)
    _refuse_misfit(array, symbol, new)
    shared_memory.refuse_row_of_copy(array)
    roots = [*numpys_arrays.origins(array)]
    others = called or user_frames.are_held_twice(roots)
    others = others or loop_rows.are_walked(roots)
    others = others or ways_out.is_given_back(array) or bool(ways_out.held_by_managers(roots))
    others = others or _is_in_list(array)
    if others:
        numpys_arrays.ask_whose(array)
    shared_memory.refuse_unclear(array)
    if not is_seen and not others:
        _note_changed(array)
        # What Python makes of an array without axes is a number, and NumPy leaves an array its type.
        is_as_computed = array.ndim and new.dtype == array.dtype
        return NotImplemented if is_as_computed else numpys_arrays.note_next(new.astype(array.dtype), array)
    return _written(array, new, called=others and numpys_arrays.is_numpys(array))


def _of_its_type(array: np.ndarray[Any, Any], symbol: str, operand: Any) -> Any:
    """What an array of NumPy's is after `array += operand`: NumPy's, of its shape and type, whatever the operand is."""
    new = getattr(operator, _SPELLED.get(symbol, symbol))(array, operand)
    kept = jax.dtypes.canonicalize_dtype(array.dtype)
    block_stores.refuse_other_shape(array, new)
    refused_results.refuse_change(array, symbol, new)
    return numpys_arrays.note_next(new if new.dtype == kept else new.astype(kept), array, operand)


def _is_in_list(array: Any) -> bool:
    """Whether an array is an item of a list whose length only the data know, which is read later, or which a loop carries."""
    buffers = numpys_arrays.buffers_of(array)
    return any(getattr(each, "parent", None) is None for each in buffers) or user_frames.read_later(buffers)


def _note_changed(array: Any) -> None:
    """Notes that a loop changes an array of NumPy's that has one name: what an iteration keeps of it, the next one changes."""
    same = numpys_arrays.same_in_loops(array)
    if loop_carried_aliases.are_traced() and any(
        isinstance(each, np.ndarray) or numpys_arrays.is_numpys(each) for each in same
    ):
        loop_carried_aliases.note_write(same)
        numpys_arrays.note_stored(array)


def _written(array: Any, new: Any, *, called: bool) -> Any:
    """What has the items of `array` once `new` is written to all of it; `called` where that has to be the array itself."""
    written = write_item(array, ..., new, always=True)
    if written is not array and called:
        raise MutationError(
            f"An array, {describe(array)}, is changed in place, and others that know it would not see the change.",
            where=source_places.here(),
            why="A loop goes through items that the program has taken before, or it may be a part of another array.",
            fix="go through those of a copy, x.copy(); or make a new array, x = x + v.",
        )
    return written


def _refuse_copy_in_list(array: Any) -> None:
    """Refuses `rows[0] += v` of an array of NumPy's that a list, or what looks for one among its rows, has as a copy."""
    if not numpys_arrays.is_copied_item(array):
        return
    if any(numpys_arrays.is_numpys(storages.root(each)) for each in recorded_views.parts_from(array)):
        raise MutationError(
            f"A part of an array of NumPy's, {describe(array)}, is changed in place, and only the data knows which.",
            where=source_places.here(),
            why="The program has it as a copy, and the array would not see the change.",
            fix="write to the array, x[i] += v; or keep copies, rows.append(x[i].copy()).",
        )


def _refuse_part(part: Selection) -> None:
    """Refuses `rows += v` of a part of an array of NumPy's, which others know, where the data tell how long it is."""
    whole = part.array if part.memory is None else None
    if isinstance(whole, np.ndarray) or (isinstance(whole, Tracer) and numpys_arrays.is_numpys(whole)):
        raise MutationError(
            f"A part of an array, {part.origin.spelled.text}, is changed in place, and only the data knows how long it is.",
            why="The program has the part as a value, and the array would not see the change.",
            fix="change it where it is taken, x[:n] += v; or make a new one, rows = rows + v.",
        )


def _computed(part: Selection, symbol: str, operand: Any) -> Any:
    new = getattr(operator, _SPELLED.get(symbol, symbol))(part, operand)
    _refuse_misfit(part.array, symbol, new.array)
    return new


def _changed_copy(part: Selection, make: Callable[[], Any], *, called: bool = False) -> Any:
    """A part that is an array of its own, `x[mask]`, once it is what `make` gives; NotImplemented where no other knows it."""
    if not numpys_arrays.is_numpys(part.array):
        return NotImplemented
    others = user_frames.are_held_twice([part.memory])
    if (others and journal.staging()) or user_frames.read_later([part], part):
        raise MutationError(
            f"A part of an array, {part.origin.spelled.text}, is changed in place, and others know it, or a part of it.",
            why="Only the data knows how long it is: the program has it as a value, and only one of them would see the change.",
            fix="make a new one, rows = rows + v.",
        )
    if not (others or called):
        return NotImplemented
    new = make()
    array = storages.copied_for(new.array, part.memory)
    part.array, part.tame = numpys_arrays.note_next(array, part.array), new.tame
    return part


def _ordered(part: Selection, axis: Any = -1, **_: Any) -> Any:
    """`x[a:b].sort()`: in place, as NumPy's; of JAX's arrays what it gives."""
    found = order_statistics.sort(part, axis)
    along = axis % part.ndim
    if (extent := part.extents[along]) is None:
        return found if _set_whole(part, found) else None
    lanes = extent.lanes()
    rank = as_row(jnp.cumsum(lanes) - 1, along, part.ndim)
    at_places = jnp.take_along_axis(found.array, jnp.broadcast_to(rank, found.array.shape), along)
    return found if _set_whole(part, having(part, at_places, part.extents)) else None


def _filled(part: Selection, value: Any) -> None:
    """`x[a:b].fill(v)`."""
    if _set_whole(part, having(part, jnp.broadcast_to(value, part.array.shape), part.extents)):
        raise unsized(part, "is asked for its 'fill', and belongs to an array of JAX's")


def _set_whole(part: Selection, new: Selection) -> bool:
    """Writes the items of `new` to those of a part; whether that is JAX's, which stays as it is."""
    if part.memory is not None:
        return _changed_copy(part, lambda: new, called=True) is NotImplemented
    lanes = chosen(part.extents)
    whole = lambda: jnp.where(lanes, new.array.astype(part.dtype), storages.latest_version(part.array))  # noqa: E731
    try:
        return change_in_place(part.array, "set", whole, called=True) is NotImplemented
    except MutationError:
        _refuse_part(part)
        raise


METHODS.update(sort=_ordered, fill=_filled)


def _refuse_misfit(array: Any, symbol: str, new: Any) -> None:
    """Refuses what NumPy does not write to an array."""
    block_stores.refuse_other_shape(array, new)
    refused_results.refuse_change(array, symbol, new)
    refused_results.refuse_narrower(array, new)


def _refuse_loops_names(array: Any) -> None:
    """Refuses a loop's variable that was an array of NumPy's before the loop, if others know that, too.

    So it does with what may be such an array, where paths have met, if others read that later.
    """
    options = [old for one in numpys_arrays.may_be(array) for old in numpys_arrays.origins(one)]
    held = [each for each in options if isinstance(each, np.ndarray)]
    if held and (
        user_frames.read_later([owner for each in held for owner in births.owners(each)], array)
        or (user_frames.are_held_twice([array]) and user_frames.read_later([array]))
    ):
        for each in held:
            births.want_anew(each)
        _refuse_held(held[0])
    if not loop_carried_aliases.are_traced():
        return
    same = numpys_arrays.same_in_loops(array)
    before = [each for each in same if isinstance(each, np.ndarray)]
    is_shared = shared_memory.have_parts_before_loops(before)
    if before and (
        is_shared or any(each.base is not None for each in before) or user_frames.are_held_twice(same)
    ):
        for each in before:
            births.want_anew(each)
        if user_frames.are_held_twice([*same, *(owner for each in before for owner in births.owners(each))]):
            _refuse_held(before[0])


def _refuse_held(array: np.ndarray[Any, Any]) -> NoReturn:
    """Refuses an array of NumPy's that would get traced items, unless the program can be traced again for that."""
    remedy = (
        "make it by a call of NumPy's, x = np.array(x), before it gets other names."
        if births.can_be_again()
        else "make it an array of JAX's, x = jnp.array(x), and write its items, x[:] = x + v; or compile with "
        "autograph_lite.convert, which makes it so."
    )
    refusal = MutationError(
        f"An array of NumPy's, {describe(array)}, is changed in place to values that the program computes, "
        "and it has other names.",
        where=source_places.here(),
        why="An array of NumPy's can't hold them, and only one name would mean the new array.",
        fix=remedy,
    )
    births.want_anew(array, refusal)
    raise refusal


def _calling(symbol: str, otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What to call in place of `operator.iadd` and the like, and of `x.__iadd__`."""

    def run(array: Any, operand: Any, /) -> Any:
        done = NotImplemented
        if isinstance(array, np.ndarray) and any_traced(operand):
            _refuse_held(array)
        elif isinstance(array, Tracer) and thread.now.references is not None:
            done = change_in_place(array, symbol, operand, called=True)
        done = otherwise(array, operand) if done is NotImplemented else done
        if done is NotImplemented:
            unread(array)
        return done

    return run


_NAMES = {symbol: f"__i{symbol}__" for symbol in CHANGES}
OVERLOADS: dict[Any, Any] = {
    getattr(owner, name): _calling(symbol, getattr(owner, name))
    for owner in (operator, np.ndarray, FoldingTracer)
    for symbol, name in _NAMES.items()
}
changing[:] = [change_in_place]
