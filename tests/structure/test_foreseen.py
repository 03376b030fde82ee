"""What Python decides in a rolled loop stays Python's: where it ends, and which branch an iteration takes."""

from __future__ import annotations

import random
import re
import textwrap
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite
from tests.examples import examples
from tests.properties.running import loaded

X = np.float32(0.3)


def leaves_by_break(x):
    i = -1
    for i in range(2000):
        if i == 4:
            break
        x = jnp.sin(x) + x * 0.1
    return x, i


def leaves_by_return(x):
    for i in range(2000):
        x = jnp.sin(x) + x * 0.1
        if i == 4:
            return x * 2, i
    return x, -1


def leaves_by_a_count(x):
    n, i = 0, -1
    for i in range(2000):
        n += 2
        x = jnp.sin(x) + n
        if n > 8:
            break
    return x, i, n


def appends_until_it_leaves(x):
    found = []
    for i in range(50):
        if i == 7:
            break
        found.append(x)
        x = jnp.sin(x) + i
    return x, len(found), sum(found)


def first_is_another(x):
    for i in range(40):
        if i == 0:
            x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
        x = jnp.sin(x) + x * 0.1
    return x


def both_ends_are_others(x):
    for i, w in enumerate([0.5] * 40):
        if i in (0, 39):
            x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
        x = jnp.sin(x) * w
    return x


def late_begin(x):
    for i in range(40):
        if i < 30:
            continue
        x = jnp.sin(x) * i
    return x


def first_of_the_outer_loop(x):
    for i in range(20):
        for _ in range(30):
            if i == 0:
                x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
            x = jnp.sin(x) + x * 0.1
    return x


def data_may_leave_it_too(x):
    for i in range(40):
        if i == 0:
            x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
        x = x * 1.5 + 0.1
        if x > 20:
            break
    return x


def type_of_the_first(x):
    best = x
    for i in range(30):
        if i == 0:
            best = jnp.stack([x, x])
        x = jnp.sin(x) + best[0]
    return x, best


def keeps_the_hundredth(x):
    n, kept = 0, None
    while n < 200:
        if n == 100:
            kept = x * 2
        x = jnp.sin(x) + n
        n += 1
    return x, kept, n


def keeps_one_that_it_counts(x):
    n, kept = 0, None
    for w in [0.5] * 60:
        if n == 20:
            kept = x * 2
        x = jnp.sin(x) * w + n
        n += 1
    return x, kept, n


def leaves_after_it_has_kept(x):
    n, kept = 0, None
    while True:
        if n == 30:
            kept = x * 2
        x = jnp.sin(x) + n
        n += 1
        if n >= 50:
            break
    return x, kept, n


def starts_late(x):
    t, late, steps = 0.0, None, 0
    while t < 1.0:
        if t > 0.5:
            late = x if late is None else late
            x = jnp.cos(x) * 0.5
        x = jnp.sin(x) * 0.5 + t
        t += 0.01
        steps += 1
    return x, late, steps


def first_time(x):
    first, n, before = True, 0, None
    while n < 40:
        if first:
            before, first = x, False
        else:
            x = jnp.sin(x) + before * 0.1
            before = x * 0.5  # a factor that grows would show the rounding
        n += 1
    return x, before, first, n


def counts_by_what_it_does(x):
    n, seen, steps = 1, None, 0
    while n < 1000:
        if n > 100:
            seen = x if seen is None else seen
            n += 7
        else:
            n *= 2
        x = jnp.sin(x) * 0.5 + n
        steps += 1
    return x, seen, n, steps


class Clock:
    """Counts."""


def counts_in_an_object(x):
    clock = Clock()
    clock.n, clock.kept = 0, None
    while clock.n < 40:
        if clock.n == 20:
            clock.kept = x * 2
        x = jnp.sin(x) + clock.n
        clock.n += 1
    return x, clock.kept, clock.n


def fails_in_one(x):
    n = 0
    while n < 40:
        x = x * 2 if n == 30 else jnp.sin(x) + 1 / (30 - n)
        n += 1
    return x, n


