"""Buffer donation: which arrays does a call give away, and what is said of one that is used afterwards?

@convert(donate_argnums=0)
def step(state, x): ...           state = step(state, x)      the program may write the result into the memory of `state`

`donate_argnums` and `donate_argnames` name arguments as those of `jax.jit` do. An array can be given away once: what the
function, a Variable or another argument holds, too, is refused by XLA, whose errors are told here.
"""

from __future__ import annotations

import collections
import inspect
import operator
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import jax

from autograph_lite.errors import AutographError, DonatedArrayError, Location
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import Tracer
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.structure import Structure

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
REMEMBERED = 256  # donated arrays' types that messages know of


def checked(argnums: Any, argnames: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The two options as tuples. Raises TypeError: they are no numbers, or no names."""
    numbers = argnums if isinstance(argnums, (tuple, list, set, frozenset, range)) else [argnums]
    names = argnames if isinstance(argnames, (tuple, list, set, frozenset)) else [argnames]
    if argnums is not None and any(isinstance(n, bool) or not hasattr(n, "__index__") for n in numbers):
        raise TypeError(f"donate_argnums is {argnums!r}; it may be an int or a sequence of ints.")
    if argnames is not None and not all(isinstance(name, str) for name in names):
        raise TypeError(f"donate_argnames is {argnames!r}; it may be a name or a sequence of names.")
    found = () if argnums is None else tuple(map(operator.index, numbers))
    return found, () if argnames is None else tuple(names)


def donated_slots(
    signature: inspect.Signature, argnums: Sequence[int], argnames: Sequence[str]
) -> frozenset[Slot]:
    """The donated arguments, by position or name. Raises ValueError: no such parameter, or its default is an array."""
    parameters = signature.parameters
    # Of *args and **kwargs, its name.
    kinds = {parameter.kind: name for name, parameter in parameters.items()}
    positional = [name for name, parameter in parameters.items() if parameter.kind in _POSITIONAL]
    found = set()
    for number in argnums:
        rest = kinds.get(inspect.Parameter.VAR_POSITIONAL)
        if -len(positional) <= number < len(positional) and (number >= 0 or rest is None):
            found.add(Slot(positional[number]))
        elif rest is None or number < 0:
            raise ValueError(f"donate_argnums has {number}; positional parameters are {_shown(positional)}.")
        else:
            found.add(Slot(rest, number - len(positional)))
    named = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for name in argnames:
        rest = kinds.get(inspect.Parameter.VAR_KEYWORD)
        if name not in named and rest is None:
            raise ValueError(f"donate_argnames has {name!r}; parameters with a name are {_shown(named)}.")
        found.add(Slot(name) if name in named or rest is None else Slot(rest, name))
    for slot in found:
        default = parameters[slot.parameter].default
        if slot.key is None and any(isinstance(leaf, jax.Array) for leaf in pytrees.leaves(default)):
            raise ValueError(
                f"'{slot.name}' is donated, and its default is an array: it could be given away once."
            )
    return frozenset(found)


def method_positions(argnums: Sequence[int]) -> tuple[int, ...]:
    """Positions among the arguments of a bound method, as those of the function with its instance."""
    return tuple(number + 1 if number >= 0 else number for number in argnums)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


class Argument(NamedTuple):
    """What one of a call's arrays is to the user: the argument that it is in, and how to get at it."""

    slot: Slot
    label: str


def call_arguments(kind: FunctionType) -> list[Argument]:
    """For each array of a call, in the order of the parameters."""
    return [Argument(slot, label) for slot, type in kind.items() for label in _labels(slot, type)]


def _labels(slot: Slot, type: Any) -> Iterator[str]:
    pairs = zip(type.paths, type.leaves, strict=True) if isinstance(type, Structure) else [("", type)]
    return (slot.name + path for path, leaf in pairs for _ in specs_in([leaf]))


def donated_positions(kind: FunctionType, donated: Collection[Slot]) -> list[int]:
    """Which of a call's arrays are given away."""
    return (
        [n for n, argument in enumerate(call_arguments(kind)) if argument.slot in donated] if donated else []
    )


class _Donor(NamedTuple):
    """A call that has given arrays away, the first of its kind."""

    name: str
    argument: Argument
    type: Any
    where: Location | tuple[()]


_donors: collections.deque[_Donor] = collections.deque(maxlen=REMEMBERED)


def note_donation(name: str, kind: FunctionType, given: Sequence[int], arrays: Sequence[Any]) -> None:
    """Notes that calls of a function give these arrays away."""
    found = call_arguments(kind)
    _donors.extend(_Donor(name, found[n], _type(arrays[n]), source_places.here()) for n in given)


def _type(array: Any) -> Any:
    return tuple(array.shape), array.dtype


def is_gone(array: Any) -> bool:
    """Whether an array's memory was given away."""
    return isinstance(array, jax.Array) and not isinstance(array, Tracer) and array.is_deleted()


def refuse_gone(name: str, kind: FunctionType, arrays: Sequence[Any]) -> None:
    """Refuses a call that brings an array whose memory was given away."""
    gone = next((n for n, array in enumerate(arrays) if is_gone(array)), None)
    if gone is not None:
        label = call_arguments(kind)[gone].label
        raise donated_error(
            f"'{label}' of '{name}' is", arrays[gone], f"pass a copy to the other call: jnp.copy({label})"
        )


def donated_error(what: str, array: Any, copy: str) -> DonatedArrayError:
    """The error about an array that is used after a call that donates it."""
    alike = [donor for donor in reversed(_donors) if donor.type == _type(array)]
    newest = {(d.name, d.argument.slot): d for d in reversed(alike)}  # of each function and argument
    told = [f"'{d.name}' gives '{d.argument.slot.name}' away{_at(d.where)}" for d in newest.values()][-3:]
    lines = told or ["No function under 'convert' has done so: 'donate_argnums' of jax.jit does, or 'delete'"]
    return DonatedArrayError(
        f"{what} an array whose memory was given away.",
        why="\n".join(f"{line}." for line in lines),
        fix=f"use what that call has returned, or {copy}.",
    )


def _at(place: Location | tuple[()]) -> str:
    return f", as in the call at {place.path}:{place.line}" if isinstance(place, Location) else ""


def explain_donation(
    error: Exception,
    name: str,
    kind: FunctionType,
    arrays: Sequence[Any],
    given: Collection[Slot],
    held: Sequence[Any],
) -> Exception | None:
    """What XLA's error about donated memory is to the user; None for another error."""
    twice = "donate" in str(error) and "Execute()" in str(error)
    if isinstance(error, AutographError) or not (twice or "has been deleted" in str(error)):
        return None
    try:
        refuse_gone(name, kind, arrays)
    except DonatedArrayError as known:
        return known
    found, own = call_arguments(kind), donated_positions(kind, given)
    for number in own:
        same = [found[n].label for n, array in enumerate(arrays) if array is arrays[number] and n != number]
        if same or any(array is arrays[number] for array in held):
            return _shared(name, found[number].label, f"'{same[0]}'" if same else "a Variable")
    if own and twice:  # an object from outside holds it
        return _shared(name, found[own[0]].label, "what the function uses from outside")
    return None


def _shared(name: str, label: str, other: str) -> DonatedArrayError:
    return DonatedArrayError(
        f"'{label}' of '{name}' is donated, and is the array of {other}, too.",
        why="The program may write its results into the memory of what is donated, and would read them there.",
        fix=f"pass a copy: jnp.copy({label}).",
    )
