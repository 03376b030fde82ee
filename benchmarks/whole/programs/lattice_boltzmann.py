"""Flow around a cylinder in a channel: the lattice Boltzmann method on the D2Q9 lattice."""

import numpy as np

CX = [0, 1, 0, -1, 0, 1, -1, -1, 1]
CY = [0, 0, 1, 0, -1, 1, 1, -1, -1]
WEIGHTS = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


def cylinder(ny, nx, centre, radius):
    """True where the obstacle is."""
    mask = np.zeros((ny, nx), dtype=bool)
    for y in range(ny):
        for x in range(nx):
            if (x - centre[0]) ** 2 + (y - centre[1]) ** 2 <= radius**2:
                mask[y, x] = True
    return mask


def moments(f):
    """Density and velocity of each cell."""
    rho = np.zeros(f.shape[1:])
    ux = np.zeros(f.shape[1:])
    uy = np.zeros(f.shape[1:])
    for k in range(9):
        rho += f[k]
        ux += CX[k] * f[k]
        uy += CY[k] * f[k]
    return rho, ux / rho, uy / rho


def equilibrium(rho, ux, uy):
    """The Maxwell distribution, to second order in the velocity."""
    feq = np.empty((9, *rho.shape))
    usqr = 1.5 * (ux**2 + uy**2)
    for k in range(9):
        cu = 3 * (CX[k] * ux + CY[k] * uy)
        feq[k] = rho * WEIGHTS[k] * (1 + cu + 0.5 * cu**2 - usqr)
    return feq


def stream(f):
    """Moves each population one cell on."""
    moved = np.empty_like(f)
    for k in range(9):
        moved[k] = np.roll(np.roll(f[k], CX[k], axis=1), CY[k], axis=0)
    return moved


def bounce_back(f, before, mask):
    """What meets the obstacle goes back where it came from."""
    for k in range(9):
        f[k][mask] = before[OPPOSITE[k]][mask]


def inlet(f, speed):
    """Zou and He's condition on the left: a given velocity."""
    ux = speed
    uy = 0.0
    rho = (f[0, :, 0] + f[2, :, 0] + f[4, :, 0] + 2 * (f[3, :, 0] + f[6, :, 0] + f[7, :, 0])) / (1 - ux)
    f[1, :, 0] = f[3, :, 0] + 2 / 3 * rho * ux
    f[5, :, 0] = f[7, :, 0] + 1 / 6 * rho * ux + 0.5 * rho * uy - 0.5 * (f[2, :, 0] - f[4, :, 0])
    f[8, :, 0] = f[6, :, 0] + 1 / 6 * rho * ux - 0.5 * rho * uy + 0.5 * (f[2, :, 0] - f[4, :, 0])


def outlet(f):
    """What leaves on the right leaves."""
    for k in (3, 6, 7):
        f[k, :, -1] = f[k, :, -2]


def vorticity(ux, uy):
    curl = np.zeros_like(ux)
    curl[1:-1, 1:-1] = (uy[1:-1, 2:] - uy[1:-1, :-2]) / 2 - (ux[2:, 1:-1] - ux[:-2, 1:-1]) / 2
    return curl


def drag(f, mask):
    """Momentum in x that the populations within the obstacle carry."""
    force = 0.0
    for k in range(1, 9):
        force += CX[k] * np.sum(f[k] * mask)
    return 2 * force


def lattice_boltzmann(noise, viscosity=0.02, speed=0.1, steps=200):
    """`noise` disturbs the first state a little. Velocities, vorticity, and the drag at each tenth step."""
    ny, nx = noise.shape
    tau = 3 * viscosity + 0.5
    mask = cylinder(ny, nx, (nx // 4, ny // 2), ny / 9)
    profile = speed * (1 + 1e-3 * noise)
    f = equilibrium(np.ones((ny, nx)), profile, np.zeros((ny, nx)))
    drags = []
    for step in range(steps):
        outlet(f)
        inlet(f, speed)
        rho, ux, uy = moments(f)
        collided = f - (f - equilibrium(rho, ux, uy)) / tau
        bounce_back(collided, f, mask)
        f = stream(collided)
        if step % 10 == 0:
            drags.append(drag(f, mask))
    rho, ux, uy = moments(f)
    ux[mask] = 0
    uy[mask] = 0
    return ux, uy, vorticity(ux, uy), np.array(drags), rho.mean()
