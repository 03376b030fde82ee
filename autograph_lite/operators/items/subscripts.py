"""Items of arrays and of Python containers, where index, value or container may be traced.

An array is a value: writing an item gives a new array, which the name is bound to. A Python container is changed in
place, and noted, so that staging can carry it.
"""

from __future__ import annotations

import builtins
import enum
import functools
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import IN_PLACE, evaluated
from autograph_lite.errors import DynamicShapeError, MutationError, PythonOnlyError, TracedIndexError
from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import recorded_copies, recorded_views
from autograph_lite.jax_internals.references import (
    eager_views,
    lower_kinds,
    number_types,
    numpys_arrays,
    storages,
)
from autograph_lite.operators.aliasing import (
    access_paths,
    callers_arrays,
    immutable_owners,
    loop_rows,
    reads_while_written,
    shared_memory,
    store_check,
    user_frames,
    ways_out,
)
from autograph_lite.operators.branches.each_variant import chosen_variant, without_variants
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.checks import catching, exception_templates, index_bounds
from autograph_lite.operators.effects import (
    births,
    container_identity,
    journal,
    shared_containers,
)
from autograph_lite.operators.items import traced_keys
from autograph_lite.operators.items.block_stores import axes_of, fill_whole, refuse_other_shape, store_block
from autograph_lite.operators.joins.literal_types import chosen_of, stacked, widen_literals
from autograph_lite.operators.lists import array_arguments, bounded_growth, dynamic_length, growing_lists
from autograph_lite.operators.numpy_calls import refused_results
from autograph_lite.operators.purity import trial
from autograph_lite.operators.python import builtins as builtin_calls, containers
from autograph_lite.operators.ragged import blocks, gathered_stores, indexing
from autograph_lite.operators.ragged.affine_bounds import Bounds
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.trace_context import update_order
from autograph_lite.operators.user_code import ownership, source_places
from autograph_lite.operators.values import dataclass_objects, pytrees, retracing
from autograph_lite.operators.values.boxes import Box, unboxed
from autograph_lite.operators.values.one_of import OneOf, as_number, is_large, on_each, options_of
from autograph_lite.operators.values.values import (
    Tracer,
    any_traced,
    as_index,
    describe,
    is_arraylike,
    is_symbolic,
    python_value,
    traced,
)
from autograph_lite.tracing import storing, thread

slice = builtins.slice


def item(base: Any, index: Any) -> Any:
    """`base[index]`.

    Raises:
      TracedIndexError: a traced index where no array meaning exists: a dict's key, a string, a list of unlike items.
    """
    if dynamic_length.is_dynamic(base):
        return bounded_growth.list_item(base, as_number(_plain(index)))
    if index.__class__ in _KEYS and base.__class__ in _CONTAINERS:
        try:
            return base[index]  # the commonest case, and nothing is traced
        except LookupError as error:
            exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
            raise
    base, index = unboxed(base), _opened_index(index, base)
    if isinstance(base, _ARRAYS):
        index = _without_none(index)
    if type(base) is OneOf or type(index) is OneOf:
        return on_each(item, base, index)
    index = _folded(index, base)
    if several := _several(index, base):
        return on_each(lambda of, *known: item(of, _with_known(index, iter(known))), base, *several)
    if isinstance(base, dict) and traced_keys.is_traced_key(index):
        return _looked_up(base, index)
    if isinstance(base, Selection):
        return indexing.picked(base, index)
    if isinstance(base, jax.Array) or (isinstance(base, np.ndarray) and _is_traced_in_array(index)):
        of, index = base, _arrays(index)
        if isinstance(base, np.ndarray):
            _of_numbers(base, "indexed by a traced value")
        has_axes = blocks.is_needed(index) or axes_of(base, index)
        base = births.taken_of(base) if has_axes or isinstance(base, jax.Array) else jnp.asarray(base)
        index_bounds.check_array(base, index)
        if blocks.is_needed(index):
            block = blocks.read_block(recorded_copies.copied(base) if storages.is_flat(base) else base, index)
            return births.note_part(block, of, is_window=True) if isinstance(of, np.ndarray) else block
        part = update_order.read_in_order(base, _of_array(update_order.latest(base), index))
        part = storages.as_indexed(part, base, index)
        if part.ndim and numpys_arrays.is_numpys(base):
            for each in index if isinstance(index, tuple) else (index,):
                shared_memory.refuse_unclear_index(each)
        if _is_by_cells(index) and part.ndim:
            return births.made(recorded_copies.copied(part), ())
        return births.note_part(part, of) if isinstance(of, np.ndarray) else part
    index = _plain(index)
    if base.__class__ in _GLUES and _is_traced_in_array(index):
        parts = index if isinstance(index, tuple) else (index,)
        glue = _GLUES[base.__class__]
        glued = recorded_copies.made_new(glue[_arrays(index)], parts, {})
        return glued if base is glue else births.made(glued, ())
    if isinstance(index, builtins.slice) or _is_traced_index(index):
        growing_lists.readable(base, "an index")
    if not _is_traced_index(index):
        if isinstance(base, dict) and hasattr(type(base), "__missing__"):
            journal.note_change(base)  # a `defaultdict` makes the item that is read
        trial.refuse_read(base)
        try:
            return base[index]
        except LookupError as error:
            exception_templates.explicit(error)  # as above
            raise
    if isinstance(base, (list, tuple)) and not isinstance(index, (builtins.slice, tuple)):
        _refuse_own_items(base, index, "__getitem__")
        return _choose(base, index)
    if isinstance(base, range) and not isinstance(index, (builtins.slice, tuple)):
        index = as_index(index)
        index_bounds.check_bounds(index, len(base), "range object index out of range")
        return base.start + jnp.where(index < 0, index + len(base), index) * base.step
    if type(base) in (list, tuple) and base and isinstance(index, builtins.slice):
        part = _part_of_list(base, index)
        if part is not None:
            return part
    if type(base) in (str, bytes) and not isinstance(index, (builtins.slice, tuple)):
        text: Any = base
        return _choose(text, index)
    if isinstance(base, (dict, str, bytes, list, tuple)):
        raise _no_meaning(base, index if isinstance(base, dict) else _checked(index))
    if _is_updated(base):
        _require_known(index)
    found: Any = base
    return found[index]


