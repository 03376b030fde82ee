"""Lower kinds: may an array of floats be one of integers in NumPy, before a loop or on another path?

u = np.arange(3)                      integers
while c: u = u / 2                    floats in the program, from the start, and in NumPy after the first iteration
v = u.copy()                          so is what is made of it, and keeps its type

What is written to them is cut off there, or refused; and bools do other things than numbers: `m + m`, `-m`, `x[m]`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax._src.core import Tracer

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals.references import numpys_arrays, storages
from autograph_lite.tracing import thread


def kind_number(dtype: Any) -> int:
    """The higher, the more values a type has: none of a higher kind is written in place to one of a lower."""
    kind = getattr(dtype, "kind", "")
    if kind not in _KINDS or not kind:  # bfloat16, int4, and JAX's keys
        kind = "i" if jnp.issubdtype(dtype, jnp.integer) else "f"
    return _KINDS.index(kind)


_KINDS = "buifc"
_NAMES = ("bools", "integers", "integers", "floats", "complex numbers")
_OF_INTS = _KINDS.index("i")


def note_like(new: Any, of: Any) -> Any:
    """Notes that an array has been made with the type of another one, `np.zeros_like(u)`; gives it."""
    known = thread.now.references
    if known is not None and known.is_widened and isinstance(new, Tracer) and isinstance(of, Tracer):
        root = storages.root(new)
        known.alike[id(root)] = root, of
    return new


def note_numbers_of(new: Any, values: Any, dtype: Any = None) -> Any:
    """Notes what numbers an array has been made from, `np.array([v, 1])`, and its type, if one is named; gives it."""
    known = thread.now.references
    if known is not None and isinstance(new, Tracer) and isinstance(new.dtype, np.dtype):
        leaves = [] if dtype is not None else [*_leaves(values)]
        kinds = [_kind_of_known(each) for each in leaves if not isinstance(each, Tracer)]
        least = kind_number(new.dtype) if dtype is not None else max(kinds, default=0)
        root = storages.root(new)
        known.items[id(root)] = root, least, [each for each in leaves if _has_kind(each)]
    return new


def _leaves(values: Any) -> Iterator[Any]:
    for each in values if isinstance(values, (list, tuple)) else (values,):
        yield from _leaves(each) if isinstance(each, (list, tuple)) else (each,)


def _kind_of_known(value: Any) -> int:
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return kind_number(dtype)
    return kind_number(np.asarray(value).dtype) if isinstance(value, (bool, int, float, complex)) else 0


def note_end(variable: Any, end: Any) -> bool:
    """Notes that an iteration leaves an array of a lower kind in a loop's variable; whether it does."""
    known = thread.now.references
    if known is None or not (_has_kind(variable) and _has_kind(end) and variable.ndim):
        return False
    if lowest_kind(end) >= kind_number(variable.dtype):
        return False
    known.ends[id(variable)] = variable, end
    known.is_widened = True
    return True


def lowest_kind(array: Any) -> int:
    """The lowest kind of the types that an array of the program may have in NumPy."""
    known = thread.now.references
    own = kind_number(array.dtype)
    if known is None or not known.is_widened or own < _OF_INTS:
        return own
    alternatives: dict[int, list[tuple[int, list[Any]]]] = {}
    found: dict[int, int] = {}
    todo = [array]
    for each in todo:
        if id(each) not in found:
            found[id(each)] = kind_number(each.dtype)
            alternatives[id(each)] = [*_alternatives(each)]
            todo += [one for _, operands in alternatives[id(each)] for one in operands]
    is_stable = False
    while not is_stable:  # what iterations leave is computed of what they begin with
        is_stable = True
        for key, ways in alternatives.items():
            lowest = min(max([kind, *(found[id(one)] for one in operands)]) for kind, operands in ways)
            if lowest < found[key]:
                found[key], is_stable = lowest, False
    return found[id(array)]


@dataclasses.dataclass(frozen=True, eq=False)
class Use:
    """What a program does with an array, where NumPy does something else with one of a lower kind."""

    array: Any
    is_right: Callable[[int], bool]  # whether it is the same for one of a kind
    error: Callable[[str, str], Exception]  # of the lower kind, and of why the array may be one

    def ask(self) -> None:
        """Refuses it if the array may be of such a kind. What iterations leave is known where they end, and asked for there."""
        for loop in thread.now.aliases:
            loop.uses.append(self)
        self.refuse_lower("before a loop or on another path", "")

    def refuse_lower(self, found: str, name: str) -> None:
        """Refuses it if the array may be of such a kind, as was `found`: a loop's variable of that name, if it is one."""
        lowest = lowest_kind(self.array)
        if lowest < kind_number(self.array.dtype) and not self.is_right(lowest):
            raise self.error(f"may be one of {_NAMES[lowest]} in NumPy, as {found}", name)


