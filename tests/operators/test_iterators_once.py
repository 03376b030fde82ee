"""What `zip`, `enumerate`, `reversed` and `map` give of arrays is an iterator: it gives each item once, as in Python."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.properties.running import loaded

# Of `x`, four numbers that grow from 1, and `n`, which is 2.
RIGHT = {
    "next": "r = reversed(x)\np = next(r)\nq = next(r)\nreturn p - 2 * q + sum(r)",
    "next of zip": "r = zip(x, x * 2)\np, q = next(r)\ns = 0.0\nfor u, v in r:\n    s += u * v\nreturn p * q - s",
    "next of enumerate": "r = enumerate(x, 3)\ni, v = next(r)\nreturn i * v + next(r)[1]",
    "next of map": "r = map(lambda v: v + 1, x)\nreturn next(r) * 2 + next(r)",
    "next without a name": "return next(zip(x, x))[0] + next(reversed(x), 0)",
    "a default": "r = zip(x[:1])\nnext(r)\nreturn next(r, (7.0,))[0] + x",
    "a list of it twice": "r = zip(x, x)\na, b = list(r), list(r)\nreturn len(a), len(b), a[3][0]",
    "tuple, then sum": "r = map(lambda v: v * 2, x)\na = tuple(r)\nreturn sum(a) + sum(r)",
    "a loop twice": "r = enumerate(x)\ns = 0.0\nfor i, v in r:\n    s += i * v\nfor i, v in r:\n    s += 100\nreturn s",
    "a comprehension, and what is left": "r = reversed(x)\nnext(r)\nreturn [v * 2 for v in r][0] + len(list(r))",
    "unpacked": "a, b, c, d = reversed(x)\nreturn a - b + c * d",
    "starred": "a, *b = zip(x, x)\nreturn a[0] + len(b)",
    "a function takes the first": (
        "def rest(items):\n    first = next(items)\n    return first * 100 + sum(items)\nreturn rest(map(lambda v: v + 1, x))"
    ),
    "zip of one iterator twice": "r = reversed(x)\nnext(r)\nreturn sum(a * b for a, b in zip(r, x))",
    "zip with objects": "r = reversed(x)\nreturn [(v, w) for v, w in zip(r, ['a', 'b'])][1][0]",
    "of what another has": "r = enumerate(reversed(x))\nreturn sum(i * v for i, v in r)",
    "filter": "r = map(lambda v: v + 1, x)\nreturn sum(filter(lambda v: v > 2, r))",
    "reduce": "import functools\nr = map(lambda v: v + 1, x)\nnext(r)\nreturn functools.reduce(lambda a, b: a * b, r)",
    "max and any": "r = map(lambda v: v * 2, x)\nnext(r)\nreturn max(r) + any(map(lambda v: v > 3, x))",
    "its type": "return isinstance(zip(x), zip), isinstance(map(abs, x), (list, map)), isinstance(reversed(x), zip)",
    "in a staged loop of its own": (
        "s = 0.0\nwhile n > 0:\n    r = zip(x, x)\n    p, q = next(r)\n    for u, v in r:\n        s += u * v\n    n -= 1\nreturn s"
    ),
    "in a branch of its own": "if n > 1:\n    r = reversed(x)\n    return next(r) - next(r) * 2\nreturn x[0]",
    "a loop without a break that is taken": "r = zip(x, x)\nfor a, b in r:\n    if False:\n        break\nreturn x[0]",
}

REFUSED = {
    "after a break": "r = zip(x, x)\nfor a, b in r:\n    if a > 2:\n        break\nreturn len(list(r)) + x",
    "after any": "r = map(lambda v: v > 2, x)\na = any(r)\nreturn a + sum(r)",
    "after another has it": "r = reversed(x)\nz = zip(r, x[:2])\ns = sum(a * b for a, b in z)\nreturn s + next(r)",
    "in a staged loop": "r = reversed(x)\ns = 0.0\nwhile n > 0:\n    s += next(r)\n    n -= 1\nreturn s",
    "in a staged loop, all of it": "r = zip(x, x)\ns = 0.0\nwhile n > 0:\n    for a, b in r:\n        s += a\n    n -= 1\nreturn s",
}

PYTHONS = {
    "no length": ("return len(zip(x, x))", "object of type 'zip' has no len"),
    "not reversible": ("return reversed(enumerate(x))", "'enumerate' object is not reversible"),
}

Run = Callable[[Callable[..., Any]], Any]


def _run(body: str, run: Run) -> Any:
    with loaded("def f(x, n):\n" + textwrap.indent(body, "    ")) as namespace:
        return run(namespace["f"])


def _on_numpy(f: Callable[..., Any]) -> Any:
    return f(np.arange(4, dtype=np.float32) + 1, np.int32(2))


def _traced(f: Callable[..., Any]) -> Any:
    return jax.jit(al.to_graph(f))(jnp.arange(4, dtype=jnp.float32) + 1, jnp.int32(2))


def _converted(f: Callable[..., Any]) -> Any:
    return al.convert(f)(jnp.arange(4, dtype=jnp.float32) + 1, jnp.int32(2))


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", RIGHT)
def test_each_item_is_given_once(name: str, run: Run) -> None:
    ours, python = _run(RIGHT[name], run), _run(RIGHT[name], _on_numpy)
    jax.tree.map(np.testing.assert_allclose, ours, jax.tree.map(np.asarray, python))


@pytest.mark.parametrize("run", [_traced, _converted])
@pytest.mark.parametrize("name", REFUSED)
def test_what_only_the_program_knows_is_refused(name: str, run: Run) -> None:
    _run(REFUSED[name], _on_numpy)
    with pytest.raises(al.IterationError):
        _run(REFUSED[name], run)


@pytest.mark.parametrize("name", PYTHONS)
def test_errors_are_those_of_python(name: str) -> None:
    body, message = PYTHONS[name]
    for run in (_on_numpy, _traced):
        with pytest.raises(TypeError, match=message):
            _run(body, run)


def test_the_message() -> None:
    with pytest.raises(al.IterationError) as caught:
        _run(REFUSED["after a break"], _traced)
    message = str(caught.value)
    assert message.startswith(
        "Items are taken of what zip() gave, after something that may have left some of them."
    )
    assert "Fix: call zip() again, or make a list of the items." in message


def test_the_message_names_what_python_has() -> None:
    with pytest.raises(al.IterationError, match="^A reversed is consumed inside a staged statement"):
        _run(REFUSED["in a staged loop"], _traced)


def test_a_loop_over_zip_is_one_scan() -> None:
    def f(x, y):
        pairs = zip(x, y)
        s = 0.0
        for a, b in pairs:
            s += a * b
        return s

    x = jnp.arange(100.0)
    equations = jax.make_jaxpr(al.to_graph(f))(x, x).jaxpr.eqns
    assert [eqn.primitive.name for eqn in equations].count("scan") == 1
    assert len(equations) < 5
