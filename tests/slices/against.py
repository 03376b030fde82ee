"""Runs one program under JAX and under NumPy: `xp` in it is one or the other."""

from __future__ import annotations

import linecache
import textwrap
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import autograph_lite

_known: dict[str, tuple[Any, Any]] = {}


def functions(source: str) -> tuple[Any, Any]:
    """The function `main` of a program: converted, for JAX, and Python's, for NumPy."""
    if source not in _known:
        path = f"<program {len(_known)}>"
        text = textwrap.dedent(source)
        linecache.cache[path] = len(text), None, text.splitlines(keepends=True), path
        spaces: list[dict[str, Any]] = [
            {"xp": jnp, "staged": autograph_lite.range},
            {"xp": np, "staged": range},
        ]
        for space in spaces:
            exec(compile(text, path, "exec"), space)
        _known[source] = autograph_lite.convert(spaces[0]["main"]), spaces[1]["main"]
    return _known[source]


def traced(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with arrays in place of numbers, so that they are traced."""
    return tuple(map(jnp.asarray, args))


def assert_like_numpy(source: str, *args: Any, may_refuse: bool = False) -> None:
    """Asserts that a program gives what NumPy gives, or fails where that fails, or is refused where it may be."""
    converted, plain = functions(source)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing
            expected = plain(*(np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args))
    except (ValueError, IndexError) as error:
        expected = error
    try:
        found = converted(*traced(args))
    except (autograph_lite.DynamicShapeError, autograph_lite.SliceLengthError) as error:
        assert may_refuse or isinstance(expected, Exception), f"{source}\n{args}\n{expected}\n{error!r}"
        return
    except (ValueError, IndexError) as error:
        assert isinstance(expected, Exception), f"{source}\n{args}\n{expected}\n{error!r}"
        return
    assert not isinstance(expected, Exception), f"{source}\n{args}\n{expected!r}\n{found}"
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, 2e-5, 2e-5, err_msg=f"{source}\n{args}"),
        found,
        expected,
    )


def same(found: Any, expected: Any) -> None:
    """That an array has the shape and the values of NumPy's."""
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-3, atol=1e-6)
