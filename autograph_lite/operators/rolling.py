"""When is a loop over Python values traced once, and run as a loop, where it would be traced once for each item?

    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(1000):
            x = jnp.sin(x) * i            traced once, with an array in place of `i`

It is tried: where the body can't be traced so, or would not give what Python gives, what it did is undone, the reason is
kept, and Python runs the loop. The next time it meets the loop with variables of the same types, it knows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import types
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from autograph_lite import _jax
from autograph_lite.errors import AutographError, BranchMismatchError
from autograph_lite.operators import columns, lists, trials, unconverted, where
from autograph_lite.operators.carry import Unjoinable
from autograph_lite.operators.rolled_body import Trial
from autograph_lite.operators.templates import Template, as_array, template_of
from autograph_lite.operators.trials import Refused

AUTO = 16  # From 8 to 16 iterations on, an unrolled loop runs slower than one that is a loop.
Stage = Callable[[columns.Columns, Trial], tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why a loop was run as Python.

    Attributes:
      why: in words.
      where: the user's line that prevents it.
      peels: after how many iterations, run as Python, it may be rolled all the same.
    """

    why: str
    where: Any
    peels: int = 0

    @property
    def said(self) -> str:
        """The reason and the line."""
        return f"{self.why} (line {self.where.line})" if self.where else self.why


class _Local(threading.local):
    def __init__(self) -> None:
        self.least: int | None = None
        self.counted: weakref.ref[Any] | None = None  # the outermost trace, for which JAX has computed an int


_local = _Local()
_refused: weakref.WeakKeyDictionary[types.CodeType, dict[Hashable, Refusal]] = weakref.WeakKeyDictionary()


def least(static_loops: Any) -> int | None:
    """The number of items from which on loops are rolled, under an option of `convert`; None where none is.

    Raises:
      ValueError: it is no such option.
    """
    match static_loops:
        case "python":
            return None
        case "stage":
            return 2
        case "auto":
            return AUTO
        case ("auto", int(number)) if number > 0 and not isinstance(number, bool):
            return number
    raise ValueError(
        f"static_loops is {static_loops!r}; it may be 'python', 'stage', 'auto' or ('auto', n) with a positive int n."
    )


@contextlib.contextmanager
def rolling(number: int | None) -> Iterator[None]:
    """Whether loops that Python knows are rolled, from so many items on."""
    before, _local.least = _local.least, number
    try:
        yield
    finally:
        _local.least = before


def counted() -> None:
    """To be called where an int is computed of traced arrays: `range(int(jnp.ceil(T / dt)))` may be a long loop.

    Those of the program that is being traced are rolled as by "auto": nobody has written down how long they are.
    """
    if _local.least is None and _jax.tracing():
        _local.counted = weakref.ref(_jax.outermost_trace())


def _least() -> int | None:
    if _local.least is not None or _local.counted is None:
        return _local.least
    return AUTO if _local.counted() is _jax.outermost_trace() else None


def wanted() -> bool:
    """Whether loops that Python knows are to be rolled here."""
    return _least() is not None and _jax.tracing()


def attempt(
    iterable: Any, body_fun: Callable[..., Any], init: tuple[Any, ...], stage: Stage,
    part: tuple[int, int] | None = None,
) -> Any:  # fmt: skip
    """The variables after the loop, rolled; a `Refusal` where Python is to run it, or None where nothing was tried.

    Args:
      iterable: of Python's.
      body_fun: item, variables -> variables.
      init: the variables before the loop.
      stage: rolls the loop.
      part: which iterations are meant of a longer loop, whose other ones are left in `iterable`; None for all of it.
    """
    items = columns.items_of(iterable)
    if items is not None and part is not None:
        items = items[: part[1] - part[0]]
    number = _least()
    if items is None or number is None or len(items) < number:
        return None
    return tried(body_fun, init, lambda: _rolled(iterable, items, body_fun, stage), part)


def pays(count: int) -> bool:
    """Whether a loop of so many iterations is rolled."""
    number = _least()
    return number is not None and count >= number


def tried(
    body_fun: Callable[..., Any], init: tuple[Any, ...], roll: Callable[[], Any], part: Any = None
) -> Any:
    """What `roll` gives, unless that is refused: the `Refusal` then; it is not called again for variables of these types."""
    key = _key(init), part
    known = _refused.setdefault(body_fun.__code__, {})
    if key not in known:
        try:
            return roll()
        except Refused as refused:
            place = refused.place or where.of_function(body_fun)
            known[key] = Refusal(refused.why, place, refused.peels)
        except Exception as error:  # Python then says what is wrong, if anything is
            known[key] = Refusal(_told(error), _place(error, body_fun), _peels(error))
    return known[key]


def forget(body_fun: Callable[..., Any]) -> None:
    """To be called where Python could not run the loop, either: the reason may lie in what is around it."""
    _refused.pop(body_fun.__code__, None)


def _rolled(iterable: Any, items: Any, body_fun: Callable[..., Any], stage: Stage) -> tuple[Any, ...]:
    with trials.trial():
        trials.enter(body_fun)
        try:
            source = columns.Columns(items)
        except columns.Unlike as unlike:
            raise Refused(str(unlike)) from None
        values = stage(source, Trial(source, columns.lists_in(iterable), body_fun))
    columns.exhaust(iterable, len(items))
    return values


def _key(init: tuple[Any, ...]) -> Hashable:
    """The types of the variables, as far as they can be told by a hash."""
    return tuple(_type(template_of(value)) for value in init)


def _type(template: Template) -> Hashable:
    leaves = [leaf if leaf is None else as_array(leaf) or type(leaf) for leaf in template.leaves]
    return str(template.tree), template.present, str(leaves)


def _told(error: Exception) -> str:
    """An exception in one line."""
    if isinstance(error, AutographError):
        return error.what.rstrip(".")
    if isinstance(error, Unjoinable):
        return f"'{error.name}' is {error.found.left} before an iteration and {error.found.right} after it"
    if isinstance(error, lists.TooShortError):
        return "it reads items that its first iterations append"
    if unconverted.is_about_tracer(error) or "Tracer" in str(error):
        return "Python needs the value of a number, which another item gives another one"
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _peels(error: Exception) -> int:
    """After how many iterations the loop may be another one: what stood for a later value is gone, or a list is longer."""
    return (
        1
        if isinstance(error, (Unjoinable, BranchMismatchError))
        else lists.PEELED * isinstance(error, lists.TooShortError)
    )


def _place(error: Exception, body_fun: Callable[..., Any]) -> Any:
    if isinstance(error, AutographError) and error.where:
        return error.where[0]
    found = where.raised_at(error)
    loop = where.of_function(body_fun)
    return found if found and loop and found.path == loop.path else loop
