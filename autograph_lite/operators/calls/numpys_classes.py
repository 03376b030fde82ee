"""Classes in Python: what class would a traced value have there, which may be NumPy's?

isinstance(x, np.ndarray)             of an array that the caller has passed as NumPy's, or that is computed of such
isinstance(x[0], float)               an item of one is an `np.float64`, which is a `float`
isinstance(math.sin(x), float)        a number of Python's
type(range(n)), type(x.shape[0])      what stands for a range is one, and a size that stands for all sizes an int

JAX's arrays are what they are. A number that is one of Python's on some paths, `v = True if c else x`, has a class that
is known where it is the same on all. A type of 32 bits stands for that of 64, too, where JAX has none of these.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from jax._src.array import ArrayImpl

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import avals, configuration
from autograph_lite.jax_internals.references import number_types, numpys_arrays, storages
from autograph_lite.operators.iteration import iterables
from autograph_lite.operators.purity import trial
from autograph_lite.operators.ragged import selection
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import Tracer, describe, is_symbolic
from autograph_lite.tracing import thread

Answer = TypeVar("Answer")
SIZE = 2  # any

_PYTHONS = {"f": float, "i": int, "u": int, "c": complex}
_NARROW = {"float32": "float64", "int32": "int64", "uint32": "uint64", "complex64": "complex128"}


def of_class(value: Any, ask: Callable[[type], Answer]) -> Answer:
    """What `ask` says of the class that a value has in Python.

    Raises:
      PythonOnlyError: it has several, and `ask` does not say the same of them.
    """
    if isinstance(value, iterables.Range):
        return ask(range)
    if isinstance(value, iterables.Passing):
        return ask(value.kind)
    if is_symbolic(value):
        return ask(int)
    value = selection.array_of(value)
    if not isinstance(value, Tracer):
        return ask(type(value))
    _refuse_number(value, "type")
    return _told(value, lambda classes: ask(classes[0] if classes else ArrayImpl))


def _refuse_number(value: Any, asked: str) -> None:
    """Ends a trial in which a number may be Python's, and an array stands for it: in each iteration one of another class."""
    if trial.is_on_trial() and isinstance(value, Tracer) and not value.ndim:
        trial.end_trial(f"{asked}() would see an array in place of a number")


def class_of(value: Any) -> type:
    """`type(value)`."""
    return of_class(value, lambda kind: kind)


def has_attribute(value: Any, name: str) -> bool:
    """Whether the value has that attribute, or would have it."""
    value = selection.array_of(value)
    _refuse_number(value, "hasattr")
    return _told(value, lambda classes: hasattr(classes[0] if classes else value, name))


def is_instance(value: Any, kinds: Any) -> bool:
    """`isinstance(value, kinds)`."""
    if isinstance(value, iterables.Range):
        return isinstance(range(SIZE), kinds)
    if isinstance(value, iterables.Passing) and issubclass(value.kind, kinds):
        return True
    value = selection.array_of(value)
    if not isinstance(value, Tracer):
        return isinstance(value, kinds) or (is_symbolic(value) and isinstance(SIZE, kinds))
    _refuse_number(value, "isinstance")
    asked = [*_each(kinds)]
    of_jax = [
        kind for kind in asked if str(getattr(kind, "__module__", "")).startswith(("jax", "autograph_lite"))
    ]
    is_jaxs = isinstance(value, tuple(of_jax)) or issubclass(ArrayImpl, tuple(of_jax))
    if len(of_jax) == len(asked):
        return is_jaxs
    of_python = tuple(each for each in asked if each not in of_jax)

    def answer(classes: tuple[type, ...]) -> bool:
        if not classes:
            return is_jaxs or isinstance(value, kinds)
        return is_jaxs or any(issubclass(kind, of_python) for kind in classes)

    return _told(value, answer)


def _told(value: Any, ask: Callable[[tuple[type, ...]], Answer]) -> Answer:
    """The answer to a question about the class that a value would have, which is to be the same on all paths."""
    answers = [*dict.fromkeys(map(ask, _options(value)))]
    if len(answers) == 1:
        return answers[0]
    raise PythonOnlyError(
        f"'{source_places.expression()}' asks for the class of {describe(value)}, in which numbers of several classes have met.",
        why="On each path it is another class in Python; the program has one type of numbers for all.",
        fix="keep in a variable of its own which one it is, or None in place of a bool.",
    )


def _options(value: Any) -> list[tuple[type, ...]]:
    """The classes that a value may have, by the paths on which it has them; those of one path stand for each other."""
    if thread.now.references is None or not isinstance(value, Tracer):
        return [()]
    met = number_types.types_of(value)
    numpys = numpys_arrays.would_be_numpys(value)
    if not met:
        known = numpys_arrays.argument_of(value) if numpys else None
        is_handle = known is not None and known.handle is value and known.is_numpy
        if numpys and (value.ndim or is_handle or storages.is_cell(value)):
            return [(np.ndarray,)]
        is_weak = avals.weak_type(value) and number_types.is_pythons_number(value) is not False
        return [_classes(value.dtype, is_weak)] if numpys else [()]
    options: list[tuple[type, ...]] = []
    for dtype, weak in met:
        pythons = (
            (bool,)
            if dtype.kind == "b"
            else (_PYTHONS[dtype.kind],)
            if weak and dtype.kind in _PYTHONS
            else ()
        )
        options += [pythons] if pythons else []
        if not pythons or (dtype.kind == "b" and not weak):
            options.append(_classes(dtype, weak) if numpys else ())
    return options


def _classes(dtype: Any, weak: bool) -> tuple[type, ...]:
    """The classes of a number that is not JAX's."""
    dtype = np.dtype(dtype)
    if weak and dtype.kind in _PYTHONS:
        return (_PYTHONS[dtype.kind],)
    wide = _NARROW.get(dtype.name) if not configuration.has_64_bits() else None
    return tuple(np.dtype(name).type for name in (wide, dtype.name) if name is not None)


def _each(kinds: Any) -> Iterator[Any]:
    if isinstance(kinds, tuple):
        for kind in kinds:
            yield from _each(kind)
    elif isinstance(kinds, types.UnionType):
        yield from typing.get_args(kinds)
    else:
        yield kinds
