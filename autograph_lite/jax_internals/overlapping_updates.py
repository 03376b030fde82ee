"""Overlapping updates: which updates of an array would XLA for CPUs make in place while it still reads what they replace?

    m = b[1] * 2                          of a part, item by item: XLA fuses it with the update, and writes m[1] before
    m[1:] = m[:-1]                        it reads m[1] for m[2] (jax 0.10.2 and 0.12.0.1, outside of loops, too)

These are made of zeros, and chosen item by item.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.loops import while_primitive

_MOST = 200  # equations that are looked at
_PARTS = primitive_traits.PARTS | {"gather"}
_ITEMWISE = (
    primitive_traits.ELEMENTWISE | primitive_traits.SHAPES | {"select_n", "convert_element_type", "copy"}
)


def update(base: Any, new: Any, write: Callable[[Any, Any], Any]) -> Any:
    """`write(base, new)`, not in place where `new` is computed of `base`, and that, item by item, of a part of an array.

    Where `new` is computed so of a part of `base`, it is computed before, outside of loops: XLA fuses a `reshape` with the
    update, and writes x[1] before it reads it in `x[1:] = x[:-1]; x = x[None]`, or with `x` a row of a matrix (jax 0.12.0.1).
    """
    is_on_cpu = jax.default_backend() == "cpu"
    if is_on_cpu and _reaches(base, _PARTS, _ITEMWISE) and _reads(new, base):
        return out_of_place(base, new, write)
    fuses = is_on_cpu and not while_primitive.is_within_a_loop() and _reaches(new, _PARTS, _ITEMWISE)
    if not (fuses and _reads(new, base)):
        return write(base, new)
    return write(base, lax.optimization_barrier(new)) if barriers_hold() else out_of_place(base, new, write)


@functools.cache
def barriers_hold() -> bool:
    """Whether XLA keeps barriers until it has chosen what is computed where: on CPUs that of jax 0.10.2 does not."""
    return jax.__version_info__ >= (0, 12) and jax.default_backend() == "cpu"


def out_of_place(base: Any, new: Any, write: Callable[[Any, Any], Any]) -> Any:
    """`write(base, new)`, in another array."""
    written = write(jnp.zeros(base.shape, bool), jnp.ones(new.shape, bool))
    return jnp.where(written, write(jnp.zeros(base.shape, base.dtype), new), base)


def _reaches(value: Any, names: Collection[str], through: Collection[str]) -> bool:
    """Whether a value is computed by a primitive of these names, and others of those alone."""
    todo, seen = [value], set[int]()
    while todo and len(seen) < _MOST:
        equation = getattr(todo.pop(), "parent", None)
        if equation is None or id(equation) in seen:
            continue
        seen.add(id(equation))
        inner = [each.primitive.name for each in _called(equation)] or [equation.primitive.name]
        if any(name in names for name in inner):
            return True
        if all(name in through for name in inner):
            todo += equation.in_tracers
    return False


def _called(equation: Any) -> list[Any]:
    """The equations of a `jit`."""
    if equation.primitive.name not in ("jit", "pjit"):
        return []
    return [inner for jaxpr in core.jaxprs_in_params(equation.params) for inner in jaxpr.eqns]


def _reads(value: Any, array: Any) -> bool:
    """Whether a value is computed of an array that is being recorded, also around a branch in which the value is."""
    wanted = getattr(array, "val", None)
    todo, seen = [value], set[int]()
    while todo and len(seen) < _MOST:
        each = todo.pop()
        if each is array or (wanted is not None and getattr(each, "val", None) is wanted):
            return True
        equation = getattr(each, "parent", None)
        if equation is None:
            around = each.get_const() if hasattr(each, "get_const") else None
            todo += [around] if isinstance(around, core.Tracer) else []
        elif id(equation) not in seen:
            seen.add(id(equation))
            todo += equation.in_tracers
    return bool(todo)
