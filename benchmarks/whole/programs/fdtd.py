"""Maxwell's equations in the plane by finite differences in time (Yee's grid), absorbed at the edges."""

import numpy as np

C0 = 1.0
COURANT = 0.5


class Grid:
    """Ez in the middle, Hx and Hy on the edges of the cells."""

    def __init__(self, ny, nx):
        self.Ez = np.zeros((ny, nx))
        self.Hx = np.zeros((ny - 1, nx))
        self.Hy = np.zeros((ny, nx - 1))
        self.eps = np.ones((ny, nx))
        self.sigma = np.zeros((ny, nx))

    def add_absorber(self, depth, strength):
        """Conductivity that grows towards the edges."""
        ny, nx = self.sigma.shape
        for k in range(depth):
            s = strength * ((depth - k) / depth) ** 3
            self.sigma[k, :] = np.maximum(self.sigma[k, :], s)
            self.sigma[ny - 1 - k, :] = np.maximum(self.sigma[ny - 1 - k, :], s)
            self.sigma[:, k] = np.maximum(self.sigma[:, k], s)
            self.sigma[:, nx - 1 - k] = np.maximum(self.sigma[:, nx - 1 - k], s)

    def add_disc(self, cy, cx, radius, eps):
        ny, nx = self.eps.shape
        for y in range(ny):
            for x in range(nx):
                if (y - cy) ** 2 + (x - cx) ** 2 < radius**2:
                    self.eps[y, x] = eps

    def update_H(self):
        self.Hx -= COURANT * (self.Ez[1:, :] - self.Ez[:-1, :])
        self.Hy += COURANT * (self.Ez[:, 1:] - self.Ez[:, :-1])

    def update_E(self):
        loss = self.sigma / (2 * self.eps)
        curl = (self.Hy[1:-1, 1:] - self.Hy[1:-1, :-1]) - (self.Hx[1:, 1:-1] - self.Hx[:-1, 1:-1])
        inner = self.Ez[1:-1, 1:-1]
        a = (1 - loss[1:-1, 1:-1]) / (1 + loss[1:-1, 1:-1])
        b = COURANT / self.eps[1:-1, 1:-1] / (1 + loss[1:-1, 1:-1])
        inner[:] = a * inner + b * curl

    def energy(self):
        return 0.5 * (np.sum(self.eps * self.Ez**2) + np.sum(self.Hx**2) + np.sum(self.Hy**2))


class Source:
    def __init__(self, y, x, wavelength, width):
        self.y = y
        self.x = x
        self.wavelength = wavelength
        self.width = width

    def add(self, grid, t):
        envelope = np.exp(-(((t - 3 * self.width) / self.width) ** 2))
        grid.Ez[self.y, self.x] += envelope * np.sin(2 * np.pi * C0 * t / self.wavelength)


def spectrum(signal, frequencies):
    """The strength of each frequency, by the sums themselves."""
    power = np.zeros(len(frequencies))
    for k, f in enumerate(frequencies):
        re = im = 0.0
        for n, s in enumerate(signal):
            phase = 2 * np.pi * f * n * COURANT
            re += s * np.cos(phase)
            im -= s * np.sin(phase)
        power[k] = re**2 + im**2
    return power


def first_arrival(signal, threshold):
    """The first step at which the signal is strong; -1 where it never is."""
    for n in range(len(signal)):
        if abs(signal[n]) > threshold:
            return n
    return -1


def fdtd(permittivity, frequencies, size=60, steps=150):
    """The field, what a probe sees, its spectrum, the energy on the way, and when the wave arrives."""
    grid = Grid(size, size)
    grid.add_absorber(size // 6, 0.8)
    grid.add_disc(size // 2, size // 2, size // 8, permittivity)
    source = Source(size // 2, size // 5, 10.0, 8.0)
    probe = (size // 2, size - size // 4)
    signal = np.zeros(steps)
    energies = []
    for n in range(steps):
        grid.update_H()
        grid.update_E()
        source.add(grid, n * COURANT)
        signal[n] = grid.Ez[probe]
        if n % 25 == 0:
            energies.append(grid.energy())
    arrival = first_arrival(signal, 0.1 * np.abs(signal).max())
    return grid.Ez, signal, spectrum(signal, frequencies), np.array(energies), arrival
