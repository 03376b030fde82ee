"""What do the gradients of loops cost that are left early, that roll layers, or that run until a traced time?

Run time and memory beside Equinox's checkpointed `while_loop`, whose backward pass goes over the steps taken, and beside the
unrolled loop; compile time beside the unrolled loop and beside the program itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax import lax

import autograph_lite
from benchmarks import bench_grad, table, timing
from benchmarks.timing import Row

Fn = Callable[..., Any]


def left_by_python(x: Any, last: int) -> Any:
    """A loop of 2,000 iterations that Python leaves after so many."""
    done = 0.0
    for i in range(2000):
        x = jnp.sin(x) * 0.9 + jnp.cos(x) * i
        done += 1.0
        if done == last:
            break
    return x


def left_by_hand(x: Any, last: int) -> Any:
    """The same as a loop of the exact length."""
    return lax.fori_loop(0, last, lambda i, x: jnp.sin(x) * 0.9 + jnp.cos(x) * i, x)


def checkpointed(w: Any, x: Any, rows: Any, n: Any) -> Any:
    """`bench_grad.left_early` by Equinox's checkpointed loop."""

    def step(state: Any) -> Any:
        i, x = state
        return i + 1, bench_grad.step(w, x + rows[i])

    most = rows.shape[0]
    start = jnp.int32(0), x
    return eqxi.while_loop(
        lambda state: (state[0] < n) & (state[0] < most), step, start, max_steps=most, kind="checkpointed"
    )[1]


def layered(layers: Any, x: Any) -> Any:
    """A network of equal layers, as people write it."""
    for w, b in layers:
        h = jnp.tanh(x @ w + b)
        h = h - jnp.mean(h, axis=-1, keepdims=True)
        x = x + jax.nn.gelu(h / jnp.sqrt(jnp.var(h, axis=-1, keepdims=True) + 1e-5)) * 0.5
    return x


def until(x: Any, end: Any) -> Any:
    """A `while` of forty array operations over a traced time."""
    t = jnp.float32(0)
    while t < end:
        for k in range(10):
            x = jnp.sin(x) * 0.9 + jnp.cos(x * (0.1 * k))
        t += 0.1
    return x


def _total(fn: Fn) -> Fn:
    return lambda *values: jnp.sum(fn(*values))


def _compiled(fn: Fn, values: tuple[Any, ...]) -> Any:
    return jax.jit(lambda *given: fn(*given)).lower(*values).compile()


def _beside(fns: dict[str, Fn], base: str, values: tuple[Any, ...], what: str) -> Row:
    """Run time and memory of each over those of `base`."""
    compiled = {name: _compiled(fn, values) for name, fn in fns.items()}
    size = {name: program.memory_analysis().temp_size_in_bytes for name, program in compiled.items()}
    tasks = {name: _running(program, values) for name, program in compiled.items()}
    times = timing.interleaved(tasks, rounds=11)
    (ours,) = (name for name in fns if name != base)
    return {
        "what": what,
        "over": base,
        "run": f"{timing.ratio(times, ours, base):.2f}",
        "KB": f"{size[ours] // 1000} / {size[base] // 1000}",
    }


def _running(program: Any, values: tuple[Any, ...]) -> Callable[[], object]:
    return lambda: jax.block_until_ready(program(*values))


def _left() -> Iterator[Row]:
    x = jnp.linspace(0, 1, 4096)
    for last in (4, 200):
        forms: dict[str, Fn] = {"by hand": left_by_hand, "ours": autograph_lite.to_graph(left_by_python)}
        at = {name: (lambda x, fn=fn, last=last: fn(x, last)) for name, fn in forms.items()}
        yield _beside(at, "by hand", (x,), f"left by Python after {last} of 2,000")
        grads = {name: jax.grad(_total(fn)) for name, fn in at.items()}
        yield _beside(grads, "by hand", (x,), "its gradient")
    for length in (200, 1000):
        for steps in (5, length // 10, length):
            w, x, n = bench_grad.arguments(64, steps)
            values = w, x, jnp.linspace(0, 1, 64 * length).reshape(length, 64), n
            fns = {"Equinox": checkpointed, "ours": autograph_lite.to_graph(bench_grad.left_early)}
            grads = {name: jax.grad(_total(fn), (0, 1, 2)) for name, fn in fns.items()}
            yield _beside(grads, "Equinox", values, f"gradient of {length} rows left after {steps}")


def _making() -> Iterator[Row]:
    warnings.simplefilter("ignore", autograph_lite.UnrolledLoopWarning)  # which is asked for
    for count in (12, 48):
        random = jax.random.normal(jax.random.PRNGKey(0), (count, 32, 32)) * 0.2
        layers = [(w, jnp.zeros(32)) for w in random]
        values = layers, jnp.ones((8, 32))
        unrolled = jax.grad(_total(autograph_lite.to_graph(layered, static_loops="python")))
        staged = jax.grad(_total(autograph_lite.to_graph(layered, static_loops="stage")))
        ours = jax.grad(_total(autograph_lite.to_graph(layered)))
        yield _times(
            f"gradient of {count} layers",
            {"unrolled": unrolled, "rolled": staged, "ours": ours},
            "unrolled",
            values,
        )
    given = jnp.ones(64), jnp.float32(2)
    fn = autograph_lite.to_graph(until)
    yield _times(
        "gradient of a while of 40 operations",
        {"program": fn, "ours": jax.grad(_total(fn))},
        "program",
        given,
    )


def _times(what: str, fns: dict[str, Fn], base: str, values: tuple[Any, ...]) -> Row:
    """Milliseconds to trace and compile each, and the ratio of ours to `base`."""
    tasks = {name: (lambda fn=fn: _compiled(fn, values)) for name, fn in fns.items()}
    times = timing.interleaved(tasks, rounds=3)
    found = {f"{name}, ms": f"{timing.milliseconds(times[name]):.0f}" for name in fns}
    return {"what": what, **found, "ratio": f"{timing.ratio(times, 'ours', base):.2f}"}


def measure() -> list[Row]:
    """All rows."""
    return [*_left(), *_making()]


def main() -> None:
    """Prints the tables."""
    table.show("Gradients of loops that are left early", list(_left()))
    for row in _making():
        table.show("Making the programs", [row])


if __name__ == "__main__":
    main()
