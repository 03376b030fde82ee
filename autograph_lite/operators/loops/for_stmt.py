"""`for`: Python's over Python iterables, `lax.scan` over arrays, `lax.while_loop` over ranges with traced bounds."""

from __future__ import annotations

import dataclasses
import functools
import gc
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun

from autograph_lite.errors import (
    BranchMismatchError,
    CarryMismatchError,
    IterationError,
    MutationError,
    PythonOnlyError,
    TracedIndexError,
    UndefinedVariableError,
)
from autograph_lite.jax_internals import avals, symbolic_comparisons, tracing_state
from autograph_lite.jax_internals.dataflow.affine_indices import Position
from autograph_lite.jax_internals.loops import loop_binding
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import loop_rows
from autograph_lite.operators.branches import branches
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.each_variant import selecting
from autograph_lite.operators.branches.truth import truth
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.effects import container_identity, journal
from autograph_lite.operators.iteration import item_columns, iterables
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.lane_eval.path_conditions import Parts, Split
from autograph_lite.operators.lists import capacity, dynamic_length, growing_lists, list_errors
from autograph_lite.operators.loops import (
    carry as carries,
    early_exit,
    integer_overflow,
    rolling,
    unroll_warning,
)
from autograph_lite.operators.loops.carry import Carry, Reordered, StandsIn, Unjoinable, run_body
from autograph_lite.operators.loops.carry_fixpoint import fixpoint, fixpoint_with_init
from autograph_lite.operators.loops.first_iterations import run_first_apart, settles_types
from autograph_lite.operators.loops.loop_updates import at_loop, update_all
from autograph_lite.operators.loops.rolled_scan import Trial, scan_rows
from autograph_lite.operators.object_graph import python_iterators
from autograph_lite.operators.purity import trial
from autograph_lite.operators.trace_context import decision_log, lane_termination, loop_options, path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import OneOf, options_of, tag_of
from autograph_lite.operators.values.values import article, is_symbolic, result_type, traced
from autograph_lite.tracing import entered

Fun = Callable[..., Any]

Until = Fun | None


makers: list[Callable[[Any], Any]] = []  # from above: what a loop over an object of the user's runs over


def for_stmt(iterable: Any, body_fun: Fun, init: tuple[Any, ...], until: Until = None) -> tuple[Any, ...]:
    """Runs `body_fun` for each item, as Python or staged.

    Args:
      iterable: a traced array or a range with a traced bound stages the loop; anything else is Python's.
      body_fun: item, variables -> variables.
      init: the loop's variables, in the order of `body_fun`'s parameters after the item.
      until: variables -> whether the loop is to be left before the next item.

    Returns:
      The variables after the loop.

    Raises:
      CarryMismatchError: an iteration changes the structure or shape of a variable.
      IterationError: a traced value ends a loop over an iterator that may never end.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.scan.html
    """
    iterable = path_facts.narrow(iterable)
    for make in makers:
        iterable = make(iterable)
    if type(iterable) is OneOf and all(isinstance(each, _COLLECTIONS) for each in options_of(iterable)):
        return _over_each(iterable, body_fun, init, until)
    if decision_log.listeners and not isinstance(iterable, iterables.Looped):  # which calls this again
        with decision_log.deciding("for"):
            return _for(iterable, body_fun, init, until)
    return _for(iterable, body_fun, init, until)


_COLLECTIONS = (list, tuple, dict)


def _over_each(iterable: OneOf, body_fun: Fun, init: tuple[Any, ...], until: Until) -> tuple[Any, ...]:
    """The loop over what may be one of several lists, of other lengths: a loop for each of them."""
    numbers = path_facts.possible(iterable)

    def loop(number: int) -> Callable[..., Any]:
        def run(*operands: Any) -> Any:
            values = for_stmt(options_of(iterable)[number], body_fun, operands[len(numbers) :], until)
            return values if len(values) != 1 else values[0]

        return run

    operands = [*(options_of(iterable)[number] for number in numbers), *init]
    names = _names(body_fun)
    test = selecting(tag_of(iterable), [[number] for number in numbers])
    values = branches.stage(test, [*map(loop, numbers)], operands, names)
    return values if len(names) > 1 else (values,) if names else ()


