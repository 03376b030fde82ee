"""Which hidden states explain the observations best? Viterbi's algorithm, on a padded sequence.

Only the first `length` observations count, so that sequences of different lengths can share one shape; a
sequence that the model cannot produce is found out early.

Source: Viterbi, "Error bounds for convolutional codes", 1967.
"""

import itertools
from types import ModuleType

import numpy
from show import Array, Case, Runner, present

RESULTS = ("path", "log probability")


def decode(
    start: Array, move: Array, emit: Array, observations: Array, length: Array, *, np: ModuleType = numpy
) -> tuple[Array, Array]:
    """The most probable states for the first `length` observations, and the logarithm of their probability.

    Args:
      start: log probabilities of the first state, shape (states,).
      move: log probabilities of going from state (row) to state (column).
      emit: log probabilities of symbol (column) in state (row).
      observations: symbols, int32, at least `length`.
      length: how many of them count, at least 1.
      np: the array library.

    Returns:
      The path, -1 from `length` on, or everywhere and with -inf where no path is possible.
    """
    path = np.full(observations.shape, -1, dtype=np.int32)
    came_from = np.zeros((len(observations), len(start)), dtype=np.int32)
    best = start + emit[:, observations[0]]
    for t in range(1, length):
        scores = best[:, None] + move
        came_from[t] = np.argmax(scores, axis=0)
        best = np.max(scores, axis=0) + emit[:, observations[t]]
        if np.max(best) == -np.inf:
            return path, np.max(best)
    path[length - 1] = np.argmax(best)
    for t in range(length - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
    return path, np.max(best)


def model(states: int, symbols: int) -> tuple[Array, Array, Array]:
    """Log probabilities of a random hidden Markov model."""
    rng = numpy.random.default_rng(5)
    shapes = ((states,), (states, states), (states, symbols))
    tables = [rng.random(shape) ** 3 + 0.01 for shape in shapes]
    start, move, emit = (numpy.log(table / table.sum(axis=-1, keepdims=True)) for table in tables)
    return start.astype(numpy.float32), move.astype(numpy.float32), emit.astype(numpy.float32)


def cases() -> list[Case]:
    """A long sequence, a short padded one, and one that the model cannot produce."""
    observations = numpy.random.default_rng(6).integers(0, 6, 500).astype(numpy.int32)
    start, move, emit = model(8, 6)
    mute = emit.copy()
    mute[:, observations[3]] = -numpy.inf
    return [
        Case(decode, (start, move, emit, observations, numpy.int32(480)), results=RESULTS),
        Case(decode, (start, move, emit, observations[:20], numpy.int32(1)), results=RESULTS),
        Case(decode, (start, move, mute, observations[:20], numpy.int32(15)), results=RESULTS),
    ]


def check(run: Runner) -> None:
    """No other path of the 729 is better."""
    start, move, emit = model(3, 4)
    observations = numpy.array([0, 3, 1, 1, 2, 0, 0, 0], numpy.int32)

    def score(path: tuple[int, ...]) -> float:
        moves = sum(move[a, b] for a, b in itertools.pairwise(path))
        sights = sum(emit[state, seen] for state, seen in zip(path, observations))
        return float(start[path[0]] + moves + sights)

    best = max(itertools.product(range(3), repeat=6), key=score)
    path, probability = run(decode, start, move, emit, observations, numpy.int32(6))
    assert tuple(map(int, path)) == (*best, -1, -1)
    numpy.testing.assert_allclose(probability, score(best), rtol=1e-5)


if __name__ == "__main__":
    present("Which hidden states explain 480 observations best? Viterbi's algorithm.", cases()[0])
