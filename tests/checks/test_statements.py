"""Do `assert` and `raise` under traced conditions raise what Python raises, in program order?

PYTEST_DONT_REWRITE: the messages of the asserts are compared with Python's own.
"""

from __future__ import annotations

import collections

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from .outcomes import assert_like_python, outcome, raised


class HeavyError(Exception):
    def __init__(self, mass, unit="kg"):
        super().__init__(f"too heavy: {mass} {unit}")
        self.mass, self.unit = mass, unit


class SpilledError(HeavyError):
    def __init__(self, mass=1):
        super().__init__(mass, "l")


def f32(*values: float) -> list:
    return [jnp.float32(v) for v in values]


@pytest.mark.parametrize("x", f32(-1, 2))
def test_assert_without_message(x) -> None:
    def f(x):
        assert x < 0
        return x

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_assert_with_text(x) -> None:
    def f(x):
        assert x < 0, "has to be negative"
        return x

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 0.1, 2))
def test_assert_with_traced_values_in_its_message(x) -> None:
    def f(x):
        assert x < 0, f"{x} is not negative, {x + 1:.3f} neither, {{{x:>8}}}"
        return x

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_every_path_raises_with_values_of_its_own(x) -> None:
    def f(x):
        y = x * 3
        if x > 0:
            y = y + 1
            raise HeavyError(y, unit="g")
        else:
            raise ValueError(f"{y - 1} is too light")

    def of_three(x):
        if x > 1:
            raise KeyError(x + 1)
        elif x > 0:
            return x
        else:
            raise HeavyError(x * 2)

    def nested(x):
        total = x * 0
        for k in (1, 2):
            total = total + k
            if x > 0:
                if x > 5:
                    raise ValueError(f"{total} so far")
                else:
                    assert x > 3, f"{total + x} in all"
                    raise HeavyError(total)
            else:
                raise KeyError(total * 2)
        return total

    def in_a_try(x):
        try:
            if x > 0:
                raise HeavyError(x + 2)
            else:
                raise ValueError(x - 2)
        finally:
            x = x + 1

    for fn in (f, of_three, nested, in_a_try):
        assert_like_python(fn, x)


def test_assert_with_a_value_for_a_message() -> None:
    def f(x):
        assert x < 0, (x, "is not negative")
        return x

    assert_like_python(f, jnp.float32(2))


@pytest.mark.parametrize("x", f32(-1, 2))
def test_what_a_message_does_is_done_only_where_the_test_fails(x) -> None:
    def f(x):
        log = []

        def said(x):
            log.append(x)
            return f"{x} is not negative, by {len(log)}"

        assert x < 0, said(x)
        return len(log)

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_a_message_changes_an_object_only_where_the_test_fails(x) -> None:
    class Counter:
        said = 0

        def message(self):
            self.said += 1
            return "again"

    def f(x):
        counter = Counter()
        for _ in range(3):
            assert x < 0, counter.message()
        return counter.said

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_an_item_that_a_message_reads_is_made_only_where_the_test_fails(x) -> None:
    def f(x):
        counts = collections.defaultdict(int)
        for k in range(3):
            assert x < k, counts[k]
            assert x < k, counts["all"]
        return len(counts)

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_a_name_that_a_message_binds_is_bound_only_where_the_test_fails(x) -> None:
    def f(x):
        n = 0
        assert x < 0, (n := n + 1)
        return n

    assert_like_python(f, x)


@pytest.mark.parametrize("n", [1, 3])
def test_a_message_of_a_generator_binds_a_name(n) -> None:
    def countdown(n, a):
        while n > 0:
            n -= 1
            assert n != 1, f"{n}: {(a := a + 1)}"
            yield a

    def f(x):
        return x + sum(countdown(n, 3))

    assert_like_python(f, jnp.float32(2))


def test_a_message_of_a_generator_suspends_it() -> None:
    def asking(n):
        assert n > 1, (yield n)

    def f(x, n):
        answers = asking(n)
        return x + next(answers, 5)

    for n in (1, 2):
        assert autograph_lite.convert(f)(jnp.float32(2), n) == f(2, n)


