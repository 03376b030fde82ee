"""Does an error leave everything as it was: the function usable, the user's objects without tracers?"""

from __future__ import annotations

import gc

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


class Counter:
    def __init__(self):
        self.total = 0
        self.log = []
        self.table = {"n": 1}


def test_the_function_works_after_bad_input() -> None:
    @autograph_lite.convert
    def f(x):
        if x > 0:
            x = x * 2
        return x

    with pytest.raises(autograph_lite.ConditionError):
        f(jnp.ones(3))
    assert f(jnp.float32(3)) == 6
    with pytest.raises(autograph_lite.ConditionError):
        f(jnp.ones(3))
    assert f(jnp.float32(-3)) == -3


def grows(x, n):
    for _ in range(n):
        x = jnp.concatenate([x, x])
    return x


def different_structures(x, is_pair):
    if x > 0:
        y = jnp.ones(3) if is_pair else x
    else:
        y = x
    return y


def consumes(n):
    items = (k for k in [1, 2, 3])
    total = 0
    for _ in range(n):
        total += next(items)
    return total


def yields(n):
    def counted():
        for i in range(n):
            yield i

    return sum(a * b for a, b in zip(counted(), [1, 2, 3], strict=False))


def dict_key_that_is_written(i):
    table = {}
    table[i] = 3
    return sum(table.values())


def index_of_text(i):
    return len("ab"[i:])


def while_condition(x):
    while x > 0:
        x = x - 1
    return x


ONE, THREE = jnp.int32(1), jnp.ones(3)


@pytest.mark.parametrize(
    ("fn", "bad", "good"),
    [
        (grows, (THREE, ONE), (THREE, 1)),
        (different_structures, (ONE, True), (ONE, False)),
        (consumes, (ONE,), (1,)),
        (yields, (ONE,), (1,)),
        (dict_key_that_is_written, (ONE,), (1,)),
        (index_of_text, (ONE,), (1,)),
        (while_condition, (THREE,), (ONE,)),
    ],
)
def test_the_function_works_after_each_kind_of_bad_input(fn, bad, good) -> None:
    f = autograph_lite.convert(fn)
    for _ in range(2):
        with pytest.raises(autograph_lite.AutographError):
            f(*bad)
        assert jnp.array_equal(f(*good), fn(*good))
    assert f.trace_count == 1


def test_convert_works_after_it_was_handed_a_class() -> None:
    with pytest.raises(autograph_lite.NotAFunctionError):
        autograph_lite.convert(Counter)
    assert autograph_lite.convert(lambda x: Counter().total + x)(ONE) == 1


def test_the_function_works_after_a_failed_check() -> None:
    @autograph_lite.convert
    def f(x):
        assert x > 0, f"{x} is not positive"
        return x * 2

    with pytest.raises(AssertionError, match="-1.0 is not positive"):
        f(jnp.float32(-1))
    assert f(jnp.float32(3)) == 6


def test_objects_are_as_before_when_tracing_fails() -> None:
    counter = Counter()

    @autograph_lite.convert
    def f(x):
        counter.total = x
        counter.log.append(x)
        counter.table["n"] = x
        if x > 0:
            counter.log = (x, x)
            counter.new = x
        return x

    with pytest.raises(autograph_lite.MutationError):
        f(jnp.float32(2))
    assert vars(counter) == {"total": 0, "log": [], "table": {"n": 1}}


def test_objects_are_as_before_when_a_loop_fails() -> None:
    counter = Counter()

    def f(x):
        while x < 10:
            counter.total += x
            counter.table["n"] = x
            x = jnp.stack([x, x]).sum() + 1
            if jnp.ones(2) > x:
                pass
        return x

    with pytest.raises(autograph_lite.ConditionError):
        jax.jit(autograph_lite.to_graph(f))(jnp.float32(2))
    assert vars(counter) == {"total": 0, "log": [], "table": {"n": 1}}


def test_objects_are_as_before_when_the_user_raises() -> None:
    counter = Counter()

    @autograph_lite.convert
    def f(x, n):
        counter.total = x
        if x > 0:
            counter.table["n"] = x
        if n > 3:
            raise KeyError(n)
        return x

    with pytest.raises(KeyError):
        f(jnp.float32(2), 5)
    assert vars(counter) == {"total": 0, "log": [], "table": {"n": 1}}


@pytest.mark.parametrize("bad", ["condition", "raise"])
def test_no_tracer_is_left_behind(bad: str) -> None:
    def f(x):
        y = [x]
        if x > 0:
            y[0] = x + 1
        if bad == "raise":
            raise ValueError(f"{x}")
        if jnp.ones(2) * x > 0:
            y[0] = x
        return y[0]

    with jax.checking_leaks(), pytest.raises((autograph_lite.ConditionError, ValueError)):
        autograph_lite.convert(f)(jnp.float32(2))


def tracers() -> int:
    gc.collect()
    return sum(isinstance(found, jax.core.Tracer) for found in gc.get_objects())


def test_no_tracer_is_left_behind_by_checks() -> None:
    before = tracers()

    def f(x):
        for _ in range(3):
            if x > 2:
                raise ValueError(f"{x}")
            x = x + 0.5
        return x

    with jax.checking_leaks():
        assert autograph_lite.convert(f)(jnp.float32(0)) == 1.5
        with pytest.raises(ValueError, match="2.5"):
            autograph_lite.convert(f)(jnp.float32(1.5))
    assert tracers() <= before
