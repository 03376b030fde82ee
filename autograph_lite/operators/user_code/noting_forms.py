"""Noting forms: which forms of converted functions note what they change before they run, and what do these stand for?"""

from __future__ import annotations

import types
import weakref
from typing import Any

_noting: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()


def stands_for(form: Any, fn: types.FunctionType) -> Any:
    """`form`, which is remembered as a form of `fn` that notes what it changes."""
    _noting[form] = fn
    return form


def plain(fn: types.FunctionType) -> types.FunctionType:
    """The converted function that a form which notes what it changes stands for; any other function itself."""
    return _noting.get(fn, fn)
