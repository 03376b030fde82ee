"""Container identity: which lists and dicts may be one of several, so that writing to one may have to change another?

    a = xs if c else ys                   # staged: `a` is a new list of the joined items
    a[0] = 1                              # Python would change xs or ys: refused

Where paths hold different containers, the joined value is a new one. That is right as long as nobody writes to it, or
to those that it stands for. So they are remembered until the trace is over, and a write is an error. Containers that
every path has made for itself are nobody else's, and stay free.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax

from autograph_lite.converters.python_ops import assigned
from autograph_lite.errors import Location, MutationError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.jax_internals.references import ambient
from autograph_lite.operators.user_code import ownership, place_names, source_places
from autograph_lite.operators.values import dataclass_objects, instances, pytrees, retracing
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.operators.values.values import Tracer
from autograph_lite.tracing import thread


@dataclasses.dataclass(frozen=True)
class Group:
    """Copies that stand for one of several containers."""

    copies: list[Any]
    originals: list[Any]
    place: Location | tuple[()]


def _none() -> None:
    return None


class _Local(threading.local):
    def __init__(self) -> None:
        self.trace: Callable[[], Any] = _none  # the outermost one in which the rest is remembered
        self.begin()

    def begin(self) -> None:
        self.shared: dict[int, tuple[Any, list[Any]]] = {}  # with the items that they had then
        self.groups: list[Group] = []
        # Copies that stand for one of several items; the ids of the containers in them, and in the items.
        self.chosen: list[tuple[Any, set[int], set[int]]] = []

    def forget(self) -> None:
        for clear in self.clearing():
            clear()

    def clearing(self) -> tuple[Callable[[], None], ...]:
        return self.shared.clear, self.groups.clear, self.chosen.clear


_local = _Local()


@contextlib.contextmanager
def identities_of_program() -> Iterator[None]:
    """Forgets afterwards what is remembered inside, a whole program: the containers would keep its trace, and that them."""
    before = [*_local.groups]
    is_first = not (_local.shared or _local.groups or _local.chosen)
    try:
        yield
        _refuse_longer([group for group in _local.groups if not _is_among(group, before)])
    finally:
        if is_first:
            _local.forget()


@contextlib.contextmanager
def unless_it_fails() -> Iterator[None]:
    """Forgets what is remembered inside, a loop on trial, where that fails: Python runs it then, and nothing of it is left."""
    _begin()
    shared, groups, chosen = dict(_local.shared), len(_local.groups), len(_local.chosen)
    try:
        yield
    except BaseException:
        _local.shared.clear()
        _local.shared.update(shared)
        del _local.groups[groups:], _local.chosen[chosen:]
        raise


def _refuse_longer(groups: Sequence[Group]) -> None:
    """Refuses `xs += ys` and the like, which no operator sees, of a list or dict that may be one of several."""
    for group in groups:
        for owner in (*group.copies, *group.originals):
            if type(owner) is dict or (
                type(owner) is list and len(owner) != len(_local.shared[id(owner)][1])
            ):
                refuse_changed(owner)


def _unless_longer(_: Any, results: Sequence[Any]) -> Sequence[Any]:
    """What somebody else's program gives."""
    if _local.trace() is tracing_state.outermost_trace():  # and of none that has failed
        _refuse_longer(_local.groups)
    return results


ambient.endings.insert(0, _unless_longer)


def containers(value: Any, around: tuple[Any, ...] = (), *, frozen: bool = False) -> list[Any]:
    """The lists, dicts and dataclass objects in a value, itself included.

    Args:
      value: it is.
      around: the dataclass objects that it is inside of; one may be in itself.
      frozen: whether dataclass objects that can't be changed by an assignment are among them.
    """
    found: list[Any] = []

    def visit(node: Any) -> bool:
        if isinstance(node, (list, dict)):
            found.append(node)
        elif dataclass_objects.is_structure(node):
            if any(node is other for other in around):
                return True
            if frozen or not dataclass_objects.is_frozen(node):
                found.append(node)
            for inside in instances.held_by(node).values():
                found.extend(containers(inside, (*around, node), frozen=frozen))
        if isinstance(node, dict) and pytrees.is_out_of_order(node):
            for item in node.values():
                found.extend(containers(item, around, frozen=frozen))
            return True
        return isinstance(node, Whole) or pytrees.is_iterator(node)

    value = assigned(value)
    if value is not None and not isinstance(value, (Tracer, jax.Array, int, float, str)):
        jax.tree.flatten(value, is_leaf=visit)
    return found


