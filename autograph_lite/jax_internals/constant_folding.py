"""Constant folding: which value has a result of a program that is being recorded, if it follows from Python's values alone?

    n = int(jnp.ceil(T / dt))             a number now, where `T` and `dt` are Python's
    A[~jnp.eye(n, dtype=bool)]            a mask of NumPy's
    if jnp.sum(x) > 0:                    not known: it follows from an input

It is computed when Python needs it, and not before: until then the recorded equations stay, and JAX drops those that nobody uses.
What an equation follows from is looked for once.
"""

from __future__ import annotations

import dis
import enum
import functools
import operator
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import jax
import numpy as np
from jax._src import core
from jax._src.interpreters import partial_eval

from autograph_lite.jax_internals.references import number_types, numpys_arrays, shape_errors, storages
from autograph_lite.jax_internals.references.float_errors import refuse_float_errors
from autograph_lite.jax_internals.references.vector_iterator import VectorIterator
from autograph_lite.tracing import changing, indexing, storing, thread


class Source(enum.IntEnum):
    """What a value follows from; of several, the last one counts.

    PYTHON values are numbers and arrays of NumPy's; a LOOP over them takes its time to compute. An array of JAX's that is
    CAPTURED is data, though a trace keeps it. An INPUT, or an effect, is different each time.
    """

    PYTHON = 0
    LOOP = 1
    CAPTURED = 2
    INPUT = 3


class _Fact(weakref.ref[Any]):
    """What an equation, which can't be hashed, follows from, for as long as the equation is there."""

    __slots__ = ("key", "source")
    key: int
    source: Source


_facts: dict[int, _Fact] = {}  # by the id of the equation
_KEPT = 1 << 28  # bytes of outputs at most, the last ones


class _Outputs(dict[int, Sequence[Any]]):
    """The outputs of equations that were computed, by their ids."""

    def __init__(self) -> None:
        self.bytes = 0

    def keep(self, key: int, outputs: Sequence[Any]) -> None:
        """Keeps the outputs of an equation."""
        self.drop(key)
        self[key] = outputs
        self.bytes += _size(outputs)

    def drop(self, key: int) -> None:
        """Drops them, if they are still there."""
        self.bytes -= _size(self.pop(key, ()))

    def make_room(self) -> None:
        """Drops the oldest ones where there are too many: they can be computed again."""
        while self.bytes > _KEPT and self:
            self.drop(next(iter(self)))


def _size(outputs: Sequence[Any]) -> int:
    return sum(getattr(each, "nbytes", 0) for each in outputs)


_outputs = _Outputs()


def follows_from(value: Any) -> Source:
    """What a value follows from in the programs that are being recorded."""
    found, path = _known(storages.latest_version(value)), list[_Step]()
    if isinstance(found, Source):
        return found
    while True:
        # Of most conditions this is known at once, or one equation further back: so the first one is not noted.
        if any(_known(one) is Source.INPUT for one in found.in_tracers):
            return _note([step.equation for step in path[1:]] + [found] * bool(path), Source.INPUT)
        path.append(_Step(found))
        while (found := path[-1].next_unknown()) is None:
            step = path.pop()
            source = max(step.source, _of_its_own(step.equation))
            if source is Source.INPUT:
                return _note([step.equation for step in path] + [step.equation], source)
            _note([step.equation], source)
            if not path:
                return source
            path[-1].source = max(path[-1].source, source)


class _Step:
    """An equation whose operands are looked at one after the other, and what those followed from so far."""

    def __init__(self, equation: Any) -> None:
        self.equation, self.operands = equation, iter(equation.in_tracers)
        self.source = Source.PYTHON

    def next_unknown(self) -> Any:
        """The equation of the next operand that is not known; None behind the last one."""
        for one in self.operands:
            found = _known(one)
            if not isinstance(found, Source):
                return found
            self.source = max(self.source, found)
        return None


