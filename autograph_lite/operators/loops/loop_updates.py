"""An `if` of our own that updates all variables of a loop: `lax.cond` around an iteration, or around the loop itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.user_code import source_places

Fun = Callable[..., Any]


def update_all(
    test: Any, true_fun: Fun, false_fun: Fun, values: Sequence[Any],
    names: Sequence[str], body_fun: Fun,
) -> tuple[Any, ...]:  # fmt: skip
    """The variables after `true_fun` or `false_fun`, which take them and give them."""
    at_loop(true_fun, body_fun)
    at_loop(false_fun, body_fun)
    if len(names) > 1:
        return tuple(if_part(test, true_fun, false_fun, values, names))
    only: Any = (
        (lambda f: lambda *v: (f(*v) or (None,))[0]) if names else (lambda f: lambda *v: f(*v) and None)
    )
    result = if_part(
        test, at_loop(only(true_fun), body_fun), at_loop(only(false_fun), body_fun), values, names
    )
    return (result,) if names else ()


def at_loop(fun: Any, body_fun: Fun) -> Any:
    """`fun`, which errors are to show at the loop."""
    code = body_fun.__code__
    return place_at(fun, code.co_filename, code.co_firstlineno, code.co_name)


def place_at(fun: Any, path: str, line: int, name: str) -> Any:
    """`fun`, which errors are to show at that line."""
    fun.__code__ = source_places.relocate(fun.__code__, path, line, name)
    return fun
