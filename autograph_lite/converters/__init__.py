"""The passes, in the order in which they run: each a name, what it rewrites, and what it promises.

Part 1 leaves plain Python with structured control flow, which runs as it stands. Then the data flow is analysed, once,
on the final structure. Part 2 turns statements and expressions into calls of operators.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, cast

import gast

from autograph_lite.converters import (
    calls,
    comprehensions,
    desugar,
    failures,
    finals,
    items,
    jumps,
    logical,
    match_stmt,
    mutations,
    raises,
    subscripts,
    suppressing,
    switches,
    tidy,
)
from autograph_lite.converters.context import Context
from autograph_lite.syntax import trees


@dataclasses.dataclass(frozen=True)
class Pass:
    """One step of the conversion."""

    name: str  # as `to_code(fn, after=name)` takes it
    part: int  # 1 or 2
    # rewrites a function in place; None for the two passes that need the plans of the analysis
    run: Callable[[Any, Context], None] | None
    each: bool = False  # whether it is run for each function of the tree (else once, for the whole tree)
    check: Callable[[Any], None] | None = None  # asserts what the pass promises


PASSES = (
    Pass("desugar", 1, desugar.run, each=True),
    Pass("suppressing", 1, suppressing.run, each=True),
    Pass("match", 1, match_stmt.run, each=True),
    Pass("raises", 1, raises.run, each=True),
    Pass("subscripts", 1, subscripts.run, each=True),
    Pass("jumps", 1, jumps.run, each=True, check=jumps.check),
    Pass("finals", 1, finals.run, each=True),
    Pass("undefined", 2, None),
    Pass("switches", 2, switches.run),
    Pass("failures", 2, failures.run),
    Pass("items", 2, items.run),
    Pass("mutations", 2, mutations.run),
    Pass("comprehensions", 2, comprehensions.run),
    Pass("logical", 2, logical.run),
    Pass("calls", 2, calls.run),
    Pass("control_flow", 2, None),
    Pass("tidy", 2, tidy.run),
)


def functions_in(tree: gast.AST) -> list[gast.FunctionDef]:
    """The functions defined with `def` in the tree, the inner ones first."""
    found: list[gast.FunctionDef] = []
    for child in trees.children(tree):
        if not isinstance(child, gast.expr):  # an expression holds no `def`
            found += functions_in(child)
    if isinstance(tree, (gast.FunctionDef, gast.AsyncFunctionDef)):
        found.append(cast("gast.FunctionDef", tree))  # the passes treat both kinds alike
    return found
