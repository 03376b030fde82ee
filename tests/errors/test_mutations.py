"""What do errors say about changes of objects that a compiled program can not carry?"""

from __future__ import annotations

import ast
import collections
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutationError

from .messages import derived, message, shown


class Model:
    pass


def test_an_attribute_that_one_path_makes() -> None:
    def f(x):
        model = Model()
        if x > 0:
            model.value = x
        return model.value

    assert message(f, jnp.float32(2)) == (
        "MutationError: 'model.value' exists on one path of a staged statement and not on another.\n"
        "  test.py:3 in f\n"
        "      model.value = x\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so the program must know what is there without knowing the path.\n"
        "  Fix: create 'model.value' before the statement, with a value of the same type."
    )


class Shown:
    whole: object = None

    def __init__(self, rows):
        self.rows = rows

    @property
    def first(self):
        return self.rows[0]

    def __getattr__(self, name):
        return self.rows


WHY_NOT_SET = "  An array is a value to a compiled program: the change makes a new array, which the attribute would have to get.\n"


def test_an_item_of_what_an_array_computes() -> None:
    def f(x):
        x.T[0] = 1.0
        return x

    assert message(f, jnp.ones((2, 3))) == (
        "MutationError: An item of the attribute 'T' of 'array' is written, float32[3,2], which is computed from the array.\n"
        "  test.py:1 in f\n"
        "      x.T[0] = 1.0\n"
        + WHY_NOT_SET
        + "  Fix: write the item of the array itself, for example x[:, i] in place of x.T[i]."
    )


