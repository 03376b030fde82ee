"""Wide numbers: what is a loop made of whose numbers of Python's are doubles, and ints of 64 bits where 32 may not be enough?

    seed = (seed * 16807) % 2147483647     a product of 64 bits, in an iteration
    p = p * 2                              the loop carries its bits, and tells when there are more than 64

A double that nobody compares is none. What does not fit is a number in the end, that of its line, or 0: the loop ends then. An
int that does not fit matters where something else is made of it than the last bits of an int.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax import lax
from jax._src import core

from autograph_lite.jax_internals.dataflow import python_ints, scan_ir
from autograph_lite.jax_internals.dataflow.induction_variables import nonzero_where, open_jaxpr
from autograph_lite.jax_internals.dataflow.intervals import Ends, common_ends
from autograph_lite.jax_internals.dataflow.python_ints import NARROW, NEGATIVE, lies_within, unknown_ends
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable
from autograph_lite.jax_internals.loops import powers
from autograph_lite.jax_internals.loops.double_floats import BITS, is_number
from autograph_lite.jax_internals.loops.int_tests import BOOL, CODE, int_literal
from autograph_lite.jax_internals.loops.wide_arithmetic import Arithmetic
from autograph_lite.jax_internals.loops.wide_numbers import Nest

_CALLED = frozenset({"jit", "pjit", "checkpoint"})


class Body(Arithmetic):
    """A closed jaxpr while it is being rewritten; see `Numbers`."""

    def __init__(self, closed: Any, wide: Sequence[bool], ends: Sequence[Ends], nest: Nest) -> None:
        super().__init__(closed, wide, ends, nest)
        jaxpr = open_jaxpr(closed)
        self._walk(jaxpr.eqns)
        self.results = [self._read(v) for v in jaxpr.outvars]  # of the jaxpr
        self.wide = self.which(self.results)  # which of them are doubles, or ints that may not fit

    def settle(self, wide: Sequence[bool]) -> Body:
        """Makes bits of these of its results."""
        for n, (atom, each) in enumerate(zip(self.results, wide, strict=True)):
            self._at = self._places.get(atom, self._at) if is_variable(atom) else self._at
            self.results[n] = self._bits(atom) if each else self._fitting(atom)
        return self

    def finish(
        self, *, only: Sequence[int] | None = None, code: tuple[int | None, int] | None = None, goes_on: bool = False,
    ) -> Any:  # fmt: skip
        """The closed jaxpr that gives its results.

        Args:
          only: the numbers of those that are wanted, where it is not all.
          code: the places of the number of what does not fit, among the inputs, if it is among them, and the results.
          goes_on: whether the result is the condition of a loop, which ends where something does not fit.
        """
        jaxpr = open_jaxpr(self._closed)
        chosen = range(len(self.results)) if only is None else only
        results = [self.results[n] for n in chosen]
        invars = self._inputs[len(jaxpr.constvars) :]
        if code is not None:
            given, made = code
            failed = list(self.failed)
            if given is not None:
                failed.insert(0, core.Var(CODE))
                invars.insert(given, failed[0])
            total = self._joined(failed)
            if goes_on:
                fine = self._emit(lax.eq_p, [total, int_literal(0)], {}, BOOL)
                results = [self._emit(lax.and_p, [results[0], fine], {}, BOOL)]
            else:
                results.insert(made, total)
        equations, _ = scan_ir.live(self._equations, results)
        new = jaxpr.replace(
            constvars=self._inputs[: len(jaxpr.constvars)], invars=invars, outvars=results, eqns=equations,
        )  # fmt: skip
        return new if new is self._closed else self._closed.replace(jaxpr=new)

    # Calls, conditionals and loops

    def _walk(self, equations: Sequence[Any]) -> None:
        handlers: Mapping[str, Callable[[Any], bool]] = {
            **dict.fromkeys(_CALLED, self._call), "cond": self._cond, "while": self._while, "scan": self._scan,
        }  # fmt: skip
        n = 0
        while n < len(equations):
            power = powers.power_at(equations, n) if self._nest.ints is not None else []
            if power:
                self._power([self._renamed(each) for each in power])
                n += len(power)
                continue
            self._at = self._within or equations[n]
            equation = self._renamed(equations[n])
            handler = handlers.get(equation.primitive.name)
            if handler is None:
                self._equation(equation)
            elif not handler(equation):
                self._other(equation)
            n += 1

    def _power(self, group: Sequence[Any]) -> None:
        """`a ** b`, all of it as Python's ints, where 32 bits may not be enough."""
        base, exponent = map(self._read, powers.operands(group))
        low, high = self._of(exponent)
        most = max(map(abs, self._of(base))) ** max(0, int(high)) if high < powers.EXPONENTS else math.inf
        if low >= 0 and lies_within((0, most), NARROW):
            for each in group:
                self._other(self._renamed(each))
            return
        self._nest.strong = True
        for each in group:
            self._at = self._within or each
            equation = self._renamed(each)
            if equation.primitive.name not in _CALLED:
                self._equation(equation)
            elif not self._call(equation):
                self._other(equation)
        self._nest.strong = False
        result, aval = self._read(powers.power_of(group)), self._long_aval()
        if low < 0:
            negative = self._emit(lax.lt_p, [self._told(exponent), self._constant(0)], {}, BOOL)
            before = [self._untold[result]] if result in self._untold else []
            self._untold[result] = self._joined([self._number(negative, NEGATIVE), *before])
            self._in_last_bits.discard(result)
        if high >= powers.EXPONENTS:
            large = self._emit(lax.ge_p, [self._told(exponent), self._constant(powers.EXPONENTS)], {}, BOOL)
            size = self._emit(lax.abs_p, [self._told(base)], {}, aval)
            larger = self._emit(lax.gt_p, [size, self._constant(1)], {}, BOOL)
            number = self._number(self._emit(lax.and_p, [large, larger], {}, BOOL))
            before = [self._untold[result]] if result in self._untold else []
            self._untold[result] = self._joined([number, *before])

    def _call(self, equation: Any) -> bool:
        divides = self._nest.ints is not None and python_ints.may_divide_by_zero(equation)
        if divides and self._may_be_zero(equation.invars[1]):
            if not self._inlined(equation):
                self._narrow(equation)
            self._divided(equation)
            return True
        return self._inlined(equation)

    def _inlined(self, equation: Any) -> bool:
        """A call of a function that computes with wide numbers is the function's equations."""
        closed = equation.params["jaxpr"]
        jaxpr = open_jaxpr(closed)
        if getattr(closed, "consts", ()):
            return False
        inside = self._nest.ints.known(jaxpr, self.ends(equation.invars)) if self._nest.ints else {}
        atoms = [v for v in (*equation.invars, *equation.outvars) if self._nest.is_int(v.aval)]
        known = python_ints.operation_name(equation) in python_ints.CALLS
        if not known:
            atoms += [v for v in inside if self._nest.is_int(v.aval)]
        whole = any(
            not lies_within(inside.get(v, self._of(v)) if is_variable(v) else self._of(v), NARROW)
            for v in atoms
        )
        untold = self._any_untold(equation.invars)
        if known and (self._nest.native or (untold and not whole)):
            return untold and self._narrow(equation)  # its result fits where its operands do
        if not whole and not untold and not any(is_number(v.aval) and self._has(v) for v in equation.invars):
            return False
        before, self._names = self._names, dict(zip(jaxpr.invars, equation.invars, strict=True))
        around, self._within = self._within, self._within or equation
        for each in jaxpr.eqns:
            self._names.update((v, core.Var(v.aval)) for v in each.outvars)
            self._ends.update((self._names[v], inside[v]) for v in each.outvars if v in inside)
            self._walk([each.replace(outvars=[self._names[v] for v in each.outvars])])
        self._within = around
        results = dict(zip(equation.outvars, map(self._read, jaxpr.outvars), strict=True))
        for out, atom in results.items():
            if is_variable(atom) and not self._nest.strong:
                self._ends[atom] = common_ends(self._of(out), self._of(atom))
        renamed = {v: results.get(atom, atom) if is_variable(atom) else atom for v, atom in before.items()}
        self._names = {**renamed, **results}
        return True

    def _replace(
        self, equation: Any, operands: Sequence[Any], wide: Sequence[bool], params: dict[str, Any], code: int | None
    ) -> bool:  # fmt: skip
        """The equation with other inputs, with bits for some of its results, and one for what does not fit."""
        outputs = [core.Var(BITS) if each else v for v, each in zip(equation.outvars, wide, strict=True)]
        given = [*outputs]
        if code is not None:
            given.insert(code, core.Var(CODE))
            self.failed.append(given[code])
        params = {**equation.params, **params}
        self._equations.append(equation.replace(invars=[*operands], outvars=given, params=params))
        for variable, bits, each in zip(equation.outvars, outputs, wide, strict=True):
            if each:
                self._take(variable, bits)
        return True

    def _given(self, atoms: Sequence[Any], wide: Sequence[bool]) -> list[Any]:
        return [self._bits(v) if each else self._fitting(v) for v, each in zip(atoms, wide, strict=True)]

    def _inside(
        self, closed: Any, wide: Sequence[bool], ends: Sequence[Ends], nonzero: Sequence[int] = ()
    ) -> Body:
        consts = _unknown_constants(closed)
        nest = dataclasses.replace(
            self._nest, nonzero=frozenset(open_jaxpr(closed).invars[n] for n in nonzero)
        )
        return type(self)(closed, [*[False] * len(consts), *wide], [*consts, *ends], nest)

    def _tested(self, equation: Any) -> list[list[int]]:
        """For each branch the operands that are not 0 in it, as the condition says."""
        index, *operands = equation.invars
        count, jaxpr = len(equation.params["branches"]), open_jaxpr(self._closed)
        known = [
            (nonzero_where(jaxpr, index, bool(n)) if count == 2 else set()) | self._nest.nonzero
            for n in range(count)
        ]
        return [[n for n, v in enumerate(operands) if is_variable(v) and v in each] for each in known]

    def _cond(self, equation: Any) -> bool:
        index, *operands = equation.invars
        wide, ends = self.which(operands), self.ends(operands)
        bodies = [
            self._inside(each, wide, ends, nonzero)
            for each, nonzero in zip(equation.params["branches"], self._tested(equation), strict=True)
        ]
        doubles = [all(each) for each in zip(*(body.wide for body in bodies), strict=True)]
        pairs = zip(equation.outvars, doubles, self.which(equation.outvars), strict=True)
        results = [long if self._nest.is_int(v.aval) else double for v, double, long in pairs]
        failed = sum(len(body.settle(results).failed) for body in bodies) > 0
        if not any((*results, *wide, failed)) and not any(body.decides for body in bodies):
            return False
        self.decides |= failed or any(body.decides for body in bodies)
        code = len(results) if failed else None
        branches = [body.finish(code=(None, len(results)) if failed else None) for body in bodies]
        operands = [index, *self._given(operands, wide)]
        return self._replace(equation, operands, results, {"branches": tuple(branches)}, code)

    def _while(self, equation: Any) -> bool:
        params = equation.params
        options = params.get("options")
        if options is not None and options.lanes:
            return False
        first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        loop = WhileLoop(params["cond_jaxpr"], params["body_jaxpr"], self._nest)
        wide, ends = self.which(equation.invars), self.ends(equation.invars)
        start = [*map(operator.or_, wide[last:], self.which(equation.outvars))]
        after = self.ends(equation.outvars)
        inside = ends[last:]
        if self._nest.ints is not None:
            test = params["cond_jaxpr"], ends[:first]
            inside = self._nest.ints.loop(params["body_jaxpr"], ends[first:last], inside, [], test)[0]
        loop.rewrite([*wide[:last], *start], [*ends[:last], *inside], after, first, last)
        if not loop.changes and not any(wide):
            return False
        self.decides = True
        given = self._given(equation.invars, [*wide[:last], *loop.carried])
        if loop.fails:
            given.append(int_literal(0))
        new = {"cond_jaxpr": loop.test_jaxpr(), "body_jaxpr": loop.step_jaxpr()}
        at = len(self._equations)  # where it will stand; its wide results are read behind it
        self._replace(equation, given, loop.carried, new, len(loop.carried) if loop.fails else None)
        if loop.test.failed:  # computed once more, after the last iteration
            made = self._equations[at].outvars[: len(loop.carried)]
            self._put_in_place(loop.failed_test_jaxpr(), [*given[:first], *made])
        return True

    def _put_in_place(self, closed: Any, operands: Sequence[Any]) -> None:
        jaxpr = open_jaxpr(closed)
        names = dict(zip([*jaxpr.constvars, *jaxpr.invars], operands, strict=True))
        names.update((v, core.Var(v.aval)) for e in jaxpr.eqns for v in e.outvars)
        for each in jaxpr.eqns:
            invars = [names[v] if is_variable(v) else v for v in each.invars]
            self._equations.append(each.replace(invars=invars, outvars=[names[v] for v in each.outvars]))
        self.failed.append(names[jaxpr.outvars[0]])

    def _scan(self, equation: Any) -> bool:
        wide, ends = self.which(equation.invars), self.ends(equation.invars)
        consts, carry, rows = scan_ir.groups(equation, wide)
        first, count = len(consts), len(carry)
        results = equation.outvars
        start = [*map(operator.or_, carry, self.which(results[:count]))]
        inside = [*ends[:first], *self.ends(results[:count]), *ends[first + count :]]
        step, carried = wide_body(
            equation.params["jaxpr"], consts, start, [False] * len(rows), inside, self._nest
        )
        which = carried + [False] * (len(results) - count)
        step.settle(which)
        if not any(carried) and not any(wide) and not step.decides and not step.failed:
            return False
        self.decides = True
        given = self._given(equation.invars, [*consts, *carried, *[False] * len(rows)])
        if not step.failed:
            return self._replace(equation, given, which, {"jaxpr": step.finish()}, None)
        given.insert(first + count, int_literal(0))
        params = scan_ir.group_params(first, count + 1, len(rows), len(results) - count)
        params["jaxpr"] = step.finish(code=(first + count, count))
        return self._replace(equation, given, which, params, count)


