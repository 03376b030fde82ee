"""Function types: which calls of a function does one trace serve?

    f(x, 3, k="s")      (x: float32[3], n: Literal[3], *, k: Literal['s'])

A `FunctionType` is a signature with a trace type for each argument of a call, as Python binds it: the spelling of the call
and whether a default was written out make no difference.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from autograph_lite.runtime.types.object_type import ObjectType, object_types_in
from autograph_lite.runtime.types.structure import classes_in, from_value
from autograph_lite.runtime.types.trace_type import Placeholders, TraceType, TracingContext

_KINDS = inspect.Parameter


@dataclasses.dataclass(frozen=True)
class Slot:
    """Where an argument of a call is found."""

    parameter: str  # the name of the function's parameter
    # its index in `*parameter`, or its name in `**parameter`; None for a parameter of its own
    key: int | str | None = None

    @property
    def name(self) -> str:
        """How messages call the argument."""
        if isinstance(self.key, int):
            return f"{self.parameter}_{self.key}"
        return self.parameter if self.key is None else self.key

    def read(self, arguments: Mapping[str, Any]) -> Any:
        """The value among a call's bound arguments."""
        found = arguments[self.parameter]
        return found if self.key is None else found[self.key]


class FunctionType(inspect.Signature):
    """A signature whose annotations are trace types: one parameter for each argument of a call.

    Args:
      slots: where each argument is found.
      types: its trace type.
      kinds: how the function's parameters take it.
    """

    __slots__ = ("_hashed", "slots", "types")

    slots: tuple[Slot, ...]
    types: tuple[TraceType, ...]

    def __init__(
        self, slots: Sequence[Slot], types: Sequence[TraceType], kinds: Sequence[inspect._ParameterKind]
    ) -> None:
        names = _identifiers([slot.name for slot in slots])
        rows = zip(names, _passed(slots, kinds), types, strict=True)
        super().__init__([_KINDS(name, kind, annotation=type) for name, kind, type in rows])
        self.slots, self.types = tuple(slots), tuple(types)
        self._hashed = hash((self.slots, self.types))

    @classmethod
    def from_bound(
        cls, signature: inspect.Signature, bound: inspect.BoundArguments, context: TracingContext
    ) -> FunctionType:
        """The type of a call whose arguments are bound, with the defaults filled in.

        Raises:
          TypeError: an argument has no trace type; the message names it.
        """
        slots, kinds = _slots(signature, bound)
        return cls(slots, [_typed(slot, bound, context) for slot in slots], kinds)

    def is_subtype_of(self, other: FunctionType) -> bool:
        """Whether a trace made for `other` serves the calls of this type."""
        if self.slots != other.slots:
            return False
        return all(mine.is_subtype_of(its) for mine, its in zip(self.types, other.types, strict=True))

    def generalize(self, others: Sequence[FunctionType]) -> FunctionType | None:
        """The most specific type that serves the calls of this one and of the others; None if there is none."""
        if any(self.slots != other.slots for other in others):
            return None
        columns = [[other.types[i] for other in others] for i in range(len(self.types))]
        pairs = zip(self.types, columns, strict=True)
        common = [mine.most_specific_common_supertype(its) for mine, its in pairs]
        types = [type for type in common if type is not None]
        return FunctionType(self.slots, types, self._kinds()) if len(types) == len(common) else None

    def placeholder_arguments(self, context: Placeholders) -> tuple[list[Any], dict[str, Any]]:
        """What the function is called with while it is traced: positional arguments, and keywords."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for slot, type, kind in zip(self.slots, self.types, self._kinds(), strict=True):
            value = type.placeholder_value(context)
            if kind is _KINDS.KEYWORD_ONLY:
                kwargs[slot.name] = value
            else:
                args.append(value)
        return args, kwargs

    def without_first(self) -> FunctionType:
        """The same of all arguments but the first: of a method, without its instance."""
        return FunctionType(self.slots[1:], self.types[1:], self._kinds()[1:])

    def items(self) -> list[tuple[Slot, TraceType]]:
        """Where each argument is found, and its type."""
        return list(zip(self.slots, self.types, strict=True))

    def values(self, bound: inspect.BoundArguments) -> list[Any]:
        """The arguments of a call, in the order of the parameters."""
        return [slot.read(bound.arguments) for slot in self.slots]

    def arrays(self, bound: inspect.BoundArguments) -> list[Any]:
        """The traced arrays of a call of this type, or of a subtype, in the order of the placeholders."""
        pairs = zip(self.types, self.values(bound), strict=True)
        return [array for type, value in pairs for array in type.arrays(value)]

    def variables(self, bound: inspect.BoundArguments) -> list[Any]:
        """The distinct Variables of a call of this type, by their `alias`."""
        pairs = zip(self.types, self.values(bound), strict=True)
        found = [variable for type, value in pairs for variable in type.variables(value)]
        return list({id(variable): variable for variable in found}.values())

    def objects(self) -> list[ObjectType]:
        """The types of the objects that the calls are tied to."""
        return [found for type in self.types for found in object_types_in(type)]

    def classes(self) -> list[type]:
        """The classes of the arguments, and those that are arguments themselves, objects apart."""
        return [*dict.fromkeys(found for type in self.types for found in classes_in(type))]

    def differences(self, other: FunctionType) -> list[str]:
        """Why a trace made for `other` does not serve this type, argument by argument: what there is and what was."""
        mine, its = dict(self.items()), dict(other.items())
        found: list[str] = []
        for slot, type in mine.items():
            old = its.get(slot)
            fresh = [f"{slot.name}: {type} where no argument was"]
            found += type.differences(old, slot.name) if old is not None else fresh
        return found + [
            f"{slot.name}: no argument where {type} was" for slot, type in its.items() if slot not in mine
        ]

    def returning(self, output: TraceType) -> inspect.Signature:
        """The signature with the type of what is returned, to be shown."""
        return inspect.Signature(list(self.parameters.values()), return_annotation=output)

    def __reduce__(self) -> Any:
        return FunctionType, (self.slots, self.types, self._kinds())

    def _kinds(self) -> list[inspect._ParameterKind]:
        return [parameter.kind for parameter in self.parameters.values()]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, FunctionType) and self.slots == other.slots and self.types == other.types

    def __hash__(self) -> int:
        return self._hashed


def _slots(
    signature: inspect.Signature, bound: inspect.BoundArguments
) -> tuple[list[Slot], list[inspect._ParameterKind]]:
    """Where the arguments of a call are found, and how the parameters take each; keywords of `**kwargs` by name."""
    rows = [row for name, parameter in signature.parameters.items() for row in _rows(name, parameter, bound)]
    return [slot for slot, _ in rows], [kind for _, kind in rows]


def _rows(
    name: str, parameter: inspect.Parameter, bound: inspect.BoundArguments
) -> Iterator[tuple[Slot, inspect._ParameterKind]]:
    if parameter.kind is _KINDS.VAR_POSITIONAL:
        yield from ((Slot(name, i), _KINDS.POSITIONAL_ONLY) for i in range(len(bound.arguments[name])))
    elif parameter.kind is _KINDS.VAR_KEYWORD:
        yield from ((Slot(name, key), _KINDS.KEYWORD_ONLY) for key in bound.arguments[name])
    else:
        yield Slot(name), parameter.kind


def _passed(
    slots: Sequence[Slot], kinds: Sequence[inspect._ParameterKind]
) -> Sequence[inspect._ParameterKind]:
    """The kinds, where what comes before an item of `*args` can't be passed by keyword."""
    if not any(isinstance(slot.key, int) for slot in slots):
        return kinds
    return [_KINDS.POSITIONAL_ONLY if kind is _KINDS.POSITIONAL_OR_KEYWORD else kind for kind in kinds]


def _typed(slot: Slot, bound: inspect.BoundArguments, context: TracingContext) -> TraceType:
    reason = ""
    try:
        return from_value(slot.read(bound.arguments), context)
    except TypeError as error:
        reason = str(error)
    raise TypeError(f"Argument {slot.name}: {reason}")


def _identifiers(names: Iterable[str]) -> list[str]:
    """Distinct names that parameters may have: `f(**{"a-b": x})` passes one that they may not."""
    found: list[str] = []
    for name in names:
        fit = re.sub(r"\W|^(?=\d)", "_", name) or "_"
        fit = f"{fit}_" if keyword.iskeyword(fit) else fit
        while fit in found:
            fit += "_"
        found.append(fit)
    return found
