"""Random programs whose loops write to arrays in place and make variables other arrays give what NumPy gives, or are refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

from .choices import from_seed
from .compare import FAST_COMPILE
from .running import loaded
from .steps import generate
from .test_programs import BUDGET

SEEDS = range(max(10, BUDGET // 8))
BATCH = 10


def arguments() -> tuple[Any, ...]:
    a = np.arange(6, dtype=np.float32).reshape(3, 2) / 2
    return a, 3 - a[::-1].copy()


def outcome(source: str, way: str) -> str:
    """ "same", "refused", or how the compiled program differs from NumPy's; "unbound" where Python misses a variable."""
    given = arguments()
    with loaded(source, xp=np) as namespace:
        try:
            wanted = jax.tree.leaves((namespace["main"](*given, 5), given))
        except UnboundLocalError:
            return "unbound"
    handed = arguments()
    with loaded(source, xp=np if way == "convert" else jnp) as namespace:
        try:
            if way == "convert":
                found = al.convert(namespace["main"], static_loops="stage")(*handed, np.int32(5))
            else:
                staged = al.to_graph(namespace["main"], static_loops="stage")
                found = jax.jit(staged, compiler_options=FAST_COMPILE)(*map(jnp.asarray, handed), 5)
        except al.AutographError:
            return "refused"
    leaves = jax.tree.leaves((found, handed))
    if way != "convert":  # arrays of JAX's stay what they are
        wanted, leaves = wanted[: -len(given)], leaves[: -len(given)]
    same = len(leaves) == len(wanted) and all(
        np.allclose(ours, theirs, rtol=1e-3, atol=1e-4, equal_nan=True)
        for ours, theirs in zip(leaves, wanted, strict=True)
    )
    return "same" if same else f"\nours   {leaves}\npython {wanted}\n{source}"


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("way", ["convert", "to_graph"])
@pytest.mark.parametrize("first", range(SEEDS.start, SEEDS.stop, BATCH))
def test_what_iterations_write_and_make_other_arrays(first: int, way: str) -> None:
    programs = [generate(from_seed(seed), augments=way == "convert") for seed in range(first, first + BATCH)]
    found = [outcome(program, way) for program in programs]
    assert {one for one in found if one not in ("same", "refused", "unbound")} == set()
    assert "same" in found
