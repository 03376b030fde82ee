"""Carried checks: how does a failing `assert` or `raise` get out of a compiled program? As values, with the others.

Each check has a number. While a function is traced, its frame holds the number of the first check that failed (0: none),
and for each check the traced values that its message needs. A branch or a loop that contains a check changes this
state, and hands it on like any other state. At the outermost level of a trace that nobody else owns, the state becomes
an output of the program, and the call raises; elsewhere it is given to a host callback, or to checkify.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import checkify

from autograph_lite.errors import AutographError, HandledRaiseError, UndefinedVariableError
from autograph_lite.jax_internals import recorded_equations, single_results, tracing_state
from autograph_lite.jax_internals.dataflow import recorded_views
from autograph_lite.jax_internals.references import float_errors
from autograph_lite.operators.checks import exception_templates, failed_lanes, item_protocol, raising
from autograph_lite.operators.checks.exception_templates import explicit
from autograph_lite.operators.checks.raising import CODE, LANES, Site, raise_failed, sorted_payload
from autograph_lite.operators.effects import journal
from autograph_lite.operators.trace_context import path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.place import Contents, Place
from autograph_lite.scoped import Now
from autograph_lite.tracing import entered, is_on_stack, thread


class Caught(NamedTuple):
    """What a handler has caught."""

    which: Any  # the number of the exception that it is
    errors: Sequence[BaseException]  # those that it may be
    around: BaseException | None  # what Python handled then


class Frame:
    """The checks of one trace.

    Attributes:
      contents: `CODE` -> number of the first failed check, an int32 scalar; (number, k) -> k-th payload value.
      sites: by number.
      payloads: the types of what checks tell, by number.
      mode: what becomes of them: 'outputs' (the owner of the trace takes the contents), 'callback', 'checkify',
        'inner' (the owner of the trace around runs it through checkify), 'recorded' (a host callback notes what failed,
        and the owner of the trace around raises it), or 'off'.
      inside: the mode of frames for traces that the user opens inside; empty where nobody owns the trace.
      raised, handled: what exceptions hold that a `try` may catch, and that are in a handler, by number.
      handling: what the handlers have caught that run.
      causes: what the last `raise` was from, where that is one of several.
      catching: how many `try` statements with handlers have begun, and not ended.
      base: the trace and the depth to which the frame belongs, as `journal.base_trace` gives them.
    """

    def __init__(self, mode: str, base: tuple[object, int], inside: str = "") -> None:
        self.contents: Contents = {}
        self.sites: dict[int, Site] = {}
        self.payloads: dict[int, list[Any]] = {}
        self.mode, self.base = mode, base
        self.inside, self.whole = inside, bool(inside)
        self.raised: dict[int, list[Any]] = {}
        self.handled: dict[int, list[Any]] = {}
        self.handling: list[Caught] = []
        self.causes: list[Caught] = []
        self.program, self.catching = object(), 0
        self.place = Place(self, lambda: dict(self.contents), self._write, lambda _: "a check", ours=True)

    def _write(self, new: Contents) -> None:
        self.contents = dict(new)

    @property
    def failed(self) -> Any:
        """Whether a check has failed so far: False, or a traced bool."""
        return self.contents[CODE] != 0 if CODE in self.contents else False


# JAX keeps the traces of functions that the user hands to jax.jit and the like. Those with other checks are others.
_modes: Any = jax.make_user_context("callback")


_count: Now[int] = Now(0)  # of the checks that were made on this thread


def frame() -> Frame:
    """The frame of the trace that the running code belongs to."""
    base = journal.base_trace()
    frames: list[Frame] = thread.now.frames
    while frames and frames[-1].base != base and not frames[-1].whole:
        frames.pop()  # of a trace that was left
    if not frames or frames[-1].base != base:
        owner = next((f for f in frames if f.whole), None)
        frames.append(_frame_inside(owner, base))
    return frames[-1]


def _frame_inside(owner: Frame | None, base: tuple[object, int]) -> Frame:
    """A frame for a trace that the user has opened, inside that of `owner`."""
    if owner is None:
        return Frame(thread.now.default_mode, base)
    if owner.mode == "off":
        return Frame("off", base)
    new = Frame(owner.inside, base)
    new.program = owner.program
    return new


def within_program() -> bool:
    """Whether a program of ours is being traced on this thread: what it calls is a part of it, and so are its checks."""
    return any(known.whole for known in thread.now.frames)


def escapes_to_outer_trace() -> bool:
    """Whether an exception that is raised now leaves converted code for somebody else's trace, past no handler of the user's."""
    return tracing_state.is_tracing() and not is_in_a_try() and not within_program()


def is_in_a_try() -> bool:
    """Whether a handler of this trace may see an exception that is raised now; a generator that waits has left others."""
    base = journal.base_trace()
    return bool(thread.now.catching) or any(trace == base for _, trace, *_ in thread.now.handlers)


@contextlib.contextmanager
def new_frame(mode: str, inside: str) -> Iterator[Frame]:
    """Checks of the code inside, a whole trace, go to a new frame."""
    new = Frame(mode, (None, 0), inside)
    # A program does not depend on the checks that were made before it.
    with (
        entered(
            frames=[new],
            replaced=(),
            left=False,
            variants=(),
            float_errors=float_errors.raised_float_errors(),
        ),
        _count.being(0),
        _modes(f"{mode} {inside}"),
    ):
        yield new


@contextlib.contextmanager
def suspended_checks() -> Iterator[journal.Journal]:
    """Code inside belongs to no trace: nothing is undone, and checks are Python's own. Gives the journal of what it writes."""
    with (
        tracing_state.no_trace(),
        journal.with_own_journal() as written,
        entered(frames=[], handlers=[], left=True),
        _modes("callback"),
    ):
        yield written


