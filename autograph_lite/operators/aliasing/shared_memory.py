"""Shared memory: when does a write to an array reach all who know it by another name?

    b = x[1:]                  `b` is a view of `x`: both are known to the program that is being recorded, so that
    x[1] = 0                   whoever reads `b` afterwards gets the new item

An array that nobody else reads later is a value, and gets a new one (`store_check` finds out). Else its memory is a place, as
those of Python's objects are: what a branch writes to it comes out of the branch. Where a name may be the array, or may not,
because paths have met, nobody can follow: that stays an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals import overlapping_updates, tracing_state
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import forwarding, numpys_arrays, storages, view_equations
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_arrays,
    loop_carried_aliases,
    loop_rows,
    store_check,
    user_frames,
    ways_out,
    yielded_arrays,
)
from autograph_lite.operators.effects import births, journal, outside_arrays
from autograph_lite.operators.lists.dynamic_length import Stretch
from autograph_lite.operators.object_graph import places
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.place import Place
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.tracing import thread


def is_seen_by_others(array: Any, index: Any, value: Any, *, always: bool = False) -> bool:
    """To be called before `array` gets a value at an index; whether others are to see that, by `write_shared`.

    Args:
      array: a traced array.
      index: where.
      value: what.
      always: whether others see it in any case, if the function has made it.

    Raises:
      MutationError: others read it later, and whether they are the array is not known.
    """
    yielded_arrays.refuse_write_after_yield([array])
    ways_out.refuse_raised(array)
    refuse_kept_copy(array)
    refuse_row_of_copy(array)
    refuse_unclear(array)
    _want_parts_before_loops(array)
    if ways_out.is_given_back(array):
        births.want_anew(array)
        if not can_follow(array):
            raise ways_out.given_back_error(array)
        return True
    if (callers_arrays.about_to_write(array) or numpys_arrays.is_handle(array)) and can_follow(array):
        return True
    try:
        always = store_check.check_store(array, index, value) or always
    except MutationError as error:
        _want_anew(array)
        follows = can_follow(array)
        if not follows and not claim_captured(array, error):
            refuse_from_outside(array)
            raise
        return follows
    if any(map(callers_arrays.is_callers, [array, *numpys_arrays.may_be(array)])):
        refuse_from_outside(array)
        raise _unknown_caller(array)
    if name := _sibling(array, by_loops=True):
        if can_follow(array):
            return True
        _want_anew(array)
        raise _sibling_error(array, name)
    if always and getattr(storages.root(array), "parent", None) is None:
        always = numpys_arrays.is_numpys(array)  # what the caller holds as JAX's stays as it is
    always = always or bool(_sibling(array))  # if nobody else here knows it
    if (always or storages.is_written(array)) and can_follow(array):
        return True
    _refuse_options(array, _options(array))
    return False


def _want_parts_before_loops(array: Any) -> None:
    """Lets the program make an array of NumPy's that a loop carries, if another variable of it was a part of that, or it of this.

    They are two arrays in the program, unless it has made one of them of the other one. So are the array that it is a part of,
    and other parts of this, where these are read later.
    """
    before = [each for each in numpys_arrays.same_in_loops(array) if isinstance(each, np.ndarray)]
    owned = before if isinstance(array, Tracer) else []
    wholes = [whole for each in owned if (whole := births.owners(each)[-1]) is not each]
    if have_parts_before_loops(before) or (wholes and user_frames.read_later(wholes, array)):
        refusal = _taken_error(before[0])
        for each in before:
            births.want_anew(each, refusal)
        raise refusal


def have_parts_before_loops(before: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Whether one of these was a part of what another variable of a loop was before it, or that of this."""
    others = [old for loop in thread.now.aliases for _, old in loop.same if isinstance(old, np.ndarray)]
    return any(old is not each and births.are_of_one(old, each) for each in before for old in others)


def _want_anew(array: Any) -> None:
    """What others are to see written is an array of the program from the start, or what it is a part of."""
    for one in (array, storages.root(array)):
        for each in numpys_arrays.same_in_loops(one):
            births.want_anew(each)


