"""Memoization: what does a call of a function under `functools.lru_cache` leave in its cache?

    table()               where it returns a traced value, a later trace would be given that one again

The cache is emptied after the trace. That of a function which was there before is an error besides. And so is a function
that changes something in a staged statement: whether it runs depends on what is in the cache.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.object_graph.reachability import values_used
from autograph_lite.operators.user_code import ownership, place_names
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.place import Contents, Place
from autograph_lite.operators.values.values import Tracer

KIND = type(functools.lru_cache(len))


def remembering(
    memo: Any, called: Callable[..., Any], looked_at: Callable[..., Any] | None
) -> Callable[..., Any]:
    """`called`, which calls `memo`; the journal is told of traced values that it returns, and so keeps.

    Args:
      memo: what `functools.lru_cache` has made.
      called: calls it.
      looked_at: the converted form of its function, which is run first to see what that calls; None where all may be called.

    Raises:
      MutationError: the call changes an object or a variable, inside a staged statement.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        if looked_at is not None:
            with journal.journal(outer=tracing_state.trace_state()):
                looked_at(*args, **kwargs)
        made = _changing_nothing(memo, called, args, kwargs) if journal.staging() else called(*args, **kwargs)
        if any(isinstance(leaf, Tracer) for leaf in pytrees.leaves(made)):
            _note(memo)
        return made

    return run


def _changing_nothing(memo: Any, called: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    around = journal.active()
    assert around is not None
    fn = inspect.unwrap(memo)
    with journal.journal(outer=tracing_state.trace_state(), keep=True) as written:
        _look_at(fn)
        made = called(*args, **kwargs)
        for change in written.changes([fn, *args]).values():
            raise join_errors.memo_writes(memo.__name__, change.place.label(next(iter(change.new), None)))
    around.born.update(written.born)
    return made


def _look_at(fn: Any) -> None:
    """Notes what a function may change that is not converted, since its cache calls it, and so may those that it calls."""
    functions, seen = [fn], set[int]()
    for one in functions:
        journal.note_handed(one)
        for found in values_used(one):
            if id(found) in seen:
                continue
            seen.add(id(found))
            if ownership.is_users(found):
                functions.append(found)
            elif not isinstance(found, _UNCHANGING):
                journal.note_change(found, written=False)


_UNCHANGING = (
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.NoneType,
    str,
    int,
    float,
)


def _note(memo: Any) -> None:
    now = journal.active()
    if now is None:
        return
    place_names.wrote(memo)
    kept: Contents = {join_errors.TRACED: False}

    def write(new: Contents) -> None:
        if not new[join_errors.TRACED]:
            memo.cache_clear()

    now.note(Place(memo, lambda: dict(kept), write, lambda _: memo.__name__))
    kept[join_errors.TRACED] = True
