"""Input signatures: which one type of calls does `input_signature=` allow, and what becomes of a call's arguments?

    @convert(input_signature=[ArraySpec([None], "float32")])
    def f(x, n=2): ...                      (x: float32[?], n: Literal[2])

Specs are for the first parameters; the others have defaults, which are fixed. Those of a method leave out `self`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax

from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.casting import cast
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.structure import Structure, from_value
from autograph_lite.runtime.types.trace_type import Placeholders, Single, TraceType, TracingContext
from autograph_lite.runtime.types.value_leaves import flatten_value, flatten_value_up_to

_KINDS = inspect.Parameter


def from_input_signature(signature: inspect.Signature, input_signature: Sequence[Any]) -> FunctionType:
    """The only type of calls that an `input_signature` allows.

    Args:
      signature: of the function.
      input_signature: a list or tuple of specs, or of structures of them, one for each positional parameter. Those past
        the last are for `*args`.

    Raises:
      TypeError: the specs do not fit the function's parameters, or something in it is no spec.
    """
    if not isinstance(input_signature, (list, tuple)):
        raise TypeError(f"input_signature is a tuple or a list of specs: found {input_signature!r}.")
    context = TracingContext(specs=True)
    types = [_spec(item, f"input_signature[{i}]", context) for i, item in enumerate(input_signature)]
    rows: list[tuple[Slot, TraceType, inspect._ParameterKind]] = []
    rest = iter(types)
    for name, parameter in signature.parameters.items():
        if parameter.kind is _KINDS.VAR_POSITIONAL:
            rows += [(Slot(name, i), type, _KINDS.POSITIONAL_ONLY) for i, type in enumerate(rest)]
        elif parameter.kind is not _KINDS.VAR_KEYWORD:
            rows.append((Slot(name), _of_parameter(parameter, rest, context), parameter.kind))
    extra = len(list(rest))
    if extra:
        raise TypeError(
            f"input_signature has {extra} more {'spec' if extra == 1 else 'specs'} than parameters."
        )
    slots, kinds = [slot for slot, _, _ in rows], [kind for _, _, kind in rows]
    return FunctionType(slots, [type for _, type, _ in rows], kinds)


class Free(Single):
    """The type of any value: of an instance that a method with an input signature is bound to."""

    def placeholder_value(self, context: Placeholders) -> Any:
        """Never asked for: a call has the type of its own instance in this place."""
        raise AssertionError(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Free)

    def __hash__(self) -> int:
        return hash(Free)

    def __repr__(self) -> str:
        return "any"


def method_signature(signature: inspect.Signature, input_signature: Sequence[Any]) -> FunctionType:
    """What an input signature allows that leaves out the instance, which may be any."""
    allowed = from_input_signature(without_self(signature), input_signature)
    name, parameter = next(iter(signature.parameters.items()))
    kinds = [found.kind for found in allowed.parameters.values()]
    return FunctionType([Slot(name), *allowed.slots], [Free(), *allowed.types], [parameter.kind, *kinds])


def allowed_for_instance(allowed: FunctionType, instance: TraceType) -> FunctionType:
    """What is allowed for an instance of a type."""
    kinds = [found.kind for found in allowed.parameters.values()]
    return FunctionType(allowed.slots, [instance, *allowed.types[1:]], kinds)


def is_of_method(fn: Any, signature: inspect.Signature, input_signature: Sequence[Any]) -> bool:
    """Whether specs that do not fit a function fit it as a method: it stands in a class, and they leave out `self`."""
    scope = getattr(fn, "__qualname__", "").rpartition(".")[0]
    if not scope or scope.endswith("<locals>"):
        return False
    try:
        from_input_signature(without_self(signature), input_signature)
    except TypeError:
        return False
    return True


def without_self(signature: inspect.Signature) -> inspect.Signature:
    """The signature of a bound method, given that of its function."""
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind is not _KINDS.VAR_POSITIONAL:
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)


def accept(
    allowed: FunctionType, signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """A call's bound arguments, made into what the one allowed type says.

    Raises:
      TypeError: the arguments do not fit the signature, or one is not allowed; the message says which, what was found and
        what is allowed.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    context = TracingContext()
    made: dict[str, Any] = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is _KINDS.VAR_POSITIONAL:
            types = [type for slot, type in allowed.items() if slot.parameter == name]
            made[name] = _accepted_rest(types, bound.arguments[name], name, context)
        elif parameter.kind is _KINDS.VAR_KEYWORD:
            _refuse_keywords(bound.arguments[name])
    for slot, type in allowed.items():
        if slot.key is None:
            made[slot.parameter] = _accepted(type, made[slot.parameter], slot.parameter, context)
    return inspect.BoundArguments(signature, made)


def _accepted_rest(
    types: Sequence[TraceType], values: Sequence[Any], name: str, context: TracingContext
) -> tuple[Any, ...]:
    if len(values) < len(types):
        raise TypeError(f"missing a required argument: '{name}_{len(values)}'")
    if len(values) > len(types):
        raise TypeError("too many positional arguments")
    rows = enumerate(zip(types, values, strict=True))
    return tuple(_accepted(type, value, f"{name}_{i}", context) for i, (type, value) in rows)


def _refuse_keywords(given: Mapping[str, Any]) -> None:
    if given:
        raise TypeError(f"got an unexpected keyword argument '{next(iter(given))}'")


def _accepted(type: TraceType, value: Any, path: str, context: TracingContext) -> Any:
    if isinstance(type, Free):
        return value
    if isinstance(type, ArraySpec):
        try:
            return cast(value, type)
        except TypeError as error:
            raise TypeError(f"Argument {path}: {error}") from None
    if isinstance(type, Structure):
        rows = zip(type.leaves, _leaves(type, value, path, context), type.paths, strict=True)
        leaves = [_accepted(leaf, item, path + place, context) for leaf, item, place in rows]
        return jax.tree.unflatten(type.treedef, leaves)
    found = from_value(value, context)
    if not found.is_subtype_of(type):
        raise TypeError(f"Argument {path}: found {found}; allowed: {type}")
    return value


def _leaves(type: Structure, value: Any, path: str, context: TracingContext) -> list[Any]:
    """The parts of a value that stand where a structure has its leaves."""
    try:
        return flatten_value_up_to(type.treedef, value)
    except ValueError:
        found = from_value(value, context)
    raise TypeError(f"Argument {path}: found {found}; allowed: {type}")


def _of_parameter(
    parameter: inspect.Parameter, specs: Iterator[TraceType], context: TracingContext
) -> TraceType:
    keyword = parameter.kind is _KINDS.KEYWORD_ONLY
    spec = None if keyword else next(specs, None)
    if spec is not None:
        return spec
    if parameter.default is not inspect.Parameter.empty:
        return from_value(parameter.default, context)
    if keyword:
        raise TypeError(
            f"The keyword-only parameter '{parameter.name}' has no default: input_signature gives specs for positional "
            "parameters only."
        )
    raise TypeError(
        f"input_signature has no spec for the parameter '{parameter.name}', which has no default."
    )


def _spec(item: Any, path: str, context: TracingContext) -> TraceType:
    for leaf in flatten_value(item)[0]:
        if leaf is not None and not isinstance(leaf, (TraceType, jax.ShapeDtypeStruct)):
            raise TypeError(
                f"{path} is made of specs, as ArraySpec(shape, dtype): found {leaf!r} of type {type(leaf).__qualname__}."
            )
    return from_value(item, context)
