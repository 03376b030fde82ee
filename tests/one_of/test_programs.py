"""Programs whose variables are one of several, compared with plain Python."""

from __future__ import annotations

import collections

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.one_of import (
    everyday_programs,
    key_programs,
    length_programs,
    none_programs,
    number_enum_programs,
    object_programs,
    once_refused,
    pattern_programs,
    rebound_programs,
    record_programs,
    text_programs,
)
from tests.one_of.agreement import PROGRAMS, agrees


@pytest.mark.parametrize(("function", "call"), PROGRAMS[none_programs.__name__])
def test_none_beside_an_array(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[text_programs.__name__])
def test_texts_enums_functions_and_classes(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[number_enum_programs.__name__])
def test_members_that_are_numbers(function, call) -> None:
    agrees(function, call)


def test_members_that_are_numbers_leave_jax_as_numbers() -> None:
    function = autograph_lite.to_graph(number_enum_programs.states_of_a_loop)
    level, seen = jax.jit(lambda x: function(x)[:2])(jnp.float32(3))
    assert (int(level), int(seen)) == (2, 4)
    levels = jax.vmap(lambda x: function(x)[0])(jnp.arange(3.0))
    np.testing.assert_array_equal(levels, [1, 2, 1])
    found = jax.jit(lambda x: autograph_lite.to_graph(number_enum_programs.found_in_a_loop)(x)[0])
    assert found(jnp.float32(5)).value() == 1


@pytest.mark.parametrize(("function", "call"), PROGRAMS[object_programs.__name__])
def test_objects(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[record_programs.__name__])
def test_dataclass_objects(function, call) -> None:
    agrees(function, call)


def test_a_dataclass_object_among_the_arguments_is_changed_that_was_chosen() -> None:
    def kept(points, k):
        chosen = points[k]
        chosen.x += 5
        return chosen

    points = [record_programs.Point(1.0), record_programs.Point(2.0)]
    found = autograph_lite.convert(kept)(points, jnp.int32(1))
    assert (points[0].x, points[1].x, found.x) == (1, 7, 7)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[key_programs.__name__])
def test_items_written_at_traced_keys(function, call) -> None:
    agrees(function, call)


def test_a_traced_key_that_is_missing_is_pythons_error() -> None:
    for function, call in (
        (key_programs.counted, [jnp.array([3, 9])]),
        (key_programs.pairs, [jnp.array([2.0]), jnp.array([5])]),
    ):
        with pytest.raises(KeyError):
            autograph_lite.convert(function)(*call)


def test_a_traced_key_that_a_dict_would_get_is_refused_where_the_program_runs() -> None:
    def put(table, key):
        table[key] = 1.0
        return table[1]

    def read(key):
        return collections.defaultdict(float, {1: 2.0})[key]

    assert autograph_lite.convert(put)({1: 0.0}, jnp.int32(1)) == 1
    for call in (
        lambda: autograph_lite.convert(put)({1: 0.0}, jnp.int32(2)),
        lambda: autograph_lite.convert(read)(jnp.int32(2)),
    ):
        with pytest.raises(autograph_lite.MutationError, match="is none of those that the"):
            call()


@pytest.mark.parametrize(("function", "call"), PROGRAMS[length_programs.__name__])
def test_lists_tuples_and_dicts_of_unlike_structure(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[once_refused.__name__])
def test_what_was_refused(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(("function", "call"), PROGRAMS[pattern_programs.__name__])
def test_patterns(function, call) -> None:
    agrees(function, call)


def test_lanes_and_derivatives_of_patterns_have_no_callbacks() -> None:
    function = autograph_lite.to_graph(pattern_programs.the_value_itself_after_a_class)
    xs = jnp.array([1.0, -2.0])
    np.testing.assert_allclose(jax.vmap(function)(xs), [2, -20])
    np.testing.assert_allclose(jax.vmap(jax.grad(function))(xs), [2, 10])
    assert "callback" not in str(jax.make_jaxpr(function)(1.0))


@pytest.mark.parametrize(("function", "call"), PROGRAMS[everyday_programs.__name__])
def test_everyday_uses(function, call) -> None:
    agrees(function, call)


@pytest.mark.parametrize(
    "function", [everyday_programs.copies_of_what_holds_it, everyday_programs.changed_in_place]
)
def test_lanes_of_everyday_uses(function) -> None:
    xs = np.array([1.0, -1.0], np.float32)
    found = jax.jit(jax.vmap(autograph_lite.to_graph(function)))(xs)
    for n, x in enumerate(xs):
        np.testing.assert_allclose([each[n] for each in found], function(x))


def test_lanes_know_which_of_them_is_none() -> None:
    def f(x):
        v = x if x > 0 else None
        return jnp.sqrt(v) if v is not None else 0.0

    function = autograph_lite.to_graph(f)
    np.testing.assert_allclose(jax.vmap(function)(jnp.array([4.0, -4.0])), [2.0, 0.0])
    assert "callback" not in str(jax.make_jaxpr(function)(1.0))


@pytest.mark.parametrize(("function", "call"), PROGRAMS[rebound_programs.__name__])
def test_names_bound_to_other_containers(function, call) -> None:
    agrees(function, call)


def test_lanes_and_derivatives_of_a_rebound_state() -> None:
    function = autograph_lite.to_graph(rebound_programs.scaled)
    xs = np.array([0.5, 1.0, 3.0], np.float32)
    np.testing.assert_allclose(jax.vmap(function)(xs), [rebound_programs.scaled(x) for x in xs], rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(jax.grad(function))(xs), [3.375, 15.1875, 1230.1875], rtol=1e-5)


@pytest.mark.parametrize("function", rebound_programs.HELD_TWICE)
def test_a_write_to_what_may_be_one_of_several_that_are_still_read_is_refused(function) -> None:
    with pytest.raises(autograph_lite.MutationError) as caught:
        autograph_lite.convert(function)(jnp.int32(1))
    assert caught.value.what.startswith("A list, '")
    assert caught.value.what.endswith(
        "is written to that is one object on one path of a staged statement and another on another path."
    )
