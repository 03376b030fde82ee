"""What does a comparison report: counts, refusals, disagreements?"""

from __future__ import annotations

import collections
import dataclasses
import traceback
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


def crash(error: BaseException) -> str:
    """One line for the exception, then the frames outside of JAX that it came through, the innermost ones."""
    message = str(error).strip().partition("\n")[0]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/jax/" not in f.filename]
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames[-6:]]
    return "\n".join([f"crashed: {type(error).__name__}: {message}", *lines])


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
