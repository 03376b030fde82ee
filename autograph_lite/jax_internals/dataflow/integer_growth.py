"""Integer growth: which of Python's ints may outgrow their type in an iteration of a loop, and when does one?

    p = p * 2                  after some iterations
    n += 1                     after more than anybody waits for
    h = (h * 33 + k) & 4095    h * 33 does, and the bits that are kept are right

They are weakly typed scalars. Counters, and items, are taken to be numbers whose squares fit, and what follows from them is
looked at where that is not enough; so is what grows by itself. Checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.interpreters.partial_eval import DynamicJaxprTracer as Recorded
from jax.extend.core import (  # type: ignore[attr-defined,unused-ignore]
    ClosedJaxpr,  # pyright: ignore[reportPrivateImportUsage]
    jaxpr_as_fun,
)

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.intervals import ANY, RULES, Ends, holds, union
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable, live

_COUNTER: Ends = (-46_000, 46_000)
_STEP = 16  # by which a counter may grow in an iteration
_LINEAR = frozenset({"add", "sub", "mul", "neg", "convert_element_type"})
_CALLS = frozenset({"jit", "pjit"})


def is_int(aval: Any) -> bool:
    """Whether a value is of the type that an int of Python's has in a program."""
    return avals.is_weak(aval) and not aval.shape and aval.dtype.kind == "i"


def outgrown(
    recorded: Sequence[Any], carried: Sequence[tuple[Any, Any, int | None]]
) -> Iterator[tuple[Any, Any, list[int]]]:
    """The equations whose result may not fit, with the bool that tells, and the numbers of the variables that it becomes.

    Args:
      recorded: the equations of an iteration, as they are recorded.
      carried: of each variable, its tracers before and after the iteration, and the number that it is before the loop.
    """
    kept = [each() if isinstance(each, weakref.ref) else each for each in recorded]
    equations = [each for each in kept if each is not None]
    pairs = [
        (n, before.val, after.val, start)
        for n, (before, after, start) in enumerate(carried)
        if isinstance(before, Recorded) and is_variable(before.val) and isinstance(after, Recorded)
        if is_int(before.aval) and is_int(after.aval)
    ]
    lines = [(e, [t.val for t in e.in_tracers]) for e in equations]
    found = {before: union(_COUNTER, (start or 0, start or 0)) for _, before, _, start in pairs}
    bounded = True  # in the first round a variable may have been found to have ends; after it, one that grows has none
    while True:
        ranges = _Ranges(found)
        ranges.read(lines)
        grown = {b: ranges.of(a) for _, b, a, _ in pairs if not _within(ranges.of(a), found[b])}
        if not grown:
            break
        found.update({b: union(found[b], e) if bounded and _fits(b, e) else ANY for b, e in grown.items()})
        bounded = False
    suspects = ranges.suspects(lines, {after for _, _, after, _ in pairs if is_variable(after)})
    if not suspects:
        return
    tracers = {t.val: t for e in equations for t in e.in_tracers if is_variable(t.val)}
    tracers.update((t.val, t) for _, t, _ in carried if isinstance(t, Recorded) and is_variable(t.val))
    for equation in [e for e in equations if id(e) in suspects]:
        results = [tracers[v] for v in equation.outvars if v in tracers]
        if equation.primitive.name != "cond" and not results:
            continue
        test = _test(equation, equation.in_tracers, results, suspects[id(equation)])
        for chosen, needed in _chosen(equation, equations):
            test = test & (chosen if needed else ~chosen)
        reached = set(equation.outvars)
        for each, operands in lines:
            if any(is_variable(v) and v in reached for v in operands):
                reached.update(each.outvars)
        yield (
            _origin(equation, suspects[id(equation)]),
            test,
            [n for n, _, after, _ in pairs if is_variable(after) and after in reached],
        )


