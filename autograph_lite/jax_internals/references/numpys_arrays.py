"""NumPy's arrays: which arrays of a program would be NumPy's in Python, so that `x += v` changes them for all who know them?

y = x * 2                             NumPy's if `x` is: the caller's, or made by a function of NumPy's
y = jnp.sin(x)                        JAX's
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from jax import Array, lax
from jax._src.core import Tracer, trace_ctx

from autograph_lite.errors import MutationError, PythonOnlyError
from autograph_lite.jax_internals import configuration
from autograph_lite.jax_internals.references import storages, view_equations
from autograph_lite.tracing import thread


def is_numpys(array: Any) -> bool:
    """Whether `array` would be NumPy's in Python: a caller's, one that NumPy's functions have made, or computed of such.

    Of JAX's and NumPy's together JAX's are made; what somebody else's program was handed is JAX's.
    """
    known = thread.now.references
    return known is not None and any(map(_is_numpys, origins(array)))


def _is_numpys(root: Any) -> bool:
    known, todo = thread.now.references, [root]
    while todo:
        array = todo[-1]
        if _answer(array) is not None:
            todo.pop()
            continue
        equation = getattr(array, "parent", None)
        operands = [*map(storages.root, () if equation is None else equation.in_tracers)]
        operands = [each for each in operands if isinstance(each, Array) and has_memory(each)]
        answers = [*map(_answer, operands)]
        if equation is None and view_equations.is_constant_of_operator(array):
            known.numpys[id(array)] = array
        elif False in answers or (not operands and not _is_of_numbers(equation)):
            known.others[id(array)] = array
        elif None in answers:
            todo += [each for each, answer in zip(operands, answers, strict=True) if answer is None]
        else:
            which = known.numpys if view_equations.is_by_operator(equation) else known.others
            which[id(array)] = array
    return bool(_answer(root))


def _is_of_numbers(equation: Any) -> bool:
    """Whether a method has made an array of NumPy's numbers, `x[0].reshape(1)`, `x.sum(keepdims=True)`."""
    numbers = (
        [] if equation is None else [each for each in equation.in_tracers if not getattr(each, "ndim", 0)]
    )
    return bool(numbers) and all(map(would_be_numpys, numbers))


def ask_whose(array: Any) -> None:
    """Lets the program serve no others than arguments of whom those are NumPy's that the array is computed of now."""
    known = thread.now.references
    todo, seen = [*origins(array)], set[int]()
    while todo and known is not None:
        each = todo.pop()
        if id(each) in seen or not isinstance(each, Tracer):
            continue
        seen.add(id(each))
        equation = getattr(each, "parent", None)
        operands = [
            *known.joined.get(id(each), (None, ()))[1],
            *(() if equation is None else equation.in_tracers),
        ]
        todo += [root for one in operands for root in origins(one)]
        asked = [known.arguments[id(each)]] if id(each) in known.arguments else []
        if not asked and not operands:  # a variable of a loop, which may be any of them
            asked = [*known.arguments.values()]
        for argument in asked:
            argument.is_asked = True


def would_be_numpys(value: Any) -> bool:
    """Whether a traced value would be NumPy's in Python, or a number: its items, and what is computed of these, are, too.

    What no equation tells, as in a loop's body, is if all arrays are NumPy's that the program was handed. Which of these
    are is asked: the program serves no others.
    """
    known = thread.now.references
    if known is None or not known.is_whole:
        return False
    todo, seen = [*origins(value)], set[int]()
    asked, is_told = [], True
    while todo:
        array = todo.pop()
        if id(array) in seen or isinstance(array, np.ndarray) or not isinstance(array, Tracer):
            continue
        seen.add(id(array))
        if (argument := known.arguments.get(id(array))) is not None:
            asked.append(argument)
        elif id(array) in known.numpys or id(array) in known.numbers:
            continue
        elif id(array) in known.joined and not array.ndim:
            todo += [root for each in known.joined[id(array)][1] for root in origins(each)]
        elif (equation := getattr(array, "parent", None)) is None:
            is_told = False
        elif _is_staged(equation, array) or view_equations.is_by_operator(equation):
            todo += [root for each in equation.in_tracers for root in origins(each)]
        else:
            return False
    asked = asked if is_told else [*known.arguments.values()]
    for argument in asked:
        argument.is_asked = True
    return all(each.is_numpy or each.is_number or each.is_left for each in asked) and bool(asked or is_told)


