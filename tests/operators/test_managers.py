"""Context managers that a generator makes, and functions under functools.lru_cache: is what they change undone and carried?"""

from __future__ import annotations

import contextlib
import functools

import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import IterationError, MutationError
from tests.errors.messages import message
from tests.operators.agreement import agree

count = 0.0
table = {"n": 0.0}


@contextlib.contextmanager
def counted():
    global count
    count += 1
    table["n"] += 1
    try:
        yield 2.0
    finally:
        count += 10
        table["n"] += 10


@counted()
def decorated(x):
    return x * 2


class Own(contextlib.ContextDecorator):
    def __enter__(self):
        global count
        count += 1
        return self

    def __exit__(self, *error):
        table["n"] += 10


@Own()
def decorated_by_a_class(x):
    return x * 2


def state():
    """Global variables that begin anew."""
    global count
    count = 0.0
    table["n"] = 0.0


def one_path(x):
    state()
    if x > 0:
        with counted() as scale:
            x = x * scale
    return x, count, table["n"]


def an_early_return(x):
    state()
    with counted() as scale:
        if x > 0:
            return x * scale, count, table["n"]
    return x, count, table["n"]


def a_loop_that_is_left(x):
    state()
    y = x
    while y < 4 * x:
        with counted() as scale:
            y = y + scale
            if y > 7:
                break
    return y, count, table["n"]


def a_loop_over_the_rest_of_whose_body_is_gone(x):
    state()
    y = x
    for _ in range(4):
        with counted() as scale:
            if y > 4:
                continue
            y = y + scale
    return y, count, table["n"]


def two_at_once(x):
    state()
    if x > 0:
        with counted() as scale, counted() as other:
            x = x * scale if x > 1 else x * other
    return x, count, table["n"]


def a_stack_of_its_own(x):
    state()
    if x > 0:
        with contextlib.ExitStack() as stack:
            x = x * stack.enter_context(counted())
            stack.callback(table.update, n=5.0)
    return x, count, table["n"]


def by_hand(x):
    state()
    if x > 0:
        manager = counted()
        x = x * manager.__enter__()
        manager.__exit__(None, None, None)
    return x, count, table["n"]


def a_decorator(x):
    state()
    if x > 0:
        x = decorated(x)
    return x, count, table["n"]


def a_decorator_that_is_a_class(x):
    state()
    if x > 0:
        x = decorated_by_a_class(x)
    return x, count, table["n"]


def a_local_one(x):
    count, total = 0, x

    @contextlib.contextmanager
    def scaled(k):
        nonlocal count, total
        count += 1
        total = total * k
        yield total
        total = total / k

    for _ in range(3):
        with scaled(2.0) as y:
            if y > 50:
                break
            if y < 3:
                total = total + 1
                continue
        total = total + 3
    return count, total


RIGHT = [
    one_path, an_early_return, a_loop_that_is_left, a_loop_over_the_rest_of_whose_body_is_gone, two_at_once,
    a_stack_of_its_own, by_hand, a_decorator, a_decorator_that_is_a_class, a_local_one,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=[f.__name__ for f in RIGHT])
def test_what_a_manager_changes_on_one_path_is_that_paths_alone(f):
    agree(f, 3.0, -2.0, 0.5)


def test_a_manager_from_outside_of_the_statement_that_enters_it() -> None:
    def f(x):
        manager = counted()
        if x > 0:
            with manager as scale:
                x = x * scale
        return x

    assert message(f, jnp.float32(2)) == (
        "IterationError: A context manager that 'counted' has made outside of a staged statement is entered in it.\n"
        "  test.py:3 in f\n"
        "      with manager as scale:\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  A generator can be entered once, but the staged statement is traced once for all its executions.\n"
        "  Fix: make it where it is entered: `with counted(...):`."
    )


def test_a_manager_from_outside_of_the_function() -> None:
    manager = counted()

    def f(x):
        with manager as scale:
            return x * scale

    with pytest.raises(IterationError, match="'counted' has made outside of a function is entered in it"):
        al.convert(f)(jnp.float32(2))


def test_a_stack_that_a_path_adds_to() -> None:
    def f(x):
        log = []
        with contextlib.ExitStack() as stack:
            if x > 0:
                stack.callback(log.append, 1.0)
        return log

    assert message(f, jnp.float32(2)) == (
        "MutationError: 'stack', of the type ExitStack, is changed inside a staged statement that it does not come from.\n"
        "  test.py:4 in f\n"
        "      stack.callback(log.append, 1.0)\n"
        "  test.py:3 in f\n"
        "      if x > 0:\n"
        "  The statement is traced once: the change would be made then, and not each time that the program runs it.\n"
        "  Fix: call it before the statement, or write a `with` inside the statement."
    )


@functools.lru_cache
def remembered(k):
    table["n"] += k
    return k


@functools.lru_cache
def squares(k):
    found = []
    for i in range(k):
        found.append(i * i)
    return sum(found)


def test_a_remembering_function_that_changes_something_on_one_path() -> None:
    def f(x):
        if x > 0:
            x = x + remembered(3)
        return x

    remembered.cache_clear()
    table["n"] = 0.0
    for _ in range(2):
        remembered.cache_clear()
        assert message(f, jnp.float32(2)) == (
            "MutationError: 'a dict's item 'n'' is changed by 'remembered', whose results functools.lru_cache keeps.\n"
            "  test.py:2 in f\n"
            "      x = x + remembered(3)\n"
            "  It runs where the cache has no result yet, and in a staged statement that depends on the data.\n"
            "  Fix: don't cache 'remembered', or return the new value from it and change 'a dict's item 'n'' where it is called."
        )
        assert table == {"n": 0.0}


def test_a_remembering_function_that_changes_a_variable_around_it() -> None:
    def f(x):
        calls = 0

        @functools.cache
        def remembered(k):
            nonlocal calls
            calls += 1
            return k

        if x > 0:
            x = x + remembered(3)
        return x, calls

    with pytest.raises(MutationError, match="'calls' is changed by 'remembered'"):
        al.convert(f)(jnp.float32(2))


def test_a_remembering_function_that_changes_nothing_of_others() -> None:
    def f(x):
        while x < 20:
            x = x * 2 + squares(4) + squares(4)
        return x

    agree(f, 3.0, 30.0)
    squares.cache_clear()
    agree(f, 3.0, 30.0)


def test_a_remembering_function_outside_of_staged_statements_may_change_something() -> None:
    def f(x):
        remembered(3)
        remembered(3)
        if x > 0:
            x = x + table["n"]
        return x

    def run(convert):
        remembered.cache_clear()
        table["n"] = 0.0
        return float(convert(f)(jnp.float32(2)))

    assert run(al.convert) == run(lambda fn: fn) == 5.0
