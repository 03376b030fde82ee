"""Do dicts keep the order of their keys, as Python's do, through branches, loops, callees and items of lists?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.array([1.0, 2.0, 3.0])


def digits(values: Any) -> Any:
    total = 0.0
    for value in values:
        total = total * 10 + value
    return total


def chosen(x):
    d = {"b": x[0], "a": x[1]} if x[0] > 0 else {"b": x[1], "a": x[2]}
    return digits(d.values())


def of_two_orders(x):
    d = {"b": x[0], "a": x[1]} if x[0] > 0 else {"a": x[1], "b": x[2]}
    total = 0.0
    for k in d:
        total = total * 10 + d[k]
    return total


def replaced(x):
    d = {"b": x[0], "a": {"y": x[1], "x": x[2]}}
    if x[0] > 0:
        d = dict(d)
        d["a"] = {"y": x[2], "x": x[1]}
    return digits(d["a"].values())


def carried(x):
    d = {"b": x[0], "a": x[1]}
    while x[0] < 5:
        d = {"b": d["b"] + 1, "a": d["a"] * 2}
        x = x + 1
    return digits(d.values()) + len([*d][0]) * (list(d) == ["b", "a"])


def rolled(x):
    d = {"b": x[0], "a": x[1]}
    for _ in range(300):
        d = {k: v * 0.99 + 1 for k, v in d.items()}
    return digits(d.values())


def picked(x):
    if x[0] > 0:
        return {"z": x[0], "y": x[1]}
    return {"z": x[1], "y": x[1]}


def of_a_callee(x):
    return digits(picked(x).values())


def item_of_a_list(x):
    rows = [{"b": x[0], "a": x[1]}, {"b": x[1], "a": x[2]}]
    k = jnp.int32(x[0])
    return digits(rows[k].values())


def caught(x):
    try:
        if x[0] > 0:
            raise ValueError
        d = {"b": x[0], "a": x[1]}
    except ValueError:
        d = {"b": x[1], "a": x[0]}
    return digits(d.values())


class Holder:
    pass


def attribute(x):
    holder = Holder()
    holder.d = {"b": x[0], "a": x[1]}
    if x[1] > 0:
        holder.d = {"b": x[2], "a": x[1]}
    return digits(holder.d.values())


FUNCTIONS = [
    chosen, of_two_orders, replaced, carried, rolled, of_a_callee, item_of_a_list, caught, attribute,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_keys_keep_their_order(function: Callable[..., Any]) -> None:
    for x in (X, -X):
        expected = function(x)
        np.testing.assert_allclose(autograph_lite.convert(function)(x), expected, rtol=1e-5)
        np.testing.assert_allclose(jax.jit(autograph_lite.to_graph(function))(x), expected, rtol=1e-5)


def either(x):
    return {"w": x, "b": x * 3} if x > 0 else {"b": x, "w": x + 1}


def held_view(x):
    d = either(x)
    view = d.values()
    d["w"] = x * 7
    return [*view, len(view)]


VIEWS = {
    "a list": lambda x: list(either(x).values()),
    "unpacked": lambda x: [*either(x).values(), *reversed(either(x).values())],
    "names": lambda x: (lambda w, b: w - b)(*either(x).values()),
    "a comprehension": lambda x: [v * len(k) for k, v in either(x).items()],
    "keys": lambda x: [either(x)[k] for k in either(x).keys()],  # noqa: SIM118
    "a sum": lambda x: (sum(either(x).values()), max(either(x).values())),
    "the first": lambda x: next(iter(either(x).values())),
    "a key": lambda x: "w" in either(x).keys(),  # noqa: SIM118
    "changed afterwards": held_view,
    "compared": lambda x: [
        either(x).keys() == {"w", "b"},
        {"w"} == either(x).keys(),
        either(x).keys() == either(-x).keys(),
        either(x).keys() != {"w"},
        {"w"} <= either(x).keys(),
        either(x).keys() > {"q"},
        either(x).keys().isdisjoint(["q"]),
    ],
    "sorted, a dict again": lambda x: [*dict(sorted(either(x).items())).values()],
    "sorted names": lambda x: [either(x)[k] * len(k) for k in sorted(either(x).keys())],  # noqa: SIM118
    "a dict": lambda x: [*dict(either(x).items()).values()],
    "a set of the keys": lambda x: "w" in frozenset(either(x).keys()),
    "decides": lambda x: 1 if either(x).keys() == {"w", "b"} else 2,
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_a_dict_that_was_chosen(name: str) -> None:
    converted = autograph_lite.convert(VIEWS[name])
    for x in (2.0, -1.0):
        np.testing.assert_allclose(converted(jnp.float32(x)), VIEWS[name](x))


def test_sets_of_keys_of_a_dict_that_was_chosen() -> None:
    for of_keys in (lambda x: either(x).keys() & {"w"}, lambda x: {"w", "z"} - either(x).keys()):
        with pytest.raises(autograph_lite.BranchMismatchError, match="a set object on one path"):
            autograph_lite.convert(of_keys)(jnp.float32(1))


def test_views_of_dicts_with_more_and_less_keys() -> None:
    def f(x):
        d = {"a": x} if x > 0 else {"a": x, "b": x}
        return sum(d.values())

    with pytest.raises(autograph_lite.BranchMismatchError, match="they have not as many keys"):
        autograph_lite.convert(f)(jnp.float32(1))
