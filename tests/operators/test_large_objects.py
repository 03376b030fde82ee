"""Objects that lead to many others: what is far away counts as what is near, or an error says what does not."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert


@dataclasses.dataclass
class Node:
    v: Any
    next: Any


def chained(n, number):
    head = None
    for i in range(n):
        head = Node(number(i), head)
    return head


def add_to_the_last(head, x):
    node = head
    while node.next is not None:
        node = node.next
    if x > 0:
        node.v = node.v + x
    return node.v * 2


@pytest.mark.parametrize("n", [12, 40])
def test_a_chain_of_dataclass_objects_is_taken_apart_once_for_each_of_them(n):
    plain, ours = chained(n, np.float32), chained(n, jnp.float32)
    converted = convert(add_to_the_last)
    for x in (1.0, -1.0, 2.0):
        assert converted(ours, jnp.float32(x)) == add_to_the_last(plain, np.float32(x))
    assert jax.tree.leaves(dataclasses.astuple(ours)) == jax.tree.leaves(dataclasses.astuple(plain))


def test_objects_that_hold_one_another_too_deep_are_an_error_that_says_so():
    with pytest.raises(RecursionError) as raised:
        convert(add_to_the_last)(chained(300, jnp.float32), jnp.float32(1))
    assert str(raised.value) == (
        "A Node is inside of 200 objects, one in the other, which is as deep as values are taken apart. Hold them in a list, or "
        "let `sys.setrecursionlimit` allow more."
    )
