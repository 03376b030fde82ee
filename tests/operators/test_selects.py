"""Is a cheap branch in a loop a select, and is anything else a branch?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import autograph_lite as ag

Function = Callable[..., Any]
XS = jnp.array([3.0, -1.0, 0.5, 2.0])


def looped(step: Function) -> Function:
    def f(xs):
        y = xs[0]
        for x in xs:
            y = step(x, y)
        return y

    return f


def became(fn: Function, *args: Any) -> list[str]:
    return [each.became for each in ag.explain(fn)(*args) if each.statement in ("if", "ternary")]


CHEAP: dict[str, Function] = {
    "sums": lambda x, y: y + x if x > 0 else y - 1,
    "a choice": lambda x, y: x if x > y else y,
    "a product with a number": lambda x, y: 2.0 * x if x > 0 else -y,
}
BRANCHES: dict[str, Function] = {
    "a quotient": lambda x, y: y / x if x != 0 else y,
    "a product of two": lambda x, y: y * x if x > 0 else y,
    "a function": lambda x, y: jnp.sin(x) if x > 0 else y,
    "a square root": lambda x, y: x**0.5 if x > 0 else y,
}


@pytest.mark.parametrize("name", CHEAP)
def test_cheap_arithmetic_in_a_loop_is_a_select(name: str) -> None:
    fn = looped(CHEAP[name])
    assert became(fn, XS) == ["select"]
    assert jax.jit(ag.to_graph(fn))(XS) == fn(XS)


@pytest.mark.parametrize("name", BRANCHES)
def test_what_may_fail_or_costs_more_is_a_branch(name: str) -> None:
    fn = looped(BRANCHES[name])
    assert became(fn, XS) == ["cond"]
    assert jax.jit(ag.to_graph(fn))(XS) == pytest.approx(float(fn(XS)), rel=1e-6)


def test_outside_of_loops_it_is_a_branch() -> None:
    assert became(lambda x: x + 1 if x > 0 else x - 1, jnp.float32(1)) == ["cond"]


def test_arrays_are_not_computed_twice() -> None:
    def f(xs):
        rows = xs
        for x in xs:
            if x > 0:
                rows = rows + jnp.ones(5000)[: xs.size].sum()
        return jnp.concatenate([rows] * 2000)

    assert became(f, XS) == ["cond"]


def test_many_equations_are_a_branch() -> None:
    def step(x, y):
        if x > 0:
            for _ in range(10):
                y = y + x
        return y

    assert became(looped(step), XS) == ["cond"]


def test_a_check_in_a_branch_keeps_it() -> None:
    def f(xs):
        total = 0.0
        for x in xs:
            if x < 0:
                assert x > -10, "too small"
            total = total + x
        return total

    assert ag.convert(f)(XS) == f(XS)
    with pytest.raises(AssertionError, match="too small"):
        ag.convert(f)(XS - 20)


def test_the_derivative_does_not_see_the_branch_that_is_not_taken() -> None:
    def f(x):
        total = 0.0
        for scale in jnp.array([jnp.inf, 2.0]):
            total = total + (x * scale if scale < 10 else x)
        return total

    assert jax.grad(ag.to_graph(f))(1.0) == 3.0


def test_integers_are_multiplied_in_a_select() -> None:
    def f(ns):
        total = ns[0]
        for n in ns:
            total = total * n if n > 0 else total - n
        return total

    ns = jnp.array([3, -1, 2])
    assert became(f, ns) == ["select"]
    assert jax.jit(ag.to_graph(f))(ns) == f(ns)


ROWS = jax.random.normal(jax.random.key(0), (5, 8192))


def of_rows(rows):
    y = rows[0]
    for row in rows:
        if row.sum() > 0:
            y = y + row
        else:
            y = y - row
    return y


def of_rows_by_hand(rows):
    def step(y, row):
        return lax.cond(row.sum() > 0, lambda: y + row, lambda: y - row), None

    return lax.scan(step, rows[0], rows)[0]


def lowered(fn: Function, platform: str) -> str:
    return jax.jit(ag.to_graph(fn)).trace(ROWS).lower(lowering_platforms=(platform,)).as_text()


def test_cheap_arithmetic_on_arrays_in_a_loop_is_a_select_on_gpus_only() -> None:
    assert became(of_rows, ROWS) == ["cond, on GPUs select"]
    kinds = {
        platform: "stablehlo.select" in lowered(of_rows, platform) for platform in ("cuda", "cpu", "tpu")
    }
    assert kinds == {"cuda": True, "cpu": False, "tpu": False}


def test_outside_of_gpus_the_program_and_its_gradient_are_as_without_that() -> None:
    for form in (lambda f: f, lambda f: jax.grad(lambda rows: f(rows).sum())):
        ours, by_hand = (
            jax.jit(form(f)).lower(ROWS).compile().as_text() or ""
            for f in (ag.to_graph(of_rows), of_rows_by_hand)
        )
        assert kinds(ours) == kinds(by_hand)


def kinds(text: str) -> list[str]:
    return sorted(re.findall(r" = \S+ ([\w-]+)\(", text))


def test_it_computes_what_python_does_under_vmap_and_derivatives() -> None:
    f = ag.to_graph(of_rows)
    batch = jnp.stack([ROWS, -ROWS, 2 * ROWS])
    np.testing.assert_allclose(jax.vmap(f)(batch), [of_rows(rows) for rows in batch], rtol=1e-5)
    slopes = [jax.grad(lambda rows: (of_rows(rows) ** 2).sum())(rows) for rows in batch]
    found = jax.vmap(jax.grad(lambda rows: (f(rows) ** 2).sum()))(batch)
    np.testing.assert_allclose(found, slopes, rtol=1e-4, atol=1e-5)


def test_large_arrays_are_branches_everywhere() -> None:
    rows = jax.ShapeDtypeStruct((5, 65537), jnp.float32)
    text = jax.jit(ag.to_graph(of_rows)).trace(rows).lower(lowering_platforms=("cuda",)).as_text()
    assert "stablehlo.select" not in text


def inserted(x: Any, values: Any) -> Any:
    for value in values:
        j = len(x) - 2
        while j >= 0 and x[j] > value:
            x = x.at[j + 1].set(x[j])
            j -= 1
        x = x.at[j + 1].set(value)
    return x


def test_items_that_a_test_in_a_loop_reads_need_no_branch() -> None:
    x, values = jnp.array([1.0, 2.0, 4.0, 0.0]), jnp.array([3.0, 5.0, 0.0])
    run = ag.convert(inserted)
    assert "cond[" not in str(jax.make_jaxpr(run)(x, values))
    assert [run(x, values[k : k + 1]).tolist() for k in range(3)] == [
        [1, 2, 3, 4],
        [1, 2, 4, 5],
        [0, 1, 2, 4],
    ]


def test_an_item_that_has_a_derivative_is_read_in_a_branch() -> None:
    def f(xs: Any, k: Any) -> Any:
        total = jnp.float32(0)
        for j in range(k):
            total = xs[j] if xs[j] > total else total
        return total

    assert became(ag.convert(f), XS, jnp.int32(4)) == ["cond"]


def test_a_branch_without_results_in_a_loop_stays_a_branch() -> None:
    def f(xs: Any, n: Any) -> Any:
        for x in xs:
            count = 0
            while True:
                count += 1
                if count > n % 5:
                    break
                for _ in xs:
                    continue
                break
        return x + n

    assert jax.jit(ag.to_graph(f))(XS, jnp.int32(4)) == XS[-1] + 4
