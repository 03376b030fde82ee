"""The wave equation with a sponge: a scan over steps, whose record and snapshot are its outputs."""

import jax.numpy as jnp
import numpy as np
from jax import lax


def _ground(ny, nx, speeds):
    thickness = ny // len(speeds)
    layer = np.minimum(np.arange(ny) // thickness, len(speeds) - 1)[:, None] * np.ones(nx, int)
    dip = np.arange(nx) * thickness // (2 * nx)
    depth = np.arange(ny)[:, None]
    layer = np.where((depth >= thickness) & (depth < thickness + dip), 0, layer)
    return speeds[layer]


def _sponge(ny, nx, width, strength):
    taper = np.ones((ny, nx))
    for i in range(width):
        g = np.exp(-((strength * (width - i)) ** 2))
        taper[:, i] *= g
        taper[:, nx - 1 - i] *= g
        taper[ny - 1 - i, :] *= g
    return taper


def _laplacian(u, dx):
    second = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    near = u[3:-1, 2:-2] + u[1:-3, 2:-2] + u[2:-2, 3:-1] + u[2:-2, 1:-3]
    far = u[4:, 2:-2] + u[:-4, 2:-2] + u[2:-2, 4:] + u[2:-2, :-4]
    fourth = (16 * near - far - 60 * u[2:-2, 2:-2]) / 12
    return jnp.zeros_like(u).at[1:-1, 1:-1].set(second).at[2:-2, 2:-2].set(fourth) / dx**2


def _pick(trace, threshold):
    size = jnp.abs(trace)
    limit = threshold * size.max()
    k = jnp.argmax(size >= limit)
    before, after = size[k - 1], size[k]
    between = k - 1 + (limit - before) / (after - before)
    return jnp.where(limit > size.max(), len(trace), jnp.where(k == 0, 0.0, between))


def sponge_wave(speeds, f0=15.0, shape=(60, 80), steps=200, dt=0.001, dx=5.0, snapshot_at=100):
    ny, nx = shape
    c = _ground(ny, nx, speeds)
    taper = jnp.asarray(_sponge(ny, nx, 10, 0.03))
    dt = lax.while_loop(lambda dt: c.max() * dt / dx >= 0.6, lambda dt: dt / 2, jnp.asarray(dt))
    a = (jnp.pi * f0 * (jnp.arange(steps) * dt - 1.2 / f0)) ** 2
    wavelet = dt**2 * (1 - 2 * a) * jnp.exp(-a) * 1e4
    receivers = np.arange(10, nx - 10, 10)
    factor = (c * dt) ** 2

    def step(state, given):
        previous, current, snapshot, strongest = state
        n, source = given
        coming = 2 * current - previous + factor * _laplacian(current, dx)
        coming = coming.at[ny // 6, nx // 2].add(source) * taper
        snapshot = jnp.where(n == snapshot_at, coming, snapshot)
        strongest = jnp.maximum(strongest, jnp.abs(coming).max())
        return (current * taper, coming, snapshot, strongest), coming[2, receivers]

    still = jnp.zeros(shape)
    state, record = lax.scan(step, (still, still, still, 0.0), (jnp.arange(steps), wavelet))
    _, current, snapshot, strongest = state
    arrivals = jnp.stack([_pick(record[:, r], 0.05) for r in range(len(receivers))])
    peak = jnp.abs(record).max(axis=0)
    return record / jnp.where(peak > 0, peak, 1), snapshot, arrivals, strongest, jnp.sum(current**2), dt
