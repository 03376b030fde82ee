"""Branch paths: how is a branch traced exactly once? Into its variables' values, what it wrote to, and its equations.

Tracing once to look and once for real doubles the work at every level of nesting, so it is exponential in the nesting
depth. A path's values are the tracers of its own trace, which goes on when `trace.finish` brings them to their joined
types; `trace.lookup` gives what stands for them there.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.converters.python_ops import Maybe, Returned, held
from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.conditionals import branch_traces
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.jax_internals.references.storages import Storage
from autograph_lite.operators.checks import carried_checks, catching, exception_templates
from autograph_lite.operators.effects import branch_allocations, journal
from autograph_lite.operators.joins.join_types import ABSENT, Captured, capture, captured_once
from autograph_lite.operators.purity import trial
from autograph_lite.operators.trace_context import branch_options, lane_termination, path_facts
from autograph_lite.operators.values.values import SCALARS
from autograph_lite.tracing import entered, thread

MUTABLE = (list, dict, set, bytearray)


class Path:
    """A branch that was traced."""

    def __init__(
        self, fun: Callable[..., Any], operands: Sequence[Any], count: int, select: jax.Array | None, number: int,
        given: Sequence[Any] = (),
    ) -> None:  # fmt: skip
        self.fun = fun  # the function that it is
        self._select, self._number = select, number
        # its variables at the end, in the order of their names; all missing where `raised`
        self.values: list[Captured] = [ABSENT] * max(count, 1)
        self.changes: dict[Hashable, journal.Change] = {}  # places written to
        # objects that it has made and that its values or changes lead to
        self.born: list[branch_allocations.Born] = []
        # what can't leave the branch, by the number of the variable that it is in, or the name of one of a function around
        self.stray: dict[int | str, Any] = {}
        # the exception that the user's `raise` ended the branch with, if any
        self.raised: BaseException | None = None
        # what the branch has said of how lanes go through it and those beside it
        self.options = branch_options.Branch(fun)
        # what is known on it of values that are one of several
        self.facts = path_facts.frames(path_facts.facts_of(select, number))
        outer = tracing_state.trace_state()

        def run(*items: Any) -> list[Any]:
            with (
                self._entered(),
                journal.journal(outer=outer, sure=select is None) as written,
            ):
                return self._run(fun, [*operands, *items], count, written)

        self.trace = branch_traces.branch_trace()(run, fun, [*map(jax.typeof, given)])  # the branch itself

    def _entered(self) -> entered:
        """A context in which the path is traced: what is known on it."""
        if self._select is None:  # it is the only one
            return entered(facts=self.facts)
        reached = lane_termination.lanes_reached(self._taken, loop=False)
        decided = trial.decides(self._select)
        return entered(branch=self.options, reached=reached, facts=self.facts, decided=decided)

    def _run(
        self, fun: Callable[..., Any], operands: Sequence[Any], count: int, written: journal.Journal
    ) -> list[Any]:
        enter_generated(fun, operands)
        try:
            result = fun(*operands)
            self.values = [self.capture(value) for value in ([result] if count <= 1 else result)]
        except BaseException as error:
            if not carried_checks.is_raised_on_path(error) or self._ends_here():
                raise
            exception_templates.explicit(error)  # where all paths raise, the statement does so once more
            self.raised = error
            carried_checks.fail_if(True, error)
        if thread.now.catching:
            catching.came_through()
        self.changes = written.changes([fun, *operands])
        captured = [c for change in self.changes.values() for c in change.captured.values()]
        if branch_allocations.is_any_opaque([*self.values, *captured]):
            with self.memory():  # an object may hold a part of an array that the branch has written
                self.born = branch_allocations.objects([*self.values, *captured], written)
            cells = {
                change.place.label(key): value
                for change in self.changes.values()
                if isinstance(change.place.owner, types.CellType)
                for key, value in change.captured.items()
            }
            named: dict[Any, Captured] = {**dict(enumerate(self.values)), **cells}
            self.stray = branch_allocations.stray_arrays(named, self.born)
            captured += [c for made in self.born for c in made.captured.values()]
        numpys_arrays.know_roots(held(each.value) for each in (*self.values, *captured))
        return [leaf for value in [*self.values, *captured] for leaf in (value.present, *value.leaves)]

    def _ends_here(self) -> bool:
        """Whether what is raised is Python's: no path leads around it, and no check fails before."""
        return self._select is None and not carried_checks.frame().contents

    def _taken(self) -> Any:
        """Whether this branch is the one."""
        assert self._select is not None
        if self._select.dtype != bool:
            return self._select == self._number
        return jnp.logical_not(self._select) if self._number else self._select

    def capture(self, value: Any, *, pins: bool = True) -> Captured:
        """A value at the branch's end; after `if returned(ret)` the branch knows whether `ret` is there.

        Where it doesn't `pin` arrays, these are what `at_end` gives.
        """
        if isinstance(value, Returned) and value.present is self._select:
            value = Returned(self._number == 0, value.value, value.name, value.missing)
        elif (
            isinstance(value, Maybe) and (known := path_facts.is_true(value.present, self.facts)) is not None
        ):
            value = type(value)(known, value.value, value.name, value.missing)
        return capture(path_facts.narrow(value, self.facts), pins=pins)

    def captured(self, value: Any) -> Captured:
        """A value that was there before the branch, as it is at the branch's end: the branch may have changed what it holds."""
        if isinstance(value, SCALARS) or id(value) in captured_once or not self.changes:
            return self.capture(value)
        if isinstance(value, jax.Array):
            return self.capture(value, pins=False)
        with _written([*self.changes.values()]):
            return self.capture(value, pins=False)

    def memory(self) -> contextlib.AbstractContextManager[None]:
        """A context in which arrays that have a memory hold what they do at the branch's end."""
        return _written([each for each in self.changes.values() if isinstance(each.place.owner, Storage)])

    def at_end(self, leaf: Any) -> Any:
        """A leaf of what was captured, to be called in `memory` where `trace.finish` runs."""
        return self.trace.lookup(storages.pinned(leaf))


@contextlib.contextmanager
def _written(changes: Sequence[journal.Change]) -> Iterator[None]:
    """A context in which places hold what a branch has left in them."""
    for change in changes:
        change.place.write(change.new)
    try:
        yield
    finally:
        for change in reversed(changes):
            change.place.write(change.old)


def enter_generated(fun: Any, operands: Sequence[Any]) -> None:
    """To be called before a generated function runs: notes what it may write without going through an operator."""
    if journal.active() is None:
        return
    trial.refuse_branch(fun)
    journal.record_variables(fun)
    journal.record_augmented(fun, operands)
    for operand in operands:
        if isinstance(operand, MUTABLE):
            journal.note_change(operand, written=False)  # `xs += [x]` changes a list in place
