"""Does the self-check find what differs, name the statement, and leave all as after one call?"""

from __future__ import annotations

import datetime
import pathlib
import random
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import VerificationError, convert, operators
from autograph_lite.runtime.verifying import first_call, first_difference, recording

from . import model

PATH = str(pathlib.Path(model.__file__))


def differences(report: autograph_lite.Verification) -> list[str]:
    return [str(difference) for difference in report.differences]


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (model.last_digit, [jnp.int32(5)]),
        (model.clipped, [jnp.float32(3), 2.0]),
        (model.clipped, [jnp.float32(3), 20.0]),
        (model.mean, [np.linspace(0, 1, 7)]),
        (model.mean, [jnp.ones((3, 2), jnp.bfloat16)]),
        (model.announced, [jnp.float32(1)]),
        (lambda key: jax.random.split(key), [jax.random.key(1)]),
        (lambda x: (x / 0, -x / 0, x * 0 / 0), [jnp.float32(1)]),
    ],
)
def test_a_program_that_does_what_python_does_is_ok(fn, args) -> None:
    report = convert(fn).verify(*args)
    assert report.ok
    assert report
    assert (report.differences, report.first, report.notes) == ((), None, ())


@pytest.mark.parametrize(
    ("fn", "asked"),
    [
        (lambda x: x * random.random(), "random"),
        (lambda x: x * np.random.rand() + random.uniform(1, 2) + random.random(), "numpy.random, random"),
        (lambda x: x + time.time() + time.time(), "time.time"),
        (lambda x: x + datetime.datetime.now().year, "datetime.now"),
    ],
)
def test_a_note_tells_of_clocks_and_random_numbers_that_the_trace_has_kept(fn, asked) -> None:
    converted = convert(fn)
    told = (
        f"While it was traced, the function asked {asked}: all calls of the program get the same answer, and each call of "
        "Python another."
    )
    assert [*converted.verify(jnp.float32(1)).notes] == [told]


def test_random_numbers_that_the_program_draws_at_each_call_are_nothing_to_note() -> None:
    draw = lambda: np.float32(np.random.rand())

    @convert
    def f(x):
        return x + autograph_lite.py_function(draw, (), jax.ShapeDtypeStruct((), "float32"))

    assert f.verify(jnp.float32(1)).notes == ()


def test_a_report_names_the_first_statement_whose_variable_differs() -> None:
    report = convert(model.last_digit).verify(jnp.int32(20))
    assert not report
    assert (
        str(report)
        == f"""\
last_digit(n: int32[]): the compiled program does not do what Python does.
  result: Python 7.0, converted 6.0
  the first statement after which a variable differs:
    {PATH}:12 in last_digit
        result = base % 10
        result: Python 7.0, converted 6. float32[]"""
    )


def test_the_statement_may_be_in_a_function_that_is_called() -> None:
    report = convert(model.grown).verify(jnp.int32(20))
    assert report.first is not None
    assert str(report.first.where) == f"  {PATH}:12 in last_digit\n      result = base % 10"


def test_the_statement_may_be_in_a_method_that_calls_another() -> None:
    counter = model.Counter()
    report = convert(counter.scaled).verify(jnp.int32(20))
    assert report.first is not None
    assert report.first.where.function == "last_digit"


def test_a_wrong_branch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    right = operators.if_stmt

    def wrong(condition, *rest, **options):
        return right(jnp.logical_not(condition), *rest, **options)

    monkeypatch.setattr(operators, "if_stmt", wrong)
    report = convert(model.clipped).verify(jnp.float32(3), 2.0)
    assert report.first is not None
    assert (
        str(report.first)
        == f"""\
the compiled program runs this line, and Python runs model.py:19:
  {PATH}:21 in clipped
      y = y + 1"""
    )
    assert differences(report) == ["result['y']: Python 1.0, converted 7. float32[]"]


def test_a_wrong_value_is_named_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "for_stmt", _skipping(operators.for_stmt))
    report = convert(model.mean).verify(jnp.array([1.0, 2.0, 4.0]))
    assert differences(report) == ["result: Python 2.3333333 float32[], converted 2. float32[]"]
    assert report.first is not None
    assert report.first.where.line == 70
    assert [str(found) for found in report.first.differences] == [
        "x: Python 1. float32[], converted 2. float32[]"
    ]


def _skipping(right):
    def wrong(iterable, *rest, **options):
        return right(iterable[1:], *rest, **options)

    return wrong


def test_another_structure_differs() -> None:
    report = convert(lambda x: [x] if isinstance(x, jax.core.Tracer) else (x,)).verify(jnp.float32(1))
    assert differences(report) == ["result: Python tuple of 1, converted list of 1"]


def test_another_dtype_differs() -> None:
    def f(x):
        return x.astype(jnp.int32 if isinstance(x, jax.core.Tracer) else jnp.float32)

    assert differences(convert(f).verify(jnp.float32(1))) == [
        "result: Python 1. float32[], converted 1 int32[]"
    ]


