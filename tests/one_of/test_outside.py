"""What of a value that is one of several comes out of a function that is traced by somebody else, kept in a file, or explained?"""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import OneOf, PythonOnlyError


class State(enum.Enum):
    RUNNING = 1
    DONE = 2


def positive(x):
    return x if x > 0 else None


def sign(x):
    return "up" if x > 0 else "down"


def code(x):
    state = State.RUNNING if x > 0 else None
    return 0 if state is None else state.value


def solved(x):
    status, message = None, "running"
    for i in range(3):
        x = x * 2
        if x > 10:
            status, message = i, "done"
    return x, status, message


def test_none_beside_an_array_leaves_a_jit_as_one_of() -> None:
    f = jax.jit(autograph_lite.to_graph(positive))
    there, none = f(jnp.float32(2)), f(jnp.float32(-2))
    assert type(there) is type(none) is OneOf
    assert there.value() == 2
    assert none.value() is None
    assert (repr(there), repr(none)) == ("OneOf(Array(2., dtype=float32))", "OneOf(None)")
    assert autograph_lite.convert(lambda found: -1.0 if found is None else found)(there) == 2
    assert jax.jit(autograph_lite.convert(positive))(jnp.float32(-2)).value() is None


def test_lanes_of_one_of() -> None:
    lanes = jax.vmap(autograph_lite.to_graph(positive))(jnp.asarray([1.0, -1.0, 3.0]))
    assert lanes.value() == [1.0, None, 3.0]


def test_an_attribute_that_is_called_value() -> None:
    assert [autograph_lite.convert(code)(jnp.float32(x)) for x in (1, -1)] == [1, 0]
    assert jax.jit(autograph_lite.to_graph(code))(jnp.float32(1)) == 1


def test_the_value_of_one_that_is_not_known_yet() -> None:
    with pytest.raises(PythonOnlyError) as caught:
        jax.jit(lambda x: autograph_lite.to_graph(positive)(x).value())(jnp.float32(1))
    assert (
        caught.value.what == "Which it is, one of None, float32[], is asked for where only the program knows."
    )


@pytest.mark.parametrize("convert", [autograph_lite.to_graph, autograph_lite.convert])
@pytest.mark.parametrize("traced", [jax.jit, jax.vmap])
def test_a_text_does_not_leave_a_function_that_jax_traces(convert, traced) -> None:
    with pytest.raises(PythonOnlyError) as caught:
        traced(convert(sign))(jnp.ones(1) if traced is jax.vmap else jnp.float32(1))
    error = caught.value
    assert error.what == "'sign', which JAX traces, returns a value that is one of 'up', 'down'."
    assert error.why == "What leaves it are arrays, and None."
    assert error.fix == (
        "return a number that says which, or leave JAX's transformation away: what `convert` makes is compiled, and returns it."
    )
    assert error.where[0].text == "def sign(x):"


def test_it_is_kept_in_a_file(tmp_path) -> None:
    f = autograph_lite.convert(solved)
    f(jnp.float32(1))
    autograph_lite.save(tmp_path / "solved", f)
    loaded = autograph_lite.load(tmp_path / "solved")
    assert loaded(jnp.float32(1)) == (8.0, None, "running")
    assert loaded(jnp.float32(2)) == (16.0, 2, "done")


def test_it_is_explained() -> None:
    (decision,) = autograph_lite.explain(sign)(jnp.float32(1))
    assert decision.why == "the condition is traced; the value is one of 2: 'up', 'down'"
    *_, last = autograph_lite.explain(solved)(jnp.float32(1))
    assert last.why == (
        "the condition is traced; status is one of 2: None, int32[]; message is one of 2: 'done', 'running'"
    )