def written_for(array: np.ndarray[Any, Any], *, always: bool = False) -> Any:
    """What is written in place of an array of NumPy's: what stands for it, if a part of that is read later, or `always`.

    Raises:
      MutationError: others know the array itself, or one path of several writes to it; or what stands for a part of it,
        or for what it is a part of, would not see the write.
    """
    others = births.stand_ins_around(array)
    if others and user_frames.may_be_read(others):
        raise _taken_error(array)
    found = births.stand_in_of(array)
    if found is None:
        return array
    is_of_here = tracing_state.is_of(found, tracing_state.current_trace())
    if is_read := user_frames.may_be_read([found]):
        store_check.check_store(array)
        if not is_of_here:
            raise _taken_error(array)
    births.forget_stand_in(array)
    return found if is_of_here and (is_read or always) else array


def refuse_hidden_views(array: np.ndarray[Any, Any]) -> None:
    """To be called before `array` gets a traced item: a variable may be in its memory and not tell so, as `as_strided` gives it.

    Raises:
      Reborn: then the program is to make it from the start.
      MutationError: it can't.
    """
    variables = (each for run in user_frames.runs() for each in user_frames.run_variables(run).items())
    for name, other in variables:
        if not isinstance(other, np.ndarray) or births.are_of_one(other, array):
            continue
        if np.may_share_memory(other, array):
            births.want_anew(array)
            raise MutationError(
                f"An item of an array, {describe(array)}, is written, and '{name}' lies in the same memory.",
                where=source_places.here(),
                why="NumPy does not tell that one is a part of the other, as with as_strided: to the program they are two.",
                fix="write to the array from which the other one was made, before that is made; or to a copy.",
            )


def refuse_taken(array: Any) -> None:
    """To be called before `array` is written: it may be a part of an array of NumPy's, or be such an array in a loop.

    Raises:
      Reborn: the program has taken a part of that array, which is read later.
      MutationError: so it is in somebody else's program; or `array` is such a part, and the array is read later.
    """
    known = thread.now.references
    if known is None:
        return
    refuse_chosen(array, numpys_arrays.may_be(array))
    for each in numpys_arrays.origins(array) if known.taken else ():
        _, whole = known.taken.get(id(each), (None, None))
        if whole is not None and user_frames.read_later([whole]):
            raise _taken_error(whole)
        if isinstance(each, np.ndarray):
            parts = [part for part, whole in known.taken.values() if births.are_of_one(whole, each)]
            if parts and user_frames.may_be_read(parts):
                births.want_anew(each)
                raise _taken_error(each)


def refuse_chosen(
    array: Any, options: Sequence[Any], names: Collection[str] = (), slots: Collection[access_paths.Slot] = ()
) -> None:
    """Refuses a write to what may be one of these `options`, where one is NumPy's, or a part of it: that would not see it."""
    known = thread.now.references
    but = None if isinstance(array, np.ndarray) else array
    for each in (origin for one in options for origin in _origins(one)):
        _, whole = known.taken.get(id(each), (None, each))
        if not isinstance(whole, np.ndarray):
            continue
        whole = births.owners(whole)[-1]
        if known.is_outside(whole) or user_frames.read_later([whole], but, names, slots):
            refusal = MutationError(
                f"An array, {describe(array)}, is written, which is one of several, as a traced value decides, and NumPy's "
                f"{describe(whole)}, which is read later, is one of these, or has it as a part.",
                where=source_places.here(),
                why="The program writes to an array of its own, and NumPy's would not see the change.",
                fix="write to a copy, x = a[i].copy(); or write to the array itself, a[i] = v, under the condition.",
            )
            births.want_anew(whole, refusal)
            raise refusal


def _origins(array: Any) -> Iterable[Any]:
    return (array,) if isinstance(array, np.ndarray) else numpys_arrays.origins(array)


def _taken_error(array: Any) -> MutationError:
    return MutationError(
        f"An array of NumPy's, {describe(array)}, or a part of it, is written, and names lead to both.",
        where=source_places.here(),
        why="The program has both as arrays of their own, and only one of them would see the change.",
        fix="make it an array of JAX's, m = jnp.array(m), or take a copy, m[i].copy(); or compile with autograph_lite.convert.",
    )


