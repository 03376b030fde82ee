"""Does a Variable keep its state from call to call, as an array that Python changes in place would?"""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import BranchMismatchError, VariableError


class Counter:
    def __init__(self):
        self.count = al.Variable(0, name="count")
        self.log = al.Variable(jnp.zeros(4))


def traces(fn):
    """`fn` under `convert`, and a list with an item for each time that Python runs it."""
    runs = []

    def run(*args):
        runs.append(1)
        return fn(*args)

    return al.convert(run), runs


def test_a_write_lasts_and_the_next_call_reads_it():
    v = al.Variable(1.0)

    @al.convert
    def f(x):
        v.assign(v.value * x)
        return v.value + 1

    assert [float(f(jnp.float32(2))) for _ in range(3)] == [3, 5, 9]
    assert float(v) == 8


def test_what_is_written_outside_is_read_at_the_next_call_without_a_new_trace():
    v = al.Variable(1.0)
    f, runs = traces(lambda x: x + v)
    f(jnp.float32(2))
    v.assign(10.0)
    assert float(f(jnp.float32(2))) == 12
    assert len(runs) == 1


def test_a_variable_that_is_known_beforehand_needs_one_trace():
    counter = Counter()

    def step(x):
        counter.count.assign_add(1)
        counter.log[counter.count - 1] = x
        return counter.count.value

    f, runs = traces(step)
    assert [int(f(jnp.float32(x))) for x in (5, 6)] == [1, 2]
    assert np.array_equal(counter.log, [5, 6, 0, 0])
    assert len(runs) == 1


HIDDEN = {}


def test_a_variable_that_is_found_while_tracing_becomes_an_input():
    v = al.Variable(1.0)
    HIDDEN["get"] = {"v": v}.__getitem__

    @al.convert
    def f(x):
        return x + HIDDEN["get"]("v").value

    f(jnp.float32(1))
    v.assign(5.0)
    assert float(f(jnp.float32(1))) == 6


def test_a_constant_is_written_at_each_call():
    v = al.Variable(1.0)

    @al.convert
    def reset(x):
        v.assign(0.0)
        return x

    reset(jnp.float32(1))
    v.assign(7.0)
    reset(jnp.float32(1))
    assert float(v) == 0


def test_methods_of_assignment_give_the_variable():
    v = al.Variable(1.0)
    assert v.assign(2.0) is v
    assert v.assign_add(1.0).assign_sub(0.5) is v
    assert float(v) == 2.5


def test_in_place_operators_change_the_variable():
    v = al.Variable([1.0, 2.0])

    @al.convert
    def f(x):
        alias = v
        alias += x
        alias *= 2
        return alias is v

    assert f(jnp.float32(1)) is True
    assert np.array_equal(v, [4, 6])


def test_items_are_read_and_written_as_those_of_an_array():
    v, plain = al.Variable(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)

    def change(a, i, x):
        a[i, 1] = x
        a[0] += a[1]
        a[:, 2] *= 2
        return a[i].sum() + a[-1, 0]

    found = al.convert(lambda i, x: change(v, i, x))(jnp.int32(1), jnp.float32(9))
    assert float(found) == change(plain, 1, 9)
    assert np.array_equal(v, plain)


def test_items_are_written_outside_of_converted_functions():
    v = al.Variable([1, 2, 3])
    v[1] = 7
    v[al.Variable(0)] += 4
    assert np.array_equal(v, [5, 7, 3])


def test_a_mask_chooses_the_items_that_are_written():
    v = al.Variable([1.0, -2.0, 3.0])

    @al.convert
    def f(limit):
        v[v < limit] = 0.0
        v[v > 2] += 1.0

    f(jnp.float32(0))
    assert np.array_equal(v, [1, 0, 4])


@pytest.mark.parametrize(("x", "expected"), [(3.0, 3.0), (-3.0, 0.0)])
def test_one_branch_writes(x, expected):
    v = al.Variable(0.0)

    @al.convert
    def f(x):
        if x > 0:
            v.assign(x)

    f(jnp.float32(x))
    assert float(v) == expected


def test_the_condition_is_a_variable():
    on = al.Variable(False)

    @al.convert
    def f(x):
        if not on:
            x = -x
        return x if on else x * 2

    assert float(f(jnp.float32(1))) == -2
    on.assign(True)
    assert float(f(jnp.float32(1))) == 1


