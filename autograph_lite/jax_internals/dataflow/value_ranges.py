"""Value ranges: between which integers do the values of a program lie, and what follows for the loops in it?

    for i in range(n):               i is never below 0
        for j in range(i + 1):       nor is j: no index of A[i, j] has to be looked at for counting from the end, and the
            ...                      loop has n iterations at most: room for what their derivatives need can be made before

Loops learn how often they run at most, `Options.bound`, so that a run without derivatives stays as it is; or they become simpler.
`affine_indices` knows more of the numbers of one loop; what is here goes into the loops and branches inside.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow import induction_variables
from autograph_lite.jax_internals.dataflow.induction_variables import is_integer, open_jaxpr
from autograph_lite.jax_internals.dataflow.intervals import ANY, RULES, Ends, holds, union
from autograph_lite.jax_internals.dataflow.known_bools import TESTS, Truths
from autograph_lite.jax_internals.dataflow.primitive_traits import PARTS, SHAPES
from autograph_lite.jax_internals.dataflow.scan_ir import groups, inlined, is_variable, live
from autograph_lite.jax_internals.while_lanes import JAXS, Options


class Ranges:
    """The ranges of the variables of a body, whose equations are read one after the other.

    Args:
      known: those that the body is given.
      simplifies: whether equations become simpler; else loops learn how often they run.
    """

    def __init__(self, known: Mapping[Any, Ends], *, simplifies: bool) -> None:
        self._known, self._simplifies = dict(known), simplifies
        self._truths = Truths()

    def of(self, atom: Any) -> Ends:
        """Between which integers `atom` is, or all items of it."""
        atom = self._truths.name(atom)
        return self._known.get(atom, ANY) if is_variable(atom) else _of_value(atom.val)

    def read(self, equation: Any) -> Any:
        """The equation with what its operands equal, and other loops in it; notes what its result is."""
        if self._simplifies:
            equation = self._positive_remainder(self._truths.named(equation))
        name = equation.primitive.name
        inside = _INSIDE.get(name)
        if inside is not None:
            return inside(self, equation)
        if len(equation.outvars) == 1:
            self._note(name, equation, equation.outvars[0])
        return equation

    def _positive_remainder(self, equation: Any) -> Any:
        """`jnp.remainder` where no number is negative: XLA's own, without a look at signs."""
        if equation.params.get("name") != "remainder" or len(equation.invars) != 2:
            return equation
        left, right = map(self.of, equation.invars)
        kinds = {(v.aval.dtype, v.aval.shape) for v in (*equation.invars, *equation.outvars)}
        if left[0] < 0 or right[0] <= 0 or len(kinds) > 1:
            return equation
        return equation.replace(primitive=lax.rem_p, params={})

    def _note(self, name: str, equation: Any, result: Any) -> None:
        if self._truths.read(equation):
            return
        if name == "select_n":
            self._hold(result, union(*map(self.of, equation.invars[1:])))
        elif name in TESTS:
            left, right = map(self.of, equation.invars)
            self._truths.compare(equation, (left[0] - right[1], left[1] - right[0]))
        elif name in _RULES:
            self._hold(result, _RULES[name](*map(self.of, equation.invars[: _TAKEN.get(name)])))
        elif name == "iota":
            size = equation.params["shape"][equation.params["dimension"]]
            if isinstance(size, int) and size:
                self._hold(result, (0, size - 1))

    def _hold(self, variable: Any, found: Ends) -> None:
        if holds(getattr(variable.aval, "dtype", None), found):  # else it may have overflown
            self._known[variable] = found

    def call(self, equation: Any) -> Any:
        """A call whose operands have these ranges."""
        if self._simplifies:
            return equation
        called = equation.params["jaxpr"]
        new, ranges = _within(called, list(map(self.of, equation.invars)), simplifies=False)
        self._known.update(zip(equation.outvars, map(ranges.of, open_jaxpr(called).outvars), strict=True))
        return _with(equation, jaxpr=new)

    def scan(self, equation: Any) -> Any:
        """A scan whose constants, rows and counters have these ranges."""
        body, turns = equation.params["jaxpr"], equation.params["length"] - 1
        given = list(map(self.of, equation.invars))
        consts, carried, _ = map(len, groups(equation, given))
        for place, step in enumerate(induction_variables.steps(body, consts)[:carried], consts):
            start, given[place] = given[place], ANY
            if step is not None and isinstance(turns, int) and turns >= 0:
                given[place] = start[0] + min(turns * step, 0), start[1] + max(turns * step, 0)
        body = within(body, given, simplifies=self._simplifies)
        jaxpr = open_jaxpr(body)
        for number in range(carried):  # what no iteration changes any more
            if jaxpr.outvars[number] is jaxpr.invars[consts + number]:
                self._truths.equate(equation.outvars[number], equation.invars[consts + number])
        return _with(equation, jaxpr=body)

    def while_loop(self, equation: Any) -> Any:
        """A `while_loop` whose constants and counters have these ranges."""
        params, given = equation.params, list(map(self.of, equation.invars))
        if self._simplifies:
            return _with(equation, body_jaxpr=repeated(params, given, simplifies=True)[1])
        return equation if equation.primitive is JAXS else _with(equation, **of_loop(params, given))

    def cond(self, equation: Any) -> Any:
        """A conditional whose operands have these ranges."""
        given = list(map(self.of, equation.invars[1:]))
        branches = [within(each, given, simplifies=self._simplifies) for each in equation.params["branches"]]
        return _with(equation, branches=tuple(branches))

    def simpler(self, equations: Sequence[Any], results: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Equations that nobody has read yet, and results, without what the ranges make needless."""
        read = list(map(self.read, inlined(equations)))
        named = [new if (new := self._truths.name(atom)).aval == atom.aval else atom for atom in results]
        return live(read, named)[0], named


def within(body: Any, given: Sequence[Ends], *, simplifies: bool) -> Any:
    """A jaxpr, closed or not, for inputs in these ranges; itself where nothing changes."""
    return _within(body, given, simplifies)[0]


def _within(body: Any, given: Sequence[Ends], simplifies: bool) -> tuple[Any, Ranges]:
    jaxpr = open_jaxpr(body)
    ranges = Ranges(dict(zip(jaxpr.invars, given, strict=True)), simplifies=simplifies)
    equations, results = jaxpr.eqns, jaxpr.outvars
    if not simplifies:
        equations = list(map(ranges.read, equations))
    elif may_change(jaxpr) and any(ends != ANY for ends in given):
        equations, results = ranges.simpler(equations, results)
    if all(map(operator.is_, equations, jaxpr.eqns)) and len(equations) == len(jaxpr.eqns):
        return body, ranges
    changed = jaxpr.replace(eqns=equations, outvars=results)
    return changed if body is jaxpr else body.replace(jaxpr=changed), ranges


def of_loop(params: dict[str, Any], given: Sequence[Ends]) -> dict[str, Any]:
    """The parameters of a `while` loop that knows how often it runs at most, as do those in its body."""
    most, body = repeated(params, given, simplifies=False)
    options: Options = params.get("options") or Options()
    if most == math.inf or (options.bound is not None and options.bound <= most):
        return {**params, "body_jaxpr": body}
    return {**params, "body_jaxpr": body, "options": dataclasses.replace(options, bound=max(1, int(most)))}


def repeated(params: dict[str, Any], given: Sequence[Ends], *, simplifies: bool) -> tuple[float, Any]:
    """How often a `while` loop of these parameters runs at most, and its body; see `of_loop`."""
    first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    most, inside = while_ranges(params["cond_jaxpr"], params["body_jaxpr"], given[:first], given[last:])
    return most, within(params["body_jaxpr"], [*given[first:last], *inside], simplifies=simplifies)


def while_ranges(
    cond: Any, body: Any, held: Sequence[Ends], start: Sequence[Ends]
) -> tuple[float, list[Ends]]:
    """How often a `while` loop runs at most, and between which numbers its variables lie in its body."""
    first = len(open_jaxpr(body).invars) - len(start)
    facts = induction_variables.going_on(cond, len(held), body, len(start))
    variables = induction_variables.steps(body, first, facts)
    inside = [e if step == 0 else ANY for e, step in zip(start, variables, strict=True)]
    known = _within(cond, [*held, *inside], simplifies=False)[1]
    most: float = math.inf
    for test in induction_variables.tests(cond, len(held), variables):
        count, ends = test.limit(start[test.variable], known.of(test.other))
        low, high = inside[test.variable]
        most, inside[test.variable] = min(most, count), (max(low, ends[0]), min(high, ends[1]))
    for test in induction_variables.later_tests(body, first, variables, facts):
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


def may_change(jaxpr: Any) -> bool:
    """Whether something in a jaxpr can become simpler where ranges are known."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in ("jit", "pjit"):
            if equation.params.get("name") == "remainder" or may_change(equation.params["jaxpr"].jaxpr):
                return True
        elif name == "select_n" or name in _INSIDE:
            return True
    return False


_RULES: dict[str, Callable[..., Ends]] = {
    **RULES,
    "concatenate": union,
    **dict.fromkeys((*SHAPES, *PARTS, "copy"), lambda a: a),
}
# Of how many operands the range of the result follows.
_TAKEN = dict.fromkeys(SHAPES | PARTS, 1)
_INSIDE: dict[str, Callable[[Ranges, Any], Any]] = {
    **dict.fromkeys(("jit", "pjit"), Ranges.call),
    "scan": Ranges.scan,
    "while": Ranges.while_loop,
    "cond": Ranges.cond,
}
