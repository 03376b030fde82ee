"""Catching: what does a `try` do with an exception that a traced condition raises in it? See `converters.raises`.

A check that fails leaves its number in the frame of the checks. Inside of a `try`, what follows runs where none has failed
since (`unraised`), and a handler where the number is that of an exception that it catches: it takes the number back.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.numpy as jnp

from autograph_lite.errors import HandledRaiseError, PythonOnlyError, UndefinedVariableError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import carried_checks
from autograph_lite.operators.checks.carried_checks import Caught, Unwound
from autograph_lite.operators.checks.exception_attributes import Held
from autograph_lite.operators.checks.raising import CODE, Site, sorted_payload
from autograph_lite.operators.effects import journal
from autograph_lite.operators.object_graph import live_variables
from autograph_lite.operators.trace_context import path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.user_code.conversion import is_converted_code
from autograph_lite.operators.values.one_of import OneOf, on_each, options_of, tag_of
from autograph_lite.operators.values.values import traced
from autograph_lite.tracing import entered, thread
from autograph_lite.transpiler import is_guarded


class catching:  # noqa: N801 (called like a function)
    """A `try` with handlers, for what `kinds` gives."""

    def __init__(self, kinds: Callable[[], Any]) -> None:
        self.kinds = kinds
        self.numbers: list[int] = []  # of the checks in it
        self.left: list[int] = []  # of those that no handler before has caught
        self.found: dict[int, list[int]] = {}  # by handler
        self.group: Any = None  # what the handler has caught that runs
        self.going_on: list[int] = []  # of those that a handler raises again
        self.given: list[Held] = []  # what these held when it got them
        self.on: Any = None  # what `unraised` gave in the end, with the number that it asks about
        self.stopped = False  # by an exception of Python's

    def __enter__(self) -> None:
        for prepare in preparing:
            prepare()
        self.frame = carried_checks.frame()
        self.base = journal.base_trace()
        self.before = self.frame.contents.get(CODE)
        self.start = carried_checks.last_number()
        self.managers, self.finals = len(thread.now.handlers), len(thread.now.replaced)
        self.tries = len(thread.now.tried)
        self.caller = sys._getframe(1)
        place = self.caller.f_code.co_filename, self.caller.f_lineno, self.caller.f_code.co_name
        self.around = source_places.at(*place)
        self.held = path_facts.kept_note("alive")
        self._scope = entered(catching=(*thread.now.catching, self), facts=path_facts.frames())
        self._scope.__enter__()

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> bool:
        now = self.frame.contents.get(CODE)
        self.on = _remembered(now)
        self._scope.__exit__()
        try:
            return self._takes(error, now)
        finally:
            del self.caller

    def _takes(self, error: BaseException | None, now: Any) -> bool:
        """Whether what Python raised is one of the checks from here on; `now` is the number of what has failed."""
        if error is not None and type(error) is not Unwound:
            if now is self.before or type(error).__module__.partition(".")[0] == __name__.partition(".")[0]:
                self.stopped = True
                return False
            if not carried_checks.is_raised_on_path(error):
                raise HandledRaiseError(
                    f"'{type(error).__name__}' is raised inside a `try` in which a traced condition may have raised something.",
                    where=(source_places.raised_at(error), self.around),
                    why="The program can't tell which of the two is the first.",
                    fix="put the statements into a `try` each.",
                ) from error
            with entered(catching=(*thread.now.catching, self)):
                carried_checks.fail_if(True, error)
        if now is not self.before or error is not None:
            self.numbers = [
                n
                for n in self.frame.sites
                if self.start < n <= carried_checks.last_number() and self._is_there(n)
            ]
        self.left = [*self.numbers]
        return error is not None

    def _is_there(self, number: int) -> bool:
        """Whether a check is part of the program, and not of a loop's body that was traced once more."""
        outline = self.frame.sites[number].outline
        return outline is not None and (not outline.weak or (number, 0) in self.frame.contents)

    def caught(self, number: int, kind: Callable[[], Any]) -> Any:
        """Whether handler `number` catches what was raised under a traced condition, and none before it."""
        self._end_handler()
        if not self.left:
            return False
        sites = self.frame.sites
        caught = [n for n in self.left if not sites[n].limit and _catches(kind(), _kind(sites[n]))]
        if not caught:
            return False
        self.found[number] = caught
        self.left = [n for n in self.left if n not in caught]
        code = self.frame.contents[CODE]
        if not self.left and tracing_state.is_zero(_known(self.before)):
            on = _alive(self.region(), self.on)
            if not traced(on):
                return not on
            return path_facts.tell(
                jnp.logical_not(on), path_facts.facts_of(on, 1), path_facts.facts_of(on, 0)
            )
        test: Any = False
        for each in caught:
            test = test | (code == each)
        return test

    def error(self, number: int) -> Any:
        """Begins handler `number`: nothing is raised any more. Gives the exception."""
        self.code = self.frame.contents[CODE]
        _set_code(self.frame, jnp.int32(0))  # first, as the constructors of exceptions run to their ends
        errors = []
        for each in self.found[number]:
            values = [value for _, value in sorted_payload(self.frame.contents, each)]
            errors.append(self.frame.sites[each].make(values))
            self.frame.handled[each] = [self.frame.raised.get(each), carried_checks.values_of(errors[-1])]
        which = jnp.int32(0)
        for place, each in enumerate(self.found[number]):
            which = jnp.where(self.code == each, jnp.int32(place), which) if place else which
        self.group, self.given = Caught(which, errors, sys.exception()), [*map(Held, errors)]
        self.frame.handling = [*self.frame.handling, self.group]
        return _one_of(self.group)

    def again(self, number: int) -> None:
        """A bare `raise` in handler `number`."""
        found = self.found[number]
        now = self.frame.contents[CODE]  # of a check in the handler that has failed before
        code = self.code
        for each, error, held in zip(found, self.group.errors, self.given, strict=True):
            if held.is_same(error):
                self.going_on.append(each)
            else:
                code = jnp.where(self.code == each, carried_checks.changed_check(each, error), code)
        _set_code(self.frame, code if tracing_state.is_zero(now) else jnp.where(now == 0, code, now))
        raise Unwound(_like(self.frame.sites[found[0]]))

    def passed(self) -> Any:
        """Whether nothing was raised; asked after each handler."""
        self._end_handler()
        return not self.stopped and (_alive(self.region(), self.on) if self.left else True)

    def region(self) -> catching:
        """The outermost `try` around."""
        return next(iter(thread.now.catching), self)

    def leave(self) -> None:
        """What was raised, and not caught, goes on."""
        if self.left:
            raise Unwound(_like(self.frame.sites[self.left[0]]))

    def _end_handler(self) -> None:
        """Nobody has the exceptions any more, where handlers before have run."""
        self.frame.handling = [group for group in self.frame.handling if group is not self.group]
        for each in self._over():
            self.frame.raised.pop(each, None)
            self.frame.handled.pop(each, None)

    def _over(self) -> list[int]:
        """The checks that handlers have caught for good."""
        return [n for found in self.found.values() for n in found if n not in self.going_on]

    def end(self) -> None:
        """The exceptions that were caught are no longer among those that the program may raise."""
        path_facts.keep_note("alive", self.held)
        self._end_handler()
        for each in self._over():
            self.frame.sites.pop(each, None)
        if self.numbers and not any(self.start < n <= carried_checks.last_number() for n in self.frame.sites):
            _set_code(self.frame, self.before)