def is_beyond(array: Any, number: float) -> bool:
    """Whether an array that would be NumPy's, of uint8 or the like, has a type that doesn't hold a number of Python's."""
    if 0 <= number < 128:
        return False
    dtype: Any = array.dtype
    return (
        isinstance(dtype, np.dtype)
        and dtype.kind in "iu"
        and not _ends(dtype).min - 1 < number < _ends(dtype).max + 1  # a float is cut; nan is beyond
        and (isinstance(array, np.ndarray) or would_be_numpys(array))
    )


def refuse_beyond(array: Any, value: Any, *, stored: bool = False) -> None:
    """Raises NumPy's OverflowError of ints of Python's, also in lists, that such an array is to hold and doesn't.

    Of floats, too, if the value is to be `stored`, and of NumPy's where the type has a sign; nan is a ValueError.
    """
    for each in value if type(value) in (list, tuple) else (value,):
        if type(each) in (list, tuple):
            refuse_beyond(array, each, stored=stored)
            continue
        if stored and isinstance(each, np.floating) and array.dtype.kind == "i":
            each = float(each)
        if (type(each) is int or (stored and type(each) is float)) and is_beyond(array, each):
            # `int` has NumPy's words of nan and of infinity
            raise OverflowError(f"Python integer {int(each)} out of bounds for {array.dtype}")


_ends = functools.lru_cache(maxsize=32)(np.iinfo)


def _is_staged(equation: Any, value: Any) -> bool:
    name = equation.primitive.name
    return name in ("while", "cond", "scan") or (
        not value.ndim and name in ("select_n", "convert_element_type")
    )


def _answer(array: Any) -> bool | None:
    """Whether an array that is no part of another is NumPy's, as far as that is known."""
    known = thread.now.references
    if id(array) in known.numpys:
        return True
    argument = known.arguments.get(id(array))
    if argument is not None:
        return bool(argument.is_numpy or argument.is_left)
    return False if id(array) in known.others or not isinstance(array, Tracer) else None


def has_memory(value: Any) -> bool:
    """Whether a value is an array with axes, or one of NumPy's without, and no number."""
    if not isinstance(value, Array) or value.ndim:
        return isinstance(value, (Array, np.ndarray))
    return storages.is_cell(value)


def is_handle(array: Any) -> bool:
    """Whether `array` is one that the function has made, or a part of it, and it was found that others see what is written."""
    known = thread.now.references
    return known is not None and _is_noted(array, known.handles)


def _is_noted(array: Any, noted: dict[int, Any]) -> bool:
    """Whether `array` is, or is a part of, one of the arrays that are noted."""
    return bool(noted) and any(id(each) in noted for each in origins(array))


def note_next(new: Any, *before: Any) -> Any:
    """Notes that the array `new` is NumPy's if one of those is from which it comes; gives it."""
    known = thread.now.references
    if known is None or not isinstance(new, Tracer) or any(new is each for each in before):
        return new
    if not new.ndim:
        # one of several is asked nothing: it is no array
        if any(
            isinstance(each, (Array, np.ndarray)) and not each.ndim and has_memory(each) for each in before
        ):
            note_numpys(storages.note_cell(new))
        return new
    if any(isinstance(each, np.ndarray) or (isinstance(each, Tracer) and is_numpys(each)) for each in before):
        note_numpys(new)
    return new


def note_numpys(new: Any) -> None:
    """Notes that the array `new` is NumPy's, and what JAX has made first where it gives that in another shape."""
    known = thread.now.references
    if known is not None and isinstance(new, Tracer) and has_memory(new):
        known.numpys.update((id(each), each) for each in (new, storages.root(new)))


def note_number(new: Any) -> None:
    """Notes that what is computed of NumPy's arrays, a number, is none of JAX's."""
    known = thread.now.references
    if known is not None and isinstance(new, Tracer) and not new.ndim and not storages.is_cell(new):
        known.numbers[id(new)] = new


def as_cell(found: Any) -> Any:
    """What NumPy makes an array of that has no axes, `np.array(x[0])`; anything else as it is."""
    known = thread.now.references
    if known is None or not isinstance(found, Tracer) or found.ndim:
        return found
    if storages.is_cell(found):
        note_numpys(found)
        return found
    cell = storages.note_cell(lax.copy_p.bind(found))
    known.numpys[id(cell)] = cell
    return cell


