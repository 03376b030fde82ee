"""TensorArray: how does a loop collect values where a list is not explicit enough? In a buffer of fixed size.

ys = TensorArray(jnp.float32, n)      n elements, all zero
for i in range(k):
    ys = ys.write(i, f(i))            gives another one: the one that was written to is not to be used again
return ys.stack()
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import Location, MutationError, TensorArrayError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks, traced_text
from autograph_lite.operators.effects import journal
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import any_traced, describe, traced

T = TypeVar("T")


class TensorArray:
    """A buffer of elements of one shape and type, whose size is fixed; a pytree, carried through staged loops.

    `write`, `scatter` and `unstack` give a TensorArray with the new elements. The one that was written to is superseded:
    its use is an error, as is a result of theirs that is dropped. An index that is out of range raises IndexError, when
    the program runs if the index is traced.

        @autograph_lite.convert
        def squares(n):
            ys = autograph_lite.TensorArray(jnp.int32, 10)
            for i in range(n):
                ys = ys.write(i, i * i)
            return ys.stack()                 # squares(jnp.int32(3)): [0 1 4 0 0 0 0 0 0 0]

    Args:
      dtype: of the elements.
      size: how many elements there are, an int.
      element_shape: of each element, a tuple of ints.
      dynamic_size: whether it grows as it is written to: only False is possible.

    Raises:
      TensorArrayError: the size or the shape is not known while tracing, or `dynamic_size` is set.
    """

    def __init__(self, dtype: Any, size: int, element_shape: Any = (), *, dynamic_size: bool = False) -> None:
        if dynamic_size:
            raise TensorArrayError(
                "A TensorArray can't grow: dynamic_size is True.",
                why="A compiled program reserves the memory of all its arrays before it runs.",
                fix="give the largest size that is needed, and count how many elements are written.",
            )
        dimensions = (size, *element_shape)
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in dimensions):
            raise TensorArrayError(
                f"A TensorArray has size {_shown(size)} and elements of shape {element_shape!r}.",
                why="A compiled program has arrays of fixed shapes, so that these are integers that Python knows.",
                fix="give the largest size that is needed, and count how many elements are written.",
            )
        self._buffer = jnp.zeros(dimensions, dtype)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._buffer.dtype

    @property
    def element_shape(self) -> tuple[int, ...]:
        """The shape of each element."""
        shape: tuple[int, ...] = self._buffer.shape[1:]
        return shape

    def size(self) -> int:
        """How many elements there are."""
        return int(self._buffer.shape[0])

    def __len__(self) -> int:
        return self.size()

    def read(self, index: Any) -> Any:
        """The element at `index`, an integer from 0; zeros where none was written."""
        return self._now("read")[self._index(index)]

    def write(self, index: Any, value: Any) -> TensorArray:
        """A TensorArray with `value` at `index`, an integer from 0."""
        buffer = self._now("written to")
        return self._next(buffer.at[self._index(index)].set(self._fitting(value, self.element_shape)))

    def gather(self, indices: Any) -> Any:
        """The elements at `indices`, an array of integers, stacked."""
        return self._now("read")[self._index(_array(indices))]

    def scatter(self, indices: Any, value: Any) -> TensorArray:
        """A TensorArray with the rows of `value` at `indices`, an array of integers that differ."""
        buffer, indices = self._now("written to"), _array(indices)
        rows = self._fitting(value, (*indices.shape, *self.element_shape))
        return self._next(buffer.at[self._index(indices)].set(rows))

    def stack(self) -> Any:
        """All elements as one array, with an axis in front."""
        return self._now("read")

    def unstack(self, value: Any) -> TensorArray:
        """A TensorArray with the rows of `value`, as many as there are elements."""
        return self._next(self._fitting(value, self._now("written to").shape))

    def concat(self) -> Any:
        """All elements one after the other, along their first axis."""
        buffer = self._now("read")
        if not self.element_shape:
            raise TensorArrayError(
                "The elements of a TensorArray are scalars, and concat() puts arrays together.",
                fix="use stack().",
            )
        first, *rest = self.element_shape
        return buffer.reshape((self.size() * first, *rest))

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.element_shape))
        return f"TensorArray(size={self.size()}, elements={self.dtype}[{shape}])"

    def _index(self, index: Any) -> Any:
        if jnp.result_type(index).kind not in "iu":
            raise TypeError(f"a TensorArray's index is an integer; this is {describe(index)}.")
        outside = (index < 0) | (index >= self.size())
        message = traced_text.format(
            "TensorArray index {} is out of range: its size is {}.", index, self.size()
        )
        if traced(index):
            carried_checks.fail_if(jnp.any(outside), IndexError(message))
        elif np.any(outside):
            raise IndexError(message)
        return index

    def _fitting(self, value: Any, shape: tuple[int, ...]) -> Any:
        if isinstance(value, (list, tuple)):
            value = jnp.asarray(value)
        if jnp.shape(value) != shape or jnp.result_type(value, self.dtype) != self.dtype:
            wanted = f"{self.dtype}[{','.join(map(str, shape))}]"
            raise TensorArrayError(
                f"{describe(value)} is written to a TensorArray in a place of {wanted}.",
                why="All elements have the type and the shape that the TensorArray was made with.",
                fix=f"reshape the value or cast it, value.astype({self.dtype}), or make the TensorArray of its type.",
            )
        return jnp.asarray(value, self.dtype)

    def _now(self, what: str) -> jax.Array:
        """The buffer.

        Raises:
          TensorArrayError: there is a newer one.
        """
        mark = _superseded.get(self)
        if mark is not None and mark.holds():
            raise TensorArrayError(
                f"A TensorArray is {what} after it was written to.",
                where=tuple(place for place in (source_places.here(), mark.place) if place),
                why="A write gives a new TensorArray with the element; the one that was written to does not have it.",
                fix="use what the write returned: ys = ys.write(i, value).",
            )
        return self._buffer

    def _next(self, buffer: jax.Array) -> TensorArray:
        _superseded[self] = _Mark.here()
        return _of(buffer)


def _array(indices: Any) -> Any:
    return jnp.asarray(indices) if any_traced(indices) else np.asarray(indices)


def _shown(size: Any) -> str:
    return describe(size) if isinstance(size, jax.Array) else repr(size)


def _of(buffer: Any) -> TensorArray:
    new: TensorArray = object.__new__(TensorArray)
    new._buffer = buffer
    return new


jax.tree_util.register_pytree_node(
    TensorArray, lambda ys: ((ys._buffer,), None), lambda _, leaves: _of(*leaves)
)


@dataclasses.dataclass(frozen=True)
class _Mark:
    """Where a TensorArray was written to."""

    place: Location | tuple[()]  # the user's line
    trace: weakref.ref[Any] | None  # the outermost trace of JAX's that was going on; None for none
    bodies: tuple[int, ...]  # of the statements that were being traced, as `journal.bodies` gives them

    @classmethod
    def here(cls) -> _Mark:
        trace = weakref.ref(tracing_state.outermost_trace()) if tracing_state.is_tracing() else None
        return cls(source_places.here(), trace, journal.bodies())

    def holds(self) -> bool:
        """Whether the code that runs now comes after the write, and not in place of it, as another branch does."""
        if tracing_state.is_tracing() and (
            self.trace is not None and self.trace() is not tracing_state.outermost_trace()
        ):
            return False
        now = journal.bodies()
        common = min(len(now), len(self.bodies))
        return now[:common] == self.bodies[:common]


_superseded: weakref.WeakKeyDictionary[TensorArray, _Mark] = weakref.WeakKeyDictionary()


def dropped(value: T, method: str) -> T:
    """The value of a statement that does nothing with it, which `method` of some object has given.

    Raises:
      TensorArrayError: it is a TensorArray, in which something was written.
      MutationError: it is an array that has been sorted: NumPy's method sorts in place.
    """
    if method == "sort" and isinstance(value, (jax.Array, Selection)):
        raise MutationError(
            f"An array, {describe(value)}, is sorted by its method, and nothing takes the sorted one.",
            why="NumPy sorts in place. An array is a value to a compiled program: the method gives a new one, and leaves the "
            "array as it is.",
            fix="take the new one: x = jnp.sort(x).",
        )
    if isinstance(value, TensorArray):
        raise TensorArrayError(
            "A TensorArray is written to, and the result is dropped.",
            why="A write gives a new TensorArray with the element; the one that was written to does not have it.",
            fix="keep what the write returns: ys = ys.write(i, value).",
        )
    return value
