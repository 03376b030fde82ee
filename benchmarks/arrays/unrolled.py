"""What does a program cost without staged loops? In a process of its own, which can be given up.

    python -m benchmarks.arrays.unrolled NAME

prints the time to trace and compile it, and that of a run over the hand-written version's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import jax

import autograph_lite
from benchmarks.arrays.catalogue import CASES, Case
from benchmarks.arrays.measuring import bound, compare


def measure(name: str, seconds: float) -> tuple[float, float] | str:
    """Compile time in ms and ratio of run times; or why there are none."""
    found = in_a_process("benchmarks.arrays.unrolled", [name], seconds)
    return found if isinstance(found, str) else (found[0], found[1])


def in_a_process(module: str, arguments: Sequence[str], seconds: float) -> Any:
    """What the module prints last, read as JSON; a text that says why not, after so many seconds at the latest."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"over {seconds:.0f} s"
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:80]
    return json.loads(done.stdout.splitlines()[-1])


def _form(case: Case, arrays: Any) -> Any:
    """The function as it is, if `jax.jit` takes it; else converted, which gives the same program where both can."""
    plain = bound(case.over_jax(), case)
    try:
        jax.make_jaxpr(plain)(*arrays)
        return plain
    except Exception:  # whatever a loop or an assignment to an item leads to
        return bound(autograph_lite.convert(case.over_jax(), static_loops="python"), case)


def main(name: str) -> None:
    """Measures one program."""
    warnings.simplefilter("ignore")
    (case,) = (case for case in CASES if case.name == name)
    arrays = case.given()
    found = compare(_form(case, arrays), bound(case.by_hand(), case), arrays, 3, 1, lambda _: None)
    print(json.dumps([found.ours.compile_ms, found.run]))


if __name__ == "__main__":
    main(sys.argv[1])
