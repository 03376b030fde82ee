"""Array specs: which arrays does one trace serve? Those of a dtype and a shape, where `None` is any size or any rank.

ArraySpec((None, 3), "float32")      prints as float32[?,3]
ArraySpec(None, "int32")             prints as int32[...]
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.runtime.types.trace_type import Placeholders, TraceType

Shape = tuple[Any, ...] | None  # sizes are ints, None, or JAX's symbolic ones


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class ArraySpec(TraceType):
    """The type of an array.

    Attributes:
      shape: the sizes; None among them is any size, None in place of them any rank.
      dtype: anything that NumPy or JAX takes for a dtype.
      weak_type: whether the dtype came from a Python number, and so gives way in a promotion.

    Raises:
      TypeError: the shape is no sequence of sizes, or arrays can't have that dtype.
      ValueError: a size is negative.
    """

    shape: Shape
    dtype: Any
    weak_type: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _shape(self.shape))
        object.__setattr__(self, "dtype", _dtype(self.dtype))

    @classmethod
    def from_array(cls, array: Any) -> ArraySpec:
        """The type of a `jax.Array`, a tracer, an array or scalar of NumPy's, or a `jax.ShapeDtypeStruct`."""
        if not isinstance(array, jax.Array):
            return cls(array.shape, array.dtype, bool(getattr(array, "weak_type", False))).canonical()
        made = object.__new__(cls)  # what an array has is right, and to check it is most of the time
        held = {"shape": array.shape, "dtype": array.dtype, "weak_type": avals.weak_type(array)}
        for name, value in held.items():
            object.__setattr__(made, name, value)
        return made

    def canonical(self) -> ArraySpec:
        """The same with the dtype that JAX's arrays will have: int32 in place of int64, unless x64 is enabled."""
        if is_extended(self.dtype):
            return self
        dtype = jax.dtypes.canonicalize_dtype(self.dtype)
        return self if dtype == self.dtype else dataclasses.replace(self, dtype=dtype)

    def placeholder(self) -> jax.ShapeDtypeStruct:
        """What stands for an array of this type where one is asked for; of some shape, where the type leaves it open."""
        shape = tuple(2 if size is None else size for size in self.shape or ())
        return jax.ShapeDtypeStruct(shape, self.dtype, weak_type=self.weak_type)

    @property
    def is_general(self) -> bool:
        """Whether arrays of more than one shape are of this type."""
        return self.shape is None or None in self.shape

    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether `other` has the same dtype and weak type, and takes the shape."""
        return isinstance(other, ArraySpec) and self._same_dtype(other) and _fits(self.shape, other.shape)

    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The spec with None for each size, or rank, that is not the same in all."""
        shape = self.shape
        for other in others:
            if not isinstance(other, ArraySpec) or not self._same_dtype(other):
                return None
            shape = _joined(shape, other.shape)
        return dataclasses.replace(self, shape=shape)

    def placeholder_value(self, context: Placeholders) -> Any:
        """The next traced array."""
        return context.array(self)

    def arrays(self, value: Any) -> list[Any]:
        """The array."""
        return [value]

    def _same_dtype(self, other: ArraySpec) -> bool:
        return bool(self.dtype == other.dtype) and self.weak_type == other.weak_type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArraySpec) and self._same_dtype(other) and self.shape == other.shape

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.weak_type))

    def __repr__(self) -> str:
        sizes = "..." if self.shape is None else ",".join("?" if n is None else str(n) for n in self.shape)
        return f"{'weak ' if self.weak_type else ''}{self.dtype}[{sizes}]"


def becomes_array(value: Any) -> bool:
    """Whether a value is traced as an array."""
    if isinstance(value, jax.Array):
        return True
    if not isinstance(value, (np.ndarray, np.generic)) or numpys_arrays.has_own_operators(type(value)):
        return False
    return is_numeric(value.dtype)


def refuse_subclass(value: Any) -> None:
    """Refuses a masked array, whose mask JAX would lose, and a matrix, whose products it would take item by item."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            "A masked array of NumPy's can't be an argument, as JAX has none: pass the array and its mask, x.data and x.mask, "
            "or x.filled(value)."
        )
    if isinstance(value, np.matrix):
        raise TypeError(
            "A matrix of NumPy's can't be an argument, as JAX has none: pass the array, np.asarray(x), "
            "whose matrix product is x @ y."
        )
    if numpys_arrays.has_own_operators(type(value)):
        raise TypeError(
            f"An array of the class '{type(value).__name__}', which has operators of its own, can't be an argument: "
            "pass the array, np.asarray(x)."
        )


def is_numeric(dtype: Any) -> bool:
    """Whether JAX's arrays can have the dtype."""
    if is_extended(dtype) or dtype == np.bool_:
        return True
    # To NumPy a difference of times is an integer.
    return bool(jnp.issubdtype(dtype, jnp.number) and not jnp.issubdtype(dtype, np.timedelta64))


def is_extended(dtype: Any) -> bool:
    """Whether it is a dtype that NumPy does not have, as that of JAX's random keys."""
    return bool(jnp.issubdtype(dtype, jax.dtypes.extended))


def _shape(shape: Any) -> Shape:
    if shape is None:
        return None
    if isinstance(shape, (str, bytes)) or not hasattr(shape, "__iter__"):
        raise TypeError(f"A shape is a tuple of sizes, or None for any rank: found {shape!r}.")
    return tuple(map(_size, shape))


def _size(size: Any) -> Any:
    if size is None or export.is_symbolic_dim(size):
        return size
    try:
        number = operator.index(size)
    except TypeError:
        raise TypeError(f"A size is an int, or None for any: found {size!r}.") from None
    if number < 0:
        raise ValueError(f"A size is not negative: found {size!r}.")
    return number


def _dtype(dtype: Any) -> Any:
    if dtype is None:  # NumPy would take it for float64
        raise TypeError("An ArraySpec has a dtype: found None.")
    found = dtype if is_extended(dtype) else np.dtype(dtype)
    if not is_numeric(found):
        raise TypeError(f"Arrays can't have the dtype {str(found)!r}.")
    return found


def _fits(shape: Shape, allowed: Shape) -> bool:
    if allowed is None:
        return True
    if shape is None or len(shape) != len(allowed):
        return False
    return all(most is None or size == most for size, most in zip(shape, allowed, strict=True))


def _joined(one: Shape, other: Shape) -> Shape:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))


def specs_in(types: Sequence[TraceType]) -> list[ArraySpec]:
    """The types of the arrays in types, in their order."""
    found: list[ArraySpec] = []
    for type in types:
        found += [type] if isinstance(type, ArraySpec) else specs_in(type.parts())
    return found


@functools.cache
def array_types() -> frozenset[type]:
    """The types of arrays that are no tracers."""
    return frozenset([type(jnp.zeros(())), np.ndarray, *(np.dtype(code).type for code in "?bhilqBHILQefdFD")])
