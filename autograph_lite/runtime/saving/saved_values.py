"""Which Python values are data, so that a file can hold them? Numbers, text and the like, in plain containers.

(1, {"k": 0.5})     {"tuple": [{"int": 1}, {"dict": [[{"str": "k"}, {"float": "0.5"}]]}]}

What is a class or a function of the user's is not: to get it back, a reader would have to run code.
"""

from __future__ import annotations

import base64
import collections
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph_lite.operators.values.one_of import OneOf, options_of, settled, tag_of
from autograph_lite.runtime.saving.archive import dtype_named

Json = dict[str, Any]
_EXACT = 2**53  # other readers of JSON take numbers for floats


class NotDataError(Exception):
    """A value that a file can't hold; its text says which."""


class Leaf:
    """Stands for a leaf of a structure: the leaf of that number."""

    def __init__(self, number: int) -> None:
        self.number = number


_CLASSES: dict[str, Any] = {
    **{kind.__name__: kind for kind in (bool, int, float, complex, str, bytes)},
    **{
        f"jax.numpy.{name}": getattr(jnp, name)
        for name in (
            "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
            "float32", "float64", "complex64", "complex128",
        )
    },
    **{
        f"numpy.{kind.__name__}": kind
        for kind in (
            np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
            np.float32, np.float64, np.complex64, np.complex128,
        )
    },
}  # fmt: skip


def literal(value: Any) -> Json:
    """A value without parts, as data. Raises NotDataError: it is none."""
    known = next((name for name, kind in _CLASSES.items() if kind is value), None)
    if known is not None:
        return {"class": known}
    match value:
        case bool():
            return {"bool": value}
        case float() if type(value) is float:
            return {"float": repr(value)}
        case complex() if type(value) is complex:
            return {"complex": [repr(value.real), repr(value.imag)]}
        case bytes() if type(value) is bytes:
            return {"bytes": base64.b64encode(value).decode()}
        case np.dtype():
            return {"dtype": str(value)}
        case slice() | range():
            return {type(value).__name__: [literal(n) for n in (value.start, value.stop, value.step)]}
    if type(value) is int:
        return {"int": value if abs(value) < _EXACT else hex(value)}
    if type(value) is str:
        return {"str": value}
    if value is None or value is ...:
        return {"singleton": repr(value)}
    raise NotDataError(f"{value!r} of type '{type(value).__qualname__}'")


_READERS: dict[str, Callable[[Any], Any]] = {
    "class": _CLASSES.__getitem__,
    "bool": bool,
    "float": float,
    "complex": lambda parts: complex(*map(float, parts)),
    "bytes": base64.b64decode,
    "dtype": dtype_named,
    "slice": lambda parts: slice(*map(read_literal, parts)),
    "range": lambda parts: range(*map(read_literal, parts)),
    "int": lambda value: int(value, 16) if isinstance(value, str) else int(value),
    "str": str,
    "singleton": {"None": None, "Ellipsis": ...}.__getitem__,
}


def read_literal(data: Json) -> Any:
    """The value that `literal` made data of."""
    ((kind, content),) = data.items()
    return _READERS[kind](content)


def tree(value: Any, leaf: Callable[[Any], Json]) -> Json:
    """A value of plain containers as data.

    Args:
      value: lists, tuples, namedtuples, dicts and what is one of several, with `Leaf`s, or values that `leaf` takes.
      leaf: what becomes of these.

    Raises:
      NotDataError: another container stands in it.
    """
    inner = functools.partial(tree, leaf=leaf)
    kind = type(value)
    if kind is Leaf:
        return {"leaf": value.number}
    if kind in (list, tuple):
        return {kind.__name__: [inner(item) for item in value]}
    if kind in (dict, collections.OrderedDict):
        rows = [[tree(key, literal), inner(item)] for key, item in value.items()]
        return {kind.__name__: rows}
    if kind is OneOf:
        return {"one of": [inner(tag_of(value)), [inner(variant) for variant in options_of(value)]]}
    if is_namedtuple(value):
        return {"namedtuple": [kind.__name__, list(value._fields), [inner(item) for item in value]]}
    return leaf(value)


def read_tree(data: Json, leaves: Sequence[Any] = (), read: Callable[[Json], Any] = read_literal) -> Any:
    """The value that `tree` made data of.

    Args:
      data: of the value.
      leaves: what stands where it has a `Leaf`.
      read: gives the value of what is no container.
    """
    ((kind, content),) = data.items()
    inner = functools.partial(read_tree, leaves=leaves, read=read)
    if kind == "leaf":
        return leaves[content]
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(map(inner, content))
    if kind in ("dict", "OrderedDict"):
        pairs = [(read_tree(key), inner(item)) for key, item in content]
        return dict(pairs) if kind == "dict" else collections.OrderedDict(pairs)
    if kind == "one of":
        tag, variants = content
        return settled(OneOf(inner(tag), [*map(inner, variants)]))
    if kind == "namedtuple":
        name, fields, items = content
        return namedtuple_of(name, tuple(fields))(*map(inner, items))
    return read(data)


def is_namedtuple(value: Any) -> bool:
    """Whether a value is an object of a class that `collections.namedtuple` has made."""
    return isinstance(value, tuple) and isinstance(getattr(type(value), "_fields", None), tuple)


@functools.cache
def namedtuple_of(name: str, fields: tuple[str, ...]) -> Any:
    """The class that stands for the user's of that name, with those fields."""
    return collections.namedtuple(name, fields)  # which refuses what is no name


def with_plain_namedtuples(value: Any) -> Any:
    """A value with namedtuples of the classes that `read_tree` gives."""
    if is_namedtuple(value):
        kind = namedtuple_of(type(value).__name__, type(value)._fields)
        return kind(*map(with_plain_namedtuples, value))
    if type(value) in (list, tuple):
        return type(value)(map(with_plain_namedtuples, value))
    if type(value) in (dict, collections.OrderedDict):
        return type(value)((key, with_plain_namedtuples(item)) for key, item in value.items())
    return value
