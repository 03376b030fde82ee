"""Argument kinds: how does C++ take a value among the arguments: as a structure of others, as a literal, or not at all?

It has to tell apart what the trace types tell apart. Where one of its own comparisons does that, it is used; else the
trace type of the value is what it compares.
"""

from __future__ import annotations

import collections
import enum
import functools
import operator
import types
import weakref
from collections.abc import Callable
from typing import Any

from autograph_lite.jax_internals import cpp_registry
from autograph_lite.operators.values import dataclass_objects, instances
from autograph_lite.runtime.state.module import Module
from autograph_lite.runtime.types import tree_paths, value_leaves
from autograph_lite.runtime.types.array_spec import array_types
from autograph_lite.runtime.types.container_contents import is_container
from autograph_lite.runtime.types.literal import is_literal
from autograph_lite.runtime.types.object_type import ObjectType
from autograph_lite.runtime.types.structure import from_value
from autograph_lite.runtime.types.trace_type import TracingContext, registered_maker

_BY_IDENTITY = (type, enum.Enum, types.BuiltinFunctionType)
_are_texts = frozenset([str]).issuperset
# Of dictionaries, by their keys in the order in which they have them: what gives the values in order, and the keys in order.
_orders: dict[tuple[Any, ...], tuple[Callable[[Any], tuple[Any, ...]], tuple[str, ...]]] = {}
_MOST = 4096
_attribute_of = object.__getattribute__


@functools.cache
def registry() -> cpp_registry.Registry:
    """What is structure and what is a leaf among the arguments of a function."""
    return cpp_registry.Registry(_flatten_kind, _by_keys)


def _by_keys(held: dict[Any, Any]) -> tuple[Any, Any]:
    """The values of a dictionary, in the order in which the policy finds them, and its keys: `1` is not `True`.

    Runs at each call, for each dictionary. C++ would take keys for the same that are equal.
    """
    known = _orders.get((*held,))
    if known is None:
        return _by_new_keys(held)
    for key in held:  # no slower than a function in C, and for few keys twice as fast
        if type(key) is not str:
            return _by_new_keys(held)
    get, order = known
    return get(held), order


def _by_new_keys(held: dict[Any, Any]) -> tuple[Any, Any]:
    try:
        keys = sorted(held)
    except Exception:  # a user's comparison may do anything
        keys = [*held]
    if not _are_texts(map(type, keys)):
        return map(held.__getitem__, keys), (keys, tree_paths.types_in(keys))
    if len(_orders) >= _MOST:
        _orders.clear()
    order = (*keys,)
    if len(order) > 1:  # of one key it gives no tuple
        _orders[(*held,)] = operator.itemgetter(*order), order
    return [*map(held.__getitem__, order)], order


def _by_keys_and_factory(held: collections.defaultdict[Any, Any]) -> tuple[Any, Any]:
    values, keys = _by_keys(held)
    return values, (keys, held.default_factory)


def _typed(flatten: cpp_registry.Flatten) -> cpp_registry.Flatten:
    """The same, with the types of what a node keeps: `1` is not `True`."""
    plain, with_types = tree_paths.PLAIN, tree_paths.with_types

    def parts(node: Any) -> tuple[Any, Any]:
        children, known = flatten(node)
        # At each call, for each node: as `with_types` does it, which may take longer.
        if known.__class__ is tuple and (kinds := (*map(type, known),)) in plain:
            return children, (known, kinds)
        return children, with_types(known)

    return parts


def _flatten_kind(value: Any) -> cpp_registry.Flatten | None:
    if isinstance(value, Module) and _is_plain(value):
        return lambda module: ((), weakref.ref(module))
    if registered_maker(value) is not None:
        return None
    kind: Any = type(value)
    by_jax = cpp_registry.flattened_by_jax(kind)
    if kind is collections.defaultdict:
        return _by_keys_and_factory
    if by_jax is not None:
        return _typed(by_jax)
    if dataclass_objects.is_record(value):
        return _opened if instances.slots_of(kind) else _opened_quickly
    if isinstance(value, _BY_IDENTITY):
        return lambda literal: ((), literal)
    if not (is_literal(value) or is_container(value)) and _is_plain(value):
        return lambda held: ((), weakref.ref(held))  # equal while both live, if these are
    return _by_type


def _by_type(value: Any) -> tuple[tuple[()], Any]:
    try:
        return (), from_value(value, TracingContext())
    except TypeError:  # which the policy raises, and names the argument: it sees what is equal to no other
        return (), object()


def _opened(owner: Any) -> tuple[Any, Any]:
    """The attributes of a dataclass; one that holds itself is an object like others."""
    node = value_leaves.object_node(owner)
    return ((), ObjectType(owner)) if node is owner else (node.parts, (node.make, node.known))


@functools.cache
def _leaves() -> frozenset[type]:
    """The types of values that hold no objects."""
    return array_types() | {int, float, bool, str, types.NoneType}


def _opened_quickly(owner: Any) -> tuple[Any, Any]:
    """The same of a class without slots, whose objects seldom hold others."""
    held = _attribute_of(owner, "__dict__")  # past a method of the user's
    values = [*held.values()]
    leaves = _leaves()
    for value in values:
        if type(value) not in leaves:
            return _opened(owner)
    return values, (*held,)


def _is_plain(value: Any) -> bool:
    """Whether Python's own comparison of weak references to a class's objects is that of their trace types."""
    kind: Any = type(value)
    if kind.__eq__ is not object.__eq__ or kind.__hash__ is not object.__hash__:
        return False
    try:
        weakref.ref(value)
    except TypeError:
        return False
    return True