def _note(equations: Sequence[Any], source: Source) -> Source:
    for equation in equations:
        fact = _Fact(equation, _forget)
        fact.key, fact.source = id(equation), source
        _facts[fact.key] = fact
    return source


def _forget(fact: _Fact) -> None:
    _facts.pop(fact.key, None)
    _outputs.drop(fact.key)


def _known(value: Any) -> Any:
    """What a value follows from, as far as that is known at once; else the equation that it comes from."""
    value = underlying_value(value)
    if not isinstance(value, core.Tracer):
        return (
            Source.PYTHON
            if isinstance(value, _PYTHON) or not isinstance(value, jax.Array)
            else Source.CAPTURED
        )
    equation = getattr(value, "parent", None)
    if equation is None:
        return Source.INPUT
    fact = _facts.get(id(equation))
    if fact is not None:
        return fact.source
    return equation if all(type(size) is int for size in getattr(value, "shape", ())) else Source.INPUT


_PYTHON = (np.ndarray, np.generic, bool, int, float, complex)  # asking for an array of JAX's takes longer


def underlying_value(value: Any) -> Any:
    """The constant of a program, or the value of a program around it, that a tracer stands for; else itself."""
    while isinstance(value, partial_eval.DynamicJaxprTracer) and value.parent is None:
        found: Any = value.get_const()
        if found is None:
            return value
        value = found
    return value


def _of_its_own(equation: Any) -> Source:
    """What the outputs of an equation follow from, beside its operands."""
    if equation.effects:
        return Source.INPUT
    found = Source.PYTHON
    for operands, each in _inside(equation, equation.in_tracers):
        jaxprs = [*core.jaxprs_in_params(each.params)]
        name = each.primitive.name
        # Without operands, others tell of the platform, the place in a mesh, or a symbolic size.
        if "callback" in name or not (operands or jaxprs or name == "iota"):
            return Source.INPUT
        if name in ("while", "scan"):
            found = max(found, Source.LOOP)
        held = [const for param in each.params.values() for const in getattr(param, "consts", ())]
        if any(isinstance(const, jax.Array) for const in held):
            found = max(found, Source.CAPTURED)
    return found


def _inside(equation: Any, operands: Sequence[Any]) -> Iterator[tuple[Sequence[Any], Any]]:
    """An equation and those that it calls, each with its operands."""
    yield operands, equation
    if equation.primitive.multiple_results:  # as each primitive has that runs a jaxpr
        for jaxpr in core.jaxprs_in_params(equation.params):
            for each in getattr(jaxpr, "jaxpr", jaxpr).eqns:
                yield from _inside(each, each.invars)


def constant_value(value: Any, most: Source = Source.LOOP) -> Any:
    """The value of a traced array as NumPy's, computed now; None where it may follow from more than `most`."""
    if not isinstance(value, core.Tracer) or follows_from(value) > most:
        return None
    try:
        return np.asarray(_computed(value))
    except Exception:  # whatever JAX raises here, it raises where the program computes it
        return None


def fold_constant(value: Any) -> Any:
    """What a value of a program always is, captured arrays being constants of it; itself where that is not known.

    jnp.zeros(x.shape) -> an array; x + 1 -> itself, as a call gives `x`
    """
    return value if follows_from(value) > Source.CAPTURED else _computed(value)


def _computed(value: Any) -> Any:
    value = storages.latest_version(value)
    for equation, operands in unknown_equations(value, _is_computed):
        _outputs.keep(id(equation), _run(equation, [_output(each) for each in operands]))
    found = _output(underlying_value(value))
    _outputs.make_room()
    return found


def unknown_equations(value: Any, is_known: Callable[[Any], bool]) -> Iterator[tuple[Any, list[Any]]]:
    """The equations that a value comes from, with their operands, up to what `is_known`; each before those that need it."""
    todo = [underlying_value(value)]
    while todo:
        if is_known(todo[-1]):
            todo.pop()
            continue
        equation = todo[-1].parent
        operands = [underlying_value(each) for each in equation.in_tracers]
        missing = [each for each in operands if not is_known(each)]
        todo += missing
        if not missing:
            yield equation, operands


