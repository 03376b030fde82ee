"""Is the recursion limit raised while trees are walked, and as before afterwards?"""

from __future__ import annotations

import sys
import threading

import pytest

from autograph_lite.syntax.depth import deep_recursion


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
