"""Stencils."""

import jax.numpy as jnp
from jax import lax


def heat(u, steps=100):
    def step(_, u):
        inner = u[1:-1, 1:-1]
        change = 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        return u.at[1:-1, 1:-1].set(inner + change)

    return lax.fori_loop(0, steps, step, u)


def life(board, steps=50):
    def step(_, board):
        sides = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
        count = sum(jnp.roll(board, side, (0, 1)) for side in sides)
        return ((count == 3) | ((board == 1) & (count == 2))).astype(board.dtype)

    return lax.fori_loop(0, steps, step, board)


def wave(u, speed, steps=500):
    def step(state, _):
        old, u = state
        inner = 2 * u[1:-1] - old[1:-1] + speed**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        new = jnp.pad(inner, 1)
        return (u, new), new[len(u) // 2]

    (_, u), middle = lax.scan(step, (u, u), length=steps)
    return u, middle


def red_black(u, f, sweeps=50):
    n = u.shape[0]
    parity = (jnp.arange(1, n - 1)[:, None] + jnp.arange(1, n - 1)) % 2

    def half(u, colour):
        new = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
        return u.at[1:-1, 1:-1].set(jnp.where(parity == colour, new, u[1:-1, 1:-1]))

    return lax.fori_loop(0, sweeps, lambda _, u: half(half(u, 0), 1), u)


def advection(u, velocity, steps=200):
    def right(u):
        return u - velocity * (u - jnp.roll(u, 1))

    def left(u):
        return u - velocity * (jnp.roll(u, -1) - u)

    return lax.fori_loop(0, steps, lambda _, u: lax.cond(velocity > 0, right, left, u), u)