def _is_by_cells(index: Any) -> bool:
    """Whether arrays without axes are in an index: they count as lists of numbers do, and NumPy gives a copy."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(part, (np.ndarray, jax.Array)) and not part.ndim and numpys_arrays.has_memory(part)
        for part in parts
    )


def _part_of_list(values: Any, index: builtins.slice) -> Any:
    """A list or tuple of so many items as the bounds tell; None where its items are no arrays, or Python may know the bounds."""
    bounds = index.start, index.stop, index.step
    if traced(index.step) or any(map(trial.is_number_of_python, bounds)):
        return None
    try:
        return bounded_growth.list_item(values, index)
    except MutationError:
        return None


def _of_array(array: jax.Array, index: Any) -> jax.Array:
    """`array[index]`; an array without items may be read on a path that is traced and not taken."""
    try:
        return array[index]
    except IndexError as error:
        if 0 in array.shape:
            exception_templates.explicit(error)
        raise


def _several(index: Any, base: Any) -> list[OneOf]:
    """What is one of several in an array's index of many parts, or in a slice of it, as the None of `r, end = 1, None`."""
    if not isinstance(base, _ARRAYS):
        return []
    if isinstance(index, builtins.slice):
        index = index.start, index.stop, index.step
    elif type(index) is not tuple:
        return []
    found = [[part] if type(part) is OneOf else _several(part, base) for part in index]
    return [each for part in found for each in part]


def _without_none(index: Any) -> Any:
    """An array's index, which is checked to be a number where it may be None, too: that would be an axis of its own."""
    if type(index) is tuple:
        return tuple(map(_without_none, index))
    if type(index) is not OneOf or not any(option is None for option in options_of(index)):
        return index
    numbers = [option for option in options_of(index) if option is not None]
    if not numbers or not all(
        isinstance(option, (int, np.integer, jax.Array)) and not np.ndim(option) for option in numbers
    ):
        return index
    error = DynamicShapeError(
        f"'{source_places.expression()}' has None for an index, or a number, as a traced value decides, and it is None.",
        where=source_places.here(),
        why="`x[None]` has an axis more than `x[i]`, and an array of a compiled program has one shape.",
        fix="begin with a number, i = 0 or i = -1; or ask before, `if i is not None:`.",
    )
    return without_variants(index, lambda option: option is None, error)


def _with_known(index: Any, known: Iterator[Any]) -> Any:
    """An index with what is `known` in the places of what is one of several."""
    if type(index) is tuple:
        return tuple(_with_known(part, known) for part in index)
    if isinstance(index, builtins.slice):
        return builtins.slice(*_with_known((index.start, index.stop, index.step), known))
    return next(known) if type(index) is OneOf else index


def _opened_index(index: Any, base: Any) -> Any:
    """An index with arrays in place of what stands for them."""
    if type(index) is tuple:
        return tuple(as_number(unboxed(part)) for part in index)
    of_numbers = isinstance(base, _ARRAYS) or _is_updated(base)
    return as_number(index) if of_numbers else unboxed(index)


def _is_updated(base: Any) -> bool:
    """Whether it is the `at` of an array."""
    return type(base).__name__ == "_IndexUpdateHelper"


def _folded(index: Any, base: Any) -> Any:
    """An index without tracers where Python has to know it: masks and bounds of slices; of what is no array, numbers, too."""
    if type(index) is tuple:
        return tuple(_folded(part, base) for part in index)
    if isinstance(index, builtins.slice):
        bounds = [*map(as_number, (index.start, index.stop, index.step))]
        return builtins.slice(*map(python_value, bounds)) if any(map(traced, bounds)) else index
    if not isinstance(index, jax.Array) or (
        isinstance(base, _ARRAYS) and not (index.ndim and index.dtype == bool)
    ):
        if isinstance(index, Tracer) and index.ndim:
            lower_kinds.refuse_bools("__getitem__", [index])
        return index
    return python_value(index)


_ARRAYS = (jax.Array, np.ndarray, Selection)
_KEYS = frozenset({int, str, bytes, bool})
# `np.c_[x, y]` puts arrays side by side
_GLUES = {
    type(glue): jaxs for glue, jaxs in ((np.c_, jnp.c_), (np.r_, jnp.r_), (jnp.c_, jnp.c_), (jnp.r_, jnp.r_))
}
_CONTAINERS = frozenset({list, tuple, dict, str, bytes, range})


