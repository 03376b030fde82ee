"""Callers' arrays: which arrays of a program does its caller hold as NumPy's, and so sees what is written to them?

@convert
def fill(out, v): out[:] = v          fill(np.zeros(3), 2.0): NumPy's array has the twos in it afterwards
                                      fill(jnp.zeros(3), 2.0): JAX's stays as it is
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from autograph_lite.jax_internals.references import numpys_arrays
from autograph_lite.operators.aliasing import arrays_left_twice
from autograph_lite.operators.checks import exception_templates
from autograph_lite.operators.user_code import source_places


@dataclasses.dataclass(eq=False)
class Argument:
    """An array that a program was handed."""

    position: int  # among those of the call
    handle: Any  # what the function sees
    is_numpy: bool  # whether the caller holds it as NumPy's, and wants to see what is written
    is_writeable: bool  # whether NumPy lets anybody write to it
    # how many items further the next one along each axis lies; None in C's order
    strides: tuple[int, ...] | None = None
    dtype: np.dtype[Any] | None = None  # its type, where the program has another one for it
    is_number: bool = False  # whether it is a number of NumPy's, an `np.float64`
    is_written: bool = False  # whether the function may write to it
    is_asked: bool = False  # whether the function wants to know which of these it is
    is_typed: bool = False  # whether it wants to know the type
    at: Any = ()  # the line that does so first
    # whether a call has left it where NumPy's would be in Python, and the program has it as such
    is_left: bool = False
    is_shared: bool = False  # whether others that were left may share its items in Python
    # whether it was not passed, but in a place that the program carries from call to call
    of_state: bool = False
    outside: Any = None  # the array of NumPy's there, if it is one


def is_callers(array: Any) -> bool:
    """Whether `array` is an argument that the caller holds as NumPy's, or would, or a part of one."""
    found = numpys_arrays.argument_of(array)
    return found is not None and bool(found.is_numpy or found.is_left)


def is_put_back(array: Any) -> bool:
    """Whether what is written to `array` is put into an array of NumPy's, and no place has to get another one."""
    found = numpys_arrays.argument_of(array)
    return found is not None and bool(found.is_numpy)


def about_to_write(array: Any) -> bool:
    """To be called before `array` is written; whether its caller is to see that. Raises ValueError as NumPy, if nobody may."""
    found: Argument | None = numpys_arrays.argument_of(array)
    if numpys_arrays.is_read_only(array):
        raise _read_only()
    if found is None:
        return False
    if not found.is_written:
        found.is_written, found.at = True, source_places.here()
    if found.is_numpy and not found.is_writeable:
        raise _read_only()
    if found.is_shared:
        raise arrays_left_twice.refused(found.handle)
    return found.is_numpy or found.is_left


def refuse_read_only(array: Any) -> None:
    """To be called before traced items are written to an array of NumPy's; the error is NumPy's."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        raise _read_only()


def _read_only() -> ValueError:
    error = ValueError("assignment destination is read-only")
    exception_templates.explicit(error)  # on a staged path, it is raised only if that path is taken
    return error
