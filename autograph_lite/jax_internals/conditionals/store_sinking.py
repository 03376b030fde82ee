"""Store sinking: which items do all branches of a conditional write to one array? They are written once, after it.

    if a[i] == b[j]:                       here = cond(a[i] == b[j], ...)
        D[i, j] = D[i - 1, j - 1]          D[i, j] = here
    else:
        D[i, j] = 1 + D[i - 1, j]

The conditional then gives an item and not an array, which XLA would copy, and whose derivative would be an array for each
item. Where a branch writes nothing, the array stays with it: to write what is there costs up to twice as much.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable, live, writes_place


@dataclasses.dataclass(frozen=True)
class _Written:
    """The item that a branch leaves in an array."""

    array: int  # the number of the branch's input that is the array
    scatter: Any  # the equation that writes
    place: Hashable  # of the item, as an expression of the inputs that other branches' can be compared with


@dataclasses.dataclass
class Sunk:
    """Branches that give items in place of arrays, and what they take."""

    branches: list[Any]
    inputs: list[Any]
    _writes: dict[int, tuple[Any, Any, Any]]

    def written(self, outputs: Sequence[Any]) -> list[Any]:
        """The outputs, where arrays are arrays again."""
        return [self._write(number, output) for number, output in enumerate(outputs)]

    def _write(self, number: int, output: Any) -> Any:
        if number not in self._writes:
            return output
        scatter, array, index = self._writes[number]
        return scatter.primitive.bind(array, index, output, **scatter.params)

    def cheap(self) -> bool:
        """Whether the branches choose an item, and computing all of them costs less than a branch, and can't fail."""
        bodies = [open_jaxpr(branch) for branch in self.branches]
        equations = [equation for body in bodies for equation in body.eqns]
        return bool(self._writes) and len(equations) <= FEW and all(map(_is_cheap, equations))


# A conditional costs about as much as so many operations on numbers.
FEW = 12


def _is_cheap(equation: Any) -> bool:
    """Whether an equation computes with numbers, and so that neither values nor derivatives become NaN."""
    if any(atom.aval.shape for atom in (*equation.invars, *equation.outvars)):
        return False
    inner = list(core.jaxprs_in_params(equation.params))
    if equation.primitive.name in ("jit", "pjit"):
        return all(map(_is_cheap, inner[0].eqns))
    whole = not jnp.issubdtype(equation.outvars[0].aval.dtype, jnp.inexact)
    return equation.primitive.name in primitive_traits.CHEAP or (equation.primitive.name == "mul" and whole)


def sink(branches: Sequence[Any], inputs: Sequence[Any]) -> Sunk:
    """The same conditional with what all branches write to one place of an array taken out of it."""
    if not all(map(_writes, branches)):
        return Sunk(list(branches), list(inputs), {})
    bodies = [_Body(open_jaxpr(branch)) for branch in branches]
    writes: dict[int, tuple[Any, Any, Any]] = {}
    extra: dict[Any, Any] = {}
    for number in range(len(bodies[0].results)):
        found = [way for body in bodies if (way := body.written(number)) is not None]
        if len(found) < len(bodies) or not _agree(found):
            continue
        scatter = found[0].scatter
        writes[number] = scatter, inputs[found[0].array], bodies[0].value(scatter.invars[1], inputs)
        for body, way in zip(bodies, found, strict=True):
            body.results[number] = way.scatter.invars[2]
    if not writes:
        return Sunk(list(branches), list(inputs), {})
    arrays = [array for _, array, _ in writes.values()]
    changing = [n for n, value in enumerate(inputs) if any(value is array for array in arrays)]
    _read_before(bodies, changing, inputs, extra)
    needed = [live(body.equations, body.results) for body in bodies]
    used = set().union(*(names for _, names in needed))
    kept_inputs = [n for n in range(len(inputs)) if any(body.jaxpr.invars[n] in used for body in bodies)]
    changed = [
        branch.replace(
            jaxpr=body.jaxpr.replace(
                invars=[*(body.jaxpr.invars[n] for n in kept_inputs), *extra],
                outvars=body.results,
                eqns=equations,
            )
        )
        for branch, body, (equations, _) in zip(branches, bodies, needed, strict=True)
    ]
    return Sunk(changed, [*(inputs[n] for n in kept_inputs), *extra.values()], writes)