def _arrays(index: Any) -> Any:
    """An index with arrays in place of lists and ranges, as NumPy takes them."""
    if isinstance(index, tuple):
        return tuple(map(_arrays, index))
    if isinstance(index, np.bool_):
        return bool(index)  # which JAX knows
    if dynamic_length.is_dynamic(index):
        return array_arguments.as_part(index)
    if isinstance(index, (list, range)) and not any_traced(index):
        return np.asarray(index) if index else np.zeros(0, int)  # known while tracing: a mask, too
    return jnp.asarray(index) if isinstance(index, list) or is_symbolic(index) else index


def _checked(index: Any) -> Any:
    """The index, unless it is a slice that no program of a fixed shape can take."""
    for part in index if isinstance(index, tuple) else (index,):
        if isinstance(part, builtins.slice) and any(
            traced(p) and not is_symbolic(p) for p in (part.start, part.stop, part.step)
        ):
            raise TracedIndexError(
                f"'{source_places.expression()}' has a traced bound, so that the length of the slice is not known while tracing.",
                fix="use jax.lax.dynamic_slice for a part of fixed length, or a mask: jnp.where(jnp.arange(n) < stop, x, 0).",
            )
    return index


def _plain(index: Any) -> Any:
    """An index with slices of Python's in place of bounds."""
    if isinstance(index, tuple):
        return tuple(map(_plain, index))
    return index.plain() if isinstance(index, Bounds) else index


def _is_traced_index(index: Any) -> bool:
    if isinstance(index, tuple):
        return any(map(_is_traced_index, index))
    if isinstance(index, (Bounds, Selection)):
        return True
    if isinstance(index, builtins.slice):
        return any(map(traced, (index.start, index.stop, index.step)))
    return traced(index)


def _is_traced_in_array(index: Any) -> bool:
    """`_is_traced_index` for an array, where a list stands for an array: `x[[i, j]]`."""
    parts = index if isinstance(index, tuple) else (index,)
    return _is_traced_index(index) or any(isinstance(part, list) and any_traced(part) for part in parts)


def _refuse_own_items(base: Any, index: Any, method: str) -> None:
    """Refuses a traced index of a list or a tuple whose class has its own items, or its own length."""
    of: Any = list if isinstance(base, list) else tuple
    own = [name for name in (method, "__len__") if getattr(type(base), name) is not getattr(of, name)]
    if own:
        raise TracedIndexError(
            f"'{source_places.expression()}' indexes a {type(base).__name__}, which has its own {own[0]}, with a traced value, "
            f"{describe(index)}.",
            why="The method would have to be called with a number that is known when the program runs.",
            fix=f"take the items before, [xs[i] for i in range(len(xs))]; or use a {of.__name__} of Python's.",
        )


def _choose(base: Sequence[Any], index: Any) -> Any:
    """The item of a list, a tuple or a text at a traced index."""
    index = _integer(base, index)
    index_bounds.check_bounds(index, len(base), _out_of_range(base))
    items = (*base,) if isinstance(base, (str, bytes)) else base
    return _row(items, index, functools.partial(_no_meaning, base, index))


def got(table: dict[Any, Any], key: Any, default: Any = None, /) -> Any:
    """`table.get(key, default)`."""
    key = unboxed(key)
    if traced_keys.is_traced_key(key) and any_traced(key):
        return _looked_up(table, key, [default])
    return _python_get(table, key, default)


def set_default(table: dict[Any, Any], key: Any, default: Any = None, /) -> Any:
    """`table.setdefault(key, default)`."""
    key = unboxed(key)
    if not (traced_keys.is_traced_key(key) and any_traced(key)):
        return _python_setdefault(table, key, default)
    keys, index = _place_of_key(table, key)
    traced_keys.check_written(table, key, index)
    return _row([table[known] for known in keys], index, functools.partial(_no_meaning, table, key))


_python_get, _python_setdefault = containers.OVERLOADS[dict.get], containers.OVERLOADS[dict.setdefault]


def _looked_up(table: dict[Any, Any], key: Any, default: Sequence[Any] = ()) -> Any:
    """The item of a dict whose key is a traced number; the default, if one is given, where it is no key."""
    keys, index = _place_of_key(table, key)
    items = [table[known] for known in keys]
    items += default or traced_keys.check_read(table, key, index)
    return _row(items, index, functools.partial(_no_meaning, table, key))


def _place_of_key(table: dict[Any, Any], key: Any) -> tuple[list[Any], Any]:
    """`traced_keys.key_place`, where there may be such a key."""
    keys, index = traced_keys.key_place(table, key)
    if trial.is_on_trial() or not keys or not traced_keys.has_pythons_items(table):
        raise _no_meaning(table, key)
    return keys, index


def _row(base: Sequence[Any], index: Any, refused: Callable[[str], TracedIndexError]) -> Any:
    """The item at a traced index that is inside of the bounds."""
    if any(map(dynamic_length.is_dynamic, base)) and all(type(each) is list for each in base):
        listed = bounded_growth.chosen_list(base, jnp.where(index < 0, index + len(base), index))
        container_identity.choose(listed, base)
        return listed
    leaves, shapes = zip(*(dataclass_objects.flatten_dataclasses(value) for value in base), strict=True)
    columns = [*zip(*leaves, strict=True)] if all(tree == shapes[0] for tree in shapes) else []
    parts = [_part(column) for column in columns]
    if None in parts or "stacked" not in parts:
        if trial.is_on_trial():
            raise refused("")
        return chosen_variant(jnp.where(index < 0, index + len(base), index).astype(np.int32), base, refused)
    made = [
        column[0]
        if part == "same"
        else chosen_of(column, numpys_arrays.note_met(stacked(column)[index], *column))
        for column, part in zip(columns, parts, strict=True)
    ]
    chosen = jax.tree.unflatten(shapes[0], made)
    if not isinstance(chosen, jax.Array):
        container_identity.choose(chosen, base)
    return chosen


