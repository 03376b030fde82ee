"""Undo log: what has been written to while a body is traced?

    with journal() as written:            # one for each body that is being traced, and one for a whole trace
        ...                               # converted code calls note_change(place) before each write
        changes = written.changes(roots)
    # on leaving: every place is as it was

Only places that were there before the body ran count as changed. An object made by the body may be noted too, as code
writes to it, but it is nobody's state: it is told from the others by not being reachable from the body's surroundings.
"""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import functools
import itertools
import traceback
import types
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph_lite import tracing
from autograph_lite.errors import MutationError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.effects import (
    augmented_assignments,
    births,
    cached_properties,
    container_identity,
    mutual_exclusion,
)
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import Captured, capture
from autograph_lite.operators.object_graph import imports, opaque_objects, places, python_iterators
from autograph_lite.operators.object_graph.places import cell_place, global_place
from autograph_lite.operators.object_graph.reachability import (
    Holder,
    by_code,
    globals_named,
    held_in_cells,
    names_used,
    reachable,
    values_used,
)
from autograph_lite.operators.purity import known_calls, trial
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.user_code.conversion import plain
from autograph_lite.operators.values import retracing
from autograph_lite.operators.values.boxes import Box
from autograph_lite.operators.values.place import MISSING, Contents, Place
from autograph_lite.operators.values.values import Tracer
from autograph_lite.scoped import Now
from autograph_lite.syntax import codes
from autograph_lite.syntax.names import is_operators
from autograph_lite.tracing import thread


@dataclasses.dataclass(frozen=True)
class Change:
    """What a body did to a place."""

    place: Place  # the place
    old: Contents  # `old`, `new`: its contents before and after
    new: Contents
    captured: dict[Hashable, Captured]  # the new values, with their types and leaves as the body left them


_numbers = itertools.count()