def _chosen(equation: Any, equations: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
    """The conditions, and what they have to be, under which the result of an equation becomes something."""
    while len(equation.outvars) == 1:
        out = equation.outvars[0]
        users = [e for e in equations if any(t.val is out for t in e.in_tracers)]
        if len(users) != 1:
            return
        [equation] = users
        name = equation.params.get("name") if equation.primitive.name in _CALLS else equation.primitive.name
        if name in ("select_n", "_where"):
            test, *cases = equation.in_tracers
            at = [n for n, t in enumerate(cases) if t.val is out]
            if test.aval.dtype != bool or len(cases) != 2 or at not in ([0], [1]):
                return
            yield test, (at == [0]) == (name == "_where")
        elif name not in _LINEAR:
            return


def _within(ends: Ends, known: Ends) -> bool:
    return known[0] - _STEP <= ends[0] and ends[1] <= known[1] + _STEP


def _fits(variable: Any, ends: Ends) -> bool:
    return holds(variable.aval.dtype, ends)


class _Ranges:
    """Between which numbers ints lie, as long as none has outgrown its type."""

    def __init__(self, known: Mapping[Any, Ends]) -> None:
        self._known: dict[Any, Ends] = dict(known)

    def of(self, atom: Any) -> Ends:
        """Between which numbers `atom` is."""
        if is_variable(atom):
            return self._known.get(atom, _COUNTER)
        return (int(atom.val), int(atom.val)) if not np.shape(atom.val) else ANY

    def read(self, lines: Sequence[tuple[Any, Sequence[Any]]]) -> None:
        """Reads equations, each with its operands."""
        for equation, operands in lines:
            if equation.primitive.name == "cond":
                self._cond(equation, operands)
            elif len(equation.outvars) == 1 and is_int(equation.outvars[0].aval):
                self._known[equation.outvars[0]] = self._result(equation, operands)

    def _cond(self, equation: Any, operands: Sequence[Any]) -> None:
        ways = []
        for branch in equation.params["branches"]:
            inside = _of_jaxpr(branch, [self.of(v) if is_int(v.aval) else _COUNTER for v in operands[1:]])
            ways.append([inside.of(v) if is_int(v.aval) else _COUNTER for v in open_jaxpr(branch).outvars])
        for out, *ends in zip(equation.outvars, *ways, strict=True):
            self._known[out] = union(*ends)

    def _result(self, equation: Any, operands: Sequence[Any]) -> Ends:
        name = equation.params.get("name") if equation.primitive.name in _CALLS else equation.primitive.name
        ints = [self.of(v) for v in operands if is_int(v.aval) or _is_literal(v)]
        if len(ints) < len(operands) and name not in ("select_n", "_where"):
            return _COUNTER
        mask = _mask(equation, operands)
        if mask is not None:
            return 0, mask
        if name in ("rem", "remainder"):
            most = max(map(abs, ints[1])) - 1
            return (0 if name == "remainder" and ints[1][0] > 0 else -most, most)
        if name in ("floor_divide", "div") or str(name).startswith("shift_right"):
            most = max(map(abs, ints[0]))
            least = 1 if str(name).startswith("shift") else max(1, ints[1][0])
            return -(most // least) - 1 if most < np.inf else -most, most // least if most < np.inf else most
        if name == "shift_left":
            return (
                RULES["mul"](ints[0], tuple(2.0 ** min(e, 200) for e in ints[1]))
                if ints[1][0] == ints[1][1]
                else ANY
            )
        if name == "integer_pow":
            y = equation.params["y"]
            most = max(map(abs, ints[0])) ** y
            return (0 if y % 2 == 0 else -most), most
        if name in RULES:
            return RULES[str(name)](*ints)
        return union(*ints) if ints else _COUNTER

    def suspects(
        self, lines: Sequence[tuple[Any, Sequence[Any]]], results: set[Any]
    ) -> dict[int, Sequence[Mapping[int, Any]]]:
        """The equations, by their ids, whose result may not fit, where more than its last bits is read.

        Of a conditional, those of its branches.
        """
        read = set(filter(is_variable, results))  # more than their last bits
        found: dict[int, Sequence[Mapping[int, Any]]] = {}
        for equation, operands in reversed(lines):
            out: Any = equation.outvars[0] if equation.outvars else None
            name = equation.primitive.name
            if name == "cond":
                inside = [self._inside(each, operands[1:]) for each in equation.params["branches"]]
                if any(inside):
                    found[id(equation)] = inside
            elif name in _TESTS and is_int(out.aval) and out in read and not _fits(out, self.of(out)):
                found.update({} if _of_power(equation) else {id(equation): ()})
            if not (
                _mask(equation, operands) is not None
                or (name in _LINEAR and is_int(out.aval) and out not in read)
            ):
                read.update(filter(is_variable, operands))
        return found

    def _inside(self, branch: Any, operands: Sequence[Any]) -> Mapping[int, Any]:
        jaxpr = open_jaxpr(branch)
        ranges = _of_jaxpr(branch, [self.of(v) if is_int(v.aval) else _COUNTER for v in operands])
        if jaxpr.effects:
            return {}
        return ranges.suspects([(e, e.invars) for e in jaxpr.eqns], set(filter(is_variable, jaxpr.outvars)))


def _is_literal(atom: Any) -> bool:
    return not is_variable(atom) and not atom.aval.shape and atom.aval.dtype.kind == "i"


def _of_jaxpr(closed: Any, given: Sequence[Ends]) -> _Ranges:
    jaxpr = open_jaxpr(closed)
    ranges = _Ranges(dict(zip(jaxpr.invars, given, strict=True)))
    ranges.read([(e, e.invars) for e in jaxpr.eqns])
    return ranges


def _mask(equation: Any, operands: Sequence[Any]) -> int | None:
    """The bits that are kept, where only the last ones are: by `& mask`, or `% 2 ** k`."""
    name = equation.params.get("name") if equation.primitive.name in _CALLS else equation.primitive.name
    numbers = [
        int(v.val)
        for v in operands
        if not is_variable(v) and not np.shape(v.val) and v.aval.dtype.kind == "i"
    ]
    if name in ("and", "bitwise_and") and numbers and numbers[0] >= 0:
        return numbers[0]
    last = operands[-1] if operands else None
    power = name == "remainder" and numbers and not is_variable(last) and numbers[-1] > 0
    return numbers[-1] - 1 if power and numbers[-1] & (numbers[-1] - 1) == 0 else None


def _of_power(equation: Any) -> bool:
    """Whether an equation is a part of `a ** b` as JAX computes it, where not all that is computed is used."""
    traceback = equation.source_info.traceback
    return traceback is not None and any(
        "pow" in frame.function_name and frame.file_name.endswith("numpy/ufuncs.py")
        for frame in traceback.frames
    )


def _most(value: Any) -> int:
    return int(np.iinfo(value.dtype).max)


def _of_product(a: Any, b: Any, r: Any, _: Any) -> Any:
    for number, other in ((a, b), (b, a)):
        if isinstance(number, (int, np.integer)):
            return jnp.abs(other) > _most(r) // max(1, abs(int(number)))
    return (b != 0) & (lax.div(r, jnp.where(b == 0, 1, b)) != a)


_TESTS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, r, _: ((a ^ r) & (b ^ r)) < 0,
    "sub": lambda a, b, r, _: ((a ^ b) & (a ^ r)) < 0,
    "mul": _of_product,
    "shift_left": lambda a, b, r, _: jnp.right_shift(r, b) != a,
    "integer_pow": lambda a, r, params: jnp.abs(a) > int((_most(r) + 0.5) ** (1 / params["y"])),
}


def _test(
    equation: Any, operands: Sequence[Any], results: Sequence[Any], inside: Sequence[Mapping[int, Any]]
) -> Any:
    """Whether the result of an equation does not fit."""
    if equation.primitive.name != "cond":
        numbers = [_number(each) for each in operands]
        return _TESTS[equation.primitive.name](*numbers, results[0], equation.params)
    branches = [_branch(each, found) for each, found in zip(equation.params["branches"], inside, strict=True)]
    return lax.switch(operands[0], branches, *operands[1:])


def _origin(equation: Any, inside: Sequence[Mapping[int, Any]]) -> Any:
    """The equation, or the first one of those in its branches, that is looked at."""
    for branch, found in zip(equation.params.get("branches", ()), inside, strict=False):
        for each in open_jaxpr(branch).eqns:
            if id(each) in found:
                return _origin(each, found[id(each)])
    return equation


def _number(tracer: Any) -> Any:
    atom = getattr(tracer, "val", tracer)
    number = getattr(atom, "val", atom)
    return int(number) if isinstance(number, (int, np.integer)) else tracer


def _branch(closed: Any, found: Mapping[int, Any]) -> Callable[..., Any]:
    """Whether a result in a branch does not fit."""
    jaxpr = open_jaxpr(closed)
    checked = [e for e in jaxpr.eqns if id(e) in found]
    wanted = [v for e in checked for v in (*e.invars, *e.outvars) if is_variable(v)]
    run = jaxpr_as_fun(
        ClosedJaxpr(
            jaxpr.replace(eqns=live(jaxpr.eqns, wanted)[0], outvars=wanted), getattr(closed, "consts", ())
        )
    )

    def failed(*operands: Any) -> Any:
        values = dict(zip(wanted, run(*operands), strict=True))
        tests = [
            _test(
                e,
                [values[v] if is_variable(v) else v.val for v in e.invars],
                [values[v] for v in e.outvars],
                found[id(e)],
            )
            for e in checked
        ]
        return functools.reduce(operator.or_, tests, jnp.asarray(False))

    return failed
