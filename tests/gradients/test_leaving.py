"""Does a loop over rows that a traced value leaves end there, and its gradient too?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert

ROWS = jnp.asarray(np.random.RandomState(0).rand(50), jnp.float32)
LIMITS = [0.1, 0.9, 0.97, 3.0]  # after the first row, after some, after none


def broken(xs, s, limit):
    k = 0
    for x in xs:
        s = jnp.sin(s * x) + 0.5
        k += 1
        if s > limit:
            break
    return s * k


def returned(xs, s, limit):
    for x in reversed(xs):
        s = jnp.sin(s * x) + 0.5
        if s > limit:
            return s * x
        assert s == s
    return -s


def written(xs, s, limit):
    seen = jnp.zeros(50)
    for i, x in enumerate(xs):
        s = jnp.sin(s * x) + 0.5
        seen = seen.at[i].set(s)
        if s > limit:
            break
    return jnp.sum(seen * seen)


def appended(xs, s, limit):
    out = []
    for x in xs:
        s = jnp.sin(s * x) + 0.5
        if s > limit:
            break
        out.append(s)
    return sum(out, s)


def close(one, other) -> None:
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5), one, other)


@pytest.mark.parametrize("plain", [broken, returned, written, appended])
def test_value_and_derivatives_are_pythons(plain) -> None:
    f, s = convert(plain), jnp.float32(0.7)
    wanted = [jax.value_and_grad(plain, (0, 1))(ROWS, s, limit) for limit in LIMITS]
    compiled = jax.jit(jax.value_and_grad(f, (0, 1)))
    for limit, one in zip(LIMITS, wanted, strict=True):
        close(compiled(ROWS, s, limit), one)
    lanes = jax.vmap(jax.value_and_grad(f, (0, 1)), (None, None, 0))(ROWS, s, jnp.array(LIMITS))
    close(lanes, jax.tree.map(lambda *a: jnp.stack(a), *wanted))
    along = jax.jit(lambda s: jax.jvp(lambda s: f(ROWS, s, 0.97), (s,), (jnp.float32(1),)))(s)
    close(along[1], wanted[2][1][1])


def walked(xs, s, _):
    for x in xs:
        s = jnp.sin(s * x)
    return s


def kinds(f, rows) -> tuple[bool, bool]:
    program = str(jax.make_jaxpr(jax.grad(f))(rows, 0.7, 0.9))
    return "while[" in program, "scan[" in program


def test_a_loop_that_is_left_is_a_while() -> None:
    assert kinds(convert(broken), ROWS) == (True, False)
    assert kinds(convert(broken), ROWS[:32]) == (False, True)  # of few rows
    assert kinds(convert(walked), ROWS) == (False, True)


def test_states_that_take_much_are_not_kept() -> None:
    def wide(xs, s, limit):
        total = jnp.full(200_000, s)
        for x in xs:
            total = jnp.sin(total * x)
            if total[0] > limit:
                break
        return total[0]

    assert kinds(convert(wide), ROWS) == (False, True)


def test_memory_is_that_of_the_states() -> None:
    def program(xs, s, limit):
        for x in xs:
            s = jnp.tanh(s * s + x)
            if s[0] > limit:
                break
        return jnp.sum(s)

    rows = jnp.ones((1000, 64))
    compiled = jax.jit(jax.grad(convert(program), 1)).lower(rows, jnp.ones(64), 5.0).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 250 * 64 * 4
