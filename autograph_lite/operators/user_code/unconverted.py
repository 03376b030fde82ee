"""Unconverted functions: why was a function of the user's called as it is?"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite import config
from autograph_lite.errors import ConversionError
from autograph_lite.syntax.source_text import texts

_marked: weakref.WeakSet[Callable[..., Any]] = weakref.WeakSet()  # those that were logged
_reasons: weakref.WeakKeyDictionary[Callable[..., Any], ConversionError] = weakref.WeakKeyDictionary()


def is_textless(fn: types.FunctionType) -> bool:
    """Whether `fn` was made from text that Python has not kept, as `exec` makes functions."""
    path = fn.__code__.co_filename
    return path.startswith("<") and not path.startswith("<frozen") and not texts.is_known(path)


def remember(fn: Callable[..., Any], reason: ConversionError) -> None:
    """Keeps the reason for which `fn` is called as it is, and logs it."""
    _reasons[fn] = reason
    _log(fn, " ".join(sentences(reason)))


def note_marked(fn: Callable[..., Any]) -> None:
    """Logs, once, that a function is called as it is because it is marked so."""
    if config.verbosity() and fn not in _marked:
        _marked.add(fn)
        _log(fn, "It is marked with do_not_convert.")


def _log(fn: Callable[..., Any], why: str) -> None:
    if config.verbosity():
        code = getattr(fn, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
        config.log(1, "%s%s is not converted: %s", getattr(fn, "__qualname__", fn), place, why)


def why(fn: Callable[..., Any]) -> ConversionError | None:
    """The reason for which `fn` was called as it is; None where it was converted, or never met."""
    try:
        return _reasons.get(fn)
    except TypeError:  # it can't be hashed
        return None


def sentences(reason: ConversionError) -> list[str]:
    """What it says, and why, line by line."""
    return [reason.what, *reason.why.splitlines()]
