"""Runs all benchmarks, or those named: `python -m benchmarks [convert] [trace] [python] [rolled] [staged] [grad] [leaving] ...`.

python -m benchmarks --save python       adds what it gives to benchmarks/history/
python -m benchmarks --history python    shows what is kept there, and runs nothing
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import (
    bench_call,
    bench_convert,
    bench_grad,
    bench_leaving,
    bench_memory,
    bench_python,
    bench_rolled,
    bench_staged,
    bench_states,
    bench_trace,
    bench_warm,
    runs,
    table,
)

ALL = {
    "convert": bench_convert,
    "trace": bench_trace,
    "python": bench_python,
    "rolled": bench_rolled,
    "staged": bench_staged,
    "states": bench_states,
    "grad": bench_grad,
    "leaving": bench_leaving,
    "call": bench_call,
    "memory": bench_memory,
    "warm": bench_warm,
}


def main(arguments: list[str]) -> None:
    """Prints the tables of the benchmarks with these names; all without names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(ALL)}; all without")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--save", action="store_true", help="add the ratios to benchmarks/history/")
    what.add_argument("--history", action="store_true", help="show the ratios that are kept, and run nothing")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in ALL]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(ALL)}.")
    for name in asked.names or ALL:
        if asked.history:
            for title, rows in runs.tables(runs.read(name)):
                table.show(f"{name}, {title}", rows)
        elif asked.save:
            rows = ALL[name].measure()
            table.show(name, rows)
            runs.save(runs.entries(name, rows, runs.now()))
        else:
            ALL[name].main()


if __name__ == "__main__":
    main(sys.argv[1:])
