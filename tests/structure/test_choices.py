"""Is each statement lowered to what was measured to be best? One test for each row of the table of choices."""

from __future__ import annotations

from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

import autograph_lite as al
from autograph_lite import to_graph
from benchmarks import structure

XS, ONE, FIVE = jnp.arange(6.0), jnp.float32(1), jnp.int32(5)
ROWS = jnp.ones((6, 64))


def primitives(fn: Any, *args: Any) -> Counter[str]:
    return structure.primitives(to_graph(fn), *args)


def loops(fn: Any, *args: Any) -> dict[str, int]:
    found = primitives(fn, *args)
    return {name: found[name] for name in ("scan", "while", "cond") if found[name]}


def equation(fn: Any, name: str, *args: Any) -> Any:
    """The only equation of that primitive at the top of the program."""
    (found,) = (e for e in jax.make_jaxpr(to_graph(fn))(*args).eqns if e.primitive.name == name)
    return found


def test_what_a_loop_only_reads_is_not_carried():
    def fn(x, w, limit):
        while x < limit:
            x = x * w + 1
        return x, w

    loop = equation(fn, "while", ONE, ONE, ONE)
    assert len(loop.outvars) == 1
    assert (loop.params["cond_nconsts"], loop.params["body_nconsts"]) == (1, 1)


def test_what_dies_in_the_body_is_not_carried():
    def fn(xs):
        total = xs[0]
        for x in xs:
            y = x * x
            total = total + y
        return total

    assert len(equation(fn, "scan", XS).outvars) == 1


def test_a_range_with_a_traced_bound_is_a_fori_loop():
    def fn(n, total):
        for i in range(n):
            total = total * 0.5 + i
        return total

    def by_hand(n, total):
        return lax.fori_loop(0, n, lambda i, total: total * 0.5 + i, total)

    ours = structure.instructions(to_graph(fn), FIVE, ONE)
    assert ours == structure.instructions(by_hand, FIVE, ONE)


def test_a_range_with_a_known_bound_is_a_scan_that_is_not_unrolled():
    def fn(total):
        for i in al.range(100):
            total = total * 0.5 + i
        return total

    loop = equation(fn, "scan", ONE)
    assert (loop.params["length"], loop.params["unroll"]) == (100, 1)
    assert loops(jax.grad(to_graph(fn)), ONE).get("while") is None


def test_a_loop_over_an_array_is_a_scan_over_its_rows():
    def fn(xs):
        total = 0.0
        for x in xs:
            total = total * 0.5 + x
        return total

    assert structure.instructions(to_graph(fn), XS) == structure.instructions(
        lambda xs: lax.scan(lambda total, x: (total * 0.5 + x, None), 0.0, xs)[0], XS
    )
    assert primitives(fn, XS)["dynamic_slice"] == 0


def test_the_rest_of_a_body_after_continue_is_a_branch_without_a_flag():
    def fn(row, limit):
        k = 0
        while k < limit:
            k = k + 1
            if row[0] > k:
                continue
            row = jnp.sin(row)
        return row

    loop = equation(fn, "while", ROWS[0], FIVE)
    assert len(loop.outvars) == 2  # k and row
    assert loops(fn, ROWS[0], FIVE) == {"while": 1, "cond": 1}


def test_a_break_is_one_flag_that_the_condition_asks():
    def fn(row, limit):
        k = 0
        while k < limit:
            k = k + 1
            if row[0] > 5:
                break
            row = jnp.sin(row)
        return row

    loop = equation(fn, "while", ROWS[0], FIVE)
    assert [v.aval.str_short() for v in loop.outvars].count("bool[]") == 1
    assert len(loop.outvars) == 3  # k, row and the flag


def test_a_break_from_a_known_number_of_iterations_is_a_scan_whose_rest_is_a_branch():
    def fn(rows, total):
        for row in rows:
            if total[0] > 5:
                break
            total = jnp.sin(total) + row
        return total

    assert loops(fn, ROWS, ROWS[0])["scan"] == 1
    assert primitives(fn, ROWS, ROWS[0])["select_n"] == 0
    backwards = jax.grad(lambda rows: jnp.sum(to_graph(fn)(rows, rows[0])))
    assert structure.primitives(backwards, ROWS)["while"] == 0


def test_an_early_return_is_a_branch_with_the_rest_of_the_function():
    def fn(x):
        if x > 6:
            return jnp.sin(x)
        if x > 5:
            return jnp.cos(x)
        return jnp.tanh(x)

    assert loops(fn, ONE) == {"cond": 2}
    outer = equation(fn, "cond", ONE)
    assert len(outer.outvars) == 1  # the value, and no flag


def test_a_return_in_a_loop_leaves_its_value_to_after_the_loop():
    def fn(xs, limit):
        for x in xs:
            if x > limit:
                return jnp.sin(x)
        return xs[0]

    body = equation(fn, "scan", XS, ONE).params["jaxpr"]
    assert "sin" not in str(body)
    assert primitives(fn, XS, ONE)["sin"] == 1