def _one_of(caught: Caught) -> Any:
    return caught.errors[0] if len(caught.errors) == 1 else OneOf(caught.which, caught.errors)


def handled_exception() -> Any:
    """`sys.exception()`: what the innermost handler has caught that runs."""
    known, caught = sys.exception(), carried_checks.frame().handling[-1:] if thread.now.frames else []
    return _one_of(caught[0]) if caught and caught[0].around is known else known


def handled_info() -> tuple[Any, Any, Any]:
    """`sys.exc_info()`."""
    error = handled_exception()
    return on_each(type, error) if error is not None else None, error, getattr(error, "__traceback__", None)


def handled_text(*args: Any, **kwargs: Any) -> str:
    """`traceback.format_exc()`. Raises PythonOnlyError: a traced condition has raised what is handled."""
    if handled_exception() is not sys.exception():
        raise PythonOnlyError(
            "traceback.format_exc() is called for an exception that was raised under a traced condition.",
            why="The program raises nothing where a handler catches it, so that there is no traceback.",
            fix='use the exception, f"{type(error).__name__}: {error}", or let it leave the call.',
        )
    return traceback.format_exc(*args, **kwargs)


def cause(error: Any) -> Any:
    """`e` of `raise new from e`; of several, the first stands for them."""
    if type(error) is not OneOf:
        return error
    errors = options_of(error)
    carried_checks.frame().causes = [Caught(tag_of(error), errors, None)]
    return errors[0]


