"""Types of numbers: which types may a number of the program have in Python?

v = True if c else 2                  True is an int32 in the program, and stays a bool in Python
n = 1 if c else x[0]                  a number of Python's, or an item of an array

Where paths meet, the program has one type for all, and this is what was there before.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax._src.core import Tracer, is_symbolic_dim
from jax._src.interpreters import partial_eval

from autograph_lite.errors import PythonOnlyError
from autograph_lite.jax_internals import avals, configuration
from autograph_lite.jax_internals.references import (
    lower_kinds,
    numpys_arrays,
    shape_errors,
    storages,
    view_equations,
)
from autograph_lite.tracing import thread


class NumberType(NamedTuple):
    """The type of a number on one path."""

    dtype: np.dtype[Any]
    weak: bool  # whether it came from Python's numbers alone; a bool that did not may be one of Python's, too


def note_number_types(number: Any, types: frozenset[NumberType]) -> None:
    """Notes the types that have met in a number of the program, one of them of a number of Python's."""
    known = thread.now.references
    if known is not None:
        known.met[id(number)] = number, types
        known.is_widened = known.is_widened or len({each.dtype.kind for each in types}) > 1


def note_types_left(number: Any, end: Any) -> None:
    """Notes the types of a number that a loop leaves which runs at least once: those of what an iteration leaves."""
    known = thread.now.references
    if known is None or id(number) not in known.met or not isinstance(end, (Array, int, float, complex)):
        return
    types = met_in(end) or frozenset({NumberType(jnp.result_type(end), avals.weak_type(end))})
    known.met[id(number)] = number, types


def pythons_number(value: Any, dtype: Any) -> Any:
    """A value as a number of Python's of that dtype, as `int(x)` is."""
    number = avals.as_type(value, dtype, True)
    if isinstance(number, Tracer):
        note_number_types(number, frozenset({NumberType(number.dtype, True)}))
    return number


def stored_none(array: Any, value: Any) -> Any:
    """What is to be stored in an array, with what NumPy stores there for None: nan, of floats.

    Raises NumPy's TypeError where the items can't be that.
    """
    if value is None:
        return np.asarray(None, array.dtype)
    if type(value) in (list, tuple):
        made = [stored_none(array, each) for each in value]
        return value if all(map(operator.is_, made, value)) else made
    return value


def pythons_bool(value: Any) -> Any:
    """A bool of the program as one of Python's, as `bool(x)` is; anything else itself."""
    known = thread.now.references
    if known is None or not isinstance(value, partial_eval.DynamicJaxprTracer) or is_pythons_bool(value):
        return value
    test = test_of(value)
    found = storages.copy_of_tracer(test)
    known.bools[id(found)] = found, test
    note_number_types(found, BOOL)
    return found


def test_of(value: Any) -> Any:
    """The bool of the program that a bool of Python's is, as branches know it; anything else itself."""
    known = thread.now.references
    return known.bools[id(value)][1] if known is not None and id(value) in known.bools else value


def numpys_number(found: Any) -> Any:
    """What a function of NumPy's gives; a number is one of NumPy's, also if Python's numbers were given: `np.sin(1.0)`."""
    if not isinstance(found, Tracer) or found.ndim or not avals.weak_type(found) or met_in(found):
        return found  # such as `x.item()`
    if found.dtype == bool:  # no note says that a bool is not one of Python's
        return avals.as_type(found, bool, False)
    note_number_types(found, frozenset({NumberType(np.dtype(found.dtype), False)}))
    return found


BOOL = frozenset({NumberType(np.dtype(bool), True)})
EITHER = frozenset({NumberType(np.dtype(bool), False)})  # Python's, or not


def met_in(number: Any) -> frozenset[NumberType]:
    """The types that have met in a number; empty where none of them is known to be of a number of Python's."""
    known = thread.now.references
    return known.met[id(number)][1] if known is not None and id(number) in known.met else frozenset()


