"""V-cycles whose grids lie in lists, from fine to coarse, and are used again in each cycle."""

import numpy as np


def residual(u, f, h, r):
    """Written to `r`; its norm."""
    total = 0.0
    for i in range(1, len(u) - 1):
        for j in range(1, len(u) - 1):
            around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1]
            r[i, j] = f[i, j] - (4 * u[i, j] - around) / h**2
            total += r[i, j] ** 2
    return np.sqrt(total)


def smooth(u, f, h, sweeps):
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, len(u) - 1):
                for j in range(1 + (i + colour) % 2, len(u) - 1, 2):
                    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] = 0.25 * (around + h**2 * f[i, j])


def restrict(r, coarse):
    for i in range(1, len(coarse) - 1):
        for j in range(1, len(coarse) - 1):
            y, x = 2 * i, 2 * j
            corners = r[y - 1, x - 1] + r[y - 1, x + 1] + r[y + 1, x - 1] + r[y + 1, x + 1]
            edges = r[y - 1, x] + r[y + 1, x] + r[y, x - 1] + r[y, x + 1]
            coarse[i, j] = (4 * r[y, x] + 2 * edges + corners) / 16


def add_prolonged(e, u):
    """Each point of the finer grid lies between one, two or four of the coarser one's."""
    for i in range(len(u)):
        for j in range(len(u)):
            y, x = i // 2, j // 2
            below, right = y + i % 2, x + j % 2
            u[i, j] += 0.25 * (e[y, x] + e[below, x] + e[y, right] + e[below, right])


def v_cycle(u, f, r, h):
    """One cycle over lists of solutions, right-hand sides and residuals."""
    last = len(u) - 1
    for level in range(last):
        if level > 0:
            u[level][:] = 0.0
        smooth(u[level], f[level], h * 2**level, 2)
        residual(u[level], f[level], h * 2**level, r[level])
        restrict(r[level], f[level + 1])
    u[last][:] = 0.0
    u[last][1, 1] = (h * 2**last) ** 2 * f[last][1, 1] / 4
    for level in range(last - 1, -1, -1):
        add_prolonged(u[level + 1], u[level])
        smooth(u[level], f[level], h * 2**level, 2)


def multigrid(f, tol=1e-8, max_cycles=20):
    n = f.shape[0]
    h = 1.0 / (n - 1)
    us, fs, rs = [np.zeros((n, n))], [f], [np.zeros((n, n))]
    size = n
    while size > 3:
        size = (size - 1) // 2 + 1
        us.append(np.zeros((size, size)))
        fs.append(np.zeros((size, size)))
        rs.append(np.zeros((size, size)))
    u = us[0]
    x = np.linspace(0, 1, n)
    u[0] = np.sin(np.pi * x)
    u[-1] = 0.5 * np.sin(2 * np.pi * x)
    u[:, 0] = x * (1 - x)
    norms = np.zeros(max_cycles + 1)
    norms[0] = residual(u, f, h, rs[0])
    cycles = 0
    while cycles < max_cycles:
        v_cycle(us, fs, rs, h)
        cycles += 1
        norms[cycles] = residual(u, f, h, rs[0])
        if norms[cycles] < tol * norms[0]:
            break
    rate = 1.0 if cycles == 0 else (norms[cycles] / norms[0]) ** (1 / cycles)
    flat = np.argmax(u)
    return u, norms, cycles, rate, u.max(), (flat // n, flat % n)
