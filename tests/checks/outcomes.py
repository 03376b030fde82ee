"""What comes out of a call: a value or an exception, as plain Python and converted?"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import jax
import pytest

import autograph_lite


def outcome(fn: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    """The value that a call gives, or type, message and cause of what it raises."""
    try:
        value = fn(*args)
    except Exception as error:
        cause = error.__cause__
        return (
            type(error),
            str(error),
            None if cause is None else (type(cause), str(cause)),
            error.__suppress_context__,
        )
    return ("value", jax.tree.map(float, value))


def assert_like_python(fn: Callable[..., Any], *args: Any) -> None:
    """The converted `fn` gives and raises what `fn` does on the same arrays; a raise shows the same user lines."""
    assert outcome(autograph_lite.convert(fn), *args) == outcome(fn, *args)


def raised(kind: type[BaseException], fn: Callable[..., Any], *args: Any) -> BaseException:
    """What the call raises, which has to be of this very type."""
    with pytest.raises(kind) as caught:
        fn(*args)
    assert type(caught.value) is kind
    return caught.value


def lines(error: BaseException, path: str) -> list[tuple[str, str]]:
    """Function and text of the traceback's entries in a file, those of the test itself left out."""
    entries = traceback.extract_tb(error.__traceback__)
    shown = [(entry.name, entry.line or "") for entry in entries if entry.filename == path]
    return [entry for entry in shown if not entry[0].startswith("test_")]
