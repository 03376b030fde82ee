"""Ints of Python's that no array holds, `best = sys.maxsize`: compared, chosen and replaced as Python does."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, explain


def least(xs):
    best, at = sys.maxsize, -1
    for i, x in enumerate(xs):
        if x > 2 and x < best:
            best, at = x, i
    return best, at


def ends(xs):
    low, high = sys.maxsize, -sys.maxsize - 1
    for x in xs:
        low, high = min(low, x), max(high, x)
    return low, high


def least_of_the_first(xs, n):
    best, i = 10**12, 0
    while i < n:
        best = min(best, xs[i])
        i += 1
    return best


def distances(scale):
    found = [sys.maxsize] * 4
    found[0] = 0
    for _ in range(3):
        for u, v, w in [(0, 1, 4), (0, 2, 1), (2, 1, 2)]:
            if found[u] != sys.maxsize and found[u] + w * scale < found[v]:
                found[v] = found[u] + w * scale
    return found


def fewest_coins(coins, n=6):
    fewest = [0] + [sys.maxsize] * n
    for total in range(1, n + 1):
        for j in range(2):
            if coins[j] <= total:
                before = fewest[total - coins[j]]
                if before != sys.maxsize and before + 1 < fewest[total]:
                    fewest[total] = before + 1
    return fewest[-1]


def afterwards(xs):
    best = sys.maxsize
    for x in xs:
        if x > 2:
            best = x
    return best - 1, best == sys.maxsize, best > 5, -best


XS, SMALL = np.array([4, 3, 9, 2], np.int32), np.array([1, 2], np.int32)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (least, (XS,)), (least, (SMALL,)), (ends, (XS,)), (least_of_the_first, (XS, np.int32(4))),
        (least_of_the_first, (XS, np.int32(0))), (distances, (np.int32(3),)),
        (fewest_coins, (np.array([2, 3], np.int32),)), (fewest_coins, (np.array([4, 5], np.int32),)),
        (afterwards, (XS,)), (afterwards, (SMALL,)),
    ],
)  # fmt: skip
def test_as_python(function, args):
    found, expected = convert(function)(*map(jnp.asarray, args)), function(*args)
    assert [int(v) for v in jax.tree.leaves(found)] == [int(v) for v in jax.tree.leaves(expected)]


def test_comparisons_are_numpys():
    def compared(x):
        return x < 2**40, x > 2**40, x == 2**31, x != -(2**31) - 1, 2**35 > x, x >= -(2**33)

    for x in (np.int32(3), np.float32(3), np.uint8(3), np.array([1, 2], np.int16), np.array([True])):
        found, expected = convert(compared)(jnp.asarray(x)), compared(x)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_float_beside_it():
    def chosen(x, y):
        best = 10**12
        if x < y:
            best = x
        return best

    assert convert(chosen)(jnp.float32(1), jnp.float32(2)) == 1
    assert convert(chosen)(jnp.float32(2), jnp.float32(1)) == 1e12


def test_an_array_that_is_added_to_it_is_an_error():
    def added(xs):
        best = sys.maxsize
        for x in xs:
            if x > 2:
                best = x
        return xs[0] + best

    assert convert(added)(jnp.asarray(XS)) == 13
    with pytest.raises(OverflowError, match=f"it is {sys.maxsize}, which does not fit"):
        convert(added)(jnp.asarray(SMALL))


def test_the_loop_is_staged():
    decision = next(d for d in explain(least)(jnp.asarray(XS)) if d.statement.startswith("for"))
    assert decision.became.startswith("scan of")
