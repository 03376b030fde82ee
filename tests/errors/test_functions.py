"""What do errors say about what can't be converted: classes, functions without source, things that can't be called?"""

from __future__ import annotations

import asyncio
import functools
import inspect

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from .messages import message

SIGN: dict[str, object] = {}
exec("def sign(x):\n    return 1 if x > 0 else -1\n", SIGN)
sign = SIGN["sign"]


class Model:
    def apply(self, x):
        return x


def refusal(value: object) -> str:
    with pytest.raises(autograph_lite.AutographError) as caught:
        autograph_lite.convert(value)
    location = caught.value.where[0]
    assert (location.path, location.function, location.text) == (
        __file__,
        "refusal",
        "autograph_lite.convert(value)",
    )
    return f"{type(caught.value).__name__}: {caught.value.what}\n{caught.value.why}\nFix: {caught.value.fix}"


def test_a_class_where_a_function_is_expected() -> None:
    assert refusal(Model) == (
        "NotAFunctionError: 'Model' is a class, and a function is expected.\n"
        "A class makes objects when it is called; what can be compiled are its methods.\n"
        "Fix: convert a method of 'Model', or a function that makes the objects and uses them."
    )


def test_something_that_can_not_be_called() -> None:
    assert refusal(3) == (
        "NotAFunctionError: An int is no function: it can't be called.\n\n"
        "Fix: hand over a function, a bound method or another callable."
    )


@pytest.mark.parametrize(
    "entrance", [autograph_lite.convert, autograph_lite.to_graph, autograph_lite.to_code]
)
def test_every_entrance_refuses_a_class(entrance) -> None:
    with pytest.raises(autograph_lite.NotAFunctionError, match=r"'Model' is a class"):
        entrance(Model)


@pytest.mark.parametrize(
    "entrance", [autograph_lite.convert, autograph_lite.to_graph, autograph_lite.to_code]
)
def test_every_entrance_refuses_a_function_without_source(entrance) -> None:
    with pytest.raises(autograph_lite.SourceNotFoundError, match="No source for 'sign'"):
        entrance(sign)


def test_a_function_without_source_that_decides_on_a_traced_value() -> None:
    def f(x):
        return sign(x)

    assert message(f, jnp.float32(2)) == (
        "PythonOnlyError: 'sign' needs the value of a traced argument, and it was not converted.\n"
        "  test.py:1 in f\n"
        "      return sign(x)\n"
        "  No source for 'sign'.\n"
        "  Python has kept no text for '<string>'.\n"
        "  Fix: define it in a file or a notebook cell, or register its text with `linecache`."
    )


def test_the_same_under_jax_jit() -> None:
    def f(x):
        return sign(x)

    with pytest.raises(
        autograph_lite.PythonOnlyError, match="'sign' needs the value of a traced argument"
    ) as caught:
        jax.jit(autograph_lite.to_graph(f))(jnp.float32(2))
    assert isinstance(caught.value.__cause__, jax.errors.TracerBoolConversionError)


def test_a_function_without_source_works_on_python_values() -> None:
    def f(x, n):
        return x * sign(n)

    assert autograph_lite.convert(f)(jnp.float32(2), -3) == -2


def test_an_error_of_its_own_in_a_function_without_source_is_left_alone() -> None:
    namespace: dict[str, object] = {}
    exec("def fail(x):\n    raise KeyError('mine')\n", namespace)
    fail = namespace["fail"]

    def f(x):
        return fail(x)

    with pytest.raises(KeyError, match="mine"):
        autograph_lite.convert(f)(jnp.float32(2))


def test_jax_names_the_users_function_and_not_ours() -> None:
    def halve(x):
        return x / 2 if float(x) else x

    with pytest.raises(TypeError) as caught:
        autograph_lite.convert(halve)(jnp.ones(3))
    assert "_body" not in str(caught.value)
    assert "/autograph_lite/" not in str(caught.value)


class Scale:
    def __init__(self, rate):
        self.rate = rate

    def apply(self, x, *, power=1):
        return self.rate * x**power


def scaled(x, rate=2, *, power=1):
    return rate * x**power


def with_rate(fn):
    @functools.wraps(fn)
    def run(*args, **kwargs):
        return fn(*args, rate=3, **kwargs)

    return run


@pytest.mark.parametrize("fn", [scaled, Scale(2).apply, with_rate(scaled)], ids=["def", "method", "wrapper"])
@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1, 2, 3, 4), {}), ((1,), {"shift": 2}), ((1,), {"x": 2})],
    ids=["too few", "too many", "unknown", "twice"],
)
def test_wrong_arguments_are_refused_in_pythons_words(fn, args, kwargs) -> None:
    with pytest.raises(TypeError) as wanted:
        fn(*args, **kwargs)
    with pytest.raises(TypeError) as caught:
        autograph_lite.convert(fn)(*args, **kwargs)
    assert str(caught.value) == str(wanted.value)
    assert caught.value.__context__ is None


def test_a_wrapper_may_hand_over_arguments_of_its_own() -> None:
    def doubled(fn):
        @functools.wraps(fn)
        def run(*args):
            return fn(2, *args)

        return run

    @autograph_lite.convert
    @doubled
    def product(a, b):
        return a * b if b > 0 else b

    assert product(jnp.float32(4)) == 8


def test_functions_that_suspend_are_known_for_what_they_are() -> None:
    async def coroutine(x):
        return x

    def generator(x):
        yield x

    async def stream(x):
        yield x

    assert inspect.iscoroutinefunction(autograph_lite.convert(coroutine))
    assert inspect.isgeneratorfunction(autograph_lite.convert(generator))
    assert inspect.isasyncgenfunction(autograph_lite.convert(stream))
    assert not inspect.iscoroutinefunction(autograph_lite.convert(scaled))


def test_functions_that_suspend_work_on_arrays() -> None:
    async def coroutine(x):
        return x + 1 if x > 0 else x

    def generator(x):
        if x > 0:
            yield x
        yield x + 1

    assert asyncio.run(autograph_lite.convert(coroutine)(jnp.float32(1))) == 2
    assert list(autograph_lite.convert(generator)(jnp.float32(1))) == [1, 2]
