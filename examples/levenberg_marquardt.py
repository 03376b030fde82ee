"""Which curve fits the points? Levenberg-Marquardt, for a decay a * exp(-b * x) + c.

A step that makes the sum of squares smaller is taken and the damping eased; one that does not is thrown
away and the damping raised, in an inner loop that may give up.

Source: Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", 1963.
"""

from types import ModuleType

import numpy
from show import Array, Case, Runner, floats, present

RESULTS = ("a, b, c", "sum of squares", "steps", "converged")


def fit(xs: Array, ys: Array, guess: Array, *, np: ModuleType = numpy) -> tuple[Array, Array, Array, Array]:
    """Fits (a, b, c): the parameters, the sum of squares, steps taken, and whether it converged."""
    parameters = guess
    damping = 1e-2
    residual = ys - decay(xs, parameters, np=np)
    cost = residual @ residual
    steps = 0
    while steps < 100:
        slopes = jacobian(xs, parameters, np=np)
        curvature = slopes.T @ slopes
        gradient = slopes.T @ residual
        while True:
            damped = curvature + damping * np.diag(np.diag(curvature))
            proposal = parameters + np.linalg.solve(damped, gradient)
            residual_new = ys - decay(xs, proposal, np=np)
            cost_new = residual_new @ residual_new
            if cost_new <= cost * 1.0001:
                break
            damping *= 10
            if damping > 1e8:
                return parameters, cost, steps, False
        gain = cost - cost_new
        parameters, residual, cost = proposal, residual_new, cost_new
        damping /= 10
        steps += 1
        # Less than single precision resolves: further steps would follow the rounding.
        if gain < 1e-4 * cost + 1e-8:
            return parameters, cost, steps, True
    return parameters, cost, steps, False


def decay(xs: Array, parameters: Array, *, np: ModuleType) -> Array:
    """The model's values at `xs`."""
    a, b, c = parameters
    return a * falling(xs, b, np=np) + c


def falling(xs: Array, rate: Array, *, np: ModuleType) -> Array:
    """exp(-rate * xs), bounded, so that squares stay finite in single precision whatever rate is tried."""
    return np.exp(np.minimum(-rate * xs, 30))


def jacobian(xs: Array, parameters: Array, *, np: ModuleType) -> Array:
    """The model's derivatives by a, b and c: an array of shape (points, 3)."""
    a, b, _ = parameters
    unscaled = falling(xs, b, np=np)
    return np.stack([unscaled, -a * xs * unscaled, np.ones_like(xs)], axis=1)


def points(noise: float) -> tuple[Array, Array]:
    """60 points of 2.5 * exp(-1.3 * x) + 0.5, with normal noise of the given size."""
    xs = numpy.linspace(0, 4, 60).astype(numpy.float32)
    errors = numpy.random.default_rng(3).normal(0, noise, xs.shape)
    return xs, (2.5 * numpy.exp(-1.3 * xs) + 0.5 + errors).astype(numpy.float32)


def cases() -> list[Case]:
    """A good guess, a poor one that needs the damping, and a missing point that makes the fit give up."""
    xs, ys = points(noise=0.05)
    holed = ys.copy()
    holed[7] = numpy.nan
    return [
        Case(fit, (xs, ys, floats(1, 1, 0)), results=RESULTS),
        Case(fit, (xs, ys, floats(1, 4, 3)), results=RESULTS),
        Case(fit, (xs, holed, floats(1, 1, 0)), results=RESULTS),
    ]


def check(run: Runner) -> None:
    """Without noise the parameters come back; with noise the gradient of the sum of squares is zero."""
    guess = floats(1, 1, 0)
    parameters, cost, _, converged = run(fit, *points(noise=0), guess)
    numpy.testing.assert_allclose(parameters, [2.5, 1.3, 0.5], rtol=1e-3)
    assert converged
    assert cost < 1e-6

    xs, ys = points(noise=0.05)
    best = numpy.asarray(run(fit, xs, ys, guess)[0])
    residual = ys - decay(xs, best, np=numpy)
    slopes = jacobian(xs, best, np=numpy)
    lengths = numpy.linalg.norm(slopes, axis=0) * numpy.linalg.norm(residual)
    numpy.testing.assert_allclose(slopes.T @ residual / lengths, 0, atol=1e-2)


if __name__ == "__main__":
    present("Which decay fits 60 noisy points? Levenberg-Marquardt.", cases()[1])
