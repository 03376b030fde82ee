"""What do errors say about parts of arrays whose length only the data knows?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from .messages import message

X, N = jnp.arange(5.0), jnp.int32(2)
RULE = (
    "An array of a compiled program has a fixed shape, so such a part can only be reduced, "
    "multiplied, computed with item by item, indexed, looped over, or assigned.\n"
)


def test_a_part_that_is_handed_to_a_library() -> None:
    def f(x, i, j):
        row = x[i:j]
        return jnp.argsort(row)[0]

    assert message(f, X, N, N) == (
        "DynamicShapeError: 'x[i:j]' is handed to 'argsort', and only the data knows how many items it has.\n"
        "  test.py:2 in f\n"
        "      return jnp.argsort(row)[0]\n"
        "  test.py:1 in f\n"
        "      row = x[i:j]\n"
        f"  The bounds 'i' and 'j' are traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: jnp.where((jnp.arange(5) >= i) & (jnp.arange(5) < j), x, 0)."
    )


def test_a_part_of_a_column_that_is_reshaped() -> None:
    def f(x, n):
        return x[:, None][n:, 0].reshape(-1)

    assert message(f, X, N) == (
        "DynamicShapeError: 'x[:, None][n:, 0]' is asked for its 'reshape', and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[:, None][n:, 0].reshape(-1)\n"
        f"  The bound 'n' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: jnp.where(jnp.arange(5) >= n, x[:, None][:, 0], 0)."
    )


def test_a_mask() -> None:
    def f(x):
        return x[x > 1]

    assert message(f, X) == (
        "DynamicShapeError: 'x[x > 1]' is returned, or kept in an object, and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[x > 1]\n"
        f"  The mask 'x > 1' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: jnp.where(x > 1, x, 0)."
    )


def test_a_condition() -> None:
    def f(x, n):
        return 1 if x[:n] else 2

    assert message(f, X, N).startswith(
        "DynamicShapeError: 'x[:n]' is used as a condition, and only the data knows how many items it has.\n"
    )


def test_a_part_that_leaves_the_users_own_jit() -> None:
    run = jax.jit(autograph_lite.to_graph(lambda x, n: x[:n]))
    with pytest.raises(autograph_lite.DynamicShapeError, match="'x\\[:n\\]' leaves the converted function"):
        run(X, N)


def test_a_part_in_an_object() -> None:
    class Kept:
        part = None

    kept = Kept()

    def f(x, n):
        kept.part = x[:n]
        return x

    assert message(f, X, N).startswith("DynamicShapeError: 'x[:n]' is returned, or kept in an object")


@pytest.mark.parametrize("step", [0, -2])
def test_a_traced_step_that_is_not_positive(step: int) -> None:
    run = autograph_lite.convert(lambda x, n: x[1::n].sum())
    assert float(run(X, N)) == 4
    with pytest.raises(ValueError, match="a traced step of a slice has to be positive"):
        run(X, jnp.int32(step))


def test_kinds_of_indices_that_do_not_go_together() -> None:
    def f(x, n):
        return jnp.outer(x, x)[jnp.array([[0, 1]]), :n].sum()

    assert message(f, X, N) == (
        "TracedIndexError: 'jnp.outer(x, x)[jnp.array([[0, 1]]), :n]' mixes kinds of indices, "
        "one of them of a length that only the data knows.\n"
        "  test.py:1 in f\n"
        "      return jnp.outer(x, x)[jnp.array([[0, 1]]), :n].sum()\n"
        "  It goes with int32[1,2].\n"
        "  Fix: index in two steps: first with integers and slices, then with the mask."
    )


def test_a_window_that_is_cut_off_in_a_loop() -> None:
    def f(x):
        total = 0.0
        for i in autograph_lite.range(5):
            total += x[i : i + 2].sum()
        return total

    assert message(f, X) == (
        "SliceLengthError: 'x[i : i + 2]' reaches beyond the ends of an axis of 5 items.\n"
        "  test.py:3 in f\n"
        "      total += x[i : i + 2].sum()\n"
        "  Python would give fewer than 2 items, and the program is compiled for 2.\n"
        "  Fix: keep the bounds on the axis, or cut them off: x[max(i, 0) : min(j, n)] is a part of any length."
    )


def test_parts_of_different_lengths() -> None:
    def f(x, n):
        return (x[:n] * x[1:]).sum()

    assert message(f, X, N) == (
        "SliceLengthError: 'x[:n] * x[1:]' takes two parts of arrays that are not equally long.\n"
        "  test.py:1 in f\n"
        "      return (x[:n] * x[1:]).sum()\n"
        "  The bounds of one of them at least are traced, so that only the run of the program tells its length.\n"
        "  Fix: give both slices the same length."
    )


@pytest.mark.parametrize("reduction", [jnp.max, jnp.argmin])
def test_a_reduction_of_nothing(reduction) -> None:
    run = autograph_lite.convert(lambda x, n: reduction(x[n:n]))
    with pytest.raises(ValueError, match="zero-size array|empty sequence"):
        run(X, N)


def test_a_part_with_a_step() -> None:
    def f(x, n):
        return x[1:n:2].reshape(-1)

    assert message(f, X, N) == (
        "DynamicShapeError: 'x[1:n:2]' is asked for its 'reshape', and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[1:n:2].reshape(-1)\n"
        f"  The bound 'n' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: "
        "jnp.where((jnp.arange(5) >= 1) & (jnp.arange(5) < n) & ((jnp.arange(5) - (1)) % 2 == 0), x, 0)."
    )


def test_a_write_to_a_part_in_reverse() -> None:
    def f(x, n):
        x[:n][::-1] = x[:n]
        return x

    assert message(f, X, N) == (
        "DynamicShapeError: 'x[:n]' is written to in reverse, and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      x[:n][::-1] = x[:n]\n"
        f"  The bound 'n' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: jnp.where(jnp.arange(5) < n, x, 0)."
    )


def test_two_masks_one_of_which_has_several_axes() -> None:
    def f(A, m):
        return A[A[..., 0] > 1, m].sum()

    assert message(f, jnp.zeros((2, 3, 4)), jnp.arange(4) > 1) == (
        "TracedIndexError: 'A[A[..., 0] > 1, m]' mixes kinds of indices, one of them of a length that only the data knows.\n"
        "  test.py:1 in f\n"
        "      return A[A[..., 0] > 1, m].sum()\n"
        "  A mask of several axes goes with another part of unknown length.\n"
        "  Fix: index in two steps: first with integers and slices, then with the mask."
    )
