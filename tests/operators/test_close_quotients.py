"""Does a staged loop over Python's numbers leave to Python what the rounding of a quotient decides, also with 64 bits?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


def truncated(x: Any) -> Any:
    for i in range(24):
        x = x + int(i / 3 * 3)
    return x


def floored(x: Any) -> Any:
    for i in range(24):
        x = x + (i / 7 * 7) // 1
    return x


def compared(x: Any) -> Any:
    for i in range(24):
        if i / 3 * 3 >= i:
            x = x + 1
    return x


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("fn", [truncated, floored, compared])
@pytest.mark.filterwarnings("ignore::autograph_lite.errors.UnrolledLoopWarning")
def test_the_numbers_are_those_of_python(fn: Any, wide: bool) -> None:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", wide)
    try:
        found = autograph_lite.convert(fn, static_loops="stage")(jnp.arange(3.0))
    finally:
        jax.config.update("jax_enable_x64", before)

    np.testing.assert_array_equal(found, fn(np.arange(3.0)))