def fail_if(failed: Any, error: BaseException, *, limit: bool = False) -> None:
    """A check of the program: where `failed`, a scalar bool, holds, the call raises `error`.

    It is a `limit` where Python would raise nothing, so that no `except` of the user's catches it; errors of ours are limits.

    Raises:
      HandledRaiseError: an `except` around would have to catch it.
    """
    if isinstance(error, Unwound):
        return
    limit = limit or (isinstance(error, AutographError) and not isinstance(error, UndefinedVariableError))
    refuse_handlers(error, limit=limit)
    here = frame()
    if here.mode == "off":
        return
    trace, outside = raising.user_trace(error)
    for chosen, chain in _chains(here, error):
        recipe = exception_templates.recipe_of(error, chain)
        number = _next_number(here, recipe.payload)
        here.sites[number] = Site(
            number, recipe.make, trace, outside, recipe.template, here.program, recipe.outline, limit
        )
        _count.value = number
        where = failed if chosen is True else jnp.logical_and(failed, chosen)
        _carry(here, where, error, number, recipe.payload)
    error.__traceback__ = None  # its frames hold tracers
    flush()


def _carry(here: Frame, failed: Any, error: BaseException, number: int, payload: Sequence[Any]) -> None:
    """Has the frame carry a check and its payload."""
    if here.catching:
        here.raised[number] = values_of(error)
    journal_ = journal.active()
    if journal_ is not None:
        journal_.note(here.place)
    contents = dict(here.contents)
    for tag, variant in thread.now.variants:
        failed = jnp.logical_and(failed, tag == variant)
    code = contents.get(CODE, 0)
    counts = _counts(code, (*thread.now.replaced, *getattr(error, _REPLACES, ())))
    contents[CODE] = jnp.where(counts & jnp.asarray(failed), jnp.int32(number), code)
    for k, value in enumerate(payload):
        before = contents.get((number, k))  # of an earlier iteration: the first one that fails counts
        contents[number, k] = value if before is None else jnp.where(counts, value, before)
    here.contents = contents


def _chains(here: Frame, error: BaseException) -> Iterator[tuple[Any, exception_templates.Chain]]:
    """The cause and the context that `error` may have, of what handlers around have caught; and when it is these."""
    known = exception_templates.chain_of(error)
    causes = [g for g in (*here.causes, *here.handling) if _is_among(known.cause, g.errors)][:1]
    contexts = here.handling[-1:] if known.context is None else []
    contexts = [g for g in contexts if not _is_among(error, g.errors)]
    groups = [*causes, *(g for g in contexts if not causes or causes[0].errors is not g.errors)]
    for numbers in itertools.product(*(range(len(g.errors)) for g in groups)):
        chosen: Any = True
        for group, number in zip(groups, numbers, strict=True):
            chosen = chosen & (group.which == number) if len(group.errors) > 1 else chosen
        has = [group.errors[number] for group, number in zip(groups, numbers, strict=True)]
        yield (
            chosen,
            exception_templates.Chain(
                has[0] if causes else known.cause, has[-1] if contexts else known.context
            ),
        )


def _is_among(error: BaseException | None, errors: Sequence[BaseException]) -> bool:
    return any(error is each for each in errors)


def is_among_caught(values: Sequence[Any]) -> bool:
    """Whether values are what one handler that runs may have caught: nobody has the others."""
    return any(all(_is_among(value, g.errors) for value in values) for g in frame().handling)


def changed_check(number: int, error: BaseException) -> int:
    """The number of a check that raises where check `number` does, and what a handler has made of its exception, `error`."""
    here = frame()
    recipe = exception_templates.recipe_of(error)
    new = _count.value = _next_number(here, recipe.payload)
    here.sites[new] = dataclasses.replace(
        here.sites[number], number=new, make=recipe.make, text=recipe.template, outline=recipe.outline
    )
    here.raised[new] = values_of(error)
    here.contents = {**here.contents, **{(new, k): value for k, value in enumerate(recipe.payload)}}
    return new


