"""Selections: what is a part of an array, if only the program knows its length? The whole array, with an extent for an axis.

    row = A[i, :j]                        Selection(A[i], (Span(n, 0, j),))
    jnp.sum(row)                          the sum of A[i] where the extent holds, else of zeros

It is a value like an array as far as a fixed shape is enough: in reductions, products, elementwise operations, assignments,
indices, loops, sorts and joins. What would need the length is an error that says which bound is to blame.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import DynamicShapeError, Location
from autograph_lite.jax_internals.dataflow import recorded_copies
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.ragged.extents import Extent
from autograph_lite.operators.ragged.slice_spelling import Spelled
from autograph_lite.operators.user_code import source_places

_made = False  # whether this process has made one: until then nothing has to be asked
METHODS: dict[str, Callable[..., Any]] = {}  # by name, filled by those who know what they mean


@dataclasses.dataclass(frozen=True, eq=False)
class Origin:
    """Where a selection comes from; says nothing about its type."""

    place: Location | tuple[()]
    spelled: Spelled

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin)

    def __hash__(self) -> int:
        return 0


class Selection:
    """Some of the items of an array, on axes where only the program knows how many there are.

    Attributes:
      array: all items; what those are that are not chosen is no matter.
      extents: for each axis what is chosen; None of an axis whose length is static.
      origin: the user's expression.
      tame: whether the items that are not chosen are like chosen ones, so that no function fails for them alone.
      memory: what stands for the memory in which NumPy has the items, where that is not the array's: it is new, but for parts
        of a selection.
    """

    __slots__ = ("array", "extents", "memory", "origin", "tame")
    __array_priority__ = 1000  # arrays of NumPy's leave operators to this class, those in place, too

    def __init__(
        self,
        array: Any,
        extents: Sequence[Extent | None],
        origin: Origin,
        *,
        tame: bool = False,
        memory: Any = ...,
    ) -> None:
        global _made
        _made = True
        self.extents, self.origin, self.tame = tuple(extents), origin, tame
        copies = memory is ...
        self.memory: Any = object() if copies else memory
        if copies:  # it keeps the items that there are now; its rows are no parts of `array`
            now = storages.pinned(array, ahead=True)
            if now.ndim > 1 and now is not array:
                now = storages.copied_for(
                    storages.pinned(recorded_copies.copied(now), ahead=True), self.memory
                )
            array = numpys_arrays.note_next(now, array)
        self.array = array

    @property
    def shape(self) -> tuple[Any, ...]:
        """The lengths of the axes, traced where only the program knows them."""
        return tuple(length_of(self, axis) for axis in range(self.ndim))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.extents)

    @property
    def dtype(self) -> Any:
        """The dtype of the items."""
        return self.array.dtype

    @property
    def size(self) -> Any:
        """The number of items."""
        total: Any = 1
        for length in self.shape:
            total = total * length
        return total

    @property
    def T(self) -> Any:
        """The axes in reverse."""
        return having(self, self.array.T, self.extents[::-1], memory=self.memory)

    @property
    def real(self) -> Any:
        """The real parts."""
        return having(self, self.array.real, self.extents, memory=self.memory)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return having(self, self.array.imag, self.extents, memory=self.memory)

    def described(self) -> str:
        """How messages name it, among arrays."""
        return shape_text(self)

    def __getitem__(self, index: Any) -> Any:
        return _as_numpys(METHODS["[]"](self, index), self)

    def __matmul__(self, other: Any) -> Any:
        return _as_numpys(METHODS["@"](self, other), self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _as_numpys(METHODS["r@"](self, other), self, other)

    def __len__(self) -> int:
        raise unsized(self, "is asked for its length by Python")

    def __bool__(self) -> bool:
        raise unsized(self, "is used as a condition")

    def __iter__(self) -> Any:
        if self.extents[0] is None:
            return (self[number] for number in range(self.array.shape[0]))
        raise unsized(self, "is iterated over by Python")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise unsized(self, "is handed to a library")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        method = METHODS.get(name)
        if method is None:
            raise unsized(self, f"is asked for its '{name}'")
        return Method(method, self)

    def __repr__(self) -> str:
        # in a text, another text stands for the array
        text = shape_text(self) if hasattr(self.array, "shape") else self.array
        return f"<{self.origin.spelled.text}: {text}>"


class Method:
    """A method of a selection."""

    __slots__ = ("owner", "run")

    def __init__(self, run: Callable[..., Any], owner: Selection) -> None:
        self.run, self.owner = run, owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the method gives of the selection."""
        require_known(self.run, self.owner, (self.owner, *args), kwargs)
        return _as_numpys(self.run(self.owner, *args, **kwargs), self.owner)


def _as_numpys(found: Any, *operands: Any) -> Any:
    """What is computed of parts and arrays: NumPy's where all of them are."""
    arrays = [*map(array_of, operands)]
    if all(isinstance(each, np.ndarray) or numpys_arrays.is_numpys(each) for each in arrays):
        for each in found if type(found) is tuple else (found,):
            numpys_arrays.note_next(array_of(each), *arrays)
            numpys_arrays.note_number(each)
    return found


