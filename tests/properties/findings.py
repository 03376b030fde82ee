"""What does a comparison report: counts, refusals, disagreements?"""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np

import autograph_lite

from .programs import Program
from .running import loaded


@dataclasses.dataclass(frozen=True)
class Finding:
    """One disagreement: `form` is how the program ran, `detail` what differed."""

    form: str
    detail: str
    program: Program
    inputs: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            [
                f"--- {self.form}: {self.detail}",
                f"inputs: {self.inputs!r}",
                self.program.source,
                "generated code:",
            ]
            + [_generated(self.program)]
        )


@dataclasses.dataclass
class Report:
    """Counts of programs, runs and refusals, and the findings."""

    counts: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    refusals: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    findings: list[Finding] = dataclasses.field(default_factory=list)

    def add(self, other: Report) -> None:
        """Adds another program's report."""
        self.counts += other.counts
        self.refusals += other.refusals
        self.findings += other.findings


def _generated(program: Program) -> str:
    """The generated code, or why there is none."""
    with loaded(program.source, xp=np, note=lambda tag, value: value) as namespace:
        try:
            return str(autograph_lite.to_code(namespace["main"]))
        except Exception as error:
            return f"none: {type(error).__name__}: {error}"