def refuse_kept_copy(array: Any) -> None:
    """Refuses a write to what a variable or a list that is read later has got on some paths, or in a loop, as a copy."""
    if numpys_arrays.may_repeat(array):
        refusal = MutationError(
            f"An item of a list, {describe(array)}, is changed in place, and the list may have it at several places.",
            where=source_places.here(),
            why="Only the data know how long the list is: the program has each item as a copy, and only one would change.",
            fix="keep copies, rows.append(x.copy()); or store a new array, rows[i] = rows[i] + v.",
        )
        for each in numpys_arrays.may_be(array):  # of a loop, each iteration may make one
            if isinstance(each, np.ndarray):
                births.want_anew(each, refusal)
        raise refusal
    if not (shows := numpys_arrays.may_show(array)):
        return
    own = {id(storages.root(each)) for each in loop_carried_aliases.as_before_loops(array)}
    paths = user_frames.paths_read_later(shows, array)
    if path := next((each for each in paths if id(storages.root(each.value)) not in own), None):
        refusal = MutationError(
            f"An array, {describe(array)}, is changed in place, and '{_said(path)}', which is read later, has got it on some "
            "paths, or in a loop.",
            where=source_places.here(),
            why="An array is a value to a compiled program, which has another one there: the change would not be seen.",
            fix="keep a copy, rows.append(x.copy()), best = x.copy(); or make a new array, x = x + v.",
        )
        births.want_anew(array, refusal)
        raise refusal


def refuse_other_lists(buffers: Sequence[Any]) -> None:
    """Refuses `rows[0][0] = v` once it is stored, if another list that is read later has the items of `rows` in these buffers."""
    if others := [one for each in buffers for one in numpys_arrays.same_in_loops(each)]:
        paths = user_frames.paths_read_later(others)
        path = next((each for each in paths if any(each.value is one for one in others)), None)
        if path is not None:
            raise MutationError(
                f"An item of a list is changed in place, and '{_said(path)}', which is read later, has the same items.",
                where=source_places.here(),
                why="Only the data know how long the lists are: each has its items as copies, and one of them would not change.",
                fix="let one of the lists have copies: [x.copy() for x in rows].",
            )


def check_write_by_python(owner: Any, method: str = "") -> None:
    """To be called before Python writes to `owner`, by a method of it if one is named; raises what `refuse_known_parts` does."""
    if outside_arrays.note_write_by_python(owner, method) and thread.now.references is not None:
        refuse_known_parts(owner)


def refuse_known_parts(array: Any) -> None:
    """Refuses a write by Python to an array of NumPy's, if the program may have it, or a part, as a copy that is read later."""
    refuse_kept_copy(array)
    if births.can_be_again():  # in somebody else's program something stands for it: see `written_for`
        refuse_taken(array)


def refuse_from_outside(array: Any) -> None:
    """Refuses a write to what is from outside of a function that JAX traces, by `lax.scan`, `vmap` or `grad`: it is lost."""
    root, trace = storages.root(array), tracing_state.current_trace()
    if not isinstance(root, Tracer):
        return
    ours = _own_traces()
    while trace is not None and trace is not root._trace:
        if id(trace) not in ours:
            raise MutationError(
                f"An array, {describe(array)}, is written in a function that JAX traces, as `lax.scan`, `vmap` and `grad` do, "
                "and is from outside of it.",
                where=source_places.here(),
                why="Only what such a function returns comes out of it, and the array would not see the change.",
                fix="return the values, and store them outside: `carry, values = lax.scan(step, carry, xs)` and then "
                "`x[:] = values`; or write a `for` loop in place of `lax.scan`.",
            )
        trace = getattr(trace, "parent_trace", None)


