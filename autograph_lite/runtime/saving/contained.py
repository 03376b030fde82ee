"""Does a program from a file compute with arrays, do nothing else, and fit what its manifest says? Asked when it is loaded.

StableHLO has operations that reach the world outside, and a `custom_call` runs what jaxlib has registered under a name: a
callback of Python's, for one, at an address that the file gives. Allowed are the names that `jax.export` writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from jax.extend.mlir import deserialize_portable_artifact
from jax.interpreters import mlir

from autograph_lite.errors import LoadError
from autograph_lite.operators.checks.raising import CODE
from autograph_lite.runtime.saving import saved_checks
from autograph_lite.runtime.saving.saved_values import Json
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.trace_type import variable_types

DIALECTS = frozenset({"builtin", "func", "stablehlo", "chlo", "sdy"})
OUTSIDE = frozenset({"stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv"})
# Linear algebra, random numbers, sorting, sharding, checks of sizes, and the kernels of Pallas.
_CALLED = re.compile(
    r"lapack_\w+_ffi|(cusolver|hipsolver|cusparse)_\w+_ffi|(cu|hip)_(threefry2x32_ffi|lu_pivots_to_permutation)"
    r"|Eigh|Qr|LuDecomposition|ProductOfElementaryHouseholderReflectors|ApproxTopK|stablehlo\.dynamic_\w+"
    r"|Sharding|SPMDFullToShardShape|SPMDShardToFullShape|xla\.sdy\.\w+|annotate_device_placement|AllocateBuffer"
    r"|shape_assertion|tpu_custom_call|mosaic_gpu_v2"
)


def refuse_others(exported: Any, path: str) -> None:
    """Raises LoadError for a program, or a derivative of one, that may do something else."""
    while exported is not None:
        with mlir.make_ir_context():
            module: Any = deserialize_portable_artifact(exported.mlir_module_serialized)
            for operation in _operations(module.operation):
                _refuse(operation, path)
        exported = exported.vjp() if exported.has_vjp() else None


def _operations(operation: Any) -> Iterator[Any]:
    todo = [operation]
    while todo:
        one = todo.pop()
        yield one
        todo += [inner.operation for region in one.regions for block in region for inner in block]


def _refuse(operation: Any, path: str) -> None:
    name = str(operation.name)
    if name == "stablehlo.custom_call":
        target = str(operation.attributes["call_target_name"].value)
        if not _CALLED.fullmatch(target):
            raise _foreign(path, f"calls '{target}'")
    elif name in OUTSIDE or name.partition(".")[0] not in DIALECTS:
        raise _foreign(path, f"has the operation '{name}'")


def _foreign(path: str, does: str) -> LoadError:
    return LoadError(
        f"'{path}' can't be loaded: a program in it {does}.",
        why="It may do more than compute with arrays, and no program that autograph_lite.save has written does so.",
        fix="find out who has made the file; save the function again.",
    )


def refuse_misfit(
    kind: FunctionType, exported: Any, state: Sequence[Variable | int], row: Json, used: int
) -> None:
    """Raises ValueError for a program that does not take, or give, what the manifest says."""
    arrays = specs_in(kind.types)
    found, held = exported.in_avals, [_held(slot, kind) for slot in state]
    if len(found) != len(arrays) + len(held):
        raise ValueError(f"it takes {len(found)} arrays, and calls have {len(arrays) + len(held)}")
    for aval, wanted in zip(found, [*arrays, *held], strict=True):
        _refuse_type(aval, wanted.shape, wanted.dtype)
    _refuse_outputs(exported.out_avals, held, row, used)


def _held(slot: Variable | int, kind: FunctionType) -> Any:
    """What has the shape and dtype of a Variable of the state."""
    if isinstance(slot, Variable):
        return slot
    distinct = {found.alias: found for type in kind.types for found in variable_types(type)}
    return distinct[slot]


def _refuse_type(aval: Any, shape: tuple[int | None, ...] | None, dtype: Any) -> None:
    sizes = [size if isinstance(size, int) else None for size in aval.shape]
    if aval.dtype != dtype or (shape is not None and sizes != list(shape)):
        raise ValueError(f"{aval.dtype}{list(aval.shape)} stands where {dtype} of shape {shape} is wanted")


def _refuse_outputs(outputs: Sequence[Any], held: Sequence[Any], row: Json, used: int) -> None:
    after, keys = row["after"], [tuple(key) for key in row["check_outputs"]]
    if len(after) != len(held) or max(used, *map(_end, after), 0) > len(outputs) - len(keys):
        raise ValueError(f"it has {len(outputs)} outputs, and other ones are named")
    for variable, number in zip(held, after, strict=True):
        if number is not None:
            _refuse_type(outputs[number], variable.shape, variable.dtype)
    _refuse_checks(keys, row["checks"])


def _end(number: int | None) -> int:
    if number is not None and (type(number) is not int or number < 0):
        raise ValueError(f"{number!r} is no number of an output")
    return 0 if number is None else number + 1


def _refuse_checks(keys: Sequence[tuple[int, int]], rows: Sequence[Json]) -> None:
    if any(len(key) != 2 or not all(type(part) is int for part in key) for key in keys) or len({*keys}) < len(
        keys
    ):
        raise ValueError("the values of checks have other names than theirs")
    if (CODE in keys) < bool(rows):
        raise ValueError("it has checks, and nothing says which has failed")
    for row in rows:
        number = row["number"]
        if type(number) is not int or type(row["line"]) is not str:
            raise ValueError("a check has no number and line")
        saved_checks.refuse_unreadable(row["error"], sum(key[0] == number for key in keys))
