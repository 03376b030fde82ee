"""How would an expert write the examples by hand, in `jax.lax`?

Each function takes the arrays and the static values of its namesake in `examples/`, returns the same
results, and is what the benchmarks compare the generated code with. They are written for speed: flags in
the carry where the example says `break`, `jnp.where` where both sides cost less than a branch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import jax.numpy as jnp
from jax import lax

Array: TypeAlias = Any  # A jax.Array.
Carry: TypeAlias = Any  # A tuple of arrays, as long as the loop needs.


def crc32(data: Array) -> Array:
    """`examples/checksum.py`: crc32."""
    polynomial = jnp.uint32(0xEDB88320)

    def absorb(crc: Array, byte: Array) -> tuple[Array, None]:
        crc ^= byte
        for _ in range(8):
            crc = jnp.where(crc & 1 != 0, (crc >> 1) ^ polynomial, crc >> 1)
        return crc, None

    return ~lax.scan(absorb, jnp.uint32(0xFFFFFFFF), data)[0]


def adler32(data: Array) -> Array:
    """`examples/checksum.py`: adler32."""
    modulus = jnp.uint32(65521)

    def wrapped(total: Array) -> Array:
        return jnp.where(total >= modulus, total - modulus, total)

    def absorb(sums: Carry, byte: Array) -> tuple[Carry, None]:
        low = wrapped(sums[0] + byte)
        return (low, wrapped(sums[1] + low)), None

    (low, high), _ = lax.scan(absorb, (jnp.uint32(1), jnp.uint32(0)), data)
    return (high << 16) | low


def heap_sort(values: Array) -> Array:
    """`examples/sorting.py`: heap_sort."""
    n = len(values)

    def sift_down(heap: Array, root: Array | int, end: Array | int) -> Array:
        def unordered(carry: tuple[Array, Array, Array]) -> Array:
            _, root, done = carry
            return ~done & (2 * root + 1 < end)

        def sink(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            heap, root, _ = carry
            child = 2 * root + 1
            child += (child + 1 < end) & (heap[child] < heap[child + 1])
            above, below = heap[root], heap[child]
            done = above >= below
            heap = heap.at[root].set(jnp.where(done, above, below))
            return heap.at[child].set(jnp.where(done, below, above)), child, done

        return lax.while_loop(unordered, sink, (heap, jnp.int32(root), jnp.bool(False)))[0]

    def extract(i: Array, heap: Array) -> Array:
        end = n - 1 - i
        heap = heap.at[0].set(heap[end]).at[end].set(heap[0])
        return sift_down(heap, 0, end)

    heap = lax.fori_loop(0, n // 2, lambda i, heap: sift_down(heap, n // 2 - 1 - i, n), values)
    return lax.fori_loop(0, n - 1, extract, heap)


def shortest_paths(roads: Array) -> tuple[Array, Array, Array]:
    """`examples/floyd_warshall.py`: shortest_paths."""
    n = len(roads)
    distances = jnp.where(jnp.eye(n, dtype=bool), jnp.minimum(roads, 0), roads)
    onward = jnp.where(distances < jnp.inf, jnp.arange(n, dtype=jnp.int32), -1)

    def unfinished(carry: Carry) -> Array:
        step, _, _, possible = carry
        return possible & (step < n * n)

    def improve(carry: Carry) -> Carry:
        step, distances, onward, _ = carry
        via, town = step // n, step % n
        row = distances[town]
        through = row[via] + distances[via]
        shorter = through < row
        onward = onward.at[town].set(jnp.where(shorter, onward[town, via], onward[town]))
        row = jnp.where(shorter, through, row)
        return step + 1, distances.at[town].set(row), onward, row[town] >= 0

    start = (jnp.int32(0), distances, onward, jnp.bool(True))
    _, distances, onward, possible = lax.while_loop(unfinished, improve, start)
    return distances, onward, possible


def decode(start: Array, move: Array, emit: Array, observations: Array, length: Array) -> tuple[Array, Array]:
    """`examples/viterbi.py`: decode."""
    nothing = jnp.full(observations.shape, -1, jnp.int32)

    def possible(carry: Carry) -> Array:
        t, best, _ = carry
        return (t < length) & (jnp.max(best) > -jnp.inf)

    def forward(carry: Carry) -> Carry:
        t, best, came_from = carry
        scores = best[:, None] + move
        came_from = came_from.at[t].set(jnp.argmax(scores, axis=0).astype(jnp.int32))
        return t + 1, jnp.max(scores, axis=0) + emit[:, observations[t]], came_from

    first = start + emit[:, observations[0]]
    table = jnp.zeros((len(observations), len(start)), jnp.int32)
    _, best, came_from = lax.while_loop(possible, forward, (jnp.int32(1), first, table))
    probability = jnp.max(best)

    def backward(i: Array, path: Array) -> Array:
        t = length - 1 - i
        return path.at[t - 1].set(came_from[t, path[t]])

    last = nothing.at[length - 1].set(jnp.argmax(best).astype(jnp.int32))
    steps = jnp.where(probability > -jnp.inf, length - 1, 0)
    path = lax.fori_loop(0, steps, backward, last)
    return jnp.where((probability > -jnp.inf) | (length == 1), path, nothing), probability


def track(measurements: Array, agility: Array, noise: Array) -> tuple[Array, Array, Array, Array, Array]:
    """`examples/kalman.py`: track."""
    n = len(measurements)
    move = jnp.eye(4, dtype=jnp.float32) + jnp.eye(4, k=2, dtype=jnp.float32)
    see = jnp.eye(2, 4, dtype=jnp.float32)
    unit = jnp.eye(4, dtype=jnp.float32)
    zero = jnp.int32(0)

    def following(carry: Carry) -> Array:
        return (carry[0] < n) & (carry[6] < 5)

    def follow(carry: Carry) -> Carry:
        i, state, covariance, path, rejected, missing, in_a_row = carry
        measured = measurements[i]
        state = jnp.where(i > 0, move @ state, state)
        covariance = jnp.where(i > 0, move @ covariance @ move.T + agility * unit, covariance)
        innovation = measured - see @ state
        spread = see @ covariance @ see.T + noise * see[:, :2]
        absent = jnp.isnan(measured).any()
        outlier = ~absent & (innovation @ jnp.linalg.solve(spread, innovation) > 9.21)
        usable = ~absent & ~outlier
        gain = covariance @ see.T @ jnp.linalg.inv(spread)
        state = jnp.where(usable, state + gain @ innovation, state)
        covariance = jnp.where(usable, (unit - gain @ see) @ covariance, covariance)
        in_a_row = jnp.where(usable, 0, in_a_row + outlier)
        return i + 1, state, covariance, path.at[i].set(state), rejected + outlier, missing + absent, in_a_row

    state = jnp.zeros(4, jnp.float32).at[:2].set(measurements[0])
    start = (zero, state, 100 * unit, jnp.zeros((n, 4), jnp.float32), zero, zero, zero)
    _, _, covariance, path, rejected, missing, in_a_row = lax.while_loop(following, follow, start)
    return path, covariance, rejected, missing, in_a_row == 5


def read(weights: dict[str, Array], inputs: Array, certainty: Array) -> tuple[Array, Array]:
    """`examples/recurrent.py`: read."""
    units = len(weights["halt"])

    def sigmoid(x: Array) -> Array:
        return 0.5 + 0.5 * jnp.tanh(0.5 * x)

    def unsure(carry: Carry) -> Array:
        steps, _, _, sure = carry
        return ~sure & (steps < len(inputs))

    def step(carry: Carry) -> Carry:
        steps, state, memory, _ = carry
        gates = inputs[steps] @ weights["input"] + state @ weights["state"] + weights["bias"]
        keep, write, show = sigmoid(gates[: 3 * units]).reshape(3, units)
        memory = keep * memory + write * jnp.tanh(gates[3 * units :])
        state = show * jnp.tanh(memory)
        return steps + 1, state, memory, sigmoid(state @ weights["halt"]) > certainty

    zeros = jnp.zeros(units, jnp.float32)
    if not len(inputs):
        return zeros, jnp.int32(0)
    steps, state, _, _ = lax.while_loop(unsure, step, (jnp.int32(0), zeros, zeros, jnp.bool(False)))
    return state, steps


def walk(
    start: Array,
    moves: Array,
    log_uniforms: Array,
    warm_up: Array,
    enough: Array,
    *,
    log_density: Callable[[Array], Array],
) -> tuple[Array, Array, Array, Array]:
    """`examples/metropolis.py`: walk."""
    n = len(moves)

    def walking(carry: Carry) -> Array:
        return (carry[0] < n) & (carry[4] < enough)

    def move(carry: Carry) -> Carry:
        i, point, height, size, accepted, visits, total, squares = carry
        proposal = point + size * moves[i]
        height_there = log_density(proposal)
        success = log_uniforms[i] < height_there - height
        point = jnp.where(success, proposal, point)
        height = jnp.where(success, height_there, height)
        tuned = jnp.where(success & (size < 100), size * 1.125, jnp.where(size > 0.01, size * 0.96, size))
        warm = i >= warm_up
        return (
            i + 1,
            point,
            height,
            jnp.where(warm, size, tuned),
            accepted + (success & warm),
            visits + warm,
            total + jnp.where(warm, point, 0),
            squares + jnp.where(warm, point * point, 0),
        )

    zero, zeros = jnp.int32(0), jnp.zeros_like(start)
    carry = (zero, start, log_density(start), jnp.float32(1), zero, zero, zeros, zeros)
    _, _, _, size, accepted, visits, total, squares = lax.while_loop(walking, move, carry)
    mean = total / jnp.maximum(visits, 1)
    return mean, squares / jnp.maximum(visits, 1) - mean * mean, accepted, size


def solve(
    y: Array, t_end: Array, tolerance: Array, *, f: Callable[..., Array], event: Callable[..., Any]
) -> tuple[Array, Array, Array, Array, Array]:
    """`examples/dormand_prince.py`: solve."""
    rows = (
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    )
    nodes = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1)
    error_weights = (71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)

    def trial(t: Array, y: Array, slope: Array, h: Array) -> tuple[Array, Array, Array]:
        slopes = [slope]
        for node, row in zip(nodes, rows, strict=True):
            stage = y + h * sum(weight * k for weight, k in zip(row, slopes, strict=True) if weight)
            slopes.append(f(t + node * h, stage, np=jnp))
        difference = h * sum(weight * k for weight, k in zip(error_weights, slopes, strict=True) if weight)
        scale = tolerance * (1 + jnp.maximum(jnp.abs(y), jnp.abs(stage)))
        return stage, slopes[-1], jnp.max(jnp.abs(difference) / scale)

    def running(carry: Carry) -> Array:
        t, _, _, _, taken, rejected, stopped = carry[:7]
        return (t < t_end) & (taken + rejected < 1000) & ~stopped

    def step(carry: Carry) -> Carry:
        t, y, slope, h, taken, rejected, _ = carry[:7]
        h = jnp.minimum(h, t_end - t)
        y_new, slope_new, error = trial(t, y, slope, h)
        factor = jnp.clip(0.9 * jnp.maximum(error, 1e-6) ** -0.2, 0.2, 5)
        good = error <= 1
        stopped = good & jnp.asarray(event(t + h, y_new) < 0)
        keep = good & ~stopped  # At the event the step's beginning stays in the carry, for the interpolant.
        counts = taken + good, rejected + ~good
        state = jnp.where(keep, t + h, t), jnp.where(keep, y_new, y), jnp.where(keep, slope_new, slope)
        return (*state, jnp.where(stopped, h, h * factor), *counts, stopped, y_new, slope_new)

    def locate(carry: Carry) -> tuple[Array, Array]:
        t, y, slope, h, *_, y_new, slope_new = carry

        def between(part: Array) -> Array:
            rest = 1 - part
            bend = rest * (h * slope - y_new + y) - part * (h * slope_new - y_new + y)
            return rest * y + part * y_new + part * rest * bend

        def halve(bounds: Carry) -> Carry:
            early, late = bounds
            middle = (early + late) / 2
            past = jnp.asarray(event(t + middle * h, between(middle)) < 0)
            return jnp.where(past, early, middle), jnp.where(past, middle, late)

        unit = (jnp.float32(0), jnp.float32(1))
        _, late = lax.while_loop(lambda bounds: bounds[1] - bounds[0] > 1e-5, halve, unit)
        return t + late * h, between(late)

    t, zero = jnp.float32(0), jnp.int32(0)
    slope = f(t, y, np=jnp)
    carry = lax.while_loop(running, step, (t, y, slope, 0.01 * t_end, zero, zero, jnp.bool(False), y, slope))
    taken, rejected, stopped = carry[4:7]
    t, y = lax.cond(stopped, locate, lambda carry: carry[:2], carry)
    return t, y, taken, rejected, stopped
