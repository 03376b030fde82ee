"""Which value does an example argument such as 'f32[3,4]', 'n=10' or '[1, 2]' stand for?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from autograph_lite.cli.usage import UsageError

_KINDS = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}


def parse_arguments(texts: Iterable[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The positional and keyword arguments that the texts of a command line stand for.

    >>> parse_arguments(["f32[3,4]", "2.5", "n=10"])
    ((ShapeDtypeStruct(shape=(3, 4), dtype=float32), 2.5), {'n': 10})

    Raises:
      UsageError: a text is neither an array's dtype and shape nor a literal, or a keyword is given twice.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        keyword = re.match(r"\s*([^\W\d]\w*)\s*=(?!=)", text)
        if keyword and keyword[1] in kwargs:
            raise UsageError(f"argument {keyword[1]!r} is given twice")
        if keyword:
            kwargs[keyword[1]] = parse_value(text[keyword.end() :])
        elif kwargs:
            raise UsageError(f"positional argument {text!r} follows a keyword argument")
        else:
            args.append(parse_value(text))
    return tuple(args), kwargs


def parse_value(text: str) -> Any:
    """The value of one text: an array's shape and dtype, a Python literal, or a container of both.

    >>> parse_value("i32[]")
    ShapeDtypeStruct(shape=(), dtype=int32)
    >>> parse_value("{'w': (bf16[8], None)}")
    {'w': (ShapeDtypeStruct(shape=(8,), dtype=bfloat16), None)}

    Raises:
      UsageError: the text is none of these.
    """
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    try:
        # `f32[]` is no Python expression, so a scalar's empty shape is written as an empty tuple.
        tree = ast.parse(re.sub(r"(?<=\w)\[\s*\]", "[()]", text.strip()), mode="eval")
        return _value(tree.body)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise UsageError(
            f"argument {text!r} is neither an array such as 'f32[3,4]' or 'i32[]' nor a Python literal"
        ) from error


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Subscript(value=ast.Name(id=dtype), slice=shape):
            return jax.ShapeDtypeStruct(_shape(shape), _dtype(dtype))
        case ast.Tuple(elts=elts):
            return tuple(map(_value, elts))
        case ast.List(elts=elts):
            return list(map(_value, elts))
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {
                ast.literal_eval(k): _value(v) for k, v in zip(keys, values, strict=True) if k is not None
            }
    return ast.literal_eval(node)


def _shape(node: ast.expr) -> tuple[int, ...]:
    shape = ast.literal_eval(node)
    sizes = shape if isinstance(shape, tuple) else (shape,)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise ValueError("a size must be a non-negative integer")
    return sizes


def _dtype(name: str) -> Any:
    """The dtype of JAX's short name ("f32", "bf16"), NumPy's name ("float32"), or "key" for a PRNG key."""
    if name == "key":
        return jax.eval_shape(jax.random.key, 0).dtype
    short = re.fullmatch(r"(bf|f|i|u|c)(\d+)", name)
    try:
        dtype = jax.numpy.dtype(f"{_KINDS[short[1]]}{short[2]}" if short else name)
    except TypeError:
        raise UsageError(f"{name!r} is no dtype of JAX; write f32, bf16, i32, u8, c64, bool or key") from None
    if dtype.kind not in "biufcV":
        raise UsageError(f"{name!r} is no dtype of JAX; write f32, bf16, i32, u8, c64, bool or key")
    if np.dtype(jax.dtypes.canonicalize_dtype(dtype)) != dtype:
        raise UsageError(f"dtype {name!r} needs 64-bit types: set the environment variable JAX_ENABLE_X64=1")
    return dtype
