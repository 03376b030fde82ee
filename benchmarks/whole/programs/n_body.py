"""Gravitating bodies, integrated by leapfrog, with what ought to be conserved."""

import numpy as np

G = 1.0
SOFTENING = 0.05


class System:
    """Positions, velocities and masses of some bodies."""

    def __init__(self, positions, velocities, masses):
        self.x = positions.copy()
        self.v = velocities.copy()
        self.m = masses
        self.time = 0.0
        self.to_centre_of_mass()

    def __len__(self):
        return len(self.m)

    def to_centre_of_mass(self):
        total = np.sum(self.m)
        centre = np.zeros(3)
        drift = np.zeros(3)
        for i in range(len(self)):
            centre += self.m[i] * self.x[i]
            drift += self.m[i] * self.v[i]
        self.x -= centre / total
        self.v -= drift / total

    def accelerations(self):
        a = np.zeros_like(self.x)
        for i in range(len(self)):
            for j in range(i + 1, len(self)):
                d = self.x[j] - self.x[i]
                r2 = np.dot(d, d) + SOFTENING**2
                f = G * d / (r2 * np.sqrt(r2))
                a[i] += self.m[j] * f
                a[j] -= self.m[i] * f
        return a

    def kinetic_energy(self):
        energy = 0.0
        for i in range(len(self)):
            energy += 0.5 * self.m[i] * np.sum(self.v[i] ** 2)
        return energy

    def potential_energy(self):
        energy = 0.0
        for i in range(len(self)):
            for j in range(i):
                d = self.x[i] - self.x[j]
                energy -= G * self.m[i] * self.m[j] / np.sqrt(np.dot(d, d) + SOFTENING**2)
        return energy

    def angular_momentum(self):
        L = np.zeros(3)
        for i in range(len(self)):
            L += self.m[i] * np.cross(self.x[i], self.v[i])
        return L

    def step(self, dt):
        self.v += 0.5 * dt * self.a
        self.x += dt * self.v
        self.a = self.accelerations()
        self.v += 0.5 * dt * self.a
        self.time += dt


def closest_pair(x):
    """Which two bodies are nearest to each other, and how near."""
    best = np.inf
    pair = (0, 0)
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r = np.sqrt(np.sum((x[i] - x[j]) ** 2))
            if r < best:
                best = r
                pair = (i, j)
    return best, pair


def n_body(positions, velocities, masses, dt=0.01, steps=200, every=20):
    """Integrates; returns the final state, the energies recorded on the way, and the largest relative error."""
    system = System(positions, velocities, masses)
    system.a = system.accelerations()
    start = system.kinetic_energy() + system.potential_energy()
    energies = np.zeros((steps // every, 3))
    worst = 0.0
    nearest = np.inf
    for n in range(steps):
        system.step(dt)
        if (n + 1) % every == 0:
            k = system.kinetic_energy()
            p = system.potential_energy()
            energies[n // every] = [k, p, k + p]
            error = abs((k + p - start) / start)
            if error > worst:
                worst = error
            r, _ = closest_pair(system.x)
            nearest = min(nearest, r)
    distance, (i, j) = closest_pair(system.x)
    return system.x, system.v, energies, worst, system.angular_momentum(), nearest, distance, i, j
