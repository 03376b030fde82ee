"""Eager views: which concrete arrays would share memory in NumPy, where JAX computes at once and nothing is recorded?

    row = x[1]                 a `slice` and a `squeeze` of `x`, as in a program: each is noted as JAX carries it out
    row[0] = 7                 so that whoever reads `x` later is known

What is noted lives as long as the array that it has made. Where this JAX does not tell, all arrays of a type may share memory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import types
import weakref
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core, source_info_util
from jax._src.interpreters import partial_eval

from autograph_lite.jax_internals.references import view_equations


class Memory:
    """What a view and the array that it was taken from have in common, as long as one of them is there."""


@dataclasses.dataclass(eq=False)
class Equation:
    """An operation that has made a view, as far as `view_equations` asks for it."""

    primitive: Any
    params: dict[str, Any]
    in_tracers: list[Any]  # the first operand without its items
    outvars: list[Any]
    source_info: Any


@dataclasses.dataclass(eq=False)
class Shape:
    """An array without its items: what is of it stays to be known when it is gone."""

    aval: Any
    parent: Equation | None
    number: int  # which of the equation's results it is
    memory: Memory

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.aval.shape)


_UNKNOWN = types.SimpleNamespace(name="", multiple_results=False)  # what nobody knows the positions of
_known: dict[int, tuple[weakref.ref[Any], Shape]] = {}
_Base: Any = core.EvalTrace


class NotingTrace(_Base):  # type: ignore[misc]
    """JAX's computing at once, which notes views."""

    def process_primitive(self, primitive: Any, args: Any, params: Any, /) -> Any:
        """The results of an operation."""
        base: Any = super()
        found = base.process_primitive(primitive, args, params)
        if primitive.name in view_equations.NAMES:
            _note(primitive, args, params, found)
        return found


def note_views() -> None:
    """To be called before converted code runs for the first time: from now on, views are noted."""
    trace: Any = core.eval_trace
    if trace.__class__ is _Base:
        trace.__class__ = NotingTrace


def in_sight(fn: Any) -> Any:
    """`fn`, which JAX compiles, so that what it does is noted where JAX computes at once."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        with jax.disable_jit() if not _is_recorded() else contextlib.nullcontext():
            return fn(*args, **kwargs)

    return run


def _is_recorded() -> bool:
    """Whether a program is being recorded here; around a derivative or a lane one may be."""
    return isinstance(core.trace_ctx.trace, partial_eval.DynamicJaxprTrace)


def _note(primitive: Any, args: Any, params: Any, found: Any) -> None:
    # A derivative in the direction of one of NumPy's arrays computes with that one.
    if not args or not isinstance(args[0], (jax.Array, np.ndarray)) or isinstance(args[0], core.Tracer):
        return
    results = found if primitive.multiple_results else [found]
    if primitive.name == "gather" and view_equations.is_of_lanes(args):
        note_view(found, args[0])
        return
    base = shape_of(args[0])
    avals = [Shape(core.typeof(each), None, 0, base.memory) for each in results]
    equation = Equation(primitive, params, [base, *args[1:]], avals, source_info_util.current())
    if not view_equations.gives_view(equation):
        if primitive.name in view_equations.CALLS and params["name"].lstrip("_") in view_equations.VIEWING:
            _note_results(args, params["jaxpr"].jaxpr, results)
        return
    for number, each in enumerate(results):
        if (
            each is not args[0]
            and isinstance(each, jax.Array)
            and (each.ndim or view_equations.gives_cell(equation))
        ):
            _keep(each, Shape(core.typeof(each), equation, number, base.memory))


def _note_results(operands: Any, jaxpr: Any, results: Any) -> None:
    """Notes those results of a compiled function that are views of its operands; of a derivative it has each of them twice."""
    for number, each in enumerate(results):
        place = view_equations.viewed_operand(jaxpr, number)
        if place is not None and each.ndim:
            note_view(each, operands[place])


def note_view(part: Any, whole: Any) -> None:
    """Notes that an array is a view of another one, of items that nobody knows."""
    if (
        isinstance(part, jax.Array)
        and not isinstance(part, core.Tracer)
        and not isinstance(whole, core.Tracer)
    ):
        base = shape_of(whole)
        _keep(part, Shape(core.typeof(part), Equation(_UNKNOWN, {}, [base], [], None), 0, base.memory))


def note_written(array: Any, new: Any) -> None:
    """Notes that a concrete array has got other items, and is the `new` one: it is where it was."""
    if isinstance(new, jax.Array) and not isinstance(new, core.Tracer) and not isinstance(array, core.Tracer):
        aval = core.typeof(new)
        shape = Shape(aval, None, 0, Memory()) if isinstance(array, np.ndarray) else shape_of(array)
        is_same = shape.aval.shape == aval.shape  # or has become that of many lanes
        _keep(
            new, shape if is_same else Shape(aval, Equation(_UNKNOWN, {}, [shape], [], None), 0, shape.memory)
        )


def shape_of(array: Any) -> Shape:
    """What is known of a concrete array."""
    if isinstance(array, np.ndarray):
        return Shape(core.typeof(array), Equation(_UNKNOWN, {}, [], [], None), 0, memory_of(array))
    known = _known.get(id(array))
    if known is not None and known[0]() is array:
        return known[1]
    return _keep(array, Shape(core.typeof(array), None, 0, Memory()))


@functools.cache
def _memory_of_numpys(shape: tuple[int, ...], dtype: Any) -> Memory:
    """That of all NumPy's arrays of a kind: JAX computes with another copy of them each time, so that it tells no more."""
    return Memory()


