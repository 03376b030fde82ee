"""`and`, `or`, `not`, comparisons and `in` where an operand may be traced: short-circuit as Python's, and once each."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import enum
import functools
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite.errors import PythonOnlyError, TracedIndexError
from autograph_lite.jax_internals import symbolic_comparisons
from autograph_lite.jax_internals.constant_folding import FoldingTracer
from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.branches.if_stmt import if_part
from autograph_lite.operators.branches.truth import operand, python_truth, truth
from autograph_lite.operators.checks import text_readers
from autograph_lite.operators.effects import container_identity
from autograph_lite.operators.lists import array_arguments, dynamic_length, growing_lists, list_methods
from autograph_lite.operators.purity import trial
from autograph_lite.operators.ragged.selection import METHODS, Selection
from autograph_lite.operators.trace_context import decision_log, path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import dataclass_objects, pytrees
from autograph_lite.operators.values.boxes import unboxed
from autograph_lite.operators.values.one_of import OneOf, on_each
from autograph_lite.operators.values.values import describe, fold_test, is_symbolic, traced

Thunk = Callable[[], Any]


def _rest(combine: Callable[..., Any], operands: tuple[Thunk, ...]) -> Thunk:
    return lambda: unboxed(combine(operands[0](), *operands[1:]))


def and_(first: Any, *rest: Thunk) -> Any:
    """`first and rest[0]() and ...`: the first false operand, else the last one."""
    return _joined(first, rest, conjunction=True)


def or_(first: Any, *rest: Thunk) -> Any:
    """`first or rest[0]() or ...`: the first true operand, else the last one."""
    return _joined(first, rest, conjunction=False)


def _joined(value: Any, rest: tuple[Thunk, ...], *, conjunction: bool) -> Any:
    """The operand that decides; each is asked for once, and only where those before it leave it open."""
    for number, thunk in enumerate(rest):
        test = value if value is conjunction else python_truth(value)
        if test is not conjunction and traced(test):
            test = fold_test(test)
        if test is not conjunction and traced(test):
            value = operand(unboxed(value), len(rest) - number)
            with decision_log.deciding("and" if conjunction else "or", "cond", "an operand is traced"):
                later = _rest(and_ if conjunction else or_, rest[number:])
                return _both(value, later, conjunction=conjunction)
        if bool(test) is not conjunction:
            return value
        value = thunk()
    return value


def _both(value: Any, rest: Thunk, *, conjunction: bool) -> Any:
    """`value and rest()` or `value or rest()`, staged: the rest runs only where it decides."""
    facts: list[tuple[path_facts.Facts, path_facts.Facts]] = []
    known: list[Any] = []
    met = [number_types.types_of_bool(value)]
    is_flag = isinstance(value, jax.Array) and value.dtype == bool and value.shape == ()

    def rest_() -> Any:
        result = rest()
        known[:] = [result]
        met.append(number_types.types_of_bool(result))
        test = number_types.test_of(result)
        facts.append((path_facts.facts_of(test, 0), path_facts.facts_of(test, 1)))
        return result

    def keep() -> Any:
        if is_flag:
            # Known here. XLA for CPUs writes the result of such a branch over an operand that it hands on (jaxlib 0.10, 0.12).
            return np.bool_(not conjunction)
        return value

    result = if_part(value, rest_, keep) if conjunction else if_part(value, keep, rest_)
    joins = (path_facts.both, path_facts.either) if conjunction else (path_facts.either, path_facts.both)
    if not facts:  # the rest has raised, so that it decides nothing
        return result
    if is_flag and type(known[0]) is bool:  # `test and True` is the test, with all that it tells
        return value if known[0] is conjunction else known[0]
    if is_flag and any(met) and isinstance(result, jax.Array) and result.dtype == bool:
        number_types.note_number_types(
            result, frozenset().union(*(each or number_types.EITHER for each in met))
        )
    test = number_types.test_of(value)
    own = path_facts.facts_of(test, 0), path_facts.facts_of(test, 1)
    return path_facts.tell(result, *(join(a, b) for join, a, b in zip(joins, own, facts[-1], strict=True)))


def not_(value: Any) -> Any:
    """`not value`."""
    value = python_truth(value)
    value = fold_test(value) if traced(value) else value
    if not traced(value):
        return not value
    # jnp.logical_not gives the same and takes twice as long to trace.
    found = lax.bitwise_not(truth(operand(value)))
    return number_types.pythons_bool(
        path_facts.tell(found, path_facts.facts_of(value, 1), path_facts.facts_of(value, 0))
    )


def number(value: Any, *makers: Any) -> Any:
    """A truth value of Python's as the integer that it is in a sum; `makers` are what the builtins that made it are called."""
    if all(maker in _MAKERS for maker in makers) and isinstance(value, jax.Array):
        return jnp.where(value, 1, 0) if value.dtype == bool and not value.ndim else value
    return value


