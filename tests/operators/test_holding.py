"""Does a number that Python knows keep its value where paths meet in a narrow type?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import BranchMismatchError, CarryMismatchError


def chosen(x):
    r = -1
    if x > 5:
        r = x
    return r


def expression(x):
    return x if x > 5 else 300


def matched(x):
    match x:
        case 3:
            r = -1
        case 9:
            r = x
        case _:
            r = 70000
    return r


def attribute(x):
    class Best:
        found = -1

    best = Best()
    if x > 5:
        best.found = x
    return best.found


def item(x):
    found = {"place": 256}
    if x > 5:
        found["place"] = x
    return found["place"]


def repeated(x):
    r = -1
    while x > 5:
        r = x
        x = x - 3
    return r


def searched(x):
    place = -1
    for i in range(5):
        if i == x:
            place = x
            break
    return place


def greatest(x):
    best = -1
    for value in (x, x + 1):
        if value > best:
            best = value
    return best, max(x, 300)


def extremes(x):
    of_pairs = max((x, 1), (300, 2)), min((x, -1), (x, 300))
    by_key = min(x, 300, key=lambda v: v), max(-1, x, key=lambda v: v)
    return max(x, -1), max(-1, x, 3), min(x, 300), min([300, x, -1]), max(300, x), of_pairs, by_key


def choice(x):
    return (x, -1, 300)[int(x) % 3]


def items(x):
    places = [-1, -1, 300]
    places[int(x) % 3] = x
    return places


def in_order(x):
    return sorted([x, -1, 300])


def zipped(x):
    last = x
    for value, _ in zip((-1, 300), range(int(x) % 3), strict=False):
        last = value
    return last


PROGRAMS = [chosen, expression, matched, attribute, item, repeated, searched, greatest]
PROGRAMS += [choice, items, in_order, extremes]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "float16", "int32"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_numbers_keep_their_values_in_narrow_types(program, dtype):
    staged = jax.jit(autograph_lite.to_graph(program))
    for number in (0, 3, 9, 100):
        found = staged(jnp.asarray(number, dtype))
        # As Python's numbers: JAX takes a uint8 of 44 to be equal to 300.
        assert jax.tree.map(lambda array: np.asarray(array).item(), found) == program(number)


@pytest.mark.parametrize("dtype", ["int16", "float16", "int32"])
def test_items_that_a_loop_takes_beside_a_traced_range(dtype):
    staged = jax.jit(autograph_lite.to_graph(zipped))
    for number in (0, 9, 100, 101):
        assert staged(jnp.asarray(number, dtype)).item() == zipped(number)


def test_a_list_that_grows():
    def grown(x, n):
        values = [-1, 300]
        while len(values) < n:
            values.append(x)
        return values

    assert autograph_lite.convert(grown)(jnp.uint8(9), jnp.int32(4)) == [-1, 300, 9, 9]


def test_the_type_stays_where_it_holds_the_number():
    def clipped(x):
        return x if x < 200 else 200

    assert jax.jit(autograph_lite.to_graph(clipped))(jnp.uint8(255)).dtype == jnp.uint8


def test_a_float_that_is_too_large_for_a_half():
    def least(x):
        best = 1e9
        if x < 1:
            best = x
        return best

    assert jax.jit(autograph_lite.to_graph(least))(jnp.float16(2)) == 1e9


def test_no_type_for_both_is_an_error():
    with pytest.raises(BranchMismatchError) as caught:
        jax.jit(autograph_lite.to_graph(chosen))(jnp.uint32(7))
    assert caught.value.what == "'r' is uint32[] on one path and int -1 on another."
    with pytest.raises(BranchMismatchError) as caught:
        jax.jit(autograph_lite.to_graph(choice))(jnp.uint32(7))
    assert caught.value.what == "A traced value chooses among uint32[] and int -1."
    with pytest.raises(CarryMismatchError) as caught:
        jax.jit(autograph_lite.to_graph(repeated))(jnp.uint32(7))
    assert caught.value.what == "'r' is int -1 before an iteration of the loop and uint32[] after it."


def test_64_bits():
    def large(x):
        return x if x > 5 else 2**40

    with jax.enable_x64(True):
        staged = jax.jit(autograph_lite.to_graph(large))
        assert staged(jnp.int32(3)) == 2**40
        assert jax.jit(autograph_lite.to_graph(chosen))(jnp.uint32(3)) == -1
        with pytest.raises(BranchMismatchError):
            jax.jit(autograph_lite.to_graph(chosen))(jnp.uint64(3))
