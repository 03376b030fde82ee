"""Export: what is a traced program as `jax.export.Exported`, which JAX calls and serializes without this package?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax import export
from jax.extend.core import jaxpr_as_fun

from autograph_lite.errors import Location, SaveError
from autograph_lite.jax_internals import recorded_equations
from autograph_lite.operators.user_code import source_places
from autograph_lite.runtime.host.host_calls import HostCall
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.trace_type import variable_types


def exported(name: str, trace: Trace, platforms: Sequence[str] | None) -> export.Exported:
    """The program of a trace of `name` as JAX's `Exported`. Raises SaveError: it calls Python, or changes objects."""
    program = own_program(trace)
    refuse_unexportable(name, trace, program)
    return export_program(program, platforms)


def export_program(program: Program, platforms: Sequence[str] | None) -> export.Exported:
    """A program as `jax.export.Exported`."""
    types: Sequence[Any] = program.jaxpr.in_avals if program.symbolic is None else program.symbolic.types
    inputs = [jax.ShapeDtypeStruct(kind.shape, kind.dtype) for kind in types]
    return export.export(jax.jit(jaxpr_as_fun(program.jaxpr)), platforms=platforms)(*inputs)


def own_program(trace: Trace) -> Program:
    """The program of a trace, which is made if it was only called inside of others'."""
    if not trace.main.owned:
        types = trace.function_type.types
        variables: list[Any] = [kind for type in types for kind in variable_types(type)]
        trace.program([spec.placeholder() for spec in specs_in(types)], variables)
    return trace.main


def refuse_unexportable(name: str, trace: Trace, program: Program) -> None:
    """Raises SaveError if a program of a trace of the function `name` can't be saved."""
    _refuse_state(name, trace)
    if program.writes is not None or program.lends:
        raise SaveError(
            f"'{name}' changes an object that it is given, and can't be saved.",
            where=source_places.line_of_function(trace.fn),
            fix="return the new values.",
        )
    for equation in recorded_equations.equations(program.jaxpr):
        if "callback" in equation.primitive.name or equation.primitive.name == "debug_print":
            raise _callback(name, equation)
        if equation.primitive.name == "check":
            raise _check(name, equation)
    if program.cuts:
        raise SaveError(
            f"'{name}' gives what has a length that depends on its data, and can't be saved.",
            where=source_places.line_of_function(trace.fn),
            fix="return an array, with the number of the items that count.",
        )
    _refuse_sizes(name, trace, program)


def _refuse_state(name: str, trace: Trace) -> None:
    places = [place.label(key) for place, key in trace.state.places if not place.ours]
    if places:
        raise SaveError(
            f"'{name}' changes {', '.join(map(repr, places))}, and can't be saved.",
            where=source_places.line_of_function(trace.fn),
            why="The object is of a class of your own, which is code, and files hold data.",
            fix="hold the value in an autograph_lite.Variable.",
        )


def _refuse_sizes(name: str, trace: Trace, program: Program) -> None:
    specs = specs_in(trace.function_type.types)
    if program.symbolic is None and any(spec.is_general for spec in specs):
        raise SaveError(
            f"'{name}' can't be saved for arrays of any size: {', '.join(map(str, specs))}.",
            where=source_places.line_of_function(trace.fn),
            why="It could not be traced with symbolic sizes, so that there is a program for each size.",
            fix="give a signature with known sizes.",
        )


def _callback(name: str, equation: Any) -> SaveError:
    called = _called(equation.params.get("callback"))
    is_ours = isinstance(called, HostCall)
    name_of_called = called.name if is_ours else getattr(called, "__qualname__", "")
    what = f"the callback '{name_of_called}'" if name_of_called else "a Python function"
    what = "jax.debug.print" if equation.primitive.name == "debug_print" else what
    return SaveError(
        f"'{name}' calls {what} on the host, and can't be saved.",
        where=called.place if is_ours else _place(equation),
        why="The callback is Python code, and files hold data.",
        fix="compute with JAX what the callback computes, or save a function without it.",
    )


def _check(name: str, equation: Any) -> SaveError:
    return SaveError(
        f"'{name}' has an `assert` or `raise` inside of jax.vmap, jax.lax.scan or the like, and can't be saved.",
        where=_place(equation),
        why="Such a check comes out of the program by way of Python.",
        fix="check the result of the transformed function, or convert with checks=False.",
    )


def _place(equation: Any) -> Location | tuple[()]:
    found = recorded_equations.equation_place(equation)
    return () if found is None else source_places.at(*found)


def _called(callback: Any) -> Any:
    """The user's function in what was made of it for the program; None if it is not found."""
    inner = getattr(callback, "callback_func", callback)
    if isinstance(inner, HostCall) or not str(getattr(inner, "__module__", "")).startswith("jax."):
        return inner if hasattr(inner, "__qualname__") or isinstance(inner, HostCall) else None
    found = (_called(cell.cell_contents) for cell in getattr(inner, "__closure__", None) or ())
    return next((called for called in found if called is not None), None)
