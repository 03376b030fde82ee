from __future__ import annotations

import pytest

from autograph_lite.analysis.liveness import liveness
from tests.analysis.reading import body, facts, names


@pytest.mark.parametrize(
    ("source", "live_in", "live_out", "live_body"),
    [
        # What is overwritten on both sides is not live before.
        ("if c:\n    y = 1\nelse:\n    y = 2\nreturn y", "c", "y", ""),
        ("if c:\n    y = 1\nreturn y", "c y", "y", "y"),
        ("if c:\n    y = y + x\nreturn y", "c x y", "y", "x y"),
        ("if c:\n    t = 1\nreturn 0", "c", "", ""),
        ("if c:\n    x[i] = 1", "c i x", "", "i x"),
        ("if c:\n    x += 1", "c x", "", "x"),
        ("if c:\n    (y := a)\nreturn y", "a c y", "y", "a y"),
        # A loop reads at its head what an iteration leaves for the next one.
        ("while i < n:\n    i += 1\nreturn i", "i n", "i", "i n"),
        ("while c:\n    t = f(x)\n    x = g(t)\nreturn x", "c f g x", "x", "c f g x"),
        ("for x in xs:\n    s = s + x\nreturn s", "s xs", "s", "s"),
        ("for x in xs:\n    y = x\nreturn 0", "xs", "", ""),
        ("for x in ag.until(lambda: stop, xs):\n    stop = x", "stop xs", "", "stop"),
        ("for x in xs:\n    x = x + 1\nreturn x", "x xs", "x", "x"),
    ],
)
def test_facts_of_one_statement(source: str, live_in: str, live_out: str, live_body: str) -> None:
    assert facts(source)[1] == (live_in, live_out, live_body)


def test_a_value_goes_round_an_outer_loop() -> None:
    source = """
        while c:
            if d:
                x = a
            else:
                b = x
        return b
    """
    assert facts(source)[2] == ("a b c d x", "a b c d x", "a b c d x")


def test_what_a_handler_reads_is_live_throughout_the_body() -> None:
    source = """
        try:
            if c:
                x = 1
            x = 2
        except E:
            use(x)
    """
    assert facts(source)[2] == ("E c use x", "E use x", "E use x")


def test_without_a_handler_the_same_name_is_dead() -> None:
    assert facts("if c:\n    x = 1\nx = 2")[1] == ("c", "", "")


def test_deleting_a_name_needs_it() -> None:
    assert facts("if c:\n    x = 1\ndel x")[1] == ("c x", "x", "x")


def test_captured_names_are_live_everywhere() -> None:
    statements = body("if c:\n    x = 1\nx = 2")
    found, _ = liveness(statements, frozenset({"x"}))
    assert names(found[statements[0]].live_out) == "x"


def test_a_return_ends_what_is_live() -> None:
    assert facts("if c:\n    return a\nelse:\n    y = 1\nuse(y)")[1] == ("a c use", "use y", "a use")


def test_names_rescued_by_a_handler_or_after_a_with() -> None:
    statements = body("try:\n    x = 1\nexcept E:\n    use(x)\nwith m:\n    y = 1\nreturn y")
    _, rescued = liveness(statements)
    assert [names(rescued[s]) for s in statements[:2]] == ["E m use x y", "y"]


def test_work_grows_linearly_with_nesting() -> None:
    depth = 60
    source = "".join("    " * i + f"while c{i}:\n" for i in range(depth)) + "    " * depth + "x = x + 1"
    assert len(facts(source)) == depth
