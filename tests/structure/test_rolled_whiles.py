"""Is a `while` that Python's numbers end rolled as a `for` is, with as many iterations as Python makes?"""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import config
from autograph_lite.operators.iteration import python_carries, while_trip_count
from autograph_lite.operators.lane_eval import interpreter

X = np.float32(0.5)
SERIES = jnp.arange(1.0, 31.0)


def equations(jaxpr: Any) -> list[Any]:
    """The equations of a program, and of those in its loops, branches and calls."""
    found = []
    for eqn in jaxpr.eqns:
        found.append(eqn)
        for value in eqn.params.values():
            for inner in value if isinstance(value, tuple) else (value,):
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    found += equations(inner)
    return found


def lengths(function: Callable[..., Any], *args: Any, static_loops: Any = "stage") -> list[Any]:
    """How often each loop of the program runs; None where the program finds out."""
    program = autograph_lite.convert(function, static_loops=static_loops).get_concrete_function(*args).jaxpr
    return [
        eqn.params.get("length")
        for eqn in equations(program.jaxpr)
        if eqn.primitive.name in ("scan", "while")
    ]


def assert_same(ours: Any, python: Any) -> None:
    """Types and structure are the same; numbers of Python's to the last bit, arrays up to rounding."""
    leaves, tree = jax.tree.flatten(ours)
    others, structure = jax.tree.flatten(python)
    assert tree == structure
    for mine, other in zip(leaves, others, strict=True):
        assert type(mine) is type(other), (mine, other)
        if isinstance(other, jax.Array):
            assert jax.typeof(mine) == jax.typeof(other)
            np.testing.assert_allclose(mine, other, rtol=3e-5, atol=1e-6)
        else:
            assert mine == other and str(mine) == str(other)


def keeps_time(x):
    t, dt, steps = 0.0, 0.1, 0
    while t < 3.0:
        x = x + dt * jnp.sin(t) * x
        t += dt
        steps += 1
    return x, t, steps


def doubles(x):
    k = 1
    while k < 1000:
        x = jnp.sin(x) + k
        k *= 2
    return x, k


def halves(x):
    n = 10**6
    while n > 1:
        x = x * 0.5 + n % 2
        n //= 2
    return x, n


def collatz(x):
    n, steps = 27, 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        x = jnp.cos(x) + n % 5
        steps += 1
    return x, n, steps


def searches(x):
    lo, hi = 0, 1000
    while lo < hi:
        mid = (lo + hi) // 2
        if mid * mid < 5000:
            lo = mid + 1
        else:
            hi = mid
        x = x + mid * 0.001
    return x, lo, hi


def euclid(x):
    a, b = 610, 377
    while b:
        a, b = b, a % b
        x = jnp.sin(x) + a
    return x, a, b


def breaks(x):
    k = 0
    while True:
        x = jnp.sin(x) + k
        k += 1
        if k >= 20:
            break
    return x, k


def breaks_early(x):
    k = 0
    while k < 50:
        if k * k > 200:
            break
        x = jnp.sin(x) + k
        k += 1
    return x, k


def continues(x):
    k = 0
    while k < 20:
        k += 1
        if k % 3 == 0:
            continue
        x = jnp.sin(x) + k
    return x, k


def returns(x):
    k = 0
    while k < 30:
        k += 1
        x = jnp.sin(x) + k
        if k == 25:
            return x * 2, k
    return x, k


def has_else(x):
    k = 0
    while k < 20:
        x = jnp.sin(x) + k
        k += 1
    else:
        x = -x
    return x, k


def nested(x):
    i = 0
    while i < 6:
        j = 0
        while j < 5:
            x = jnp.sin(x) + i * j
            j += 1
        i += 1
    return x, i, j


def triangular(x):
    i = 0
    while i < 18:
        j = 0
        while j < i:
            x = jnp.sin(x) + i * j
            j += 1
        i += 1
    return x, i


def in_a_for(x):
    for i in range(17):
        t = 0.0
        while t < 1.0:
            x = jnp.sin(x) + i * t
            t += 0.0625
    return x, i, t


def for_in_it(x):
    k = 0
    while k < 20:
        for i in range(k % 3):
            x = jnp.sin(x) + i
        k += 1
    return x, k


def appends(x):
    k, found = 0, []
    while k < 20:
        x = jnp.sin(x) + k
        found.append(x)
        k += 1
    return found, k


def appends_until_full(x):
    found = [x]
    while len(found) < 20:
        x = jnp.sin(x) + len(found)
        found.append(x)
    return found


def reads_items(x):
    i, total = 0, x
    while i < len(SERIES):
        total = total + SERIES[i] * i
        i += 1
    return total, i


def adapts(x):
    t, h = 0.0, 0.01
    while t < 1.0:
        h = min(h * 1.1, 1.0 - t + 1e-12)
        x = x + h * jnp.cos(x)
        t += h
    return x, t, h


def two_tests(x):
    i, j = 0, 100
    while i < j and i * i < 900:
        x = jnp.sin(x) + (j - i)
        i, j = i + 1, j - 2
    return x, i, j


