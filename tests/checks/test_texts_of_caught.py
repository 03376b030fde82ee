"""Is the text of an exception that a `try` catches completed when its values are known?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import checkify

import autograph_lite

from .outcomes import outcome, raised


class Heavy(Exception):
    def __init__(self, mass):
        super().__init__("heavy")
        self.mass = mass

    def __str__(self):
        return f"{self.mass * 2:.1f} kg"


def in_a_message(x):
    try:
        if x > 2:
            raise ValueError(f"x is {x}")
    except ValueError as error:
        raise RuntimeError(f"failed: {error}") from error
    return x


def joined(x):
    try:
        if x > 2:
            raise KeyError(f"x is {x}")
    except KeyError as error:
        raise RuntimeError("failed: " + str(error) + " %r" % error)  # noqa: B904, UP031
    return x


def one_of_two(x):
    try:
        if x > 4:
            raise ValueError("large", f"{x}")
        if x > 2:
            raise LookupError(f"x is {x}")
    except (ValueError, LookupError) as error:
        raise RuntimeError(f"{error}")  # noqa: B904
    return x


def as_an_argument(x):
    try:
        if x > 2:
            raise ValueError(f"x is {x}")
    except ValueError as error:
        raise RuntimeError(error)  # noqa: B904
    return x


def by_a_method_of_its_own(x):
    try:
        if x > 2:
            raise Heavy(x)
    except Heavy as error:
        raise RuntimeError(f"too much: {error}") from None
    return x


def as_the_message_of_an_assert(x):
    try:
        if x > 2:
            raise Heavy(x)
    except Heavy as error:
        if x > 4:
            raise AssertionError(error) from None
    return x


@pytest.mark.parametrize(
    "fn",
    [in_a_message, joined, one_of_two, as_an_argument, by_a_method_of_its_own, as_the_message_of_an_assert],
)
def test_it_is_completed(fn) -> None:
    converted = autograph_lite.convert(fn)
    for x in (1.5, 3.5, 5.5):
        assert outcome(converted, jnp.asarray(x)) == outcome(fn, x)


def test_it_is_in_what_checkify_and_files_get(tmp_path) -> None:
    for fn, text in ((in_a_message, "failed: x is 3.5"), (as_an_argument, "x is 3.5")):
        checked = checkify.checkify(jax.jit(autograph_lite.convert(fn, checks="checkify")))
        assert f"RuntimeError: {text} " in checked(jnp.asarray(3.5))[0].get()
        converted = autograph_lite.convert(fn)
        converted(jnp.asarray(1.5))
        autograph_lite.save(tmp_path / fn.__name__, converted)
        error = raised(RuntimeError, autograph_lite.load(tmp_path / fn.__name__), jnp.asarray(3.5))
        assert str(error) == text


def test_it_is_not_looked_into_while_tracing() -> None:
    def f(x):
        try:
            if x > 2:
                raise ValueError(f"x is {x}")
        except ValueError as error:
            return len(str(error))
        return x

    error = raised(autograph_lite.PythonOnlyError, autograph_lite.convert(f), jnp.asarray(3.5))
    assert "'ValueError object', is compared, looked into or changed." in str(error)
