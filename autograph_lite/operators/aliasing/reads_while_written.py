"""Reads of written items: which calls and stores of NumPy's read items that they have written before, and are refused therefore?

np.concatenate((a[2:], a[:2]), out=a)    the second part is read when the first one is written: NumPy makes no copy
a.flat[1:] = a[:-1], a[mask] = a[::-1]   item by item
np.add(a[:-1], 1, out=a[1:])             of a copy, as ufuncs, slices and arrays of indices are

A program has values, and would compute with those from before the call.
Source: https://numpy.org/doc/stable/release/1.13.0-notes.html, "Ufunc behavior for overlapping inputs", and NumPy 2.4 and 2.5.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_lite.errors import MutationError
from autograph_lite.jax_internals.references import numpys_arrays, storages, view_equations
from autograph_lite.operators.aliasing import access_paths, user_frames
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import Tracer, describe, known_value

Rule = Callable[[Any, Any], Any]
before: Rule = operator.lt  # item by item: what is read for an item was written before it
another: Rule = operator.ne  # in an order that nobody knows


def read_afterwards(written: Any, read: Any) -> Any:
    """Whatever is written is read afterwards."""
    return written >= 0


def refuse_reads(
    target: Any, source: Any, rule: Rule, part: Callable[[Any], Any] = lambda places: places
) -> None:
    """Refuses a write to an array that reads items of `source` which it has written.

    Args:
      target: the array that is written, if NumPy's; JAX's are never changed while they are read.
      source: what is read; of what is no array, nothing.
      rule: of the numbers of the items that are written, and those that are read there, whether that is too late.
      part: of the places of the items of `target` those that are written, in their order.

    Raises:
      MutationError: the two share memory, or may.
    """
    written, read = _array(target), _array(source)
    if not isinstance(written, Tracer) or not isinstance(read, Tracer) or not numpys_arrays.has_memory(read):
        return
    if not numpys_arrays.is_numpys(written) or not _meet(target, source, rule, part):
        return
    name = _name(source)
    raise MutationError(
        f"'{source_places.expression()}' writes to '{_name(target)}', {describe(written)}, and reads '{name}', "
        f"{describe(read)}, which shares its memory, or may.",
        where=source_places.here(),
        why="NumPy makes no copy here, and reads items that it has written before; a program has those from before the call.",
        fix=f"let it read from a copy, {name}.copy().",
    )


def _array(value: Any) -> Any:
    """The array whose memory is written or read, also by a part of it between traced bounds."""
    return value.array if isinstance(value, Selection) and value.memory is None else value


def _meet(target: Any, source: Any, rule: Rule, part: Callable[[Any], Any]) -> bool:
    one, other = _array(target), _array(source)
    if storages.root(one) is not storages.root(other):
        return not _wholes(one).isdisjoint(_wholes(other))
    whole, read = storages.item_positions(one), storages.item_positions(other)
    if whole is None or read is None:
        return True
    if rule is before and read.size == 1:
        return False  # it is written with what it is
    try:
        written = None if isinstance(target, Selection) or isinstance(source, Selection) else part(whole)
    except (TypeError, IndexError):
        written = None
    if written is None:  # the data tell which they are
        return bool(np.isin(read, whole).any())
    read = np.resize(read, written.shape) if rule is before else read
    read = np.broadcast_to(read, written.shape) if rule is another else read
    number = np.full(max(whole.max(initial=0), read.max(initial=0)) + 1, -1)
    number[written.ravel()[::-1]] = np.arange(written.size)[::-1]
    found = number[read.ravel()]
    return bool(((found >= 0) & rule(found, np.arange(read.size))).any())


def _wholes(array: Any) -> set[int]:
    """The identities of what an array is a part of, or may be, before the loops around, too."""
    known = (each for one in (array, *numpys_arrays.may_be(array)) for each in numpys_arrays.origins(one))
    return {id(storages.base_of(each) if isinstance(each, np.ndarray) else each) for each in known}


def _name(value: Any) -> str:
    """How the user calls an array, or what it is a part of."""
    variables = user_frames.run_variables(user_frames.runs()[0]) if user_frames.runs() else {}
    for array in (value, storages.root(_array(value))):
        found = access_paths.leading_to(variables, [array], first=True)
        if found:
            return found[0].shown if array is value else f"{found[0].shown}[...]"
    return "x"


def refuse_store(base: Any, index: Any, value: Any) -> None:
    """Refuses `x.flat[index] = value`, and `x[mask] = value`, where these read what they have written."""
    key: Any = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    is_array = isinstance(key, (Tracer, np.ndarray)) and key.ndim > 0
    is_mask = is_array and key.dtype == bool and key.ndim == base.ndim
    if not is_mask and not storages.is_flat(base):
        return
    if is_array:
        refuse_reads(base, key, before if is_mask else read_afterwards)
    refuse_reads(base, value, before, lambda places: places[_known(key)])


def _known(index: Any) -> Any:
    """An index with its value where that is known while tracing."""
    known = known_value(index) if isinstance(index, Tracer) else index
    return index if known is None else known


def refuse_flat(array: Any, value: Any) -> None:
    """Refuses the same of `x.flat = value`: NumPy copies what does not lie as Fortran's arrays do if `x` does."""
    is_turned = view_equations.lies_in_a_row(array, range(array.ndim)[::-1])
    if not (is_turned and _is_copied(value, "F")):
        refuse_reads(array, value, before)


