"""Batching of conditionals: how do the lanes of a `vmap` go through one that says how? It uses JAX's insides.

JAX computes all branches for all lanes, and takes one of the results for each. The primitive here is written `cond` in a jaxpr,
takes what JAX's takes, and is compiled as JAX's; only where its index differs from lane to lane it is something else: a loop over
the lanes, or over groups of lanes that take one branch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import checkify
from jax._src.interpreters import batching as internal
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.extend.core.primitives import cond_p
from jax.interpreters import ad, batching, mlir

from autograph_lite.jax_internals.conditionals import lane_grouping

JAXS: Any = cond_p
"""JAX's primitive."""
Arrays = Sequence[Any]


@dataclasses.dataclass(frozen=True)
class Lanes:
    """How the lanes go through a conditional."""

    how: str  # "map": one after the other; "group": those that take one branch together
    chunk: int  # how many of a group at once


def _primitive() -> Any:
    made = Primitive("cond")
    made.multiple_results = True
    made.def_impl(_run)
    made.def_effectful_abstract_eval(
        lambda *avals, branches, lanes: JAXS.abstract_eval(*avals, branches=branches)
    )
    mlir.register_lowering(made, mlir.lower_fun(_run, multiple_results=True))
    batching.fancy_primitive_batchers[made] = _batched
    ad.primitive_jvps[made] = _jvp
    ad.primitive_transposes[made] = _transposed
    checkify.error_checks[made] = _checked
    return made


def bind_cond(index: Any, *inputs: Any, branches: Sequence[Any], lanes: Lanes) -> list[Any]:
    """The outputs of the branch of that number."""
    return list(_COND.bind(index, *inputs, branches=tuple(branches), lanes=lanes))


def _run(*arrays: Any, branches: Sequence[Any], lanes: Lanes) -> Any:
    return JAXS.bind(*arrays, branches=branches)


def _checked(error: Any, enabled: Any, *arrays: Any, branches: Sequence[Any], lanes: Lanes) -> Any:
    return checkify.error_checks[JAXS](error, enabled, *arrays, branches=branches)


def _batched(
    axis: Any, arrays: Arrays, dims: Sequence[Any], *, branches: Sequence[Any], lanes: Lanes
) -> tuple[Arrays, Sequence[Any]]:
    # Each device has its lanes: a loop over all of them moves them.
    if axis.spmd_name is not None or not axis.size:
        rule = batching.fancy_primitive_batchers[JAXS]
        outputs, new = rule(axis, arrays, dims, branches=branches)
        return outputs, new
    rows = [
        array if dim is None else jnp.moveaxis(array, dim, 0) for array, dim in zip(arrays, dims, strict=True)
    ]
    flags = [dim is not None for dim in dims]
    index, *inputs = rows
    if not flags[0]:
        wide, batched = _for_all(axis, flags[1:], branches)
        return bind_cond(index, *inputs, branches=wide, lanes=lanes), [
            0 if flag else None for flag in batched
        ]
    if lanes.how == "map":
        outputs = _one_by_one(index, inputs, flags[1:], branches, lanes)
    else:
        outputs = _by_group(index, inputs, flags[1:], branches, lanes)
    return outputs, [0] * len(outputs)


def _for_all(axis: Any, flags: list[bool], branches: Sequence[Any]) -> tuple[list[Any], list[bool]]:
    """The branches for all lanes, and which of their outputs differ from lane to lane."""
    found = [internal.batch_jaxpr(branch, axis, flags, False)[1] for branch in branches]
    batched = [any(ways) for ways in zip(*found, strict=True)]
    return [internal.batch_jaxpr(branch, axis, flags, batched)[0] for branch in branches], batched


def _widened(branch: Any, flags: Sequence[bool], size: int) -> Any:
    """A branch for `size` lanes at once."""
    types = [
        jax.ShapeDtypeStruct((size, *kind.shape), kind.dtype, weak_type=kind.weak_type) if flag else kind
        for kind, flag in zip(branch.in_avals, flags, strict=True)
    ]
    axes = tuple(0 if flag else None for flag in flags)
    run = jax.vmap(lambda *now: list(jaxpr_as_fun(branch)(*now)), axes, axis_size=size)
    return jax.make_jaxpr(run)(*types)


def _one_by_one(
    index: Any, inputs: Arrays, flags: Sequence[bool], branches: Sequence[Any], lanes: Lanes
) -> list[Any]:
    def one(row: Any) -> list[Any]:
        return bind_cond(row[0], *_filled(inputs, flags, row[1]), branches=branches, lanes=lanes)

    return list(lax.map(one, (index, _which(inputs, flags))))


def _by_group(
    index: Any, inputs: Arrays, flags: Sequence[bool], branches: Sequence[Any], lanes: Lanes
) -> list[Any]:
    groups = lane_grouping.group_lanes(index, len(branches), lanes.chunk)
    wide = [_widened(branch, flags, groups.chunk) for branch in branches]
    kinds = [kind.aval for kind in getattr(wide[0], "jaxpr", wide[0]).outvars]
    wide.append(jax.make_jaxpr(lambda *_: [_zeros(kind) for kind in kinds])(*wide[0].in_avals))

    def one(number: Any, rows: list[Any]) -> list[Any]:
        return bind_cond(number, *_filled(inputs, flags, rows), branches=wide, lanes=lanes)

    return groups.run(one, _which(inputs, flags))


def _which(arrays: Arrays, flags: Sequence[bool]) -> list[Any]:
    return [array for array, flag in zip(arrays, flags, strict=True) if flag]


def _filled(arrays: Arrays, flags: Sequence[bool], new: Arrays) -> list[Any]:
    """The arrays, those with a flag replaced."""
    given = iter(new)
    return [next(given) if flag else array for array, flag in zip(arrays, flags, strict=True)]


