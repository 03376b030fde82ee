"""Do random programs with `assert` and `raise` in their branches and loops give and raise what Python does?"""

from __future__ import annotations

import itertools
import linecache
import re
import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import given, strategies as st

import autograph_lite
from tests.examples import examples

from .outcomes import outcome

NAMES = st.sampled_from(["x", "y", "z"])
CONDITIONS = st.builds("{} {} {}".format, NAMES, st.sampled_from(["<", ">", "=="]), st.integers(-4, 4))
MESSAGES = st.sampled_from(['f"{x} and {y}"', '"text"', 'f"{z + 1:3d}"'])
_numbers = itertools.count()


class OwnError(Exception):
    def __init__(self, value):
        super().__init__(f"own {value}")
        self.value = value


def simple() -> st.SearchStrategy[str]:
    """One statement on a line."""
    assign = st.builds("{} = {} {} {}".format, NAMES, NAMES, st.sampled_from("+-*"), st.integers(-3, 3))
    check = st.builds("assert {}, {}".format, CONDITIONS, MESSAGES)
    failure = st.builds("raise {}({})".format, st.sampled_from(["ValueError", "KeyError"]), MESSAGES)
    own = st.builds("raise OwnError({})".format, NAMES)
    return st.one_of(assign, assign, check, st.builds("if {}: {}".format, CONDITIONS, failure | own))


def renamed(loop: str) -> str:
    """The loop with a counter that no loop in it has."""
    taken = {int(number) for number in re.findall(r"\bk(\d+)", loop)}
    return re.sub(r"\bk\b", f"k{max(taken, default=0) + 1}", loop)


def compound(body: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Statements with blocks in them."""
    block = (
        st.lists(body, min_size=1, max_size=3).map("\n".join).map(lambda text: textwrap.indent(text, "    "))
    )
    return st.one_of(
        st.builds("if {}:\n{}\nelse:\n{}".format, CONDITIONS, block, block),
        st.builds("for i in range(abs({}) % 4):\n{}".format, NAMES, block),
        st.builds("k = 0\nwhile k < abs({}) % 4:\n    k = k + 1\n{}".format, NAMES, block).map(renamed),
        st.builds("try:\n{}\nfinally:\n    z = z + 1".format, block),
    )


@st.composite
def programs(draw: st.DrawFn) -> str:
    body = draw(st.lists(st.recursive(simple(), compound, max_leaves=6), min_size=2, max_size=4))
    return (
        "def f(x, y):\n    z = x - y\n" + textwrap.indent("\n".join(body), "    ") + "\n    return x, y, z\n"
    )


def load(text: str) -> Callable[..., Any]:
    """The function of a program's text."""
    path = f"<checks {next(_numbers)}>"
    linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path
    namespace: dict[str, Any] = {"OwnError": OwnError}
    exec(compile(text, path, "exec"), namespace)
    return namespace["f"]


@examples(25)
@given(programs(), st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=4, max_size=4))
def test_a_program_gives_and_raises_what_python_does(text: str, inputs: list[tuple[int, int]]) -> None:
    f = load(text)
    converted = autograph_lite.convert(f)

    for x, y in inputs:
        assert outcome(converted, jnp.int32(x), jnp.int32(y))[:2] == outcome(f, x, y)[:2]


@examples(10)
@given(programs(), st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=6, max_size=6))
def test_a_batch_raises_where_one_of_its_lanes_does(text: str, inputs: list[tuple[int, int]]) -> None:
    f = load(text)
    expected = [outcome(f, *each) for each in inputs]
    xs, ys = (jnp.array(column, jnp.int32) for column in zip(*inputs, strict=True))

    def batch(xs, ys):
        return jax.vmap(f)(xs, ys)

    try:
        found = autograph_lite.convert(batch)(xs, ys)
    except Exception as error:
        assert (type(error), str(error)) in [each[:2] for each in expected]
    else:
        assert [each[0] for each in expected] == ["value"] * len(inputs)
        assert [tuple(map(float, row)) for row in zip(*found, strict=True)] == [each[1] for each in expected]
