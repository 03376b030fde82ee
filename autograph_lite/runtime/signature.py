"""Which of a call's values are traced, and which are literals that a trace is made for?

Arrays are traced: by shape, dtype and weak type. Everything else is a literal: by type and value where it has one, else
by identity.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from autograph_lite import _jax
from autograph_lite.operators import trees

VALUES = (bool, int, float, complex, str, bytes, type(None), enum.Enum, type, np.dtype)


@dataclasses.dataclass(frozen=True)
class Split:
    """The leaves of a tree, parted.

    Attributes:
      tree: structure.
      arrays: the traced leaves, in order.
      literals: the other leaves by position.
    """

    tree: Any
    arrays: list[Any]
    literals: dict[int, Any]

    @classmethod
    def of(cls, tree: Any, *, keep_numpy: bool = False) -> Split:
        """The leaves of `tree`, parted; with `keep_numpy`, arrays of NumPy's are literals. Symbolic sizes are arrays."""
        leaves, structure = trees.flatten(tree)
        arrays, literals = [], {}
        for position, leaf in enumerate(leaves):
            if export.is_symbolic_dim(leaf):  # known when the program runs, as a traced value is
                arrays.append(jnp.asarray(leaf))
            elif is_traced_argument(leaf) and (not keep_numpy or isinstance(leaf, jax.Array)):
                arrays.append(leaf)
            else:
                literals[position] = leaf
        return cls(structure, arrays, literals)

    def merge(self, arrays: Sequence[Any]) -> Any:
        """The tree with other arrays."""
        rest = iter(arrays)
        count = len(self.arrays) + len(self.literals)
        leaves = [_given(self.literals[i]) if i in self.literals else next(rest) for i in range(count)]
        return jax.tree.unflatten(self.tree, leaves)

    def emptied(self) -> Split:
        """The same without the arrays, to be kept: neither the caller's arrays nor tracers live on in it."""
        return dataclasses.replace(self, arrays=[None] * len(self.arrays))

    def loosened(self, objects: Sequence[Any]) -> Split:
        """The same, which keeps none of these objects alive; itself where they are not in it."""
        known = {id(item) for item in objects}
        loose = {i: _Loose(item) for i, item in self.literals.items() if id(item) in known and _is_weak(item)}
        return dataclasses.replace(self, literals={**self.literals, **loose}) if loose else self

    def objects(self) -> list[Any]:
        """The literals."""
        return [_given(literal) for literal in self.literals.values()]

    def key(self) -> Hashable:
        """Equal for calls that one trace serves."""
        literals = tuple((position, literal_key(value)) for position, value in self.literals.items())
        return self.tree, literals, tuple(map(array_key, self.arrays))


class _Loose:
    """Stands for a literal that somebody else keeps alive."""

    def __init__(self, item: Any) -> None:
        self.item = weakref.ref(item)


def _is_weak(item: Any) -> bool:
    return type(item).__weakrefoffset__ != 0


def _given(literal: Any) -> Any:
    if type(literal) is not _Loose:
        return literal
    item = literal.item()
    if item is None:
        raise ReferenceError("An object that a compiled function returns is gone.")
    return item


def is_traced_argument(leaf: Any) -> bool:
    """Whether an argument's leaf is traced."""
    if isinstance(leaf, jax.Array):
        return True
    return isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind in "biufcV"


def array_key(leaf: Any) -> Hashable:
    """What a trace depends on: shape, dtype, weak type."""
    if isinstance(leaf, jax.Array):
        return leaf.shape, leaf.dtype, _jax.weak_type(leaf)
    return leaf.shape, leaf.dtype, False


def literal_key(value: Any) -> Hashable:
    """Type and value of a literal; the identity of an object."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)  # nan equals itself, 0.0 is not -0.0
    if isinstance(value, VALUES):
        return type(value), value
    if isinstance(value, types.FunctionType):
        return types.FunctionType, id(value)
    return type(value), id(value)
