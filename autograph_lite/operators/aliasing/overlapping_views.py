"""Overlap: what is said where NumPy would know an array that is written by another name, too?"""

from __future__ import annotations

import inspect
import types
from typing import Any

LATER = {True: "is read later", False: "outlives the call"}
WHY = "An array is a value to a compiled program: the change would be seen under one of the names only."


def held_attribute(owner: Any, attribute: str) -> Any:
    """An attribute that an object holds: a property may compute another array at each time."""
    held = inspect.getattr_static(owner, attribute, None)
    return getattr(owner, attribute) if isinstance(held, types.MemberDescriptorType) else held
