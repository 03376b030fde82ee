"""`contextlib.suppress` around what a traced condition raises does what plain Python does."""

from __future__ import annotations

import contextlib
from contextlib import suppress

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.one_of.agreement import agrees

CALLS = [(2.0,), (-2.0,), (0.0,)]


def checked(x):
    if x < 0:
        raise ValueError("negative")
    if x == 0:
        raise ZeroDivisionError("zero")
    return x * 2


def statements_of_a_with(x):
    y = x
    with contextlib.suppress(ValueError):
        y = x + 1
        if x < 0:
            raise ValueError("negative")
        y = x * 2
    return y


def other_exceptions_pass(x):
    y = 0.0
    with suppress(ValueError):
        y = checked(x)
    return y


def several_classes(x):
    log = [0.0]
    with suppress(ValueError, ZeroDivisionError):
        log[0] = 1.0
        log[0] = checked(x)
    return log


def class_of_them(x):
    y = 0.0
    with suppress(LookupError, ArithmeticError):
        y = checked(jnp.abs(x))
    return y


def returned_from_it(x):
    with suppress(ValueError, ZeroDivisionError):
        return checked(x)
    return -1.0


def in_a_loop(x):
    total, done = 0.0, 0
    for v in jnp.stack([x, -x, x + 1, x - 1]):
        with suppress(ValueError, ZeroDivisionError):
            total += checked(v)
            done += 1
    return total, done


def left_by_continue_and_break(x):
    total = 0.0
    for v in jnp.stack([x, x + 3, -x]):
        with suppress(ValueError, ZeroDivisionError):
            if v > 4:
                break
            if v > 1:
                continue
            total += checked(v)
        total += 100
    return total


def one_in_the_other(x):
    log = []
    with suppress(ZeroDivisionError):
        with suppress(ValueError):
            log.append(1.0)
            log.append(checked(x))
        log.append(2.0)
    return log


def in_a_try(x):
    y = 0.0
    try:
        with suppress(ZeroDivisionError):
            y = checked(x)
    except ValueError as error:
        y = -5.0 if error.args[0] == "negative" else 5.0
    return y


def beside_other_managers(x):
    log = []

    class Manager:
        def __enter__(self):
            log.append(1.0)

        def __exit__(self, *_):
            log.append(3.0)

    with Manager(), suppress(ValueError, ZeroDivisionError):
        log.append(checked(x))
    return log


def written_to_before(x):
    class Account:
        balance = 10.0

    account = Account()
    with suppress(ValueError, ZeroDivisionError):
        account.balance = account.balance - 1
        account.balance = account.balance - checked(x)
    return account.balance


def of_groups(x):
    with suppress(ValueError):
        raise ExceptionGroup("several", [ValueError("a")])
    return x


def named(x):
    with suppress(ValueError) as nothing:
        x = x + 1
    return x, nothing


def nothing_is_suppressed(x):
    with suppress():
        return checked(x)


def index_that_is_out_of_range(x):
    values, found = [1.0, 2.0], -1.0
    with suppress(IndexError):
        found = values[x.astype(int)]
    return found


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "function",
    [
        statements_of_a_with, other_exceptions_pass, several_classes, class_of_them, returned_from_it, in_a_loop,
        left_by_continue_and_break, one_in_the_other, in_a_try, beside_other_managers, written_to_before, of_groups, named,
        nothing_is_suppressed, index_that_is_out_of_range,
    ],
)  # fmt: skip
def test_it_is_as_in_python(function, call) -> None:
    agrees(function, call)


def test_another_function_of_that_name_suppresses_what_it_does() -> None:
    class Other:
        def suppress(self, *_kinds):
            return contextlib.nullcontext()

    mine = Other()

    def f(x):
        with mine.suppress(ValueError):
            return checked(x)

    assert autograph_lite.convert(f)(jnp.float32(1)) == 2
    with pytest.raises(ValueError, match="negative"):
        autograph_lite.convert(f)(jnp.float32(-1))


def test_lanes_and_derivatives() -> None:
    def f(x):
        y = x
        with suppress(ValueError):
            if x < 0:
                raise ValueError("negative")
            y = x * x
        return y

    function = autograph_lite.to_graph(f)
    xs = np.array([3.0, -3.0], np.float32)
    np.testing.assert_allclose(jax.vmap(function)(xs), [9, -3])
    np.testing.assert_allclose(jax.vmap(jax.grad(function))(xs), [6, 1])
