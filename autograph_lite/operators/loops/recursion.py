"""Recursion: how does a function call itself on traced values, where that is no tail call?

    def fact(n):                          the first call runs as it stands; the call in it is a `while` loop with a
        if n <= 1:                        stack of the frames that wait
            return 1
        return n * fact(n - 1)

What the paths give that call nothing is the first type of the result; the function is recorded until its arguments and its
result have types that hold (as those of loops), and then becomes a program with stacks (`call_stacks`). What a call changes of
Python's objects, or writes to arrays that it was handed, nobody would see: it is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.loops import call_stacks, loop_binding
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import yielded_arrays
from autograph_lite.operators.checks import carried_checks, exception_templates
from autograph_lite.operators.checks.raising import CODE
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins.join_types import (
    MUTABLE,
    Array,
    Captured,
    Mismatch,
    Template,
    capture,
    detached,
    fill,
    join_templates,
    rebuild,
    widen,
    zeros,
)
from autograph_lite.operators.loops import tail_recursion
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.operators.values.place import Contents
from autograph_lite.tracing import entered, thread

_PASSES = 8


class Refusal(Exception):
    """A function has no program with a stack; says why, as a clause."""


class NoResultError(Exception):
    """A call of a function whose result is not known yet."""


class _Wider(BaseException):
    """A call hands over arguments of other types."""

    def __init__(self, arguments: tuple[Template, ...]) -> None:
        self.arguments = arguments


class Recursion:
    """A function that is recorded, which calls itself.

    Attributes:
      fn: the function.
      arguments: the types of its arguments.
      result: that of its result; None where it is not known yet.
      checks: those of what its checks have told (see `carried_checks`), which calls hand on as they do arguments and results.
    """

    def __init__(self, fn: Any, given: Contents) -> None:
        self.fn, self.names = fn, tuple(given)
        self.arguments = tuple(detached(capture(value).template) for value in given.values())
        self.given = [*given.values()]
        self.result: Template | None = None
        self.checks: dict[Hashable, Template] = {}
        self.numpys = any(map(_is_numpys, self.given))
        self.tries = _tries()

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call of itself gives."""
        if _tries() != self.tries:
            raise Refusal("a call of itself stands in a `try`")
        given = tail_recursion.bound_arguments(self.fn, args, kwargs)
        captured = self._captured(given)
        joined = tuple(map(_joined, self.arguments, [each.template for each in captured]))
        numpys = self.numpys or any(_is_numpys(each.value) for each in captured)
        if (joined, numpys) != (self.arguments, self.numpys):
            self.numpys = numpys
            tracing_state.abandon_trace()
            raise _Wider(joined)
        if self.result is None:
            error = NoResultError()
            exception_templates.explicit(error)  # this path tells nothing of the result
            raise error
        arrays = [a for each, kind in zip(captured, joined, strict=True) for a in fill(each, kind)]
        types = _types([self.result, *self.checks.values()])
        outs = call_stacks.recursive_call.bind(*arrays, *self._told(), types=types)
        given_back = iter(outs)
        result = rebuild(self.result, given_back, "the result")
        yielded_arrays.note_held(outs)
        self._tell(given_back)
        return result

    def _told(self) -> list[Any]:
        """What checks have told so far."""
        known = carried_checks.frame().contents
        return [
            a
            for key, kind in self.checks.items()
            for a in (fill(capture(known[key]), kind) if key in known else map(zeros, _kinds([kind])))
        ]

    def _tell(self, arrays: Iterator[Any]) -> None:
        """Makes that what checks have told."""
        here, now = carried_checks.frame(), journal.active()
        if self.checks and now is not None:
            now.note(here.place)
        told = {key: rebuild(kind, arrays, "a check") for key, kind in self.checks.items()}
        here.contents = {**here.contents, **told}

    def _captured(self, given: Contents | None) -> list[Captured]:
        if given is None:
            raise Refusal("it has parameters like *args")
        for value, first in zip(given.values(), self.given, strict=True):
            if value is not first and _is_mutable(value):
                raise Refusal("a list, a dict or an object is handed over, which a call may change")
        return [*map(capture, given.values())]

    def run(self) -> Any:
        """What the function gives for its first arguments."""
        restart = carried_checks.renumbering()
        for _ in range(_PASSES):
            restart()
            try:
                found = self._recorded()
            except _Wider as wider:
                self.arguments = wider.arguments
                continue
            except NoResultError:
                raise Refusal("no path ends it") from None
            result, checks, jaxpr = found
            if (result, checks) == (self.result, self.checks):
                return self._on_stacks(jaxpr)
            self.result, self.checks = result, checks
        raise Refusal("the types of its arguments and results do not settle")

    def _recorded(self) -> tuple[Template, dict[Hashable, Template], Any]:
        """The types of the result and of what checks tell, and the program."""
        outer = tracing_state.trace_state()

        def step(arrays: list[Any]) -> tuple[tuple[Template, dict[Hashable, Template]], list[Any]]:
            inputs = iter(arrays)
            values = [
                rebuild(kind, inputs, str(name))
                for kind, name in zip(self.arguments, self.names, strict=True)
            ]
            with (
                journal.journal(outer=outer) as written,
                entered(recursions=(*thread.now.recursions, self), calls=[], round=None),
                yielded_arrays.holding_arguments(arrays, numpys=self.numpys),
            ):
                self._tell(inputs)
                told: dict[Hashable, Captured] = {}
                written.called(self.fn)
                journal.record_variables(self.fn)
                journal.record_augmented(self.fn, values)
                found = tail_recursion.called_with(self.fn, dict(zip(self.names, values, strict=True)))
                if isinstance(found, Maybe) or _is_mutable(found):
                    raise Refusal("it gives a list, a dict or an object, or may give nothing")
                captured = capture(found)
                for change in written.changes([self.fn, *values]).values():
                    if isinstance(change.place.owner, carried_checks.Frame):
                        # Else its calls of itself fail.
                        told = change.captured if self.result is not None else {}
                        continue
                    raise Refusal(f"a call changes {change.place.label(next(iter(change.captured), None))!r}")
            new = detached(captured.template)
            result = new if self.result is None else _joined(self.result, new)
            checks = {**self.checks}
            for key, each in told.items():
                kind = widen(detached(each.template))
                checks[key] = _joined(checks[key], kind) if key in checks else kind
            checks = dict(sorted(checks.items(), key=lambda each: each[0] != CODE))
            if checks.keys() != told.keys():
                return (result, checks), []  # once more
            return (result, checks), [
                *fill(captured, result),
                *(a for k in checks for a in fill(told[k], checks[k])),
            ]

        (result, checks), jaxpr = loop_binding.trace(
            step, [*_types([*self.arguments, *self.checks.values()])], self.fn
        )
        return result, checks, jaxpr

    def _on_stacks(self, jaxpr: Any) -> Any:
        assert self.result is not None
        if jaxpr.effects:
            raise Refusal("it calls Python while the program runs")
        captured = [*map(capture, self.given)]
        arrays = [a for each, kind in zip(captured, self.arguments, strict=True) for a in fill(each, kind)]
        kinds = [*_kinds([self.result])]
        failed = (len(arrays), len(kinds)) if self.checks else None
        given = [*map(jnp.asarray, [*arrays, *self._told()])]
        try:
            outs, over = call_stacks.run_recursive(jaxpr, given, sys.getrecursionlimit(), failed)
        except call_stacks.NoMachineError as error:
            raise Refusal(str(error)) from None
        self._tell(iter(outs[len(kinds) :]))
        carried_checks.fail_if(over, RecursionError("maximum recursion depth exceeded"))
        outs = [avals.as_type(out, kind.dtype, kind.weak) for out, kind in zip(outs, kinds, strict=False)]
        for out in outs:  # it may be what was handed over, or what is known from around
            numpys_arrays.note_met(
                out, *(a for a in (*arrays, *jaxpr.consts) if out.ndim and jnp.shape(a) == out.shape)
            )
        return rebuild(self.result, iter(outs), "the result")