def test_another_text_differs() -> None:
    def f(x):
        autograph_lite.print("traced" if isinstance(x, jax.core.Tracer) else "known")

    (found,) = convert(f).verify(jnp.float32(1)).differences
    assert (found.place, found.python, found.converted) == ("printed text", r"'known\n'", r"'traced\n'")


def test_a_print_of_pythons_is_told_of_and_is_no_difference() -> None:
    report = convert(model.told).verify(jnp.float32(1))
    assert report.ok
    assert report.notes == (
        "model.py:59: `print` shows its text at each call in Python, and only while the program is traced; "
        "autograph_lite.print does at each call.",
    )


def test_another_exception_differs() -> None:
    def f(x):
        if isinstance(x, jax.core.Tracer):
            raise ValueError("traced")
        raise KeyError("known")

    assert differences(convert(f).verify(jnp.float32(1))) == [
        "exception: Python KeyError: 'known', converted ValueError: traced"
    ]


def test_another_message_differs() -> None:
    def f(x):
        raise ValueError("traced" if isinstance(x, jax.core.Tracer) else "known")

    assert differences(convert(f).verify(jnp.float32(1))) == [
        "exception: Python ValueError: known, converted ValueError: traced"
    ]


def test_an_exception_of_the_users_is_no_difference_and_leaves_the_state() -> None:
    counter = model.Counter()
    report = convert(counter.add).verify(jnp.float32(-1))
    assert report.ok
    assert float(counter.total.value) == 0


def test_a_refusal_differs() -> None:
    def f(x):
        if x > 0:
            y = x
        return y

    (found,) = convert(f).verify(jnp.float32(1)).differences
    assert (found.place, found.python) == ("exception", "none")
    assert found.converted.startswith("UndefinedVariableError: 'y' may be used")


def test_of_a_refusal_nothing_else_is_told() -> None:
    counts = [0]

    def f(x):
        counts[0] = counts[0] + 1
        if x > 0:
            y = x
        return y

    report = convert(f).verify(jnp.float32(1))
    assert [difference.place for difference in report.differences] == ["exception"]
    assert (report.first, report.notes) == (None, ())
    assert counts == [0]


def test_all_is_as_after_one_call() -> None:
    verified, called = model.Counter(), model.Counter()
    for x in (1.0, 2.0):
        assert convert(verified.add).verify(jnp.float32(x)).ok
        convert(called.add)(jnp.float32(x))
    for counter in (verified, called):
        assert float(counter.count) == 3
        assert [*map(float, counter.seen)] == [1, 2]
        assert float(counter.total.value) == 3


def test_all_is_as_after_one_call_where_something_differs() -> None:
    counts: list[int] = []
    total = autograph_lite.Variable(0)

    @convert
    def f(n):
        counts.append(1)
        total.assign_add(n)
        return model.last_digit(n)

    assert not f.verify(jnp.int32(20)).ok
    assert counts == [1]
    assert int(total.value) == 20


def test_variables_of_the_functions_around_are_put_back() -> None:
    calls = 0

    @convert
    def f(x):
        nonlocal calls
        calls = calls + x
        return calls

    assert f.verify(jnp.int32(2)).ok
    assert f.verify(jnp.int32(3)).ok
    assert int(calls) == 5


def test_random_numbers_are_drawn_as_by_one_call() -> None:
    rng = np.random.default_rng(0)

    @convert
    def f(x):
        return x + rng.integers(100)

    assert f.verify(jnp.int32(1)).ok
    drawn = np.random.default_rng(0).integers(100, size=2)
    assert int(f(jnp.int32(0))) == drawn[0]  # while it was traced
    assert rng.integers(100) == drawn[1]


def test_what_a_call_changes_is_compared() -> None:
    log: list[str] = []

    @convert
    def f(x):
        log.append("called")
        return x

    assert f.verify(jnp.float32(1)).ok
    report = f.verify(jnp.float32(1))
    assert differences(report) == ["log[1]: Python called, converted nothing"]
    assert log == ["called"]
    assert report.notes[0].startswith("Traced again, each statement does what it does in Python.")


def test_what_was_bound_anew_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "RATE", 2.0, raising=False)
    exec(compile("def scaled(x):\n    return x * RATE\n", PATH, "exec"), vars(model))
    function = convert(lambda x: x * model.RATE)
    function(jnp.float32(1))
    monkeypatch.setattr(model, "RATE", 3.0)
    assert function.verify(jnp.float32(1)).ok
    assert float(function(jnp.float32(1))) == 3


def test_items_of_arrays_may_be_assigned() -> None:
    report = convert(model.put).verify(np.arange(3.0))
    assert report.ok
    assert report.notes == (
        "Python ran with `x[i] = v` meaning `x = x.at[i].set(v)`: arrays of JAX's don't change.",
    )


