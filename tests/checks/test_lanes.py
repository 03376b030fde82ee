"""Does a check that fails under `jax.vmap` tell in which lanes?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph_lite

from .outcomes import raised

Function = Callable[..., Any]


def small(x):
    if x > 1:
        raise ValueError(f"{x:.2f} is not small")
    return x * 3


def doubled(x):
    while x < 10:
        x = x * 2
        assert x < 9, f"{x}"
    return x


def total(xs):
    result = 0.0
    for x in xs:
        assert x < 2, f"{x}"
        result = result + x
    return result


def scanned(xs):
    def step(result, x):
        assert x < 2, f"{x}"
        return result + x, result

    return lax.scan(step, 0.0, xs)[0]


def picked(i):
    names = [i, i + 1, i + 2]
    if i > 2:
        raise IndexError(i)
    return names[0]


def ours(error: BaseException) -> list[str]:
    return [note for note in getattr(error, "__notes__", ()) if note.startswith("lane")]


def mapped(fn: Function, times: int, *, around: bool) -> Function:
    """`fn` under so many `vmap`s: those around what is converted, or inside of it."""
    mapped = autograph_lite.convert(fn) if around else fn
    for _ in range(times):
        mapped = jax.vmap(mapped)
    return mapped if around else autograph_lite.convert(lambda x: mapped(x))


ROW = jnp.array([0.1, 0.2, 0.3, 2.0, 0.4, 0.5])


@pytest.mark.parametrize("around", [True, False], ids=["around", "inside"])
@pytest.mark.parametrize(
    ("fn", "times", "argument", "kind", "message", "lane"),
    [
        (small, 1, ROW, ValueError, "2.00 is not small", "lane 3 of 6"),
        (small, 2, ROW.reshape(2, 3), ValueError, "2.00 is not small", "lane (1, 0) of (2, 3)"),
        (small, 3, ROW.reshape(1, 3, 2), ValueError, "2.00 is not small", "lane (0, 1, 1) of (1, 3, 2)"),
        (doubled, 1, jnp.array([10.0, 3.0, 11.0]), AssertionError, "12.0", "lane 1 of 3"),
        (total, 1, ROW.reshape(2, 3), AssertionError, "2.0", "lane 1 of 2"),
        (total, 2, ROW.reshape(1, 3, 2), AssertionError, "2.0", "lane (0, 1) of (1, 3)"),
        (picked, 1, jnp.array([1, 2, 3, 0]), IndexError, "3", "lane 2 of 4"),
    ],
    ids=["one", "two", "three", "while", "for", "for under two", "raise of an index"],
)  # fmt: skip
def test_the_lane_is_noted(fn, times, argument, kind, message, lane, around) -> None:
    error = raised(kind, mapped(fn, times, around=around), argument)
    assert str(error) == message
    assert ours(error) == [lane]


def test_of_five_axes_the_inner_four_are_noted() -> None:
    error = raised(ValueError, mapped(small, 5, around=True), ROW.reshape(1, 1, 1, 3, 2))
    assert ours(error) == ["lane (0, 0, 1, 1) of (1, 1, 3, 2)"]


def test_a_scan_of_the_users_inside_of_vmap() -> None:
    error = raised(AssertionError, mapped(scanned, 1, around=False), ROW.reshape(2, 3))
    assert (str(error), ours(error)) == ("2.0", ["lane 1 of 2"])


def test_a_vmap_inside_of_a_scan() -> None:
    f = autograph_lite.convert(lambda rows: lax.scan(lambda c, row: (c, jax.vmap(small)(row)), 0, rows)[1])
    error = raised(ValueError, f, ROW.reshape(2, 3))
    assert (str(error), ours(error)) == ("2.00 is not small", ["lane 0 of 3"])


@pytest.mark.parametrize("around", [True, False], ids=["around", "inside"])
def test_of_several_lanes_one_is_noted_with_their_number(around: bool) -> None:
    error = raised(ValueError, mapped(small, 1, around=around), ROW.at[5].set(3.0))
    told = {
        "2.00 is not small": ["lane 3 of 6, one of 2 that failed"],
        "3.00 is not small": ["lane 5 of 6, one of 2 that failed"],
    }
    assert ours(error) == told[str(error)]


def test_only_lanes_that_fail_the_check_are_counted() -> None:
    def f(x):
        assert x < 2, "large"
        assert x != 0, "zero"
        return x

    error = raised(AssertionError, mapped(f, 1, around=False), jnp.array([0.0, 3.0, 4.0, 5.0]))
    assert (str(error), ours(error)) == ("large", ["lane 3 of 4, one of 3 that failed"])


@pytest.mark.parametrize(
    "around",
    [
        lambda f: jax.vmap(jax.grad(f)),
        lambda f: jax.grad(lambda xs: jax.vmap(f)(xs).sum()),
        lambda f: jax.vmap(jax.jit(f)),
    ],
    ids=["vmap of grad", "grad of vmap", "vmap of jit"],
)
def test_under_derivatives_and_jit_inside_of_a_converted_function(around) -> None:
    error = raised(ValueError, autograph_lite.convert(lambda xs: around(small)(xs)), ROW)
    assert ours(error) == ["lane 3 of 6"]


def test_derivatives_around_a_converted_function() -> None:
    f = autograph_lite.convert(small)
    assert ours(raised(ValueError, jax.vmap(jax.grad(f)), ROW)) == ["lane 3 of 6"]
    assert ours(raised(ValueError, jax.grad(lambda xs: jax.vmap(f)(xs).sum()), ROW)) == ["lane 3 of 6"]


def test_in_somebody_elses_program_jax_logs_the_lane(caplog) -> None:
    f = jax.jit(jax.vmap(autograph_lite.convert(small)))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?s)ValueError: 2.00 is not small"):
        jax.block_until_ready(f(ROW))
    logged = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert [ours(error) for error in logged if error is not None] == [["lane 3 of 6"]]


def test_without_lanes_nothing_is_noted() -> None:
    f = autograph_lite.convert(small)
    assert ours(raised(ValueError, f, ROW[3])) == []
    assert ours(raised(ValueError, autograph_lite.convert(lambda x: jax.jit(small)(x)), ROW[3])) == []


def test_a_check_that_is_the_same_in_all_lanes_notes_none() -> None:
    f = autograph_lite.convert(lambda x, ys: jax.vmap(lambda y: small(x) + y)(ys))
    assert ours(raised(ValueError, f, ROW[3], ROW)) == []


def test_the_lane_is_noted_beside_the_users_own_notes() -> None:
    def f(x):
        if x > 1:
            error = ValueError("large")
            error.add_note("as measured")
            raise error
        return x

    error = raised(ValueError, mapped(f, 1, around=False), ROW)
    assert getattr(error, "__notes__", [])[-1] == "lane 3 of 6"