class Journal:
    """The places written to by one body, with their contents before it ran."""

    def __init__(self, outer: object, state: object, *, keep: bool = False, sure: bool = False) -> None:
        self.outer, self.state = outer, state  # the trace around the body, and that of the body
        self._keep = keep
        # Whether it runs once, as what is around it does: what it writes is all that can be left.
        self.is_sure = sure or outer is None
        self.program = tracing_state.program_trace()  # that records what the body computes
        self.places: dict[Hashable, tuple[Place, Contents]] = {}
        self.born: dict[int, Any] = {}  # objects made by the body, as far as that is known
        # Of functions called by the body, with the names they use.
        self.globals: dict[int, dict[str, Any]] = {}
        self.global_names: dict[int, set[str]] = {}
        # Of these functions, with their globals.
        self.codes: dict[int, tuple[types.CodeType, dict[str, Any]]] = {}
        self.exceptions: list[Any] = []  # see `recipes`; only of the outermost journal
        self.number = next(_numbers)
        self.positions: list[tuple[Iterator[Any], Any]] = []  # of iterators that were there before it
        self.cached = cached_properties.Cache()
        # Of arrays from outside, unless they become inputs; of the outermost alone.
        self.claimed: list[MutationError] = []
        self.watched: dict[int, tuple[np.ndarray[Any, Any], int]] = {}  # arrays and their checksums
        # Arrays that Python has written to; of the outermost.
        self.stored: dict[int, np.ndarray[Any, Any]] = {}

    def __enter__(self) -> Journal:
        if not thread.now.journals and self.outer is None:
            place_names.forget_lines()
        self._among: list[Journal] = thread.now.journals
        self._among.append(self)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None and self.is_sure and self.outer is not None:  # in Python it has come so far
                for each in self._among[-2:-1]:
                    each.places = {**self.places, **each.places}
            elif error is not None or not self._keep:
                self.restore()
            if error is not None and not self.is_sure:
                vars(error)[_LEFT] = True
        finally:
            self._among.pop()
        if (around := active()) is not None:
            around.cached.add_forgotten(self.cached)
        if error is None and any(
            augmented_assignments.checksum(array) != before for array, before in self.watched.values()
        ):
            for array, _ in self.watched.values():
                births.want_anew(array, changed=True)
            raise join_errors.ndarray(join_errors.UNNAMED)

    def note(self, place: Place) -> None:
        """Keeps the contents of `place`, unless they are kept already."""
        _writes.value += 1
        if place.trace is not None and (self.outer is None or place.trace is self.program()):
            return
        if place.key not in self.places:
            if not place.ours:
                mutual_exclusion.claim()
            self.places[place.key] = place, place.read()

    def watch(self, array: np.ndarray[Any, Any]) -> None:
        """Sees to it that a change of a large array is an error when the body is over; it is not undone."""
        if id(array) not in self.watched:
            self.watched[id(array)] = array, augmented_assignments.checksum(array)

    def contents_now(self) -> dict[Hashable, dict[Hashable, int]]:
        """The places that were noted, with what they hold by its identity."""
        places = [place for place, _ in self.places.values()]
        return {place.key: {key: id(value) for key, value in place.read().items()} for place in places}

    def restore(self) -> None:
        """Puts back everything that was noted."""
        # The latest first: a module's variable may be there as such, and among all the module's variables.
        for place, contents in reversed(self.places.values()):
            place.write(contents)

    def changes(self, roots: Iterable[Any]) -> dict[Hashable, Change]:
        """Places that the body has changed and could see before, from its functions and operands on; puts these back."""
        if not self.places:
            return {}
        changed = {}
        for place, old, new in self._contents():
            if differ(place, old, new):
                captured = {k: capture(v) for k, v in new.items() if old.get(k, MISSING) is not v}
                changed[place.key] = Change(place, old, new, captured)
                # Before its contents are those from before the body again.
                container_identity.refuse_changed(place.owner)
        self.restore()
        wanted = {
            id(_target(c.place)): key
            for key, c in changed.items()
            if id(_target(c.place)) not in self.born and not c.place.ours
        }
        found = self.reachable(roots, set(wanted)) if wanted else set()
        result: dict[Hashable, Change] = {}
        for key, change in changed.items():
            if change.place.ours:
                result[key] = change
            elif id(_target(change.place)) in found or change.place.is_variable:
                if change.old == {"items": False}:
                    raise join_errors.iterator(
                        change.place.label("items"), change.place.owner, whole=self.outer is None
                    )
                if join_errors.TRACED in change.old:
                    raise join_errors.memo(change.place.label(None), whole=self.outer is None)
                if not self.is_sure and change.place.opaque:
                    raise join_errors.opaque(change.place.label("state"), change.place.owner)
                if self.outer is not None:
                    _refuse_foreign(change)
                if not self.is_sure and is_reordered(change):
                    raise _order(change.place.label(next(iter(change.old))))
                result[key] = change
                if self.outer is not None:
                    self.cached.refuse_change(change.place.label(next(iter(change.captured), None)))
            else:  # an object of the body's own, which a variable may hold
                change.place.write(change.new)
                del self.places[key]
        return result

    def _contents(self) -> Iterator[tuple[Place, Contents, Contents]]:
        """The places with their contents before and now; each global variable as a place of its own, and once."""
        seen: set[Hashable] = set()
        for place, old in list(self.places.values()):
            variables = place.variables
            if variables is None:
                if not (place.is_variable and not {place.key, id(place.owner[0])}.isdisjoint(seen)):
                    seen.add(place.key)
                    yield place, old, place.read()
            elif id(variables) not in seen:
                seen.add(id(variables))
                for name in dict.fromkeys([*old, *variables]):
                    one = global_place(variables, str(name), place.shown(name))
                    if one.key not in seen:
                        place_names.copy(place.owner, one.owner)
                        yield one, {k: v for k, v in old.items() if k == name}, one.read()

    def in_place_of(self, item: Any) -> list[Any]:
        """What places held before that hold an item now, which none has held before."""
        contents = [*self._contents()]
        if any(old is item for _, olds, _ in contents for old in olds.values()):
            return []
        return [
            old.get(key, MISSING) for _, old, new in contents for key, value in new.items() if value is item
        ]

    def reachable(self, roots: Iterable[Any], wanted: set[int]) -> set[int]:
        """Which of these ids belong to objects that the body can see from `roots` and from globals."""
        roots = [*roots, *self._global_roots(), *opaque_objects.MODULES]
        dicts = {id(place.owner) for place, _ in self.places.values() if type(place.owner) is dict}
        return reachable(roots, wanted, attributes=not dicts.isdisjoint(wanted))

    def called(self, fn: types.FunctionType) -> None:
        """Notes that the body calls `fn`: its globals are among what the body can see."""
        module = fn.__globals__
        self.globals[id(module)] = module
        self.global_names.setdefault(id(module), set()).update(names_used(fn.__code__))
        self.codes[id(fn.__code__)] = fn.__code__, module

    def _global_roots(self) -> list[Any]:
        found: list[Any] = []
        for ident, module in self.globals.items():
            found.append(Holder(module))
            found += globals_named(module, self.global_names[ident])
        for code, module in self.codes.values():
            if imported := imports.values(code, module):
                found += globals_named({}, names_used(code), imported)
        return found


