"""Do NumPy programs with loops, converted, run as fast as what an expert writes in `lax`?

    python -m benchmarks.bench_arrays [--only NAME ...] [--quick] [--unrolled SECONDS] [--write]

`--quick` takes fewer rounds; `--unrolled` also measures each program without staged loops, for so many seconds at
most; `--write` puts the tables into `benchmarks/arrays/README.md` and the project's README.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import jax

from benchmarks.arrays import report, unrolled
from benchmarks.arrays.catalogue import CASES, ROOT
from benchmarks.arrays.measuring import Measured, measure

ROUNDS, QUICK = (50, 5), (15, 2)  # how often programs are run, and compiled
END = "<!-- end of figures -->"
README = ROOT / "README.md"


def measured(names: Sequence[str], often: tuple[int, int], seconds: float) -> list[Measured]:
    """The figures of the programs with these names; all without names."""
    rows = []
    for case in CASES:
        if names and case.name not in names:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row = measure(case, rounds=often[0], compiles=often[1])
        if seconds:
            row.unrolled = unrolled.measure(case.name, seconds)
        print(report.full([row]).splitlines()[-1], flush=True)
        rows.append(row)
        jax.clear_caches()
    return rows


def write(rows: Sequence[Measured]) -> None:
    """Writes the full table below the mark in this folder's README, the short one between the marks of the project's."""
    found = report.summary(rows)
    report.write_below("benchmarks/arrays/README.md", found, report.full(rows))
    before, _, rest = README.read_text().partition(report.MARK)
    after = rest.partition(END)[2]
    short = report.figures_of_run(found, report.short(rows))
    README.write_text(f"{before}{report.MARK}\n\n{short}\n\n{END}{after}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, prints, and writes where asked to."""
    parser = argparse.ArgumentParser(prog="bench_arrays")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", choices=[c.name for c in CASES])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--unrolled", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args(arguments)
    rows = measured(chosen.only, QUICK if chosen.quick else ROUNDS, chosen.unrolled)
    print("\n".join(report.summary(rows)))
    if chosen.write:
        write(rows)


if __name__ == "__main__":
    main()
