"""The errors of a join: which variable, what it is on each side, where, and what to type instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.errors import (
    BranchMismatchError,
    CarryMismatchError,
    Location,
    MutationError,
    UndefinedVariableError,
)
from autograph_lite.operators import where
from autograph_lite.operators.templates import Mismatch


def branches(label: str, found: Mismatch, funs: Sequence[Callable[..., Any]]) -> BranchMismatchError:
    """A variable that two branches leave with types that have nothing in common."""
    what = label if label == "the return value" else f"'{label}'"
    return BranchMismatchError(
        f"{what} is {found.left} on one path and {found.right} on another.",
        where=where.of_function(funs[0]),
        why="The condition depends on a traced value, so both paths are compiled, and their results must be of one type.",
        fix=f"give {what} the same structure and shape on every path.",
    )


def place(label: str, found: Mismatch | None = None) -> MutationError:
    """A place in a user's object that two paths leave in states that can't be joined."""
    if found is None:
        return MutationError(
            f"'{label}' exists on one path of a staged statement and not on another.",
            where=where.here(),
            why="The condition depends on a traced value, so the program must know what is there without knowing the path.",
            fix=f"create '{label}' before the statement, with a value of the same type.",
        )
    return MutationError(
        f"'{label}' is {found.left} on one path of a staged statement and {found.right} on another.",
        where=where.here(),
        why="The condition depends on a traced value, so both paths are compiled, and what they leave must be of one type.",
        fix=f"give '{label}' the same structure and shape on every path.",
    )


def carry(name: str, found: Mismatch, body_fun: Callable[..., Any]) -> CarryMismatchError:
    """A loop's variable that an iteration leaves with another type."""
    return CarryMismatchError(
        f"'{name}' is {found.left} before an iteration of the loop and {found.right} after it.",
        where=where.of_function(body_fun),
        why="The number of iterations depends on a traced value, so one body is compiled for all of them.",
        fix=f"start with '{name}' of the structure and shape that it has later.",
    )


def unsettled(names: Sequence[str], body_fun: Callable[..., Any]) -> CarryMismatchError:
    """Variables whose types do not come to rest."""
    shown = ", ".join(f"'{name}'" for name in names)
    return CarryMismatchError(
        f"The types of {shown} change with each iteration of the loop.",
        where=where.of_function(body_fun),
        why="The number of iterations depends on a traced value, so one body is compiled for all of them.",
        fix="start with variables of the structure and dtype that they have later.",
    )


def lost(funs: Sequence[Callable[..., Any]], raised: Sequence[bool]) -> tuple[Location, ...]:
    """Where the branches are that may have left a variable unassigned."""
    return tuple(where.of_function(fun) for fun, dead in zip(funs, raised, strict=True) if not dead)[:1]


def unassigned(name: str, places: tuple[Location, ...]) -> UndefinedVariableError:
    """A variable that is read although a branch may have skipped its assignment."""
    here = where.here()
    return UndefinedVariableError(
        f"'{name}' may be used before it is assigned.",
        where=tuple(p for p in (here, *places) if p),
        why="Only one of the paths of the second line assigns it, and a traced value decides which is taken.",
        fix=f"assign '{name}' before that statement, or on its other paths too.",
    )


def skipped_loop(name: str) -> UndefinedVariableError:
    """A variable that only a loop's body assigns, when the loop did not run."""
    here = where.here()
    return UndefinedVariableError(
        f"'{name}' was not assigned: the loop must run at least once.",
        where=here,
        fix=f"assign '{name}' before the loop.",
    )