def has_own_operators(kind: Any) -> bool:
    """Whether a class derived from NumPy's arrays has operators of its own, where JAX would take it for the array."""
    return kind is not np.ndarray and issubclass(kind, np.ndarray) and _has_own_operators(kind)


@functools.lru_cache(maxsize=256)
def _has_own_operators(kind: Any) -> bool:
    derived = kind.__mro__[: kind.__mro__.index(np.ndarray)]
    return any(name in vars(each) for each in derived for name in _OPERATORS)


_OPERATORS = ("__array_ufunc__", "__array_function__", "__neg__", "__abs__", *(
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lt", "le", "gt", "ge", "eq", "ne")
    for side in ("", "r", "i")
))  # fmt: skip


def other_array(array: Any) -> PythonOnlyError:
    """A matrix, a masked array or one with operators of its own is an operand beside a traced value, or gets one."""
    name, why = (
        f"An array of the class '{type(array).__name__}'",
        "An array of a program has no operators of a class.",
    )
    fix = "take the array, np.asarray(x)."
    if isinstance(array, np.matrix):
        name, why = "A matrix of NumPy's", "A program would multiply it item by item."
        fix = "take the array, np.asarray(m), and m @ x for m * x."
    elif isinstance(array, np.ma.MaskedArray):
        name, why = "A masked array of NumPy's", "An array of a program has no mask."
        fix = "take x.data and x.mask, or x.filled(value)."
    return PythonOnlyError(f"{name} is used with a traced value, or written to.", why=why, fix=fix)


def not_there(array: Any, name: str) -> PythonOnlyError | None:
    """The refusal of an attribute that an array of NumPy's would have; None of another array or attribute."""
    if not hasattr(np.ndarray, name) or name[0] == "_" or not would_be_numpys(array):
        return None
    fix = next(
        (fix for fix, names in _INSTEAD.items() if name in names.split()), "use a function of NumPy's."
    )
    return PythonOnlyError(
        f"An array of a program has no '{name}', which NumPy's arrays have.",
        why="It has values, and nobody sees where they lie in memory.",
        fix=fix,
    )


_INSTEAD = {
    "leave it out; windows of x are np.lib.stride_tricks.sliding_window_view(x, n).":
        "strides flags base data ctypes setflags",
    "x = np.resize(x, shape), which is a new array.": "resize",
    "return the array, and write it outside of the converted function, or in autograph_lite.py_function.":
        "tofile dump dumps tostring",
    "x.view(dtype), or x.astype(dtype).": "getfield setfield newbyteorder byteswap",
    "write the item: x[i] = v.": "itemset",
}  # fmt: skip


def note_stored(array: Any, *, shared: bool = False) -> None:
    """Notes that an array gets items that only the name sees that is written to.

    If these are `shared`, those of the arrays do that it may be, where paths have met.
    """
    known = thread.now.references
    if known is not None and isinstance(array, Tracer):
        written = [each for each in may_be(array) if isinstance(each, Tracer)]
        written += [] if shared else [array]
        known.stored.update((id(each), each) for one in written for each in same_in_loops(storages.root(one)))


def is_stored(start: Any) -> bool:
    """Whether the body that is traced writes so to the variable that was `start` before its loop, or is that in it."""
    known = thread.now.references
    if known is None or not thread.now.aliases:
        return False
    loop = thread.now.aliases[-1]
    if isinstance(start, Tracer) and getattr(start, "_trace", None) is loop.trace:
        return id(start) in known.stored
    return any(old is start and id(new) in known.stored for new, old in loop.same)


def read_only(array: Any, *, overlaps: bool = False) -> Any:
    """`array`, to which NumPy lets nobody write: `np.broadcast_to(x, shape)`; or would, if it `overlaps` with itself."""
    known = thread.now.references
    if known is not None and isinstance(array, Tracer):
        root = storages.root(array)
        known.fixed[id(root)] = root, overlaps
    return array


def note_copied_item(array: Any, buffer: Any = None) -> Any:
    """Notes that the program has `array` as a copy of an item, of a list's `buffer`, which in Python is the item itself."""
    known = thread.now.references
    if (
        known is None
        or not isinstance(array, Tracer)
        or not (array.ndim or _is_item_of_arrays(array, buffer))
    ):
        return array
    known.copied[id(array)] = array, buffer
    if buffer is not None and not storages.is_unclear(array):
        note_met(array, *ways(buffer))
    return array


