"""What do errors say about loops that can not be staged?"""

from __future__ import annotations

import collections.abc
import itertools

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import UnrolledLoopWarning
from autograph_lite.operators.iteration import python_carries
from autograph_lite.operators.loops import while_stmt

from .messages import message


def test_a_generator_that_next_takes_from_in_a_staged_loop() -> None:
    def f(n):
        items = (k for k in [1, 2, 3])
        total = 0
        for i in range(n):
            total += next(items)
        return total

    assert message(f, jnp.int32(3)) == (
        "IterationError: A generator is consumed inside a staged statement that it does not come from.\n"
        "  test.py:4 in f\n"
        "      total += next(items)\n"
        "  test.py:3 in f\n"
        "      for i in range(n):\n"
        "  The statement is traced once, so that every execution would get the same items, whether it runs or not.\n"
        "  Fix: take the items before the statement, or iterate over an array."
    )


def test_a_generator_that_a_loop_takes_from_in_a_staged_loop() -> None:
    def f(n):
        def naturals():
            yield 1
            yield 2

        items = naturals()
        total = 0
        while total < n:
            for k in items:
                total += k
        return total

    assert message(f, jnp.int32(3)) == (
        "IterationError: A generator is consumed inside a staged statement that it does not come from.\n"
        "  test.py:8 in f\n"
        "      for k in items:\n"
        "  test.py:7 in f\n"
        "      while total < n:\n"
        "  The statement is traced once, so that every execution would get the same items, whether it runs or not.\n"
        "  Fix: take the items before the statement, or iterate over an array."
    )


def test_yield_under_a_traced_condition() -> None:
    def f(xs):
        def positive():
            for x in xs:
                if x > 0:
                    yield x

        items = positive()
        return sum(items)

    assert message(f, jnp.ones(3)) == (
        "PythonOnlyError: A traced value, bool[], decides where only Python can.\n"
        "  test.py:3 in positive\n"
        "      if x > 0:\n"
        "  'positive' is a generator: it suspends between its statements, so none of them can be compiled, but where the header "
        "of a `for` calls it, and no `yield` stands in `try`, `with` or an expression.\n"
        "  Fix: take its items by `for item in positive(...):`; or write the decision with jnp.where."
    )


def test_a_traced_condition_in_the_body_of_a_class() -> None:
    def f(x):
        class Options:
            if x > 0:
                rate = 1
            else:
                rate = 2

        return Options.rate

    assert message(f, jnp.float32(2)) == (
        "PythonOnlyError: A traced value, bool[], decides where only Python can.\n"
        "  test.py:2 in Options\n"
        "      if x > 0:\n"
        "  'Options' is a class, whose body runs as Python.\n"
        "  Fix: move the decision into a plain function, or write it with jnp.where."
    )


def test_yield_in_a_loop_with_a_traced_bound() -> None:
    def f(n):
        def first():
            for i in range(n):
                yield i

        items = first()
        return sum(items)

    assert message(f, jnp.int32(3)) == (
        "IterationError: Python iterates over a range with a traced bound.\n"
        "  test.py:2 in first\n"
        "      for i in range(n):\n"
        "  The number of items is not known while tracing; only a `for` statement can be staged, in a function without "
        "`yield`, `await` and jumps out of `finally`.\n"
        "  Fix: write the `for` loop in such a function, or use a static bound."
    )


def test_a_jump_out_of_finally_in_a_loop_with_a_traced_bound() -> None:
    def f(n):
        for i in range(n):
            try:
                n += i
            finally:
                continue
        return n

    assert message(f, jnp.int32(3)) == (
        "IterationError: Python iterates over a range with a traced bound.\n"
        "  test.py:1 in f\n"
        "      for i in range(n):\n"
        "  The number of items is not known while tracing; only a `for` statement can be staged, in a function without "
        "`yield`, `await` and jumps out of `finally`.\n"
        "  Fix: write the `for` loop in such a function, or use a static bound."
    )


def test_an_endless_iterator_that_a_traced_value_ends() -> None:
    def f(x):
        for k in itertools.cycle([1, 2]):
            if k > x:
                break
        return k

    assert message(f, jnp.int32(3)) == (
        "IterationError: A traced value ends a loop over a cycle.\n"
        "  test.py:1 in f\n"
        "      for k in itertools.cycle([1, 2]):\n"
        "  Python takes the items while tracing, before the value is known: it would take all of them.\n"
        "  Fix: iterate over a list, a range or an array, or write a `while` loop."
    )


def test_recursion_on_a_traced_value() -> None:
    def f(n):
        def countdown(n):
            return [] if n < 1 else [n, *countdown(n - 1)]

        return countdown(n)

    assert message(f, jnp.int32(3)) == (
        "TracedRecursionError: 'countdown' calls itself on traced values: countdown -> countdown.\n"
        "  test.py:2 in countdown\n"
        "      return [] if n < 1 else [n, *countdown(n - 1)]\n"
        "  Whether the recursion ends depends on a traced value, so tracing it would never end, and no stack is made for it: it gives "
        "a list, a dict or an object, or may give nothing.\n"
        "  Fix: write it as a loop, or recurse on a Python value."
    )


