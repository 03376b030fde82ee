"""What do errors say about parts of arrays whose length only the data knows?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .messages import in_jit, message

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


def test_a_part_of_a_column_that_is_sorted() -> None:
    def f(x, n):
        return x[:, None][n:, 0].argsort()

    assert message(f, X, N) == (
        "DynamicShapeError: 'x[:, None][n:, 0]' is asked for its 'argsort', and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[:, None][n:, 0].argsort()\n"
        f"  The bound 'n' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: jnp.where(jnp.arange(5) >= n, x[:, None][:, 0], 0)."
    )


def test_a_mask() -> None:
    def f(x):
        return x[x > 1]

    assert message(f, X, way=in_jit) == (
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


def test_a_part_in_an_object_of_somebody_elses_program() -> None:
    def f(x, n):
        return {"part": x[:n]}

    assert message(f, X, N, way=in_jit).startswith(
        "DynamicShapeError: 'x[:n]' is returned, or kept in an object"
    )


@pytest.mark.parametrize("step", [0, -2])
def test_a_traced_step_that_is_not_positive(step: int) -> None:
    run = autograph_lite.convert(lambda x, n: x[1::n].sum())
    assert float(run(X, N)) == 4
    with pytest.raises(ValueError, match="a traced step of a slice has to be positive"):
        run(X, jnp.int32(step))


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
        return x[1:n:2].argsort()

    assert message(f, X, N) == (
        "DynamicShapeError: 'x[1:n:2]' is asked for its 'argsort', and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[1:n:2].argsort()\n"
        f"  The bound 'n' is traced. {RULE}"
        "  Fix: keep all items and mask those that do not count: "
        "jnp.where((jnp.arange(5) >= 1) & (jnp.arange(5) < n) & ((jnp.arange(5) - (1)) % 2 == 0), x, 0)."
    )


SIZED = "  Fix: say how many there are to be, and what stands for those that are missing: "


def test_positions_that_are_returned() -> None:
    def f(x):
        i = jnp.where(x > 1)[0]
        return i

    assert message(f, X, way=in_jit) == (
        "DynamicShapeError: 'jnp.where(x > 1)' is returned, or kept in an object, and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      i = jnp.where(x > 1)[0]\n"
        f"  The mask 'x > 1' is traced. {RULE}{SIZED}jnp.where(x > 1, size=5, fill_value=5)."
    )
    assert autograph_lite.convert(lambda x: jnp.where(x > 1, size=5, fill_value=5)[0])(X)[-1] == 5


def test_what_is_read_at_positions_that_numpy_finds() -> None:
    def f(x):
        places = np.flatnonzero(x)
        return x[places]

    assert message(f, X, way=in_jit) == (
        "DynamicShapeError: 'x[places]' is returned, or kept in an object, and only the data knows how many items it has.\n"
        "  test.py:2 in f\n"
        "      return x[places]\n"
        f"  The mask 'x' is traced. {RULE}{SIZED}jnp.flatnonzero(x, size=5, fill_value=5)."
    )


def test_a_list_of_positions() -> None:
    def f(x):
        return np.argwhere(x > 1).tolist()

    assert message(f, X) == (
        "DynamicShapeError: 'np.argwhere(x > 1)' is asked for its 'tolist', and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return np.argwhere(x > 1).tolist()\n"
        f"  The mask 'x > 1' is traced. {RULE}{SIZED}jnp.argwhere(x > 1, size=5, fill_value=5)."
    )


def test_a_mask_beside_a_list() -> None:
    def f(A, m):
        return A[m, [0, 1]]

    assert message(f, jnp.zeros((2, 3)), jnp.arange(2) > 0, way=in_jit) == (
        "DynamicShapeError: 'A[m, [0, 1]]' is returned, or kept in an object, and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return A[m, [0, 1]]\n"
        f"  The mask 'm' is traced. {RULE}{SIZED}jnp.nonzero(m, size=2, fill_value=2)."
    )


def test_a_mask_of_the_first_of_several_axes() -> None:
    def f(A, m):
        return A[m]

    def fixed(A, m):
        return jnp.where(m[..., None], A, 0)

    table, mask = jnp.ones((2, 3)), jnp.arange(2) > 0
    assert message(f, table, mask, way=in_jit).endswith(
        "Fix: keep all items and mask those that do not count: jnp.where(m[..., None], A, 0)."
    )
    assert message(lambda A, n: A[:, :n][::-1].T, table, jnp.int32(1), way=in_jit).endswith(
        ": jnp.where(jnp.arange(3) < n, A, 0)."
    )
    assert message(lambda A, n: A[n:], table, jnp.int32(1), way=in_jit).endswith(
        ": jnp.where((jnp.arange(2) >= n)[..., None], A, 0)."
    )
    assert autograph_lite.convert(fixed)(table, mask).tolist() == [[0, 0, 0], [1, 1, 1]]


def test_an_update_by_at_of_items_that_only_the_data_knows() -> None:
    def f(x):
        return x.at[jnp.where(x > 1)[0]].set(0)

    assert message(f, X) == (
        "TracedIndexError: 'x.at[jnp.where(x > 1)[0]]' has an index in it of which only the data knows how many items it takes.\n"
        "  test.py:1 in f\n"
        "      return x.at[jnp.where(x > 1)[0]].set(0)\n"
        "  JAX updates as many items as the program knows while it is traced.\n"
        "  Fix: write to the items, x[i] = v or x[i] += v: in converted code, that gives the name a new array, too."
    )


def test_under_the_users_own_jit_the_line_is_named() -> None:
    run = jax.jit(autograph_lite.to_graph(lambda x: jnp.where(x > 1)[0]))
    with pytest.raises(
        autograph_lite.DynamicShapeError, match="'jnp.where\\(x > 1\\)' leaves the converted function"
    ):
        run(X)
