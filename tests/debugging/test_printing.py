"""When does `print` print: while tracing, and `autograph_lite.print` at each execution, in order?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


def printed(capsys: pytest.CaptureFixture[str], fn, *args) -> list[str]:
    jax.block_until_ready(fn(*args))
    jax.effects_barrier()
    return capsys.readouterr().out.splitlines()


def test_print_prints_while_tracing(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        if x > 0:
            print("positive")
        else:
            print("negative")
        return x

    assert printed(capsys, f, jnp.float32(2)) == ["positive", "negative"]
    assert printed(capsys, f, jnp.float32(3)) == []


def test_ours_prints_at_each_execution_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(n):
        for i in range(n):
            autograph_lite.print("i =", i, sep=" ")
            if i > 1:
                autograph_lite.print("big", i * 10, end="!\n")
        autograph_lite.print("done", n)
        return n

    expected = ["i = 0", "i = 1", "i = 2", "big 20!", "done 3"]
    assert printed(capsys, f, jnp.int32(3)) == expected
    assert printed(capsys, f, jnp.int32(3)) == expected


def test_ours_prints_only_in_the_branch_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        if x > 0:
            autograph_lite.print("positive", x)
        else:
            autograph_lite.print("negative", x)
        return x

    assert printed(capsys, f, jnp.float32(2)) == ["positive 2.0"]
    assert printed(capsys, f, jnp.float32(-2)) == ["negative -2.0"]


def test_ours_prints_text_alone_in_the_branch_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        if x > 0:
            autograph_lite.print("positive")
        return x

    assert printed(capsys, f, jnp.float32(-2)) == []
    assert printed(capsys, f, jnp.float32(2)) == ["positive"]


def test_ours_prints_trees_and_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        autograph_lite.print({"a": x, "b": (1, x + 1)})
        return x

    assert printed(capsys, f, jnp.arange(2)) == [
        "{'a': Array([0, 1], dtype=int32), 'b': (1, Array([1, 2], dtype=int32))}"
    ]


def test_ours_prints_in_python_as_print_does(capsys: pytest.CaptureFixture[str]) -> None:
    autograph_lite.print("a", 1, sep="-", end=".\n")

    assert capsys.readouterr().out == "a-1.\n"


def test_ours_prints_for_each_lane_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x):
        autograph_lite.print("x", x)
        return x

    lines = printed(capsys, autograph_lite.convert(lambda xs: jax.vmap(f)(xs)), jnp.array([1, 2]))

    assert sorted(lines) == ["x 1", "x 2"]
