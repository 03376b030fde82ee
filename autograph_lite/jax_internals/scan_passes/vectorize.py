"""Vectorization: which scans have independent iterations? These are computed at once, by operations on whole arrays.

    for i in range(n):                   new = u - c * (u - jnp.roll(u, 1))
        new[i] = u[i] - c * (u[i] - u[i - 1])

It is `jax.vmap` of the body, but that the numbers of the iterations are known: what is read at them are slices, and no gather.
Source: Allen and Kennedy, "Automatic translation of FORTRAN programs to vector form" (1987); ours takes whole loops alone.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core
from jax.extend.core import jaxpr_as_fun

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import primitive_traits
from autograph_lite.jax_internals.dataflow.scan_ir import Scan, is_variable
from autograph_lite.jax_internals.scan_passes import strided_slices

# Those that call other jaxprs.
_INNER: dict[str, Callable[[dict[str, Any]], Sequence[Any]]] = {
    "jit": lambda params: [params["jaxpr"]], "pjit": lambda params: [params["jaxpr"]], "cond": lambda params: params["branches"],
}  # fmt: skip
# So many items a value of one iteration may have. With more the loop itself costs little, and XLA for CPUs, which fuses all
# into one reduction, computes some of it again for each item: forces between 64 bodies took 12 times as long.
ROOM = 8
# With fewer iterations there is nothing to gain.
_FEWEST = 3
_NUMBERS: dict[str, Callable[..., Any]] = {
    **primitive_traits.FOLDS, "rem": np.fmod, "convert_element_type": np.asarray,
    "select_n": lambda which, *cases: np.choose(which, cases),
}  # fmt: skip


def run(scan: Scan) -> None:
    """Decides whether all iterations are computed at once."""
    scan.at_once = scan.at_once and _is_mapped(scan)


def _is_mapped(scan: Scan) -> bool:
    if scan.carried or not scan.outputs or scan.length < _FEWEST:
        return False
    small = all(_is_small(v.aval) for v in (*scan.rows, *scan.outputs))
    return small and _fits(scan.equations, set(scan.rows))


def _fits(equations: Sequence[Any], varying: set[Any]) -> bool:
    """Whether equations can be computed for all iterations at once; adds what they make to `varying`, which differ."""
    for equation in equations:
        name, operands = equation.primitive.name, equation.invars
        if equation.effects or not all(_is_small(v.aval) for v in equation.outvars):
            return False
        if name == "cond" and is_variable(operands[0]) and operands[0] in varying:
            return False  # all branches would be computed in all iterations
        if name not in primitive_traits.BATCHED and name not in _INNER:
            return False
        given = operands[1:] if name == "cond" else operands
        for inner in _INNER[name](equation.params) if name in _INNER else ():
            pairs = zip(inner.jaxpr.invars, given, strict=True)
            inside = {v for v, outer in pairs if is_variable(outer) and outer in varying}
            if not _fits(inner.jaxpr.eqns, inside):
                return False
        if any(is_variable(v) and v in varying for v in operands):
            varying.update(equation.outvars)
    return True


def _is_small(aval: Any) -> bool:
    if not hasattr(aval, "shape") or jnp.issubdtype(aval.dtype, jax.dtypes.extended):
        return False
    return all(isinstance(n, int) for n in aval.shape) and math.prod(aval.shape) <= ROOM


@dataclasses.dataclass(frozen=True)
class _Each:
    """A value that differs between iterations: an array whose first axis is theirs."""

    array: Any


@dataclasses.dataclass(frozen=True)
class _Number(_Each):
    """An integer, or a bool, that is known for each iteration: an array of NumPy's of one axis."""


def outputs(scan: Scan, body: Any) -> list[Any]:
    """What the iterations of a scan put out that are computed at once."""
    places = np.arange(scan.length, dtype=np.int64)
    known: dict[Any, Any] = dict(scan.consts)
    for variable, array in scan.rows.items():
        at = scan.numbers.get(variable)
        known[variable] = _Each(array) if at is None else _Number(at.slope * places + at.offset)
    results = _Run(scan.length, body).results(scan.equations, scan.outputs, known)
    return [
        avals.as_type(array, v.aval.dtype, avals.is_weak(v.aval))
        for array, v in zip(results, scan.outputs, strict=True)
    ]


