"""Nondeterminism: which clocks and random generators are asked while a function is traced? It warns, or tells who listens.

time.time() * x                  the program keeps the time of its trace; Python reads the clock at each call
random.random() * x              likewise the number: it warns, unless a seed in the function makes it the same at each call
"""

from __future__ import annotations

import contextlib
import datetime
import os
import random
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autograph_lite.errors import AutographError, RandomNumbersWarning
from autograph_lite.operators.object_graph.opaque_objects import MODULES, RANDOMNESS
from autograph_lite.operators.user_code import source_places
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


def drawn(owner: Any, name: str) -> None:
    """To be called where the method `name` of an object is about to be called: notes where random numbers are drawn."""
    known = thread.now.references
    if known is None or not known.is_whole or not isinstance(owner, _GENERATORS):
        return
    if name in ("seed", "setstate", "set_state"):
        known.seeded[id(owner)] = owner
    elif id(owner) not in known.seeded and name not in ("getstate", "get_state"):
        known.drawn[source_places.here()] = name


def warn_of_draws(drawn: Mapping[Any, str]) -> None:
    """To be called when a trace is over, with the lines that have drawn: warns, once for each, where nobody listens."""
    for line, name in drawn.items() if thread.now.clocks is None else ():
        text = AutographError(
            f"Random numbers are drawn by '{name}' while the function is traced.",
            where=line,
            why="The program has them as constants: each call with arguments of the same types gets the same ones.",
            fix=RANDOMNESS,
        )
        if line:
            warnings.warn_explicit(str(text), RandomNumbersWarning, line.path, line.line, registry=_warned)


_warned: dict[Any, Any] = {}


def makes_generators(fn: Any) -> bool:
    """Whether a function or a class makes random generators, or is the one that seeds NumPy's own."""
    if isinstance(fn, type):
        return issubclass(fn, _GENERATORS)
    return fn is np.random.default_rng or fn is np.random.seed


def seeding(make: Callable[..., Any], fn: Any) -> Callable[..., Any]:
    """`make`, which calls such a function: what has a seed gives the same numbers at each call in Python, too."""

    def run(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        known = thread.now.references
        if known is not None and any(each is not None for each in (*args, *kwargs.values())):
            generator = MODULES[1] if fn is np.random.seed else made
            known.seeded[id(generator)] = generator
        return made

    return run


def changed(owner: Any) -> None:
    """Tells of an object that has changed while a function was traced, if it gives random numbers."""
    if thread.now.clocks is not None and isinstance(owner, _GENERATORS):
        of_modules = zip(MODULES, ("random", "numpy.random"), strict=True)
        module = next((name for held, name in of_modules if owner is held), None)
        thread.now.clocks.append(module or f"a {type(owner).__name__}")
