"""Does a traced value never stay where no list, dict or attribute holds it: in a ContextVar, a queue, a cache, a generator?"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import queue
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import Variable
from tests.errors.messages import message

CURRENT: contextvars.ContextVar[Any] = contextvars.ContextVar("CURRENT")
SCALE: contextvars.ContextVar[Any] = contextvars.ContextVar("SCALE", default=2.0)


def test_a_context_variable_is_set_at_each_call_to_an_array() -> None:
    @autograph_lite.convert
    def f(x):
        CURRENT.set(x * 2)
        return x

    def run():
        for x in (1.0, 2.0):
            f(jnp.float32(x))
            assert float(CURRENT.get()) == 2 * x

    contextvars.copy_context().run(run)
    assert CURRENT not in contextvars.copy_context()


def test_a_context_variable_that_a_call_has_set_is_read_at_the_next() -> None:
    @autograph_lite.convert
    def f(x):
        SCALE.set(SCALE.get() + x)
        return SCALE.get()

    def run():
        found = [float(f(jnp.float32(x))) for x in (1, 2)]
        SCALE.set(jnp.float32(10))
        return [*found, float(f(jnp.float32(1)))]

    assert contextvars.copy_context().run(run) == [3, 5, 11]


def test_a_context_variable_set_under_a_traced_condition_keeps_its_value_where_python_does() -> None:
    @autograph_lite.convert
    def f(x):
        if x > 0:
            SCALE.set(x)
        return x

    def run(x):
        SCALE.set(2.0)
        f(jnp.float32(x))
        return float(SCALE.get())

    assert [contextvars.copy_context().run(run, x) for x in (3, -3)] == [3, 2]


def test_a_context_variable_set_on_one_path_needs_a_value_before() -> None:
    def f(x):
        if x > 0:
            CURRENT.set(x)
        return x

    assert message(f, jnp.float32(1)) == (
        "MutationError: 'CURRENT' exists on one path of a staged statement and not on another.\n"
        "  test.py:2 in f\n"
        "      CURRENT.set(x)\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so the program must know what is there without knowing the path.\n"
        "  Fix: create 'CURRENT' before the statement, with a value of the same type."
    )
    assert CURRENT not in contextvars.copy_context()


def test_a_context_variable_that_a_call_sets_and_resets_is_as_it_was() -> None:
    @contextlib.contextmanager
    def scaled(value):
        token = SCALE.set(value)
        try:
            yield
        finally:
            SCALE.reset(token)

    @autograph_lite.convert
    def f(x):
        with scaled(x):
            return SCALE.get() * x

    assert float(f(jnp.float32(3))) == 9
    assert SCALE not in contextvars.copy_context()


def test_a_call_that_fails_leaves_a_context_variable_as_it_was() -> None:
    @autograph_lite.convert
    def f(x):
        CURRENT.set(x)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        f(jnp.float32(1))
    assert CURRENT not in contextvars.copy_context()


def test_a_context_variable_is_that_of_each_task() -> None:
    @autograph_lite.convert
    def f(x):
        SCALE.set(SCALE.get() * x)
        return x

    async def task(x):
        f(jnp.float32(x))
        await asyncio.sleep(0)
        f(jnp.float32(x))
        return float(SCALE.get())

    async def run():
        return await asyncio.gather(*map(task, (1, 2, 3)))

    assert asyncio.run(run()) == [2, 8, 18]


def test_a_traced_value_is_not_left_in_a_simple_queue() -> None:
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    waiting.put([1])

    def f(x):
        waiting.put({"x": x * 2})
        return x

    assert message(f, jnp.float32(1)) == (
        "MutationError: 'waiting', of the type SimpleQueue, is left with a traced value in it.\n"
        "  test.py:1 in f\n"
        '      waiting.put({"x": x * 2})\n'
        "  The program gives arrays to lists, dicts and attributes; here it can't, and a tracer would stay.\n"
        "  Fix: return the value, and put it into the queue after the call."
    )
    assert (waiting.get(), waiting.empty()) == ([1], True)


def test_a_simple_queue_is_not_changed_under_a_traced_condition() -> None:
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()

    def f(x):
        if x > 0:
            waiting.put(1)
        return x

    assert message(f, jnp.float32(1)) == (
        "MutationError: 'waiting', of the type SimpleQueue, is changed inside a staged statement that it does not come from.\n"
        "  test.py:2 in f\n"
        "      waiting.put(1)\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The statement is traced once: the change would be made then, and not each time that the program runs it.\n"
        "  Fix: return the value, and put it into the queue after the call."
    )
    assert waiting.empty()


def test_what_python_puts_into_a_simple_queue_is_put_there_while_tracing() -> None:
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    waiting.put(0)
    count = Variable(0)

    @autograph_lite.convert
    def f(x):
        waiting.put(1)
        count.assign_add(1)
        return x

    f(jnp.float32(1)), f(jnp.float32(2))
    assert [waiting.get(), waiting.get(), waiting.empty()] == [0, 1, True]


def test_a_simple_queue_of_the_calls_own_holds_traced_values() -> None:
    @autograph_lite.convert
    def f(x):
        own: queue.SimpleQueue[Any] = queue.SimpleQueue()
        own.put([x])
        own.put(x * 2)
        return own.get()[0] + own.get()

    assert [float(f(jnp.float32(x))) for x in (1, 2)] == [3, 6]


def test_a_traced_value_is_not_sent_to_a_generator_from_outside() -> None:
    def collect():
        while True:
            yield

    generator = collect()
    next(generator)

    def f(x):
        generator.send(x)
        return x

    assert message(f, jnp.float32(1)) == (
        "IterationError: A generator from outside of the function is consumed in it.\n"
        "  test.py:1 in f\n"
        "      generator.send(x)\n"
        "  The function is traced once, so that every execution would get the same items.\n"
        "  Fix: pass the items as arguments, or take them from iter(autograph_lite.from_slices(arrays))."
    )


def test_a_generator_of_the_calls_own_is_sent_traced_values() -> None:
    @autograph_lite.convert
    def f(x):
        def summing():
            total = 0
            while True:
                total = total + (yield total)

        generator = summing()
        next(generator)
        generator.send(x)
        return generator.send(x * 2)

    assert [float(f(jnp.float32(x))) for x in (1, 2)] == [3, 6]


def test_a_traced_value_is_not_left_in_a_functions_cache() -> None:
    @functools.lru_cache
    def table():
        return jnp.arange(3.0) * 2

    def f(x):
        return table() + x

    expected = (
        "MutationError: 'table' returns a traced value, which its functools.lru_cache would keep.\n"
        "  test.py:1 in f\n"
        "      return table() + x\n"
        "  The value belongs to the trace of this function; a later call would be given it again.\n"
        "  Fix: call it once before, outside of the function, so that it keeps an array; or don't cache it."
    )
    assert [message(f, jnp.float32(1)), message(f, jnp.ones(3))] == [expected] * 2
    assert table.cache_info().currsize == 0
    table()
    assert autograph_lite.convert(f)(jnp.float32(1)).tolist() == [1, 3, 5]


def test_a_traced_value_is_not_left_in_a_methods_cache() -> None:
    class Model:
        def __init__(self):
            self.w = Variable(2.0)

        @functools.cache  # noqa: B019
        def doubled(self):
            return self.w.value * 2

    model = Model()

    def f(x):
        return model.doubled() * x

    assert message(f, jnp.float32(1)).startswith(
        "MutationError: 'doubled' returns a traced value, which its functools.lru_cache would keep.\n"
    )
    assert model.doubled() == 4


def test_a_cache_of_the_calls_own_keeps_traced_values() -> None:
    @autograph_lite.convert
    def f(x):
        @functools.cache
        def power(n):
            return x if n == 1 else power(n - 1) * x

        return power(3) + power(2)

    assert [float(f(jnp.float32(x))) for x in (1, 2)] == [2, 12]


def test_a_cache_used_in_a_staged_statement_is_not_left_with_its_values() -> None:
    def f(x):
        @functools.cache
        def power(n):
            return jax.numpy.float32(n) * x

        y = power(2) if x > 0 else -power(2)
        return y + power(2)

    assert message(f, jnp.float32(1)).startswith(
        "MutationError: 'power' returns a traced value, which its functools.lru_cache would keep.\n"
    )


def test_a_value_in_a_functions_attributes_is_an_array() -> None:
    def helper():
        return None

    @autograph_lite.convert
    def f(x):
        helper.last = x
        vars(helper)["first"] = x * 2
        return x

    for x in (1.0, 2.0):
        f(jnp.float32(x))
        assert {name: float(value) for name, value in vars(helper).items()} == {"last": x, "first": 2 * x}