def test_the_message_is_made_only_where_the_test_fails() -> None:
    made = []

    def f(n):
        assert n < 5, made.append(n)
        return n

    assert autograph_lite.convert(f)(3) == 3
    assert made == []


@pytest.mark.parametrize("x", f32(-1, 2))
def test_raise_with_traced_values_in_its_message(x) -> None:
    def f(x):
        if x > 0:
            raise ValueError(f"{x} > 0")
        return x * 2

    assert_like_python(f, x)


def test_raise_of_a_class() -> None:
    def f(x):
        if x > 0:
            raise KeyError
        return x

    assert_like_python(f, jnp.float32(2))


@pytest.mark.parametrize("x", f32(-1, 2))
@pytest.mark.parametrize("kind", [KeyError, ValueError, RuntimeError, SpilledError])
def test_raise_of_a_class_that_a_call_gives(kind, x) -> None:
    def error_class():
        return kind

    kinds = {2: kind}

    def by_a_function(x):
        if x > 0:
            raise error_class()
        return x

    def by_a_method(x):
        if x > 0:
            raise kinds.get(7, kind)
        return x

    def called(x):
        if x > 0:
            raise kinds.get(2)(x)
        return x

    def chosen(x):
        if x > 0:
            raise (lambda: kind if x > 1 else TypeError)()
        return x

    def none_at_all(x):
        if x > 0:
            raise kinds.get(7)
        return x

    for f in (by_a_function, by_a_method, called, chosen, none_at_all):
        assert_like_python(f, x)


def test_an_exception_with_a_constructor_and_attributes() -> None:
    def f(x):
        if x > 0:
            raise HeavyError(x, unit="g")
        return x

    assert_like_python(f, jnp.float32(2))
    error = raised(HeavyError, autograph_lite.convert(f), jnp.float32(2))
    assert (error.mass, error.unit) == (2, "g")


def test_an_exception_that_was_made_before() -> None:
    def f(x):
        error = HeavyError(x * 2)
        if x > 0:
            raise error
        return x

    assert_like_python(f, jnp.float32(2))


def test_raise_from_a_cause() -> None:
    def f(x):
        if x > 0:
            raise ValueError(f"bad {x}") from KeyError(f"cause {x}")
        return x

    assert_like_python(f, jnp.float32(2))


def test_raise_from_none() -> None:
    def f(x):
        if x > 0:
            raise ValueError("bad") from None
        return x

    assert_like_python(f, jnp.float32(2))


@pytest.mark.parametrize("x", f32(1, 4))
def test_raise_in_both_branches(x) -> None:
    def f(x):
        if x > 3:
            raise ValueError("big")
        else:
            raise TypeError(f"small {x}")

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(1, 4, 6, 8))
def test_the_first_failing_check_wins(x) -> None:
    def f(x):
        assert x < 7, "first"
        if x > 5:
            raise ValueError("second")
        assert x < 3, "third"
        return x

    assert_like_python(f, x)


@pytest.mark.parametrize("x", f32(1, 4))
def test_raise_in_a_callee(x) -> None:
    def positive(x):
        if x > 3:
            raise ValueError(f"{x} in the callee")
        return x

    def f(x):
        y = positive(x)
        assert y > 2, "after the callee"
        return y

    assert_like_python(f, x)


@pytest.mark.parametrize("n", [0, 3, 8])
def test_raise_in_nested_loops(n) -> None:
    def f(n):
        total = 0
        for i in range(n):
            for j in range(i):
                if i * j == 6:
                    raise KeyError(i, j)
                total += i * j
        return total

    assert outcome(autograph_lite.convert(f), jnp.int32(n)) == outcome(f, n)


@pytest.mark.parametrize("n", [0, 5])
def test_raise_leaves_an_endless_loop(n) -> None:
    def f(n):
        k = 0
        while True:
            if k > n:
                raise StopAsyncIteration(f"after {k}")
            k += 1

    assert outcome(autograph_lite.convert(f), jnp.int32(n)) == outcome(f, n)


@pytest.mark.parametrize("n", [0, 5])
def test_an_endless_loop_whose_only_way_out_raises(n) -> None:
    def f(n):
        for i in range(0):
            pass
        k = 0
        while True:
            k += 1
            if k > n:
                return k, i
            try:
                k = k + 0
            finally:
                pass

    assert outcome(autograph_lite.convert(f), jnp.int32(n)) == outcome(f, n)


