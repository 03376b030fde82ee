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
from autograph_lite._jax_counting import ANY as ANY, Ends as Ends, inner, is_integer
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
        rule = RULES.get(name)
        if rule is not None and is_integer(equation.outvars[0].aval):
            self._note(equation.outvars[0], rule(*given))
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
    variables = _jax_counting.steps(params["body_jaxpr"], params["body_nconsts"])
    start = given[last:]
    inside = [e if step == 0 else ANY for e, step in zip(start, variables, strict=True)]
    known = _Known.given(params["cond_jaxpr"], [*given[:first], *inside])
    known.told(params["cond_jaxpr"])
    most: float = math.inf
    for test in _jax_counting.tests(params["cond_jaxpr"], first, variables):
        count, ends = test.limit(start[test.variable], known.of(test.other))
        low, high = inside[test.variable]
        most, inside[test.variable] = min(most, count), (max(low, ends[0]), min(high, ends[1]))
    body = told(params["body_jaxpr"], [*given[first:last], *inside])
    options: Options = params.get("options") or Options()
    if most == math.inf or (options.bound is not None and options.bound <= most):
        return {**params, "body_jaxpr": body}
    return {**params, "body_jaxpr": body, "options": dataclasses.replace(options, bound=max(1, int(most)))}


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


def _product(left: Ends, right: Ends) -> Ends:
    if math.inf in map(abs, (*left, *right)):
        return ANY
    found = [a * b for a in left for b in right]
    return min(found), max(found)


def _quotient(left: Ends, right: Ends) -> Ends:
    """Rounded towards zero, as JAX's `div` does."""
    if right[0] < 1 or math.inf in map(abs, (*left, right[0])):
        return ANY
    return min(0, -(-left[0] // right[0])), max(0, left[1] // right[0])


def _magnitude(ends: Ends) -> Ends:
    low, high = sorted(map(abs, ends))
    return (0 if ends[0] < 0 < ends[1] else low), high


RULES: dict[str, Any] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _product,
    "div": _quotient,
    "neg": lambda a: (-a[1], -a[0]),
    "abs": _magnitude,
    "sign": lambda _: (-1, 1),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "select_n": lambda _, *cases: (min(e[0] for e in cases), max(e[1] for e in cases)),
    "convert_element_type": lambda a: a,
}
"""Between which numbers the result of an operation on integers lies."""
