"""Truth: when does a value count as true, and when has JAX to find out?"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph_lite.errors import ConditionError, PythonOnlyError
from autograph_lite.jax_internals import symbolic_comparisons
from autograph_lite.jax_internals.references import number_types
from autograph_lite.operators.lists import dynamic_length, growing_lists
from autograph_lite.operators.ragged.selection import Selection
from autograph_lite.operators.trace_context import path_facts
from autograph_lite.operators.user_code import source_places
from autograph_lite.operators.values import pytrees
from autograph_lite.operators.values.boxes import Box
from autograph_lite.operators.values.one_of import OneOf, on_each
from autograph_lite.operators.values.values import Tracer, describe, fold_test, is_symbolic, traced
from autograph_lite.syntax.source_text.compiling import parse_expression


def truth(value: Any) -> Any:
    """Whether `value` is true: a traced scalar bool, or a bool. Raises ConditionError: the value has several elements."""
    value = python_truth(value)
    if not traced(value):
        return bool(value)
    if value.shape != ():
        if value.size == 1:
            value = value.reshape(())
        else:
            raise _ambiguous(value, source_places.expression())
    return value if value.dtype == bool else value != 0


def operand(value: Any, after: int = 0) -> Any:
    """`value`, a tested operand with `after` others after it. Raises ConditionError if it has several elements."""
    if isinstance(value, jax.Array) and value.size != 1:
        raise _ambiguous(value, _part(f"({source_places.expression()})", after))
    return value


def _ambiguous(value: Any, test: str) -> ConditionError:
    return ConditionError(
        f"The condition {test!r} is an array: {describe(value)}.",
        why="The truth of an array with more or less than one element is ambiguous.",
        fix="say which is meant: jnp.any(...) or jnp.all(...).",
    )


def _part(text: str, after: int) -> str:
    """The operand that an expression tests, in the user's spelling; the whole expression where it has no such operand."""
    whole = text[1:-1]
    try:
        tree = parse_expression(text)
    except SyntaxError:
        return whole
    match tree:
        case ast.IfExp(test=tested) | ast.UnaryOp(op=ast.Not(), operand=tested):
            return ast.get_source_segment(text, tested) or whole
        case ast.BoolOp(values=values) if after < len(values):
            return ast.get_source_segment(text, values[-1 - after]) or whole
        case ast.Compare(left=left, ops=ops, comparators=comparators) if after < len(ops):
            at = len(ops) - 1 - after
            return ast.unparse(ast.Compare([left, *comparators][at], [ops[at]], [comparators[at]]))
    return whole


def python_truth(value: Any) -> Any:
    """`value`, or what is as true: of a list that grows in a staged loop, whether it will hold anything then.

    Of an object with a `__bool__` of the user's, or a `__len__`, it is the answer, which may be traced, where Python wants a
    bool or an int; of a symbolic size, whether it is zero.
    """
    if isinstance(value, Tracer):
        return number_types.test_of(value)
    if type(value) is OneOf:
        return on_each(truth, value, asks=True)
    if is_symbolic(value):
        zero = symbolic_comparisons.sizes_equal(value, 0)
        return not zero if isinstance(zero, bool) else jnp.logical_not(zero)
    if isinstance(value, Box):
        return value.read()
    own = getattr(type(value), "__bool__", None)
    if isinstance(own, types.FunctionType) and not isinstance(value, jax.Array) and not traced(value):
        answer = own(value)
        return answer if traced(answer) or isinstance(answer, bool) else bool(value)  # Python's own error
    sized = getattr(type(value), "__len__", None) if own is None else None
    if isinstance(sized, types.FunctionType):
        length = sized(dynamic_length.known_inside(value))
        return length if traced(length) else bool(Sized(length))
    items: Any = value
    if dynamic_length.is_dynamic(items):
        return dynamic_length.dynamic_truth(items)
    return growing_lists.growing_truth(items) if type(items) is list else items


class Sized:
    """Something whose length is known, for Python's own errors."""

    def __init__(self, length: Any) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length  # type: ignore[no-any-return]