def types_of(number: Any) -> frozenset[NumberType]:
    """The same, also of what operators make of Python's numbers alone."""
    if isinstance(number, Tracer) and number.dtype == bool:
        if met_in(number):
            thread.now.references.is_met_asked = True
        return types_of_bool(number)
    found, todo, seen = set[NumberType](), [number], set[int]()
    while todo:
        each = todo.pop()
        if id(each) in seen or not isinstance(each, Tracer):
            continue
        seen.add(id(each))
        met = met_in(each)
        equation = getattr(each, "parent", None)
        if met:
            thread.now.references.is_met_asked = True
            found |= met
        elif equation is not None and equation.primitive.name == "convert_element_type":  # `n / 2`
            # an item of an array that meets a float of Python's is a number of NumPy's; a loop's number is made Python's so
            (of,) = equation.in_tracers
            weak = avals.is_weak(each.aval) and (avals.weak_type(of) or of.dtype == each.dtype)
            found.add(NumberType(each.dtype, weak))
        elif equation is not None and avals.is_weak(each.aval) and view_equations.is_by_operator(equation):
            todo += equation.in_tracers
        elif equation is not None or not view_equations.is_constant_of_operator(each):
            return frozenset()
    weak = avals.weak_type(number) and all(each.weak for each in found)
    return frozenset(found | {NumberType(number.dtype, weak)}) if found else frozenset()


def types_of_bool(value: Any) -> frozenset[NumberType]:
    """Those of a bool, also of a comparison of Python's numbers, which JAX knows; empty for one of NumPy's or JAX's."""
    if type(value) is bool:
        return BOOL
    if not isinstance(value, Tracer) or value.dtype != bool:
        return frozenset()
    return met_in(value) or (BOOL if is_pythons_number(value) is not False else frozenset())


def is_pythons_number(value: Any) -> bool | None:
    """Whether a value is a number of Python's, or would be: no item of an array, and no result of NumPy's or JAX's functions.

    None where paths have met on which it is, and others, and of arguments that JAX types as it does Python's. What a loop or a
    branch gives is one where the program has the type of these.
    """
    known, todo, seen, is_known = thread.now.references, [value], set[int](), True
    while todo:
        each = todo.pop()
        if id(each) in seen or is_symbolic_dim(each):
            continue
        if isinstance(each, (int, float, complex)) and not isinstance(each, np.generic):
            continue
        seen.add(id(each))
        if not isinstance(each, Tracer) or each.ndim:
            return False
        weak, equation = avals.weak_type(each), getattr(each, "parent", None)
        if met := met_in(each):
            thread.now.references.is_met_asked = True
            if not any(kind.weak for kind in met):
                return False
            is_known = is_known and all(kind.weak for kind in met)
        elif known is not None and id(each) in known.numbers:
            return False  # a function of NumPy's has made it
        elif not weak and (equation is None or each.dtype == bool):
            return False
        elif equation is None or (weak and equation.primitive.name in _STAGED):
            is_known = is_known and (known is None or id(each) not in known.arguments)  # these are JAX's
        elif (weak and equation.primitive.name in _STEPS) or view_equations.is_by_operator(equation):
            todo += equation.in_tracers
        else:
            return False
    return True if is_known else None


_STAGED = ("while", "cond", "scan")
_STEPS = ("select_n", "convert_element_type")  # where paths meet; `n / 2`


def is_pythons_bool(value: Any) -> bool:
    """Whether a value is a bool of Python's for sure, which is an int to operators."""
    if type(value) is bool or not isinstance(value, Tracer) or value.dtype != bool or value.ndim:
        return type(value) is bool
    return is_pythons_number(value) is True


def type_in_numpy(value: Any) -> Any:
    """The type that an operand has in NumPy: a dtype, or a class of Python's numbers; None of what is no array or number."""
    if type(value) in PYTHONS:
        return type(value)
    if not isinstance(value, (Array, np.ndarray, np.generic)) or not isinstance(value.dtype, np.dtype):
        return None
    is_weak = isinstance(value, Tracer) and not value.ndim and avals.weak_type(value)
    if is_weak and is_pythons_number(value) is not False:
        return {"b": bool, "i": int, "f": float, "c": complex}[value.dtype.kind]
    return value.dtype


def cast_to(value: Any, dtype: np.dtype[Any]) -> Any:
    """An array, or a number of NumPy's, as one of that type."""
    if value.dtype == dtype:
        return value
    return avals.as_type(value, dtype, False) if isinstance(value, Array) else value.astype(dtype)


