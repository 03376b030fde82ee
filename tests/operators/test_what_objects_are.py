"""What an object is, its class, its code, its shape: can a path that may not be taken change it?"""

from __future__ import annotations

import collections
import queue
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import AutographError, MutationError
from tests.errors.messages import message
from tests.operators.agreement import agree


class Closed:
    rate = 1.0


class Open:
    rate = 2.0


def test_a_class_that_an_object_gets_on_one_path() -> None:
    def f(x):
        door = Closed()
        if x > 0:
            door.__class__ = Open
        return door.rate

    assert message(f, jnp.float32(2)) == (
        "MutationError: '__class__' of an object of the type Closed is assigned inside a staged statement.\n"
        "  test.py:3 in f\n"
        "      door.__class__ = Open\n"
        "  What an object is has to be known while tracing, and here it depends on a traced value.\n"
        "  Fix: keep what differs in an attribute, a number for example, and let the methods test it."
    )


def test_a_class_that_an_object_gets_outside_of_staged_statements():
    def f(x):
        door = Closed()
        door.__class__ = Open
        return door.rate * x if x > 0 else x

    agree(f, 3.0, -2.0)


def test_a_function_that_becomes_another_one():
    def f(x):
        def rate(k=1.0):
            return k

        if x > 0:
            rate.__defaults__ = (2.0,)
        return rate()

    with pytest.raises(MutationError, match="'__defaults__' of an object of the type function"):
        al.convert(f)(jnp.float32(2))


def flat(a):
    a.flat[1] = 2.0


def flat_under_a_name(a):
    items = a.flat
    items[1:] = 2.0


def reshaped(a):
    a.shape = (4,)


def resized(a):
    a.resize((1, 3), refcheck=False)


def other_type(a):
    a.dtype = np.int64


@pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")
@pytest.mark.parametrize("change", [reshaped, resized, other_type])
def test_an_array_of_numpys_is_as_it_was_where_its_change_is_refused(change):
    a = np.zeros((2, 2))

    def f(x):
        if x > 0:
            change(a)
        return x

    with pytest.raises(AutographError):
        al.convert(f)(jnp.float32(-1))
    assert (a.shape, a.dtype, a.sum()) == ((2, 2), np.float64, 0.0)
    al.to_graph(change)(a)  # where nothing is traced, it is what Python does
    assert a.size != 4 or a.ndim == 1 or a.dtype == np.int64


@pytest.mark.parametrize("change", [flat, flat_under_a_name])
def test_the_items_in_a_row_of_an_array_of_numpys(change):
    a, expected = np.zeros((2, 2)), np.zeros((2, 2))
    change(expected)

    def f(x):
        if x > 0:
            change(a)
        return x

    converted = al.convert(f)
    converted(jnp.float32(-1))
    assert not a.any()
    converted(jnp.float32(1))
    assert a.tolist() == expected.tolist()


def test_a_list_of_a_module_that_one_path_adds_to():
    before = list(sys.path)

    def f(x):
        if x > 0:
            sys.path.append("nowhere")
        return len(sys.path)

    try:
        with pytest.raises(AutographError):
            al.convert(f)(jnp.float32(-1))
        assert sys.path == before
    finally:
        sys.path[:] = before


def test_the_length_of_a_librarys_container_that_only_the_data_knows():
    def length(x):
        items = collections.UserList([1.0])
        if x > 0:
            items.append(x)
        return len(items)

    def size(x):
        items = queue.LifoQueue()
        items.put(1.0)
        if x > 0:
            items.put(x)
        return items.qsize()

    def truth(x):
        items = collections.UserList([])
        if x > 0:
            items.append(x)
        return 1.0 if items else 2.0

    for f in (length, size, truth):
        with pytest.raises(MutationError, match="has a length that only the data knows"):
            al.convert(f)(jnp.float32(2))
