"""Where do the tests get the examples from? Those of an absent library are skipped, and pytest says which."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "ecosystem"


def load(name: str, *libraries: str) -> Any:
    """The example as a module; as Python does for a script, it imports its neighbours by their bare names."""
    for library in libraries:
        pytest.importorskip(library, reason=f"{library} is not installed (the extra `ecosystem`)")
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return importlib.import_module(name)


def output_of(name: str, **environment: str) -> str:
    """What the example prints as a script."""
    run = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py")],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