def _is_item_of_arrays(item: Any, buffer: Any) -> bool:
    """Whether an item without axes is of a list of arrays, at least for some items; notes what it is."""
    known = [] if buffer is None else [buffer, *may_be(buffer)]
    arrays = [each for each in known if not each.ndim and has_memory(each)]
    if any(map(storages.is_unclear, known)):
        storages.note_unclear(item)
    elif arrays:
        note_next(item, *arrays)
    return bool(arrays)


def buffers_of(array: Any) -> list[Any]:
    """The buffers of lists from which an array, or what it is a part of, has been taken as an item."""
    known = thread.now.references
    noted = (
        (known.copied.get(id(each)) for each in origins(array)) if known is not None and known.copied else ()
    )
    return [each[1] for each in noted if each is not None and each[1] is not None]


def is_copied_item(array: Any) -> bool:
    """Whether an array is, or is a part of, such a copy."""
    known = thread.now.references
    return known is not None and _is_noted(array, known.copied)


def is_read_only(array: Any) -> bool:
    """Whether NumPy lets nobody write to what a function of its own has made.

    Raises:
      MutationError: it would let, though several items of that lie in one place.
    """
    known = thread.now.references
    fixed = {} if known is None else known.fixed
    found = [fixed[id(each)][1] for each in origins(array) if id(each) in fixed]
    if any(found):
        raise MutationError(
            f"An item of an array, {array.aval.str_short()}, is written, several of whose items are one item of another array "
            "in NumPy.",
            why="The program has it as a copy, and the other items and arrays would not see the change.",
            fix="write to the array that it was made of; or to a copy, v.copy().",
        )
    return bool(found)


def know_roots(values: Iterable[Any]) -> None:
    """Finds out what arrays are parts of, and whether NumPy's, as long as the trace goes on that tells; tuples hold some, too."""
    for value in values if thread.now.references is not None else ():
        if isinstance(value, Tracer):
            storages.root(value)
            if value.ndim:
                is_numpys(value)
        elif isinstance(value, tuple):
            know_roots(value)


def note_met(new: Any, *options: Any) -> Any:
    """The same of what is one of the options, as paths have met; of tuples, lists and dicts, of their items."""
    if isinstance(new, dict):
        for key, item in new.items():
            note_met(item, *(each[key] for each in options if type(each) is type(new) and key in each))
        return new
    if isinstance(new, (tuple, list)):
        alike = [each for each in options if type(each) is type(new) and len(each) == len(new)]
        for item, *items in zip(new, *alike, strict=True):
            note_met(item, *items)
        return new
    if are_mixed(new, options):
        storages.note_unclear(new)
    else:
        note_next(new, *options)
    note_options(new, *options)
    return new


def are_mixed(new: Any, options: Iterable[Any]) -> bool:
    """Whether a value without axes is an array of NumPy's for one of the options, and a number for another one."""
    if not isinstance(new, Tracer) or new.ndim or thread.now.references is None:
        return False
    options = [
        each for each in options if isinstance(each, (Array, np.ndarray, np.generic, int, float, complex))
    ]
    if any(new is each for each in options):
        return False  # it is what it was
    return len({has_memory(each) for each in options}) > 1 or any(map(storages.is_unclear, options))


def note_options(new: Any, *options: Any) -> None:
    """Notes that an array is one of the options."""
    known = thread.now.references
    if known is None or not isinstance(new, Tracer) or not (has_memory(new) or storages.is_unclear(new)):
        return
    if not options or any(new is each for each in options):
        return  # it is what it was
    # An item of a list that a traced index chooses is a row of what was made of them.
    of = storages.root(new)
    known.joined[id(of)] = of, options
    note_widened(new, options)
    _note_shown(options, new)


def note_widened(new: Any, options: Iterable[Any]) -> None:
    """Notes that arrays of other kinds of types have become one of the program, if they have (`lower_kinds`)."""
    known = thread.now.references
    if known is not None and not known.is_widened:
        types = (each.dtype for each in options if isinstance(each, (Tracer, np.ndarray)))
        known.is_widened = any(each != new.dtype and each.kind != new.dtype.kind for each in types)


