"""Export: what is a traced program as `jax.export.Exported`, which JAX calls and serializes without this package?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax import export
from jax.extend.core import jaxpr_as_fun

from autograph_lite.runtime.tracing import not_exportable
from autograph_lite.runtime.tracing.program import Program
from autograph_lite.runtime.tracing.trace import Trace
from autograph_lite.runtime.types.array_spec import specs_in
from autograph_lite.runtime.types.trace_type import variable_types


def exported(name: str, trace: Trace, platforms: Sequence[str] | None) -> export.Exported:
    """The program of a trace of the function `name` as JAX's own `Exported`, for these platforms, or for the one at hand.

    Raises:
      SaveError: it calls Python, or changes objects.
    """
    program = own_program(trace)
    not_exportable.refuse_unexportable(name, trace, program)
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
