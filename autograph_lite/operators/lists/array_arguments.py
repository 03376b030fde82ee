"""Array arguments: which lists, tuples and ranges does JAX take for arrays here? Those that NumPy or SciPy does, and JAX refuses.

np.max([a, b]), np.dot([1, 2], x)     the list becomes an array once JAX has refused it, for a parameter that is an array
np.vstack([[1, 2], x])                and so do those among the items, for a parameter that is a sequence of arrays
np.zeros([2, 3]), x.sum(axis=(0, 1))  stay as they are: a shape, axes
np.array(history), np.mean(history)   of a list whose length only the data knows: it is a part of an array, as x[:n] is
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.references import lower_kinds
from autograph_lite.operators.joins.join_types import rebuild
from autograph_lite.operators.lists import dynamic_length, packing
from autograph_lite.operators.ragged.extents import Span
from autograph_lite.operators.ragged.selection import Origin, Selection
from autograph_lite.operators.ragged.slice_spelling import Spelled
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import any_traced

_ARRAYS, _SEQUENCES = (jax.Array, np.ndarray), (list, tuple, range)
# What JAX says of a sequence in place of an array: by its own check, by `jit`, and where it asks for a type or a shape.
_REFUSALS = re.compile(
    r"requires ndarray.* got <class '(list|tuple|range)'> at position"
    r"|The problematic value is of type <class '(list|tuple|range)'>"
    r"|^Cannot determine dtype of [\[(]|conversion method __array__\(\) was called on"
    r"|^asarray: expected ArrayLike, got [\[(]|^'(list|tuple|range)' object has no attribute '(ndim|shape|dtype)'"
)
Given = tuple[tuple[Any, ...], dict[str, Any]]


def as_arrays(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: BaseException
) -> Given | None:
    """What JAX's function was given that failed, with arrays for sequences, or None. Raises MutationError: no known length."""
    if not isinstance(error, (TypeError, AttributeError)) or not _REFUSALS.search(str(error)):
        return None
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    before = dict(bound.arguments)
    for name, value in before.items():
        parameter = bound.signature.parameters[name]
        array, items = _takes(parameter.annotation)
        if parameter.kind is parameter.VAR_POSITIONAL:
            bound.arguments[name] = _each(value) if array else value
        elif parameter.kind is parameter.VAR_KEYWORD:
            bound.arguments[name] = (
                dict(zip(value, _each((*value.values(),)), strict=True)) if array else value
            )
        elif array:
            bound.arguments[name] = numpys_array(value)
        elif items and isinstance(value, (list, tuple)):
            bound.arguments[name] = _each(value)
    same = all(_is_same(value, bound.arguments[name]) for name, value in before.items())
    return None if same else (bound.args, bound.kwargs)


def taking_sequences(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, which calls JAX's functions, and takes sequences for arrays as NumPy's do."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except (TypeError, AttributeError) as error:
            taken = as_arrays(fn, args, kwargs, error)
            if taken is None:
                raise
        return run(*taken[0], **taken[1])

    return run


def as_part(value: Any) -> Any:
    """A list whose length only the data knows as a part of the array that NumPy makes of it; anything else as it is."""
    if type(value) in (list, tuple) and any(map(dynamic_length.is_dynamic, value)):
        return type(value)(map(as_part, value))
    if not dynamic_length.is_dynamic(value):
        return value
    stretch = packing.packed(value)
    name = stretch.origin[0]
    items = jax.vmap(lambda *row: jnp.array(rebuild(stretch.item, row, "an item")))(*stretch.columns)
    spelled = Spelled(
        name or source_places.expression(),
        "A traced value decides how many items the list gets.",
        "fill an array of fixed size by index, ys[k] = v, and count the items in k.",
    )
    extents = (Span(stretch.room, 0, stretch.length), *(None,) * (items.ndim - 1))
    return Selection(items, extents, Origin(source_places.here(), spelled))


def beside(left: Any, right: Any, symbol: str) -> tuple[Any, Any]:
    """The operands, with an array in place of a sequence beside an array."""
    if isinstance(left, _ARRAYS) and type(right) in _SEQUENCES:
        return left, right if left.ndim == 0 and symbol in _OF_PYTHON else numpys_array(right)
    if isinstance(right, _ARRAYS) and type(left) in _SEQUENCES:
        return left if right.ndim == 0 and symbol in _OF_PYTHON else numpys_array(left), right
    return left, right


# A number that a program computes is one of Python's beside a sequence.
_OF_PYTHON = frozenset({"*", "==", "!=", "<", "<=", ">", ">="})


def _takes(annotation: Any) -> tuple[bool, bool]:
    """Whether a parameter is an array, by JAX's annotation or for the want of one; and whether it is a sequence of arrays."""
    if annotation in (inspect.Parameter.empty, "Any"):  # of our functions nothing tells
        return True, False
    text = inspect.formatannotation(annotation)
    many = "Sequence[" in text or "list[" in text
    return "Array" in text and not many, "Array" in text and many


def numpys_array(value: Any) -> Any:
    """What NumPy makes of a sequence; what no traced value is in stays known while tracing: `np.repeat(x, [1, 2])`."""
    if not isinstance(value, _SEQUENCES):
        return value
    value = dynamic_length.whole(value)
    return lower_kinds.note_numbers_of(jnp.asarray(value), value) if any_traced(value) else np.asarray(value)


def _each(values: Any) -> Any:
    found = [numpys_array(value) for value in values]
    return type(values)(found) if type(values) in (list, tuple) else found


def _is_same(before: Any, after: Any) -> bool:
    if isinstance(before, dict):
        before, after = (*before.values(),), (*after.values(),)
    if type(before) in (list, tuple) and type(after) in (list, tuple):
        return all(a is b for a, b in zip(before, after, strict=True))
    return before is after
