"""A loop over an array of numbers, whose body writes to it by a view, goes on with the items as they are by then, as NumPy's."""

from __future__ import annotations

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError

X = np.array([1.0, 3.0, 0.5, 2.0, -1.0, 4.0], np.float32)


class Holder:
    def __init__(self, x: Any) -> None:
        self.x, self.v = x, x[1:]

    def bump(self, e: Any) -> None:
        self.v[-1] += e


def bump(v: Any, e: Any) -> Any:
    v[-1] += e
    return e


def a_part(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        v[-1] += e
        s = s * 2 + e
    return s, x


def all_of_a_part(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[2:]
    for e in x:
        v[:] = e + 1
        s = s * 2 + e
    return s


def a_reshaped_one(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x.reshape(2, 3)
    for e in x:
        v[1] += e
        s = s * 2 + e
    return s


def a_turned_one(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[::-1]
    for e in x:
        v[0] += e
        s = s * 2 + e
    return s


def halves(x: Any) -> Any:
    x, s = x * 1, 0.0
    _, v = np.split(x, 2)
    for e in x:
        v[-1] += e
        s = s * 2 + e
    return s


def a_part_taken_there(x: Any) -> Any:
    x, s = x * 1, 0.0
    for e in x:
        w = x[2:]
        w[1] += e
        s = s * 2 + e
    return s


def in_a_dict(x: Any) -> Any:
    d, s = {"x": x * 1}, 0.0
    d["v"] = d["x"][1:]
    for e in d["x"]:
        d["v"][-1] += e
        s = s * 2 + e
    return s, d["x"]


def in_an_object(x: Any) -> Any:
    h, s = Holder(x * 1), 0.0
    for e in h.x:
        h.bump(e)
        s = s * 2 + e
    return s


def by_a_helper(x: Any) -> Any:
    x, s = x * 1, 0.0
    for e in x:
        bump(x[1:], e)
        s = s * 2 + e
    return s


def of_what_is_handed_on(x: Any) -> Any:
    def go(y, v):
        s = 0.0
        for a in y:
            v[-1] += a
            s = s * 0.5 + a
        return s

    x, z = x * 1, x + 1
    return go(x, z), go(x, x), go(z, x), go(x[1:], x), x, z


def the_array_of_a_part(x: Any) -> Any:
    x, s = x * 1, 0.0
    for e in x[1:5]:
        x[3] += e
        s = s * 2 + e
    return s


def numbered(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for i, e in enumerate(x):
        v[-1] += e * i
        s = s * 2 + e
    return s


def in_pairs(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for a, b in zip(x * 2, x[::-1], strict=True):
        v[2] += a
        s = s * 2 + a - b
    return s


def backwards(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[:3]
    for e in reversed(x):
        v[0] += e
        s = s * 2 + e
    return s


def mapped(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in map(lambda e: e + 1, x):
        v[3] += e
        s = s * 2 + e
    return s


def in_a_sum(x: Any) -> Any:
    x = x * 1
    v = x[1:]
    return sum(bump(v, e) for e in x)


def in_a_list(x: Any) -> Any:
    x = x * 1
    v = x[1:]
    return [bump(v, e) for e in x]


def on_paths(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        if e > 1:
            v[-1] += e
        else:
            v[2] -= e
        s = s * 2 + e
    return s


def left_early(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        if e > 3.5:
            break
        v[2] += 4
        s = s * 2 + e
    return s


def in_a_loop_inside(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        for k in range(3):
            v[k + 1] += e
        s = s * 0.5 + e
    return s


def rows(x: Any) -> Any:
    m, s = x.reshape(3, 2) * 1, 0.0
    v = m[1:]
    for row in m:
        row[0] += 1
        v[-1] += row
        s = s * 0.5 + row.sum()
    return s, m


def another_one_after_the_first_write(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        v[-1] += e
        s = s * 0.5 + e
        v = v * 1
    return s


def an_array_of_numpys(x: Any) -> Any:
    z, s = np.zeros(6), 0.0
    v = z[1:]
    for i, e in enumerate(z):
        v[:] = e + x[i]
        s = s * 0.5 + e
    return s, z


def in_place(x: Any) -> Any:
    x, s = np.array(x), 0.0
    v = x[2:]
    for e in x:
        v += e
        s = s * 2 + e
    return s


def by_a_ufunc(x: Any) -> Any:
    x, s = np.array(x), 0.0
    v = x[2:]
    for e in x:
        np.add(v, e, out=v)
        s = s * 2 + e
    return s


def sorted_there(x: Any) -> Any:
    x, s = np.array(x), 0.0
    v = x[::-1]
    for e in x:
        v.sort()
        s = s * 2 + e
    return s


def of_the_caller(x: Any) -> Any:
    v = x[1:]
    for e in x:
        v[-1] += e
    return x


PROGRAMS = [
    a_part, all_of_a_part, a_reshaped_one, a_turned_one, halves, a_part_taken_there, in_a_dict, in_an_object, by_a_helper,
    of_what_is_handed_on, the_array_of_a_part, numbered, in_pairs, backwards, mapped, in_a_sum, in_a_list, on_paths, left_early,
    in_a_loop_inside, rows, another_one_after_the_first_write,
]  # fmt: skip
NUMPYS = [
    in_place,
    by_a_ufunc,
    sorted_there,
    an_array_of_numpys,
    of_the_caller,
]  # not JAX's: those stay what they are


@pytest.mark.parametrize("program", [*PROGRAMS, *NUMPYS], ids=lambda each: each.__name__)
def test_the_loop_sees_what_its_body_writes(program: Any) -> None:
    ours, theirs = X.copy(), X.copy()
    wanted = copy.deepcopy(program(theirs))
    found = autograph_lite.convert(program)(ours)
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_the_loop_sees_it_in_a_program_of_the_users(program: Any) -> None:
    found = jax.jit(autograph_lite.to_graph(program))(jnp.asarray(X))
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(program(X.copy())), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)


def swapped(x: Any) -> Any:
    x, s = x * 1, 0.0
    w = x[1:]
    v = w * 2
    for e in x:
        v[-1] += e
        v, w = w, v
        s = s * 2 + e
    return s


def turned_in_a_list(x: Any) -> Any:
    x, s = x * 1, 0.0
    ws = [x[1:] * 2, x[1:]]
    for e in x:
        ws[0][-1] += e
        ws.reverse()
        s = s * 2 + e
    return s


def another_one_on_a_path(x: Any) -> Any:
    x, s = x * 1, 0.0
    v = x[1:]
    for e in x:
        v[-1] += e
        if e > 0.7:
            v = v * 1
        s = s * 2 + e
    return s


@pytest.mark.parametrize(
    "program", [swapped, turned_in_a_list, another_one_on_a_path], ids=lambda f: f.__name__
)
def test_what_is_written_in_some_iterations_is_refused(program: Any) -> None:
    with pytest.raises(MutationError):
        autograph_lite.convert(program)(X.copy())


def of_a_copy(x: Any) -> Any:
    y, s = x * 1, 0.0
    v = y[1:]
    for e in x.copy():
        v[-1] += e
        s = s * 2 + e
    return s, y


def of_nothing_else(x: Any) -> Any:
    s = x[:1] * 1
    for e in x:
        s[0] += e
    return s


@pytest.mark.parametrize(
    ("program", "at_places"), [(of_a_copy, False), (of_nothing_else, False), (a_part, True)]
)
def test_other_loops_take_the_items_before_they_begin(program: Any, at_places: bool) -> None:
    jaxpr = jax.make_jaxpr(autograph_lite.to_graph(program))(X)
    (scan,) = [each for each in jaxpr.eqns if each.primitive.name == "scan"]
    names = {each.primitive.name for each in scan.params["jaxpr"].eqns}
    assert ("dynamic_slice" in names) == at_places


def its_items_in_a_row(b: Any) -> Any:
    u, s = np.zeros(3), 0.0
    for e in u.ravel():
        s = s * 0.5 + e
        u[:] = b
    return s, u


def written_on_a_path(b: Any) -> Any:
    u, s = np.zeros((3, 2)), 0.0
    for e in u.ravel():
        s = s * 0.5 + e
        if b.sum() < 100:
            u[:] = b[:2]
    return s, u


def counted_ones_turned(b: Any) -> Any:
    u, s = np.zeros(3), 0.0
    for k, e in enumerate(u[::-1]):
        s = s * 0.5 + e * (k + 1)
        u[:] = b
    return s, u


def beside_others(b: Any) -> Any:
    u, s = np.zeros(3), 0.0
    for a, e in zip(b, map(abs, u.ravel()), strict=True):
        s = s * 0.5 + e * a
        u += b
    return s, u


def rows_of_another_shape(b: Any) -> Any:
    u, s = np.zeros((2, 3)), 0.0
    for row in u.reshape(3, 2):
        s = s * 0.5 + row.sum()
        u[:] = b
    return s, u


def an_iterator_that_waits(b: Any) -> Any:
    u = np.zeros(3)
    items = iter(u[1:])
    s = next(items)
    u[2] = b[1]
    return s + next(items), u


def a_flat_one(b: Any) -> Any:
    u, s = np.zeros(3), 0.0
    for e in u.flat:
        s = s * 0.5 + e
        u[:] = b
    return s, u


def with_its_places(b: Any) -> Any:
    u, s = np.zeros(3), 0.0
    for (k,), e in np.ndenumerate(u):
        s = s * 0.5 + e + k
        u[:] = b
    return s, u


@pytest.mark.parametrize(
    "program",
    [
        its_items_in_a_row, written_on_a_path, counted_ones_turned, beside_others, rows_of_another_shape,
        an_iterator_that_waits, a_flat_one, with_its_places,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_so_does_a_loop_over_views_of_an_array_that_is_made_there(program: Any) -> None:
    b = np.array([1.0, 2.0, 3.0])
    for found, expected in zip(autograph_lite.convert(program)(b.copy()), program(b.copy()), strict=True):
        np.testing.assert_allclose(found, expected)


def test_numpys_iterator_over_an_array_that_is_written_is_refused() -> None:
    def program(b: Any) -> Any:
        u, s = np.zeros(3), 0.0
        for e in np.nditer(u):
            s = s + e
            u[:] = b
        return s

    with pytest.raises(autograph_lite.PythonOnlyError, match=r"'np.nditer' is called with a traced value"):
        autograph_lite.convert(program)(np.ones(3))
