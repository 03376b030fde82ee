"""Do reductions, products and functions of traced slices give what NumPy gives, whatever the bounds are?"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from autograph_lite import DynamicShapeError, SliceLengthError, convert, to_graph
from tests.examples import examples

from .against import assert_like_numpy, functions

bounds = st.integers(-9, 9)
rows = st.lists(st.integers(-4, 4), min_size=6, max_size=6).map(lambda v: np.array(v, np.float32))
tables = st.lists(rows, min_size=5, max_size=5).map(np.array)

ONE = [
    "i:j",
    ":j",
    "i:",
    "2:j",
    "i:-1",
    "-3:j",
    "i:j:2",
    "i::3",
    "::-1",
    "i:j:-1",
    ":j:-1",
    "i::-2",
    "i+1:j",
    "i:2*j-1",
]
REDUCTIONS = [
    "{}.sum()", "xp.prod({})", "{}.any()", "xp.all({} > 0)", "xp.max({})", "{}.min()", "xp.argmax({})", "{}.argmin()",
    "xp.linalg.norm({})", "len({})", "{}.shape[0]", "sum({})", "({} * {}).sum()", "xp.sum(xp.exp({}) + 1)",
    "xp.where({} > 0, {}, 1).sum()", "xp.dot({}, {})", "{} @ {}", "{}[::-1].sum()", "xp.sum(2 - {})", "{}[1:-1].sum()",
    "xp.cumsum({}).sum()", "xp.count_nonzero({})", "xp.sum({} ** 2)", "abs(-{}).sum()", "xp.maximum({}, 1).sum()",
    "{}[0]", "{}[-1]", "2 in {}", "-1 not in {}", "{}.max(initial=1)", "xp.min({}, initial=3)", "xp.sum({}, initial=2)",
    "xp.prod({}, initial=2)", "xp.sum({}, where={} > 0)", "{}.mean(where={} > 1)", "xp.max({}, initial=-9, where={} < 2)",
    "xp.any({} > 2, where={} < 0)", "{}.all(where=True)", "xp.std({}, where={} > 0)", "xp.var({}, ddof=2)", "xp.var({}, ddof=1, where={} != 1)",
    "xp.prod({}, where={} > 0)", "xp.min({}, initial=9, where={} % 2 == 0)", "xp.einsum('i,i->', {}, {})",
    "xp.einsum('i,i->i', {}, {}).sum()", "xp.einsum('i->', {})", "xp.tensordot({}, {}, 1)",
    "xp.sort({}).sum()", "xp.sort({})[0]", "xp.sort({})[::-1][1:].sum()", "xp.median({})", "xp.median({} / 0)", "xp.nansum({} / {})",
    "xp.nanmax({} / {})", "xp.nanmin(1 / {} - 1 / {})", "xp.nanmean({} / {})", "xp.nanstd({} / {})", "xp.nanvar(1 / {})",
    "xp.nanprod({} / {})", "xp.sort({} / 0)[0]", "xp.select([{0} > 1, {0} < 0], [{0}, -{0}], 5).sum()",
    "{}.reshape(-1).sum()",
]  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
@examples(6)
@given(data=st.data(), x=rows, i=bounds, j=bounds)
def test_of_one_axis(reduction: str, data: Any, x: Any, i: int, j: int) -> None:
    part = f"x[{data.draw(st.sampled_from(ONE))}]"
    assert_like_numpy(f"def main(x, i, j):\n    return {reduction.format(part, part)}\n", x, i, j)


TWO = [
    "A[i % 5, :j].sum()", "A[i:, j % 6].max()", "A[:j, :i].sum(axis=0)[0]", "A[i % 5, :j] @ A[:j, 2]",
    "A[i:j, :].sum(axis=0)", "A[i:j].sum(0)", "A[:, i:j].sum(axis=1)", "(A[i:j, :3] @ A[:3, 1]).sum()",
    "xp.outer(A[i:j, 0], A[0, i:j]).sum()", "A[i:, j:].mean()", "A[..., i:j].sum()", "(A[i:j, 1:4] * A[i:j, 3:0:-1]).sum()",
    "A[i:j, None, 2].sum()", "A[i:j].T.sum(axis=1)", "A[:i, :j].max(axis=1).sum()", "A[i:j, 1].std()", "A[1, i:j].var()",
    "xp.vdot(A[1, i:j], A[2, i:j])", "A[i:j].argmax(axis=0)", "A[i:j].argmax()", "A[:i, :j].argmin()", "xp.argmax(A[i:j, 1:4])", "xp.argmax(A[:, ::2][:, :j])",
    "xp.argmin(A[i:, j:], keepdims=True)[0, 0]", "xp.einsum('ij,ij->', A[:i, :j], A[:i, :j])", "xp.einsum('ij,j->i', A[i:j], A[1]).sum()",
    "xp.einsum('ij,kj', A[:i, :j], A[:3, :j]).sum()", "xp.einsum('...j,j', A[..., i:j], A[0, i:j])", "xp.einsum('ii', A[:3, :3][:i, :i])",
    "xp.einsum('ij->j', A[i:j, :])", "xp.tensordot(A[i:j], A[i:j], 2)", "xp.tensordot(A[:, :j], A[:3, :j], axes=(1, 1))",
    "xp.median(A[i:j], axis=0)", "xp.median(A[:, i:j], axis=1)", "xp.sort(A[:i, :j], axis=0).sum()", "xp.sort(A[i:j]).sum(axis=0)",
    "xp.median(A[:i, :j], axis=1, keepdims=True).sum()", "xp.nanmean(A[:i, :j] / A[:i, :j], axis=1).sum()",
    "(xp.stack([A, A])[:, :i] @ A.T[:, :j]).sum()", "(xp.stack([A, A])[:, :, i:j] @ A[1, i:j]).sum()",
    "(A[1, :i] @ xp.stack([A, -A])[:, :, :].swapaxes(1, 2)[:, :i]).sum()",
    "A[i:j].sum(axis=0, where=A[i:j] > 0)", "A[i:j].mean(where=A[0] > 0)", "A[:, i:j].mean(axis=1, where=A[:, :1] > 0)",
    "A[:i, :j].mean(axis=1, where=A[:i, :j] > 0).sum()", "A[:i, :j].var(axis=1, where=A[:i, :j] > 0, keepdims=True).sum()", "A[i:j, j % 6:].sum(axis=(0, 1))", "A[::2, i:j].sum(axis=1)",
]  # fmt: skip


@pytest.mark.parametrize("expression", TWO)
@examples(12)
@given(A=tables, i=bounds, j=bounds)
def test_of_two_axes(expression: str, A: Any, i: int, j: int) -> None:
    assert_like_numpy(f"def main(A, i, j):\n    return {expression}\n", A, i, j)


MASKS = [
    "x[x > 0].sum()", "xp.mean(x[x > 1])", "x[mask].max()", "len(x[mask])", "x[mask] @ y[mask]", "x[x > y].prod()",
    "x[mask][-1]", "x[~mask].sum()", "(x[mask] - y[mask]).sum()", "x[(x > 0) & mask].min()", "x[mask].argmax()",
    "xp.sort(x)[mask].sum()", "x[mask][1:].sum()", "x[mask][x[mask] > 1].sum()",
    "xp.outer(x, y)[xp.outer(x, y) > 1].sum()", "xp.outer(x, y)[mask].sum(axis=0)", "xp.outer(x, y)[:, mask].sum(axis=0)[0]",
]  # fmt: skip


@pytest.mark.parametrize("expression", MASKS)
@examples(12)
@given(x=rows, y=rows)
def test_of_masks(expression: str, x: Any, y: Any) -> None:
    assert_like_numpy(f"def main(x, y, mask):\n    return {expression}\n", x, y, y > 0)


PAIRS = [
    "x[y > 0] * y[x > 0]",
    "x[1:j] - x[:j-1]",
    "x[i:j] * x[:j-i]",
    "x[i:j] + y[i:j]",
    "x[i:j] + y[j:i:-1]",
    "x[:j] * y[i:]",
    "x[:j] / (1 + y[:j] ** 2)",
    "x[i:j] - z",
]


@pytest.mark.parametrize("expression", PAIRS)
@examples(25)
@given(x=rows, y=rows, i=bounds, j=bounds)
def test_of_two_slices_that_are_moved(expression: str, x: Any, y: Any, i: int, j: int) -> None:
    from .against import traced

    source = f"def main(x, y, z, i, j):\n    return ({expression}).sum()\n"
    converted, plain = functions(source)
    z = y[:3]
    expected: Any
    try:
        expected = plain(x, y, z, i, j)
    except ValueError:
        expected = None
    try:
        found = converted(*traced((x, y, z, i, j)))
    except ValueError:
        return  # NumPy broadcasts a part of length one
    np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


PLACES = ["A[k, i:j].sum()", "A[i:j, k].sum(axis=0)", "A[k, :j].max(axis=1)", "(A[i:, k] @ xp.ones(3)).sum()", "A[k, i:j:2].sum(axis=1)"]  # fmt: skip


@pytest.mark.parametrize("expression", PLACES)
@examples(8)
@given(A=tables, i=bounds, j=bounds)
def test_beside_an_array_of_places(expression: str, A: Any, i: int, j: int) -> None:
    k = np.array([3, 0, -1])
    assert_like_numpy(
        f"def main(A, k, i, j):\n    return {expression}\n", A, k, i, j, may_refuse="max" in expression
    )


def test_a_number_as_a_factor_needs_no_mask_of_its_own() -> None:
    def masks(f) -> int:
        jaxpr = str(jax.make_jaxpr(to_graph(f))(jnp.ones(5), 3))
        return jaxpr.count("select_n") + jaxpr.count("_where")

    plain = masks(lambda xs, k: xs[:k].sum())
    assert masks(lambda xs, k: (2 * xs[:k]).sum()) == plain
    assert masks(lambda xs, k: (xs[:k] * xs[k]).sum()) > plain  # whose derivative may not be finite


def test_an_option_that_is_not_known_is_refused() -> None:
    def main(x, n):
        return x[:n].sum(promote_integers=False)

    with pytest.raises(DynamicShapeError) as caught:
        convert(main)(jnp.arange(4.0), jnp.int32(2))
    assert caught.value.what == (
        "'x[:n]' is handed to 'sum' with 'promote_integers', and only the data knows how many items it has."
    )


@pytest.mark.parametrize(
    "product",
    [
        "xp.einsum('i,i->', x[:n], y[:n])",
        "xp.tensordot(x[:n], y[:n], 1)",
        "xp.einsum('i,i->i', x[:n], y[:n])[0]",
    ],
)
def test_what_lies_outside_of_a_contraction_counts_for_nothing(product: str) -> None:
    """Neither does an infinity there, nor is a derivative with it a nan."""
    converted, plain = functions(f"def main(x, y, n):\n    return {product}\n")
    x, y = np.array([1, 2, np.inf, np.nan], np.float32), np.array([3, 4, np.nan, np.inf], np.float32)
    n = jnp.int32(2)
    assert float(converted(x, y, n)) == float(plain(x, y, 2))
    for number, derivative in enumerate(jax.grad(converted, (0, 1))(jnp.asarray(x), jnp.asarray(y), n)):
        other = (y, x)[number][: 1 if "[0]" in product else 2]
        np.testing.assert_array_equal(derivative, [*other, *[0] * (4 - len(other))])


def test_where_lengths_differ_the_program_says_so() -> None:
    converted, _ = functions("def main(x, y, i, j):\n    return xp.einsum('a,a->', x[:i], y[:j])\n")
    x = jnp.arange(4.0)
    assert float(converted(x, x, jnp.int32(3), jnp.int32(3))) == 5
    with pytest.raises(SliceLengthError):
        converted(x, x, jnp.int32(3), jnp.int32(2))


def test_subscripts_that_do_not_fit_are_said() -> None:
    converted, _ = functions("def main(x, n):\n    return xp.einsum('ij->i', x[:n])\n")
    with pytest.raises(ValueError, match="'ij' of 'ij->i' names other axes than the 1 of its operand"):
        converted(jnp.arange(4.0), jnp.int32(2))


def test_a_maximum_of_a_choice_wants_an_initial_value_as_numpys() -> None:
    converted, plain = functions("def main(x, n):\n    return xp.max(x[:n], where=x[:n] > 1)\n")
    for run, args in ((plain, (np.arange(4.0), 2)), (converted, (jnp.arange(4.0), jnp.int32(2)))):
        with pytest.raises(ValueError, match="does not have an identity"):
            run(*args)


def test_a_slice_in_a_long_list_for_a_library_is_an_error_that_names_it():
    def joined(a, x):
        return jnp.block([x] * 100 + [a])

    def main(x, n):
        return joined(x[:n], x)

    with pytest.raises(DynamicShapeError) as caught:
        convert(main)(jnp.arange(3.0), jnp.int32(2))
    assert caught.value.what == (
        "'x[:n]' is handed to 'block', and only the data knows how many items it has."
    )


OUTSIDE = np.arange(4.0, dtype=np.float32)


def test_parts_of_constants_by_a_traced_mask() -> None:
    def f(y):
        w = np.full(4, 0.25)
        total = w[y > 0].sum() + sum(np.ones(4)[y != 1]) + OUTSIDE[y > 1].max()
        for t in y:
            total += np.sum(w[y >= t])
        return total

    y = np.array([1, -1, 2, 3])
    np.testing.assert_allclose(convert(f)(y), f(y), rtol=1e-6)


def _sums(u: Any) -> Any:
    return u[u > 3].cumsum()[-1], np.cumsum(u[u > 3])[-1], u[u > 3].sum()


def _products(u: Any) -> Any:
    picked = u[u > 3] * 1
    return picked.cumprod()[-1], (u[u > 0] - u[u > 0] + u[u > 0]).cumsum()[-1]


def _in_a_loop(u: Any) -> Any:
    total = 0
    for k in range(3):
        total = total + u[u > k].cumsum()[-1]
    return total


@pytest.mark.parametrize("fun", [_sums, _products, _in_a_loop])
def test_running_sums_of_narrow_integers_have_the_type_of_a_sum(fun: Any) -> None:
    """NumPy adds 8-bit integers up in the widest type, also those that a mask picks; JAX's arrays stay as they are."""
    narrow = np.array([200, 1, 100, 7, 255], np.uint8)
    assert jax.tree.map(int, convert(fun)(narrow)) == jax.tree.map(int, fun(narrow))
    assert convert(lambda u: u[u > 3].cumsum()[-1])(jnp.asarray(narrow)).dtype == np.uint8
