"""`v = F(x)`: a write to `v` or to `x` is seen by the other where NumPy's `v` is a view, or is an error; by item and as a whole."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import AutographError, MutationError, PythonOnlyError, convert, to_graph
from tests.properties.running import loaded

X = np.array([[0.0, 1.5, 2.5], [3.0, 4.0, 0.5], [2.0, 7.0, 0.0]], np.float32)
USES = {
    "changed in place": "v *= 2\nreturn x",
    "an item of it is written": "v[0] = 5\nreturn v, x",
    "it is filled": "v.fill(3)\nreturn x",
    "it takes a result": "np.add(v, 1, out=v)\nreturn x",
    "changed in a loop": "for k in range(3):\n    v += k\nreturn v, x",
    "changed on a path": "if x[0, 0] < 9:\n    v *= 3\nreturn v, x",
    "the array is changed in place": "x *= 2\nreturn v",
    "an item of the array is written": "x[1, 1] = 7\nreturn v, x",
    "both are changed": "x[0, 0] = 4\nv += x[0, 0]\nx += 1\nreturn v, x",
}
FOLLOWED = [
    "np.einsum('ii->i', x)",
    "np.einsum(' ii -> i ', x, optimize=True)",
    "np.einsum('...ii->...i', x)",
    "np.einsum('i...i->...i', x)",
    "np.einsum(x, [0, 0], [0])",
    "np.einsum('ij->ji', x)",
    "np.einsum('ji', x)",
    "np.einsum('...ji', x)",
    "np.einsum('ij...->ji...', x)",
    "np.einsum('ij->ji', x, dtype=float, casting='no')",
    "np.einsum(x, [1, 0])",
    "np.einsum('iij->ji', np.stack([x, x, x]).transpose(1, 2, 0))",
    "x.view()",
    "x.view(np.ndarray)",
    "x.view(type=np.ndarray)",
    "x.view(np.float32, np.ndarray)",
    "x.view(np.int32).view(np.float32)",
    "(x.ravel()[:8] + 0).view(np.complex64).real",
    "x.ravel()[:8].view(np.complex64)",
    "np.broadcast_arrays(x, np.ones(3))[0]",
    "np.broadcast_arrays(x[:2], np.ones((2, 1)))[0]",
    "np.meshgrid(x[0], copy=False)[0]",
    "np.meshgrid(x[0], x[1], copy=False, sparse=True)[1]",
]
# What nobody may write to in NumPy, or what the program has as a copy: no answer is wrong.
CAREFUL = [
    "np.linalg.diagonal(x)",
    "np.linalg.diagonal(x[None], offset=1)",
    "np.diagonal(x)",
    "np.broadcast_to(x, (3, 3))",
    "np.broadcast_to(x, (2, 3, 3))",
    "np.trim_zeros(x[0])",
    "np.trim_zeros(x.ravel(), 'b')",
    "np.trim_zeros(x[2] * 1)",
    "np.einsum('ii->i', x).reshape(3, 1)",
    "np.einsum('ii->i', x).ravel()",
]
OVERLAPPING = [
    "np.broadcast_arrays(x[0], x)[0]",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=0, writeable=True)",
    "np.meshgrid(x[0], x[1], copy=False)[0]",
]


def python(function):
    return function


def in_somebody_elses(function):
    return jax.jit(to_graph(function))


def outcome(made, use, way):
    """What the program gives, and its argument afterwards; or the exception."""
    copied = "x = np.array(x)\n    " if way is in_somebody_elses else ""
    lines = use.replace("\n", "\n    ")
    with loaded(f"def main(x):\n    {copied}v = {made}\n    {lines}\n", np=np) as namespace:
        given = jnp.asarray(X) if way is in_somebody_elses else X.copy()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's, of broadcast_arrays
                found = way(namespace["main"])(given)
        except (AutographError, ValueError) as error:
            return error
    return jax.tree.map(np.asarray, (found, None if copied else given))


def assert_as_numpys(made, use, way):
    found, wanted = outcome(made, use, way), outcome(made, use, python)
    wanted = (wanted[0], None) if way is in_somebody_elses else wanted
    for one, other in zip(*map(jax.tree.leaves, (found, wanted)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", FOLLOWED)
@pytest.mark.parametrize("way", [convert, in_somebody_elses])
def test_view_is_followed(made, use, way):
    assert_as_numpys(made, USES[use], way)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", CAREFUL)
def test_what_is_no_view_of_the_programs_is_never_wrong(made, use):
    found, wanted = outcome(made, USES[use], convert), outcome(made, USES[use], python)
    if isinstance(wanted, ValueError):
        assert "read-only" in str(found) or isinstance(found, MutationError)
    elif not isinstance(found, AutographError):
        assert_as_numpys(made, USES[use], convert)


@pytest.mark.parametrize("made", OVERLAPPING)
def test_items_that_lie_in_one_place_are_not_written(made):
    for use in ("v *= 2\nreturn x", "v[0] = 5\nreturn v", "np.add(v, 1, out=v)\nreturn v"):
        error = outcome(made, use, convert)
        assert isinstance(error, MutationError)
        assert "several of whose items are one item of another array in NumPy" in error.what
    assert_as_numpys(made, "return v + 1", convert)


def test_bytes_of_numbers_are_written():
    def main(z):
        bits, parts = z.view(np.uint32), z.view(float)
        bits[0] = 0
        parts += 7
        parts[1] = 3
        return np.array(parts), z

    z = np.arange(3) + 1j
    with jax.enable_x64(True):
        expected, given = z.copy(), z.copy()
        for one, other in zip(main(expected), convert(main)(given), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(expected, given)


def test_array_of_a_class_is_refused():
    with pytest.raises(PythonOnlyError, match="is to be seen as one of the class 'matrix'"):
        convert(lambda x: x.view(np.matrix))(X)


def test_sums_of_another_type():
    def main(x):
        return np.einsum("ij->i", x, dtype=np.int32, casting="unsafe"), np.einsum(x, [0, 1], [0])

    for one, other in zip(main(X), convert(main)(X), strict=True):
        np.testing.assert_allclose(one, other)
        assert one.dtype == other.dtype


def test_choices_of_lists():
    def main(x, i):
        return np.choose([0, 1, 0], [x[0], -x[1]]), np.choose(i, [[1, 2, 3], [4, 5, 6]])

    for one, other in zip(main(X, np.array([1, 0, 1])), convert(main)(X, np.array([1, 0, 1])), strict=True):
        np.testing.assert_allclose(one, other)
