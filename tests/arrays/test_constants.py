"""Is an array of NumPy's that Python goes on writing into, in a program, what it was each time that it was used?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite.jax_internals import numpy_constants
from tests.properties.running import loaded

CASES = {
    "an item is written": "t = np.zeros(3, f4)\nt[0] = 1\ny = x + t\nt[0] = 5\nreturn y, y + t",
    "all is written": "t = np.ones(3, f4)\ny = x * t\nt[:] = 0\nreturn y",
    "all is added to": "t = np.ones(3, f4)\ny = x * t\nt += 1\nz = x * t\nt.fill(9)\nreturn y, z",
    "a function of NumPy's writes": "t = np.ones(3, f4)\ny = x * t\nnp.add(t, 1, out=t)\nreturn y, x * t",
    "a method writes": "t = np.array([3, 1, 2], f4)\ny = x * t\nt.sort()\nreturn y, x * t",
    "a number that is an array": "t = np.array(1, f4)\ny = x * t\nt += 1\nreturn y, x * t",
    "of a type that JAX narrows": "t = np.array([4, 0])\ny = x * t\nt[1] -= 2\nreturn y, x * t",
    "a number of a type that JAX narrows": "t = np.array(4)\ny = x * t\nt -= 2\nreturn y, x * t",
    "a number of another type": "t = np.array(1, np.int8)\ny = x * t\nt += 1\nreturn y, x * t",
    "a number for which a type is given": "t = np.array(1, f4)\ny = x * jnp.asarray(t, f4)\nt += 1\nreturn y",
    "a number converted": "t = np.array(1, f4)\ny = jax.lax.convert_element_type(t, f4) * x\nt += 1\nreturn y",
    "a number that is a part": "t = np.arange(3, dtype=f4)\ny = x * jnp.float32(t[1:2].reshape(()))\nt[1] = 9\nreturn y",
    "memory that is no array": "t = bytearray(4)\ny = x * jax.lax.convert_element_type(np.frombuffer(t, f4).reshape(()), f4)\n"
    "t[:] = b'abcd'\nreturn y",
    "a part": "t = np.arange(4, dtype=f4)\ny = x * t[1:3]\nt[1] = 9\nreturn y",
    "a part that may not be written": "t = np.ones(2, f4)\ny = x * np.broadcast_to(t, (3, 2))\nt[0] = 9\nreturn y",
    "in turns": "t, ys = np.zeros(3, f4), []\nfor i in range(3):\n    t[i] = i + 1\n    ys.append(x * t)\nreturn ys",
    "a function of JAX's": "t = np.array([7, -1, 2], f4)\ny = jnp.abs(t[:2]).sum() + x\nt[0] = 0\nreturn y",
    "a helper": "t = np.ones(2, f4)\nreturn helper(x, t), helper(x, t), t[0]",
    "on each path": "if x > 0:\n    t = np.zeros(2, f4)\n    y = x + t\n    t[0] = 9\n    z = x + t\n"
    "else:\n    t = np.ones(2, f4)\n    y = x - t\n    t[0] = 9\n    z = x - t\nreturn y, z",
    "before a branch": "t = np.ones(2, f4)\nif x > 0: y = x * t\nelse: y = x - t\nt[0] = 9\nreturn y",
    "in a loop": "i, s = 0, 0 * x\nwhile i < x + 2:\n    t = np.zeros(2, f4)\n    t[0] = 1\n    s += (x * t).sum()\n"
    "    t[1] = 5\n    s += (x * t).sum()\n    i += 1\nreturn s",
    "a global": "y = x * BUFFER\nBUFFER[0] += 1\nreturn y, x * BUFFER",
    "much": "t = np.ones((2, 40_000), f4)\ny = x * t\nz = x * t\nt[0, 0] = 5\nreturn (x * t - y)[0, :2], z[1, :2]",
}  # fmt: skip
HELPER = """
BUFFER = np.ones(2, f4)
def helper(x, t):
    y = x * t
    t[0] += 1
    return y