def values_of(error: BaseException) -> list[Any]:
    """What an exception holds."""
    return [*error.args, *vars(error).values()]


def _next_number(here: Frame, payload: Sequence[Any]) -> int:
    """A number that no check with another payload had where the same code was traced before.

    What the first pass over a loop's body knows, say that nothing has failed yet, or the value of an attribute, the next
    ones don't: they have other checks. What a check tells would be joined with what another told, as an int with a float.
    """
    types = [(jnp.shape(value), jnp.result_type(value)) for value in payload]
    number = _count.value + 1
    while here.payloads.setdefault(number, types) != types:
        number += 1
    return number


class Unwound(BaseException):
    """Ends a path on which a check has failed, whose number says what is raised; `error` is one like it, for others."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def last_number() -> int:
    """The number of the check that was made last."""
    return _count.value


def error_after_branches(error: BaseException) -> BaseException:
    """What is raised after a statement whose every path raises, `error` on the first of them.

    The checks of the paths bring out their exceptions. This one has none of its values, which belong to a path that is over.
    """
    if thread.now.catching:
        return Unwound(error)
    if isinstance(error, Unwound):
        here = frame()
        if here.whole or here.base[1] < journal.depth() or error.error is None:
            return error
        explicit(error.error)
        return error.error
    if not exception_templates.recipe_of(error).payload:
        return error
    kind = type(error)
    made_in_c: Any = next(base for base in kind.__mro__ if not base.__flags__ & _OF_PYTHON)
    bare: BaseException = made_in_c.__new__(kind)
    if hasattr(error, _REPLACES):
        setattr(bare, _REPLACES, getattr(error, _REPLACES))
    explicit(bare)
    return bare


_OF_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def _counts(code: Any, replaced: Sequence[tuple[int, int]]) -> Any:
    """Whether what fails now is what comes out: where nothing has failed, or what a `finally` replaces."""
    return or_replaced(code == 0, code, replaced)


def or_replaced(holds: Any, code: Any, replaced: Sequence[tuple[int, int]]) -> Any:
    """Whether that holds, or what has failed is what a `finally` replaces."""
    for first, last in replaced:
        holds = holds | ((code > first) & (code <= last))
    return holds


def alive() -> Any:
    """Whether Python would run the statement: False, or a traced False, after a check that has failed."""
    here = frame()
    return True if CODE not in here.contents else _counts(here.contents[CODE], thread.now.replaced)


def renumbering() -> Callable[[], None]:
    """A function that takes the numbering of checks back to where it is now.

    A loop's body that is traced again has the same checks in most cases: their numbers are among what the loop carries.
    """
    start = _count.value

    def restart() -> None:
        _count.value = start
        sites = frame().sites
        for number in [n for n in sites if n > start]:
            del sites[number]

    return restart


def flush() -> None:
    """Hands failed checks over, where no statement around will carry them on."""
    here = frame()
    state, depth = here.base
    if here.catching:
        return  # a handler may take it back
    if not here.whole and depth == journal.depth() and state == tracing_state.trace_state():
        thread.now.frames.remove(here)
        contents, here.contents = here.contents, {}  # no change that statements around would carry on
        if CODE in contents:
            with recorded_equations.placed_as(recorded_views.recorded_as(contents[CODE])):
                emit(contents, here.sites, here.mode)


def emit(contents: Contents, sites: dict[int, Site], mode: str) -> None:
    """Raises in the running program, as JAX allows: through checkify or through a host callback."""
    if tracing_state.is_zero(contents[CODE]):
        return  # the loop whose iterations check something has turned out to be in order
    if mode in ("checkify", "inner"):
        for number in sorted(sites):
            payload = [value for _, value in sorted_payload(contents, number)]
            text = sites[number].text
            if mode == "inner":
                text = raising.marker_of(sites[number])
                payload.append(failed_lanes.lanes_of_check(contents[CODE] == number))
            checkify.check(contents[CODE] != number, text, *map(jnp.asarray, payload))
        return
    contents = {**contents, LANES: failed_lanes.lanes_of_check(contents[CODE])}
    keys = [key for key in contents if key != CODE]
    report = (
        raising.recorder(sites)
        if mode == "recorded"
        else functools.partial(raise_failed, sites=sites, on_host=True)
    )

    def on_host(code: Any, *values: Any) -> None:
        report({CODE: code, **dict(zip(keys, values, strict=True))})

    def fail() -> None:
        jax.debug.callback(on_host, contents[CODE], *[contents[key] for key in keys])

    if tracing_state.program_trace()() is None:
        fail()
    else:  # a call of the host takes 0.1 ms, and most programs need none
        jax.lax.cond(contents[CODE] != 0, fail, lambda: None)
        single_results.note_host_call(contents[CODE])


# `finally` and `except` around a check


def is_raised_on_path(error: BaseException) -> bool:
    """Whether a path that is traced raises `error` if it is taken: see `recipes`; or it misses a global that one has deleted."""
    return (
        isinstance(error, Unwound) or exception_templates.is_explicit(error) or journal.misses_deleted(error)
    )


class trying(entered):  # noqa: N801 (called like a function)
    """To be called first in a `try` that has a `finally`; by what stands for one in another frame, with that."""

    def __init__(self, in_frame: types.FrameType | None = None) -> None:
        self.frame = id(in_frame or sys._getframe(1))
        self.first = _count.value  # the last check before it
        self.around = sys.exception()  # what Python handles
        super().__init__(tried=(*thread.now.tried, self))
        self.__enter__()


class finishing:  # noqa: N801 (called like a function)
    """Around the code of a `finally`: what fails in it takes the place of what has failed in its `try`.

    An error of ours stays: what it left half-way may fail here for that reason alone. The `finally` of a generator that is
    closed when the statements around it are over belongs to no program.
    """

    def __init__(self, tried: trying | None = None) -> None:
        frame = id(sys._getframe(1))
        known = (each for each in reversed(thread.now.tried) if each.frame == frame)
        self._tried: trying | None = tried or next(known, None)

    def __enter__(self) -> None:
        if self._tried is None:
            return
        self._tried.__exit__()
        self._before, self._refused = (self._tried.first, _count.value), sys.exception()
        self._scope = entered(replaced=(*thread.now.replaced, self._before))
        self._scope.__enter__()
        code = frame().contents.get(CODE)
        # The block runs to its end unless something fails in it, so no path lacks what it makes.
        path_facts.keep_note(("alive", id(code), *thread.now.replaced), (code, True))

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if self._tried is None:
            return
        self._scope.__exit__()
        if error is None:
            return
        # Python raises it, and it becomes a check further out.
        if isinstance(self._refused, AutographError) and self._refused is not self._tried.around:
            raise self._refused from self._refused.__cause__
        with contextlib.suppress(AttributeError):
            setattr(error, _REPLACES, (*getattr(error, _REPLACES, ()), self._before))


_REPLACES = "__autograph_lite_replaces__"


class handling(entered):  # noqa: N801 (a context manager that reads as a verb)
    """Says which exceptions the `except` clauses around the code inside catch.

    Args:
      kinds: gives them.
      harmless: whether what is around does the same whether an exception leaves the code or none.
    """

    def __init__(self, kinds: Callable[[], Any], *, harmless: bool = True) -> None:
        self.kinds, self.harmless = kinds, harmless

    def __enter__(self) -> None:
        frame = source_places.user_frame() or sys._getframe(1)
        place = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        handler = self.kinds, journal.base_trace(), place, self.harmless, id(frame)
        self._changes = {"handlers": (*thread.now.handlers, handler)}
        super().__enter__()


def catches(kinds: Any, kind: type[BaseException]) -> bool:
    """Whether an `except` that catches these classes catches an exception of that one."""
    if isinstance(kinds, tuple):
        return any(catches(each, kind) for each in kinds)
    return isinstance(kinds, type) and issubclass(kind, kinds)


def refuse_handlers(error: BaseException, *, limit: bool = False) -> None:
    """Raises HandledRaiseError if an `except` around would have caught `error`, had Python raised it."""
    asked = item_protocol.by()
    if asked is not None and isinstance(error, item_protocol.ENDING[asked]):
        raise HandledRaiseError(
            f"'{type(error).__name__}' is raised under a traced condition in a `{asked}`.",
            where=source_places.raised_at(error),
            why="Python takes the items of an iterator while tracing, before it is known how many there are.",
            fix="iterate over a range or an array, or write a `while` loop.",
        )
    base = journal.base_trace()
    for kinds, trace, around, _, of in reversed(thread.now.handlers):
        # A `try` around a call of a compiled function, which is another trace, gets the exception from the call.
        if trace == base and catches(kinds(), type(error)) and is_on_stack(of):
            raise HandledRaiseError(
                f"'{type(error).__name__}' is raised under a traced condition inside a `try` that catches it.",
                where=(source_places.raised_at(error), source_places.at(*around)),
                why="A compiled program raises after it has run, so that no `except` in it can catch.",
                fix="write the condition as an `if` with the handler's code in its branch.",
            )
    for refuse in catchers if thread.now.catching and not limit else ():
        refuse(error)


catchers: list[Callable[[BaseException], None]] = []  # from above: what a `try` around can't follow