def test_an_item_of_a_property_without_a_setter_that_gives_a_part() -> None:
    def f(x):
        shown = Shown(x)
        shown.first[0] = 1.0
        return shown.rows

    assert autograph_lite.convert(f)(jnp.zeros((2, 3))).tolist() == [[1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("attribute", ["whole", "other"])
def test_an_item_of_an_attribute_that_is_not_the_objects_own(attribute) -> None:
    def f(x):
        shown = Shown(x)
        Shown.whole = x
        try:
            if attribute == "whole":
                shown.whole[0] = 1.0
            else:
                shown.other[0] = 1.0
        finally:
            Shown.whole = None
        return shown.rows

    with pytest.raises(MutationError) as caught:
        autograph_lite.convert(f)(jnp.ones(3))

    assert caught.value.what == (
        f"An item of the attribute '{attribute}' of 'Shown' is written, float32[3], which is no attribute of its own, but of its "
        "class or of another object."
    )
    assert caught.value.fix == (
        f"write the item there, for example by Shown.{attribute} if it is the class's, or give the object an array of its own "
        "before."
    )


def test_a_key_that_one_path_makes() -> None:
    def f(x):
        table = {}
        if x > 0:
            table["k"] = x
        return table

    assert message(f, jnp.float32(2)) == (
        "MutationError: 'table['k']' exists on one path of a staged statement and not on another.\n"
        "  test.py:3 in f\n"
        '      table["k"] = x\n'
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so the program must know what is there without knowing the path.\n"
        "  Fix: create 'table['k']' before the statement, with a value of the same type."
    )


def test_a_deque_that_one_path_appends_to() -> None:
    def f(x):
        log = collections.deque(maxlen=9)
        if x > 0:
            log.append(x)
        return log

    assert message(f, jnp.float32(2)) == (
        "MutationError: 'log' has more items on one path of a staged statement than on another.\n"
        "  test.py:3 in f\n"
        "      log.append(x)\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  The condition depends on a traced value, so the program must know the length without knowing the path.\n"
        "  Fix: make the deque without maxlen, and take items off yourself: if len(d) > n: d.popleft()."
    )


def test_a_numpy_array_that_a_callee_fills_on_one_path() -> None:
    cells = np.zeros(3)

    def f(x):
        def fill():
            cells.fill(1)

        if x > 0:
            fill()
        return cells

    assert message(f, jnp.float32(2), way=derived) == (
        "MutationError: 'cells', an array of NumPy's, is changed in place inside a staged statement.\n"
        "  test.py:2 in fill\n"
        "      cells.fill(1)\n"
        "  test.py:4 in f\n"
        "      if x > 0:\n"
        "  A compiled program computes the new items, and an array of NumPy's can't hold them.\n"
        "  Fix: make it an array of JAX's, jnp.asarray(cells), and bind the changed array to the name."
    )


def test_an_argument_that_is_appended_to_inside_a_trace_of_somebody_elses() -> None:
    def f(xs):
        xs.append(xs[0])
        return xs

    with pytest.raises(autograph_lite.MutatedArgumentError) as caught:
        jax.jit(autograph_lite.convert(f))([jnp.float32(2)])
    assert shown(caught.value, f) == (
        "MutatedArgumentError: 'xs', a list that was passed as an argument, is changed inside the function.\n"
        "  test.py:1 in f\n"
        "      xs.append(xs[0])\n"
        "  The caller would not see the change: a compiled function gets the values of its arguments.\n"
        "  Fix: make a new list and return it."
    )


def test_an_argument_that_is_changed_and_passed_twice() -> None:
    def f(one, other):
        one["b"] = other["a"]
        return other["a"]

    table = {"a": jnp.float32(2)}
    assert message(f, table, table) == (
        "MutatedArgumentError: A dict that was passed as an argument is in the arguments twice, and changed.\n"
        "  test.py:1 in f\n"
        '      one["b"] = other["a"]\n'
        "  Each argument is made of its values: a change of one is not seen in the other.\n"
        "  Fix: pass it once, or a copy."
    )
    assert table == {"a": 2}


TABLE = {"a": jnp.float32(2)}


def test_an_argument_that_is_changed_and_read_as_a_global() -> None:
    def f(table):
        table["a"] = table["a"] + 1
        return TABLE["a"]

    assert autograph_lite.convert(f)(dict(TABLE)) == 2
    assert message(f, TABLE) == (
        "MutatedArgumentError: A dict that was passed as an argument is used from outside by the function, too, and changed.\n"
        "  test.py:1 in f\n"
        '      table["a"] = table["a"] + 1\n'
        "  Each argument is made of its values: a change of one is not seen in the other.\n"
        "  Fix: pass it, or use it from outside, but not both."
    )
    assert TABLE == {"a": 2}


@dataclasses.dataclass
class Point:
    x: object


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: object


@pytest.mark.parametrize("kind", [Point, Fixed])
def test_the_attributes_of_an_argument_that_are_changed_past_it(kind) -> None:
    def by_vars(point):
        vars(point)["x"] = 9
        return point

    def by_update(point):
        point.__dict__.update(x=jnp.sin(point.x))
        return point

    def by_object(point):
        object.__setattr__(point, "x", jnp.sin(point.x))
        return point

    for f in (by_vars, by_update, by_object):
        ours, theirs = kind(jnp.float32(2)), kind(jnp.float32(2))
        assert autograph_lite.convert(f)(ours) is ours
        assert ours.x == f(theirs).x


def test_an_attribute_that_a_method_makes_on_one_path() -> None:
    def f(xs):
        class Stats:
            def push(self, x):
                self.last = x
                self.count = self.count + 1

        stats = Stats()
        stats.count = 0
        for x in xs:
            if x < 4:
                stats.push(x)
        return stats.last

    assert message(f, jnp.ones(3)) == (
        "MutationError: 'self.last' exists on one path of a staged statement and not on another.\n"
        "  test.py:3 in push\n"
        "      self.last = x\n"
        "  test.py:9 in f\n"
        "      if x < 4:\n"
        "  The condition depends on a traced value, so the program must know what is there without knowing the path.\n"
        "  Fix: create 'self.last' before the statement, with a value of the same type."
    )


def test_an_attribute_whose_line_does_not_name_it() -> None:
    def f(x):
        model = Model()
        if x > 0:
            object.__setattr__(model, "value", x)
        return model.value

    assert message(f, jnp.float32(2)).startswith(
        "MutationError: 'Model.value' exists on one path of a staged statement and not on another.\n"
        "  test.py:3 in f\n"
    )


def test_a_set_that_one_path_adds_to() -> None:
    def f(x):
        seen = {1, 2}
        if x > 0:
            seen.add(3)
        return len(seen)

    assert message(f, jnp.float32(2)) == (
        "MutationError: 'seen', a set, is changed inside a staged statement.\n"
        "  test.py:3 in f\n"
        "      seen.add(3)\n"
        "  test.py:2 in f\n"
        "      if x > 0:\n"
        "  What is in a set has to be known while tracing, and here it depends on a traced value.\n"
        "  Fix: use a mask, an array of bools that says which values are in it, and write to its items."
    )


def test_a_bytearray_that_a_loop_appends_to() -> None:
    def f(n):
        text = bytearray(b"abc")
        for i in range(n):
            text.append(65)
        return len(text)

    assert message(f, jnp.int32(2)) == (
        "MutationError: 'text', a bytearray, is changed inside a staged statement.\n"
        "  test.py:3 in f\n"
        "      text.append(65)\n"
        "  test.py:2 in f\n"
        "      for i in range(n):\n"
        "  What is in a bytearray has to be known while tracing, and here it depends on a traced value.\n"
        "  Fix: use an array of jnp.uint8, and write to its items."
    )


# fmt: off
def test_a_place_is_named_once() -> None:
    def f(n):
        def g(n):
            found = []
            for i in range(n): found.append(i)
            return len(found)

        return jax.vmap(g)(n)

    assert message(f, jnp.arange(3)) == (
        "MutationError: 'found' grows in a loop that may run any number of times.\n"
        "  test.py:3 in g\n"
        "      for i in range(n): found.append(i)\n"
        "  A compiled program needs room for all items before it starts, so the number of iterations must have a bound.\n"
        "  Fix: loop over a range with a known bound and leave it with `break`: for _ in autograph_lite.range(1000). What "
        "`autograph_lite.convert` makes needs no bound where the call is no part of another program."
    )
# fmt: on


@jax.tree_util.register_pytree_node_class
class Scale:
    """A registered pytree, of which a call gets a new one."""

    def __init__(self, by):
        self.by = by

    def tree_flatten(self):
        return [self.by], None

    @classmethod
    def tree_unflatten(cls, _, parts):
        return cls(*parts)


def _change_as_a_library_does(scale):
    object.__setattr__(scale, "by", scale.by + 1)


def test_a_registered_pytree_among_the_arguments_that_is_changed() -> None:
    @autograph_lite.convert
    def f(scale, x):
        scale.by = scale.by + x
        return scale.by

    scale = Scale(jnp.float32(2))
    assert [f(scale, jnp.float32(1)), f(scale, jnp.float32(1)), scale.by] == [3, 4, 4]
    assert f.trace_count == 1


def test_a_registered_pytree_among_the_arguments_that_a_library_changes() -> None:
    change = autograph_lite.do_not_convert(_change_as_a_library_does)

    def f(scales):
        change(scales[1])
        return scales[0].by

    one, two = Scale(jnp.float32(2)), Scale(jnp.float32(5))
    assert autograph_lite.convert(f)((one, two)) == 2
    assert (one.by, two.by) == (2, 6)
    assert message(f, (one, one)) == (
        "MutatedArgumentError: A Scale that was passed as an argument is in the arguments twice, and changed.\n"
        "  test.py:0 in f\n"
        "      def f(scales):\n"
        "  Each argument is made of its values: a change of one is not seen in the other.\n"
        "  Fix: pass it once, or a copy."
    )
    assert one.by == 2


def test_a_pytree_that_makes_its_leaves_anew_is_not_taken_for_a_changed_one() -> None:
    @jax.tree_util.register_pytree_node_class
    class Doubled(Scale):
        def tree_flatten(self):
            return [self.by * 1], None

    assert autograph_lite.convert(lambda d: d.by + 1)(Doubled(jnp.float32(2))) == 3


WHY = "  An array is a value to a compiled program: the change would be seen under one of the names only.\n"


def test_a_row_is_written_and_the_matrix_read() -> None:
    def f(m):
        row = m[1]
        row[0] = 5.0
        return m.sum() + row[0]

    assert message(f, jnp.ones((2, 3)), way=derived) == (
        "MutationError: An item of 'row', float32[3], is written, which in NumPy shares its memory with 'm', too, and 'm' is read "
        "later.\n"
        "  test.py:2 in f\n"
        "      row[0] = 5.0\n"
        + WHY
        + "  Fix: write the item of 'm'; or let one of the two be a copy, `.copy()`, and store that afterwards where the other "
        "one is to have it."
    )


def test_an_array_is_written_that_has_another_name() -> None:
    def f(x):
        old = x
        x[0] = 5.0
        return x - old

    assert message(f, jnp.ones(3), way=derived) == (
        "MutationError: An item of 'x', float32[3], is written, which in NumPy is the array of 'old', too, and 'old' is read "
        "later.\n"
        "  test.py:2 in f\n"
        "      x[0] = 5.0\n"
        + WHY
        + "  Fix: write the item of 'old', or store 'x' there afterwards; where 'old' is to stay as it is, let it have a copy: "
        "x.copy()."
    )


def test_an_array_of_an_object_that_outlives_the_call() -> None:
    def f(tables):
        table = tables["a"]
        table[0] = 5.0
        return table

    assert message(f, {"a": jnp.ones(3)}, way=derived) == (
        "MutationError: An item of 'table', float32[3], is written, which in NumPy is the array of 'tables['a']', too, and "
        "'tables['a']' outlives the call.\n"
        "  test.py:2 in f\n"
        "      table[0] = 5.0\n"
        + WHY
        + "  Fix: write the item of 'tables['a']'; or let one of the two be a copy, `.copy()`, and store that afterwards where the other "
        "one is to have it."
    )


def fill(a, n):
    for k in range(n):
        a[k] = 5.0
    return a.sum()


def test_a_function_writes_to_an_array_that_its_caller_reads() -> None:
    def f(x, n):
        total = fill(x, n)
        return total + x

    text = message(f, jnp.ones(3), 2, way=derived)
    line = fill.__code__.co_firstlineno - f.__code__.co_firstlineno + 2
    assert text == (
        "MutationError: 'fill' writes an item of an array, float32[3], which is 'x' where it is called (test.py:1), and 'x' is "
        "read later.\n"
        f"  test.py:{line} in fill\n"
        "      a[k] = 5.0\n"
        "  An array is a value to a compiled program: what is written makes a new one, which the caller does not get.\n"
        "  Fix: let 'fill' return the array among its results, and read that one afterwards in place of 'x'; where 'x' is to stay "
        "as it is, hand over x.copy()."
    )


def test_an_array_is_written_that_an_object_has_got() -> None:
    def f(x):
        model = Model()
        model.weights = x + 0
        kept = Kept(x)
        x[0] = 5.0
        return kept.x - x

    assert message(f, jnp.ones(3), way=derived) == (
        "MutationError: An item of 'x', float32[3], is written, which in NumPy is the array of 'kept.x', too, and 'kept.x' is read "
        "later.\n"
        "  test.py:4 in f\n"
        "      x[0] = 5.0\n"
        + WHY
        + "  Fix: write the item of 'kept.x', or store 'x' there afterwards; where 'kept.x' is to stay as it is, let it have a "
        "copy: x.copy()."
    )


class Kept:
    def __init__(self, x):
        self.x = x


def test_an_array_is_sorted_by_its_method() -> None:
    def f(x):
        x.sort()
        return x

    assert message(f, jnp.arange(3.0)) == (
        "MutationError: An array, float32[3], is sorted by its method, and nothing takes the sorted one.\n"
        "  test.py:1 in f\n"
        "      x.sort()\n"
        "  NumPy sorts in place. An array is a value to a compiled program: the method gives a new one, and leaves the array as it "
        "is.\n"
        "  Fix: take the new one: x = jnp.sort(x)."
    )


def test_lists_and_numpys_own_arrays_are_sorted_in_place() -> None:
    def f(values, numbers, x):
        values.sort(key=lambda v: -v)
        numbers.sort()
        return values, numbers, x.sort() + x

    values, numbers, y = autograph_lite.to_graph(f)([1, 3, 2], np.array([3, 1, 2]), jnp.array([3, 1, 2]))
    assert (values, numbers.tolist(), y.tolist()) == ([3, 2, 1], [1, 2, 3], [4, 3, 5])


def test_an_argument_that_is_written_and_not_read() -> None:
    def f(x):
        x[0] = 5.0

    assert message(f, jnp.ones(3)) == (
        "MutationError: An item of an array, float32[3], is written, and nothing in the function reads the array afterwards.\n"
        "  test.py:1 in f\n"
        "      x[0] = 5.0\n"
        "  An array is a value to a compiled program: the change makes a new array, which would be lost. An argument, an item of a "
        "list or an attribute from which the array comes stays as it is.\n"
        "  Fix: return the array, and take it where the function is called, `x = f(x)`; write an array in an object by the object, "
        "`rows[k][i] = v`, `self.x[i] = v`; declare the name of another function's `nonlocal` or `global`."
    )


def test_an_array_of_a_list_is_changed_in_place_and_not_read() -> None:
    def f(x):
        rows = [(x, 2 * x), (3 * x, x)]
        for row, step in rows:
            row -= 0.1 * step
        return rows[0][0]

    assert message(f, jnp.ones(2)) == (
        "MutationError: An array, float32[2], is changed in place, and nothing in the function reads it afterwards.\n"
        "  test.py:3 in f\n"
        "      row -= 0.1 * step\n"
        "  An array is a value to a compiled program: `x += v` makes a new array, which would be lost. An argument, an item of a "
        "list or an attribute from which the array comes stays as it is.\n"
        "  Fix: store it where it comes from, `rows[k] = rows[k] + v`, `self.x += v`, or return it."
    )


def test_numbers_and_what_is_read_again_may_be_changed_in_place() -> None:
    def f(x, rows):
        t = x[0]
        for step in rows:
            if x[1] > 0:
                x += step
            t += 1.0
            step *= 2
        count = 0
        count += 1
        return x

    rows = [np.ones(2), 2 * np.ones(2)]
    expected = f(np.array([1.0, 2.0]), [row.copy() for row in rows])
    np.testing.assert_array_equal(autograph_lite.to_graph(f)(jnp.array([1.0, 2.0]), rows), expected)
    np.testing.assert_array_equal(rows[1], 4 * np.ones(2))  # NumPy's own, which Python changes


def test_an_array_is_written_that_a_list_has_got() -> None:
    def f(x):
        rows = list((x, x + 1))
        x[0] = 7
        return rows

    assert message(f, jnp.zeros(2), way=derived) == (
        "MutationError: An item of 'x', float32[2], is written, which in NumPy is the array of 'rows[0]', too, and 'rows[0]' is "
        "read later.\n"
        "  test.py:2 in f\n"
        "      x[0] = 7\n"
        + WHY
        + "  Fix: write the item of 'rows[0]'; or let one of the two be a copy, `.copy()`, and store that afterwards where the other "
        "one is to have it."
    )


def test_a_row_is_written_that_a_function_has_taken() -> None:
    def f(m):
        def first(m):
            return m[0]

        row = first(m)
        row[0] = 7
        return row, m

    assert message(f, jnp.zeros((2, 2)), way=derived) == (
        "MutationError: An item of 'row', float32[2], is written, which in NumPy shares its memory with 'm', too, and 'm' is read "
        "later.\n"
        "  test.py:5 in f\n"
        "      row[0] = 7\n"
        + WHY
        + "  Fix: write the item of 'm'; or let one of the two be a copy, `.copy()`, and store that afterwards where the other "
        "one is to have it."
    )


def test_an_array_is_written_in_a_loop_over_it() -> None:
    def f(x):
        def put(y):
            y[1] = 7

        total = 0.0
        for v in x:
            put(x)
            total = total * 2 + v
        return total

    assert message(f, jnp.zeros(3), way=derived) == (
        "MutationError: An item of 'y', float32[3], is written in a loop over the same array, or over parts of "
        "it, which in NumPy gives the items as they are by then.\n"
        "  test.py:2 in put\n"
        "      y[1] = 7\n"
        + WHY
        + "  Fix: loop over the places, `for i in range(len(x))`, and read `x[i]`; or loop over a copy, x.copy()."
    )


def test_a_field_that_cannot_be_set() -> None:
    Point = collections.namedtuple("Point", "at")

    def f(x):
        p = Point(x * 2)
        p.at[0] = 7
        return p.at

    assert message(f, jnp.zeros(2)) == (
        "MutationError: An item of the attribute 'at' of a 'Point' is written, float32[2], and its attributes can't be set.\n"
        "  test.py:2 in f\n"
        "      p.at[0] = 7\n"
        "  An array is a value to a compiled program: the change makes a new array, which the attribute would have to get.\n"
        "  Fix: make a new object, t = t._replace(at=...), with the array that is to be there."
    )


def test_a_file_is_looked_through_once_however_often_lists_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(xs):
        found, rest, last = [], [], []
        for x in xs:
            if x > 1:
                found.append(x)
            elif x > 0:
                rest.append(x)
            else:
                last.append(x)
        return len(found), len(rest), len(last)

    walk = ast.walk
    walked: list[ast.AST] = []
    monkeypatch.setattr(ast, "walk", lambda tree: walked.append(tree) or walk(tree))
    assert autograph_lite.convert(f)(jnp.arange(-2.0, 4.0)) == (2, 1, 3)
    assert sum(isinstance(tree, ast.Module) for tree in walked) < 4


def test_an_array_of_jaxs_that_a_generator_writes_to_where_nothing_is_traced() -> None:
    class Rows:
        def __init__(self, v):
            self.v = v

        def __iter__(self):
            for i in range(3):
                self.v[i] = 2 * self.v[i]
                yield self.v[i]

    def total(x):
        rows = Rows(x + 0)
        return sum(rows), rows.v

    def counted(x):
        x[0] = 1
        return len(locals()), x

    assert float(autograph_lite.convert(total)(jnp.ones(3))[0]) == 6
    for fn in (total, counted):
        with pytest.raises(MutationError) as caught:
            autograph_lite.to_graph(fn)(jnp.ones(3))
        assert caught.value.what == (
            "An item of an array of JAX's, float32[3], is written in a function that stays Python's."
        )
        assert caught.value.fix.startswith("write x = x.at[i].set(v), or call a function that")
    np.testing.assert_array_equal(autograph_lite.to_graph(counted)(np.zeros(3))[1], [1, 0, 0])


def test_an_item_of_an_array_of_numpys_that_is_turned() -> None:
    def f(x):
        turned = np.ones((3, 2)) * 2
        turned.T[0][1] = x[0]
        return turned

    with pytest.raises(MutationError, match=r"'T' of 'array'(.|\n)*x\[:, i\] in place of x\.T\[i\]"):
        autograph_lite.convert(f)(np.ones(3))
