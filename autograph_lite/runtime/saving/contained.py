"""Does a program from a file compute with arrays and do nothing else? Asked when it is loaded, of each operation in it.

StableHLO has operations that reach the world outside, and a `custom_call` runs what jaxlib has registered under a name: a
callback of Python's, for one, at an address that the file gives. Allowed are the names that `jax.export` writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jax.extend.mlir import deserialize_portable_artifact
from jax.interpreters import mlir

from autograph_lite.errors import LoadError

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