def python_test(value: Any) -> Any:
    """`value`, tested where only Python can decide. Raises PythonOnlyError: the value is traced."""
    if traced(value):
        value = fold_test(value)
    if traced(value):
        raise PythonOnlyError(
            f"A traced value, {describe(value)}, decides where only Python can.",
            why=_why_python(frame := source_places.user_frame()),
            fix=_instead(frame),
        )
    return value


def python_structure(value: Any, deep: bool, sequences: int = 0) -> Any:
    """`value`, the subject of a `match` that asks Python for its class or its items; with `deep`, of what is in it, too.

    With `sequences`, its items are asked for, and with 2, those of the items: an array has some where those of NumPy's have, as
    they do from NumPy 2.5 on.

    Raises:
      PythonOnlyError: a traced value decides which of several it is, or how many items it has, or items of an array's items
        are asked for.
    """
    value = path_facts.narrow(value)
    is_array = isinstance(value, jax.Array)
    if _ARRAYS_MATCH and sequences > 1 and any(map(_has_axes, value if is_array else _inside(value, []))):
        raise PythonOnlyError(
            "`match` asks for the items of what is in a value, and there is a traced array.",
            why="To NumPy, an array is a sequence, too.",
            fix="match the parts one by one, or ask for their shapes.",
        )
    if sequences and isinstance(value, Selection):
        raise PythonOnlyError(
            "`match` asks for the items of a part of an array whose length a traced value decides.",
            why="Python has to know how many items it has.",
            fix="compare its `len` in an `if`.",
        )
    found = next((item for item in (_inside(value, []) if deep else [value]) if type(item) is OneOf), None)
    if found is not None:
        raise PythonOnlyError(
            f"`match` asks for the structure of a value that is {found!r}.",
            why="A traced value decides which it is, and Python has to know its class, and how many items it has.",
            fix="ask with `isinstance` in an `if`, or match each of them where it is made.",
        )
    return _Items(value) if sequences and is_array and value.ndim and _ARRAYS_MATCH else value


def _has_axes(value: Any) -> bool:
    return isinstance(value, jax.Array) and bool(value.ndim)


def _arrays_match() -> bool:
    match np.zeros(1):
        case [_]:
            return True
    return False


_ARRAYS_MATCH = _arrays_match()


class _Items(Sequence[Any]):
    """The items of an array along its first axis, which `match` takes for a sequence."""

    def __init__(self, array: jax.Array) -> None:
        self.array = array

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array)

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: Any) -> Any:
        return self.array[index]


def _inside(value: Any, around: list[Any]) -> Iterator[Any]:
    """What is in a value, and in the attributes of objects there."""
    for leaf in pytrees.leaves(value, lambda node: type(node) is OneOf):
        yield leaf
        if isinstance(held := getattr(leaf, "__dict__", None), dict) and all(
            leaf is not other for other in around
        ):
            for item in held.values():
                yield from _inside(item, [*around, leaf])


def _why_python(frame: types.FrameType | None) -> str:
    """What keeps the function that is running from being staged."""
    flags = frame.f_code.co_flags if frame is not None else 0
    name = source_places.function_name(frame.f_code) if frame is not None else "it"
    if flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
        return (
            f"'{name}' is a generator: it suspends between its statements, so none of them can be compiled, but where the "
            "header of a `for` calls it, and no `yield` stands in `try`, `with` or an expression."
        )
    if flags & inspect.CO_COROUTINE:
        return (
            f"'{name}' is a coroutine: it suspends between its statements, so none of them can be compiled."
        )
    if frame is not None and not flags & inspect.CO_OPTIMIZED:
        return f"'{name}' is a class, whose body runs as Python."
    return "Functions that jump out of `finally` or read their own frame, and operands that bind a name, run as Python."


def _instead(frame: types.FrameType | None) -> str:
    """What to write in place of a decision of Python's."""
    if frame is not None and frame.f_code.co_flags & inspect.CO_GENERATOR:
        name = source_places.function_name(frame.f_code)
        items = "x" if name == "__iter__" else f"{name}(...)"
        return f"take its items by `for item in {items}:`; or write the decision with jnp.where."
    return "move the decision into a plain function, or write it with jnp.where."
