"""What does a program consist of: primitives of its jaxpr, instructions of its optimised HLO?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import jax
from jax.extend import core

WRAPPERS = frozenset(
    {"jit", "pjit", "closed_call"}
)  # calls of traced functions, which compile to nothing of their own
_INSTRUCTION = re.compile(r"^\s*(?:ROOT )?%?[\w.\-]+ = (?:\([^=]*\)|\S+) ([\w\-]+)\(", re.MULTILINE)


def primitives(fn: Callable[..., Any], *args: Any) -> Counter[str]:
    """How often each primitive occurs in the jaxpr, at any depth."""
    found: Counter[str] = Counter()
    _count(jax.make_jaxpr(fn)(*args).jaxpr, found)
    return found


def _count(jaxpr: Any, found: Counter[str]) -> None:
    for equation in jaxpr.eqns:
        if equation.primitive.name not in WRAPPERS:
            found[equation.primitive.name] += 1
        for inner in jax.tree.leaves(list(equation.params.values()), is_leaf=_is_jaxpr):
            if _is_jaxpr(inner):
                _count(getattr(inner, "jaxpr", inner), found)


def _is_jaxpr(value: Any) -> bool:
    return isinstance(value, (core.Jaxpr, core.ClosedJaxpr))


def instructions(fn: Callable[..., Any], *args: Any) -> Counter[str]:
    """How often each opcode occurs in the optimised HLO of all computations."""
    return count(jax.jit(fn).lower(*args).compile().as_text())


def count(text: str | None) -> Counter[str]:
    """The same of a text of HLO."""
    return Counter(_INSTRUCTION.findall(text or ""))
