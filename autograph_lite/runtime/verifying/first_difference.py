"""Which is the first statement whose variables differ? Both run once more, and tell of each statement."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import ConversionError, Location
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.verifying import recording
from autograph_lite.runtime.verifying.observations import differing
from autograph_lite.runtime.verifying.recording import EVENTS, Event, Recording
from autograph_lite.runtime.verifying.report import Difference, FirstStatement, line_of
from autograph_lite.runtime.verifying.tolerance import Tolerance

# Runs a function that takes the place of the user's, on the arguments of the call.
Run = Callable[[Any], object]


class Untold(Exception):
    """The statement can't be told; the message says why."""


def first_difference(
    fn: Callable[..., Any], python: Run, compiled: Run, tolerance: Tolerance
) -> FirstStatement | None:
    """The first statement that differs; None where all do the same. Raises Untold: it can't be told."""
    told = _recorded(fn, recording.everything, python)
    ours = _recorded(fn, recording.numeric_in(told), compiled)
    if not ours.events and told.events:
        raise Untold("the compiled program does not tell what its variables are")
    return _first(told, ours, tolerance)


def _recorded(fn: Callable[..., Any], wanted: recording.Wanted, run: Run) -> Recording:
    made = Recording(wanted)
    try:
        function = made.telling(fn)
    except ConversionError as error:
        raise Untold(error.what) from error
    run(function)
    return made


def _first(python: Recording, ours: Recording, tolerance: Tolerance) -> FirstStatement | None:
    for ran, did in itertools.zip_longest(python.events, ours.events):
        place = _place(did or ran, python, ours)
        if ran and did and (ran.fn, ran.site) == (did.fn, did.site):
            differences = _differences(ran, did, tolerance)
            if differences:
                return FirstStatement(place, differences)
        elif len(python.events) < EVENTS:
            here = _place(ran, python, ours) if ran else None
            return FirstStatement(place, (), _parted(here, runs=did is not None))
    if len(python.events) >= EVENTS:
        raise Untold(f"the first {EVENTS} statements that run are the same")
    return None


def _parted(here: Location | None, *, runs: bool) -> str:
    """What is said where the two do not go on in the same way; `here` is where Python goes on."""
    if not runs:
        return "Python runs this line, and the compiled program has ended"
    other = "Python has ended" if here is None else f"Python runs {line_of(here)}"
    return f"the compiled program runs this line, and {other}"


def _differences(ran: Event, did: Event, tolerance: Tolerance) -> tuple[Difference, ...]:
    return tuple(
        Difference(name + path, str(wanted), str(found))
        for name, value in did.values.items()
        for path, wanted, found in differing(ran.values.get(name, {}), value, tolerance)
    )


def _place(event: Event, python: Recording, ours: Recording) -> Location:
    path, _, name = event.fn
    sites = python.sites.get(event.fn) or ours.sites[event.fn]
    return source_places.at(path, sites[event.site].line, name)
