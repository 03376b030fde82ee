"""Do random programs that read and write Variables leave them as NumPy's arrays, changed in place, would be?"""

from __future__ import annotations

import itertools
import linecache
import re
import textwrap
from typing import Any

import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings, strategies as st

import autograph_lite as al


class Plain(np.lib.mixins.NDArrayOperatorsMixin):
    """A Variable of NumPy's."""

    def __init__(self, value: Any) -> None:
        self.value = np.array(value)

    def assign(self, value: Any) -> Plain:
        self.value = np.array(np.broadcast_to(getattr(value, "value", value), self.value.shape))
        return self

    def assign_add(self, value: Any) -> Plain:
        return self.assign(self.value + value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **kwargs: Any) -> Any:
        found = getattr(ufunc, method)(*(getattr(x, "value", x) for x in inputs), **kwargs)
        return out[0].assign(found) if out else found

    def __getitem__(self, index: Any) -> Any:
        return self.value[np.asarray(getattr(index, "value", index))]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.value = self.value.copy()  # what was read before stays as it was
        self.value[np.asarray(getattr(index, "value", index))] = getattr(value, "value", value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __iter__(self) -> Any:
        return iter(self.value)


SCALARS = st.sampled_from(["a", "b", "x", "a.value", "c[1]", "c[x % 3]", "c[a % 3]", "2", "-3"])
TESTS = st.builds("{} {} {}".format, SCALARS, st.sampled_from(["<", ">", "=="]), st.sampled_from("abx")) | (
    st.sampled_from(["a", "not b", "a and b > 1", "x > 0 or a", "(c > 1).any()", "x in (a, 3)"])
)
NUMBERS = st.builds("({} {} {}) % 11".format, SCALARS, st.sampled_from("+-*"), SCALARS)
SIMPLE = st.one_of(
    st.builds("{}.assign({})".format, st.sampled_from("ab"), NUMBERS),
    st.builds("{}.assign_add({})".format, st.sampled_from("abc"), NUMBERS),
    st.builds("c[{} % 3] = {}".format, st.sampled_from("abx"), NUMBERS),
    st.builds("c[{} % 3] += {}".format, st.sampled_from("abx"), NUMBERS),
    st.builds("x = {}".format, NUMBERS),
    st.builds("d = {}\nd += {}".format, st.sampled_from("abc"), NUMBERS),
    st.just("bump()"),
)


def blocks(statement: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[str]:
    return st.lists(statement, min_size=least, max_size=3).map(lambda lines: "\n".join(lines) or "pass")


def within(header: str, body: str) -> str:
    return f"{header}\n{textwrap.indent(body, '    ')}"


def inner(body: str) -> str:
    """`body`, whose loops count in other variables than the one around it: else it might never end."""
    return re.sub(r"\bn+\b", lambda name: name[0] + "n", body)


def compound(statement: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = blocks(statement)
    return st.one_of(
        st.builds(lambda test, yes: within(f"if {test}:", yes), TESTS, body),
        st.builds(
            lambda test, yes, no: within(f"if {test}:", yes) + "\n" + within("else:", no), TESTS, body, body
        ),
        st.builds(lambda test: within(f"if {test}:", "return x"), TESTS),
        st.builds(
            lambda test, body, leave: within(
                "for i in range(x % 4):", "\n".join(["x = x + i", body, within(f"if {test}:", leave)])
            ),
            *(TESTS, body, st.sampled_from(["break", "continue", "return x"])),
        ),
        st.builds(
            lambda test, body: "n = 0\n" + within(f"while n < 3 and ({test}):", "n = n + 1\n" + inner(body)),
            *(TESTS, body),
        ),
        st.builds(lambda body: within("for row in c:", f"x = x + row\n{body}"), body),
    )


PROGRAMS = blocks(st.recursive(SIMPLE, compound, max_leaves=6), least=2)
_numbers = itertools.count()


def defined(body: str, a: Any, b: Any, c: Any) -> Any:
    """The function with that body, and with these Variables."""
    text = "def make(a, b, c):\n    def bump():\n        a.assign((a + b) % 11)\n"
    text += textwrap.indent(within("def run(x):", f"{body}\nreturn x + a"), "    ") + "\n    return run\n"
    path = f"<variables {next(_numbers)}>"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    namespace: dict[str, Any] = {}
    exec(compile(text, path, "exec"), namespace)
    return namespace["make"](a, b, c)


@settings(max_examples=25)
@given(PROGRAMS, st.lists(st.integers(-5, 9), min_size=2, max_size=3))
def test_variables_become_what_arrays_would_become(body: str, numbers: list[int]) -> None:
    start: list[Any] = [np.int32(1), np.int32(4), np.asarray([3, 0, 2], np.int32)]
    ours, plain = list(map(al.Variable, start)), list(map(Plain, start))
    run, expected = al.convert(defined(body, *ours)), defined(body, *plain)
    for number in numbers:
        assert int(run(jnp.int32(number))) == expected(np.int32(number))
        for variable, array in zip(ours, plain, strict=True):
            assert np.array_equal(variable, array.value)
