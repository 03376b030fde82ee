"""Are trees compiled whose nodes have no location, a broken one, or lie too deep?"""

from __future__ import annotations

import ast
import sys
import threading

import pytest

from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.origins import locate


def span(node: ast.expr) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def test_node_without_location_takes_that_of_the_node_around_it():
    outer = ast.Expr(ast.Name("x", ast.Load()), lineno=3, col_offset=4, end_lineno=3, end_col_offset=9)
    locate(ast.Module([outer], []))
    assert span(outer.value) == (3, 4, 3, 9)


@pytest.mark.parametrize("end", [{}, {"end_lineno": None}, {"end_lineno": 2, "end_col_offset": 9}])
def test_range_without_a_valid_end_becomes_empty(end: dict[str, int | None]):
    node = ast.Name("x", ast.Load(), lineno=3, col_offset=4, **end)
    locate(node)
    assert span(node) == (3, 4, 3, 4)


def test_valid_location_is_kept():
    node = ast.Name("x", ast.Load(), lineno=3, col_offset=4, end_lineno=4, end_col_offset=0)
    locate(node)
    assert span(node) == (3, 4, 4, 0)


def test_recursion_limit_is_as_before_after_an_error():
    limit = sys.getrecursionlimit()
    with pytest.raises(KeyError), deep_recursion():
        assert sys.getrecursionlimit() > limit
        raise KeyError
    assert sys.getrecursionlimit() == limit


def test_recursion_limit_stays_high_until_the_last_thread_is_done():
    limit = sys.getrecursionlimit()
    inside, leave = threading.Event(), threading.Event()

    def walk() -> None:
        with deep_recursion():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=walk)
    with deep_recursion():
        thread.start()
        inside.wait(10)
    assert sys.getrecursionlimit() > limit
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == limit
