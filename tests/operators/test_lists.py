"""Does a list that grows in a staged loop hold what Python's would?"""

from __future__ import annotations

import collections
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import MutationError

XS = np.arange(1.0, 13.0, dtype=np.float32)


def agree(fn, *args):
    """Compares the converted function, everything traced, with plain Python on NumPy's values."""
    staged = jax.jit(al.to_graph(fn))(*args)
    plain = fn(*args)
    assert jax.tree.structure(staged) == jax.tree.structure(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), staged, plain)


def doubled(xs):
    ys = []
    alias = ys
    for x in xs:
        ys.append(2 * x)
    return alias, len(ys), ys[-1], ys[0], sum(ys), ys.pop()


def recurrent(xs):
    hs = [0 * xs[0]]
    for x in xs:
        hs.append(0.5 * hs[-1] + x)
    return hs


def recurrent_from_empty(xs):
    hs = []
    for x in xs:
        if hs:
            hs.append(0.5 * hs[-1] + x)
        else:
            hs.append(x)
    return hs


def fibonacci(xs):
    ys = [xs[0], xs[1]]
    for x in xs:
        ys.append(0.1 * ys[-1] - ys[-2] + x)
    return ys


def counted(xs):
    ys = []
    for x in xs:
        if len(ys) < 5:
            ys.append(x)
        else:
            ys.append(-x)
        ys += [len(ys) * x]
    return ys


def backwards(xs):
    ys = []
    for i, x in enumerate(reversed(xs)):
        ys.append((x, {"index": i}, 1))
    return ys


def rows_of_rows(xs):
    ys = []
    for x in xs:
        row = []
        for z in xs[:3]:
            row.append(x * z)
        ys.append(row)
    return ys


def flat_product(xs):
    ys = []
    for x in xs:
        for z in xs[:3]:
            ys.append(x * z)
    return ys


def stack_machine(xs):
    ys = [xs[0], xs[1]]
    for x in xs:
        a, b = ys.pop(), ys.pop()
        ys.append(a + x)
        ys.append(b)
        ys.extend([a - b])
    return ys


def balanced(xs):
    stack = [xs[0]]
    for x in xs:
        stack.append(stack.pop() + x)
    return stack


def first_item_changes(xs):
    ys = [xs[0]]
    for x in xs:
        ys.append(x)
        ys[0] = ys[0] + x
    return ys


def dtypes(xs):
    ys = []
    for x in xs:
        if x > 3:
            ys.append(x)
        else:
            ys.append(1)
    return ys


def first_of_all(xs):
    ys = []
    for x in xs:
        ys.append(x)
        first = ys[0]
        ys.append(first)
    return ys


def copies(xs):
    ys = [xs[0]]
    for x in xs:
        ys.append(ys[-1])
        ys.append(x)
    return ys


class Recorder:
    def __init__(self):
        self.history = []

    def note(self, value):
        self.history.append(value)


def in_an_object(xs):
    recorder = Recorder()
    for x in xs:
        recorder.note(x * x)
    return recorder.history


PROGRAMS = [
    doubled, recurrent, recurrent_from_empty, fibonacci, counted, backwards, rows_of_rows, flat_product,
    stack_machine, balanced, first_of_all, copies, first_item_changes, dtypes, in_an_object,
]  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_the_list_is_pythons(fn):
    agree(fn, XS)


@given(st.lists(st.floats(-2, 2, width=32), min_size=3, max_size=6), st.sampled_from(PROGRAMS))
def test_the_list_is_pythons_on_any_values(values, fn):
    agree(fn, np.array(values, np.float32))


def test_items_of_a_growing_list_are_differentiable():
    def loss(xs):
        return sum(h * h for h in recurrent(xs))

    def plain(xs):
        return sum(h * h for h in recurrent(list(xs)))

    np.testing.assert_allclose(jax.grad(al.to_graph(loss))(XS), jax.grad(plain)(XS), rtol=1e-4)


def test_a_growing_list_can_be_batched():
    batch = np.stack([XS, -XS])
    staged = jax.vmap(al.to_graph(fibonacci))(batch)
    np.testing.assert_allclose(staged, np.stack([fibonacci(row) for row in batch], 1), rtol=1e-4)


def test_the_body_is_traced_once_however_long_the_loop():
    def fn(xs):
        ys = []
        for x in xs:
            ys.append(jnp.sin(x) * jnp.cos(x) + jnp.exp(x))
        return jnp.stack(ys)

    def sines(n):
        return str(jax.make_jaxpr(al.to_graph(fn))(jnp.ones(n))).count("= sin ")

    assert sines(3) == sines(100) == 1


