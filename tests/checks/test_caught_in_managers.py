"""Does a `with` between a `raise` and the `try` that catches it do what Python does, where its manager's exit is the same?"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

from autograph_lite import HandledRaiseError, convert

X = np.array([1.0, 2.0, 5.0])


class Scope:
    def __init__(self, x: Any) -> None:
        self.x, self.left = x, 0

    def __enter__(self) -> Any:
        self.x[0] += 1
        return self.x

    def __exit__(self, *error: object) -> bool:
        self.left += 1
        self.x[-1] = self.x[1] * 2
        return False


class Raising:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        raise KeyError("at the exit")


class Resource:
    is_open = 1

    def close(self) -> None:
        self.is_open = 0


@contextlib.contextmanager
def scaled(x: Any, s: float) -> Iterator[Any]:
    x *= s
    try:
        yield x
    finally:
        x /= s


@contextlib.contextmanager
def begun(x: Any) -> Iterator[Any]:
    x[0] = 7
    yield x


def errors_of_numpy_ignored(x: Any, t: Any) -> Any:
    try:
        with np.errstate(divide="ignore"), contextlib.nullcontext(5) as k:
            if t > 3:
                raise ValueError("more than 3")
            y = k / x
    except ValueError:
        y = x * 0
    return y


def left_as_it_was_raised(x: Any, t: Any) -> Any:
    scope = Scope(x)
    try:
        with scope as y:
            y[1] = 5
            if t > 3:
                raise ValueError("more than 3")
            y[1] = 6
    except ValueError:
        return x.sum(), scope.left
    return x.sum() * 10, scope.left


def of_a_generator(x: Any, t: Any) -> Any:
    try:
        with scaled(x, 2.0) as y:
            y[0] = t
            if t > 3:
                raise ValueError("more than 3")
            y[1] = t
    except ValueError:
        pass
    return x


def nested(x: Any, t: Any) -> Any:
    scope = Scope(x)
    try:
        with scope as y, scaled(y, 4.0) as z, begun(z):
            z[1] = 1
            if t > 3:
                raise KeyError(3)
            z[2] = 1
    except KeyError as error:
        return x, scope.left, error.args[0]
    return x, scope.left, 0


def in_a_loop(x: Any, t: Any) -> Any:
    scope, n = Scope(x), 0
    for i in range(4):
        try:
            with scope:
                if x[i % 3] > t:
                    raise ValueError("more")
                n += 1
        except ValueError:
            n += 100
            continue
    return x, scope.left, n


def entered(x: Any, t: Any, scope: Any) -> Any:
    with scope:
        if t > 3:
            raise ValueError("in a callee")
        return x[0] * 2


def in_a_callee(x: Any, t: Any) -> Any:
    scope = Scope(x)
    try:
        y = entered(x, t, scope)
    except ValueError as error:
        y = len(str(error))
    return y, scope.left, x


def with_a_finally_around(x: Any, t: Any) -> Any:
    scope = Scope(x)
    try:
        try:
            with scope:
                if t > 3:
                    raise ValueError("more than 3")
        finally:
            x[1] += 100
    except ValueError:
        x[0] = -50
    return x


def locked(x: Any, t: Any) -> Any:
    resource = Resource()
    try:
        with threading.Lock(), warnings.catch_warnings(), contextlib.closing(resource):
            if t > 3:
                raise ValueError("more than 3")
            x = x + 1
    except ValueError:
        x = -x
    return x, resource.is_open


def raised_at_the_exit(x: Any, t: Any) -> Any:
    try:
        with Raising():
            if t > 3:
                raise ValueError("more than 3")
    except ValueError:
        return 1
    except KeyError:
        return 2
    return 3


def raised_in_a_finally(x: Any, t: Any) -> Any:
    try:
        try:
            if t > 3:
                raise ValueError("more than 3")
        finally:
            raise KeyError("in any case")
    except ValueError:
        return 1
    except KeyError:
        return 2


PROGRAMS = [
    errors_of_numpy_ignored, left_as_it_was_raised, of_a_generator, nested, in_a_loop, in_a_callee, with_a_finally_around,
    locked, raised_at_the_exit, raised_in_a_finally,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("t", [2.0, 4.0])
def test_it_is_python_s(program: Callable[..., Any], t: float) -> None:
    given, ours = X.copy(), X.copy()
    expected = program(given, t)
    found = convert(program)(ours, np.array(t))
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((expected, given)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_an_exit_that_says_false_lets_an_exception_leave_the_call() -> None:
    def program(x: Any, t: Any) -> Any:
        with Scope(x):
            if t > 3:
                raise ValueError("more than 3")
        return x

    np.testing.assert_allclose(convert(program)(X.copy(), np.array(2.0)), program(X.copy(), 2.0))
    with pytest.raises(ValueError, match="more than 3"):
        convert(program)(X.copy(), np.array(4.0))


class Asking(Scope):
    def __exit__(self, kind: Any, *error: object) -> bool:
        self.left = 1 if kind is None else -1
        return False


class Suppressing(Scope):
    def __exit__(self, *error: object) -> bool:
        return self.left == 0


class HandingOn(Scope):
    def __exit__(self, *error: object) -> Any:
        return super().__exit__(*error)


@contextlib.contextmanager
def with_more_behind(x: Any) -> Iterator[Any]:
    yield x
    x[0] = 9


@contextlib.contextmanager
def rolled_back(x: Any) -> Iterator[Any]:
    before = x.copy()
    try:
        yield x
    except ValueError:
        x[:] = before
        raise


@pytest.mark.parametrize("make", [Asking, Suppressing, HandingOn, with_more_behind, rolled_back])
def test_an_exit_that_may_do_something_else_is_refused(make: Callable[..., Any]) -> None:
    def program(x: Any, t: Any) -> Any:
        try:
            with make(x) as y:
                if t > 3:
                    raise ValueError("more than 3")
                y[1] = 0
        except ValueError:
            x[2] = -1
        return x

    with pytest.raises(HandledRaiseError, match="inside a `try` that catches it"):
        convert(program)(X.copy(), np.array(2.0))
