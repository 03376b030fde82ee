"""Do modules of libraries that hold state work, or say what they can't do?"""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError

nnx = pytest.importorskip("flax.nnx")


class Counting(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.int32(0))
        self.weight = nnx.Param(jnp.float32(2))

    def in_a_branch(self, x):
        if x > 0.2:
            self.count[...] = self.count[...] + 1
        return x * self.weight[...]

    def computed_in_a_branch(self, x):
        count = self.count[...]
        if x > 0.2:
            count = count + 1
        return x * self.weight[...] + count


def test_a_variable_of_flax_that_a_branch_changes() -> None:
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(Counting().in_a_branch)(jnp.float32(1))
    assert "A variable of Flax's is changed in a trace that is not its own" in str(caught.value)
    assert "self.count[...] = self.count[...] + 1" in str(caught.value)


def test_the_remedy_works_where_a_branch_would_change_a_variable_of_flax() -> None:
    counting = Counting()

    @nnx.jit
    @autograph_lite.to_graph
    def step(counting, x):
        count = counting.count[...]
        if x > 0.2:
            count = count + 1
        counting.count[...] = count
        return x

    for x in (1.0, 0.0, 2.0):
        step(counting, x)
    assert counting.count[...] == 2


def test_a_variable_of_flax_that_is_changed_without_a_branch() -> None:
    def step(counting):
        counting.count[...] = counting.count[...] + 1

    counting = Counting()
    with pytest.raises(PythonOnlyError, match="compile with\n *nnx.jit"):
        autograph_lite.convert(lambda: step(counting))()
    assert counting.count[...] == 0


def test_a_variable_of_flax_that_a_branch_reads() -> None:
    assert float(autograph_lite.convert(Counting().computed_in_a_branch)(jnp.float32(1))) == 3.0
