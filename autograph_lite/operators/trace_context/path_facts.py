"""Path facts: which variants of a value that is one of several are possible on the path that is traced?

    if best is None or x < best:          `x < best` runs where the test said no: `best` is the array there

A test of a tag is a traced bool that says what it tells: of the paths where it holds, and of those where it does not. A
path starts with what its condition tells; after a check, its outcome is known. Facts hold for the statements of one
trace: a function that somebody else traces, and may keep, knows none of them.
Source: occurrence typing (Tobin-Hochstadt and Felleisen, 2008).
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import jax

from autograph_lite.operators.effects import journal
from autograph_lite.operators.values.one_of import OneOf, known_number, options_of, tag_of
from autograph_lite.tracing import entered, thread

Facts: TypeAlias = dict[Any, Any]  # the id of a tag -> the tag, and what it may be
Frame: TypeAlias = tuple[tuple[object, int], Facts]  # of the statements of the trace at this base

_told: dict[int, tuple[weakref.ref[Any], Sequence[Facts], bool]] = {}  # of each path that the test decides on


_true: dict[int, weakref.ref[Any]] = {}  # of the bools that are known to hold


def _forget(key: int, _: Any) -> None:
    _true.pop(key, None)


def frames(facts: Facts | None = None) -> tuple[Frame, ...]:
    """The facts that hold now, those given, and what will be learned: for the time that a body is traced."""
    return (*thread.now.facts, (journal.base_trace(), dict(facts or {})))


def assuming_facts(facts: Facts) -> entered:
    """The code inside runs where these hold."""
    return entered(facts=frames(facts))


def fact(tag: Any, variants: Sequence[int] | frozenset[int]) -> Facts:
    """That a tag is one of these."""
    return {id(tag): (tag, frozenset(variants))}


def possible(value: OneOf, known: Sequence[Frame] | None = None) -> list[int]:
    """The numbers of the variants that `value` may be where the code runs, or where these frames hold."""
    number = known_number(value)
    if number is not None:
        return [number]
    every = range(len(options_of(value)))
    return sorted(_left(tag_of(value), frozenset(every), known)) or [*every]  # none: the code is never run


def _left(tag: Any, variants: frozenset[int], known: Sequence[Frame] | None = None) -> frozenset[int]:
    """Those of the variants that are possible where the code runs."""
    base = journal.base_trace()
    for at, facts in thread.now.facts if known is None else known:
        if at == base and id(tag) in facts and facts[id(tag)][0] is tag:
            variants &= facts[id(tag)][1]
    return variants


def narrow(value: Any, known: Sequence[Frame] | None = None) -> Any:
    """The variant that `value` is, where one is possible; else `value`."""
    if type(value) is not OneOf:
        return value
    found = possible(value, known)
    return options_of(value)[found[0]] if len(found) == 1 else value


def learn(facts: Facts) -> None:
    """These hold from here on, as a check has failed where they don't; a `finally` runs there, too."""
    # In no program of ours: what holds from here on in the trace of somebody else.
    if facts and not thread.now.facts:
        for test, values in facts.values():
            if values == {1}:
                _true[id(test)] = weakref.ref(test, functools.partial(_forget, id(test)))
    if facts and thread.now.facts and not thread.now.in_try:
        base, known = thread.now.facts[-1]
        if base == journal.base_trace():
            known.update(both(known, facts))


def tell(test: Any, *paths: Facts, itself: bool = False) -> Any:
    """`test`, which tells these facts of the paths that it decides on: of a bool, first where it holds.

    If `itself`, it is asked for on them whether it holds.
    """
    if (any(paths) or itself) and isinstance(test, jax.Array):
        key = id(test)
        _told[key] = weakref.ref(test, lambda _: _told.pop(key, None)), paths, itself
    return test


def facts_of(test: Any, number: int) -> Facts:
    """What is known on the path of that number."""
    ref, paths, itself = _told.get(id(test), (None, (), False))
    if ref is None or ref() is not test:
        return {}
    return {**paths[number], **fact(test, [1 - number])} if itself else paths[number]


def is_true(test: Any, known: Sequence[Frame] | None = None) -> bool | None:
    """Whether a bool of the program is true where the code runs, or where these frames hold; None where nobody knows."""
    base = journal.base_trace()
    for at, facts in thread.now.facts if known is None else known:
        if at == base and id(test) in facts and facts[id(test)][0] is test:
            return 1 in facts[id(test)][1]
    ref = _true.get(id(test))
    return True if ref is not None and ref() is test and is_asked(test) else None


def keep_note(key: Hashable, value: Any) -> None:
    """Keeps something for the statements of the innermost body: `kept_note` gives it."""
    if thread.now.facts and thread.now.facts[-1][0] == journal.base_trace():
        thread.now.facts[-1][1][key] = value


def kept_note(key: Hashable) -> Any:
    """What is kept under a key, by the innermost body that has kept something; None where none has."""
    base = journal.base_trace()
    return next((facts[key] for at, facts in reversed(thread.now.facts) if at == base and key in facts), None)


def is_asked(test: Any) -> bool:
    """Whether it is asked for on the paths of a bool whether it holds."""
    return _told.get(id(test), (None, (), False))[2]


def both(a: Facts, b: Facts) -> Facts:
    """What is known where both hold."""
    return {**a, **{key: (tag, now & a[key][1] if key in a else now) for key, (tag, now) in b.items()}}


def either(a: Facts, b: Facts) -> Facts:
    """What is known where one of them holds."""
    return {key: (tag, now | b[key][1]) for key, (tag, now) in a.items() if key in b}
