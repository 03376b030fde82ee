"""How often does a `while` loop run at most? It follows from the numbers between which integers lie.

    for k in range(n):                 0 <= k <= n - 1, so that the inner loop has n - 1 iterations at most:
        for j in range(k + 1, n):      room for what their derivatives need can be made before they run

Nothing but `Options.bound` is changed, so that a run without derivatives stays as it is. Like `_jax`, this uses JAX's
insides. Checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax._src import core

from autograph_lite import _jax_counting
from autograph_lite._jax_counting import inner, is_integer
from autograph_lite._jax_intervals import ANY, RULES, Ends, union
from autograph_lite._jax_lanes import JAXS
from autograph_lite._jax_options import Options


def told(body: Any, ends: Sequence[Ends]) -> Any:
    """A closed jaxpr whose loops know how often they run at most; itself where nothing is found.

    Args:
      body: the jaxpr.
      ends: between which numbers its inputs lie.
    """
    return _Known.given(body, ends).told(body)


class _Known:
    """Between which numbers the integers of a jaxpr lie, whose equations are read one after the other."""

    def __init__(self, ends: dict[Any, Ends]) -> None:
        self._ends = ends

    @classmethod
    def given(cls, body: Any, ends: Sequence[Ends]) -> _Known:
        """What is known of a jaxpr before its first equation."""
        return cls(dict(zip(inner(body).invars, ends, strict=True)))

    def of(self, atom: Any) -> Ends:
        """The least and the greatest value of a variable or a literal."""
        if isinstance(atom, core.Literal):
            return _of_value(atom.val)
        return self._ends.get(atom, ANY)

    def told(self, body: Any) -> Any:
        """The closed jaxpr with the bounds of its loops, all of whose equations are read."""
        equations = inner(body).eqns
        new = list(map(self.read, equations))
        if all(now is before for now, before in zip(new, equations, strict=True)):
            return body
        return body.replace(jaxpr=inner(body).replace(eqns=new))

    def read(self, equation: Any) -> Any:
        """The equation with the bounds of the loops in it; notes between which numbers its result lies."""
        given = list(map(self.of, equation.invars))
        name = equation.primitive.name
        if name == "while" and equation.primitive is not JAXS:
            return _with(equation, **of_loop(equation.params, given))
        if name in ("jit", "pjit"):
            return self._call(equation, given)
        if name == "cond":
            return _with(equation, branches=tuple(told(b, given[1:]) for b in equation.params["branches"]))
        if name == "scan":
            return self._scan(equation, given)
        if name in RULES and is_integer(equation.outvars[0].aval):
            self._note(equation.outvars[0], RULES[name](*given))
        elif name == "select_n" and is_integer(equation.outvars[0].aval):
            self._note(equation.outvars[0], union(*given[1:]))
        return equation

    def _note(self, variable: Any, ends: Ends) -> None:
        info = np.iinfo(variable.aval.dtype)
        if info.min <= ends[0] and ends[1] <= info.max:  # else it may have overflown
            self._ends[variable] = ends

    def _call(self, equation: Any, given: Sequence[Ends]) -> Any:
        called = equation.params["jaxpr"]
        known = _Known.given(called, given)
        new = known.told(called)
        self._ends.update(zip(equation.outvars, map(known.of, inner(called).outvars), strict=True))
        return _with(equation, jaxpr=new)

    def _scan(self, equation: Any, given: Sequence[Ends]) -> Any:
        body, params = equation.params["jaxpr"], equation.params
        fixed = params["num_consts"] if "num_consts" in params else len(params["ft_in"].unpack()[0])
        ends = [*given[:fixed], *[ANY] * (len(given) - fixed)]
        return _with(equation, jaxpr=told(body, ends))


def of_loop(params: dict[str, Any], given: Sequence[Ends]) -> dict[str, Any]:
    """The parameters of a `while` loop that knows how often it runs at most, as do those in its body.

    Args:
      params: of the loop.
      given: between which numbers the arrays lie that it is applied to.
    """
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    most, inside = entered(params["cond_jaxpr"], params["body_jaxpr"], given[:first], given[last:])
    body = told(params["body_jaxpr"], [*given[first:last], *inside])
    options: Options = params.get("options") or Options()
    if most == math.inf or (options.bound is not None and options.bound <= most):
        return {**params, "body_jaxpr": body}
    return {**params, "body_jaxpr": body, "options": dataclasses.replace(options, bound=max(1, int(most)))}


def entered(cond: Any, body: Any, held: Sequence[Ends], start: Sequence[Ends]) -> tuple[float, list[Ends]]:
    """How often a `while` loop runs at most, and between which numbers its variables lie in its body.

    Args:
      cond: the jaxpr of its condition.
      body: that of its body.
      held: between which numbers the constants of the condition lie.
      start: the same of the variables before the loop.
    """
    first = len(inner(body).invars) - len(start)
    facts = _jax_counting.going_on(cond, len(held), body, len(start))
    variables = _jax_counting.steps(body, first, facts)
    inside = [e if step == 0 else ANY for e, step in zip(start, variables, strict=True)]
    known = _Known.given(cond, [*held, *inside])
    known.told(cond)
    most: float = math.inf
    for test in _jax_counting.tests(cond, len(held), variables):
        count, ends = test.limit(start[test.variable], known.of(test.other))
        low, high = inside[test.variable]
        most, inside[test.variable] = min(most, count), (max(low, ends[0]), min(high, ends[1]))
    for test in _jax_counting.later_tests(body, first, variables, facts):
        most = min(most, test.limit(start[test.variable], known.of(test.other))[0])
    return most, inside


def of_values(values: Sequence[Any]) -> list[Ends]:
    """Between which numbers values lie: those that are known are integers on their own."""
    return [ANY if isinstance(value, core.Tracer) else _of_value(value) for value in values]


def _of_value(value: Any) -> Ends:
    return (int(value), int(value)) if is_integer(jax.typeof(value)) else ANY


def _with(equation: Any, **params: Any) -> Any:
    """The equation with those parameters; itself where it has them."""
    old = equation.params
    same = all(
        all(map(operator.is_, new, old[name])) if isinstance(new, tuple) else new is old.get(name)
        for name, new in params.items()
    )
    return equation if same else equation.replace(params={**old, **params})
