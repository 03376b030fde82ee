"""Do methods of containers, `in` and keys mean with traced values what Python means?"""

from __future__ import annotations

import collections
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite
from autograph_lite import PythonOnlyError, TracedIndexError
from tests.examples import examples

FROZEN = frozenset({1, 3, 5})
TABLE = {1: 2, 3: 4}


def sorts(a, b):
    items = [3, a, b, 1]
    items.sort()
    pairs = [(a, b), (b, 0)]
    pairs.sort(key=lambda pair: -pair[0])
    backwards = [b, a]
    backwards.sort(reverse=True)
    return items, pairs, backwards


def counts(a, b):
    return [1, a, b, 1].count(1), (a, b, (a, 1)).count((b, 1)), [a].count("a")


def finds(a, b):
    items = [1, b, a, 3]
    return items.index(a), items.index(3, 1), (0, a, b).index(b)


def belongs(a, b):
    queue = collections.deque([1, b])
    ranges = a in range(4), 3 in range(a), a in range(b, -5, -2), 1 in range(0, a, 2)
    known = a in FROZEN, a in TABLE, a in TABLE.keys(), a in TABLE.values(), a not in queue
    return (
        ranges,
        known,
        a in [(1, 2), 3, {}],
        (a, 1) in [(1, 1), (b, 1)],
        (a, "x") in {("y", "x"): 0},
        a in (True, "a", None),
    )


@pytest.mark.parametrize("function", [sorts, counts, finds, belongs])
def test_the_result_is_pythons(function) -> None:
    staged = jax.jit(autograph_lite.to_graph(function))

    @examples(30)
    @given(st.integers(-2, 6), st.integers(-2, 6))
    def check(a: int, b: int) -> None:
        jax.tree.map(np.testing.assert_array_equal, staged(a, b), function(a, b))

    check()


def test_an_item_that_is_not_there() -> None:
    def f(x):
        return [1, 2].index(x)

    run = autograph_lite.convert(f)
    assert run(jnp.int32(2)) == 1
    with pytest.raises(ValueError, match="not in list"):
        run(jnp.int32(3))


def dict_display(x):
    return {x: 1}


def set_display(x):
    return {1, x}


def taken_out_of_a_dict(x):
    return {**TABLE}.pop(x, 0)


def add(x):
    seen = set()
    seen.add(x)
    return seen


def remove(x):
    items = [1, 2]
    items.remove(x)
    return items


def pop(x):
    items = [1, 2, 3]
    return items.pop(x), items


def pop_text(x):
    return len(["a", "bb", "ccc"].pop(x))


def insert(x):
    items = [1, 2]
    items.insert(x, 3)
    return items


def slice_of_a_list_of_lists(x):
    return [["a"], ["b"], ["c"]][x : x + 1]


def slice_of_a_list(x):
    return ["a", "b", "c"][x : x + 1]


def test_a_slice_of_a_list_of_texts() -> None:
    for x in range(4):
        assert autograph_lite.convert(slice_of_a_list)(jnp.int32(x)) == slice_of_a_list(x)


@pytest.mark.parametrize(
    "function", [dict_display, set_display, taken_out_of_a_dict, add, pop_text, slice_of_a_list_of_lists]
)
def test_what_would_depend_on_the_value_is_refused(function) -> None:
    for run in (autograph_lite.convert(function), jax.jit(autograph_lite.to_graph(function))):
        with pytest.raises(TracedIndexError) as caught:
            run(jnp.int32(1))
        assert f"in {function.__name__}\n" in str(caught.value)
    assert autograph_lite.convert(function)(1) == function(1)


@pytest.mark.parametrize("function", [remove, pop, insert])
def test_lists_of_numbers_change_at_a_traced_place(function) -> None:
    for n in (1, 2):
        for x in (n, jnp.int32(n)):
            assert jax.tree.map(int, autograph_lite.convert(function)(x)) == function(n)


def test_python_that_needs_the_value_is_explained() -> None:
    def f(x):
        return [1] * x

    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(f)(jnp.int32(2))
    assert "Python needs the value of a traced array" in str(caught.value)
    assert "return [1] * x" in str(caught.value)


