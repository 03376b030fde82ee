"""Random NumPy programs leave in their arguments, and in arrays from outside, what NumPy leaves there, or are refused."""

from __future__ import annotations

import copy
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.examples import share

from .choices import from_seed
from .running import loaded
from .written_arguments import generate_written

LARGE = 1e6


def arguments() -> tuple[Any, Any]:
    a = np.arange(9, dtype=np.float32).reshape(3, 3) / 2
    return a, 9 - 2 * a[::-1].copy()


def outcome(source: str, way: Any, number: Any) -> Any:
    """What two calls give, and leave in the arrays."""
    found = []
    with loaded(source) as namespace:
        main = way(namespace["main"])
        for _ in range(2):
            a, b = arguments()
            result = main(a, b, number)
            found.append(copy.deepcopy((result, a, b, namespace["OUTSIDE"])))
    return [np.asarray(leaf) for leaf in jax.tree.leaves(found)]


def difference(source: str) -> str | None:
    """How a program differs from NumPy's; the empty text where it does not, None where it is refused or can't be compared."""
    try:
        wanted = outcome(source, lambda main: main, 2)
        if any(not (np.abs(each) < LARGE).all() for each in wanted):
            return None
        found = outcome(source, al.convert, jnp.int32(2))
    except (ValueError, IndexError, al.AutographError):  # as of views that can't be written
        return None
    same = all(
        np.allclose(one, other, rtol=1e-4, atol=1e-4) for one, other in zip(found, wanted, strict=True)
    )
    return "" if same else f"\nours   {found}\npython {wanted}\n{source}"


@pytest.mark.filterwarnings("ignore::autograph_lite.UnrolledLoopWarning", "ignore::RuntimeWarning")
def test_what_is_written_is_there_after_the_call() -> None:
    found = {seed: difference(generate_written(from_seed(seed))) for seed in range(share(16))}
    assert not {seed: each for seed, each in found.items() if each}
    assert sum(each == "" for each in found.values()) >= len(found) // 3
