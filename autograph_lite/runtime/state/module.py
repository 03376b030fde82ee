"""Modules: how are the Variables in an object found? A `Module` is a pytree of their values to JAX.

class Dense(Module):
    def __init__(self, rows, columns):
        self.w = Variable(jnp.ones((rows, columns)))

    def __call__(self, x):
        return x @ self.w

Dense(3, 2).trainable_variables       [w]
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, Self

import jax

from autograph_lite.operators.values import instances
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.runtime.state import module_outline
from autograph_lite.runtime.state.dataset_slices import SliceIterator
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.trace_type import register_leaf


class Module(Whole):
    """Base of objects that hold Variables, in attributes and in lists, tuples, dicts and Modules there.

    The position of an iterator over slices is one of them. Objects of other classes are not looked into, as
    `tf.Module` does not: make them Modules, or hold their Variables in an attribute, too.

    To JAX a Module is a pytree: the values of its Variables are the leaves, and all else is its structure.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        jax.tree_util.register_pytree_with_keys(cls, _keyed, _whole, _parts)

    @property
    def variables(self) -> list[Variable]:
        """Its Variables, each once, in the order of the attributes."""
        return [variable for _, variable in _variables(self)]

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of `variables` that are trainable."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def named_variables(self) -> dict[str, Variable]:
        """Its Variables by the path that leads to each first: `layers[0].w`."""
        return {path.removeprefix("."): variable for path, variable in _variables(self)}

    def clone(self) -> Self:
        """A Module of its own, with Variables of its own that hold the same values."""
        return copy.deepcopy(self)


_HOLDERS = (Module, SliceIterator)  # whose attributes may be Variables


def _variables(module: Module) -> Iterator[tuple[str, Variable]]:
    """The Variables of a Module with the paths to them, depth first, each once."""
    seen: set[int] = set()

    def visit(item: Any, path: str) -> Iterator[tuple[str, Variable]]:
        if not isinstance(item, (*_HOLDERS, Variable, list, tuple, dict)) or id(item) in seen:
            return
        seen.add(id(item))
        if isinstance(item, Variable):
            yield path, item
        elif isinstance(item, _HOLDERS):
            for name, value in instances.held_by(item).items():
                yield from visit(value, f"{path}.{name}")
        else:
            for key, value in item.items() if isinstance(item, dict) else enumerate(item):
                yield from visit(value, f"{path}[{key!r}]")

    return visit(module, "")


def _parts(module: Module) -> tuple[list[Any], module_outline.Outline]:
    variables, outline = module_outline.outline(module, _HOLDERS)
    return [variable.read() for variable in variables], outline


def _keyed(module: Module) -> tuple[list[tuple[Any, Any]], module_outline.Outline]:
    values, outline = _parts(module)
    paths = [path.removeprefix(".") for path, _ in _variables(module)]
    return list(zip(map(jax.tree_util.GetAttrKey, paths), values, strict=True)), outline


def _whole(outline: module_outline.Outline, values: Iterable[Any]) -> Any:
    return outline.rebuilt(list(values))


jax.tree_util.register_pytree_with_keys(Module, _keyed, _whole, _parts)
register_leaf(Module, lambda module, _: ObjectType(module))  # of a function of ours: itself, by identity
