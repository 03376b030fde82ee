"""What may be converted, and what of a trace may get out of it?"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from .probe import C, Probe, echo, ran
from .rows import deviates


def test_R129_two_functions_of_one_python_function() -> None:
    f, g = Probe(echo), Probe(echo)

    assert f(C(1)) == "1/1"
    assert g(C(1)) == "1/2"
    assert f(C(1)) == "1/2"
    again = Probe(autograph_lite.convert(f.function))
    assert (again(C(1)), again.value) == ("1/3", 1)


def test_R130_a_partial() -> None:
    def scale(x, k):
        ran()
        return x * k

    f = Probe(functools.partial(scale, k=2))

    assert (f(C(1)), f.value) == ("1/1", 2)
    assert f(C(2)) == "1/1"
    assert (f(C(1), k=3), f.value) == ("2/2", 3)
    assert f(C(1), k=2) == "2/2"


def test_R131_a_callable_object() -> None:
    class Scale:
        def __call__(self, x):
            ran()
            return x * 2

    f = Probe(Scale())

    assert f(C(1)) == "1/1"
    assert (f(C(2)), f.value) == ("1/1", 4)


def test_R132_no_arguments_and_no_result() -> None:
    f = Probe(lambda: ran())

    assert f() == "1/1"
    assert (f(), f.value) == ("1/1", None)


def test_R133_a_value_of_a_trace_in_a_global_object() -> None:
    class Box:
        x: Any = None

    box = Box()

    @autograph_lite.do_not_convert
    def leak(x):
        box.x = x

    f = Probe(lambda x: leak(x))
    f(C(1))

    with pytest.raises(jax.errors.UnexpectedTracerError):
        box.x + 1


def append(x):
    ran()
    x.append(1)


def add_key(x):
    ran()
    x["new"] = 1


def replace_value(x):
    ran()
    x["a"] = x["a"] + 1


def replace_item(x):
    ran()
    x[0] = x[0] + 1


SEEN = "a program gives what it changes, as a trace carries what it writes to objects"


@deviates("the caller's list has the item", why=SEEN)
def test_R137_a_list_that_is_appended_to() -> None:
    f, xs = Probe(append), [C(1)]

    assert (f(xs), xs) == ("1/1", [1, 1])
    assert (f(xs), xs) == ("2/2", [1, 1, 1])


@deviates("the caller's dict has the key", why=SEEN)
def test_R138_a_dict_that_gets_a_key() -> None:
    f, table = Probe(add_key), {"a": C(1)}

    assert (f(table), table) == ("1/1", {"a": 1, "new": 1})
    assert (f({"a": C(1)}), f.function.trace_count) == ("1/1", 1)


@deviates("the caller's dict has the value", why=SEEN)
def test_R139_a_dict_that_gets_another_value() -> None:
    f, table = Probe(replace_value), {"a": C(1)}

    assert (f(table), table) == ("1/1", {"a": 2})
    assert (f(table), table) == ("1/1", {"a": 3})


@deviates("the caller's list has the item", why=SEEN)
def test_R140_a_list_that_gets_another_item() -> None:
    f, xs = Probe(replace_item), [C(1)]

    assert (f(xs), xs) == ("1/1", [2])
    assert (f(xs), xs) == ("1/1", [3])


@deviates(
    "the attribute is written at each call, by one trace that takes two runs of Python",
    why="so it is in Python; a trace carries what it writes to objects",
)
def test_R141_an_attribute_that_is_set() -> None:
    class Account:
        def __init__(self) -> None:
            self.total = jnp.int32(0)

    def deposit(account, x):
        ran()
        account.total = account.total + x

    f, account = Probe(deposit), Account()

    assert (f(account, C(1)), account.total) == ("1/2", 1)
    assert (f(account, C(2)), account.total) == ("1/2", 3)