builtin_calls.chosen_item.append(_row)


def _part(leaves: Sequence[Any]) -> str | None:
    """What stands for parts of the items where one is chosen: a row of "stacked" arrays, the "same" value, or nothing."""
    # those of an `IntEnum` are no numbers then
    are_members = all(isinstance(leaf, enum.Enum) for leaf in leaves)
    if all(map(is_arraylike, leaves)) and not any(map(is_large, leaves)) and not are_members:
        return "stacked" if len({jnp.shape(leaf) for leaf in leaves}) == 1 else None
    first = leaves[0]
    is_text = type(first) is str
    return (
        "same"
        if all(leaf is first or (is_text and type(leaf) is str and leaf == first) for leaf in leaves)
        else None
    )


def _integer(base: Sequence[Any], index: Any, *, empty: bool = False) -> Any:
    """A traced index of a list or tuple as Python's int.

    Raises:
      TracedIndexError: it is no integer, or an array of several; or `base` is, and must not be, empty.
    """
    if jnp.ndim(index) or jnp.result_type(index).kind not in "biu" or not (base or empty):
        raise _no_meaning(base, index)
    return as_index(index)


def _out_of_range(base: Sequence[Any]) -> str:
    kinds = {list: "list ", tuple: "tuple ", str: "string "}
    return f"{next((name for kind, name in kinds.items() if isinstance(base, kind)), '')}index out of range"


def _fix_of_index(base: Any, index: Any) -> str:
    if jnp.ndim(index):
        return "make an array of the items, whose index may be an array."
    return "make an integer of it, int(...)."


def _no_meaning(base: Any, index: Any, limited: str = "") -> TracedIndexError:
    kind = type(base).__name__
    if type(index) in (builtins.slice, tuple) and not isinstance(base, dict):
        raise TracedIndexError(
            f"'{source_places.expression()}' has a traced bound, so that it is not known while tracing which items "
            f"of a {kind} it means.",
            why="The length of a list is known while tracing, and a slice that is replaced may change it.",
            fix="write the items one by one, or use an array: x[i : i + 2] = values.",
        )
    if limited:
        why, fix = limited, "return the index, and look it up when the program has run: values[int(n)]."
    elif isinstance(base, dict):
        why, fix = (
            "The keys of a dict are Python values.",
            "use `match` or `if` on the value, or an array indexed by it.",
        )
    elif isinstance(base, (str, bytes)):
        why, fix = "A compiled program has no text.", "decide on the text outside of the converted function."
    elif jnp.ndim(index) or jnp.result_type(index).kind not in "biu":
        why, fix = f"The index of a {kind} is a single integer.", _fix_of_index(base, index)
    else:
        why = "Its items would have to be numbers or arrays of one shape, or trees of such."
        fix = "make the items alike, or use an array."
    return TracedIndexError(
        f"'{source_places.expression()}' indexes a {kind} with a traced value, {describe(index)}.",
        why=why,
        fix=fix,
    )


def _require_known(index: Any) -> None:
    """Refuses an index of `x.at` that takes as many items as only the data knows."""
    parts = index if isinstance(index, tuple) else (index,)
    held = [part for part in parts if not isinstance(part, jax.Array) or isinstance(part, Tracer)]
    if any(map(blocks.is_needed, held)):
        raise TracedIndexError(
            f"'{source_places.expression()}' has an index in it of which only the data knows how many items it takes.",
            why="JAX updates as many items as the program knows while it is traced.",
            fix="write to the items, x[i] = v or x[i] += v: in converted code, that gives the name a new array, too.",
        )


def set_item(base: Any, index: Any, value: Any) -> Any:
    """`base[index] = value`; returns what the name is bound to then."""
    if index.__class__ in _KEYS and base.__class__ in _CONTAINERS and not dynamic_length.is_dynamic(base):
        method_patching.record(base)[index] = value
        return base
    return write_item(base, index, value)


def store(value: Any, base: Any, *steps: Any) -> Any:
    """`base.a[i] = value` for the steps `'a', (i,)`; returns what `base` is then."""
    return _store(base, steps, lambda: value, None)


def update_item(base: Any, *steps_symbol_operand: Any) -> Any:
    """`base.a[i] += operand()` for the steps `'a', (i,)` and the symbol `'+='`; returns what `base` is then."""
    *steps, symbol, operand = steps_symbol_operand
    return _store(base, steps, operand, symbol)


def store_shared(value: Any, base: Any, *steps: Any) -> None:
    """`store` where no name of the function is bound to `base`. Raises MutationError: an array would be lost."""
    refuse_new_array(base, _store(base, steps, lambda: value, None, always=True))


def update_shared(base: Any, *steps_symbol_operand: Any) -> None:
    """`update_item` where no name of the function is bound to `base`. Raises MutationError: an array would be lost."""
    *steps, symbol, operand = steps_symbol_operand
    refuse_new_array(base, _store(base, steps, operand, symbol, always=True))


