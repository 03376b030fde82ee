from __future__ import annotations

import gast
import pytest

from autograph_lite.analysis.exits import always_jumps, always_returns, jumps_out, until_of
from tests.analysis.reading import body, names


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", ""),
        ("if c: break", "break"),
        ("if c: break\nelse: return", "break return"),
        ("for x in xs: break", ""),
        ("for x in xs: continue", ""),
        ("for x in xs: return x", "return"),
        ("for x in xs: pass\nelse: break", "break"),
        ("while c:\n    for x in xs: break\n    continue", ""),
        ("with f(): continue", "continue"),
        ("try: break\nexcept E: continue\nfinally: return", "break continue return"),
        ("match k:\n    case 0: return 1\n    case _: break", "break return"),
        ("def f(): return 1", ""),
        ("raise E", ""),
    ],
)
def test_escapes_are_the_jumps_that_leave_the_block(source: str, expected: str) -> None:
    assert names(jumps_out(body(source))) == expected


@pytest.mark.parametrize(
    ("source", "jumps", "returns"),
    [
        ("x = 1", False, False),
        ("return x", True, True),
        ("break", True, False),
        ("if c: return 1", False, False),
        ("if c: return 1\nelse: return 2", True, True),
        ("if c: return 1\nelif d: continue\nelse: return 2", True, False),
        ("for x in xs: return x", False, False),
        ("raise E", False, False),
        ("return 1\nx = 2", False, False),
    ],
)
def test_no_path_falls_off_the_end(source: str, jumps: bool, returns: bool) -> None:
    assert (always_jumps(body(source)), always_returns(body(source))) == (jumps, returns)


def test_until_of_a_lowered_loop_gives_its_test_and_its_iterable() -> None:
    (loop,) = body("for x in ag.until(lambda: stop, xs): pass")
    test, iterable = until_of(loop)
    assert (gast.unparse(test).strip(), gast.unparse(iterable).strip()) == ("stop", "xs")


def test_until_of_any_other_loop_gives_no_test() -> None:
    (loop,) = body("for x in until(xs): pass")
    assert until_of(loop) == (None, loop.iter)
