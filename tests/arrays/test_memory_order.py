"""What depends on how NumPy's arrays lie in memory, the orders "K", "A" and "F", is NumPy's, or is refused where nobody knows."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import PythonOnlyError, convert, to_graph

M, S, N = np.arange(12.0).reshape(3, 4), np.float32(1.5), np.int32(2)
A = np.array([[4.0, 1, 0.5], [1, 3, -0.2], [0.5, -0.2, 2]])


def of_parts(m, a, s, n):
    return (
        m.T.ravel("K"), m.T.ravel("A"), m[:, ::-1].ravel("K"), m[::2].ravel("K"), m[:, 1:3].T.ravel("K"), m[:, 1:3].T.ravel("A"),
        m.T[1:3].flatten("K"), np.ravel(m.T, "K"), np.ravel(m.T, order="A"), np.reshape(m.T, 12, order="A"),
        m.reshape(4, 3, order="A"), m.T.reshape(12, order="A"), np.swapaxes(m.reshape(2, 3, 2), 0, 1).ravel("K"),
    )  # fmt: skip


def of_copies(m, a, s, n):
    return [
        each.ravel("K")
        for each in (
            np.array(m, order="F"), np.array(m, float, order="F"), np.asarray(m, order="F"), np.asfortranarray(m), m.T.copy(),
            np.copy(m, order="F"), m.copy(order="F"), m.copy("F"), np.zeros_like(m, order="F"), m.astype(np.float32, order="F"),
            np.ascontiguousarray(m.T), np.linalg.inv(a), np.require(m, None, "F"), np.require(m.T, requirements=["C_CONTIGUOUS"]),
        )
    ]  # fmt: skip


def of_born_arrays(m, a, s, n):
    f, g = np.zeros((3, 4), order="F"), np.zeros((4, 3)).T
    v = f.T.ravel()
    v[1] = s
    f[n, 2] = 5
    g[0, 1] = s
    return f.ravel("K"), f.ravel("A"), f.T.reshape(-1), v, g.ravel("K"), g.ravel()


def of_parts_of_copies(m, a, s, n):
    f, g, w = np.array(m, order="F"), m.T.copy(), np.linalg.inv(a)
    first, second, third = f.T.ravel(), g.ravel(), w.ravel()
    first[1], second[1], third[0] = s, s, 5.0
    other = np.asfortranarray(m)
    other[0, 0] = s
    return f, g, w, first, second, third, other, m


def in_flat_order(m, a, s, n):
    m.flat[::2] = [1.0, 2.0]
    m.flat[[1, 3]] = [s, 3]
    m.flat[5:7] = s
    return m.flat[n]


@pytest.mark.parametrize("f", [of_parts, of_copies, of_born_arrays, of_parts_of_copies, in_flat_order])
def test_it_is_numpys(f: Any) -> None:
    given, arguments = [(M.copy(), A.copy(), S, N) for _ in range(2)]

    found, want = convert(f)(*given), f(*arguments)

    for one, other in zip(jax.tree.leaves((found, given)), jax.tree.leaves((want, arguments)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def carried(m, s, n):
    f = np.zeros((3, 4), order="F")
    for k in range(n):
        f[k, 1] = s
    return f.ravel("K")


UNKNOWN = {
    "computed": lambda m, s, n: (m.T * 2).ravel("K"),
    "copied": lambda m, s, n: np.copy(m.T).ravel("A"),
    "repeated": lambda m, s, n: np.broadcast_to(m[0], (2, 4)).ravel("K"),
    "carried": carried,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_order_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(PythonOnlyError, match="as they lie in memory"):
        convert(UNKNOWN[name])(M.copy(), S, N)


@pytest.mark.parametrize(
    "name", ["strides", "flags", "base", "data", "tofile", "dump", "getfield", "setflags"]
)
def test_what_an_array_of_a_program_has_not_is_refused_by_name(name: str) -> None:
    with pytest.raises(PythonOnlyError, match=f"An array of a program has no '{name}'"):
        convert(lambda m: getattr(m * 2, name))(M.copy())


def test_another_size_in_place_is_refused_by_name() -> None:
    with pytest.raises(PythonOnlyError, match="An array is given another size in place, by 'resize'"):
        convert(lambda m: (m * 2).resize((2, 2)))(M.copy())


def test_others_attributes_are_missing_as_in_python() -> None:
    assert convert(lambda m: (hasattr(m, "nosuch"), getattr(m, "nosuch", 3)))(M.copy()) == (False, 3)
    with pytest.raises(AttributeError):
        convert(lambda m: m.nosuch)(M.copy())


def test_jaxs_functions_take_what_they_took() -> None:
    def f(x):
        return (
            jnp.reshape(x, (3, 2), "F"),
            jnp.reshape(x, shape=(3, 2)),
            x.reshape(3, 2, order="F"),
            jnp.ravel(x, "F"),
            x.copy(),
        )

    x = jnp.arange(6.0).reshape(2, 3)
    for form in (convert, lambda f: jax.jit(to_graph(f))):
        jax.tree.map(np.testing.assert_array_equal, form(f)(x), f(x))


def test_casts_say_which_they_take() -> None:
    assert convert(lambda m: m.astype(int, casting="unsafe"))(M.copy()).dtype.kind == "i"
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        convert(lambda m: m.astype(int, casting="safe"))(M.copy())


def test_what_jaxs_function_cannot_do_is_refused() -> None:
    with pytest.raises(PythonOnlyError, match="'gradient' is called with traced values and arguments"):
        convert(lambda m: np.gradient(m[0], edge_order=2))(M.copy())


def test_what_is_known_to_be_a_copy_is_written() -> None:
    def f(m):
        turned = m.T.ravel()
        turned[0] = 9
        with_gaps = m[:, ::2].reshape(-1)
        with_gaps[1] = 8
        part = m.ravel()
        part[2] = 7
        return turned, with_gaps, m.sum()

    ours, theirs = M.copy(), M.copy()
    jax.tree.map(np.testing.assert_array_equal, convert(f)(ours), f(theirs))
    np.testing.assert_array_equal(ours, theirs)
