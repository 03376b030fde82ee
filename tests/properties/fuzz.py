"""How many random programs does the converter get right? Runs them for as long as asked, and counts.

    python -m tests.properties.fuzz --programs 20000 --seed 0 --out findings
    python -m tests.properties.fuzz --minutes 30 --mix jumps --no-stage
    python -m tests.properties.fuzz --minutes 30 --mutate

With `--mutate` the programs are real functions, of the standard library, the examples and the benchmarks, that were
changed in a few places (`mutants.py`).

Program number N of a mix depends on N and on the mix alone: `--seed N --programs 1 --mix jumps --show`
prints it again.
"""

from __future__ import annotations

import argparse
import collections
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

# A compiled loop that does not end cannot be interrupted from Python; `running.txt` holds its program.
STUCK_AFTER = 300.0


def main(arguments: list[str] | None = None) -> int:
    """Runs the programs; 1 if any of them is a finding."""
    options = _options(arguments)
    out = Path(options.out)
    mixes = options.mix or list(mutants.MIXES if options.mutate else MIXES)
    total, started, ended = Report(), time.monotonic(), False
    kinds = collections.Counter[str]()
    programs = options.programs or (1000 if options.minutes is None else sys.maxsize)
    for number in range(options.seed, options.seed + programs):
        mix = mixes[number % len(mixes)]
        program = _program(mix, number)
        if options.show:
            print(program.source, *program.inputs, sep="\n")
        out.mkdir(parents=True, exist_ok=True)
        (out / "running.txt").write_text(f"--mix {mix} --seed {number} --programs 1\n{program.source}")
        faulthandler.dump_traceback_later(STUCK_AFTER, exit=True)
        comparison = _comparison(mix)
        report = comparison(program, stage=not options.no_stage, batch=number % 10 == 0)
        if number % 10 == 1 and mix in MIXES and not options.no_stage:
            report.add(compare_derivatives(program))
        faulthandler.cancel_dump_traceback_later()
        for finding in report.findings[:1]:
            kind = f"{finding.form}: {sort_of(finding) or 'another run than in Python'}"
            kinds[kind] += 1
            # A few of a kind are enough to read; making them smaller takes longer than finding them.
            _save(out, mix, number, finding, shrink=not options.no_shrink and kinds[kind] <= 3)
        total.add(report)
        ended = options.minutes is not None and time.monotonic() - started > 60 * options.minutes
        if ended or (number + 1 - options.seed) % 200 == 0:
            _print(total, kinds, time.monotonic() - started)
        if ended:
            break
    if not ended:
        _print(total, kinds, time.monotonic() - started)
    return 1 if total.findings else 0


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


def _print(total: Report, kinds: collections.Counter[str], seconds: float) -> None:
    """Prints the counts so far."""
    print(f"== {total.counts['programs']} programs in {seconds:.0f} s, {len(total.findings)} findings")
    for title, counts in (("runs", total.counts), ("refusals", total.refusals), ("findings", kinds)):
        print(f"  {title}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
