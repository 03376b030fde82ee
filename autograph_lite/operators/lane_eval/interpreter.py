"""Abstract interpreter: what does a program compute from numbers that are known in many lanes, and would Python, too?

i ** 2 * x        in lanes i = 0, 1, 2, 3: `i ** 2` is 0, 1, 4, 9; what depends on the traced `x` is not known
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from jax.extend import core

from autograph_lite.operators.lane_eval import number_functions, primitive_rules
from autograph_lite.operators.lane_eval.exact_rows import ExactRows
from autograph_lite.operators.lane_eval.primitive_rules import (
    LESS_EXACT,
    Known,
    TooCloseError,
    UnlikePythonError,
)
from autograph_lite.operators.values.values import Tracer

MOST = 3_000_000  # lanes, or steps of loops in the body, that are gone through
Values: TypeAlias = list[Known | None]
Report: TypeAlias = Callable[[Any, str], BaseException]
Rule: TypeAlias = "Callable[[Run, Any, Values], Values]"


class Run:
    """One walk through a program.

    Args:
      count: of the lanes.
      report: gives the exception for an equation that does something else than Python, and what that is.
      rules: for the primitives that hold programs of their own, by name.
      left: how many more steps may be taken, in a list that the walks through inner programs share.
      alone: whether Python alone computes the numbers, and not the program, too.
      only_numbers: whether it is asked for these alone, and not whether arrays are as exact.

    Attributes:
      exact: of the jaxpr whose equation a rule is asked for; a rule of a loop asks for it before it walks on. None
        where iterations are not given what is less exact.
    """

    def __init__(
        self, count: int, report: Report, rules: Mapping[str, Rule], left: list[int] | None = None, *,
        alone: bool = False, only_numbers: bool = False,
    ) -> None:  # fmt: skip
        self.count, self.report, self.rules = count, report, rules
        self.alone, self.only_numbers = alone, only_numbers
        self.left = [MOST] if left is None else left
        self.exact: ExactRows | None = None

    def closed(
        self, jaxpr: Any, args: Sequence[Known | None], exact: ExactRows | None = None
    ) -> Values:  # fmt: skip
        """The outputs of a closed jaxpr; `exact` gets what its iterations are to be given."""
        return self.open(jaxpr.jaxpr, [*map(known_constant, jaxpr.consts)], args, exact)

    def open(
        self, jaxpr: Any, consts: Sequence[Known | None], args: Sequence[Known | None],
        exact: ExactRows | None = None,
    ) -> Values:  # fmt: skip
        """The outputs of a jaxpr."""
        env = dict(zip(jaxpr.constvars, consts, strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))
        return self.walk(jaxpr.eqns, env, jaxpr.outvars, exact)

    def walk(
        self, eqns: Sequence[Any], env: dict[Any, Known | None], wanted: Sequence[Any],
        exact: ExactRows | None = None,
    ) -> Values:  # fmt: skip
        """The values of `wanted` after these equations, given those of their inputs, which are changed."""
        made = set[Any]()

        def read(atom: Any) -> Known | None:
            found = known_constant(atom.val) if isinstance(atom, core.Literal) else env.get(atom)
            return found.as_python() if found and self.alone else found

        for eqn in eqns:
            operands = [*map(read, eqn.invars)]
            self.exact = exact
            try:
                if exact is not None and eqn.primitive.name in _OF_PROGRAMS:
                    exact.want(eqn.invars, made, operands)
                try:
                    results = self.equation(eqn, operands)
                except TooCloseError:
                    if exact is None:
                        raise
                    results = self.equation(eqn, [each and each.as_python() for each in operands])
                    exact.wanted.update(eqn.outvars)
                if any(r is None for r in results) and eqn.primitive.name not in _OF_PROGRAMS:
                    refuse_lost(operands, drifted=exact is None and not self.only_numbers)
                    if exact is not None:
                        exact.want(eqn.invars, made, operands)
            except UnlikePythonError as found:
                raise self.report(eqn, str(found)) from None
            if exact is not None:
                if number_functions.function_called(eqn) and len(eqn.outvars[0].aval.shape) < 2:
                    exact.wanted.update(eqn.outvars)
                results = exact.keep(eqn.outvars, results, self.count)
                made.update(eqn.outvars)
            env.update(zip(eqn.outvars, results, strict=True))
        return [*map(read, wanted)]

    def equation(self, eqn: Any, operands: Values) -> Values:
        """What an equation gives."""
        name = eqn.primitive.name
        nothing: Values = [None] * len(eqn.outvars)
        if name in self.rules:
            return self.rules[name](self, eqn, operands)
        if (
            name == "iota"
            and np.prod(eqn.outvars[0].aval.shape, dtype=int) <= MOST
            and len(eqn.outvars[0].aval.shape) == 1
        ):
            return [primitive_rules.same_in_all_lanes(np.arange(eqn.outvars[0].aval.shape[0]))]
        if all(o is None for o in operands):
            return nothing
        if (function := number_functions.function_called(eqn)) and None not in operands:
            self.spend(self.count)
            numbers = [o for o in operands if o is not None]
            return [number_functions.apply(function, primitive_rules.aligned(numbers), eqn.outvars[0].aval)]
        inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
        if inner is not None:
            return self._called(eqn, inner, operands)
        if any(o is None for o in operands):
            return [_whatever_the_data(name, operands)] if not _axes(eqn) else nothing
        known: list[Any] = operands
        aval = eqn.outvars[0].aval
        if name == "convert_element_type":
            return [primitive_rules.convert_lanes(known[0], aval, strong=self.alone)]
        if name in SHAPES:
            return [_reshaped(name, known[0], eqn)]
        if name == "shift_right_logical":
            raise UnlikePythonError(
                "an int is raised to a power that is an int, which Python computes without bounds"
            )
        if name not in primitive_rules.RULES:
            return nothing
        return [primitive_rules.applied(name, known, eqn.params, aval, strong=self.alone)]

    def _called(self, eqn: Any, inner: Any, operands: Values) -> Values:
        divisor = operands[1] if len(operands) == 2 else None
        divides = eqn.params.get("name") in ("remainder", "floor_divide", "divmod")
        if divides and None not in operands and divisor is not None and (divisor.python == 0).any():
            raise UnlikePythonError("a number is divided by zero, for which Python raises ZeroDivisionError")
        jaxpr = getattr(inner, "jaxpr", inner)
        if len(jaxpr.invars) != len(operands) or len(jaxpr.outvars) != len(eqn.outvars):
            return [None] * len(eqn.outvars)
        return self.open(jaxpr, [*map(known_constant, getattr(inner, "consts", []))], operands)

    def spend(self, steps: int) -> None:
        """Counts lanes that are gone through. Raises UnlikePythonError: there are too many."""
        self.left[0] -= steps
        if self.left[0] < 0:
            raise UnlikePythonError(
                "the numbers in it are too many to be compared with Python's while tracing"
            )

    def inside(self, count: int) -> Run:
        """A walk with another number of lanes."""
        return Run(
            count, self.report, self.rules, self.left, alone=self.alone, only_numbers=self.only_numbers
        )


def known_constant(value: Any) -> Known | None:
    """A number that the program holds, or a row of integers; None where it holds something else."""
    if isinstance(value, (bool, int, float, complex, np.bool_)):
        return primitive_rules.same_in_all_lanes(value)
    if isinstance(value, Tracer) or not hasattr(value, "dtype"):
        return None
    kinds = "iub" if value.shape else "iubfc"
    if getattr(value.dtype, "kind", "") not in kinds or len(value.shape) > 1 or value.size > MOST:
        return None
    return primitive_rules.same_in_all_lanes(np.asarray(value))


def refuse_lost(operands: Values, *, drifted: bool = True) -> None:
    """Raises UnlikePythonError where lost numbers, or less exact ones if `drifted`, reach what is computed from data."""
    for operand in operands:
        if operand is not None and operand.lost.any():
            raise UnlikePythonError("a number goes beyond what the arrays of the program can hold")
        if operand is not None and drifted and primitive_rules.has_drifted(operand):
            raise UnlikePythonError(LESS_EXACT)


def _axes(eqn: Any) -> Any:
    """The shape of the first result; True where there is not exactly one."""
    return eqn.outvars[0].aval.shape if len(eqn.outvars) == 1 else True


def _whatever_the_data(name: str, operands: Values) -> Known | None:
    """A result that traced operands do not change: of a choice among equals, of `False and ...`, ..."""
    if name == "select_n":
        which, *cases = operands
        if which is None:
            return common_value(cases)
        chosen = {int(place) for place in np.unique(which.python)}
        return cases[chosen.pop()] if len(chosen) == 1 else None
    if name in ("and", "or"):
        decides = [o for o in operands if o is not None and o.python.dtype == bool]
        return next((o for o in decides if (o.python == (name == "or")).all()), None)
    return None


def common_value(values: Sequence[Known | None]) -> Known | None:
    """The value that all of these are; None where they may differ."""
    first = values[0]
    return None if first is None or not all(v and _equal(first, v) for v in values) else first


def _equal(a: Known, b: Known) -> bool:
    alike = np.array_equal(a.python, b.python) and np.array_equal(a.program, b.program)
    return alike and not (a.lost.any() or b.lost.any())


def _reshaped(name: str, value: Known, eqn: Any) -> Known | None:
    shape = eqn.outvars[0].aval.shape
    if len(shape) > 1 or (name == "broadcast_in_dim" and value.python.ndim > 1):
        return None

    def one(array: Any) -> Any:
        array = array.reshape((len(array), *(1 for _ in shape))) if array.size == len(array) else array
        return np.broadcast_to(array, (len(array), *shape)) if name == "broadcast_in_dim" else array

    return value.changed(one)


SHAPES = frozenset({"squeeze", "reshape", "broadcast_in_dim"})
_OF_PROGRAMS = frozenset(
    {"jit", "pjit", "cond", "scan", "while", "closed_call", "custom_jvp_call", "remat", "checkpoint"}
)
