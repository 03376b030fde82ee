"""How are a function's parameters, and the types that it was traced for, written as data?

(x: float32[?,3], n: Literal[2])    [{"parameter": "x", "type": {"array": {"shape": [null, 3], "dtype": "float32"}}}, ...]
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import avals
from autograph_lite.operators.values import dataclass_objects
from autograph_lite.runtime.saving.archive import dtype_named
from autograph_lite.runtime.saving.saved_values import (
    Json,
    Leaf,
    NotDataError,
    literal,
    read_literal,
    read_tree,
    tree,
)
from autograph_lite.runtime.state.carried_state import KEPT
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.leaf_partition import Split
from autograph_lite.runtime.types.literal import Literal
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.structure import Structure
from autograph_lite.runtime.types.trace_type import TraceType, VariableType
from autograph_lite.runtime.types.value_leaves import flatten_value

_EMPTY = inspect.Parameter.empty


class Indexed(Protocol):
    """What has items by number."""

    def __getitem__(self, number: int, /) -> Any:
        """The item of that number."""


class Opaque:
    """Stands for a default that is no data, as a function: a call may leave it out, and pass nothing else."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def function_type(kind: FunctionType, signature: inspect.Signature) -> list[Json]:
    """The type of calls, as data. Raises NotDataError: an argument is no data; its text says which."""
    rows = zip(kind.items(), kind.parameters.values(), strict=True)
    return [
        {
            "parameter": slot.parameter,
            "key": slot.key,
            "kind": parameter.kind.name,
            "type": _argument(slot, type, signature),
        }
        for (slot, type), parameter in rows
    ]


def _argument(slot: Slot, type: TraceType, signature: inspect.Signature) -> Json:
    try:
        return data_of(type)
    except NotDataError as error:
        reason = str(error)
    default = signature.parameters[slot.parameter].default
    is_default = slot.key is None and _value(type) is default and default is not _EMPTY
    if is_default:
        return {"opaque": slot.parameter}
    raise NotDataError(f"argument '{slot.name}' is {reason}")


def _value(type: TraceType) -> Any:
    if isinstance(type, Literal):
        return type.value
    return type.referent() if isinstance(type, ObjectType) else None


def data_of(type: TraceType) -> Json:
    """The type of an argument as data. Raises NotDataError: a value of that type is no data."""
    match type:
        case ArraySpec():
            shape = None if type.shape is None else list(type.shape)
            return {"array": {"shape": shape, "dtype": str(type.dtype), "weak": type.weak_type}}
        case Literal():
            return {"literal": literal(type.value)}
        case VariableType() if type.cls is None:
            told = {"shape": list(type.shape), "dtype": str(type.dtype)}
            return {"variable": {**told, "trainable": type.trainable, "alias": type.alias}}
        case Structure():
            return {
                "structure": encode_structure(type.treedef),
                "leaves": [data_of(leaf) for leaf in type.leaves],
            }
    raise NotDataError(f"{type!r}")


def encode_structure(treedef: Any) -> Json:
    """The structure of a pytree as data. Raises NotDataError: it has containers of a class of the user's."""
    try:
        whole = jax.tree.unflatten(treedef, [Leaf(i) for i in range(treedef.num_leaves)])
    except Exception:  # the user's class may look at what it is made of
        raise NotDataError(f"a structure with containers of its own: {treedef}") from None
    return tree(whole, _none)


def _none(value: Any) -> Json:
    if value is None:
        return literal(None)
    raise NotDataError(
        f"an object of class '{type(value).__qualname__}', and files hold lists, tuples and dicts"
    )


def read_function_type(rows: list[Json], opaque: dict[str, Opaque]) -> FunctionType:
    """The type of calls that `function_type` made data of."""
    slots = [Slot(row["parameter"], row["key"]) for row in rows]
    kinds = [_kind(row) for row in rows]
    return FunctionType(slots, [_read_type(row["type"], opaque) for row in rows], kinds)


def _kind(row: Json) -> Any:
    return getattr(inspect.Parameter, row["kind"]) if row["kind"] in _KINDS else row[""]


_KINDS = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")


def of_no_items(types: Any) -> Any:
    """The type of calls, as data, with 0 for each size that is open."""
    if isinstance(types, list):
        return [of_no_items(each) for each in types]
    if not isinstance(types, dict):
        return types
    if types.keys() == {"shape", "dtype", "weak"}:
        return {**types, "shape": [size or 0 for size in types["shape"]]}
    return {key: of_no_items(each) for key, each in types.items()}


