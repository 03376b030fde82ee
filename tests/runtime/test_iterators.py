"""What becomes of a Python iterator in a converted function? One of its own runs while tracing; another is refused."""

from __future__ import annotations

import csv
import io
import itertools
import types
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.errors.messages import message

NUMBERS = iter([1, 2, 3])
# JAX warns of an iterator that is an argument.
pytestmark = pytest.mark.filterwarnings("ignore:Python iterable type")


def test_the_guides_iterator_as_an_argument() -> None:
    def buggy_consume_next(iterator):
        autograph_lite.print("Value:", next(iterator))

    assert message(buggy_consume_next, iter([1, 2, 3])) == (
        "IterationError: A list_iterator from outside of the function is consumed in it.\n"
        "  test.py:1 in buggy_consume_next\n"
        '      autograph_lite.print("Value:", next(iterator))\n'
        "  The function is traced once, so that every execution would get the same items.\n"
        "  Fix: pass the items as arguments, or take them from iter(autograph_lite.from_slices(arrays))."
    )


def test_an_iterator_in_a_global_a_closure_and_an_object() -> None:
    class Ids:
        values = itertools.count()

    held, generated = Ids(), (k for k in range(3))

    def of_global(x):
        return x + next(NUMBERS)

    def of_closure(x):
        return x + next(generated)

    def of_object(x):
        return x + next(held.values, 0)

    def inside_a_call(x):
        def take():
            return next(generated)

        return x + take()

    for f, kind in (
        (of_global, "list_iterator"),
        (of_closure, "generator"),
        (of_object, "count"),
        (inside_a_call, "generator"),
    ):
        text = f"A {kind} from outside of the function is consumed in it"
        with pytest.raises(autograph_lite.IterationError, match=text):
            autograph_lite.convert(f)(jnp.float32(1))


def test_a_loop_over_an_iterator_from_outside() -> None:
    def f(items):
        total = jnp.float32(0)
        for x in items:
            total = total + x
        return total

    text = "A generator from outside of the function is consumed in it"
    with pytest.raises(autograph_lite.IterationError, match=text):
        autograph_lite.convert(f)(x for x in [1.0, 2.0])


def test_an_iterator_that_is_refused_has_all_its_items() -> None:
    for take in (
        lambda it: next(it),
        lambda it: it.__next__(),
        lambda it: [x for x in it],
        lambda it: list(it),
        lambda it: sum(it),
        lambda it: [x for _, x in enumerate(it)],
        lambda it: next(zip(it, [1, 2])),
    ):
        for items in (iter([1, 2, 3]), (k for k in [1, 2, 3])):
            with pytest.raises(
                autograph_lite.IterationError, match="from outside of the function is consumed"
            ):
                autograph_lite.convert(lambda take=take, items=items: take(items))()
            assert list(items) == [1, 2, 3]


def test_an_iterator_that_statements_of_pythons_own_consume() -> None:
    def unpacks(items):
        first, *_ = items
        return first

    def adds(items):
        found = [0]
        found += items
        return found

    def generates(items):
        def inner():
            yield from items

        return [*inner()]

    for f in (unpacks, adds, generates, lambda items: len({x for x in items}), lambda items: [*items]):
        for items in (
            iter([1, 2, 3]),
            (k for k in [1, 2, 3]),
            enumerate([1, 2, 3]),
            itertools.chain([1], [2]),
            itertools.product([1, 2], [3]),
            itertools.permutations([1, 2, 3]),
            iter(iter([1, 2, 3]).__next__, 3),
        ):
            with pytest.raises(
                autograph_lite.IterationError, match="from outside of the function is consumed"
            ):
                autograph_lite.convert(lambda f=f, items=items: f(items))()


def test_an_iterator_in_a_namespace() -> None:
    held = types.SimpleNamespace(items=itertools.combinations([1, 2, 3], 2))

    with pytest.raises(autograph_lite.IterationError, match="A combinations from outside of the function"):
        autograph_lite.convert(lambda: [*held.items])()


def test_iterators_of_libraries_written_in_c_and_files() -> None:
    for items in (csv.reader(["1,2", "3,4"]), io.StringIO("a\nb\n"), np.nditer(np.arange(3))):
        for take in (list, tuple):
            with pytest.raises(
                autograph_lite.IterationError, match="from outside of the function is consumed"
            ):
                autograph_lite.convert(lambda take=take, items=items: take(items))()


def test_such_iterators_of_the_functions_own() -> None:
    def f(x):
        for a, b in itertools.product([1, 2], [3, 4]):
            x = x + a * b
        rows = list(csv.reader(io.StringIO("1,2\n3,4")))
        return x + len(rows) + len({*iter(iter([5, 6, 7]).__next__, 7)}) + sum(np.arange(4).flat)

    converted = autograph_lite.convert(f)
    assert [int(converted(jnp.int32(1))) for _ in range(2)] == [f(1), f(1)]


def test_a_file_from_outside_is_written_to() -> None:
    file = io.StringIO()

    @autograph_lite.convert
    def f(x):
        file.write("traced")
        return x

    assert [int(f(jnp.int32(1))) for _ in range(2)] == [1, 1]
    assert file.getvalue() == "traced"


def test_an_iterator_that_is_only_there() -> None:
    numbers = [1, 2]
    pairs = itertools.product(numbers, numbers)
    it, generated = iter(numbers), (k for k in numbers)

    @autograph_lite.convert
    def f(x):
        numbers.append(3)
        found = list(iter(numbers))
        numbers.pop()
        assert it is not generated is not pairs
        return x + sum(found)

    assert [int(f(jnp.int32(0))) for _ in range(2)] == [6, 6]
    assert list(it) == list(generated) == [1, 2]
    assert len(list(pairs)) == 4


def test_an_iterator_of_the_functions_own_that_others_can_see() -> None:
    held: dict[str, Any] = {}

    @autograph_lite.convert
    def f(x):
        held["it"] = iter([1, 2])
        first = next(held["it"])
        del held["it"]
        return x + first

    assert [int(f(jnp.int32(0))) for _ in range(2)] == [1, 1]


def test_the_functions_own_iterators_are_its_own_alone_after_they_are_looked_at() -> None:
    @autograph_lite.convert
    def f(x):
        for v in map(abs, [-1, 2, 3]):
            if v > x:
                break
        return v

    assert [int(f(jnp.int32(x))) for x in (0, 2, 5)] == [1, 3, 3]


def test_an_iterator_of_the_functions_own() -> None:
    @autograph_lite.convert
    def f(x):
        items = iter([1, 2, 3])
        squares = (k * k for k in [1, 2, 3])
        x = x + next(items) + 10 * next(items) + 100 * next(squares)
        for item in items:
            x = x + 1000 * item
        return x + next(items, 0)

    for _ in range(2):
        assert f(jnp.int32(0)) == 3121


def test_a_list_from_outside_is_iterated_over() -> None:
    numbers: list[Any] = [1, 2, 3]

    @autograph_lite.convert
    def f(x, more):
        for k, m in zip(numbers, more, strict=True):
            x = x + k * m
        return x

    assert f(jnp.int32(0), [1, 10, 100]) == 321


def test_in_init_scope_an_item_is_taken_for_each_trace() -> None:
    numbers = iter([1, 2, 3])

    @autograph_lite.convert
    def f(x, name):
        with autograph_lite.init_scope():
            number = next(numbers)
        return x + number

    assert (f(jnp.int32(0), "a"), f(jnp.int32(0), "a"), f(jnp.int32(0), "b")) == (1, 1, 2)
