"""The passes over a scan, in the order in which they run: each a name, what it rewrites, and what it promises."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import value_ranges
from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions
from autograph_lite.jax_internals.dataflow.primitive_traits import is_barrier_of_update
from autograph_lite.jax_internals.dataflow.scan_ir import Bind, Scan, inlined, live
from autograph_lite.jax_internals.scan_passes import (
    inner_loop_rows,
    iteration_counter,
    rows_as_inputs,
    sliding_windows,
    vectorize,
    verifier,
)
from autograph_lite.jax_internals.scan_passes.written_arrays import overwritten
from autograph_lite.scoped import Now


def _open_calls(scan: Scan) -> None:
    scan.equations = inlined(scan.equations)


def _drop_barriers(scan: Scan) -> None:
    if not scan.known.barriers:  # `inner_loops` has named what is behind them
        scan.equations = [e for e in scan.equations if not is_barrier_of_update(e)]


def _use_ranges(scan: Scan) -> None:
    """Leaves out what the ranges of numbers make needless, in the loops inside, too."""
    ends = {variable: position.range(scan.length) for variable, position in scan.numbers.items()}
    scan.equations, results = value_ranges.Ranges(ends, simplifies=True).simpler(
        scan.equations, scan.results()
    )
    scan.give(results)


def _is_changed(scan: Scan) -> None:
    assert all(after is not before for before, after in scan.next.items())


def _is_live(scan: Scan) -> None:
    equations, needed = live(scan.equations, scan.results())
    assert len(equations) == len(scan.equations)
    assert needed >= {*scan.consts, *scan.rows}


@dataclasses.dataclass(frozen=True)
class Pass:
    """One step of the rewriting."""

    name: str
    run: Callable[[Scan], None]
    check: Callable[[Scan], None] | None = None


PASSES = (
    Pass("calls", _open_calls),
    Pass("inner_loops", inner_loop_rows.run),
    Pass("barriers", _drop_barriers),
    Pass("constants", Scan.keep_unchanged, _is_changed),
    Pass("windows", sliding_windows.run, sliding_windows.check),
    Pass("rows", rows_as_inputs.run, rows_as_inputs.check),
    Pass("ranges", _use_ranges),
    Pass("constants_again", Scan.keep_unchanged, _is_changed),
    Pass("dead_code", Scan.drop_unused, _is_live),
    Pass("vectorize", vectorize.run),
    Pass("counter", iteration_counter.run, iteration_counter.check),
)
# Called with "given" and the body before all passes, then with the name of each and the body after it, as a jaxpr. Where
# a loop is tried without its barriers first, all comes twice.
observer: Now[Callable[[str, Any], None] | None] = Now(None)


@dataclasses.dataclass
class Rewritten:
    """A scan's body, what it takes, and how its results become those of the body that was given."""

    body: Any
    scan: Scan
    variables: list[Any]
    put_out: int

    def joined(self, carried: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arrays after the last iteration and the outputs of the body that was given."""
        after = dict(zip(self.scan.carried, carried, strict=True))
        written, length = self.scan.written, self.scan.length
        for variable, array in self.scan.kept.items():
            after[variable] = avals.as_type(array, variable.aval.dtype, avals.is_weak(variable.aval))
        found = [
            overwritten(written[v], outputs, after, length) if v in written else after[v]
            for v in self.variables
        ]
        verifier.check_results(found, self.variables)
        return found, list(outputs[: self.put_out])


def rewritten(
    body: Any, consts: Sequence[Any], init: Sequence[Any], rows: Sequence[Any], positions: Mapping[int, Position],
    length: int, reverse: bool, bind: Bind, at_once: bool = False,
) -> Rewritten:  # fmt: skip
    """The same loop after all passes.

    Args:
      body: constants, carried arrays and rows -> carried arrays and outputs.
      consts: what the body takes that no iteration changes.
      init: the carried arrays before the loop.
      rows: the arrays whose rows the iterations take.
      positions: which of the rows are numbers that follow from the number of the iteration, and how.
      length: the number of iterations.
      reverse: whether the rows are taken from the last to the first.
      bind: binds a loop inside of it once more.
      at_once: whether all iterations may be computed at once.
    """
    jaxpr = getattr(body, "jaxpr", body)
    downwards = all(position.slope < 0 for position in positions.values())
    if downwards and len(positions) == len(rows) and len(jaxpr.outvars) == len(init):
        # From the last row to the first, as the rows lie in memory, where reversed rows would be copies.
        positions, reverse = {n: p.from_the_end(length) for n, p in positions.items()}, not reverse
    end = len(consts) + len(init)
    carried, xs = jaxpr.invars[len(consts) : end], jaxpr.invars[end:]
    numbers = {xs[number]: position for number, position in positions.items()}

    def run(*, barriers: bool) -> Rewritten:
        scan = Scan(
            jaxpr.eqns, dict(zip(jaxpr.invars, consts, strict=False)), dict(zip(carried, init, strict=True)),
            dict(zip(xs, rows, strict=True)), dict(zip(carried, jaxpr.outvars, strict=False)),
            jaxpr.outvars[len(init) :], length, reverse, Positions(numbers, length, barriers=barriers), numbers, bind,
            at_once=at_once,
        )  # fmt: skip
        new = _run(scan, jaxpr)
        return Rewritten(body.replace(jaxpr=new), scan, list(carried), len(jaxpr.outvars) - len(init))

    barred = {e.outvars[0].aval for e in jaxpr.eqns if is_barrier_of_update(e)}
    if barred:
        # They make updates of whole arrays fast (`update_order`): not needed where all of these become rows.
        found = run(barriers=False)
        if not any(variable.aval in barred for variable in found.scan.carried):
            return found
    return run(barriers=True)


def _run(scan: Scan, jaxpr: Any) -> Any:
    """The jaxpr of the scan after all passes."""
    verify = verifier.Verifier(jaxpr)
    _observe("given", scan, jaxpr)
    for each in PASSES:
        each.run(scan)
        verify(each.name, scan, each.check)
        _observe(each.name, scan, jaxpr)
    return scan.jaxpr(jaxpr)


def _observe(name: str, scan: Scan, jaxpr: Any) -> None:
    if observer.value is not None:
        observer.value(name, scan.jaxpr(jaxpr))