def _target(place: Place) -> Any:
    """The object whose reachability decides."""
    return place.owner[0] if place.is_variable else place.owner


def _refuse_foreign(change: Change) -> None:
    """Refuses a value of a trace that is over: no statement can give it."""
    for key, captured in change.captured.items():
        if any(isinstance(leaf, Tracer) and not tracing_state.is_alive(leaf) for leaf in captured.leaves):
            raise join_errors.foreign_error(change.place.label(key), change.place.owner)


def is_reordered(change: Change) -> bool:
    """Whether the keys of a dict that stay come in another order."""
    if not (isinstance(change.place.owner, dict) and change.place.holds_items):
        return False
    return [key for key in change.new if key in change.old] != [
        key for key in change.old if key in change.new
    ]


def _order(label: place_names.Label) -> MutationError:
    return MutationError(
        f"The keys of '{label.whole}' come in another order after a staged statement.",
        where=(label.line, source_places.here()),
        why="The order of a dict's keys can't depend on a traced value.",
        fix="write new values to the keys as they are, or change the order outside of the statement.",
    )


def differ(place: Place, old: Contents, new: Contents) -> bool:
    """Whether the contents of a place are others than they were."""
    if list(old) != list(new):
        return True
    if place.opaque:
        return old != new
    if isinstance(place.owner, np.ndarray) and place.holds_items:
        return _differ_arrays(old["array"], new["array"])
    return any(new[k] is not old[k] and not _equal_sets(new[k], old[k]) for k in old)