def refuse_new_array(base: Any, new: Any) -> None:
    """Refuses a new array in the place of one that no name of the function is bound to, or none that is read later."""
    if new is not base and not shared_memory.is_claimed():
        for each in numpys_arrays.same_in_loops(base):
            births.want_anew(each)
        shared_memory.refuse_from_outside(base)
        raise MutationError(
            f"An item of an array, {describe(base)}, is written, and nothing in the function reads the array afterwards.",
            why="An array is a value to a compiled program: the change makes a new array, which would be lost. An argument, "
            "an item of a list or an attribute from which the array comes stays as it is.",
            fix="return the array, and take it where the function is called, `x = f(x)`; write an array in an object by the "
            "object, `rows[k][i] = v`, `self.x[i] = v`; declare the name of another function's `nonlocal` or `global`.",
        )


def unread(value: Any) -> None:
    """Refuses `x += v` of an array that nothing reads afterwards: to NumPy it is no new array, and others may hold it.

    Raises:
      MutationError: `value` is a traced array with axes, or a list or dict that may be one of several.
    """
    if isinstance(value, (list, dict)):
        container_identity.refuse_write(value)
    if not (isinstance(value, jax.Array) and value.ndim and traced(value)):
        return
    loop_rows.refuse_copies(value, in_place=True)
    births.refuse_shown(value)
    if not numpys_arrays.is_numpys(value):
        shared_memory.refuse_from_outside(value)
        raise MutationError(
            f"An array, {describe(value)}, is changed in place, and nothing in the function reads it afterwards.",
            why="An array is a value to a compiled program: `x += v` makes a new array, which would be lost. An argument, an "
            "item of a list or an attribute from which the array comes stays as it is.",
            fix="store it where it comes from, `rows[k] = rows[k] + v`, `self.x += v`, or return it.",
        )


def still(before: Any, new: Any, now: Any) -> Any:
    """What a variable is after a statement that has made `new` of `before`, which it was when the statement began, and is `now`.

    Raises:
      MutationError: `before` is an array, which is lost: the statement has bound the variable to something else.
    """
    if new is before:
        return now
    if now is not before:
        raise overtaken(before)
    return new


def overtaken(array: Any) -> MutationError:
    """A statement writes to an array, and something in it has written to, or replaced, the same one."""
    return MutationError(
        f"While an item of an array, {describe(array)}, is written, the statement calls what writes to the same array, or puts "
        "another in its place.",
        why="An array is a value to a compiled program: one of the two changes would be lost.",
        fix="call before the statement, `v = f()`, and write `v`.",
    )


def _store(
    base: Any, steps: Sequence[Any], operand: Callable[[], Any], symbol: str | None, *, always: bool = False
) -> Any:
    """Writes `operand()` to the item, or what `symbol` makes of the item and it; `always` where no name is bound to `base`."""
    first, *rest = steps
    step = evaluated(first)
    if (rest or symbol) and not isinstance(step, str) and _is_one_of_several(base, step[0], rest):
        _store_in_one(base, step[0], list(map(evaluated, rest)), operand(), symbol, always=always)
        return base
    buffers: list[Any] = []
    if rest:
        child = getattr(base, step) if isinstance(step, str) else item(base, step[0])
        if isinstance(base, Selection) and isinstance(child, jax.Array):
            child = recorded_copies.copied(child)  # which is stored
        buffers = numpys_arrays.buffers_of(child) if isinstance(base, list) else []
        is_part = isinstance(step, str) and isinstance(base, Tracer)  # z.imag, m.T
        is_computed = _is_computed(base, step, child)
        is_shared = is_part or is_computed or (always and isinstance(base, (list, dict)))
        new = _store(child, rest, operand, symbol, always=is_shared)
        if is_computed:
            if new is not child and isinstance(step, str):
                immutable_owners.check_attribute(base, step, new)
            refuse_new_array(child, new)
            return base  # Python stores nothing there
        if isinstance(base, _ARRAYS) and not isinstance(step, str) and _is_by_cells(step[0]):
            return base  # it was written to a copy
        now = _now(base, step, child)
        if isinstance(child, np.ndarray) and isinstance(now, jax.Array):
            births.want_anew(child)  # what the statement has called may have written traced items to it
            raise overtaken(child)
        if new is child:
            return base  # a Python object that was changed in place
        if isinstance(child, (jax.Array, np.ndarray)) and now is not child:
            raise overtaken(child)
    elif symbol is None:
        new = operand()
    else:
        old = getattr(base, step) if isinstance(step, str) else item(base, step[0])
        if isinstance(old, _ARRAYS):
            retracing.want_recorded()
        if isinstance(base, np.ndarray) and isinstance(old, Tracer):
            base = shared_memory.written_for(base, always=True)
        if isinstance(old, np.ndarray) and isinstance(base, np.ndarray) and journal.staging():
            old = jnp.asarray(old)  # a part of the array, which is to stay as it is on other paths
        elif isinstance(old, (list, dict, set, bytearray, np.ndarray)):
            shared_memory.check_write_by_python(old)
            journal.note_change(old)
        trial.refuse_augmented(old)
        change = IN_PLACE[symbol]
        is_chosen = (
            isinstance(old, jax.Array) and isinstance(base, (list, tuple, dict)) and _is_traced_index(step[0])
        )
        buffers = numpys_arrays.buffers_of(old) if isinstance(base, list) else []
        if buffers and numpys_arrays.is_numpys(old):
            shared_memory.refuse_joined(old)
        if (
            is_chosen
            or buffers
            or isinstance(base, Selection)
            or (type(old) is Selection and isinstance(base, (*_ARRAYS, Box)))
        ):  # what is computed is stored
            change = getattr(operator, f"__{change.__name__[1:]}__")
        known = catching.failure()
        value = operand()
        if isinstance(old, jax.Array) and isinstance(base, _ARRAYS):
            value = array_arguments.numpys_array(value)
        is_raised = catching.failure() is not known
        if is_raised and (isinstance(old, np.ndarray) or not is_arraylike(old)):
            catching.unraised_since(known)
        if (
            always
            and isinstance(base, (list, dict))
            and isinstance(old, _ARRAYS)
            and not (is_chosen or buffers)
            and thread.now.references is not None
        ):
            new = _changed_for_all(old, IN_PLACE[symbol], value)
        elif type(old) is np.ndarray and isinstance(value, Tracer) and thread.now.references is not None:
            # Who else holds it sees that, too.
            new = thread.now.references.change(old, IN_PLACE[symbol].__name__[1:], value)
        else:
            new = change(old, value)
            if isinstance(old, Tracer) and storages.is_cell(old):
                numpys_arrays.note_next(new, old)
        if isinstance(old, jax.Array) and old.ndim and isinstance(new, jax.Array):
            refuse_other_shape(old, new)
        is_part = type(old) is Selection or (isinstance(old, jax.Array) and old.ndim > 0)
        # An item of a list, which is stored, is changed in place by NumPy.
        is_written = isinstance(base, _ARRAYS) or ((is_chosen or buffers) and numpys_arrays.is_numpys(old))
        if is_part and is_written and hasattr(new, "dtype"):
            refused_results.refuse_change(old, change.__name__.removeprefix("i"), new)
        if is_raised:  # by the operand: where it has, the item stays what it is by now
            new = jnp.where(catching.unraised(), new, item(base, step[0]))
    if isinstance(step, str):
        if rest:
            immutable_owners.check_attribute(base, step, new)
        is_own = isinstance(type(base).__setattr__, types.FunctionType)
        put = object.__setattr__ if rest and is_own else setattr  # which Python does not call for an item
        put(method_patching.record(base), step, new)
        return base
    at = step[0]
    now = (
        immutable_owners.with_item(base, at, new, write_item)
        if rest
        else write_item(base, at, new, always=always)
    )
    shared_memory.refuse_other_lists(buffers)
    return now


