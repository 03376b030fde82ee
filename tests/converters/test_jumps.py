"""What the pass *jumps* makes of break, continue and return: flags only where nothing simpler will do."""

from __future__ import annotations

import textwrap

import gast
import pytest

from autograph_lite.converters import jumps
from autograph_lite.operators.calls import callables
from tests.converters.rewriting import parsed, rewritten


def assert_becomes(source: str, expected: str) -> None:
    before, after = (textwrap.dedent(text).strip("\n") for text in (source, expected))
    assert rewritten("jumps", before) == after


def test_what_follows_a_return_moves_into_the_other_branch() -> None:
    assert_becomes(
        """
        def f(x):
            if x > 0:
                return 1
            return 2
        """,
        """
        def f(x):
            if x > 0:
                return 1
            else:
                return 2
        """,
    )


def test_a_function_that_may_fall_off_its_end_returns_none() -> None:
    assert_becomes(
        """
        def f(x):
            if x > 0:
                return 1
        """,
        """
        def f(x):
            if x > 0:
                return 1
            else:
                return None
        """,
    )


def test_continue_needs_no_flag() -> None:
    assert_becomes(
        """
        def f(xs):
            for x in xs:
                if x:
                    continue
                use(x)
        """,
        """
        def f(xs):
            for x in xs:
                if x:
                    pass
                else:
                    use(x)
        """,
    )


def test_a_break_that_skips_code_after_its_branch_is_guarded() -> None:
    assert_becomes(
        """
        def f(xs):
            for x in xs:
                if x > 1:
                    if x > 2:
                        break
                    a(x)
                b(x)
        """,
        """
        def f(xs):
            stop = False
            for x in ag.until(lambda: stop, xs):
                if x > 1:
                    if x > 2:
                        stop = True
                    else:
                        a(x)
                if stop:
                    pass
                else:
                    b(x)
        """,
    )


def test_the_else_of_a_loop_runs_unless_it_was_broken() -> None:
    assert_becomes(
        """
        def f(xs):
            for x in xs:
                if x:
                    break
            else:
                none()
            return 1
        """,
        """
        def f(xs):
            stop = False
            for x in ag.until(lambda: stop, xs):
                if x:
                    stop = True
            if not stop:
                none()
            return 1
        """,
    )


def test_the_test_of_an_endless_loop_is_its_flag() -> None:
    assert_becomes(
        """
        def f(n):
            while True:
                n -= 1
                if n < 0:
                    break
            return n
        """,
        """
        def f(n):
            stop = False
            while not stop:
                n -= 1
                if n < 0:
                    stop = True
            return n
        """,
    )


def test_the_only_return_of_a_loop_is_computed_after_it() -> None:
    assert_becomes(
        """
        def f(xss, y):
            for xs in xss:
                for x in xs:
                    if x:
                        return x + y
            return None
        """,
        """
        def f(xss, y):
            done = False
            for xs in ag.until(lambda: done, xss):
                for x in ag.until(lambda: done, xs):
                    if x:
                        done = True
            if done:
                return ag.assigned(x) + y
            else:
                return None
        """,
    )


def test_several_returns_of_a_loop_are_kept_in_one_variable() -> None:
    assert_becomes(
        """
        def f(xs):
            for x in xs:
                if x > 1:
                    return x
                if x < 0:
                    return 0
        """,
        """
        def f(xs):
            ret = ag.NO_RETURN
            for x in ag.until(lambda: ag.returned(ret), xs):
                if x > 1:
                    ret = ag.Return(x)
                elif x < 0:
                    ret = ag.Return(0)
            if ag.returned(ret):
                return ret.value
            else:
                return None
        """,
    )


def test_a_with_is_left_before_its_function_returns() -> None:
    assert_becomes(
        """
        def f(x):
            with m():
                if x:
                    return 1
                y = 2
            return y
        """,
        """
        def f(x):
            ret = ag.NO_RETURN
            with m():
                if x:
                    ret = ag.Return(1)
                else:
                    y = 2
            if ag.returned(ret):
                return ret.value
            else:
                return y
        """,
    )


def test_the_else_of_a_try_runs_only_where_its_body_came_to_an_end() -> None:
    assert_becomes(
        """
        def f(x):
            try:
                if x:
                    return 1
            except E:
                return 2
            else:
                a()
            return 3
        """,
        """
        def f(x):
            ret = ag.NO_RETURN
            try:
                if x:
                    ret = ag.Return(1)
            except E:
                ret = ag.Return(2)
            else:
                if not ag.returned(ret):
                    a()
            if ag.returned(ret):
                return ret.value
            else:
                return 3
        """,
    )


def test_guards_that_raise_stay_flat() -> None:
    source = "def f(x):\n    if x < 0:\n        raise E\n    return x"
    assert rewritten("jumps", source) == source


@pytest.mark.parametrize("guards", [jumps.MAX_NESTING - 1, jumps.MAX_NESTING + 1, 3 * jumps.MAX_NESTING])
def test_many_guards_do_not_nest_without_bound(guards: int) -> None:
    source = (
        "def f(x):\n"
        + "".join(f"    if x == {i}:\n        return {i}\n" for i in range(guards))
        + "    return -1"
    )
    lines = rewritten("jumps", source).splitlines()
    assert max(len(line) - len(line.lstrip()) for line in lines) <= 4 * (jumps.MAX_NESTING + 3)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("for x in xs:\n        break", "a Break is left"),
        ("while c:\n        continue", "a Continue is left"),
        ("if c:\n        return 1\n    return 2", "an early return is left"),
        ("for x in xs:\n        return x", "an early return is left"),
    ],
)
def test_the_check_finds_what_the_pass_must_not_leave(body: str, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        jumps.check(parsed(f"def f(xs, c):\n    {body}"))


def test_every_statement_has_a_location() -> None:
    source = "def f(xs):\n    for x in xs:\n        with m():\n            if x:\n                return x\n            break"
    tree = parsed(source)
    from tests.converters.rewriting import context, run

    run("jumps", tree, context(tree))
    assert all(isinstance(n.lineno, int) for n in gast.walk(tree) if isinstance(n, gast.stmt))


def test_nothing_follows_a_loop_that_only_a_return_leaves() -> None:
    assert_becomes(
        """
        def f(x):
            while True:
                x += 1
                if x > 5:
                    return x
        """,
        """
        def f(x):
            done = False
            while not done:
                x += 1
                if x > 5:
                    done = True
            return ag.assigned(x)
        """,
    )


def test_a_variable_that_only_an_inner_function_writes_stays_one_when_its_assignment_is_never_reached() -> (
    None
):
    def outer(x: int) -> int:
        def inner() -> None:
            nonlocal j
            j = 0

        inner()
        return x
        j = 1

    assert callables.convert_callable(outer)(3) == 3