def refuse_unclear(array: Any) -> None:
    """Refuses a write to `d = y.ravel()` where nobody knows how NumPy lays `y` out, if that is read later."""
    origins = [*numpys_arrays.origins(array)]
    of_number = [each for each in origins if storages.is_unclear(each)]
    others = user_frames.paths_read_later(of_number) if of_number else ()
    if any(path.value is not array for path in others):
        raise _unclear_error(
            f"An array, {describe(array)}, is written; it is made of a value without axes, which is read later."
        )
    unclear = any(map(view_equations.may_be_view, origins))
    if unclear and user_frames.read_later(recorded_views.parts_from(array), array):
        raise MutationError(
            f"An array, {describe(array)}, is changed in place, and what it is taken from is read later.",
            where=source_places.here(),
            why="It is a part of that in NumPy, or a copy, by the order in which the items lie, which the program does not know.",
            fix="write to that array itself; or take a copy, x.ravel().copy(), or make a new one, d = d + v.",
        )


def refuse_unclear_number(value: Any) -> None:
    """Refuses `z += v` where `z` has two names, and is an array of NumPy's without axes on one path, and a number on another."""
    if not storages.is_unclear(value):
        return
    is_seen = user_frames.are_held_twice([value]) and user_frames.read_later([value])
    if is_seen or user_frames.read_later(_options(value), value) or numpys_arrays.buffers_of(value):
        raise _unclear_error(
            f"A value without axes, {describe(value)}, is changed in place, and another name has it, too."
        )


def refuse_unclear_index(part: Any) -> None:
    """Refuses an index that is such a value."""
    if storages.is_unclear(part):
        raise _unclear_error(
            f"A value without axes, {describe(part)}, is an index of an array of NumPy's with more axes."
        )


def _unclear_error(what: str) -> MutationError:
    return MutationError(
        what,
        where=source_places.here(),
        why="On one path, or in one iteration, it is an array, as np.zeros(()) and np.array(5.0) are, and a number on another: "
        "NumPy changes an array for all names, and makes a copy where one is an index.",
        fix="let it be a number from the start, z = 0.0; or a new one each time, z = z + v; or an index int(i).",
    )


def refuse_row_of_copy(array: Any) -> None:
    """Refuses a write to `p[0]` of a part that is an array of its own, `p = x[mask]`, if that is read later."""
    same = numpys_arrays.same_in_loops(array)
    if user_frames.read_or_kept([memory for each in same for memory in storages.memories_of(each)]):
        raise MutationError(
            f"An array, {describe(array)}, is written, which is an item of a part that is read later.",
            why="Only the data knows how long the part is: the program has it as a value, and it would not see the change.",
            fix="write to the part, rows[i] = v, or to a copy of its item, rows[i].copy().",
        )


def _sibling(array: Any, *, by_loops: bool = False) -> str:
    """How the user calls another part of what an array is a part of, which may have no name any more; "" where there is none.

    Or, if `by_loops`, of what that was before the loops around.
    """
    root = storages.root(array)
    if not isinstance(array, Tracer) or (root is array and not by_loops):
        return ""
    found: Iterable[access_paths.Path] = ()
    if not by_loops:
        variables = map(user_frames.run_variables, user_frames.runs())
        found = (path for each in variables for path in access_paths.leading_to(each, [root], parts=True))
    else:
        asked = (
            numpys_arrays.same_in_loops(root) if root is array else [root]
        )  # the others `check_store` has asked
        wholes = [each for each in numpys_arrays.origins(root) if all(each is not one for one in asked)]
        found = user_frames.paths_read_later(wholes) if wholes else ()
    own = {*recorded_views.view_key(array), *recorded_views.view_key(root)}  # of these, the text tells
    return next((path.shown for path in found if own.isdisjoint(recorded_views.view_key(path.value))), "")


def _sibling_error(array: Any, name: str) -> MutationError:
    return MutationError(
        f"An item of an array, {describe(array)}, is written in a loop, and '{name}' shares its memory, as the iterations before "
        "have left them.",
        where=source_places.here(),
        why="An array is a value to a compiled program: the change would be seen under one of the names only.",
        fix=f"let one of them have a copy before the loop, or take '{name}' again where it is read.",
    )


