"""What do errors say about traced values as keys, indices, bounds and conditions?"""

from __future__ import annotations

import jax.numpy as jnp

from .messages import message


def test_a_dict_key() -> None:
    def f(i):
        names = {0: "zero", 1: "one"}
        return names[i]

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: 'names[i]' indexes a dict with a traced value, int32[].\n"
        "  test.py:2 in f\n"
        "      return names[i]\n"
        "  The keys of a dict are Python values.\n"
        "  Fix: use `match` or `if` on the value, or an array indexed by it."
    )


def test_a_dict_key_that_is_written() -> None:
    def f(i):
        table = {0: 1}
        table[i] = 3
        return table

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: 'table[i] = 3' indexes a dict with a traced value, int32[].\n"
        "  test.py:2 in f\n"
        "      table[i] = 3\n"
        "  The keys of a dict are Python values.\n"
        "  Fix: use `match` or `if` on the value, or an array indexed by it."
    )


def test_an_index_of_a_list_of_unlike_items() -> None:
    def f(i):
        items = [1, "two"]
        return items[i]

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: 'items[i]' indexes a list with a traced value, int32[].\n"
        "  test.py:2 in f\n"
        "      return items[i]\n"
        "  Its items would have to be numbers or arrays of one shape, or trees of such.\n"
        "  Fix: make the items alike, or use an array."
    )


def test_an_index_of_text() -> None:
    def f(i):
        return "abc"[i]

    assert message(f, jnp.int32(1)) == (
        "TracedIndexError: '\"abc\"[i]' indexes a str with a traced value, int32[].\n"
        "  test.py:1 in f\n"
        '      return "abc"[i]\n'
        "  A compiled program has no text.\n"
        "  Fix: decide on the text outside of the converted function."
    )


def test_a_slice_bound() -> None:
    def f(x, n):
        return x[:n]

    assert message(f, jnp.ones(3), jnp.int32(2)) == (
        "TracedIndexError: 'x[:n]' has a traced bound, so that the length of the slice is not known while tracing.\n"
        "  test.py:1 in f\n"
        "      return x[:n]\n"
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