def _changed_for_all(array: Any, change: Callable[[Any, Any], Any], value: Any) -> Any:
    """`array += value` of an item of a list or dict that no name is bound to: who has the array by a name sees it."""
    if isinstance(array, np.ndarray) and any_traced(value):
        births.want_anew(array)
    elif isinstance(array, Tracer):
        new = thread.now.references.change(array, change.__name__[1:], value, called=True)
        if new is not NotImplemented:
            return new
    return change(array, value)


def _is_computed(base: Any, step: Any, child: Any) -> bool:
    """Whether code of the user's has given `child`, an array of NumPy's, which an item is stored in, and no setter is called.

    As a property, `__getattr__` and `__getitem__` do.
    """
    if not (isinstance(child, np.ndarray) or (isinstance(child, Tracer) and numpys_arrays.is_numpys(child))):
        return False
    kind = type(base)
    if not isinstance(step, str):
        is_own = isinstance(getattr(kind, "__getitem__", None), types.FunctionType)
        return is_own and ownership.is_users_class(kind)
    if isinstance(base, (types.ModuleType, type, tuple, Tracer)) or ownership.is_of_library(kind):
        return False
    return access_paths.held_attribute(base, step) is not child


def _now(base: Any, step: Any, child: Any) -> Any:
    """What an object holds now where it held `child`, as far as that is told without running code of the user's."""
    if isinstance(step, str):
        now = access_paths.held_attribute(base, step)
    elif type(base) in (list, dict) and not _is_traced_index(step[0]):
        now = base[step[0]]
    else:
        return child
    return now if isinstance(now, (jax.Array, np.ndarray)) else child


def _is_one_of_several(base: Any, index: Any, rest: Sequence[Any]) -> bool:
    """Whether a traced index chooses one of Python's objects, or an array that others know, and not one to be written back."""
    if isinstance(base, dict):
        if not traced_keys.is_traced_key(index):
            return False
        base = [*base.values()]
    elif (
        not isinstance(base, (list, tuple))
        or not _is_traced_index(index)
        or isinstance(index, (builtins.slice, tuple))
        or dynamic_length.is_dynamic(base)
    ):
        return False
    if not any(map(is_arraylike, base)):
        return bool(rest)
    if not all(map(is_arraylike, base)) or not all(map(jnp.ndim, base)):
        return False
    if (rest and all(map(numpys_arrays.is_numpys, base))) or any(map(callers_arrays.is_callers, base)):
        return True
    if len({id(storages.root(each)) for each in base}) < len(base):
        return True  # the list itself holds one of them twice
    known = [array for each in base for array in (each, *numpys_arrays.may_be(each))]
    same = [one for each in known for one in numpys_arrays.same_in_loops(each)]
    return user_frames.lead_elsewhere([*map(storages.root, same)], base)


