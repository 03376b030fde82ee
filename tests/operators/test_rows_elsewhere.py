"""Is a change seen by all who hold a list, where a staged statement has put it in several places? It is, or it is refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ConditionError, MutationError
from tests.properties.running import loaded

# Of `i`, which is 1, and `x`, which is 3.
REFUSED = {
    "a row that a name holds": "a = [0., 0.]\ng = [a, [1., 1.]]\ng[i] = [x, x]\na[0] = 5.\nreturn g",
    "a row that an attribute holds": "o = O()\no.rows = [[0.], [1.]]\no.cur = o.rows[0]\no.rows[i] = [5.]\no.cur[0] += 1\nreturn o.rows",
    "through the rows": "a = [0., 0.]\ng = [a, [1., 1.]]\ng[i] = [x, x]\ng[0][1] = 5.\nreturn a, g",
    "what is stored": "g = [[0.], [1.]]\nb = [x]\ng[i] = b\nb[0] = 9.\nreturn g",
    "a dict": "a = {'k': 0.}\ng = [a, {'k': 1.}]\ng[i] = {'k': x}\na['k'] = 5.\nreturn g",
    "a name that a loop binds": "a, b = [0.], [1.]\nfor k in range(i): b = a\na[0] = 7.\nreturn a, b",
    "in a `while`": "a, b = [0.], [1.]\nwhile i > 0:\n    b = a\n    i -= 1\na[0] = 7.\nreturn a, b",
    "a dict's item that a loop binds": "d = {'a': [0.], 'b': [1.]}\nfor k in range(i): d['b'] = d['a']\nd['a'][0] = 7.\nreturn d",
    "the other one": "d = {'a': [0.], 'b': [1.]}\nfor k in range(i): d['b'] = d['a']\nd['b'][0] = 7.\nreturn d",
    "an attribute that a loop binds": "o = O()\no.a, o.b = [0.], [1.]\nfor k in range(i): o.b = o.a\no.a[0] = 7.\nreturn o.a, o.b",
    "an item that a loop binds": "a = [0.]\ng = [a, [1.]]\nfor k in range(i): g[1] = a\na[0] = 7.\nreturn g",
    "both are carried": "a, b = [0.], [1.]\nfor k in range(i):\n    a = [a[0] + 1]\n    b = a\na[0] = 7.\nreturn a, b",
    "sorted in place": "a = [0.]\ng = [[1.], a]\ng.sort(key=lambda r: r[0] * x)\na[0] = 7.\nreturn g",
    "sorted": "g = [[1.], [0.]]\nh = sorted(g, key=lambda r: r[0] * x)\nh[0][0] = 7.\nreturn g",
}  # fmt: skip
RIGHT = {
    "nobody else has a row": "g = [[0., 0.], [1., 1.]]\ng[i] = [x, x]\ng[0][1] = 5.\ng[1][0] += 1\nreturn g",
    "nobody else has a dict": "g = [{'k': 0.}, {'k': 1.}]\ng[i] = {'k': x}\ng[0]['k'] = 5.\nreturn g",
    "it is read": "a = [0., 0.]\ng = [a, [1., 1.]]\ng[i] = [x, x]\nreturn a, g",
    "it is read after a loop": "a, b = [0.], [1.]\nfor k in range(i): b = a\nreturn a[0], b[0]",
    "sorted and read": "g = [[1.], [0.]]\nreturn sorted(g, key=lambda r: r[0] * x), g",
    "sorted and all written": "g = sorted([[1.], [0.]], key=lambda r: r[0] * x)\ng[0][0] = 7.\nreturn g",
    "a start that the items change": "k = 0.\ndef add(v):\n    nonlocal k\n    k += v\n    return k\n"
    "return sum([add(v) for v in jnp.arange(3.)], k), sum([add(v) for v in [x, 2 * x]], k)",
    "a start that an item of a list is": "k = [1.]\nreturn sum([v * 2 for v in jnp.arange(3.)], k[0])",
}  # fmt: skip


def outcome(lines: str, way: Any) -> Any:
    source = "class O: pass\ndef main(i, x):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, jnp=jnp) as namespace:
        numbers = (1, 3.0) if way is None else (jnp.int32(1), jnp.float32(3))
        return jax.tree.map(np.asarray, (way or (lambda f: f))(namespace["main"])(*numbers))


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_a_change_that_one_of_them_would_not_see_is_refused(lines: str) -> None:
    for way in (autograph_lite.convert, lambda f: jax.jit(autograph_lite.to_graph(f))):
        with pytest.raises(MutationError, match=r"is written to that (is one object on one path|was chosen)"):
            outcome(lines, way)


@pytest.mark.parametrize("lines", RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_not_refused(lines: str) -> None:
    expected, found = outcome(lines, None), outcome(lines, autograph_lite.convert)

    assert jax.tree.structure(found) == jax.tree.structure(expected)
    jax.tree.map(np.testing.assert_allclose, found, expected)


class Ball:
    def __init__(self, weight: Any) -> None:
        self.weight = weight


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (
            lambda x: sorted([(x * k, str(k)) for k in range(17)]),
            "orders objects of the type str by traced keys",
        ),
        (lambda x: sorted([x + jnp.arange(2), x + jnp.ones(2)]), r"compares arrays, float32\[2\]"),
        (
            lambda x: sorted([jnp.ones(2) * x, jnp.ones(3)], key=lambda a: a[0]),
            r"puts float32\[2\] and float32\[3\] in order",
        ),
    ],
    ids=["texts", "arrays", "structures"],
)
def test_what_has_no_order_in_a_program_is_refused(fn: Any, message: str) -> None:
    with pytest.raises(ConditionError, match=message):
        autograph_lite.convert(fn)(jnp.float32(3))


def test_more_objects_than_are_told_apart_are_ordered_as_values() -> None:
    def weights(x: Any) -> list[Any]:
        balls = [Ball(x * (k * 7 % 17)) for k in range(17)]
        return [ball.weight for ball in sorted(balls, key=lambda b: b.weight)]

    found = autograph_lite.convert(weights)(jnp.float32(3))
    np.testing.assert_allclose(found, weights(3))
    found = autograph_lite.convert(weights)(jnp.float32(-3))
    np.testing.assert_allclose(found, weights(-3))
