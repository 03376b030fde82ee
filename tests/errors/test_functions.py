"""What do errors say about what can't be converted: classes, functions without source, things that can't be called?"""

from __future__ import annotations

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