def _differ_arrays(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> bool:
    if old.dtype != new.dtype or old.shape != new.shape:
        return True
    if old.dtype.hasobject:
        return any(a is not b for a, b in zip(old.flat, new.flat, strict=True))
    return old.tobytes() != new.tobytes()  # nan is nan, and 0.0 is not -0.0


def _equal_sets(a: Any, b: Any) -> bool:
    return isinstance(a, (frozenset, bytes)) and a == b


_writes: Now[int] = Now(0)  # how many there were on this thread, or may have been


def active() -> Journal | None:
    """The journal of the innermost body that is being traced on this thread."""
    now: list[Journal] = thread.now.journals
    return now[-1] if now else None


def outermost() -> Journal | None:
    """The journal of the outermost body that is being traced on this thread."""
    now: list[Journal] = thread.now.journals
    return now[0] if now else None


def depth() -> int:
    """How many bodies are being traced on this thread, one in the other."""
    return len(thread.now.journals)


def bodies() -> tuple[int, ...]:
    """The numbers of the bodies that are being traced on this thread, the outermost first."""
    return tuple(now.number for now in thread.now.journals)


def base_trace() -> tuple[object, int]:
    """The trace at which the code that runs now will be left by statements of its own, and how deep that is.

    Bodies that are traced one in the other, each by a statement of the one around, belong together. A trace that
    somebody else has opened in between (a `jax.vmap` in the user's code) is a base of its own.
    """
    state = tracing_state.trace_state()
    bodies = thread.now.journals
    depth_ = len(bodies)
    while depth_ and bodies[depth_ - 1].state == state:
        depth_ -= 1
        state = bodies[depth_].outer
    return state, depth_


def journal(*, outer: object, keep: bool = False, sure: bool = False) -> Journal:
    """A context in which a body is traced, whose writes it collects; on leaving, everything is as it was.

    Args:
      outer: the trace around the statement; None where the body is a whole trace, whose owner takes the changes.
      keep: leave the changes in place where the body ends without an exception.
      sure: whether the body runs once for each time that what is around it does.
    """
    return Journal(outer, tracing_state.trace_state(), keep=keep, sure=sure)


@contextlib.contextmanager
def with_own_journal() -> Iterator[Journal]:
    """Code inside belongs to no body that is traced: what it writes stays, and is no change that a body has made.

    Gives a journal of its own, which is never undone.
    """
    outer: list[Journal] = thread.now.journals
    here = [[python_iterators.position(iterator) for iterator, _ in now.positions] for now in outer]
    before = [(old, place, place.read()) for now in outer for place, old in now.places.values()]
    inside = Journal(None, tracing_state.trace_state())
    try:
        with tracing.entered(journals=[inside]):
            yield inside
    finally:
        for now, positions in zip(outer, here, strict=True):
            now.positions = [
                (iterator, python_iterators.position(iterator) if known == position else known)
                for (iterator, known), position in zip(now.positions, positions, strict=True)
            ]
        for old, place, contents in before:
            _adopt(old, place, contents, place.read())


def _adopt(old: Contents, place: Place, before: Contents, now: Contents) -> None:
    """Makes what has changed from `before` to `now` part of `old`, to which the place will be put back."""
    if not differ(place, before, now):
        return
    for key in [*before, *now]:
        value = now.get(key, MISSING)
        if value is MISSING:
            old.pop(key, None)
        elif value is not before.get(key, MISSING):
            old[key] = value
    if place.holds_items and isinstance(place.owner, (list, deque)):
        items = [old[key] for key in sorted(old)]  # type: ignore[type-var]
        old.clear()
        old.update(enumerate(items))


_LEFT = "__autograph_lite_left_a_staged_statement__"


def has_left(error: BaseException) -> bool:
    """Whether `error` has come out of the body of a staged statement."""
    return _LEFT in vars(error)


def staging() -> bool:
    """Whether the body of a statement is being traced on this thread, which may run never, or often."""
    return any(not now.is_sure for now in thread.now.journals)


def cached_property(instance: Any, name: str) -> tuple[Any] | None:
    """What a cached property gives that the bodies which are being traced have computed, in a tuple; None where they have not.

    Raises:
      MutationError: Python might give a value from before a change.
    """
    found = (now.cached.get(instance, name, _writes.value) for now in reversed(thread.now.journals))
    return next((value for value in found if value is not None), None)


def keep_cached(instance: Any, name: str, value: Any) -> Any:
    """Keeps what a cached property has given while the body is traced; gives it. Raises MutationError if it is mutable."""
    thread.now.journals[-1].cached.keep(instance, name, value, _writes.value)
    return value


def record_cached(instance: Any) -> None:
    """`note_change`, where a cached property is about to keep its value: no other property gives another one for that."""
    before = _writes.value
    note_change(instance)
    _writes.value = before


def note_change(owner: Any, *, written: bool = True) -> Any:
    """Notes that `owner` is about to be changed in place, or may be; returns it."""
    if written:
        container_identity.refuse_write(owner)
        if trial.is_on_trial():
            trial.refuse_unknown(known_calls.unknown_store(owner))
    now = active()
    if now is not None:
        inside = places.containers_in(owner) if opaque_objects.holds_others(owner) else ()
        for place in (place for each in (owner, *inside) for place in places.object_places(each)):
            if written:
                place_names.wrote(place.owner)
            now.note(place)
    return owner


def gave_birth(made: Any) -> None:
    """Notes that the body that is being traced, if one is, has made an object."""
    if (now := active()) is not None:
        now.born[id(made)] = made


def passed(arguments: dict[int | str, Any]) -> None:
    """Notes that the user's line has called a library's function, which may have changed arguments that were recorded."""
    if not staging():
        return
    for position, value in arguments.items():
        for place in places.object_places(value)[:1]:
            here: Journal = thread.now.journals[-1]
            known = here.places.get(place.key)
            if known is not None and not place_names.knows(place.owner) and differ(*known, place.read()):
                place_names.wrote(place.owner, position)


def consume(iterator: Any) -> None:
    """Notes that items are taken from `iterator`: a body that is traced once may only do that to one of its own.

    So may a whole function, whose later executions would get the same items.

    Raises:
      IterationError: it, or an iterator that it takes its items from, was there before the whole function ran.
    """
    step = getattr(type(iterator), "__next__", None)
    if isinstance(step, types.FunctionType) and any(map(is_operators, plain(step).__code__.co_freevars)):
        return  # a converted method of the user's, which notes what it changes
    if not trial.owns(iterator):
        trial.end_trial("an item is taken from an iterator")
    _use_up(iterator, "an iterator")
    _refuse_outside(iterator)


def _refuse_outside(iterator: Any) -> None:
    """Refuses an iterator that was there before the whole function ran, or takes from such a one, while it has its items."""
    whole = outermost()
    if whole is None:
        return
    if any(known is iterator for known, _ in whole.positions):
        raise join_errors.iterator("", iterator, whole=len(thread.now.journals) == 1)
    for source in (
        python_iterators.source_iterators(iterator) if python_iterators.is_pythons(iterator) else []
    ):
        _refuse_outside(source)


def consume_all(iterable: Any) -> None:
    """Notes that Python takes the items of `iterable`, which may be an iterator of Python's, or a file."""
    if thread.now.journals and python_iterators.is_read(iterable):
        consume(iterable)


def note_entered(manager: Any) -> None:
    """Notes that a context manager is entered; one of a generator's can be entered once, as its items are taken once."""
    if isinstance(manager, contextlib._GeneratorContextManager):
        _use_up(manager, "a context manager")


@contextlib.contextmanager
def items_taken() -> Iterator[Callable[[Iterable[Any]], bool]]:
    """Gives what tells whether items are taken inside from iterators that `roots` lead to, which nothing undoes."""
    outer, taken = _taken.value, list[Any]()
    _taken.value = taken

    def is_any_of(roots: Iterable[Any]) -> bool:
        wanted = [*taken]
        for each in wanted:
            wanted += python_iterators.source_iterators(each) if python_iterators.is_pythons(each) else []
        return bool(wanted) and bool(reachable(roots, set(map(id, wanted))))

    try:
        yield is_any_of
    finally:
        _taken.value = outer
        if outer is not None:
            outer += taken


_taken: Now[list[Any] | None] = Now(None)


def _use_up(found: Any, name: str) -> None:
    if _taken.value is not None:
        _taken.value.append(found)
    if (now := active()) is not None:
        place_names.wrote(found)
        taken: Contents = {"items": False}
        now.note(Place(found, lambda: dict(taken), lambda _: None, lambda _: name))
        taken["items"] = True


def refuse_moved(written: Journal, fn: Callable[..., Any]) -> None:
    """Refuses the items that a whole function has taken from an iterator that was there before it, in whatever way."""
    for iterator, before in written.positions:
        if python_iterators.position(iterator) != before:
            raise join_errors.iterator("", iterator, whole=True, function=getattr(fn, "__func__", fn))


def unchanging(iterator: Iterator[Any]) -> Iterator[Any]:
    """The items of Python's `iterator`, where only the running program knows which of them are wanted.

    Raises:
      MutationError: taking an item changes an object, or a variable, of the user's.
    """
    names = (
        [*itertools.chain(*written_variables(iterator.gi_code))]
        if isinstance(iterator, types.GeneratorType)
        else []
    )
    if names:
        raise MutationError(
            f"'{names[0]}' is assigned in a generator that a traced value may leave.",
            why="Python would not take the later items, but the program is traced with all of them.",
            fix="write it as a loop with `break`.",
        )
    while True:
        with journal(outer=tracing_state.trace_state(), keep=True) as written:
            try:
                item = next(iterator)
            except StopIteration:
                return
            changed = [
                place
                for place, old in written.places.values()
                if (not place.ours or isinstance(place.owner, Box)) and differ(place, old, place.read())
            ]
        if changed:
            label = changed[0].label(next(iter(changed[0].read()), None))
            raise MutationError(
                f"'{label}' is changed by taking the items of an iterator that a traced value may leave.",
                where=(place_names.written_line(label), source_places.here()),
                why="Python would not take the later items, but the program is traced with all of them.",
                fix="loop over the items themselves, and call the function in the body.",
            )
        yield item


def misses_deleted(error: BaseException) -> bool:
    """Whether `error` says that a global is not there, which a body that is traced, or a function that runs, has deleted."""
    if not isinstance(error, NameError) or isinstance(error, UnboundLocalError):
        return False
    known = [each for now in thread.now.journals for each in now.places.values()]
    return any(error.name in old and error.name not in place.read() for place, old in known) or any(
        error.name in _deleted_globals(frame.f_code) for frame, _ in traceback.walk_stack(None)
    )


@functools.lru_cache(maxsize=1024)
def _deleted_globals(code: types.CodeType) -> frozenset[str]:
    """Those that a function deletes, or one within it, as its pieces are."""
    steps = (step for each in codes.nested_codes(code) for step in dis.get_instructions(each))
    return frozenset(step.argval for step in steps if step.opname == "DELETE_GLOBAL")


def record_variables(fn: types.FunctionType) -> None:
    """Notes the closure cells and globals that `fn` writes, before it runs, and the functions that it calls if it is ours."""
    if thread.now.journals:
        for each in _with_operands(fn):
            _record_variables(each)


def _with_operands(fn: types.FunctionType) -> Iterable[types.FunctionType]:
    """`fn`, or if it is one of ours the user's functions in its cells: operands and elements."""
    if not source_places.is_hidden_file(fn.__code__.co_filename):
        return (fn,)
    found: dict[int, types.FunctionType] = {}
    seen, todo = {id(fn)}, [fn]
    while todo:
        for held in held_in_cells(todo.pop()):
            for each in held if type(held) in (tuple, list) else (held,):
                if isinstance(each, types.FunctionType) and id(each) not in seen:
                    seen.add(id(each))
                    if source_places.is_hidden_file(each.__code__.co_filename):
                        todo.append(each)
                    else:
                        found[id(each)] = each
    return found.values()


def _record_variables(fn: types.FunctionType) -> None:
    code = fn.__code__
    cells, names = written_variables(code)
    now: Journal = thread.now.journals[-1]
    if cells:
        for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
            if name in cells:
                now.note(cell_place(cell, name))
    for name, line in names.items():
        place = global_place(fn.__globals__, name)
        now.note(place)
        place_names.note_assignment(now.places[place.key][0].owner, code, line)
    found = values_used(fn)
    for owner in found:
        if isinstance(owner, dict) and hasattr(type(owner), "__missing__"):
            note_change(owner)  # reading an item may make it
    record_augmented(fn, found)


def record_augmented(fn: types.FunctionType, values: Iterable[Any]) -> None:
    """Notes which of the values are, or have got, what `fn` may change in place by `xs += ys`, before it runs.

    Raises:
      Reborn: nobody records what it computes, and so nobody would see that it changes an array of NumPy's.
    """
    now = active()
    operators = augmented_assignments.operators(fn.__code__) if now is not None else None
    if now is not None and operators:
        retracing.want_recorded()
        for found, is_large in augmented_assignments.changeable(values, operators):
            if not is_large:
                note_change(found, written=False)
            elif now.outer is not None:
                now.watch(found)


def note_handed(fn: Any) -> None:
    """Notes what `fn`, which is handed to a library, may see and write: its calls pass the operators by."""
    now = active()
    if now is not None and isinstance(fn, types.FunctionType):
        now.called(fn)
        record_variables(fn)


@by_code
def written_variables(code: types.CodeType) -> tuple[frozenset[str], dict[str, int]]:
    """Names of the enclosing functions' variables, and of globals with the line, that this code itself writes."""
    cells, names = set(), {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in code.co_freevars:
            cells.add(instruction.argval)
        elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            position = instruction.positions
            names[instruction.argval] = (position.lineno if position else None) or code.co_firstlineno
    return frozenset(cells), names


def commit(place: Place, contents: Contents) -> None:
    """Writes `contents`, as converted code would: the body around sees the change."""
    if (
        isinstance(contents.get("array"), Tracer)
        and isinstance(place.owner, np.ndarray)
        and place.holds_items
    ):
        refusal = join_errors.ndarray(place.label("array"))
        births.want_anew(place.owner, refusal)
        raise refusal
    if (now := active()) is not None:
        now.note(place)
    place.write(contents)
