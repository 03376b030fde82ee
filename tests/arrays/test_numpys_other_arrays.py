"""NumPy's arrays that JAX has not: matrices, masked arrays, arrays of objects, texts and fields, and views of complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError, convert, to_graph

M = np.array([[1.0, 2.0], [3.0, 4.0]]).view(np.matrix)  # `np.matrix` warns
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])


class Pose(np.ndarray):
    def __add__(self, other: Any) -> Any:
        return (np.asarray(self) * 10 + np.asarray(other)).view(Pose)


class Named(np.ndarray):
    name = "no operators of its own"


POSE = np.array([1.0, 2.0], np.float32).view(Pose)
NAMED = np.array([1.0, 2.0], np.float32).view(Named)


def written(v: Any) -> Any:
    m = M.copy()
    m[0, 0] = v[0]
    return np.asarray(m * m)


def chosen(v: Any) -> Any:
    m = M if v[0] > 0 else M.T
    return np.asarray(m * m)


def of_objects(v: Any) -> Any:
    z = np.array([None, None])
    z[0] = v[0]
    return z[0]


def of_fields(v: Any) -> Any:
    z = np.zeros(2, dtype=[("p", float), ("q", float)])
    z["p"] = v[:2]
    return z["p"]


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a product": (lambda v: np.asarray(M * v[:2].reshape(2, 1)), "A matrix of NumPy's is used with"),
    "a product on the left": (
        lambda v: np.asarray(v[:2].reshape(1, 2) * M),
        "A matrix of NumPy's is used with",
    ),
    "a power": (lambda v: np.asarray((M + v[0]) ** 2), "A matrix of NumPy's is used with"),
    "a function": (lambda v: np.asarray(np.dot(M, v[:2]) * M), "A matrix of NumPy's is used with"),
    "a function of several": (
        lambda v: np.hstack([M, v[:2].reshape(2, 1)]),
        "A matrix of NumPy's is used with",
    ),
    "a store": (written, "A matrix of NumPy's is used with a traced value, or written to"),
    "a choice": (chosen, "on one path and"),
    "a class of one's own": (
        lambda v: np.asarray(POSE * v[0] + v[:2]),
        "An array of the class 'Pose' is used with",
    ),
    "a choice of such": (lambda v: (POSE if v[0] > 0 else POSE + 1) + 1, "on one path and"),
    "a mask": (lambda v: (MASKED * v).sum(), "A masked array of NumPy's is used with"),
    "an object": (of_objects, "An array of NumPy's of the type 'object' is written to"),
    "None in a list": (lambda v: np.array([v[0], None, 1]), "'np.array' makes an array of objects"),
    "a field that is read": (
        lambda v: np.zeros(2, [("a", float)])[v.argmax()]["a"],
        "is indexed by a traced value",
    ),
    "a text": (lambda v: np.array(["a", "b", "c"])[v.argmax()], "is indexed by a traced value"),
    "texts of each": (
        lambda v: np.vectorize(lambda a: "x")(v),
        "A function that np.vectorize calls with a traced value gives text",
    ),
    "objects": (lambda v: np.array([v[0], None], dtype=object), "'np.array' makes an array of objects"),
    "a field": (of_fields, "is written to where a value, or whether that is done, is traced"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_jax_would_take_for_another_array_is_refused(name: str) -> None:
    function, said = REFUSED[name]
    with pytest.raises(autograph_lite.AutographError, match=said):
        convert(function)(np.array([1.0, 2.0, 3.0], np.float32))


def test_beside_arrays_of_jaxs_a_matrix_is_what_it_is_to_jax() -> None:
    def function(v: Any) -> Any:
        return M * v[:2]

    v = jnp.array([1.0, 2.0])
    np.testing.assert_allclose(convert(function)(v), function(v))


def to_complex(v: Any) -> Any:
    z = np.zeros(4, np.float32)
    w = z.view(np.complex64)
    w[0] = v[0] + 1j * v[1]
    return z


def to_floats(v: Any) -> Any:
    c = v + 0j
    w = c.view(np.float32)
    w[0] = 9.0
    return c


def of_the_caller(v: Any) -> Any:
    w = v.view(np.complex64)
    w[0] = 5
    return v * 1


def before_a_store(v: Any) -> Any:
    w = v.view(np.complex64)
    v[0] = 7.0
    return w


@pytest.mark.parametrize(
    "program", [to_complex, to_floats, of_the_caller, before_a_store], ids=lambda p: p.__name__
)
def test_a_view_of_complex_numbers_has_the_items_of_the_array(program: Callable[[Any], Any]) -> None:
    v = np.array([1.0, 2.0], np.float32)
    given, ours = v.copy(), v.copy()
    expected = program(given)
    np.testing.assert_array_equal(convert(program)(ours), expected)
    np.testing.assert_array_equal(ours, given)
    if program is not to_complex:
        np.testing.assert_array_equal(jax.jit(to_graph(program))(v), expected)


def test_a_view_of_an_array_made_in_a_jit_of_others_is_refused() -> None:
    with pytest.raises(MutationError, match="shares its memory"):
        jax.jit(to_graph(to_complex))(np.array([1.0, 2.0], np.float32))


def test_a_view_of_complex_numbers_that_nobody_writes_to_is_read() -> None:
    def program(v: Any) -> Any:
        return v.view(np.complex64) * 2, (v + 1j).view(np.float32), v.view(np.int32), v.view()

    v = np.array([1.0, 2.0], np.float32)
    for ours, numpys in zip(convert(program)(v), program(v), strict=True):
        np.testing.assert_array_equal(ours, numpys)


def test_a_class_with_operators_of_its_own_is_no_argument() -> None:
    doubled = convert(lambda x: np.asarray(x + x))
    plain = np.array([1.0, 2.0], np.float32)
    for x in (plain, plain, NAMED, plain):
        np.testing.assert_array_equal(doubled(x), plain * 2)
    with pytest.raises(TypeError, match="An array of the class 'Pose', which has operators of its own"):
        doubled(POSE)  # the program of an array would serve it


def test_a_class_without_operators_of_its_own_is_an_array() -> None:
    def function(v: Any) -> Any:
        return NAMED * v[0] + v

    v = np.array([1.0, 3.0], np.float32)
    np.testing.assert_array_equal(convert(function)(v), np.asarray(function(v)))