def _types_of_ufunc(fun: np.ufunc, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The types in which NumPy computes a ufunc; None for Python's numbers, and for all that it doesn't compute."""
    given = [*map(type_in_numpy, operands)]
    nothing = (None,) * len(given)
    if any(each is None or (type(each) is not type and each.kind not in "biufc") for each in given):
        return nothing
    try:
        kinds = [np.dtype(bool) if each is bool else each for each in given]
        found = fun.resolve_dtypes((*kinds, *(None,) * fun.nout))
    except TypeError:  # JAX raises it, too, or computes what NumPy doesn't
        return nothing
    return (*(None if type(kind) is type else each for kind, each in zip(given, found, strict=False)),)


def in_types_of_ufunc(fun: np.ufunc, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The operands of a ufunc of NumPy's, of the types in which that computes."""
    types = _types_of_ufunc(fun, operands)
    new = (*(e if dtype is None else cast_to(e, dtype) for e, dtype in zip(operands, types, strict=True)),)
    return _as_signs(*new) if fun in _COMPARING and {*types} == {np.dtype(int), np.dtype(np.uint64)} else new


_COMPARING = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)


def _as_signs(left: Any, right: Any) -> tuple[Any, Any]:
    """What compares as int64 and uint64 do: the sign of their difference, and 0. As float64, JAX's way, not all differ."""
    if left.dtype != np.uint64:
        return _as_signs(right, left)[::-1]
    other = cast_to(right, np.dtype(np.uint64))
    above = jnp.where(left > other, np.int8(1), np.int8(0))
    return jnp.where(right < 0, np.int8(1), jnp.where(left < other, np.int8(-1), above)), jnp.int8(0)


def in_types_of_numpy(operate: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """An operator, which computes as NumPy's ufunc where the program has 64 bits and the arrays would be NumPy's.

    JAX makes a float32 of int64 and float32, and of a quotient of int32.
    """
    fun, is_swapped = UFUNCS.get(name.strip("_").removeprefix("r")), name.startswith("__r")

    def computed(number: Any, other: Any) -> Any:
        operands = (other, number) if is_swapped else (number, other)
        if fun is None or not configuration.has_64_bits() or not _is_numpys_to_promote(fun, operands):
            return operate(number, other)
        left, right = new = in_types_of_ufunc(fun, operands)
        for each in (one for one, old in zip(new, operands, strict=True) if one is not old):
            (numpys_arrays.note_numpys if each.ndim else numpys_arrays.note_number)(each)
        return operate(right, left) if is_swapped else operate(left, right)

    return computed if fun is not None else operate


def _is_numpys_to_promote(fun: np.ufunc, operands: tuple[Any, ...]) -> bool:
    """Whether NumPy computes in other types than JAX, and does compute it, as no array would be JAX's."""
    first, second = (getattr(each, "dtype", None) for each in operands)
    if first == second and (fun is not np.true_divide or getattr(first, "kind", "") not in "biu"):
        return False
    types = {each for each in _types_of_ufunc(fun, operands) if each is not None}
    if not types or (fun is not np.true_divide and types == {jnp.result_type(*operands)}):
        return False
    arrays = [each for each in operands if type(type_in_numpy(each)) is not type]
    return all(
        numpys_arrays.would_be_numpys(each) if isinstance(each, Tracer) else not isinstance(each, Array)
        for each in arrays
    )


UFUNCS: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "divmod": np.divmod, "pow": np.power, "matmul": np.matmul, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip


def as_operand(value: Any) -> Any:
    """A bool of Python's as the int that it is to operators; anything else itself."""
    if not isinstance(value, Tracer) or not is_pythons_bool(value):
        return value
    return pythons_number(jnp.where(test_of(value), 1, 0), jnp.result_type(int))


def with_pythons_bools(operate: Callable[..., Any], name: str) -> Callable[..., Any]:
    """An operator of the program's, to which bools of Python's are ints, and which divides NumPy's integers as NumPy does.

    Raises:
      PythonOnlyError: bools are subtracted, or negated, that may be NumPy's.
    """
    if name in _QUOTIENTS:
        operate = _dividing_by_zeros(operate, name)

    def of_numbers(*operands: Any) -> Any:
        lower_kinds.refuse_bools(name, operands)
        _refuse_narrow(name, operands)
        if not all(isinstance(each, bool) or _has_bools(each) for each in operands):
            return operate(*operands)
        if all(map(is_pythons_bool, operands)):
            return (
                pythons_bool(operate(*operands)) if name in _JOINING else operate(*map(as_operand, operands))
            )
        if name in _NOT_OF_BOOLS:
            raise PythonOnlyError(
                "Bools are subtracted or negated, `-`, which NumPy refuses.",
                why="Those of Python's are ints there, and the program does not know whose these are.",
                fix="int(a > b) - int(a < b); of arrays, `^` in place of `a - b`, and `~` in place of `-a`.",
            )
        return operate(*operands)

    return of_numbers


def _refuse_narrow(name: str, operands: Sequence[Any]) -> None:
    """Refuses `best + 10` where `best = -1` and `best = image[i, j]` have met: NumPy computes in uint8 where it is the item."""
    for number in operands if name in _WRAPPING else ():
        types = met_in(number) if isinstance(number, Tracer) and number.dtype.kind == "i" else ()
        narrow = [
            each.dtype
            for each in types
            if each.dtype.kind in "iu" and each.dtype != number.dtype and not each.weak
        ]
        if narrow and any(each.weak for each in types) and all(_is_integer(each) for each in operands):
            raise PythonOnlyError(
                f"A number of Python's, or one of {narrow[0]}, is an operand of '{_WRAPPING[name]}'.",
                why=f"On one path it is an int that {narrow[0]} does not hold, and on another an item of such an array: NumPy's "
                f"result is of {narrow[0]} there, and wraps around.",
                fix="take the item as Python's, best = int(x[i, j]); or begin with one of the array's type, np.uint8(0).",
            )


_WRAPPING = {
    **dict.fromkeys(("__add__", "__radd__"), "+"), **dict.fromkeys(("__sub__", "__rsub__", "__neg__"), "-"),
    **dict.fromkeys(("__mul__", "__rmul__"), "*"), **dict.fromkeys(("__pow__", "__rpow__"), "**"),
    **dict.fromkeys(("__lshift__", "__rlshift__"), "<<"), "__invert__": "~",
}  # fmt: skip


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) or getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u")