def _for(iterable: Any, body_fun: Fun, init: tuple[Any, ...], until: Until) -> tuple[Any, ...]:
    if isinstance(iterable, iterables.Looped):
        return iterable.loop(body_fun, init, _names(body_fun), until)
    with entered(loop=loop_options.Loop(body_fun)):
        result = _run(iterable, body_fun, init, until)
    if until is not None:
        iterables.leave(iterable)
    return result


def _run(iterable: Any, body_fun: Fun, init: tuple[Any, ...], until: Until) -> tuple[Any, ...]:
    items = iterables.as_staged(iterable)
    if items is None:
        return _known(unboxed(iterable), body_fun, init, until)
    length = items.length()
    if decision_log.listeners:
        _decided(items, length)
    with loop_rows.walking(items):
        if traced(length) and not is_symbolic(length):
            most = items.most()
            if most is not None:
                return _stage_some(items, length, most, body_fun, init, until)
            loop_options.current().most = items.room()
            return _stage_range(items, length, body_fun, init, until)
        if length == 0:
            return init
        return _rows(items, length, body_fun, init, until)


def _rows(
    items: iterables.Staged, length: Any, body_fun: Fun, init: tuple[Any, ...], until: Until
) -> tuple[Any, ...]:
    """A known number of iterations: one body, or one for each where they are few and no body does for all."""
    refused: Exception | None = None
    progress = _Progress(0, init)
    few = not is_symbolic(length) and length <= _FEW and not _is_asked(items)
    if not few or not rolling.is_each_apart(body_fun):
        with journal.items_taken() as has_taken_of:
            try:
                return _stage_rows(items, length, body_fun, init, until, progress=progress)
            except _UNLIKE as error:
                if isinstance(error, MutationError) and not error.of_items:
                    raise
                if not few or progress.broken or has_taken_of([body_fun, *init]):
                    raise
                refused = error
                decision_log.forget_inside()
    decision_log.refine_decision(decision_log.LOOPS, "unrolled", "one body does not do for all items", 0)
    left = range(progress.skipped, length)
    try:
        values = _unrolled(left, map(items.at, left), body_fun, progress.values, until, None)
    except Exception as error:
        if isinstance(refused, (CarryMismatchError, MutationError)):
            raise refused from None
        raise error from None
    rolling.note_each_apart(body_fun)
    return values


def _is_asked(items: iterables.Staged) -> bool:
    """Whether the loop is one over `autograph_lite.range`, and so asked to be one."""
    while isinstance(items, iterables.Around):
        items = items.items
    return isinstance(items, iterables.Range) and items.asked


@dataclasses.dataclass
class _Progress:
    """How far a loop over rows has come before the iterations that are staged."""

    skipped: int  # iterations that have run
    values: tuple[Any, ...]  # the variables after them
    broken: bool = False  # whether one has failed, or others go on from there: nothing can be run again


# The number of an item is the key of a dict, an array gets longer, the item of a list is another text in each iteration.
_UNLIKE = (TracedIndexError, CarryMismatchError, MutationError, PythonOnlyError)
_FEW = 64


def _decided(items: iterables.Staged, length: Any) -> None:
    """Tells what the loop is about to become."""
    known = not traced(length) or is_symbolic(length)
    most = length if known else items.most()
    became = "while_loop" if most is None else "scan"
    why = decision_log.staged_iterable(items, length)
    if not known and most is not None:
        why += f", and at most {most}"
    decision_log.refine_decision(decision_log.LOOPS, became, why, most if isinstance(most, int) else None)


def _known(iterable: Any, body_fun: Fun, init: tuple[Any, ...], until: Until) -> tuple[Any, ...]:
    """The loop over items that Python knows: rolled where that is asked for, and gives the same."""
    if not rolling.wanted():
        return _python(iterable, body_fun, init, until)
    iterable = item_columns.take_columns(iterable, body_fun)
    # Nobody else may take items from what it runs over.
    if not item_columns.is_sized(iterable) and not python_iterators.is_own(iterable, body_fun):
        return _python(iterable, body_fun, init, until)
    with loop_rows.walking(iterable):
        rolled = _rolled(iterable, body_fun, init, until)
    if isinstance(rolled, tuple):
        return rolled
    try:
        return _python(iterable, body_fun, init, until, rolled)
    except BaseException:
        rolling.forget_refusal(body_fun)
        raise


