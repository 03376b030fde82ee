"""Bodies, walkers and samples."""

import jax
import jax.numpy as jnp
from jax import lax


def n_body(position, velocity, mass, steps=50, dt=0.01):
    def force(here, position):
        d = position - here
        r2 = (d * d).sum(axis=1) + 0.01
        return (mass[:, None] * d / (r2 * jnp.sqrt(r2))[:, None]).sum(axis=0)

    def step(state, _):
        position, velocity = state
        velocity = velocity + dt * lax.map(lambda here: force(here, position), position)
        position = position + dt * velocity
        return (position, velocity), 0.5 * (mass * (velocity * velocity).sum(axis=1)).sum()

    (position, velocity), energy = lax.scan(step, (position, velocity), length=steps)
    return position, velocity, energy


def random_walk(seed, steps=2000):
    def step(state, _):
        seed, x, y, farthest = state
        seed = (8121 * seed + 28411) % 134456
        direction = seed * 4 // 134456
        x = x + (direction == 0) - (direction == 1)
        y = y + (direction == 2) - (direction > 2)
        farthest = jnp.maximum(farthest, jnp.abs(x) + jnp.abs(y))
        return (seed, x, y, farthest), (x, y)

    zero = jnp.int32(0)
    (_, _, _, farthest), (x, y) = lax.scan(step, (seed, zero, zero, zero), length=steps)
    return jnp.pad(x, (1, 0)), jnp.pad(y, (1, 0)), farthest


def resample(weights, offset):
    n = len(weights)
    cumulative = jnp.cumsum(weights / weights.sum())

    def choose(j, i):
        u = (i + offset) / n
        j = lax.while_loop(lambda j: (j < n - 1) & (cumulative[j] < u), lambda j: j + 1, j)
        return j, j

    return lax.scan(choose, jnp.int32(0), jnp.arange(n))[1]


def metropolis(seed, start, steps=2000):
    def step(state, _):
        seed, x, taken = state
        seed = (8121 * seed + 28411) % 134456
        proposal = x + 2 * (seed / 134456 - 0.5)
        seed = (8121 * seed + 28411) % 134456
        take = seed / 134456 < jnp.exp(0.5 * (x * x - proposal * proposal))
        x, taken = lax.cond(take, lambda: (proposal, taken + 1), lambda: (x, taken))
        return (seed, x, taken), x

    (_, _, taken), samples = lax.scan(step, (seed, start, jnp.int32(0)), length=steps)
    return samples, taken


def kmeans(points, centres, rounds=20):
    k = len(centres)

    def turn(_, centres):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        mine = jax.nn.one_hot(jnp.argmin(distance, axis=1), k, dtype=points.dtype)
        count = mine.sum(axis=0)[:, None]
        return jnp.where(count > 0, mine.T @ points / jnp.maximum(count, 1), centres)

    return lax.fori_loop(0, rounds, turn, centres)
