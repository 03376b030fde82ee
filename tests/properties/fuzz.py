"""How many random programs does the converter get right? Runs them for as long as asked, and counts.

    python -m tests.properties.fuzz --programs 20000 --seed 0 --out findings
    python -m tests.properties.fuzz --minutes 30 --mix jumps --no-stage
    python -m tests.properties.fuzz --minutes 30 --mutate

With `--mutate` the programs are real functions, of the standard library, the examples and the benchmarks, that were
changed in a few places (`mutants.py`).

It runs on all cores. Program number N of a mix depends on N and on the mix alone: `--seed N --programs 1 --mix jumps
--show` prints it again. What is found is made smaller, printed, and saved with the command that repeats it.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import faulthandler
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("AUTOGRAPH_LITE_CHECK", "1")

from . import mutants
from .choices import from_seed
from .compare import compare
from .compare_mutants import compare_mutant
from .derivatives import compare_derivatives
from .findings import Finding, Report
from .programs import MIXES, Program, generate
from .smaller import smaller, sort_of
from .workers import Died, results

# A compiled loop that does not end cannot be interrupted from Python; `running-PID.txt` holds its program.
STUCK_AFTER = 300.0
ENOUGH = 10**9  # programs, for as long as there is time


@dataclasses.dataclass(frozen=True)
class Result:
    """What one program gave, without the values: it comes from another process.

    Attributes:
      counts: of the runs.
      refusals: by kind.
      findings: the kind of each.
    """

    counts: collections.Counter[str]
    refusals: collections.Counter[str]
    findings: tuple[str, ...] = ()


@dataclasses.dataclass
class Work:
    """How one program is run."""

    options: argparse.Namespace
    kinds: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)

    def mix(self, number: int) -> str:
        """The mix of the program of this number."""
        mixes = self.options.mix or list(mutants.MIXES if self.options.mutate else MIXES)
        return str(mixes[number % len(mixes)])

    def __call__(self, number: int) -> Result:
        """Runs the program of this number in all of its forms, and saves what is found."""
        options, mix = self.options, self.mix(number)
        program = _program(mix, number)
        if options.show:
            print(program.source, *program.inputs, sep="\n")
        out = Path(options.out)
        out.mkdir(parents=True, exist_ok=True)
        running = out / f"running-{os.getpid()}.txt"
        running.write_text(f"--mix {mix} --seed {number} --programs 1\n{program.source}")
        faulthandler.dump_traceback_later(STUCK_AFTER, exit=True)
        turn = number // 10  # so that each of the mixes has its turn, and a number always the same
        report = _comparison(mix)(program, stage=not options.no_stage, batch=turn % 5 == 0)
        if turn % 5 == 1 and mix in MIXES and not options.no_stage:
            report.add(compare_derivatives(program))
        faulthandler.cancel_dump_traceback_later()
        found = []
        for finding in report.findings[:1]:
            kind = f"{finding.form}: {sort_of(finding) or 'another run than in Python'}"
            found.append(kind)
            self.kinds[kind] += 1
            # A few of a kind are enough to read; making them smaller takes longer than finding them.
            _save(out, mix, number, finding, shrink=not options.no_shrink and self.kinds[kind] <= 3)
        running.unlink()
        return Result(report.counts, report.refusals, tuple(found))


class Tally:
    """What all programs gave so far."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.counts, self.refusals, self.findings = (collections.Counter[str]() for _ in range(3))

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    def add(self, result: Result) -> None:
        """Counts one program."""
        self.counts += result.counts
        self.refusals += result.refusals
        self.findings.update(result.findings)

    def print(self) -> None:
        """Prints the counts."""
        print(
            f"== {self.counts['programs']} programs in {self.seconds:.0f} s, {self.findings.total()} findings"
        )
        for title in ("counts", "refusals", "findings"):
            counts = sorted(getattr(self, title).items())
            print(f"  {title}: " + ", ".join(f"{name} {count}" for name, count in counts))
        sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Runs the programs; 1 if any of them is a finding."""
    options = _options(arguments)
    work, tally = Work(options), Tally()
    programs = options.programs or (1000 if options.minutes is None else ENOUGH)
    numbers = range(options.seed, options.seed + programs)
    workers = 1 if options.show else min(options.workers, programs)
    outcomes = map(work, numbers) if workers == 1 else results(work, numbers, workers)
    for count, outcome in enumerate(outcomes, 1):
        tally.add(_died(work, outcome) if isinstance(outcome, Died) else outcome)
        if options.minutes is not None and tally.seconds > 60 * options.minutes:
            break
        if count % 200 == 0 and count < programs:
            tally.print()
    tally.print()
    return 1 if tally.findings else 0


def _died(work: Work, died: Died) -> Result:
    """What a program that has ended its process counts as."""
    mix, text = work.mix(died.number), f"--- the process ended with {died.code}"
    command = f"python -m tests.properties.fuzz --mix {mix} --seed {died.number} --programs 1"
    print(f"{command}\n{text}", flush=True)
    Path(work.options.out, f"{mix}-{died.number}.txt").write_text(
        f"{command}\n{text}\n{_program(mix, died.number).source}"
    )
    return Result(collections.Counter(programs=1), collections.Counter(), ("the process ended",))


def _program(mix: str, number: int) -> Program:
    """The program of this number, in this mix."""
    choices = from_seed(f"{mix}/{number}")
    return generate(choices, MIXES[mix]) if mix in MIXES else mutants.mutant(choices, mix)


def _comparison(mix: str) -> Callable[..., Report]:
    """How the programs of this mix are compared with plain Python."""
    return compare if mix in MIXES else compare_mutant


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.properties.fuzz", description="Runs random programs."
    )
    parser.add_argument("--programs", type=int, help="how many (default: 1000, or as many as time allows)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first program (default: 0)")
    parser.add_argument("--minutes", type=float, help="stop after this time")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one for each core)"
    )
    parser.add_argument(
        "--mix",
        action="append",
        choices=[*MIXES, *mutants.MIXES],
        help="only programs of this mix; may be repeated",
    )
    parser.add_argument("--mutate", action="store_true", help="run real functions with changes")
    parser.add_argument("--out", default="findings", help="folder for the findings (default: findings)")
    parser.add_argument("--no-stage", action="store_true", help="compare on Python values only")
    parser.add_argument(
        "--no-shrink", action="store_true", help="save findings as they are, not made smaller"
    )
    parser.add_argument("--show", action="store_true", help="print each program")
    return parser.parse_args(arguments)


def _save(out: Path, mix: str, number: int, finding: Finding, *, shrink: bool) -> None:
    """Writes one finding, made smaller, with the command that repeats it."""
    if shrink:
        finding = smaller(finding, comparison=_comparison(mix))
    command = f"python -m tests.properties.fuzz --mix {mix} --seed {number} --programs 1"
    text = f"{command}\n{finding}\n"
    (out / f"{mix}-{number}.txt").write_text(text)
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