def is_any_of(value: Any, options: Iterable[Any]) -> bool:
    """Whether a joined value is itself one that the paths have left, and no copy.

    A path that has read a variable that may be unassigned leaves what the variable holds, and the others leave the variable.
    """
    return any(assigned(option) is assigned(value) for option in options)


def remember_copies(copies: Sequence[Any], originals: Sequence[Any]) -> None:
    """Remembers containers that stand for others, and these, until the trace is over."""
    _begin()
    _local.shared.update((id(owner), (owner, _items(owner))) for owner in (*copies, *originals))
    ids = set(map(id, originals))
    groups = [group.originals for group in _local.groups if not ids.isdisjoint(map(id, group.copies))]
    # Each once: in a loop of 30 iterations, each with a copy of copies, there would be 2**30 of them.
    known = {id(one): one for one in itertools.chain(originals, *groups)}
    _local.groups.append(Group([*copies], [*known.values()], source_places.here()))


def is_shared(owner: Any) -> bool:
    """Whether a container may be one of several."""
    return id(owner) in _local.shared


def may_be_same(a: Any, b: Any) -> bool:
    """Whether one of two containers is a copy that stands for one of several, and the other may be that, or stand for it, too."""
    return not _meant(a).isdisjoint(_meant(b))


def _meant(one: Any) -> set[int]:
    """The ids of the containers that one is, or may stand for."""
    groups = [group for group in _local.groups if _is_among(one, group.copies)]
    found = {id(one), *(id(each) for group in groups for each in group.originals)}
    return found.union(*(originals for _, copies, originals in _local.chosen if id(one) in copies))


def _is_among(one: Any, others: Sequence[Any]) -> bool:
    return any(one is each for each in others)


def refuse_kept(reachable: Callable[[set[int]], set[int]]) -> None:
    """Refuses to keep a copy beside what it stands for: a later call may write to one of the two.

    Args:
      reachable: ids of containers -> those that the user's objects hold now that the function has run.

    Raises:
      MutationError: a copy is among these, and so is what it stands for.
    """
    if not _local.groups:
        return
    found = reachable({id(one) for group in _local.groups for one in (*group.copies, *group.originals)})
    for group in _local.groups:
        copies, originals = set(map(id, group.copies)), set(map(id, group.originals))
        if found & copies and found & originals:
            kind = type(group.copies[0]).__name__
            raise MutationError(
                f"A {kind} that is one object on one path of a staged statement and another on another path is kept "
                "beside one of these.",
                where=group.place,
                why=f"Which of them it is depends on a traced value, so a new {kind} is kept: what is written to it later "
                "would not change the other.",
                fix=f"keep a {kind} of its own, {kind}(...) or jax.tree.map(lambda leaf: leaf, ...), or replace the other "
                "in this call.",
            )


def _items(owner: Any) -> list[Any]:
    if isinstance(owner, (list, tuple)):
        return [*owner]
    held = owner if isinstance(owner, dict) else instances.held_by(owner)
    return [part for item in held.items() for part in item]


def refuse_changed(owner: Any) -> None:
    """`refuse_write`, where `owner` has been changed since it may be one of several."""
    if not (_local.shared or _local.chosen):
        return
    known = _local.shared.get(id(owner))
    if known is None or known[0] is not owner:
        return
    now = _items(owner)
    before = known[1]
    if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
        refuse_write(owner)