@dataclasses.dataclass
class Clock:
    now: float
    step: float


def an_object(x):
    clock = Clock(0.0, 0.07)
    while clock.now < 2.0:
        x = jnp.sin(x) + clock.now
        clock.now += clock.step
    return x, clock.now


def a_dict(x):
    state = {"x": x, "k": 0}
    while state["k"] < 20:
        state["x"] = jnp.sin(state["x"]) + state["k"]
        state["k"] += 1
    return state


def first_value_of_another_type(x):
    k, last = 0, None
    while k < 20:
        last = jnp.sin(x) + k
        x = x + last
        k += 1
    return x, last, k


def defined_in_it(x):
    t = 1.0
    while t > 0.01:
        new = jnp.sin(x) * t
        x = x + new
        t *= 0.7
    return x, new, t


def negative(x):
    t = 1.0
    while not t <= -1.0:
        x = jnp.sin(x) * t
        t -= 0.05
    return x, t


ROLLED = {
    keeps_time: 30, doubles: 10, halves: 19, collatz: 111, searches: 10, euclid: 13, breaks: 20, continues: 20,
    has_else: 20, appends: 20, appends_until_full: 19, reads_items: 30, two_tests: 30,
    an_object: 29, a_dict: 20, defined_in_it: 13, negative: 40,
}  # fmt: skip
OTHERS = [
    breaks_early, returns, nested, triangular, in_a_for, for_in_it, adapts, first_value_of_another_type,
]  # fmt: skip


def odd_part(a, n):
    t = 1
    while a != 0:
        while a % 2 == 0:  # endless for 0
            a //= 2
            t = -t
        a, n = n, a
        a %= n
    return t, n


def steps_inside(n):
    done = 0
    while n > 0:
        k = n * n
        while k > 1:
            k //= 2 if k % 2 == 0 else 3
            done += 1
        n -= 1
    return done


@pytest.mark.parametrize(
    ("program", "args"), [(odd_part, (2, 13)), (odd_part, (1001, 9907)), (steps_inside, (40,))]
)
def test_a_loop_inside_is_not_followed_far_beyond_the_last_iteration(program, args, monkeypatch) -> None:
    monkeypatch.setattr(interpreter, "MOST", 20_000)
    taken = []
    spend = interpreter.Run.spend
    monkeypatch.setattr(interpreter.Run, "spend", lambda run, steps: [taken.append(steps), spend(run, steps)])
    assert autograph_lite.convert(program)(*args) == program(*args)
    assert sum(taken) < 10_000


@pytest.mark.parametrize("program", [*ROLLED, *OTHERS])
def test_it_gives_what_python_gives(program):
    python = autograph_lite.convert(program, static_loops="python")(X)
    assert_same(autograph_lite.convert(program, static_loops="stage")(X), python)


@pytest.mark.parametrize("program", ROLLED)
def test_it_is_one_scan_of_pythons_length(program):
    assert lengths(program, X) == [ROLLED[program]]


@pytest.mark.parametrize("program", [keeps_time, searches, breaks_early, nested])
def test_its_gradient_and_its_lanes_are_those_of_pythons(program):
    def derivative(static_loops):
        run = autograph_lite.convert(program, static_loops=static_loops)
        return jax.vmap(jax.grad(lambda x: run(x)[0]))(jnp.arange(3.0))

    np.testing.assert_allclose(derivative("stage"), derivative("python"), rtol=1e-4, atol=1e-6)


def below_a_bound_of_jaxs(x):
    t = 1.0
    while t < jnp.sqrt(9.0):
        x = x + t
        t += 0.1
    return x, t


def as_often_as_jax_says(x):
    k, steps = 0, jnp.ceil(3.0 / 0.1)
    while k < steps:
        x = x + k
        k += 1
    return x, k


@pytest.mark.parametrize(("program", "length"), [(below_a_bound_of_jaxs, 20), (as_often_as_jax_says, 30)])
def test_a_bound_that_jax_computes_of_pythons_numbers_is_known(program, length):
    assert lengths(program, X) == [length]
    assert_same(autograph_lite.convert(program, static_loops="stage")(X), program(jnp.asarray(X)))


def a_million(x):
    t = 0.0
    while t < 100.0:
        x = x + jnp.sin(t) * 1e-6
        t += 1e-4
    return x, t


def test_sums_are_followed_for_a_million_iterations():
    assert lengths(a_million, X) == [1_000_000]


def short(x):
    k = 0
    while k < 4:
        x = jnp.sin(x) + k
        k += 1
    return x


def test_auto_leaves_a_short_one_unrolled():
    assert lengths(short, X, static_loops="auto") == []
    assert lengths(doubles, X, static_loops=("auto", 8)) == [10]


def test_as_many_iterations_as_are_allowed():
    def program(x):
        k = 0
        while k < 1000:
            autograph_lite.set_loop_options(maximum_iterations=30)
            x = jnp.sin(x) + k
            k += 1
        return x, k

    assert lengths(program, X) == [30]
    assert autograph_lite.convert(program, static_loops="stage")(X)[1] == 30