def test_variables_are_operands_of_and_and_or():
    a, b = al.Variable(2.0), al.Variable(0.0)

    @al.convert
    def f():
        if a and b:
            return 1.0
        if a > 1 and (b or a):
            return 2.0
        return 3.0

    assert float(f()) == 2
    b.assign(1.0)
    assert float(f()) == 1


def test_a_loop_whose_condition_and_body_use_variables():
    v, limit = al.Variable(0), al.Variable(5)

    @al.convert
    def f(step):
        while v < limit:
            v.assign_add(step)
            if v == 4:
                break
        return v.value

    assert int(f(jnp.int32(2))) == 4
    assert int(f(jnp.int32(3))) == 7
    assert int(f(jnp.int32(3))) == 7


def test_a_loop_over_the_rows_of_a_variable():
    table, total = al.Variable([[1.0, 2.0], [3.0, 4.0]]), al.Variable(0.0)

    @al.convert
    def f(x):
        for row in table:
            total.assign_add(row.sum() * x)
        for i, row in enumerate(table):
            if row[0] > x:
                return i
        return -1

    assert int(f(jnp.float32(2))) == 1
    assert float(total) == 20


def test_an_early_return_writes_what_came_before_it():
    v = al.Variable(0)

    @al.convert
    def f(x):
        v.assign_add(1)
        if x > 0:
            return x
        v.assign_add(10)
        return -x

    f(jnp.float32(1))
    f(jnp.float32(-1))
    assert int(v) == 12


def test_a_callee_and_a_nested_function_write():
    v = al.Variable(0)

    def callee(by):
        v.assign_add(by)

    @al.convert
    def f(x):
        def inner():
            v.assign(v * 2)

        for _ in range(x):
            callee(3)
            inner()

    f(jnp.int32(2))
    assert int(v) == 18


def test_a_converted_callee_of_the_same_variable():
    v = al.Variable(1.0)

    @al.convert
    def inner(x):
        v.assign_add(x)
        return v.value

    @al.convert
    def outer(x):
        return inner(x) * inner(x)

    assert float(outer(jnp.float32(1))) == 6
    assert float(inner(jnp.float32(1))) == 4


def test_membership_is_that_of_the_array():
    v = al.Variable([1, 2])
    f = al.convert(lambda x: (x in v, v[0] in (1, 5), v[1] not in [1, 5]))
    assert [list(map(bool, f(jnp.int32(x)))) for x in (2, 3)] == [[True, True, True], [False, True, True]]


def test_builtins_take_the_array():
    v = al.Variable([3.0, 1.0])

    @al.convert
    def f(x):
        return max(v), sum(v), len(v), float(v[0]) + x, abs(v), sorted(v), [a for a in v], round(v[0])

    found = jax.tree.map(lambda a: np.asarray(a).tolist(), f(jnp.float32(1)))
    assert found == (3, 4, 2, 4, [3, 1], [1, 3], [3, 1], 3)


def test_a_rounded_variable_is_an_integer():
    v = al.Variable(2.6)

    assert round(v).dtype == round(v.value).dtype == jnp.int32
    assert round(v) == 3 and np.isclose(round(v, 1), 2.6)


def test_a_range_with_a_variable_for_its_bound():
    n = al.Variable(3)

    @al.convert
    def f(x):
        for i in range(n):
            x = x + i
        return x

    assert int(f(jnp.int32(0))) == 3
    n.assign(4)
    assert int(f(jnp.int32(0))) == 6


def test_text_of_a_variable_in_a_message():
    v = al.Variable(3)

    @al.convert
    def f(x):
        assert x > v, f"{x} is not above {v}"
        return x

    with pytest.raises(AssertionError, match="^1 is not above 3$"):
        f(jnp.int32(1))


def test_a_failed_check_leaves_variables_as_they_were():
    v = al.Variable(0)

    @al.convert
    def f(x):
        v.assign_add(1)
        assert x > 0
        return x

    with pytest.raises(AssertionError):
        f(jnp.int32(-1))
    assert int(v) == 0
    f(jnp.int32(1))
    assert int(v) == 1


def test_an_exception_while_tracing_leaves_variables_as_they_were():
    v = al.Variable(0.0)

    @al.convert
    def f(x):
        v.assign(x)
        raise KeyError("lost")

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    assert float(v) == 0