def _rolled(
    iterable: Any, body_fun: Fun, init: tuple[Any, ...], until: Until,
    part: tuple[int, int] | None = None, parts: Parts | None = None, source: Any = None, peeled: int = 0,
) -> Any:  # fmt: skip
    """The loop as one of the program, if it can be: see `rolling.try_rolled_for`.

    It is a `part` of the loop, by its first and last iteration, or, for None, all that are left of it, and `parts` is of the loop
    then. `source` is what the user's loop runs over, where `iterable` is an iterator over it; `peeled` iterations have been run
    as Python.
    """
    length: Any = None
    all_parts, why = parts or Parts(), "its body is one program for all items"

    def stage(items: iterables.Staged, trial: Trial) -> tuple[Any, ...]:
        nonlocal length, why
        length = items.length()
        values = trial.run(
            all_parts.foresee(length), lambda: _stage_rows(items, length, body_fun, init, until, trial)
        )
        why += trial.figures and f": {trial.figures}"
        return values

    told = decision_log.decision_count()
    try:
        result = rolling.try_rolled_for(iterable, body_fun, init, stage, all_parts, part, peeled)
    except Split as split:
        if split.parts is not all_parts:
            raise
        decision_log.forget_since(told)
        all_parts.left -= len(split.at)
        first, last = part or (0, length)
        ends = [first, *(first + k for k in split.at), last]
        try:
            pairs = [*itertools.pairwise(ends)]
            result = _in_parts(iterable, pairs, body_fun, init, until, all_parts, source)
        except BaseException:
            rolling.forget_refusal(body_fun)
            raise
        if parts is None:
            if all_parts.refused and not all_parts.rolled:
                rolling.refuse(body_fun, init, part, all_parts.refused)
            decision_log.refine_decision(decision_log.LOOPS, *all_parts.told(), sum(all_parts.lengths))
        return result
    if not isinstance(result, tuple):
        decision_log.forget_since(told)
        return result
    if length is not None:
        loop_options.current().done += length
        all_parts.lengths.append(length)
        all_parts.rolled = True
    if length is not None and not decision_log.is_decided("vmap"):
        decision_log.refine_decision(decision_log.LOOPS, "scan", why, length)
    return result


