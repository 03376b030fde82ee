"""Where is the target? A Kalman filter that rejects outliers and bridges missing measurements.

The target moves at nearly constant velocity in the plane. A measurement that lies too far from the
prediction (in the innovation's own metric: gating) is not believed; a missing one is NaN; after several
outliers in a row the track is given up.
"""

from types import ModuleType

import numpy
from show import Array, Case, Runner, floats, present

GATE = 9.21  # The 99 % quantile of chi squared with two degrees of freedom.
PATIENCE = 5
RESULTS = ("path", "final covariance", "rejected", "missing", "lost")


def track(
    measurements: Array, agility: Array, noise: Array, *, np: ModuleType = numpy
) -> tuple[Array, Array, Array, Array, Array]:
    """Follows a target through position measurements, one per second.

    Args:
      measurements: shape (n, 2); a row of NaN is a missing one. The first one must be there.
      agility: variance that a second adds to each component of position and velocity.
      noise: variance of a measured coordinate.
      np: the array library.

    Returns:
      The states (x, y and their velocities, shape (n, 4); zero after a lost track), the last covariance, how
      many measurements were rejected, how many were missing, and whether the track was lost.
    """
    move = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=np.float32)
    see = np.eye(2, 4, dtype=np.float32)
    unit = np.eye(4, dtype=np.float32)
    state = np.zeros(4, dtype=np.float32)
    state[:2] = measurements[0]
    covariance = 100 * unit
    path = np.zeros((len(measurements), 4), dtype=np.float32)
    rejected = missing = in_a_row = 0
    lost = False
    for i, measured in enumerate(measurements):
        if i > 0:
            state = move @ state
            covariance = move @ covariance @ move.T + agility * unit
        path[i] = state
        if np.isnan(measured[0]) or np.isnan(measured[1]):
            missing += 1
            continue
        innovation = measured - see @ state
        spread = see @ covariance @ see.T + noise * see[:, :2]
        if innovation @ np.linalg.solve(spread, innovation) > GATE:
            rejected += 1
            in_a_row += 1
            if in_a_row == PATIENCE:
                lost = True
                break
            continue
        in_a_row = 0
        gain = covariance @ see.T @ np.linalg.inv(spread)
        state = state + gain @ innovation
        covariance = (unit - gain @ see) @ covariance
        path[i] = state
    return path, covariance, rejected, missing, lost


def flight(seconds: int, noise: float) -> tuple[Array, Array]:
    """True positions of a target that turns slowly, and measurements of them."""
    t = numpy.arange(seconds)
    truth = numpy.stack([5 * t, 40 * numpy.sin(t / 25)], axis=1)
    errors = numpy.random.default_rng(8).normal(0, noise, truth.shape)
    return truth, (truth + errors).astype(numpy.float32)


def spoiled() -> Array:
    """The measurements of 200 seconds with nine outliers and eight missing ones."""
    measurements = flight(200, noise=2)[1]
    measurements[20::20] += 60
    measurements[33:41] = numpy.nan
    return measurements


def cases() -> list[Case]:
    """A spoiled track that is kept, a clean short one, and a target that jumps away and is lost."""
    agility, noise = floats(0.1, 4)
    jump = spoiled()
    jump[120:] += 500
    return [
        Case(track, (spoiled(), agility, noise), results=RESULTS),
        Case(track, (flight(12, noise=1)[1], agility, noise), results=RESULTS),
        Case(track, (jump, agility, noise), results=RESULTS),
    ]


def check(run: Runner) -> None:
    """Every outlier is seen, errors are smaller than the noise; without agility it is a regression line."""
    agility, noise = floats(0.1, 4)
    path, _, rejected, missing, lost = run(track, spoiled(), agility, noise)
    assert (int(rejected), int(missing), bool(lost)) == (9, 8, False)
    errors = numpy.asarray(path)[50:, :2] - flight(200, noise=2)[0][50:]
    assert numpy.sqrt(numpy.mean(errors**2)) < 1.7

    seconds = numpy.arange(30)
    positions = numpy.stack([3 * seconds - 4, 7 - 2 * seconds], axis=1)
    errors = numpy.random.default_rng(1).normal(0, 1, positions.shape)
    line = (positions + errors).astype(numpy.float32)
    path = run(track, line, numpy.float32(0), numpy.float32(1))[0]
    slopes, offsets = numpy.polyfit(seconds, line, 1)
    numpy.testing.assert_allclose(path[-1], [*(offsets + 29 * slopes), *slopes], rtol=0.01, atol=0.02)


if __name__ == "__main__":
    present("Where is the target? A Kalman filter with gating, over 200 seconds.", cases()[0])
