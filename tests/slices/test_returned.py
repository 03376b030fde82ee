"""Do parts of arrays whose length only the data knows come out of a call as what NumPy gives, with that length?"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import DynamicShapeError, MutationError, convert, to_graph
from tests.slices.against import same

X = np.array([1.0, 5.0, 2.0, 3.0, 9.0], np.float32)
M = np.arange(12.0, dtype=np.float32).reshape(3, 4)


def by_mask(x):
    return x[x > 2]


def by_bounds(x, n):
    return x[:n], x[n:], {"inner": [x[1:n] * 2, x[::-1][:n]]}


def rows_and_columns(m):
    return m[m[:, 0] > 1], m[:, m[0] > 1], m[m > 4], m[m.sum(1) > 7][:, 1].T


def positions(m):
    return np.argwhere(m > 2), np.nonzero(m > 2), np.where(m[0] > 1)[0], np.flatnonzero(m > 3)


def by_negative_bounds(x, n):
    return x[: n - 11], x[n - 4 :]


def none_at_all(x):
    return x[x > 100], x[x > 100] * 2


def different_values(x):
    return np.unique(x % 2), np.unique(x % 2, return_counts=True)


def lists(x, m):
    places = np.where(x > 2)[0].tolist()
    return places, list(x[x > 2]), [v * 2 for v in x[x < 3].tolist()], len(places), m[0][m[0] > 9].tolist()


def joined(x, m):
    low, high = x[x < 3], x[x >= 3]
    rows = m[m[:, 0] > 1]
    return (
        np.concatenate([low, high]), np.concatenate([high, x, low]), np.append(low, 7.0), np.hstack([low, high]),
        np.vstack([rows, m]), np.concatenate([m, rows], axis=0), np.concatenate([rows, rows * 2], axis=1),
        np.stack([high, high + 1]), np.stack([high, high + 1], axis=1), np.column_stack((high, high**2)),
        np.concatenate(rows), np.concatenate([rows, m], axis=None), np.cumsum(np.append(high, low)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (by_mask, (X,)), (by_bounds, (X, np.int32(2))), (by_negative_bounds, (X, np.int32(2))), (rows_and_columns, (M,)),
        (positions, (M,)), (none_at_all, (X,)), (different_values, (X,)), (joined, (X, M)), (lists, (X, M)),
    ],
    ids=lambda value: getattr(value, "__name__", "x"),
)  # fmt: skip
def test_they_are_numpys(f, args) -> None:
    found, expected = convert(f)(*args), f(*args)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        same(one, other)


def test_each_call_has_its_own_length() -> None:
    f = convert(by_mask)
    assert [f(np.array(values)).tolist() for values in ([1, 2, 3], [3, 4, 5], [0, 0, 0])] == [
        [3],
        [3, 4, 5],
        [],
    ]
    assert f.trace_count == 1


def test_of_parts_that_share_a_name_one_is_written() -> None:
    def f(x):
        part = x[x > 2]
        other = part
        part += 1
        joined = np.append(part, part)
        seen = joined
        joined *= 2
        return part, other, seen

    for one, other in zip(convert(f)(X.copy()), f(X.copy()), strict=True):
        same(one, other)


def test_in_objects_of_the_call_and_from_outside() -> None:
    @dataclasses.dataclass
    class Kept:
        part: object = None

    kept = Kept()

    def f(x):
        kept.part = x[x > 2]
        return Kept([x[x < 3]])

    for x in (X, X + 2, X):
        made = convert(f)(x)
        same(kept.part, x[x > 2])
        same(made.part[0], x[x < 3])


def test_one_path_returns_a_part() -> None:
    def f(x, n):
        if n > 3:
            return x[:n]
        return None

    assert convert(f)(X, np.int32(2)) is None
    same(convert(f)(X, np.int32(4)), X[:4])


@pytest.mark.parametrize("transform", [jax.jit, jax.make_jaxpr, jax.vmap], ids=lambda t: t.__name__)
def test_they_stay_in_somebody_elses_trace(transform) -> None:
    for made in (convert(by_mask), to_graph(by_mask)):
        with pytest.raises(DynamicShapeError, match=r"'x\[x > 2\]' (is returned|leaves the converted)"):
            transform(made)(jnp.stack([X]) if transform is jax.vmap else X)


def test_a_copy_that_is_changed_in_place_where_it_could_not_be_followed() -> None:
    def branched(x):
        part = x[x > 2]
        other = part
        if x[0] > 0:
            part *= 2
        return part.sum(), other.sum()

    def viewed(x):
        part = x[x > 2]
        tail = part[1:]
        part += 1
        return tail.sum()

    for f in (branched, viewed):
        with pytest.raises(MutationError, match=r"x\[x > 2\], is changed in place, and others know it"):
            convert(f)(X)
