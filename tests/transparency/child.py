"""Which of CPython's tests fail on these modules? Runs in a process of its own, as a report in JSON.

python -m tests.transparency.child TARGET REPORT.json [--convert] [--without=PATTERN ...]
python -m tests.transparency.child --serve     # runs each line of its input in a fork, with the converter imported
"""

from __future__ import annotations

import fnmatch
import importlib
import json
import os
import sys
import traceback
import unittest
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from .modules import TARGETS


def main(name: str, report: str, *, convert: bool, without: Sequence[str] = ()) -> None:
    """Runs the target's test modules, but for tests of these patterns, and writes what failed."""
    target = TARGETS[name]
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
    replaced = None
    if convert:
        from .replacing import convert_on_import

        replaced = convert_on_import(target.modules)
    _import_afresh(target.modules)
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromName(f"test.{test}") for test in target.tests
    )
    if without:
        kept = [t for t in _tests(suite) if not any(fnmatch.fnmatchcase(t.id(), each) for each in without)]
        suite = unittest.TestSuite(kept)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
    failures = {test.id(): text for test, text in [*result.failures, *result.errors]}
    failures |= {test.id(): "passed, though marked as failing" for test in result.unexpectedSuccesses}
    counts = {"functions": len(replaced.functions), "refused": replaced.refused} if replaced else {}
    Path(report).write_text(json.dumps({"run": result.testsRun, "failures": failures, **counts}))


def _tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _tests(each)
        else:
            yield each


def _import_afresh(names: tuple[str, ...]) -> None:
    """Runs the source of these modules again, keeping submodules that were imported before."""
    for name in names:
        sys.modules.pop(name, None)
    for name in names:
        module = importlib.import_module(name)
        for other in [
            key for key in sys.modules if key.startswith(name + ".") and key.count(".") == name.count(".") + 1
        ]:
            setattr(module, other.rpartition(".")[2], sys.modules[other])


def _of_command(name: str, report: str, *options: str) -> None:
    left_out = [each.partition("=")[2] for each in options if each.startswith("--without=")]
    main(name, report, convert="--convert" in options, without=left_out)


def serve() -> None:
    """Runs commands, each in a fork of this process: to import JAX and the converter takes longer than most tests."""
    importlib.import_module(f"{__package__}.replacing")
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            _in_fork(*json.loads(line))
        os.waitpid(child, 0)
        print("ended", flush=True)


def _in_fork(folder: str, variables: dict[str, str], command: Sequence[str]) -> NoReturn:
    """Runs a command as a process of its own would that began in the folder, where its output goes."""
    os.chdir(folder)
    os.environ.update(variables)
    sys.path[0] = folder
    sys.stdin = Path(os.devnull).open()
    output = os.open("output.txt", os.O_CREAT | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        _of_command(*command)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    serve() if sys.argv[1] == "--serve" else _of_command(*sys.argv[1:])
