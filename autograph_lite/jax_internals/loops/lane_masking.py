"""Masking: what does an iteration under `vmap` do in a lane that has finished? Nothing, and its derivative is that of nothing.

The body runs in every lane as long as one lane goes on. Where its derivative is taken, a lane that has finished computes
with the state of one that has not, and with what that one holds: what it would compute with its own need not have a
derivative, and zero times infinity is not zero.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp

from autograph_lite.jax_internals.loops.checkpointing import Arrays, Loop


def undo_finished_lanes(loop: Loop, shape: tuple[int, ...]) -> Loop:
    """The loop with what it does in finished lanes undone; itself, where `shape`, that of the lanes, is ()."""
    if not shape:
        return loop

    def step(state: Arrays) -> Arrays:
        return loop.step(state, loop.live(state))

    def taped(state: Arrays, _: Any = None) -> tuple[Arrays, Arrays]:
        live = loop.live(state)
        new, tape = loop.taped([_chosen_one(live, array) for array in state], live)
        return _chosen(live, new, state), [*tape, live]

    def back(tape: Arrays, cotangents: Arrays) -> tuple[Arrays, Arrays]:
        *needed, live = tape
        masked = _chosen(live, cotangents, [jnp.zeros_like(array) for array in cotangents])
        consts, before = loop.back(needed, masked)
        return consts, _chosen(live, before, cotangents)

    mask = jax.ShapeDtypeStruct(shape, bool)
    return dataclasses.replace(loop, step=step, taped=taped, back=back, tape=[*loop.tape, mask])


def iterate(run: Callable[..., Any], axes: Sequence[tuple[int, ...] | None]) -> Callable[..., Any]:
    """An iteration of the lanes that are live, as a function of these, of what the body holds, and of the state.

    Where a derivative of it is taken, the others compute with what one that is live has.

    Args:
      run: what the body holds, state -> the next state.
      axes: those of the lanes in each array that the body holds.
    """

    def in_lanes(live: Any, held: Arrays, state: Arrays) -> Arrays:
        return _chosen(live, run(held, state), state)

    def apart(live: Any, held: Arrays, state: Arrays) -> Arrays:
        given = [fill_from_live_lane(live, array, a) for array, a in zip(held, axes, strict=True)]
        return _chosen(live, run(given, [_chosen_one(live, array) for array in state]), state)

    custom: Any = jax.custom_jvp(in_lanes)
    custom.defjvp(lambda primals, tangents: jax.jvp(apart, primals, tangents))
    return cast("Callable[..., Any]", custom)


def fill_from_live_lane(live: Any, array: Any, axes: tuple[int, ...] | None) -> Any:
    """What the body holds, with that of a live lane in place of that of each that is not; `axes` are those of the lanes."""
    if axes is None:
        return array
    front = range(len(axes))
    return jnp.moveaxis(_chosen_one(live, jnp.moveaxis(array, axes, front)), front, axes)


def _chosen(live: Any, arrays: Arrays, others: Arrays) -> Arrays:
    """Lane by lane, of `arrays` where it is live, else of `others`."""
    return [jnp.where(_spread(live, a), a, b) for a, b in zip(arrays, others, strict=True)]


def _spread(live: Any, array: Any) -> Any:
    return live.reshape(live.shape + (1,) * (array.ndim - live.ndim))


def _chosen_one(live: Any, array: Any) -> Any:
    """`array` with one live lane in place of all those that are not."""
    one = array.reshape(-1, *array.shape[live.ndim :])[jnp.argmax(live)]
    return jnp.where(_spread(live, array), array, one)
