"""Does a Module find its Variables, and is it a pytree to JAX?"""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al


class Dense(al.Module):
    def __init__(self, rows, columns):
        self.rows = rows
        self.w = al.Variable(jnp.ones((rows, columns)), name="w")
        self.b = al.Variable(jnp.zeros(columns), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


class Net(al.Module):
    me: list[Any]

    def __init__(self):
        self.layers = [Dense(3, 2), Dense(2, 1)]
        self.extra = {"scale": al.Variable(2.0, name="scale"), "none": None}
        self.steps = al.Variable(0, trainable=False)
        self.again = (self.layers[0], self.steps)
        self.kind = "net"

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.extra["scale"]


def test_variables_are_found_depth_first_and_once():
    net = Net()
    first, second = net.layers
    expected = [first.w, first.b, second.w, second.b, net.extra["scale"], net.steps]
    assert list(map(id, net.variables)) == list(map(id, expected))
    assert list(map(id, net.trainable_variables)) == list(map(id, expected[:-1]))


def test_variables_have_names_by_their_paths():
    assert list(Net().named_variables) == [
        "layers[0].w", "layers[0].b", "layers[1].w", "layers[1].b", "extra['scale']", "steps",
    ]  # fmt: skip


def test_a_module_that_holds_itself_is_searched_once():
    net = Net()
    net.me = [net]
    assert len(net.variables) == 6


def test_a_module_is_trained():
    net = Net()
    x, y = jnp.ones((4, 3)), jnp.zeros((4, 1))

    @al.convert
    def train(x, y):
        loss, gradients = al.value_and_grad(lambda: jnp.mean((net(x) - y) ** 2), net.trainable_variables)()
        for variable, gradient in zip(net.trainable_variables, gradients, strict=True):
            variable.assign_sub(0.01 * gradient)
        net.steps.assign_add(1)
        return loss

    losses = [float(train(x, y)) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == 144
    assert int(net.steps) == 5


def test_a_converted_method_of_a_module():
    class Accumulator(al.Module):
        def __init__(self):
            self.total = al.Variable(0.0)

        @al.convert
        def add(self, x):
            if x > 0:
                self.total.assign_add(x)
            return self.total.value

    a, b = Accumulator(), Accumulator()
    assert [float(a.add(jnp.float32(2))), float(b.add(jnp.float32(3))), float(a.add(jnp.float32(-1)))] == [
        *(2, 3, 2),
    ]


def test_a_module_as_an_argument_is_itself():
    net = Net()

    @al.convert
    def f(net, x):
        net.steps.assign_add(1)
        net.kind = "used"
        return net(x)

    assert np.array_equal(f(net, jnp.ones((1, 3))), [[12]])
    assert (int(net.steps), net.kind) == (1, "used")


def test_the_values_are_the_leaves():
    net = Net()
    assert [leaf.shape for leaf in jax.tree.leaves(net)] == [(3, 2), (2,), (2, 1), (1,), (), ()]
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(net)]
    assert paths[:2] == [".layers[0].w", ".layers[0].b"]


def test_a_module_comes_back_from_its_leaves():
    net = Net()
    double = jax.tree.map(lambda x: 2 * x, net)
    assert type(double) is Net
    assert double.again[0] is double.layers[0]
    assert double.again[1] is double.steps
    assert (double.kind, double.layers[0].rows, double.extra["none"]) == ("net", 3, None)
    assert np.array_equal(double.layers[0].w, np.full((3, 2), 2))
    double.steps.assign_add(1)
    assert int(net.steps) == 0


def test_a_module_that_holds_itself_comes_back():
    net = Net()
    net.me = [net]
    other = jax.tree.map(lambda x: x, net)
    assert other.me[0] is other


def test_modules_of_one_structure_use_one_program_of_jax():
    runs = []

    @jax.jit
    def f(net, x):
        runs.append(1)
        return net(x)

    a, b = Net(), Net()
    b.extra["scale"].assign(3.0)
    b.steps.name = "steps of b"
    assert [float(f(net, jnp.ones(3))[0]) for net in (a, b)] == [12, 18]
    assert len(runs) == 1
    b.kind = "other"
    f(b, jnp.ones(3))
    assert len(runs) == 2


def test_a_gradient_with_respect_to_a_module_is_a_module():
    layer = Dense(2, 1)
    gradient = jax.grad(lambda layer: layer(jnp.asarray([2.0, 3.0])).sum())(layer)
    assert np.array_equal(gradient.w, [[2], [3]])
    assert np.array_equal(gradient.b, [1])


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, al.Module.clone, lambda net: pickle.loads(pickle.dumps(net))]
)
def test_copies_are_independent(copied):
    net = Net()
    other = copied(net)
    other.steps.assign_add(1)
    assert int(net.steps) == 0
    assert other.again[0] is other.layers[0]
    assert other.again[1] is other.steps
    assert list(other.named_variables) == list(net.named_variables)


