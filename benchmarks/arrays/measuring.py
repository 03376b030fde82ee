"""What does one program cost in both forms: compiling, running, memory, instructions, gradient?"""

from __future__ import annotations

import dataclasses
import gc
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

import autograph_lite
from benchmarks import structure, timing
from benchmarks.arrays.catalogue import Case, scalar

Form = Callable[..., Any]
OURS, BY_HAND = "ours", "by hand"
STAGED = "auto"  # the default


@dataclasses.dataclass
class Figures:
    """What was measured of one form of a program, or of its gradient.

    Attributes:
      compile_ms: processor time to trace and compile, the fastest of a few.
      run_us: the fastest run.
      kib: memory for what lies between arguments and results.
      instructions: of the optimised HLO.
    """

    compile_ms: float
    run_us: float
    kib: float
    instructions: int


@dataclasses.dataclass
class Comparison:
    """Both forms of a program.

    Attributes:
      ours, by_hand: figures of the two.
      run: ratio of the times of the fastest runs.
      compiling: ratio of the times to trace and compile.
    """

    ours: Figures
    by_hand: Figures
    run: float
    compiling: float


@dataclasses.dataclass
class Measured:
    """All that was measured of a program; in place of what failed, the reason.

    Attributes:
      name: of the program.
      static: whether its trip counts are known when it is traced.
      plain: forward.
      gradient: None where the program has none.
      numpy_us: one run over NumPy.
      unrolled: compile time in ms of the program without staged loops, and its run time over the hand-written one's.
    """

    name: str
    static: bool
    plain: Comparison | str
    gradient: Comparison | str | None = None
    numpy_us: float = 0.0
    unrolled: tuple[float, float] | str = ""


def converted(case: Case, *, static_loops: Any = STAGED) -> Form:
    """The program with its loops staged."""
    return autograph_lite.convert(case.over_jax(), static_loops=static_loops)


def bound(form: Form, case: Case, *, small: bool = False) -> Form:
    """`form` with the program's options."""
    options = case.chosen(small=small)
    return lambda *arrays: form(*arrays, **options)


def gradient(form: Form, case: Case) -> Form:
    """The derivative of all that the program gives."""
    assert case.by is not None
    return jax.grad(lambda *arrays: scalar(form(*arrays)), argnums=case.by)


def agree(found: Any, expected: Any, tolerance: float) -> None:
    """Raises AssertionError where two results differ."""
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=tolerance, atol=tolerance)


def measure(case: Case, *, rounds: int, compiles: int) -> Measured:
    """Measures one program, after its results have been compared with NumPy's.

    Args:
      case: the program.
      rounds: how often each form is run.
      compiles: how often each form is compiled; their gradients are compiled once.
    """
    arrays = case.given()
    start = time.perf_counter()
    expected = case.plain()(*arrays, **case.chosen())
    numpy_us = 1e6 * (time.perf_counter() - start)
    found = Measured(case.name, case.static, "", None, numpy_us)
    forms = bound(converted(case), case), bound(case.by_hand(), case)

    def right(results: Any) -> None:
        agree(results, expected, case.tolerance)

    try:
        found.plain = compare(*forms, arrays, rounds, compiles, right)
    except Exception as error:
        found.plain = reason(error)
        return found
    if case.by is not None:
        found.gradient = _gradients(case, forms, arrays, rounds)
    return found


def _gradients(case: Case, forms: tuple[Form, Form], arrays: Any, rounds: int) -> Comparison | str:
    ours, by_hand = (gradient(form, case) for form in forms)
    try:
        expected: Any = jax.jit(by_hand)(*arrays)
    except Exception:  # a `while_loop` has no derivative in reverse: there is nothing to compare with
        return "by hand: none"
    scale = float(np.max(np.abs(expected))) or 1.0

    def right(derivative: Any) -> None:
        agree(derivative / scale, expected / scale, 10 * case.tolerance)

    try:
        return compare(ours, by_hand, arrays, rounds, 1, right)
    except Exception as error:
        return reason(error)


def compare(
    ours: Form, by_hand: Form, arrays: Any, rounds: int, compiles: int, check: Callable[[Any], None]
) -> Comparison:
    """Both forms, one after the other in each round; `check` is called with the results of each."""
    found = figures({OURS: ours, BY_HAND: by_hand}, arrays, rounds, compiles, check)
    one, other = found[OURS], found[BY_HAND]
    return Comparison(one, other, one.run_us / other.run_us, one.compile_ms / other.compile_ms)


@dataclasses.dataclass
class Made:
    """A form that is ready to run.

    Attributes:
      seconds: of processor time, to trace and compile it.
      run: runs it, and gives its results when they are there.
      kib: memory for what lies between arguments and results.
      instructions: of the optimised HLO.
    """

    seconds: float
    run: Callable[[], Any]
    kib: float
    instructions: int


Compiler = Callable[[Any, Any], Made]


def compiled(form: Form, arrays: Any) -> Made:
    """The form, traced and compiled for these arrays."""
    arrays = jax.tree.map(jax.numpy.asarray, arrays)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program: Any = jax.jit(lambda *given: form(*given)).lower(*arrays).compile()
    return Made(
        time.process_time() - start,
        lambda: jax.block_until_ready(program(*arrays)),
        program.memory_analysis().temp_size_in_bytes / 1024,
        structure.count(program.as_text()).total(),
    )


def figures(
    forms: Mapping[str, Any],
    arrays: Any,
    rounds: int,
    compiles: int,
    check: Callable[[Any], None],
    compiler: Compiler = compiled,
) -> dict[str, Figures]:
    """What each form costs. In each round all are compiled, or run, one after the other: the fastest rounds count."""
    compile_times: dict[str, list[float]] = {name: [] for name in forms}
    made: dict[str, Made] = {}
    for _ in range(compiles):
        for name, form in forms.items():
            gc.collect()
            made[name] = compiler(form, arrays)
            compile_times[name].append(made[name].seconds)
    for one in made.values():
        check(one.run())
    tasks = {name: one.run for name, one in made.items()}
    times = timing.interleaved(tasks, rounds=rounds, budget=0.001, clock=time.perf_counter)
    return {
        name: Figures(1000 * min(compile_times[name]), 1e6 * min(times[name]), one.kib, one.instructions)
        for name, one in made.items()
    }


def reason(error: Exception) -> str:
    """The first line of an error's message."""
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
