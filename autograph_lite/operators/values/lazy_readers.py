"""Lazy readers: what reads an array when an item is asked for, and not before?"""

from __future__ import annotations


class Lazy:
    """Base of what holds arrays and gives items of them later: who writes to one of them is told (see `array_paths`)."""

    kind: type = object  # the type that it stands for to those who know Python's only; `object` for others
