"""Is text of a traced value completed where a message is made of it, and refused where Python would look at it?"""

from __future__ import annotations

import collections
import contextlib
import copy
import datetime
import logging
import re
import statistics
import struct
import sys
from decimal import Decimal
from fractions import Fraction

import jax
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


TEXTS = {
    "numbers": lambda x, n: "{0:03d} {1} {0} {{}}".format(n, x),
    "names": lambda x, n: "{x:.2f} {y} {n:>{w}}".format(x=x, y="k", n=n, w=6),
    "items and attributes": lambda x, n: "{p[0]} {p[k]} {q[1]} {n.ndim}".format(p={0: n, "k": 2}, q=[1, n], n=n),
    "a mapping": lambda x, n: "{x} {n:5d}".format_map({"x": x, "n": n}),
    "width beside": lambda x, n: "{:*>{}}|{!s:>9}|".format(n, 7, x),
    "percent and names": lambda x, n: "%(x)6.1f|%(n)s|%(n)04d|%(t)s" % {"x": x, "n": n, "t": "100%"},
    "percent and bases": lambda x, n: "%x %X %o %u {} %%" % (n, n, n, n),
    "percent without the fraction": lambda x, n: "%d|%i|%5d|%-5d|%05d|%d" % (x, -x, x * 40, x * 40, x * 40, 2.5 + 0 * 1),
    "with a dtype": lambda x, n: "%s " % (x.dtype,) + f"{x} {x.dtype} {np.str_('a')} {np.float32(2)}",
    "in a field": lambda x, n: str(n).rjust(6) + "|" + f"{n}!".ljust(6, ".") + "|",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_fields_with_names_and_numbers(name: str) -> None:
    made = TEXTS[name]

    def f(x, n):
        assert n < 0, made(x, n)
        return n

    for x, n in ((0.5, 10), (-2.75, 3)):
        with pytest.raises(AssertionError) as caught:
            autograph_lite.convert(f)(jnp.float32(x), jnp.asarray(n, jnp.int32, copy=True))
        assert str(caught.value) == made(np.float32(x), np.int32(n))


@pytest.mark.parametrize(
    "made",
    [
        lambda n: f"{'a':>{n}}",
        lambda n: "%*d" % (n, 1),  # noqa: UP031
        lambda n: "%c" % n,  # noqa: UP031
        lambda n: f"{n} {{}}".format(1),
        lambda n: f"n{n}".upper(),
        lambda n: str(n)[:2],
        lambda n: str(n) * 2,
        lambda n: len(str(n)),
    ],
    ids=["width", "percent width", "character", "template", "upper", "part", "twice", "length"],
)
def test_text_that_can_not_be_completed_later_is_refused(made) -> None:
    def f(n):
        if n > 0:
            raise ValueError(made(n))
        return n

    with pytest.raises(PythonOnlyError, match="is compared, looked into or changed|can't be completed later"):
        autograph_lite.convert(f)(jnp.int32(1))


@pytest.mark.parametrize(
    "reads",
    [
        lambda n: re.sub("3", "4", str(n)),
        lambda n: re.compile("3").match(str(n)),
        lambda n: bytes(str(n), "ascii"),
        lambda n: str(n).join("abc"),
        lambda n: np.array(str(n)),
        lambda n: np.array([str(n), "b"]),
        lambda n: int(str(n)),
        lambda n: int(f"{n}0", 16),
        lambda n: float("".join([str(n), "1"])),
        lambda n: complex(str(n)),
        lambda n: Decimal(str(n)),
    ],
    ids=[
        "sub",
        "match",
        "bytes",
        "separator",
        "array",
        "items",
        "int",
        "base",
        "float",
        "complex",
        "decimal",
    ],
)
def test_text_that_a_function_of_a_library_has_read_is_refused(reads) -> None:
    def f(n):
        return reads(n)

    with pytest.raises(PythonOnlyError, match="is compared, looked into or changed") as caught:
        autograph_lite.convert(f)(jnp.int32(3))
    assert "test_texts.py" in str(caught.value)
    assert repr(autograph_lite.convert(f)(3)) == repr(f(3))


def test_text_that_is_only_stored_or_written_is_completed_or_left_alone() -> None:
    def f(n):
        texts = collections.deque([f"n is {n}"])
        texts.append(copy.copy(texts[0]))
        sys.stdout.write(f"{n}")
        logging.getLogger(__name__).debug(f"{n}")
        assert n > 3, texts[1]
        return n

    for run, n in ((f, 1), (autograph_lite.convert(f), jnp.int32(1))):
        with pytest.raises(AssertionError, match="n is 1"):
            run(n)


@pytest.mark.parametrize(
    "asks",
    [
        lambda x: struct.unpack(">i", struct.pack(">f", x)),
        lambda x: datetime.timedelta(seconds=x),
        lambda x: Fraction(x, 3),
        lambda x: statistics.mean([x, x]),
    ],
    ids=["struct", "datetime", "fraction", "statistics"],
)
def test_what_computes_with_numbers_of_python_is_told_to_be_in_need_of_them(asks) -> None:
    def f(x):
        return asks(x)

    with pytest.raises(PythonOnlyError, match="Python needs the value of a traced array"):
        autograph_lite.convert(f)(np.int32(2))
    assert autograph_lite.convert(f)(2) == f(2)


def test_a_generator_that_waits_in_a_with_leaves_no_handler_behind() -> None:
    def counted():
        while True:
            with contextlib.nullcontext():
                yield 1

    kept = []

    def first_of(x):
        kept.append(counted())
        return x + next(kept[0])

    def packed(x):
        return struct.pack(">f", x)

    assert jax.jit(autograph_lite.to_graph(first_of))(np.int32(2)) == 3
    with pytest.raises(PythonOnlyError, match="Python needs the value of a traced array"):
        autograph_lite.convert(packed)(np.int32(2))


def test_fields_in_a_specification() -> None:
    def f(x, width=7):
        if width > 3:
            text = (
                f"{3.14159:{width}.{width - 4}f}|{'a' + f'{width:0{width}d}'!s:>{width + 3}}|{width:{'+'}d}"
            )
        return x, text

    assert autograph_lite.convert(f)(jnp.float32(1))[1] == f(1)[1]
    assert f(1)[1] == "  3.142|  a0000007|+7"


def test_a_call_that_is_wrong_with_any_number_is_pythons_error() -> None:
    with pytest.raises(TypeError, match="hour"):
        autograph_lite.convert(lambda x: datetime.timedelta(x, hour=1))(jnp.float32(2))


def test_an_exception_whose_message_shows_a_traced_value_is_caught():
    def caught(a):
        try:
            raise ValueError(f"problem {a + 1}")
        except ValueError:
            a = a + 2
        return a

    def caught_by_another(a):
        try:
            raise KeyError(f"problem {a}", a)
        except (KeyError, ValueError):
            return a * 3

    for function in (caught, caught_by_another):
        assert autograph_lite.convert(function)(np.int32(2)) == function(2)
        assert jax.jit(autograph_lite.to_graph(function))(2) == function(2)
        assert jax.vmap(autograph_lite.to_graph(function))(jnp.array([2]))[0] == function(2)
