"""Which integers in the body of a loop lie in a known range, and what follows for the loops inside?

    for i in range(n):               i is none below 0
        for j in range(i + 1):       nor is j: no index of A[i, j] has to be looked at for counting from the end

`_jax_positions` knows more of the numbers of one loop; what is here goes into the loops and branches inside.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph_lite import _jax_bounds, _jax_counting
from autograph_lite._jax_intervals import ANY, RULES, Ends, union
from autograph_lite._jax_scans import inlined, is_variable, live
from autograph_lite._jax_truths import Truths

Known = Ends | None  # both of them finite; None where one is not


class Ranges:
    """The ranges of the variables of a body, whose equations are read one after the other.

    Args:
      known: those that the body is given.
    """

    def __init__(self, known: Mapping[Any, Known]) -> None:
        self._known = {variable: found for variable, found in known.items() if found is not None}
        self._truths = Truths()
        self._names: dict[Any, Any] = {}

    def of(self, atom: Any) -> Known:
        """Between which integers `atom` is, or all items of it; None where that is not known."""
        if is_variable(atom):
            return self._known.get(self._names.get(atom, atom))
        value = np.asarray(atom.val) if isinstance(atom.val, (int, np.ndarray, np.generic)) else None
        if value is None or value.ndim or value.dtype.kind not in "iu":
            return None
        return int(value), int(value)

    def read(self, equation: Any) -> Any:
        """The equation with what its operands equal, and simpler loops in it; notes what its result is."""
        if any(is_variable(atom) and atom in self._names for atom in equation.invars):
            equation = equation.replace(invars=list(map(self.name, equation.invars)))
        equation = self._positive_remainder(equation)
        name = equation.primitive.name
        inside = _INSIDE.get(name)
        if inside is not None:
            return inside(self, equation)
        if len(equation.outvars) == 1:
            self._note(name, equation, equation.outvars[0])
        return equation

    def _positive_remainder(self, equation: Any) -> Any:
        """`jnp.remainder` of numbers none of which is negative: XLA's own, without a look at signs."""
        if equation.params.get("name") != "remainder" or len(equation.invars) != 2:
            return equation
        left, right = map(self.of, equation.invars)
        kinds = {(v.aval.dtype, v.aval.shape) for v in (*equation.invars, *equation.outvars)}
        if left is None or right is None or left[0] < 0 or right[0] <= 0 or len(kinds) > 1:
            return equation
        return equation.replace(primitive=lax.rem_p, params={})

    def name(self, atom: Any) -> Any:
        """What `atom` equals."""
        return self._names.get(atom, atom) if is_variable(atom) else atom

    def _note(self, name: str, equation: Any, result: Any) -> None:
        if (equal := self._truths.read(equation)) is not None:
            self._is(result, equal)
        elif name == "select_n":
            self._union(equation.invars[1:], result)
        elif name in _TESTS:
            left, right = map(self.of, equation.invars)
            if left and right and not result.aval.shape:
                answers = {_TESTS[name](a, b) for a, b in ((left[0], right[1]), (left[1], right[0]))}
                if len(answers) == 1:
                    self._truths.hold(result, answers.pop())
        elif name in _RULES:
            ranges = list(map(self.of, equation.invars[: _TAKEN.get(name)]))
            if all(ranges):
                self._hold(result, _RULES[name](*ranges))
        elif name == "iota":
            size = equation.params["shape"][equation.params["dimension"]]
            if isinstance(size, int) and size:
                self._hold(result, (0, size - 1))

    def _is(self, result: Any, value: Any) -> None:
        """Notes that a result equals an operand."""
        if value.aval.dtype == result.aval.dtype and value.aval.shape == result.aval.shape:
            self._names[result] = value

    def _union(self, cases: Sequence[Any], result: Any) -> None:
        """One of several values."""
        ranges = [found for found in map(self.of, cases) if found is not None]
        if len(ranges) == len(cases):
            self._hold(result, union(*ranges))

    def _hold(self, variable: Any, found: Ends) -> None:
        kind = getattr(variable.aval, "dtype", None)
        if kind is None or not jnp.issubdtype(kind, np.signedinteger):
            return
        info = np.iinfo(kind)
        if info.min <= found[0] and found[1] <= info.max:
            self._known[variable] = found

    def scan(self, equation: Any) -> Any:
        """A scan whose constants, rows and counters have these ranges."""
        body, turns = equation.params["jaxpr"], equation.params["length"] - 1
        given = list(map(self.of, equation.invars))
        places = _carried(equation)
        for place, step in zip(places, _jax_counting.steps(body, places.start), strict=False):
            start = given[place]
            if start and step is not None and isinstance(turns, int) and turns >= 0:
                given[place] = start[0] + min(turns * step, 0), start[1] + max(turns * step, 0)
            else:
                given[place] = None
        body = closed(body, given)
        jaxpr = getattr(body, "jaxpr", body)
        for number, place in enumerate(places):  # what no iteration changes any more
            if jaxpr.outvars[number] is jaxpr.invars[place]:
                self._is(equation.outvars[number], equation.invars[place])
        return equation.replace(params={**equation.params, "jaxpr": body})

    def while_loop(self, equation: Any) -> Any:
        """A `while_loop` whose constants and counters have these ranges."""
        params, given = equation.params, list(map(self.of, equation.invars))
        first = params["cond_nconsts"]
        last = first + params["body_nconsts"]
        body = repeated(
            params["cond_jaxpr"], params["body_jaxpr"], given[:first], given[first:last], given[last:]
        )
        return equation.replace(params={**params, "body_jaxpr": body})

    def cond(self, equation: Any) -> Any:
        """A conditional whose operands have these ranges."""
        given = list(map(self.of, equation.invars[1:]))
        branches = tuple(closed(branch, given) for branch in equation.params["branches"])
        return equation.replace(params={**equation.params, "branches": branches})


