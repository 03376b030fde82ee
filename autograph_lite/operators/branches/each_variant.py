"""Operations on one of several: what is `best + 1`, `state == "done"` or `f(x)` where a traced value decides what `best` is?

What it is for each variant that is possible where the code runs, joined. What Python knows of a variant is done while
tracing, without a branch: `state == "done"` compares the tag. Where Python raises for a variant, the program has a check,
and that variant is impossible from there on: `best + 1` is `x + 1` after a check that `best` is not None.
"""

from __future__ import annotations

import enum
import functools
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import AutographError, BranchMismatchError, PythonOnlyError
from autograph_lite.operators.branches import branches
from autograph_lite.operators.checks import carried_checks, exception_templates
from autograph_lite.operators.effects import journal
from autograph_lite.operators.joins import join_errors
from autograph_lite.operators.joins.join_types import (
    Captured,
    Mismatch,
    capture,
    fill,
    join_templates,
    rebuild,
)
from autograph_lite.operators.joins.literal_types import holding
from autograph_lite.operators.trace_context import path_facts
from autograph_lite.operators.values import one_of, pytrees
from autograph_lite.operators.values.one_of import OneOf, options_of, tag_of
from autograph_lite.tracing import entered, thread

_OF_PYTHON = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError, NotImplementedError)


def distribute(
    fun: Callable[..., Any],
    *args: Any,
    acts: bool = False,
    writes: bool = False,
    asks: bool = False,
) -> Any:
    """`fun(*args)`, where an argument may be one of several.

    Args:
      fun: what is to be done.
      args: with what.
      acts: whether it may run the user's code, so that it is done for the variant that it is alone.
      writes: whether it changes the first argument.
      asks: whether it asks for a type, an identity or an equality, which does no harm for others.
    """
    args = tuple(map(path_facts.narrow, args))
    at = next((n for n, arg in enumerate(args) if type(arg) is OneOf), None)
    if at is None:
        if writes:
            journal.note_change(args[0])
        return fun(*args)
    value: OneOf = args[at]
    tag, numbers = tag_of(value), path_facts.possible(value)

    def having(number: int) -> Any:
        now = [*args[:at], options_of(value)[number], *args[at + 1 :]]
        with path_facts.assuming_facts(path_facts.fact(tag, [number])):
            return distribute(fun, *now, acts=acts, writes=writes, asks=asks)

    if writes and carried_checks.is_among_caught([options_of(value)[number] for number in numbers]):
        for option in [options_of(value)[number] for number in numbers]:
            distribute(fun, option, *args[1:], writes=True)
        return None
    results, errors = dict[int, Any](), dict[int, Exception]()
    for number in numbers:
        if asks or (not (acts or writes) and is_plain_variant(options_of(value)[number])):
            try:
                with entered(variants=(*thread.now.variants, (tag, number))):
                    results[number] = having(number)
            except PythonOnlyError as error:  # of None alone, the program says it when it comes to that
                if options_of(value)[number] is not None:
                    raise
                errors[number] = error
            except _OF_PYTHON as error:
                errors[number] = _pythons(error)
    if errors:
        numbers = _without(errors, tag, numbers)
        if len(numbers) == 1:
            return results[numbers[0]] if numbers[0] in results else having(numbers[0])
    if len(results) == len(numbers):
        joined = joined_results(tag, numbers, [results[number] for number in numbers])
        if joined is not NotImplemented:
            return joined

    def run(number: int, *_: Any) -> Any:
        try:
            return results[number] if number in results else having(number)
        except PythonOnlyError as error:
            if options_of(value)[number] is None:
                exception_templates.explicit(error)
            raise
        except _OF_PYTHON as error:
            exception_templates.explicit(_pythons(error))
            raise

    operands = [option for arg in args for option in (options_of(arg) if type(arg) is OneOf else [arg])]
    funs = [_branch(run, number) for number in numbers]
    return branches.stage(_selecting(tag, numbers), funs, operands, ())


