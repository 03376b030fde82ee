"""Which programs are there, with which arguments, and which of these can one differentiate by?"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

Arguments = tuple[Any, ...]
ROOT = Path(__file__).parents[2]
NUMPY, JAX = "import numpy as np\n", "import jax.numpy as np\n"


@dataclasses.dataclass(frozen=True)
class Case:
    """One program.

    Attributes:
      name: of the function, in the program and in the version by hand.
      family: the module that it is in.
      arguments: a random generator, a size -> NumPy arrays.
      size: the size to measure at.
      small: the size to test at.
      options: Python values, by keyword; `small_options` in place of them in tests.
      by: the argument to differentiate by; None where the result has no useful derivative.
      static: whether all trip counts are known when the program is traced.
      tolerance: relative and absolute, of results.
      keeps_numpy: whether it is measured with its import of NumPy, as it changes arrays in place that would be JAX's else.
      package: what the program's module is in; versions by hand are in `by_hand` beside it.
    """

    name: str
    family: str
    arguments: Callable[[np.random.Generator, int], Arguments]
    size: int
    small: int
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    small_options: dict[str, Any] = dataclasses.field(default_factory=dict)
    by: int | None = None
    static: bool = True
    tolerance: float = 2e-3
    package: str = "benchmarks.arrays.loops"
    keeps_numpy: bool = False

    def given(self, *, small: bool = False) -> Arguments:
        """The arguments, the same at each call."""
        return self.arguments(np.random.default_rng(7), self.small if small else self.size)

    def chosen(self, *, small: bool = False) -> dict[str, Any]:
        """The options."""
        return self.small_options if small else self.options

    def plain(self) -> Callable[..., Any]:
        """The program over NumPy."""
        return self._function(_over(self.path(), NUMPY))

    def path(self) -> Path:
        """Where the program is written."""
        return ROOT.joinpath(*f"{self.package}.{self.family}".split(".")).with_suffix(".py")

    def over_jax(self) -> Callable[..., Any]:
        """The program as a user has it who changes only the import."""
        return self._function(_over(self.path(), JAX))

    def measured(self) -> Callable[..., Any]:
        """The program that is converted to be measured."""
        return self.plain() if self.keeps_numpy else self.over_jax()

    def by_hand(self) -> Callable[..., Any]:
        """The version for `lax`."""
        package = self.package.rpartition(".")[0]
        return self._function(importlib.import_module(f"{package}.by_hand.{self.family}"))

    def _function(self, module: types.ModuleType) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(module, self.name)
        return function


@functools.cache
def _over(path: Path, import_line: str) -> types.ModuleType:
    """The module in this file, with this line in place of its import of NumPy."""
    text = path.read_text()
    assert text.count(NUMPY) == 1
    kind = "over_jax" if import_line == JAX else "over_numpy"
    name = ".".join(path.with_suffix("").relative_to(ROOT).parts) + "_" + kind
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(text.replace(NUMPY, import_line), str(path), "exec"), vars(module))
    return module


def scalar(results: Any) -> Any:
    """One number that depends on all real results, to differentiate."""
    leaves = results if isinstance(results, tuple) else (results,)
    return sum(
        jnp.sum(jnp.asarray(x) ** 2) for x in leaves if jnp.issubdtype(jnp.result_type(x), jnp.floating)
    )


def _normal(rng: np.random.Generator, *shape: int) -> Any:
    return rng.normal(size=shape).astype(np.float32)


def _uniform(rng: np.random.Generator, *shape: int) -> Any:
    return rng.uniform(size=shape).astype(np.float32)


def _dominant(rng: np.random.Generator, n: int) -> Any:
    return _normal(rng, n, n) + 2 * n * np.eye(n, dtype=np.float32)


def _positive(rng: np.random.Generator, n: int) -> Any:
    A = _normal(rng, n, n)
    return A @ A.T / n + np.eye(n, dtype=np.float32)


def _tridiagonal(rng: np.random.Generator, n: int) -> Arguments:
    lower, upper = _uniform(rng, n), _uniform(rng, n)
    lower[0] = upper[-1] = 0
    return lower, 3 + _uniform(rng, n), upper, _normal(rng, n)


def _graph(rng: np.random.Generator, n: int) -> Any:
    return (rng.uniform(size=(n, n)) * 9 + 1).astype(np.float32)


def _edges(rng: np.random.Generator, n: int) -> Arguments:
    ends = rng.integers(0, n, size=(2, 6 * n)).astype(np.int32)
    return ends[0], ends[1], 1 + _uniform(rng, 6 * n)


def _markov(rng: np.random.Generator, n: int) -> Arguments:
    rows = [_uniform(rng, *shape) + 0.1 for shape in ((8,), (8, 8), (8, 6))]
    start, transition, emission = (row / row.sum(axis=-1, keepdims=True) for row in rows)
    return start, transition, emission, rng.integers(0, 6, size=n).astype(np.int32)


def _recurrent(gates: int) -> Callable[[np.random.Generator, int], Arguments]:
    def make(rng: np.random.Generator, n: int) -> Arguments:
        h = 32
        weights = _normal(rng, 16, gates * h) / 4, _normal(rng, h, gates * h) / 6, _normal(rng, gates * h) / 4
        return (_normal(rng, n, 16), *weights)

    return make


def _linear(rng: np.random.Generator, n: int) -> Arguments:
    eye4, eye2 = np.eye(4, dtype=np.float32), np.eye(2, dtype=np.float32)
    F = eye4 + 0.1 * np.eye(4, k=2, dtype=np.float32)
    return _normal(rng, n, 2), F, np.eye(2, 4, dtype=np.float32), 0.01 * eye4, eye2


def _pixels(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(0, 256, size=(n, n)).astype(np.float32)


def _links(rng: np.random.Generator, n: int) -> Any:
    return (rng.uniform(size=(n, n)) < 0.1).astype(np.float32) + np.eye(n, dtype=np.float32)


def _seed(rng: np.random.Generator, n: int) -> Arguments:
    return (np.int32(n),)


def _f32(*values: float) -> tuple[Any, ...]:
    return tuple(np.float32(value) for value in values)


CASES = (
    Case("lu", "factorisations", lambda r, n: (_normal(r, n, n),), 128, 6, by=0),
    Case("cholesky", "factorisations", lambda r, n: (_positive(r, n),), 128, 6, by=0),
    Case("householder", "factorisations", lambda r, n: (_normal(r, n + 8, n),), 96, 5, by=0),
    Case("gram_schmidt", "factorisations", lambda r, n: (_normal(r, n + 8, n),), 64, 5, by=0),
    Case("jacobi", "factorisations", lambda r, n: (_positive(r, n),), 24, 4, {"sweeps": 4}, {"sweeps": 3}, by=0),
    Case(
        "conjugate_gradient", "solvers",
        lambda r, n: (_positive(r, n), _normal(r, n), *_f32(1e-4)), 200, 6, by=1, static=False,
    ),
    Case(
        "gauss_seidel", "solvers", lambda r, n: (_dominant(r, n), _normal(r, n)), 100, 5,
        {"sweeps": 20}, {"sweeps": 4}, by=1,
    ),
    Case(
        "power_iteration", "solvers", lambda r, n: (_positive(r, n), _uniform(r, n)), 128, 5,
        {"steps": 100}, {"steps": 6}, by=0,
    ),
    Case("thomas", "solvers", _tridiagonal, 2000, 6, by=3),
    Case("back_substitution", "solvers", lambda r, n: (_dominant(r, n), _normal(r, n)), 256, 5, by=1),
    Case("heat", "stencils", lambda r, n: (_normal(r, n, n),), 128, 6, {"steps": 100}, {"steps": 4}, by=0),
    Case(
        "life", "stencils", lambda r, n: (r.integers(0, 2, size=(n, n)).astype(np.int32),), 128, 6,
        {"steps": 50}, {"steps": 4},
    ),
    Case("wave", "stencils", lambda r, n: (_normal(r, n), *_f32(0.5)), 1000, 7, {"steps": 500}, {"steps": 5}, by=0),
    Case(
        "red_black", "stencils", lambda r, n: (_normal(r, n, n), _normal(r, n, n)), 128, 6,
        {"sweeps": 50}, {"sweeps": 3}, by=1,
    ),
    Case(
        "advection", "stencils", lambda r, n: (_normal(r, n), *_f32(0.4)), 64, 6,
        {"steps": 100}, {"steps": 3}, by=0,
    ),
    Case("edit_distance", "tables", lambda r, n: tuple(r.integers(0, 4, size=(2, n)).astype(np.int32)), 200, 6),
    Case("common_subsequence", "tables", lambda r, n: tuple(r.integers(0, 4, size=(2, n)).astype(np.int32)), 200, 6),
    Case(
        "knapsack", "tables", lambda r, n: (r.integers(1, 9, size=n).astype(np.int32), _uniform(r, n)), 100, 5,
        {"capacity": 2000}, {"capacity": 20}, by=1,
    ),
    Case(
        "coins", "tables", lambda r, n: (np.arange(1, n + 1).astype(np.int32),), 12, 3,
        {"total": 2000}, {"total": 12},
    ),
    Case("matrix_chain", "tables", lambda r, n: (r.integers(1, 9, size=n).astype(np.float32),), 64, 6),
    Case("floyd_warshall", "graphs", lambda r, n: (_graph(r, n),), 128, 6, by=0),
    Case("bellman_ford", "graphs", _edges, 64, 6, {"nodes": 64}, {"nodes": 6}),
    Case("pagerank", "graphs", lambda r, n: (_links(r, n),), 256, 6),
    Case("prim", "graphs", lambda r, n: (_graph(r, n),), 64, 6),
    Case("components", "graphs", lambda r, n: (_links(r, n),), 64, 6),
    Case(
        "n_body", "particles", lambda r, n: (_normal(r, n, 3), _normal(r, n, 3), _uniform(r, n)), 64, 4,
        {"steps": 50}, {"steps": 3}, by=0,
    ),
    Case("random_walk", "particles", _seed, 5, 5, {"steps": 2000}, {"steps": 20}),
    Case("resample", "particles", lambda r, n: (_uniform(r, n), *_f32(0.3)), 1000, 8),
    Case(
        "metropolis", "particles", lambda r, n: (*_seed(r, n), *_f32(0.5)), 5, 5,
        {"steps": 2000}, {"steps": 20}, by=1,
    ),
    Case(
        "kmeans", "particles", lambda r, n: (_normal(r, n, 2), _normal(r, 8, 2)), 500, 20,
        {"rounds": 20}, {"rounds": 3}, by=0,
    ),
    Case("hmm_forward", "sequences", _markov, 500, 6, by=1),
    Case("viterbi", "sequences", _markov, 500, 6),
    Case("gru", "sequences", _recurrent(3), 200, 4, by=2),
    Case("lstm", "sequences", _recurrent(4), 200, 4, by=2),
    Case("smoothing", "sequences", lambda r, n: (_normal(r, n), *_f32(0.3, 0.1)), 2000, 6, by=1),
    Case("kalman", "sequences", _linear, 300, 4, by=0),
    Case("convolution", "images", lambda r, n: (_normal(r, n, n), _normal(r, 5, 5)), 200, 8, by=1),
    Case("median", "images", lambda r, n: (_normal(r, n, n),), 64, 6, by=0),
    Case("sobel", "images", lambda r, n: (_normal(r, n, n),), 256, 6, by=0),
    Case("equalise", "images", lambda r, n: (_pixels(r, n).astype(np.int32),), 64, 6),
    Case("dither", "images", lambda r, n: (_pixels(r, n),), 64, 6),
    Case("fft", "numbers", lambda r, n: ((_normal(r, n) + 1j * _normal(r, n)).astype(np.complex64),), 1024, 8),
    Case("insertion_sort", "numbers", lambda r, n: (_normal(r, n),), 200, 6),
    Case("bubble_sort", "numbers", lambda r, n: (_normal(r, n),), 150, 6),
    Case(
        "mandelbrot", "numbers",
        lambda r, n: (np.linspace(-2, 0.6, n, dtype=np.float32), np.linspace(-1.2, 1.21, n, dtype=np.float32)),
        40, 5, {"most": 50}, {"most": 10},
    ),
    Case("sieve", "numbers", lambda r, n: (np.zeros(n, np.int8),), 2000, 30),
    Case("bisection", "numbers", lambda r, n: (_normal(r, n),), 500, 4),
    Case("newton", "numbers", lambda r, n: _f32(n, 2), 9, 9, by=1, static=False),
    Case("adaptive", "numbers", lambda r, n: (_uniform(r, 2), *_f32(n, 1e-4)), 20, 1, by=0, static=False),
    Case("runge_kutta", "numbers", lambda r, n: (_normal(r, 3),), 0, 0, {"steps": 500}, {"steps": 4}, by=0),
)  # fmt: skip
