"""Are two containers told apart that equal each other, or that were changed between two calls?"""

from __future__ import annotations

import array
import collections
import dataclasses
import enum
import functools
import itertools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import RetraceWarning, Variable

X = jnp.ones(2)
pytestmark = pytest.mark.filterwarnings(f"ignore::{RetraceWarning.__module__}.RetraceWarning")


class Node:
    """A pytree with a static part, whatever that is."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __repr__(self):
        return f"Node({self.n!r})"


jax.tree_util.register_pytree_node(Node, lambda node: ((node.x,), node.n), lambda n, x: Node(*x, n))


@dataclasses.dataclass(frozen=True)
class Config:
    n: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])
@dataclasses.dataclass
class Layer:
    x: Any
    n: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["n"])
@dataclasses.dataclass
class Other:
    x: Any
    n: Any


def shown(tree):
    return repr(jax.tree.map(lambda leaf: 0, tree))


def keys(tree):
    return [repr(key) for key in tree], type(tree).__name__, repr(getattr(tree, "default_factory", None))


class Name(enum.StrEnum):
    A = "a"


class Text(str):
    """A text that is one of the user's."""


class Pair(NamedTuple):
    one: Any
    other: Any


@dataclasses.dataclass
class Held:
    item: Any


EQUAL = {
    "texts for keys": [{"a": X}, {Name.A: X}, {Text("a"): X}],
    "texts beside others": [{"a": X, "b": X}, {Name.A: X, "b": X}, {"a": X, Text("b"): X}],
    "tuples for keys": [{("a", 1): X}, {(Name.A, 1): X}, {("a", True): X}],
    "texts in an OrderedDict": [collections.OrderedDict({key: X}) for key in ("a", Name.A)],
    "texts in a defaultdict": [collections.defaultdict(list, {key: X}) for key in ("a", Name.A)],
    "keys": [{1: X}, {True: X}, {1.0: X}],
    "keys of zero": [{0.0: X}, {-0.0: X}, {False: X}],
    "keys in an OrderedDict": [collections.OrderedDict({n: X}) for n in (1, True, 1.0)],
    "keys in a defaultdict": [collections.defaultdict(list, {n: X}) for n in (1, True)],
    "factories": [collections.defaultdict(factory, a=X) for factory in (list, dict, None)],
    "orders": [collections.OrderedDict(a=X, b=X), collections.OrderedDict(b=X, a=X), {"a": X, "b": X}],
    "keys that can't be sorted": [{1: X, "a": X}, {"a": X, 1: X}, {True: X, "a": X}, {"b": X}],
}
STATIC = {
    "a static part": [Node(X, n) for n in (1, True, 1.0, 0.0, -0.0)],
    "a static tuple": [Node(X, (n,)) for n in (1, True, 1.0)],
    "a static dataclass": [Node(X, Config(n)) for n in (1, True)],
    "static fields": [Layer(X, n) for n in (1, True, 1.0)],
    "static fields inside": [[Layer(Layer(X, n), 2)] for n in (1, True)],
    "classes": [Layer(X, 1), Other(X, 1)],
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_dictionaries_are_told_apart(name):
    for order in itertools.permutations(EQUAL[name]):
        f = autograph_lite.convert(lambda tree: keys(tree))
        trees = [tree for each in order for tree in (each, each)]  # C++ knows a call from its second time on
        assert [f(tree) for tree in (*trees, *order)] == [keys(tree) for tree in (*trees, *order)]


INSIDE = {
    "a list": (lambda held: [held], lambda tree: tree[0]),
    "a dictionary": (lambda held: {"held": held}, lambda tree: tree["held"]),
    "a named tuple": (lambda held: Pair(held, X), lambda tree: tree.one),
    "a dataclass": (lambda held: Held(held), lambda tree: tree.item),
    "a dataclass in a list": (lambda held: [Held([held])], lambda tree: tree[0].item[0]),
    "an OrderedDict": (lambda held: collections.OrderedDict(held=held), lambda tree: tree["held"]),
    "a static field": (lambda held: Layer(X, tuple(held)), lambda tree: dict.fromkeys(tree.n)),
}


@pytest.mark.parametrize("name", ["keys", "texts for keys", "tuples for keys", "keys in a defaultdict"])
@pytest.mark.parametrize("inside", INSIDE)
def test_equal_dictionaries_are_told_apart_inside_of(inside, name):
    put, take = INSIDE[inside]
    f = autograph_lite.convert(lambda tree, n=0: keys(take(tree)))
    order = EQUAL[name][:2]
    for one, other in (order, order[::-1]):
        for tree in (one, one, other, other, one):
            assert f(put(tree)) == keys(take(put(tree)))
    assert f.trace_count == 2


def test_equal_dictionaries_are_told_apart_where_literals_are_hashed():
    f = autograph_lite.convert(lambda tree, n: keys(tree))
    for n in range(20):
        f({"z": X}, n)
    for tree in ({"a": X}, {"a": X}, {Name.A: X}, {"a": X}):
        assert f(tree, 3) == keys(tree)


@pytest.mark.parametrize("name", STATIC)
def test_equal_static_parts_are_told_apart(name):
    for order in itertools.permutations(STATIC[name], 2):
        f = autograph_lite.convert(lambda tree: shown(tree))
        assert [f(tree) for tree in (*order, *order)] == [shown(tree) for tree in (*order, *order)]


CALLS = [X, {"a": X, "b": X}, {1: X, "b": X}, [{(0, 1): X, "k": X}], {2: X}]


@pytest.mark.parametrize("order", [CALLS, CALLS[::-1], [*CALLS[2:], *CALLS[:2]]], ids=["1", "2", "3"])
@pytest.mark.parametrize("literal", [None, 3])
def test_keys_that_cant_be_sorted_may_come_at_any_time(order, literal):
    f = autograph_lite.convert(lambda tree, n=None: sum(map(jnp.sum, tree_leaves(tree))))
    for tree in (*order, *order):
        assert f(tree, literal) == sum(map(jnp.sum, tree_leaves(tree)))
    assert f.trace_count == len(order)


def tree_leaves(tree):
    if isinstance(tree, (list, dict)):
        return [
            leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in tree_leaves(part)
        ]
    return [tree]


def test_keys_that_cant_be_sorted_reach_a_function_with_variables():
    count = Variable(0)

    @autograph_lite.convert
    def f(tree):
        count.assign_add(1)
        return sum(tree.values())

    for _ in range(2):
        for tree in ({"a": X}, {1: X, "a": X}, {1: X}, {True: X}):
            assert f(tree).tolist() == [len(tree)] * 2
    assert int(count) == 8
    assert f.trace_count == 4


def test_keys_that_cant_be_sorted_cost_no_recursion():
    f = autograph_lite.convert(lambda tree, x: {1: x, "k": sum(tree.values())})
    f({1: X, "a": X}, X)
    before = depth()
    for n in range(40):
        f({1: X, "a": X}, jnp.ones(2 + n % 2))
    assert depth() == before


def depth():
    try:
        return 1 + depth()
    except RecursionError:
        return 0


def test_a_value_error_of_the_users_is_raised_once():
    runs = []

    @autograph_lite.convert
    def f(tree):
        runs.append(1)
        raise ValueError("mine")

    f_of_texts = autograph_lite.convert(lambda tree: tree["a"])
    assert f_of_texts({"a": X}) is not None
    for _ in range(2):
        with pytest.raises(ValueError, match="mine"):
            f({"a": X})
    assert len(runs) == 2


class Items(list):
    """A list that equals itself alone."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "make, add",
    [
        (lambda: collections.deque([X]), lambda held: held.append(X)),
        (lambda: collections.deque([1], maxlen=3), lambda held: held.append(2)),
        (lambda: collections.deque([[X]]), lambda held: held[0].append(X)),
        (lambda: Items([X]), lambda held: held.append(X)),
        (lambda: collections.Counter(a=1), lambda held: held.update("b")),
    ],
    ids=["a deque", "a bounded deque", "a list in a deque", "a list of a class", "a Counter"],
)
def test_a_container_that_was_changed_has_another_trace(make, add):
    container = make()

    def total(held):
        return sum(jnp.sum(jnp.asarray(jax.tree.leaves(item))) for item in values(held))

    f = autograph_lite.convert(total)
    for _ in range(3):
        assert f(container) == f(container) == total(container)
        add(container)
    assert f.trace_count == 3


@pytest.mark.parametrize("kind", [bytearray, lambda data: array.array("b", data)])
def test_a_buffer_that_was_changed_has_another_trace(kind):
    buffer = kind(b"\x01\x02")
    seen = memoryview(buffer)
    f = autograph_lite.convert(lambda held: held[0] + held[1])

    for value in (1, 5, 1):
        buffer[0] = value
        assert f(buffer) == f(seen) == value + 2
    assert f.trace_count == 4


def values(held):
    return held.values() if isinstance(held, dict) else held


def test_an_item_put_in_the_place_of_another_is_seen():
    held = collections.deque([X])
    f = autograph_lite.convert(lambda held: held[0] * 2)
    assert f(held).tolist() == [2, 2]
    held[0] = X * 5
    assert f(held).tolist() == [10, 10]


def test_a_deque_that_holds_itself_is_an_object_like_others():
    held: collections.deque[Any] = collections.deque([X])
    held.append(held)
    f = autograph_lite.convert(lambda held: held[0] * len(held))
    assert f(held).tolist() == f(held).tolist() == [2, 2]
    assert f.trace_count == 1
