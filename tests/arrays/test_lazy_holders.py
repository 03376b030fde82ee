"""An array is written to that a function, a method or an iterator will read when it is called, or asked for an item."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.arrays import aliasing
from tests.properties.running import loaded

# Of `x`, three numbers.
REFUSED = {
    "a default": "def g(v=x):\n    return v.sum()\nx[0] = 5.0\nreturn g() + x",
    "a part as a default": "def g(v=x[1:]):\n    return v.sum()\nx[1] = 5.0\nreturn g() + x",
    "a default by name": "g = lambda *, k=x: k * 2\nx[1] = 5.0\nreturn g() + x",
    "functions in a list": "fs = [lambda r=r: r + 1 for r in (x, x * 2)]\nx[1] = 5.0\nreturn fs[0]() + x",
    "a partial": "p = functools.partial(lambda a, b: a + b, x)\nx[0] = 5.0\nreturn p(x)",
    "a partial, by name": "p = functools.partial(lambda a, b: a + b, b=x)\nx[0] = 5.0\nreturn p(x)",
    "a method": "m = x.sum\nx[1] = 5.0\nreturn m() + x",
    "a method that copies": "c = x.copy\nx[1] = 3.0\nreturn c() + x",
    "map": "m = map(lambda v: v + 1, x)\nx[1] = 5.0\nreturn sum(m) + x",
    "zip": "z = zip(x, x)\nx[1] = 5.0\nreturn sum(a * b for a, b in z) + x",
    "enumerate": "e = enumerate(x)\nx[1] = 5.0\ns = 0.0\nfor i, v in e:\n    s = s + i * v\nreturn s + x",
    "reversed": "r = reversed(x)\nx[1] = 5.0\nreturn next(r) + next(r) + x",
    "a generator expression": "z = (v + 1 for v in x)\nx[1] = 5.0\nreturn sum(z) + x",
    "zip of lists": "z = zip([x], [1])\nx[1] = 5.0\nreturn next(z)[0] + x",
    "a generator expression over a list": "z = (v + 1 for v in [x])\nx[1] = 5.0\nreturn sum(z) + x",
    "a caller's": "z = zip(x, x)\nput(x)\nreturn sum(a * b for a, b in z)",
    "the real part": "r = np.real(x)\nx[1] = 50.0\nreturn r + x",
    "rows that are one": "r = np.broadcast_to(x, (2, 3))\nx[1] = 50.0\nreturn r + x",
}

RIGHT = {
    "a copy as a default": "def g(v=x.copy()):\n    return v.sum()\nx[0] = 5.0\nreturn g() + x",
    "called before": "p = functools.partial(lambda a, b: a + b, x)\ny = p(1)\nx[1] = 5.0\nreturn y + x",
    "used up before": "z = zip(x, x)\ns = sum(a * b for a, b in z)\nx[1] = 5.0\nreturn s + x",
    "of another array": "y = x * 2\nz = zip(y, y)\nx[1] = 5.0\nreturn sum(a * b for a, b in z) + x",
    "a function without defaults": "def g(v):\n    return v.sum()\nx[0] = 5.0\nreturn g(x) + x",
    "a method of another": "y = x * 2\nm = y.sum\nx[1] = 5.0\nreturn m() + x",
}

PRELUDE = "import functools\n\ndef put(a):\n    a[0] = 5.0\n\ndef f(x):\n"
Run = Callable[[Callable[[Any], Any]], Any]


def _run(body: str, run: Run, xp: Any) -> Any:
    with loaded(PRELUDE + textwrap.indent(body, "    "), np=xp) as namespace:
        return run(namespace["f"])


def _on_numpy(f: Callable[[Any], Any]) -> Any:
    return f(np.arange(3, dtype=np.float32) + 1)


def _traced(f: Callable[[Any], Any]) -> Any:
    return jax.jit(al.to_graph(f))(jnp.arange(3, dtype=jnp.float32) + 1)


def _converted(f: Callable[[Any], Any]) -> Any:
    return al.convert(f)(jnp.arange(3, dtype=jnp.float32) + 1)


# What JAX makes of one row many times can be read, and NumPy lets nobody write to it.
UNKNOWN = {"rows that are one"}


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", REFUSED)
def test_the_write_is_refused(name: str, run: Run) -> None:
    python = _run(REFUSED[name], _on_numpy, np)
    if name not in UNKNOWN:
        aliasing.assert_close(_run(REFUSED[name], run, jnp), python)
        return
    with pytest.raises(al.MutationError, match="is read later"):
        _run(REFUSED[name], run, jnp)


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", RIGHT)
def test_the_answer_is_that_of_numpy(name: str, run: Run) -> None:
    np.testing.assert_allclose(_run(RIGHT[name], run, jnp), _run(RIGHT[name], _on_numpy, np), rtol=1e-6)
