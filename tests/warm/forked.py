"""How is a Python program run as if by a new process, without the two seconds that importing JAX takes?

A process that has imported JAX and autograph_lite, and has done nothing with them, forks itself for each program. Flags that are
read when JAX is imported need a process of their own.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Runner:
    """Runs programs, each in a fork of one process."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None

    def run(self, path: Path, *arguments: str) -> str:
        """What a program prints; AssertionError, with its errors, where it fails."""
        if self._server is None:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "tests.warm.forked"],
                env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps([str(path), *arguments]) + "\n")
        self._server.stdin.flush()
        code, out, err = json.loads(self._server.stdout.readline())
        assert code == 0, err
        return str(out)

    def close(self) -> None:
        """Ends the process."""
        if self._server is not None:
            self._server.communicate()
            self._server = None


def _run(path: str, *arguments: str) -> None:
    sys.path[0] = str(Path(path).parent)
    sys.argv = [path, *arguments]
    runpy.run_path(path, run_name="__main__")


def _forked(command: list[str], out: Any, err: Any) -> int:
    """The exit code of a program; both files have then what it has printed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        for number, file in ((1, out), (2, err)):
            os.dup2(file.fileno(), number)
        _run(*command)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    import autograph_lite  # noqa: F401  # and JAX with it

    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            code = _forked(json.loads(line), out, err)
            texts = [file.seek(0) or file.read() for file in (out, err)]
        print(json.dumps([code, *texts]), flush=True)


if __name__ == "__main__":
    _serve()
