"""What is left of a trace that raises, who traces where several threads call, and what becomes of recursion?"""

from __future__ import annotations

import threading
import time
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite

from .probe import C, Probe, echo, ran, runs, shaped
from .rows import deviates

CHECKED = "`raise` and `assert` on traced values are checks of the program"


def test_R94_a_trace_that_raises_is_not_kept() -> None:
    fails = [True]

    def body(x):
        ran()
        if fails[0]:
            raise ValueError("boom")
        return x

    f = Probe(body)

    assert f(C(1)) == "0/1 ValueError: boom"
    assert f(C(1)) == "0/2 ValueError: boom"
    fails[0] = False
    assert (f(C(1)), f.value) == ("1/3", 1)
    assert f(C(1)) == "1/3"


def test_an_exception_of_a_library_is_not_kept_either() -> None:
    sizes = [3]

    def body(x):
        ran()
        return jnp.reshape(x, sizes[0])

    f = Probe(body)

    assert f(shaped(2)).startswith("0/1 TypeError")
    sizes[0] = 2
    assert f(shaped(2)) == "1/2"


def test_a_check_before_the_exception_fails_first() -> None:
    fails = [True]

    def body(x):
        ran()
        assert x > 0, "positive"
        if fails[0]:
            raise ValueError("boom")
        return x

    f = Probe(body)

    assert f(C(-1)).endswith(" AssertionError: positive")
    assert f(C(1)).endswith(" ValueError: boom")
    assert f.function.trace_count == 0
    fails[0] = False
    assert (f(C(1)), f.value, f.function.trace_count) == (f.counts, 1, 1)


def test_R95_an_exception_for_another_signature_leaves_the_first_alone() -> None:
    def body(x, fail=False):
        ran()
        if fail:
            raise ValueError("boom")
        return x

    f = Probe(body)

    assert f(C(1)) == "1/1"
    assert f(C(1), fail=True) == "1/2 ValueError: boom"
    assert (f(C(2)), f.value) == ("1/2", 2)


def test_R96_a_check_that_fails_keeps_the_trace() -> None:
    def body(x):
        ran()
        assert x > 0, "positive"
        return x

    f = Probe(body)

    assert f(C(-1)) == "1/1 AssertionError: positive"
    assert (f(C(1)), f.value) == ("1/1", 1)


def _together(calls: list[Any]) -> list[Any]:
    """What calls return that threads make at once."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)

    def run(number: int) -> None:
        barrier.wait()
        results[number] = calls[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@autograph_lite.do_not_convert
def wait() -> None:
    time.sleep(0.05)


def slow(x, n=1):
    ran()
    wait()
    return x * n


def test_R107_threads_that_call_at_once_make_one_trace() -> None:
    f = autograph_lite.convert(slow)

    assert _together([lambda: f(C(1))] * 8) == [1] * 8
    assert (f.trace_count, runs()) == (1, 1)


def test_R108_threads_with_signatures_of_their_own() -> None:
    f = autograph_lite.convert(slow)

    assert _together([lambda n=n: f(C(1), n) for n in range(4)]) == [0, 1, 2, 3]
    assert (f.trace_count, runs()) == (4, 4)


@deviates(
    "one trace for each call from outside: 1, 2, 3",
    why="a converted function that is called inside a trace is part of that trace: one program, and no calls between programs",
)
def test_R109_recursion_on_numbers() -> None:
    @autograph_lite.convert
    def factorial(n):
        ran()
        return 1 if n < 2 else n * factorial(n - 1)

    f = Probe(factorial)

    assert (f(5), f.value) == ("1/5", 120)
    assert (f(4), f.value) == ("2/9", 24)
    assert (f(6), f.value) == ("3/15", 720)


@deviates(
    "1/..: it runs, on a stack of its frames",
    why="a traced value ends it, so that it is a loop of the program",
)
def test_R110_recursion_on_arrays() -> None:
    @autograph_lite.convert
    def factorial(n):
        if n < 2:
            return 1
        return n * factorial(n - 1)

    f = Probe(factorial)

    assert (f(C(3)), f.value) == ("1/0", 6)


@deviates(
    "1/..: it runs, on a stack of its frames",
    why="a traced value ends it, so that it is a loop of the program",
)
def test_R111_recursion_of_a_plain_function_on_arrays() -> None:
    def factorial(n):
        if n < 2:
            return 1
        return n * factorial(n - 1)

    f = Probe(lambda n: factorial(n))

    assert (f(C(3)), f.value) == ("1/0", 6)


@deviates(
    "300 traces; `max_traces=10` keeps 10",
    why="the count is of traces that were made; a bound is the user's choice, as the oldest may be wanted again",
)
@pytest.mark.parametrize("most, kept", [(None, 40), (10, 10)])
def test_R134_many_numbers(most: int | None, kept: int) -> None:
    f = Probe(echo, max_traces=most)
    for n in range(40):
        f(n)

    assert f.counts == "40/40"
    assert len(f.function.concrete_functions) == kept
    assert (f(39), f.value) == ("40/40", 39)
