"""Double arithmetic: which numbers of a loop are Python's floats? They are doubles, and rounded where arrays meet them.

    t = 0.0
    while t < 1.0 and x < 1e3:         as a float32, `t` would be 1.0000001 after 10 iterations; Python makes 11
        t += 0.1

They are the weakly typed scalars that follow from Python's numbers and from integers alone, whatever decides which of them.
The loop carries the bits of the double, as JAX, which has been told to make no float64, has no input or result of that
type: and bits have no derivative. A nest of loops is gone through once, when the outermost is made. It uses
JAX's insides. Checked on jax 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax._src import core

from autograph_lite.jax_internals import avals
from autograph_lite.jax_internals.dataflow import scan_ir
from autograph_lite.jax_internals.dataflow.induction_variables import open_jaxpr
from autograph_lite.jax_internals.dataflow.primitive_traits import COMPARISONS, SHAPES
from autograph_lite.jax_internals.dataflow.scan_ir import is_variable

F32, F64, U32 = np.dtype("float32"), np.dtype("float64"), np.dtype("uint32")
_DOUBLE, _BITS = core.ShapedArray((), F64), core.ShapedArray((2,), U32)
_ARITHMETIC = frozenset({
    "add", "sub", "mul", "div", "neg", "abs", "max", "min", "sign", "rem", "pow", "integer_pow", "floor", "ceil", "round",
    "select_n", "sqrt", "rsqrt", "cbrt", "square", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "clamp",
})  # fmt: skip
_COMPARISONS = COMPARISONS | {"is_finite"}
_SAME = SHAPES | {"copy", "stop_gradient"}

Emit = Callable[[Any, Sequence[Any], dict[str, Any], Any], Any]


def is_number(aval: Any) -> bool:
    """Whether a value is of the type that a float of Python's has in a program."""
    return avals.is_weak(aval) and aval.dtype == F32 and not aval.shape


def convert_double(emit: Emit, operand: Any, dtype: Any, aval: Any, *, weak: bool = False) -> Any:
    """`operand` in another type, which `aval` says; `emit` makes the equation."""
    params = {"new_dtype": np.dtype(dtype), "weak_type": weak, "sharding": None}
    return emit(lax.convert_element_type_p, [operand], params, aval)


def cast_bits(emit: Emit, operand: Any, dtype: Any, aval: Any) -> Any:
    """The bits of `operand` as a value of another type."""
    return emit(lax.bitcast_convert_type_p, [operand], {"new_dtype": np.dtype(dtype)}, aval)


def double_constant(emit: Emit, literal: Callable[[Any], Any], value: float) -> Any:
    """A double as a sum of numbers that JAX can write; exact."""
    mantissa, exponent = math.frexp(value) if math.isfinite(value) else (value, 0)
    if -60 < exponent < 120:
        mantissa, exponent = value, 0
    found = None
    while found is None or (mantissa and math.isfinite(mantissa)):
        part = np.float32(mantissa)
        mantissa -= float(part)
        term = convert_double(emit, literal(part), F64, _DOUBLE)
        found = term if found is None else emit(lax.add_p, [found, term], {}, _DOUBLE)
    while exponent:
        step = max(-100, min(100, exponent))
        factor = convert_double(emit, literal(np.float32(2.0**step)), F64, _DOUBLE)
        found, exponent = emit(lax.mul_p, [found, factor], {}, _DOUBLE), exponent - step
    return found


def result(equation: Any, operands: Sequence[Any], double: Callable[[Any], Any], emit: Emit) -> Any:
    """The double of the result of an equation; None where it has none."""
    if len(equation.outvars) != 1 or not is_number(equation.outvars[0].aval):
        return None
    avals = [_aval(each) for each in operands]
    if equation.primitive.name in _SAME and not avals[0].shape:
        return double(operands[0])
    if equation.primitive is lax.convert_element_type_p:
        [operand], [aval] = operands, avals
        if aval.dtype == F64:
            return operand
        return convert_double(emit, operand, F64, _DOUBLE) if aval.dtype.kind in "iub" else double(operand)
    if equation.primitive.name not in _ARITHMETIC:
        return None
    wide = [
        each if aval.dtype.kind in "iub" else double(each) for each, aval in zip(operands, avals, strict=True)
    ]
    if any(each is None for each in wide):
        return None
    if equation.primitive.name == "div":
        # XLA would multiply by the reciprocal of a constant. What is divided by follows from both: NaN / NaN is NaN, too.
        is_nan = emit(lax.ne_p, [wide[0], wide[0]], {}, core.ShapedArray((), np.dtype("bool")))
        wide[1] = emit(lax.select_n_p, [is_nan, wide[1], wide[0]], {}, _DOUBLE)
    return emit(equation.primitive, wide, equation.params, _DOUBLE)