def test_numpy_and_jax_take_a_variable_for_its_array():
    v: Any = al.Variable([1.0, 2.0])
    assert np.allclose(jnp.sin(v), np.sin([1, 2]))
    assert np.array_equal(np.ones(2) + v, [2, 3])
    assert np.array_equal(v @ jnp.ones((2, 1)), [3])
    assert np.array_equal(2**v, [2, 4])
    assert np.array_equal(v.T, [1, 2])
    assert np.array_equal(v.at[0].set(5), [5, 2])
    assert (v == jnp.asarray([1, 5])).tolist() == [True, False]
    assert (v.shape, v.dtype, v.ndim, v.size, len(v)) == ((2,), np.float32, 1, 2, 2)


def test_a_scalar_is_a_number_to_python():
    v = al.Variable(3)
    assert (int(v), float(v), bool(v), f"{v:03d}", complex(v), [10, 20, 30, 40][v]) == (
        *(3, 3.0, True, "003", 3, 40),
    )


def test_a_variable_has_no_hash_as_it_compares_by_its_items():
    with pytest.raises(TypeError, match="unhashable type: 'Variable'"):
        hash(al.Variable(1))


def test_numbers_and_narrower_types_give_way_to_the_type_of_a_variable():
    v = al.Variable(1.5)
    v.assign(2)
    v.assign(np.int8(3))
    assert v.dtype == np.float32
    assert not v.value.weak_type


def test_a_value_of_another_shape_is_refused():
    v = al.Variable(jnp.zeros(3), name="w")
    with pytest.raises(VariableError) as caught:
        v.assign(jnp.zeros(4))
    assert str(caught.value).splitlines()[0] == "Variable 'w' of float32[3] is given float32[4]."
    assert str(caught.value).splitlines()[3:] == [
        "  A Variable keeps its shape and dtype: programs are compiled for them.",
        "  Fix: bring the value to them, with .reshape, jnp.broadcast_to or .astype.",
    ]


@pytest.mark.parametrize("value", [1.5, jnp.float32(1), "one", np.complex64(1), [1, 2]])
def test_a_value_of_another_type_is_refused(value):
    v = al.Variable(1)
    with pytest.raises(VariableError, match=r"^Variable 'v' of int32\[\] is given "):
        v.assign(value)
    assert int(v) == 1


def test_a_variable_keeps_what_it_was_given_when_that_changes():
    array = np.zeros(1000)
    v = al.Variable(array)
    array[:] = 1
    assert np.asarray(v).max() == 0
    v.assign(np.asarray(array, np.float32))
    array[:] = 5
    assert np.asarray(v).max() == 1


def test_no_two_variables_share_memory():
    a = al.Variable(jnp.ones(3))
    b = al.Variable(a)
    a.assign(b)
    c = al.Variable(jnp.zeros(3)).assign(a.value)
    assert len({v._value.unsafe_buffer_pointer() for v in (a, b, c)}) == 3


def test_what_a_program_gives_for_two_variables_does_not_share_memory():
    a, b = al.Variable(jnp.ones(3)), al.Variable(jnp.ones(3))

    @al.convert
    def f(x):
        a.assign(x)
        b.assign(x)
        return a.value, x

    x = jnp.zeros(3)
    found = [*f(x), x, a._value, b._value]
    assert len({array.unsafe_buffer_pointer() for array in found}) == 5


def test_an_array_that_somebody_holds_is_not_taken_by_a_program():
    v = al.Variable(jnp.ones(3))
    assert v.taken() is v._value
    held = v.value
    assert v.taken() is not held
    assert np.array_equal(v.taken(), held)


def test_the_initial_value_may_be_a_function():
    assert np.array_equal(al.Variable(lambda: jnp.ones(2), dtype=jnp.int8), np.ones(2, np.int8))


def test_a_variable_is_created_on_the_first_call():
    class Scale:
        v = None

        def __call__(self, x):
            if self.v is None:
                self.v = al.Variable(lambda: jnp.full(x.shape, 3.0), name="v")
            self.v.assign_add(x)
            return self.v.value

    scale = Scale()
    f, runs = traces(scale)
    assert np.array_equal(f(jnp.ones(2)), [4, 4])
    assert np.array_equal(f(jnp.ones(2)), [5, 5])
    assert len(runs) == 2
    assert np.array_equal(scale.v, [5, 5])


