"""Is text of a traced value completed where a message is made of it, and refused where Python would look at it?"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import PythonOnlyError


def message(x, n):
    raise ValueError(
        f"f-string {x:.2f} {n!r}, "
        + "percent %s %6.2f|%-4d|%04d|%5s %%, " % (n, x, n, n, n)
        + "format {} {:>5}, ".format(x, n)
        + "-".join(["joined", str(n), format(x, ".1f")])
    )


@pytest.mark.parametrize(("x", "n"), [(3.0, 4), (-0.5, -17)])
def test_every_way_to_make_a_message(x: float, n: int) -> None:
    def staged(x, n):
        if n < 100:
            message(x, n)
        return x

    with pytest.raises(ValueError) as plain:
        message(np.float32(x), n)
    with pytest.raises(ValueError) as ours:
        autograph_lite.convert(staged)(jnp.float32(x), jnp.asarray(n, jnp.int32, copy=True))
    assert str(ours.value) == str(plain.value).replace(f"{n!r}, percent", f"{jnp.int32(n)!r}, percent")


def compared(n):
    return 1 if str(n) == "3" else 2


def looked_for(n):
    return 1 if "a" + f"{n}" in ("a3", "a4") else 2


def a_key(n):
    return {f"key {n}": 1}


def a_result(n):
    return n, f"{n}"


def part_of_a_result(n):
    return {"text": ["%d" % n]}


@pytest.mark.parametrize("function", [compared, looked_for, a_key, a_result, part_of_a_result])
def test_text_that_python_would_look_at_is_refused(function) -> None:
    run = autograph_lite.convert(function)
    with pytest.raises(PythonOnlyError, match="with the value of a traced array in it") as caught:
        run(jnp.int32(3))
    assert f"in {function.__name__}" in str(caught.value)
    assert run(3) == function(3)


def test_text_of_known_values_is_text() -> None:
    array = np.arange(3)

    def f(x):
        return (
            x,
            f"{array} {3:03d} {'a'!r}",
            str(array),
            "%s" % array,
            "{0} {k}".format(1, k=2),
            " ".join("ab"),
        )

    assert autograph_lite.convert(f)(jnp.float32(1))[1:] == f(1)[1:]


def test_a_message_with_named_fields_is_refused() -> None:
    def f(x):
        if x > 0:
            raise ValueError("{value}".format(value=x))
        return x

    with pytest.raises(PythonOnlyError, match="write it as an f-string"):
        autograph_lite.convert(f)(jnp.float32(1))


def test_fields_in_a_specification() -> None:
    def f(x, width=7):
        if width > 3:
            text = (
                f"{3.14159:{width}.{width - 4}f}|{'a' + f'{width:0{width}d}'!s:>{width + 3}}|{width:{'+'}d}"
            )
        return x, text

    assert autograph_lite.convert(f)(jnp.float32(1))[1] == f(1)[1]
    assert f(1)[1] == "  3.142|  a0000007|+7"
