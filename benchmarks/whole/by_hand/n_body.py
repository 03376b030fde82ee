"""Gravitating bodies: all pairs at once, and a scan over the stretches between two records."""

import jax
import jax.numpy as jnp
from jax import lax

SOFTENING = 0.05


def _differences(x):
    return x[None, :] - x[:, None]


def _accelerations(x, m):
    d = _differences(x)
    r2 = jnp.sum(d**2, axis=2) + SOFTENING**2
    return jnp.einsum("ijk,ij,j->ik", d, r2**-1.5, m)


def _energies(x, v, m):
    kinetic = 0.5 * jnp.sum(m * jnp.sum(v**2, axis=1))
    r = jnp.sqrt(jnp.sum(_differences(x) ** 2, axis=2) + SOFTENING**2)
    pairs = jnp.triu(jnp.outer(m, m) / r, 1)
    return kinetic, -jnp.sum(pairs)


def _closest(x):
    n = len(x)
    r = jnp.sqrt(jnp.sum(_differences(x) ** 2, axis=2))
    r = jnp.where(jnp.triu(jnp.ones((n, n), bool), 1), r, jnp.inf)
    flat = jnp.argmin(r)
    return r.ravel()[flat], flat // n, flat % n


def n_body(positions, velocities, masses, dt=0.01, steps=200, every=20):
    total = jnp.sum(masses)
    x = positions - masses @ positions / total
    v = velocities - masses @ velocities / total
    start = sum(_energies(x, v, masses))

    def step(_, state):
        x, v, a = state
        v = v + 0.5 * dt * a
        x = x + dt * v
        a = _accelerations(x, masses)
        return x, v + 0.5 * dt * a, a

    def stretch(state, _):
        state = lax.fori_loop(0, every, step, state)
        k, p = _energies(*state[:2], masses)
        return state, (jnp.stack([k, p, k + p]), _closest(state[0])[0])

    state = (x, v, _accelerations(x, masses))
    state, (energies, nearest) = lax.scan(stretch, state, length=steps // every)
    x, v, _ = lax.fori_loop(0, steps % every, step, state)
    worst = jnp.max(jnp.abs((energies[:, 2] - start) / start))
    momentum = jnp.sum(masses[:, None] * jax.vmap(jnp.cross)(x, v), axis=0)
    return x, v, energies, worst, momentum, jnp.min(nearest), *_closest(x)