def _store_in_one(
    base: Any, index: Any, rest: Sequence[Any], value: Any, symbol: str | None, *, always: bool
) -> None:
    """Writes to the item that a traced index chooses: to each of them, if it is the one."""
    keys, position = _places_of_item(base, index)
    for number, key in enumerate(keys):
        item_ = base[key]

        def write(key: Any = key, item_: Any = item_) -> None:
            if isinstance(base, (list, dict)) and is_arraylike(item_):
                _store(base, [(key,), *rest], lambda: value, symbol, always=always)
            else:
                refuse_new_array(item_, _store(item_, rest, lambda: value, symbol, always=True))

        if_part(position == number, write, _nothing)


def places_of_item(base: Any, index: Any) -> tuple[list[Any], Any] | None:
    """The keys or indices that a traced one may be, and the place of the one that it is; None where Python knows it."""
    if not _is_one_of_several(base, index := _folded(index, base), ["items"]):
        return None
    return _places_of_item(base, index)


def _places_of_item(base: Any, index: Any) -> tuple[list[Any], Any]:
    if isinstance(base, dict):
        keys, position = _place_of_key(base, index)
        traced_keys.check_read(base, index, position)
        return keys, position
    return _place_of_index(base, index, _out_of_range(base))


def _place_of_index(
    base: Sequence[Any], index: Any, message: str, *, empty: bool = False
) -> tuple[list[int], Any]:
    """The indices of a list or tuple, and which of them a traced one is."""
    index = _integer(base, index, empty=empty)
    index_bounds.check_bounds(index, len(base), message)
    return [*range(len(base))], jnp.where(index < 0, index + len(base), index)


def _nothing() -> None:
    pass


def write_item(base: Any, index: Any, value: Any, *, always: bool = False) -> Any:
    """`base[index] = value`; returns what has the items then. `always` where others see what is written in any case."""
    if isinstance(base, _ARRAYS) or dynamic_length.is_dynamic(base):
        retracing.want_recorded()
        index = as_number(index)
    several = [index] if type(index) is OneOf else _several(index, base)
    # a part `x[m]`, or a number; or the items that get in the place of others
    if type(value) is OneOf and (isinstance(base, _ARRAYS) or type(index) is slice):
        several = [value, *several]
    if type(base) is OneOf or several:

        def write(one: Any, *known: Any) -> Any:
            parts = iter(known)
            new = next(parts) if several and several[0] is value else value
            now = write_item(one, _with_known(index, parts), new)
            return None if now is one else now

        new = on_each(write, base, *several, writes=True)
        return base if new is None else new
    index, value = _opened_index(index, base), value if isinstance(base, (list, dict)) else unboxed(value)
    index = _folded(index, base)
    if isinstance(base, Box):
        return base.assign(write_item(base.read(), index, value))
    if isinstance(base, np.ndarray) and (stand_in := shared_memory.written_for(base)) is not base:
        base, always = stand_in, True
    if dynamic_length.is_dynamic(base):
        bounded_growth.set_list_item(journal.note_change(base), index, value)
        return base
    if isinstance(base, jax.Array) or (isinstance(base, np.ndarray) and _needs_jax(index, value)):
        callers_arrays.refuse_read_only(base)
        value = number_types.stored_none(base, value)
        numpys_arrays.refuse_beyond(base, value, stored=True)
        if isinstance(base, np.ndarray):
            shared_memory.refuse_hidden_views(base)
            if always:
                births.want_anew(base)
        refused_results.refuse_narrower(base, value)
        births.refuse_shown(base)
        shared_memory.refuse_taken(base)
        loop_rows.refuse_copies(base)
        reads_while_written.refuse_store(base, index, value)
        is_shared = shared_memory.is_seen_by_others(base, index, value, always=always)
        array = (
            storages.latest_version(base) if isinstance(base, jax.Array) else jnp.asarray(_of_numbers(base))
        )
        places = _arrays(index)
        if storages.is_flat(base) and not isinstance(value, Selection) and not blocks.is_needed(places):
            # `x.flat[::2] = [1, 2]` goes on with the first value
            value = jnp.resize(jnp.asarray(value), jax.eval_shape(lambda row: row[places], array).shape)
        new_array = _with_items(array, places, value)
        numpys_arrays.note_stored(base, shared=is_shared)
        if not is_shared:
            _refuse_part_without_axes(base)
            eager_views.note_written(*map(recorded_views.recorded_as, (base, new_array)))
            return numpys_arrays.note_type(numpys_arrays.note_next(new_array, base), base)
        shared_memory.write_shared(base, new_array)
        return base
    if isinstance(base, np.ndarray):
        ways_out.refuse_raised(base)
        ways_out.is_given_back(base)
        shared_memory.refuse_known_parts(base)
    index = _plain(index)
    if isinstance(base, Selection):
        value = number_types.stored_none(base.array, value)
        numpys_arrays.refuse_beyond(base.array, value, stored=True)
        store_check.check_store(base)
        reads_while_written.refuse_store(base, index, value)
        return gathered_stores.write_gathered(base, index, value)
    if (_is_traced_index(index) and isinstance(base, list)) or (
        isinstance(base, dict) and traced_keys.is_traced_key(index)
    ):
        if isinstance(base, list):
            _refuse_own_items(base, index, "__setitem__")
        return _written_to_container(base, index, value)
    method_patching.record(base)[index] = value
    return base


