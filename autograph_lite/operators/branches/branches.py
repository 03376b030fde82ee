"""One of several branches is taken, and a traced value says which: `lax.cond` or `lax.switch` on the joined types."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.converters.python_ops import NO_RETURN, Maybe, Returned, held
from autograph_lite.errors import MutationError
from autograph_lite.jax_internals import recorded_equations, tracing_state
from autograph_lite.jax_internals.conditionals import branch_traces
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.operators.branches import if_conversion
from autograph_lite.operators.branches.branch_paths import Path
from autograph_lite.operators.checks import carried_checks, catching
from autograph_lite.operators.effects import journal, shared_containers
from autograph_lite.operators.effects.branch_allocations import Born
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import (
    ABSENT,
    Captured,
    Mismatch,
    Template,
    always,
    broadcast,
    detached,
    fill,
    join_templates,
    rebuild,
    unchanged,
)
from autograph_lite.operators.joins.literal_types import holding
from autograph_lite.operators.joins.unions import has_union
from autograph_lite.operators.lane_eval import path_conditions
from autograph_lite.operators.lists import bounded_growth, dynamic_length, packing
from autograph_lite.operators.purity import trial
from autograph_lite.operators.trace_context import branch_options, decision_log, path_facts
from autograph_lite.operators.values import dataclass_objects
from autograph_lite.operators.values.one_of import OneOf, options_of, options_text
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.tracing import thread


@tracing_state.without_leak_check
def stage(
    select: jax.Array, funs: Sequence[Callable[..., Any]], operands: Sequence[Any], names: Sequence[str],
    *, stored: bool = False,
) -> Any:  # fmt: skip
    """The values of the variables after one of `funs` has run.

    Args:
      select: the condition, a scalar bool that takes the first of two; or the number of one of several, an int32 scalar.
      funs: generated functions from `operands` to the variables called `names`.
      operands: passed to each of them.
      names: of the variables; none where the functions return one value.
      stored: whether that value is stored in an array, which broadcasts it.

    Raises:
      BranchMismatchError: a variable has types that can't be joined.
    """
    split = path_conditions.split_of(select)
    try:
        return _staged(select, funs, operands, names, split, stored)
    except (trial.Refused, Exception):
        split(True)
        raise


def _staged(
    select: jax.Array, funs: Sequence[Callable[..., Any]], operands: Sequence[Any], names: Sequence[str],
    split: Callable[[bool], None], stored: bool,
) -> Any:  # fmt: skip
    paths = [Path(fun, operands, len(names), select, number) for number, fun in enumerate(funs)]
    alive = [path for path in paths if path.raised is None]
    if len(alive) == 1 and len(paths) == 2:  # the other one ends the run
        path_facts.learn(path_facts.facts_of(select, paths.index(alive[0])))
    writes = Writes(paths, select)
    labels = list(names) or [NO_RETURN.name]
    met = [_meet_lists(alive, i) for i in range(len(labels))]
    templates = (
        [
            _join([path.values[i] for path in alive], label, funs, operands, stored)
            for i, label in enumerate(labels)
        ]
        if alive
        else []
    )
    if any(each.tree is not None and has_union(each.tree) for each in templates):
        split(True)  # each part of the loop has one of them, and knows which
    for path in alive:
        for key, value in path.stray.items():
            raise join_errors.stray_error(labels[key] if isinstance(key, int) else key, value, path.fun)
    arrays = _select(select, paths, templates, writes, split)
    lost = join_errors.Lost(journal.depth(), tuple(path.fun for path in alive))
    values = [
        rebuild(
            template,
            arrays,
            label,
            missing=lost if any(p.values[i].present is False for p in alive) else None,
        )
        for i, (template, label) in enumerate(zip(templates, labels, strict=False))
    ]
    for number, kept in enumerate(met if alive else ()):
        if kept is not None:
            numpys_arrays.note_buffers(kept, values[number].columns)
            values[number] = list(values[number].contents().values())
    if path_facts.is_asked(select):
        for value, *found in zip(values, *(path.values for path in paths), strict=False):
            _present(value, found, select)
    for i, value in enumerate(values):
        _tell(value, select, [(number, path.values[i]) for number, path in enumerate(paths) if path in alive])
    writes.commit(arrays, select)
    if decision_log.listeners:
        unions = [
            f"{label if label.isidentifier() else 'the value'} is one of {len(options_of(each))}: {options_text(each)}"
            for label, each in zip(labels, values, strict=False)
            if type(each) is OneOf
        ]
        decision_log.add_reasons(decision_log.BRANCHES, unions)
    variables = [(held(each), _held([path.values[i] for path in alive])) for i, each in enumerate(values)]
    for value, options in variables:
        found = [each for option in options for each in _variants(option)]
        for each in _variants(value):
            numpys_arrays.note_met(*map(_opened, (each, *(options if each is value else found))))
    shared_containers.note_shared(variables, writes.joined(), [*funs, *operands])
    carried_checks.flush()
    if not alive:  # whichever path is taken raises, so the code after it does not run
        assert paths[0].raised is not None
        raise carried_checks.error_after_branches(paths[0].raised)
    return tuple(values) if len(names) > 1 else values[0]


def _meet_lists(paths: Sequence[Path], i: int) -> list[Any] | None:
    """The arrays in a variable that is a list on each path, one of a length that the data knows: all are such lists then.

    None of another variable.
    """
    values = [path.values[i] for path in paths]
    lists = [value.value for value in values]
    if len(paths) < 2 or not any(map(dynamic_length.is_dynamic, lists)):
        return None
    if any(
        type(each) is not list or value.present is not True for each, value in zip(lists, values, strict=True)
    ):
        return None
    if all(each is lists[0] for each in lists):
        return None
    place = bounded_growth.list_place(lists[0])
    items = [*map(_items, paths, lists)]
    try:
        options, _, kept = packing.join_lists(place, items)
    except (
        MutationError
    ):  # items of two types: the error that names the variable is raised where the lists are joined
        return None
    for path, option, each in zip(paths, options, lists, strict=True):
        assert option is not None
        path.values[i] = dataclasses.replace(option, value=each)
    return kept


def _items(path: Path, values: list[Any]) -> list[Captured]:
    """The items of a list at the end of a path, after which it is what it was before again."""
    owner = bounded_growth.list_place(values).key
    change = path.changes.get(owner)
    now: Contents = dict(enumerate(values)) if change is None else change.new
    return [_captured(path, owner, key, now) for key in now]


def _present(value: Any, found: Sequence[Captured], select: Any) -> None:
    """Notes that a variable has a value where the select holds that chose it."""
    if isinstance(value, Maybe) and found[0].present is True and found[-1].present is False:
        value.present = select


def _tell(value: Any, select: Any, found: Sequence[tuple[int, Captured]]) -> None:
    """Notes what a bool tells that each path knows: what is known on the paths that leave it so."""
    if not all(type(each.value) is bool for _, each in found) or isinstance(value, bool):
        return
    left = [
        [path_facts.facts_of(select, n) for n, each in found if each.value is end] for end in (True, False)
    ]
    path_facts.tell(value, *(functools.reduce(path_facts.either, facts) for facts in left if facts))


def _said(label: str, values: Sequence[Captured]) -> str:
    """What an error calls a variable: a return value has a name in generated code only."""
    return NO_RETURN.name if any(isinstance(value.value, Returned) for value in values) else label


def _join(
    values: Sequence[Captured], label: str, funs: Sequence[Callable[..., Any]], operands: Sequence[Any], stored: bool
) -> Template:  # fmt: skip
    # What only one path leaves may have been made on it.
    was_there = len(values) > 1 or any(values[0].value is operand for operand in operands)
    if was_there and all(value.value is values[0].value for value in values):
        return unchanged(values[0])
    template, *others = broadcast([value.template for value in values], stored)
    try:
        for other in others:
            template = join_templates(template, other)
        template = holding(template, values)
    except Mismatch as found:
        raise join_errors.branches(_said(label, values), found, funs) from None
    trial.refuse_promoted(values, template)
    return template if len(values) > 1 else detached(template)


def _select(
    select: jax.Array, paths: Sequence[Path], templates: Sequence[Template], writes: Writes,
    split: Callable[[bool], None],
) -> Iterator[Any]:  # fmt: skip
    """Brings the paths to their joined types; gives the joined arrays, those of the variables first."""

    def arrays(number: int, path: Path) -> list[jax.Array]:
        found: list[jax.Array] = []
        with path.memory():
            for value, template in zip(path.values, templates, strict=False):
                found += fill(value, template, path.at_end)
            for slot in writes.slots:
                found += fill(slot.options[number], slot.template, path.at_end)
        return found

    def outputs_of(number: int, path: Any) -> Callable[[], Any]:
        return lambda: arrays(number, path)

    for number, path in enumerate(paths):
        path.trace.finish(outputs_of(number, path))
    traces: list[Any] = [path.trace for path in paths]  # all of them of the same kind
    how = branch_options.branch_lanes([path.options for path in paths])
    if how is None and select.dtype == bool and if_conversion.may_be_cheap():
        jaxprs = [trace.jaxpr for trace in traces]
        everywhere, on_gpu = if_conversion.are_cheap(jaxprs)
        if everywhere and not if_conversion.is_awaited(select, jaxprs):
            decision_log.refine_decision(decision_log.BRANCHES, "select", _CHEAP)
            return iter(if_conversion.select(select, jaxprs))
        if on_gpu:
            decision_log.refine_decision(decision_log.BRANCHES, "cond, on GPUs select")
            branch = functools.partial(branch_traces.branch_trace().select, select, traces)
            return iter(if_conversion.by_platform(select, jaxprs, branch))
    split(False)
    count = len(traces)
    for number in path_conditions.seldom(select, count):
        if _computes(traces[number].jaxpr):
            traces[number].recompute()
    became = "cond" if select.dtype == bool else f"switch of {count} branches"
    decision_log.refine_decision(
        decision_log.BRANCHES, became if how is None else f"{became}, {branch_options.TOLD[how.how]}"
    )
    return iter(branch_traces.branch_trace().select(select, traces, how))


def _computes(closed: Any) -> bool:
    """Whether a branch is arithmetic on whole arrays: what reads and writes parts of them is made simpler elsewhere."""
    found = [*recorded_equations.equations(closed)]
    return bool(found) and not any(eqn.effects or eqn.primitive.name in _NOT_WHOLE for eqn in found)


_NOT_WHOLE = primitive_traits.WRITES | {"dynamic_slice", "gather", "cond", "scan", "while", "recursive_call"}


@dataclasses.dataclass(frozen=True)
class _Slot:
    """A place that the paths leave with different values."""

    owner: Hashable
    key: Hashable
    label: str
    options: list[Captured]
    template: Template
    kept: Sequence[Any] = ()  # the arrays in the items of a list


_CHEAP = "the condition is traced, and both branches cost less than a choice"


class Writes:
    """Places that some path has written to: their contents on each path, joined like variables."""

    def __init__(self, paths: Sequence[Path], select: Any = None) -> None:
        self.slots: list[_Slot] = []
        asked = catching.is_unraised(select)
        self.ends = [path.raised is not None or (asked and path is paths[-1]) for path in paths]
        if select is None:  # the only path: its exception is raised once its writes are there
            self.ends = [False]
        # Who reads it may run anywhere, so that a check of the program decides, and not the place of the read.
        self.left = join_errors.Lost(-1, tuple(path.fun for path in paths if path.raised is None))
        self.results: dict[Hashable, tuple[Place, Contents]] = {}
        self.born = [made.place.owner for path in paths for made in path.born]
        for owner in dict.fromkeys(owner for path in paths for owner in path.changes):
            count = len(self.slots)
            try:
                self._add(owner, paths)
            except MutationError:
                if not any(self.ends) or not self._is_lost(owner, paths):
                    raise
                del self.slots[count:]
                self._add(owner, paths, lost=True)
        for path in paths:
            for made in path.born:
                self._add_born(made, path, paths)

    def _is_lost(self, owner: Hashable, paths: Sequence[Path]) -> bool:
        place = next(path.changes[owner].place for path in paths if owner in path.changes)
        return catching.is_lost(place.owner, [each.value for path in paths for each in path.values])

    def _add_born(self, made: Born, path: Path, paths: Sequence[Path]) -> None:
        owner = made.place.key
        for key, value in made.captured.items():
            options = [value if other is path else ABSENT for other in paths]
            self.slots.append(_Slot(owner, key, made.place.label(key), options, detached(value.template)))
        self.results[owner] = made.place, made.contents

    def _add(self, owner: Hashable, paths: Sequence[Path], *, lost: bool = False) -> None:
        """Joins what the paths leave in a place; if it is `lost`, nobody sees that where something was raised."""
        place, old = next((p.changes[owner].place, p.changes[owner].old) for p in paths if owner in p.changes)
        is_checks = isinstance(place.owner, carried_checks.Frame)
        contents = [path.changes[owner].new if owner in path.changes else old for path in paths]
        # A handler or a `finally` around sees what a path that raises has left, too.
        same = all(now.keys() == old.keys() for now in contents)
        seen = not lost and (thread.now.catching or (thread.now.in_try and same))
        alive = [bool(is_checks or seen or not ends) for ends in self.ends]
        if not any(alive):  # what follows never runs
            self.results[owner] = place, old
            return
        result: Contents = {}
        if packing.uneven(place, list(itertools.compress(contents, alive))):
            lists = [
                [_captured(path, owner, key, now) for key in now] if counts else None
                for path, now, counts in zip(paths, contents, alive, strict=True)
            ]
            found, template, kept = packing.join_lists(place, lists, old.values())
            options = [ABSENT if option is None else option for option in found]
            self.slots.append(_Slot(owner, 0, place.label(0), options, template, kept))
            self.results[owner] = place, {0: MISSING}
            return
        for key in dict.fromkeys(
            k for now, counts in zip(contents, alive, strict=True) if counts for k in now
        ):
            values = [now.get(key, MISSING) for now, counts in zip(contents, alive, strict=True) if counts]
            if all(value is values[0] for value in values) and (
                len(values) > 1 or values[0] is old.get(key, MISSING)
            ):
                result[key] = values[0]
                continue
            if is_checks:
                zero = _zero(values)
                contents = [{**now, key: now.get(key, zero)} for now in contents]
            elif any(value is MISSING for value in values):
                default = place.default(key)
                if default is MISSING:
                    raise join_errors.unjoinable_place(place.label(key))
                contents = [{**now, key: now.get(key, default)} for now in contents]
            options = [
                _captured(path, owner, key, now) if counts else ABSENT
                for path, now, counts in zip(paths, contents, alive, strict=True)
            ]
            unseen = not is_checks and (lost or not thread.now.catching)
            raised = [ends and unseen for ends in self.ends]
            self.slots.append(self._slot(owner, key, place.label(key), options, alive, raised))
            result[key] = MISSING
        self.results[owner] = place, result

    def _slot(
        self,
        owner: Hashable,
        key: Hashable,
        label: str,
        options: list[Captured],
        alive: list[bool],
        raised: list[bool],
    ) -> _Slot:
        joined: Template | None = None
        for number in sorted(range(len(options)), key=raised.__getitem__):
            if alive[number]:
                template = options[number].template
                try:
                    outlives = None if join_errors.is_opaque_place(label) else always
                    joined = template if joined is None else join_templates(joined, template, outlives)
                except Mismatch as found:
                    if not raised[number]:
                        raise join_errors.unjoinable_place(_said(label, options), found) from None
                    options[number], alive[number] = ABSENT, False
        assert joined is not None
        seen = [option for option, unseen in zip(options, raised, strict=True) if not unseen]
        try:
            joined = holding(joined, seen)
        except Mismatch as found:
            raise join_errors.unjoinable_place(_said(label, options), found) from None
        trial.refuse_promoted([option for option, lives in zip(options, alive, strict=True) if lives], joined)
        if alive.count(True) == 1:
            joined = detached(joined)
        return _Slot(owner, key, label, options, joined)

    def commit(self, arrays: Iterator[Any], select: Any = None) -> None:
        """Writes the joined contents, read from the arrays that the selection gave, to the user's objects."""
        for slot in self.slots:
            left = self.left if any(option.present is False for option in slot.options) else None
            value = rebuild(slot.template, arrays, slot.label, left)
            if path_facts.is_asked(select):
                _present(value, slot.options, select)
            place, contents = self.results[slot.owner]
            contents[slot.key] = value
            if isinstance(value, dynamic_length.Stretch):
                numpys_arrays.note_buffers(slot.kept, value.columns)
            if not isinstance(place.owner, storages.Storage):  # whose versions are the same array
                numpys_arrays.note_met(held(value), *_held(slot.options))
        for place, contents in self.results.values():
            first = contents.get(0)
            if isinstance(first, dynamic_length.Stretch) and len(contents) == 1:
                contents = first.contents()
            journal.commit(place, contents)
        for made in self.born:
            journal.gave_birth(made)

    def joined(self) -> list[shared_containers.Joined]:
        """What is in the places now, with what the paths have left there."""
        return [(held(self.results[slot.owner][1][slot.key]), _held(slot.options)) for slot in self.slots]


def _held(options: Sequence[Captured]) -> list[Any]:
    """What a variable, or a place, holds at the end of each path on which it has a value."""
    return [held(option.value) for option in options if option.present is not False]


def _opened(value: Any) -> Any:
    """What is in an object that is made again on each path; anything else itself."""
    is_made = dataclass_objects.is_structure(value)
    return dataclass_objects.flatten_dataclasses(value)[0] if is_made else value


def _variants(value: Any) -> Sequence[Any]:
    """What one of several may be; anything else as it is."""
    return options_of(value) if type(value) is OneOf else (value,)


def _captured(path: Path, owner: Hashable, key: Hashable, now: Contents) -> Captured:
    change = path.changes.get(owner)
    known = change.captured.get(key) if change is not None else None
    return known if known is not None else path.captured(now[key])


def _zero(values: Sequence[Any]) -> Any:
    """A placeholder for the payload of a check that is not on this path."""
    known = next(v for v in values if v is not MISSING)
    return np.zeros(jnp.shape(known), jnp.result_type(known))
