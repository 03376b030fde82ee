"""Partition: which of a call's values are traced, and which are literals that a trace is made for?

Arrays are traced: by shape, dtype and weak type. Everything else is a literal: by type and value where it has one, else
by identity.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

from autograph_lite.jax_internals import avals
from autograph_lite.operators.joins.unions import has_union
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.one_of import settled
from autograph_lite.runtime.types.output_objects import Copied, Made, Merging

VALUES = (bool, int, float, complex, str, bytes, type(None), enum.Enum, type, np.dtype)


@dataclasses.dataclass(frozen=True)
class Split:
    """The leaves of a tree, parted."""

    tree: Any  # structure
    arrays: list[Any]  # the traced leaves, in order
    literals: dict[int, Any]  # the other leaves by position, or the `Made` that stand for them
    unions: bool = False  # whether something in it is one of several

    @classmethod
    def of(
        cls,
        tree: Any,
        *,
        keep_numpy: bool = False,
        part: Callable[[Any], Made | Copied | None] = lambda _: None,
    ) -> Split:
        """The leaves of `tree`, parted. Symbolic sizes are arrays.

        Args:
          tree: what they are in.
          keep_numpy: whether arrays of NumPy's are literals.
          part: a leaf -> what stands for it, where it is an object that has arrays in it.
        """
        leaves, structure = pytrees.flatten(tree)
        arrays: list[Any] = []
        literals: dict[int, Any] = {}
        for position, leaf in enumerate(leaves):
            made = part(leaf)
            if made is not None:
                literals[position] = made
                arrays += made.taken()
            elif export.is_symbolic_dim(leaf):  # known when the program runs, as a traced value is
                arrays.append(jnp.asarray(leaf))
            elif is_traced_argument(leaf) and (not keep_numpy or isinstance(leaf, jax.Array)):
                arrays.append(leaf)
            else:
                literals[position] = leaf
        return cls(structure, arrays, literals, has_union(structure))

    def merge(self, arrays: Sequence[Any], passed: Sequence[Any] | None = None) -> Any:
        """The tree with other arrays; `passed` are the objects that `Made` may stand for, None for new ones."""
        if not (self.literals or self.unions):  # of most programs, at each call with a check
            return self.tree.unflatten(arrays)
        return self.merged(Merging(iter(arrays), {}, passed))

    def merged(self, merging: Merging) -> Any:
        """The tree, as a part of one that is being put together."""
        leaves = [
            _given(self.literals[i], merging) if i in self.literals else next(merging.arrays)
            for i in range(self.tree.num_leaves)
        ]
        whole = jax.tree.unflatten(self.tree, leaves)
        return settled(whole) if self.unions else whole

    def emptied(self) -> Split:
        """The same without the arrays, to be kept: neither the caller's arrays nor tracers live on in it."""
        return dataclasses.replace(self, arrays=[None] * len(self.arrays))

    def loosened(self, objects: Sequence[Any]) -> Split:
        """The same, which keeps none of these objects alive; itself where they are not in it."""
        known = {id(item) for item in objects}
        loose = {i: _Loose(item) for i, item in self.literals.items() if id(item) in known and _is_weak(item)}
        for made in self.made():
            made.loosen(objects)
        return dataclasses.replace(self, literals={**self.literals, **loose}) if loose else self

    def made(self) -> list[Made]:
        """What stands for objects that each call makes or is given, those inside of others left out."""
        return [literal for literal in self.literals.values() if isinstance(literal, Made)]

    def objects(self) -> list[Any]:
        """The literals, those in the objects that each call makes included, which are no literals themselves."""
        own = [literal for literal in self.literals.values() if not isinstance(literal, (Made, Copied))]
        return [*map(_given, own), *(item for made in self.made() for item in made.objects())]

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


def _given(literal: Any, merging: Merging | None = None) -> Any:
    if isinstance(literal, (Made, Copied)):
        assert merging is not None
        return literal.merged(merging)
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
        return leaf.shape, leaf.dtype, avals.weak_type(leaf)
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
