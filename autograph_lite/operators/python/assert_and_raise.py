"""`assert`, `raise` and `sys.exit`: Python's own where Python knows, else checks that the program carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.truth import python_truth, truth
from autograph_lite.operators.calls import calls
from autograph_lite.operators.checks import carried_checks, exception_templates
from autograph_lite.operators.effects import journal
from autograph_lite.operators.values.one_of import OneOf, on_each
from autograph_lite.operators.values.values import fold_test, traced


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """`assert test, message()`.

    Raises:
      AssertionError: the test is known and false. Where it is traced, the call of the program raises.
    """
    if not __debug__:
        return
    test = python_truth(test)
    test = fold_test(test) if traced(test) else test
    if traced(test):
        args = (_unseen(message),) if message is not None else ()
        carried_checks.fail_if(jnp.logical_not(truth(test)), AssertionError(*args))
    elif not test:
        error_ = AssertionError(*([message()] if message is not None else []))
        exception_templates.explicit(error_)  # on a staged path, it is raised only if that path is taken
        raise error_


def _unseen(message: Callable[[], Any]) -> Any:
    """What `message` gives. A `defaultdict` whose item it reads is put back: Python makes that only where the test fails."""
    known = journal.active()
    with journal.journal(outer=known.state if known else None):
        enter_generated(message, ())
        return message()


def error(kind: Any) -> Callable[..., Any]:
    """The callee of `raise kind(...)`: makes what is raised, and remembers how."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if type(kind) is OneOf:
            return on_each(lambda one: _raise(error(one)(*args, **kwargs)), kind, acts=True)
        made = calls.call(kind)(*args, **kwargs)
        if isinstance(made, BaseException):
            exception_templates.note_recipe(made, kind, args, kwargs)
        return raised(made)  # a function may give a class

    return make


def raised(error: Any) -> Any:
    """The operand of `raise error`: a class is made an instance, and what is none is a TypeError, as Python does."""
    if type(error) is OneOf:
        return on_each(lambda one: _raise(raised(one)), error, acts=True)
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    if not isinstance(error, BaseException):
        error = TypeError("exceptions must derive from BaseException")
    exception_templates.explicit(error)
    return error


def exit_(*code: Any) -> None:
    """`sys.exit(code)` is `raise SystemExit(code)`: a path that is not taken ends nothing."""
    raise error(SystemExit)(*code)


def _raise(error: Any) -> None:
    raise error
