"""Births: what becomes of an array that NumPy has made in the function, once a traced value is written to it?

    out = np.zeros(3)                     NumPy's own: what is computed of it is computed while tracing
    same = out
    out[0] = x                            NumPy's array can't hold this, and `same` is to see it: the function is traced
                                          once more, and this line makes an array of the program, of the same items

Where nobody else sees the write, the name alone gets a new array, and no second trace is needed.
"""

from __future__ import annotations

import dataclasses
import sys
import weakref
import zlib
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import forwarding, numpys_arrays, storages
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.retracing import Reborn, Site
from autograph_lite.operators.values.values import Tracer, describe
from autograph_lite.tracing import thread


def _known() -> Any:
    """What is known of a program that can be traced again; None where there is none."""
    known = thread.now.references
    return known if known is not None and known.is_whole else None


def can_be_again() -> bool:
    """Whether the program can be traced again, and calls of NumPy's give arrays of the program then."""
    return _known() is not None


def made(found: Any, given: Iterable[Any]) -> Any:
    """What a function of NumPy's has made, or what stands for it; `given` are its arguments."""
    known = thread.now.references
    if known is None:
        return found
    if isinstance(found, Tracer):
        if found.ndim and storages.root(found) is found and not any(found is each for each in given):
            known.numpys[id(found)] = found
        numpys_arrays.note_number(found)
        return found
    if type(found) in (tuple, list):
        return type(found)([made(each, given) for each in found])
    if not known.is_whole or type(found) is not np.ndarray or found.dtype.kind not in "biufc":
        return found
    owner = owners(found)[-1]
    if _site_of(owner) is not None or any(
        owner is owners(each)[-1] or np.may_share_memory(owner, each)  # as of `as_strided`
        for each in given
        if isinstance(each, np.ndarray)
    ):
        return found
    frame = source_places.user_frame()
    if frame is None:
        return found
    site = frame.f_code.co_filename, frame.f_lineno, frame.f_lasti, found.shape
    if site in known.reborn:
        array = _of_program(found)
        known.numpys[id(array)] = known.handles[id(array)] = array
        storages.note_cell(array)
        return numpys_arrays.note_type(array, found)
    known.born[id(found)] = weakref.ref(found), site
    known.sites.add(site)
    return found


def made_by_default(owner: Any) -> None:
    """Looks at the arrays that a dataclass has made for a new object, by the `default_factory` of a field, as at `made` ones."""
    for name, field in getattr(type(owner), "__dataclass_fields__", {}).items():
        if field.default_factory is not dataclasses.MISSING:
            array = getattr(owner, name, None)
            # What the factory hands out to several is none that it has made.
            if type(array) is np.ndarray and array.base is None and _holders(array) <= _OF_ONE_ATTRIBUTE:
                new = made(array, ())
                if new is not array:
                    object.__setattr__(owner, name, new)


def taken_of(array: Any) -> Any:
    """An array that a traced index takes a part of, as one of the program; in somebody else's one for all of the parts."""
    known = thread.now.references
    if isinstance(array, jax.Array):
        return array  # `asarray` gives a derivative's another number, and nobody knows that it is the array
    if known is None or known.is_whole or not isinstance(array, np.ndarray):
        return jnp.asarray(array)
    found = stand_in_of(array)
    if found is None:
        found = jax.lax.copy_p.bind(jnp.asarray(array))
        known.stand_ins[id(array)] = array, found, _checksum(array)
        known.taken[id(found)] = found, array
        known.numpys[id(found)] = found
    return found


def stand_in_of(array: np.ndarray[Any, Any]) -> Any:
    """What stands for an array of NumPy's in somebody else's program that has taken a part of it; None where nothing does."""
    known = thread.now.references
    _, found, before = (
        known.stand_ins.get(id(array), (None, None, 0)) if known is not None else (None, None, 0)
    )
    if found is None or forwarding.traces_up_to(found) is None or _checksum(array) != before:
        return None
    return found


def stand_ins_around(array: np.ndarray[Any, Any]) -> list[Any]:
    """What stands, as in `stand_in_of`, for other arrays that share items with one."""
    known = thread.now.references
    held = [] if known is None else [*known.stand_ins.values()]
    return [found for one, found, _ in held if one is not array and np.may_share_memory(one, array)]


def forget_stand_in(array: np.ndarray[Any, Any]) -> None:
    """To be called where what stands for an array of NumPy's is written in its place, or nobody reads a part of that."""
    _, found, _ = thread.now.references.stand_ins.pop(id(array))
    del thread.now.references.taken[id(found)]


def _checksum(array: np.ndarray[Any, Any]) -> int:
    return zlib.crc32(array.tobytes())


def note_part(part: Any, array: Any, *, is_window: bool = False) -> Any:
    """Notes that `part`, a traced value, is what a traced index has taken of an array of NumPy's; gives it.

    A part between traced bounds `is_window`: a view in NumPy, whatever the program makes of it.
    """
    known = _known()
    if known is not None and isinstance(part, Tracer) and (part.ndim or storages.is_cell(part)):
        root = storages.root(part)
        if is_window or root is not part:
            storages.show(array)
            known.taken[id(root)] = root, array
    return part