class WhileLoop:
    """A `while` loop that is being rewritten."""

    def __init__(self, cond: Any, body: Any, nest: Nest) -> None:
        self._cond, self._body, self._nest = cond, body, nest

    def rewrite(
        self, wide: Sequence[bool], inside: Sequence[Ends], after: Sequence[Ends], first: int, last: int,
        known: Sequence[Sequence[bool]] = (),
    ) -> None:  # fmt: skip
        """Finds out what it carries.

        Args:
          wide: which of the constants of the condition and the body, and of the variables.
          inside: between which numbers they lie in the body.
          after: the same of the variables in the condition.
          first: the number of the constants of the condition.
          last: that of both.
          known: which constants of the closed jaxprs are wide.
        """
        self.step, self.carried = wide_body(
            self._body,
            wide[first:last],
            wide[last:],
            [],
            inside[first:],
            self._nest,
            known[1] if known else None,
        )
        self.step.settle(self.carried)
        consts = _unknown_constants(self._cond)
        held = known[0] if known else [False] * len(consts)
        ends = [*consts, *inside[:first], *after]
        self.test = Body(self._cond, [*held, *wide[:first], *self.carried], ends, self._nest).settle([False])
        self.fails = bool(self.step.failed or self.test.failed)
        self.changes = any(self.carried) or self.fails or self.step.decides or self.test.decides

    def test_jaxpr(self) -> Any:
        """Of the condition."""
        count = len(open_jaxpr(self._cond).invars)
        return self.test.finish(code=(count, 0) if self.fails else None, goes_on=True)

    def step_jaxpr(self) -> Any:
        """Of the body."""
        count, results = len(open_jaxpr(self._body).invars), len(self.carried)
        return self.step.finish(code=(count, results) if self.fails else None)

    def failed_test_jaxpr(self) -> Any:
        """Of the number of what does not fit in the condition."""
        return self.test.finish(only=(), code=(None, 0))


def _unknown_constants(closed: Any) -> list[Ends]:
    """Between which numbers its constants lie."""
    return [unknown_ends(v.aval) for v in open_jaxpr(closed).constvars]


def wide_body(
    closed: Any, consts: Sequence[bool], carry: Sequence[bool], rows: Sequence[bool], ends: Sequence[Ends], nest: Nest,
    known: Sequence[bool] | None = None,
) -> tuple[Body, list[bool]]:  # fmt: skip
    """The body of a loop, and which of its variables are wide numbers in all iterations."""
    held = _unknown_constants(closed)
    known = [False] * len(held) if known is None else known
    carried = list(carry)
    while True:
        body = Body(closed, [*known, *consts, *carried, *rows], [*held, *ends], nest)
        jaxpr = open_jaxpr(closed)
        floats = [is_number(v.aval) for v in jaxpr.outvars]
        left = [a and (b or not f) for a, b, f in zip(carried, body.wide, floats, strict=False)]
        if left == carried:
            return body, carried
        carried = left
