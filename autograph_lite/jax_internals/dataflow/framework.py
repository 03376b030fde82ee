"""Forward dataflow analysis: what is known of the results of a jaxpr, given the same of its inputs?

An analysis says what an operation makes of it. Calls, conditionals and loops are gone through here: what is known of a variable
of a loop is what holds in all its iterations, the fixpoint of Kildall, "A unified approach to global program optimization"
(1973).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from autograph_lite.jax_internals.dataflow.scan_ir import groups, is_variable

T = TypeVar("T")


class Forward(abc.ABC, Generic[T]):
    """An analysis."""

    literal: T
    constant: T

    @abc.abstractmethod
    def joined(self, values: Sequence[T]) -> T:
        """What is known of one of several values."""

    @abc.abstractmethod
    def decided(self, test: T, value: T) -> T:
        """What is known of a value that a test has chosen, or of a loop's variable when a test ends the loop."""

    @abc.abstractmethod
    def operation(self, equation: Any, operands: list[T]) -> list[T]:
        """What is known of the results of any other equation."""

    def of_literal(self, atom: Any) -> T:
        """What is known of a literal."""
        return self.literal

    def of_constant(self, variable: Any) -> T:
        """What is known of a constant."""
        return self.constant

    def known(self, jaxpr: Any, inputs: Sequence[T]) -> dict[Any, T]:
        """What is known of all variables of a jaxpr that is not closed."""
        found = {v: self.of_constant(v) for v in jaxpr.constvars}
        found.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            operands = [
                found[atom] if is_variable(atom) else self.of_literal(atom) for atom in equation.invars
            ]
            found.update(zip(equation.outvars, self.equation(equation, operands), strict=True))
        return found

    def results(self, jaxpr: Any, inputs: Sequence[T]) -> list[T]:
        """What is known of the results of a jaxpr, closed or not."""
        jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
        found = self.known(jaxpr, inputs)
        return [found[atom] if is_variable(atom) else self.of_literal(atom) for atom in jaxpr.outvars]

    def repeated(self, body: Any, consts: Sequence[T], carry: Sequence[T], rows: Sequence[T]) -> list[T]:
        """What is known of the variables of a loop in any of its iterations, and of what these put out."""
        now = list(carry)
        while True:
            results = self.results(body, [*consts, *now, *rows])
            new = [self.joined(pair) for pair in zip(now, results, strict=False)]
            if new == now:
                return [*now, *results[len(now) :]]
            now = new

    def equation(self, equation: Any, operands: list[T]) -> list[T]:
        """What is known of the results of an equation."""
        name, params = equation.primitive.name, equation.params
        if name == "cond":
            ways = [self.results(branch, operands[1:]) for branch in params["branches"]]
            return [self.decided(operands[0], self.joined(values)) for values in zip(*ways, strict=True)]
        if name == "scan":
            return self.repeated(params["jaxpr"], *groups(equation, operands))
        if name == "while":
            first = params["cond_nconsts"]
            last = first + params["body_nconsts"]
            carry = self.repeated(params["body_jaxpr"], operands[first:last], operands[last:], [])
            (test,) = self.results(params["cond_jaxpr"], [*operands[:first], *carry])
            return [self.decided(test, value) for value in carry]
        inner = params.get("jaxpr", params.get("call_jaxpr"))
        if inner is not None and len(getattr(inner, "jaxpr", inner).invars) == len(operands):
            return self.results(inner, operands)
        return self.operation(equation, operands)
