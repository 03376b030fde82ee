"""Einstein sums: what are the sums of products of selections over axes named by letters? Those of arrays with zeros elsewhere.

jnp.einsum("i,i->", x[:j], y[:j])     zeros from the place j on, in both
jnp.einsum("ij,j->i", A[:i], x)       a selection of i items
jnp.tensordot(A[:, :j], B[:j], 1)     the same as 'ab,bc->ac'
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from autograph_lite.operators.ragged.elementwise import onto
from autograph_lite.operators.ragged.extents import Extent
from autograph_lite.operators.ragged.selection import Selection, extents_of, having, masked, padded, unsized


def einsum(subscripts: Any, /, *operands: Any, **options: Any) -> Any:
    """`jnp.einsum`, of subscripts in one string."""
    first = next(value for value in (subscripts, *operands) if isinstance(value, Selection))
    if not isinstance(subscripts, str):
        raise unsized(first, "stands in an einsum whose subscripts are no string")
    inputs, output = _letters(subscripts, operands)
    target: dict[str, Extent] = {}
    for letters, value in zip(inputs, operands, strict=True):
        for letter, extent in zip(letters, extents_of(value), strict=True):
            if extent is not None:
                target.setdefault(letter, extent)
    arrays = [
        _aligned(
            value, [target.get(letter) for letter in letters], [letter not in output for letter in letters]
        )
        for letters, value in zip(inputs, operands, strict=True)
    ]
    spec = f"{','.join(inputs)}->{output}"
    return having(first, jnp.einsum(spec, *arrays, **options), [target.get(letter) for letter in output])


def _aligned(value: Any, target: Sequence[Extent | None], summed: Sequence[bool]) -> Any:
    """The array of `value` with the chosen items at the places of `target`, and zeros for others that would be added."""
    own = extents_of(value)
    if isinstance(value, Selection):
        value = having(value, padded(value, 0), own)
    array = onto(value, target)
    axes = [
        axis
        for axis, (extent, wanted) in enumerate(zip(own, target, strict=True))
        if summed[axis] and wanted is not None and not (extent is not None and extent.same(wanted))
    ]
    return masked(array, target, 0, axes) if axes else array


def _letters(subscripts: str, operands: Sequence[Any]) -> tuple[list[str], str]:
    """A letter for each axis of the operands and of the result, those that `...` stands for included."""
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    inputs = given.split(",")
    if len(inputs) != len(operands):
        raise ValueError(
            f"einsum: '{subscripts}' names {len(inputs)} operands, and there are {len(operands)}."
        )
    unused = [letter for letter in string.ascii_letters if letter not in subscripts]
    if not arrow:
        named = given.replace(",", "").replace(".", "")
        result = "..." * ("..." in given) + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    counts = [
        len(extents_of(value)) - len(text.replace("...", ""))
        for text, value in zip(inputs, operands, strict=True)
    ]
    others = "".join(unused[: max(counts)])
    expanded = []
    for text, count, value in zip(inputs, counts, operands, strict=True):
        if count < 0 or (count and "..." not in text):
            raise ValueError(
                f"einsum: '{text}' of '{subscripts}' names other axes than the {len(extents_of(value))} of its operand."
            )
        expanded.append(text.replace("...", others[len(others) - count :]))
    return expanded, result.replace("...", others)


def tensordot(a: Any, b: Any, axes: Any = 2, **options: Any) -> Any:
    """`jnp.tensordot`."""
    ndim_a, ndim_b = len(extents_of(a)), len(extents_of(b))
    if isinstance(axes, int):
        left, right = list(range(ndim_a - axes, ndim_a)), list(range(axes))
    else:
        left, right = ([each] if isinstance(each, int) else list(each) for each in axes)
    letters = iter(string.ascii_letters)
    names_a = [next(letters) for _ in range(ndim_a)]
    names_b = [next(letters) for _ in range(ndim_b)]
    for one, other in zip(left, right, strict=True):
        names_b[other] = names_a[one]
    kept = [name for name in (*names_a, *names_b) if (name in names_a) != (name in names_b)]
    return einsum(f"{''.join(names_a)},{''.join(names_b)}->{''.join(kept)}", a, b, **options)


CONTRACTIONS = {"einsum": einsum, "tensordot": tensordot}
