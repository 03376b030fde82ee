"""What is there to show of a function for these arguments? Its texts, line by line, its decisions, traces and control flow."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

from autograph_lite.runtime.explaining import program_graph
from autograph_lite.runtime.explaining.explanation import Explanation
from autograph_lite.runtime.explaining.line_links import Line, Place
from autograph_lite.runtime.explaining.notebook_summaries import signature_text
from autograph_lite.runtime.explaining.program_graph import Node
from autograph_lite.runtime.functions.function_protocol import Converted
from autograph_lite.runtime.functions.methods import BoundFunction
from autograph_lite.runtime.reporting import decisions_table, programs
from autograph_lite.runtime.reporting.decisions_table import Decisions
from autograph_lite.runtime.reporting.sections import Section, sections
from autograph_lite.runtime.tracing.concrete import ConcreteFunction


@dataclasses.dataclass(frozen=True)
class Gathered:
    """All that a report shows."""

    name: str  # the function's
    signature: str  # the types of the arguments that it was traced for, and of its result
    # the function, and those of the user's that it calls, with source and generated code
    sections: tuple[Section, ...]
    jaxpr: tuple[Line, ...]  # the program as JAX traced it
    hlo: tuple[Line, ...]  # the program as XLA has optimised it; empty where it could not be compiled
    hlo_note: str  # why not; else empty
    decisions: Decisions  # what became of each statement
    nodes: tuple[Node, ...]  # the control flow of the program
    # the traces of the function: those that it had, or the one that was made for the report
    retraces: Explanation


def gather(fn: Converted, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Gathered:
    """Traces a function again, compiles it, and collects what there is to show.

    Args:
      fn: the function.
      args: of a call, or types in place of arrays; where there are none, those of the newest trace.
      kwargs: the same.

    Raises:
      TypeError: the arguments do not fit, or there are none and no trace.
      AutographError: the function can't be converted or traced.
    """
    decisions, function, concrete = decisions_table.followed(fn, _tracing(fn, args, kwargs))
    jaxpr = tuple(programs.of_jaxpr(concrete.jaxpr))
    places = {place for line in jaxpr for place in line.places} | {(d.path, d.line) for d in decisions}
    found = sections(function.python_function, places, recursive=function.options.recursive is not False)
    own = {place for section in found for line in section.source for place in line.places}
    hlo, note, seconds = _compiled(concrete, own)
    retraces = fn.explain_retraces()
    return Gathered(
        decisions.name,
        signature_text(concrete),
        tuple(found),
        jaxpr,
        tuple(hlo),
        note,
        decisions,
        program_graph.nodes(concrete.jaxpr),
        retraces or _timed(function.explain_retraces(), seconds),
    )


def _tracing(
    known: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[Converted], ConcreteFunction]:
    bound = isinstance(known, BoundFunction) and bool(known.args)
    function = known._function if isinstance(known, BoundFunction) else known
    traces = [] if args or kwargs else function.concrete_functions
    if traces:
        kind = traces[-1].trace.function_type
        kind = kind.without_first() if bound else kind
        return lambda function: function.concrete_of(kind)
    return lambda function: function.get_concrete_function(*args, **kwargs)


def _compiled(concrete: ConcreteFunction, shown: set[Place]) -> tuple[list[Line], str, float | None]:
    """The lines of the compiled program, why there are none, and what it took to compile it."""
    began = time.perf_counter()
    try:
        text = concrete.compiled_text()
    except Exception as error:  # a page without HLO is of use, and says why there is none
        return [], f"{type(error).__name__}: {error}", None
    return programs.of_hlo(text, shown), "", time.perf_counter() - began


def _timed(found: Explanation, seconds: float | None) -> Explanation:
    retraces = [dataclasses.replace(each, compile_seconds=seconds) for each in found]
    return dataclasses.replace(found, retraces=tuple(retraces))
