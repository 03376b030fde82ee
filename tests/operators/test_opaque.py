"""Are changes refused that a library makes to an object of its own, or to an array of NumPy's?"""

from __future__ import annotations

import array
import collections
import io
import logging
import pathlib
import queue
import random
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import MutationError
from autograph_lite.operators.object_graph import opaque_objects
from tests.examples import examples

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RandomNumbersWarning")

ARRAY_WRITES = {
    "np.copyto(a, 9)": lambda a, b: np.copyto(a, 9),
    "np.put(a, [0], [9])": lambda a, b: np.put(a, [0], [9]),
    "np.place(a, a > 0, 9)": lambda a, b: np.place(a, a > 0, 9),
    "np.putmask(a, a > 0, 9)": lambda a, b: np.putmask(a, a > 0, 9),
    "np.add(b, 1, out=a)": lambda a, b: np.add(b, 1, out=a),
    "np.add(b, 1, a)": lambda a, b: np.add(b, 1, a),
    "np.add.at(a, 0, 9)": lambda a, b: np.add.at(a, 0, 9),
    "np.cumsum(b, out=a)": lambda a, b: np.cumsum(b, out=a),
    "np.nan_to_num(a, copy=False)": lambda a, b: np.nan_to_num(a, copy=False, nan=3.0),
    "np.random.shuffle(a)": lambda a, b: np.random.default_rng(0).shuffle(a),
    "a.sort()": lambda a, b: a.sort(),
    "a.fill(9)": lambda a, b: a.fill(9),
    "a[1:].fill(9)": lambda a, b: a[1:].fill(9),
    "np.copyto(a[1:], 9)": lambda a, b: np.copyto(a[1:], 9),
    "a.reshape(2, 2).sort()": lambda a, b: a.reshape(2, 2).sort(),
    "np.fill_diagonal(a.reshape(2, 2), 9)": lambda a, b: np.fill_diagonal(a.reshape(2, 2), 9),
}


@pytest.mark.parametrize("write", ARRAY_WRITES.values(), ids=ARRAY_WRITES)
def test_a_write_to_an_array_of_numpys_in_a_branch(write):
    a, b = np.array([4.0, np.nan, 2.0, 1.0]), np.arange(4.0)
    before, after = a.copy(), a.copy()
    write(after, b)

    def f(n):
        if n > 1:
            write(a, b)
        return a

    ways = [jax.jit(al.to_graph(f))]
    if write is ARRAY_WRITES["np.random.shuffle(a)"]:
        ways.append(al.convert(f))
    else:
        converted = al.convert(f)
        for n, wanted in ((0, before), (3, after)):
            converted(jnp.int32(n))
            np.testing.assert_array_equal(a, wanted)
        a[:] = before
    for run in ways:
        with pytest.raises(
            MutationError, match="array of NumPy's,? is changed in place inside a staged statement"
        ):
            run(jnp.int32(3))
        np.testing.assert_array_equal(a, before)


def test_the_message_names_the_array_and_the_line():
    table = np.arange(3.0)

    def f(n):
        for _ in range(n):
            np.sum(table)
            np.copyto(table, 9)
            np.sum(table)
        return table

    with pytest.raises(
        MutationError, match=r"^'table', an array of NumPy's.*\n.* in f\n +np\.copyto\(table, 9\)\n"
    ):
        jax.jit(al.to_graph(f))(jnp.int32(3))


def test_a_write_that_changes_nothing_and_one_to_a_new_array_are_pythons():
    a = np.arange(4.0)

    def f(n):
        if n > 1:
            np.copyto(a, np.arange(4.0))
            b = np.zeros(4)
            np.add(a, 1, out=b)
            b.sort()
            s = float(a.mean()) + float(b[0])
        else:
            s = 0.0
        return s

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)


def test_a_write_outside_of_staged_statements_is_made_once():
    a = np.zeros(2)

    @al.convert
    def f(n):
        np.add(a, 1, out=a)
        np.put(a, [0], [5])
        if n > 1:
            n = n + 1
        return n

    f(jnp.int32(3))
    np.testing.assert_array_equal(a, [5, 1])


def test_a_failure_puts_an_array_back():
    a = np.zeros(2)

    @al.convert
    def f(n):
        np.copyto(a, 1)
        return jnp.zeros(3) + jnp.zeros(n.ndim + 4)

    with pytest.raises(TypeError):
        f(jnp.int32(3))
    np.testing.assert_array_equal(a, [0, 0])


def filled_queue():
    made = queue.SimpleQueue()
    made.put(1)
    return made


