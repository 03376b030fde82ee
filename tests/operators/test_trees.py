"""Are dicts followed whose keys Python can't put in order?"""

from __future__ import annotations

import collections
import enum

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.values import pytrees
from tests.examples import examples


class Color(enum.Enum):
    RED = 1
    BLUE = 2


KEYS = [1, "k", None, (0, 1), Color.RED, Color.BLUE, b"x", 2.5]
VALUES = st.recursive(
    st.integers(0, 9),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inside, max_size=4)
        | st.tuples(inside, inside)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_is_put_together_again(value):
    leaves, tree = pytrees.flatten(value)
    again = jax.tree.unflatten(tree, leaves)
    assert again == value
    assert pytrees.structure(again) == tree


@given(VALUES)
def test_all_containers_are_found(value):
    def inside(node):
        items = node.values() if isinstance(node, dict) else node if isinstance(node, (list, tuple)) else ()
        found = [id(node)] if isinstance(node, (list, dict)) else []
        return found + [ident for item in items for ident in inside(item)]

    assert sorted(map(id, container_identity.containers(value))) == sorted(inside(value))


def test_a_defaultdict_keeps_its_factory():
    table = collections.defaultdict(list, {1: [2], "k": [3]})
    leaves, tree = pytrees.flatten(table)
    again = jax.tree.unflatten(tree, leaves)
    assert (leaves, again, again["new"]) == ([2, 3], {1: [2], "k": [3], "new": []}, [])


def test_an_error_of_the_users_is_not_swallowed():
    class Broken:
        pass

    def flatten(_):
        raise ValueError("mine")

    jax.tree_util.register_pytree_node(Broken, flatten, lambda _, items: Broken())
    with pytest.raises(ValueError, match="mine"):
        pytrees.flatten([Broken()])


@examples(8)
@given(st.permutations(KEYS), st.integers(0, 3))
def test_items_written_in_a_branch_and_in_a_loop(keys, n):
    first, second, *_ = keys

    def f(n):
        table = {key: i for i, key in enumerate(keys)}
        if n > 1:
            table[first] = n
        for i in range(n):
            table[second] += i
        return [table[key] for key in keys]

    np.testing.assert_array_equal(al.convert(f)(jnp.int32(n)), f(n))
    np.testing.assert_array_equal(jax.jit(al.to_graph(f))(jnp.int32(n)), f(n))


def test_a_dict_that_is_an_argument_a_choice_and_a_result():
    def f(table, n):
        if n > 1:
            return table
        return {**table, "k": n, None: [n]}

    @al.convert
    def g(n):
        return f({1: 1, "k": 2, None: [3]}, n)

    for n in (0, 3):
        assert g(jnp.int32(n)) == f({1: 1, "k": 2, None: [3]}, n)


def test_an_argument_may_have_keys_that_jax_can_not_sort():
    @al.convert
    def f(table):
        return table[1] + table["k"]

    assert f({1: jnp.int32(1), "k": 2}) == 3
    assert f({1: jnp.int32(2), "k": 2}) == 4
    assert f.trace_count == 1


def test_dicts_of_different_keys_are_one_of_several():
    @al.convert
    def f(n):
        if n > 1:
            table = {1: 1, "k": 2}
        else:
            table = {1: 1, None: 2}
        return table

    assert f(jnp.int32(3)) == {1: 1, "k": 2}
    assert f(jnp.int32(0)) == {1: 1, None: 2}
