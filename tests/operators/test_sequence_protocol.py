"""Objects with `__getitem__` and no `__iter__`: Python goes through them until an IndexError, which NumPy's arrays raise."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import autograph_lite


class Poly:
    """Coefficients."""

    def __init__(self, c):
        self.c = c

    def __getitem__(self, i):
        return self.c[i]


class Doubled(Poly):
    """Computes, and has a length."""

    def __len__(self):
        return len(self.c)

    def __getitem__(self, i):
        return self.at(i) * 2

    def at(self, i):
        return self.c[i]


def summed(c, make):
    s = 0.0
    for r in make(c):
        s = s + r
    return s


def zipped(c, make):
    s = 0.0
    for i, a in zip(range(10), make(c)):  # noqa: B905
        s = s + a * i
    return s


def numbered(c, make):
    s = 0.0
    for i, a in enumerate(make(c)):
        if i == 7:
            break
        s = s + a * i
    return s


def listed(c, make):
    return [a * b for a, b in zip(make(c), [1.0, 2.0, 3.0, 4.0, 5.0])]  # noqa: B905


def generated(c, make):
    return sum(a * b for a, b in zip([1.0, 2.0, 3.0, 4.0, 5.0], make(c)))  # noqa: B905


def mapped(c, make):
    return sum(map(lambda a: a * a, make(c)))


def asked(c, make):
    it = iter(make(c))
    return [next(it, 100.0) for _ in range(5)]


def unpacked(c, make):
    a, *b = make(c)
    return a, b


def left(c, make):
    s = 0.0
    for a in make(c):
        s = s + a
        if s > 4:
            break
    return s


def made_here(c, make):
    s = 0.0
    for row in make(c.reshape(3, 1) * np.ones(2)):
        s = s + row.sum()
    return s


@pytest.mark.parametrize("make", [Poly, Doubled])
@pytest.mark.parametrize(
    "f", [summed, zipped, numbered, listed, generated, mapped, asked, unpacked, left, made_here]
)
def test_loops_end_where_pythons_do(f, make):
    if f is left and make is Poly:
        pytest.skip("a loop of unknown length that a traced value leaves is refused")

    def g(c):
        return f(c, make)

    c = np.array([1, 2, 3], np.float32)
    for run in (autograph_lite.convert(g), jax.jit(autograph_lite.to_graph(g))):
        jax.tree.map(np.testing.assert_allclose, run(c), g(c))


def test_an_item_that_is_not_there():
    def f(c):
        return Poly(c)[3]

    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        autograph_lite.convert(f)(np.ones(3, np.float32))


def test_sizes_that_are_not_known():
    """An index of Python's asks nothing of them."""

    def f(x):
        return x[0] + x[2] + Poly(x)[1]

    spec = autograph_lite.ArraySpec((None,), np.float32)
    converted = autograph_lite.convert(f, input_signature=[spec])
    for size in (3, 5):
        x = np.arange(size, dtype=np.float32)
        np.testing.assert_allclose(converted(x), f(x))
    assert converted.trace_count == 1


class Tenfold(list):
    def __getitem__(self, index):
        return list.__getitem__(self, index) * 10


class TenfoldTuple(tuple):
    def __getitem__(self, index):
        return tuple.__getitem__(self, index) * 10


class Two(list):
    def __len__(self):
        return 2


class Doubling(list):
    def __setitem__(self, index, value):
        list.__setitem__(self, index, value * 2)


def in_a_loop(xs, k):
    total = 0.0
    for i in range(k):
        total += xs[i]
    return total


def written(xs, k):
    xs[k] = 7.0
    return xs[1]


def added(xs, k):
    xs[k] += 7.0
    return xs[1]


@pytest.mark.parametrize("function", [lambda xs, k: xs[k], in_a_loop, written, added])
@pytest.mark.parametrize("kind", [Tenfold, TenfoldTuple, Two, Doubling])
def test_a_traced_index_of_a_class_with_items_of_its_own_is_refused_or_right(function, kind):
    def main(k):
        return function(kind([1.0, 2.0, 3.0]), k)

    if kind is TenfoldTuple and function in (written, added):
        pytest.skip("a tuple is not written to")
    try:
        found = autograph_lite.convert(main)(np.int32(1))
    except autograph_lite.TracedIndexError as error:
        assert f"indexes a {kind.__name__}, which has its own __" in error.what
    else:
        assert found == main(1)
