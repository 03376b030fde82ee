"""Reads of variables that may be unassigned: an error while tracing, or a check of the program."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph_lite.converters.python_ops import Maybe, Undefined, unbound
from autograph_lite.operators.checks import carried_checks, exception_templates
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.trace_context import path_facts
from autograph_lite.operators.values.values import traced


def defined(value: Any, *, free: bool = False) -> Any:
    """`value`, if the variable read has one; it is `free` if it is one of a function around that which reads it.

    Raises:
      UnboundLocalError: it has none; a NameError where it is free.
      UndefinedVariableError: a traced value decides whether it has one, and some path leaves it unassigned.
    """
    if not isinstance(value, Maybe):
        return value
    if value.present is False:
        raise _unbound(value.name, free)
    if value.present is True or path_facts.is_true(value.present):
        return value.value
    left = value.missing
    if left is not None and left.depth >= journal.depth():
        raise join_errors.unassigned(value.name, left)
    if traced(value.present):
        # On a path of its own, the read may well imply the assignment: `if c: y = 1` and later `if c: use(y)`.
        skipped = (
            join_errors.skipped_loop(value.name)
            if left is None
            else join_errors.skipped_branch(value.name, left)
        )
        carried_checks.fail_if(jnp.logical_not(value.present), skipped)
    return value.value


def assigned(value: Any) -> Any:
    """The value of a variable that is known to have one where this is evaluated.

    Only on a path that is traced and never taken can it be missing.
    """
    if isinstance(value, Maybe):
        return defined(value) if value.present is False else value.value
    return value


def returned(ret: Maybe) -> Any:
    """Whether a `return` was reached."""
    known = path_facts.is_true(ret.present) if traced(ret.present) else None
    return ret.present if known is None else known


def deleted(value: Any, name: str) -> Maybe:
    """What a name holds after `del`."""
    defined(value)
    return Undefined(name)


def reached(before: Any) -> Any:
    """Whether a statement under `try` has been reached: now, or `before` now; False after a check that has failed."""
    alive = carried_checks.alive()
    if before is True or alive is True:
        return True
    return alive if before is False else jnp.logical_or(before, alive)


def found(value: Any, reached: Any, name: str) -> Any:
    """`value`, which a `finally` reads, and its `try` has assigned where `reached` holds. Else raises UnboundLocalError."""
    if reached is False:
        return defined(Undefined(name))
    if reached is not True:
        carried_checks.fail_if(jnp.logical_not(reached), _unbound(name))
    return value


def _unbound(name: str, free: bool = False) -> NameError:
    error = unbound(name, free=free)
    exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
    return error