def without_variants(value: OneOf, is_wrong: Callable[[Any], bool], error: Exception) -> Any:
    """What `value` is, or may be, after a check that it is none of its variants that are wrong; itself where all are."""
    value = path_facts.narrow(value)
    numbers: Sequence[int] = path_facts.possible(value) if type(value) is OneOf else ()
    wrong = {number: error for number in numbers if is_wrong(options_of(value)[number])}
    if wrong and len(wrong) < len(numbers):
        _without(wrong, tag_of(value), numbers)
        return path_facts.narrow(value)
    return value


def _branch(run: Callable[..., Any], number: int) -> Callable[..., Any]:
    return lambda *operands: run(number, *operands)


def is_plain_variant(variant: Any) -> bool:
    """Whether what is done with a variant neither computes nor runs the user's code."""
    return isinstance(variant, _KNOWN) or all(isinstance(leaf, _KNOWN) for leaf in pytrees.leaves(variant))


_KNOWN = (str, bytes, int, float, complex, type(None), type, type(Ellipsis), enum.Enum)


def _pythons(error: Exception) -> Exception:
    """`error`, where Python raises it for the variant; what we or JAX can't do for it is raised."""
    if isinstance(error, (AutographError, jax.errors.JAXTypeError, jax.errors.JAXIndexError)):
        raise error
    message = str(error)
    if "Tracer" not in message:
        return error
    if not any(text in message for text in _OF_OPERANDS):  # an index, say, which would be an int of Python's
        raise error
    return type(error)(re.sub(r"\b\w*Tracer\b", "Array", message)).with_traceback(error.__traceback__)


_OF_OPERANDS = ("unsupported operand type", "not supported between", "can only concatenate")


def _without(errors: dict[int, Exception], tag: Any, numbers: Sequence[int]) -> list[int]:
    """The variants for which Python raises nothing; it is checked that it is one of these."""
    for error in errors.values():
        exception_templates.explicit(error)
    if len(errors) == len(numbers):
        raise errors[numbers[0]]
    for number, error in errors.items():
        carried_checks.fail_if(tag == number, error)
    left = [number for number in numbers if number not in errors]
    path_facts.learn(path_facts.fact(tag, left))
    return left


def is_among(tag: Any, chosen: Iterable[int], numbers: Sequence[int]) -> Any:
    """Whether the tag, one of the numbers, is among those chosen: a bool that remembers what it tells."""
    found = frozenset(chosen)
    others = frozenset(numbers) - found
    if not found or not others:
        return bool(found)
    fewer, compare, join = (
        (found, operator.eq, operator.or_)
        if len(found) <= len(others)
        else (others, operator.ne, operator.and_)
    )
    test = functools.reduce(join, (compare(tag, number) for number in sorted(fewer)))
    return path_facts.tell(test, path_facts.fact(tag, found), path_facts.fact(tag, others))


def selecting(tag: Any, groups: Sequence[Sequence[int]]) -> Any:
    """What chooses one of as many branches, by the group that the tag is in."""
    numbers = sorted(number for group in groups for number in group)
    if len(groups) == 2:
        return is_among(tag, groups[0], numbers)
    places = [
        next((n for n, group in enumerate(groups) if each in group), 0) for each in range(numbers[-1] + 1)
    ]
    same = places == [*range(len(groups))]
    # A number of its own: the facts are this choice's, and not the tag's.
    which = tag + 0 if same else lax.select_n(tag, *map(np.int32, places))
    return path_facts.tell(which, *(path_facts.fact(tag, group) for group in groups))


def _selecting(tag: Any, numbers: Sequence[int]) -> Any:
    return selecting(tag, [[number] for number in numbers])


