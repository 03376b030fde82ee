"""Arrays of NumPy's from outside of the function: what is written to them is there after each call, as in Python."""

from __future__ import annotations

import copy
import functools
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutatedArgumentError, RetraceWarning


class Held:
    """Holds an array, as others do."""

    kept = np.array([1.0, 2.0, 3.0], np.float32)

    def __init__(self) -> None:
        self.w = np.arange(9, dtype=np.float32).reshape(3, 3)
        self.n = 0

    def put(self, v: Any) -> None:
        """Adds to a row."""
        self.w[1] += v


W = np.arange(9, dtype=np.float32).reshape(3, 3)
V = np.array([3.0, 1.0, 2.0], np.float32)
PAIR = [W[0], np.ones(3, np.float32)]
NAMED = {"a": np.zeros(2)}
HELD = Held()
OTHERS = [HELD.w]
TUPLE = (np.zeros(3, np.float32),)
STATE: list[Any] = [W, V, PAIR[1], NAMED["a"], HELD.w, Held.kept, TUPLE[0]]
START = [array.copy() for array in STATE]
XS = [np.full(3, v, np.float32) for v in (2, 1, 4)]


def fresh() -> None:
    """As it was."""
    for array, start in zip(STATE, START, strict=True):
        array[...] = start
    HELD.n = 0


# Python's numbers alone: each call is traced.


def item(x: Any) -> Any:
    y = x + W[0]
    W[0, 0] = 3.0
    W[1, 1] += 1
    return y, x + W[0]


def all_of_it(x: Any) -> Any:
    global W
    W += 1
    NAMED["a"] *= 2
    NAMED["a"][0] += 3.0
    HELD.w -= 2
    return x


def by_functions(x: Any) -> Any:
    np.add(W, 1, out=W)
    np.multiply(V, 2.0, V)
    np.add.at(V, [0, 0, 1], 1.0)
    np.copyto(PAIR[1], 5.0)
    HELD.w.sort()
    W.T[0, 1] += 1.0
    return x * V


def in_loops(x: Any) -> Any:
    for i in range(3):
        W[i, i] += i
    for array in PAIR:
        array[0] += 1.0
    HELD.n += 1
    V[0] = HELD.n
    return x * float(V[0])


def in_functions(x: Any) -> Any:
    def inner() -> None:
        V[0] += 1

    inner()
    halved(W)
    HELD.put(2.0)
    Held.kept[0] += 1
    TUPLE[0][1] += 1
    return x * TUPLE[0][1] if V[0] % 2 == 0 else x


def halved(w: Any) -> None:
    w[0] = w[0] * 0.5


# Traced values: it is as if the arrays were passed.


def traced_items(x: Any) -> Any:
    W[0, 0] = x[0]
    y = W
    y[1] = y[0] + x
    y[2, 0] = 7.0
    W.T[2] = x
    return W[0] * 2


def traced_in_place(x: Any) -> Any:
    w, row, a = HELD.w, W[1], PAIR[0]
    w += x
    row += w[0]
    a -= 1
    a *= x
    return OTHERS[0] + W


def traced_by_functions(x: Any) -> Any:
    np.add(W, x, out=W)
    np.copyto(V, x)
    HELD.w.fill(x[0])
    halved(W)
    scaled(V, x)
    return x


def scaled(v: Any, x: Any) -> None:
    v[:] = v * x


def traced_branches(x: Any) -> Any:
    if x[0] > 1:
        W[0, 0] += 3.0
    else:
        HELD.w[1] = x
    return x + W[0, 0]


def traced_loops(x: Any) -> Any:
    i = 0
    while i < x[0]:
        W[0, 0] += 1.0
        i += 1
    for k in range(3):
        HELD.w[k] = x * k + V
    v = V
    for k in range(int(x[0])):
        v[k % 3] = v[k % 3] + W[0, 0]
    return v * 1


def traced_rows(x: Any) -> Any:
    for row in W:
        row += x
    for k, row in enumerate(HELD.w):
        row[:] = x * k
    return x


PYTHONS = [item, all_of_it, by_functions, in_loops, in_functions]
TRACED = [traced_items, traced_in_place, traced_by_functions, traced_branches, traced_loops]


