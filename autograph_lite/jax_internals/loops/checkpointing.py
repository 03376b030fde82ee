"""Checkpointing: how is a loop of unknown length run backwards, in little memory? From states that its forward run has kept.

The forward run keeps the states before chunk 0, `spacing`, 2 * `spacing`, ... of `Sizes.chunk` iterations each. There is
room for `Sizes.kept` of them: when it is full, every other one is dropped and `spacing` doubles. Backwards, each chunk is
run once more from the state before it, and what its derivative needs is written down, iteration by iteration. Where that
state was not kept, it is computed from one that was; some of the states on the way are kept in turn: a stack, whose
lowest part are those of the forward run.

Where the loop is known to end after so few iterations that there is room for all their derivatives, they are written down
at once.

So a loop of up to `chunk * kept` iterations, 4096 unless they are large, is run twice forward and once backward; one of
any length a million times as long, four times. Memory does not depend on the number of iterations. Online checkpointing: Stumm
and Walther, "New algorithms for optimal online checkpointing" (2010); ours thins out evenly, and is not optimal.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.jax_internals.while_lanes import Options

Arrays = list[Any]
BYTES = 1 << 26
"""What the states that are kept, and what the derivative of a chunk needs, may each take: 64 MB."""
MOST, LEAST = 64, 8


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How much is kept."""

    chunk: int = MOST  # iterations whose derivatives are written down at once
    # states kept by the forward run, even; 0 where it writes down the derivatives itself, of all iterations
    kept: int = MOST
    # places for more of them in the backward run; 0 where the forward run keeps the state before each chunk
    spare: int = MOST // 2

    @classmethod
    def fitting(cls, state: Sequence[Any], tape: Sequence[Any], options: Options) -> Sizes:
        """Sizes that take at most `BYTES`, for a state and what an iteration's derivative needs, given as types."""
        chunk, kept = (BYTES // max(1, _size(arrays)) for arrays in (tape, state))
        if options.bound is not None and options.kept is None and options.bound <= chunk:
            return cls(options.bound, 0, 0)
        if options.kept is not None:
            chunk, kept = max(1, min(options.kept, chunk, MOST)), max(2, options.kept // 2 * 2)
        else:
            chunk, kept = max(1, min(MOST, chunk)), max(LEAST, min(MOST, kept // 2 * 2))
        all_kept = options.bound is not None and options.bound <= chunk * kept
        return cls(chunk, kept, 0 if all_kept else kept // 2)


def _size(types: Sequence[Any]) -> int:
    """Bytes; of dimensions that are not known, one."""
    known = (
        math.prod(d for d in t.shape if isinstance(d, int)) * getattr(t.dtype, "itemsize", 8) for t in types
    )
    return sum(known)


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop whose derivative is to be taken."""

    # state -> whether there is another iteration; an array of bools where the states of several lanes are in it
    live: Callable[[Arrays], Any]
    step: Callable[..., Arrays]  # state, and where it has several lanes which of them go on -> the next state
    # state, and where it has several lanes which of them go on -> the next state, and what the derivative of the
    # iteration needs
    taped: Callable[..., tuple[Arrays, Arrays]]
    tape: Sequence[Any]  # types of what it needs
    # what it needs, cotangents of the variables after the iteration -> those of the constants, and those of the variables
    # before it
    back: Callable[[Arrays, Arrays], tuple[Arrays, Arrays]]
    consts: Sequence[Any]  # types of the cotangents of the constants


@dataclasses.dataclass(frozen=True)
class Marks:
    """What the forward run leaves for the backward run."""

    count: Any  # iterations
    spacing: Any  # chunks from one state to the next; a power of two
    # for each array of a state, one with an axis for the states before it, and room for more; where no state is kept, the
    # same of what the derivatives need
    states: Arrays


def checkpointed_while(
    cond: Callable[..., Any], body: Callable[..., Sequence[Any]], *init: Any, most: int | None = None
) -> tuple[Any, ...]:
    """`lax.while_loop` of functions of trees of arrays, that can be differentiated again, of at most so many iterations."""
    flat, tree = jax.tree.flatten(init)
    while True:
        types = list(map(jax.typeof, flat))

        def test(arrays: Arrays) -> tuple[None, Arrays]:
            return None, [cond(*jax.tree.unflatten(tree, arrays))]

        def step(arrays: Arrays, types: Arrays = types) -> tuple[Arrays, Arrays]:
            new = jax.tree.leaves(tuple(body(*jax.tree.unflatten(tree, arrays))))
            cast = [avals.as_type(now, t.dtype, t.weak_type) for now, t in zip(new, types, strict=True)]
            return list(map(avals.varying_axes, cast)), [
                avals.as_varying(now, avals.varying_axes(before))
                for now, before in zip(cast, arrays, strict=True)
            ]

        axes, run = loop_binding.trace(step, types, checkpointed_while)
        wider = [avals.as_varying(array, more) for array, more in zip(flat, axes, strict=True)]
        # Else some of them differ from device to device after an iteration.
        if all(map(operator.is_, wider, flat)):
            _, until = loop_binding.trace(test, types, checkpointed_while)
            result: tuple[Any, ...] = jax.tree.unflatten(
                tree, loop_binding.while_loop(until, run, flat, Options(bound=most))
            )
            return result
        flat = wider


def forward(loop: Loop, sizes: Sizes, init: Arrays) -> tuple[Arrays, Marks]:
    """The state after the loop, and the marks that lead back."""
    if sizes.kept == 0:
        return _written(loop, sizes, init)
    zero, one = jnp.int32(0), jnp.int32(1)
    room = sizes.kept + sizes.spare

    def chunk(count: Any, state: Arrays, states: Arrays, spacing: Any) -> Sequence[Any]:
        place = number = lax.div(count, jnp.int32(sizes.chunk))
        if sizes.spare:

            def full(_: Arrays, spacing: Any) -> Any:
                return number == spacing * sizes.kept

            states, spacing = checkpointed_while(full, thin, states, spacing, most=1)
            # The last place is for a state that is not kept.
            place = jnp.where(number & (spacing - 1) == 0, lax.div(number, spacing), room)
        states = _write(states, place, state)

        def more(at: Any, state: Arrays) -> Any:
            return (at < sizes.chunk) & jnp.any(loop.live(state))

        done, state = checkpointed_while(more, lambda at, state: (at + 1, loop.step(state)), zero, state)
        return count + done, state, states, spacing

    def thin(states: Arrays, spacing: Any) -> Sequence[Any]:
        return [_every_other(array, sizes.kept) for array in states], spacing * 2

    count, state, states, spacing = checkpointed_while(
        lambda _, state, *rest: jnp.any(loop.live(state)),
        chunk, zero, init, _room(init, room + (sizes.spare > 0)), one,
    )  # fmt: skip
    return state, Marks(count, spacing, states)


def _written(loop: Loop, sizes: Sizes, init: Arrays) -> tuple[Arrays, Marks]:
    """The same, where what all derivatives need is written down at once."""

    def step(count: Any, state: Arrays, tapes: Arrays) -> Sequence[Any]:
        state, tape = loop.taped(state)
        return count + 1, state, _write(tapes, count, tape)

    count, state, tapes = checkpointed_while(
        lambda _, state, tapes: jnp.any(loop.live(state)), step, jnp.int32(0), init, _tapes(loop, sizes)
    )
    return state, Marks(count, jnp.int32(1), tapes)


def _tapes(loop: Loop, sizes: Sizes) -> Arrays:
    return [jnp.zeros((sizes.chunk, *t.shape), t.dtype) for t in loop.tape]


def backward(loop: Loop, sizes: Sizes, marks: Marks, cotangents: Arrays) -> tuple[Arrays, Arrays]:
    """The cotangents of the constants, and those of the variables before the loop."""
    zeros = [jnp.zeros(t.shape, t.dtype) for t in loop.consts]
    if sizes.kept == 0:
        cts, totals = _read_back(loop, marks.count, cotangents, zeros, marks.states)
        return totals, cts

    def chunk(
        number: Any, cts: Arrays, totals: Arrays, states: Arrays, numbers: Any, depth: Any, tapes: Arrays
    ) -> Sequence[Any]:
        if sizes.spare:
            stack, tapes = _replay(loop, sizes, marks.count, number, (states, numbers, depth), tapes)
            states, numbers, depth = stack
        else:
            _, tapes = _tape(loop, sizes, marks.count, number, [_read(s, number) for s in states], tapes)
        cts, totals = _read_back(loop, _length(sizes, marks.count, number), cts, totals, tapes)
        return number - 1, cts, totals, states, numbers, depth, tapes

    last = lax.div(marks.count + (sizes.chunk - 1), jnp.int32(sizes.chunk)) - 1
    numbers = marks.spacing * jnp.arange(len(marks.states[0]), dtype=jnp.int32)
    depth = lax.div(last, marks.spacing) + 1
    _, cts, totals, *_ = checkpointed_while(
        lambda number, *rest: number >= 0,
        chunk, last, cotangents, zeros, marks.states, numbers, depth, _tapes(loop, sizes),
    )  # fmt: skip
    return totals, cts


def _replay(
    loop: Loop, sizes: Sizes, count: Any, number: Any, stack: tuple[Arrays, Any, Any], tapes: Arrays
) -> tuple[tuple[Arrays, Any, Any], Arrays]:
    """The stack after chunk `number`, and what its derivatives need.

    The stack: states before chunks up to that one, in their order; the numbers of these chunks; how many there are.
    """
    states, numbers, depth = stack
    room = sizes.kept + sizes.spare
    base, state = _read(numbers, depth - 1), [_read(s, depth - 1) for s in states]
    free, gap = room - depth, number - base
    # Half of the room is for the chunks between two of those that are kept now.
    part = jnp.maximum(free >> 1, 1)
    spacing = jnp.where(gap <= free, 1, lax.div(gap + (part - 1), part))

    def step(
        at: Any, state: Arrays, states: Arrays, numbers: Any, depth: Any, tapes: Arrays
    ) -> Sequence[Any]:
        keep = (at > base) & (at < number) & (lax.rem(at - base, spacing) == 0) & (depth < room)
        *states, numbers = _write([*states, numbers], jnp.where(keep, depth, room), [*state, at])
        state, tapes = _tape(loop, sizes, count, at, state, tapes)
        return at + 1, state, states, numbers, depth + keep, tapes

    _, _, states, numbers, pushed, tapes = checkpointed_while(
        lambda at, *rest: at <= number, step, base, state, states, numbers, depth, tapes
    )
    return (states, numbers, jnp.where(base == number, depth - 1, pushed)), tapes


def _tape(
    loop: Loop, sizes: Sizes, count: Any, number: Any, state: Arrays, tapes: Arrays
) -> tuple[Arrays, Arrays]:
    """The state after chunk `number`, from that before it, and what the derivatives of its iterations need."""
    length = _length(sizes, count, number)

    def write(at: Any, state: Arrays, tapes: Arrays) -> Sequence[Any]:
        state, tape = loop.taped(state)
        return at + 1, state, _write(tapes, at, tape)

    _, state, tapes = checkpointed_while(lambda at, *rest: at < length, write, jnp.int32(0), state, tapes)
    return state, tapes


def _length(sizes: Sizes, count: Any, number: Any) -> Any:
    return jnp.minimum(count - number * sizes.chunk, sizes.chunk)


def _read_back(loop: Loop, count: Any, cts: Arrays, totals: Arrays, tapes: Arrays) -> tuple[Arrays, Arrays]:
    """The cotangents before `count` iterations that are written down, and the sums of those of the constants."""

    def read(at: Any, cts: Arrays, totals: Arrays) -> Sequence[Any]:
        consts, cts = loop.back([_read(tape, at) for tape in tapes], cts)
        return at - 1, cts, list(map(jnp.add, totals, consts))

    _, cts, totals = checkpointed_while(lambda at, *rest: at >= 0, read, count - 1, cts, totals)
    return cts, totals


def _room(arrays: Arrays, places: int) -> Arrays:
    return [jnp.broadcast_to(array, (places, *array.shape)) for array in arrays]


def _write(arrays: Arrays, place: Any, items: Arrays) -> Arrays:
    return [
        lax.dynamic_update_index_in_dim(array, item, place, 0, allow_negative_indices=False)
        for array, item in zip(arrays, items, strict=True)
    ]


def _read(array: Any, place: Any) -> Any:
    return lax.dynamic_index_in_dim(array, place, 0, keepdims=False, allow_negative_indices=False)


def _every_other(array: Any, count: int) -> Any:
    return lax.dynamic_update_slice_in_dim(array, array[:count:2], 0, 0, allow_negative_indices=False)
