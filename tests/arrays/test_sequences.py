"""Lists, tuples and ranges stand for arrays where NumPy takes them so: in functions, operators, methods and indices."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import autograph_lite as al

X = np.array([1.0, 2.0, 0.5], np.float32)


def changed(x: Any, index: Any, value: Any) -> Any:
    try:
        y = x + 0
        y[index] = value
    except ValueError as error:  # gast has no line for this name
        raise error
    return y


FORMS = {
    "reductions": lambda x, xp: [
        xp.max([x[0], x[1]]), xp.argmax((x[0], x[1])), xp.mean([abs(v) for v in x]), xp.cumsum([x[0], x[1]]),
        xp.sum([[x[0], 1], [2, x[1]]], axis=0), xp.sum(x, where=[True, False, True]), xp.average(x, weights=[1, 2, 3]),
        xp.linalg.norm([x[0], x[1]]), xp.sort([x[0], 3, x[1]]),
    ],
    "elementwise": lambda x, xp: [
        xp.isfinite([x[0], 1.0]), xp.sqrt([1, x[1]]), xp.add(x, (1, 2, 3)), xp.maximum([1, 2, 3], x),
        xp.multiply(range(3), x), xp.where([True, False, True], x, [4, 5, 6]), xp.isclose([x[0], 1], [1, 1]),
        xp.clip(x, [0, 0, 0], [1, 1, 1]),
        xp.clip([x[0], 3], 0, 2), xp.select([x > 1, x > 0], [x, [1, 2, 3]], 0),
    ],
    "shapes": lambda x, xp: [
        xp.atleast_2d([x[0], x[1]]), xp.diag([x[0], 1.0, 2]), xp.transpose([[x[0], 1], [2, 3]]), xp.tile([x[0], 1], 2),
        xp.repeat(x, [1, 2, 1]), xp.pad([x[0], 1], 1), xp.broadcast_to([x[0], 1], [2, 2]), xp.zeros([2, 3]),
        xp.diagonal([[x[0], 1], [2, 3]]), xp.broadcast_arrays([x[0], 1], 2)[1],
        xp.full((3,), [1, 2, 3]), xp.reshape([x[0], 1], [2, 1]), xp.zeros_like([x[0], 1]), *xp.meshgrid(range(2), [x[0], x[1]]),
    ],
    "joined": lambda x, xp: [
        xp.stack([x, [1, 2, 3]]), xp.concatenate([x, [1, 2]]), xp.vstack(([1, 2, 3], x)), xp.hstack([x, [4], [5, 6]]),
    ],
    "products": lambda x, xp: [
        xp.dot([x[0], 1.0], [2.0, x[1]]), xp.outer([1, 2], x), xp.matmul([[1, 2, 3]], x), xp.einsum("i,i", x, [1, 2, 3]),
        xp.tensordot([1, 2, 3], x, 1), xp.cross([1, 0, 0], x), x.dot([1, 2, 3]), xp.linalg.det([[x[0], 1], [2, x[1]]]),
        xp.linalg.solve([[2.0, 0, 0], [0, 2, 0], [0, 0, 1]], x),
    ],
    "others": lambda x, xp: [
        xp.interp(x[0], [0, 1, 2], [5, 6, 7]), xp.polyval([1, 2, 3], x), xp.take(x, [0, 1]), xp.searchsorted([0, 1, 2], x),
        xp.histogram(x, bins=[0, 1, 2, 3])[0],
        xp.bincount([1, 1, 0], [x[0], 1, 1]), xp.histogram([x[0], 2], 2)[0], xp.fft.fft([x[0], 1]).real, xp.allclose(x, [1, 2, 3]),
    ],
    "operators": lambda x, xp: [
        x + range(3), x + [1, 2, 3], [1, 2, 3] * x, x - (1, 2, 3), x**[1, 2, 3], x / [1, 2, 3], x % [2, 2, 2], [1, 2, 3] @ x,
        (x > 0) & [True, True, False], x == [1, 2, 3], x != (1, 2, 3), x > [0, 1, 2], abs(x - range(3)).max(),
        xp.arange(3.0) - [x[0], 1, 2], (x[0], 1) / xp.arange(1, 3), xp.arange(2) < [x[0], 0], xp.eye(2) @ [x[0], 1],
    ],
    "python's own": lambda x, xp: [
        len([0] * 3 + [1]), [1, 2] * 2 + [x[0]], (x[0], 1) + (2,), [x[0]] + [1, 2], len(range(3)) * [4, 5],
    ],
    "indices": lambda x, xp: [
        x[range(2)], x[[0, 2]], x[range(2, 0, -1)], xp.ones((3, 3))[range(3), range(3)] * x, x[[True, False, True]], x[[]],
        changed(x, range(2), 7), changed(x, [0, 2], [5, 6]), changed(x, [], 7),
    ],
}  # fmt: skip


@pytest.mark.parametrize("xp", [jnp, np], ids=["JAX's functions", "NumPy's"])
@pytest.mark.parametrize("name", FORMS)
def test_sequences_are_arrays_where_numpy_takes_them_so(name: str, xp: Any) -> None:
    form = FORMS[name]
    found = jax.jit(al.to_graph(lambda x: form(x, xp)))(X)
    for ours, numpys in zip(jax.tree.leaves(found), jax.tree.leaves(form(X.copy(), np)), strict=True):
        np.testing.assert_allclose(np.asarray(ours, float), np.asarray(numpys, float), rtol=1e-6)


def test_sequences_are_arrays_where_scipy_takes_them_so() -> None:
    def f(x):
        return [
            scipy.linalg.inv([[x[0], 1], [5, x[1]]]), scipy.linalg.toeplitz([x[0], 1, x[1]]), scipy.special.expit((x[0], 1)),
            scipy.linalg.block_diag([[x[0], 1], [2, x[1]]], [3, x[2]]), scipy.stats.norm.pdf([x[0], 1]),
            scipy.special.logsumexp([x[0], 1.0]), scipy.signal.convolve([x[0], 1.0], [1.0, x[1], 2.0]),
        ]  # fmt: skip

    for ours, scipys in zip(jax.jit(al.to_graph(f))(X), f(X), strict=True):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(scipys), rtol=1e-5)


def augmented(x: Any, k: Any) -> Any:
    m = np.zeros((3, 3))
    m[k] += [1, 2, 3]
    m[0] += (x[0], 1, 2)
    m[:, k] *= range(3)
    y = x * 2
    y[1:] -= [1, x[1]]
    return m, y


def test_items_take_what_is_added_to_them_in_every_form() -> None:
    for form in (al.convert, lambda f: jax.jit(al.to_graph(f))):
        jax.tree.map(np.testing.assert_allclose, form(augmented)(X, np.int32(1)), augmented(X, 1))


def test_they_are_so_in_every_form() -> None:
    def f(x):
        return jnp.max([x[0], x[1]]) + (x - range(3)).sum() + jnp.dot([1, 2, 3], x)

    expected = 2.0 + (X - range(3)).sum() + np.dot([1, 2, 3], X)
    for found in (al.convert(f)(X), jax.jit(al.to_graph(f))(X), jax.vmap(al.to_graph(f))(X[None])[0]):
        np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(jax.grad(al.to_graph(f))(X), [2, 4, 4])


def of_arrays(fn: Any, *args: Any) -> Any:
    """The types of what a function gives; "an error" where it raises one."""
    try:
        return jax.tree.map(lambda a: (jnp.shape(a), str(jnp.result_type(a))), fn(*args))
    except Exception:  # the function needs the values of the data
        return "an error"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", [jnp, jnp.linalg, jnp.fft])
def test_every_function_that_numpy_has_takes_lists_as_it_takes_arrays(module: Any) -> None:
    numpys = {jnp: np, jnp.linalg: np.linalg, jnp.fft: np.fft}[module]
    unlike = []
    for name in dir(numpys):
        fn = getattr(module, name, None)
        if name.startswith("_") or isinstance(fn, type) or not callable(fn) or name in WITH_OTHER_LISTS:
            continue
        for values in ([[2.0, 3.0]], [[2.0, 3.0], [1.0, 2.0]], [[[2.0, 1.0], [0.0, 2.0]]]):
            try:
                np.asarray(getattr(numpys, name)(*values), float)
            except Exception:
                continue

            def lists(x, fn=fn, values=values):
                first = jax.tree.map(lambda v: v + x * 0, values[0])
                return fn(first, *values[1:])

            def arrays(x, fn=fn, values=values):
                return fn(jnp.asarray(values[0]) + x * 0, *map(jnp.asarray, values[1:]))

            x = jax.ShapeDtypeStruct((), jnp.float32)
            found, expected = (
                of_arrays(lambda x: jax.eval_shape(al.to_graph(lists), x), x),
                of_arrays(lambda x: jax.eval_shape(arrays, x), x),
            )
            if found != expected:
                unlike.append((name, found, expected))
    assert not unlike


# Their argument is a list of arrays, of sizes, or anything at all.
WITH_OTHER_LISTS = frozenset(
    {"array_str", "array_repr", "broadcast_shapes", "result_type", "save", "savez", "isscalar", "iterable"}
)


def test_lists_under_names_beside_arrays_of_numpys() -> None:
    def f(x, n):
        v, items = [1, 2, 3], [x[0], 1.0, x[2]]
        top = np.max(items)
        before = x.copy()
        x += v
        rows = [[1, 2, 3], [4, 5, 6]] @ x
        compared = [x == v, x > items, (1, 2, 3) <= x, x != v]
        repeated = len(2 * v) + len([0.0] * n.shape[0])
        return (
            top + np.log(np.exp(items - top).sum()),
            x - v,
            items / x[1],
            range(3) * x,
            v**x,
            rows,
            n & v,
            compared,
            before,
            repeated,
        )

    n = np.array([1, 2, 7])
    given = X.copy(), X.copy()
    found, expected = al.convert(f)(given[0], n), f(given[1], n)
    for one, other in zip(
        jax.tree.leaves((found, given[0])), jax.tree.leaves((expected, given[1])), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_list_whose_length_only_the_data_knows_is_an_array_too() -> None:
    def f(x):
        ys = []
        for v in x:
            if v > 0:
                ys.append(v)
        return jnp.max(ys), jnp.stack(ys)

    greatest, array = al.convert(f)(X)
    assert greatest == X.max()
    np.testing.assert_array_equal(array, X[X > 0])


def added(x):
    v = [1, 2, 3]
    x += v
    return x


def test_a_list_under_a_name_beside_an_operator_is_an_error_that_says_what_to_write() -> None:
    with pytest.raises(al.PythonOnlyError) as caught:
        al.convert(added)(jnp.asarray(X))
    line = inspect.getsourcelines(added)[1] + 2
    assert str(caught.value).startswith(
        "Python needs the value of a traced array. unsupported operand type(s) for +: 'traced array' and 'list'\n"
        f"  {__file__}:{line} in added\n"
        "      x += v\n"
        "  The value is known when the compiled program runs, and not while the function is traced.\n"
        "  Fix: make an array of the list, jnp.asarray(...): beside an array, JAX takes no list."
    )


def in_a_loop(x):
    y, i = x * 1.0, 0
    while (y * y).sum() < 100 and i < 5:
        y = y * [1.5, 2, 3] + (1, 2, 3)
        i += 1
    return y.sum()


def test_a_list_beside_an_array_where_nothing_is_known_of_arrays_is_the_same_error() -> None:
    with pytest.raises(
        al.PythonOnlyError, match=r"unsupported operand type\(s\) for \+: 'traced array' and 'tuple'"
    ):
        jax.grad(al.to_graph(in_a_loop))(jnp.asarray(X))
    assert al.convert(in_a_loop)(X) == in_a_loop(X.copy())
