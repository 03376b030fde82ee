"""Trial: is a loop being traced with arrays in place of Python's numbers? What would tell them apart ends it."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from autograph_lite.errors import Location
from autograph_lite.jax_internals import avals, tracing_state
from autograph_lite.jax_internals.references import storages
from autograph_lite.operators.joins.join_types import Array, Captured, Template, as_array_type, fitted
from autograph_lite.operators.object_graph import opaque_objects, python_iterators
from autograph_lite.operators.purity import known_calls, python_only
from autograph_lite.operators.user_code import pure_callables, source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer, known_value
from autograph_lite.tracing import entered, thread


class Refused(BaseException):
    """The loop has to be run as Python; no `except` of the user's takes it for an exception of the program's.

    Attributes:
      why: in words.
      place: the user's line that prevents it; () where that is not known.
      peels: after how many iterations, run as Python, the loop may be rolled all the same.
    """

    def __init__(self, why: str, place: Location | tuple[()] = (), peels: int = 0) -> None:
        self.why, self.place, self.peels = why, place, peels


def trial() -> entered:
    """The code inside traces a loop on trial."""
    outside = thread.now.outside if thread.now.trial else tuple(tracing_state.open_traces())
    return entered(trial=True, made={}, outside=outside, decided=False)


def is_on_trial() -> bool:
    """Whether a loop is being traced on trial on this thread."""
    return thread.now.trial


def variables(arrays: Sequence[Any], start: Sequence[Any]) -> entered:
    """The code inside traces a body on trial: `arrays` are what it carries, and began as `start`."""
    pairs = zip(arrays, start, strict=False)
    found = {
        id(a): a
        for a, first in pairs
        if isinstance(first, Tracer) and known_value(first) is None and not _follows(first)
    }
    return entered(given={**thread.now.given, **found})


_MOST = 1000  # equations between a number and what it follows from; beyond, it is Python's


def is_number_of_python(value: Any) -> bool:
    """Whether a number follows from Python's alone, for which arrays stand in a loop on trial."""
    return thread.now.trial and isinstance(value, Tracer) and avals.weak_type(value) and _follows(value)


def _follows(value: Any) -> bool:
    """Looks at each equation once: what follows from one number on two ways would double the work at each of them."""
    seen: set[int] = set()
    waiting = [value]
    while waiting and len(seen) <= _MOST:
        each = waiting.pop()
        if tracing_state.trace_of(each) in thread.now.outside:
            return False
        equation = getattr(each, "parent", None)
        if equation is None:
            if id(each) in thread.now.given:
                return False
            if (around := storages.outer_of(each)) is not None:
                waiting.append(around)
        elif id(equation) not in seen:
            seen.add(id(equation))
            waiting.extend(operand for operand in equation.in_tracers if isinstance(operand, Tracer))
    return True


def decides(select: Any) -> bool:
    """Whether, in the loop on trial, the program's values decide if a branch is taken, as this condition or one around it is."""
    return thread.now.trial and (thread.now.decided or not _follows(select))


def note_carry_types(body_fun: Callable[..., Any], before: Sequence[Any], after: Sequence[Any]) -> None:
    """Notes whether an iteration leaves variables of other types, where the statement around it joins them."""
    if thread.now.trial:
        thread.now.changing[body_fun.__code__] = any(map(_changes, before, after))


def refuse_promotion(item: Template, new: Template) -> None:
    """Ends a trial where a list gets items of two dtypes, which one buffer can't hold as they are."""
    pairs = zip(map(as_array_type, item.leaves), map(as_array_type, new.leaves), strict=True)
    if thread.now.trial and any(a is not None and b is not None and a.dtype != b.dtype for a, b in pairs):
        raise Refused("a list gets items of several types")


def has_changed(body_fun: Callable[..., Any]) -> bool:
    """Whether the iteration of `body_fun` that was traced last has left variables of other types."""
    return thread.now.changing.pop(body_fun.__code__, False)


def _changes(before: Any, after: Any) -> bool:
    pairs = zip(pytrees.leaves(before), pytrees.leaves(after), strict=False)
    return any(
        isinstance(a, jax.Array) and isinstance(b, jax.Array) and (a.dtype != b.dtype or _weaker(b, a))
        for a, b in pairs
    )


def _weaker(a: Any, b: Any) -> bool:
    """Whether the array `a` gives way to others where `b` does not."""
    return avals.weak_type(a) and not avals.weak_type(b)


def refuse_promoted(values: Sequence[Captured], joined: Template) -> None:
    """To be called where branches are joined and Python would have run one: another type would have come out of it."""
    if thread.now.trial and any(_promoted(value, joined) for value in values):
        end_trial("a variable has arrays of two types on two paths")


def _promoted(value: Captured, joined: Template) -> bool:
    pairs = zip(fitted(value, joined), joined.leaves, strict=False)
    return any(
        isinstance(kind, Array)
        and isinstance(leaf, jax.Array)
        and leaf.dtype != kind.dtype
        and not avals.weak_type(leaf)
        for leaf, kind in pairs
    )


def end_trial(why: str) -> None:
    """Ends the trial that is running, if there is one, at the user's line that runs."""
    if thread.now.trial:
        raise Refused(why, source_places.here())


