"""A robot finds out where it is by distances to landmarks: a particle filter that resamples when it must."""

import numpy as np


class Random:
    """A linear congruential generator, so that every run is the same run."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state / 2147483648

    def uniforms(self, n):
        out = np.zeros(n)
        for i in range(n):
            out[i] = self.uniform()
        return out

    def normals(self, n):
        """Box and Muller's method."""
        u = self.uniforms(2 * n)
        return np.sqrt(-2 * np.log(u[:n] + 1e-12)) * np.cos(2 * np.pi * u[n:])


class ParticleFilter:
    def __init__(self, n, landmarks, rng, spread=3.0):
        self.n = n
        self.landmarks = landmarks
        self.rng = rng
        self.x = spread * rng.normals(n)
        self.y = spread * rng.normals(n)
        self.heading = 2 * np.pi * rng.uniforms(n)
        self.weights = np.ones(n) / n
        self.resampled = 0

    def predict(self, turn, distance, noise=(0.05, 0.1)):
        self.heading = self.heading + turn + noise[0] * self.rng.normals(self.n)
        self.heading %= 2 * np.pi
        d = distance + noise[1] * self.rng.normals(self.n)
        self.x += d * np.cos(self.heading)
        self.y += d * np.sin(self.heading)

    def update(self, ranges, sigma=0.5):
        for (lx, ly), measured in zip(self.landmarks, ranges):
            if measured < 0:  # out of sight
                continue
            expected = np.hypot(self.x - lx, self.y - ly)
            self.weights *= np.exp(-0.5 * ((expected - measured) / sigma) ** 2)
        self.weights += 1e-300
        self.weights /= self.weights.sum()

    def effective(self):
        return 1 / np.sum(self.weights**2)

    def resample(self):
        """Systematic: one random number for all."""
        positions = (np.arange(self.n) + self.rng.uniform()) / self.n
        cumulative = np.cumsum(self.weights)
        chosen = np.zeros(self.n, dtype=int)
        i = j = 0
        while i < self.n:
            if positions[i] < cumulative[j] or j == self.n - 1:
                chosen[i] = j
                i += 1
            else:
                j += 1
        self.x = self.x[chosen]
        self.y = self.y[chosen]
        self.heading = self.heading[chosen]
        self.weights[:] = 1 / self.n
        self.resampled += 1

    def estimate(self):
        mx = np.sum(self.weights * self.x)
        my = np.sum(self.weights * self.y)
        var = np.sum(self.weights * ((self.x - mx) ** 2 + (self.y - my) ** 2))
        return mx, my, np.sqrt(var)


def particle_filter(seed, landmarks, controls, ranges, truth, n=100):
    """The estimated path, its deviations, the root mean square error, resamplings, and when it was lost."""
    pf = ParticleFilter(n, landmarks, Random(seed))
    path = np.zeros((len(controls), 2))
    spreads = []
    lost = -1
    for k in range(len(controls)):
        turn, distance = controls[k]
        pf.predict(turn, distance)
        pf.update(ranges[k])
        if pf.effective() < n / 2:
            pf.resample()
        mx, my, spread = pf.estimate()
        path[k] = mx, my
        spreads.append(spread)
        if lost < 0 and k > 5 and np.hypot(mx - truth[k, 0], my - truth[k, 1]) > 4 * spread:
            lost = k
    error = np.sqrt(np.mean(np.sum((path - truth) ** 2, axis=1)))
    return path, np.array(spreads), error, pf.resampled, lost