def counts_around_it(x):
    n, kept = 0, None
    for _ in range(5):
        k = 0
        while k < 30:
            if n == 70:
                kept = x * 2
            x = jnp.sin(x) + k
            k, n = k + 1, n + 1
    return x, kept, n


def program(function: Callable[..., Any], *args: Any) -> str:
    """What it becomes."""
    return str(jax.make_jaxpr(autograph_lite.to_graph(function, static_loops="stage"))(*args))


def lengths(function: Callable[..., Any], *args: Any) -> list[int]:
    """Of the scans in the program, also those inside others."""
    return [int(found) for found in re.findall(r"\blength=(\d+)", program(function, *args))]


def conds(function: Callable[..., Any], *args: Any) -> bool:
    """Whether there is a conditional in the program."""
    return "cond[" in program(function, *args)


@pytest.mark.parametrize(
    ("function", "parts"),
    [
        (leaves_by_break, [4]),
        (leaves_by_return, [5]),
        (leaves_by_a_count, [5]),
        (appends_until_it_leaves, [7]),
        (first_is_another, [39]),
        (both_ends_are_others, [38]),
        (late_begin, [10]),
        (first_of_the_outer_loop, [30, 30, 19]),
        (data_may_leave_it_too, [39]),
        (type_of_the_first, [29]),
        (keeps_the_hundredth, [100, 99]),
        (keeps_one_that_it_counts, [20, 39]),
        (leaves_after_it_has_kept, [30, 18]),
        (starts_late, [50, 49]),
        (first_time, [39]),
        (counts_by_what_it_does, [7, 124]),
        (counts_in_an_object, [20, 19]),
        (fails_in_one, [30, 9]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_loop_has_pythons_iterations_and_no_branches_of_others(
    function: Callable[..., Any], parts: list[int]
) -> None:
    assert lengths(function, X) == parts
    assert conds(function, X) == (function is data_may_leave_it_too)
    python, rolled = function(jnp.float32(X)), autograph_lite.convert(function, static_loops="stage")(X)
    jax.tree.map(lambda ours, his: np.testing.assert_allclose(ours, his, rtol=1e-5), rolled, python)
    if function is not data_may_leave_it_too:
        assert jax.tree.map(type, rolled) == jax.tree.map(type, python)

    def loss(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x: jax.tree.leaves(f(x))[0]

    grad, right = (
        jax.grad(loss(autograph_lite.convert(function, static_loops="stage"))),
        jax.grad(loss(function)),
    )
    np.testing.assert_allclose(grad(X), right(X), rtol=1e-5)


def test_lanes_leave_where_python_leaves() -> None:
    xs = jnp.array([0.1, 0.2, 0.7])
    rolled = autograph_lite.to_graph(leaves_by_break, static_loops="stage")
    np.testing.assert_allclose(
        jax.vmap(lambda x: rolled(x)[0])(xs), jax.vmap(lambda x: leaves_by_break(x)[0])(xs)
    )


def prints_at_its_ends(x):
    for i in range(40):
        if i == 0:
            print("first")
        x = jnp.sin(x)
        if i < 0:
            print("never")
        if i == 39:
            print("last", i)
    return x


def warns_where_it_does_not_come_to(x):
    for i in range(40):
        if i == 39:
            break
        x = jnp.sin(x)
        if i == 39:
            warnings.warn("did not converge", stacklevel=1)
    return x


def raises_where_it_does_not_come_to(x):
    for i in range(40):
        if i > 100:
            raise ValueError(i)
        x = jnp.sin(x)
    return x


def test_what_only_python_can_do_is_done_in_the_iterations_that_come_to_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert lengths(prints_at_its_ends, X) == [38]
    assert capsys.readouterr().out == "first\nlast 39\n"


@pytest.mark.parametrize(
    ("function", "length"), [(warns_where_it_does_not_come_to, 39), (raises_where_it_does_not_come_to, 40)]
)
def test_a_branch_that_no_iteration_takes_keeps_nothing_from_being_rolled(
    function: Callable[..., Any], length: int
) -> None:
    assert lengths(function, X) == [length]
    assert not conds(function, X)


def test_what_sees_an_array_is_done_in_the_iterations_that_come_to_it() -> None:
    seen = []

    def f(x):
        for i in range(40):
            if i == 39:
                seen.append(str(i) + type(i).__name__ if isinstance(i, int) else "")
            x = jnp.sin(x)
        return x

    assert lengths(f, X) == [39]
    assert seen == ["39int"]


def test_what_few_iterations_compute_is_computed_again_by_the_derivative() -> None:
    def f(x, n=10):
        for i in range(40):
            if i % n == 0:
                x = jnp.tanh(jnp.exp(x) * jnp.cos(x)) * jnp.exp(-x) * 3
            x = jnp.sin(x) + x * 0.1
        return x

    assert re.search("remat|checkpoint", program(f, X))
    assert not re.search("remat|checkpoint", program(lambda x: f(x, 2), X))
    ours = autograph_lite.convert(f, static_loops="stage")
    np.testing.assert_allclose(jax.grad(ours)(X), jax.grad(f)(X), rtol=1e-5)


def test_what_fails_behind_the_exit_does_not_count() -> None:
    def f(x):
        for i in range(40):
            if i == 20:
                break
            x = jnp.sin(x) * (1 / (20 - i))
        return x

    assert lengths(f, X) == [20]
    np.testing.assert_allclose(autograph_lite.convert(f, static_loops="stage")(X), f(X), rtol=1e-5)


def test_a_bound_counts_the_iterations_of_all_parts() -> None:
    def f(x):
        for i in range(40):
            autograph_lite.set_loop_options(maximum_iterations=10)
            if i == 4:
                x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
            x = jnp.sin(x) + 1
        return x

    ours = autograph_lite.convert(f, static_loops="stage")(X)
    np.testing.assert_allclose(ours, autograph_lite.convert(f, static_loops="python")(X), rtol=1e-5)


def prints_in_a_while(x):
    n = 0
    while n < 50:
        if n in (0, 20):
            print("at", n)
        x = jnp.sin(x) + n
        n += 1
    return x


def test_what_only_python_can_do_is_done_in_the_iterations_of_a_while_that_come_to_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert lengths(prints_in_a_while, X) == [19, 29]
    assert capsys.readouterr().out == "at 0\nat 20\n"


def test_a_loop_inside_is_split_in_the_iteration_that_it_is_to_be() -> None:
    assert set(lengths(counts_around_it, X)) == {2, 10, 19, 30}
    ours = autograph_lite.convert(counts_around_it, static_loops="stage")(X)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), ours, counts_around_it(X))


def keeps_one(x):
    kept = None
    for i in range(200):
        x = jnp.sin(x) * 1.5 + 0.1
        if i == 100:
            kept = x * 2
    return x, kept


def keeps_one_before_it_leaves(x):
    kept = None
    for i in range(200):
        x = jnp.sin(x) * 1.5 + 0.1 * i
        if x > 12:
            break
        if i == 50:
            kept = x * 2
    return x, kept


@pytest.mark.parametrize("f", [keeps_one, keeps_one_before_it_leaves])
def test_what_is_none_until_an_iteration_of_pythons_splits_the_loop(f) -> None:
    converted = autograph_lite.convert(f)
    loop = next(each for each in autograph_lite.explain(converted)(X) if each.statement == "for")
    assert (loop.became, loop.trips) == ("scan of 200 steps", 200)
    for one, other in zip(converted(X), f(X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4)


def test_what_changes_often_is_the_programs_and_makes_no_parts() -> None:
    def f(x):
        n = k = 0
        while n < 64:
            if k == 7:
                k = 0
                x = jnp.tanh(x) * jnp.exp(x) * jnp.cos(x) * jnp.exp(-x) * 3
            x = jnp.sin(x) + k
            k, n = k + 1, n + 1
        return x

    assert lengths(f, X) == [64]
    assert conds(f, X)


def test_explain_says_what_the_parts_are() -> None:
    decisions = autograph_lite.explain(autograph_lite.convert(prints_at_its_ends, static_loops="stage"))(X)
    assert "scan of 40 steps" in str(decisions)
    assert "Python's numbers decide, in parts of 1, 38 and 1 iterations" in str(decisions)
    found = autograph_lite.explain(autograph_lite.convert(keeps_the_hundredth, static_loops="stage"))(X)
    loop = next(each for each in found if each.statement == "while")
    assert (loop.became, loop.trips) == ("scan of 200 steps", 200)
    assert loop.why == "Python's numbers decide, in parts of 100, 1 and 99 iterations"


def _condition(draw: random.Random, index: str) -> str:
    some = draw.randrange(22)
    return draw.choice([
        f"{index} == {some}", f"{index} < {some}", f"{index} >= {some}", f"{index} % {draw.randrange(2, 5)} == 1",
        f"{index} in (0, {some})", f"0 < {index} and {index} < {some}", f"not {index} > {some}", f"k > {some}", "x > 0.9", f"n == {some}", "n < 3",
    ])  # fmt: skip


def _update(draw: random.Random, index: str) -> str:
    return draw.choice([
        f"x = jnp.sin(x) + {index} * 0.25", "y = y * 0.5 + jnp.cos(x)", f"k += {draw.choice(['1', index])}",
        "x = jnp.exp(-x * x) + jnp.cos(y) * x", "ys.append(x + y)",
    ])  # fmt: skip


def _block(draw: random.Random, index: str, depth: int) -> list[str]:
    lines = []
    for _ in range(draw.randrange(1, 4)):
        kind = draw.random()
        if kind < 0.5 or not depth:
            lines.append(_update(draw, index))
        elif kind < 0.9:
            leave = draw.choice(["break", "continue", "return x, y, k, i, sum(ys)", f"print(k, {index})"])
            inside = [leave] if draw.random() < 0.5 else _block(draw, index, depth - 1)
            lines += [f"if {_condition(draw, index)}:", *("    " + line for line in inside)]
        elif index == "i":
            lines += [f"for j in range({draw.choice(['2', '17', 'i'])}):"]
            lines += ["    " + line for line in _block(draw, "j", depth - 1)]
    return lines or ["pass"]


@examples(8)
@given(st.integers(0, 10_000))
def test_rolled_loops_decide_as_pythons(seed: int) -> None:
    draw = random.Random(seed)
    loop = draw.choice([
        "for i in range(20):\n        n += 1", "for i in range(3, 19):\n        n += 2", "for i in range(20, 0, -1):",
        "while n < 20:\n        i, n = n, n + 1", "while True:\n        i, n = n, n + 1\n        if n > 17: break",
    ])  # fmt: skip
    body = textwrap.indent("\n".join(_block(draw, "i", 2)), " " * 8)
    source = (
        f"def f(x, y):\n    k, ys, i, n = 0, [], -1, 0\n    {loop}\n{body}\n    return x, y, k, i, sum(ys)\n"
    )
    with loaded(source, jnp=jnp) as names:
        _compare(names["f"])


def _compare(function: Callable[..., Any]) -> None:
    x, y = jnp.float32(0.3), jnp.float32(-0.4)
    ours = autograph_lite.convert(function, static_loops="stage")
    np.testing.assert_allclose(np.array(ours(x, y)), np.array(function(x, y)), rtol=1e-3, atol=1e-4)

    def loss(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, y: f(x, y)[0] + f(x, y)[1]

    got, right = (np.array(jax.grad(loss(f), (0, 1))(x, y)) for f in (ours, function))
    np.testing.assert_allclose(got, right, rtol=2e-3, atol=1e-3)


class _Holder:
    def __init__(self, total: Any) -> None:
        self.total = total


def _left_at_once(b: Any, x: Any, xs: Any) -> Any:
    for _ in range(3):
        for j, _, _ in zip(xs, range(5), xs):
            box = _Holder(x * 3)
            return j, box.total
    return b, 2.5


@pytest.mark.parametrize("static", ["auto", "stage", "python"])
def test_loops_that_are_left_in_their_first_iteration(static: str) -> None:
    given = jnp.int32(4), jnp.float32(3), jnp.array([-1, 6, -4])
    run = jax.jit(autograph_lite.to_graph(_left_at_once, static_loops=static))
    assert tuple(map(float, run(*given))) == (-1.0, 9.0)
