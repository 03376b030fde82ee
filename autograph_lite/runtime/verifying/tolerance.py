"""Tolerance: how far apart may two arrays be that are to be the same? As far as another order of additions brings them.

integers, booleans, keys          not at all
float64                           |a - b| <= 1e-10 * |b| + 1e-10 * the largest |b|
float32, and Python's floats      the same with 1e-5; float16 1e-2; bfloat16 5e-2; smaller ones 0.25
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

_RELATIVE = {"float64": 1e-10, "complex128": 1e-10, "float32": 1e-5, "complex64": 1e-5, "float16": 1e-2,
             "bfloat16": 5e-2}  # fmt: skip
_SMALL = 0.25  # of floats of 8 bits and less


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far floats may be apart."""

    # to each number, and to the largest of its array; None for what suits the dtype
    relative: float | None = None
    absolute: float = 0.0  # beside that

    def __post_init__(self) -> None:
        for name, given in [("rtol", self.relative), ("atol", self.absolute)]:
            if given is not None and not (isinstance(given, (int, float)) and 0 <= given < float("inf")):
                raise ValueError(f"{name} is {given!r}; it may be a number from 0 on.")

    def allows(self, python: np.ndarray[Any, Any], converted: np.ndarray[Any, Any]) -> bool:
        """Whether arrays of one shape are the same; nan is nan, and each infinity itself."""
        if not (_is_inexact(python) or _is_inexact(converted)):
            return bool(np.array_equal(python, converted))
        relative = self._relative(python.dtype, converted.dtype)
        wide = np.complex128 if "c" in (python.dtype.kind, converted.dtype.kind) else np.float64
        a, b = converted.astype(wide), python.astype(wide)
        finite = np.abs(b[np.isfinite(b)])
        slack = self.absolute + relative * (finite.max() if finite.size else 0.0)
        return bool(np.allclose(a, b, rtol=relative, atol=slack, equal_nan=True))

    def _relative(self, *dtypes: np.dtype[Any]) -> float:
        """Of the coarsest dtype: a Python float has 64 bits where the program has 32."""
        if self.relative is not None:
            return self.relative
        found = [_RELATIVE.get(dtype.name, _SMALL) for dtype in dtypes if jnp.issubdtype(dtype, jnp.inexact)]
        return max(found)


def _is_inexact(array: np.ndarray[Any, Any]) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.inexact))
