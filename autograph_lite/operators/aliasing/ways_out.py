"""Ways out: who has an array that is written, and reads it where the code that runs is left?

    raise Diverged(x)                     an exception: in NumPy, `e.x` is `x`, and the program hands it over as a value
    return x                              a `return`, whose `finally` writes to `x`: the caller gets the array as it is then
    with Restoring(x):                    a context manager, whose `__exit__` finds in `self.x` what the block has written to `x`

No variable of the function need lead to these.
"""

from __future__ import annotations

import contextlib
import dis
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograph_lite.analysis import read_after
from autograph_lite.converters.python_ops import Returned
from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import access_paths, callers_parts, user_frames
from autograph_lite.operators.aliasing.access_paths import Path
from autograph_lite.operators.checks import carried_checks, catching
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import thread


def refuse_raised(array: Any) -> None:
    """To be called before an item of `array` is written.

    Raises:
      MutationError: an exception that was raised, or is handled, holds it, a part of it, or what it is a part of.
    """
    here = carried_checks.frame()
    if not here.raised and not here.handled:
        return
    may_be = thread.now.replaced or catching.unraised() is not True  # a `finally` runs whatever was raised
    raised = here.raised if may_be else {}
    same, whole = access_paths.same_and_whole(array)
    variables = {"raised": [*raised.values()], "handled": [*here.handled.values()]}
    if access_paths.leading_to(variables, [*same, *whole], parts=True, first=True):
        raise MutationError(
            f"An item of an array, {describe(array)}, is written, which an exception holds that a `try` may catch.",
            why=access_paths.WHY,
            fix="let the exception have a copy, x.copy(); or write to the array before the `raise`, or after the `try`.",
        )


def is_given_back(array: Any) -> bool:
    """To be called before an item of `array` is written; whether a `return` has evaluated it for sure.

    Raises:
      MutationError: it has on some path, whose value is another one by now.
    """
    if not (thread.now.replaced or thread.now.leaving):
        return False
    same, whole = access_paths.same_and_whole(array)
    found = False
    for run in user_frames.runs():
        place = user_frames.place_of_run(run)
        views = () if place is None else read_after.given_back(place, leaves=thread.now.leaving)
        variables = user_frames.run_variables(run) if views else {}
        if next(callers_parts.evaluated_before(views, variables, same, whole), None) is None:
            continue
        found = True
        if any(isinstance(value, Returned) for value in variables.values()):
            raise given_back_error(array)
    return found


def given_back_error(array: Any) -> MutationError:
    """What says that the write would not be seen by whoever gets the array."""
    return MutationError(
        f"An item of an array, {describe(array)}, is written by a `finally`, or where a `with` is left, and a `return` before "
        "that has evaluated the array.",
        why=access_paths.WHY,
        fix="write to it before the `return`; or return a copy, x.copy(), if the change is not to be seen.",
    )


def held_by_managers(arrays: Sequence[Any]) -> list[Path]:
    """The paths from managers that are entered to any of the arrays, or to parts of them."""
    return [
        path
        for variables in map(_variables, thread.now.managers)
        for path in access_paths.leading_to(variables, arrays, parts=True)
    ]


def refuse_held(paths: Sequence[Path], here: Path | None, array: Any) -> None:
    """Refuses a write to `array`, which is `here`, where a manager has it under another name.

    Raises:
      MutationError: one has.
    """
    for path in paths:
        if here is None or path.slot is None or path.slot != here.slot:
            raise MutationError(
                f"An item of an array, {describe(array)}, is written, and a context manager that is entered has it as "
                f"'{path.shown}'.",
                why=access_paths.WHY,
                fix="leave the `with` before, or hand over a copy, x.copy().",
            )


def _variables(manager: Any) -> Mapping[str, Any]:
    """What a manager may read when it is left: of a generator, the variables that it reads after its `yield`."""
    generator: Any = manager.gen if isinstance(manager, contextlib._GeneratorContextManager) else None
    frame = getattr(generator, "gi_frame", None)
    if frame is None:
        return {type(manager).__name__: manager}
    known: dict[str, Any] = frame.f_locals
    return {name: known[name] for name in _read_after(frame) if name in known}


def _read_after(frame: Any) -> Iterator[str]:
    for instruction in dis.get_instructions(frame.f_code):
        names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
        if instruction.offset > frame.f_lasti:
            yield from (name for name in names if isinstance(name, str))
