"""What is a line of a text that a report shows? What it says, and the places in the user's files that it stands for."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

Place: TypeAlias = tuple[str, int]  # file and line


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of source, of generated code, or of a program."""

    text: str  # without its end
    # the lines of the user's that it stands for; lines of other texts with one of these are its counterparts
    places: frozenset[Place] = frozenset()
