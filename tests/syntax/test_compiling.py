"""Are texts parsed from several threads at once, whatever other code parses meanwhile?"""

from __future__ import annotations

import ast
import contextlib
import gc
import pathlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from autograph_lite.syntax.source_text import compiling

MISMATCH = "AST constructor recursion depth mismatch (before=129, after=127)"


class Garbage:
    """What only the collector frees, and what runs Python when it is freed: there threads may switch."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        for _ in range(2000):
            pass


@pytest.fixture
def collecting():
    """Garbage is collected at nearly each allocation."""
    before = gc.get_threshold()
    gc.set_threshold(3)
    yield
    gc.set_threshold(*before)


def test_threads_parse_at_once(collecting):
    """Python before 3.11.8 raises SystemError here for `ast.parse` itself (python/cpython#106905)."""
    text = pathlib.Path(__file__).read_text()
    depth_of = {}

    def parse(depth):
        nested = f"{'(x + ' * depth}1{')' * depth}"
        for _ in range(10):
            Garbage()
            if depth % 2:  # somebody else's code, which no lock of ours holds back
                with contextlib.suppress(SystemError):
                    ast.parse(nested + "\n" + text)
            else:
                depth_of[depth] = ast.dump(compiling.parse(nested + "\n" + text)).count("Add()")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(parse, range(16)))
    extra = ast.dump(ast.parse(text)).count("Add()")
    assert depth_of == {depth: depth + extra for depth in range(0, 16, 2)}


def test_a_mismatch_is_asked_again(monkeypatch):
    parse = ast.parse
    answers = iter([SystemError(MISMATCH), SystemError(MISMATCH)])

    def mismatched(*args):
        for error in answers:
            raise error
        return parse(*args)

    monkeypatch.setattr(ast, "parse", mismatched)
    assert ast.unparse(compiling.parse("x=1")) == "x = 1"


def test_another_system_error_is_raised_in_the_end(monkeypatch):
    def broken(*args):
        raise SystemError("broken")

    monkeypatch.setattr(ast, "parse", broken)
    with pytest.raises(SystemError, match="broken"):
        compiling.parse("x = 1")
