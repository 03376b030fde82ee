"""Random programs do with rolled loops what they do with unrolled ones."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite

from .choices import from_draw
from .running import Run, loaded, run
from .static_loops import Writer
from .test_programs import BUDGET, budget

PER_TEST = max(2, BUDGET // 40)
INPUTS = (np.float32(1.5), np.int32(2), np.asarray([0.5, 1.0, -2.0], np.float32))


@st.composite
def programs(draw: st.DrawFn, *, opaque: bool = False) -> str:
    """Texts of programs that are mostly loops over Python values; with objects of libraries that change, too, if that is asked for."""
    return Writer(from_draw(draw), opaque=opaque).program()


def ran(source: str, mode: Any, *, batch: bool = False) -> Run:
    """What a program does, its loops being treated that way; with two rows at once where it is a batch."""
    inputs = tuple(jnp.stack([v, v + 1]) for v in INPUTS) if batch else INPUTS
    with loaded(source, jnp=jnp) as namespace, warnings.catch_warnings():
        warnings.simplefilter("ignore", autograph_lite.UnrolledLoopWarning)
        if batch:
            return run(jax.vmap(autograph_lite.to_graph(namespace["main"], static_loops=mode)), inputs, [])
        return run(autograph_lite.convert(namespace["main"], static_loops=mode), inputs, [], 60.0)


def difference(source: str, mode: Any, *, batch: bool = False) -> str | None:
    """What a program does otherwise with rolled loops; None where it does the same."""
    expected, ours = ran(source, "python", batch=batch), ran(source, mode, batch=batch)
    if isinstance(expected.error, autograph_lite.AutographError) and ours.error is None:
        return None  # rolled, more can be done
    if type(ours.error) is type(expected.error) and _same(ours.value, expected.value):
        return None
    return f"\nunrolled {expected}\nrolled   {ours}\n{source}"


def _same(ours: Any, expected: Any) -> bool:
    leaves, tree = jax.tree.flatten(ours)
    others, structure = jax.tree.flatten(expected)
    return tree == structure and all(map(_same_leaf, leaves, others))


def _same_leaf(ours: Any, expected: Any) -> bool:
    if type(ours) is not type(expected):
        return False
    if isinstance(expected, (int, str, bytes)):
        return bool(ours == expected)
    # A weakly typed array and another one, on two paths between which a number decides, are another one when rolled.
    if isinstance(expected, jax.Array) and (ours.dtype, ours.shape) != (expected.dtype, expected.shape):
        return False
    return np.allclose(ours, expected, rtol=1e-3, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("mode", ["stage", "auto"])
def test_rolled_programs_do_what_unrolled_ones_do(mode: Any) -> None:
    @budget(PER_TEST)
    @given(programs(opaque=True))
    def check(source: str) -> None:
        assert not (found := difference(source, mode)), found

    check()


def test_rolled_programs_map_over_a_batch() -> None:
    @budget(PER_TEST // 2)
    @given(programs())
    def check(source: str) -> None:
        assert not (found := difference(source, "stage", batch=True)), found

    check()
