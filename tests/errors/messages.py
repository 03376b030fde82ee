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


def in_lanes(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` for one lane of `vmap`, where arrays are values: only one of the names of an array sees what is written to it."""

    def run(*args: Any) -> Any:
        lanes = jax.tree.map(lambda each: jnp.asarray(each)[None], args)
        return jax.jit(jax.vmap(autograph_lite.to_graph(fn)))(*lanes)

    return run


def shown(error: BaseException, fn: Callable[..., Any]) -> str:
    """Class and message of an error, with lines that count from the `def` of `fn`."""
    code = fn.__code__
    place = re.escape(code.co_filename) + r":(\d+)"
    text = re.sub(place, lambda found: f"test.py:{int(found[1]) - code.co_firstlineno}", str(error))
    return f"{type(error).__name__}: {text}"