def refuse_placed(array: Any, mask: Any, values: Any) -> None:
    """Refuses the same of `np.place`, which copies what does not lie in a row."""
    if _is_copied(array, "C"):
        return
    if not _is_copied(mask, "C"):
        refuse_reads(array, mask, before)
    if not _is_copied(values, "C"):
        refuse_reads(array, values, before, lambda places: places[np.asarray(_known(mask), bool)])


def refuse_diagonal(array: Any, value: Any, wrap: Any) -> None:
    """Refuses the same of `np.fill_diagonal`."""
    end = array.shape[1] ** 2 if array.ndim == 2 and not wrap else None
    step = 1 + sum(math.prod(array.shape[axis:]) for axis in range(1, array.ndim))
    refuse_reads(array, value, before, lambda places: places.ravel()[:end:step])


def _is_copied(array: Any, order: str) -> bool:
    """Whether NumPy surely copies an array that is to lie in an order."""
    return isinstance(array, Tracer) and view_equations.lies_otherwise(array, order)


def refuse_out(name: str, out: Any, *args: Any, **named: Any) -> None:
    """Refuses the same of what NumPy puts into an array `out` that it is handed, by a function of that name."""
    if name in _READ:
        _READ[name](out, *args, **named)


def _joined(out: Any, arrays: Any, axis: Any = 0, *, is_stacked: bool = False, **_: Any) -> None:
    start = 0
    for array in arrays if isinstance(arrays, (list, tuple)) else ():
        shape = np.shape(array) if axis is not None else (np.size(array),)
        size = 1 if is_stacked else shape[axis or 0]

        def earlier(places: Any, start: int = start) -> Any:
            return np.moveaxis(places, axis or 0, 0)[:start]

        if axis is None:  # item by item
            refuse_reads(out, array, before, operator.itemgetter(slice(start, start + size)))
        refuse_reads(out, array, read_afterwards, earlier)
        start += size


def _read_again(out: Any, a: Any, *_: Any, **__: Any) -> None:
    refuse_reads(out, a, read_afterwards)


def _by_rows(out: Any, a: Any, axis: Any = None, *_: Any, **__: Any) -> None:
    if axis is not None and axis % np.ndim(a) == np.ndim(a) - 1 and not _is_copied(a, "C"):
        refuse_reads(out, a, lambda written, read: written < read // np.shape(a)[-1])


def _taken(out: Any, a: Any, indices: Any, axis: Any = None, mode: Any = "raise", **_: Any) -> None:
    if mode != "raise":  # which is done in a copy
        refuse_reads(out, indices, before if axis is None else read_afterwards)


def _chosen(out: Any, a: Any, choices: Any, mode: Any = "raise", **_: Any) -> None:
    if mode != "raise":
        refuse_reads(out, a, before)


_READ: dict[str, Callable[..., None]] = {
    "concatenate": _joined, "stack": lambda *args, **named: _joined(*args, **named, is_stacked=True),
    "ptp": _read_again, "argmax": _by_rows, "argmin": _by_rows, "take": _taken, "choose": _chosen,
}  # fmt: skip
