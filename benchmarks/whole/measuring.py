"""What does a whole program cost by default, with staged loops, unrolled, by hand, and with Numba? In processes to give up.

    python -m benchmarks.whole.measuring NAME ROUNDS COMPILES FORM ...

prints the figures of these forms, which are measured one after the other in each round; in place of what failed, why.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any

import jax

import autograph_lite
from benchmarks.arrays.measuring import Figures, Form, Made, agree, bound, compiled, figures, reason
from benchmarks.arrays.unrolled import in_a_process
from benchmarks.whole import by_numba
from benchmarks.whole.by_numba import NumbaForm, has_numba_version
from benchmarks.whole.catalogue import CASES, Case

DEFAULT, STAGE, PYTHON, BY_HAND, NUMBA = "default", "stage", "python", "by hand", "Numba"
Found = dict[str, Figures | str]


@dataclasses.dataclass
class Row:
    """What was measured of a program.

    Attributes:
      name: of the program.
      lines: of its file.
      numpy_us: one run over NumPy.
      beside: figures of the default, of staged loops, and by hand and with Numba where that is written, from one process.
      unrolled: of the default and of loops left to Python, from another one; or why there are none.
    """

    name: str
    lines: int
    numpy_us: float
    beside: Found | str
    unrolled: Found | str


def has_hand_version(case: Case) -> bool:
    """Whether somebody has written the program for `lax`."""
    return importlib.util.find_spec(f"benchmarks.whole.by_hand.{case.family}") is not None


def form(case: Case, name: str) -> Form | NumbaForm:
    """One form of a program."""
    if name == NUMBA:
        return NumbaForm(case)
    if name == BY_HAND:
        return bound(case.by_hand(), case)
    options: Any = {} if name == DEFAULT else {"static_loops": name}
    return bound(autograph_lite.convert(case.measured(), **options), case)


def made(form: Form | NumbaForm, arrays: Any) -> Made:
    """One form of a program, compiled by what it is for."""
    return by_numba.compiled(form, arrays) if isinstance(form, NumbaForm) else compiled(form, arrays)


def measure(case: Case, often: tuple[int, int], seconds: tuple[float, float]) -> Row:
    """Measures one program.

    Args:
      case: the program.
      often: how often its forms are run, and compiled.
      seconds: how long all but the unrolled program may take, and how long that one.
    """
    start = time.perf_counter()
    case.plain()(*case.given(), **case.chosen())
    numpy_us = 1e6 * (time.perf_counter() - start)
    with_numba = has_numba_version(case)
    others = {BY_HAND: has_hand_version(case), NUMBA: with_numba and by_numba.is_installed()}
    names = [DEFAULT, STAGE, *(name for name, there in others.items() if there)]
    beside = _apart(case, often, names, seconds[0])
    if with_numba and not isinstance(beside, str):
        beside.setdefault(NUMBA, "not installed")
    unrolled: Found | str = ""
    if isinstance(beside, str) or isinstance(beside[DEFAULT], Figures):
        unrolled = _apart(case, (often[0], 1), [DEFAULT, PYTHON], seconds[1])
    lines = len(case.path().read_text().splitlines())
    return Row(case.name, lines, numpy_us, beside, unrolled)


def _apart(case: Case, often: tuple[int, int], names: Sequence[str], seconds: float) -> Found | str:
    found = in_a_process("benchmarks.whole.measuring", [case.name, *map(str, often), *names], seconds)
    if isinstance(found, str):
        return found
    return {name: got if isinstance(got, str) else Figures(**got) for name, got in found.items()}


def _measured(case: Case, often: tuple[int, int], names: Sequence[str]) -> Found:
    """The figures of these forms; of each alone, where one of them can't be had."""
    arrays = case.given()
    expected = case.plain()(*arrays, **case.chosen())

    def right(results: Any) -> None:
        agree(results, expected, case.tolerance)

    try:
        return dict(figures({name: form(case, name) for name in names}, arrays, *often, right, made))
    except Exception as error:
        if len(names) == 1:
            return {names[0]: reason(error)}
    found: Found = {}
    for name in names:
        found |= _measured(case, often, [name])
    return found


def main(name: str, rounds: str, compiles: str, *names: str) -> None:
    """Measures some forms of one program, in double precision as NumPy has it."""
    warnings.simplefilter("ignore")
    jax.config.update("jax_enable_x64", True)
    (case,) = (case for case in CASES if case.name == name)
    found = _measured(case, (int(rounds), int(compiles)), names)
    print(
        json.dumps({n: got if isinstance(got, str) else dataclasses.asdict(got) for n, got in found.items()})
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
