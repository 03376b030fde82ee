"""Traced values: what counts as traced, and as an array?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import core, export

from autograph_lite.jax_internals import avals, configuration, constant_folding, tracing_state
from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import OneOf
from autograph_lite.tracing import entered, thread

Tracer = core.Tracer
SCALARS = (bool, int, float, complex)
ARRAYS = (jax.Array, np.ndarray, np.generic)


def traced(value: Any) -> bool:
    """Whether JAX, and not Python, has to decide on `value`.

    True of tracers, of symbolic dimensions, and of concrete JAX arrays while JAX is tracing.
    """
    kind = value.__class__
    if kind in _PYTHON:
        return False
    if isinstance(value, Tracer):
        return True
    return tracing_state.is_tracing() if isinstance(value, jax.Array) else export.is_symbolic_dim(value)


foreseen: list[Callable[[Any], bool | None]] = []  # who else may know, above


def unfolded() -> entered:
    """What is traced inside stays so: of the condition of a loop that is the first one's only, and others may differ."""
    return entered(folding=False)


def known_value(value: Any) -> Any:
    """The value of a traced array as NumPy's, where it follows from Python's values alone; else None.

    As under `jax.jit`, an array of JAX's that is at hand has its value, and what is computed of it while tracing has none.
    """
    if isinstance(value, jax.Array) and not isinstance(value, Tracer):
        is_number = not jnp.issubdtype(value.dtype, jax.dtypes.extended)
        return np.asarray(value) if is_number and value.is_fully_addressable else None
    return (
        constant_folding.constant_value(value) if isinstance(value, Tracer) and thread.now.folding else None
    )


def python_value(value: Any) -> Any:
    """A number, or an array of NumPy's, in place of a traced one that follows from Python's values alone; else `value`."""
    found = known_value(value)
    return value if found is None else found if found.ndim else found.item()


def fold_test(test: Any) -> Any:
    """The bool that a traced condition is, where it follows from Python's values alone and needs no loop; else `test`.

    An array of JAX's that is at hand is data in a program that is being recorded; `vmap` and `grad` alone record none.
    """
    if not thread.now.folding or is_symbolic(test):
        return test
    if isinstance(test, Tracer):
        found = constant_folding.constant_value(test, constant_folding.Source.PYTHON)
        for ask in foreseen if found is None and test.shape == () else ():
            answer = ask(test)
            return test if answer is None else answer
    else:
        found = known_value(test) if tracing_state.program_trace()() is None else None
    return test if found is None or found.size != 1 else bool(found.item())


def is_symbolic(value: Any) -> bool:
    """Whether `value` is a size that stands for all sizes: a dimension of an array in a trace for any of them."""
    return value.__class__ not in _PYTHON and export.is_symbolic_dim(value)


def is_size(value: Any) -> bool:
    """Whether `value` may be a dimension of an array: an int, or a symbolic size."""
    return (isinstance(value, int) and not isinstance(value, bool)) or is_symbolic(value)


# The commonest types that are never traced: asking JAX takes ten times as long.
_PYTHON = frozenset(
    {bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, range, np.bool_, np.ndarray}
)


def is_arraylike(value: Any) -> bool:
    """Whether `value` can become an array: an array or a number."""
    if isinstance(value, (jax.Array, *SCALARS)) or is_symbolic(value):
        return True
    if numpys_arrays.has_own_operators(type(value)):
        return False
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcV"


def result_type(value: Any) -> Any:
    """The dtype of an array, and that which JAX gives a number of Python's or a symbolic size."""
    kind: Any = type(value)
    if kind not in SCALARS:
        return value.dtype if isinstance(value, jax.Array) else jnp.result_type(value)
    return _of_number(kind, configuration.has_64_bits())


@functools.cache
def _of_number(kind: type, _x64: bool) -> Any:
    return jnp.result_type(kind(0))  # 4 us: more than all else that is done with a number


_TAKES_ONE_ITEM = np.lib.NumpyVersion(np.__version__) < "2.4.0"


def is_one_number(array: Any) -> bool:
    """Whether Python makes a number of an array, `float(x)`: with axes, NumPy refuses it from 2.4 on, as JAX does."""
    return array.size == 1 and (not array.ndim or _TAKES_ONE_ITEM)


def describe(value: Any) -> str:
    """How `value` is named in messages: dtype and shape of an array, else its type or itself."""
    if isinstance(value, ARRAYS):
        return array_text(value)
    if is_symbolic(value):
        return f"the symbolic size {value}"
    if type(value) is OneOf:
        return repr(value)
    if value is None or isinstance(value, (*SCALARS, str)):
        return f"{type(value).__name__} {value!r}" if value is not None else "None"
    if isinstance(value, (list, tuple, dict)):
        return f"{type(value).__name__} of {len(value)}"
    if type(value).__module__ == "autograph_lite.operators.ragged.selection":
        return str(value.described())
    return f"{type(value).__name__} object"


def are_equal(a: Any, b: Any) -> bool:
    """Whether Python says that two values are equal; not where their comparison, which may do anything, raises."""
    try:
        return bool(a == b)
    except Exception:
        return False


def array_text(array: Any) -> str:
    """Dtype and shape, of an array or of what has the same type."""
    return f"{array.dtype}[{','.join(map(str, array.shape))}]"


def article(noun: str) -> str:
    """The article before the name of a type."""
    return "an" if noun[:1].lower() in "aeio" else "a"


def as_index(value: Any) -> Any:
    """A traced integer or bool as Python's int: of JAX's default integer type, and adding to others without a change."""
    kind = np.dtype(result_type(0))
    if getattr(value, "dtype", kind).kind == "u" and value.dtype.itemsize >= kind.itemsize:
        value = jnp.minimum(value, np.iinfo(kind).max)  # 2**32 - 1 is beyond the end, and not -1
    return avals.as_type(value, kind, True)


def any_traced(value: Any) -> bool:
    """Whether JAX has to decide on a leaf of `value`."""
    return any(map(traced, pytrees.leaves(value)))


class Lazy:
    """Base of what holds arrays and gives items of them later: who writes to one of them is told (see `array_paths`)."""

    kind: type = object  # the type that it stands for to those who know Python's only; `object` for others
