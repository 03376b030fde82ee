"""Programs run in processes: each gives its result once, and one that ends its process is told of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .workers import Died, results

ROOT = Path(__file__).parents[2]


def ends_at_three(number: int) -> int:
    if number == 3:
        os._exit(7)
    return number * 10


def tell() -> None:
    """Prints what comes of six programs, one of which ends its process, and of some of very many."""
    found = list(results(ends_at_three, range(1, 7), 2))
    print([died for died in found if isinstance(died, Died)])
    print(sorted(value for value in found if not isinstance(value, Died)))
    endless = results(ends_at_three, range(10, 10**9), 2)
    print(next(endless) in (100, 5000 + 100))
    endless.close()


def output_of(*arguments: str) -> str:
    """What Python prints with these arguments: the processes find the programs by the name of this package."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_a_program_that_ends_its_process_is_one_result_and_the_others_are_run() -> None:
    told = output_of("-c", "from tests.properties import test_workers; test_workers.tell()").splitlines()
    assert told == ["[Died(number=3, code=7)]", "[10, 20, 40, 50, 60]", "True"]


def test_programs_run_in_several_processes(tmp_path: Path) -> None:
    arguments = ["--programs", "4", "--workers", "2", "--no-stage", "--out", str(tmp_path)]
    assert "== 4 programs" in output_of("-m", "tests.properties.fuzz", *arguments)
    assert not list(tmp_path.iterdir())
