"""A chain of comparisons of one value with constants: Python's where it is known, else one `lax.switch`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import jax.numpy as jnp

from autograph_lite.operators.branches import branches, each_variant
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.effects import journal
from autograph_lite.operators.trace_context import decision_log, path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import one_of
from autograph_lite.operators.values.values import python_value, traced

Fun = Callable[..., Any]

# The integers that choose it, or the test of a value.
Case: TypeAlias = "Sequence[int] | Callable[[Any], Any]"


def switch_stmt(
    subject: Any,
    values: Sequence[Case],
    funs: Sequence[Fun],
    operands: Sequence[Any] = (),
    names: Sequence[str] = (),
) -> Any:
    """Runs the function whose values hold `subject`, the last one if none do, or stages them all.

    Args:
      subject: what is compared; a traced integer scalar stages the statement, and so does one of several.
      values: for each function but the last, the integers that choose it, or what tells of the subject that it does.
      funs: operands -> the variables called `names`.
      operands: the variables that the functions read and write.
      names: of the results; none where the functions return the function's value.

    Returns:
      What the chosen function returns.

    Raises:
      BranchMismatchError: the functions leave a variable with types that can't be joined.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.switch.html
    """
    subject = path_facts.narrow(python_value(subject))
    if type(subject) is one_of.OneOf:
        with decision_log.deciding("match", "switch", "which value is compared is traced"):
            return _by_variant(subject, values, funs, operands, names)
    if traced(subject):
        with decision_log.deciding("match", "switch", "the value that is compared is traced"):
            return _staged(subject, values, funs, operands, names)
    fun = next((fun for case, fun in zip(values, funs, strict=False) if _holds(case, subject)), funs[-1])
    if decision_log.listeners:
        decision_log.note_decision("match", "Python", decision_log.python_condition(subject))
    return _run(fun, operands)


def _run(fun: Fun, operands: Sequence[Any]) -> Any:
    if journal.active() is not None:
        enter_generated(fun, operands)
    return fun(*operands)


def _holds(case: Case, subject: Any) -> bool:
    return bool(case(subject)) if callable(case) else any(bool(subject == number) for number in case)


def _by_variant(
    subject: one_of.OneOf,
    values: Sequence[Case],
    funs: Sequence[Fun],
    operands: Sequence[Any],
    names: Sequence[str],
) -> Any:
    """The chain for one of several: the functions for which there are variants, by the number of the variant."""
    options, groups = one_of.options_of(subject), dict[int, list[int]]()
    for number in path_facts.possible(subject):
        if not each_variant.is_plain_variant(options[number]):
            return _nested(subject, values, funs, operands, names)
        tests = (place for place, case in enumerate(values) if _holds(case, options[number]))
        groups.setdefault(next(tests, len(values)), []).append(number)
    if len(groups) == 1:
        return _run(funs[next(iter(groups))], operands)
    places = sorted(groups)
    which = each_variant.selecting(one_of.tag_of(subject), [groups[place] for place in places])
    return branches.stage(which, [funs[place] for place in places], operands, names)


def _staged(subject: Any, values: Sequence[Case], funs: Sequence[Fun], operands: Any, names: Any) -> Any:
    numbers = [case for case in values if not callable(case)]
    integer = not jnp.ndim(subject) and jnp.issubdtype(jnp.result_type(subject), jnp.integer)
    if len(numbers) < len(values) or not integer:
        return _nested(subject, values, funs, operands, names)
    return branches.stage(_index(subject, numbers), funs, operands, names)


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


def _nested(subject: Any, values: Sequence[Case], funs: Sequence[Fun], operands: Any, names: Any) -> Any:
    """The chain as it was written, for a value whose cases only the program knows."""
    if not values:
        enter_generated(funs[0], operands)
        return funs[0](*operands)
    case = values[0]
    chosen = case(subject) if callable(case) else _is_one_of(subject, case)

    def rest(*inner: Any) -> Any:
        return _nested(subject, values[1:], funs[1:], inner, names)

    code = funs[1].__code__
    rest.__code__ = source_places.relocate(rest.__code__, code.co_filename, code.co_firstlineno, code.co_name)
    return if_part(chosen, funs[0], rest, operands, names)
