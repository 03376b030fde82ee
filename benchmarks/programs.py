"""Which small programs are measured: each as plain Python and as an expert writes it in `jax.lax`.

The structure of what both become (`tests/structure`), the time to trace them and the time to run them are
compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks import generated

Array: TypeAlias = Any


@dataclasses.dataclass(frozen=True)
class Program:
    """One program.

    Attributes:
      python: plain Python, to be converted.
      by_hand: the same in `jax.lax`, or in plain JAX where nothing is to be staged.
      arguments: arrays to trace and run both with.
      plain: whether nothing is staged.
      extras: primitives that only the converted form has, and why they are there.
      selects: whether the hand-written form has no branches to trace where the Python one has.
    """

    python: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: tuple[Any, ...]
    plain: bool = False
    extras: dict[str, str] = dataclasses.field(default_factory=dict)
    selects: bool = False


def branch(x: Array, leak: Array) -> Array:
    if x > 0:
        y = x
        sign = 1.0
    else:
        y = leak * x
        sign = -1.0
    return y * sign


def branch_by_hand(x: Array, leak: Array) -> Array:
    y, sign = lax.cond(x > 0, lambda: (x, 1.0), lambda: (leak * x, -1.0))
    return y * sign


def nested(x: Array, y: Array) -> Array:
    if x > 1:
        if y > 1:
            z = x + y
        elif y > 0:
            z = x * y
        else:
            z = x - y
    elif x > 0:
        z = jnp.sin(x) if y > 0 else jnp.cos(y)
    else:
        z = y
    return z * 2


def nested_by_hand(x: Array, y: Array) -> Array:
    def large() -> Array:
        return lax.cond(y > 1, lambda: x + y, lambda: lax.cond(y > 0, lambda: x * y, lambda: x - y))

    def small() -> Array:
        return lax.cond(y > 0, lambda: jnp.sin(x), lambda: jnp.cos(y))

    return lax.cond(x > 1, large, lambda: lax.cond(x > 0, small, lambda: y)) * 2


def newton(x: Array, tolerance: Array) -> Array:
    guess = x
    while jnp.abs(guess * guess - x) > tolerance:
        guess = (guess + x / guess) / 2
    return guess


def newton_by_hand(x: Array, tolerance: Array) -> Array:
    return lax.while_loop(lambda g: jnp.abs(g * g - x) > tolerance, lambda g: (g + x / g) / 2, x)


def collatz(n: Array, limit: Array) -> Array:
    steps = 0
    while n != 1:
        if steps >= limit:
            break
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def collatz_by_hand(n: Array, limit: Array) -> Array:
    def body(carry: Any) -> Any:
        def stop(n: Array, steps: Array, _: Array) -> Any:
            return n, steps, True

        def step(n: Array, steps: Array, stop: Array) -> Any:
            return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), steps + 1, stop

        n, steps, left = carry
        return lax.cond(steps >= limit, stop, step, n, steps, left)

    def running(carry: Any) -> Any:
        n, _, left = carry
        keep = jnp.logical_not(left)
        return lax.cond(keep, lambda: n != 1, lambda: False)

    return lax.while_loop(running, body, (n, 0, False))[1]


def total(rows: Array) -> Array:
    result = jnp.zeros(())
    for row in rows:
        result = result * 0.5 + row
    return result


def total_by_hand(rows: Array) -> Array:
    return lax.scan(lambda result, row: (result * 0.5 + row, None), jnp.zeros(()), rows)[0]


def largest_below(rows: Array, bound: Array) -> Array:
    best = jnp.float32(-1)
    for row in rows:
        if row < bound:
            best = row if row > best else best
    return best


def largest_below_by_hand(rows: Array, bound: Array) -> Array:
    def step(best: Array, row: Array) -> Any:
        return jnp.where(row < bound, jnp.where(row > best, row, best), best), None

    return lax.scan(step, jnp.float32(-1), rows)[0]


def largest_below_by_cond(rows: Array, bound: Array) -> Array:
    def step(best: Array, row: Array) -> Any:
        def below(best: Array) -> Array:
            return lax.cond(row > best, lambda: row, lambda: best)

        return lax.cond(row < bound, below, lambda best: best, best), None

    return lax.scan(step, jnp.float32(-1), rows)[0]


def weighted(rows: Array) -> Array:
    result = 0.0
    for row in rows:
        result = result * 0.5 + row
    return result


def matrix(a: Array, n: Array) -> Array:
    power = jnp.eye(4)
    for _ in range(n):
        power = power @ a
    return power


def matrix_by_hand(a: Array, n: Array) -> Array:
    return lax.fori_loop(0, n, lambda _, power: power @ a, jnp.eye(4))


def plain(x: Array, w: Array) -> Array:
    for _ in range(4):
        x = jnp.tanh(x @ w)
        x = x / (1e-6 + jnp.sqrt(jnp.sum(x * x, axis=-1, keepdims=True)))
        x = jnp.where(x > 0, x, 0.1 * x)
    return jnp.mean(x), jnp.max(x, axis=0)


def layer(x: Array, w: Array, scale: float) -> Array:
    h = jnp.tanh(x @ w)
    return h * scale + x


def helpers(x: Array, w: Array) -> Array:
    for depth in range(6):
        x = layer(x, w, 1.0 / (depth + 1))
    return x


def guards_by_hand(count: int) -> Callable[[Array], Array]:
    def guard(x: Array, i: int) -> Array:
        if i == count:
            return x - 1.0
        return lax.cond(x > 1000 - i, lambda: x * float(i), lambda: guard(x, i + 1))

    return lambda x: guard(x, 0)


F = np.float32
FIRST_TEST = "the test before the loop, which tells that the loop is to be staged; XLA drops it"
CAST = "of a number that came from Python to the same type, as if from an array; XLA drops it"
FLAG = "beyond 40 levels of nesting a flag says that the function has returned, and one `if` more asks for it"
ROWS = np.linspace(-1, 1, 64, dtype=F)
MATRIX = np.ones((4, 4), F) / 4
# fmt: off
PROGRAMS = {
    "branch": Program(branch, branch_by_hand, (F(2), F(0.1))),
    "nested branches": Program(nested, nested_by_hand, (F(0.5), F(2))),
    "20 guards": Program(generated.guards(20), guards_by_hand(20), (F(5),)),
    "50 guards": Program(
        generated.guards(50), guards_by_hand(50), (F(5),), extras={"cond": FLAG, "convert_element_type": FLAG}
    ),
    "while": Program(newton, newton_by_hand, (F(2), F(1e-3))),
    "while with break": Program(
        collatz, collatz_by_hand, (np.int32(27), np.int32(1000)), extras={"ne": FIRST_TEST}
    ),
    "for over an array": Program(total, total_by_hand, (ROWS,)),
    "branches in a for": Program(largest_below, largest_below_by_hand, (ROWS, F(0.5)), selects=True),
    "for from a number": Program(weighted, total_by_hand, (ROWS,), extras={"convert_element_type": CAST}),
    "for over a traced range": Program(matrix, matrix_by_hand, (MATRIX, np.int32(5))),
    "plain jnp": Program(plain, plain, (MATRIX, MATRIX), plain=True),
    "calls of helpers": Program(helpers, helpers, (MATRIX, MATRIX), plain=True),
}
# fmt: on
# The same program with branches by hand, too: what it costs to trace them is compared, not what they become.
BRANCHES_BY_COND = Program(largest_below, largest_below_by_cond, (ROWS, F(0.5)))


def agree(program: Program, converted: Callable[..., Any]) -> bool:
    """Whether the converted form computes what the hand-written one does."""
    ours, theirs = (jax.tree.leaves(jax.jit(f)(*program.arguments)) for f in (converted, program.by_hand))
    return all(np.allclose(a, b) for a, b in zip(ours, theirs, strict=True))