def refuse_joined(array: Any) -> None:
    """Refuses, by a MutationError, to change in place what may be one of several arrays that others know and read later."""
    options = _options(array)
    if thread.now.yielded:
        same = numpys_arrays.same_in_loops(array)
        yielded_arrays.refuse_write_after_yield([*same, *options, *numpys_arrays.may_show(array)])
        loop_carried_aliases.note_write(same)
    refuse_kept_copy(array)
    _refuse_options(array, options)


def _options(array: Any) -> list[Any]:
    """The arrays that one may be, or may be a part of, as paths have met, and what these were before the loops around.

    And those that an iteration makes a part of it, or it a part of them.
    """
    known = [*numpys_arrays.may_be(array), *loop_carried_aliases.parts_of_iterations(array)]
    return [each for one in known for each in numpys_arrays.origins(one)]


def _refuse_options(array: Any, options: Sequence[Any]) -> None:
    """Refuses a write to what may be one of several arrays, where the caller or another name is to see that."""
    if not options:
        return
    path = next(user_frames.paths_read_later(options, array), None)
    numpys = [] if path else [*filter(numpys_arrays.is_numpys, options)]
    is_walked = bool(numpys) and loop_rows.are_walked(numpys, at_places=True)
    if path or is_walked or any(map(callers_arrays.is_callers, options)):
        other = f"'{_said(path)}', which is read later, is another" if path else "the caller has another"
        other = "a loop takes its items from another" if is_walked else other
        raise MutationError(
            f"An array, {describe(array)}, is changed in place, which is one of several, and {other}.",
            where=source_places.here(),
            why="Which of them it is, a traced value has decided, and the others would not see the change.",
            fix="make a new one, x = x + v; or a copy where it is chosen, x = a.copy().",
        )


def _said(path: access_paths.Path) -> str:
    """How the user calls what leads to an array: of an item that only the data tells, the list."""
    return path.shown.partition("[")[0] if isinstance(path.owner, Stretch) else path.shown


def _unknown_caller(array: Any) -> MutationError:
    return MutationError(
        f"An item of an array, {describe(array)}, is written, which the caller holds as NumPy's, or may.",
        why="The program does not know which part of the caller's array it is.",
        fix="write to the argument itself; or to a copy, x.copy(), and return that.",
    )


def write_shared(array: Any, new: Any) -> None:
    """Makes `new` the items of an array, for all who know it."""
    storages.write_items(array, new, _storage, overlapping_updates.update)


def share(array: Any) -> None:
    """From now on, what is written to an array is seen by all who know it."""
    storages.storage_of(storages.root(array), source_places.expression())
    forwarding.install_forwarding()


def hold_before_loop(array: Any) -> None:
    """Lets a loop's variable be what it was before the loop, whose memory others know, if that can be: it ends the trace."""
    starts = [old for new, old in thread.now.aliases[-1].same if new is array]
    if starts and all(is_shareable(each) for each in starts):
        share(starts[0])
        can_follow(array)


def can_follow(array: Any) -> bool:
    """Whether all who know an array, or a part of it, or what it is a part of, are known to the program."""
    root = storages.root(array)
    if thread.now.references is None or not isinstance(array, Tracer):
        return False
    if storages.memories_of(array):
        return False  # a part of an array, `x[mask]`, has this one as a value
    if not (array.ndim or storages.is_cell(array) or callers_arrays.is_callers(array)):
        return False
    if not all(type(size) is int for size in root.shape) or not _is_of_this_body(root):
        return False
    if not loop_rows.all_follow(array):
        return False
    known = {id(each) for each in storages.versions_of(root)}
    before = [*recorded_views.parts_from(root, written=True), *numpys_arrays.may_be(root)]
    others = (each for each in before if id(each) not in known and each is not root)
    around = [each for other in others for each in (other, *numpys_arrays.origins(other))]
    for run in user_frames.runs():
        variables = user_frames.run_variables(run)
        found = access_paths.leading_to(variables, [root, *around], parts=True, written=True)
        unknown = (path for path in found if storages.root(_viewed(path.value)) is not root)
        if not all(user_frames.is_done(path, run) for path in unknown):
            return False
    return True


