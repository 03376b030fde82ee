"""Sound in layered ground: the wave equation with a sponge around it, a Ricker wavelet, receivers and a snapshot."""

import numpy as np


def layered(ny, nx, speeds):
    """Speeds by depth, with a dipping interface."""
    c = np.zeros((ny, nx))
    thickness = ny // len(speeds)
    for k, speed in enumerate(speeds):
        c[k * thickness :, :] = speed
    for x in range(nx):
        dip = x * thickness // (2 * nx)
        c[thickness : thickness + dip, x] = speeds[0]
    return c


def sponge(ny, nx, width, strength):
    """Factors below 1 at the edges (Cerjan's), 1 inside; the surface above stays free."""
    taper = np.ones((ny, nx))
    for i in range(width):
        g = np.exp(-((strength * (width - i)) ** 2))
        taper[:, i] *= g
        taper[:, nx - 1 - i] *= g
        taper[ny - 1 - i, :] *= g
    return taper


def ricker(t, f0):
    a = (np.pi * f0 * (t - 1.2 / f0)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def laplacian(u, dx):
    """Fourth order inside, second order next to the edges, 0 on them."""
    lap = np.zeros_like(u)
    lap[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    inner = -60 * u[2:-2, 2:-2]
    for k, w in ((1, 16), (2, -1)):
        ny, nx = u.shape
        inner = inner + w * (u[2 + k : ny - 2 + k, 2:-2] + u[2 - k : ny - 2 - k, 2:-2])
        inner = inner + w * (u[2:-2, 2 + k : nx - 2 + k] + u[2:-2, 2 - k : nx - 2 - k])
    lap[2:-2, 2:-2] = inner / 12
    return lap / dx**2


def stable(c, dt, dx):
    return c.max() * dt / dx < 0.6


def pick(trace, threshold):
    """The first arrival, between two samples."""
    limit = threshold * np.max(np.abs(trace))
    k = 0
    while k < len(trace) and abs(trace[k]) < limit:
        k += 1
    if k == 0 or k == len(trace):
        return float(k)
    before, after = abs(trace[k - 1]), abs(trace[k])
    return k - 1 + (limit - before) / (after - before)


def normalise(record):
    """Each receiver's trace by its largest value."""
    out = record.copy()
    for r in range(out.shape[1]):
        peak = np.abs(out[:, r]).max()
        if peak > 0:
            out[:, r] /= peak
    return out


def sponge_wave(speeds, f0=15.0, shape=(60, 80), steps=200, dt=0.001, dx=5.0, snapshot_at=100):
    """The record of the receivers, the snapshot, arrivals, and the strength that is left at the end."""
    ny, nx = shape
    c = layered(ny, nx, speeds)
    taper = sponge(ny, nx, 10, 0.03)
    while not stable(c, dt, dx):
        dt /= 2
    receivers = [(2, x) for x in range(10, nx - 10, 10)]
    record = np.zeros((steps, len(receivers)))
    previous = np.zeros(shape)
    current = np.zeros(shape)
    snapshot = None
    strongest = 0.0
    for n in range(steps):
        coming = 2 * current - previous + (c * dt) ** 2 * laplacian(current, dx)
        coming[ny // 6, nx // 2] += dt**2 * ricker(n * dt, f0) * 1e4
        coming *= taper
        current *= taper
        previous, current = current, coming
        for r, (y, x) in enumerate(receivers):
            record[n, r] = current[y, x]
        strongest = max(strongest, np.abs(current).max())
        if n == snapshot_at:
            snapshot = current.copy()
    arrivals = [pick(record[:, r], 0.05) for r in range(len(receivers))]
    left = np.sum(current**2)
    return normalise(record), snapshot, np.array(arrivals), strongest, left, dt
