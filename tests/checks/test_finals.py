"""Does a `finally` find unassigned what a check that has failed kept its `try` from assigning?

PYTEST_DONT_REWRITE: the messages of the asserts are compared with Python's own.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from autograph_lite import AutographError, HandledRaiseError, to_graph

from .outcomes import assert_like_python


def note(*_: object) -> None:
    """Reads its arguments."""


@pytest.mark.parametrize("x", [-1, 2])
def test_an_assert_before_the_assignment(x) -> None:
    def f(x):
        try:
            assert x > 0, "a check"
            y = 3
        finally:
            note(y)
        return y

    assert_like_python(f, jnp.int32(x))


@pytest.mark.parametrize("x", [0, 3, 9])
def test_an_assert_in_a_loop_that_is_left_half_way(x) -> None:
    def f(x, limits):
        try:
            for limit in limits:
                assert x > limit, f"{x} is not over {limit}"
            else:
                y = 3
        finally:
            note(y, limit)
        return y

    assert_like_python(f, jnp.int32(x), jnp.array([1, 5]))


@pytest.mark.parametrize("x", [0, 3, 9])
def test_what_earlier_iterations_have_assigned_is_there(x) -> None:
    def f(x, limits):
        try:
            for limit in limits:
                assert x > limit, f"{x} is not over {limit}"
                last = limit
        finally:
            x += last
        return x

    assert_like_python(f, jnp.int32(x), jnp.array([1, 5]))


@pytest.mark.parametrize("x", [0, 4, 9])
def test_what_an_earlier_run_of_the_try_has_assigned_is_there(x) -> None:
    def f(x, limits):
        for limit in limits:
            try:
                if x <= limit:
                    raise ValueError(f"{x}")
                last, pair = limit, (x, 1)
                last += 1
            finally:
                note(last, pair)
        return last

    assert_like_python(f, jnp.int32(x), jnp.array([1, 5]))


@pytest.mark.parametrize("x", [-1, 1, 3, 6])
def test_one_finally_in_another(x) -> None:
    def f(x):
        try:
            assert x > 0, "first"
            try:
                assert x > 2, "second"
                y = x
            finally:
                x += 1
            z = y
        finally:
            assert x > 5, "third"
            note(z)
        return z

    assert_like_python(f, jnp.int32(x))


@pytest.mark.parametrize("x", [-1, 2])
def test_a_read_that_a_condition_keeps_from_being_made_is_no_error(x) -> None:
    def f(x):
        try:
            assert x > 0, "a check"
            y = x + 1
        finally:
            if x > 1:
                x = x + y
        return x

    assert_like_python(f, jnp.int32(x))


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True


def test_a_refusal_is_not_replaced_by_what_fails_in_the_finally() -> None:
    # The error said that 'i' had no value, which it has not only because the refusal left the block.
    def f(x):
        try:
            with Forgiving():
                if x > 0:
                    raise ArithmeticError("positive")
                for i in (1, 2):
                    note(i)
        finally:
            x = x + i
        return x

    with pytest.raises(HandledRaiseError):
        jax.jit(to_graph(f))(3)


def test_what_is_handled_around_a_call_is_not_taken_for_a_refusal_in_it() -> None:
    def f(x):
        try:
            y = x + 1
        finally:
            raise ValueError("the function's own")
        return y

    try:
        raise AutographError("an older one")
    except AutographError:
        with pytest.raises(ValueError, match="the function's own"):
            jax.jit(to_graph(f))(3)


@pytest.mark.parametrize("x", [1, 5])
def test_a_try_that_no_path_falls_out_of_gives_what_a_loop_in_it_returned(x) -> None:
    def raises(x, ys):
        try:
            if x < 3:
                for y in ys:
                    if y > x:
                        return y
            raise ValueError(f"none is over {x}")
        finally:
            note(x)

    def raises_later(x, ys):
        try:
            for y in ys:
                if y > x:
                    return y
        except KeyError:
            return ys[0]
        else:
            if x > 3:
                raise ValueError(f"none is over {x}")
            return ys[1]

    def goes_on(x, ys):
        try:
            for y in ys:
                if y > x:
                    return y
        finally:
            note(x)
        return -x

    for f in raises, raises_later, goes_on:
        assert_like_python(f, jnp.int32(x), jnp.array([1, 2]))
