"""The errors of a join: which variable, what it is on each side, where, and what to type instead."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.errors import (
    BranchMismatchError,
    CarryMismatchError,
    IterationError,
    Location,
    MutationError,
    UndefinedVariableError,
)
from autograph_lite.operators import opaque as opaque_objects, spelling, where
from autograph_lite.operators.templates import Mismatch


def branches(label: str, found: Mismatch, funs: Sequence[Callable[..., Any]]) -> BranchMismatchError:
    """A variable that two branches leave with types that have nothing in common."""
    what = f"'{label}'"
    if label == "the return value":
        what = "the value of the expression" if any(map(_is_operand, funs)) else label
    return BranchMismatchError(
        f"{what[0].upper()}{what[1:]} is {found.left} on one path and {found.right} on another.",
        where=where.of_function(funs[0]),
        why="The condition depends on a traced value, so both paths are compiled, and their results must be of one type.",
        fix=f"give {what} the same structure and shape on every path.",
    )


def _is_operand(fun: Callable[..., Any]) -> bool:
    """Whether a branch is a part of an expression."""
    return fun.__code__.co_name == "<lambda>" or where.is_ours(fun.__code__.co_filename)


def place(label: str, found: Mismatch | None = None) -> MutationError:
    """A place in a user's object that two paths leave in states that can't be joined."""
    here = where.here()
    written = label.line if isinstance(label, spelling.Label) else None
    places = tuple(dict.fromkeys(p for p in (written, here) if p))
    if found is not None:
        return MutationError(
            f"'{label}' is {found.left} on one path of a staged statement and {found.right} on another.",
            where=places,
            why="The condition depends on a traced value, so both paths are compiled, and what they leave must be of one type.",
            fix=f"give '{label}' the same structure and shape on every path.",
        )
    if (
        isinstance(label, spelling.Label)
        and isinstance(label.owner, (list, collections.deque))
        and not label.attribute
    ):
        return MutationError(
            f"'{label.whole}' has more items on one path of a staged statement than on another.",
            where=places,
            why="The condition depends on a traced value, so the program must know the length without knowing the path.",
            fix="append on every path, for example jnp.where(condition, value, 0), or count in a variable how many are valid.",
        )
    return MutationError(
        f"'{label}' exists on one path of a staged statement and not on another.",
        where=places,
        why="The condition depends on a traced value, so the program must know what is there without knowing the path.",
        fix=f"create '{label}' before the statement, with a value of the same type.",
    )


def ndarray(label: str) -> MutationError:
    """An array of NumPy's that a staged statement changes to values that the program computes."""
    written = label.line if isinstance(label, spelling.Label) else None
    return MutationError(
        f"'{label}', an array of NumPy's, is changed in place inside a staged statement.",
        where=tuple(dict.fromkeys(p for p in (written, where.here()) if p)),
        why="A compiled program computes the new items, and an array of NumPy's can't hold them.",
        fix=f"make it an array of JAX's, jnp.asarray({label}), and bind the changed array to the name.",
    )


def foreign(label: str, owner: object, *, owned: bool = True) -> MutationError:
    """A place that gets a value of a transformation that ends before the place could hold it.

    Args:
      label: what the place is called.
      owner: the object that it is in.
      owned: whether the transformation is inside of the converted function, and not around it.
    """
    what = (
        "inside a function that was handed to jax.lax.scan, jax.vmap, jax.grad or the like"
        if owned
        else "by a converted function that is called inside jax.jit, jax.vmap, jax.grad or the like"
    )
    return MutationError(
        f"'{label}' is changed {what}.",
        where=spelling.written_at(owner) or where.here(),
        why="The new value is part of that transformation, which ends before the object could get it.",
        fix="return the new value from the function, and change the object outside of the transformation.",
    )


def opaque(label: str, found: object) -> MutationError:
    """An object of a library's, from outside of a staged statement, that the statement changes."""
    written = label.line if isinstance(label, spelling.Label) else None
    return MutationError(
        f"'{label}', of the type {type(found).__name__}, is changed inside a staged statement that it does not come from.",
        where=tuple(dict.fromkeys(p for p in (written, where.here()) if p)),
        why="The statement is traced once: the change would be made then, and not each time that the program runs it.",
        fix=opaque_objects.instead(found),
    )


def iterator(label: str, found: object) -> IterationError:
    """An iterator from outside of a staged statement that the statement takes items from."""
    written = label.line if isinstance(label, spelling.Label) else None
    kind = type(found).__name__
    return IterationError(
        f"A {kind} is consumed inside a staged statement that it does not come from.",
        where=tuple(dict.fromkeys(p for p in (written, where.here()) if p)),
        why="The statement is traced once, so that every execution would get the same items, whether it runs or not.",
        fix="take the items before the statement, or iterate over an array.",
    )


def carry(name: str, found: Mismatch, body_fun: Callable[..., Any]) -> CarryMismatchError:
    """A loop's variable that an iteration leaves with another type."""
    return CarryMismatchError(
        f"'{name}' is {found.left} before an iteration of the loop and {found.right} after it.",
        where=where.of_function(body_fun),
        why="The number of iterations depends on a traced value, so one body is compiled for all of them.",
        fix=_start(f"{name}", found),
    )


_ARRAY = re.compile(r"(\w+)\[([\w,]*)\]")


def _start(name: str, found: Mismatch) -> str:
    """What to do about a variable that changes its type in a loop."""
    before, after = _ARRAY.fullmatch(found.left), _ARRAY.fullmatch(found.right)
    if found.left == "None":
        return f"start with a value of the type {found.right}, and a flag that says whether '{name}' was set."
    if before and after and before[2]:
        return f"give '{name}' its final shape before the loop, and write its items in the body."
    if before and after:
        return f"start with '{name}' of its final shape: jnp.zeros(({after[2]},), jnp.{after[1]})."
    return f"start with '{name}' of the structure and shape that it has later."


@dataclasses.dataclass(frozen=True)
class Lost:
    """Branches that may have left a variable unassigned.

    Attributes:
      depth: how many bodies are traced around their statement.
      places: where they are.
    """

    depth: int
    places: tuple[Location, ...]


def lost(funs: Sequence[Callable[..., Any]], raised: Sequence[bool], depth: int) -> Lost:
    """Which of the branches that do not raise may have left a variable unassigned."""
    alive = (where.of_function(fun) for fun, dead in zip(funs, raised, strict=True) if not dead)
    return Lost(depth, tuple(place for place in alive if place)[:1])


def skipped_branch(name: str, left: Lost) -> UndefinedVariableError:
    """A variable that is read on a path on which, as the program runs, no branch has assigned it."""
    return UndefinedVariableError(
        f"'{name}' was used before it was assigned.",
        where=tuple(p for p in (where.here(), *left.places) if p),
        why="The second line's path that was taken does not assign it.",
        fix=f"assign '{name}' before that statement, or on its other paths too.",
    )


def unassigned(name: str, left: Lost) -> UndefinedVariableError:
    """A variable that is read although a branch may have skipped its assignment."""
    return UndefinedVariableError(
        f"'{name}' may be used before it is assigned.",
        where=tuple(p for p in (where.here(), *left.places) if p),
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