def joined_results(tag: Any, numbers: Sequence[int], results: Sequence[Any]) -> Any:
    """The one of the results that the tag says; NotImplemented where that takes a branch."""
    if all(result is results[0] for result in results):
        return results[0]
    if all(map(_is_bool, results)):
        return _any_of(tag, numbers, results)
    captured = list(map(capture, results))
    if any(_is_container(each) for each in captured):
        return NotImplemented
    try:
        template = functools.reduce(join_templates, (each.template for each in captured))
        template = holding(template, captured)
    except Mismatch:
        return NotImplemented
    rows = [fill(each, template) for each in captured]
    which = is_among(tag, numbers[1:], numbers) if len(numbers) == 2 else _selecting(tag, numbers)
    columns = list(zip(*rows, strict=True))
    return rebuild(template, [_chosen(which, tag, numbers, column) for column in columns], "the value")


def _is_container(value: Captured) -> bool:
    return any(getattr(leaf, "items", None) is not None for leaf in value.template.leaves)


def _chosen(which: Any, tag: Any, numbers: Sequence[int], column: Sequence[Any]) -> Any:
    if all(each is column[0] for each in column):
        return column[0]
    if all(type(each) is np.int32 and each == number for each, number in zip(column, numbers, strict=True)):
        return tag
    return lax.select_n(which, *map(jnp.asarray, column))


def _is_bool(value: Any) -> bool:
    return type(value) is bool or (isinstance(value, jax.Array) and value.dtype == bool and not value.ndim)


def _any_of(tag: Any, numbers: Sequence[int], results: Sequence[Any]) -> Any:
    """The one of the bools that the tag says."""
    true = [number for number, result in zip(numbers, results, strict=True) if result is True]
    tests = [is_among(tag, true, numbers)] if true else []
    for number, result in zip(numbers, results, strict=True):
        if type(result) is not bool:
            tests.append(is_among(tag, [number], numbers) & result)
    test = functools.reduce(operator.or_, tests) if tests else False
    if len(tests) == 1 and true:
        return test
    may = [number for number, result in zip(numbers, results, strict=True) if result is not False]
    not_ = [number for number, result in zip(numbers, results, strict=True) if result is not True]
    return path_facts.tell(test, path_facts.fact(tag, may), path_facts.fact(tag, not_))


class Variants:
    """The variants that a value may be: an `if` on `ag.each_variant(value)` runs its branch for each."""

    def __init__(self, value: OneOf) -> None:
        self._value = value

    def __bool__(self) -> bool:
        raise PythonOnlyError(
            f"`match` asks for the structure of a value that is {self._value!r}, where only Python can.",
            why="A traced value decides which it is.",
            fix="move the `match` into a plain function.",
        )

    def stage(self, fun: Callable[..., Any], operands: Sequence[Any], names: Sequence[str]) -> Any:
        """The variables after `fun` has run for the one that it is."""
        numbers = path_facts.possible(self._value)
        return branches.stage(_selecting(tag_of(self._value), numbers), [fun] * len(numbers), operands, names)


def each_variant(value: Any) -> Any:
    """What an `if` asks for that runs for each variant of a value: true where it is none of several."""
    value = path_facts.narrow(value)
    return Variants(value) if type(value) is OneOf else True


def chosen_variant(tag: Any, values: Sequence[Any], refused: Callable[[str], Exception]) -> Any:
    """The one of the values whose number is the tag, an int32 scalar.

    `refused` gives what is raised where they can't be one of several, of the reason if they are too many.
    """
    numbers = range(len(values))
    joined = joined_results(tag, numbers, values)
    if joined is not NotImplemented:
        return joined
    try:
        return branches.stage(
            _selecting(tag, numbers), [_giving(value) for value in values], list(values), ()
        )
    except BranchMismatchError as error:
        raise refused(error.why if error.why == join_errors.LIMITED else "") from None


def _giving(value: Any) -> Callable[..., Any]:
    return lambda *_: value


one_of.applies(distribute, path_facts.narrow)