def test_a_variable_that_each_call_would_create_is_refused_each_time():
    @al.convert
    def f(x):
        v = al.Variable(1.0)
        return v * x

    for _ in range(2):
        with pytest.raises(VariableError) as caught:
            f(jnp.float32(2))
        lines = str(caught.value).splitlines()
        assert lines[0] == "A Variable is created on a call that is not the first."
        assert lines[2:] == [
            "      v = al.Variable(1.0)",
            "  A function creates its Variables on its first call; later calls run the compiled program with them.",
            "  Fix: create it once: if self.v is None: self.v = autograph_lite.Variable(...), or outside of the function.",
        ]


def test_another_signature_may_not_create_either():
    made = []

    @al.convert
    def f(x):
        if not made or x.ndim:
            made.append(al.Variable(1.0))
        return made[0] * x

    assert float(f(jnp.float32(2))) == 2
    with pytest.raises(VariableError, match="created on a call that is not the first"):
        f(jnp.ones(2))
    assert len(made) == 1


def test_an_exception_in_the_first_trace_leaves_nothing_behind():
    made, fail = [], [True]

    @al.convert
    def f(x):
        if not made:
            made.append(al.Variable(1.0))
        if fail[0]:
            {}["first"]
        return made[0] + x

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    assert made == []
    fail[0] = False
    assert float(f(jnp.float32(1))) == 2
    assert len(made) == 1


def test_an_exception_in_the_trace_after_the_creation_undoes_it():
    made, fail = [], [True]

    @al.convert
    def f(x):
        if not made:
            made.append(al.Variable(1.0))
        elif fail[0]:
            {}["second"]
        return made[0] + x

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    assert made == []
    fail[0] = False
    assert float(f(jnp.float32(1))) == 2


def test_an_exception_before_the_creation_does_not_forbid_it():
    made, fail = [], [True]

    @al.convert
    def f(x):
        if fail[0]:
            {}["first"]
        if not made:
            made.append(al.Variable(1.0))
        return made[0] + x

    with pytest.raises(KeyError):
        f(jnp.float32(1))
    fail[0] = False
    assert float(f(jnp.float32(1))) == 2


@pytest.mark.parametrize(
    "initial",
    [
        lambda x: jnp.zeros(x.shape),
        lambda x: jnp.zeros_like(x).at[1].set(5),
        lambda x: jnp.linspace(0, 1, 3) * np.arange(3, dtype="float32"),
        lambda x: jax.random.normal(jax.random.key(0), x.shape),
        lambda x: jnp.split(jnp.arange(6.0), 2)[1],
    ],
    ids=["zeros", "written to", "of NumPy's", "random", "a part"],
)
def test_an_initial_value_that_follows_from_constants_is_computed_at_once(initial):
    held = []

    @al.convert
    def f(x):
        if not held:
            held.append(al.Variable(initial(x)))
        held[0].assign_add(x)
        return held[0].value

    x, total = jnp.float32([1, 2, 3]), initial(jnp.ones(3))
    for _ in range(2):
        total = total + x
        np.testing.assert_allclose(f(x), total, rtol=1e-6)


def test_an_initial_value_that_follows_from_an_argument_or_a_variable_is_refused():
    other = al.Variable(jnp.ones(3))
    for initial in (lambda x: x * 0, lambda x: other.value * 1):
        held = []

        @al.convert
        def f(x, held=held, initial=initial):
            held.append(al.Variable(initial(x)))

        with pytest.raises(al.VariableError, match="The initial value of a Variable is traced"):
            f(jnp.ones(3))


def test_a_traced_initial_value_is_refused():
    made = []

    @al.convert
    def f(x):
        made.append(al.Variable(x, name="w"))

    with pytest.raises(VariableError) as caught:
        f(jnp.ones(3))
    lines = str(caught.value).splitlines()
    assert lines[0] == "The initial value of Variable 'w' is traced: float32[3]."
    assert lines[3:] == [
        "  A Variable is created while the function is traced, when the value is not known.",
        "  Fix: give a function that computes it, which runs at once: Variable(lambda: jnp.zeros(3)).",
    ]
    assert made == []


