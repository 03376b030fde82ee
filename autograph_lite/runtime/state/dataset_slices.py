"""Datasets: how does a loop run over data without a program that grows with them? Over slices of arrays, which are scanned.

for x, y in from_slices((xs, ys)):    one iteration is traced; xs and ys are inputs of the scan
    loss += error(x, y)
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.errors import IterationError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.branches.if_stmt import if_expr
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.iteration.iterables import Staged, Stepping
from autograph_lite.operators.object_graph.python_iterators import MOST
from autograph_lite.operators.values.values import as_index, traced
from autograph_lite.runtime.state import variable_frames
from autograph_lite.runtime.state.variable import Variable


class Slices(Staged):
    """The slices of arrays along their first axis; see `from_slices`. A pytree, and so an argument like the arrays."""

    def __init__(self, arrays: Any) -> None:
        self.arrays = arrays

    def length(self) -> Any:
        """How many slices there are."""
        return jax.tree.leaves(self.arrays)[0].shape[0]

    def rows(self) -> Any:
        """The arrays."""
        return self.arrays

    def item(self, row: Any) -> Any:
        """A slice, of the structure of the arrays."""
        return row

    def at(self, index: Any) -> Any:
        """The slice at an index."""
        if traced(index):
            return jax.tree.map(lambda a: lax.dynamic_index_in_dim(a, index, keepdims=False), self.arrays)
        return jax.tree.map(lambda a: a[index], self.arrays)

    def __iter__(self) -> Iterator[Any]:
        """An iterator whose position is kept from call to call; while tracing, one that starts again at each execution."""
        return (
            super().__iter__()
            if tracing_state.is_tracing()
            else SliceIterator(self, Variable(0, trainable=False))
        )

    def __repr__(self) -> str:
        shown = jax.tree.map(lambda a: f"{a.dtype}[{','.join(map(str, a.shape))}]", self.arrays)
        return f"from_slices({shown})".replace("'", "")


class SliceIterator(Stepping):
    """An iterator over slices that converted functions take items from, one at each execution.

    `next(it)` raises StopIteration when there are no more, from the call of the converted function. A `for` over it goes on where
    it is, and is staged.

    Attributes:
      position: the Variable that holds the number of the next slice.
    """

    def __init__(self, slices: Slices, position: Variable) -> None:
        self.slices, self.position = slices, position

    def __iter__(self) -> SliceIterator:
        return self

    def __next__(self) -> Any:
        if traced(self.position.value):
            _count(self)
        return self.step()

    def step(self, *default: Any) -> Any:
        """The next slice; where there is none, the default, or StopIteration."""
        index, length = self.position.value, len(self.slices)
        if not traced(index):
            if index >= length:
                if default:
                    return default[0]
                raise StopIteration
            return self.take(int(index))
        if default and length:
            return if_expr(index < length, lambda: self.take(as_index(index)), lambda: default[0])
        if default:
            return default[0]
        carried_checks.fail_if(index >= length, StopIteration())
        return self.take(as_index(index)) if length else self._nothing()

    def take(self, index: Any) -> Any:
        """The slice at an index, after which the iterator goes on."""
        self.position.assign(index + 1)
        return self.slices.at(index)

    def _nothing(self) -> Any:
        """What stands for a slice on the way to a check that always fails."""
        return jax.tree.map(lambda a: jnp.zeros(a.shape[1:], a.dtype), self.slices.arrays)

    def rest(self) -> Staged | None:
        """What a staged loop iterates over; None where Python iterates."""
        return _Rest(self) if traced(self.position.value) else None

    def __repr__(self) -> str:
        return f"iter({self.slices!r})"


_counted = weakref.WeakKeyDictionary[SliceIterator, tuple[variable_frames.Frame | None, int]]()


def _count(iterator: SliceIterator) -> None:
    """Counts an item that Python takes in a trace, where it is never told that there are no more: `[*it]` would not end."""
    frame = variable_frames.program()
    of_frame, number = _counted.get(iterator, (None, 0))
    number = number + 1 if of_frame is frame else 1
    _counted[iterator] = frame, number
    if number > min(len(iterator.slices), MOST):
        del _counted[iterator]
        raise IterationError(
            f"Python takes all items of {iterator!r}.",
            why="How many are left is known when the program runs, and not while it is traced.",
            fix="use a `for` loop, list(it) or tuple(it), or take as many items as you need with next(it).",
        )


class _Rest(Staged):
    """The slices from an iterator's position on."""

    def __init__(self, iterator: SliceIterator) -> None:
        self.iterator, self.start = iterator, iterator.position.value

    def length(self) -> Any:
        return as_index(len(self.iterator.slices) - self.start)

    def most(self) -> int | None:
        return len(self.iterator.slices)

    def at(self, index: Any) -> Any:
        return self.iterator.take(as_index(self.start + index))


def from_slices(arrays: Any) -> Slices:
    """The slices of arrays along their first axis, for loops whose program does not grow with their number.

    In converted code a `for` over it is staged, also over `enumerate` and `zip` of it; it can be left early and
    differentiated. Elsewhere it is an iterable of Python's. `iter` of it, outside of converted code, gives an iterator whose
    position is a Variable: `next` in a converted function takes another slice at each execution.

        @autograph_lite.convert
        def total(xs, ys):
            error = 0.0
            for x, y in autograph_lite.from_slices((xs, ys)):
                error += (x - y) ** 2
            return error

    Args:
      arrays: a pytree of arrays whose first axes are equally long. A list is one array, as in `jnp.asarray`.

    Returns:
      What to iterate over: each element is of the structure of `arrays`, with a slice of each. `len` of it is their number.

    Raises:
      IterationError: the arrays have first axes of different lengths, or none.
    """
    arrays = jax.tree.map(jnp.asarray, arrays, is_leaf=lambda node: isinstance(node, list))
    named = [(jax.tree_util.keystr(path), a) for path, a in jax.tree_util.tree_leaves_with_path(arrays)]
    if not named or any(a.ndim == 0 for _, a in named) or len({a.shape[0] for _, a in named}) > 1:
        raise IterationError(
            "from_slices takes arrays with first axes of one length.",
            why="\n".join(f"arrays{path} has shape {a.shape}." for path, a in named)
            or "There are no arrays in it.",
            fix="cut the arrays to the same length, or repeat what belongs to all slices with jnp.broadcast_to.",
        )
    return Slices(arrays)


def _remade(_: None, parts: Any) -> Slices:
    made: Slices = object.__new__(Slices)
    (made.arrays,) = parts
    return made


jax.tree_util.register_pytree_node(Slices, lambda slices: ((slices.arrays,), None), _remade)
jax.tree_util.register_pytree_node(
    SliceIterator, lambda it: ((it.slices, it.position), None), lambda _, parts: SliceIterator(*parts)
)