def refuse_branch(fn: Callable[..., Any]) -> None:
    """Ends the trial that is running, if there is one, where a branch that it comes to does what only Python can."""
    # One of an operator's.
    if not thread.now.trial or (fn.__module__ or "").startswith("autograph_lite.operators."):
        return
    found = python_only.reason(fn)
    if found is not None:
        code = fn.__code__
        raise Refused(
            found[1], source_places.at(code.co_filename, found[0], source_places.function_name(code))
        )


def enter_on_trial(fn: Callable[..., Any]) -> None:
    """To be called before a function of the user's is called on trial."""
    refuse_branch(fn)
    for look in entering:
        look(fn)


entering: list[Callable[[Any], None]] = []  # who else is told, from above


def refuse_unknown(found: str | None) -> None:
    """Ends the trial if there is something in the user's line that is not known to leave nothing behind."""
    if found is not None:
        end_trial(f"'{found}' may leave something behind, or give something else, at each call")


def refuse_read(value: Any) -> None:
    """To be called before an item of `value` is read."""
    if thread.now.trial:
        refuse_unknown(known_calls.unknown_of(value, ("__getitem__",)))


def refuse_augmented(value: Any) -> None:
    """To be called with what a statement such as `bar += 1` may change in place."""
    if thread.now.trial:
        refuse_unknown(known_calls.unknown_of(value, known_calls.IN_PLACE))


def refuse_items(value: Any) -> None:
    """To be called before items of `value` are taken, or asked for."""
    if not thread.now.trial:
        return
    if python_iterators.is_read(value) and not isinstance(value, io.IOBase):
        if not owns(value):
            end_trial("an item is taken from an iterator")
    else:
        refuse_unknown(known_calls.unknown_of(value, known_calls.ITEMS))


def owns(value: Any) -> bool:
    """Whether the trial that is running has made an iterator or an opaque object, of nothing that others take items from."""
    return id(value) in thread.now.made


def note_created(value: Any) -> Any:
    """`value`, which the code that is on trial has made: noted, if it is an iterator or an opaque object."""
    if thread.now.trial and (isinstance(value, opaque_objects.KINDS) or python_iterators.is_read(value)):
        thread.now.made[id(value)] = value
    return value


def refuse_call(callee: Any) -> None:
    """Ends the trial that is running if a call may do something that only Python can do for each item.

    What is printed where the program decides whether it runs is not what Python prints, in a loop that Python runs, either.
    """
    if thread.now.decided and (callee is print or getattr(callee, "__module__", None) == "logging"):
        return
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, opaque_objects.KINDS) and callee.__name__ != "__init__":
        found = None if owns(owner) else f"{type(owner).__name__}.{callee.__name__}"
    else:
        found = known_calls.unknown_call_name(callee)
    refuse_unknown(found)


@source_places.between
def looking(callee: Any, called: Any) -> Any:
    """`called`, what to call in place of a library's `callee`, with a look at what it is handed."""
    if not known_calls.is_librarys(callee):
        return called
    runs_later = getattr(callee, "__module__", None) in pure_callables.HOSTS

    @functools.wraps(callee, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        handed = (*args, *kwargs.values())
        for value in handed:
            if not (runs_later and callable(value)):
                _look_at(value, callee)
        result = called(*args, **kwargs)
        return note_created(result) if all(map(known_calls.is_alone, handed)) else result

    return run


def _look_at(value: Any, callee: Any) -> None:
    if type(value) in _INERT or isinstance(value, jax.Array):
        return
    if python_iterators.is_read(value):
        refuse_items(value)
    elif isinstance(value, opaque_objects.KINDS):
        refuse_unknown(None if owns(value) else type(value).__name__)
    elif callable(value):
        refuse_unknown(known_calls.unknown_handed(value, callee))
    else:
        refuse_unknown(known_calls.unknown_object(value))


_INERT = frozenset({int, float, complex, bool, str, bytes, type(None), list, tuple, dict, range, slice})


def refuse_unknown_text(values: Sequence[Any]) -> None:
    """To be called before text is made of `values`."""
    for value in values if thread.now.trial else ():
        refuse_unknown(known_calls.unknown_of(value, known_calls.TEXT))


def refuse_text(values: Any) -> None:
    """To be called where text is made of `values`, which the program hands over for it."""
    if thread.now.trial and any(map(_may_differ_in_text, pytrees.leaves(values))):
        end_trial("text is made of a number that is known for each item only")


def refuse_handing_over(value: Any) -> None:
    """To be called where the program hands a traced value over for an exception: of a float of Python's it has less digits."""
    if _is_float_of_python(value):
        end_trial("an exception holds a float that is known for each item only")


def _may_differ_in_text(leaf: Any) -> bool:
    """Whether an array may stand for a number of Python's, and be another text."""
    is_bool = isinstance(leaf, Tracer) and isinstance(leaf, jax.Array) and leaf.dtype == bool
    return (is_bool and not leaf.shape) or _is_float_of_python(leaf)


def _is_float_of_python(value: Any) -> bool:
    return is_number_of_python(value) and not jnp.issubdtype(value.dtype, jnp.integer)