"""
# Compiled all of them: where JAX computes at once, beside Python, it may read an array after Python has written into it.
WAYS = {
    "convert": al.convert,
    "jit": lambda f: jax.jit(al.to_graph(f)),
    "vjp": lambda f: jax.jit(lambda x: jax.vjp(al.to_graph(f), x)[0]),
    "vmap": lambda f: lambda x: jax.tree.map(lambda a: a[0], jax.jit(jax.vmap(al.to_graph(f)))(x[None])),
}


def outcome(lines: str, way: Any) -> Any:
    source = HELPER + "def main(x):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, np=np, jnp=jnp, jax=jax, f4=np.float32) as namespace:
        return jax.tree.map(np.asarray, way(namespace["main"]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_it_is_what_it_was_when_it_was_used(case: str, way: str):
    expected = outcome(CASES[case], lambda f: f(np.float32(2)))
    found = outcome(CASES[case], lambda f: WAYS[way](f)(jnp.float32(2)))
    jax.tree.map(np.testing.assert_allclose, found, expected)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_it_is_what_it_was_in_a_function_that_jax_calls(way: Any):
    lines = (
        "def body(c, r):\n    t = np.zeros(2, f4)\n    t[0] = 2\n    out = c + t\n    t[0] = 7\n    return out, t[0] * r\n"
        "return jax.lax.scan(body, x * jnp.ones(2), jnp.ones(3))"
    )
    last, rows = outcome(lines, lambda f: way(f)(jnp.float32(2)))
    # Plain JAX reads `t` when the program runs, and gives 23.
    np.testing.assert_allclose(last, [2 + 3 * 2, 2])
    np.testing.assert_allclose(rows, [7, 7, 7])


def test_derivatives_see_it_as_it_was():
    def f(x):
        t = np.ones(2, np.float32)
        y = x * t
        t[:] = 7
        return y.sum()

    assert jax.jit(jax.grad(al.to_graph(f)))(1.0) == jax.jit(jax.grad(al.convert(f)))(1.0) == 2


steps = st.sampled_from([
    "t[{i}] = {v}", "t[{i}] += {v}", "t *= {v}", "t[:{i}] = {v}", "t[{i}:] -= t[0]", "s = s + x * t", "s = s * t", "s = s - t[{i}:].sum()",
    "s = jnp.where(x > {v}, s, t)", "if x > {v}: s = s + t", "for k in range(2):\n    t[k] = k\n    s = s - t",
])  # fmt: skip


@given(st.lists(st.tuples(steps, st.integers(0, 2), st.integers(-2, 2)), min_size=2, max_size=8))
def test_uses_and_writes_in_turns(drawn: list[tuple[str, int, int]]):
    lines = "\n".join(step.format(i=i, v=v) for step, i, v in drawn)
    program = f"t = np.ones(3, f4)\ns = x * t\n{lines}\nreturn s, t"
    expected = outcome(program, lambda f: f(np.float32(2)))
    found = outcome(program, lambda f: jax.jit(al.to_graph(f))(jnp.float32(2)))
    jax.tree.map(np.testing.assert_array_equal, found, expected)


def test_a_large_array_that_does_not_change_is_one_constant():
    def f(x):
        t = np.ones(40_000, np.float32)
        y = x * t
        return y - t, t + x

    jaxpr = jax.make_jaxpr(al.to_graph(f))(1.0)
    assert len([const for const in jaxpr.consts if np.size(const) > 1]) == 1


def test_what_cannot_be_written_is_not_copied():
    table = np.arange(4.0, dtype=np.float32)
    table.flags.writeable = False

    def f(x):
        return x * table

    (constant,) = (c for c in jax.make_jaxpr(al.to_graph(f))(1.0).consts if np.size(c) > 1)
    assert np.shares_memory(np.asarray(constant), table)


def test_a_table_that_nobody_may_write_to_is_read_in_a_nest():
    def f(data):
        table = np.frombuffer(b"ABCDEFGH", np.uint8)
        out = np.full(8, 61, np.uint8)
        for i in range(0, 8, 4):
            for j in range(3):
                out[i + j] = table[data[j] + i]
        return out

    data = np.array([1, 3, 2], np.int32)
    np.testing.assert_array_equal(al.convert(f)(data), f(data))


def test_zeros_of_both_signs_are_two_values():
    assert not numpy_constants._are_same(np.array([0.0]), np.array([-0.0]))
    assert numpy_constants._are_same(np.array([np.nan]), np.array([np.nan]))


MESSAGES = {
    "raise ValueError('no', t, [t, 1])": "('no', array([1., 1.], dtype=float32), [array([1., 1.], dtype=float32), 1])",
    "raise ValueError(f'no {t} {x}')": "no [1. 1.] 2.0",
    "assert x < 0, ('no', t)": "('no', array([1., 1.], dtype=float32))",
    "raise ValueError(text)": "[1. 1.] 2.0",
    "raise ValueError('%s %s' % (t, x))": "[1. 1.] 2.0",
}


@pytest.mark.parametrize("statement", MESSAGES)
def test_messages_show_it_as_it_was(statement: str):
    lines = f"t = np.ones(2, f4)\ntext = f'{{t}} {{x}}'\nif x > 0: {statement}\nt[0] = 5\nreturn x"
    with pytest.raises((ValueError, AssertionError)) as raised:
        outcome(lines, lambda f: al.convert(f)(jnp.float32(2)))
    assert str(raised.value) == MESSAGES[statement]


def test_what_is_printed_is_as_it_was(capsys: pytest.CaptureFixture[str]):
    @al.convert
    def f(x):
        t = np.ones(2, np.float32)
        al.print("t", t, x)
        t[0] = 5
        return x

    f(jnp.float32(2)).block_until_ready()
    jax.effects_barrier()
    assert capsys.readouterr().out == "t [1. 1.] 2.0\n"
