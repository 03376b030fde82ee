"""What do errors say where a variable may have no value?"""

from __future__ import annotations

import contextlib
import itertools
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite

from .messages import message


def test_a_variable_assigned_in_one_branch() -> None:
    def f(x):
        if x > 0:
            y = x
        return y

    assert message(f, jnp.float32(2)) == (
        "UndefinedVariableError: 'y' may be used before it is assigned.\n"
        "  test.py:3 in f\n"
        "      return y\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  Only one of the paths of the second line assigns it, and a traced value decides which is taken.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def test_a_variable_assigned_in_some_cases() -> None:
    def f(k):
        if k == 0:
            y = 10
        elif k == 1:
            y = 20
        return y + 1

    assert message(f, jnp.int32(2)) == (
        "UndefinedVariableError: 'y' may be used before it is assigned.\n"
        "  test.py:5 in f\n"
        "      return y + 1\n"
        "  test.py:1 in f\n"
        "      if k == 0:\n"
        "  Only one of the paths of the second line assigns it, and a traced value decides which is taken.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def test_a_variable_assigned_in_a_loop_that_does_not_run() -> None:
    def f(n):
        for i in range(n):
            last = i
        return last

    assert message(f, jnp.int32(0)) == (
        "UndefinedVariableError: 'last' was not assigned: the loop must run at least once.\n"
        "  test.py:3 in f\n"
        "      return last\n"
        "  Fix: assign 'last' before the loop."
    )


def test_a_variable_assigned_in_a_while_that_does_not_run() -> None:
    def f(x):
        while x < 5:
            x = x + 1
            last = x
        return last

    assert message(f, jnp.float32(9)) == (
        "UndefinedVariableError: 'last' was not assigned: the loop must run at least once.\n"
        "  test.py:4 in f\n"
        "      return last\n"
        "  Fix: assign 'last' before the loop."
    )


def test_a_read_on_a_path_of_its_own_is_checked_when_the_program_runs() -> None:
    def f(c, d, x):
        if c:
            y = x
        if d:
            return y + 1
        return x

    run = autograph_lite.convert(f)
    for c, d in ((True, True), (True, False), (False, False)):
        assert run(jnp.bool_(c), jnp.bool_(d), jnp.float32(3)) == f(c, d, 3.0)
    assert message(f, jnp.bool_(False), jnp.bool_(True), jnp.float32(3)) == (
        "UndefinedVariableError: 'y' was used before it was assigned.\n"
        "  test.py:4 in f\n"
        "      return y + 1\n"
        "  test.py:1 in f\n"
        "      if c:\n"
        "  The second line's path that was taken does not assign it.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def in_a_method(x):
    if x > 0:
        y = x

    class Scale:
        def by(self):
            return y

    return Scale().by()


def in_a_class(x):
    if x > 0:
        y = x

    class Scale:
        by = y

    return Scale.by


def in_a_class_of_a_class(x):
    if x > 0:
        y = x

    class Scale:
        class By:
            value = y is None

    return Scale.By.value


def updated(x):
    if x > 0:
        y = x

    def add():
        nonlocal y
        y += 1
        return y

    return add()


def deleted(x):
    if x > 0:
        y = x

    def drop():
        nonlocal y
        del y

    drop()
    return x


@pytest.mark.parametrize("f", [in_a_method, in_a_class, in_a_class_of_a_class, updated, deleted])
def test_an_inner_scope_sees_a_variable_or_an_error_and_nothing_else(f) -> None:
    run = autograph_lite.convert(f)

    assert run(jnp.float32(2)) == f(2.0)
    with pytest.raises(NameError):
        f(-2.0)
    with pytest.raises(autograph_lite.UndefinedVariableError, match="'y' was used before it was assigned"):
        run(jnp.float32(-2))


def test_a_variable_that_a_nested_function_reads_after_a_branch() -> None:
    def f(x):
        if x > 0:
            y = x

        def scaled():
            return y * 2

        return scaled()

    assert message(f, jnp.float32(-2)) == (
        "UndefinedVariableError: 'y' was used before it was assigned.\n"
        "  test.py:5 in scaled\n"
        "      return y * 2\n"
        "  test.py:1 in f\n"
        "      if x > 0:\n"
        "  The second line's path that was taken does not assign it.\n"
        "  Fix: assign 'y' before that statement, or on its other paths too."
    )


def test_a_function_that_is_returned_with_a_variable_that_may_be_unassigned() -> None:
    def f(x):
        if x > 0:
            y = x

        def scaled():
            return y * 2

        return scaled

    text = message(f, jnp.float32(2))
    name = f.__qualname__ + ".<locals>.scaled"
    assert text.startswith(f"MutationError: The result holds a traced value inside {name}.\n")


LATER = {
    "a loop": "for i in range(n):\n        n += later",
    "a while": "while n > 0:\n        n -= later",
    "its test": "while later:\n        n += 1",
    "a comprehension": "[later for _ in range(n)]",
    "a generator": "list(later for _ in range(n))",
    "the items of a generator": "list(i for i in later)",
    "a choice": "0 if n > 9 else later",
    "an operand": "n and later",
    "a comparison": "0 < n < later",
    "a message": "assert n > 9, later",
    "an update": "d = [0]\n    d[0] += later",
    "a function": "(lambda: later)()",
    "a function in an update": "d = [0]\n    d[0] += (lambda: later)()",
    "a class": "class A:\n        by = later",
    "what a loop runs over": "for later in later:\n        n += 1",
    "a branch": "if n > 9:\n        v = 1\n    (lambda: v)()",
    "a branch and a comprehension": "if n > 9:\n        v = 1\n    [v for _ in range(n)]",
}


@pytest.mark.parametrize("case", LATER)
def test_where_no_traced_value_decides_it_is_pythons_own_error(case: str, tmp_path: pathlib.Path) -> None:
    source = f"def f(n):\n    {LATER[case]}\n    later = 1\n    return n\n"
    path = tmp_path / "model.py"
    path.write_text(source, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), names)

    with pytest.raises(NameError) as wanted:
        names["f"](3)
    with pytest.raises(NameError) as found:
        autograph_lite.convert(names["f"])(3)

    assert (found.type, str(found.value)) == (wanted.type, str(wanted.value))


def test_a_parameter_that_is_deleted_later_has_its_value_before() -> None:
    def f(b, x):
        b //= 3
        c = b
        del b
        if x > 0:
            b = c + 1
        else:
            b = c
        return b

    assert autograph_lite.convert(f)(jnp.int32(7), jnp.float32(1)) == f(7, 1.0) == 3


def test_a_variable_whose_only_assignment_is_never_reached() -> None:
    def f(x):
        with contextlib.nullcontext():
            if x > 0:
                for _ in range(3):
                    return 2
            if x > 1:
                return 3
            else:
                return 4
            p = 1
        return p

    for x in (-1.0, 1.0, 2.0):
        assert autograph_lite.convert(f)(jnp.float32(x)) == f(x)


def test_an_unassigned_variable_behind_a_check_that_fails_first() -> None:
    def f(x):
        try:
            if x > 0:
                raise RuntimeError("first")
        except KeyError:
            d = 3
        return d

    run = autograph_lite.convert(f)
    with pytest.raises(RuntimeError, match="first"):
        run(jnp.float32(1))
    with pytest.raises(UnboundLocalError):
        run(jnp.float32(-1))


def else_of_a_loop_without_items(n, p):
    for _ in range(2):
        if p:
            for j in range(n):
                pass
            else:
                return j
    return -1


def deleted_before_the_return_of_a_loop(n, p):
    for i in range(2):
        x = i + n
        if p:
            del x
        if n > 1:
            return x
    return -1


def deleted_in_a_case(n, p):
    match (n, 3):
        case (x, 3):
            if p:
                del x
            return x
    return 0


def deleted_after_a_test(n, p):
    if n > 0 and (z := n) > 0:
        if p:
            del z
        return z
    return -1


@pytest.mark.parametrize(
    "f",
    [
        else_of_a_loop_without_items,
        deleted_before_the_return_of_a_loop,
        deleted_in_a_case,
        deleted_after_a_test,
    ],
)
def test_a_name_that_a_path_leaves_unassigned_is_never_read_as_something_else(f) -> None:
    refused = 0
    for n, p in itertools.product(range(3), (False, True)):
        try:
            wanted = f(n, p)
        except UnboundLocalError:
            wanted = UnboundLocalError
        for given in ((n, p), (jnp.int32(n), p), (n, jnp.bool_(p)), (jnp.int32(n), jnp.bool_(p))):
            try:
                assert autograph_lite.convert(f)(*given) == wanted
            except UnboundLocalError:
                refused += 1
                both = isinstance(given[1], bool)
                assert wanted is UnboundLocalError or not both, given
    assert refused > 3


def deleted_and_read_on_a_path(a, b):
    global HITS
    HITS = 0
    if HITS < 1 or a > 2:
        del HITS
    if a > 3:
        b = 4
    elif HITS * 3 == b:
        b += 1
    return b


@pytest.mark.parametrize("way", [autograph_lite.convert, lambda fn: jax.jit(autograph_lite.to_graph(fn))])
def test_a_global_that_the_function_has_deleted_is_missed_only_on_the_path_that_reads_it(way) -> None:
    fn = way(deleted_and_read_on_a_path)
    assert fn(jnp.int32(4), 2) == deleted_and_read_on_a_path(4, 2)


def test_and_is_missed_there() -> None:
    with pytest.raises(NameError, match="name 'HITS' is not defined"):
        deleted_and_read_on_a_path(3, 2)
    with pytest.raises(NameError, match="HITS"):
        autograph_lite.convert(deleted_and_read_on_a_path)(jnp.int32(3), 2)
