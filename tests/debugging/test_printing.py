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
            autograph_lite.print("i =", i, sep=" ", flush=True)
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
    autograph_lite.print("a", 1, sep="-", end=".\n", flush=True)

    assert capsys.readouterr().out == "a-1.\n"


def test_ours_prints_for_each_lane_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x):
        autograph_lite.print("x", x)
        return x

    lines = printed(capsys, autograph_lite.convert(lambda xs: jax.vmap(f)(xs)), jnp.array([1, 2]))

    assert sorted(lines) == ["x 1", "x 2"]


def test_ours_prints_formatted_text_of_traced_values_in_a_staged_loop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @autograph_lite.convert
    def f(n):
        for i in range(n):
            autograph_lite.print(f"step {i:03d} of {n}", i / 2, sep=": ")
            autograph_lite.print("%.2f" % (i * 1.0))
        return n

    assert printed(capsys, f, jnp.int32(2)) == ["step 000 of 2: 0.0", "0.00", "step 001 of 2: 0.5", "1.00"]


def test_ours_prints_a_loops_lines_in_order_for_each_lane_of_a_batch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @autograph_lite.convert
    def f(x):
        for _ in autograph_lite.range(2):
            x = x + 1
            autograph_lite.print(f"x = {x:.1f}")
        return x

    expected = ["x = 1.0", "x = 4.0", "x = 2.0", "x = 5.0"]
    assert printed(capsys, jax.vmap(f), jnp.array([0.0, 3.0])) == expected


def test_the_guides_example_tells_tracing_from_executing(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert
    def f(x):
        print("Traced with", x)
        autograph_lite.print("Executed with", x)

    assert printed(capsys, f, 1) == ["Traced with 1", "Executed with 1"]
    assert printed(capsys, f, 1) == ["Executed with 1"]
    assert printed(capsys, f, 2) == ["Traced with 2", "Executed with 2"]


def raising(x):
    autograph_lite.print("before")
    try:
        if x < 0:
            raise ValueError("negative")
        autograph_lite.print("in try")
    finally:
        autograph_lite.print("finally")
    autograph_lite.print("after")


def raising_in_a_loop(x):
    for i in range(4):
        if i >= x:
            raise ValueError("too small")
        autograph_lite.print("i =", i)
    autograph_lite.print("end")


@pytest.mark.parametrize("f", [raising, raising_in_a_loop])
@pytest.mark.parametrize("loops", ["python", "stage"])
@pytest.mark.parametrize("x", [-1.0, 2.0, 9.0])
def test_what_python_would_not_come_to_is_not_printed(
    f, loops, x, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, errors = [], []
    for run, value in ((f, x), (autograph_lite.convert(f, static_loops=loops), jnp.float32(x))):
        error = None
        try:
            run(value)
        except ValueError as raised:
            error = str(raised)
        jax.effects_barrier()
        errors.append(error)
        lines.append(capsys.readouterr().out)
    assert lines[0] == lines[1]
    assert errors[0] == errors[1]
