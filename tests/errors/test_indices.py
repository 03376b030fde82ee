"""What do errors say about traced values as keys, indices, bounds and conditions?"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .messages import in_jit, message


def test_a_dict_key_that_is_written() -> None:
    def f(i):
        table = {0: 1}
        table[i] = 3
        return table

    assert message(f, jnp.int32(1)) == (
        "MutationError: A traced key, int32[], is none of those that the dict has, and its item is written.\n"
        "  test.py:2 in f\n"
        "      table[i] = 3\n"
        "  Which keys there are is known while tracing.\n"
        "  Fix: set an item for each key that there may be before, dict.fromkeys(range(n), 0), or use an array."
    )


def test_an_index_of_a_list_that_is_no_integer() -> None:
    def f(i):
        items = [1, 2, 3]
        return items[i]

    start = "TracedIndexError: 'items[i]' indexes a list with a traced value, {}.\n"
    rest = "  test.py:2 in f\n      return items[i]\n  The index of a list is a single integer.\n  Fix: {}"
    assert message(f, jnp.float32(1)) == (start + rest).format(
        "float32[]", "make an integer of it, int(...)."
    )
    assert message(f, jnp.array([0, 1])) == (start + rest).format(
        "int32[2]", "make an array of the items, whose index may be an array."
    )


def test_a_place_in_a_list_from_which_an_item_is_taken() -> None:
    def f(i):
        items = [3.0, jnp.ones(2), 2.0]
        return items.pop(i)

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: pop() is given a traced place in a list, int32[].\n"
        "  test.py:2 in f\n"
        "      return items.pop(i)\n"
        "  The items of a list have their places while tracing: which of them move depends on the value.\n"
        "  Fix: keep arrays in an array, and move them by an index of it: items[jnp.where(k < i, k, k + 1)] with k = "
        "jnp.arange(len(items) - 1) is without item i. Numbers, and tuples of them, can change places."
    )


def test_a_slice_of_a_list_that_is_written() -> None:
    def f(i):
        items = [3.0, 1.0, 2.0]
        items[i:] = [9.0]
        return items

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: 'items[i:] = [9.0]' has a traced bound, so that it is not known while tracing which items of a list it "
        "means.\n"
        "  test.py:2 in f\n"
        "      items[i:] = [9.0]\n"
        "  The length of a list is known while tracing, and a slice that is replaced may change it.\n"
        "  Fix: write the items one by one, or use an array: x[i : i + 2] = values."
    )


@pytest.mark.parametrize(
    "make",
    [
        jnp.ones,
        np.ones,
        lambda n: jnp.zeros((2, n)),
        lambda n: jnp.tile(jnp.ones(2), n),
        lambda n: jnp.ones(1).reshape(n),
    ],
    ids=["ones", "NumPy's ones", "zeros", "tile", "reshape"],
)
def test_a_size_that_only_the_data_knows(make) -> None:
    def f(n):
        for k in range(n):
            n = n + make(k).sum()
        return n

    text = message(f, jnp.int32(3))
    assert text.startswith("PythonOnlyError: Python needs the value of a traced array. ")
    assert "test.py:2 in f\n      n = n + make(k).sum()\n" in text or "in <lambda>" in text
    assert text.endswith(
        "  The value is known when the compiled program runs, and not while the function is traced.\n"
        "  Fix: make an array as large as it may get, and take a part, np.zeros(most)[:n], np.arange(most)[:n]; or pass it as a "
        "number of Python's, which is not traced."
    )


def test_a_range_with_a_traced_bound_is_compared_and_indexed_as_python_does() -> None:
    def f(n, i):
        steps = range(0, n, 2)
        alike = steps == range(4), steps != range(0, 4, 2), range(n) == range(4), range(n) == 4
        return alike, isinstance(steps, range), steps[i], steps[-1]

    run = autograph_lite.convert(f)

    for n in (3, 4, 9):
        assert run(jnp.int32(n), jnp.int32(1)) == f(n, 1)
    with pytest.raises(IndexError, match="range object index out of range"):
        run(jnp.int32(2), jnp.int32(1))


def test_an_index_of_text() -> None:
    def f(i):
        return "abc"[i]

    assert message(f, jnp.float32(1)) == (
        "TracedIndexError: '\"abc\"[i]' indexes a str with a traced value, float32[].\n"
        "  test.py:1 in f\n"
        '      return "abc"[i]\n'
        "  A compiled program has no text.\n"
        "  Fix: decide on the text outside of the converted function."
    )


def test_a_slice_bound() -> None:
    def f(x, n):
        return x[:n]

    assert message(f, jnp.ones(3), jnp.int32(2), way=in_jit) == (
        "DynamicShapeError: 'x[:n]' is returned, or kept in an object, and only the data knows how many items it has.\n"
        "  test.py:1 in f\n"
        "      return x[:n]\n"
        "  The bound 'n' is traced. An array of a compiled program has a fixed shape, so such a part can only be reduced, "
        "multiplied, computed with item by item, indexed, looped over, or assigned.\n"
        "  Fix: keep all items and mask those that do not count: jnp.where(jnp.arange(3) < n, x, 0)."
    )


def test_a_slice_bound_of_a_text() -> None:
    def f(n):
        return "ab"[:n]

    assert message(f, jnp.int32(2)) == (
        "TracedIndexError: '\"ab\"[:n]' has a traced bound, so that the length of the slice is not known while tracing.\n"
        "  test.py:1 in f\n"
        '      return "ab"[:n]\n'
        "  Fix: use jax.lax.dynamic_slice for a part of fixed length, or a mask: jnp.where(jnp.arange(n) < stop, x, 0)."
    )


def test_a_condition_with_several_elements() -> None:
    def f(x):
        if x > 0:
            x = -x
        return x

    assert message(f, jnp.ones(3)) == (
        "ConditionError: The condition 'x > 0' is an array: bool[3].\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The truth of an array with more or less than one element is ambiguous.\n"
        "  Fix: say which is meant: jnp.any(...) or jnp.all(...)."
    )


def test_a_while_condition_with_several_elements() -> None:
    def f(x):
        while x < 10:
            x = x * 2
        return x

    assert message(f, jnp.ones(3)) == (
        "ConditionError: The condition 'x < 10' is an array: bool[3].\n"
        "  test.py:1 in f\n"
        "      while x < 10:\n"
        "  The truth of an array with more or less than one element is ambiguous.\n"
        "  Fix: say which is meant: jnp.any(...) or jnp.all(...)."
    )


# fmt: off
CONDITIONS = [
    (lambda x: 1 if x > 0 else 2, "x > 0"),
    (lambda x: x > 0 and x < 2, "x > 0"),
    (lambda x: x.sum() > 0 and x > 1 and x < 2, "x > 1"),
    (lambda x: x.sum() > 9 or x < 2 or x > 1, "x < 2"),
    (lambda x: 0 < x < 2, "0 < x"),
    (lambda x: 0 < x.sum() < x + 3 < 9, "x.sum() < x + 3"),
    (lambda x: not x, "x"),
    (lambda x: 1 if not (x < 2) else 2, "x < 2"),
    (lambda x: 1 if x.shape and x < 2 else 2, "x.shape and x < 2"),
    (lambda x: (x
                > 0) and x.sum(), "x > 0"),
]
# fmt: on


@pytest.mark.parametrize(("fn", "shown"), CONDITIONS, ids=range(len(CONDITIONS)))
def test_a_condition_is_the_operand_that_has_several_elements(fn, shown) -> None:
    with pytest.raises(autograph_lite.ConditionError) as caught:
        autograph_lite.convert(fn)(jnp.ones(3))
    assert caught.value.what == f"The condition '{shown}' is an array: bool[3].".replace(
        "'x' is an array: bool", "'x' is an array: float32"
    )
