"""Do flags of JAX's that are switched after the first call count from the next one on, as for `lax.cond` under `jax.jit`?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import autograph_lite as al
from autograph_lite import Variable, convert, to_graph

X = jnp.float32(2)
counts, box = Variable(0), [jnp.float32(0)]


def root(x: Any) -> Any:
    return jnp.sqrt(-x) if x > 0 else x


def root_of_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: jnp.sqrt(-x), lambda: x)


def looped(x: Any) -> Any:
    while x > 1.0:
        x = jnp.log(-x)
    for y in jnp.arange(3.0):
        x = x + y
    return x


def looped_by_jax(x: Any) -> Any:
    x = lax.while_loop(lambda x: x > 1.0, lambda x: jnp.log(-x), x)
    return lax.scan(lambda x, y: (x + y, None), x, jnp.arange(3.0))[0]


def hidden(x: Any) -> Any:
    if x > 0:
        return jnp.where(jnp.isnan(jnp.sqrt(-x)), 1.0, 0.0)
    return x


def hidden_of_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: jnp.where(jnp.isnan(jnp.sqrt(-x)), 1.0, 0.0), lambda: x)


def infinite(x: Any) -> Any:
    if x > 0:
        return 1 / (x - x)
    return x


def infinite_of_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: 1 / (x - x), lambda: x)


def promoted(x: Any) -> Any:
    if x > 0:
        return jnp.ones((2, 3)) + jnp.ones(3) * x
    return jnp.ones((2, 3))


def promoted_by_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: jnp.ones((2, 3)) + jnp.ones(3) * x, lambda: jnp.ones((2, 3)))


def mixed(x: Any) -> Any:
    if x > 0:
        return jnp.ones(()) * x.astype(jnp.int32)
    return jnp.ones(())


def mixed_by_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: jnp.ones(()) * x.astype(jnp.int32), lambda: jnp.ones(()))


def wide(x: Any) -> Any:
    if x > 0:
        return jnp.zeros(2) + jnp.arange(2)
    return jnp.ones(2)


def wide_by_jax(x: Any) -> Any:
    return lax.cond(x > 0, lambda: jnp.zeros(2) + jnp.arange(2), lambda: jnp.ones(2))


def drawn(x: Any) -> Any:
    key = jax.random.key(0)
    if x > 0:
        return jax.random.normal(key) + jax.random.normal(key)
    return x


def drawn_by_jax(x: Any) -> Any:
    key = jax.random.key(0)
    return lax.cond(x > 0, lambda: jax.random.normal(key) + jax.random.normal(key), lambda: x)


CASES: dict[str, tuple[str, Any, Any, Any]] = {
    "nans in an if": ("jax_debug_nans", True, root, root_of_jax),
    "nans in loops": ("jax_debug_nans", True, looped, looped_by_jax),
    "nans that stay inside": ("jax_debug_nans", True, hidden, hidden_of_jax),
    "infs": ("jax_debug_infs", True, infinite, infinite_of_jax),
    "no jit": ("jax_disable_jit", True, hidden, hidden_of_jax),
    "checks": ("jax_enable_checks", True, root, root_of_jax),
    "leaks": ("jax_check_tracer_leaks", True, looped, looped_by_jax),
    "ranks": ("jax_numpy_rank_promotion", "raise", promoted, promoted_by_jax),
    "dtypes": ("jax_numpy_dtype_promotion", "strict", mixed, mixed_by_jax),
    "x64": ("jax_enable_x64", True, wide, wide_by_jax),
    "keys": ("jax_debug_key_reuse", True, drawn, drawn_by_jax),
    "generator": ("jax_default_prng_impl", "rbg", drawn, drawn_by_jax),
    "precision": ("jax_default_matmul_precision", "highest", wide, wide_by_jax),
    "tracebacks": ("jax_traceback_filtering", "off", root, root_of_jax),
}


def counted(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        counts.assign_add(1)
        return fun(x)

    return run


def left_outside(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        box[0] = x
        return fun(x)

    return run


FORMS: dict[str, Callable[[Any], Any]] = {
    "convert": convert,
    "to_graph": lambda fun: jax.jit(to_graph(fun)),
    "a Variable": lambda fun: convert(counted(fun)),
    "a list outside": lambda fun: convert(left_outside(fun)),
}


@contextlib.contextmanager
def updated(name: str, value: Any) -> Any:
    before = getattr(jax.config, name)
    jax.config.update(name, value)
    try:
        yield
    finally:
        jax.config.update(name, before)


def within(name: str, value: Any) -> Any:
    return getattr(jax, name.removeprefix("jax_"))(value)


def outcome(fun: Any) -> str:
    """What a call gives, or the kind of its exception with its message up to the operation that it names."""
    try:
        found = fun(X)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(' encountered in')[0][:30]}"
    return f"{found.dtype}: {found}"


def outcomes(fun: Any, name: str, value: Any) -> list[str]:
    """Of calls before, while and after a flag is on: for all threads, and then for this one where there is a way."""
    found = [outcome(fun)]
    for way in (updated, within if hasattr(jax, name.removeprefix("jax_")) else updated):
        with way(name, value):
            found += [outcome(fun), outcome(fun)]
        found.append(outcome(fun))
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_flag_counts_from_the_next_call_on(case: str) -> None:
    name, value, fun, by_jax = CASES[case]
    right = outcomes(jax.jit(by_jax), name, value)
    for form, made in FORMS.items():
        assert outcomes(made(fun), name, value) == right, form


def test_a_call_that_gives_a_nan_leaves_everything_as_it_was() -> None:
    v = Variable(1.0)

    @convert
    def f(x: Any) -> Any:
        v.assign(jnp.sqrt(x))
        box[0] = jnp.sqrt(x)
        return x

    f(4.0)
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        f(-1.0)
    assert (float(v), float(box[0])) == (2, 2)
    f(-1.0)
    assert jnp.isnan(v.value) & jnp.isnan(box[0])


def test_jax_finds_nans_on_a_thread_that_has_run_a_jaxpr() -> None:
    convert(root)(X)
    with updated("jax_debug_nans", True), pytest.raises(FloatingPointError):
        jax.jit(lambda x: jnp.sqrt(-x))(X)


def test_run_functions_eagerly_counts_as_well() -> None:
    f = convert(hidden)
    al.run_functions_eagerly(True)
    try:
        with jax.debug_nans(True), pytest.raises(FloatingPointError):
            f(X)
    finally:
        al.run_functions_eagerly(False)
    assert float(f(X)) == 1
