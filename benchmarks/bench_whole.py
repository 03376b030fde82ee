"""Do whole programs over NumPy, converted with nothing set, compile and run as well as with any setting, and by hand?

    python -m benchmarks.bench_whole [--only NAME ...] [--quick] [--write]

`--quick` takes fewer rounds; `--write` puts the table into `benchmarks/whole/README.md`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.arrays.report import write_below
from benchmarks.whole import report
from benchmarks.whole.catalogue import CASES
from benchmarks.whole.measuring import Row, measure

ROUNDS, QUICK = (20, 3), (7, 2)  # how often programs are run, and compiled
LIMIT = (300.0, 30.0)  # seconds for a program, and for it unrolled


def measured(names: Sequence[str], often: tuple[int, int]) -> list[Row]:
    """The figures of the programs with these names; all without names."""
    rows = []
    for case in CASES:
        if names and case.name not in names:
            continue
        rows.append(measure(case, often, LIMIT))
        print(report.full(rows[-1:]).splitlines()[-1], flush=True)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and writes where asked to."""
    parser = argparse.ArgumentParser(prog="bench_whole")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", choices=[c.name for c in CASES])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args(arguments)
    rows = measured(chosen.only, QUICK if chosen.quick else ROUNDS)
    print("\n".join(report.summary(rows)))
    if chosen.write:
        write_below("benchmarks/whole/README.md", report.summary(rows), report.full(rows))


if __name__ == "__main__":
    main()
