"""Batching of `while`: where are the lanes in the arrays of a loop that `vmap`s end lane by lane, and how is it differentiated?

The derivative of such a loop lets a lane that has finished compute with what one holds that has not (`lanes`). So each array that
lanes do not all share has to have an item for each of them, which one that follows only some of the `vmap`s has not: for the
derivative the loop is made once more, from that of one lane.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.interpreters import batching

from autograph_lite.errors import Location

JAXS: Any = lax.while_p
"""JAX's primitive."""
Axes = tuple[int | None, ...]
"""The axis of each `vmap` in an array, that of the outermost first; None where it does not follow that one."""


@dataclasses.dataclass(frozen=True)
class Lanes:
    """The lanes of a loop; in its variables, they are the first axes."""

    test: tuple[Axes, ...]  # the axes in each array that its condition holds
    body: tuple[Axes, ...]  # in each that its body holds
    # the parameters of the loop of one lane, as pairs; () where they are not known
    one: tuple[tuple[str, Any], ...] = dataclasses.field(default=(), repr=False)
    maps: tuple[Any, ...] = dataclasses.field(default=(), repr=False)  # what JAX says of each `vmap`

    def are_whole(self) -> bool:
        """Whether each array that the body holds has an item for each lane, or one for all."""
        return all(len(set(map(_is_none, axes))) <= 1 for axes in self.body)

    def of_body(self) -> list[tuple[int, ...] | None]:
        """For each array that the body holds its axes of lanes; None where they share it, or where that is not known."""
        known = self.are_whole()
        return [tuple(a for a in axes if a is not None) or None if known else None for axes in self.body]

    def under(self, axis: Any, dims: Sequence[int | None]) -> Lanes:
        """Those under one more `vmap` that ends the loop lane by lane, and follows `dims` of what the loop holds."""
        given = zip((*self.test, *self.body), dims, strict=False)
        added = [(dim, *(_shifted(a, dim) for a in axes)) for axes, dim in given]
        return self._with(added, maps=(axis, *self.maps))

    def beside(self, axis: Any, dims: Sequence[int | None]) -> Lanes:
        """Those under one more `vmap` that does not."""
        held = (*self.test, *self.body)
        moved = [tuple(_shifted(a, dim) for a in axes) for axes, dim in zip(held, dims, strict=False)]
        if not self.one:
            return self._with(moved)
        of_one = [_without(dim, axes) for axes, dim in zip(held, dims, strict=False)]
        of_one += [None if dim is None else 0 for dim in dims[len(held) :]]
        return self._with(moved, one=tuple(_batched(axis, of_one, dict(self.one)).items()))

    def _with(self, axes: Sequence[Axes], **changes: Any) -> Lanes:
        count = len(self.test)
        return dataclasses.replace(self, test=tuple(axes[:count]), body=tuple(axes[count:]), **changes)

    def whole(self) -> Lanes:
        """Those of the loop whose body holds an item for each lane, of what they do not all share."""
        every = tuple(range(len(self.maps)))
        body = tuple(every if any(not _is_none(a) for a in axes) else axes for axes in self.body)
        return dataclasses.replace(self, body=body)

    def params(self) -> dict[str, Any]:
        """The parameters of the loop of all lanes, without these."""
        params = dict(self.one)
        variables = len(params["body_jaxpr"].in_avals) - len(self.body)
        every = tuple(range(len(self.maps)))
        axes = [*self.test, *self.body, *[every] * variables]
        for level in reversed(every):
            params = _batched(self.maps[level], [_without(a[level], a[:level]) for a in axes], params)
        return params


@dataclasses.dataclass(frozen=True)
class Options:
    """How a loop is differentiated in reverse.

    Attributes:
      bound: iterations that it has at most.
      kept: states that it keeps; None where their size decides.
      reverse: whether it can be.
      place: the user's line of a loop that can't be.
      lanes: of `vmap`s that end it lane by lane; None where there are none, or where they are not known.
    """

    bound: int | None = None
    kept: int | None = None
    reverse: bool = True
    place: Location | tuple[()] = ()
    lanes: Lanes | None = None


def of_one(axis: Any, dims: Sequence[int | None], params: dict[str, Any]) -> Lanes:
    """The lanes of a loop under the first `vmap` that ends it lane by lane."""
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    axes = [(dim,) for dim in dims]
    return Lanes(tuple(axes[:first]), tuple(axes[first:last]), tuple(params.items()), (axis,))


def broadcast_lanes(array: Any, axes: Axes, sizes: Sequence[int]) -> Any:
    """`array` with an item for each lane, and the lanes in front; itself where all lanes share it."""
    present = [a for a in axes if a is not None]
    if not present:
        return array
    rest = jnp.moveaxis(array, present, range(len(present)))
    missing = [level for level, a in enumerate(axes) if a is None]
    return jnp.broadcast_to(jnp.expand_dims(rest, missing), (*sizes, *rest.shape[len(present) :]))


def _batched(axis: Any, dims: Sequence[int | None], params: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a loop under a `vmap`."""
    now = {name: value for name, value in params.items() if name != "options"}
    held = [*now["cond_jaxpr"].in_avals[: now["cond_nconsts"]], *now["body_jaxpr"].in_avals]
    types = [_with_axis(t, dim, axis.size) for t, dim in zip(held, dims, strict=True)]

    def rule(*arrays: Any) -> Any:
        return list(batching.fancy_primitive_batchers[JAXS](axis, arrays, dims, **now)[0])

    closed: Any = jax.make_jaxpr(rule)(*types)
    [loop] = [eqn for eqn in getattr(closed, "jaxpr", closed).eqns if eqn.primitive is JAXS]
    return {**params, **loop.params}


def _with_axis(t: Any, dim: int | None, size: Any) -> Any:
    return t if dim is None else jax.ShapeDtypeStruct((*t.shape[:dim], size, *t.shape[dim:]), t.dtype)


def _is_none(axis: int | None) -> bool:
    return axis is None


def _shifted(axis: int | None, added: int | None) -> int | None:
    """Where an axis is when there is another one at `added`."""
    return axis if axis is None or added is None or added > axis else axis + 1


def _without(axis: int | None, others: Axes) -> int | None:
    """Where an axis is when there are no `others`."""
    return None if axis is None else axis - sum(other is not None and other < axis for other in others)
