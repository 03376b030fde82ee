"""When has the network read enough? An LSTM that stops as soon as it is sure.

Source: Hochreiter and Schmidhuber, "Long short-term memory", 1997.
"""

from types import ModuleType

import numpy
from show import Array, Case, Runner, floats, present

RESULTS = ("output", "steps")


def read(
    weights: dict[str, Array], inputs: Array, certainty: Array, *, np: ModuleType = numpy
) -> tuple[Array, Array]:
    """The state after reading inputs until the halting unit exceeds `certainty`, and how many were read.

    Args:
      weights: "input" (features, 4 * units), "state" (units, 4 * units), "bias" (4 * units,) and
        "halt" (units,).
      inputs: shape (steps, features).
      certainty: between 0 and 1; above 1, everything is read.
      np: the array library.
    """
    units = len(weights["halt"])
    state = np.zeros(units, dtype=np.float32)
    memory = np.zeros(units, dtype=np.float32)
    steps = 0
    for features in inputs:
        gates = features @ weights["input"] + state @ weights["state"] + weights["bias"]
        keep = sigmoid(gates[:units], np=np)
        write = sigmoid(gates[units : 2 * units], np=np)
        show = sigmoid(gates[2 * units : 3 * units], np=np)
        memory = keep * memory + write * np.tanh(gates[3 * units :])
        state = show * np.tanh(memory)
        steps += 1
        if sigmoid(state @ weights["halt"], np=np) > certainty:
            break
    return state, steps


def sigmoid(x: Array, *, np: ModuleType) -> Array:
    """1 / (1 + exp(-x))."""
    return 0.5 + 0.5 * np.tanh(0.5 * x)


def network(features: int, units: int) -> dict[str, Array]:
    """Random weights."""
    rng = numpy.random.default_rng(10)
    gates = 4 * units

    def random(scale: float, *shape: int) -> Array:
        return (scale * units**-0.5 * rng.normal(size=shape)).astype(numpy.float32)

    return {
        "input": random(1, features, gates),
        "state": random(1, units, gates),
        "bias": random(1, gates),
        "halt": random(4, units),
    }


def signal(steps: int, features: int) -> Array:
    """Random inputs, shape (steps, features)."""
    return numpy.random.default_rng(11).normal(size=(steps, features)).astype(numpy.float32)


def cases() -> list[Case]:
    """A long reading that stops on its way, one to the end, and none at all."""
    weights = network(8, 32)
    sure, never = floats(0.9, 2)
    return [
        Case(read, (weights, signal(2000, 8), sure), results=RESULTS),
        Case(read, (weights, signal(50, 8), never), results=RESULTS),
        Case(read, (weights, signal(0, 8), never), results=RESULTS),
    ]


def check(run: Runner) -> None:
    """Weights of zero but for one bias: the memory is a geometric series, which tells where the stop is."""
    weights = {name: numpy.zeros_like(array) for name, array in network(1, 1).items()}
    weights["bias"][3] = 100  # Each step writes half of 1 and keeps half of the memory.
    weights["halt"][0] = 1
    memory = [1 - 0.5**step for step in range(1, 9)]
    states = 0.5 * numpy.tanh(memory)
    certainty = numpy.float32(1 / (1 + numpy.exp(-(states[4] + states[5]) / 2)))
    state, steps = run(read, weights, signal(100, 1), certainty)
    assert int(steps) == 6
    numpy.testing.assert_allclose(state, states[5:6], rtol=1e-5)


if __name__ == "__main__":
    present("When has the network read enough? An LSTM over 2000 inputs that may stop early.", cases()[0])
