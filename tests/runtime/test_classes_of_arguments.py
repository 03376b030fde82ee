"""What does a call with a value of a class find that no call has brought before?"""

from __future__ import annotations

import enum
import threading

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import ArraySpec, Variable, convert

X = jnp.float32(2)
MASKED = (
    "Argument x: A masked array of NumPy's can't be an argument, as JAX has none: pass the array and its mask, x.data and x.mask, "
    "or x.filled(value)."
)

MATRIX = "Argument x: A matrix of NumPy's can't be an argument, as JAX has none: pass the array, np.asarray(x), whose matrix product is x @ y."


def numbers():
    """Numbers of classes that nobody has seen."""

    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2

    class Other(enum.IntEnum):
        HIGH = 7

    class Count(int):
        pass

    class Rate(float):
        pass

    return [Level.LOW, Other.HIGH, Count(3), Rate(0.5), Rate(4), Level.HIGH]


def kept(x, n):
    return x * n, type(n)


def counted():
    count = Variable(1.0)
    return lambda x, n: (count * x * n, type(n))


@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
@pytest.mark.parametrize("fn", [kept, counted()], ids=["plain", "with_a_variable"])
def test_numbers_of_new_classes_are_literals_from_the_first_call_on(fn):
    f, values = convert(fn), numbers()
    for n in values + values:
        result, kind = f(X, n)
        assert result == 2 * n
        assert kind is type(n)


@pytest.mark.parametrize("seen", [False, True], ids=["first", "after_an_array"])
def test_a_masked_array_is_refused(seen):
    f = convert(lambda x: x.sum())
    if seen:
        assert f(np.ones(2, "float32")) == 2
    with pytest.raises(TypeError) as caught:
        f(np.ma.MaskedArray(np.ones(2, "float32"), mask=[True, False]))
    assert str(caught.value) == MASKED


def test_a_masked_array_is_refused_by_a_signature():
    f = convert(lambda x: x.sum(), input_signature=[ArraySpec([None], "float32")])
    with pytest.raises(TypeError) as caught:
        f(np.ma.MaskedArray(np.ones(2, "float32"), mask=[True, False]))
    assert str(caught.value) == MASKED


@pytest.mark.parametrize("seen", [False, True], ids=["first", "after_an_array"])
@pytest.mark.parametrize("signature", [None, [ArraySpec([None, None], "float32")]], ids=["any", "signature"])
def test_a_matrix_whose_product_is_not_that_of_an_array_is_refused(seen, signature):
    f = convert(lambda x: x * x, input_signature=signature)
    if seen:
        assert np.array_equal(f(np.full((2, 2), 2, "float32")), np.full((2, 2), 4))
    with pytest.raises(TypeError) as caught:
        f(np.ones((2, 2), "float32").view(np.matrix))
    assert str(caught.value) == MATRIX


def test_a_variable_is_shown_while_another_thread_assigns_it():
    v = Variable(jnp.zeros(1000))
    add = convert(lambda: v.assign_add(jnp.ones(1000)))
    failures, done = [], threading.Event()

    def show():
        while not done.is_set():
            try:
                repr(v)
            except Exception as error:
                failures.append(error)

    thread = threading.Thread(target=show)
    thread.start()
    for _ in range(200):
        add()
    done.set()
    thread.join()
    assert not failures