@pytest.mark.parametrize("function", [*PYTHONS, *TRACED])
def test_each_call_writes(function: Any) -> None:
    fresh()
    wanted = [(copy.deepcopy(function(x.copy())), [s.copy() for s in STATE]) for x in XS]
    fresh()
    converted = autograph_lite.convert(function)
    for x, (result, state) in zip(XS, wanted, strict=True):
        found = converted(jnp.asarray(x))
        jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-5), found, result)
        for array, held in zip(STATE, state, strict=True):
            np.testing.assert_allclose(array, held, rtol=1e-5)
    assert HELD.w is OTHERS[0]
    assert PAIR[0].base is W.base
    if function in TRACED:
        assert converted.trace_count == 1


def test_whoever_is_traced_at_each_call_is_told() -> None:
    fresh()

    def tick(x):
        V[0] += 1
        return x

    converted = autograph_lite.convert(tick)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(6):
            converted(1.0)
    told = str(next(each.message for each in caught if each.category is RetraceWarning))
    assert "It writes to 'V', an array of NumPy's from outside of it, with values that Python knows (" in told
    assert "Fix: pass the array as an argument: what is written to it is in it after the call." in told
    with pytest.raises(autograph_lite.AutographError) as refused:
        converted.get_concrete_function(autograph_lite.ArraySpec((), jnp.float32))
    assert str(refused.value).startswith(
        f"'{tick.__qualname__}' writes to 'V', an array of NumPy's from outside of it, with values that Python knows.".replace(
            tick.__qualname__, "tick"
        )
    )


def test_an_array_that_is_passed_too() -> None:
    def by_python(x):
        y = x * 2
        W[0, 0] = 5.0
        return y

    def argument(x):
        x[0] = 5.0
        return x + W[0]

    def traced(x, v):
        W[0] = v
        return x + v

    for function, arguments in ((by_python, (W[0],)), (argument, (W[1],)), (traced, (W[0], XS[0]))):
        fresh()
        before = W.copy()
        with pytest.raises(MutatedArgumentError):
            autograph_lite.convert(function)(*arguments)
        np.testing.assert_array_equal(W, before)


def test_an_array_in_a_tuple() -> None:
    fresh()

    def f(x):
        row = TUPLE[0]
        row[0] = x[0]
        return x

    with pytest.raises(
        autograph_lite.MutationError, match="which in NumPy is the array of 'TUPLE\\[0\\]', too"
    ):
        autograph_lite.convert(f)(XS[0])
    assert not TUPLE[0].any()


def test_an_array_in_somebody_elses_trace() -> None:
    fresh()

    @autograph_lite.convert
    def f(x):
        w = V
        w += x
        return w

    with pytest.raises(
        MutatedArgumentError, match="gets traced items, and the call is part of somebody else's trace"
    ):
        jax.jit(f)(XS[0])
    np.testing.assert_array_equal(V, START[1])


def window(x: Any, i: Any) -> Any:
    rows = x[i : i + 2]
    rows[0] = 5.0
    rows += 1.0
    return rows


def test_a_window_of_an_argument_is_written() -> None:
    x = np.zeros((4, 2), np.float32)
    y = x.copy()
    np.testing.assert_array_equal(autograph_lite.convert(window)(x, jnp.int32(1)), window(y, 1))
    np.testing.assert_array_equal(x, y)


def test_a_part_of_unknown_length_that_is_changed_in_place() -> None:
    def f(x, n):
        x = x * 2
        x[:n] += 1.0
        head = x[:n]
        head += 1.0
        return x

    with pytest.raises(autograph_lite.MutationError) as refused:
        autograph_lite.convert(f)(XS[0].copy(), jnp.int32(2))
    assert refused.value.what == (
        "A part of an array, x[:n], is changed in place, and only the data knows how long it is."
    )


def test_another_array_in_its_place_is_written():
    """A name may mean another array at the next call: the function is traced again for it."""
    held: dict[str, Any] = {"w": np.zeros(3, np.float32)}
    other = Held()

    def step(x: Any) -> Any:
        held["w"][0] += x
        other.w[1, 1:] *= x
        return held["w"].sum() + other.w[1].sum()

    converted = autograph_lite.convert(step)
    for ours in (False, True):
        held["w"], other.w = np.zeros(3, np.float32), np.arange(9, dtype=np.float32).reshape(3, 3)
        results = []
        for x in (1.0, 2.0):
            results.append(float((converted if ours else step)(np.float32(x))))
            before = held["w"], other.w
            held["w"], other.w = np.ones(3, np.float32), other.w * 2
            results.append(float((converted if ours else step)(np.float32(x))))
            results += [*map(np.copy, (*before, held["w"], other.w))]
        if not ours:
            wanted = results
    for one, another in zip(results, wanted, strict=True):
        np.testing.assert_allclose(one, another)
