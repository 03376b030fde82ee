"""What belongs to a thread, or to a trace on it, is held in few places: where else would one look for what is known there?"""

from __future__ import annotations

import ast
import threading

import pytest

from autograph_lite.tracing import Tracing, entered, thread
from tests.house.imports import PACKAGE


def test_there_are_at_most_six_classes_of_thread_locals() -> None:
    found = [
        node.name
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and "threading.local" in map(ast.unparse, node.bases)
    ]
    assert len(found) <= 6, found


def test_what_is_entered_is_left_by_an_exception_too() -> None:
    around = thread.now
    with pytest.raises(KeyError), entered(trial=True):
        with entered(carried=[1], left=True):
            assert (thread.now.trial, thread.now.carried, thread.now.left) == (True, [1], True)
        assert (thread.now.trial, thread.now.carried, thread.now.left) == (True, None, False)
        raise KeyError
    assert thread.now is around


def test_what_is_not_entered_is_shared_with_what_is_around() -> None:
    with entered(calls=[]):
        with entered(trial=True):
            thread.now.calls.append(1)
        assert thread.now.calls == [1]


def test_what_is_left_late_changes_nothing() -> None:
    around = thread.now
    outer, inner = entered(trial=True), entered(left=True)
    outer.__enter__()
    inner.__enter__()
    outer.__exit__()
    assert thread.now is around
    with entered(folding=False):
        inside = thread.now
        inner.__exit__()
        assert thread.now is inside
    assert thread.now is around


def test_a_thread_begins_with_nothing() -> None:
    seen: list[Tracing] = []
    with entered(trial=True, journals=[object()]):
        other = threading.Thread(target=lambda: seen.append(thread.now))
        other.start()
        other.join()
    assert seen == [seen[0]] and (seen[0].trial, seen[0].journals) == (False, [])


def test_only_what_a_trace_knows_can_be_entered() -> None:
    with pytest.raises(AssertionError), entered(trail=True):
        pass
