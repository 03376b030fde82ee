"""Are Variables of a class of the user's of that class everywhere: in a function, in a copy, to JAX?"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutatedArgumentError, SaveError, Variable, convert


class Clipped(Variable):
    """A Variable that stays between 0 and 1."""

    def assign(self, value: Any) -> Any:
        return super().assign(jnp.clip(value, 0.0, 1.0))

    def doubled(self) -> Any:
        return self.value * 2 if self.value > 0.1 else self.value


class Bounded(Variable):
    def __init__(self, value: Any, least: float) -> None:
        super().__init__(value)
        self.least = least

    def bounded(self) -> Any:
        return jnp.maximum(self.value, self.least)


class Slotted(Variable):
    __slots__ = ("factor",)

    def __init__(self, value: Any, factor: Any) -> None:
        super().__init__(value)
        self.factor = factor


class Tenfold(Variable):
    def read(self) -> Any:
        return super().read() * 10


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


def test_an_argument_is_of_its_class() -> None:
    @convert
    def f(v: Any, x: Any) -> Any:
        v.assign(x)
        return type(v) is Clipped, v.doubled() if isinstance(v, Clipped) else v.value

    found = [f(v, jnp.float32(3)) for v in (Clipped(0.5), Clipped(0.25), Variable(0.5))]
    assert [(own, float(value)) for own, value in found] == [(True, 2), (True, 2), (False, 3)]
    assert f.trace_count == 2
    assert "Clipped(float32[], #0)" in str(f.concrete_functions[0].function_type)


@pytest.mark.parametrize(
    "packed",
    [lambda v: [v], lambda v: {"k": (v,)}, lambda v: Pair(v, 1)],
    ids=["list", "dict", "dataclass"],
)
def test_an_argument_in_a_structure_is_of_its_class(packed: Any) -> None:
    def only(value: Any) -> Any:
        return (
            value[0] if isinstance(value, list) else value.left if isinstance(value, Pair) else value["k"][0]
        )

    f = convert(lambda packed: only(packed).doubled())
    assert float(f(packed(Clipped(0.5)))) == 1


def test_attributes_tell_traces_apart_and_are_seen_when_they_change() -> None:
    f = convert(lambda v: v.bounded())
    one, other = Bounded(1.0, 2.0), Bounded(1.0, 3.0)
    assert [float(f(v)) for v in (one, other, Bounded(0.0, 2.0))] == [2, 3, 2]
    assert f.trace_count == 2
    one.least = 7.0
    assert float(f(one)) == 7
    g = convert(lambda v: v * v.factor)
    with jax.checking_leaks():
        results = [g(Slotted(2.0, factor)) for factor in (jnp.arange(3.0), jnp.ones(3), 4)]
    assert [np.sum(result) for result in results] == [6, 6, 8]
    assert g.trace_count == 2  # arrays are traced


def test_variables_among_the_attributes_are_arguments_too() -> None:
    @convert
    def f(v: Any) -> Any:
        v.factor.assign_add(1.0)
        return v * v.factor

    inner = Variable(3.0)
    v = Slotted(2.0, inner)
    assert [float(f(v)), float(f(v)), float(inner), float(v)] == [8, 10, 5, 2]
    v.factor = v
    assert float(convert(lambda v: v.factor * v)(v)) == 4


def test_reading_and_returning_are_those_of_the_class() -> None:
    v = Tenfold(2.0)
    assert [float(convert(f)(v)) for f in (lambda v: v * 1, lambda v: v.value, lambda v: v)] == [20, 20, 20]
    assert float(v.assign(3.0).value) == 30
    assert float(copy.copy(v).value) == 30


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda v: v.clone(), lambda v: pickle.loads(pickle.dumps(v))],
    ids=["copy", "deepcopy", "clone", "pickle"],
)
def test_copies_are_of_the_class(copied: Any) -> None:
    for v, name in ((Bounded(1.0, 2.0), "least"), (Slotted(1.0, 3.0), "factor"), (Clipped(0.5), "name")):
        found = copied(v)
        assert (type(found), float(found), getattr(found, name)) == (type(v), float(v), getattr(v, name))
        v.assign(0.75)
        assert float(found) != 0.75


def test_a_deep_copy_copies_the_attributes() -> None:
    nested = Slotted(1.0, [Variable(2.0)])
    nested.factor.append(nested)
    deep = copy.deepcopy(nested)
    assert deep.factor[1] is deep
    nested.factor[0].assign(5.0)
    assert (float(deep.factor[0]), float(copy.copy(nested).factor[0])) == (2, 5)


def test_to_jax_it_is_a_pytree_of_its_value() -> None:
    v = Bounded(1.0, 3.0)
    doubled = jax.tree.map(lambda x: 2 * x, v)
    assert (type(doubled), float(doubled), doubled.least) == (Bounded, 2, 3.0)
    assert float(jax.jit(lambda v: v.bounded() * v)(v)) == 3
    assert np.allclose(jax.vmap(convert(lambda v: v.doubled()))(Clipped([0.5, 0.05])), [1, 0.05])
    assert (
        jax.tree.structure(v)
        == jax.tree.structure(Bounded(5.0, 3.0))
        != jax.tree.structure(Bounded(5.0, 4.0))
    )

    class Net(al.Module):
        def __init__(self) -> None:
            self.v = Bounded(1.0, 3.0)

    net = jax.tree.map(lambda x: x, Net())
    assert (type(net.v), net.v.least) == (Bounded, 3.0)
    assert type(copy.deepcopy(net).v) is Bounded


def test_an_attribute_of_one_from_outside_is_state() -> None:
    v = Bounded(1.0, 3.0)

    @convert
    def f(x: Any) -> Any:
        if x > 2:
            v.least = v.least + x
        v.assign(x)
        return v.bounded()

    assert [float(f(jnp.float32(x))) for x in (1, 4, 2)] == [3, 7, 7]
    assert (float(v), float(v.least)) == (2, 7)


def test_an_attribute_of_an_argument_may_not_change() -> None:
    @convert
    def f(v: Any, x: Any) -> Any:
        v.least = x
        return v.bounded()

    v = Bounded(1.0, 3.0)
    with pytest.raises(MutatedArgumentError) as caught:
        f(v, 5.0)
    lines = str(caught.value).splitlines()
    assert lines[0] == "A Bounded that was passed as an argument is changed inside the function."
    assert lines[2:5] == [
        "      v.least = x",
        "  The caller would not see the change: a compiled function gets the values of its arguments.",
        "  Fix: use the Bounded from outside of the function, or keep what changes in a Variable.",
    ]
    assert v.least == 3.0


def test_one_as_an_argument_is_not_saved(tmp_path: Any) -> None:
    f = convert(lambda v: v.doubled())
    f(Clipped(0.5))
    with pytest.raises(SaveError):
        al.save(tmp_path / "f.zip", f)


def test_of_two_arguments_the_one_that_is_only_read_keeps_its_array() -> None:
    @convert
    def f(read: Any, written: Any) -> Any:
        written.assign_add(1.0)
        return written * read

    read, written = Variable(2.0), Variable(3.0)
    assert [float(f(read, written)), float(f(read, written))] == [8, 10]
    assert (float(read), float(written)) == (2, 5)