def _in_parts(
    iterable: Any, parts: Sequence[tuple[int, int]], body_fun: Fun, values: tuple[Any, ...],
    until: Until, whole: Parts, source: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The loop, in parts that are loops of their own."""
    iterator = iter(growing_lists.readable(iterable, "a `for` loop"))
    source = iterable if source is None else source
    for first, last in parts:
        rolled = None
        if last - first > 1:
            stop = until(*values) if until is not None else False
            if not traced(stop) and stop:
                return values
            rolled = _rolled(iterator, body_fun, values, until, (first, last), whole, source)
        if isinstance(rolled, tuple):
            values = rolled
        else:
            done, rolled_before = loop_options.current().done, len(whole.lengths)
            values = _unrolled(source, iterator, body_fun, values, until, rolled, last - first, whole)
            as_python = loop_options.current().done - done - sum(whole.lengths[rolled_before:])
            whole.lengths.insert(rolled_before, as_python)
            whole.refused = (rolled is not None and rolled.prevents) or whole.refused
        decision_log.keep_inside()
        if loop_options.current().is_left():
            return values
    return values


def _python(
    iterable: Any, body_fun: Fun, values: tuple[Any, ...], until: Until,
    refused: rolling.Refusal | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    why = refused.clause if refused else decision_log.python_iterable(iterable)
    decision_log.refine_decision(decision_log.LOOPS, "unrolled", why, 0)
    iterator = iter(growing_lists.readable(iterable, "a `for` loop"))
    with loop_rows.walking(iterator):
        return _unrolled(iterable, iterator, body_fun, values, until, refused)


def _unrolled(
    iterable: Any, iterator: Iterator[Any], body_fun: Fun, values: tuple[Any, ...], until: Until,
    refused: rolling.Refusal | None, most: int | None = None, parts: Parts | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    staging = journal.active() is not None
    if staging and iterator is iterable:
        journal.consume(iterator)
    count = (
        unroll_warning.counter(body_fun, refused.prevents if refused else "")
        if tracing_state.is_tracing()
        else None
    )
    peeled, peels = 0, refused.peels if refused else 0
    sources = _sources(iterator) if count is not None else []
    endless = count is not None and python_iterators.is_endless_iterator(iterable)
    unsized = not hasattr(type(iterable), "__len__")
    loop = loop_options.current()
    while peeled != most:
        if sources and (changed := next(filter(dynamic_length.is_dynamic, sources), None)) is not None:
            if not peeled:  # it was changed before the loop, which asks an iterator for its items
                raise dynamic_length.length_error(changed)
            raise list_errors.iterated_list_error(changed, source_places.line_of_function(body_fun))
        stop = until(*values) if until is not None else False
        if stop is not False and traced(stop):
            rest = iterator if most is None else itertools.islice(iterator, most - peeled)
            return _guarded(iterable, rest, body_fun, values, until)
        if stop:
            return values
        try:
            item = next(iterator)
        except StopIteration:
            return values
        if staging:
            enter_generated(body_fun, (item, *values))
        if decision_log.listeners:
            decision_log.count_python_iteration()
        values = body_fun(item, *values)
        if loop.is_over():
            return values
        peeled += 1
        if peeled == 1 and refused is not None and refused.lacks_room:
            peels = max(peels, capacity.is_used())
        if peeled <= peels:  # what the first iterations assign may be what all others do
            left = None if most is None else (peeled, most)
            rolled = _rolled(iterator, body_fun, values, until, left, parts, iterable, peeled)
            if isinstance(rolled, tuple):
                return rolled
        if count is not None:
            count()
            if (endless or (unsized and peeled > python_iterators.MOST)) and traced(carries.failed()):
                # Only a `raise` under a traced condition leaves it.
                raise _never_ends(iterable, body_fun, None if endless else peeled)
    return values


_ITERATORS: tuple[type, ...] = (type(iter([])), type(reversed([])), enumerate, zip, map, filter, tuple)


def _sources(iterator: Any) -> list[Any]:
    """The lists that an iterator of Python's takes its items from."""
    if not isinstance(iterator, _ITERATORS):
        return []
    held = gc.get_referents(iterator)
    return [*(v for v in held if isinstance(v, list)), *itertools.chain.from_iterable(map(_sources, held))]


def _never_ends(iterable: Any, body_fun: Fun, taken: int | None = None) -> IterationError:
    kind = type(iterable).__name__
    so_far = "it would take all of them" if taken is None else f"it has taken {taken}, and found no end"
    return IterationError(
        f"A traced value ends a loop over {article(kind)} {kind}.",
        where=source_places.line_of_function(body_fun),
        why=f"Python takes the items while tracing, before the value is known: {so_far}.",
        fix="iterate over a list, a range or an array, or write a `while` loop.",
    )


def _counted(
    iterable: Iterator[Any], body_fun: Fun, values: tuple[Any, ...], until: Callable[..., Any]
) -> tuple[Any, ...]:
    """The rest of a loop over `itertools.count()`, which a traced value ends."""
    first, second = next(iterable), next(iterable)
    if type(first) is not int or type(second) is not int or first == second:
        raise _never_ends(iterable, body_fun)
    limits = np.iinfo(result_type(0))
    items = iterables.Range(first, int(limits.max if first < second else limits.min), second - first)
    decision_log.refine_decision(decision_log.LOOPS, "while_loop", "a traced value ends it", 1)
    values = _stage_range(items, items.length(), body_fun, values, until)
    is_over = jnp.logical_not(until(*values))
    carried_checks.fail_if(is_over, OverflowError(f"itertools.count() is beyond {limits.dtype}"), limit=True)
    return values


def _guarded(
    iterable: Any, iterator: Iterator[Any], body_fun: Fun, values: tuple[Any, ...], until: Until
) -> tuple[Any, ...]:
    """The rest of an unrolled loop, where a traced value says whether it was left."""
    assert until is not None
    sized = hasattr(type(iterable), "__len__")
    if type(iterable) is itertools.count and python_iterators.is_own(iterable, body_fun):
        return _counted(iterable, body_fun, values, until)
    if not sized and (
        not python_iterators.is_own(iterable, body_fun) or python_iterators.is_endless_iterator(iterable)
    ):
        raise _never_ends(iterable, body_fun)
    names = _names(body_fun)
    count = unroll_warning.counter(body_fun)
    for taken, item in enumerate(journal.unchanging(iterator)):
        if taken == python_iterators.MOST and not sized:
            raise _never_ends(iterable, body_fun, taken)
        before = values
        decision_log.count_python_iteration()

        def skip(*operands: Any) -> Any:
            return operands

        def run(*operands: Any, item: Any = item) -> Any:
            enter_generated(body_fun, operands)
            return body_fun(item, *operands)

        values = update_all(until(*before), skip, run, before, names, body_fun)
        if loop_options.current().is_over():
            break
        count()
    return values


def _names(body_fun: Fun) -> tuple[str, ...]:
    given: tuple[str, ...] | None = getattr(body_fun, "names", None)  # of a body that an operator has made
    return body_fun.__code__.co_varnames[1 : body_fun.__code__.co_argcount] if given is None else given


def _stage_rows(
    items: iterables.Staged, length: Any, body_fun: Fun, init: tuple[Any, ...], until: Until,
    trial: Trial | None = None, progress: _Progress | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """A known number of iterations, or a symbolic one: `lax.scan`, which can be differentiated in reverse."""
    names = _names(body_fun)
    progress = progress or _Progress(0, init)
    reverse = isinstance(items, iterables.Reversed)
    source = items.items if isinstance(items, iterables.Reversed) else items
    rows, taken = source.rows(), list[Any]()

    def scan(skipped: int) -> Callable[[Carry], Any]:
        """All iterations but the first ones."""
        count = length - skipped
        left = (
            jax.tree.map(lambda a: a[: length - skipped] if reverse else a[skipped:], rows)
            if skipped
            else rows
        )

        def stage(now: Carry) -> tuple[Carry, Any]:
            xs: tuple[Any, ...] = (left,)
            if now.indexed:
                order = jnp.arange(count)[::-1] if reverse else jnp.arange(count)
                xs = left, avals.as_type(order, order.dtype, True)
            flat, tree = jax.tree.flatten(xs)
            start = now.start()

            def step(arrays: list[Any]) -> tuple[Carry, list[Any]]:
                row = jax.tree.unflatten(tree, arrays[len(start) :])
                index = row[1] if now.indexed else None
                if trial is not None:
                    with trial.tracing(now, until, arrays):
                        return iteration(arrays, row, index)
                taken[:] = [*map(numpys_arrays.note_met, arrays[len(start) :], flat)]
                with loop_rows.taking(taken, items):
                    return iteration(arrays, row, index)

            def iteration(arrays: list[Any], row: Any, index: Any) -> tuple[Carry, list[Any]]:
                def take() -> tuple[Any]:
                    return (source.item(row[0]),)

                if until is None:
                    return run_body(now, body_fun, arrays[: len(start)], take, index=index)
                body = _unless(until, body_fun, names)
                return run_body(now, body, arrays[: len(start)], lambda: (take,), index=index)

            def goes_on(arrays: list[Any]) -> tuple[None, list[Any]]:
                return None, [_goes_on(now, arrays, until)]

            types = [*map(jax.typeof, start), *map(loop_binding.row_type, flat)]
            after, body = loop_binding.trace(step, types, body_fun)
            loop_options.check_length(count)
            start = carries.widen_start(now, after, [body], start)
            known = _positions(source, skipped, length, len(flat), now, reverse)
            unroll = loop_options.current().unroll
            how = loop_binding.How(
                reverse, known, unroll, decision_log.at_once(count), tell=integer_overflow.note
            )
            if trial is not None:
                return after, trial.scan(after, body, start, flat, count, how)
            if until is not None and early_exit.early_exit_pays(body, start, count):
                _, test = loop_binding.trace(goes_on, list(map(jax.typeof, start)), body_fun)
                decision_log.refine_decision(
                    decision_log.LOOPS, "while_loop", "a traced value leaves it", count
                )
                return after, (early_exit.scan_until(test, body, start, flat, count, reverse=reverse), [])
            return after, scan_rows(body, after, start, flat, count, how, body_fun)

        return stage

    def may_peel() -> bool:
        """Whether one more iteration may run before the loop."""
        return (
            skipped < growing_lists.PEELED
            and bool(_runs(length - skipped))
            and (until is None or until(*values) is False)
        )

    values, skipped, peels = init if trial is None else trial.start(init), 0, trial is None
    while True:
        try:
            count = length - skipped
            known = None if is_symbolic(count) else count
            carry = Carry.of(names, values, [body_fun], count=known, peels=peels)
            with container_identity.unless_it_fails():
                carry, (arrays, outputs) = fixpoint(carry, body_fun, scan(skipped))
            values = carry.finish(arrays, outputs, known or int(_runs(count)), reverse=reverse)
            return values if trial is None else trial.left(values)
        except loop_rows.RowsWritten as written:
            if written.rows is not taken:
                raise
            decision_log.forget_inside()
            at_places = iterables.AtPlaces(
                iterables.Rest(items, skipped) if skipped else items, seen=written.seen
            )
            with loop_rows.walking(at_places, again=True):
                progress.broken = True
                return _rows(at_places, length - skipped, body_fun, values, until)
        except StandsIn as found:
            first = functools.partial(items.at, skipped)
            peels = may_peel() and settles_types(found.places, first, body_fun, values)
            if not peels:
                decision_log.forget_inside()
                continue
        except (Unjoinable, BranchMismatchError, MutationError) as error:
            if trial is not None:
                raise
            # The type of a first value that only stood in for a later one: the first iterations are known to run.
            if isinstance(error, MutationError):
                stood_in = error.stood_in
            else:
                number = isinstance(error, Unjoinable) and not skipped
                stood_in = number or any(value is None for value in values)
            if not stood_in or not may_peel():
                if isinstance(error, Unjoinable):
                    raise join_errors.carry(error.name, error.found, body_fun) from None
                raise
        except UndefinedVariableError:
            # What the first iteration assigns, and the others find: `if first: total = zeros(2)`.
            if trial is not None or skipped or not may_peel():
                raise
        except loop_options.ShorterError as shorter:
            if trial is not None:
                raise
            decision_log.forget_inside()
            decision_log.refine_decision(
                decision_log.LOOPS, "while_loop", f"it has {shorter.count} iterations at most"
            )
            decision_log.uncounted()
            return _stage_range(items, shorter.count, body_fun, values, until, skipped)
        except growing_lists.TooShortError:
            # The body reads items that the first iterations append.
            if trial is not None:
                raise
            if skipped == growing_lists.PEELED:
                raise list_errors.too_short(source_places.line_of_function(body_fun)) from None
        decision_log.forget_inside()
        enter_generated(body_fun, values)
        progress.broken = True
        values = tuple(body_fun(items.at(skipped), *values))
        skipped += 1
        progress.skipped, progress.values, progress.broken = skipped, values, False
        _peeled(length, skipped)
        if loop_options.current().is_over() or skipped == length:
            return values


def _peeled(length: Any, skipped: int) -> None:
    """Tells that the first iterations are not part of the loop that is staged."""
    if not decision_log.listeners:
        return
    if not is_symbolic(length) and length == skipped:
        decision_log.refine_decision(
            decision_log.LOOPS, "unrolled", "its first iterations have types of their own", skipped
        )
    else:
        some = "the first iteration runs" if skipped == 1 else f"the first {skipped} iterations run"
        trips = None if is_symbolic(length) else length - skipped
        decision_log.refine_decision(
            decision_log.LOOPS, "scan", f"{some} before it, and the others have types of their own", trips
        )
    decision_log.keep_inside()


def _positions(
    source: iterables.Staged, skipped: int, length: Any, leaves: int, now: Carry, reverse: bool
) -> dict[int, Position]:
    """Which of the arrays that a scan takes are numbers that follow from those of its iterations, and how."""
    if is_symbolic(length):
        return {}
    first = 0 if reverse else skipped
    found = {n: Position(p.slope, p.offset + first * p.slope) for n, p in source.positions().items()}
    if now.indexed:
        found[leaves - 1] = Position(-1, length - skipped - 1) if reverse else Position(1, 0)
    return found


def _runs(length: Any) -> bool:
    """Whether a loop of so many iterations is known to have one."""
    return symbolic_comparisons.compare_sizes(operator.gt, length, 0) is True


def _unless(until: Fun, body_fun: Fun, names: tuple[str, ...]) -> Fun:
    """`body_fun` where the loop has not been left, else nothing; there no item is taken, either."""

    def step(take: Callable[[], tuple[Any]], *values: Any) -> tuple[Any, ...]:
        def skip(*operands: Any) -> Any:
            return operands

        def run(*operands: Any) -> Any:
            enter_generated(body_fun, operands)
            results = body_fun(*take(), *operands)
            trial.note_carry_types(body_fun, operands, results)
            return results

        stop = until(*values)
        failed = carries.failed()
        if traced(failed) or failed:
            stop = jnp.logical_or(truth(stop), failed)
        return update_all(stop, skip, run, values, names, body_fun)

    return step


def _stage_some(
    items: iterables.Staged, length: Any, most: int, body_fun: Fun, init: tuple[Any, ...],
    until: Until,
) -> tuple[Any, ...]:  # fmt: skip
    """A number of iterations that is known when the program runs, and has a bound: the last ones do nothing."""
    names = _names(body_fun)

    def one(index: Any, *values: Any) -> tuple[Any, ...]:
        enter_generated(body_fun, values)
        result: tuple[Any, ...] = body_fun(items.at(index), *values)
        return result

    def body(index: Any, *values: Any) -> tuple[Any, ...]:
        def stop(*now: Any) -> Any:
            past = index >= length
            return past if until is None else jnp.logical_or(past, truth(until(*now)))

        step = _unless(stop, at_loop(one, body_fun), names)
        result: tuple[Any, ...] = step(lambda: (index,), *values)
        return result

    body.names = names  # type: ignore[attr-defined]
    if most == 0:
        return init
    return _stage_rows(iterables.Range(0, most, 1), most, at_loop(body, body_fun), init, None)


def _goes_on(now: Carry, arrays: list[Any], until: Until, test: Any = True) -> Any:
    """Whether there is another iteration, where `test` holds."""
    values, contents = now.read(arrays)
    with journal.journal(outer=now.outer):
        now.enter(contents)
        if until is not None:
            test = jnp.logical_and(test, jnp.logical_not(truth(until(*values))))
        return carries.unless_failed(test)


def _stage_range(
    items: iterables.Staged, length: Any, body_fun: Fun, init: tuple[Any, ...], until: Until,
    first: int = 0, apart: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """A number of iterations that is known when the program runs, from item `first` on: `lax.while_loop` over an index."""
    names = _names(body_fun)
    bound = jnp.asarray(length)
    weak = bound.dtype == result_type(0)

    def stage(now: Carry) -> tuple[Carry, Any]:
        def cond(arrays: list[Any]) -> tuple[None, list[Any]]:
            index, *rest = arrays
            return None, [_goes_on(now, rest, until, lax.lt(index, bound))]

        def body(arrays: list[Any]) -> tuple[Carry, list[Any]]:
            index, *rest = arrays
            with entered(
                reached=lane_termination.lanes_reached(lambda: jaxpr_as_fun(test)(*arrays)[0], loop=True)
            ):
                after, results = run_body(
                    now, body_fun, rest, lambda: (items.at(index + first if first else index),)
                )
            return after, [lax.add(index, avals.as_type(1, bound.dtype, weak)), *results]

        # Where it can be, the index is a Python int's array, which the items then need not be made.
        start = [avals.as_type(0, bound.dtype, weak), *now.start()]
        types = list(map(jax.typeof, start))
        _, test = loop_binding.trace(cond, types, body_fun)
        after, step = loop_binding.trace(body, types, body_fun)
        if trial.is_number_of_python(bound) and (other := after.other_dtypes()):
            trial.end_trial(f"'{other[0]}' is of another type after an iteration than before a loop")
        start = carries.widen_start(now, after, [test, step], start)
        return after, loop_options.bounded_while_loop(test, step, start, integer_overflow.note)[1:]

    carry = Carry.of(names, init, [body_fun])
    try:
        carry, arrays = fixpoint_with_init(carry, body_fun, stage, apart=apart)
    except Reordered:

        def rest(*now: Any) -> tuple[Any, ...]:
            return _stage_range(items, bound - 1, body_fun, now, until, first + 1, apart=True)

        def goes_on(done: int, *now: Any) -> Any:
            left = False if until is None else truth(until(*now))
            return jnp.logical_and(
                lax.gt(bound, avals.as_type(done, bound.dtype, weak)), jnp.logical_not(left)
            )

        return run_first_apart(
            goes_on, lambda *now: body_fun(items.at(first), *now), rest, init, names, body_fun
        )
    return carry.finish(arrays)
