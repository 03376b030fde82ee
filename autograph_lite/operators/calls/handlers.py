"""Handlers: would an `except` or a `with` catch what it must not: an error of ours, or one that only some paths raise?

    try:                                  try:
        if x > 0:                             ...
            y = table["a"]                except KeyError:
    except KeyError:                          ag.caught()
        y = 0                                 y = 0

While tracing, both paths of a staged `if` run. Where one of them raises, Python can't know whether the program would, so
a handler outside of the statement must not take it for a fact.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable
from typing import Any

from autograph_lite.converters import python_ops
from autograph_lite.errors import HandledRaiseError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.calls import manager_exits, method_patching
from autograph_lite.operators.checks import carried_checks, concretization_errors, known_exceptions
from autograph_lite.operators.effects import journal
from autograph_lite.operators.purity import known_calls, trial
from autograph_lite.operators.values.one_of import OneOf, on_each, options_of
from autograph_lite.tracing import entered, thread

PACKAGE_NAME = __name__.partition(".")[0]


def caught(kinds: Any = ()) -> None:
    """To be called first in an `except` clause, and in a `finally` that is left by a jump, which drops an exception.

    Args:
      kinds: what the clause catches, if that isn't one of Python's own exceptions.

    Raises:
      HandledRaiseError: the exception comes from a statement that is staged, around which the handler is.
      AutographError: the exception itself, where it says that a statement can't be staged.
      PythonOnlyError: the exception is JAX's, or Python's, about a traced value, or would not be raised with the value for
        all that is known; unless the clause names one of JAX's.
    """
    error = sys.exception()
    if error is None:
        return
    trial.end_trial("an exception is caught, which arrays in place of numbers may have raised")
    if tracing_state.is_tracing():
        named = kinds if isinstance(kinds, tuple) else (kinds,)
        _refuse(error, expected=any(kind.__module__.partition(".")[0] == "jax" for kind in named))


def _refuse(error: BaseException, *, expected: bool = False) -> None:
    for one in _leaves(error):
        # An error of ours, or one by which operators talk.
        if type(one).__module__.partition(".")[0] == PACKAGE_NAME:
            raise one
        if not expected and concretization_errors.is_about_tracer(one):
            raise concretization_errors.needs_value(one) from one
        if journal.has_left(one):
            raise _unknown(one)
        if not expected and (refusal := known_exceptions.of_unknown(one)) is not None:
            raise refusal from one


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in _leaves(part)]
    return [error]


def _unknown(error: BaseException) -> HandledRaiseError:
    return HandledRaiseError(
        f"'{type(error).__name__}' is raised inside a staged statement, and caught outside of it.",
        why="The statement is traced once, whether it runs or not, so that the exception says nothing about the data.",
        fix="put the `try` inside the statement, around what raises.",
    )


def managed(manager: Any) -> Any:
    """What to use in a `with` statement in place of `manager`, which may suppress exceptions."""
    if not tracing_state.is_tracing():
        return manager
    if trial.is_on_trial() and isinstance(manager, contextlib.suppress):
        trial.end_trial("exceptions are suppressed, which arrays in place of numbers may raise")
    manager = _Chosen(manager) if type(manager) is OneOf else manager
    kind = type(manager)
    if trial.is_on_trial():
        trial.refuse_unknown(known_calls.unknown_of(manager, ("__enter__", "__exit__")))
    if not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
        return manager  # Python says what is wrong with it
    method_patching.convert_methods(manager)
    return _Managed(manager)


def suppressing(manager: Any) -> Any:
    """`managed`, of a manager around a `try` that catches what it suppresses, if it is `contextlib.suppress`."""
    return managed(python_ops.suppressing(manager))


class _Chosen:
    """A context manager that is one of several."""

    def __init__(self, manager: OneOf) -> None:
        self.manager = manager

    def __enter__(self) -> Any:
        return on_each(lambda one: _methods(one)[0](one), self.manager, acts=True)

    def __exit__(self, *error: Any) -> Any:
        return on_each(lambda one: _methods(one)[1](one, *error), self.manager, acts=True)


def _methods(manager: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    kind = type(manager)
    if not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
        raise TypeError(f"'{kind.__name__}' object does not support the context manager protocol")
    method_patching.record(manager)
    return kind.__enter__, kind.__exit__


class _Managed:
    """A context manager that does not take an exception of one path for a fact."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager
        variants = options_of(manager.manager) if type(manager) is _Chosen else [manager]
        # A manager that a generator makes forgets its function when it is entered. Who looks for managers finds them here.
        kinds = [(one, manager_exits.suppressed(one)) for one in variants]
        self.harmless = all(map(manager_exits.does_the_same, variants))
        self.handling = carried_checks.handling(lambda: tuple(of for _, of in kinds), harmless=self.harmless)
        self.tried: carried_checks.trying | None = None

    def __enter__(self) -> Any:
        journal.note_entered(self.manager)
        value = type(self.manager).__enter__(self.manager)
        # A caught exception leaves it as it leaves a `try` with a `finally`.
        if thread.now.catching and self.harmless:
            self.tried = carried_checks.trying(sys._getframe(1))
        self.handling.__enter__()
        self.scope = entered(managers=(*thread.now.managers, self.manager))
        self.scope.__enter__()
        return value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: types.TracebackType | None
    ) -> Any:
        self.scope.__exit__()
        self.handling.__exit__(kind, error, tb)
        finishing = contextlib.nullcontext() if self.tried is None else carried_checks.finishing(self.tried)
        with entered(leaving=True), finishing:
            suppresses = type(self.manager).__exit__(self.manager, kind, error, tb)
        if error is not None and suppresses:
            _refuse(error)
        return suppresses