def _is_computed(value: Any) -> bool:
    equation = getattr(value, "parent", None)
    return equation is None or id(equation) in _outputs


def _output(value: Any) -> Any:
    if not isinstance(value, core.Tracer):
        return value
    return _outputs[id(value.parent)][result_number(value)]


def result_number(value: Any) -> int:
    """Which of the results of its equation a traced value is."""
    return next(n for n, variable in enumerate(value.parent.outvars) if variable is value.val)


def _run(equation: Any, values: Sequence[Any]) -> Sequence[Any]:
    params = equation.primitive.get_bind_params(equation.params)
    with core.eval_context(), equation.ctx.manager:
        found = equation.primitive.bind(*values, **params)
    return found if equation.primitive.multiple_results else [found]


def drop_unused(trace: Any = None) -> None:
    """Lets JAX drop what nobody uses of a program that ends, the current one, where Python has taken values out of it."""
    frame = getattr(core.trace_ctx.trace if trace is None else trace, "frame", None)
    recorded: list[Any] = getattr(frame, "tracing_eqns", [])
    if _outputs and any(id(each) in _outputs for each in recorded):
        for number, each in enumerate(recorded):
            if isinstance(each, partial_eval.TracingEqn) and not each.effects:
                recorded[number] = weakref.ref(each)  # as in JAX's own traces that drop equations


_NEEDS_VALUE = core.concrete_or_error.__code__
_OF_MASKS = "expand_bool_indices"  # it refuses those that have no value


class FoldingTracer(partial_eval.DynamicJaxprTracer):
    """A value of a recorded program: Python gets the number that it is, where it asks and that is known."""

    __slots__ = ()
    __module__ = partial_eval.__name__  # a class of JAX's, to all who look at where it comes from

    def __getattr__(self, name: str) -> Any:
        try:
            return cast(Any, super()).__getattr__(name)
        except AttributeError:  # JAX names this class, which nobody has written
            if (refusal := numpys_arrays.not_there(self, name)) is not None:
                raise refusal from None
            raise AttributeError(f"'Array' object has no attribute '{name}'", name=name, obj=self) from None

    def to_concrete_value(self) -> Any:
        """The value, where JAX can't do without; it also asks whether there is one, of all that it converts."""
        caller = sys._getframe(1)
        if caller.f_code is _NEEDS_VALUE:
            return constant_value(self)
        asker = caller.f_back and caller.f_back.f_back  # through two functions of JAX's
        return constant_value(self) if asker and asker.f_code.co_name == _OF_MASKS else None

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        found, base = constant_value(self), cast(Any, super())
        if found is None:
            return base.__array__(*args, **kwargs)
        given = np.array(found, *args, **kwargs)
        given.flags.writeable = False  # a library's function that wrote to it would write to a copy
        return given

    def tolist(self) -> Any:
        """The value as Python's numbers, in lists."""
        found, base = constant_value(self), cast(Any, super())
        return base.tolist() if found is None else found.tolist()

    def __str__(self) -> str:
        found = constant_value(self)
        return super().__str__() if found is None else str(found[()])

    def __format__(self, spec: str) -> str:
        found = constant_value(self)
        return super().__format__(spec) if found is None else format(found[()], spec)

    def __setitem__(self, index: Any, value: Any) -> None:
        """A write by a function that is not converted, such as `random.shuffle`."""
        if thread.now.references is None or not isinstance(self.aval, core.ShapedArray):
            base: Any = super()
            base.__setitem__(index, value)  # JAX's error, or the write to a reference of JAX's
        else:
            storing[0](self, index, value)

    def __getitem__(self, index: Any) -> Any:
        base: Any = super()
        for check in indexing:
            check(self, index)
        return storages.as_indexed(base.__getitem__(index), self, index)

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None, **how: Any) -> Any:
        """The places of the items in order, as NumPy's method gives them, which NumPy's function calls."""
        base: Any = super()
        how["stable"] = how.get("stable") is not False
        return base.argsort(axis, order=order, **how)

    def __iter__(self) -> Iterator[Any]:
        base: Any = super()
        found, shape = base.__iter__(), getattr(self.aval, "shape", ())
        return VectorIterator(self, found) if len(shape) == 1 and thread.now.references else found


