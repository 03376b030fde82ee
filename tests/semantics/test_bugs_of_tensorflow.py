"""Which mistakes of TensorFlow's do we not make? One test for each that was measured; other tests have more of each kind.

Numbers 3 to 5, 14 and 18 are rows of the table: R3 to R5 and R149, R97 and R97b, R65 and R79, R86 and R99 to R101, R106.
Number 16 is `test_equal_code_in_another_file_has_a_detector_of_its_own` in tests/runtime/test_retracing.py.
"""

from __future__ import annotations

import sys
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .probe import C, Probe, shaped


def _guards(count: int) -> Any:
    """A function of `count` statements `if`, from a file of its own."""
    import linecache

    lines = ["def f(x):"]
    for n in range(count):
        lines += [f"    if x > {n}:", f"        x = x + {n}", "    else:", f"        x = x - {n}"]
    text = "\n".join([*lines, "    return x", ""])
    name = f"guards_{count}.py"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def _steps(count: int) -> int:
    """How many functions of Python's does a conversion call? The same on every machine, as seconds are not."""
    fn, called = _guards(count), 0

    def look(frame: Any, event: str, arg: Any) -> None:
        nonlocal called
        called += event == "call"

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        autograph_lite.to_graph(fn)
    finally:
        sys.setprofile(before)
    return called


def test_1_conversion_takes_time_in_proportion_to_the_number_of_branches() -> None:
    _steps(2)  # imports
    few, many = _steps(10), _steps(40)

    assert few < many < 8 * few  # twice as many for each branch would be 2**30 times


def test_2_a_return_inside_a_loop() -> None:
    def first(n):
        for i in range(n):
            if i == 5:
                return i
        return -1

    f = Probe(first)

    assert [(f(C(n)), f.value) for n in (9, 3, 0)] == [("1/0", 5), ("1/0", -1), ("1/0", -1)]


def test_6_a_conditional_expression_in_another() -> None:
    f = Probe(lambda x: 1 if x > 3 else (2 if x > 1 else 3))

    assert [(f(C(n)), f.value) for n in (4, 2, 0)] == [("1/0", 1), ("1/0", 2), ("1/0", 3)]


def test_7_the_middle_of_a_chained_comparison_is_evaluated_once() -> None:
    calls = []

    def middle(x):
        calls.append(1)
        return x

    f = Probe(lambda x: 0 < middle(x) < 10)

    assert [(f(C(n)), f.value) for n in (5, 10, 0)] == [("1/0", True), ("1/0", False), ("1/0", False)]
    assert len(calls) == 1


def test_8_an_append_that_is_not_reached_and_a_pop_in_a_loop() -> None:
    def appended(x):
        items = []
        if x > 0:
            items.append(x)
        return items

    def popped(n):
        items, total = [1, 2, 3], 0
        while n > 0:
            total = total + items.pop()
            n = n - 1
        return total

    f, g = Probe(appended), Probe(popped)

    assert [(f(C(n)), f.value) for n in (1, -1)] == [("1/0", [1]), ("1/0", [])]
    assert (g(C(2)), g.value) == ("1/0", 5)


def test_9_a_lambda_sees_the_variable_as_the_loop_left_it() -> None:
    def count(n):
        total = 0
        now = lambda: total  # noqa: E731
        for _ in range(n):
            total = total + 1
        return now()

    f = Probe(count)

    assert (f(C(2)), f.value) == ("1/0", 2)


def test_10_an_exception_that_is_raised_under_a_condition_is_caught_where_it_is_raised() -> None:
    def guarded(x):
        try:
            if x < 0:
                raise ValueError("negative")
            x = x * 2
        except ValueError:
            x = C(9)
        return x

    f = Probe(guarded)

    assert [(f(C(n)), f.value) for n in (3, -3)] == [("1/0", 6), ("1/0", 9)]


def test_11_a_loop_of_no_iterations_and_a_step_of_zero() -> None:
    def last(n):
        for i in range(n):
            pass
        return i

    f, g = Probe(last), Probe(lambda n: [i for i in range(0, 3, n)])

    assert f(C(0)) == "1/0 UndefinedVariableError: 'i' was not assigned: the loop must run at least once."
    assert (f(C(3)), f.value) == (f.counts, 2)
    assert "ValueError: range() arg 3 must not be zero" in g(0)


def test_12_assert_print_and_lists_are_converted(capfd: pytest.CaptureFixture[str]) -> None:
    def checked(x):
        items = []
        assert x > 0, "positive"
        autograph_lite.print("x is", x)
        items.append(x)
        return items

    f = Probe(checked)

    assert (f(C(1)), f.value) == ("1/0", [1])
    assert f(C(-1)) == "1/0 AssertionError: positive"
    assert capfd.readouterr().out.startswith("x is 1\n")


def test_13_a_list_that_grows_in_a_loop() -> None:
    def squares(n):
        items = []
        for i in autograph_lite.range(5):
            if i >= n:
                break
            items.append(i * i)
        return items

    def unbounded(n):
        items = []
        for i in range(n):
            items.append(i * i)
        return items

    f, g = Probe(squares), Probe(unbounded)

    assert [(f(C(n)), f.value) for n in (3, 0)] == [("1/0", [0, 1, 4]), ("1/0", [])]
    assert [(g(C(n)), g.value) for n in (3, 0)] == [("1/0", [0, 1, 4]), ("1/0", [])]


def test_15_statements_of_newer_pythons_are_converted() -> None:
    class Weights:
        def __init__(self) -> None:
            self.__w = 2

        @autograph_lite.convert
        def scaled(self, x, kind="double"):
            match kind:
                case "double":
                    factor: int = 2
                case _:
                    factor = 1
            for i in range(x):
                if i > 10:
                    break
            else:
                factor = factor + 1
            a = b = (c := x * factor)
            if x > 0:
                d: Any = a + b + c + self.__w
            else:
                d = x
            return d

    f = Probe(Weights().scaled)

    assert [(f(C(n)), f.value) for n in (1, 0, 20)] == [("1/0", 11), ("1/0", 0), ("1/0", 122)]


def test_17_exceptions_keep_their_types() -> None:
    class Custom(ValueError):
        def __init__(self, code: int, text: str) -> None:
            super().__init__(text)
            self.code = code

    def failing(kind):
        raise {
            "index": IndexError("index"),
            "zero": ZeroDivisionError("zero"),
            "overflow": OverflowError("overflow"),
            "custom": Custom(3, "custom"),
        }[kind]

    f = Probe(failing)

    assert f("index") == "0/0 IndexError: index"
    assert f("zero") == "0/0 ZeroDivisionError: zero"
    assert f("overflow") == "0/0 OverflowError: overflow"
    assert f("custom") == "0/0 Custom: custom"
    with pytest.raises(Custom) as caught:
        f.function("custom")
    assert caught.value.code == 3


def test_19_a_check_fails_in_a_compiled_program_too() -> None:
    def checked(x):
        assert jnp.all(x > 0), "positive"
        return x

    f = Probe(checked)

    assert (f(shaped(2)), f.value.tolist()) == ("1/0", [1, 1])
    assert f(-shaped(2)) == "1/0 AssertionError: positive"
    np.testing.assert_array_equal(f.function(shaped(2)), [1, 1])
