"""`if`: Python's where Python knows the condition, else `lax.cond` on both branches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.operators.branches import branches
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.branches.each_variant import Variants
from autograph_lite.operators.branches.truth import operand, python_truth, truth
from autograph_lite.operators.effects import journal
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.values.values import fold_test, traced


def if_stmt(
    test: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    operands: Sequence[Any] = (),
    names: Sequence[str] = (),
    *,
    statement: str = "if",
    stored: bool = False,
) -> Any:
    """Runs `true_fun` or `false_fun`, or stages both.

    Args:
      test: the condition; a traced scalar stages the statement.
      true_fun: operands -> the variables called `names`: one value, or a tuple of several.
      false_fun: likewise.
      operands: the variables that the branches read and write.
      names: of the results; none where the branches return the function's value.
      statement: what the user wrote; empty where it is a part of another statement.
      stored: whether the value is stored in an array, so that its shapes are broadcast, as the array would.

    Returns:
      What the branch returns.

    Raises:
      BranchMismatchError: the branches leave a variable with types that can't be joined.
      ConditionError: `test` is an array with several elements.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.cond.html
    """
    if type(test) is Variants:
        return test.stage(true_fun, operands, names)
    if test is not True and test is not False:
        known, test = test, python_truth(test)
        if traced(test):
            known = test = fold_test(test)
        if traced(test):
            with decision_log.deciding(statement, "cond", "the condition is traced"):
                return branches.stage(truth(test), (true_fun, false_fun), operands, names, stored=stored)
        if decision_log.listeners and statement:
            decision_log.note_decision(statement, "Python", decision_log.python_condition(known))
    elif decision_log.listeners and statement:
        decision_log.note_decision(statement, "Python", decision_log.python_condition(test))
    fun = true_fun if test else false_fun
    if journal.active() is not None:
        enter_generated(fun, operands)
    return fun(*operands)


if_part = functools.partial(if_stmt, statement="")  # an `if` of ours, in a statement of the user's


def if_expr(
    test: Any, true_fun: Callable[[], Any], false_fun: Callable[[], Any], *, stored: bool = False
) -> Any:
    """`true_fun() if test else false_fun()`; `stored` as in `x[1:] = 0 if c else y`."""
    test = operand(test) if traced(test) else test
    return if_stmt(test, true_fun, false_fun, statement="ternary", stored=stored)
