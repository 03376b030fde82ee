"""Tracer leaks: does a traced value leave a call inside an object that the program can't fill in afterwards?

Arrays in lists, dicts, tuples and registered pytrees come out of a compiled program. A value in an attribute of a new
object, or in the closure of a function, would stay a tracer: it is refused where it would leave.
"""

from __future__ import annotations

import collections
import functools
import gc
import types
from collections.abc import ItemsView, Iterable, Iterator, ValuesView
from typing import Any

import jax
import numpy as np

from autograph_lite.converters.python_ops import assigned
from autograph_lite.errors import MutationError, PythonOnlyError
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.checks import traced_text
from autograph_lite.operators.object_graph import held_items
from autograph_lite.operators.values import instances
from autograph_lite.operators.values.values import Tracer, is_symbolic
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.syntax import codes

LEAVES = (
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    type,
    types.ModuleType,
    types.CodeType,
    np.ndarray,
    np.generic,
)


def refuse_hidden(values: Iterable[Any], what: str, *, returned: bool = False) -> None:
    """Raises MutationError if a traced value is hidden in one of `values`, which are no arrays.

    Args:
      values: leaves of pytrees.
      what: what they are, for the message.
      returned: whether Variables among them are those of the call; inside of another object, they are refused.
    """
    for item, holder in _walk(values):
        if isinstance(item, Variable) and item.stands_in and not (returned and item is holder):
            raise _of_the_call(what)
        if isinstance(item, traced_text.Text):
            raise _unknown_text(item, what)
        if is_symbolic(item) or (isinstance(item, jax.Array) and tracing_state.is_of_this_trace(item)):
            raise _hidden(holder, what)


def is_hidden_in(values: Iterable[Any]) -> bool:
    """Whether a traced value is one of `values`, or hidden in one."""
    return any(isinstance(item, Tracer) or is_symbolic(item) for item, _ in _walk(values))


def _walk(values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """What `values` are and hold, each with the object whose array it is."""
    todo = [(value, value) for value in values]
    seen: set[int] = set()
    while todo:
        item, holder = todo.pop()
        if (isinstance(item, LEAVES) and not isinstance(item, traced_text.Text)) or id(item) in seen:
            continue
        yield item, holder
        if isinstance(item, jax.Array):
            continue
        seen.add(id(item))
        if held_items.are_all(item, _is_leaf):
            continue
        inner = map(assigned, _inside(item))  # a function may hold a variable that may be unassigned
        todo += [(inside, item if isinstance(inside, jax.Array) else holder) for inside in inner]


def _is_leaf(kind: type) -> bool:
    return issubclass(kind, LEAVES) and not issubclass(kind, traced_text.Text)


def _inside(item: Any) -> list[Any]:
    match item:
        case types.FunctionType():
            return [*codes.closure_variables(item).values(), *codes.defaults(item)]
        case types.MethodType():
            return [item.__self__, item.__func__]
        case functools.partial():
            return [item.func, *item.args, *item.keywords.values()]
        case dict():
            return [*item.values(), *_of_subclass(item)]
        case list() | tuple() | set() | frozenset() | collections.deque():
            return [*item, *_of_subclass(item)]
        case BaseException():
            return [*item.args, *(instances.attributes_of(item) or {}).values()]
        case types.GeneratorType() if item.gi_frame is not None:
            return [*item.gi_frame.f_locals.values()]
    if isinstance(item, (Iterator, ItemsView, ValuesView)) and type(item).__module__ in (
        "builtins",
        "itertools",
    ):
        return gc.get_referents(item)
    return _attributes(item)


def _of_subclass(item: Any) -> list[Any]:
    """The attributes of a container, which only one of a subclass has."""
    return [] if type(item).__module__ == "builtins" else _attributes(item)


def _attributes(item: Any) -> list[Any]:
    """What an object holds; of an object of C's, too."""
    held = [value for base in type(item).__mro__ for value in vars(base).values()]
    slots = [slot for slot in held if isinstance(slot, types.MemberDescriptorType)]
    found = [*(instances.attributes_of(item) or {}).values()]
    for slot in slots:
        try:
            found.append(slot.__get__(item))
        except (AttributeError, TypeError):
            continue
    return found


def _unknown_text(text: traced_text.Text, what: str) -> PythonOnlyError:
    return PythonOnlyError(
        f"{what} is text with the value of a traced array in it, {str.__str__(text)!r}.",
        where=text.place,
        why="The text is made while tracing, when the value is not known, and a compiled program has no text.",
        fix="return the value, and make the text of the result.",
    )


def _of_the_call(what: str) -> MutationError:
    return MutationError(
        f"{what} holds a Variable that was passed as an argument.",
        why="The program is the same for whatever Variable is passed, and each call would have to keep another.",
        fix="keep the Variable in the object before the call, or return it.",
    )


def _hidden(holder: Any, what: str) -> MutationError:
    name = getattr(holder, "__qualname__", None) or f"a {type(holder).__name__} object"
    return MutationError(
        f"{what} holds a traced value inside {name}.",
        why="A compiled program gives back arrays in lists, dicts, tuples and registered pytrees; elsewhere a tracer would stay.",
        fix="return the arrays themselves, or register the class as a pytree with jax.tree_util.register_dataclass.",
    )
