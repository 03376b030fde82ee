"""Which CPython tests fail only when the module that they test is converted?

python -m tests.transparency.run               # all modules
python -m tests.transparency.run textwrap re   # these
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import fnmatch
import functools
import json
import os
import select
import signal
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
        report, output = Path(folder, "report.json"), Path(folder, "output.txt")
        command = [name, str(report), *options]
        if "--convert" in options:
            _serve(json.dumps([folder, variables, command]), seconds)
        else:
            with output.open("w") as file:
                subprocess.run(
                    [*CHILD, *command],
                    cwd=folder,
                    env=_environment(),
                    stdout=file,
                    stderr=file,
                    timeout=seconds,
                )
        if not report.exists():
            raise RuntimeError(f"the tests of {name} did not end\n{output.read_text()[-3000:]}")
        loaded: dict[str, Any] = json.loads(report.read_text())
        return loaded


CHILD = [sys.executable, "-m", "tests.transparency.child"]


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}


@functools.cache
def _server() -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    started = subprocess.Popen(
        [*CHILD, "--serve"], cwd=ROOT, env=_environment(), text=True, start_new_session=True, **pipes
    )
    atexit.register(_end, started)
    return started


def _end(server: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def _serve(line: str, seconds: float) -> None:
    server = _server()
    print(line, file=server.stdin, flush=True)
    if select.select([server.stdout], [], [], seconds)[0]:
        server.stdout.readline()
        return
    _end(server)
    _server.cache_clear()
    raise subprocess.TimeoutExpired(line, seconds)


def main(names: list[str]) -> int:
    """Prints a line per module and the new failures; 1 if there are any."""
    failed = 0
    for name in names or TARGETS:
        try:
            result = run(name, light=config.light_bodies())
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
