"""Have two parts of an axis no item in common where the analysis says so? Tried for all values that the variables may have."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from autograph_lite.analysis.apart import Ranges, are_disjoint

# for j in range(n): for i in range(j + 1, n): for h in range(j): ...; nothing is known of k.
RANGES: Ranges = {"j": (("", 0), ("n", 0)), "i": (("j", 1), ("n", 0)), "h": (("", 0), ("j", 0))}
VALUES = range(-4, 5)

BOUNDS = st.builds(
    lambda name, number: f"{name}{number:+d}" if name and number else name or str(number),
    st.sampled_from(["", "i", "j", "h", "k", "n"]),
    st.integers(-2, 2),
)
OPTIONAL = st.one_of(st.just(""), BOUNDS)
SLICES = st.builds("{}:{}{}".format, OPTIONAL, OPTIONAL, st.sampled_from(["", "", ":2", ":-1"]))
INDICES = st.one_of(BOUNDS, SLICES)


def values():
    """All values of the variables for which the loops run their bodies."""
    for n, k in itertools.product(range(5), VALUES):
        for j in range(n):
            for i, h in itertools.product(range(j + 1, n), range(j)):
                yield {"n": n, "k": k, "j": j, "i": i, "h": h}


ALL = [*values()]


def taken(index: str, names: dict[str, int], size: int) -> set[int]:
    """The places that an index takes; none where Python refuses it."""
    try:
        return {*np.atleast_1d(np.arange(size)[eval(f"np.s_[{index}]", {"np": np}, names)])}
    except IndexError:
        return set()


@given(INDICES, INDICES)
def test_parts_that_are_apart_have_no_item_in_common(one, other):
    if are_disjoint(one, other, RANGES):
        # m[k - 1] and m[k] are taken for two rows, also where a matrix has one alone.
        least = 5 if ":" not in one + other and one[:1] == other[:1] else 0
        for names, size in itertools.product(ALL, range(least, 7)):
            assert not taken(one, names, size) & taken(other, names, size), (names, size)


@pytest.mark.parametrize("one, other", [
    (":j", "j"), ("j+1:", "j"), (":j", "j:"), (":j", "i"), (":j", "i:"), ("i:", "j"), (":h", "j"), (":h+1", "j"), ("j:", "h"),
    (":k", "k"), (":k", "k:"), (":2", "2"), ("3:", "2"), (":-1", "-1"), ("0, :j", "0, j"), (":j, 0", "j:, 0"), ("j, :j", "i, j"),
])  # fmt: skip
def test_parts_of_loops_over_triangles_are_apart(one, other):
    assert are_disjoint(one, other, RANGES)
    assert are_disjoint(other, one, RANGES)


@pytest.mark.parametrize("one, other", [
    (":k", "k+1"), ("k+1:", "k"), (":-1", "0"), ("1:", "-1"), (":j+1", "j"), (":j", "j-1"), (":j:-1", "j"), (":", "j"), (":j*2", "j"),
])  # fmt: skip
def test_parts_that_may_have_an_item_in_common_are_not_apart(one, other):
    assert not are_disjoint(one, other, RANGES)
    assert not are_disjoint(other, one, RANGES)
