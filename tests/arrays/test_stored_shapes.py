"""What is stored may have leading axes of length one that the part has not, as in NumPy; what is added to a part may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import BranchMismatchError, convert, to_graph


def in_rows_and_columns(v: Any) -> Any:
    x = np.zeros((3, 3))
    x[0] = v.reshape(1, 3)
    x[:, 0] = v[None, None]
    x[1, :2] = np.ones((1, 2)) * v[0]
    x[..., 2] = v[None]
    return x


def at_positions(v: Any) -> Any:
    x = np.zeros((3, 3))
    x[[0, 2]] = v[None, None]
    x[[0, 1], [1, 2]] = v[None, :2]
    x[:, np.array([True, False, True])] = v[None, :, None]
    return x


def at_computed_positions(v: Any) -> Any:
    x = np.zeros((3, 3))
    k = np.argmax(v)
    x[k] = v[None]
    x[:, k] = v[None, None] * 2
    return x


def of_all(v: Any) -> Any:
    x = np.zeros(3)
    x[:] = 5 + v.reshape(1, 3)
    return x


def in_loops(v: Any) -> Any:
    x, i = np.zeros((3, 1)), 0
    for k in range(3):
        x[k] = v[k].reshape(1, 1, 1)
    while x.sum() < 9:
        x[i] = 2 * x[i].reshape(1, 1)
        i += 1
    return x


class Filter:
    def __init__(self) -> None:
        self.x = np.zeros(4)

    def put(self, v: Any) -> None:
        self.x[1:] = v.reshape(1, 3)


def in_an_object(v: Any) -> Any:
    f = Filter()
    f.put(v)
    return f.x


def of_the_caller(v: Any) -> Any:
    v[1:] = v[:-1].reshape(1, 2).copy()
    return v * 2


def numbers_or_arrays(v: Any) -> Any:
    x, m, i, few = np.zeros(4), np.zeros((2, 3)), np.arange(4), v[0] > 2
    x[1:] = 0.5 if few else v
    x[:3] = v * 2 if few else 7
    x[1:] += 1.0 if v[1] > 2 else v
    m[:] = (v[1] if few else v) if v[2] > 5 else v.reshape(1, 3) * 3
    m[..., 1:] = 0 if v[0] < 2 else m[:, :2]
    for k in range(2):
        m[k, 1:] = 1 if m[k, 0] < 2 else v[k : k + 2]
    i[2:] = 2.7 if v[1] > 2 else i[:2]
    return x, m, i


PROGRAMS = [
    numbers_or_arrays,
    in_rows_and_columns,
    at_positions,
    at_computed_positions,
    of_all,
    in_loops,
    in_an_object,
    of_the_caller,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_leading_axes_of_length_one_are_left_out_of_a_store(program: Callable[[Any], Any]) -> None:
    theirs, ours = np.array([1.0, 3.0, 2.0], np.float32), np.array([1.0, 3.0, 2.0], np.float32)
    expected = program(theirs)
    jax.tree.map(np.testing.assert_allclose, convert(program)(ours), expected)
    np.testing.assert_allclose(ours, theirs)
    if program is not of_the_caller:
        found = jax.jit(to_graph(program))(np.array([1.0, 3.0, 2.0], np.float32))
        jax.tree.map(np.testing.assert_allclose, found, expected)


def added(v: Any) -> Any:
    x = v * 1
    x[:2] += v[:2].reshape(1, 2)
    return x


def of_other_lengths(v: Any) -> Any:
    x = v * 1
    x[:2] = v.reshape(1, 3)
    return x


def turned(v: Any) -> Any:
    x = v * 1
    x[:] = v.reshape(3, 1)
    return x


def test_what_a_dict_gets_is_no_part_of_an_array() -> None:
    def put(v: Any) -> Any:
        table: dict[str, Any] = {}
        table["v"] = 0 if v[0] > 0 else v
        return table["v"]

    with pytest.raises(BranchMismatchError, match="is int 0 on one path"):
        convert(put)(np.ones(3, np.float32))


@pytest.mark.parametrize("program", [added, of_other_lengths, turned], ids=lambda program: program.__name__)
def test_what_numpy_does_not_store_is_no_more_stored(program: Callable[[Any], Any]) -> None:
    v = np.array([1.0, 3.0, 2.0], np.float32)
    for function in (program, convert(program), jax.jit(to_graph(program))):
        with pytest.raises(ValueError, match=r"(?i)broadcast"):
            function(v)