def _aval(value: Any) -> Any:
    return value.aval if hasattr(value, "aval") else jax.typeof(value)


class Body:
    """A closed jaxpr while it is being rewritten.

    Args:
      closed: the jaxpr.
      wide: which of its inputs, after its constants, come as the bits of doubles.

    Attributes:
      wide: which of its results are doubles.
      decides: whether a comparison of doubles, or a rounding to an integer, is in it.
    """

    def __init__(self, closed: Any, wide: Sequence[bool]) -> None:
        self._closed, jaxpr = closed, open_jaxpr(closed)
        self._equations: list[Any] = []
        self._names: dict[Any, Any] = {}
        self._doubles: dict[Any, Any] = {}
        self._at: Any = None
        self.decides = False
        variables = [*jaxpr.constvars, *jaxpr.invars]
        self._inputs = [core.Var(_BITS) if is_wide else v for v, is_wide in zip(variables, wide, strict=True)]
        pairs = [pair for pair in zip(variables, self._inputs, strict=True) if pair[0] is not pair[1]]
        if pairs and jaxpr.eqns:
            self._at = jaxpr.eqns[0]
        for variable, bits in pairs:
            self._take(variable, bits)
        self._walk(jaxpr.eqns)
        self.results = [self._read(v) for v in jaxpr.outvars]
        self.wide = [is_number(v.aval) and self._has(v) for v in self.results]

    def finish(self, wide: Sequence[bool], *, alone: bool = False) -> Any:
        """The closed jaxpr that gives the bits of these of its results, and the others as they are unless they are `alone`."""
        jaxpr = open_jaxpr(self._closed)
        pairs = zip(self.results, wide, strict=True)
        results = [self._bits(v) if each else v for v, each in pairs if each or not alone]
        count = len(jaxpr.constvars)
        equations, _ = scan_ir.live(self._equations, results)
        new = jaxpr.replace(
            constvars=self._inputs[:count], invars=self._inputs[count:], outvars=results, eqns=equations
        )
        return new if new is self._closed else self._closed.replace(jaxpr=new)

    def _read(self, atom: Any) -> Any:
        return self._names.get(atom, atom) if is_variable(atom) else atom

    def _emit(self, primitive: Any, operands: Sequence[Any], params: dict[str, Any], aval: Any) -> Any:
        return self._define(core.Var(aval), primitive, operands, params)

    def _define(self, out: Any, primitive: Any, operands: Sequence[Any], params: dict[str, Any]) -> Any:
        made = core.new_jaxpr_eqn(
            [*operands], [out], primitive, params, core.no_effects,
            self._at and self._at.source_info, self._at and self._at.ctx,
        )  # fmt: skip
        self._equations.append(made)
        return out

    def _take(self, variable: Any, bits: Any) -> None:
        """`variable` is the double of these bits."""
        self._is(variable, cast_bits(self._emit, bits, F64, _DOUBLE))

    def _is(self, variable: Any, double: Any) -> None:
        self._doubles[variable] = double
        params = {"new_dtype": F32, "weak_type": avals.is_weak(variable.aval), "sharding": None}
        self._define(variable, lax.convert_element_type_p, [double], params)

    def _has(self, atom: Any) -> bool:
        return not is_variable(atom) or atom in self._doubles

    def _double(self, atom: Any) -> Any:
        """The double that a number is; None where it is none of Python's."""
        if is_variable(atom):
            return self._doubles.get(atom)
        return double_constant(self._emit, _literal, float(atom.val)) if is_number(atom.aval) else None

    def _bits(self, atom: Any) -> Any:
        return cast_bits(self._emit, self._double(atom), U32, _BITS)

    def _walk(self, equations: Sequence[Any]) -> None:
        for equation in equations:
            self._at = equation
            if self._names:
                equation = equation.replace(invars=[*map(self._read, equation.invars)])
            name = equation.primitive.name
            handler = {
                "jit": self._call,
                "pjit": self._call,
                "cond": self._cond,
                "while": self._while,
                "scan": self._scan,
            }
            if name in handler:
                if not handler[name](equation):
                    self._equations.append(equation)
            else:
                self._equation(equation)

    def _equation(self, equation: Any) -> None:
        operands = equation.invars
        known = [v for v in operands if is_variable(v) and v in self._doubles]
        name = equation.primitive.name
        integer = name == "convert_element_type" and equation.outvars[0].aval.dtype.kind in "iub"
        if known and (name in _COMPARISONS or integer):
            wide = [*map(self._double, operands)]
            if None not in wide:
                self.decides = True
                self._equations.append(equation.replace(invars=wide))
                return
        double = result(equation, operands, self._double, self._emit)
        if double is None:
            self._equations.append(equation)
        else:
            self._is(equation.outvars[0], double)

    def _call(self, equation: Any) -> bool:
        """A call of a function that computes with doubles is the function's equations."""
        closed = equation.params["jaxpr"]
        jaxpr = open_jaxpr(closed)
        if getattr(closed, "consts", ()) or not any(
            is_number(v.aval) and self._has(v) for v in equation.invars
        ):
            return False
        before, self._names = self._names, dict(zip(jaxpr.invars, equation.invars, strict=True))
        for each in jaxpr.eqns:
            self._names.update((v, core.Var(v.aval)) for v in each.outvars)
            self._walk([each.replace(outvars=[self._names[v] for v in each.outvars])])
        results = dict(zip(equation.outvars, map(self._read, jaxpr.outvars), strict=True))
        known = {v: results.get(atom, atom) if is_variable(atom) else atom for v, atom in before.items()}
        self._names = {**known, **results}
        return True

    def _wide(self, atoms: Sequence[Any]) -> list[bool]:
        return [is_number(v.aval) and self._has(v) for v in atoms]

    def _replace(
        self, equation: Any, operands: Sequence[Any], wide: Sequence[bool], params: dict[str, Any]
    ) -> bool:
        """The equation with other inputs, and with bits for some of its results."""
        outputs = [core.Var(_BITS) if each else v for v, each in zip(equation.outvars, wide, strict=True)]
        params = {**equation.params, **params}
        self._equations.append(equation.replace(invars=[*operands], outvars=outputs, params=params))
        for variable, bits, each in zip(equation.outvars, outputs, wide, strict=True):
            if each:
                self._take(variable, bits)
        return True

    def _given(self, atoms: Sequence[Any], wide: Sequence[bool]) -> list[Any]:
        return [self._bits(v) if each else v for v, each in zip(atoms, wide, strict=True)]

    def _cond(self, equation: Any) -> bool:
        index, *operands = equation.invars
        wide = self._wide(operands)
        bodies = [Body(each, with_consts(each, wide)) for each in equation.params["branches"]]
        results = [all(each) for each in zip(*(body.wide for body in bodies), strict=True)]
        if not any(results) and not any(body.decides for body in bodies):
            return False
        self.decides |= any(body.decides for body in bodies)
        branches = tuple(body.finish(results) for body in bodies)
        return self._replace(equation, [index, *self._given(operands, wide)], results, {"branches": branches})

    def _while(self, equation: Any) -> bool:
        params = equation.params
        options = params.get("options")
        if options is not None and options.lanes:
            return False
        first, last = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        wide = self._wide(equation.invars)
        cond, body = params["cond_jaxpr"], params["body_jaxpr"]
        step, carried = double_body(body, wide[first:last], wide[last:], [])
        test = Body(cond, with_consts(cond, [*wide[:first], *carried]))
        if not any(carried) and not step.decides and not test.decides:
            return False
        self.decides = True
        new = {"cond_jaxpr": test.finish([False]), "body_jaxpr": step.finish(carried)}
        return self._replace(equation, self._given(equation.invars, [*wide[:last], *carried]), carried, new)

    def _scan(self, equation: Any) -> bool:
        consts, carry, rows = scan_ir.groups(equation, self._wide(equation.invars))
        body = equation.params["jaxpr"]
        step, carried = double_body(body, consts, carry, [False] * len(rows))
        if not any(carried) and not step.decides:
            return False
        self.decides = True
        results = carried + [False] * (len(equation.outvars) - len(carried))
        wide = [*consts, *carried, *[False] * len(rows)]
        return self._replace(
            equation, self._given(equation.invars, wide), results, {"jaxpr": step.finish(results)}
        )


def with_consts(closed: Any, wide: Sequence[bool]) -> list[bool]:
    """Which inputs of a jaxpr are doubles, its own constants before those that are `wide`."""
    return [*[False] * len(open_jaxpr(closed).constvars), *wide]


def _literal(value: np.float32) -> Any:
    return core.Literal(value, core.ShapedArray((), F32))


def double_body(
    closed: Any,
    consts: Sequence[bool],
    carry: Sequence[bool],
    rows: Sequence[bool],
    known: Sequence[bool] | None = None,
) -> tuple[Body, list[bool]]:
    """The body of a loop, and which of its variables are doubles in all iterations."""
    known = [False] * len(open_jaxpr(closed).constvars) if known is None else known
    carried = list(carry)
    while True:
        body = Body(closed, [*known, *consts, *carried, *rows])
        left = [a and b for a, b in zip(carried, body.wide, strict=False)]
        if left == carried:
            return body, carried
        carried = left
