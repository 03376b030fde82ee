"""Managers' arrays: does a context manager that is entered hold an array that is written? It may read it when it is left.

    with Restoring(x):                    `__exit__` finds in `self.x` what the block has written to `x`
        x[0] = v

No variable of the function need lead to the manager.
"""

from __future__ import annotations

import contextlib
import dis
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograph_lite.errors import MutationError
from autograph_lite.operators.aliasing import access_paths, overlapping_views
from autograph_lite.operators.aliasing.access_paths import Path
from autograph_lite.operators.values.values import describe
from autograph_lite.tracing import thread


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
                why=overlapping_views.WHY,
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