def note_number_of(new: Any, *options: Any) -> Any:
    """Notes that a number, one of the options or of their items, is NumPy's if these are; gives it."""
    known = thread.now.references
    if known is not None and isinstance(new, Tracer) and not new.ndim:
        known.joined[id(new)] = new, options
    return new


def _note_shown(arrays: Iterable[Any], new: Any) -> None:
    """Notes that `new` may be one of the arrays, or have their items."""
    for array in arrays:
        storages.show(array)
        if isinstance(array, (Tracer, np.ndarray)):
            root = _root(array)
            thread.now.references.shows.setdefault(id(root), []).append((root, new))


def _root(array: Any) -> Any:
    """What an array is a part of, or NumPy's is."""
    return storages.base_of(array) if isinstance(array, np.ndarray) else storages.root(array)


def may_be(array: Any) -> list[Any]:
    """The arrays that one is, or is a part of, where paths have met."""
    known = thread.now.references
    if known is None or not known.joined:
        return []
    found: dict[int, Any] = {}
    todo = [array]
    while todo:
        for origin in origins(todo.pop()):
            for option in known.joined.get(id(origin), (None, ()))[1]:
                if isinstance(option, (Tracer, np.ndarray)) and id(option) not in found:
                    found[id(option)] = option
                    todo += [option] if isinstance(option, Tracer) else []
    return [*found.values()]


def ways(array: Any) -> tuple[Any, ...]:
    """What an array is on each of the paths that have met in it; nothing of one that is no such array."""
    known = thread.now.references
    return () if known is None else known.joined.get(id(storages.root(array)), (None, ()))[1]


def note_kept(label: str, leaves: Iterable[Any]) -> None:
    """Notes what a path leaves in a list, which is put into a buffer where paths meet."""
    for loop in thread.now.aliases:
        loop.kept += [(label, leaf) for leaf in leaves if isinstance(leaf, Tracer)]


def note_buffers(leaves: Iterable[Any], buffers: Sequence[Any]) -> None:
    """Notes that buffers of a list have what the leaves of its items were when they were put there."""
    if thread.now.references is None:
        return
    leaves = [*leaves]
    arrays = [leaf for leaf in leaves if has_memory(leaf)]
    are_numbers = any(isinstance(leaf, Tracer) and not leaf.ndim and not has_memory(leaf) for leaf in leaves)
    for buffer in buffers if arrays else ():
        note_met(buffer, *arrays)
        if are_numbers:  # beside arrays without axes
            storages.note_unclear(buffer)


def note_rows(leaves: Iterable[Any], rows: Sequence[Any], kept: Iterable[Any]) -> None:
    """Notes that items of a list are what the iterations of a loop that is over have appended, each such leaves.

    Each iteration has made its own, if nothing else keeps what it has made; `kept` are the arrays that all its lists do.
    """
    known, arrays = thread.now.references, [leaf for leaf in leaves if has_memory(leaf)]
    if known is None:
        return
    roots = [_root(leaf) for leaf in kept if has_memory(leaf)]
    alone = all(
        _is_made_inside(each) and sum(_root(each) is one for one in roots) == 1
        and not {id(_root(each)), id(each)} & (known.shows.keys() | known.joined.keys())
        for each in arrays
    )  # fmt: skip
    if not alone:
        note_buffers(arrays, rows)
        return
    for row in rows:
        root = storages.root(note_next(row, *arrays))
        known.apart[id(root)] = root


def _is_made_inside(array: Any) -> bool:
    """Whether a body that is traced no more has made an array, and not got it."""
    root, trace = _root(array), trace_ctx.trace
    if not isinstance(root, Tracer) or getattr(root, "parent", None) is None:
        return False
    while trace is not None and trace is not root._trace:
        trace = getattr(trace, "parent_trace", None)
    return trace is None


def note_items(paths: Iterable[Sequence[Any]], before: Iterable[Any] = ()) -> None:
    """Notes which arrays a list may have at several places, of those that become its items on these paths.

    What an iteration has not made itself, others have put there, too; but for what the list has had `before`.
    """
    known, loops = thread.now.references, thread.now.aliases
    if known is None:
        return
    loop = loops[-1].trace if loops else None  # of the body of the innermost one
    kept: dict[int, Any] = {}
    had = {id(_root(each)) for each in before if has_memory(each)}
    for path in paths:
        roots = [(_root(leaf), leaf) for leaf in path if has_memory(leaf)]
        for root, leaf in roots:
            several = sum(one is root for one, _ in roots) > 1 or id(root) in known.kept
            is_put = loop is not None and id(root) not in had and not _is_made_in(leaf, loop)
            if several or is_copied_item(leaf) or is_put:
                known.repeated[id(root)] = root
        kept.update((id(root), root) for root, _ in roots)
    known.kept.update(kept)