def test_a_chain_on_one_integer_is_one_switch():
    def fn(k, x):
        if k == 0:
            x = jnp.sin(x)
        elif k == 1:
            x = jnp.cos(x)
        elif k == 2:
            x = jnp.exp(x)
        return x

    assert loops(fn, FIVE, ONE) == {"cond": 1}
    assert len(equation(fn, "cond", FIVE, ONE).params["branches"]) == 4


def test_a_chain_on_a_text_that_a_loop_carries_is_one_switch():
    def fn(xs):
        state, total = "rise", 0.0
        for x in xs:
            if state == "rise":
                total, state = total + jnp.sin(x), "fall" if x > 2 else state
            elif state == "fall":
                total, state = total - jnp.exp(x), "rest" if x > 4 else state
            elif state == "never":
                total = total + jnp.tan(x)
            elif x > 5:
                state = "rise"
        return total

    assert loops(fn, XS) == {"scan": 1, "cond": 1}
    body = equation(fn, "scan", XS).params["jaxpr"]
    (switch,) = [each for each in body.eqns if each.primitive.name == "cond"]
    assert len(switch.params["branches"]) == 3


def test_another_chain_is_branches_in_each_other():
    def fn(x):
        if x > 3:
            x = jnp.sin(x)
        elif x > 2:
            x = jnp.cos(x)
        elif x > 1:
            x = jnp.exp(x)
        return x

    assert loops(fn, ONE) == {"cond": 3}
    assert len(equation(fn, "cond", ONE).params["branches"]) == 2


def test_a_cheap_branch_in_a_loop_is_a_select_on_numbers_and_on_arrays_what_the_platform_does_faster():
    def fn(rows, total):
        for row in rows:
            if total.ravel()[0] > 0.5:
                total = total + row
        return total

    many = jnp.ones((6, 8192))  # below jaxlib 0.11.1 a select is faster up to 4,096 numbers
    assert loops(fn, XS, ONE) == {"scan": 1}
    assert loops(fn, many, many[0]) == {"scan": 1, "cond": 2}  # of which one asks for the platform
    assert primitives(fn, many, many[0])["platform_index"] == 1


def accepted(xs, state):
    for x in xs:
        if x < jnp.exp(state - x):
            state = x
    return state


def accepted_by_the_row(xs, state):
    for x in xs:
        if jnp.exp(x) < state:
            state = x
    return state


def chosen(xs, state):
    for x in xs:
        state = x if jnp.exp(state) < x else x * 2
    return state


def test_a_cheap_branch_whose_condition_is_slow_and_waits_for_the_branch_before_is_one_on_cpus():
    assert loops(accepted, XS, ONE) == {"scan": 1, "cond": 2}  # of which one asks for the platform
    assert primitives(accepted, XS, ONE)["platform_index"] == 1
    assert loops(accepted_by_the_row, XS, ONE) == loops(chosen, XS, ONE) == {"scan": 1}
    for fn in (accepted, accepted_by_the_row, chosen):
        converted, expected = jax.jit(to_graph(fn))(XS, ONE), fn(XS, ONE)
        assert jnp.allclose(converted, expected)
        assert jnp.allclose(jax.jit(jax.grad(to_graph(fn), 1))(XS, ONE), jax.grad(fn, 1)(XS, ONE), atol=1e-6)


def test_a_branch_that_may_fail_or_has_no_finite_derivative_is_no_select():
    def fn(xs, total):
        for x in xs:
            if x > 3:
                total = total / x
        return total

    assert loops(fn, XS, ONE) == {"scan": 1, "cond": 1}


def test_a_loop_over_pythons_range_is_unrolled():
    def fn(x):
        for i in range(6):
            x = jnp.sin(x) * i
        return x

    assert loops(fn, ONE) == {}
    assert primitives(fn, ONE)["sin"] == 6


def test_what_each_iteration_appends_is_an_output_of_the_scan():
    def fn(xs):
        ys = []
        for x in xs:
            ys.append(x * 2)
        return jnp.stack(ys)

    loop = equation(fn, "scan", XS)
    assert [v.aval.shape for v in loop.outvars] == [(6,)]
    assert primitives(fn, XS)["dynamic_update_slice"] == 0


def test_what_some_iterations_append_is_written_to_a_buffer_where_it_is_appended():
    def fn(xs):
        ys = []
        for x in xs:
            if x > 0:
                ys.append(jnp.sin(x))
        return len(ys), sum(ys)

    found = primitives(fn, XS)
    assert (found["scan"], found["cond"], found["dynamic_update_slice"]) == (1, 1, 1)
    body = equation(fn, "scan", XS).params["jaxpr"]
    assert "dynamic_update_slice" not in {e.primitive.name for e in body.eqns}  # in the branch