def test_a_list_of_the_caller_is_the_same_object():
    log = []

    def fn(xs):
        for x in xs:
            log.append(x + 1)
        return len(log)

    assert al.convert(fn)(XS) == 12
    np.testing.assert_allclose(log, XS + 1)
    assert not any(isinstance(v, jax.core.Tracer) for v in log)


def message(fn, *args):
    with pytest.raises(MutationError) as found:
        al.convert(fn)(*args)
    return str(found.value)


def test_a_deque_changes_at_both_ends_and_is_read_as_a_whole():
    def shrinks(xs):
        ys = collections.deque([1.0, 2.0, 3.0, 4.0] * 4)
        total = 0.0
        for x in xs:
            total += x * ys.pop()
        return total

    def grows_in_front(xs):
        ys = collections.deque([xs[0]])
        for x in xs:
            ys.appendleft(x)
        return len(ys), ys[0], ys[-1]

    def is_read(xs):
        ys = collections.deque([xs[0]])
        for x in xs:
            ys.append(x + sum(ys))
        return list(ys)

    for fn in (shrinks, grows_in_front, is_read):
        found, expected = al.convert(fn)(XS), fn(np.asarray(XS))
        np.testing.assert_allclose(
            np.asarray(jax.tree.leaves(found)), np.asarray(jax.tree.leaves(expected)), rtol=1e-6
        )


def test_objects_made_in_the_loop_are_refused():
    class Point:
        def __init__(self, x):
            self.x = x

    def fn(xs):
        ys = []
        for x in xs:
            ys.append(Point(x))
        return ys

    many = np.arange(100, dtype=np.float32)
    assert "A Point object that is made in a staged loop is put into a list." in message(fn, many)


def test_a_refused_loop_leaves_the_list_as_it_was():
    log = [1.0]

    def fn(xs):
        for x in xs:
            log.append(x)
            if x > 3:
                log.insert(0, x)

    message(fn, XS)
    assert log == [1.0]


def test_an_object_holds_a_list_that_grows_beside_what_a_branch_makes_and_changes():
    class Log:
        def __init__(self):
            self.seen = []
            self.total = 0.0

    def fn(xs):
        log, last = Log(), [xs[0]]
        for x in xs:
            log.seen.append(x)
            if x > 3:
                last = [2 * last[0] - x]
                log.total += x
        return log.seen, log.total, last

    agree(fn, XS)


def test_unpacking_what_a_filter_has_left():
    def both(xs):
        first, second = [x for x in xs if x > 3]
        return first, second

    found = al.convert(both)(jnp.array([5.0, 1.0, 4.0]))
    assert [float(x) for x in found] == [5, 4]
    for xs, text in (
        ([5, 1], "not enough values to unpack (expected 2, got 1)"),
        ([5, 4, 6], "too many values"),
    ):
        with pytest.raises(ValueError, match=re.escape(text)):
            al.convert(both)(jnp.array(xs))


def test_unpacking_a_part_of_a_list_that_got_longer():
    def last(xs):
        seen = []
        for x in xs:
            if x > 3:
                seen.append("large" if x > 5 else "small")
        (word,) = seen[-1:] or ["none"]
        try:
            first, second = seen
        except ValueError:
            return word, "not two"
        return word, first, second

    for xs in ([5, 1], [5, 6], [1, 2], [6, 5, 7]):
        assert al.convert(last)(jnp.array(xs)) == last(xs)


class Held:
    pass


def in_an_attribute(values):
    held = Held()
    held.values = values
    first, second = held.values
    return first


def under_another_name(values):
    first, second = values
    return first


def in_a_loop(values):
    for first, second in [values]:
        return first


@pytest.mark.parametrize("unpack", [in_an_attribute, under_another_name, in_a_loop])
def test_an_unpacking_that_nothing_shows_is_no_value_error_that_is_caught(unpack):
    def caught(xs):
        seen = []
        for x in xs:
            if x > 3:
                seen.append(x)
        try:
            return unpack(seen)
        except ValueError:
            return -1.0

    with pytest.raises(MutationError, match="'seen' has a length that only the data knows") as error:
        al.convert(caught)(jnp.array([5.0, 4.0]))
    assert "first, second" in error.value.where[0].text


@pytest.mark.parametrize("part", [slice(None, 1), slice(1, None)], ids=["stop", "start"])
def test_a_bound_of_a_list_that_is_no_integer_is_pythons_error(part):
    def first(x):
        values = [0, 1, 2]
        return values[:x] if part.start is None else values[x:]

    with pytest.raises(TypeError, match="slice indices must be integers"):
        al.convert(first)(jnp.float32(1))
