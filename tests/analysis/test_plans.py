from __future__ import annotations

import pytest

from autograph_lite.analysis import plans
from autograph_lite.syntax import trees
from tests.analysis.reading import body, plan


@pytest.mark.parametrize(
    ("source", "ins", "outs"),
    [
        ("if c:\n    y = 1\nelse:\n    y = 2\nreturn y", "", "y"),
        ("if c:\n    y = y + 1\nreturn y", "y", "y"),
        ("if c:\n    y = 1\nreturn y", "y", "y"),
        ("if c:\n    t = x\n    y = t\nelse:\n    y = x\nreturn y", "", "y"),
        ("if c:\n    b = 1\n    a = 2\nreturn a + b", "b a", "b a"),
        ("if c:\n    use(x)", "", ""),
        ("while i < n:\n    s = s + i\n    i = i + 1\nreturn s", "s i", "s i"),
        ("while (k := f(k)) > 0:\n    s = k\nreturn s", "k s", "k s"),
        ("for x in xs:\n    t = x\n    s = s + t\nreturn s", "s", "s"),
        ("for x in xs:\n    s = x\nreturn s, x", "x s", "x s"),
        ("for i in ag.until(lambda: stop, xs):\n    stop = i > 3", "stop", "stop"),
    ],
)
def test_what_a_statement_takes_and_gives(source: str, ins: str, outs: str) -> None:
    found = plan(source, "c", "xs", "n")[1]
    assert (found.ins, found.outs) == (tuple(ins.split()), tuple(outs.split()))


def test_a_name_that_an_inner_function_captures_stays_in_its_cell() -> None:
    found = plan("n = 0\ndef f(): return n\nif c:\n    n = 1\nreturn f()", "c")[3]
    assert (found.ins, found.outs, found.nonlocals) == ((), (), ("n",))


def test_a_nonlocal_name_stays_in_its_cell() -> None:
    assert plan("nonlocal n\nif c:\n    n = 1", "c")[2].nonlocals == ("n",)


def test_a_global_name_is_written_in_place() -> None:
    found = plan("global g\nif c:\n    g = 1\nreturn g", "c")[2]
    assert (found.ins, found.outs, found.globals) == ((), (), ("g",))


def test_a_name_that_a_handler_reads_stays_in_its_cell() -> None:
    source = "try:\n    if c:\n        x = 1\n    risky()\nexcept E:\n    use(x)"
    assert plan(source, "c", "x")[2].nonlocals == ("x",)


@pytest.mark.parametrize(
    ("manager", "in_place"),
    [("lock", ("y",)), ("jax.named_scope('a')", ()), ("np.errstate(all='ignore')", ()), ("open(path)", ())],
)
def test_a_with_that_swallows_no_exception_needs_no_cell(manager: str, in_place: tuple[str, ...]) -> None:
    source = f"with {manager}:\n    if c:\n        y = 1\n    else:\n        y = 2\nreturn y"
    assert plan(source, "c")[2].nonlocals == in_place


def test_names_written_only_in_place_are_anchored() -> None:
    source = "def f(): return n\nif c:\n    n = 1\nelse:\n    n = 2\nreturn f()"
    assert plans.plan(body(source), ["c"]).anchors == ("n",)


def test_a_name_that_the_function_assigns_itself_needs_no_anchor() -> None:
    assert plans.plan(body("n = 0\ndef f(): return n\nif c:\n    n = 1"), ["c"]).anchors == ()


def test_nonlocal_names_belong_to_the_enclosing_function() -> None:
    found = plans.plan(body("nonlocal n\nif c:\n    n = 1"), ["c"])
    assert (found.anchors, found.outer) == ((), frozenset({"n"}))


@pytest.mark.parametrize(
    ("source", "expected"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", ""), ("a[0]", ""), ("1", "")]
)
def test_dotted_names(source: str, expected: str) -> None:
    (statement,) = body(source)
    assert trees.dotted(statement.value) == expected