def test_the_statement_is_found_where_the_conversion_adds_to_python() -> None:
    def f(x):
        x[0] = 1.0
        y = x + (1 if isinstance(x, jax.core.Tracer) else 2)
        return y

    report = convert(f).verify(np.zeros(1))
    assert report.first is not None
    assert report.first.where.text.startswith("y = x + (1 if")


def test_tolerances_are_those_that_are_given() -> None:
    def f(x):
        return x * (1.001 if isinstance(x, jax.core.Tracer) else 1.0)

    x = jnp.array([1.0, 1000.0])
    assert not autograph_lite.verify(f)(x).ok
    assert autograph_lite.verify(f, rtol=1e-2)(x).ok
    assert not autograph_lite.verify(f, rtol=0, atol=0.1)(x).ok
    assert autograph_lite.verify(f, rtol=0, atol=2)(x).ok
    for tolerance in (-1, float("nan"), "x"):
        with pytest.raises(ValueError, match="rtol is .*; it may be a number from 0 on"):
            autograph_lite.verify(f, rtol=tolerance)


def test_a_traced_argument_and_an_iterator_are_refused() -> None:
    function = convert(model.mean)
    with pytest.raises(TypeError, match="verify: an argument is traced"):
        jax.vmap(lambda x: function.verify(x).ok)(jnp.ones((2, 3)))
    with pytest.raises(TypeError, match="verify: an argument is an iterator"):
        function.verify(iter([jnp.float32(1)]))
    with pytest.raises(TypeError, match=r"mean\(\) missing 1 required positional argument: 'xs'"):
        function.verify()


def test_methods_and_input_signatures() -> None:
    class Model:
        @convert(input_signature=[autograph_lite.ArraySpec([None], jnp.float32)])
        def mean(self, xs):
            return model.mean(xs)

    assert Model().mean.verify(np.arange(3.0)).ok
    assert autograph_lite.verify(Model().mean)([1.0, 2.0]).ok


def test_converted_functions_that_are_called_run_in_python_too() -> None:
    inner = convert(lambda x: x + (1 if isinstance(x, jax.core.Tracer) else 2))

    def f(x):
        return inner(x)

    assert differences(convert(f).verify(jnp.int32(1))) == ["result: Python 3 int32[], converted 2 int32[]"]
    assert not autograph_lite.functions_run_eagerly()


@pytest.mark.parametrize("option", ["first_call", ("first_call", 1e-3)])
def test_the_first_call_of_each_trace_is_compared(monkeypatch: pytest.MonkeyPatch, option) -> None:
    compared: list[object] = []
    run = first_call.run_verified
    monkeypatch.setattr(
        first_call, "run_verified", lambda f, *call: (compared.append(call), run(f, *call))[1]
    )
    function = convert(model.mean, verify=option)

    for shape in ((2,), (2,), (3,), (3,), (2,)):
        assert float(function(jnp.ones(shape))) == 1

    assert function.trace_count == len(compared) == 2


def test_a_first_call_that_differs_raises() -> None:
    function = convert(model.last_digit, verify="first_call")
    assert int(function(jnp.int32(5))) == 9
    with pytest.raises(VerificationError) as caught:
        convert(model.last_digit, verify="first_call")(jnp.int32(20))
    assert (
        str(caught.value)
        == f"""\
The compiled program of last_digit(n: int32[]) does not do what Python does.
  {PATH}:12 in last_digit
      result = base % 10
  result: Python 7.0, converted 6.0
  the first statement after which a variable differs:
    result: Python 7.0, converted 6. float32[]
  Fix: give the variable a dtype that holds its values, and keep what is not computed out of the function; \
if nothing of that is it, report it with this message."""
    )


def test_a_first_call_raises_what_the_user_raises_and_what_is_refused() -> None:
    counter = model.Counter()
    with pytest.raises(ValueError, match="-1.0 is negative"):
        convert(counter.add, verify="first_call")(jnp.float32(-1))

    def f(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(autograph_lite.UndefinedVariableError):
        convert(f, verify="first_call")(jnp.float32(1))


def test_a_first_call_inside_of_a_transformation_is_not_compared() -> None:
    function = convert(model.mean, verify="first_call")
    assert jax.vmap(function)(jnp.ones((2, 3))).tolist() == [1, 1]
    assert jax.grad(function)(jnp.ones(4)).tolist() == [0.25] * 4


def test_the_option_is_one_of_few() -> None:
    with pytest.raises(ValueError, match='verify is True; it may be None, "first_call" or'):
        convert(model.mean, verify=True)


def test_many_statements_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (recording, first_difference):
        monkeypatch.setattr(module, "EVENTS", 200)

    @convert
    def f(n):
        x = 0
        for i in range(n):
            x = (x + i) % 7
        return x if isinstance(n, jax.core.Tracer) else -1

    report = f.verify(jnp.int32(150))
    assert not report.ok
    assert report.notes == (
        "The first statement that differs can't be told: the first 200 statements that run are the same.",
    )
