"""Which whole programs are there, and with which arguments are they measured and tested?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from benchmarks.arrays.catalogue import Arguments, Case

Rng = np.random.Generator


def _program(
    name: str, arguments: Any, size: int, small: int, options: Any = None, small_options: Any = None,
    *, keeps_numpy: bool = False,
) -> Case:  # fmt: skip
    """A program in double precision, whose file has its name."""
    return Case(
        name, name, arguments, size, small, options or {}, small_options or {},
        tolerance=1e-6, package="benchmarks.whole.programs", keeps_numpy=keeps_numpy,
    )  # fmt: skip


def _bodies(r: Rng, n: int) -> Arguments:
    return r.normal(size=(n, 3)), 0.3 * r.normal(size=(n, 3)), r.uniform(0.2, 1, n)


def _track(r: Rng, n: int) -> Arguments:
    path = np.cumsum(np.cumsum(0.1 * r.normal(size=(n, 2)), axis=0), axis=0)
    seen = path + 0.8 * r.normal(size=(n, 2))
    seen[3::7] = np.nan
    return (seen,)


def _clusters(r: Rng, n: int) -> Arguments:
    truth = r.integers(0, 5, n)
    return 4 * r.normal(size=(5, 2))[truth] + r.normal(size=(n, 2)), truth


def _disc(n: int) -> Any:
    y, x = np.mgrid[:n, :n] / n - 0.5
    return 0.2 + 0.6 * ((x**2 + y**2 < 0.1) | (x > 0.3))


def _markov(r: Rng, n: int) -> Arguments:
    rows = [r.uniform(0.1, 1, shape) for shape in ((3,), (3, 3), (3, 4))]
    return (*(row / row.sum(axis=-1, keepdims=True) for row in rows), r.integers(0, 4, n))


def _classes(r: Rng, n: int) -> Arguments:
    X = r.normal(size=(n, 4))
    return -1.2 * np.ones(6), X, np.where(X[:, 0] + 0.5 * r.normal(size=n) > 0, 1.0, -1.0)


def _robot(r: Rng, n: int) -> Arguments:
    landmarks = np.array([[4.0, 4.0], [-5.0, 2.0], [0.0, -6.0], [6.0, -3.0]])
    controls = np.stack([r.uniform(-0.3, 0.4, n), np.full(n, 0.4)], axis=1)
    heading = np.cumsum(controls[:, 0])
    truth = np.cumsum(0.4 * np.stack([np.cos(heading), np.sin(heading)], axis=1), axis=0)
    ranges = np.linalg.norm(truth[:, None] - landmarks, axis=2) + 0.2 * r.normal(size=(n, 4))
    return np.int64(12345), landmarks, controls, np.where(ranges > 9, -1.0, ranges), truth


def _labelled(r: Rng, n: int) -> Arguments:
    X = r.normal(size=(2 * n, 4)).round(2)
    y = ((X[:, 0] > 0.1) ^ (X[:, 2] + 0.2 * r.normal(size=2 * n) > 0.3)).astype(int)
    return X[:n], y[:n], X[n:], y[n:]


def _gpt(r: Rng, n: int) -> Arguments:
    d, words = 16, 24

    def normal(*shape: int) -> Any:
        return r.normal(size=shape) / np.sqrt(shape[0])

    def block() -> Any:
        weights = {
            "w_qkv": normal(d, 3 * d),
            "w_o": normal(d, d),
            "w_up": normal(d, 4 * d),
            "w_down": normal(4 * d, d),
        }
        zeros = {"b_qkv": 3 * d, "b_o": d, "b_up": 4 * d, "b_down": d, "ln1_b": d, "ln2_b": d}
        ones = {"ln1_g": d, "ln2_g": d}
        return weights | {k: np.zeros(v) for k, v in zeros.items()} | {k: np.ones(v) for k, v in ones.items()}

    params = {
        "wte": r.normal(size=(words, d)), "wpe": r.normal(size=(64, d)), "ln_f": (np.ones(d), np.zeros(d)),
        "blocks": [block() for _ in range(2)],
    }  # fmt: skip
    return params, r.integers(1, words, n)


def _programme(r: Rng, n: int) -> Arguments:
    return r.uniform(1, 5, n), r.uniform(0.5, 3, (n, n)).round(1), r.uniform(5, 20, n).round(1)


def _pages(r: Rng, n: int) -> Arguments:
    return r.integers(0, n // 4, n), r.integers(0, n // 3, n)


def _spirals(r: Rng, n: int) -> Arguments:
    def points() -> Any:
        label = r.integers(0, 2, n)
        t = r.uniform(0.3, 1, n)
        angle = 5 * t + np.pi * label
        return np.stack([t * np.cos(angle), t * np.sin(angle)], axis=1) + 0.02 * r.normal(size=(n, 2)), label

    sizes = (2, 16, 16, 2)
    weights = [(r.normal(size=(a, b)) * np.sqrt(2 / a), np.zeros(b)) for a, b in itertools.pairwise(sizes)]
    return (weights, *points(), *points())


def _spheres(r: Rng, n: int) -> Arguments:
    x = np.linspace(-1.5, 1.5, n)
    centres = np.stack([x, 0.6 + 0.2 * np.cos(3 * x), 1 + 0.5 * x**2], axis=1)
    return (
        centres,
        r.uniform(0.3, 0.6, n),
        r.uniform(0.2, 1, (n, 3)),
        r.uniform(0, 0.5, n),
        np.array([-4.0, 6.0, -4.0]),
    )


CASES = (
    _program("n_body", _bodies, 8, 3, {"steps": 200}, {"steps": 6, "every": 2}),
    _program(
        "lattice_boltzmann", lambda r, n: (r.normal(size=(n, 2 * n)),), 40, 10, {"steps": 200}, {"steps": 12},
    ),
    _program("kalman_smoother", _track, 200, 12),
    _program("k_means", _clusters, 300, 25),
    _program(
        "bilateral", lambda r, n: (_disc(n), 0.1 * r.normal(size=(n, n))), 48, 10,
        {"r": 3}, {"r": 2, "passes": 1},
    ),
    _program("canny", lambda r, n: (_disc(n) + 0.05 * r.normal(size=(n, n)),), 48, 12),
    _program(
        "runge_kutta_fehlberg", lambda r, n: (np.array([0.994, 0.0, 0.0, -2.0015851063790825]),), 0, 0,
        {"t_end": 3.0}, {"t_end": 0.05, "keep": 8},
    ),
    _program("hidden_markov", _markov, 200, 12, {}, {"max_iter": 3}),
    _program("limited_memory_bfgs", _classes, 200, 20),
    _program("particle_filter", _robot, 60, 8, {"n": 100}, {"n": 12}),
    _program("decision_tree", _labelled, 100, 16, {"max_depth": 4}, {"max_depth": 2}),
    _program("kd_tree", lambda r, n: (r.uniform(size=(n, 2)), r.uniform(size=(n // 2, 2))), 100, 12),
    _program("gpt_decode", _gpt, 8, 3, {"max_new": 32}, {"max_new": 4}),
    _program("lu_solve", lambda r, n: (r.normal(size=(n, n)), r.normal(size=n)), 32, 5),
    _program("simplex", _programme, 12, 4),
    _program(
        "fdtd", lambda r, n: (np.float64(4.0), np.linspace(0.02, 0.2, n)), 16, 3,
        {"size": 60, "steps": 150}, {"size": 16, "steps": 30},
    ),
    _program(
        "sponge_wave", lambda r, n: (np.array([1500.0, 2000.0, 2600.0]),), 0, 0,
        {"steps": 200}, {"shape": (30, 40), "steps": 20, "snapshot_at": 10},
    ),
    _program("needleman_wunsch", lambda r, n: tuple(r.integers(0, 4, (2, n))), 60, 7),
    _program("page_rank", _pages, 240, 24, {"n": 80}, {"n": 8, "k": 3}),
    _program("neural_net", _spirals, 200, 40, {"epochs": 40}, {"epochs": 3}),
    _program("gaussian_mixture", lambda r, n: (_clusters(r, n)[0],), 200, 24, {}, {"max_iter": 3, "most": 3}, keeps_numpy=True),
    _program("ray_tracer", _spheres, 4, 2, {}, {"width": 5, "height": 4, "depth": 2}),
    _program("multigrid", lambda r, n: (r.normal(size=(n, n)),), 33, 5, {}, {"max_cycles": 3}),
)  # fmt: skip