def _keep(array: Any, shape: Shape) -> Shape:
    key = id(array)
    _known[key] = weakref.ref(array, lambda _: _known.pop(key, None)), shape
    return shape


def memory_of(array: Any) -> Any:
    """The memory of a concrete array that is a view, or has one; None of any other."""
    if isinstance(array, np.ndarray):
        return _memory_of_numpys(array.shape, jax.dtypes.canonicalize_dtype(array.dtype))
    known = _known.get(id(array))
    return known[1].memory if known is not None and known[0]() is array else None


def may_share_memory(array: Any, index: Any, other: Any) -> bool:
    """Whether the items of a concrete array at an index may lie in the memory of another one."""
    if isinstance(array, np.ndarray) and isinstance(other, np.ndarray):
        return np.may_share_memory(array, other)
    if not is_told():
        return bool(array.dtype == other.dtype)
    memory = memory_of(array)
    if memory is None or memory_of(other) is not memory:
        return array is other
    if array is other and index is ...:
        return True
    one, two = concrete_positions(array, index), concrete_positions(other)
    return one is None or two is None or bool(np.isin(one, two).any())


@functools.cache
def is_told() -> bool:
    """Whether this JAX tells which views it makes."""
    note_views()
    with core.eval_context():
        whole = jnp.zeros((2, 2))
        part = whole[1]
    return memory_of(part) is not None and memory_of(part) is memory_of(whole)


def concrete_positions(array: Any, index: Any = ...) -> Any:
    """Where the items of a concrete array at an index lie in the one that it is a view of: `positions_after`."""
    shape = shape_of(array)
    steps: list[tuple[Any, int]] = []
    while shape.parent is not None:
        if not shape.parent.in_tracers:
            return None  # one of NumPy's
        steps.append((shape.parent, shape.number))
        shape = shape.parent.in_tracers[0]
    return positions_after(steps, shape.aval.shape, index)


def positions_after(steps: Sequence[tuple[Any, int]], shape: Any, index: Any) -> Any:
    """Where the items of a view at an index lie in the array that it is one of, as an array of numbers; None where nobody knows.

    Args:
      steps: the equations that have made the view, the last one first, and which of their results it is.
      shape: of the array.
      index: which items are meant.
    """
    try:
        with core.eval_context():
            found = jnp.arange(math.prod(shape), dtype=np.int32).reshape(shape)
            for equation, number in reversed(steps):
                found = _step(equation, found, number)
            return np.asarray(found)[index]
    except (AttributeError, TypeError, IndexError, NotImplementedError):
        return None


def _step(equation: Any, base: Any, number: int) -> Any:
    """The positions in one of the results of an equation, by those in its operand."""
    if equation.primitive.name in ("real", "imag", "convert_element_type"):
        return base
    if equation.primitive.name in view_equations.CALLS:
        # Compiled for items of another type: one operation after the other.
        closed = equation.params["jaxpr"]
        if equation.params["name"] == "np.ndarray.view" or len(closed.jaxpr.invars) != len(
            equation.in_tracers
        ):
            raise NotImplementedError("Items of another size lie elsewhere.")
        return core.eval_jaxpr(closed.jaxpr, closed.consts, base, *equation.in_tracers[1:])[number]
    params = equation.primitive.get_bind_params(equation.params)
    found = equation.primitive.bind(base, *equation.in_tracers[1:], **params)
    return found[number] if equation.primitive.multiple_results else found