def test_numbers_beside_a_range_with_a_traced_bound() -> None:
    def f(n):
        total = 0
        for i, value in zip(range(n), [1, 2, 3]):
            total += i * value
        return total

    for n in (0, 2, 3, 5):
        assert jax.jit(autograph_lite.to_graph(f))(n) == f(n)


def test_complex_of_traced_numbers() -> None:
    def f(x, y):
        return complex(x), complex(x, y) * 2

    assert jax.jit(autograph_lite.to_graph(f))(1.5, 2.0) == f(1.5, 2.0)


class Counted:
    """Compares by its value, and counts how often."""

    compared = 0

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return int(self.value) % 4

    def __eq__(self, other):
        Counted.compared += 1
        return self.value == other.value


class Uncounted(set):
    def __iter__(self):
        raise AssertionError("gone through")


def test_python_looks_up_by_hashes():
    def f(item, items):
        return item in items, item not in items

    members = [Counted(k) for k in range(40)]
    for items in (set(members), frozenset(members), dict.fromkeys(members), dict.fromkeys(members).keys()):
        for item in (Counted(5), Counted(99)):
            counts = []
            for run in (f, autograph_lite.to_graph(f)):
                Counted.compared = 0
                assert run(item, items) == (item.value == 5, item.value != 5)
                counts.append(Counted.compared)
            assert counts[0] == counts[1]
    assert autograph_lite.to_graph(f)(3, Uncounted({3, 4})) == (True, False)


@dataclasses.dataclass(frozen=True)
class Cell:
    row: object
    column: int


def test_a_traced_item_is_compared_with_each_member():
    def f(x):
        cells = {Cell(3, 1), Cell(4, 1)}
        return Cell(x, 1) in cells, Cell(x, 0) in cells, (x, 1) in {(3, 1): 0}, x in {3, 5}

    for x in (3, 4, 5):
        assert tuple(map(bool, jax.jit(autograph_lite.to_graph(f))(x))) == f(x)


def test_what_has_no_hash_is_refused_by_python():
    def f(item):
        return item in {1, 2}

    for run in (f, autograph_lite.to_graph(f)):
        with pytest.raises(TypeError, match="unhashable type: 'list'"):
            run([1])


class Answers:
    """Equal to everything, or to nothing; may empty a list when it is asked."""

    def __init__(self, answer, empties=()):
        self.answer, self.empties = answer, empties

    def __eq__(self, other):
        for items in self.empties:
            items.clear()
        return self.answer

    __hash__ = None


def _index_in_a_list_that_its_items_empty():
    items = []
    items += [Answers(False, [items]), Answers(False), Answers(True)]
    return items.index(3)


def _removed_from_a_list_that_it_empties():
    items = []
    items += [1, Answers(True, [items])]
    items.remove(3)
    return items


def _sorted_by_what_writes_to_it():
    items = [3, 1, 2]

    def less(a, b):
        items.append(1)
        return a - b

    items.sort(key=functools.cmp_to_key(less))


def _sorted_by_what_looks_at_it():
    items, seen = [3, 1, 2], []
    items.sort(key=lambda item: (seen.append(len(items)), item)[1])
    return items, seen


def _sorted_by_what_raises():
    items = [1, "a"]
    try:
        items.sort()
    except TypeError:
        return items


def _asked_in_pythons_order():
    always, never = Answers(True), Answers(False)
    return (
        always in [never],
        never in [always],
        never in (never,),
        [never].count(never),
        [always].index(never),
    )


@pytest.mark.parametrize(
    "function",
    [
        _index_in_a_list_that_its_items_empty, _removed_from_a_list_that_it_empties, _sorted_by_what_writes_to_it,
        _sorted_by_what_looks_at_it, _sorted_by_what_raises, _asked_in_pythons_order,
    ],
)  # fmt: skip
def test_comparisons_by_methods_of_the_users_are_those_of_python(function):
    def outcome(run):
        try:
            return run()
        except ValueError as error:
            return str(error)

    expected = outcome(function)
    assert outcome(autograph_lite.to_graph(function)) == expected
    assert outcome(autograph_lite.convert(function)) == expected


def test_an_object_is_in_a_list_that_holds_it_whatever_it_equals():
    def f(x):
        never = Answers(x > 100)
        return never in [never], Answers(x > 0) in [never], [never].count(never)

    found = jax.jit(autograph_lite.to_graph(f))(jnp.float32(1))
    assert found == (True, False, 1)
