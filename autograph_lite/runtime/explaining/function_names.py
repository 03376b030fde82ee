"""Function names: what is a function called in what users read? By its name, or its class's if it is an object."""

from __future__ import annotations

import functools
from typing import Any


def name_of(fn: Any) -> str:
    """The name of a function, of what a `functools.partial` calls, or of the class of an object that can be called."""
    while isinstance(fn, functools.partial) and not hasattr(fn, "__name__"):
        fn = fn.func
    return str(getattr(fn, "__name__", type(fn).__name__))