def _writes(branch: Any) -> bool:
    return any(equation.primitive.name == "scatter" for equation in open_jaxpr(branch).eqns)


def _read_before(
    bodies: Sequence[_Body], arrays: Sequence[int], inputs: Sequence[Any], extra: dict[Any, Any]
) -> None:
    """Reads the numbers that branches take from arrays before the branches, which then need no array."""
    found: dict[Hashable, Any] = {}
    for body in bodies:
        for number in arrays:
            for place, part, row in body.reads(number):
                if place not in found:
                    found[place] = core.Var(row.aval)
                    starts = [body.value(start, inputs) for start in part.invars[1:]]
                    array = inputs[number]
                    item = lax.dynamic_slice(array, starts, [1] * array.ndim)
                    extra[found[place]] = lax.squeeze(item, range(array.ndim))
                body.rename(row, found[place])


def _agree(found: Sequence[_Written]) -> bool:
    """Whether all branches write to one place of one array."""
    first = found[0]
    return first.place is not None and all(
        way.array == first.array
        and way.place == first.place
        and all(
            way.scatter.params[name] == first.scatter.params[name] for name in ("dimension_numbers", "mode")
        )
        and way.scatter.invars[2].aval == first.scatter.invars[2].aval
        for way in found
    )


class _Body:
    """The equations of a branch, by their results."""

    def __init__(self, jaxpr: Any) -> None:
        self.jaxpr = jaxpr
        self.results = list(jaxpr.outvars)
        self.equations = list(jaxpr.eqns)
        self._inputs = {variable: number for number, variable in enumerate(jaxpr.invars)}
        self._equations = {variable: e for e in jaxpr.eqns for variable in e.outvars}

    def written(self, number: int) -> _Written | None:
        """What the branch writes to the array that is this output; None where that is something else."""
        result = self.results[number]
        equation = self._equations.get(result) if is_variable(result) else None
        if equation is None or not writes_place(equation):
            return None
        array, index, _ = equation.invars
        if not is_variable(array) or array not in self._inputs:
            return None
        return _Written(self._inputs[array], equation, self._expression(index))

    def reads(self, number: int) -> list[tuple[Hashable, Any, Any]]:
        """Where the branch reads numbers from this input: the place as an expression, the equation, the number."""
        array = self.jaxpr.invars[number]
        found: list[tuple[Hashable, Any, Any]] = []
        for equation in self.equations:
            source = equation.invars[0] if equation.primitive.name == "squeeze" else None
            part = self._equations.get(source) if source is not None and is_variable(source) else None
            if part is None or part.primitive.name != "dynamic_slice" or part.invars[0] is not array:
                continue
            starts = tuple(map(self._expression, part.invars[1:]))
            if equation.outvars[0].aval.shape == () and None not in starts:
                found.append(((number, starts), part, equation.outvars[0]))
        return found

    def rename(self, old: Any, new: Any) -> None:
        """Puts a variable in place of another."""

        def renamed(atom: Any) -> Any:
            return new if atom is old else atom

        self.equations = [
            e.replace(invars=list(map(renamed, e.invars))) if any(v is old for v in e.invars) else e
            for e in self.equations
        ]
        self.results = list(map(renamed, self.results))

    def _expression(self, atom: Any) -> Hashable:
        """`atom` as an expression of the inputs; None where it is none of scalars and short vectors."""
        if not is_variable(atom):
            return "literal", str(atom.aval), str(atom.val)
        if atom in self._inputs:
            return "input", self._inputs[atom]
        equation = self._equations[atom]
        if equation.effects or len(equation.outvars) != 1 or any(core.jaxprs_in_params(equation.params)):
            return None
        parts = tuple(map(self._expression, equation.invars))
        if None in parts or any(v.aval.ndim > 1 for v in equation.invars):
            return None
        return equation.primitive.name, str(sorted(equation.params.items(), key=str)), parts

    def value(self, atom: Any, inputs: Sequence[Any]) -> Any:
        """The value of an expression, computed in the current trace."""
        if not is_variable(atom):
            return atom.val
        if atom in self._inputs:
            return inputs[self._inputs[atom]]
        equation = self._equations[atom]
        return equation.primitive.bind(*(self.value(v, inputs) for v in equation.invars), **equation.params)
