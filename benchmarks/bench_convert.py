"""Is conversion time linear in the size of a function, and which passes take it?"""

from __future__ import annotations

import inspect
import time
import types
from collections.abc import Callable
from typing import Any

from autograph_lite import operators, transpiler
from autograph_lite.operators.user_code import ownership
from benchmarks import generated, table, timing
from benchmarks.timing import Row

LINES = (10, 100, 300, 1000, 3000)
CONDITIONALS = (8, 25, 50, 100, 200)


def _fresh() -> transpiler.Transpiler:
    """A transpiler that has converted nothing yet."""
    return transpiler.Transpiler(operators, ownership.leads_to_library)


def converting(make: Callable[[int], types.FunctionType], size: int) -> float:
    """Seconds of this process to convert a new function of that size: reading, all passes, compiling."""
    times = []
    for _ in range(3 if size < 3000 else 2):
        fn = make(size)  # new text each time: nothing is remembered
        start = time.process_time()
        _fresh().convert(fn)
        times.append(time.process_time() - start)
    return min(times)


def compiling(make: Callable[[int], types.FunctionType], size: int) -> float:
    """Seconds of Python to compile the text of a function of that size."""
    text = inspect.getsource(make(size))
    return timing.best(lambda: compile(text, "<benchmark>", "exec"))


def measure(lines: tuple[int, ...] = LINES, conditionals: tuple[int, ...] = CONDITIONALS) -> list[Row]:
    """Milliseconds of conversion by kind and size of function, and their ratio to what Python takes to compile the text."""
    generated_functions = [
        ("mixed, lines", generated.mixed, lines),
        ("if/else in a row", generated.conditionals, conditionals),
    ]
    generated_functions.append(("guards in a row", generated.guards, conditionals))
    rows = []
    for kind, make, sizes in generated_functions:
        for size in sizes:
            taken, plain = 1000 * converting(make, size), 1000 * compiling(make, size)
            rows.append({
                "function": kind,
                "size": size,
                "ms": taken,
                "ms per unit": taken / size,
                "ratio": taken / plain,
            })  # fmt: skip
    return rows


def measure_passes(lines: int = 1000) -> list[Row]:
    """Milliseconds of each step of converting one function, the slowest first."""
    taken: dict[str, float] = {}
    fn = generated.mixed(lines)

    def timed(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            result = run(*args, **kwargs)
            taken[name] = taken.get(name, 0.0) + time.process_time() - start
            return result

        return wrapper

    own = {
        (transpiler.source, "read"): "read and parse",
        (transpiler.plans, "plan"): "analysis",
        (transpiler.loader, "load"): "compile and load",
    }
    kept = {(owner, name): getattr(owner, name) for owner, name in own}
    run = transpiler._run
    try:
        for (owner, name), label in own.items():
            setattr(owner, name, timed(label, kept[owner, name]))
        transpiler._run = lambda step, *rest: timed(f"pass {step.name}", run)(step, *rest)
        _fresh().convert(fn)
    finally:
        transpiler._run = run
        for (owner, name), original in kept.items():
            setattr(owner, name, original)
    return [{"step": name, "ms": 1000 * t} for name, t in sorted(taken.items(), key=lambda item: -item[1])]


def main() -> None:
    """Prints both tables."""
    timing.best(
        lambda: converting(generated.mixed, 10), 1
    )  # the parts of quoted code are parsed once for each process
    table.show("Conversion", measure())
    table.show("Steps of converting 1,000 lines", measure_passes())


if __name__ == "__main__":
    main()