def _refuse_part_without_axes(base: Any) -> None:
    """Refuses `v[...] = 1` of `v = x[i, ...]`: the program has it as a number, as it has `x[i]`, and NumPy as a part of `x`."""
    if not np.ndim(base) and isinstance(base, Tracer) and recorded_views.parts_from(base):
        raise MutationError(
            f"An item of an array without axes, {describe(base)}, is written, which is a part of another one in NumPy.",
            where=source_places.here(),
            why="The program has it as a number, and the other array would not see the change.",
            fix="write to that one, x[i] = v.",
        )


def _of_numbers(
    base: np.ndarray[Any, Any], done: str = "written to where a value, or whether that is done, is traced"
) -> np.ndarray[Any, Any]:
    """`base`, an array of NumPy's that a program is to use; refused if it holds what no program does."""
    if numpys_arrays.has_own_operators(type(base)):
        raise numpys_arrays.other_array(base)
    if not is_arraylike(base) or base.dtype.names:
        raise PythonOnlyError(
            f"An array of NumPy's of the type '{base.dtype}' is {done}.",
            why="The arrays of a program hold numbers and truth values.",
            fix="use a list, `[None] * n`, or an array of numbers, `np.zeros(n)`.",
        )
    return base


def _with_items(base: jax.Array, index: Any, value: Any) -> Any:
    """A new array, with other items at an index; none where one of several indices is not there, and a `try` catches that."""
    known = catching.failure()
    index_bounds.check_array(base, index)
    new = _written(base, index, value)
    several = any(getattr(each, "ndim", 0) for each in (index if isinstance(index, tuple) else (index,)))
    return jnp.where(catching.unraised(), new, base) if several and catching.failure() is not known else new


def _written(base: jax.Array, index: Any, value: Any) -> Any:
    if isinstance(value, Selection) or blocks.is_needed(index):
        return blocks.write_block(base, index, value)
    new = blocks.as_items_of(base, jnp.asarray(value))
    if new.ndim and new.shape[0] == 1:
        new = gathered_stores.trimmed(new, axes_of(base, index) or new.ndim)
    if (whole := fill_whole(base, index, new)) is not None:
        is_part = whole is value or bool(recorded_views.parts_from(whole))  # of what is stored
        return update_order.pin_update(recorded_copies.copied(whole) if is_part else whole)

    def write(array: Any, new: Any) -> Any:
        block = store_block(array, index, new)
        return array.at[_placed(index)].set(new) if block is None else block

    return update_order.pin_update(update_order.write_out_of_place(update_order.latest(base), new, write))


def _placed(index: Any) -> Any:
    """An index with numbers as JAX's: where it counts from the end, that is not done by the ints of Python, which may be wide."""
    if isinstance(index, tuple):
        return tuple(map(_placed, index))
    is_number = isinstance(index, Tracer) and not index.ndim and avals.weak_type(index)
    return avals.as_type(index, index.dtype, False) if is_number else index


def _needs_jax(index: Any, value: Any) -> bool:
    """Whether a NumPy array can't be changed in place: something is traced, or the change may have to be undone."""
    return (
        _is_traced_in_array(index) or isinstance(value, Selection) or any_traced(value) or journal.staging()
    )


def _written_to_container(base: Any, index: Any, value: Any) -> Any:
    """Writes an item of a list or dict at a traced index."""
    if isinstance(base, dict):
        keys, position = _place_of_key(base, index)
        traced_keys.check_written(base, index, position)
    elif isinstance(index, (builtins.slice, tuple)):
        raise _no_meaning(base, index)
    else:
        keys, position = _place_of_index(base, index, "list assignment index out of range", empty=True)
    journal.note_change(base)
    before = [base[key] for key in keys]
    unlike = next((old for old in before if not _is_alike(value, old)), before)
    if unlike is not before:
        _written_to_unlike(base, keys, position, value, unlike)
        return base
    for number, (key, old) in enumerate(zip(keys, before, strict=True)):

        def written(new: Any, was: Any, number: int = number) -> Any:
            return numpys_arrays.note_met(
                jnp.where(position == number, *widen_literals([new, was])), new, was
            )

        base[key] = pytrees.map(written, value, old)
    now = [base[key] for key in keys]
    rows = [(new, [old]) for new, old in zip(now, before, strict=True)]
    shared_containers.note_shared([], [*rows, (now, [value])], [])
    return base


def _written_to_unlike(base: Any, keys: Sequence[Any], position: Any, value: Any, unlike: Any) -> None:
    """Writes an item of a list or dict where the items are no numbers or arrays of one shape: each may be one of several."""
    try:
        for number, key in enumerate(keys):

            def write(key: Any = key) -> None:
                method_patching.record(base)[key] = value

            if_part(position == number, write, _nothing)
    except MutationError:
        raise MutationError(
            f"{describe(value)} is written to a {type(base).__name__} at a traced index, where there may be {describe(unlike)}.",
            why="Which item it replaces is not known while tracing, so each of them may become either.",
            fix="make the items alike, or use an array.",
        ) from None


def _is_alike(new: Any, old: Any) -> bool:
    """Whether two values are numbers, or arrays of one shape, or trees of such."""
    if pytrees.structure(new) != pytrees.structure(old):
        return False
    pairs = zip(pytrees.leaves(new), pytrees.leaves(old), strict=True)
    return all(is_arraylike(a) and is_arraylike(b) and jnp.shape(a) == jnp.shape(b) for a, b in pairs)


storing[:] = [lambda base, index, value: store_shared(value, base, (index,))]