def call_on_stack(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives that calls itself. Raises Refusal: it can't be run so."""
    given = tail_recursion.bound_arguments(fn, args, kwargs)
    if given is None:
        raise Refusal("it has parameters like *args")
    with decision_log.deciding(
        "recursion", "while_loop", "a traced value ends it, and frames wait on a stack"
    ):
        return Recursion(fn, given).run()


def _joined(a: Template, b: Template) -> Template:
    try:
        return detached(join_templates(a, b, None))
    except Mismatch as found:
        raise Refusal(
            f"an argument or a result is {found.left} in one call and {found.right} in another"
        ) from None


def _kinds(templates: Any) -> Iterator[Array]:
    return (leaf for each in templates for leaf in each.leaves if isinstance(leaf, Array))


def _types(templates: Any) -> tuple[Any, ...]:
    return tuple(map(_type_of, _kinds(templates)))


def _type_of(kind: Array) -> Any:
    return avals.array_type(kind.shape, kind.dtype, kind.weak)


def _tries() -> tuple[int, ...]:
    now = thread.now
    return len(now.catching), len(now.handlers), len(now.tried)


def _is_numpys(value: Any) -> bool:
    return any(
        isinstance(leaf, np.ndarray) or numpys_arrays.is_numpys(leaf) for leaf in pytrees.leaves(value)
    )


def _is_mutable(value: Any) -> bool:
    if type(value) is tuple:
        return any(map(_is_mutable, value))
    return isinstance(value, MUTABLE) or dataclass_objects.is_structure(value)
