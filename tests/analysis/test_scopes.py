from __future__ import annotations

import gast
import pytest

from autograph_lite.analysis import scopes
from tests.analysis.reading import body, names


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", "x"),
        ("b = a = 1", "b a"),
        ("a, (b, *c) = xs", "a b c"),
        ("x.y = x[0] = 1", ""),
        ("x += 1", "x"),
        ("x: int = 1", "x"),
        ("use((x := 1), y)", "x"),
        ("import a.b, c as d", "a d"),
        ("from m import a as b, c", "b c"),
        ("for i, j in xs: k = i", "i j k"),
        ("with f() as (a, b): c = 1", "a b c"),
        ("try: a = 1\nexcept E as e: b = 2\nelse: c = 3\nfinally: d = 4", "a e b c d"),
        ("match v:\n    case [a, *b]: pass\n    case {'k': c}: pass\n    case K(d): pass", "a b c d"),
        ("def f(x=(y := 1)): z = 1", "y f"),
        ("class C(B): z = 1", "C"),
        ("xs = [last := i for i in ys]", "last xs"),
        ("f = lambda a=(b := 1): a", "b f"),
        ("del x", ""),
    ],
)
def test_bound_names_come_in_the_order_of_their_binding(source: str, expected: str) -> None:
    assert scopes.bound(body(source)) == expected.split()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = y + 1", "y"),
        ("x += y", "x y"),
        ("x[i] = v", "i v x"),
        ("x.a = 1", "x"),
        ("del x", ""),
        ("f = lambda a: a + b", "a b"),
        ("def f():\n    return free", "free"),
    ],
)
def test_read_names_include_those_of_nested_functions(source: str, expected: str) -> None:
    (statement,) = body(source)
    assert names(scopes.names_read(statement)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a):\n    b = a + c\n    return b", "c"),
        ("def f(a=d): return a", ""),
        ("f = lambda a: a + c", "c"),
        ("class C:\n    def f(self): return c", "c"),
        ("class C:\n    use(c)", "c use"),
        ("def f():\n    nonlocal n\n    n = 1", "n"),
        ("def f():\n    global g\n    return g", ""),
        ("def f():\n    return lambda: deep", "deep"),
        ("g = (x + c for x in xs)", "c xs"),
        ("total = sum(x + c for x in xs)", ""),
        ("text = ', '.join(x + c for x in xs)", ""),
        ("xs = [x + c for x in ys]", ""),
        ("xs = [lambda: c for x in ys]", "c"),
        ("sum(f(lambda: c) for x in xs)", "c"),
        ("for i in ag.until(lambda: stop, xs): pass", ""),
        ("x = ag.update_item(x, (i,), '+=', lambda: v)", ""),
    ],
)
def test_captured_names_are_those_that_somebody_may_read_later(source: str, expected: str) -> None:
    assert names(scopes.captured(body(source))) == expected


def test_parameters_come_in_the_order_of_the_signature() -> None:
    (function,) = body("def f(a, /, b, *args, c, d=1, **kw): pass")
    assert scopes.parameter_names(function.args) == ["a", "b", "c", "d", "args", "kw"]


def test_own_nodes_leave_out_the_insides_of_nested_scopes() -> None:
    nodes = scopes.own_nodes(body("def f(a=default):\n    inside\noutside"))
    assert [n.id for n in nodes if isinstance(n, gast.Name)] == ["default", "outside"]


def test_declarations_of_a_nested_function_are_its_own() -> None:
    source = "global g\ndef f():\n    global h\n    nonlocal n"
    assert names(scopes.declared(body(source), gast.Global)) == "g"
    assert names(scopes.declared(body(source), gast.Nonlocal)) == ""


def test_deleted_names_are_found_at_any_depth_of_statements() -> None:
    assert scopes.names_deleted(body("if c:\n    del x, y[0], z.a")) == {"x"}
