"""What a call gives is a copy, or a part of an array, by what the program does, and not by what is called there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.arrays import aliasing

HELPERS = """
import functools, operator

class Holder:
    def __init__(self, x):
        self.x = x

    def mean(self):
        return self.x

    def copy(self):
        return self.x

    def __pos__(self):
        return self.x

    def __add__(self, other):
        return self.x

    @property
    def T(self):
        return self.x

class Namespace:
    @staticmethod
    def sqrt(x):
        return x

def apply(fn, *args):
    return fn(*args)

def maybe(v, n):
    if n > 1:
        return v
    return v * 2

def row_of(m, n):
    if n > 1:
        r = m[0]
    else:
        r = m[1]
    return r

def last_of(m, n):
    r = m[0]
    for i in range(n):
        r = m[i]
    return r

def last_while(m, n):
    r, i = m[0], 0
    while i < n:
        r = m[i]
        i += 1
    return r

def both(x, n):
    if n > 1:
        k = x * 2
        r = k[1:]
    else:
        k = x * 3
        r = k[:2]
    return k, r

def cleared(v):
    v = v.astype(np.float32)
    v[0] = 9
    return v

"""
# Of a vector, a matrix and a number, 2. The first are seen where nothing is traced, too.
ALWAYS_REFUSED = {
    "a method called mean": "s = Holder(x)\ny = s.mean()\ny[0] = 9\nreturn s.x, y",
    "a method called copy": "s = Holder(x)\ny = s.copy()\ny[0] = 9\nreturn s.x, y",
    "an operator": "s = Holder(x)\ny = +s\ny[0] = 9\nreturn s.x, y",
    "a sum": "s = Holder(x)\ny = s + 1\ny[0] = 9\nreturn s.x, y",
    "a property called T": "s = Holder(x)\ny = s.T\ny[0] = 9\nreturn s.x, y",
    "a module's name": "jnp = Namespace\ny = jnp.sqrt(x)\ny[0] = 9\nreturn x, y",
    "a module's name for an object": "xp = Holder(x)\ny = xp.copy()\ny[0] = 9\nreturn xp.x, y",
    "astype that need not copy": "y = x.astype(np.float32, copy=False)\ny[0] = 9\nreturn x, y",
}
REFUSED = ALWAYS_REFUSED | {
    "rollaxis": "y = np.rollaxis(m, 1)\ny[0, 1] = 9\nreturn m, y",
    "rollaxis, read": "y = np.rollaxis(m, 1)\nm[0, 1] = 9\nreturn m, y",
    "permute_dims": "y = np.permute_dims(m, (1, 0))\ny[0] = 9\nreturn m, y",
    "matrix_transpose": "y = np.matrix_transpose(m)\ny[0] = 9\nreturn m, y",
    "array_split": "y = np.array_split(m, 2)[0]\ny[0] = 9\nreturn m, y",
    "atleast_2d, handed over": "y = apply(np.atleast_2d, x)\ny[0] = 9\nreturn x, y",
    "flip, handed over": "y = apply(np.flip, x)\nx[0] = 9\nreturn x, y",
    "a partial": "y = functools.partial(np.swapaxes, axis1=0, axis2=1)(m)\ny[0] = 9\nreturn m, y",
    "getattr": "y = getattr(m, 'swapaxes')(0, 1)\ny[0] = 9\nreturn m, y",
    "a diagonal": "d = m.diagonal()\nm[0, 0] = 9\nreturn d, m",
    "a diagonal by diag": "d = np.diag(m)\nm[0, 0] = 9\nreturn d, m",
    "a diagonal by a helper": "d = apply(np.diagonal, m)\nm[0, 0] = 9\nreturn d, m",
    "einsum": "d = np.einsum('ij->ji', m)\nm[0, 0] = 9\nreturn d, m",
    "a real part by a helper": "z = x * 1j\ny = apply(np.real, z)\ny[0] = 9\nreturn z, y",
    "an imaginary part": "z = x * 1j\ny = np.imag(z)\ny[0] = 9\nreturn z, y",
    "another dtype": "y = x.view(np.int32)\ny[0] = 9\nreturn x, y",
}
# Which path is taken only the program knows.
JOINED = {
    "the array on one path": "y = maybe(x, n)\ny[0] = 9\nreturn x, y",
    "the array on one path, read": "y = maybe(x, n)\nx[0] = 9\nreturn x, y",
    "one of two rows": "y = row_of(m, n)\ny[0] = 9\nreturn m, y",
    "one of two rows, read": "y = row_of(m, n)\nm[0, 0] = 9\nreturn m, y",
    "a loop's last row": "y = last_of(m, n)\ny[0] = 9\nreturn m, y",
    "a while's last row": "y = last_while(m, n)\ny[0] = 9\nreturn m, y",
    "an array and a part": "k, r = both(x, n)\nr[0] = 9\nreturn k, r",
}
RIGHT = {
    "flatten": "y = x.flatten()\ny[0] = 9\nx[1] = 5\nreturn x, y",
    "flatten of a matrix": "y = m.flatten()\ny[0] = 9\nm[1] = 5\nreturn m, y",
    "flatten in a list": "ys = [m.flatten(), x.flatten()]\nm[0] = 9\nx[0] = 9\nys[0][1] = 5\nreturn ys, m, x",
    "astype": "y = x.astype(np.float32)\ny[0] = 9\nx[1] = 5\nreturn x, y",
    "astype, by its name": "y = np.astype(x, np.float32)\ny[0] = 9\nx[1] = 5\nreturn x, y",
    "astype of a part": "y = m[0].astype(np.float32)\ny[0] = 9\nm[0, 1] = 5\nreturn m, y",
    "astype in an object": "s = Holder(x.astype(np.float32))\ns.x[0] = 9\nreturn s.x, x",
    "astype by getattr": "y = getattr(x, 'astype')(np.float32)\ny[0] = 9\nreturn x, y",
    "astype by a partial": "y = functools.partial(x.astype, np.float32)()\ny[0] = 9\nreturn x, y",
    "a copy that a function writes to": "y = cleared(x)\nreturn x, y",
    "a copy in a loop": "for k in range(n):\n    x = cleared(x)\nreturn x",
    "items that are chosen": "y = np.where(True, x, x)\ny[0] = 9\nreturn x, y",
    "what a loop computes": "y = x * 1\nfor k in range(n):\n    y = y * 2\ny[0] = 9\nreturn x, y",
    "a copy that a branch writes to": "y = x.copy()\nif n > 1:\n    y[0] = 5\ny[1] = 9\nreturn x, y",
}  # fmt: skip


# The program does not say how they were made, so that they could be made again.
UNKNOWN = {
    "a diagonal", "a diagonal by diag", "a diagonal by a helper", "a real part by a helper", "an imaginary part",
    "atleast_2d, handed over", "einsum",
}  # fmt: skip


def outcome(lines: str, way: Callable[[Any], Any], xp: Any) -> Any:
    return aliasing.outcome(HELPERS, "def main(x, m, n):", lines, way, xp, 2)


@pytest.mark.parametrize("case", REFUSED)
def test_what_may_be_a_part_is_one(case: str) -> None:
    aliasing.assert_seen(outcome, REFUSED[case], aliasing.traced, unknown=case in UNKNOWN)


@pytest.mark.parametrize("lines", ALWAYS_REFUSED.values(), ids=ALWAYS_REFUSED)
def test_the_array_itself_is_refused_where_nothing_is_traced(lines: str) -> None:
    aliasing.assert_refused(outcome, lines, al.to_graph)


@pytest.mark.parametrize("lines", JOINED.values(), ids=JOINED)
def test_what_is_a_part_on_one_path_is_refused(lines: str) -> None:
    aliasing.assert_refused(outcome, lines, aliasing.traced)


@pytest.mark.parametrize("way", ["jit", "nothing traced"])
@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT)
def test_a_copy_is_written_to_as_in_numpy(lines: str, way: str) -> None:
    aliasing.assert_numpys_answer(outcome, lines, aliasing.WAYS[way])


@pytest.mark.parametrize(
    "make",
    [
        jnp.positive,
        lambda x: x.at[:0].set(7),
        lambda x: x.at[:0].add(7),
        lambda x: jax.lax.convert_element_type(x, jnp.float32),
        lambda x: jax.lax.concatenate([x], 0),
        lambda x: jnp.array([x])[0],
        lambda x: jnp.asarray([[x]])[0, 0],
        lambda x: jnp.array([x[None][0]]).reshape(3),
        lambda x: jnp.meshgrid(x)[0],
        lambda x: jnp.r_[x],
        lambda x: jnp.c_[x][:, 0],
        lambda x: jnp.full(3, x),
        lambda x: jnp.full_like(x, x),
        lambda x: jnp.vectorize(lambda item: item)(x),
        lambda x: jnp.apply_along_axis(lambda row: row, 0, x),
        lambda x: np.array(x, copy=True, ndmin=2)[0],
    ],
    ids=[
        "positive", "set", "add", "convert_element_type", "concatenate", "array", "asarray", "array of a part", "meshgrid", "r_",
        "c_", "full", "full_like", "vectorize", "apply_along_axis", "ndmin",
    ],
)  # fmt: skip
def test_what_jax_hands_back_is_a_copy_where_numpys_is(make: Callable[[Any], Any]) -> None:
    def f(x: Any) -> Any:
        whole = x * 1
        part = make(whole)
        part[0] = 9
        whole[1] = 5
        return whole, part

    for way in (al.convert, lambda f: jax.jit(al.to_graph(f))):
        whole, part = way(f)(jnp.ones(3))
        assert (whole.tolist(), part.tolist()) == ([1, 5, 1], [9, 1, 1])


def test_numpys_array_with_more_axes_is_a_part_where_nothing_is_to_be_copied() -> None:
    def f(x: Any) -> Any:
        part = np.array(x, copy=False, ndmin=3)
        part[0, 0, 1] = 7
        x[2] = 8
        return part

    def g(xs: Any) -> Any:
        part = np.asarray([xs[0]])
        part[0, 1] = 7
        return part

    for program in (f, g):
        ours = np.arange(3.0) if program is f else np.arange(6.0).reshape(2, 3)
        theirs = ours.copy()
        np.testing.assert_array_equal(al.convert(program)(ours), program(theirs))
        np.testing.assert_array_equal(ours, theirs)


def added(x: jax.Array) -> jax.Array:
    y = x.astype(jnp.float32)
    z = x.flatten()
    y[0] = 2 * x[1]
    z[1] = 3 * x[0]
    return (x * y * z).sum()


def test_copies_have_derivatives_and_lanes() -> None:
    x = jnp.arange(1.0, 4.0)
    plain = x * x.at[0].set(2 * x[1]) * x.at[1].set(3 * x[0])
    assert al.convert(added)(x) == plain.sum()
    gradient = jax.grad(lambda v: (v * v.at[0].set(2 * v[1]) * v.at[1].set(3 * v[0])).sum())(x)
    np.testing.assert_allclose(jax.grad(al.to_graph(added))(x), gradient)
    np.testing.assert_allclose(jax.vmap(al.to_graph(added))(x[None]), [plain.sum()])


def test_the_message_of_a_part_that_a_method_hands_out() -> None:
    class Stats:
        def __init__(self, mu: Any) -> None:
            self.mu = mu

        def mean(self) -> Any:
            return self.mu

    def f(mu: Any) -> Any:
        s = Stats(mu)
        y = s.mean()
        y[0] = 100.0
        return s.mu[0] + y[1]

    assert al.convert(f)(np.array([1.0, 2.0], np.float32)) == 102
    assert jax.jit(al.to_graph(f))(np.array([1.0, 2.0], np.float32)) == 102
    with pytest.raises(MutationError) as caught:
        aliasing.derived(f)(np.array([1.0, 2.0], np.float32))
    line = f.__code__.co_firstlineno + 3
    assert str(caught.value) == (
        "An item of 'y', float32[2], is written, which in NumPy is the array of 's.mu', too, and 's.mu' is read later.\n"
        f"  {__file__}:{line} in f\n"
        "      y[0] = 100.0\n"
        "  An array is a value to a compiled program: the change would be seen under one of the names only.\n"
        "  Fix: write the item of 's.mu', or store 'y' there afterwards; where 's.mu' is to stay as it is, let it have a "
        "copy: y.copy()."
    )
