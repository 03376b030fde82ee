"""`while`: Python's while Python knows the condition, then `lax.while_loop`."""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph_lite.operators import journal
from autograph_lite.operators.carry import Carry, failed, run_body, unless_failed
from autograph_lite.operators.conditions import truth
from autograph_lite.operators.settling import settle
from autograph_lite.operators.staging import enter
from autograph_lite.operators.values import traced


def while_stmt(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], init: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Repeats `body_fun` while `cond_fun` holds, as Python or as `lax.while_loop`.

    Args:
      cond_fun: variables -> scalar. A traced value stages the loop from there on.
      body_fun: variables -> variables.
      init: the loop's variables, in the order of `body_fun`'s parameters.

    Returns:
      The variables after the loop.

    Raises:
      CarryMismatchError: an iteration changes the structure or shape of a variable.
      ConditionError: the condition is an array with several elements.

    Source: https://docs.jax.dev/en/latest/_autosummary/jax.lax.while_loop.html
    """
    values = init
    staging = journal.active() is not None
    while True:
        if staging:
            enter(cond_fun, values)
        test = cond_fun(*values)
        if test is not True and test is not False and traced(test):
            return _stage(cond_fun, body_fun, values, test)
        if not test:
            return values
        if staging:
            enter(body_fun, values)
        values = body_fun(*values)
        if test is True and traced(failed()) and _endless(cond_fun.__code__):
            return _stage(cond_fun, body_fun, values, test)  # a `raise` leaves it


@functools.lru_cache(maxsize=4096)
def _endless(code: types.CodeType) -> bool:
    """Whether a condition is the constant True."""
    names = {instruction.opname for instruction in dis.get_instructions(code)}
    return names <= {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


class _TestWrites(Exception):
    """The condition changes the user's objects, so that it has to be computed once for each iteration."""


def _stage(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], values: Sequence[Any], test: Any
) -> tuple[Any, ...]:
    names = body_fun.__code__.co_varnames[: body_fun.__code__.co_argcount]
    carry = Carry.of(names, values)
    try:
        carry, arrays = settle(carry, body_fun, lambda now: _loop(now, cond_fun, body_fun))
    except _TestWrites:
        carry, arrays = settle(carry, body_fun, lambda now: _loop_with_test(now, cond_fun, body_fun, test))
    return carry.finish(arrays)


def _loop(carry: Carry, cond_fun: Callable[..., Any], body_fun: Callable[..., Any]) -> Sequence[jax.Array]:
    def cond(arrays: Any) -> Any:
        values, contents = carry.read(arrays)
        with journal.journal(outer=carry.outer) as written:
            carry.enter(contents)
            enter(cond_fun, values)
            known = set(written.places)
            test = unless_failed(truth(cond_fun(*values)))
            if set(written.places) - known or _changed(carry, contents):
                raise _TestWrites
        return jnp.asarray(test)

    def body(arrays: Any) -> Any:
        return run_body(carry, body_fun, arrays)

    return list(lax.while_loop(cond, body, carry.start()))


def _changed(carry: Carry, contents: dict[Any, Any]) -> bool:
    """Whether a carried place no longer holds what was put there."""
    return any(slot.place.read().get(slot.key) is not contents[key] for key, slot in carry.slots.items())


def _loop_with_test(
    carry: Carry, cond_fun: Callable[..., Any], body_fun: Callable[..., Any], test: Any
) -> Sequence[jax.Array]:
    """The loop with the condition carried: computed at the end of the body, in the state that the body leaves."""

    def again(values: list[Any]) -> Any:
        enter(cond_fun, values)
        return jnp.asarray(unless_failed(truth(cond_fun(*values))))

    def body(arrays: Any) -> Any:
        return run_body(carry, body_fun, arrays[1:], after=again)

    def go_on(arrays: Any) -> Any:
        return arrays[0]

    first = jnp.asarray(unless_failed(truth(test)))
    return list(lax.while_loop(go_on, body, [first, *carry.start()]))[1:]
