"""Does Diffrax solve with a converted vector field what NumPy solves with its plain Python?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from .examples import load


@pytest.fixture
def thermostat():
    return load("diffrax_thermostat", "diffrax")


def runge_kutta(thermostat, power, rooms, n=3000):
    """Small steps of the classical method, in double precision and without JAX."""

    def field(t, rooms):
        wanted = 20.0 if t > 2 else 16.0
        change = -np.asarray(thermostat.LEAKS, float) * (rooms - thermostat.OUTSIDE)
        for i, warm in enumerate(rooms):
            change[i] += power * min(max(wanted - warm, 0), 1)
            if i > 0:
                flow = 0.5 * (rooms[i - 1] - warm)
                change[i] += flow
                change[i - 1] -= flow
        return change

    rooms, h = np.asarray(rooms, float), thermostat.HOURS / n
    for t in np.arange(n) * h:
        a = field(t, rooms)
        b = field(t + h / 2, rooms + h / 2 * a)
        c = field(t + h / 2, rooms + h / 2 * b)
        d = field(t + h, rooms + h * c)
        rooms = rooms + h / 6 * (a + 2 * b + 2 * c + d)
    return rooms


ROOMS = jnp.array([10.0, 18.0, 12.0])


def test_a_solution_is_that_of_numpy(thermostat):
    np.testing.assert_allclose(thermostat.solve(4.0, ROOMS), runge_kutta(thermostat, 4.0, ROOMS), atol=2e-3)


def test_the_derivative_of_a_solution_is_the_difference_quotient(thermostat):
    slope = (runge_kutta(thermostat, 4.05, ROOMS) - runge_kutta(thermostat, 3.95, ROOMS)) / 0.1
    np.testing.assert_allclose(jax.jacobian(thermostat.solve)(4.0, ROOMS), slope, rtol=0.01)


def test_houses_are_solved_side_by_side(thermostat):
    powers = jnp.array([0.0, 2.0, 8.0])
    together = jax.jit(jax.vmap(thermostat.solve, in_axes=(0, None)))(powers, ROOMS)
    for power, rooms in zip([0.0, 2.0, 8.0], together, strict=True):
        np.testing.assert_allclose(rooms, runge_kutta(thermostat, power, ROOMS), atol=2e-3)
