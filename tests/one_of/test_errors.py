"""Errors about a value that is one of several: the variable, its values, the lines that bring them, and a remedy."""

from __future__ import annotations

import linecache
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import BranchMismatchError, CarryMismatchError, MutationError, PythonOnlyError


def error_of(function, kind):
    with pytest.raises(kind) as caught:
        autograph_lite.convert(function)(jnp.int32(1))
    return caught.value


def lines(error):
    return [place.text for place in error.where]


def made(text):
    """The function `f` of a text that has lines."""
    path = f"test_errors_{len(text)}.py"
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    found = {}
    exec(compile(text, path, "exec"), found)
    return found["f"]


CHAINS = {
    "if": [f"    {'el' if k else ''}if i == {k}:\n        t = 'text {k}'\n" for k in range(16)],
    "match": [
        "    match i:\n",
        *(f"        case {k}:\n            t = 'text {k}'\n" for k in range(16)),
    ],
}


@pytest.mark.parametrize("chain", CHAINS)
def test_more_than_sixteen_values_of_a_variable(chain) -> None:
    text = "def f(i):\n    t = 'none'\n" + "".join(CHAINS[chain]) + "    return t\n"
    error = error_of(made(text), BranchMismatchError)
    assert error.what.startswith("'t' may be one of more than 16 values: ")
    assert all(f"str 'text {k}'" in error.what for k in range(16))
    assert "str 'none'" in error.what
    assert {f"t = 'text {k}'" for k in range(16)} <= {*lines(error)}
    assert "at most 16 values" in error.why
    assert error.fix.startswith("let 't' be a number that says which")


@pytest.mark.parametrize("growth", ["s = s + 'y'", "s += 'y' if i > 0 else 'n'"])
def test_more_than_sixteen_texts_of_a_text_that_gets_longer(growth) -> None:
    lines_ = ["def f(i):", "    s = ''", "    while i < 9:", "        if i > 3:", f"            {growth}"]
    error = error_of(made("\n".join([*lines_, "        i = i + 1", "    return s", ""])), BranchMismatchError)
    assert error.what.startswith("'s' may be one of more than 16 values: ")
    assert error.fix.startswith("let 's' be a number that says which")


def test_more_than_sixteen_values_of_a_result() -> None:
    text = "def f(i):\n" + "".join(f"    if i == {k}:\n        return 'text {k}'\n" for k in range(17))
    error = error_of(made(text), BranchMismatchError)
    assert error.what.startswith("The return value may be one of more than 16 values: ")
    assert {f"return 'text {k}'" for k in range(17)} <= {*lines(error)}


def test_more_than_sixteen_values_of_an_attribute() -> None:
    class State:
        name = "none"

    def f(i):
        state = State()
        for k in range(17):
            if i == k:
                state.name = f"text {k}"
        return state.name

    error = error_of(f, MutationError)
    assert error.what.startswith("'state.name' may be one of more than 16 values: ")
    assert 'state.name = f"text {k}"' in lines(error)
    assert "at most 16 values" in error.why


NAMES = [f"text {k}" for k in range(16)]


def test_more_than_sixteen_values_of_a_loops_variable() -> None:
    def f(n):
        name = "none"
        while n > 0:
            name = NAMES[n % 16]
            n = n - 1
        return name

    error = error_of(f, CarryMismatchError)
    assert error.what.startswith("'name' may be one of more than 16 values: ")
    assert lines(error) == ["while n > 0:", "name = NAMES[n % 16]"]
    assert "at most 16 values" in error.why


def test_more_than_sixteen_items_at_a_traced_index() -> None:
    def f(i):
        names = [f"text {k}" for k in range(17)]
        return names[i]

    error = error_of(f, autograph_lite.TracedIndexError)
    assert error.what == "'names[i]' indexes a list with a traced value, int32[]."
    assert "at most 16 values" in error.why
    assert error.fix == "return the index, and look it up when the program has run: values[int(n)]."


def test_two_shapes_beside_none() -> None:
    def f(i):
        y = None
        if i > 0:
            y = jnp.ones(3)
        elif i > -2:
            y = jnp.ones(4)
        return y

    error = error_of(f, BranchMismatchError)
    assert error.what == "'y' is float32[3] on one path and one of None, float32[4] on another."
    assert lines(error)[:3] == ["if i > 0:", "y = jnp.ones(3)", "y = jnp.ones(4)"]
    assert error.fix == "give 'y' the same structure and shape on every path."