def test_a_staged_raise_in_a_method_that_a_library_calls() -> None:
    class Doubled(collections.abc.Mapping):
        def __getitem__(self, key):
            if key < 0:
                raise ValueError("negative")
            return key * 2

        __len__ = __iter__ = None

    def f(x):
        table = Doubled()
        try:
            y = table.get(x)
        except ValueError:
            y = -x
        return y

    assert message(f, jnp.float32(2)) == (
        "HandledRaiseError: 'ValueError' is raised under a traced condition inside a `try` that catches it.\n"
        "  test.py:-5 in __getitem__\n"
        '      raise ValueError("negative")\n'
        "  test.py:2 in f\n"
        "      try:\n"
        "  'get', which it leaves, goes on in the program: it is not called by name in a converted function.\n"
        "  Fix: write the condition as an `if` with the handler's code in its branch."
    )


def test_an_endless_iterator_that_a_raise_ends() -> None:
    def f(x):
        for k in itertools.count():
            if k > x:
                raise ValueError(k)
        return x

    assert message(f, jnp.int32(3)) == (
        "IterationError: A traced value ends a loop over a count.\n"
        "  test.py:1 in f\n"
        "      for k in itertools.count():\n"
        "  Python takes the items while tracing, before the value is known: it would take all of them.\n"
        "  Fix: iterate over a list, a range or an array, or write a `while` loop."
    )


def test_a_generator_without_an_end_that_a_raise_ends() -> None:
    def f(x):
        def naturals():
            k = 0
            while True:
                yield k
                k += 1

        items = naturals()
        for k in items:
            if k > x:
                raise ValueError(k)
        return x

    with pytest.warns(UnrolledLoopWarning):
        text = message(f, jnp.int32(3))
    assert text == (
        "IterationError: A traced value ends a loop over a generator.\n"
        "  test.py:8 in f\n"
        "      for k in items:\n"
        "  Python takes the items while tracing, before the value is known: it has taken 1025, and found no end.\n"
        "  Fix: iterate over a list, a range or an array, or write a `while` loop."
    )


def test_an_endless_while_that_a_raise_ends(monkeypatch) -> None:
    monkeypatch.setattr(while_stmt, "_MOST", 300)  # of 1,024, each of which is traced

    def f(x):
        n = 0
        while True:
            if n > x:
                raise ValueError(n)
            if "a" * n == "b":
                break
            n += 1
        return x

    with pytest.warns(UnrolledLoopWarning):
        text = message(f, jnp.float32(3))
    assert text == (
        "IterationError: A failing check is all that is known to end a `while` loop.\n"
        "  test.py:2 in f\n"
        "      while True:\n"
        "  Python runs it while tracing, before it is known whether the check fails: 300 times, and found no end.\n"
        "  Fix: count its iterations by an array, jnp.asarray(0), or give the loop a condition that does not hold for ever."
    )


def test_an_endless_while_that_a_raise_ends_is_a_loop_where_it_can_be(monkeypatch) -> None:
    monkeypatch.setattr(python_carries, "STEPS", 100)  # so many equations are gone through for its end

    def f(x):
        t = 0.0
        while True:
            if t > x:
                raise ValueError(t)
            if t < -1.0:
                break
            t += 0.5
        return x

    with pytest.raises(ValueError, match=r"3\.5"):
        autograph_lite.convert(f)(jnp.float32(3))


def test_an_iterator_that_a_traced_value_ends() -> None:
    def f(n):
        class Count:
            def __init__(self, n):
                self.i, self.n = 0, n

            def __iter__(self):
                return self

            def __next__(self):
                if self.i >= self.n:
                    raise StopIteration
                self.i += 1
                return self.i

        return sum(Count(n))

    assert message(f, jnp.int32(3)) == (
        "HandledRaiseError: 'StopIteration' is raised under a traced condition in a `__next__`.\n"
        "  test.py:10 in __next__\n"
        "      raise StopIteration\n"
        "  Python takes the items of an iterator while tracing, before it is known how many there are.\n"
        "  Fix: iterate over a range or an array, or write a `while` loop."
    )


class Table:
    """Known to Python as a sequence, by its `__getitem__` alone; a traced value ends it."""

    def __init__(self, n):
        self.n = n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError("beyond the table")
        return 2 * i


def looped(n):
    total = 0
    for v in Table(n):
        total += v
    return total


ITERATED = {
    "for": looped,
    "list": lambda n: list(Table(n)),
    "sum": lambda n: sum(Table(n)),
    "in": lambda n: 4 in Table(n),
    "star": lambda n: [*Table(n)],
    "generator": lambda n: max(v for v in Table(n)),
    "zip": lambda n: next(zip(Table(n), range(9)))[0] + sum(v for _, v in zip(range(9), Table(n))),
}
WAYS = {"convert": autograph_lite.convert, "jit": lambda f: jax.jit(autograph_lite.to_graph(f))}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", ITERATED)
def test_a_sequence_that_a_traced_value_ends(program, way) -> None:
    with pytest.raises(autograph_lite.HandledRaiseError) as error:
        WAYS[way](ITERATED[program])(jnp.int32(3))
    assert error.value.what == "'IndexError' is raised under a traced condition in a `__getitem__`."


def test_an_item_of_such_a_sequence_is_checked() -> None:
    first, last = (
        autograph_lite.convert(lambda n, i=i: Table(n)[i] + Table(n).__getitem__(0)) for i in (1, 5)
    )
    assert first(jnp.int32(3)) == 2
    with pytest.raises(IndexError, match="beyond the table"):
        last(jnp.int32(3))
