"""Elementwise operations: how do selections go together? The items that are chosen are brought to the same places first.

x[1:j] - x[: j - 1]                   the second array is moved by one place, and both lengths are checked
A[i, :j] * A[k, :j]                   the same places already
"""

from __future__ import annotations

import builtins
import math
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import SliceLengthError
from autograph_lite.jax_internals.constant_folding import is_in_place
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.ragged.extents import Extent, entire, moved
from autograph_lite.operators.ragged.selection import (
    METHODS,
    Selection,
    array_of,
    extents_of,
    having,
    padded,
    tamed,
)
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import is_arraylike, traced
from autograph_lite.tracing import thread


def elementwise(fun: Callable[..., Any], operands: Sequence[Any], *, fill: Any = None) -> Any:
    """`fun` of selections, arrays and numbers, item by item.

    Args:
      fun: a function of arrays that are broadcast.
      operands: one of them at least is a selection.
      fill: what stands for items that are not chosen: None for one that is chosen, so that no derivative is nan there;
        ... for what they are, where `fun` can't fail.
    """
    first = next(value for value in operands if isinstance(value, Selection))
    target = common(operands)
    arrays = []
    for value in operands:
        if isinstance(value, Selection) and fill is not ...:
            array = tamed(value) if fill is None else padded(value, fill)
            numpys_arrays.note_next(array, value.array)
            value = having(value, array, value.extents, tame=True)
        arrays.append(onto(value, target))
    tame = fill is None or all(value.tame for value in operands if isinstance(value, Selection))
    return having(first, fun(*arrays), target, tame=tame)


def common(operands: Sequence[Any]) -> tuple[Extent | None, ...]:
    """For each axis of what operands give together, where the chosen items are to be."""
    ndim = max(len(extents_of(value)) for value in operands)
    target: list[Extent | None] = [None] * ndim
    for value in operands:
        extents = extents_of(value)
        for axis, extent in enumerate(extents, ndim - len(extents)):
            if extent is not None and target[axis] is None:
                target[axis] = extent
    return tuple(target)


def onto(value: Any, target: Sequence[Extent | None]) -> Any:
    """The array of `value` with the chosen items at the places of `target`, to be broadcast to its shape."""
    array, extents = array_of(value), extents_of(value)
    for axis, extent in enumerate(extents):
        wanted = target[len(target) - len(extents) + axis]
        size = jnp.shape(array)[axis]
        if wanted is None or (extent is None and size == 1) or (extent is not None and extent.same(wanted)):
            continue
        source = entire(size) if extent is None else extent
        require_equal(source.length, wanted.length)
        array = numpys_arrays.note_next(moved(jnp.asarray(array), axis, source, wanted), array)
    return array


def require_equal(left: Any, right: Any) -> None:
    """A check that two selections, or a selection and an array, are equally long."""
    if not traced(left) and not traced(right) and left == right:
        return
    error = SliceLengthError(
        f"'{source_places.expression()}' takes two parts of arrays that are not equally long.",
        why="The bounds of one of them at least are traced, so that only the run of the program tells its length.",
        fix="give both slices the same length.",
    )
    carried_checks.fail_if(left != right, error)


# Operators

# Those that can't fail, and have derivatives that do not depend on the items.
_UNFAILING = ("add", "sub", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor")
_FILLED = {"mul": 1}
_OTHERS = ("truediv", "floordiv", "mod", "pow", "lshift", "rshift")


def _binary(fun: Callable[[Any, Any], Any], fill: Any, *, swapped: bool) -> Callable[[Any, Any], Any]:
    def run(self: Selection, other: Any) -> Any:
        if not isinstance(other, Selection) and not is_arraylike(other):
            return NotImplemented
        known = thread.now.references
        if swapped and known is not None and type(other) is np.ndarray and is_in_place(sys._getframe(1)):
            known.change(other, "set", None)  # it is to be one of the program's, which keeps its shape
        operands = (other, self) if swapped else (self, other)
        return elementwise(fun, operands, fill=... if fill == 1 and _is_finite(other) else fill)

    return run


def _is_finite(other: Any) -> bool:
    """Whether a factor is a number that is known to be finite: the derivative of a product with it is, too."""
    return isinstance(other, (bool, int, float)) and math.isfinite(other)


def _function(name: str) -> Callable[[Any, Any], Any]:
    found: Callable[[Any, Any], Any] = getattr(operator, f"{name}_" if name in ("and", "or") else name)
    return lambda a, b: found(a if hasattr(a, "dtype") else jnp.asarray(a) if name == "pow" else a, b)


for _name in (*_UNFAILING, *_FILLED, *_OTHERS):
    _fill = ... if _name in _UNFAILING else _FILLED.get(_name)
    setattr(Selection, f"__{_name}__", _binary(_function(_name), _fill, swapped=False))
    if _name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Selection, f"__r{_name}__", _binary(_function(_name), _fill, swapped=True))


def _in_place(symbol: str) -> Callable[[Any, Any], Any]:
    def change(self: Selection, operand: Any) -> Any:
        known = thread.now.references
        return NotImplemented if known is None else known.change(self, symbol, operand)

    return change


for _name in (*_UNFAILING, *_FILLED, *_OTHERS):
    if _name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Selection, f"__i{_name}__", _in_place(_name))


def _unary(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: elementwise(fun, (self,), fill=...)


for _name, _one in (("neg", operator.neg), ("pos", operator.pos), ("invert", operator.invert)):
    setattr(Selection, f"__{_name}__", _unary(_one))
Selection.__abs__ = _unary(builtins.abs)  # type: ignore[attr-defined]


def astype(value: Selection, dtype: Any) -> Any:
    """`value.astype(dtype)`."""
    return elementwise(lambda array: array.astype(dtype), (value,), fill=...)


METHODS.update({
    "astype": astype, "copy": _unary(jnp.copy), "conj": _unary(jnp.conj),
    "clip": lambda value, *a, **k: elementwise(lambda x: x.clip(*a, **k), (value,)),
})  # fmt: skip