def note_twice(leaves: Iterable[Any]) -> None:
    """Notes which arrays a list has at several places, of those that are its items."""
    known = thread.now.references
    if known is not None:
        roots = [_root(leaf) for leaf in leaves if has_memory(leaf)]
        several = (root for root in roots if sum(one is root for one in roots) > 1)
        known.repeated.update((id(root), root) for root in several)


def _is_made_in(array: Any, loop: Any) -> bool:
    """Whether an array, and all that it may be, is made in the trace of a loop's body, or in one inside of it."""
    return all(_is_made(each, loop) for each in (array, *may_be(array)))


def _is_made(array: Any, loop: Any) -> bool:
    root = _root(array)
    trace = getattr(root, "_trace", None)
    while trace is not None and trace is not loop:
        trace = getattr(trace, "parent_trace", None)
    return trace is loop and getattr(root, "parent", None) is not None


def may_repeat(array: Any) -> bool:
    """Whether an array is an item of such a list, which may have it at several places."""
    known = thread.now.references
    return (
        known is not None
        and bool(known.repeated)
        and is_copied_item(array)
        and any(id(_root(each)) in known.repeated for each in may_be(array))
    )


def may_show(array: Any) -> list[Any]:
    """The other arrays that may be this one, or a part of it, where paths have met."""
    known = thread.now.references
    if known is None or not known.shows:
        return []
    found: dict[int, Any] = {}
    own = [*origins(_root(array))]
    todo = [*own, *(origin for each in may_be(array) for origin in origins(each))]
    while todo:
        for _, new in known.shows.get(id(todo.pop()), ()):
            if id(new) not in found:
                found[id(new)] = new
                todo += [new, storages.root(new)]
    for each in own:  # it has met others itself
        found.pop(id(each), None)
    return [*found.values()]


def argument_of(array: Any) -> Any:
    """What is known of the argument that an array is, or is a part of; None for another array."""
    known = getattr(thread.now.references, "arguments", None)
    found = (known[id(each)] for each in origins(array) if id(each) in known) if known else iter(())
    return next(found, None)


def type_of(array: Any) -> Any:
    """The type that an array has in Python, where the program may have one of 32 bits for it; None where nobody knows.

    What the caller's is is asked: the program serves no others.
    """
    known = thread.now.references
    if known is None or configuration.has_64_bits():
        return np.dtype(array.dtype)
    argument = argument_of(array)
    if argument is not None and argument.is_numpy:
        argument.is_asked = argument.is_typed = True
        return np.dtype(array.dtype if argument.dtype is None else argument.dtype)
    return next((known.types[id(each)][1] for each in origins(array) if id(each) in known.types), None)


def note_type(new: Any, of: Any) -> Any:
    """Notes that the array `new` has the type of `of` in Python, if that is NumPy's, or is known; gives it."""
    known = thread.now.references
    if known is not None and isinstance(new, Tracer):
        dtype = (
            of.dtype
            if isinstance(of, np.ndarray)
            else known.types.get(id(storages.root(of)), (None, None))[1]
        )
        root = storages.root(new)
        known.types[id(root)] = root, dtype
        if isinstance(of, np.ndarray) and not of.flags.c_contiguous:
            known.laid[id(new)] = new, tuple(step // of.itemsize for step in of.strides)
        elif id(of) in known.laid:
            known.laid[id(new)] = new, known.laid[id(of)][1]
    return new


def origins(array: Any) -> Iterator[Any]:
    """The arrays that `array` is, or is a part of; in a loop, those before it, too."""
    todo, seen = [array], set[int]()
    while todo:
        root = storages.root(todo.pop())
        if id(root) not in seen:
            seen.add(id(root))
            yield root
            todo += same_in_loops(root)


def same_in_loops(array: Any) -> list[Any]:
    """An array, what it was before the loops around, and what else was that."""
    found = [array]
    for each in found:
        for loop in thread.now.aliases:
            for new, old in loop.same:
                other = old if new is each else new if old is each else None
                if other is not None and not any(other is one for one in found):
                    found.append(other)
    return found
