"""Which variables of a `while` loop count, and which of the conditions under which it goes on compare them with a bound?

    while k >= 0 and a[k] > key:       k counts down by one, and the loop goes on as long as it is not below zero
        k -= 1

Like `_jax`, this uses JAX's insides. Checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax._src import core

from autograph_lite._jax_intervals import ANY, Ends

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def inner(closed: Any) -> Any:
    """The jaxpr of a closed one."""
    return getattr(closed, "jaxpr", closed)


def is_integer(aval: Any) -> bool:
    """Whether a value is one signed integer."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and not aval.shape and bool(jnp.issubdtype(dtype, jnp.signedinteger))


def steps(body: Any, consts: int) -> list[int | None]:
    """For each variable by how much an iteration changes it; None where that is not one number."""
    jaxpr = inner(body)
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    # After the variables of a scan come its rows, and what it puts out.
    return [
        _step(before, after, made)
        for before, after in zip(jaxpr.invars[consts:], jaxpr.outvars, strict=False)
    ]


def _step(before: Any, after: Any, made: dict[Any, Any]) -> int | None:
    if after is before:
        return 0
    equation = None if isinstance(after, core.Literal) else made.get(after)
    if equation is None or equation.primitive.name not in ("add", "sub") or not is_integer(before.aval):
        return None
    left, right = equation.invars
    if right is before and equation.primitive.name == "add":
        left, right = right, left
    if left is not before or not isinstance(right, core.Literal):
        return None
    return int(right.val) if equation.primitive.name == "add" else -int(right.val)


@dataclasses.dataclass(frozen=True)
class Test:
    """A comparison that holds before each iteration.

    Attributes:
      variable: the number of the one that counts.
      step: by how much.
      strict: whether it may not be equal.
      other: what it is compared with.
      dtype: of both.
    """

    variable: int
    step: int
    strict: bool
    other: Any
    dtype: Any

    def limit(self, start: Ends, bound: Ends) -> tuple[float, Ends]:
        """How many iterations there are at most, and between which numbers the variable lies in them.

        Args:
          start: between which numbers it lies before the loop.
          bound: the same of what it is compared with.
        """
        info, up = np.iinfo(self.dtype), self.step > 0
        first, end = (start[0], bound[1]) if up else (start[1], bound[0])
        last = min(end, info.max) - self.strict if up else max(end, info.min) + self.strict
        if not info.min <= last + self.step <= info.max:  # it may overflow, and go on
            return math.inf, ANY
        unknown = math.inf in (abs(first), abs(end))
        count = math.inf if unknown else max(0, (last - first) // self.step + 1)
        return count, (first, last) if up else (last, first)


def tests(cond: Any, consts: int, variables: Sequence[int | None]) -> Iterator[Test]:
    """The comparisons of variables that count with something, without which the loop ends."""
    jaxpr = inner(cond)
    made = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
    counting = {v: n for n, v in enumerate(jaxpr.invars[consts:]) if variables[n]}
    for equation in _needed(jaxpr.outvars[0], made):
        name, (left, right) = equation.primitive.name, equation.invars
        if isinstance(left, core.Literal) or left not in counting:
            name, left, right = _MIRRORED[name], right, left
        if isinstance(left, core.Literal) or left not in counting:
            continue
        step = variables[counting[left]] or 0
        if (step > 0) == (name in ("lt", "le")):
            yield Test(counting[left], step, name in ("lt", "gt"), right, left.aval.dtype)


def _needed(atom: Any, made: dict[Any, Any]) -> Iterator[Any]:
    """The comparisons all of which hold where `atom` does."""
    equation = None if isinstance(atom, core.Literal) else made.get(atom)
    if equation is None:
        return
    name, given = equation.primitive.name, equation.invars
    if name in _MIRRORED:
        yield equation
    elif name == "and":
        yield from _needed(given[0], made)
        yield from _needed(given[1], made)
    elif name == "while_reached":
        yield from _needed(given[0], made)
    elif name == "select_n" and len(given) == 3 and _is_false(given[1]):  # a and b
        yield from _needed(given[0], made)
        yield from _needed(given[2], made)
    elif name == "cond":
        yield from _needed(_tested(equation, made), made)


def _is_false(atom: Any) -> bool:
    return isinstance(atom, core.Literal) and not atom.val


def _tested(equation: Any, made: dict[Any, Any]) -> Any:
    """What a conditional `a and b` tests: `a`, without which it is false; None for any other conditional."""
    index = equation.invars[0]
    converted = None if isinstance(index, core.Literal) else made.get(index)
    branch = inner(equation.params["branches"][0])
    if converted is None or converted.primitive.name != "convert_element_type" or len(branch.outvars) != 1:
        return None
    [result] = branch.outvars
    made = {v: e for e in branch.eqns for v in e.outvars if e.primitive.name == "convert_element_type"}
    while not isinstance(result, core.Literal) and result in made:
        [result] = made[result].invars
    return converted.invars[0] if _is_false(result) else None
