"""Random programs that write to arrays under several names give what NumPy gives, or are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

from .aliases import generate
from .choices import from_seed
from .compare import FAST_COMPILE
from .running import loaded
from .test_programs import BUDGET

# About half of the programs are refused while they are traced.
SEEDS = range(max(8, BUDGET // 16))
BATCH = 10


def arguments() -> tuple[Any, ...]:
    a = np.arange(9, dtype=np.float32).reshape(3, 3) / 2
    return a, 9 - a[::-1].copy(), 2


def convert(main: Any) -> Any:
    return al.convert(main)


def to_graph(main: Any) -> Any:
    return jax.jit(al.to_graph(main), compiler_options=FAST_COMPILE)


def difference(source: str, way: Callable[[Any], Any]) -> str:
    """How a compiled program differs from NumPy's; the empty text where it does not, is refused, or NumPy has no finite answer."""
    with loaded(source, xp=np) as namespace:
        try:
            wanted = namespace["main"](*arguments())
        except ValueError:  # NumPy's diagonals can't be written to
            return ""
    with loaded(source, xp=jnp) as namespace:
        try:
            found = way(namespace["main"])(*arguments())
        except al.AutographError:
            return ""
    pairs = zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True)
    same = all(np.allclose(ours, theirs, rtol=1e-4, equal_nan=True) for theirs, ours in pairs)
    return "" if same else f"\nours   {found}\npython {wanted}\n{source}"


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("way", [convert, to_graph])
@pytest.mark.parametrize("first", range(SEEDS.start, SEEDS.stop, BATCH))
def test_what_is_written_under_one_name_is_seen_under_the_others(
    first: int, way: Callable[[Any], Any]
) -> None:
    for seed in range(first, min(first + BATCH, SEEDS.stop)):
        assert not (found := difference(generate(from_seed(seed)), way)), f"seed {seed}{found}"
