"""Which refusals does the contract name, and which programs may get them?

A random program may be refused only for one of these reasons, and only if it holds a construct that gives the
reason: any other refusal is a finding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Set as AbstractSet

import jax

import autograph_lite


@dataclasses.dataclass(frozen=True)
class Refusal:
    """One kind of refusal.

    Attributes:
      reason: the contract's words.
      needs: features of programs (see `writer.Shared`), one of which the program must have.
    """

    reason: str
    needs: frozenset[str]


def _refusal(reason: str, *needs: str) -> Refusal:
    return Refusal(reason, frozenset(needs))


NAMED: dict[str, Refusal] = {
    "UndefinedVariableError": _refusal(
        "a variable assigned on one path only, used where it may be missing", "maybe unassigned", "del"
    ),
    "BranchMismatchError": _refusal(
        "structure and static Python values: equal on all paths, or an error",
        *(
            "return without a value",
            "alias",
            "append",
            "for over objects",
            "nested function",
            "lambda",
            "starred",
        ),
        *("list", "box", "dict"),
    ),
    "CarryMismatchError": _refusal(
        "a loop's variables keep their structure and shape",
        *(
            "append",
            "alias",
            "for over objects",
            "nested function",
            "lambda",
            "starred",
            "list",
            "box",
            "dict",
        ),
    ),
    "HandledRaiseError": _refusal(
        "an `except` that would have to catch a staged raise is an error that says so", "try/except"
    ),
    "MutationError": _refusal(
        "a mutation that can't be followed: an error at the line that mutates",
        *(
            "append",
            "alias",
            "box rebound",
            "dict rebound",
            "list rebound",
            "view",
            "array held",
            "array filled",
            "array of NumPy's changed where nothing was raised",
            "operand written",
            "part held",
            "written array not read",
            "for over objects",
            "closure writes an array",
            "list of a generator",
            "nonlocal",
            "global",
            "del",
            "key moved",
        ),
    ),
    "TracedIndexError": _refusal(
        "a traced value as a list index or a dict key where no array meaning exists",
        "list",
        "dict",
        "starred",
    ),
    "PythonOnlyError": _refusal("a decision that only Python can make", "walrus"),
    "SliceLengthError": _refusal(
        "a part of a length that follows from the bounds' texts reaches beyond the ends of its axis",
        "part",
        "part written",
    ),
    "TracedRecursionError": _refusal("recursion on a traced value", "recursion"),
}


def within(error: Exception) -> Exception | None:
    """The refusal that a program under somebody else's `jax.jit` has ended with, as far as JAX tells; None for any other end."""
    if isinstance(error, autograph_lite.AutographError):
        return error
    if isinstance(error, jax.errors.JaxRuntimeError) and "SliceLengthError: " in str(error):
        return autograph_lite.SliceLengthError(str(error))
    return None


def justified(error: Exception, features: AbstractSet[str]) -> bool:
    """Whether the contract names this refusal, for a program with these features."""
    refusal = NAMED.get(type(error).__name__)
    return refusal is not None and not refusal.needs.isdisjoint(features)