@pytest.mark.parametrize("x", f32(1, 4))
def test_python_leaves_an_endless_loop_with_checks(x) -> None:
    items = list(range(100))

    def f(x):
        k, passed = 0, []
        while True:
            assert x < 3, f"at {k}"
            passed.append(items[k])
            k += 1
            if k == len(items):
                break
        return sum(passed) + x

    assert_like_python(f, x)


def test_floats_of_an_endless_loop_are_those_of_python() -> None:
    def f(x):
        t, steps = 0.0, 0
        while True:
            assert x < 3
            t, steps = t + 0.1, steps + 1
            if t >= 10.0:
                break
        return steps, t

    assert autograph_lite.convert(f)(jnp.float32(1)) == f(1.0)


@pytest.mark.parametrize("x", f32(1, 30))
def test_assert_in_a_while_loop(x) -> None:
    def f(x):
        steps = 0
        while x < 100:
            x = x * 2
            steps += 1
            assert x < 120, f"{x} after {steps}"
        return x

    assert outcome(autograph_lite.convert(f), x) == outcome(f, x)


def test_assert_in_an_unrolled_loop_names_its_iteration() -> None:
    def f(x):
        for i in range(5):
            assert x + i < 4, f"{x} at {i}"
        return x

    assert_like_python(f, jnp.float32(2))


def test_assert_in_a_loop_over_an_array() -> None:
    def f(xs):
        total = 0.0
        for x in xs:
            assert x > 0, f"{x} after {total}"
            total += x
        return total

    assert_like_python(f, jnp.array([1.0, 2.0, -3.0, 4.0, -5.0]))


def test_raise_under_with_and_finally() -> None:
    log = []

    def f(x):
        try:
            if x > 0:
                raise ValueError(f"{x}")
        finally:
            log.append("left")
        return x

    assert outcome(autograph_lite.convert(f), jnp.float32(2))[:2] == (ValueError, "2.0")
    assert log == ["left"]


def test_an_object_keeps_what_was_written_before_the_raise() -> None:
    class Counter:
        count = 0

    def f(counter, x):
        counter.count = counter.count + x
        if x > 2:
            raise ValueError("enough")
        counter.count = counter.count + 100
        return x

    plain, converted = Counter(), Counter()
    assert (
        outcome(autograph_lite.convert(f), converted, jnp.float32(3))[:2]
        == outcome(f, plain, jnp.float32(3))[:2]
    )
    assert float(converted.count) in (float(plain.count), 0.0)  # Python's, or as if the call had not been
    assert outcome(autograph_lite.convert(f), converted, jnp.float32(1))[0] == "value"


def test_a_check_on_python_values_raises_while_tracing() -> None:
    def f(x, n):
        if n > 3:
            raise ValueError(f"{n}")
        return x

    assert_like_python(f, jnp.float32(2), 4)
    assert_like_python(f, jnp.float32(2), 3)


@pytest.mark.parametrize("x", [-4.0, 4.0])
def test_without_checks_python_still_raises_what_it_decides(x) -> None:
    def f(x, mode="a"):
        assert isinstance(mode, str), "mode"
        if x < 0:
            raise ValueError(f"negative: {x}")
        return x

    run = autograph_lite.convert(f, checks=False)
    assert outcome(run, x) == outcome(f, x)
    assert outcome(run, x, 3) == outcome(f, x, 3)
    assert outcome(run, jnp.float32(x)) == ("value", x)


@pytest.mark.parametrize(("x", "y"), [(0.5, 2), (0.5, 3), (1, 1), (3, 100), (3, 5), (-1, 1), (2, -7)])
def test_what_fails_in_a_finally_takes_the_place_of_what_failed_before(x, y) -> None:
    def f(x, y):
        total = 0.0
        for i in range(3):
            try:
                if x > i:
                    total += x
                else:
                    raise ValueError(i)
            finally:
                total += 1
                assert total < y, f"total {total}"
        return total

    def g(x, y):
        try:
            assert x > 0, f"x {x}"
            try:
                assert x > 1, "second"
            finally:
                x = x + 1
        finally:
            if y > 0:
                raise KeyError(f"y {y}")
            x += 1
        assert y > -5, "after"
        return x

    assert_like_python(f, jnp.float32(x), jnp.float32(y))
    assert_like_python(g, jnp.float32(x), jnp.float32(y))


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return True


