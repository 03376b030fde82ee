"""Are the trees those that gast's own functions give, and do nodes without a place, or with a broken one, get a valid one?"""

from __future__ import annotations

import ast
import os

import gast
import pytest

from autograph_lite.syntax.depth import deep_recursion
from autograph_lite.syntax.translation import to_gast, to_python
from tests.syntax.stdlib import FILES, parsed


def test_trees_of_the_standard_library_are_those_of_gast():
    seen = 0
    with deep_recursion():
        for path in FILES[:: 1 if os.environ.get("AUTOGRAPH_LITE_FULL") else 48]:
            tree = parsed(path)
            if tree is None:
                continue
            seen += 1
            expected, found = gast.ast_to_gast(tree), to_gast(tree)
            assert gast.dump(found, include_attributes=True) == gast.dump(
                expected, include_attributes=True
            ), path
            back = to_python(found)
            assert ast.dump(back, include_attributes=True) == ast.dump(tree, include_attributes=True), path
    assert seen > 10


EVERY_KIND_OF_NAME = """
def f(a: int, /, b=1, *args: str, c, d=2, **kwargs: float) -> None:
    global g
    try:
        import os.path as p, sys
    except* (ValueError, KeyError) as error:
        del error
    match a:
        case {"k": 1, **rest} | [1, *rest] | Point(x=rest) as whole if rest:
            pass
    with open(a) as (x, y), open(b): ...
    return lambda *v, k=3: (yield)
try: ...
except: ...
async def h(): return [i async for i in a if not i]
x: int
(y): str = f"{a!r:>{b}}"
"""


def test_every_kind_of_name_comes_back():
    tree = ast.parse(EVERY_KIND_OF_NAME)
    assert gast.dump(to_gast(tree)) == gast.dump(gast.ast_to_gast(tree))
    assert ast.dump(to_python(to_gast(tree)), include_attributes=True) == ast.dump(
        tree, include_attributes=True
    )


def test_the_given_tree_is_not_changed():
    tree = ast.parse(EVERY_KIND_OF_NAME)
    before = ast.dump(tree, include_attributes=True)
    given = to_gast(tree)
    shown = gast.dump(given, include_attributes=True)
    to_python(given, (7, 0, 7, 0))
    assert ast.dump(tree, include_attributes=True) == before
    assert gast.dump(given, include_attributes=True) == shown


def span(node: ast.AST) -> tuple[int, int, int | None, int | None]:
    assert isinstance(node, ast.expr)
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def name(**place: int | None) -> gast.Name:
    node = gast.Name("x", gast.Load(), None, None)
    node.__dict__.update(place)
    return node


def test_node_without_a_place_takes_that_of_the_node_around_it():
    outer = gast.Expr(name())
    outer.lineno, outer.col_offset, outer.end_lineno, outer.end_col_offset = 3, 4, 3, 9
    expression = to_python(outer)
    assert isinstance(expression, ast.Expr)
    assert span(expression.value) == (3, 4, 3, 9)
    assert not hasattr(outer.value, "lineno")


def test_node_without_a_place_around_takes_the_given_one():
    assert span(to_python(name(), (5, 0, 5, 0))) == (5, 0, 5, 0)


@pytest.mark.parametrize("end", [{}, {"end_lineno": None}, {"end_lineno": 2, "end_col_offset": 9}])
def test_range_without_a_valid_end_becomes_empty(end: dict[str, int | None]):
    assert span(to_python(name(lineno=3, col_offset=4, **end))) == (3, 4, 3, 4)


def test_valid_place_is_kept():
    assert span(to_python(name(lineno=3, col_offset=4, end_lineno=4, end_col_offset=0))) == (3, 4, 4, 0)
