"""NumPy's classes: what class would a traced value have in Python, where it would be NumPy's?

isinstance(x, np.ndarray)             of an array that the caller has passed as NumPy's, or that is computed of such
isinstance(x[0], float)               an item of one is an `np.float64`, which is a `float`
isinstance(math.sin(x), float)        a number of Python's

JAX's arrays are what they are. A type of 32 bits stands for that of 64, too, where JAX has none of these.
"""

from __future__ import annotations

import builtins
import types
import typing
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.values.values import Tracer
from autograph_lite.tracing import thread

_PYTHONS = {"f": float, "i": int, "u": int, "c": complex}
_NARROW = {"float32": "float64", "int32": "int64", "uint32": "uint64", "complex64": "complex128"}


def classes_of(value: Any) -> tuple[type, ...]:
    """The class that a traced value would have, or those that it may have; none where it is JAX's, or nobody knows."""
    if thread.now.references is None or not isinstance(value, Tracer):
        return ()
    if not numpys_arrays.would_be_numpys(value):
        return ()
    known = numpys_arrays.argument_of(value)
    if value.ndim or (known is not None and known.handle is value and known.is_numpy):
        return (np.ndarray,)
    dtype = np.dtype(value.dtype)
    if avals.weak_type(value) and dtype.kind in _PYTHONS:
        return (_PYTHONS[dtype.kind],)
    wide = _NARROW.get(dtype.name) if jax.dtypes.canonicalize_dtype(np.int64) != np.int64 else None
    return tuple(np.dtype(name).type for name in (wide, dtype.name) if name is not None)


def is_instance(value: Any, kinds: Any) -> bool | None:
    """`isinstance(value, kinds)`; None where Python's own answer is right."""
    if not isinstance(value, Tracer):
        return None
    asked = [*_each(kinds)]
    of_jax = [
        kind for kind in asked if str(getattr(kind, "__module__", "")).startswith(("jax", "autograph_lite"))
    ]
    if len(of_jax) == len(asked) or not (classes := classes_of(value)):
        return None
    return any(issubclass(kind, tuple(each for each in asked if each not in of_jax)) for kind in classes) or (
        builtins.isinstance(value, tuple(of_jax))
    )


def _each(kinds: Any) -> Iterator[Any]:
    if isinstance(kinds, tuple):
        for kind in kinds:
            yield from _each(kind)
    elif isinstance(kinds, types.UnionType):
        yield from typing.get_args(kinds)
    else:
        yield kinds