def test_arrays_of_two_shapes_in_lists() -> None:
    def f(i):
        z = 1.0
        if i > 0:
            y = [i]
        else:
            y = [jnp.ones(2)]
            z = 2.0
        return y, z

    error = error_of(f, BranchMismatchError)
    assert error.what == "'y' is int32[] on one path and float32[2] on another."
    assert lines(error)[1:] == ["y = [i]", "y = [jnp.ones(2)]"]


def test_a_list_that_is_changed_on_one_variant() -> None:
    def f(i):
        rows, spare = [i], [1]
        chosen = rows if i > 0 else spare
        chosen.append(3)
        return rows, spare

    error = error_of(f, MutationError)
    assert error.what.startswith("A list, 'chosen', is written to that is one object on one path")
    assert lines(error) == ["chosen.append(3)", "chosen = rows if i > 0 else spare"]
    assert error.fix.startswith("write on the paths, to the one that each chooses")


KEPT: dict[str, int] = {}


def test_a_new_key_of_an_outside_dict() -> None:
    def f(i):
        key = "a" if i > 0 else "b"
        KEPT[key] = 1
        return i

    error = error_of(f, MutationError)
    assert error.what == "'KEPT['a']' exists on one path of a staged statement and not on another."
    assert lines(error) == ["KEPT[key] = 1"]
    assert error.fix == "create 'KEPT['a']' before the statement, with a value of the same type."


def test_a_new_key_of_a_dict_of_lists_names_the_dict() -> None:
    def f(i):
        groups = {}
        groups.setdefault("a" if i > 0 else "b", []).append(i)
        return groups

    error = error_of(f, MutationError)
    assert error.what == "'groups['a']' exists on one path of a staged statement and not on another."


def test_a_key_that_is_taken_away_on_one_path() -> None:
    def f(i):
        found = {"a": i}
        if i > 0:
            found.pop("a")
        return found

    error = error_of(f, MutationError)
    assert error.fix == "keep 'found['a']', with a value that says that it is gone."


class Car:
    def __init__(self) -> None:
        self.speed = 0


def test_a_new_attribute_of_the_object_that_was_chosen() -> None:
    def f(i):
        a, b = Car(), Car()
        chosen = a if i > 0 else b
        chosen.seen = True
        return a.seen

    error = error_of(f, MutationError)
    assert error.what == "'chosen.seen' exists on one path of a staged statement and not on another."
    assert (
        error.fix
        == "create 'seen' in each object that it may be, as in `__init__`, with a value of the same type."
    )


def of_an_axis(i):
    return jnp.sum(jnp.zeros(3), axis=0 if i > 0 else None)


def of_jax(i):
    k = "a" if i > 0 else "b"
    return jnp.sin(k)


def of_a_jit(i):
    k = "a" if i > 0 else "b"
    return jax.jit(lambda k: 1)(k)


def of_c(i):
    k = "a" if i > 0 else "b"
    return sys.intern(k)


@pytest.mark.parametrize("function", [of_jax, of_an_axis, of_a_jit, of_c])
def test_what_gets_one_and_has_no_such_type(function) -> None:
    error = error_of(function, PythonOnlyError)
    if function is of_c:
        assert error.what == (
            "Python needs to know which of several a value is. intern() argument must be str, not one of several"
        )
    else:
        kinds = "None, 0" if function is of_an_axis else "'a', 'b'"
        assert error.what == f"A value that is one of {kinds} is handed to JAX."
    assert lines(error)[0].startswith("return ")
    assert error.fix.endswith("decide with `if`, and call it on each path.")


def test_an_array_of_numpys_is_not_made_of_letters() -> None:
    def text(i):
        k = "a" if i > 0 else "bb"
        return np.array([k])

    def number(i):
        k = i * 2.0 if i > 0 else None
        return np.array([k, 1.0])

    for function in (text, number):
        error = error_of(function, BranchMismatchError)
        assert lines(error)[0].startswith("return np.array([k")


class Written:
    def __init__(self, a) -> None:
        self.a = a

    def half(self):
        return Written(self.a / 2) if self.a > 1 else self


def chosen_again_and_again(x):
    r = Written(x)
    for _ in range(6):
        r = r.half() if r.a > 2 else Written(r.a + 3)
        r = r if r.a > 3 else r.half()
    return r.a


def test_more_than_sixteen_objects_under_somebody_elses_jit() -> None:
    with pytest.raises(BranchMismatchError, match="register Written as a pytree"):
        jax.jit(autograph_lite.to_graph(chosen_again_and_again))(2.0)
    np.testing.assert_allclose(
        autograph_lite.convert(chosen_again_and_again)(np.float32(2)), chosen_again_and_again(2.0)
    )