class _Run:
    """Computes all iterations at once."""

    def __init__(self, length: int, body: Any) -> None:
        self._length, self._body = length, body

    def results(self, equations: Sequence[Any], results: Sequence[Any], known: dict[Any, Any]) -> list[Any]:
        """What these equations give for `results`: arrays with an axis for the iterations in front."""
        found = self._values(equations, results, known)
        return [self._all(value, atom.aval) for value, atom in zip(found, results, strict=True)]

    def _values(self, equations: Sequence[Any], results: Sequence[Any], known: dict[Any, Any]) -> list[Any]:
        def read(atom: Any) -> Any:
            return known[atom] if is_variable(atom) else atom.val

        for equation in equations:
            made = self._computed(equation, [read(atom) for atom in equation.invars])
            known.update(zip(equation.outvars, made, strict=True))
        return [read(atom) for atom in results]

    def _computed(self, equation: Any, operands: list[Any]) -> Sequence[Any]:
        name = equation.primitive.name
        if any(isinstance(value, _Each) for value in operands):
            if name == "cond":
                return self._chosen(equation, operands)
            if name in _INNER:
                (inner,) = _INNER[name](equation.params)
                return self._values(inner.jaxpr.eqns, inner.jaxpr.outvars, _entered(inner, operands))
            if name == "dynamic_slice" and (rows := _rows(equation, operands)) is not None:
                return [_Each(rows)]
            if (number := _number(equation, operands)) is not None:
                return [_Number(number)]
        return self._evaluated(equation, operands)

    def _evaluated(self, equation: Any, operands: Sequence[Any]) -> list[Any]:
        """What the equation gives: once, or for each iteration; its user's line goes with it."""
        given = [
            (value, core.Var(atom.aval))
            for value, atom in zip(operands, equation.invars, strict=True)
            if is_variable(atom)
        ]
        invars = [variable for _, variable in given]
        names = iter(invars)
        one = equation.replace(
            invars=[next(names) if is_variable(atom) else atom for atom in equation.invars]
        )
        jaxpr = self._body.jaxpr.replace(constvars=[], invars=invars, outvars=list(one.outvars), eqns=[one])
        run = jaxpr_as_fun(self._body.replace(jaxpr=jaxpr, consts=[]))
        axes = [0 if isinstance(value, _Each) else None for value, _ in given]
        arrays = [self._all(value, v.aval) if isinstance(value, _Each) else value for value, v in given]
        if not any(axis == 0 for axis in axes):
            return list(run(*arrays))
        return list(map(_Each, jax.vmap(run, axes)(*arrays)))

    def _chosen(self, equation: Any, operands: list[Any]) -> list[Any]:
        """A `cond` whose branch is the same in all iterations."""
        which, *given = operands

        def branch(inner: Any) -> Callable[[], list[Any]]:
            jaxpr = inner.jaxpr
            return lambda: self.results(jaxpr.eqns, jaxpr.outvars, _entered(inner, given))

        return list(map(_Each, lax.switch(which, [branch(inner) for inner in equation.params["branches"]])))

    def _all(self, value: Any, aval: Any) -> Any:
        """The values of all iterations."""
        if isinstance(value, _Number):
            return avals.as_type(
                strided_slices.array(value.array, aval.dtype), aval.dtype, avals.is_weak(aval)
            )
        if isinstance(value, _Each):
            return value.array
        return jnp.broadcast_to(value, (self._length, *aval.shape))


def _entered(inner: Any, operands: Sequence[Any]) -> dict[Any, Any]:
    """What the variables of a closed jaxpr are where it is called with these operands."""
    jaxpr = inner.jaxpr
    return dict(zip([*jaxpr.constvars, *jaxpr.invars], [*inner.consts, *operands], strict=True))


def _number(equation: Any, operands: Sequence[Any]) -> Any:
    """What an operation on known numbers gives; None where that is not known, or no integer of its type."""
    name, (result, *_) = equation.primitive.name, equation.outvars
    rule = _NUMBERS.get(name)
    if rule is None or result.aval.shape or result.aval.dtype.kind not in "iub":
        return None
    values = [value.array if isinstance(value, _Number) else value for value in operands]
    if not all(isinstance(value, (int, np.integer, np.bool_, np.ndarray)) for value in values):
        return None
    plain = [np.asarray(v) if np.asarray(v).dtype == bool else np.asarray(v, np.int64) for v in values]
    if name == "rem" and not plain[1].all():
        return None
    found = rule(*plain)
    if result.aval.dtype == bool:
        found = found != 0
    else:
        info = np.iinfo(result.aval.dtype)
        found = found.astype(np.int64)
        if found.min() < info.min or found.max() > info.max:
            return None
    return found if strided_slices.are_short(found) else None


def _rows(equation: Any, operands: Sequence[Any]) -> Any:
    """What a `dynamic_slice` takes of an array at known numbers of one of its axes; None for another."""
    source, *starts = operands
    sizes, shape = equation.params["slice_sizes"], np.shape(source)
    axes = [k for k, start in enumerate(starts) if isinstance(start, _Each)]
    if isinstance(source, _Each) or len(axes) != 1 or not isinstance(starts[axes[0]], _Number):
        return None
    axis = axes[0]
    size, width = shape[axis], sizes[axis]
    places = np.clip(starts[axis].array, 0, size - width)
    if any(k != axis and sizes[k] != shape[k] for k in range(len(shape))):
        kind = equation.invars[1].aval.dtype  # of all of them
        starts = [lax.convert_element_type(0 if k == axis else start, kind) for k, start in enumerate(starts)]
        source = lax.dynamic_slice(source, starts, (*sizes[:axis], size, *sizes[axis + 1 :]))
    columns = [
        jnp.expand_dims(
            jnp.moveaxis(strided_slices.take_strided(source, axis, places + k), axis, 0), axis + 1
        )
        for k in range(width)
    ]
    return columns[0] if width == 1 else lax.concatenate(columns, axis + 1)
