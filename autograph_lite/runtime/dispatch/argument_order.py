"""Argument order: in which order does a call give the arrays that a program takes in the order of the parameters?

def f(x, n, y): ...           f(n=3, y=b, x=a)    b before a, as keywords are flattened by name; the program takes a, b
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph_lite.runtime.tracing.trace_table import Resolved
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.value_leaves import flatten_value


class Default:
    """An array in the default of a parameter that the call leaves out."""

    def __init__(self, array: Any) -> None:
        self.array = array


Source = int | Default


def arrays_in_order(sources: Sequence[Source], arrays: Sequence[Any]) -> list[Any]:
    """The arrays of a call as it is spelled, in the order of the parameters, defaults included."""
    return [arrays[source] if isinstance(source, int) else source.array for source in sources]


def fits(sources: Sequence[Source], leaves: Sequence[Any], resolved: Resolved) -> bool:
    """Whether the program's arrays are those of the call, in that order: none was cast, or hidden in what is a leaf."""
    given = [source for source in sources if isinstance(source, int)]
    if len(leaves) != len(given):
        return False
    pairs = zip(sources, resolved.arrays, strict=True)
    return all(leaves[source] is array for source, array in pairs if isinstance(source, int))


def spelled_sources(
    resolved: Resolved, leaves: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[Source] | None:
    """The sources of the arrays of a call with these leaves; None where they may be others at a call that C++ takes for it."""
    sources = argument_sources(resolved, args, kwargs)
    return sources if fits(sources, leaves, resolved) and lasting(resolved, args, kwargs) else None


def spelled_program(
    name: str,
    resolved: Resolved,
    sources: Sequence[Source],
    places: Sequence[int] = (),
    start: int = 0,
    keep: bool = False,
) -> Any:
    """The program of a call as a function of the arrays of Variables, and of those of the call as it is spelled.

    Args:
      name: of the function.
      resolved: the call.
      sources: its arrays.
      places: where the Variables that the program uses are among those whose arrays come first.
      start: how many arrays of Variables come first.
      keep: whether the program takes no memory of Variables'.
    """
    program = resolved.program
    jit = program.jit_for(resolved.arrays)
    if not start and all(i == source for i, source in enumerate(sources)):
        return jit
    # What tells one order from others; the defaults are always the same, and not the call's to give.
    order = tuple(source if isinstance(source, int) else None for source in sources)
    jits, key = program.spelled, (jit, tuple(places), start, keep, order)
    if key not in jits:

        def run(*leaves: Any) -> Any:
            return jit(*arrays_in_order(sources, leaves[start:]), *[leaves[place] for place in places])

        run.__name__ = name
        given = [start + place for number in program.given if (place := order[number]) is not None]
        taken = [] if keep else [places[number] for number in program.donated]
        jits[key] = jax.jit(run, donate_argnums=[*given, *taken])
    return jits[key]


def lasting(resolved: Resolved, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the defaults that the call leaves out are what they are now at the next call, too."""
    keys = _keys(resolved.bound, args, kwargs)
    values = resolved.type.values(resolved.bound)
    return all(key is not None or _is_fixed(value) for key, value in zip(keys, values, strict=True))


def _is_fixed(value: Any) -> bool:
    """Whether Python can't change a value in place, as far as a trace depends on it."""
    if type(value) is tuple:
        return all(map(_is_fixed, value))
    is_leaf = any(leaf is value for leaf in flatten_value(value)[0])
    return value is None or (is_leaf and not isinstance(value, (np.ndarray, set, bytearray)))


def argument_sources(resolved: Resolved, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Source]:
    """For each array, in the order of the parameters: its position among those of the call as it is spelled."""
    # By the types: another thread may have changed what the arguments hold since the call was resolved.
    counts = [len(specs_in([type])) for type in resolved.type.types]
    keys = [*_keys(resolved.bound, args, kwargs)]
    by_key = dict(zip(keys, counts, strict=True))
    starts: dict[Any, int] = {}
    start = 0
    for key in [*range(len(args)), *kwargs]:
        starts[key] = start
        start += by_key[key]
    found: list[Source] = []
    for key, count in zip(keys, counts, strict=True):
        if key is None:
            found += map(Default, resolved.arrays[len(found) : len(found) + count])
        else:
            found += range(starts[key], starts[key] + count)
    return found


def _keys(
    bound: inspect.BoundArguments, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[int | str | None]:
    """For each argument, in the order of the parameters: its position or keyword in the call; None for a default."""
    position, rest = 0, dict(kwargs)
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield from range(position, len(args))
            position = len(args)
        elif parameter.kind is parameter.VAR_KEYWORD:
            yield from rest
        elif parameter.kind is not parameter.KEYWORD_ONLY and position < len(args):
            yield position
            position += 1
        elif parameter.kind is not parameter.POSITIONAL_ONLY and name in rest:
            del rest[name]
            yield name
        else:
            yield None
