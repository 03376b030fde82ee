"""Which file does the command line show in these tests, and how is the command run?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograph_lite.cli import commands

MODEL = '''\
"""A user's file."""

import dataclasses
import functools

import jax.numpy as jnp

print("imported")


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def step(x, n=1):
    if x > 0:
        y = jnp.sin(x) * n
    else:
        y = -x
    return y


relu = lambda x: x if x > 0 else 0.0


@logged
def decorated(x):
    return x


@dataclasses.dataclass
class Model:
    weight: float = 2.0

    def loss(self, x):
        if x > 0:
            x = x * self.weight
        return x

    @staticmethod
    def double(x):
        return 2 * x

    @classmethod
    def named(cls, x):
        return x

    @property
    def size(self):
        return 1

    def __secret(self):
        return 1

    alias = loss


class Empty:
    pass


model = Model()
SIZE = 3
exec("def made(x): return x")

if __name__ == "__main__":
    raise SystemExit("run as a script")
'''

Run = Callable[..., tuple[int, str, str]]
RunProcess = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs the command in a folder with the user's file `model.py`; gives exit code, stdout and stderr."""
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)

    def run(*arguments: str, command: str = "to-code") -> tuple[int, str, str]:
        code = commands.main([command, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    yield run
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run_process(tmp_path: Path) -> RunProcess:
    """Runs `python -m autograph_lite` in the folder of the user's file, in a process of its own."""
    (tmp_path / "model.py").write_text(MODEL)

    def run_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        root = str(Path(__file__).parents[2])
        return subprocess.run(
            [sys.executable, "-m", "autograph_lite", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": root} | environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run_process
