"""What does Numba make of a program: of it as it is, or of what is written for Numba?"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.arrays.measuring import Made
from benchmarks.whole.catalogue import Case

UNCHANGED = frozenset({"sponge_wave"})  # of the programs as they are Numba compiles these


@dataclasses.dataclass(frozen=True)
class NumbaForm:
    """A program that Numba compiles."""

    case: Case


def source(case: Case) -> Path:
    """The file that Numba compiles; where it takes neither form of the program, there is none."""
    program = case.path()
    return program if case.name in UNCHANGED else program.parents[1] / "with_numba" / program.name


def has_numba_version(case: Case) -> bool:
    """Whether Numba compiles the program, or somebody has written it for Numba."""
    return source(case).exists()


def is_installed() -> bool:
    """Whether there is a Numba."""
    return importlib.util.find_spec("numba") is not None


def plain(case: Case) -> Callable[..., Any]:
    """What Numba is to compile, as Python runs it."""
    return _function(_loaded(source(case)), case)


def compiled(form: NumbaForm, arrays: Any) -> Made:
    """What Numba compiles when the program is called first; that run counts as part of it."""
    case, njit = form.case, _warm_njit()
    module = _loaded(source(case))
    for name, value in list(vars(module).items()):
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            setattr(module, name, njit(value))
    function = _function(module, case)

    def run() -> Any:
        return function(*arrays, **case.chosen())

    start = time.process_time()
    run()
    return Made(time.process_time() - start, run, 0.0, 0)


@functools.cache
def _warm_njit() -> Any:
    """Numba's compiler, after it has loaded what it loads when it compiles something for the first time."""
    import numba  # only here: the table is made without it, too
    import numpy as np

    numba.njit(lambda x: np.sqrt(x + 1).sum())(np.ones(3))
    return numba.njit


def _loaded(path: Path) -> types.ModuleType:
    """A new module of this file: what Numba has compiled stays with a function."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _function(module: types.ModuleType, case: Case) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(module, case.name)
    return function
