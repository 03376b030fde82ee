"""Runs a script of this folder in a process of its own, with JAX set up for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def start(script: str, *arguments: str, devices: int) -> subprocess.Popen[str]:
    """The process, whose output is text."""
    environment = dict(os.environ)
    environment.update(
        JAX_PLATFORMS="cpu",
        PYTHONPATH=os.pathsep.join([str(FOLDER.parents[1]), *filter(None, [environment.get("PYTHONPATH")])]),
        XLA_FLAGS=f"--xla_force_host_platform_device_count={devices}",
    )
    command = [sys.executable, str(FOLDER / script), *arguments]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finished(process: subprocess.Popen[str], seconds: float = 300) -> str:
    """What it printed; fails if it failed."""
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise AssertionError(f"still running after {seconds} s:\n{output}") from None
    assert process.returncode == 0, output
    return output
