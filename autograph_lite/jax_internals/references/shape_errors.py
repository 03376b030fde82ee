"""Errors of shapes: what does NumPy raise, in its words, where JAX refuses arrays that would be NumPy's?

x + y, np.concatenate([x, y])         ValueError, of shapes that do not fit together; JAX's is a TypeError
np.linalg.inv(x)                      np.linalg.LinAlgError, of no square matrix

NumPy is asked: it is handed arrays of ones, of the same shapes and types.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from jax import Array
from jax._src.core import Tracer

from autograph_lite.errors import AutographError
from autograph_lite.jax_internals.references import numpys_arrays

_LARGEST = 1 << 22  # items of what NumPy is handed: what it takes, it computes
EXPLICIT = "__autograph_lite_explicit__"  # of an exception: on a path of the program, it is raised only if that is taken


def refuse_as_numpy(error: Exception, fun: Callable[..., Any], *args: Any, **named: Any) -> None:
    """Raises what NumPy's `fun` raises of arrays of these shapes, where JAX has raised `error`; nothing where it takes them."""
    arrays = [*_arrays([*args, *named.values()])]
    if isinstance(error, AutographError) or any(map(callable, [*args, *named.values()])):
        return  # what is the user's would run twice
    if any(type(size) is not int for each in arrays for size in each.shape):
        return  # of sizes that are symbols, JAX's error tells which have to be equal
    if not arrays or sum(math.prod(each.shape) for each in arrays) > _LARGEST:
        return
    if not all(map(numpys_arrays.would_be_numpys, arrays)):
        return
    try:
        with np.errstate(all="ignore"):
            fun(*map(_ones, args), **{name: _ones(value) for name, value in named.items()})
    except (ValueError, IndexError) as numpys:
        numpys.__traceback__ = None
        setattr(numpys, EXPLICIT, True)
        raise numpys from error
    except Exception:
        return  # JAX's says more


def refuse_method(error: Exception, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """The same, where `fn` is a method of an array, `x.reshape(7)`."""
    fun = inspect.unwrap(getattr(fn, "__func__", fn))
    args = (*([fn.__self__] if hasattr(fn, "__func__") else []), *args)
    if args and isinstance(args[0], Tracer):
        found = (name for kind in type(args[0]).__mro__ for name, each in vars(kind).items() if each is fun)
        if (method := getattr(np.ndarray, next(found, ""), None)) is not None:
            refuse_as_numpy(error, method, *args, **kwargs)


def _arrays(values: Any) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (list, tuple)):
            yield from _arrays(each)
        elif isinstance(each, (Tracer, Array)):
            yield each


def _ones(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_ones, value))
    if not isinstance(value, (Tracer, Array)):
        return value
    return np.ones(value.shape, value.dtype)