def test_two_paths_with_different_variables_are_refused():
    a, b = al.Variable(1.0), al.Variable(2.0)

    @al.convert
    def f(x):
        v = a if x > 0 else b
        return v.value

    with pytest.raises(
        BranchMismatchError,
        match=r"Fix: use the values, which are arrays, in place of the Variable objects: v\.value\.",
    ):
        f(jnp.float32(1))


def test_another_thread_sees_no_value_of_a_trace():
    v, seen = al.Variable(1.0), []

    @al.convert
    def f(x):
        v.assign(x)
        thread = threading.Thread(target=lambda: seen.append(float(v)))
        thread.start()
        thread.join()
        return v.value

    assert float(f(jnp.float32(5))) == 5
    assert seen == [1.0]


def test_copies_are_independent():
    v = al.Variable([1.0, 2.0], trainable=False, name="w")
    for other in (copy.copy(v), copy.deepcopy(v), v.clone(), pickle.loads(pickle.dumps(v))):
        other.assign([5.0, 6.0])
        assert np.array_equal(v, [1, 2])
        assert (other.name, other.trainable) == ("w", False)


def test_a_deep_copy_holds_one_variable_once():
    v = al.Variable(1.0)
    a, b = copy.deepcopy([v, v])
    assert a is b
    assert a is not v


def test_a_variable_shows_its_name_type_and_value():
    assert repr(al.Variable([1.0, 2.0, 3.0], name="w")) == (
        "Variable(name='w', shape=(3,), dtype=float32, value=[1. 2. 3.])"
    )


def test_a_variable_among_the_arguments():
    v = al.Variable(1.0)

    @al.convert
    def f(v, x):
        v.assign_add(x)
        return v.value

    assert [float(f(v, jnp.float32(2))) for _ in range(2)] == [3, 5]


def test_a_program_serves_other_variables_by_bindings():
    from autograph_lite.runtime.state.carried_state import State
    from autograph_lite.runtime.state.variable import stand_in

    actual = al.Variable([1.0, 2.0])
    state = State()
    formal = stand_in(actual)
    with pytest.raises(BaseException, match="^$"):
        state.search([formal])
    bindings = {id(formal): actual}
    assert np.array_equal(state.read(bindings).arrays[0], [1, 2])
    state.write([jnp.zeros(2)], bindings)
    assert np.array_equal(actual, [0, 0])


def test_variables_of_one_kind_share_a_trace():
    f = al.convert(lambda v, w: v.assign_add(w * 2).value)
    a, b, c = al.Variable(1.0), al.Variable(2.0), al.Variable(3.0)
    assert [float(f(a, b)), float(f(b, c)), float(f(c, a))] == [5, 8, 13]
    assert (float(a), float(b), float(c), f.trace_count) == (5, 8, 13, 1)
    assert [float(f(a, a)), float(f(b, b))] == [15, 24]
    assert f.trace_count == 2
    f(al.Variable(1.0, trainable=False), b)
    assert f.trace_count == 3


def test_a_read_of_a_variable_survives_the_programs_that_take_its_memory():
    v = al.Variable(jnp.zeros(1000))
    f = al.convert(lambda x: v.assign_add(x) is v)
    held, leaves, array = [], [], []
    for _ in range(3):
        f(jnp.float32(1))
        held.append(v.value)
        leaves += jax.tree.leaves(v)
        array.append(jnp.asarray(v))
    f(jnp.float32(1))
    assert [float(x[0]) for x in (*held, *leaves, *array)] == [1, 2, 3] * 3
    assert float(v[0]) == 4


def test_what_a_program_returns_survives_the_next_calls():
    v = al.Variable(jnp.zeros(1000))

    @al.convert
    def f(x):
        before = v.value
        v.assign_add(x)
        return before, v.value

    found = [f(jnp.float32(1)) for _ in range(3)]
    assert [(float(a[0]), float(b[0])) for a, b in found] == [(0, 1), (1, 2), (2, 3)]


def test_a_variable_in_a_function_of_another_wrapper_needs_one_trace():
    v = al.Variable(2.0)
    inner = jax.jit(lambda x: x * v)
    outer = al.convert(lambda x: inner(x))
    f, runs = traces(lambda x: outer(x) + 1)
    assert float(f(jnp.float32(3))) == 7
    assert len(runs) == 1