_PRIORITY = core.Tracer.__array_priority__


def _comparing(name: str) -> Callable[[Any, Any], Any]:
    """A comparison that takes ints of Python's which have more bits than the program's, `best = sys.maxsize`, as NumPy does."""
    jaxs, pythons = getattr(core.Tracer, name), getattr(operator, name)

    def compare(self: Any, other: Any) -> Any:
        # It answers, as for NumPy's arrays.
        if (
            getattr(type(other), "__array_ufunc__", True) is None
            or getattr(other, "__array_priority__", 0) > _PRIORITY
        ):
            return NotImplemented
        if type(other) is not int or (-(2**31) <= other < 2**31 and not numpys_arrays.is_beyond(self, other)):
            return jaxs(self, other)
        dtype = self.aval.dtype
        if jax.numpy.issubdtype(dtype, np.floating):
            return jaxs(self, float(other))
        kind = dtype.kind if isinstance(dtype, np.dtype) else "V"
        if kind not in "iub" or (kind != "b" and _info(dtype).min <= other <= _info(dtype).max):
            return jaxs(self, other)
        if (found := compared_with_long_literal[0](name, self, other)) is not None:
            return found
        return np.full(self.aval.shape, pythons(0, other))[()]

    return compare


# What a number of the text that has more than 32 bits becomes beside a number of the program, what a comparison of the two
# gives, None where that is known: `long_literals` puts them here; and what the power of two numbers is, which it is handed as
# JAX computes it.
with_long_literal: list[Callable[[Any, int], Any]] = []
compared_with_long_literal: list[Callable[[str, Any, int], Any]] = []
power_of_numbers: list[Callable[[Any, Any, Callable[[], Any]], Any]] = []
_info = functools.lru_cache(maxsize=32)(np.iinfo)
_COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
for _name in _COMPARISONS:
    setattr(FoldingTracer, _name, _comparing(_name))

# As JAX's own tracer is: else it is looked for among the bases, each time.
core.pytype_aval_mappings[FoldingTracer] = core.pytype_aval_mappings.get(
    partial_eval.DynamicJaxprTracer, operator.attrgetter("aval")
)


def _asking(name: str, convert: Callable[[Any], Any]) -> Any:
    """A method by which Python asks for a number."""
    otherwise = getattr(partial_eval.DynamicJaxprTracer, name)

    def ask(self: Any) -> Any:
        found = None if getattr(self.aval, "shape", ()) else constant_value(self)
        return otherwise(self) if found is None else convert(found[()])

    return ask


_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex, "__index__": operator.index,
    "__hex__": hex, "__oct__": oct,
}  # fmt: skip
for _name, _convert in _NUMBERS.items():
    setattr(FoldingTracer, _name, _asking(_name, _convert))


def _changing(symbol: str) -> Any:
    """A method by which Python changes an array in place, where it is one of NumPy's."""

    def change(self: Any, operand: Any) -> Any:
        known = thread.now.references
        if known is None:  # directly under `vmap` or `grad`, in the body of a loop
            return changing[0](self, symbol, operand)
        return known.change(self, symbol, operand)

    return change


def _after_numpys(symbol: str) -> Any:
    """A method that NumPy's array asks, whose operand is traced: `array += x` is no new array then."""
    otherwise = getattr(FoldingTracer, f"__r{symbol}__")

    def computed(self: Any, array: Any) -> Any:
        known = thread.now.references
        if known is not None and array.__class__ is np.ndarray and is_in_place(sys._getframe(1)):
            return known.change(array, symbol, self)
        return otherwise(self, array)

    return computed