def test_variables_are_made_when_the_shape_is_known():
    class Flexible(al.Module):
        w = None

        def __call__(self, x):
            if self.w is None:
                self.w = al.Variable(lambda: jnp.ones((x.shape[-1], 2)))
            return x @ self.w

    layer = Flexible()
    f = al.convert(lambda x: layer(x))
    assert np.array_equal(f(jnp.ones((1, 3))), [[3, 3]])
    assert [variable.shape for variable in layer.variables] == [(3, 2)]
    assert np.array_equal(f(jnp.ones((5, 3))), np.full((5, 2), 3))


def test_each_module_has_a_trace_of_its_own():
    f = al.convert(lambda net, x: net(x))
    first, second = Net(), Net()
    second.extra["scale"].assign(3.0)
    found = [float(f(net, jnp.ones(3))[0]) for net in (first, second, first)]
    assert found == [12, 18, 12]
    assert f.trace_count == 2


def test_a_module_that_is_gone_takes_its_trace_with_it():
    f = al.convert(lambda net, x: net(x))
    net = Net()
    f(net, jnp.ones(3))
    assert len(f.concrete_functions) == 1
    del net
    gc.collect()
    assert f.concrete_functions == []


class Held:
    def __init__(self):
        self.v = al.Variable(5.0)


class Reader(al.Module):
    def __init__(self):
        self.w = al.Variable(2.0)
        self.its = {"train": iter(al.from_slices(jnp.arange(4.0)))}
        self.held = Held()

    @al.convert
    def __call__(self):
        return next(self.its["train"]) * self.w + self.held.v


def test_the_position_of_an_iterator_is_one_of_the_variables():
    reader = Reader()
    assert [float(reader()), float(reader())] == [5, 7]
    position = reader.its["train"].position
    assert list(reader.named_variables) == ["w", "its['train'].position"]
    assert reader.variables[1] is position
    assert reader.trainable_variables == [reader.w]
    assert [int(leaf) for leaf in jax.tree.leaves(reader)] == [2, 2]


def test_a_jitted_function_sees_where_an_iterator_of_its_argument_is():
    @jax.jit
    def seen(reader):
        return reader.its["train"].position.value

    reader = Reader()
    found = [int(seen(reader))]
    reader()
    assert [*found, int(seen(reader))] == [0, 1]


def test_a_module_rebuilt_by_jax_has_an_iterator_of_its_own():
    reader = Reader()
    reader()
    new = jax.tree.map(lambda leaf: leaf, reader)
    new()
    assert [int(r.its["train"].position) for r in (reader, new)] == [1, 2]


def test_variables_in_objects_that_are_no_modules_are_state_and_no_variables_of_the_module():
    reader = Reader()
    assert float(reader()) == 5
    reader.held.v.assign(1.0)
    assert float(reader()) == 3
    assert reader.held.v not in reader.variables
    new = reader.clone()
    new.held.v.assign(0.0)
    assert (float(reader.held.v), float(new()), float(reader())) == (1, 4, 5)
