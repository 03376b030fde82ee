"""Nondeterminism: which clocks and random generators were asked while a function was traced? Told to whoever listens.

time.time() * x                  the program keeps the time of its trace; Python reads the clock at each call
random.random() * x              likewise the number
"""

from __future__ import annotations

import contextlib
import datetime
import os
import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph_lite.operators.object_graph.opaque_objects import MODULES
from autograph_lite.tracing import entered, thread

_CLOCKS = {
    **{getattr(time, name): f"time.{name}" for name in dir(time) if name.partition("_ns")[0] in
       ("time", "perf_counter", "monotonic", "process_time", "thread_time")},
    **{getattr(datetime.datetime, name): f"datetime.{name}" for name in ("now", "utcnow", "today")},
    datetime.date.today: "date.today",
    os.urandom: "os.urandom",
}  # fmt: skip
_GENERATORS = random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator


@contextlib.contextmanager
def collecting_clocks() -> Iterator[list[str]]:
    """Gives a list that the names of what is asked on this thread are appended to."""
    found: list[str] = []
    with entered(clocks=found):
        yield found


def called(fn: Any) -> None:
    """Tells of a function written in C that is called while a function is traced, if it is a clock."""
    if thread.now.clocks is not None and fn in _CLOCKS:
        thread.now.clocks.append(_CLOCKS[fn])


def changed(owner: Any) -> None:
    """Tells of an object that has changed while a function was traced, if it gives random numbers."""
    if thread.now.clocks is not None and isinstance(owner, _GENERATORS):
        of_modules = zip(MODULES, ("random", "numpy.random"), strict=True)
        module = next((name for held, name in of_modules if owner is held), None)
        thread.now.clocks.append(module or f"a {type(owner).__name__}")