def choose(copy: Any, items: Iterable[Any]) -> None:
    """Remembers that the containers in `copy` stand for those in one of `items`, chosen by a traced index."""
    _begin()
    ids = {id(owner) for item in items for owner in containers(item)}
    _local.chosen.append((copy, {id(owner) for owner in containers(copy)}, ids))


def is_chosen(value: Any) -> bool:
    """Whether a container in `value` is a copy that stands for one of several, chosen by a traced index."""
    ids = {id(owner) for owner in containers(value)} if _local.chosen else set()
    return any(not ids.isdisjoint(copies) for _, copies, _ in _local.chosen)


def _begin() -> None:
    if tracing_state.is_tracing() and _local.trace() is not (trace := tracing_state.outermost_trace()):
        _local.begin()  # without what a trace has left that failed
        _local.trace = weakref.ref(trace)
        for clear in _local.clearing():
            tracing_state.when_trace_ends(clear)


def _holders(chosen: tuple[Any, ...]) -> int:
    """How many hold the copy, ourselves included."""
    return sys.getrefcount(chosen[0])


_ALONE = _holders(([],))


def refuse_write(owner: Any) -> None:
    """To be called before `owner` is written to.

    Raises:
      MutationError: the write may have to change another container.
      Reborn: so it is, and the objects may keep their identity.
    """
    if not (_local.shared or _local.chosen):
        return
    _refuse_chosen(owner)
    if id(owner) in _local.shared and _local.shared[id(owner)][0] is owner:
        groups = [group for group in _local.groups if _is_among(owner, (*group.copies, *group.originals))]
        _want_identity([owner, *(one for group in groups for one in (*group.copies, *group.originals))])
        kind = type(owner).__name__
        place_names.wrote(owner)
        name = place_names.owner_spelling(owner)
        shown = f"A {kind}, '{name}'," if name else f"A {kind}"
        raise MutationError(
            f"{shown} is written to that is one object on one path of a staged statement and another on another path.",
            where=(source_places.here(), *(group.place for group in groups)),
            why="Which of them the write would have to change depends on a traced value.",
            fix=_by_convert(owner)
            or f"write on the paths, to the one that each chooses, or make a new {kind} first: {kind}(...).",
        )


def _want_identity(owners: Iterable[Any]) -> None:
    """Traces the function once more, with the dataclass objects among these as objects that a traced value chooses.

    Raises:
      Reborn: they are of the user's classes, and were taken for the values that they hold.
    """
    kinds = {type(one) for one in owners if hasattr(type(one), "__dataclass_fields__")}
    turned = {dataclass_objects.class_key(kind) for kind in kinds if ownership.may_be_chosen(kind)}
    known = thread.now.program
    if known is not None and not turned <= known.told:
        raise retracing.Reborn([], told=turned)


def _by_convert(owner: Any) -> str:
    """What to do where `owner` would keep its identity in a program of ours, which can be traced once more."""
    if thread.now.program is not None or not hasattr(type(owner), "__dataclass_fields__"):
        return ""
    kind = type(owner).__name__
    return (
        "call what `autograph_lite.convert` makes of the function, and not under a `jax.jit` of your own: a "
        f"{kind} keeps there which one it is. Or write on the paths, to the one that each chooses."
    )


def _refuse_chosen(owner: Any) -> None:
    kind = type(owner).__name__
    for chosen in _local.chosen:
        if id(owner) in chosen[1] or (id(owner) in chosen[2] and _holders(chosen) > _ALONE):
            _want_identity(containers(chosen[0]))
        if id(owner) in chosen[1]:
            raise MutationError(
                f"A {kind} is written to that was chosen by a traced index.",
                why="Which of several it is depends on a traced value: this one is a copy, and the change would be lost.",
                fix=_by_convert(owner)
                or "write through the outer container, rows[i][j] = value, or use an array.",
            )
        if id(owner) in chosen[2] and _holders(chosen) > _ALONE:
            raise MutationError(
                f"A {kind} is written to that may be the one that was chosen by a traced index before.",
                why="Which of several was chosen depends on a traced value: it is a copy, which would not change.",
                fix="choose the item again after the change, or use an array.",
            )
