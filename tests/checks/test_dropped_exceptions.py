"""Does what can't be traced come out, where Python code would drop the exception?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import AutographError, BranchMismatchError, PythonOnlyError, TracedIndexError


def left_by_break(n: Any) -> Any:
    t = 0
    while True:
        try:
            if n > 0:
                t = n
        finally:
            break
    return t


def left_by_return(i: Any) -> Any:
    v = {}
    try:
        v[i] = 1.0
    finally:
        return v


def left_in_a_branch(n: Any) -> Any:
    t = 0
    for i in range(2):
        try:
            if n > 2:
                return -5
            t += 5
        finally:
            t += 1
            if i == 0:
                continue
            return t
    return t


def suppressed(x: Any) -> Any:
    with contextlib.suppress(TypeError):
        return len(bytes(x))
    return 0


def caught(x: Any) -> Any:
    try:
        return len(bytes(x))
    except TypeError:
        return 0


def caught_with_all_others(x: Any) -> Any:
    try:
        return len(["five", "six", "seven"].pop(x))
    except Exception:
        return 0


@pytest.mark.parametrize(
    ("fn", "kind"),
    [
        (left_by_break, PythonOnlyError),
        (left_by_return, PythonOnlyError),
        (left_in_a_branch, PythonOnlyError),
        (suppressed, PythonOnlyError),
        (caught, PythonOnlyError),
        (caught_with_all_others, TracedIndexError),
    ],
)
def test_the_refusal_comes_out(fn: Callable[[Any], Any], kind: type[AutographError]) -> None:
    for x in (0, 1):
        assert autograph_lite.convert(fn)(x) == fn(x)
        with pytest.raises(kind):
            autograph_lite.convert(fn)(jnp.int32(x))


def test_the_message_about_an_exception_of_jax_that_is_caught_names_the_line() -> None:
    with pytest.raises(PythonOnlyError) as error:
        autograph_lite.convert(caught)(jnp.int32(2))

    assert error.value.where[0].text == "return len(bytes(x))"


def test_who_names_an_exception_of_jax_may_catch_it() -> None:
    def f(x):
        try:
            return float(jnp.arange(x).size), True
        except jax.errors.ConcretizationTypeError:
            return x, False

    assert autograph_lite.convert(f)(2) == (2.0, True)
    assert autograph_lite.convert(f)(jnp.int32(2)) == (2, False)


def test_exceptions_of_python_are_dropped_as_in_python() -> None:
    def f(x):
        for i in range(3):
            try:
                y = [][i]
            finally:
                if i == 1:
                    break
                continue
        try:
            y = {}[1]
        except (KeyError, LookupError):
            y = 3
        return x + i + y

    assert autograph_lite.convert(f)(jnp.int32(1)) == f(1) == 5


class Counter:
    def __init__(self, count):
        self.count = count

    def add(self):
        self.count += 1


def test_an_object_that_a_path_of_a_try_has_made_does_not_leak():
    def counted(a):
        counter = Counter(a)
        try:
            if a == 1:
                raise ValueError("one")
            if a > 5:
                counter = Counter(counter.count)
            counter.add()
        except ValueError:
            pass
        return counter.count

    for form in (autograph_lite.convert, lambda fn: jax.jit(autograph_lite.to_graph(fn))):
        with pytest.raises(BranchMismatchError, match="'counter' is a Counter object on one path"):
            form(counted)(jnp.int32(7))
