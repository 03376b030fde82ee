"""What is in a value, as it is now, and where does another one differ? Compared leaf by leaf, each with its path.

    observe({"w": [x, 2]})    ->   {"": dict of 'w', "['w']": list of 2, "['w'][0]": an array, "['w'][1]": 2}

What was seen stays: later changes of the objects do not reach it.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals import avals
from autograph_lite.operators.user_code import ownership
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.place import MISSING
from autograph_lite.runtime.verifying.tolerance import Tolerance

_NUMBERS = (bool, int, float, complex)
_KINDS = "biufc"
DEPTH = 64  # of what is looked into


@dataclasses.dataclass(frozen=True)
class Array:
    """An array or a number."""

    value: np.ndarray[Any, Any]  # as NumPy has it
    dtype: str  # as JAX calls it
    number: bool  # whether it is a Python number, or gives way to other dtypes as one does

    def __str__(self) -> str:
        if self.number and not self.value.shape:
            return repr(self.value.item())
        value = np.array2string(self.value, threshold=8, edgeitems=2, separator=", ").replace("\n", "")
        shape = ",".join(map(str, self.value.shape))
        return value if self.number else f"{value} {self.dtype}[{shape}]"


Seen = Mapping[str, Any]  # from paths to arrays, to texts that tell of containers, and to other objects


def observe(value: Any) -> Seen:
    """What is in `value`."""
    return dict(_seen("", value, ()))


def _seen(path: str, value: Any, around: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    value = unboxed(value)
    if value is MISSING:
        yield path, "nothing"
    elif id(value) in around or len(around) > DEPTH:
        yield path, "what it stands in"
    elif isinstance(value, (*_NUMBERS, np.generic, np.ndarray, jax.Array)):
        yield path, _array(value)
    else:
        told, inside = _opened(value)
        yield path, told
        for key, item in inside:
            yield from _seen(path + key, item, (*around, id(value)))


def _opened(value: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """What an object is, and what is in it."""
    kind = type(value).__name__
    match value:
        case dict():
            keys = ", ".join(sorted(map(repr, value)))  # those of arguments are seen sorted
            return f"{kind} of {keys}", [(f"[{key!r}]", value[key]) for key in value]
        case list() | tuple():
            fields = getattr(value, "_fields", None)
            names = [f".{name}" for name in fields] if fields else [f"[{i}]" for i in range(len(value))]
            return f"{kind} of {len(value)}", list(zip(names, value, strict=True))
        case types.FunctionType() | types.MethodType() | types.BuiltinFunctionType():
            return f"function {value.__qualname__}", []
        case None | str() | bytes() | type() | set() | frozenset() | types.ModuleType():
            return value if not isinstance(value, set) else frozenset(value), []
    if ownership.is_users_class(type(value)) or (not jax.tree_util.all_leaves([value])):
        held = instances.held_by(value)
        return f"a {kind}", [(f".{name}", held[name]) for name in held]
    return f"a {kind}", []


def _array(value: Any) -> Array:
    number = isinstance(value, _NUMBERS) and not isinstance(value, np.generic)
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return Array(np.array(jax.random.key_data(value)), str(value.dtype), number=False)
    found = np.array(value)
    weak = number or (isinstance(value, jax.Array) and avals.weak_type(value))
    return Array(
        found,
        str(jax.dtypes.canonicalize_dtype(found.dtype)) if (found.dtype.kind in _KINDS) else str(found.dtype),
        weak,
    )


def differing(python: Seen, converted: Seen, tolerance: Tolerance) -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ: the path, and what is there in each. Nothing below a container that differs itself."""
    for path, wanted in python.items():
        found = converted.get(path)
        if not _same(wanted, found, tolerance):
            yield path, wanted, found
            return


def _same(python: Any, converted: Any, tolerance: Tolerance) -> bool:
    if isinstance(python, Array) and isinstance(converted, Array):
        fits = python.value.shape == converted.value.shape and _dtypes_fit(python, converted)
        return fits and tolerance.allows(python.value, converted.value)
    if isinstance(python, Array) or isinstance(converted, Array):
        return False
    return bool(python is converted or python == converted)


def _dtypes_fit(python: Array, converted: Array) -> bool:
    """One dtype; a Python number may have become a wider one, as another path of the program has assigned it."""
    if python.dtype == converted.dtype:
        return True
    kinds = [_kind(array.dtype) for array in (python, converted)]
    if not python.number or "b" in kinds or -1 in map(_KINDS.find, kinds):
        return kinds[0] == kinds[1] == "b"
    return _KINDS.find(kinds[0]) <= _KINDS.find(kinds[1])


def _kind(dtype: str) -> str:
    if dtype.startswith(("bfloat", "float")):
        return "f"
    return "b" if dtype == "bool" else dtype[0]