def simplified(
    equations: Sequence[Any], results: Sequence[Any], known: Mapping[Any, Known]
) -> tuple[list[Any], list[Any]]:
    """The same equations and results, without what the ranges of the integers in them make needless.

    Args:
      equations: of a body.
      results: of it.
      known: ranges of its inputs.
    """
    ranges = Ranges(known)
    read = list(map(ranges.read, inlined(equations)))
    named = [new if (new := ranges.name(atom)).aval == atom.aval else atom for atom in results]
    return live(read, named)[0], named


def repeated(
    test: Any, body: Any, of_test: Sequence[Known], of_body: Sequence[Known], start: Sequence[Known]
) -> Any:
    """The body of a `while_loop`, simplified for constants and first values of its variables in these ranges."""
    _, inside = _jax_bounds.entered(
        test, body, *([each or ANY for each in ends] for ends in (of_test, start))
    )
    return closed(body, [*of_body, *map(_finite, inside)])


def closed(body: Any, given: Sequence[Known]) -> Any:
    """A closed jaxpr, simplified for inputs in these ranges; itself where there is none."""
    jaxpr = getattr(body, "jaxpr", body)
    if not any(given) or not may_change(jaxpr):
        return body
    equations, results = simplified(jaxpr.eqns, jaxpr.outvars, dict(zip(jaxpr.invars, given, strict=True)))
    changed = jaxpr.replace(eqns=equations, outvars=results)
    return body.replace(jaxpr=changed) if body is not jaxpr else changed


def _finite(ends: Ends) -> Known:
    return None if math.inf in map(abs, ends) else ends


def may_change(jaxpr: Any) -> bool:
    """Whether something in a jaxpr can become simpler where ranges are known."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name == "select_n" or name in _INSIDE or equation.params.get("name") == "remainder":
            return True
        if name in ("jit", "pjit") and may_change(equation.params["jaxpr"].jaxpr):
            return True
    return False


def _carried(equation: Any) -> range:
    """Where the variables of a scan are among its operands."""
    if "num_carry" in equation.params:  # 0.10
        first = equation.params["num_consts"]
        return range(first, first + equation.params["num_carry"])
    groups = [len(group) for group in equation.params["ft_in"].unpack()]
    return range(groups[0], groups[0] + groups[1])


_RULES: dict[str, Callable[..., Ends]] = {
    **RULES,
    "concatenate": union,
    **dict.fromkeys(
        ("broadcast_in_dim", "squeeze", "reshape", "slice", "dynamic_slice", "rev", "copy"), lambda a: a
    ),
}
# Of how many operands the range of the result follows.
_TAKEN: dict[str, int] = dict.fromkeys(("dynamic_slice", "broadcast_in_dim", "reshape"), 1)
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_INSIDE: dict[str, Callable[[Ranges, Any], Any]] = {
    "scan": Ranges.scan,
    "while": Ranges.while_loop,
    "cond": Ranges.cond,
}
