"""What is known about the text of an expression, and what are the leaves of all expressions?

Beside its text, each expression carries a bound for its absolute value; `small` puts a `%` where a variable
could otherwise grow, so that no program overflows 32 bits.
"""

from __future__ import annotations

import dataclasses

from .writer import Writer

# What a variable, an item or an attribute may hold; operators multiply this by small constants only.
MOST = 100


@dataclasses.dataclass(frozen=True)
class Expr:
    """Text of an expression; `bound` on its absolute value; `compound` if an operator comes last."""

    text: str
    bound: int = MOST
    compound: bool = False

    def operand(self) -> str:
        """The text, in parentheses where it is to stand beside an operator."""
        return f"({self.text})" if self.compound else self.text


def small(expr: Expr, modulus: str) -> str:
    """The text, reduced where it could grow beyond what a variable holds."""
    return expr.text if expr.bound <= MOST else f"{expr.operand()} % {modulus}"


def literal(value: float) -> Expr:
    return Expr(repr(value), int(abs(value)) + 1, compound=value < 0)


def read(w: Writer, *kinds: str) -> str | None:
    """A variable of one of these kinds; now and then one that may be unassigned."""
    maybe = [name for name, kind in w.scope.maybe.items() if kind in kinds]
    if maybe and w.likes("unassigned"):
        w.shared.features.add("maybe unassigned")
        return w.choices.pick(maybe)
    known = w.scope.of_kind(*kinds)
    return w.choices.pick(known[::-1]) if known else None


def order(w: Writer) -> str:
    return w.choices.pick([">", "<", ">=", "<=", "==", "!="])