def _viewed(value: Any) -> Any:
    """What a part between traced bounds is read from, each time."""
    return value.array if isinstance(value, Selection) and value.memory is None else value


def claim_captured(array: Any, error: MutationError) -> bool:
    """Whether an array that objects from outside hold is written, which is a constant of the program.

    The program is to be recorded once more then, with what these objects hold as an input. If it is not, that is the error.
    """
    whole = journal.outermost()
    if (
        isinstance(array, Tracer)
        or not isinstance(array, jax.Array)
        or whole is None
        or thread.now.references is None
        or not thread.now.references.is_whole
    ):
        return False
    variables = map(user_frames.run_variables, user_frames.runs())
    paths = [
        path
        for each in variables
        for path in access_paths.leading_to(each, [array])
        if path.owner is not None
    ]
    for owner in {id(path.owner): path.owner for path in paths}.values():
        for place in places.object_places(owner):
            held = {key: jnp.copy(value) for key, value in place.read().items() if value is array}
            if held:
                journal.commit(place, {**place.read(), **held})
                whole.claimed.append(error)
    return bool(whole.claimed)


def is_claimed() -> bool:
    """Whether the program is to be recorded once more, with arrays from outside as inputs."""
    whole = journal.outermost()
    return whole is not None and bool(whole.claimed)


def _is_of_this_body(root: Any) -> bool:
    """Whether what a body of ours writes to an array can come out of it.

    A loop's variable is what it was before the loop, if that is asked for, so that the body is traced once more. What it is
    of two others, or what it was not in the first iteration, is none.
    """
    traces = forwarding.traces_up_to(root)
    if traces is None:
        return False
    ours = _own_traces()
    loops = {id(loop.trace): loop for loop in thread.now.aliases}
    for trace in traces:
        if id(trace) not in ours:
            return False
        loop = loops.get(id(trace))
        pairs = loop.same if loop is not None else ()
        variables = [new for new, old in pairs if new is not old and storages.root(old) is root]
        if loop is not None and variables:
            loop.hold(variables[0])
            return False
    loop = loops.get(id(root._trace))
    if loop is None or root.parent is not None:
        return True
    # What an iteration leaves in another variable, too, is seen there in the next one.
    return loop.hold(root) and not any(root is each for pair in loop.parts for each in pair)


def _own_traces() -> set[int]:
    """The identities of the traces of bodies that are ours, and not of functions that JAX traces."""
    return {id(now.program()) for now in thread.now.journals}


def is_shareable(array: Any) -> bool:
    """Whether an array is one of a program that is being recorded, which others may share."""
    return (
        isinstance(array, Tracer)
        and numpys_arrays.has_memory(array)
        and forwarding.traces_up_to(storages.root(array)) is not None
    )


def _storage(array: Any) -> Storage:
    storage = storages.storage_of(array, source_places.expression())
    if (now := journal.active()) is not None:
        now.note(place_of(storage))
    forwarding.install_forwarding()
    return storage


def place_of(storage: Storage) -> Place:
    """The memory of an array, as a place that bodies write to."""

    def write(new: dict[Any, Any]) -> None:
        # the handle means what it holds by now: a loop has left it as it was
        if new["value"] is not storage.handle:
            storage.write(new["value"])
        forwarding.install_forwarding()

    def read() -> dict[Any, Any]:
        return {"value": storage.value}

    return Place(storage, read, write, lambda _: storage.shown, ours=True, trace=storage.handle._trace)


def settle(known: Iterable[Place], given: Iterable[Any]) -> None:
    """Puts the last versions of arrays in the `known` places, and those in objects `given`, before the program ends."""
    written = {
        id(each.handle): each
        for each in thread.now.references.storages.values()
        if each.handle.parent is None and not callers_arrays.is_put_back(each.handle)
    }
    if not written:
        return
    for place in [*known, *(place for owner in given for place in places.object_places(owner))]:
        contents = place.read()
        new = {key: written[id(value)].value for key, value in contents.items() if id(value) in written}
        if new and not place.ours:
            journal.commit(place, {**contents, **new})