OBJECTS = {
    "array item": (lambda: array.array("i", [1, 2]), lambda o: o.__setitem__(0, 7)),
    "array append": (lambda: array.array("i", [1, 2]), lambda o: o.append(7)),
    "array extend": (lambda: array.array("i", [1, 2]), lambda o: o.extend([7])),
    "memoryview": (lambda: memoryview(bytearray(3)), lambda o: o.__setitem__(0, 7)),
    "StringIO": (io.StringIO, lambda o: o.write("x")),
    "StringIO print": (io.StringIO, lambda o: print("x", file=o)),
    "BytesIO": (io.BytesIO, lambda o: o.write(b"x")),
    "Random": (lambda: random.Random(0), lambda o: o.random()),
    "Random in Python": (lambda: random.Random(0), lambda o: o.uniform(0, 1)),
    "Generator": (lambda: np.random.default_rng(0), lambda o: o.normal()),
    "RandomState": (lambda: np.random.RandomState(0), lambda o: o.rand()),
    "simple queue": (filled_queue, lambda o: o.get()),
    "counter": (collections.Counter, lambda o: o.update("a")),
}


@pytest.mark.parametrize(("make", "change"), OBJECTS.values(), ids=OBJECTS)
def test_a_change_of_a_librarys_object_in_a_branch_or_a_loop_is_refused(make, change):
    def branch(n):
        o = make()
        if n > 1:
            change(o)
        return n

    def loop(n):
        o = make()
        for _ in range(n):
            change(o)
        return n

    for f in (branch, loop):
        with pytest.raises(MutationError):
            al.convert(f)(jnp.int32(3))


DRAWS = {
    "random.random": lambda: random.random(),
    "random.gauss": lambda: random.gauss(0, 1),
    "np.random.rand": lambda: np.random.rand(),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_randomness_of_a_module_in_a_staged_statement_is_refused(draw):
    before = random.getstate(), str(np.random.get_state())

    @al.convert
    def f(n):
        x = 0.0
        while x < n:
            x += draw()
        return x

    with pytest.raises(MutationError, match=r"use jax\.random"):
        f(jnp.float32(3))
    assert (random.getstate(), str(np.random.get_state())) == before


def test_the_message_of_a_draw():
    rng = random.Random(0)

    def f(n):
        if n > 1:
            n += rng.random()
        return n

    with pytest.raises(MutationError) as caught:
        al.convert(f)(jnp.float32(3))
    first, *_, fix = str(caught.value).splitlines()
    assert (
        first == "'rng', of the type Random, is changed inside a staged statement that it does not come from."
    )
    assert fix == "  Fix: use jax.random, with a key that the function is given and splits."


def test_reading_and_objects_of_the_statements_own_are_pythons():
    numbers, text = array.array("i", [1, 2]), io.StringIO("ab")

    def f(n):
        if n > 1:
            k = numbers.count(2) + len(text.getvalue()) + numbers[0]
            own = io.StringIO()
            own.write("abc")
            k += len(own.getvalue()) + random.Random(0).randint(0, 0)
        else:
            k = n
        return k

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)


def test_caches_of_librarys_objects_are_nobodys_state():
    path, logger = pathlib.PurePath("a/b"), logging.getLogger("autograph_lite.test")

    def f(n):
        if n > 1:
            logger.debug("n")
            k = len(path.as_posix()) + len(path.joinpath("c").name)
        else:
            k = n
        return k

    for n in (3, 0):
        assert al.convert(f)(jnp.int32(n)) == f(n)


def test_outside_of_staged_statements_a_draw_is_made_once():
    rng, like = random.Random(0), random.Random(0)

    cell = types.SimpleNamespace(v=0.0)

    @al.convert
    def f(n):
        x = rng.random()
        if n > 1:
            cell.v = n * x  # found while tracing: the function is traced again
        return x

    assert f(jnp.float32(3)) == pytest.approx(like.random())
    assert rng.random() == like.random()


@examples(30)
@given(st.binary(max_size=9), st.binary(max_size=9), st.integers(0, 5))
def test_every_state_is_put_back(first, then, draws):
    objects = [
        array.array("B", first), io.BytesIO(first), io.StringIO(first.decode("latin1")),
        random.Random(draws), np.random.default_rng(draws), np.random.RandomState(draws), np.random.PCG64(draws),
        memoryview(bytearray(first + b"x")),
    ]  # fmt: skip
    places = [opaque_objects.opaque_place(o) for o in objects]
    before = [place.read() for place in places]
    objects[0].extend(then)
    objects[1].write(then)
    objects[2].write(then.decode("latin1"))
    for _ in range(draws):
        objects[3].random(), objects[4].random(), objects[5].rand(), objects[6].random_raw()
    objects[7][0] = draws
    for place, contents in zip(places, before, strict=True):
        place.write(contents)
    assert [place.read() for place in places] == before


def test_a_queue_that_is_longer_on_one_path():
    def f(n):
        o = queue.Queue()
        if n > 1:
            o.put(1)
        return n

    assert [al.convert(f)(jnp.int32(n)) for n in (0, 3)] == [0, 3]

    def size(n):
        o = queue.Queue()
        if n > 1:
            o.put(1)
        return o.qsize()

    with pytest.raises(MutationError, match="'o' has a length that only the data knows"):
        al.convert(size)(jnp.int32(3))
