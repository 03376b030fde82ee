"""One trace of a function, to look at and to call: what `Function.get_concrete_function` gives.

cf = step.get_concrete_function(ArraySpec([3], "float32"), n=2)
cf.function_type         (x: float32[3], n: Literal[2]) -> float32[3]
cf(x)                    runs it; literals are fixed: cf(x, n=3) is a TypeError
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.export

from autograph_lite.errors import CopyError
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.state import buffer_donation, function_copies
from autograph_lite.runtime.state.variable import Variable
from autograph_lite.runtime.tracing.jax_export import exported
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.types.array_spec import ArraySpec, specs_in
from autograph_lite.runtime.types.function_type import FunctionType, Slot
from autograph_lite.runtime.types.structure import from_value
from autograph_lite.runtime.types.trace_type import TraceType, TracingContext, VariableType


class ConcreteFunction:
    """A function traced for one type of calls.

    It is made by `Function.get_concrete_function` and `Function.concrete_functions`.

    Attributes:
      name: of the function.
      signature: of the function.
      trace: what it runs.
      given: the instance, where it is the method of one that is a structure; it is read at each call.
    """

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        trace: Trace,
        owner: Callable[[], Any],
        copies: Mapping[int, Variable] | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        self.name, self.given = name, given
        self.signature, self.trace, self._owner = signature, trace, owner
        self._objects = trace.objects()  # which the trace itself does not keep alive
        self._copies = dict(copies or {})  # Variables of its own, by the ids of those that were traced

    @property
    def _program(self) -> Program:
        return self.trace.main

    @property
    def function_type(self) -> inspect.Signature:
        """The types of its arguments, and of what it returns, as annotations."""
        kind = self.trace.function_type
        return kind.returning(from_value(self.structured_outputs, TracingContext(specs=True)))

    @property
    def jaxpr(self) -> Any:
        """The program as JAX traced it: the arrays of the arguments, then those of the state, are its inputs.

        Raises:
          TypeError: an argument is of any rank, and there is a program for each.
        """
        if not self._ranks_are_known:
            kind = self.trace.function_type
            raise TypeError(
                f"{self.name}{kind} has a program for each rank: ask for a concrete function of a known one, "
                "as in ArraySpec((None, 3), 'float32'), where None is any size."
            )
        return self._program.jaxpr

    @property
    def known_jaxpr(self) -> Any:
        """The jaxpr, if it is known without tracing anything; else None."""
        traced = self._ranks_are_known and (self._program.traced or self._program.symbolic) is not None
        return self._program.jaxpr if traced else None

    def _repr_html_(self) -> str:
        from autograph_lite.runtime.explaining import notebook_summaries

        return notebook_summaries.of_concrete(self)

    def __eq__(self, other: object) -> bool:
        """Whether both run one trace, on the same Variables."""
        if not isinstance(other, ConcreteFunction):
            return NotImplemented
        copies = [{name: id(variable) for name, variable in each._copies.items()} for each in (self, other)]
        same = [*map(id, self.given)] == [*map(id, other.given)]
        return self.trace is other.trace and same and copies[0] == copies[1]

    def __hash__(self) -> int:
        return hash(self.trace)

    @property
    def equation_count(self) -> int:
        """How many equations the program has, those of loops' and branches' bodies included."""
        return sum(1 for _ in recorded_equations.equations(self.jaxpr))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The Variables that it reads or writes."""
        return tuple(self._copies.get(id(v), v) for v in self.trace.state.variables)

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of them that are trainable."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def captures(self) -> tuple[Any, ...]:
        """The arrays from globals, closures and attributes that are part of the program: their values, as of the trace."""
        return tuple(self._program.jaxpr.consts)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The types of the arguments: the positional ones, and the keywords."""
        kind = self.trace.function_type
        rows = list(zip(kind.parameters.values(), kind.types, strict=True))
        positional = tuple(type for p, type in rows if p.kind is not p.KEYWORD_ONLY)
        return positional, {p.name: type for p, type in rows if p.kind is p.KEYWORD_ONLY}

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with an `ArraySpec` in place of each array; one of any rank, where an argument is of any."""
        return self._program.output_types(ArraySpec.from_array if self._ranks_are_known else _of_any_rank)

    @property
    def _ranks_are_known(self) -> bool:
        return all(spec.shape is not None for spec in specs_in(self.trace.function_type.types))

    def lower(self) -> Any:
        """The program as `jax.stages.Lowered`: `lower().as_text()` is its StableHLO.

        Raises:
          TypeError: sizes of its arguments are not known.
        """
        arrays = self._sized()
        return self._program.jit_for(arrays).lower(*arrays, *self._program.held)

    def lowered_text(self) -> str:
        """The program's StableHLO."""
        return str(self.lower().as_text())

    def compiled_text(self) -> str:
        """The program as XLA has optimised it."""
        return str(self.lower().compile().as_text())

    def cost_analysis(self) -> dict[str, Any]:
        """XLA's estimate of what a call costs: 'flops', 'bytes accessed' and others, where the platform tells them."""
        found = self.lower().compile().cost_analysis()
        return dict(found[0] if isinstance(found, list) else found or {})

    def export(self, platforms: Sequence[str] | None = None) -> jax.export.Exported:
        """The program as `jax.export.Exported`, which JAX calls and serializes without this package.

        Its inputs are those of `jaxpr`, flat, but for the arrays of the instance of a method, which are part of it as they are
        now; its outputs the arrays of the result, the new values of Variables and what the checks found. `autograph_lite.save`
        writes the rest, too: structures, literals, Variables.

        Args:
          platforms: "cpu", "cuda", "tpu", ...; by default the one at hand.

        Raises:
          SaveError: it calls Python, or changes objects that are no Variables.
        """
        alone = self.alone()
        return exported(alone.name, alone.trace, platforms)

    def _sized(self) -> list[Any]:
        specs = specs_in(self.trace.function_type.types)
        if any(spec.is_general for spec in specs):
            raise TypeError(
                f"XLA compiles programs for known sizes, and '{self.name}' is traced for any: {specs}."
            )
        return [spec.placeholder() for spec in specs]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the trace; literals may be left out.

        Raises:
          TypeError: an argument is not of the type that it was traced for.
        """
        bound = self._bind((*self.given, *args), kwargs)
        kind = self.trace.function_type
        found = FunctionType.from_bound(self.signature, bound, TracingContext())
        if not found.is_subtype_of(kind):
            raise TypeError(f"{self.name}: {'; '.join(found.differences(kind))}.")
        arrays, variables = kind.arrays(bound), kind.variables(bound)
        try:
            return self.trace(arrays, variables, self._copies, values=lambda: kind.values(bound))
        except (RuntimeError, ValueError) as error:
            held = [variable.held for variable in self.variables]
            explained = buffer_donation.explain_donation(
                error, self.name, kind, arrays, self.trace.donated, held
            )
            if explained is None:
                raise
        raise explained from None

    def __copy__(self) -> ConcreteFunction:
        """The same program, of the same Variables."""
        return self._with(self._copies, self.given)

    def _with(self, copies: Mapping[int, Variable], given: tuple[Any, ...]) -> ConcreteFunction:
        return ConcreteFunction(self.name, self.signature, self.trace, self._owner, copies, given)

    def bound(self, instance: Any) -> ConcreteFunction:
        """The same as the method of an instance, of the type that the first argument has."""
        return self._with(self._copies, (instance,))

    def alone(self) -> ConcreteFunction:
        """The method of its instance as that is now, whose arrays are part of the program; itself, if it is no such method."""
        if not self.given:
            return self
        owner = self._owner()
        method = owner.of(types.MethodType(owner.python_function, *self.given))
        made: ConcreteFunction = method.concrete_of(self.trace.function_type.without_first())
        return made

    def takes(self, instance: Any) -> bool:
        """Whether an instance may be the first argument."""
        kinds = self.trace.function_type.types
        return bool(kinds) and from_value(instance, TracingContext()).is_subtype_of(kinds[0])

    def __deepcopy__(self, memo: function_copies.Memo) -> ConcreteFunction:
        """The same program, with copies of the Variables.

        Raises:
          CopyError: it changes other objects, which are those of the trace.
        """
        if not self.trace.state.is_ours:
            raise _tied(self.name, self.trace)
        originals = [variable for variable in self.trace.state.variables if not variable.stands_in]
        pairs = zip(originals, map(self.current, originals), strict=True)
        copies = {id(original): copy.deepcopy(now, memo) for original, now in pairs}
        return self._with(copies, function_copies.deep_copy(self.given, memo))

    def clone(self) -> ConcreteFunction:
        """The same program, with copies of the Variables: `copy.deepcopy` of this one."""
        return copy.deepcopy(self)

    def __reduce__(self) -> Any:
        # The function is traced again where it is unpickled: a program without its function is what `save` writes.
        return _traced_again, (self._owner(), self.trace.function_type, self.given)

    def current(self, variable: Variable) -> Variable:
        """The Variable that it uses in the place of one that was traced."""
        return self._copies.get(id(variable), variable)

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        try:
            bound = self.signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from None
        given = dict(bound.arguments)
        for slot, type in self.trace.function_type.items():
            if slot.parameter not in given:
                given[slot.parameter] = self._fixed(slot, type)
        empty: dict[str, Any] = {"VAR_POSITIONAL": (), "VAR_KEYWORD": {}}
        parameters = self.signature.parameters.items()
        ordered = {name: given.get(name, empty.get(parameter.kind.name)) for name, parameter in parameters}
        return inspect.BoundArguments(self.signature, ordered)

    def _fixed(self, slot: Slot, type: TraceType) -> Any:
        default = self.signature.parameters[slot.parameter].default
        if slot.key is None and default is not inspect.Parameter.empty and specs_in([type]):
            return default
        if slot.key is not None or specs_in([type]) or isinstance(type, VariableType):
            raise TypeError(f"{self.name}: missing a required argument: '{slot.name}'")
        return type.placeholder_value(_NoArrays())

    def __repr__(self) -> str:
        return f"<autograph_lite.ConcreteFunction {self.name}{self.trace.function_type}>"

    def pretty_printed_signature(self) -> str:
        """The types of the arguments, of the result and of what is captured, a line each."""
        kind = self.trace.function_type
        lines = [f"{self.name}{inspect.signature(self._unannotated())}", "Arguments:"]
        lines += [f"  {p.name} ({p.kind.name}): {p.annotation}" for p in kind.parameters.values()]
        lines += ["Returns:", f"  {self.structured_outputs!r}"]
        if self.variables:
            lines += [
                "Variables:",
                *(f"  {v.name or 'Variable'}: {v.dtype}{list(v.shape)}" for v in self.variables),
            ]
        if self.captures:
            lines += ["Captures:", *(f"  {ArraySpec.from_array(array)}" for array in self.captures)]
        return "\n".join(lines)

    def _unannotated(self) -> Callable[..., Any]:
        def function() -> None: ...

        parameters = [p.replace(annotation=p.empty) for p in self.trace.function_type.parameters.values()]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return function


def _tied(name: str, trace: Trace) -> CopyError:
    places = [place.label(key) for place, key in trace.state.places if not place.ours]
    return CopyError(
        f"A trace of '{name}' is copied that changes {', '.join(map(repr, places))}.",
        where=source_places.line_of_function(trace.fn),
        why="The trace writes to the objects that it was made with, so that a copy would not be independent.",
        fix="copy the function, or hold the value in an autograph_lite.Variable.",
    )


def _of_any_rank(array: Any) -> ArraySpec:
    """The type of an output whose rank that of an argument decides: the program at hand is for one rank."""
    return dataclasses.replace(ArraySpec.from_array(array), shape=None)


def _traced_again(function: Any, kind: FunctionType, given: tuple[Any, ...]) -> ConcreteFunction:
    made: ConcreteFunction = function.concrete_of(kind)
    return made.bound(*given) if given else made


class _NoArrays:
    """Gives no placeholders: for types of literals, which need none."""

    def array(self, spec: Any) -> Any:
        raise AssertionError(spec)

    def variable(self, type: Any) -> Any:
        raise AssertionError(type)