@contextlib.contextmanager
def settling(tried: catching) -> Iterator[None]:
    """Around a `try` and its handlers: who hands over checks waits for the handlers."""
    here = carried_checks.frame()
    here.catching += 1
    try:
        yield
        tried.end()
    finally:
        tried._end_handler()
        here.catching -= 1
        if not here.catching:
            here.raised, here.handled = {}, {}
    carried_checks.flush()


preparing: list[Callable[[], None]] = []  # what is to be done where one begins
catches, exception, again = catching.caught, catching.error, catching.again
passed, leave = catching.passed, catching.leave


def _catches(kinds: Any, kind: type[BaseException]) -> bool:
    return carried_checks.catches(kinds, UnboundLocalError if kind is UndefinedVariableError else kind)


def _kind(site: Site) -> type[BaseException]:
    """The class of what a check raises."""
    assert site.outline is not None
    return site.outline.kind


def _like(site: Site) -> BaseException:
    """An exception of that class, which says nothing."""
    return _kind(site).__new__(_kind(site))


def _known(before: Any) -> Any:
    return jnp.int32(0) if before is None else before


def _set_code(frame: carried_checks.Frame, code: Any) -> None:
    now = journal.active()
    if now is not None:
        now.note(frame.place)
    contents = {**frame.contents, CODE: code}
    if code is None:
        del contents[CODE]
    frame.contents = contents


def proceed() -> None:
    """Begins a path on which nothing was raised: see `unraised`."""
    outermost = next(iter(thread.now.catching), None)
    if outermost is None or thread.now.replaced or carried_checks.frame() is not outermost.frame:
        return
    code = outermost.frame.contents.get(CODE)
    if code is not None and code is not outermost.before and not tracing_state.is_zero(code):
        zero = jnp.int32(0) if outermost.before is None else outermost.before + 0
        path_facts.keep_note("alive since", (zero, code))
        _set_code(outermost.frame, zero)


def came_through() -> None:
    """Ends such a path: where nothing was raised on it, the number is what it was before."""
    zero, code = path_facts.kept_note("alive since") or (None, None)
    here = carried_checks.frame()
    if zero is not None and here.contents.get(CODE) is zero:
        _set_code(here, code)


def unwind() -> None:
    """Ends a path on which something was raised, in a function that is called inside of a `try`."""
    if thread.now.catching:
        raise Unwound(None)


def is_caught(kind: type[BaseException]) -> bool:
    """Whether a `try` around catches such an exception."""
    return any(_catches(tried.kinds(), kind) for tried in thread.now.catching)


def raising(
    fun: Callable[..., Any], kind: type[Exception], text: str, fails: Callable[..., Any], instead: Callable[..., Any]
) -> Callable[..., Any]:  # fmt: skip
    """`fun`, which raises where Python's function does, if a `try` catches that.

    Args:
      fun: gives NaN there.
      kind: the class of what Python raises.
      text: of it.
      fails: the result, and the arguments -> whether it is raised.
      instead: that, and the arguments -> some for which it is not. Else a derivative would be NaN.
    """

    @functools.wraps(fun)
    def run(a: Any, *others: Any, **named: Any) -> Any:
        found = fun(a, *others, **named)
        if not is_caught(kind):
            return found
        failed = fails(found, a, *others)
        carried_checks.fail_if(failed, kind(text))
        return fun(*instead(failed, a, *others), **named)

    return run


def failure() -> Any:
    """What says which check has failed so far."""
    return carried_checks.frame().contents.get(CODE) if thread.now.catching else None


def unraised_since(known: Any) -> None:
    """Ends a statement that changes something after it may have raised. Raises HandledRaiseError: a traced condition did."""
    if thread.now.catching and failure() is not known:
        raise HandledRaiseError(
            "A statement inside of a `try` raises something under a traced condition, and binds or writes something after that.",
            where=(source_places.here(), thread.now.catching[-1].around),
            fix="divide the statement: compute what may raise in one of its own.",
        )


