"""What does the whole message of an error say, apart from where on this machine the file lies?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite


def message(fn: Callable[..., Any], *args: Any, way: Callable[..., Any] = autograph_lite.convert) -> str:
    """Class and message of the error that the converted `fn` raises; lines count from the `def` of `fn`, which is 0."""
    with pytest.raises(autograph_lite.AutographError) as caught:
        way(fn)(*args)
    return shown(caught.value, fn)


def in_jit(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` in somebody else's program, which nobody runs again."""
    return jax.jit(autograph_lite.convert(fn))


def derived(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` in a derivative, where arrays are values: only one of the names of an array sees what is written to it."""

    def run(*args: Any) -> Any:
        def of_arrays(*arrays: Any) -> Any:
            left = iter(arrays)
            given = [jnp.asarray(arg) if isinstance(arg, int) else next(left) for arg in args]
            return autograph_lite.to_graph(fn)(*given)

        arrays = [arg for arg in args if not isinstance(arg, int)]
        return jax.jit(lambda: jax.jvp(of_arrays, arrays, arrays)[0])()

    return run


def shown(error: BaseException, fn: Callable[..., Any]) -> str:
    """Class and message of an error, with lines that count from the `def` of `fn`."""
    code = fn.__code__
    place = re.escape(code.co_filename) + r":(\d+)"
    text = re.sub(place, lambda found: f"test.py:{int(found[1]) - code.co_firstlineno}", str(error))
    return f"{type(error).__name__}: {text}"