def refuse_bools(operation: str, operands: Sequence[Any]) -> None:
    """Refuses an operation on arrays of numbers that does something else in NumPy if they are of bools, and may be."""
    known = thread.now.references
    if known is None or operation not in _OTHER_OF_BOOLS or not (known.is_widened or thread.now.aliases):
        return
    arrays = [*filter(_has_kind, operands)]
    numbers = [each for each in arrays if kind_number(each.dtype)]
    if not numbers or len(arrays) < len(operands):
        return
    if operation != "__getitem__" and not any(each.ndim for each in arrays):
        return  # bools of Python's are ints, `True + True`

    def error(may_be: str, name: str) -> PythonOnlyError:
        changed = f"; or let an iteration leave numbers in '{name}'" if name else ""
        return PythonOnlyError(
            f"An array of {numbers[0].dtype}, which {may_be}, is an operand of '{_OTHER_OF_BOOLS[operation]}'.",
            why="NumPy does something else with bools, and the program has one type for both.",
            fix=f"let it be of numbers from the start, m = m.astype(int); or of bools throughout, as by `a & b`{changed}.",
        )

    Use(numbers[0], lambda _: any(map(lowest_kind, arrays)), error).ask()


_OTHER_OF_BOOLS = {
    "__add__": "+", "__radd__": "+", "__sub__": "-", "__rsub__": "-", "__neg__": "-", "__invert__": "~", "__matmul__": "@",
    "__rmatmul__": "@", "__getitem__": "x[m]", "add": "np.add", "subtract": "np.subtract", "negative": "np.negative",
    "invert": "np.invert", "bitwise_not": "np.invert", "bitwise_invert": "np.invert", "matmul": "np.matmul", "dot": "np.dot",
    "inner": "np.inner", "vdot": "np.vdot", "tensordot": "np.tensordot", "diff": "np.diff",
}  # fmt: skip


def _alternatives(array: Any) -> Iterator[tuple[int, list[Any]]]:
    """What an array may be: its own kind, or the highest one among what it is computed from."""
    yield kind_number(array.dtype), []
    known = thread.now.references
    if not isinstance(array, Tracer):
        return
    if id(array) in known.met:  # a number, `v = 0 if c else 0.5`, as in `np.full(3, v)`
        types = known.met[id(array)][1]
        yield from ((kind_number(each.dtype), []) for each in types)
        if any(each.weak for each in types):  # these are all
            return
    if (root := id(storages.root(array))) in known.ends:  # what it was before the loop is none of those
        yield 0, [known.ends[root][1]]
    for each in filter(_has_kind, numpys_arrays.origins(array)):
        yield kind_number(each.dtype), []
        yield from (
            (0, [option]) for option in known.joined.get(id(each), (None, ()))[1] if _has_kind(option)
        )
        if id(each) in known.alike:
            yield 0, [known.alike[id(each)][1]]
        if id(each) in known.items:
            yield known.items[id(each)][1:]
            continue
        equation = getattr(each, "parent", None)
        if equation is not None and (operands := _deciding(equation)):
            yield (
                max(map(_least, operands)),
                [one for one in operands if isinstance(one, (Tracer, np.ndarray))],
            )


def _has_kind(value: Any) -> bool:
    return isinstance(value, (Tracer, np.ndarray)) and isinstance(value.dtype, np.dtype)


def _deciding(equation: Any) -> list[Any]:
    """The operands, or kinds, that decide on the type of an equation's result in NumPy; none where it is one of floats anyhow.

    An operand that was converted may have been by JAX, `u * i`; a number with no fraction may be one of Python's ints.
    """
    name = equation.primitive.name
    name = str(equation.params.get("name", "")) if name in ("jit", "pjit") else name
    if name in _OF_FLOATS or name in ("while", "cond", "scan", "convert_element_type"):
        return []
    operands = [*equation.in_tracers]
    if name.startswith(("scatter", "dynamic_update_slice", "gather", "dynamic_slice")):
        operands = operands[:1]
    elif name in ("select_n", "_where"):
        operands = operands[1:]
    found = [found for each in operands if _has_kind(found := _before_conversion(each))]
    if all(map(_is_whole, found)):  # `jnp.ones(3)`
        return []
    counts = name.startswith(("reduce_sum", "reduce_prod", "cumsum", "cumprod"))  # bools are ints there
    return [*(_OF_INTS if _is_whole(each) else each for each in found), *[_OF_INTS] * counts]


_OF_FLOATS = frozenset({
    "div", "true_divide", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan",
    "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf", "erfc", "erf_inv",
    "lgamma", "digamma", "mean", "_mean", "std", "_std", "var", "_var", "norm", "linspace", "lu", "qr", "eigh", "svd",
    "cholesky", "triangular_solve", "custom_linear_solve",
})  # fmt: skip


def _least(operand: Any) -> int:
    return operand if isinstance(operand, int) else 0


def _before_conversion(operand: Any) -> Any:
    equation: Any = getattr(operand, "parent", None)
    if equation is None or equation.primitive.name != "convert_element_type":
        return operand
    return equation.in_tracers[0]


def _is_whole(operand: Any) -> bool:
    """Whether an operand is a number that may have been one of Python's ints."""
    get_const = getattr(operand, "get_const", None)
    known = get_const() if get_const is not None and operand.parent is None and not operand.ndim else None
    return (
        known is not None
        and not isinstance(known, Tracer)
        and bool(np.all(np.floor(np.real(known)) == known))
    )
