"""Under `set_branch_options`, does each lane of a `vmap` still compute what Python does for it?"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as ag
from autograph_lite import set_branch_options
from tests.examples import examples

Function = Callable[..., Any]
WAYS = ["select", "map", "group"]
LANES = [-3.0, 0.0, 0.25, 1.0, 2.5, -0.5, 0.75, 4.0]


def uneven(how: str, chunk: int = 3) -> Function:
    def f(x):
        y = x * 2
        if x > 0.5:
            set_branch_options(vmap=how, chunk=chunk)
            y = jnp.sqrt(x) * jnp.sin(y)
            while y < 3:
                y = y * y + 1
        elif x < 0:
            set_branch_options(vmap=how, chunk=chunk)
            y = jnp.tanh(x) * y
        return y

    return f


def smooth(how: str) -> Function:
    def f(x, k):
        if x > 0.5:
            set_branch_options(vmap=how, chunk=2)
            return jnp.sqrt(x - 0.5) * jnp.sin(k * x), k
        return x * x, k + 1

    return f


@examples(12)
@given(st.lists(st.floats(-4, 4, width=32), min_size=1, max_size=9), st.integers(1, 10))
@pytest.mark.parametrize("how", WAYS)
def test_each_lane_computes_what_python_does(how: str, numbers: list[float], chunk: int) -> None:
    f = uneven(how, chunk)
    lanes = np.array(numbers, np.float32)
    found = jax.jit(jax.vmap(ag.to_graph(f)))(jnp.array(lanes))
    np.testing.assert_allclose(found, [f(jnp.float32(x)) for x in lanes], rtol=1e-5)


@examples(12)
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=8), st.integers(1, 9))
@pytest.mark.parametrize("how", WAYS)
def test_a_match_of_several_cases(how: str, numbers: list[int], chunk: int) -> None:
    def f(k):
        total = 10
        match k:
            case 0:
                set_branch_options(vmap=how, chunk=chunk)
            case 1 | 2:
                total = k * 3
            case 3:
                while total > k:
                    total = total - 4
        return total

    assert jax.jit(jax.vmap(ag.to_graph(f)))(jnp.array(numbers)).tolist() == [f(k) for k in numbers]


@pytest.mark.parametrize("how", WAYS)
def test_two_axes_of_lanes(how: str) -> None:
    f = uneven(how)
    lanes = jnp.array(LANES).reshape(2, 4)
    found = jax.jit(jax.vmap(jax.vmap(ag.to_graph(f), in_axes=0), in_axes=1, out_axes=1))(lanes)
    np.testing.assert_allclose(found.ravel(), [f(x) for x in jnp.array(LANES)], rtol=1e-5)


@pytest.mark.parametrize("how", WAYS)
def test_a_lane_around_a_condition_that_is_the_same_for_all(how: str) -> None:
    def f(x, k):
        if k > 0:
            set_branch_options(vmap=how)
            x = x * k
        return x

    mapped = jax.vmap(ag.to_graph(f), in_axes=(0, None))
    assert mapped(jnp.arange(3), 2).tolist() == [0, 2, 4]
    over_both = jax.vmap(mapped, in_axes=(None, 0))
    assert over_both(jnp.arange(3), jnp.array([-1, 3])).tolist() == [[0, 1, 2], [0, 3, 6]]


DERIVATIVES: dict[str, Callable[[Function], Function]] = {
    "vmap of grad": lambda f: jax.vmap(jax.grad(lambda x, k: f(x, k)[0])),
    "grad of vmap": lambda f: jax.grad(lambda xs, ks: jax.vmap(f)(xs, ks)[0].sum()),
    "vmap of jvp": lambda f: jax.vmap(lambda x, k: jax.jvp(lambda x: f(x, k)[0], (x,), (1.0,))[1]),
    "jvp of vmap": lambda f: (
        lambda xs, ks: jax.jvp(lambda x: jax.vmap(f)(x, ks)[0], (xs,), (jnp.ones_like(xs),))[1]
    ),
    "vmap of grad of checkpoint": lambda f: jax.vmap(jax.grad(jax.checkpoint(lambda x, k: f(x, k)[0]))),
    "vmap of value_and_grad of jit": lambda f: (
        lambda xs, ks: jax.vmap(jax.value_and_grad(jax.jit(lambda x, k: f(x, k)[0])))(xs, ks)[1]
    ),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives(name: str, how: str) -> None:
    f = smooth(how)
    xs, ks = jnp.array(LANES), jnp.arange(8)
    wanted = [jax.grad(lambda x, k=k: f(x, k)[0])(x) for x, k in zip(xs, ks, strict=True)]
    found = jax.jit(DERIVATIVES[name](ag.to_graph(f)))(xs, ks)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


SECOND: dict[str, Callable[[Function], Function]] = {
    "vmap of hessian": lambda f: jax.vmap(jax.hessian(f)),
    "vmap of grad of grad": lambda f: jax.vmap(jax.grad(jax.grad(f))),
    "hessian of vmap": lambda f: lambda xs: jnp.diag(jax.hessian(lambda x: jax.vmap(f)(x).sum())(xs)),
    "grad of vmap of grad": lambda f: jax.grad(lambda xs: jax.vmap(jax.grad(f))(xs).sum()),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(name: str, how: str) -> None:
    f = smooth(how)
    xs = jnp.array(LANES)
    wanted = [jax.grad(jax.grad(lambda x: f(x, 3)[0]))(x) for x in xs]
    found = jax.jit(SECOND[name](ag.to_graph(lambda x: f(x, 3)[0])))(xs)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("how", WAYS)
def test_what_fills_a_group_up_adds_nothing_to_an_infinite_derivative(how: str) -> None:
    def f(x):
        if x >= 0:
            set_branch_options(vmap=how, chunk=4)
            return jnp.sqrt(x)
        return x

    found = jax.grad(lambda xs: jax.vmap(ag.to_graph(f))(xs).sum())(jnp.array([0.0, -1.0, 4.0]))
    assert found.tolist() == [float("inf"), 1.0, 0.25]


@pytest.mark.parametrize("how", WAYS)
def test_checks_and_state_in_branches(how: str) -> None:
    def f(x):
        seen = [x]
        if x > 0:
            set_branch_options(vmap=how, chunk=2)
            assert x < 5, f"{x} is too large"
            seen.append(x * 2)
            seen[0] = x + 1
        else:
            seen.append(0)
        return seen[0], seen[1]

    run = jax.vmap(ag.convert(f))
    assert [each.tolist() for each in run(jnp.array([1, -1, 4, 7 - 9]))] == [[2, -1, 5, -2], [2, 0, 8, 0]]
    with pytest.raises(AssertionError, match="6 is too large"):
        run(jnp.array([1, 6, -1]))


@pytest.mark.parametrize("how", WAYS)
def test_in_a_loop_and_in_a_scan(how: str) -> None:
    def f(x):
        total = 0.0
        for i in range(x):
            if i % 2 == 0:
                set_branch_options(vmap=how)
                total = total + i
        return total

    expected = [float(sum(range(0, n, 2))) for n in range(5)]
    np.testing.assert_allclose(jax.vmap(ag.to_graph(f))(jnp.arange(5)), expected)
    scanned = jax.lax.scan(lambda c, x: (c, ag.to_graph(f)(x)), 0, jnp.arange(5))
    np.testing.assert_allclose(scanned[1], expected)


@pytest.mark.parametrize("how", WAYS)
def test_random_keys_go_through(how: str) -> None:
    def f(key, x):
        if x > 0:
            set_branch_options(vmap=how, chunk=2)
            key, other = jax.random.split(key)
            x = x + jax.random.uniform(other)
        return jax.random.uniform(key) + x

    keys, xs = jax.random.split(jax.random.key(0), 5), jnp.array([1.0, -1.0, 2.0, 3.0, -2.0])
    wanted = [f(key, x) for key, x in zip(keys, xs, strict=True)]
    np.testing.assert_allclose(jax.vmap(ag.to_graph(f))(keys, xs), wanted, rtol=1e-6)
    slopes = jax.vmap(jax.grad(ag.to_graph(f), argnums=1))(keys, xs)
    assert slopes.tolist() == [1.0] * 5


@pytest.mark.parametrize("how", WAYS)
def test_in_a_shard_map(how: str) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    spec = jax.sharding.PartitionSpec("d")
    f = jax.shard_map(jax.vmap(ag.to_graph(uneven(how))), mesh=mesh, in_specs=spec, out_specs=spec)
    xs = jnp.array(LANES)
    np.testing.assert_allclose(jax.jit(f)(xs), [uneven(how)(x) for x in xs], rtol=1e-5)
    slopes = [jax.grad(uneven(how))(x) for x in xs]
    np.testing.assert_allclose(jax.jit(jax.grad(lambda xs: f(xs).sum()))(xs), slopes, rtol=1e-5)


def instructions(fn: Function, *args: Any) -> list[str]:
    text = jax.jit(fn).lower(*args).compile().as_text() or ""
    return re.findall(r" = \S+ ([\w-]+)\(", text)


@pytest.mark.parametrize(("how", "conditionals"), [("select", 0), ("map", 1), ("group", 1)])
def test_lanes_that_go_apart_have_a_branch_in_the_program(how: str, conditionals: int) -> None:
    def f(x):
        if x > 0:
            set_branch_options(vmap=how)
            x = jnp.linalg.inv(x.reshape(1, 1) @ jnp.ones((1, 1)))[0, 0]
        return x

    assert instructions(jax.vmap(ag.to_graph(f)), jnp.ones(64)).count("conditional") == conditionals


@pytest.mark.parametrize("how", ["map", "group"])
def test_without_vmap_the_program_is_the_same(how: str) -> None:
    programs = [instructions(ag.to_graph(uneven(way)), jnp.float32(1)) for way in ("select", how)]
    assert programs[0] == programs[1]


def test_explain_tells_the_way() -> None:
    told = [
        [each.became for each in ag.explain(uneven(how))(jnp.float32(1)) if each.statement == "if"]
        for how in WAYS
    ]
    assert told == [["cond"] * 2, ["cond, lanes one by one"] * 2, ["cond, lanes in groups"] * 2]


@pytest.mark.parametrize("value", ["sort", None, 3])
def test_other_ways_are_refused(value: Any) -> None:
    def f(x):
        if x > 0:
            set_branch_options(vmap=value)
        return x

    message = f"set_branch_options: vmap is {value!r}; it may be 'select', 'map' or 'group'."
    for run in (f, ag.convert(f)):
        with pytest.raises(ValueError, match=re.escape(message)):
            run(jnp.float32(1))


@pytest.mark.parametrize("value", [0, True, 2.0])
def test_other_chunks_are_refused(value: Any) -> None:
    message = f"set_branch_options: chunk is {value!r}; it may be an int from 1 on."
    with pytest.raises(ValueError, match=re.escape(message)):
        set_branch_options(vmap="group", chunk=value)


def not_in_a_branch(x):
    set_branch_options(vmap="map")
    return x


def not_first(x):
    if x > 0:
        x = x + 1
        set_branch_options(vmap="map")
    return x


def not_first_in_a_loop(x):
    if x > 0:
        for _ in range(2):
            x = x + 1
            set_branch_options(vmap="map")
    return x


def in_a_body(x):
    for i in range(x):
        set_branch_options(vmap="map")
    return x


def after_a_guard(x):
    if x < 0:
        return x
    set_branch_options(vmap="map")
    return x + 1


@pytest.mark.parametrize("fn", [not_in_a_branch, not_first, not_first_in_a_loop, in_a_body, after_a_guard])
def test_a_call_that_begins_no_branch_is_refused(fn: Function) -> None:
    code = fn.__code__
    (line,) = (n for n in range(code.co_firstlineno, code.co_firstlineno + 6) if "set_branch" in _line(n))
    message = (
        f"set_branch_options: it is called at {__file__}:{line}, which does not begin a branch; "
        "it may be the first statement in an `if`, an `elif`, an `else` or a `case`."
    )
    for run in (fn, ag.convert(fn)):
        with pytest.raises(ValueError, match=re.escape(message)):
            run(jnp.int32(2))


def _line(number: int) -> str:
    return linecache.getline(__file__, number)


def test_two_branches_that_disagree_are_refused() -> None:
    def f(x):
        if x > 0:
            set_branch_options(vmap="map")
            return x
        else:
            set_branch_options(vmap="group", chunk=4)
            return -x

    message = (
        "set_branch_options: two branches of one statement say vmap='map', chunk=32 and vmap='group', chunk=4; "
        "one of them is enough."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        ag.convert(f)(jnp.float32(1))


def test_under_a_condition_of_pythons_it_says_nothing_of_the_branch_around() -> None:
    def f(x, known):
        if x > 0:
            if known:
                set_branch_options(vmap="map")
                x = x * 2
        return x

    mapped = jax.vmap(lambda x: ag.to_graph(f)(x, True))
    assert "scan" not in str(jax.make_jaxpr(mapped)(jnp.ones(3)))
