"""What does a density look like that one can only evaluate? Metropolis' random walk, tuned while it warms up.

The random numbers are arguments, so that NumPy and JAX walk the same way. The walk stops early when enough
moves have been accepted after the warm-up.

Source: Metropolis et al., "Equation of state calculations by fast computing machines", 1953.
"""

from collections.abc import Callable
from types import ModuleType

import numpy
from show import Array, Case, Runner, floats, present

RESULTS = ("mean", "variance", "accepted", "step size")


def walk(
    start: Array,
    moves: Array,
    log_uniforms: Array,
    warm_up: Array,
    enough: Array,
    *,
    log_density: Callable[..., Array],
    np: ModuleType = numpy,
) -> tuple[Array, Array, Array, Array]:
    """Mean and variance of a density by a random walk.

    Args:
      start: the first point, shape (dimensions,).
      moves: standard normal numbers, shape (n, dimensions).
      log_uniforms: logarithms of uniform numbers in (0, 1], shape (n,).
      warm_up: moves that only tune the step size.
      enough: accepted moves after which to stop.
      log_density: the density's logarithm at a point, up to a constant.
      np: the array library.

    Returns:
      Mean and variance of each coordinate and the moves accepted after the warm-up; the step size found.
    """
    point, height = start, log_density(start)
    size = np.float32(1)
    accepted = visits = 0
    total = np.zeros_like(start)
    squares = np.zeros_like(start)
    for i, (move, log_uniform) in enumerate(zip(moves, log_uniforms)):
        proposal = point + size * move
        height_there = log_density(proposal)
        success = log_uniform < height_there - height
        if success:
            point, height = proposal, height_there
        if i < warm_up:
            # Balanced at one success in four, the best rate for a walk in several dimensions.
            if success and size < 100:
                size *= 1.125
            elif size > 0.01:
                size *= 0.96
            continue
        visits += 1
        total = total + point
        squares = squares + point * point
        if success:
            accepted += 1
            if accepted >= enough:
                break
    mean = total / max(visits, 1)
    return mean, squares / max(visits, 1) - mean * mean, accepted, size


def normal(point: Array) -> Array:
    """Log density of independent normal coordinates: mean 1, variances 1 and 4."""
    return -0.5 * ((point[0] - 1) ** 2 + (point[1] - 1) ** 2 / 4)


def banana(point: Array) -> Array:
    """Log density along a bent ridge."""
    return -0.5 * (point[0] ** 2 + 4 * (point[1] - point[0] ** 2) ** 2)


def chance(n: int) -> tuple[Array, Array]:
    """Standard normal numbers for the moves, and logarithms of uniform ones."""
    rng = numpy.random.default_rng(4)
    return rng.normal(size=(n, 2)).astype(numpy.float32), numpy.log(1 - rng.random(n)).astype(numpy.float32)


def cases() -> list[Case]:
    """A long walk over a bent ridge, a short one that stops early, and one that is all warm-up."""

    def case(n: int, warm_up: int, enough: int, log_density: Callable[..., Array]) -> Case:
        arrays = (floats(0, 0), *chance(n), numpy.int32(warm_up), numpy.int32(enough))
        return Case(walk, arrays, {"log_density": log_density}, RESULTS)

    return [case(5000, 500, 10_000, banana), case(300, 50, 20, normal), case(40, 60, 10, normal)]


def check(run: Runner) -> None:
    """The moments of a normal density are known, and so is the rate of acceptance that tuning aims at."""
    start = floats(5, -5)
    answer = run(walk, start, *chance(20_000), numpy.int32(1000), numpy.int32(20_000), log_density=normal)
    mean, variance, accepted, _ = answer
    numpy.testing.assert_allclose(mean, [1, 1], atol=0.15)
    numpy.testing.assert_allclose(variance, [1, 4], rtol=0.15)
    assert 0.1 < float(accepted) / 19_000 < 0.5


if __name__ == "__main__":
    present("What are mean and variance of a bent density? 5000 steps of Metropolis' walk.", cases()[0])
