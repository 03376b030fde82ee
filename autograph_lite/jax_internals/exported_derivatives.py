"""Exported derivatives: what does one say that the file of its program does not hold?

Workaround: `jax.export` says "No VJP is available" (JAX 0.12), and has no public place for a reason.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


def refusing_derivatives(exported: Any, refuse: Callable[[int], Exception], order: int = 0) -> Any:
    """`exported`, which raises `refuse(order)` where a derivative is asked for that it does not hold.

    Args:
      exported: as of `jax.export`.
      refuse: makes the exception, for the order of the derivatives that it holds.
      order: how many derivatives are there already.
    """

    def derivative(exported: Any) -> Any:
        if held is None:
            raise refuse(order)
        return refusing_derivatives(held(exported), refuse, order + 1)

    held = getattr(exported, "_get_vjp", None)
    try:
        return dataclasses.replace(exported, _get_vjp=derivative)
    except TypeError:  # a JAX that keeps it elsewhere
        return exported
