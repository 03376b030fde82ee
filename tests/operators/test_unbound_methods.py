"""`list.append(xs, x)`, `dict.get(d, k)`, `operator.eq(xs, ys)`: what the methods and operators do, unbound or by another name."""

import collections
import operator

import jax
import numpy as np
import pytest

from autograph_lite import MutationError, convert
from tests.callees import positive


def counts(x):
    return list.__len__(positive(x)), sum(map(list.__len__, [positive(x), [1]]))


def reads(x):
    q = positive(x)
    return list.__getitem__(q, 0), q.__getitem__(-1), [*map(q.__getitem__, [0, 1])], operator.getitem(q, 1)


def looks(x):
    q = positive(x)
    return list.count(q, 3.0), list.index(q, 3.0), list.__contains__(q, 3.0), operator.contains(q, 7.0)


def appends(x):
    q = positive(x)
    list.append(q, 7.0)
    list.insert(q, 0, 9.0)
    list.extend(q, [1.0])
    return q.__len__(), q[0], q[-1]


def takes(x):
    q = positive(x)
    list.remove(q, 1.0)
    last = list.pop(q)
    return last, list.__len__(q)


def orders(x):
    q = positive(x)
    list.reverse(q)
    first = q[0]
    list.sort(q)
    return first, q[0]


def writes(x):
    q = positive(x)
    list.__setitem__(q, 0, 5.0)
    q.__setitem__(1, 6.0)
    return q[0], q[1]


def appends_in_a_loop(x):
    q = []
    for v in x:
        if v > 0:
            list.append(q, v)
    return len(q), q[-1]


def appends_to_a_deque(x):
    q = collections.deque([1.0])
    for v in x:
        if v > 0:
            collections.deque.append(q, v)
    return collections.deque.__len__(q), q[-1], collections.deque.popleft(q)


def chooses_an_item(x):
    q, i = [1.0, 2.0, 3.0], int(x[0])
    return list.__getitem__(q, i), q.__getitem__(i), tuple.__getitem__((*q,), i), operator.getitem(q, i)


def looks_up(x):
    d, k = {1: 2.0, 2: 3.0}, int(x[0])
    return (
        dict.get(d, k),
        dict.get(d, k + 7, -1.0),
        dict.__getitem__(d, k),
        d.__getitem__(k),
        dict.setdefault(d, k),
    )


def is_in(x):
    k = int(x[0])
    return (
        dict.__contains__({1: 2.0}, k),
        set.__contains__({1, 2}, k),
        frozenset.__contains__(frozenset({3}), k),
    )


def sets_an_item(x):
    d, k = {1: 2.0, 2: 3.0}, int(x[0])
    dict.__setitem__(d, k, 9.0)
    return d


def compares(x):
    q = [x[0], x[2]]
    return (
        list.__eq__(q, [1.0, 3.0]), list.__ne__(q, [1.0]), tuple.__eq__((*q,), (1.0, 2.0)), operator.eq(q, [1.0, 3.0]),
        operator.ne(q, q), list.__eq__(q, 3) is NotImplemented,
    )  # fmt: skip


class Doubled(list):
    def __getitem__(self, i):
        return list.__getitem__(self, i) * 2

    def __len__(self):
        return list.__len__(self) + 1

    def append(self, v):
        list.append(self, v + 1)


def has_methods_of_its_own(x):
    q = Doubled()
    q.append(x[0])
    return q[0], len(q)


FUNCTIONS = [
    counts, reads, looks, appends, takes, orders, writes, appends_in_a_loop, appends_to_a_deque, chooses_an_item,
    looks_up, is_in, sets_an_item, compares, has_methods_of_its_own,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_it_does_what_the_method_does(function):
    given = np.array([1.0, -2.0, 3.0])
    expected = function(given.copy())
    jax.tree.map(
        lambda a, b: np.testing.assert_array_equal(np.asarray(a), b), convert(function)(given), expected
    )


@pytest.mark.parametrize("ask", [list.__eq__, operator.eq], ids=["method", "operator"])
def test_lists_of_unknown_length_are_not_compared(ask):
    def is_same(x):
        return ask(positive(x), [1.0, 3.0])

    with pytest.raises(MutationError, match="has a length that only the data knows"):
        convert(is_same)(np.array([1.0, -2.0, 3.0]))


def test_python_says_what_is_wrong_with_a_call():
    for function in (lambda x: list.append(), lambda x: list.append((x,), 1), lambda x: dict.get([x], 1)):
        with pytest.raises(TypeError) as expected:
            function(1.0)
        with pytest.raises(TypeError) as found:
            convert(function)(np.float32(1.0))
        assert str(found.value).splitlines()[0] == str(expected.value)
