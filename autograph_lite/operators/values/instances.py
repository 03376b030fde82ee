"""Instances: what does an object hold in its attributes and slots? Found past the methods of its class."""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.operators.values.boxes import Box


def held_by(owner: Any) -> dict[Any, Any]:
    """What an object holds: its attributes, in slots or not."""
    return {**(attributes_of(owner) or {}), **slot_contents(owner)}


def attributes_of(owner: Any) -> dict[str, Any] | None:
    """The `__dict__` of an object, found without its own `__getattr__`; None where it has none."""
    if issubclass(type(owner), threading.local):  # one for each thread, which `object` does not know of
        return threading.local.__getattribute__(owner, "__dict__")  # type: ignore[no-any-return]
    try:
        found = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return found if isinstance(found, dict) else None


def reference_to(value: Any) -> Callable[[], Any]:
    """Gives an object, which is kept alive only where it can't be referenced weakly; None when it is gone."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def object_slots(owner: Any) -> dict[str, types.MemberDescriptorType]:
    """The slots of an object, by the names that it knows them under."""
    kind: type = type(owner)
    return slots_of(kind)


@functools.lru_cache(maxsize=1024)
def slots_of(kind: type) -> dict[str, types.MemberDescriptorType]:
    """The slots of a class's objects."""
    found: dict[str, types.MemberDescriptorType] = {}
    for base in reversed(kind.__mro__):
        slots = () if base in Box.ours else base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = (
                f"_{base.__name__.lstrip('_')}{name}"
                if name.startswith("__") and not name.endswith("__")
                else name
            )
            slot = base.__dict__.get(mangled)
            if isinstance(slot, types.MemberDescriptorType):
                found[mangled] = slot
    return found


def slot_contents(owner: Any) -> dict[Any, Any]:
    """What an object holds in its slots."""
    contents: dict[Any, Any] = {}
    for name, slot in object_slots(owner).items():
        try:
            contents[name] = slot.__get__(owner)
        except AttributeError:
            continue
    return contents
