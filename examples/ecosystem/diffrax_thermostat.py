"""How warm do the rooms get? A Diffrax vector field with branches, and its derivative with respect to a parameter.

Each room has a heater with a thermostat: full power when it is cold, less and less as it gets warm, none when it is warm.
"""

from __future__ import annotations

from typing import Any

import diffrax
import jax
import jax.numpy as jnp

from autograph_lite import to_graph

OUTSIDE = 5.0
LEAKS = jnp.array([0.1, 0.2, 0.3])  # of each room, an hour and a degree
HOURS = 6.0


def warming(t: Any, rooms: Any, power: Any) -> Any:
    """Degrees an hour of each room.

    Args:
      t: hours since midnight.
      rooms: the temperature of each room; neighbours share a wall.
      power: of a heater, in degrees an hour.
    """
    wanted = 20.0 if t > 2 else 16.0
    change = -LEAKS * (rooms - OUTSIDE)
    for i, warm in enumerate(rooms):
        if warm < wanted - 1:
            heat = power
        elif warm < wanted:
            heat = power * (wanted - warm)
        else:
            heat = 0.0
        change = change.at[i].add(heat)
        if i > 0:
            flow = 0.5 * (rooms[i - 1] - warm)
            change = change.at[i].add(flow).at[i - 1].add(-flow)
    return change


def solve(power: Any, rooms: Any, field: Any = to_graph(warming)) -> Any:
    """The rooms after some hours."""
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Tsit5(),
        t0=0.0,
        t1=HOURS,
        dt0=0.1,
        y0=rooms,
        args=power,
        stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-5),
    )
    return solution.ys[0]


if __name__ == "__main__":
    rooms = jnp.array([10.0, 18.0, 12.0])
    print("after six hours:", solve(4.0, rooms))
    print("and by how much more if the heaters were stronger:", jax.jacobian(solve)(4.0, rooms))