def is_in_place(frame: Any) -> bool:
    """Whether the operation that a frame is at is one of `+=` and the like."""
    code = frame.f_code.co_code
    return bool(code[frame.f_lasti] == _BINARY and code[frame.f_lasti + 1] >= _FIRST_IN_PLACE)


_BINARY = dis.opmap["BINARY_OP"]
_FIRST_IN_PLACE = next(number for number, (_, shown) in enumerate(dis._nb_ops) if shown == "+=")  # type: ignore[attr-defined]
CHANGES = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip


def _taking_pythons(name: str) -> Any:
    """An operator that takes a list for an array, as NumPy's do, and beside a float an int that is too large for the program."""
    otherwise = number_types.in_types_of_numpy(getattr(FoldingTracer, name), name)
    divides = name in ("__truediv__", "__rtruediv__")
    by_it = name in ("__truediv__", "__floordiv__", "__mod__", "__divmod__")

    def operate(self: Any, other: Any) -> Any:
        refuse_float_errors(name, self, other)
        if by_it and other.__class__ in number_types.PYTHONS and not other:
            number_types.refuse_zero(self, name, other)
        if other.__class__ is int and not -(2**31) <= other < 2**31:
            if divides or jax.numpy.issubdtype(self.aval.dtype, np.inexact):
                other = float(other)
            elif self.aval.dtype == np.uint32 and 0 <= other < 2**32:
                other = np.uint32(other)  # JAX would take it for an int32
            elif name not in _COMPARISONS:
                other = with_long_literal[0](self, other)
        elif other.__class__ is int and not divides and name not in _COMPARISONS:
            numpys_arrays.refuse_beyond(self, other)
        elif other.__class__ in _LISTS and numpys_arrays.would_be_numpys(self) and not _repeats(self, name):
            other = jax.numpy.asarray(other)
        elif numpys_arrays.has_own_operators(type(other)) and numpys_arrays.would_be_numpys(self):
            raise numpys_arrays.other_array(other)
        try:
            return otherwise(self, other)
        except (TypeError, ValueError) as error:
            shape_errors.refuse_as_numpy(error, getattr(np.ndarray, name), self, other)
            raise

    return operate


def _power(name: str) -> Any:
    """`a ** b`, of ints of Python's one of these."""
    otherwise = getattr(FoldingTracer, name)
    if name == "__rpow__":
        return lambda self, base: power_of_numbers[0](base, self, lambda: otherwise(self, base))
    return lambda self, exponent: power_of_numbers[0](self, exponent, lambda: otherwise(self, exponent))


def _repeats(number: Any, name: str) -> bool:
    """Whether `n * [0]` is a longer list."""
    return name in ("__mul__", "__rmul__") and not number.ndim and number.dtype.kind in "iub"


_LISTS = frozenset({list, tuple, range})
for _name in (*(f"__{left}{_name}__" for left in ("", "r") for _name in (*CHANGES, "divmod")), *_COMPARISONS):
    setattr(FoldingTracer, _name, _taking_pythons(_name))
    if _name not in _COMPARISONS:
        setattr(FoldingTracer, _name, number_types.with_pythons_bools(getattr(FoldingTracer, _name), _name))
for _name in ("__neg__", "__invert__"):
    setattr(FoldingTracer, _name, number_types.with_pythons_bools(getattr(FoldingTracer, _name), _name))
for _name in ("__pow__", "__rpow__"):
    setattr(FoldingTracer, _name, _power(_name))
for _name in CHANGES:
    setattr(FoldingTracer, f"__i{_name}__", _changing(_name))
    setattr(FoldingTracer, f"__r{_name}__", _after_numpys(_name))
FoldingTracer.__hash__ = core.Tracer.__hash__  # type: ignore[method-assign]
