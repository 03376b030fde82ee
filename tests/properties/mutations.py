"""How is a function changed so that it stays Python?

mutate(function, choices)    # changes one place of the tree; False if nothing there could be changed that way

What a mutation makes need not be sensible, nor right, nor even valid everywhere (a `break` outside of a loop): whoever
asks for one compiles the result. Plain Python says what the new function means.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from . import mutated_expressions as in_expressions, mutated_statements as in_statements
from .choices import Choices

Mutation = Callable[[ast.FunctionDef, Choices], bool]

# How often, relative to each other.
WAYS: dict[str, tuple[int, Mutation]] = {
    "operator": (4, in_expressions.operator),
    "comparison": (5, in_expressions.comparison),
    "constant": (5, in_expressions.constant),
    "condition": (5, in_expressions.condition),
    "logic": (2, in_expressions.logic),
    "name": (2, in_expressions.name),
    "choice": (5, in_expressions.choice),
    "named": (3, in_expressions.named),
    "wrap": (14, in_statements.wrap),
    "insert": (14, in_statements.insert),
    "drop": (2, in_statements.drop),
    "double": (2, in_statements.double),
    "exchange": (2, in_statements.exchange),
    "move": (3, in_statements.move),
    "else of a loop": (3, in_statements.loop_else),
    "iterated": (3, in_statements.iterated),
    "ternary": (5, in_statements.ternary),
    "inner function": (6, in_statements.inner),
}


def mutate(function: ast.FunctionDef, c: Choices) -> bool:
    """Changes one place of the function, in one of the ways of `WAYS`."""
    name = c.weighted({name: weight for name, (weight, _) in WAYS.items()})
    return WAYS[name][1](function, c)