def _has_bools(value: Any) -> bool:
    return isinstance(value, (Array, np.ndarray, np.bool_)) and value.dtype == np.bool_


_JOINING = frozenset(f"__{side}{name}__" for side in ("", "r") for name in ("and", "or", "xor"))
_NOT_OF_BOOLS = frozenset({"__sub__", "__rsub__", "__neg__"})


def _dividing_by_zeros(operate: Callable[..., Any], name: str) -> Callable[..., Any]:
    is_swapped = name.startswith("__r")

    def divided(number: Any, other: Any) -> Any:
        left, right = (other, number) if is_swapped else (number, other)
        if not _may_be_zeros_of_numpys(left, right):
            return operate(number, other)
        found = divided_as_numpy(lambda a, b: operate(b, a) if is_swapped else operate(a, b), left, right)
        for each in found if isinstance(found, tuple) else (found,):
            (numpys_arrays.note_numpys if each.ndim else numpys_arrays.note_number)(each)
        return found

    return divided


def _may_be_zeros_of_numpys(left: Any, right: Any) -> bool:
    """Whether integers are divided by some that may be 0, and not both are Python's, or JAX's."""
    kinds = [
        each.dtype.kind if hasattr(each, "dtype") else "i" * (type(each) is int) for each in (left, right)
    ]
    if not all(kind and kind in "biu" for kind in kinds) or (not isinstance(right, Tracer) and np.all(right)):
        return False
    if is_pythons_number(left) is not False and is_pythons_number(right) is not False:
        return False
    return all(map(numpys_arrays.would_be_numpys, (left, right)))


def divided_as_numpy(divide: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """A quotient, or what is left: NumPy's is 0 where an integer is divided by 0, and that of machines is anything."""
    by_zero = jnp.equal(right, 0)
    found = divide(left, jnp.where(by_zero, 1, right))
    zeroed = [
        jnp.where(by_zero, 0, each).astype(each.dtype)
        for each in (found if isinstance(found, tuple) else (found,))
    ]
    return (*zeroed,) if isinstance(found, tuple) else zeroed[0]


_QUOTIENTS = frozenset({"__floordiv__", "__rfloordiv__", "__divmod__", "__rdivmod__"})
PYTHONS = frozenset({bool, int, float, complex})


def refuse_zero(number: Any, name: str, zero: Any) -> None:
    """Raises Python's ZeroDivisionError, where the operator `name` divides a number of Python's by a 0 that is known."""
    if is_pythons_number(number) is not True:
        return  # JAX's arguments, and numbers of NumPy's on a path, give infinity
    try:
        getattr(operator, name, divmod)(number.dtype.type(1).item(), zero)
    except ZeroDivisionError as error:
        setattr(error, shape_errors.EXPLICIT, True)
        raise


def are_types_asked() -> bool:
    """Whether the program depends on what types have met in a number."""
    known = thread.now.references
    return known is not None and known.is_met_asked