_MAKERS = (builtins.any, builtins.all, builtins.bool, builtins.range)


def compare(left: Any, *symbols_and_operands: Any) -> Any:
    """`left < a < b ...`: the first operand on the right is given, later ones are called for."""
    symbol, right, *rest = symbols_and_operands
    result = compared(symbol, left, right)
    if not rest:
        return result
    if traced(result):
        operand(result, len(rest) // 2)
    return and_(result, lambda: compare(right, rest[0], rest[1](), *rest[2:]))


def arithmetic(left: Any, symbol: str, right: Any) -> Any:
    """`left + right`, or what the symbol says, where a list, a tuple or a range beside an array is one, as for NumPy."""
    return _ARITHMETIC[symbol](*array_arguments.beside(left, right, symbol))


def positive(value: Any) -> Any:
    """`+value`, which is a new array in NumPy, and in JAX the same."""
    found = +value
    is_same = found is value and isinstance(found, jax.Array) and found.ndim and traced(found)
    return jnp.copy(found) if is_same else found


def _positive(array: Any) -> Any:
    return jnp.copy(array) if array.ndim else number_types.as_operand(array)


FoldingTracer.__pos__ = _positive  # type: ignore[method-assign]
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_ORDERED = frozenset({"<", "<=", ">", ">="})


def compared(symbol: str, left: Any, right: Any) -> Any:
    """`left < right`, or what the symbol says; tuples and lists by the first items that differ."""
    if symbol in _ORDERED and type(left) is type(right) and _has_fields(left, "order"):
        fields = _fields(left), _fields(right)
        if any(map(_decides, fields)):
            left, right = fields
    if symbol in _ORDERED and (is_symbolic(left) or is_symbolic(right)):
        return symbolic_comparisons.compare_sizes(_COMPARISONS[symbol], left, right)
    if symbol in _ORDERED and _are_rows(left, right) and (_decides(left) or _decides(right)):
        return _in_order(symbol, left, right)
    if symbol in _ORDERED:
        left, right = array_arguments.beside(left, right, symbol)
    return _COMPARISONS[symbol](left, right)


def _are_rows(left: Any, right: Any) -> bool:
    """Whether both are tuples, or both are lists."""
    return any(isinstance(left, kind) and isinstance(right, kind) for kind in (tuple, list))


def _in_order(symbol: str, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """Tuples or lists, compared by the first items that differ; by their lengths where none does."""
    for count, (a, b) in enumerate(zip(left, right, strict=False), 1):
        same = truth(a is b or equal(a, b))
        if same is True:
            continue
        here = truth(compared(symbol, a, b))
        if same is False:
            return here  # what follows may have no order
        return jnp.where(same, _in_order(symbol, left[count:], right[count:]), here)
    return _COMPARISONS[symbol](len(left), len(right))


def _is(left: Any, right: Any) -> Any:
    """`left is right`; a bool that a program computes is the one of Python's two that has its value, if it is Python's."""
    if type(left) is OneOf or type(right) is OneOf:
        return on_each(_is_same, left, right, asks=True)
    for value, flag in ((left, right), (right, left)):
        if isinstance(flag, bool) and _is_bool(value):
            types = number_types.types_of_bool(value)
            if not types or not all(each.weak for each in types):
                raise PythonOnlyError(
                    f"'{source_places.expression()}' asks whether a truth value of NumPy's, or of JAX's, is Python's {flag}.",
                    why="It never is, np.True_ is another object, and so is an array of JAX's.",
                    fix="ask for the value, `if flag:`; or make it Python's, `bool(flag) is True`.",
                )
            return value if flag else not_(value)
        if isinstance(flag, bool) and _may_be_bool(value):
            raise PythonOnlyError(
                f"'{source_places.expression()}' asks whether a traced number is {flag}, which it is on some paths.",
                why="Paths have brought bools and other numbers, and the program has one type for all.",
                fix="compare the values: ==; or put None in place of the bool.",
            )
    if _is_enum(left, right) or _is_enum(right, left):
        raise PythonOnlyError(
            f"'{source_places.expression()}' asks whether a traced number is a member of an enum of ints.",
            why="Such members are numbers in the program, which no longer tells them from others.",
            fix="compare the values: ==.",
        )
    if left is not None and right is not None and (traced(left) or traced(right)):
        trial.end_trial("'is' would see an array in place of a number")
    if left is not right and (container_identity.may_be_same(left, right) or _are_like_tuples(left, right)):
        raise _is_new(left)
    return left is right


def _is_same(left: Any, right: Any) -> Any:
    """`left is right`, of variants: one that is made of arrays is another object than what was chosen."""
    if left is not right and _is_made_anew(left) and _is_made_anew(right):
        raise _is_new(left)
    return _is(left, right)


def _is_new(value: Any) -> PythonOnlyError:
    return PythonOnlyError(
        f"'{source_places.expression()}' asks for the identity of {describe(value)}, which a traced value has chosen.",
        why="The program makes a new object of what was chosen.",
        fix="compare the values, or keep in a variable which one was chosen.",
    )


def _are_like_tuples(left: Any, right: Any) -> bool:
    """Whether one of two tuples may be made of the other: nobody remembers of what one of arrays was made."""
    if type(left) is not tuple or type(right) is not tuple or len(left) != len(right):
        return False
    return any(map(traced, (*left, *right)))


def _is_made_anew(value: Any) -> bool:
    made = isinstance(value, (jax.Array, np.ndarray, tuple, list, dict)) and not _is_bool(value)
    return made or dataclass_objects.is_structure(value)


def _is_enum(a: Any, b: Any) -> bool:
    """Whether one is a member of an enum of ints, and the other a traced number, which may stand for such a member."""
    return isinstance(a, enum.Enum) and isinstance(a, int) and _is_number(b)


def _is_bool(value: Any) -> bool:
    return _is_number(value) and not is_symbolic(value) and bool(value.dtype == bool)


def _may_be_bool(value: Any) -> bool:
    return isinstance(value, jax.Array) and any(each.dtype == bool for each in number_types.types_of(value))


def _is_not(left: Any, right: Any) -> Any:
    return not_(_is(left, right))


def equal(left: Any, right: Any) -> Any:
    """`left == right`, element by element where tuples, lists, dicts and dataclasses hold traced values."""
    if type(left) is OneOf or type(right) is OneOf:
        return on_each(equal, left, right, asks=True)
    left, right = array_arguments.beside(unboxed(left), unboxed(right), "==")
    if is_symbolic(left) or is_symbolic(right):
        return symbolic_comparisons.sizes_equal(left, right)
    for side in (left, right):
        if dynamic_length.is_dynamic(growing_lists.readable(side, "`==`")):
            raise dynamic_length.length_error(side)
    if (isinstance(left, _COLLECTIONS) and _is_number(right)) or (
        isinstance(right, _COLLECTIONS) and _is_number(left)
    ):
        return False  # JAX does not compare them
    if _has_fields(left) and type(left) is type(right):
        fields = _fields(left), _fields(right)
        if any(map(_decides, fields)):
            return equal(*fields)
    if not (_decides(left) or _decides(right)):
        return left == right
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        if isinstance(left, tuple) != isinstance(right, tuple) or len(left) != len(right):
            return False
        pairs = list(zip(left, right, strict=True))
    elif isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return False
        pairs = [(left[k], right[k]) for k in left]
    else:
        return left == right
    result: Any = True
    for a, b in pairs:
        same = a is b or equal(a, b)
        result = and_(result, _truth_of(same))
    return number_types.pythons_bool(result)


def not_equal(left: Any, right: Any) -> Any:
    """`left != right`, element by element where tuples, lists, dicts and dataclasses hold traced values."""
    if type(left) is OneOf or type(right) is OneOf:
        return on_each(not_equal, left, right, asks=True)
    left, right = array_arguments.beside(unboxed(left), unboxed(right), "!=")
    if is_symbolic(left) or is_symbolic(right):
        return not_(equal(left, right))
    both = isinstance(left, (tuple, list, dict)) and isinstance(right, (tuple, list, dict))
    # Without a `__ne__` of its own, Python asks for the truth of what `__eq__` answers.
    asks = asks_user(left) and not _has_own(left, "__ne__")
    if (both and (_decides(left) or _decides(right))) or asks:
        return not_(equal(left, right))
    return left != right


def _has_own(value: Any, method: str) -> bool:
    return bool(getattr(type(value), method) is not getattr(object, method))


def _has_fields(value: Any, option: str = "eq") -> bool:
    """Whether `value` is of a dataclass that compares as its fields do; with the option "order", that orders so, too."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    own = vars(type(value)).get("__eq__" if option == "eq" else "__lt__")
    return (
        getattr(parameters, option, False)
        and isinstance(own, types.FunctionType)
        and own.__code__.co_filename == "<string>"
    )


def _fields(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in dataclasses.fields(value) if field.compare)


def _decides(value: Any) -> bool:
    """Whether something in a collection is compared by JAX, or by a method of the user's, which may answer with a tracer."""
    if not isinstance(value, (tuple, list, dict)):
        return False
    if _PLAIN.issuperset(map(type, value.values() if isinstance(value, dict) else value)):
        return False
    return any(traced(leaf) or asks_user(leaf) for leaf in pytrees.leaves(value))


def asks_user(value: Any) -> bool:
    """Whether comparing `value` runs a method that is written in Python."""
    return isinstance(getattr(type(value), "__eq__", None), types.FunctionType) and not isinstance(
        value, jax.Array
    )


def asks_for_order(key: Any) -> bool:
    """Whether putting `key` in order runs a function of the user's, which may answer with a tracer."""
    if isinstance(key, (tuple, list)):
        return any(map(asks_for_order, key))
    if isinstance(key, jax.Array):
        return False
    methods = (getattr(type(key), name, None) for name in ("__lt__", "__gt__"))
    return type(key) is COMPARING or any(isinstance(method, types.FunctionType) for method in methods)


COMPARING = type(functools.cmp_to_key(lambda a, b: 0))
"""The type of what `functools.cmp_to_key` makes."""
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
_COLLECTIONS = (tuple, list, dict, set)


def _is_number(value: Any) -> bool:
    return traced(value) and jnp.ndim(value) == 0


def _truth_of(value: Any) -> Thunk:
    return lambda: truth(value)


def _equals(item: Any, member: Any) -> Thunk:
    return lambda: item is member or truth(equal(member, item))


def in_(item: Any, container: Any) -> Any:
    """`item in container`. Raises TracedIndexError: the container has no array meaning for a traced item."""
    return number_types.pythons_bool(_contains(item, container))


def _contains(item: Any, container: Any) -> Any:
    if type(item) is OneOf or type(container) is OneOf:
        return on_each(in_, item, container, asks=True)
    item, container = unboxed(item), unboxed(container)
    if is_symbolic(item):
        item = symbolic_comparisons.size_as_array(item)
    if isinstance(container, (jax.Array, np.ndarray)) and (traced(item) or traced(container)):
        return jnp.any(jnp.asarray(container) == item)
    if isinstance(container, Selection):
        return METHODS["any"](container == item)
    known: Any = growing_lists.readable(container, "`in`")
    return list_methods.contains(known, item) if dynamic_length.is_dynamic(known) else _among(item, known)


def _among(item: Any, container: Any) -> Any:
    compared: bool = isinstance(container, _COMPARED)
    if not compared:
        contains = getattr(type(container), "__contains__", None)
        if isinstance(contains, types.FunctionType):
            return truth(contains(container, item))  # Python's `in` would ask a traced answer for its truth
        if isinstance(container, str):
            text_readers.refuse_texts((item,), in_)
        if traced(item) and not _has_own_contains(container):
            raise _no_membership(item, container)
        return item in container
    hashed: bool = isinstance(container, _HASHED)
    if hashed and not _holds_traced(item):
        try:
            # At once, however many members there are, and with the calls of `__eq__` that Python makes.
            return item in container
        except (TypeError, jax.errors.TracerBoolConversionError) as error:
            if "Tracer" not in str(error):
                raise
    elif not _decides((item, *(() if isinstance(container, range) else container))):
        return item in container
    if isinstance(container, range) and traced(item):
        inside = (item >= container.start) & (item < container.stop)
        if container.step < 0:
            inside = (item <= container.start) & (item > container.stop)
        return inside & ((item - container.start) % container.step == 0)
    result: Any = False
    for member in container:
        result = or_(result, _equals(item, member))
    return result


def _holds_traced(item: Any) -> bool:
    return type(item) not in _PLAIN and any(map(traced, pytrees.leaves(item)))


_HASHED: tuple[type, ...] = (set, frozenset, dict, type({}.keys()))
_COMPARED = (*_HASHED, tuple, list, range, collections.deque, type({}.values()))


def not_in(item: Any, container: Any) -> Any:
    """`item not in container`."""
    return not_(in_(item, container))


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": equal, "!=": not_equal,
    "in": in_, "not in": not_in, "is": _is, "is not": _is_not,
}  # fmt: skip


def _has_own_contains(container: Any) -> bool:
    return hasattr(type(container), "__contains__") and not isinstance(container, (str, bytes))


def _no_membership(item: Any, container: Any) -> TracedIndexError:
    return TracedIndexError(
        f"'in' is asked of a traced value, {describe(item)}, and {describe(container)}.",
        why="Whether a traced value is among the items can be computed for tuples, lists, sets, ranges and arrays.",
        fix="make the container a tuple or an array of numbers.",
    )