def unless_late(method: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    """`called`, what to call for a method of an object of Python's, where it is refused that an operand has raised something.

    It may change the object, which Python would not come to.
    """
    owner = getattr(method, "__self__", None)
    if owner is None or isinstance(owner, (types.ModuleType, str, bytes, tuple, int, float)):
        return called

    def run(*args: Any, **kwargs: Any) -> Any:
        if unraised() is not True:
            raise HandledRaiseError(
                f"'{method.__name__}' is called after an operand of it may have raised something that a `try` catches.",
                where=(source_places.here(), thread.now.catching[-1].around),
                fix="compute the operand in a statement of its own.",
            )
        return called(*args, **kwargs)

    return run


def refuse_unfollowed(error: BaseException) -> None:
    """Raises HandledRaiseError where an exception that a `try` catches may let go on what Python would have left."""
    here = carried_checks.frame()
    caught_by = next((t for t in reversed(thread.now.catching) if _catches(t.kinds(), type(error))), None)
    if caught_by is None:
        return
    why = None
    if caught_by.frame is not here:
        why = "It is raised in a function that JAX traces, and comes out of the program that it is a part of."
    elif here.mode == "off":
        why = "The program has no checks, as `checks=False` says."
    elif len(thread.now.replaced) > caught_by.finals:
        why = "It is raised in a `finally`, whose other statements run all the same."
    elif (code := _unguarded(caught_by.caller)) is not None:
        why = f"'{code.co_name}', which it leaves, goes on in the program: it is not called by name in a converted function."
    elif any(not harmless for *_, harmless, _ in thread.now.handlers[caught_by.managers :]):
        why = "A `with` between the two may do something else where an exception leaves it."
    if why is not None:
        raise HandledRaiseError(
            f"'{type(error).__name__}' is raised under a traced condition inside a `try` that catches it.",
            where=(source_places.raised_at(error), caught_by.around),
            why=why,
            fix="write the condition as an `if` with the handler's code in its branch.",
        )


def _unguarded(last: types.FrameType) -> types.CodeType | None:
    """A function of the user's, or of a library, that runs inside of `last` and does not stop where something is raised."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame is not last:
        code = frame.f_code
        if not (
            source_places.is_hidden(code)
            or is_guarded(code)
            or _ends_in_post_init(code)
            or (code.co_name == "<lambda>" and is_converted_code(code))
        ):
            return code
        frame = frame.f_back
    return None


def _ends_in_post_init(code: types.CodeType) -> bool:
    """Whether it is the `__init__` that Python has made for a dataclass, which ends with the call of a method."""
    return code.co_name == "__init__" and "__post_init__" in code.co_names and code.co_filename == "<string>"


def unraised() -> Any:
    """Whether Python would run a statement inside of a `try`: nothing was raised since that has begun."""
    outermost = next(iter(thread.now.catching), None)
    return True if outermost is None else _alive(outermost)


def is_unraised(test: Any) -> bool:
    """Whether a test is what `unraised` has given here."""
    known = _remembered(carried_checks.frame().contents.get(CODE)) if thread.now.catching else None
    return known is not None and known[1] is test


def is_lost(owner: Any, values: Sequence[Any]) -> bool:
    """Whether nobody sees `owner` any more, after a caught exception, in the `values` in which the statement results."""
    tried = next(reversed(thread.now.catching), None)
    if tried is None or tried.frame is not carried_checks.frame():
        return False
    errors = [site.make for site in tried.frame.sites.values()]  # an exception may hold it
    unwound = (tried.managers, tried.tries) == (len(thread.now.handlers), len(thread.now.tried))
    roots = [*live_variables.live_where_raised(tried.caller, unwound=unwound), *values, *errors]
    return not any(now.reachable(roots, {id(owner)}) for now in thread.now.journals)


def _remembered(code: Any) -> Any:
    return path_facts.kept_note(("alive", id(code), *thread.now.replaced))


def _alive(outermost: catching, on: Any = None) -> Any:
    here = carried_checks.frame()
    code = here.contents.get(CODE)
    if here is not outermost.frame or code is outermost.before or code is None or tracing_state.is_zero(code):
        return True
    if code is (path_facts.kept_note("alive since") or (None,))[0]:
        return True
    known = _remembered(code) or on
    if known is not None and known[0] is code:
        return False if path_facts.is_true(known[1]) is False else known[1]
    replaced = thread.now.replaced
    on = carried_checks.or_replaced(code <= outermost.start, code, replaced)
    if not replaced:
        earlier = path_facts.kept_note("alive") or {}
        path_facts.tell(on, earlier, {}, itself=True)
        path_facts.keep_note("alive", {**earlier, **path_facts.fact(on, [1])})
    path_facts.keep_note(("alive", id(code), *replaced), (code, on))
    return on


carried_checks.catchers[:] = [refuse_unfollowed]
