"""Named axes: what does `np.einsum` give of traced arrays, and which of its results are views?

np.einsum("ii->i", A)                 the diagonal of `A`, to which others may write
np.einsum(x, [0, 1], [1, 0])          the same as "AB->BA"
"""

from __future__ import annotations

import string
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.jax_internals.references import view_writes
from autograph_lite.operators.lists import array_arguments


def named_axes_product(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    """`np.einsum`, whose result is a view of the one operand if nothing is summed: "ij->ji", "ii->i"."""
    if not isinstance(subscripts, str) and len(operands) in (1, 2):  # np.einsum(x, [0, 0], [0])
        texts = ["".join(_LETTERS[each] for each in part) for part in operands]
        subscripts, operands = "->".join(texts), (subscripts,)
    if not isinstance(subscripts, str):
        return jnp.einsum(subscripts, *operands, **kwargs)
    operands = (*map(array_arguments.numpys_array, operands),)
    if len(operands) == 1 and (view := _view_by_letters(subscripts.replace(" ", ""), *operands)) is not None:
        return view
    kwargs.pop("casting", None)
    if (dtype := kwargs.pop("dtype", None)) is not None:
        operands = (*(jnp.asarray(each, dtype) for each in operands),)
    return jnp.einsum(subscripts, *operands, **kwargs)


_LETTERS: dict[Any, str] = {**dict(enumerate(string.ascii_uppercase + string.ascii_lowercase)), ...: "..."}


def _view_by_letters(text: str, array: Any) -> Any:
    """The view that `np.einsum` gives of an array whose axes a text names; None where it sums."""
    given, arrow, asked = text.partition("->")
    spare = [each for each in string.ascii_letters if each not in text]
    others = "".join(spare[: np.ndim(array) - len(given.replace("...", ""))]) if "..." in given else ""
    asked = (
        asked
        if arrow
        else "..." + "".join(sorted(each for each in given if given.count(each) == 1 and each != "."))
    )
    given, asked = given.replace("...", others), asked.replace("...", others)
    if not given.isalpha() or {*given} != {*asked} or len(given) != np.ndim(array):
        return None
    if len(given) == len(asked):
        return jnp.transpose(array, [*map(given.index, asked)])
    places, step = np.zeros((1,) * len(asked), np.int32), np.size(array)
    for letter, size in zip(given, array.shape, strict=True):
        if size != array.shape[given.index(letter)]:
            raise ValueError(f"dimensions in single operand for collapsing index '{letter}' don't match")
        step //= max(size, 1)
        along = np.arange(size, dtype=np.int32) * step
        places = places + along.reshape([-1 if each == letter else 1 for each in asked])
    return view_writes.items_at(array, places)


def einsum_path(*operands: Any, **kwargs: Any) -> Any:
    """`np.einsum_path`, which asks for shapes alone."""
    shapes = [
        np.broadcast_to(0.0, np.shape(each)) if isinstance(each, jax.Array) else each for each in operands
    ]
    return np.einsum_path(*shapes, **kwargs)