def refuse_shown(array: Any) -> None:
    """To be called before traced items are written to an array of NumPy's, or to what the program has taken of one.

    Raises:
      Reborn: others hold what it is a part of, or the program has got a part of it; or it is from outside.
      MutationError: it is a part of an array from outside of the function.
    """
    known = _known()
    if known is None:
        return
    if isinstance(array, np.ndarray):
        is_part = isinstance(array.base, np.ndarray) and _holders_of_owner(array) > _OF_ONE_PART
        owner = owners(array)[-1]
        if is_part or id(owner) in known.shown or known.is_outside(owner):
            want_anew(array)
        return
    for each in numpys_arrays.same_in_loops(array) if thread.now.aliases else ():
        # what a loop's variable was before, `x = Buffers.x`, where no variable of a function leads to it
        if isinstance(each, np.ndarray) and _site_of(each) is None and known.is_outside(owners(each)[-1]):
            want_anew(each)
    for each in numpys_arrays.origins(array) if known.taken else ():
        _, whole = known.taken.get(id(each), (None, None))
        if whole is not None:
            refusal = MutationError(
                f"A part of an array of NumPy's from outside of the function, {describe(array)}, is written.",
                where=source_places.here(),
                why="Which part it is is known when the program runs, and it would write to a copy.",
                fix="pass the array as an argument: what is written to it is in it after the call.",
            )
            want_anew(whole, refusal)
            raise refusal


def want_changed() -> None:
    """To be called where a trace ends: Python may have written to an array, and the program has got it, or a part of it.

    Raises:
      Reborn: so it is, and the program can make the array, or what it is computed of.
      MutationError: so it is, and it can't.
    """
    known = _known()
    for array, before in [*known.shown.values()]:
        if _checksum(array) != before and _is_got(array):
            refusal = MutationError(
                f"NumPy's array, {describe(array)}, is changed in place, and a variable has got it in a loop, or on some path.",
                why="The program has it as a copy there, and would not see the change.",
                fix="keep a copy, u = v.copy(); or make the array an argument of the function.",
            )
            want_anew(array, refusal)
            raise refusal


def _is_got(array: np.ndarray[Any, Any]) -> bool:
    """Whether values of the program may be an array of NumPy's, or a part of it; some are of functions that JAX was handed."""
    taken = any(are_of_one(whole, array) for _, whole in _known().taken.values())
    return taken or bool(numpys_arrays.may_show(array))


def want_anew(array: Any, refusal: MutationError | None = None, *, changed: bool = False) -> None:
    """To be called where an array of NumPy's would get traced items, and others are to see that; `refusal` follows.

    What NumPy's operators compute has no site: what it may be computed of is made again.

    One from outside that is `changed` already can't be had as it was.

    Raises:
      Reborn: the function has made it, or sees it from outside.
    """
    known = _known()
    if known is None or not isinstance(array, np.ndarray):
        return
    for each in owners(array):
        site = _site_of(each)
        if site is not None:
            raise Reborn([site])
    if not changed and known.is_outside(owner := owners(array)[-1]):
        raise Reborn([], [owner], refusal)
    # It, or what it is a part of, was computed, `np.ones(3) * 0.5`: of one of these, if at all.
    shapes = {each.shape for each in owners(array)}
    alike = [site for site in known.sites if site[-1] in shapes]
    if alike:
        raise Reborn(alike)
    if refusal is not None and known.sites:  # of another shape, `np.ones((3, 2)) @ np.ones(2)`
        raise Reborn(known.sites, refusal=refusal)


class _Probe:
    """Stands for a traced operand, of one name that nobody else holds."""

    __array_priority__ = 100
    count = 0

    def __radd__(self, array: Any) -> Any:
        self.count = _change(array, "add", self)
        return array


def _change(array: Any, symbol: str, operand: Any) -> int:  # as `items.in_place`
    return _holders(array)


def _holders(array: Any) -> int:
    return sys.getrefcount(array)


def _of_one_name() -> int:
    probe, array = _Probe(), np.zeros(1)
    array += probe  # type: ignore[call-overload]
    return probe.count


_OF_ONE_NAME = _of_one_name()


def _holders_of_owner(part: np.ndarray[Any, Any]) -> int:
    owner: Any = part.base
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return sys.getrefcount(owner)


def _of_one_attribute() -> int:
    held = {"array": np.zeros(1)}
    array = held.get("array")
    return _holders(array)


_OF_ONE_ATTRIBUTE = _of_one_attribute()
_OF_ONE_PART = _holders_of_owner(np.arange(2).reshape(2, 1))


def is_held_by_others(array: np.ndarray[Any, Any]) -> bool:
    """Whether anybody but one name holds an array that `array += traced` changes in place; called by what calls `__radd__`."""
    return array.base is not None or sys.getrefcount(array) > _OF_ONE_NAME


def are_of_one(array: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays of NumPy's are, or are parts of, one."""
    return owners(array)[-1] is owners(other)[-1]


def owners(array: Any) -> list[np.ndarray[Any, Any]]:
    """An array, and those that it is a part of."""
    found = []
    while isinstance(array, np.ndarray):
        found.append(array)
        array = array.base
    return found


def _site_of(array: Any) -> Site | None:
    known = _known()
    found = None if known is None else known.born.get(id(array))
    return found[1] if found is not None and found[0]() is array else None


def _of_program(array: np.ndarray[Any, Any]) -> Any:
    """The same items, as an array of the program."""
    array = array.astype(jax.dtypes.canonicalize_dtype(array.dtype))
    first = array.reshape(-1)[:1]
    if array.size and array.tobytes() == first.tobytes() * array.size:
        return jnp.full(array.shape, first[0], array.dtype)
    return jax.lax.copy_p.bind(array)
