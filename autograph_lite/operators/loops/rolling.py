"""Rolling: when is a loop over Python values traced once, and run as a loop, where it'd be traced once for each item?

    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(1000):
            x = jnp.sin(x) * i            traced once, with an array in place of `i`

It is tried: where the body can't be traced so, or would not give what Python gives, what it did is undone, the reason is
kept, and Python runs the loop. The next time it meets the loop with variables of the same types, it knows.
"""

from __future__ import annotations

import dataclasses
import types
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from autograph_lite.errors import AutographError, BranchMismatchError, MutationError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import concretization_errors
from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.iteration import item_columns
from autograph_lite.operators.joins.join_types import Template, as_array_type, template_of
from autograph_lite.operators.lane_eval.path_conditions import Parts
from autograph_lite.operators.lists import growing_lists
from autograph_lite.operators.loops import unrolled_size
from autograph_lite.operators.loops.carry import Unjoinable
from autograph_lite.operators.loops.rolled_scan import Trial
from autograph_lite.operators.loops.unrolled_size import Few, Small
from autograph_lite.operators.purity import trial
from autograph_lite.operators.purity.trial import Refused
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import traced
from autograph_lite.tracing import thread

Stage = Callable[[item_columns.Columns, Trial], tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class Rule:
    """Which loops that Python knows are rolled."""

    least: int = 2  # from how many items on
    by_cost: bool = False  # only those that would make a long program


AUTO = Rule(by_cost=True)


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why a loop was run as Python."""

    why: str  # in words
    where: Any  # the user's line that prevents it
    peels: int = 0  # after how many iterations, run as Python, it may be rolled all the same
    size: int | None = None  # how many equations an iteration makes, where they are few and that is why
    lacks_room: bool = False  # whether a list in a loop inside lacks room, which it may have once Python has run an iteration

    @property
    def prevents(self) -> str:
        """What prevents it, and the line; "" where it can be rolled, and is not worth it."""
        if self.size is not None:
            return ""
        return f"{self.why} (line {self.where.line})" if self.where else self.why

    @property
    def clause(self) -> str:
        """The reason as a clause."""
        return self.why if self.size is not None else f"it can't be rolled: {self.prevents}"


Key = tuple[types.CodeType, Hashable, Any]  # a body, the types of its variables, which iterations


# By the outermost trace: what is known of a loop's body there, with variables of these types.
_refusals: weakref.WeakKeyDictionary[Any, dict[Key, Refusal]] = weakref.WeakKeyDictionary()
_counted: weakref.WeakSet[Any] = weakref.WeakSet()  # the outermost traces for which JAX has computed an int


def rule(static_loops: Any) -> Rule | None:
    """Which loops are rolled, under an option of `convert`; None where none is. Raises ValueError: it is no such option."""
    match static_loops:
        case "python":
            return None
        case "stage":
            return Rule()
        case "auto":
            return AUTO
        case ("auto", int(number)) if number > 0 and not isinstance(number, bool):
            return Rule(number)
    raise ValueError(
        f"static_loops is {static_loops!r}; it may be 'auto', 'python', 'stage' or ('auto', n) with a positive int n."
    )


def counted() -> None:
    """To be called where an int is computed of traced arrays: `range(int(jnp.ceil(T / dt)))` may be a long loop.

    Those of the program that is being traced are rolled as by "auto": nobody has written down how long they are.
    """
    if thread.now.rule is None and tracing_state.is_tracing():
        _counted.add(tracing_state.outermost_trace())


def _rule() -> Rule | None:
    rule: Rule | tuple[()] | None = thread.now.rule
    if isinstance(rule, tuple) or (rule is None and _counted and tracing_state.outermost_trace() in _counted):
        return AUTO
    return rule


def wanted() -> bool:
    """Whether loops that Python knows are to be rolled here."""
    return _rule() is not None and tracing_state.is_tracing()


def try_rolled_for(
    iterable: Any, body_fun: Callable[..., Any], init: tuple[Any, ...], stage: Stage,
    parts: Parts, part: tuple[int, int] | None = None, peeled: int = 0,
) -> Any:  # fmt: skip
    """The variables after the loop, rolled; a `Refusal` where Python is to run it, or None where nothing was tried.

    Args:
      iterable: of Python's.
      body_fun: item, variables -> variables.
      init: the variables before the loop.
      stage: rolls the loop.
      parts: as for `roll_or_refuse`.
      part: which iterations are meant of a longer loop, whose other ones are left in `iterable`; None for all of it.
      peeled: how many have been run as Python, which have assigned what was not there before.
    """
    items = item_columns.items_of(iterable)
    if items is not None and part is not None:
        items = items[: part[1] - part[0]]
    if items is None or not rolling_pays(count := len(items)):
        return None
    limit = few(items)
    which = (part, peeled) if peeled else part
    known = _tried().get(_key(body_fun, init, which))
    if known is not None and known.size is not None and unrolled_size.is_small(known.size, count, limit):
        return known
    if known is None and unrolled_size.is_small(unrolled_size.at_most(body_fun.__code__), count, limit):
        return None
    roll = lambda: _rolled(iterable, items, body_fun, stage, limit)  # noqa: E731
    return roll_or_refuse(body_fun, init, roll, parts, which)


def rolling_pays(count: int) -> bool:
    """Whether a loop of so many iterations may be rolled."""
    now = _rule()
    return now is not None and count >= now.least


def few(items: Sequence[Any] = ()) -> Few:
    """How many equations Python may make of a loop over such items."""
    now = _rule()
    return unrolled_size.few_of(items) if now is not None and now.by_cost else unrolled_size.never


def roll_or_refuse(
    body_fun: Callable[..., Any],
    init: tuple[Any, ...],
    roll: Callable[[], Any],
    parts: Parts,
    part: Any = None,
) -> Any:
    """What `roll` gives, or its `Refusal`, kept for variables of these types. Raises Split: to be tried in another way."""
    key = _key(body_fun, init, part)
    known = _tried().get(key)
    if known is None or known.size is not None:
        try:
            with container_identity.unless_it_fails():
                return roll()
        except Small as small:
            known = Refusal(small.why, None, size=small.size)
        except Refused as refused:
            if parts.guesses or refused.peels:
                parts.after_failure()
            place = refused.place or source_places.line_of_function(body_fun)
            known = Refusal(refused.why, place, refused.peels)
        except Exception as error:  # Python then says what is wrong, if anything is
            peels = _peels(error, init)
            if parts.guesses or peels:
                parts.after_failure()
            lacks_room = isinstance(error, MutationError) and error.lacks_room is not None
            place = _place(error, body_fun)
            known = Refusal(_told(error, place), place, peels, lacks_room=lacks_room)
        _tried()[key] = known
    return known


def refuse(body_fun: Callable[..., Any], init: tuple[Any, ...], part: Any, why: str) -> None:
    """Notes that a loop can't be rolled, which was found out in parts."""
    _tried()[_key(body_fun, init, part)] = Refusal(why, None)


def note_each_apart(body_fun: Callable[..., Any]) -> None:
    """Notes that a loop over rows has a body for each of them, so that one that it is in need not find out again."""
    _tried()[body_fun.__code__, (), _EACH] = Refusal("one body does not do for all items", None)


def is_each_apart(body_fun: Callable[..., Any]) -> bool:
    """Whether that was found out in this trace."""
    return (body_fun.__code__, (), _EACH) in _tried()


_EACH = "each apart"


def _tried() -> dict[Key, Refusal]:
    return _refusals.setdefault(tracing_state.outermost_trace(), {})


def forget_refusal(body_fun: Callable[..., Any]) -> None:
    """To be called where Python could not run the loop, either: the reason may lie in what is around it."""
    tried = _tried()
    for key in [key for key in tried if key[0] == body_fun.__code__]:
        del tried[key]


def _rolled(
    iterable: Any, items: Any, body_fun: Callable[..., Any], stage: Stage, limit: Few
) -> tuple[Any, ...]:
    with trial.trial():
        trial.enter_on_trial(body_fun)
        try:
            source = item_columns.Columns(items)
        except item_columns.Unlike as unlike:
            raise Refused(str(unlike)) from None
        values = stage(source, Trial(source, item_columns.sources_in(iterable), body_fun, limit))
    item_columns.exhaust(iterable, len(items))
    return values


def _key(body_fun: Callable[..., Any], init: tuple[Any, ...], part: Any) -> Key:
    """A loop, with the types of its variables, as far as they can be told by a hash."""
    return body_fun.__code__, tuple(_type(template_of(value)) for value in init), part


def _type(template: Template) -> Hashable:
    # A number of Python's is another type than an array that stands for one, where a loop around is on trial.
    leaves = [
        (as_array_type(leaf) or type(leaf), traced(getattr(leaf, "value", None)))
        if leaf is not None
        else leaf
        for leaf in template.leaves
    ]
    return str(template.tree), template.present, str(leaves)


def _told(error: Exception, place: Any) -> str:
    """An exception in one line."""
    if isinstance(error, AutographError):
        return error.what.rstrip(".")
    if isinstance(error, Unjoinable):
        return f"'{error.name}' is {error.found.left} before an iteration and {error.found.right} after it"
    if isinstance(error, growing_lists.TooShortError):
        return "it reads items that its first iterations append"
    if concretization_errors.is_about_tracer(error) or "Tracer" in str(error):
        number = f"a number in `{place.text}`" if place else "a number"
        return f"Python needs the value of {number}, which another item gives another one"
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _peels(error: Exception, init: tuple[Any, ...]) -> int:
    """After how many iterations the loop may be another one.

    What stood for a later value is gone then, a list is longer, or what Python computed with is an array.
    """
    if concretization_errors.is_about_tracer(error):
        return any(type(value) in (int, float) for value in init)
    if isinstance(error, (Unjoinable, BranchMismatchError)) or getattr(error, "stood_in", False):
        return 1
    return growing_lists.PEELED * isinstance(error, growing_lists.TooShortError)


def _place(error: Exception, body_fun: Callable[..., Any]) -> Any:
    if isinstance(error, AutographError) and error.where:
        return error.where[0]
    found = source_places.raised_at(error)
    loop = source_places.line_of_function(body_fun)
    return found if found and loop and found.path == loop.path else loop
