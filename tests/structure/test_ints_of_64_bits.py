"""Python's ints where `jax_enable_x64` is set: Python's number, or an error at the line; NumPy's wrap as in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert, to_graph
from tests.callees import how_many_large


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def middle(x):
    low, high = int(x[0]), int(x[1])
    return (low + high) // 2


def norm(x):
    total = 0
    for v in x:
        total += int(v) * int(v)
    return total


def in_a_branch(x):
    n = int(x[0])
    if x[1] > 0:
        n = n * n
    return n


def doubled(x):
    n, i = int(x[0]), 0
    while i < int(x[2]):
        n = n + n
        i += 1
    return n


def unrolled(x):
    n = int(x[0])
    for _ in range(3):
        n = n + n
    return n


def stored(x):
    n, y = int(x[0]), np.zeros(2, np.int64)
    y[0] = n + n
    return y


def bisected(x):
    low, high = int(x[2]), int(x[0])
    while low < high:
        at = (low + high) // 2
        if at < x[1]:
            low = at + 1
        else:
            high = at
    return low


FUNCTIONS = {
    **{f.__name__: f for f in (middle, norm, in_a_branch, doubled, unrolled, stored, bisected)},
    "product": lambda x: int(x[0]) * int(x[1]),
    "square": lambda x: int(x[0]) ** 2,
    "power": lambda x: int(x[0]) ** int(x[2]),
    "cube": lambda x: pow(int(x[0]), 3),
    "next": lambda x: int(x[0]) + 1,
    "shift": lambda x: 1 << int(x[2]),
    "remainder": lambda x: int(x[0]) * 3 % 1009,
    "test": lambda x: int(x[0]) * 3 > 5,
    "float": lambda x: float(int(x[0]) + int(x[1])),
    "items": lambda x: [int(x[0]) + int(x[1]), int(x[0]) - int(x[1])],
    "sum": lambda x: sum(int(v) for v in x),
    "largest": lambda x: max(int(x[0]) * 2, 5),
    "of a float": lambda x: int(x[0] * 1.0) * 2,
}
ARGUMENTS = (
    [5, 2, 4],
    [-7, 3, 2],
    [2**20, 2**31 + 5, 1],
    [2**62, 2**62, 3],
    [2**62 - 9, 3 - 2**62, 2],
    [2**63 - 1, 70, 64],
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_pythons_or_an_error(name):
    function, found = FUNCTIONS[name], set()
    converted = convert(function)
    for numbers in ARGUMENTS:
        x = np.array(numbers)
        try:
            np.testing.assert_array_equal(np.asarray(converted(x.copy())), np.asarray(function(x.copy())))
            found.add(True)
        except OverflowError as error:
            assert max(map(abs, numbers)) > 2**61 and "does not fit int64; Python's ints have no end" in str(
                error
            )
            found.add(False)
    assert found == {True, False}


@pytest.mark.parametrize(
    "name",
    ["product", "middle", "norm", "in_a_branch", "power", "next", "shift"],
)
def test_what_does_not_fit_is_told(name):
    with pytest.raises(OverflowError, match="does not fit int64"):
        convert(FUNCTIONS[name])(np.array([2**63 - 1, 2**62, 64]))


def test_in_somebody_elses_program():
    inside = jax.jit(to_graph(FUNCTIONS["product"]))
    assert inside(jnp.array([3, 4])) == 12
    with pytest.raises(Exception, match="does not fit int64"):
        jax.block_until_ready(inside(jnp.array([2**62, 4])))


def test_in_lanes():
    lanes = convert(lambda xs: jax.vmap(FUNCTIONS["product"])(xs))
    assert [*lanes(jnp.array([[3, 4], [5, 6]]))] == [12, 30]
    with pytest.raises(OverflowError, match="does not fit int64"):
        lanes(jnp.array([[3, 4], [2**62, 6]]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numpys_wrap():
    f = lambda x: (x[0] * x[0], x[0] + x[1], np.int64(int(x[0])) * np.int64(3), x * int(x[2]))  # noqa: E731
    x = np.array([2**62 + 3, 2**62, 5])
    jax.tree.map(np.testing.assert_array_equal, convert(f)(x), f(x))


def numbered(x):
    n = 0
    for i in range(int(x[0])):
        n = i
    return n


FITTING = {
    **{f.__name__: f for f in (how_many_large, numbered)},
    "bits and signs": lambda x: (int(x[0]) // 2, int(x[0]) % 7, int(x[0]) & 7, -int(x[0]), abs(int(x[0]))),
    "remainders": lambda x: (int(x[0]) % 1000) * (int(x[1]) % 1000) + 1,
    "test": lambda x: int(x[0]) > int(x[1]),
    "of 32 bits": lambda x: int(x[0].astype(np.int32)) * 1000 + 7,
    "floats": lambda x: [int(v) * 2.0 for v in x],
}


@pytest.mark.parametrize("name", FITTING)
def test_there_is_no_check_where_they_fit(name):
    function = FITTING[name]
    program = convert(function).get_concrete_function(np.array([3, 4, 5]))
    assert len(program.jaxpr.jaxpr.outvars) == len(jax.tree.leaves(function(np.array([3, 4, 5]))))
