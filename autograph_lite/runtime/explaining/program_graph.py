"""Control flow graph: what does a program have of it? A tree of loops and branches, each with the user's line.

scan of 4 steps, model.py:15
    cond, model.py:16
        false: 2 equations
        true: 5 equations
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph_lite.jax_internals import recorded_equations
from autograph_lite.runtime.explaining.line_links import Place


@dataclasses.dataclass(frozen=True)
class Part:
    """A branch, or the body of a loop."""

    name: str  # "true", "false", "branch 2", "body" or "condition"
    equations: int  # how many it has, those inside of others included
    nodes: tuple[Node, ...]  # the control flow in it


@dataclasses.dataclass(frozen=True)
class Node:
    """A loop or a branch of a program."""

    kind: str  # "scan", "while_loop", "cond" or "switch"
    label: str  # what `explain` calls it, as "scan of 4 steps"
    place: Place | None  # the user's line; None where nobody knows
    parts: tuple[Part, ...]  # its body, or its branches


def nodes(jaxpr: Any) -> tuple[Node, ...]:
    """The control flow of a jaxpr, in the order of the program; calls of functions of `jax.jit` are gone into."""
    return tuple(_nodes(getattr(jaxpr, "jaxpr", jaxpr)))


def _nodes(jaxpr: Any) -> Iterator[Node]:
    read = {id(var) for var in itertools.chain(*(each.invars for each in jaxpr.eqns), jaxpr.outvars)}
    for equation in jaxpr.eqns:
        if not equation.effects and not any(id(var) in read for var in equation.outvars):
            continue  # XLA drops it: the condition of a loop as it was looked at first, which the loop computes itself
        params = equation.params
        match equation.primitive.name:
            case "scan":
                length = params["length"]
                label = f"scan of {length} {'step' if length == 1 else 'steps'}"
                yield Node("scan", label, _place(equation), (_part("body", params["jaxpr"]),))
            case "while":
                asks, body = _part("condition", params["cond_jaxpr"]), _part("body", params["body_jaxpr"])
                parts = (asks, body) if asks.nodes else (body,)  # a condition is a comparison most often
                yield Node("while_loop", "while_loop", _place(equation), parts)
            case "cond":
                yield _branches(equation, jaxpr)
            case _:
                for inner in recorded_equations.jaxprs_in(equation):
                    yield from nodes(inner)


def _branches(equation: Any, jaxpr: Any) -> Node:
    branches = equation.params["branches"]
    of_bool = len(branches) == 2 and _is_of_bool(equation.invars[0], jaxpr)
    names = ("false", "true") if of_bool else [f"branch {n}" for n in range(len(branches))]
    parts = tuple(_part(name, inner) for name, inner in zip(names, branches, strict=True))
    two = len(branches) == 2
    label = "cond" if two else f"switch of {len(branches)} branches"
    return Node("cond" if two else "switch", label, _place(equation), parts)


def _is_of_bool(index: Any, jaxpr: Any) -> bool:
    """Whether the number of a branch is a condition: then branch 1 is that of a true one."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "convert_element_type" and equation.outvars[0] is index:
            return bool(equation.invars[0].aval.dtype == np.bool_)
    return False


def _part(name: str, jaxpr: Any) -> Part:
    return Part(name, sum(1 for _ in recorded_equations.equations(jaxpr)), nodes(jaxpr))


def _place(equation: Any) -> Place | None:
    found = recorded_equations.equation_place(equation)
    return None if found is None else found[:2]
