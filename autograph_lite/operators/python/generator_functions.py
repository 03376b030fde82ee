"""Generator functions of the user's: how does a loop over one become a loop of the program?

The loop's body runs where the function yields: it is called in push form (see `converters.generators`), as any function is.
So a traced value may decide what it yields, and its loops and branches are staged as those of other functions. This is done
while something is traced, and only where the header of a loop has made the generator, from which nobody else takes items.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from autograph_lite.converters.python_ops import Maybe
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.aliasing import yielded_arrays
from autograph_lite.operators.branches.branch_paths import enter_generated
from autograph_lite.operators.calls import calls, recursion_guard
from autograph_lite.operators.effects import journal
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.loops import for_stmt as for_stmt_of_loops, unroll_warning
from autograph_lite.operators.loops.for_stmt import for_stmt
from autograph_lite.operators.purity import trial
from autograph_lite.operators.python.generator_expressions import Generated
from autograph_lite.operators.trace_context import decision_log
from autograph_lite.operators.user_code import conversion, ownership
from autograph_lite.operators.user_code.conversion import plain
from autograph_lite.syntax import codes
from autograph_lite.tracing import entered, thread
from autograph_lite.transpiler import original

State: TypeAlias = tuple[Any, ...]
# The body and the test of a loop. A tuple, so that what it leads to is found from what takes it.
Loop: TypeAlias = tuple[types.FunctionType, Callable[..., Any] | None]


def iterated(callee: Any, *, given: bool = False) -> Any:
    """What to call for what the header of a loop calls: a generator function's call makes something that runs the loop.

    With `given`, an operator or a builtin goes through the items, as through those of a generator expression.
    """
    called = calls.call(callee)
    fn = _generator_function(callee)
    if fn is None:
        return called
    owner = (callee.__self__,) if isinstance(callee, types.MethodType) else ()

    def run(*args: Any, **kwargs: Any) -> Any:
        made = called(*args, **kwargs)  # runs nothing, but for Python's errors about arguments
        items = Made(made, fn, (*owner, *args), kwargs)
        return Given(items) if given else items

    return run


def _made_by_iter(iterable: Any) -> Any:
    """What a loop over an object runs over whose `__iter__` is a generator function of the user's; any other object itself."""
    iterate = getattr(type(iterable), "__iter__", None)
    if isinstance(iterate, types.FunctionType):
        method = types.MethodType(iterate, iterable)
        if _generator_function(method) is not None:
            return iterated(method)()
    return iterable


for_stmt_of_loops.makers.append(_made_by_iter)


def _generator_function(callee: Any) -> types.FunctionType | None:
    """The generator function of the user's that is called where something is traced; None for anything else."""
    fn = callee.__func__ if isinstance(callee, types.MethodType) else callee
    if not isinstance(fn, types.FunctionType) or not tracing_state.is_tracing():
        return None
    fn = original(plain(fn))
    if not inspect.isgeneratorfunction(fn) or not ownership.is_users(fn):
        return None
    around = [codes.content(cell, None) for cell in fn.__closure__ or ()]
    return None if any(isinstance(value, Maybe) for value in around) else fn  # its own code asks for them


class Made(iterables.Looped):
    """A generator that has not started, and that only a loop has: what made it, and with which arguments."""

    def __init__(self, made: Any, fn: types.FunctionType, args: State, kwargs: dict[str, Any]) -> None:
        self.made, self.fn, self.args, self.kwargs = made, fn, args, kwargs

    def __iter__(self) -> Iterator[Any]:
        return iter(self.made)

    def loop(
        self,
        body_fun: Callable[..., Any],
        init: State,
        names: tuple[str, ...],
        until: Callable[..., Any] | None,
    ) -> State:
        """The variables after the loop: the function gives them back."""
        form: Any = conversion.push_form(self.fn, names, leaves=until is not None)
        if form is None:
            return for_stmt(self.made, body_fun, init, until)
        if trial.is_on_trial():
            trial.enter_on_trial(form)
        before = ((body_fun, until), *init)
        around = thread.now.generators
        opened = _Opened(body_fun, self.fn, len(thread.now.calls), around[0].copies if around else [0])
        with (
            decision_log.deciding("for", "inlined", f"its body runs where '{self.fn.__name__}' yields"),
            entered(generators=(*around, opened)),
        ):
            try:
                with yielded_arrays.in_generator():
                    if journal.active() is None:
                        result = form(*before, *self.args, **self.kwargs)
                    else:
                        result = recursion_guard.call_once(form, self.args, self.kwargs, before)
            except _StoppedError as stopped:
                raise stopped.error from None
            except StopIteration as stopped:
                raise RuntimeError("generator raised StopIteration") from stopped
        return tuple(result)


class _Opened(NamedTuple):
    """A loop whose generator runs."""

    body: Any
    fn: types.FunctionType
    calls: int  # how many were running around the loop: its body is none of the generator's
    copies: list[int]  # of bodies that were recorded since the outermost of these loops began, in a list

    def recorded(self) -> None:
        """Warns once where loops in loops record bodies again and again."""
        self.copies[0] += 1
        if self.copies[0] == _MANY:
            unroll_warning.warn_of_copies(self.body, self.fn.__name__, _MANY)


_MANY = 300


class Given(Generated):
    """Such a generator, handed to an operator or a builtin that goes through all its items."""

    def __init__(self, made: Made) -> None:
        super().__init__(made, lambda item: item, None, flat=False, eager=False)


class _StoppedError(Exception):
    """The body of the loop, and not the generator, has raised StopIteration."""

    def __init__(self, error: StopIteration) -> None:
        self.error = error


def resume(loop: Loop, item: Any, *values: Any) -> State:
    """The loop's variables after its body ran for one more item."""
    body_fun, _ = loop
    if (now := journal.active()) is not None:
        now.called(body_fun)  # which may stand in another module
    enter_generated(body_fun, (item, *values))
    opened = next(each for each in reversed(thread.now.generators) if each.body is body_fun)
    if len(thread.now.generators) > 1:
        opened.recorded()
    try:
        with yielded_arrays.in_loop_body(item), entered(calls=thread.now.calls[: opened.calls]):
            result: State = body_fun(item, *values)
            return result
    except StopIteration as error:
        raise _StoppedError(error) from error


def left_loop(loop: Loop, *values: Any) -> Any:
    """Whether the loop has been left."""
    _, until = loop
    assert until is not None
    return until(*values)
