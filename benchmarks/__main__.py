"""Runs all benchmarks, or those named: `python -m benchmarks [convert] [trace] [python] [rolled] [staged] [grad] ...`."""

from __future__ import annotations

import sys

from benchmarks import (
    bench_call,
    bench_convert,
    bench_grad,
    bench_memory,
    bench_python,
    bench_rolled,
    bench_staged,
    bench_trace,
    bench_warm,
)

ALL = {
    "convert": bench_convert,
    "trace": bench_trace,
    "python": bench_python,
    "rolled": bench_rolled,
    "staged": bench_staged,
    "grad": bench_grad,
    "call": bench_call,
    "memory": bench_memory,
    "warm": bench_warm,
}


def main(names: list[str]) -> None:
    """Prints the tables of the benchmarks with these names; all without names."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"there is no benchmark {unknown[0]!r}; there are {', '.join(ALL)}.")
    for name in names or ALL:
        ALL[name].main()


if __name__ == "__main__":
    main(sys.argv[1:])
