"""Host callbacks: what takes the place of JAX's functions that call Python? Ours name their line when differentiated.

    jax.pure_callback(np.exp, x, x)       an error at this line if `jax.grad` comes to it

JAX alone says that callbacks have no derivative, and not which one is meant.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jax.experimental import io_callback

from autograph_lite.jax_internals import recorded_equations
from autograph_lite.jax_internals.loops import callbacks
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values.values import Tracer


def _refusing(fn: Any) -> Any:
    """`fn`, a function of JAX's that gives what a callback does."""

    @functools.wraps(fn)
    def run(callback: Any, result_shape_dtypes: Any, *args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        moving = list(map(_may_move, leaves))

        def call(*operands: Any) -> Any:
            given = iter(operands)
            both = [next(given) if moves else leaf for leaf, moves in zip(leaves, moving, strict=True)]
            now, named = jax.tree.unflatten(tree, both)
            return fn(callback, result_shape_dtypes, *now, **named)

        operands = [leaf for leaf, moves in zip(leaves, moving, strict=True) if moves]
        return _without_derivative(call)(*operands) if operands else call()

    return run


def _may_move(leaf: Any) -> bool:
    return isinstance(leaf, Tracer) and jnp.issubdtype(leaf.dtype, jnp.inexact)


def _without_derivative(call: Callable[..., Any]) -> Any:
    place = source_places.here()
    run: Any = jax.custom_jvp(recorded_equations.placed_here(call))

    def refuse(primals: Any, tangents: Any) -> Any:
        if not all(isinstance(tangent, SymbolicZero) for tangent in tangents):
            raise callbacks.no_derivative(place)
        results = call(*primals)
        return results, jax.tree.map(
            lambda x: jnp.zeros(x.shape, jax.typeof(x).to_tangent_aval().dtype), results
        )

    run.defjvp(refuse, symbolic_zeros=True)
    return run


# What is called in place of these.
CALLING: dict[Any, Any] = {fn: _refusing(fn) for fn in (jax.pure_callback, io_callback)}