def test_a_refusal_is_not_covered_up_by_a_finally() -> None:
    def f(x):
        try:
            with Forgiving():
                if x < 1:
                    raise ValueError("small")
                c = x
        finally:
            print(c)
        return c

    with pytest.raises(autograph_lite.HandledRaiseError):
        autograph_lite.convert(f)(jnp.float32(0))


@pytest.mark.parametrize("x", f32(-1, 2))
def test_every_path_raises_and_one_has_assigned_a_variable(x) -> None:
    def f(x):
        try:
            for y in (1.0, 2.0):
                if y >= x:
                    x = 1.0
                    raise KeyError("first")
                raise KeyError("second")
        except ValueError:
            x -= 1
        return x

    assert_like_python(f, x)


class Gate:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@pytest.mark.parametrize("n", f32(0, 3, 7))
def test_a_with_that_ends_in_a_raise_gives_what_was_returned(n) -> None:
    def f(n):
        with Gate():
            for x in jnp.array([1.0, 5.0, 2.0]):
                if x > n:
                    return x, n
            raise ValueError("none is greater")

    assert_like_python(f, n)


def test_a_manager_that_may_stop_an_exception_is_named_at_its_line() -> None:
    def f(x):
        with Forgiving():
            if x > 0:
                raise ValueError
            return x

    with pytest.raises(autograph_lite.HandledRaiseError) as caught:
        autograph_lite.convert(f)(jnp.float32(1))
    assert "with Forgiving():" in str(caught.value)
    assert "handlers.py" not in str(caught.value)


@pytest.mark.parametrize("x", f32(-1, 2))
def test_what_python_raises_in_a_finally_takes_the_place_of_a_check(x) -> None:
    def f(x):
        try:
            assert x > 0, "a check"
        finally:
            raise RuntimeError("in any case")

    assert_like_python(f, x)


def test_a_condition_that_is_returned_is_not_written_over():
    """XLA for CPUs wrote `a > b` over `p`, when `and` handed on `p` where it is false, beside a callback (jaxlib 0.10, 0.12)."""

    def f(a, b, skipped, p):
        if not skipped:
            if p and a > b:
                a += 1
            else:
                assert b > 1
        return p

    for p in (True, False):
        assert bool(jax.jit(autograph_lite.to_graph(f))(5, 7, False, p)) is p


class Passing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def test_a_try_that_returns_on_every_path_returns_behind_a_return_in_a_loop():
    def handled(a, xs):
        for x in xs:
            return x
        try:
            with Passing():
                a = a + 1
            return a
        except ValueError:
            return -a

    def finished(a, xs):
        for x in xs:
            return x
        try:
            a = a + 1
        finally:
            a = abs(a)
            return a  # noqa: B012

    def chosen(a, xs):
        if a > 3:
            return 0
        try:
            with Passing():
                pass
            return a
        except ValueError:
            return -a

    for f in (handled, chosen, finished):
        for a, xs in ((1, jnp.zeros(0, "int32")), (5, jnp.array([7])), (2, jnp.array([7, 8]))):
            for run in (jax.jit(autograph_lite.to_graph(f)), autograph_lite.to_graph(f)):
                assert int(run(a, xs)) == int(f(a, xs)), f.__name__


def test_a_with_that_returns_behind_a_return_in_a_loop_in_a_try():
    def f(a, x):
        seen = 0
        try:
            i = 0
            while i < 4 and a < 3:
                i += 1
                if x > 2:
                    break
                x += 1
                return i, a, x
            with Passing():
                x = 7
                return -i, a, x
        finally:
            seen += a

    for a, x in ((1, 0), (1, 5), (5, 0)):
        for run in (jax.jit(autograph_lite.to_graph(f)), autograph_lite.to_graph(f)):
            assert tuple(map(int, run(a, x))) == f(a, x)
