"""Does a loop of any length have its gradient, and what does that take?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert
from autograph_lite.jax_internals.loops import checkpointing
from autograph_lite.jax_internals.while_lanes import Options

SMALL = checkpointing.Sizes(chunk=2, kept=2, spare=1)


@convert
def ours(a, x, n):
    while n > 0:
        x = jnp.sin(a * x) + 0.5
        n -= 1
    return x


@pytest.fixture
def little_room(monkeypatch):
    """Room for two states, and two iterations: a few steps take what a million take else."""
    monkeypatch.setattr(checkpointing.Sizes, "fitting", classmethod(lambda cls, *given: SMALL))


def test_every_length_with_little_room(little_room) -> None:
    gradient = jax.jit(jax.grad(ours, (0, 1)))
    for n in (*range(20), 31, 33, 100, 257):
        np.testing.assert_allclose(
            gradient(0.9, 0.3, jnp.int32(n)), by_hand(0.9, 0.3, n), rtol=1e-4, atol=1e-30
        )


def by_hand(a, x, n):
    xs = [x]
    for _ in range(n):
        xs.append(np.sin(a * xs[-1]) + 0.5)
    total, cotangent = 0.0, 1.0
    for before in xs[-2::-1]:
        slope = cotangent * np.cos(a * before)
        total, cotangent = total + slope * before, slope * a
    return total, cotangent


def test_long_loops() -> None:
    gradient = jax.jit(jax.grad(ours, (0, 1)))
    for n in (4096, 4097, 9000):
        np.testing.assert_allclose(
            gradient(0.9, 0.3, jnp.int32(n)), by_hand(0.9, 0.3, n), rtol=1e-3, atol=1e-30
        )


@pytest.mark.parametrize(("n", "most"), [(100, 2.0), (4096, 2.0), (6000, 3.0)])
def test_body_runs_forward_a_few_times_for_each_iteration(n, most) -> None:
    runs = 0

    def sine(x):
        nonlocal runs
        runs += 1
        return np.sin(x)

    def step(state):
        return [state[0] + 1, jax.pure_callback(sine, state[1], state[1])]

    loop = checkpointing.Loop(
        live=lambda state: state[0] < n,
        step=step,
        taped=lambda state: (step(state), [jnp.cos(state[1])]),
        tape=[jax.ShapeDtypeStruct((), jnp.float32)],
        back=lambda tape, cotangents: ([], [tape[0] * cotangents[0]]),
        consts=[],
    )

    @jax.jit
    def run(x):
        _, marks = checkpointing.forward(loop, checkpointing.Sizes(), [jnp.int32(0), x])
        return checkpointing.backward(loop, checkpointing.Sizes(), marks, [jnp.float32(1)])

    jax.block_until_ready(run(jnp.float32(0.5)))
    assert n < runs <= most * n


def test_memory_does_not_grow_with_the_length() -> None:
    state, w = jnp.ones(1000), jnp.ones(1000)
    compiled = (
        jax.jit(jax.grad(lambda w, x, n: jnp.sum(ours(w, x, n)))).lower(w, state, jnp.int32(1)).compile()
    )
    kept = 64 + 64 + 2 * 64  # of the forward run, of the stack, and for the derivatives of a chunk
    assert compiled.memory_analysis().temp_size_in_bytes < (kept + 20) * state.nbytes


def test_large_states_take_less_room() -> None:
    big, tape = jax.ShapeDtypeStruct((1 << 20,), jnp.float32), jax.ShapeDtypeStruct((1 << 22,), jnp.float32)
    fitting = checkpointing.Sizes.fitting
    assert fitting([big], [tape], Options()) == checkpointing.Sizes(chunk=4, kept=16, spare=8)
    assert fitting([tape, tape], [tape, tape], Options()) == checkpointing.Sizes(chunk=2, kept=8, spare=4)
    assert fitting([big], [tape], Options(kept=6)) == checkpointing.Sizes(chunk=4, kept=6, spare=3)
    assert fitting([big], [tape], Options(bound=4)) == checkpointing.Sizes(chunk=4, kept=0, spare=0)
    assert fitting([big], [tape], Options(bound=5)) == checkpointing.Sizes(chunk=4, kept=16, spare=0)
    assert fitting([big], [tape], Options(bound=65)) == checkpointing.Sizes(chunk=4, kept=16, spare=8)