def factorials(x):
    t = 2.0
    while math.gamma(t) < 4.0:
        x = x + t
        t += 0.05
    return x


def close(x):
    t = 0.0
    while t < 2.0:
        x = x + 1 if t > 0.8 else x
        t += 0.1
    return x


def roots(x):
    t = 1.0
    while math.sqrt(t) < 2.0:
        x = x + t
        t += 0.1
    return x


@pytest.mark.parametrize("program", [close, roots])
def test_iterations_are_given_what_a_float32_would_decide_otherwise(program):
    python = autograph_lite.convert(program, static_loops="python")(X)
    assert lengths(program, X)
    assert_same(autograph_lite.convert(program, static_loops="stage")(X), python)


def of_numpys(x):
    t = np.float64(0)
    while t < 2.0:
        x = x + t
        t += 0.25
    return x


def until_it_is_small(x):
    change = 1.0
    while change > 1e-3:
        new = jnp.cos(x)
        change = abs(new - x)
        x = new
    return x


REFUSED = {
    factorials: (
        3,
        "Python needs the value of a number in `while math.gamma(t) < 4.0:`, which another item gives another one",
    ),
    of_numpys: (3, "its condition can't be computed as Python computes it"),
    until_it_is_small: (3, "its condition depends on traced values"),
}


@pytest.mark.parametrize("program", REFUSED)
def test_explain_says_why_it_is_not_rolled(program):
    first = next(iter(autograph_lite.explain(autograph_lite.convert(program, static_loops="stage"))(X)))
    line, why = REFUSED[program]
    where = program.__code__.co_firstlineno + line - 1
    said = f"it can't be rolled: {why} (line {where})"
    assert first.why == (said if program is not until_it_is_small else "the condition is traced")
    python = autograph_lite.convert(program, static_loops="python")(X)
    assert_same(autograph_lite.convert(program, static_loops="stage")(X), python)


def test_explain_says_what_it_has_become():
    (found,) = autograph_lite.explain(autograph_lite.convert(keeps_time, static_loops="stage"))(X)
    assert (found.became, found.why, found.trips) == ("scan of 30 steps", "Python's numbers end it", 30)


def waits(x):
    k = 0
    while k < 30:
        x = jnp.sin(x)
        k += 1
    return x


def test_one_that_numbers_do_not_end_is_pythons(monkeypatch):
    monkeypatch.setattr(while_trip_count, "MOST", 16)
    monkeypatch.setattr(while_trip_count, "FIRST", 8)
    assert lengths(waits, X) == []
    (found,) = autograph_lite.explain(autograph_lite.convert(waits, static_loops="stage"))(X)
    assert found.why.startswith(
        "it can't be rolled: Python's numbers don't end it within 16 iterations (line "
    )


def test_a_long_one_is_warned_of(monkeypatch):
    monkeypatch.setattr(config, "unroll_limit", lambda: 20)
    line = keeps_time.__code__.co_firstlineno + 2
    texts = []
    for static_loops in ("python", "stage"):
        for program in (keeps_time, factorials):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                autograph_lite.convert(program, static_loops=static_loops)(X)
            texts.append([str(each.message) for each in found])
    start = f"The loop at {__file__}:{line} has been unrolled into 25 equations by its first 5 iterations"
    assert texts[0] == [
        f"{start}: its condition is a Python value, so each iteration is traced and compiled. Convert with "
        "static_loops='auto' to roll such loops."
    ]
    assert texts[2] == []
    assert texts[3][0].endswith(
        f"It can't be rolled: {REFUSED[factorials][1]} (line {factorials.__code__.co_firstlineno + 2})."
    )


@pytest.mark.parametrize("option", ["python", "stage", "auto"])
def test_floats_of_python_are_not_rounded_where_jax_computes_the_bound(option: str) -> None:
    def steps(x):
        t, n = 1.0, 0
        while t < jnp.sqrt(9.0):
            x = x + t
            t += 0.1
            n += 1
        return x, t, n

    ours = autograph_lite.convert(steps, static_loops=option)
    assert ours(jnp.float32(0.5)) == steps(np.float32(0.5))


class Reader:
    def __init__(self, data):
        self.data, self.pos = data, 0

    def next(self):
        if self.pos >= len(self.data):
            return -1
        if self.data[self.pos] > 5:
            while self.pos < len(self.data) and self.data[self.pos] > 5:
                self.pos += 1
            return 1
        self.pos += 1
        return 0


def read(data):
    reader, out, n = Reader(data), np.zeros(8), 0
    while True:
        kind = reader.next()
        if kind < 0:
            break
        out[n] = kind + 10
        n += 1
    return out, n


def test_a_condition_that_only_the_first_iteration_knows_is_not_taken_to_hold_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts, foretell = [], python_carries.foretell
    monkeypatch.setattr(
        python_carries, "foretell", lambda *given: counts.append(given[3]) or foretell(*given)
    )
    data = np.array([7, 8, 1, 9], np.uint8)
    ours, python = autograph_lite.convert(read)(data), read(data)
    np.testing.assert_array_equal(ours[0], python[0])
    assert ours[1] == python[1]
    assert sum(counts) < 2000
