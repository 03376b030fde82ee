"""How does a field change in time, where each point depends on its neighbours?"""

import numpy as np


def heat(u, steps=100):
    """Heat conduction in a plate whose edge keeps its temperature."""
    u = u.copy()
    for step in range(steps):
        u[1:-1, 1:-1] += 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u


def life(board, steps=50):
    """Conway's Game of Life on a torus."""
    for step in range(steps):
        count = np.zeros_like(board)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy != 0 or dx != 0:
                    count += np.roll(np.roll(board, dy, 0), dx, 1)
        board = np.where((count == 3) | ((board == 1) & (count == 2)), 1, 0)
    return board


def wave(u, speed, steps=500):
    """A string whose ends are held; the amplitude at its middle through time."""
    old = u.copy()
    middle = np.zeros(steps)
    for t in range(steps):
        new = np.zeros_like(u)
        new[1:-1] = 2 * u[1:-1] - old[1:-1] + speed**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        old = u
        u = new
        middle[t] = u[len(u) // 2]
    return u, middle


def red_black(u, f, sweeps=50):
    """Poisson's equation by Gauss-Seidel, the fields of a chessboard in turn."""
    u = u.copy()
    n = u.shape[0]
    i, j = np.meshgrid(np.arange(1, n - 1), np.arange(1, n - 1), indexing="ij")
    for sweep in range(sweeps):
        for colour in range(2):
            new = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
            u[1:-1, 1:-1] = np.where((i + j) % 2 == colour, new, u[1:-1, 1:-1])
    return u


def advection(u, velocity, steps=200):
    """Upwind transport on a ring, point by point."""
    n = len(u)
    for step in range(steps):
        new = np.zeros_like(u)
        for i in range(n):
            if velocity > 0:
                new[i] = u[i] - velocity * (u[i] - u[i - 1])
            else:
                new[i] = u[i] - velocity * (u[(i + 1) % n] - u[i])
        u = new
    return u
