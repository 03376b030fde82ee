"""What does the gradient of a loop of unknown length cost, beside that of a hand-written `scan` of the exact length?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import autograph_lite
from benchmarks import table, timing
from benchmarks.timing import Row

SIZES = [(1, 100), (1, 1000), (64, 100), (64, 1000), (64, 4000), (64, 16000), (256, 1000)]
Fn = Callable[..., Any]


def step(w: Any, x: Any) -> Any:
    """One iteration: a product and a tanh."""
    return jnp.tanh((w @ x if jnp.ndim(w) else w * x) + 0.1)


def scanned(length: int) -> Fn:
    """By hand, of a length that is known when it is compiled."""
    return lambda w, x, n: lax.scan(lambda s, _: (step(w, s), None), x, None, length=length)[0]


def looped(w: Any, x: Any, n: Any) -> Any:
    """By hand, of any length; `lax` has no reverse derivative for it."""
    return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, step(w, s[1])), (jnp.int32(0), x))[1]


def plain_while(w: Any, x: Any, n: Any) -> Any:
    """Plain Python."""
    i = 0
    while i < n:
        x = step(w, x)
        i += 1
    return x


def plain_for(w: Any, x: Any, n: Any) -> Any:
    """Plain Python."""
    for _ in range(n):
        x = step(w, x)
    return x


def left_early(w: Any, x: Any, rows: Any, n: Any) -> Any:
    """Plain Python: a loop over rows that a traced value leaves."""
    i = 0
    for row in rows:
        x = step(w, x + row)
        i += 1
        if i >= n:
            break
    return x


def left_early_scanned(w: Any, x: Any, rows: Any, n: Any) -> Any:
    """The same by hand, to the last row."""

    def row(s: Any, r: Any) -> Any:
        return lax.cond(s[0] >= n, lambda: s, lambda: (s[0] + 1, step(w, s[1] + r))), None

    return lax.scan(row, (jnp.int32(0), x), rows)[0][1]


def _leaving() -> Iterator[Row]:
    ours = autograph_lite.to_graph(left_early)
    for length in (200, 1000):
        for steps in (5, length // 10, length):
            w, x, n = arguments(64, steps)
            values = w, x, jnp.linspace(0, 1, 64 * length).reshape(length, 64), n
            fns = {"by hand": left_early_scanned, "for, left": ours}
            grads = {key: jax.grad(lambda *a, fn=fn: jnp.sum(fn(*a)), (0, 1, 2)) for key, fn in fns.items()}
            what = f"gradient of {length} rows left after {steps} / scan of all"
            yield {"size, length": f"64, {length}", "what": what, **ratios(grads, "by hand", values)}


def bounded(most: int) -> Fn:
    """Plain Python, with a bound on the number of iterations."""

    def run(w: Any, x: Any, n: Any) -> Any:
        i = 0
        while i < n:
            autograph_lite.set_loop_options(maximum_iterations=most)
            x = step(w, x)
            i += 1
        return x

    return run


def forms(length: int) -> dict[str, Fn]:
    """The converted forms."""
    plain = {"while": plain_while, "for": plain_for, "while, bounded": bounded(length)}
    return {name: autograph_lite.to_graph(fn) for name, fn in plain.items()}


def arguments(size: int, length: int) -> tuple[Any, ...]:
    """A matrix, a vector and the length; two numbers in place of the first where the size is 1."""
    random = np.random.RandomState(0).randn(size, size)
    w = jnp.asarray(0.9 * random / size**0.5, jnp.float32) if size > 1 else jnp.float32(0.9)
    return w, jnp.linspace(0.1, 1, size) if size > 1 else jnp.float32(0.5), jnp.int32(length)


def gradient(fn: Fn) -> Fn:
    """The gradient with respect to both arrays."""
    return jax.grad(lambda w, x, n: jnp.sum(fn(w, x, n)), (0, 1))


def forward_derivative(fn: Fn) -> Fn:
    """The derivative along a vector."""
    return lambda w, x, n: jax.jvp(lambda v: fn(w, v, n), (x,), (jnp.ones_like(x),))


def ratios(fns: dict[str, Fn], base: str, values: tuple[Any, ...], rounds: int = 11) -> dict[str, str]:
    """Run time over that of `base`; the results have to agree."""
    compiled = {name: jax.jit(fn).lower(*values).compile() for name, fn in fns.items()}
    wanted = compiled[base](*values)
    for program in compiled.values():
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-4), program(*values), wanted
        )

    def run(program: Any) -> Callable[[], object]:
        return lambda: jax.block_until_ready(program(*values))

    tasks = {name: run(program) for name, program in compiled.items()}
    times = timing.interleaved(tasks, rounds=rounds)
    return {name: f"{timing.ratio(times, name, base):.2f}" for name in fns if name != base}


def measure() -> list[Row]:
    """Run time of each derivative at each size."""
    return [*_rows(), *_leaving()]


def _rows() -> Iterator[Row]:
    for size, length in SIZES:
        values, ours, at = arguments(size, length), forms(length), f"{size}, {length}"
        by_hand = {"by hand": scanned(length)}
        fns = {key: gradient(fn) for key, fn in {**by_hand, **ours}.items()}
        yield {"size, length": at, "what": "gradient / scan", **ratios(fns, "by hand", values)}
        fns = {key: forward_derivative(fn) for key, fn in {"by hand": looped, "while": ours["while"]}.items()}
        yield {
            "size, length": at,
            "what": "forward derivative / while_loop",
            **ratios(fns, "by hand", values),
        }
        yield {
            "size, length": at,
            "what": "no derivative / while_loop",
            **ratios({"by hand": looped, **ours}, "by hand", values),
        }


def making() -> Iterator[Row]:
    """Trace, lowering and compile time in ms without and with derivative, beside those by hand, at size 64."""
    values = arguments(64, 1000)
    for name, of in (("none", lambda fn: fn), ("gradient", gradient), ("gradient of gradient", _twice)):
        by_hand = {"by hand": looped if name == "none" else scanned(1000)}
        for form, fn in {**by_hand, **forms(1000)}.items():
            yield {"derivative": name, "form": form, **_stages(of(fn), values)}


def _twice(fn: Fn) -> Fn:
    once = jax.grad(lambda w, x, n: jnp.sum(fn(w, x, n)), 1)
    return jax.grad(lambda w, x, n: jnp.sum(once(w, x, n) ** 2), 1)


def _stages(fn: Fn, values: tuple[Any, ...]) -> Row:
    found: list[list[float]] = []
    memory = 0
    for _ in range(3):
        start = time.process_time()
        traced = jax.jit(lambda *args: fn(*args)).trace(*values)
        middle = time.process_time()
        lowered = traced.lower()
        late = time.process_time()
        compiled = lowered.compile()
        found.append([middle - start, late - middle, time.process_time() - late])
        memory = compiled.memory_analysis().temp_size_in_bytes
    best = [f"{1000 * min(column):.1f}" for column in zip(*found, strict=True)]
    return {**dict(zip(("trace ms", "lower ms", "compile ms"), best, strict=True)), "KB": memory // 1000}


def main() -> None:
    """Prints the tables."""
    table.show("Run time of derivatives", measure())
    table.show("Making the programs", list(making()))


if __name__ == "__main__":
    main()
