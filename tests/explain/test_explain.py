"""Does `explain` say of each statement what it became, why, and where it stands?"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as ag
from autograph_lite.operators.trace_context import decision_log

XS = jnp.arange(3.0)


def told(found: ag.Decisions) -> list[tuple[str, str, str]]:
    return [(each.source, each.became, each.why) for each in found]


def test_a_loop_over_an_array_is_a_scan():
    def f(xs):
        total = 0.0
        for x in xs:
            total = total + x
        return total

    (found,) = ag.explain(f)(jnp.ones(128))
    line = f.__code__.co_firstlineno + 2
    assert (found.path, found.line, found.column, found.function) == (__file__, line, 8, "f")
    assert (found.statement, found.source) == ("for", "for x in xs:")
    assert (found.became, found.why) == ("scan of 128 steps", "it runs over an array: float32[128]")
    assert (found.trips, found.equations, found.count) == (128, 3, 1)  # convert, scan, add


def test_a_loop_over_a_traced_range_is_a_while_loop():
    def f(n):
        total = 0
        for i in range(n):
            total = total + i
        return total

    (found,) = ag.explain(f)(jnp.int32(3))
    assert (found.became, found.why) == ("while_loop", "the number of iterations is traced: int32[]")
    assert found.trips is None


def test_a_loop_over_python_values_is_unrolled():
    def f(x, names):
        for name in names:
            x = x + len(name)
        return x

    (found,) = ag.explain(f)(XS, ("a", "bc"))
    assert (found.became, found.why, found.trips) == ("unrolled 2 times", "it runs over a tuple", 2)


def test_a_branch_on_a_traced_value_is_a_cond_and_one_on_an_int_stays_python():
    def f(x, n):
        if n:
            x = x + 1
        if x[0] > 0:
            x = jnp.sin(x)
        return x

    assert told(ag.explain(f)(XS, 3)) == [
        ("if n:", "Python", "the condition is an int"),
        ("if x[0] > 0:", "cond", "the condition is traced"),
    ]


def test_an_elif_and_a_ternary_are_statements_of_their_own():
    def f(x, training=False):
        if training:
            y = x
        elif x[0] > 0:
            y = jnp.sin(x)
        else:
            y = x[::-1] if x[1] > 0 else jnp.cos(x)
        return y

    assert told(ag.explain(f)(XS)) == [
        ("if training:", "Python", "the condition is a bool"),
        ("elif x[0] > 0:", "cond", "the condition is traced"),
        ("x[::-1] if x[1] > 0 else jnp.cos(x)", "cond", "the condition is traced"),
    ]


def test_and_and_or_are_told_where_they_are_staged():
    def f(x):
        if x[0] > 0 and x[1] > 0:
            x = jnp.sin(x)
        while x[0] > 1 or x[1] > 1:
            x = x * 0.5
        return x

    assert [(each.statement, each.became) for each in ag.explain(f)(XS)] == [
        ("and", "cond"), ("if", "cond"), ("while", "while_loop"), ("or", "cond"),
    ]  # fmt: skip


def test_a_chain_on_one_integer_is_a_switch_however_it_is_written():
    def f(k, x):
        match k:
            case 0:
                x = x + 1
            case 1 | 2:
                x = x * 2
            case _:
                x = jnp.sin(x)
        if k == 0:
            x = x + 1
        elif k == 1:
            x = x * 2
        elif k == 2:
            x = x * 3
        return x

    why = "the value that is compared is traced"
    assert told(ag.explain(f)(jnp.int32(1), XS)) == [
        ("match k:", "switch of 3 branches", why),
        ("if k == 0:", "switch of 4 branches", why),
    ]
    assert told(ag.explain(f)(1, XS)) == [
        ("match k:", "Python", "the condition is an int"),
        ("if k == 0:", "Python", "the condition is an int"),
    ]


def test_a_match_is_told_of_whatever_its_first_pattern_is():
    def either(k, x):
        match k:
            case 0 | 1:
                x = x + 1
            case 5:
                x = x * 2
            case _ if x > 2:
                x = -x
        return x

    def guarded(k, x):
        match k:
            case 0 | 1 if x > 0:
                x = x + 1
        return x

    k, x = jnp.int32(1), jnp.float32(2)
    assert [(each.statement, each.became) for each in ag.explain(either)(k, x)] == [
        ("match", "switch of 3 branches"), ("match", "cond")
    ]  # fmt: skip
    assert {each.statement for each in ag.explain(guarded)(k, x)} >= {"match"}


def last(xs):
    best = None
    total = 0.0
    for x in xs:
        best = x
        total = total + best if total < 3 else total * best
    return best, total


def test_the_first_iteration_of_a_scan_may_run_before_it():
    found = [(d.statement, d.became, d.trips, d.count) for d in ag.explain(last)(jnp.arange(4.0))]
    assert found == [
        ("for", "scan of 3 steps", 3, 1),
        ("ternary", "Python", None, 1),
        ("ternary", "cond", None, 1),
    ]
    assert ag.explain(last)(jnp.arange(4.0))[0].why == (
        "the first iteration runs before it, and the others have types of their own"
    )
    alone = ag.explain(last)(jnp.arange(1.0))[0]
    assert (alone.became, alone.why) == ("unrolled 1 time", "its first iterations have types of their own")


def test_a_loop_that_may_have_fewer_iterations_than_items_is_a_while_loop():
    def f(xs):
        total = 0.0
        for x in xs:
            ag.set_loop_options(maximum_iterations=2)
            total = total + x if total < 3 else total
        return total

    found = ag.explain(f)(jnp.arange(4.0))
    assert [(d.became, d.trips, d.count) for d in found] == [("while_loop", None, 1), ("select", None, 1)]
    assert found[0].why == "it has 2 iterations at most"


def test_a_range_that_is_to_be_staged_is_told_of_as_such():
    def f(x):
        for i in ag.range(3):
            x = x + i
        return x

    (found,) = ag.explain(f)(jnp.float32(1))
    assert (found.became, found.why) == ("scan of 3 steps", "it runs over a range that is to be staged")


def test_comprehensions_are_loops():
    def f(xs):
        return sum(x for x in xs if x > 0), [x * 2 for x in xs]

    assert told(ag.explain(f)(jnp.ones(20))) == [
        ("(x for x in xs if x > 0)", "scan of 20 steps", "it runs over an array: float32[20]"),
        ("[x * 2 for x in xs]", "scan of 20 steps", "it runs over an array: float32[20]"),
    ]
    assert told(ag.explain(f)(XS))[1] == (
        "[x * 2 for x in xs]",
        "unrolled 3 times",
        "it makes a list of few items",
    )


def test_a_loop_that_is_not_rolled_after_its_first_iteration_either_is_unrolled():
    def f(x):
        for i in range(3):
            x = jnp.concatenate([x, x]) if i < 2 else x
        return x

    found = ag.explain(ag.convert(f, static_loops="stage"))(jnp.ones(2))
    assert [each.became for each in found] == ["unrolled 3 times", "Python"]


def test_executions_of_one_statement_are_counted():
    def f(x, n):
        for i in range(n):
            if i % 2:
                x = x + i
            if x[0] > 0:
                x = jnp.sin(x)
        return x

    assert [(each.became, each.count) for each in ag.explain(f)(XS, 4)] == [
        ("unrolled 4 times", 1), ("Python", 4), ("cond", 4),
    ]  # fmt: skip


def test_a_body_that_is_traced_again_is_told_of_once():
    def f(xs):
        total = 0  # becomes a float
        for x in xs:
            if x > 0:
                total = total + x
        return total

    assert [(each.statement, each.count) for each in ag.explain(f)(XS)] == [("for", 1), ("if", 1)]


def test_statements_in_callees_are_told_of_at_their_own_lines():
    def relu(x):
        return x if x > 0 else 0.0

    def f(x):
        return relu(x) + relu(-x)

    (found,) = ag.explain(f)(jnp.float32(1))
    assert (found.function, found.line) == ("relu", relu.__code__.co_firstlineno + 1)
    assert (found.became, found.count) == ("cond", 2)


def test_a_loop_that_starts_in_python_says_how_far():
    def f(x):
        k = 0
        while k < 2:
            k = k + 1
            if x[0] > 7:
                break
        return k

    python = ag.convert(f, static_loops="python")
    assert ag.explain(python)(XS)[0].became == "unrolled 1 time, then while_loop"


def test_equations_count_what_lies_in_branches():
    def f(x):
        if x > 0:
            x = jnp.sin(jnp.cos(x))
        return x

    (found,) = ag.explain(f)(jnp.float32(1))
    assert found.equations == 4  # convert_element_type, cond, cos, sin


def test_the_table():
    def f(x, n):
        for i in range(n):
            x = x * i
        while x < 10:
            x = x + 1
        return x

    line = f.__code__.co_firstlineno
    place = f"test_explain.py:{line + 1}"
    assert str(ag.explain(f)(jnp.float32(1), 2)).splitlines() == [
        "f: 2 statements of control flow",
        f"  {'where':{len(place)}}  statement           became            why                               equations",
        f"  {place}  for i in range(n):  unrolled 2 times  the bounds of the range are ints          2",
        f"  test_explain.py:{line + 3}  while x < 10:       while_loop        the condition is traced                   3",
    ]


def test_a_function_without_control_flow():
    assert str(ag.explain(lambda x: x + 1)(XS)) == "<lambda>: no statements of control flow"


def test_converted_functions_keep_their_options_and_traces():
    @ag.convert(static_loops="stage")
    def f(x):
        for i in range(100):
            x = x + i
        return x

    assert ag.explain(f)(XS)[0].became == "scan of 100 steps"
    assert f.trace_count == 0


def test_methods_and_types_in_the_place_of_arrays():
    class Model:
        def __init__(self) -> None:
            self.w = jnp.ones(3)

        @ag.convert
        def step(self, x: Any) -> Any:
            if x.sum() > 0:
                self.w = self.w + x
            return self.w

    model = Model()
    assert ag.explain(model.step)(jax.ShapeDtypeStruct((3,), "float32"))[0].became == "cond"
    assert model.w.tolist() == [1, 1, 1]


def test_state_that_is_found_late_is_told_of_once():
    class Box:
        value: Any = None

    boxes = [Box(), Box()]

    def f(x):
        for box in boxes:
            if x.sum() > 0:
                box.value = x
            else:
                box.value = -x
        return x

    assert [(each.statement, each.count) for each in ag.explain(f)(XS)] == [("for", 1), ("if", 2)]


def test_nobody_is_told_of_what_ran_before_and_after():
    f = ag.to_graph(lambda x: x if x > 0 else -x)
    with decision_log.collecting_decisions() as log:
        jax.make_jaxpr(f)(1.0)
    jax.make_jaxpr(f)(1.0)
    assert [each.statement for each in log] == ["ternary"]
    assert decision_log.listeners == 0


def test_an_error_of_the_function_comes_out_and_ends_the_listening():
    def f(x):
        for _ in range(3):
            if x > 0:
                x = jnp.ones(2) @ jnp.ones(3)
        return x

    with pytest.raises(TypeError, match="dot"):
        ag.explain(f)(jnp.float32(1))
    assert decision_log.listeners == 0


def test_lists_are_told_of_at_the_line_that_appends():
    def f(xs, n):
        ys, zs, ws = [], [], []
        for x in xs:
            ys.append(x)
            if x > 0:
                zs.append(x)
        while n > 0:
            ws.append(n)
            n = n - 1
        return sum(ys), sum(zs), sum(ws)

    found = [each for each in told(ag.explain(f)(XS, jnp.int32(3))) if ".append" in each[0]]
    assert found == [
        ("ys.append(x)", "outputs of a scan", "each iteration appends as many items"),
        ("zs.append(x)", "a buffer and a length", "there is room for the 3 items that the loop may make"),
        (
            "ws.append(n)",
            "a buffer and a length",
            "there is room for 65 items at first, as nothing bounds the loop",
        ),
    ]


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def test_what_python_decides_on_alone_is_told_of():
    def f(x, p, names, flag):
        match p:
            case Point(x=0):
                x = x + 1
            case (_, _):
                x = x * 2
            case _:
                x = x + p.y
        named = flag and len(names) > 1
        longest = {name: len(name) for name in names if name}
        shortest = min(len(name) for name in names)
        if flag:
            return x + shortest if named or longest else x
        while True:  # never reached
            x = x and named

    python, combined = "it runs over Python values", "no operand that is traced decides on it"
    assert told(ag.explain(f)(XS, Point(1, 2), ("a", "bc"), flag=True)) == [
        ("match p:", "Python", "Python knows which case it is"),
        ("flag and len(names) > 1", "Python", combined),
        ("{name: len(name) for name in names if name}", "Python", python),
        ("(len(name) for name in names)", "Python", python),
        ("if flag:", "Python", "the condition is a bool"),
        ("x + shortest if named or longest else x", "Python", "the condition is a bool"),
        ("named or longest", "Python", combined),
    ]


def test_cases_that_python_knows():
    def f(x, k):
        match k:
            case "sin" if x.ndim:
                return jnp.sin(x)
            case _:
                return x

    assert told(ag.explain(f)(XS, "sin")) == [("match k:", "Python", "Python knows which case it is")]


def test_a_tracer_of_somebody_elses_stays():
    def tracer(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        ag.explain(lambda x: x + 1)(XS)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_a_function_that_writes_to_an_array_of_numpys_is_traced_as_its_call_is():
    def fill(x, v):
        x[0] = v
        x[1:] += v

    def f(x):
        if x[0] > 1:
            fill(x, x.sum())

    given = np.arange(4.0)
    assert told(ag.explain(f)(given)) == [("if x[0] > 1:", "cond", "the condition is traced")]
    assert given.tolist() == [0, 1, 2, 3]
    with pytest.raises(ag.MutationError):
        ag.explain(f)(jnp.arange(4.0))