def require_known(fun: Any, owner: Selection, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses options of JAX's that `fun`, which does the same to selections, does not have."""
    try:
        inspect.signature(fun).bind(*args, **kwargs)
    except TypeError:
        options = ", ".join(map(repr, kwargs)) or "so many arguments"
        raise unsized(
            owner, f"is handed to '{getattr(fun, '__name__', 'a method')}' with {options}"
        ) from None


def selections_exist() -> bool:
    """Whether there may be selections in this process."""
    return _made


def length_of(value: Any, axis: int) -> Any:
    """The length of an axis of an array or a selection: an int, or traced."""
    extent = extents_of(value)[axis]
    return jnp.shape(value)[axis] if not isinstance(value, Selection) else (
        value.array.shape[axis] if extent is None else extent.length
    )  # fmt: skip


def extents_of(value: Any) -> tuple[Extent | None, ...]:
    """For each axis of an array or a selection what is chosen."""
    return value.extents if isinstance(value, Selection) else (None,) * jnp.ndim(value)


def array_of(value: Any) -> Any:
    """All items of an array or a selection."""
    return value.array if isinstance(value, Selection) else value


def having(
    selection: Selection,
    array: Any,
    extents: Iterable[Extent | None],
    *,
    tame: bool = False,
    memory: Any = ...,
) -> Any:
    """What comes of a selection: another, or an array where no axis is left whose length is traced."""
    extents = tuple(extents)
    if all(extent is None for extent in extents):
        return array
    return Selection(array, extents, selection.origin, tame=tame, memory=memory)


def padded(selection: Selection, fill: Any, axes: Iterable[int] | None = None) -> Any:
    """The array with `fill` in place of what is not chosen, on these axes or on all."""
    return masked(selection.array, selection.extents, fill, axes)


def masked(array: Any, extents: Sequence[Extent | None], fill: Any, axes: Iterable[int] | None = None) -> Any:
    """An array with `fill` where its extents choose nothing, on these axes or on all."""
    lanes = chosen(extents, axes)
    return array if lanes is None else jnp.where(lanes, array, jnp.asarray(fill, array.dtype))


def chosen(extents: Sequence[Extent | None], axes: Iterable[int] | None = None) -> Any:
    """Whether each item is chosen, to be broadcast to the array; None where all are."""
    wanted = range(len(extents)) if axes is None else axes
    lanes: list[Any] = [None] * len(extents)
    for axis in wanted:
        if (extent := extents[axis]) is not None:
            lanes[axis] = extent.lanes()
    return chosen_by(lanes)


def chosen_by(lanes: Sequence[Any]) -> Any:
    """The same, if for each axis the chosen places are known: bool[size], or None of an axis that is whole."""
    found: Any = None
    for axis, row in enumerate(lanes):
        if row is not None:
            one = as_row(row, axis, len(lanes))
            found = one if found is None else found & one
    return found


def as_row(row: Any, axis: int, ndim: int) -> Any:
    """A row of values as an array that is broadcast along all other axes."""
    return row.reshape([-1 if k == axis else 1 for k in range(ndim)])


def tamed(selection: Selection) -> Any:
    """The array with an item that is chosen in place of each that is not; 1 where none is chosen.

    So a function gives no nan where it counts for nothing, and its derivative there, times zero, is zero.
    """
    array = selection.array
    if selection.tame or not jnp.issubdtype(array.dtype, jnp.inexact):
        return array
    for axis, extent in enumerate(selection.extents):
        if extent is not None and array.shape[axis]:
            one = jax.lax.dynamic_slice_in_dim(array, extent.first, 1, axis)
            sample = jnp.where(extent.length > 0, one, jnp.ones((), array.dtype))
            array = jnp.where(as_row(extent.lanes(), axis, selection.ndim), array, sample)
    return array


def shape_text(selection: Selection) -> str:
    """Dtype and shape in words: at most so many items where only the program knows."""
    sizes = zip(selection.array.shape, selection.extents, strict=True)
    shape = ",".join(str(size) if extent is None else f"<={size}" for size, extent in sizes)
    return f"{selection.dtype}[{shape}]"


def unsized(selection: Selection, use: str, *, inside: bool = True) -> DynamicShapeError:
    """The error for a use that needs a length which only the program knows.

    Args:
      selection: what is used.
      use: how: "is returned".
      inside: whether the line that is running is to be shown, and not one that calls the function.
    """
    spelled, place = selection.origin.spelled, selection.origin.place
    return DynamicShapeError(
        f"'{spelled.text}' {use}, and only the data knows how many items it has.",
        where=(source_places.here() if inside else (), place),
        why=f"{spelled.why} An array of a compiled program has a fixed shape, so such a part can only be reduced, multiplied, "
        "computed with item by item, indexed, looped over, or assigned.",
        fix=spelled.fix,
    )


def _flat(selection: Selection) -> tuple[list[Any], Any]:
    # A library's function, or the outputs of the user's own `jax.jit`.
    if not source_places.asked_by_any_of_us():
        raise unsized(selection, "leaves the converted function")
    parts: list[Any] = [selection.array]
    kinds = []
    for extent in selection.extents:
        kinds.append(None if extent is None else (type(extent), extent.size))
        if extent is not None:
            parts += extent.parts()
    return parts, (tuple(kinds), selection.origin)


def _unflat(known: Any, parts: Iterable[Any]) -> Selection:
    kinds, origin = known
    array, *rest = parts
    extents: list[Extent | None] = []
    for kind in kinds:
        if kind is None:
            extents.append(None)
            continue
        extent, rest = kind[0].made_of(kind[1], rest)
        extents.append(extent)
    return Selection(array, extents, origin, memory=None)  # nobody knows whose, where paths have met


jax.tree_util.register_pytree_node(Selection, _flat, _unflat)
