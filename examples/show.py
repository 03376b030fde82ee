"""How does an example show its code, its answers and its times?

Every example describes one call as a `Case`, without saying which array library runs it:

    Case(heap_sort, (values,))

`plain` runs it as the Python that it is, on NumPy; `converted` runs it through `autograph_lite.convert`, on
JAX; `present` does both and prints what a reader wants to compare.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import jax
import jax.numpy
import numpy
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table

import autograph_lite

Array: TypeAlias = Any  # A numpy.ndarray or a jax.Array: the examples are written for both.
Runner: TypeAlias = Callable[..., Any]

SIDE_BY_SIDE = 200  # Columns that two listings of 95 characters need.


@dataclass(frozen=True)
class Case:
    """One call of an example's function, on any array library.

    Attributes:
      function: takes the arrays in order, then the static values and `np` by keyword.
      arrays: NumPy arrays and scalars, or dicts of them; converted, they are traced.
      static: Python values that select the program, such as the function to integrate.
      results: labels of the results, in order.
    """

    function: Callable[..., Any]
    arrays: tuple[Any, ...]
    static: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[str, ...] = ("result",)


def floats(*values: float) -> Array:
    """Numbers in single precision, as JAX has them."""
    return numpy.array(values, numpy.float32)


def plain(function: Callable[..., Any], *arrays: Any, **static: Any) -> Any:
    """What plain Python computes on NumPy; the arrays passed stay as they were."""
    copies = jax.tree.map(numpy.copy, arrays)
    scalars_again = jax.tree.map(lambda leaf: leaf[()], copies)
    return function(*scalars_again, **static, np=numpy)


def converted(function: Callable[..., Any], *arrays: Any, **static: Any) -> Any:
    """What the converted function computes on JAX's arrays."""
    on_device = jax.tree.map(jax.numpy.asarray, arrays)
    return _converted_once(function)(*on_device, **static, np=jax.numpy)


_converted_once = functools.cache(autograph_lite.convert)  # a function keeps its traces


def present(title: str, case: Case) -> Any:
    """Prints code, generated code, answers and times of a case; returns the converted function's answer."""
    options = argparse.ArgumentParser(description=title)
    options.add_argument(
        "--code",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="print the function and the code generated from it",
    )
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    console.print(f"\n[bold]{title}[/bold]\n")
    if options.parse_args().code:
        _print_code(console, case.function)
    answer = _print_answers(console, case)
    console.print()
    return answer


def _print_code(console: Console, function: Callable[..., Any]) -> None:
    """The user's function and what it becomes, next to each other where the terminal is wide enough."""
    listings = {
        "your function": inspect.getsource(function).rstrip(),
        "generated code": autograph_lite.to_code(function).rstrip(),
    }
    if not console.is_terminal:
        for heading, text in listings.items():
            print(f"--- {heading}\n\n{text}\n")
        return
    style: dict[str, Any] = {"theme": "ansi_dark", "background_color": "default", "word_wrap": True}
    coloured = [Syntax(text, "python", **style) for text in listings.values()]
    if console.width >= SIDE_BY_SIDE:
        table = Table(*listings, expand=True)
        table.add_row(*coloured)
        console.print(table)
        return
    for heading, listing in zip(listings, coloured, strict=True):
        console.print(Rule(heading, align="left"))
        console.print(Padding(listing, (0, 0, 1, 2)))


def _print_answers(console: Console, case: Case) -> Any:
    arrays = jax.device_put(case.arrays)
    function = autograph_lite.convert(case.function)

    def run_plain() -> Any:
        return plain(case.function, *case.arrays, **case.static)

    def run_converted() -> Any:
        return jax.block_until_ready(function(*arrays, **case.static, np=jax.numpy))

    expected, first_plain = _timed(run_plain)
    answer, compilation = _timed(run_converted)
    plain_time = min([first_plain, *_repeated(run_plain)])
    converted_time = min(_repeated(run_converted))

    table = Table("", "plain Python, NumPy", "converted, JAX", "largest difference")
    for name, theirs, ours in zip(case.results, _parts(expected), _parts(answer), strict=True):
        table.add_row(name, _brief(theirs), _brief(ours), _difference(theirs, ours))
    table.add_section()
    ratio = plain_time / converted_time
    gain = f"{ratio:.1f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    table.add_row("time", _seconds(plain_time), _seconds(converted_time), gain)
    console.print(table)
    console.print(
        f"The converted function's first call, with tracing and compilation: {_seconds(compilation)}."
    )
    return answer


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def _repeated(run: Callable[[], Any], budget: float = 0.5, at_most: int = 20) -> list[float]:
    """Seconds of each of several runs, that together last about `budget` seconds, of one at least."""
    times = [_timed(run)[1]]
    while sum(times) < budget and len(times) < at_most:
        times.append(_timed(run)[1])
    return times


def _parts(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, tuple) else [answer]


def _brief(part: Any) -> str:
    """A result in at most a line: the value of a small array, shape and first elements of a large one."""
    array = numpy.asarray(part)
    if array.ndim == 0:
        return f"{array.item():.6g}" if array.dtype.kind == "f" else str(array.item())
    if array.size <= 4 and array.ndim == 1:
        return f"({', '.join(f'{element:.5g}' for element in array)})"
    first = ", ".join(f"{element:.5g}" for element in array.ravel()[:3])
    return f"{' x '.join(map(str, array.shape))} array: {first}, ..."


def _difference(expected: Any, answer: Any) -> str:
    pair = numpy.asarray(expected), numpy.asarray(answer)
    if numpy.array_equal(*pair, equal_nan=pair[0].dtype.kind == "f"):
        return "none"
    if pair[0].dtype.kind == "b":
        return "different"
    finite = numpy.isfinite(pair[0])
    return f"{numpy.max(numpy.abs(numpy.subtract(*pair, dtype=float)[finite])):.1e}"


def _seconds(duration: float) -> str:
    if duration < 1e-3:
        return f"{duration * 1e6:.0f} µs"
    return f"{duration * 1e3:.1f} ms" if duration < 1 else f"{duration:.2f} s"
