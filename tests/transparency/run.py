"""Which CPython tests fail only when the module that they test is converted?

python -m tests.transparency.run               # all modules
python -m tests.transparency.run textwrap re   # these
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from autograph_lite import config

from .modules import INHERENT, INHERENT_IN_FULL, TARGETS

ROOT = Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Result:
    """What one module's tests did.

    Attributes:
      tests: how many ran.
      functions: how many functions were converted.
      refused: functions that were not, with the reason.
      inherent: those among the tests that fail which no conversion can pass.
      new_failures: tests that fail only with the converted module, with the end of their tracebacks.
    """

    tests: int
    functions: int
    refused: dict[str, str]
    inherent: list[str]
    new_failures: dict[str, str]


def run(name: str, seconds: float = 900.0, *, light: bool = True) -> Result:
    """Runs the tests of a target as it is and converted, each in a process of its own.

    Args:
      light: whether the converted functions have their light form, too, which runs where nothing is traced.
    """
    left_out = () if light else tuple(f"--without={pattern}" for pattern in TARGETS[name].long)
    plain = _child(name, seconds, *left_out)
    converted = _child(name, seconds, "--convert", *left_out, AUTOGRAPH_LITE_LIGHT=str(int(light)))
    new = {test: text for test, text in converted["failures"].items() if test not in plain["failures"]}
    if converted["run"] < plain["run"]:
        new["(missing)"] = f"{plain['run']} tests ran unconverted, {converted['run']} converted"
    patterns = [*INHERENT, *(INHERENT_IN_FULL if not light else ())]
    inherent = [test for test in new if any(fnmatch.fnmatchcase(test, pattern) for pattern in patterns)]
    new = {test: text for test, text in new.items() if test not in inherent}
    return Result(converted["run"], converted["functions"], converted["refused"], inherent, new)


@functools.cache
def _child(name: str, seconds: float, *options: str, **variables: str) -> dict[str, Any]:
    """The report of one process; it works in a folder of its own, as some tests write files."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        environment = os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}
        environment |= variables
        command = [sys.executable, "-m", "tests.transparency.child", name, str(report), *options]
        child = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
        if not report.exists():
            raise RuntimeError(
                f"the tests of {name} did not end\n{child.stdout[-500:]}\n{child.stderr[-3000:]}"
            )
        loaded: dict[str, Any] = json.loads(report.read_text())
        return loaded


def main(names: list[str]) -> int:
    """Prints a line per module and the new failures; 1 if there are any."""
    failed = 0
    for name in names or TARGETS:
        try:
            result = run(name, light=config.light())
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"{name}: {error}", flush=True)
            continue
        counts = (
            f"{result.tests} tests, {result.functions} functions converted, {len(result.refused)} refused"
        )
        failures = f"{len(result.new_failures)} new failures, {len(result.inherent)} inherent"
        print(f"{name}: {counts}, {failures}", flush=True)
        for function, why in result.refused.items():
            print(f"    refused {function}: {why}")
        for test, text in result.new_failures.items():
            print(f"    FAILED {test}\n" + "\n".join(f"        {line}" for line in text.splitlines()[-12:]))
        failed += bool(result.new_failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
