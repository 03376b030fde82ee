"""Mutual exclusion: which thread may change the user's objects now?

While a function is traced, tracers stand in the objects that it changes; and a program that was traced for what an object
holds is right until another thread changes that. So a thread has the objects for itself from its first write until its trace
is undone, and from the choice of a program until its new values are there. Who changes nothing waits for nobody.

A thread that traces may hold locks that others wait for. So it never waits here: it gives up, lets go of what it holds,
waits, and begins again.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from autograph_lite.jax_internals import tracing_state
from autograph_lite.scoped import Now

T = TypeVar("T")
# Also held while a program takes the memory of Variables' arrays: another thread must not find them gone.
LOCK = threading.RLock()


class BusyError(BaseException):
    """Another thread has the objects: to be begun again. No `except Exception` of the user's is to see it."""


class _Scope:
    held = failed = False


_now: Now[_Scope | None] = Now(None)
_holders = 0  # how often the thread that has the objects has taken them
_turns = 0  # how often any thread has taken them or given them back


def run_exclusively(work: Callable[[], T]) -> T:
    """What `work` gives, which may `claim` the objects, and has them until it ends; it may run for a second time."""
    if tracing_state.is_tracing():  # part of somebody else's trace, who may hold anything
        return work()
    try:
        with _scope(held=False):
            return work()
    except BusyError:
        pass
    LOCK.acquire()
    _count(+1)
    with _scope(held=True):
        return work()


@contextlib.contextmanager
def _scope(*, held: bool) -> Iterator[None]:
    now = _Scope()
    now.held = held
    try:
        with _now.being(now):
            yield
    finally:
        if now.held:
            _count(-1)
            LOCK.release()


def _count(change: int) -> None:  # while the lock is held
    global _holders, _turns
    _holders += change
    _turns += 1


def read_steadily(read: Callable[[], T], same: Callable[[T, T], bool]) -> T:
    """What `read` gives of the user's objects, and not half of it from before another thread's change.

    It waits for others only if what it read has changed meanwhile: they may wait for this thread.
    """
    before = _turns
    if _holders == 0:
        try:
            found = read()
        except Exception:
            if _turns == before:
                raise
        else:
            if _turns == before:
                return found
    with contextlib.suppress(Exception):
        found = read()
        if same(found, read()):
            return found
    claim()
    return read()


def claim() -> None:
    """Takes the objects for this thread, until the work ends that it does `run_exclusively`."""
    now = _now.value
    if now is None or now.held:
        return
    now.held = LOCK.acquire(blocking=False)
    if not now.held:
        now.failed = True
        raise BusyError
    _count(+1)


def confirm() -> None:
    """Gives up once more, if the user's code has caught the exception."""
    if _now.value is not None and _now.value.failed:
        raise BusyError


def release_objects() -> None:
    """Gives the objects to others before the work ends."""
    now = _now.value
    if now is not None and now.held:
        now.held = False
        _count(-1)
        LOCK.release()
