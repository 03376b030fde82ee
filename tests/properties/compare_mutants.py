"""Does a converted mutant do what plain Python does: on Python values, and compiled with every argument traced?

On Python values nothing may differ. Compiled, a refusal that the contract names is counted, and so is an error that
JAX raises in the mutant's own line, which asks JAX for what it does not have. A wrong value, and an error from inside of
the package, are findings.

Numbers are compared with a tolerance, and only where they hold still: a mutant whose results change as its arguments do
by a millionth, or with twice the precision, says nothing about the conversion. Nor does one that writes into an array which
has two names (`functional.py`).
"""

from __future__ import annotations

import dataclasses
import traceback
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite
from autograph_lite.operators.values import one_of

from . import refusals
from .compare import FAST_COMPILE, compare
from .findings import Finding, Report, crash
from .functional import fresh, functional
from .programs import Program
from .running import Run, TookTooLong, Values, limited, loaded, run

MAY_REFUSE = {*refusals.NAMED, "ConditionError", "DynamicShapeError", "IterationError"}
TOLERANCE = 1e-3
# Of plain Python, in seconds of computing. A conversion gets the usual time.
PATIENCE = 0.3


def compare_mutant(
    program: Program, *, stage: bool = True, batch: bool = False, only: str | None = None
) -> Report:
    """Runs a mutant in its forms; takes what `compare` takes.

    Args:
      program: the mutant.
      stage: whether to compile it, too, if it is one over arrays.
      batch: whether to run it after each pass, too, which takes longer than everything else.
      only: the one form to run, if not all of them.
    """
    report = Report()
    with warnings.catch_warnings(action="ignore"):
        try:
            runs = python_runs(program, program.inputs)
        except Exception:  # its module calls the function that was changed
            report.counts["does not load"] += 1
            return report
        if any(isinstance(python.error, TookTooLong | RecursionError | MemoryError) for python in runs):
            report.counts["without end"] += 1
            return report
        whole = [None] if batch else ["converted", "full form"]
        for form in [] if only == "jit" else [only] if only else whole:
            if not report.findings:
                report.add(compare(program, stage=False, only=form))
        report.counts["programs"] = 1
        if program.features and stage and only in {None, "jit"} and not report.findings:
            _compare_compiled(program, runs[0], report)
    return report


def python_runs(program: Program, inputs: tuple[Values, ...]) -> list[Run]:
    """What plain Python does; what NumPy would warn of is an error there, and nothing to compare with."""
    checked = "raise" if program.features else "warn"
    with limited(PATIENCE + 1), loaded(program.source, xp=np, note=_silent, fresh=fresh) as namespace:
        main = namespace["main"]
        with np.errstate(divide=checked, over=checked, invalid=checked):
            return [run(main, values, [], PATIENCE) for values in inputs]


def _compare_compiled(program: Program, python: Run, report: Report) -> None:
    if python.error is not None:
        report.counts["jit: Python raises"] += 1
        return
    moved = tuple(jax.tree.map(change, program.inputs[0]) for change in (_moved, _wider))
    unshared = dataclasses.replace(program, source=functional(program.source))
    for why, others in (
        ("holds still", python_runs(program, moved)),
        ("shares no array", python_runs(unshared, program.inputs)),
    ):
        if not all(other.error is None and close(other.value, python.value) for other in others):
            report.counts[f"jit: not one that {why}"] += 1
            return
    report.counts["jit: runs"] += 1
    with loaded(program.source, xp=jnp, note=_silent) as namespace, jax.enable_x64(True):
        converted = autograph_lite.to_graph(namespace["main"])
        staged = jax.jit(converted, compiler_options=FAST_COMPILE)
        ours = run(staged, jax.tree.map(jnp.asarray, program.inputs[0]), [], seconds=60)
    if ours.error is not None:
        _note_error(program, ours.error, report)
    elif not close(one_of.settled(ours.value), python.value):
        detail = f"wrong value\n  ours   {ours.value!r}\n  python {python.value!r}"
        report.findings.append(Finding("jit", detail, program, program.inputs[0]))


def _note_error(program: Program, error: BaseException, report: Report) -> None:
    """Counts a refusal, ours or JAX's; anything else is a finding."""
    refusal = refusals.within(error) if isinstance(error, Exception) else None
    if refusal is not None and type(refusal).__name__ in MAY_REFUSE:
        report.counts["jit: refused"] += 1
        report.refusals[type(refusal).__name__] += 1
    elif refusal is not None:
        detail = f"refused without reason: {type(refusal).__name__}: {refusal}"
        report.findings.append(Finding("jit", detail, program, program.inputs[0]))
    elif _asked_too_much(error):
        report.counts["jit: refused"] += 1
        report.refusals[f"JAX's {type(error).__name__}"] += 1
    else:
        report.findings.append(Finding("jit", crash(error), program, program.inputs[0]))


def _asked_too_much(error: BaseException) -> bool:
    """Whether JAX raised the error in the mutant's own line, and not for what conversion is there for: decisions, variables.

    Nor can `jax.jit`, which the mutant runs under, give back what is no array.
    """
    if "not a valid JAX type" in str(error):
        return True
    decisions = (jax.errors.TracerBoolConversionError, jax.errors.UnexpectedTracerError, NameError)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/jax/" not in f.filename]
    return not isinstance(error, decisions) and "random_program_" in frames[-1].filename


def close(ours: Any, python: Any) -> bool:
    """Whether two results have the same structure and nearly the same numbers."""
    if isinstance(python, tuple | list):
        return isinstance(ours, tuple | list) and len(ours) == len(python) and all(map(close, ours, python))
    if isinstance(python, dict):
        return (
            isinstance(ours, dict)
            and list(ours) == list(python)
            and all(close(ours[k], python[k]) for k in python)
        )
    if python is None or isinstance(python, str) or callable(python):
        return ours is python or bool(ours == python) or callable(ours)
    mine, wanted = np.asarray(ours), np.asarray(python)
    kinds = "biufc"  # a path that was not taken may have made the kind wider
    if mine.shape != wanted.shape or kinds.find(mine.dtype.kind) < kinds.find(wanted.dtype.kind):
        return False
    if wanted.dtype.kind not in "fc":
        return bool(np.array_equal(mine, wanted))
    largest = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1e-3)
    return bool(np.allclose(mine, wanted, rtol=TOLERANCE, atol=TOLERANCE * largest, equal_nan=True))


def _moved(leaf: Any) -> Any:
    return leaf * leaf.dtype.type(1 + 1e-6) if leaf.dtype.kind in "fc" else leaf


def _wider(leaf: Any) -> Any:
    return leaf.astype(np.float64) if leaf.dtype.kind == "f" else leaf


def _silent(tag: object, value: object) -> object:
    """Stands for `note`."""
    return value