def _read_type(data: Json, opaque: dict[str, Opaque]) -> TraceType:
    if "structure" in data:
        return _read_structure(data)
    ((kind, content),) = data.items()
    if kind == "array":
        shape = None if content["shape"] is None else tuple(content["shape"])
        return ArraySpec(shape, dtype_named(content["dtype"]), content["weak"])
    if kind == "literal":
        return Literal(read_literal(content))
    if kind == "opaque":
        return ObjectType(opaque[content])
    shape, dtype = tuple(content["shape"]), dtype_named(content["dtype"])
    return VariableType(shape, dtype, content["trainable"], content["alias"])  # type: ignore[abstract]


def _read_structure(data: Json) -> Structure:
    leaves = [Leaf(i) for i in range(len(data["leaves"]))]
    found, treedef = flatten_value(read_tree(data["structure"], leaves))
    return Structure(treedef, [_read_type(data["leaves"][leaf.number], {}) for leaf in found])


def encode_parameters(signature: inspect.Signature, array: Any) -> list[Json]:
    """The parameters of a function, with defaults, as data."""
    return [
        {"name": p.name, "kind": p.kind.name, "default": _default(p, array)}
        for p in signature.parameters.values()
    ]


def _default(parameter: inspect.Parameter, array: Any) -> Json | None:
    if parameter.default is _EMPTY:
        return None
    try:
        return {"value": value(parameter.default, array)}
    except NotDataError:
        return {"opaque": repr(parameter.default)}


@dataclasses.dataclass(frozen=True)
class Output:
    """Stands for an output of a program: the one of that number."""

    number: int  # of the output
    weak: bool  # whether its dtype came from a Python number, which a file's program knows nothing of


def value(whole: Any, array: Any) -> Json:
    """A value with arrays, or outputs of a program, in it as data."""

    def leaf(item: Any) -> Json:
        if isinstance(item, Output):
            return {"output": [item.number, item.weak]}
        if isinstance(item, jax.Array):
            return {"array": [array(item), "weak" if avals.weak_type(item) else "jax"]}
        if isinstance(item, (np.ndarray, np.generic)):
            return {"array": [array(item), "numpy" if isinstance(item, np.ndarray) else "scalar"]}
        return _none(item) if dataclass_objects.is_record(item) else literal(item)

    return tree(whole, leaf)


def encode_outputs(result: Split, after: Split, weak: Sequence[bool], array: Any) -> Json:
    """Where the outputs of a program go, as data: into what a call returns, and into the Variables that it writes.

    Args:
      result: what a call returns.
      after: the values of the Variables, or `KEPT`.
      weak: which outputs have a dtype that came from a Python number.
      array: writes an array; gives what is to be said of it.
    """
    count = len(result.arrays)
    leaves = [Output(number, weak[number]) for number in range(count)]
    numbers = after.merge(range(count, count + len(after.arrays)))
    return {
        "result": value(result.merge(leaves), array),
        "after": [None if number is KEPT else number for number in numbers],
    }


def read_parameters(rows: list[Json], array: Any) -> tuple[inspect.Signature, dict[str, Opaque]]:
    """The parameters that `encode_parameters` made data of, and the defaults that are no data."""
    opaque = {
        row["name"]: Opaque(row["default"]["opaque"]) for row in rows if "opaque" in (row["default"] or {})
    }
    made = []
    for row in rows:
        default = row["default"]
        found: Any = _EMPTY
        if default is not None:
            found = opaque.get(row["name"]) or read_value(default["value"], array)
        made.append(inspect.Parameter(row["name"], _kind(row), default=found))
    return inspect.Signature(made), opaque


def read_value(data: Json, array: Any, outputs: Indexed = ()) -> Any:
    """The value that `value` made data of."""

    def leaf(part: Json) -> Any:
        if "output" in part:
            number, weak = part["output"]
            return avals.as_type(outputs[number], outputs[number].dtype, True) if weak else outputs[number]
        if "array" in part:
            told, kind = part["array"]
            return _array(told, kind, array)
        return read_literal(part)

    return read_tree(data, read=leaf)


def _array(told: Json, kind: str, read: Any) -> Any:
    found = read(told)
    if kind in ("jax", "weak"):
        return avals.as_type(jnp.asarray(found), found.dtype, kind == "weak")
    return found[()] if kind == "scalar" else found