def _zeros(kind: Any) -> Any:
    return jnp.zeros(kind.shape, kind.dtype)


# Derivatives. In place of one conditional with tangents there are two: what the second needs of the first is an output of
# the first, so that it is linear, and reverse mode has nothing to take apart.


def _jvp(
    primals: Arrays, tangents: Arrays, *, branches: Sequence[Any], lanes: Lanes
) -> tuple[Arrays, list[Any]]:
    moving = [type(tangent) is not ad.Zero for tangent in tangents[1:]]
    kinds = [kind.aval for kind in getattr(branches[0], "jaxpr", branches[0]).outvars]
    smooth = [jnp.issubdtype(kind.dtype, jnp.inexact) for kind in kinds]
    parted = [_Parted(branch, moving, smooth) for branch in branches]
    slots = _Slots([part.needs for part in parted])
    known = [part.known(slots, number) for number, part in enumerate(parted)]
    linear = [part.linear(slots, number) for number, part in enumerate(parted)]
    results = bind_cond(*primals, branches=known, lanes=lanes)
    outputs, needs = results[: len(kinds)], results[len(kinds) :]
    given = _which(tangents[1:], moving)
    changes = iter(bind_cond(primals[0], *needs, *given, branches=linear, lanes=lanes) if any(moving) else ())
    return outputs, [
        next(changes) if flag and any(moving) else ad.Zero(jax.typeof(output).to_tangent_aval())
        for output, flag in zip(outputs, smooth, strict=True)
    ]


class _Parted:
    """A branch in two: its outputs with what its derivative needs, and the derivative, which is linear."""

    def __init__(self, branch: Any, moving: Sequence[bool], smooth: Sequence[bool]) -> None:
        self._types = branch.in_avals
        self._moving = moving
        self._push: Any = None

        def run(*inputs: Any) -> tuple[list[Any], list[Any]]:
            def moved(*some: Any) -> tuple[list[Any], list[Any]]:
                outputs = jaxpr_as_fun(branch)(*_filled(inputs, moving, some))
                return _which(outputs, smooth), list(outputs)

            _, push, outputs = jax.linearize(moved, *_which(inputs, moving), has_aux=True)
            needs, self._push = jax.tree.flatten(push)
            return outputs, needs

        self._jaxpr = jax.make_jaxpr(run)(*self._types)
        self._count = len(branch.out_avals)
        self.needs = list(self._jaxpr.out_avals[self._count :])

    def known(self, slots: _Slots, number: int) -> Any:
        """Closed jaxpr of the outputs, and of the slots."""

        def run(*inputs: Any) -> list[Any]:
            results = jaxpr_as_fun(self._jaxpr)(*inputs)
            return [*results[: self._count], *slots.filled(number, results[self._count :])]

        return jax.make_jaxpr(run)(*self._types)

    def linear(self, slots: _Slots, number: int) -> Any:
        """Closed jaxpr of the tangents of the outputs, from the slots and the tangents."""

        def run(needs: list[Any], tangents: list[Any]) -> list[Any]:
            push = jax.tree.unflatten(self._push, slots.taken(number, needs))
            return list(push(*tangents))

        tangents = [kind.to_tangent_aval() for kind in _which(self._types, self._moving)]
        return jax.make_jaxpr(run)(slots.types, tangents)


class _Slots:
    """Places for what the derivatives of the branches need, which differ in number and type: they share what they can."""

    def __init__(self, needs: Sequence[Sequence[Any]]) -> None:
        self.types: list[Any] = []
        self._places: list[list[int]] = []
        for kinds in needs:
            free = list(range(len(self.types)))
            mine: list[int] = []
            for kind in kinds:
                place = next((n for n in free if _same(self.types[n], kind)), None)
                if place is None:
                    place = len(self.types)
                    self.types.append(kind.strip_weak_type())
                else:
                    free.remove(place)
                mine.append(place)
            self._places.append(mine)

    def filled(self, number: int, needs: Arrays) -> list[Any]:
        """The slots, with what one branch needs in its own."""
        given = dict(zip(self._places[number], needs, strict=True))
        return [given[n] if n in given else _zeros(kind) for n, kind in enumerate(self.types)]

    def taken(self, number: int, slots: Arrays) -> list[Any]:
        """What one branch needs."""
        return [slots[n] for n in self._places[number]]


def _same(kind: Any, other: Any) -> bool:
    return bool(kind.shape == other.shape and kind.dtype == other.dtype)


def _transposed(
    cotangents: Arrays, index: Any, *inputs: Any, branches: Sequence[Any], lanes: Lanes
) -> list[Any]:
    linear = [ad.is_undefined_primal(each) for each in inputs]
    kinds = [each.aval for each in _which(inputs, linear)]
    known = _which(inputs, [not flag for flag in linear])
    given = [ad.instantiate_zeros(each) for each in cotangents]
    types = [jax.typeof(each) for each in known], [jax.typeof(each) for each in given]

    def back(branch: Any) -> Callable[..., Any]:
        def run(known: list[Any], given: list[Any]) -> list[Any]:
            held = _filled(inputs, [not flag for flag in linear], known)
            push: Any = jax.linear_transpose(
                lambda *now: list(jaxpr_as_fun(branch)(*_filled(held, linear, now))), *kinds
            )
            return list(push(given))

        return run

    backwards = [jax.make_jaxpr(back(branch))(*types) for branch in branches]
    found = iter(bind_cond(index, *known, *given, branches=backwards, lanes=lanes))
    return [None, *(next(found) if flag else None for flag in linear)]


_COND: Any = _primitive()
