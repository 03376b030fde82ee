"""How soon does a second process have its first result, next to the first one? One process each, after its imports.

A train step of a small transformer: attention and a feed-forward layer, four times, with its gradient.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import table
from benchmarks.timing import Row

PROGRAM = """\
import json, sys, time
import jax, jax.numpy as jnp
import autograph_lite as al
how, folder = sys.argv[1:]

WIDTH, LAYERS = 64, 4

def layer(x, p):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    scores = jax.nn.softmax(q @ k.T / WIDTH ** 0.5)
    x = x + scores @ v
    x = (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"]

def loss(params, x, y):
    for p in params:
        x = layer(x, p)
    return ((x - y) ** 2).mean()

def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    if value > 1e6:
        value = value * 0
    return value, [{k: p[k] - 1e-3 * g[k] for k in p} for p, g in zip(params, grads)]

step = al.convert(step)
SHAPES = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
import numpy as np
rng = np.random.default_rng(0)
params = [{k: jnp.asarray(rng.normal(size=s), jnp.float32) * 0.1 for k, s in SHAPES.items()} for _ in range(LAYERS)]
x = jnp.asarray(rng.normal(size=(32, WIDTH)), jnp.float32)
jax.block_until_ready((params, x))
wall, cpu = time.perf_counter(), time.process_time()
if how != "cold":
    cache = al.enable_compilation_cache(folder)
if how == "persistent":
    from autograph_lite.runtime import kept
    kept.cache = None
first = jax.block_until_ready(step(params, x, x))
taken = [time.perf_counter() - wall, time.process_time() - cpu]
start = time.perf_counter()
for _ in range(20):
    jax.block_until_ready(step(params, x, x))
later = (time.perf_counter() - start) / 20
print(json.dumps([*taken, later, float(first[0])]))
"""
LABELS = {"cold": "nothing kept", "persistent": "JAX's persistent cache alone", "warm": "ours"}


def measure(rounds: int = 5) -> list[Row]:
    """Milliseconds to the first result; the target of the ratio of the last row is 0.2."""
    with tempfile.TemporaryDirectory() as folder:
        times = {how: _times(how, folder, rounds) for how in LABELS}
    cold = times["cold"]
    return [
        {
            "start": label,
            "real, ms": round(times[how][0] * 1000, 1),
            "process, ms": round(times[how][1] * 1000, 1),
            "ratio, real": round(times[how][0] / cold[0], 3),
            "ratio, process": round(times[how][1] / cold[1], 3),
            "later call, us": round(times[how][2] * 1e6),
        }
        for how, label in LABELS.items()
    ]


def _times(how: str, folder: str, rounds: int) -> list[float]:
    """The medians over processes, the first of which fills the folder."""
    path = Path(folder) / "program.py"
    path.write_text(PROGRAM)
    place = Path(folder) / how
    place.mkdir(mode=0o700)
    rows = [_run(path, how, place) for _ in range(rounds + 1)][1:]
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _run(path: Path, how: str, place: Path) -> list[float]:
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, str(path), how, str(place)],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Prints the table."""
    table.show("A second process", measure())


if __name__ == "__main__":
    main()
