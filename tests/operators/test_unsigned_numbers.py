"""Ints of 32 bits without a sign beside numbers of the text that only these can hold, `s & 0xffffffff`."""

import jax
import numpy as np
import pytest

from autograph_lite import convert, to_graph


def xorshift(n):
    s = np.uint32(n)
    for _ in range(20):
        s = s ^ ((s << np.uint32(13)) & 0xFFFFFFFF)
        s = s ^ (s >> np.uint32(17))
        s = s ^ ((s << np.uint32(5)) & 0xFFFFFFFF)
    return s, s & 0x80000000, 0x9908B0DF ^ s, s > 3000000000


def masked(x):
    return x & 0xFFFF0000, x ^ 0x9908B0DF, x | 0x80000000, x == 4294967295, x // 3000000000, 3000000000 - x


@pytest.mark.parametrize("form", [convert, lambda fn: jax.jit(to_graph(fn))], ids=["convert", "jit"])
@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (xorshift, np.uint32(12345)),
        (xorshift, np.int32(777)),
        (masked, np.array([1, 2**32 - 1, 2**31], np.uint32)),
    ],
)
def test_as_numpy(function, argument, form):
    for ours, expected in zip(form(function)(argument), function(argument), strict=True):
        np.testing.assert_array_equal(ours, expected)
        assert ours.dtype == np.asarray(expected).dtype


def test_one_that_does_not_fit_is_an_error():
    with pytest.raises(OverflowError):
        convert(lambda x: x & 0xFFFFFFFFF)(np.uint32(3))


def test_a_place_below_the_first_is_beyond_the_end():
    def parts(x, i):
        x[i - 1 :] = 7
        return x[i - 1 :].sum(), x[: i - 1].sum(), x.copy()

    def of_list(x, i):
        return list(x)[i - 1]

    x = np.arange(4, dtype=np.float32)
    for i in map(np.uint32, (1, 2, 4)):
        for f in (parts, of_list):
            for found, want in zip(
                jax.tree.leaves(convert(f)(x.copy(), i)), jax.tree.leaves(f(x.copy(), i)), strict=True
            ):
                np.testing.assert_allclose(found, want)
    first, rest, whole = convert(parts)(x.copy(), np.uint32(0))
    assert (float(first), float(rest), whole.tolist()) == (0, 6, [0, 1, 2, 3])
    with pytest.raises(IndexError, match="list index out of range"):
        convert(of_list)(x, np.uint32(0))
