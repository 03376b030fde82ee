"""How many examples does a property test draw? As many as it says, and a share of them where random programs are fewer, too."""

from __future__ import annotations

import math
import os

import hypothesis

ALL = 1000
"""Random programs of a usual run; see `AUTOGRAPH_LITE_FUZZ_PROGRAMS`."""


def share(most: int) -> int:
    """The part of `most` examples that are drawn, at least two."""
    programs = int(os.environ.get("AUTOGRAPH_LITE_FUZZ_PROGRAMS") or ALL)
    return max(2, math.ceil(most * min(programs, ALL) / ALL))


def examples(most: int) -> hypothesis.settings:
    """Settings for that many examples, or for the part of them that is drawn."""
    return hypothesis.settings(max_examples=share(most))
