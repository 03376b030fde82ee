"""The D2Q9 lattice cell by cell: a cell's moments, its collision, and where its populations go."""

import numpy as np

CX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
CY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)


def equilibrium(k, rho, ux, uy):
    cu = 3 * (CX[k] * ux + CY[k] * uy)
    return rho * WEIGHTS[k] * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2))


def moments(f, y, x):
    rho = ux = uy = 0.0
    for k in range(9):
        rho += f[k, y, x]
        ux += CX[k] * f[k, y, x]
        uy += CY[k] * f[k, y, x]
    return rho, ux / rho, uy / rho


def boundaries(f, speed):
    """What leaves on the right leaves; on the left the velocity is given."""
    for y in range(f.shape[1]):
        for k in (3, 6, 7):
            f[k, y, -1] = f[k, y, -2]
        coming = f[0, y, 0] + f[2, y, 0] + f[4, y, 0]
        rho = (coming + 2 * (f[3, y, 0] + f[6, y, 0] + f[7, y, 0])) / (1 - speed)
        across = 0.5 * (f[2, y, 0] - f[4, y, 0])
        f[1, y, 0] = f[3, y, 0] + 2 / 3 * rho * speed
        f[5, y, 0] = f[7, y, 0] + 1 / 6 * rho * speed - across
        f[8, y, 0] = f[6, y, 0] + 1 / 6 * rho * speed + across


def collide_and_stream(f, moved, mask, tau):
    _, ny, nx = f.shape
    for y in range(ny):
        for x in range(nx):
            rho, ux, uy = moments(f, y, x)
            for k in range(9):
                if mask[y, x]:
                    collided = f[OPPOSITE[k], y, x]
                else:
                    collided = f[k, y, x] - (f[k, y, x] - equilibrium(k, rho, ux, uy)) / tau
                moved[k, (y + CY[k]) % ny, (x + CX[k]) % nx] = collided


def drag(f, mask):
    force = 0.0
    for k in range(1, 9):
        for y in range(f.shape[1]):
            for x in range(f.shape[2]):
                if mask[y, x]:
                    force += CX[k] * f[k, y, x]
    return 2 * force


def lattice_boltzmann(noise, viscosity=0.02, speed=0.1, steps=200):
    ny, nx = noise.shape
    tau = 3 * viscosity + 0.5
    mask = np.zeros((ny, nx), dtype=np.bool_)
    f, moved = np.empty((9, ny, nx)), np.empty((9, ny, nx))
    for y in range(ny):
        for x in range(nx):
            mask[y, x] = (x - nx // 4) ** 2 + (y - ny // 2) ** 2 <= (ny / 9) ** 2
            for k in range(9):
                f[k, y, x] = equilibrium(k, 1.0, speed * (1 + 1e-3 * noise[y, x]), 0.0)
    drags = np.zeros((steps + 9) // 10)
    for step in range(steps):
        boundaries(f, speed)
        collide_and_stream(f, moved, mask, tau)
        f, moved = moved, f
        if step % 10 == 0:
            drags[step // 10] = drag(f, mask)
    ux, uy, curl = np.zeros((ny, nx)), np.zeros((ny, nx)), np.zeros((ny, nx))
    mean = 0.0
    for y in range(ny):
        for x in range(nx):
            rho, u, v = moments(f, y, x)
            mean += rho / (ny * nx)
            if not mask[y, x]:
                ux[y, x], uy[y, x] = u, v
    for y in range(1, ny - 1):
        for x in range(1, nx - 1):
            curl[y, x] = (uy[y, x + 1] - uy[y, x - 1]) / 2 - (ux[y + 1, x] - ux[y - 1, x]) / 2
    return ux, uy, curl, drags, mean
