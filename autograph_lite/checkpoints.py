"""How is a loop of unknown length run backwards, in little memory? From states that its forward run has kept.

The forward run keeps the states before chunk 0, `spacing`, 2 * `spacing`, ... of `Sizes.chunk` iterations each. There is
room for `Sizes.kept` of them: when it is full, every other one is dropped and `spacing` doubles. Backwards, each chunk is
run once more from the state before it, and what its derivative needs is written down, iteration by iteration. Where that
state was not kept, it is computed from one that was; some of the states on the way are kept in turn, on a stack.

Where the loop is known to end after so few iterations that there is room for all their derivatives, they are written down
at once.

So a loop of up to `chunk * kept` iterations, 4096 unless they are large, is run twice forward and once backward; one of
any length a million times as long, four times. Memory does not depend on the number of iterations.
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

from autograph_lite import _jax, _jax_loops
from autograph_lite._jax_while import Options

Arrays = list[Any]
BYTES = 1 << 26
"""What the states that are kept, and what the derivative of a chunk needs, may each take: 64 MB."""
MOST, LEAST = 64, 8


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How much is kept.

    Attributes:
      chunk: iterations whose derivatives are written down at once.
      kept: states kept by the forward run, even; 0 where it writes down the derivatives itself, of all iterations.
    """

    chunk: int = MOST
    kept: int = MOST

    @classmethod
    def fitting(cls, state: Sequence[Any], tape: Sequence[Any], options: Options) -> Sizes:
        """Sizes that take at most `BYTES`, for a state and what an iteration's derivative needs, given as types."""
        chunk, kept = (BYTES // max(1, _size(arrays)) for arrays in (tape, state))
        if options.bound is not None and options.bound <= chunk:
            return cls(options.bound, 0)
        if options.kept is not None:
            return cls(max(1, min(options.kept, chunk, MOST)), max(2, options.kept // 2 * 2))
        return cls(max(1, min(MOST, chunk)), max(LEAST, min(MOST, kept // 2 * 2)))


def _size(types: Sequence[Any]) -> int:
    """Bytes; of dimensions that are not known, one."""
    known = (
        math.prod(d for d in t.shape if isinstance(d, int)) * getattr(t.dtype, "itemsize", 8) for t in types
    )
    return sum(known)


@dataclasses.dataclass(frozen=True)
class Loop:
    """A loop whose derivative is to be taken.

    Attributes:
      live: state -> whether there is another iteration; an array of bools where the states of several lanes are in it.
      step: state, and where it has several lanes which of them go on -> the next state.
      taped: state, and where it has several lanes which of them go on -> the next state, and what the derivative of the
        iteration needs.
      tape: types of what it needs.
      back: what it needs, cotangents of the variables after the iteration -> those of the constants, and those of the
        variables before it.
      consts: types of the cotangents of the constants.
    """

    live: Callable[[Arrays], Any]
    step: Callable[..., Arrays]
    taped: Callable[..., tuple[Arrays, Arrays]]
    tape: Sequence[Any]
    back: Callable[[Arrays, Arrays], tuple[Arrays, Arrays]]
    consts: Sequence[Any]


@dataclasses.dataclass(frozen=True)
class Marks:
    """What the forward run leaves for the backward run.

    Attributes:
      count: iterations.
      spacing: chunks from one state to the next; a power of two.
      states: for each array of a state, one with an axis for the states before it; where no state is kept, the same of
        what the derivatives need.
    """

    count: Any
    spacing: Any
    states: Arrays


def repeat(
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
            cast = [_jax.as_type(now, t.dtype, t.weak_type) for now, t in zip(new, types, strict=True)]
            return list(map(_jax.varying_axes, cast)), [
                _jax.as_varying(now, _jax.varying_axes(before))
                for now, before in zip(cast, arrays, strict=True)
            ]

        axes, run = _jax_loops.trace(step, types, repeat)
        wider = [_jax.as_varying(array, more) for array, more in zip(flat, axes, strict=True)]
        if all(
            map(operator.is_, wider, flat)
        ):  # else some of them differ from device to device after an iteration
            _, until = _jax_loops.trace(test, types, repeat)
            result: tuple[Any, ...] = jax.tree.unflatten(
                tree, _jax_loops.while_loop(until, run, flat, Options(bound=most))
            )
            return result
        flat = wider


def forward(loop: Loop, sizes: Sizes, init: Arrays) -> tuple[Arrays, Marks]:
    """The state after the loop, and the marks that lead back."""
    if sizes.kept == 0:
        return _written(loop, sizes, init)
    zero, one = jnp.int32(0), jnp.int32(1)
    spare = sizes.kept  # the place that a state is written to which is not to be kept

    def chunk(count: Any, state: Arrays, states: Arrays, spacing: Any, kept: Any) -> Sequence[Any]:
        number = count // sizes.chunk

        def full(_: Arrays, spacing: Any, kept: Any) -> Any:
            return (kept == sizes.kept) & (number % spacing == 0)

        states, spacing, kept = repeat(full, thin, states, spacing, kept, most=1)
        keep = number % spacing == 0
        states, kept = _write(states, jnp.where(keep, kept, spare), state), kept + keep

        def more(at: Any, state: Arrays) -> Any:
            return (at < sizes.chunk) & jnp.any(loop.live(state))

        done, state = repeat(more, lambda at, state: (at + 1, loop.step(state)), zero, state)
        return count + done, state, states, spacing, kept

    def thin(states: Arrays, spacing: Any, kept: Any) -> Sequence[Any]:
        return [_every_other(array, sizes.kept) for array in states], spacing * 2, kept // 2

    count, state, states, spacing, _ = repeat(
        lambda _, state, *rest: jnp.any(loop.live(state)),
        chunk, zero, init, _room(init, sizes.kept + 1), one, zero,
    )  # fmt: skip
    return state, Marks(count, spacing, states)


def _written(loop: Loop, sizes: Sizes, init: Arrays) -> tuple[Arrays, Marks]:
    """The same, where what all derivatives need is written down at once."""

    def step(count: Any, state: Arrays, tapes: Arrays) -> Sequence[Any]:
        state, tape = loop.taped(state)
        return count + 1, state, _write(tapes, count, tape)

    count, state, tapes = repeat(
        lambda _, state, tapes: jnp.any(loop.live(state)), step, jnp.int32(0), init, _tapes(loop, sizes)
    )
    return state, Marks(count, jnp.int32(1), tapes)


def _tapes(loop: Loop, sizes: Sizes) -> Arrays:
    return [jnp.zeros((sizes.chunk, *t.shape), t.dtype) for t in loop.tape]


def backward(loop: Loop, sizes: Sizes, marks: Marks, cotangents: Arrays) -> tuple[Arrays, Arrays]:
    """The cotangents of the constants, and those of the variables before the loop.

    Args:
      loop: what is run backwards.
      sizes: with which it was run forward.
      marks: from there.
      cotangents: of the variables after the loop.
    """
    zeros = [jnp.zeros(t.shape, t.dtype) for t in loop.consts]
    if sizes.kept == 0:
        cts, totals = _read_back(loop, marks.count, cotangents, zeros, marks.states)
        return totals, cts
    stack = _room([array[0] for array in marks.states], sizes.kept + 1)
    where = jnp.zeros(sizes.kept + 1, jnp.int32)
    tapes = _tapes(loop, sizes)

    def chunk(
        number: Any, cts: Arrays, totals: Arrays, stack: Arrays, where: Any, depth: Any, tapes: Arrays
    ) -> Sequence[Any]:
        stacked = depth > 0
        top = jnp.maximum(depth - 1, 0)
        place = number // marks.spacing
        base = jnp.where(stacked, where[top], place * marks.spacing)
        state = [jnp.where(stacked, s[top], m[place]) for s, m in zip(stack, marks.states, strict=True)]
        state, stack, where, pushed = _advance(loop, sizes, base, number, state, stack, where, depth)
        start = number * sizes.chunk
        cts, totals, tapes = _reverse(
            loop, jnp.minimum(marks.count - start, sizes.chunk), state, cts, totals, tapes
        )
        depth = jnp.where(stacked & (base == number), depth - 1, pushed)
        return number - 1, cts, totals, stack, where, depth, tapes

    chunks = (marks.count + sizes.chunk - 1) // sizes.chunk
    _, cts, totals, *_ = repeat(
        lambda number, *rest: number >= 0,
        chunk, chunks - 1, cotangents, zeros, stack, where, jnp.int32(0), tapes,
    )  # fmt: skip
    return totals, cts


def _advance(
    loop: Loop, sizes: Sizes, base: Any, number: Any, state: Arrays, stack: Arrays, where: Any, depth: Any
) -> tuple[Arrays, Arrays, Any, Any]:
    """The state before chunk `number`, from that before chunk `base`, and the stack with some of those in between."""
    free = sizes.kept - depth
    gap = number - base
    # Half of the room is for the chunks between two of those that are kept now.
    part = jnp.maximum(free // 2, 1)
    spacing = jnp.where(gap <= free, 1, (gap + part - 1) // part)

    def step(at: Any, state: Arrays, stack: Arrays, where: Any, depth: Any) -> Sequence[Any]:
        keep = (at > base) & ((at - base) % spacing == 0) & (depth < sizes.kept)
        slot = jnp.where(keep, depth, sizes.kept)
        stack, (where,) = _write(stack, slot, state), _write([where], slot, [at])
        _, state = repeat(
            lambda i, _: i < sizes.chunk, lambda i, s: (i + 1, loop.step(s)), jnp.int32(0), state
        )
        return at + 1, state, stack, where, depth + keep

    _, state, stack, where, depth = repeat(
        lambda at, *rest: at < number, step, base, state, stack, where, depth
    )
    return state, stack, where, depth


def _reverse(
    loop: Loop, count: Any, state: Arrays, cts: Arrays, totals: Arrays, tapes: Arrays
) -> tuple[Arrays, Arrays, Arrays]:
    """The cotangents before a chunk from those after it, and the sums of those of the constants."""

    def write(at: Any, state: Arrays, tapes: Arrays) -> Sequence[Any]:
        state, tape = loop.taped(state)
        return at + 1, state, _write(tapes, at, tape)

    _, _, tapes = repeat(lambda at, *rest: at < count, write, jnp.int32(0), state, tapes)
    cts, totals = _read_back(loop, count, cts, totals, tapes)
    return cts, totals, tapes


def _read_back(loop: Loop, count: Any, cts: Arrays, totals: Arrays, tapes: Arrays) -> tuple[Arrays, Arrays]:
    """The cotangents before `count` iterations that are written down, and the sums of those of the constants."""

    def read(at: Any, cts: Arrays, totals: Arrays) -> Sequence[Any]:
        consts, cts = loop.back([_read(tape, at) for tape in tapes], cts)
        return at - 1, cts, list(map(jnp.add, totals, consts))

    _, cts, totals = repeat(lambda at, *rest: at >= 0, read, count - 1, cts, totals)
    return cts, totals


def _room(arrays: Arrays, places: int) -> Arrays:
    return [jnp.broadcast_to(array, (places, *array.shape)) for array in arrays]


def _write(arrays: Arrays, place: Any, items: Arrays) -> Arrays:
    pairs = zip(arrays, items, strict=True)
    return [lax.dynamic_update_index_in_dim(array, item, place, 0) for array, item in pairs]


def _read(array: Any, place: Any) -> Any:
    return lax.dynamic_index_in_dim(array, place, 0, keepdims=False)


def _every_other(array: Any, count: int) -> Any:
    half = array[:count:2]
    return jnp.concatenate([half, half, array[count:]])
