"""Symbolic warnings: what is a user told whose function can't be traced for all sizes? Which line needs to know a size."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from autograph_lite.errors import AutographError, SymbolicSizeWarning
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.explaining.function_names import name_of
from autograph_lite.runtime.tracing.symbolic_sizes import InconclusiveSize


def warn_of_symbolic_sizes(fn: Callable[..., Any], failure: InconclusiveSize) -> None:
    """Warns that `fn` is traced for each size, at the user's line that has asked for one."""
    place = failure.where or source_places.line_of_function(fn)
    if place:
        warnings.warn_explicit(symbolic_message(fn, failure), SymbolicSizeWarning, place.path, place.line)


def symbolic_message(fn: Callable[..., Any], failure: InconclusiveSize) -> str:
    """The text of the warning."""
    reason = str(failure.error).strip().splitlines()
    return str(
        AutographError(
            f"'{name_of(fn)}' is traced for each size of its arguments.",
            where=failure.where or source_places.line_of_function(fn),
            why=f"With sizes that are not known: {reason[0] if reason else type(failure.error).__name__}",
            fix="leave the size to JAX, with x.shape[0] in `range` or in arithmetic; or give all sizes in the ArraySpec.",
        )
    )
