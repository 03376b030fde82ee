"""A chain of comparisons of one value with integers: Python's where it is known, else one `lax.switch`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.branches import branches
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.effects import journal
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import python_value, traced


def switch_stmt(
    subject: Any,
    values: Sequence[Sequence[int]],
    funs: Sequence[Callable[..., Any]],
    operands: Sequence[Any] = (),
    names: Sequence[str] = (),
) -> Any:
    """Runs the function whose values hold `subject`, the last one if none do, or stages them all.

    Args:
      subject: what is compared; a traced integer scalar stages the statement.
      values: for each function but the last, the integers that choose it.
      funs: operands -> the variables called `names`.
      operands: the variables that the functions read and write.
      names: of the results; none where the functions return the function's value.

    Returns:
      What the chosen function returns.

    Raises:
      BranchMismatchError: the functions leave a variable with types that can't be joined.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.switch.html
    """
    subject = python_value(subject)
    if not traced(subject):
        fun = funs[-1]
        for numbers, candidate in zip(values, funs, strict=False):
            if any(bool(subject == number) for number in numbers):
                fun = candidate
                break
        if decision_log.listeners:
            decision_log.note_decision("match", "Python", decision_log.python_condition(subject))
        if journal.active() is not None:
            enter_generated(fun, operands)
        return fun(*operands)
    with decision_log.deciding("match", "switch", "the value that is compared is traced"):
        return _staged(subject, values, funs, operands, names)


def _staged(
    subject: Any,
    values: Sequence[Sequence[int]],
    funs: Sequence[Callable[..., Any]],
    operands: Any,
    names: Any,
) -> Any:
    if jnp.ndim(subject) or not jnp.issubdtype(jnp.result_type(subject), jnp.integer):
        return _nested(subject, values, funs, operands, names)
    return branches.stage(_index(subject, values), funs, operands, names)


def _index(subject: Any, values: Sequence[Sequence[int]]) -> Any:
    """The number of the branch, an int32 scalar."""
    count = len(values)
    if [list(numbers) for numbers in values] == [[i] for i in range(count)]:
        inside = (subject >= 0) & (subject < count)
        return jnp.where(inside, subject, count).astype("int32")
    index = jnp.int32(count)
    for number in reversed(range(count)):
        index = jnp.where(_is_one_of(subject, values[number]), jnp.int32(number), index)
    return index


def _is_one_of(subject: Any, numbers: Sequence[int]) -> Any:
    """Whether the subject is one of the numbers of a case."""
    return functools.reduce(operator.or_, (subject == number for number in numbers))


def _nested(
    subject: Any,
    values: Sequence[Sequence[int]],
    funs: Sequence[Callable[..., Any]],
    operands: Any,
    names: Any,
) -> Any:
    """The chain as it was written, for a value that is no integer."""
    if not values:
        enter_generated(funs[0], operands)
        return funs[0](*operands)
    chosen = _is_one_of(subject, values[0])

    def rest(*inner: Any) -> Any:
        return _nested(subject, values[1:], funs[1:], inner, names)

    code = funs[1].__code__
    rest.__code__ = source_places.relocate(rest.__code__, code.co_filename, code.co_firstlineno, code.co_name)
    return if_part(chosen, funs[0], rest, operands, names)
