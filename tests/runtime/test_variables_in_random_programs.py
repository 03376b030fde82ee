"""Do random programs that read and write Variables leave them as NumPy's arrays, changed in place, would be?"""

from __future__ import annotations

import itertools
import linecache
import re
import textwrap
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite.runtime.state.array_operators import Arithmetic
from tests.examples import examples


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


def compound(
    statement: st.SearchStrategy[str], tests: st.SearchStrategy[str] = TESTS, count: str = "x"
) -> st.SearchStrategy[str]:
    body = blocks(statement)
    return st.one_of(
        st.builds(lambda test, yes: within(f"if {test}:", yes), tests, body),
        st.builds(
            lambda test, yes, no: within(f"if {test}:", yes) + "\n" + within("else:", no), tests, body, body
        ),
        st.builds(lambda test: within(f"if {test}:", "return x"), tests),
        st.builds(
            lambda test, body, leave: within(
                f"for i in range({count} % 4):", "\n".join(["x = x + i", body, within(f"if {test}:", leave)])
            ),
            *(tests, body, st.sampled_from(["break", "continue", "return x"])),
        ),
        st.builds(
            lambda test, body: "n = 0\n" + within(f"while n < 3 and ({test}):", "n = n + 1\n" + inner(body)),
            *(tests, body),
        ),
        st.builds(lambda body: within("for row in c:", f"x = x + row\n{body}"), body),
    )


PROGRAMS = blocks(st.recursive(SIMPLE, compound, max_leaves=6), least=2)

FLOATS = st.sampled_from(["a", "b", "x", "a.value", "c[1]", "c[k % 3]", "0.5", "-1.5"])
SMOOTH = st.builds("jnp.sin({} {} {})".format, FLOATS, st.sampled_from("+-*"), FLOATS)
LOSSES = blocks(
    st.recursive(
        st.one_of(
            st.builds("{}.assign({})".format, st.sampled_from("ab"), SMOOTH),
            st.builds("{}.assign_add({})".format, st.sampled_from("abc"), SMOOTH),
            st.builds("c[k % 3] {} {}".format, st.sampled_from(["=", "+="]), SMOOTH),
            st.builds("x = {}".format, SMOOTH),
            st.builds("d = {}\nd *= {}".format, st.sampled_from("abc"), SMOOTH),
            st.just("bump()"),
        ),
        lambda statement: compound(
            statement, st.builds("{} {} {}".format, FLOATS, st.sampled_from("<>"), FLOATS), "k"
        ),
        max_leaves=5,
    ),
    least=2,
)
_numbers = itertools.count()


def defined(
    body: str,
    *variables: Any,
    header: str = "def run(x):",
    bump: str = "(a + b) % 11",
    returned: str = "x + a",
) -> Any:
    """The function with that body, and with these Variables."""
    text = f"def make(a, b, c):\n    def bump():\n        a.assign({bump})\n"
    text += textwrap.indent(within(header, f"{body}\nreturn {returned}"), "    ") + "\n    return run\n"
    path = f"<variables {next(_numbers)}>"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    namespace: dict[str, Any] = {"jnp": jnp}
    exec(compile(text, path, "exec"), namespace)
    return namespace["make"](*variables)


def limited(base: Any) -> Any:
    """A class of Variables with an attribute and a method of its own, and with an overridden one."""

    class Limited(base):  # type: ignore[misc]
        def __init__(self, value: Any, limit: int) -> None:
            super().__init__(value)
            self.limit = limit

        def assign_add(self, value: Any) -> Any:
            return self.raised(value % self.limit)

        def raised(self, value: Any) -> Any:
            return self.assign(self.value + value)

    return Limited


LIMITED = [(kind, limited(kind)) for kind in (al.Variable, Plain)]
PASSED = {
    "header": "def run(x, a, b, c):\n    def bump():\n        a.assign((a + b) % 11)",
    "bump": "0",
}


@examples(25)
@given(PROGRAMS, st.lists(st.integers(-5, 9), min_size=2, max_size=3), st.booleans(), st.sampled_from([2, 3]))
def test_variables_become_what_arrays_would_become(
    body: str, numbers: list[int], passed: bool, limit: int
) -> None:
    start: list[Any] = [np.int32(1), np.int32(4), np.asarray([3, 0, 2], np.int32)]
    ours, plain = [[kind(start[0]), own(start[1], limit), kind(start[2])] for kind, own in LIMITED]
    text: Any = PASSED if passed else {}
    run, expected = al.convert(defined(body, *ours, **text)), defined(body, *plain, **text)
    for number in numbers:
        given: list[Any] = [ours, plain] if passed else [[], []]
        assert int(run(jnp.int32(number), *given[0])) == expected(np.int32(number), *given[1])
        for variable, array in zip(ours, plain, strict=True):
            assert np.array_equal(variable, array.value)


class Held(Arithmetic):
    """A Variable whose array may be a tracer: plain Python runs the loss, and `jax.grad` differentiates it."""

    place: Any = None

    def __init__(self, value: Any) -> None:
        self.value = value

    def read(self) -> Any:
        return self.value

    def assign(self, value: Any) -> Held:
        self.value = jnp.broadcast_to(jnp.asarray(value), self.value.shape)
        return self

    def assign_add(self, value: Any) -> Held:
        return self.assign(self.value + value)


@examples(6)
@given(LOSSES, st.integers(0, 4), st.sampled_from([-0.75, 1.25]))
def test_the_gradient_by_a_variable_goes_through_what_a_loss_assigns(body: str, k: int, x: float) -> None:
    text: Any = {"header": "def run(x, k):", "bump": "a * b", "returned": "x + a * b + sum(c)"}
    start = [jnp.float32(1.5), jnp.float32(-0.5), jnp.asarray([0.25, -1.0, 2.0])]

    def loss(*values: Any) -> Any:
        plain = [*map(Held, values)]
        value = defined(body, *plain, **text)(jnp.float32(x), k)
        return value, [held.value for held in plain]

    expected, left = jax.grad(loss, (0, 1, 2), has_aux=True)(*start)
    for form in (
        lambda fun, by: al.grad(fun, by),
        lambda fun, by: al.grad(al.convert(fun), by),
        lambda fun, by: al.convert(lambda x, k: al.grad(fun, by)(x, k)),
    ):
        ours = [*map(al.Variable, start)]
        fun = defined(body, *ours, **text)
        found = form(fun, ours)(jnp.float32(x), jnp.int32(k))
        for gradient, right in zip(found, expected, strict=True):
            assert np.allclose(gradient, right, rtol=1e-4, atol=1e-5)
        for variable, right in zip(ours, left, strict=True):
            assert np.allclose(variable, right, rtol=1e-4, atol=1e-5)
