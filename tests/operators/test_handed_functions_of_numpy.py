"""NumPy's functions that are handed to Python's, `functools.reduce(np.dot, ...)`, are those of traced values."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

A = np.array([[1.0, 2.0], [3.0, 4.0]])
B = np.array([1.0, 2.0])
C = np.array([3.0, -1.0])

PROGRAMS: dict[str, Any] = {
    "dot": lambda a, b, c: functools.reduce(np.dot, [a, a, b]),
    "matmul": lambda a, b, c: functools.reduce(np.matmul, (a, a, b)),
    "kron": lambda a, b, c: functools.reduce(np.kron, [a, a]),
    "add, of rows": lambda a, b, c: functools.reduce(np.add, a),
    "maximum, of items": lambda a, b, c: functools.reduce(np.maximum, c),
    "multiply, from a number": lambda a, b, c: functools.reduce(np.multiply, [b, c], 1.0),
    "logical_or": lambda a, b, c: functools.reduce(np.logical_or, [b > 1, c > 0]),
    "a method of a ufunc": lambda a, b, c: functools.reduce(np.add.outer, [b, c]),
    "a partial function": lambda a, b, c: functools.reduce(functools.partial(np.add), [b, c]),
    "a function of JAX's": lambda a, b, c: functools.reduce(jnp.dot, [a, a, b]),
    "map": lambda a, b, c: [*map(np.sin, [b, c]), *map(np.dot, a, a), *map(np.sum, a)],
    "map, of several": lambda a, b, c: list(map(np.add, [b, c], [c, c])),
    "map, of a partial function": lambda a, b, c: list(map(functools.partial(np.sum, axis=0), [a, a])),
    "filter": lambda a, b, c: sum(filter(np.signbit, c)),
    "sorted": lambda a, b, c: sorted([b, c, b * 3], key=np.sum) + sorted(c, key=np.abs),
    "max": lambda a, b, c: max([b, c], key=np.linalg.norm) + max(c, key=np.abs),
    "accumulate": lambda a, b, c: list(itertools.accumulate([b, c, b], np.add)),
    "accumulate, of items": lambda a, b, c: list(itertools.accumulate(c, np.maximum)),
    "accumulate, by name": lambda a, b, c: list(itertools.accumulate([a, a], func=np.matmul)),
    "starmap": lambda a, b, c: [*itertools.starmap(np.add, [(b, c)]), *itertools.starmap(np.maximum, zip(b, c))],
    "starmap, of a partial function": lambda a, b, c: [*itertools.starmap(functools.partial(np.add), [(b, c)])],
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_of_numpys_that_are_handed_over(name: str) -> None:
    expected, found = PROGRAMS[name](A, B, C), autograph_lite.convert(PROGRAMS[name])(A, B, C)
    assert isinstance(found, list) == isinstance(expected, list)
    pairs = zip(expected, found, strict=True) if isinstance(expected, list) else [(expected, found)]
    for one, other in pairs:
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_numbers_of_pythons_are_numpys_business() -> None:
    def f(x):
        return x + functools.reduce(np.add, [1, 2]), type(functools.reduce(np.add, [1, 2]))

    assert autograph_lite.convert(f)(jnp.float32(1)) == (4, np.int64)
