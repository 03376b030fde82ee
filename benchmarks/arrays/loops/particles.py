"""What do bodies, walkers and samples do? Random numbers come from a generator written out."""

import numpy as np


def n_body(position, velocity, mass, steps=50, dt=0.01):
    """Bodies that attract each other, by leapfrog; the energy after each step."""
    n = len(mass)
    energy = np.zeros(steps)
    for step in range(steps):
        acceleration = np.zeros_like(position)
        for i in range(n):
            d = position - position[i]
            r2 = (d * d).sum(axis=1) + 0.01
            acceleration[i] = (mass[:, None] * d / (r2 * np.sqrt(r2))[:, None]).sum(axis=0)
        velocity = velocity + dt * acceleration
        position = position + dt * velocity
        energy[step] = 0.5 * (mass * (velocity * velocity).sum(axis=1)).sum()
    return position, velocity, energy


def random_walk(seed, steps=2000):
    """Where a walker is after each step, and how far it ever was."""
    x = np.zeros(steps + 1, dtype=np.int32)
    y = np.zeros(steps + 1, dtype=np.int32)
    farthest = 0
    for t in range(steps):
        seed = (8121 * seed + 28411) % 134456
        direction = seed * 4 // 134456
        x[t + 1] = x[t]
        y[t + 1] = y[t]
        if direction == 0:
            x[t + 1] += 1
        elif direction == 1:
            x[t + 1] -= 1
        elif direction == 2:
            y[t + 1] += 1
        else:
            y[t + 1] -= 1
        farthest = max(farthest, abs(x[t + 1]) + abs(y[t + 1]))
    return x, y, farthest


def resample(weights, offset):
    """Systematic resampling of a particle filter: how the wheel of weights turns."""
    n = len(weights)
    cumulative = np.cumsum(weights / weights.sum())
    chosen = np.zeros(n, dtype=np.int32)
    j = 0
    for i in range(n):
        u = (i + offset) / n
        while j < n - 1 and cumulative[j] < u:
            j += 1
        chosen[i] = j
    return chosen


def metropolis(seed, start, steps=2000):
    """Samples of a normal distribution, and how many proposals were taken."""
    x = start
    samples = np.zeros(steps)
    taken = 0
    for t in range(steps):
        seed = (8121 * seed + 28411) % 134456
        proposal = x + 2 * (seed / 134456 - 0.5)
        seed = (8121 * seed + 28411) % 134456
        if seed / 134456 < np.exp(0.5 * (x * x - proposal * proposal)):
            x = proposal
            taken += 1
        samples[t] = x
    return samples, taken


def kmeans(points, centres, rounds=20):
    """Centres of clusters, by Lloyd's rounds."""
    for turn in range(rounds):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = np.argmin(distance, axis=1)
        new = np.zeros_like(centres)
        for k in range(len(centres)):
            mine = nearest == k
            count = mine.sum()
            if count > 0:
                new[k] = (points * mine[:, None]).sum(axis=0) / count
            else:
                new[k] = centres[k]
        centres = new
    return centres
