"""Do `except` and `with` never take for a fact what only one path of a staged statement has raised?"""

from __future__ import annotations

import contextlib

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import BranchMismatchError, HandledRaiseError

X = jnp.float32(-3)


def both(f):
    return pytest.mark.parametrize("run", [al.convert(f), jax.jit(al.to_graph(f))], ids=["convert", "jit"])


def divided_in_branch(x):
    try:
        y = 1 / 0 if x > 0 else 1.0
    except ZeroDivisionError:
        y = 2.0
    return y


def suppressed(x):
    y = 1.0
    with contextlib.suppress(KeyError):
        if x > 0:
            y = {}["a"]
        y = 5.0
    return y


def raised_in_suppress(x):
    y = 1.0
    with contextlib.suppress(ValueError):
        if x > 0:
            raise ValueError
        y = 5.0
    return y


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def raised_in_a_forgiving_with(x):
    y = 1.0
    with Forgiving():
        if x > 0:
            raise ValueError
        y = 5.0
    return y


@contextlib.contextmanager
def swallowing():
    try:
        yield
    except ValueError:
        pass


def raised_in_a_swallowing_generator(x):
    y = 1.0
    with swallowing():
        if x > 0:
            raise ValueError
        y = 5.0
    return y


@both(divided_in_branch)
def test_an_error_of_one_branch_is_not_caught_outside_of_it(run):
    with pytest.raises(HandledRaiseError, match="'ZeroDivisionError' is raised inside a staged statement"):
        run(X)


@pytest.mark.parametrize("f", [suppressed, raised_in_suppress])
def test_suppress_catches_an_error_of_one_branch(f):
    for x in (X, -X):
        assert al.convert(f)(x) == f(x)


@pytest.mark.parametrize("f", [raised_in_a_forgiving_with, raised_in_a_swallowing_generator])
def test_a_staged_raise_is_refused_where_a_with_would_suppress_it(f):
    with pytest.raises(HandledRaiseError):
        al.convert(f)(X)
    assert al.to_graph(f)(3.0) == f(3.0)


def test_a_handler_does_not_catch_an_error_of_ours():
    @al.convert
    def f(x):
        try:
            y = jnp.ones(2) if x > 0 else 3.0
        except TypeError:
            y = 2.0
        return y

    with pytest.raises(BranchMismatchError):
        f(X)


def test_a_try_inside_the_branch_catches():
    def f(x):
        table = {"a": 1.0}
        if x > 0:
            try:
                y = table["b"]
            except KeyError:
                y = x
                table["a"] = 5.0
            finally:
                table["a"] += 1
        else:
            y = 0.0
        return y, table["a"]

    for x in (3.0, -3.0):
        assert tuple(map(float, al.convert(f)(jnp.float32(x)))) == f(x)


def test_python_errors_outside_of_staged_statements_are_caught():
    def f(x):
        try:
            y = {}["a"]
        except KeyError:
            y = 2.0
        with contextlib.suppress(KeyError):
            y = {}["a"]
        return y if x > 0 else -y

    assert float(al.convert(f)(X)) == f(-3.0)
