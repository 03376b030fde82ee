"""What does JAX make of a call of a user's Python function: as part of a program, under `vmap`, and when it is differentiated?"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero
from jax.experimental import io_callback

from autograph_lite.errors import NotDifferentiableError
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.values import describe
from autograph_lite.runtime.host.host_calls import HostCall
from autograph_lite.runtime.types.leaf_partition import is_traced_argument

Vjp = Callable[[Any, Any, Any], Sequence[Any]]


@dataclasses.dataclass(frozen=True)
class Given:
    """The arguments of a call, parted: the arrays, and what the function gets as it is."""

    args: tuple[Any, ...]
    tree: Any
    leaves: list[Any]
    operands: list[Any]

    @classmethod
    def of(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
        """The arguments of a call."""
        leaves, tree = pytrees.flatten((args, kwargs))
        return cls(args, tree, leaves, [leaf for leaf in leaves if is_traced_argument(leaf)])

    def rebuilt(self, values: Sequence[Any]) -> Any:
        """(args, kwargs) with these values for the arrays."""
        rest = iter(values)
        return jax.tree.unflatten(
            self.tree, [next(rest) if is_traced_argument(leaf) else leaf for leaf in self.leaves]
        )


class Staged:
    """A call as a function of its operands that JAX can trace: gives the list of the result's leaves."""

    def __init__(self, call: HostCall, *, vectorized: bool, pure: bool) -> None:
        self.call, self.vectorized, self.pure = call, vectorized, pure

    def emit(self) -> Callable[..., list[Any]]:
        """The function, with its meaning under `vmap`."""

        @jax.custom_batching.custom_vmap
        def run(*operands: Any) -> list[Any]:
            if self.pure:
                return list(jax.pure_callback(self.call, self.call.types, *operands))
            return list(io_callback(self.call, self.call.types, *operands, ordered=True))

        @run.def_vmap
        def rows(size: int, batched: Sequence[bool], *operands: Any) -> tuple[list[Any], list[bool]]:
            if self.vectorized:
                whole = [
                    value if is_batched else jnp.broadcast_to(value, (size, *value.shape))
                    for value, is_batched in zip(operands, batched, strict=True)
                ]
                results = Staged(self.call.batched(size), vectorized=True, pure=self.pure).emit()(*whole)
            else:
                results = _by_rows(run, batched, operands)
            return results, [True] * len(results)

        return run

    def not_differentiable(self) -> Callable[..., list[Any]]:
        """The function, which refuses to be differentiated."""
        run: Any = jax.custom_jvp(self.emit())

        def refuse(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            if not all(isinstance(tangent, SymbolicZero) for tangent in tangents):
                raise self._no_rule()
            results = run(*primals)
            return results, [_zero(result) for result in results]

        run.defjvp(refuse, symbolic_zeros=True)
        return run  # type: ignore[no-any-return]

    def _no_rule(self) -> NotDifferentiableError:
        return NotDifferentiableError(
            f"'{self.call.name}' is differentiated, and has no rule for it.",
            where=self.call.place,
            why="It is a py_function: Python computes its result, in a way that JAX does not see.",
            fix="give py_function a vjp=, or call it with jax.lax.stop_gradient(...) of the arguments.",
        )

    def with_rule(self, vjp: Vjp, given: Given) -> Callable[..., list[Any]]:
        """The function, whose derivative is `vjp`."""
        run: Any = jax.custom_vjp(self.emit())
        tree = self.call.tree

        def forward(*operands: Any) -> tuple[list[Any], tuple[Any, Any]]:
            results = run(*operands)
            return results, (operands, results)

        def backward(kept: tuple[Any, Any], cotangents: list[Any]) -> tuple[Any, ...]:
            args, _ = given.rebuilt(kept[0])
            unflatten = functools.partial(jax.tree.unflatten, tree)
            return self._cotangents(given, vjp(args, unflatten(kept[1]), unflatten(cotangents)))

        run.defvjp(forward, backward)
        return run  # type: ignore[no-any-return]

    def _cotangents(self, given: Given, found: Any) -> tuple[Any, ...]:
        """One cotangent for each operand."""
        if not isinstance(found, (tuple, list)) or len(found) != len(given.args):
            raise TypeError(
                f"py_function: the vjp of '{self.call.name}' gave {describe(found)}; "
                f"it has to give a tuple of {len(given.args)}, one for each argument."
            )
        result: list[Any] = []
        for argument, cotangent in zip(given.args, found, strict=True):
            leaves, tree = pytrees.flatten(argument)
            own = [None] * len(leaves) if cotangent is None else pytrees.flatten_up_to(tree, cotangent)
            result += [ct for leaf, ct in zip(leaves, own, strict=True) if is_traced_argument(leaf)]
        # Arrays among the keyword arguments come last, and have no derivative.
        result += [None] * (len(given.operands) - len(result))
        return tuple(map(_of_operand, given.operands, result))


def _of_operand(operand: Any, cotangent: Any) -> Any:
    if jnp.issubdtype(operand.dtype, jnp.inexact):
        return cotangent
    return np.zeros(operand.shape, jax.dtypes.float0)


def _zero(result: Any) -> Any:
    if jnp.issubdtype(result.dtype, jnp.inexact):
        return jnp.zeros_like(result)
    return np.zeros(result.shape, jax.dtypes.float0)


def _by_rows(run: Callable[..., list[Any]], batched: Sequence[bool], operands: Sequence[Any]) -> list[Any]:
    """One call for each row, in order."""
    rows = [value for value, is_batched in zip(operands, batched, strict=True) if is_batched]

    def one(row: list[Any]) -> list[Any]:
        rest = iter(row)
        pairs = zip(operands, batched, strict=True)
        return run(*[next(rest) if is_batched else value for value, is_batched in pairs])

    return list(lax.map(one, rows))
