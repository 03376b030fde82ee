"""Which variables of a loop would be numbers of Python's, if Python ran it: those that follow from numbers alone.

n = n // 2 + i                      a number, if `n` is one before the loop
s = s + jnp.sin(i)                  an array, as sin() gives one also for a number
if x > 0: n = 1                     an array, as a traced value decides
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jax.extend import core

from autograph_lite import _jax, _jax_scans
from autograph_lite.operators.lane_rules import Known

# What only functions of arrays give, also where they are called with numbers.
OF_ARRAYS = frozenset({
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
    "expm1", "log", "log1p", "sqrt", "rsqrt", "cbrt", "square", "logistic", "erf", "erfc", "erf_inv", "lgamma", "digamma",
    "dot_general", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or", "argmax", "argmin",
    "cumsum", "cumprod", "sort", "random_bits", "random_seed", "random_wrap", "random_fold_in", "threefry2x32", "fft",
})  # fmt: skip


def python_only(body: Any, numbers: Sequence[bool], rows: Sequence[Known | None]) -> list[int]:
    """The variables, by their places in the carry, that are numbers before the loop and follow from numbers alone."""
    jaxpr = body.jaxpr
    plain = {
        v
        for v, is_number in zip(jaxpr.invars, [*numbers, *(r is not None for r in rows)], strict=True)
        if is_number
    }
    places = [k for k, is_number in enumerate(numbers) if is_number]
    while True:
        follow = following(jaxpr, plain)
        gone = [k for k in places if not isinstance(v := jaxpr.outvars[k], core.Literal) and v not in follow]
        if not gone:
            return places
        places = [k for k in places if k not in gone]
        plain -= {jaxpr.invars[k] for k in gone}


def become_python(body: Any, stay: Iterable[int], rows: Sequence[Known | None]) -> list[int]:
    """The variables, by their places, that are arrays before the loop, and that an iteration leaves as numbers of Python's."""
    jaxpr = body.jaxpr
    carried = len(jaxpr.invars) - len(rows)
    plain = {jaxpr.invars[k] for k in stay}
    plain.update(v for v, row in zip(jaxpr.invars[carried:], rows, strict=True) if row is not None)
    follow = following(jaxpr, plain)
    made = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars if eqn.primitive.name == "convert_element_type"}
    found = []
    for k, out in enumerate(jaxpr.outvars[:carried]):
        source = out if isinstance(out, core.Literal) or out not in made else made[out].invars[0]
        if k not in stay and (isinstance(source, core.Literal) or source in follow):
            found.append(k)
    return found


def following(jaxpr: Any, plain: set[Any]) -> set[Any]:
    """The variables of a jaxpr that follow from those in `plain` by what Python may compute."""
    found = set(plain)
    for eqn in jaxpr.eqns:
        inputs = [isinstance(v, core.Literal) or v in found for v in eqn.invars]
        found.update(v for v, is_plain in zip(eqn.outvars, _outputs(eqn, inputs), strict=True) if is_plain)
    return found


def _outputs(eqn: Any, inputs: list[bool]) -> list[bool]:
    """Which outputs of an equation are numbers, given which inputs are."""
    name = eqn.primitive.name
    if name == "cond":
        ways = [_inner(branch, inputs[1:]) for branch in eqn.params["branches"]]
        return [inputs[0] and all(way) for way in zip(*ways, strict=True)]
    if name == "scan":
        consts, carry, rows = _jax_scans.groups(eqn, inputs)
        kept, put_out = _settled(eqn.params["jaxpr"], consts, carry, rows)
        return [*kept, *put_out]
    if name == "while":
        first = eqn.params["cond_nconsts"]
        last = first + eqn.params["body_nconsts"]
        kept, _ = _settled(eqn.params["body_jaxpr"], inputs[first:last], inputs[last:], [])
        (ends,) = _inner(eqn.params["cond_jaxpr"], [*inputs[:first], *kept])
        return [ends and number for number in kept]
    inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
    if inner is not None and len(getattr(inner, "jaxpr", inner).invars) == len(inputs):
        return _inner(inner, inputs)
    return [all(inputs) and _of_python(eqn)] * len(eqn.outvars)


def _settled(
    body: Any, consts: list[bool], carry: list[bool], rows: list[bool]
) -> tuple[list[bool], list[bool]]:
    """Which variables of a loop stay numbers, and which of the values that it puts out are."""
    while True:
        results = _inner(body, [*consts, *carry, *rows])
        now = [a and b for a, b in zip(carry, results, strict=False)]
        if now == carry:
            return now, results[len(carry) :]
        carry = now


def _inner(closed: Any, inputs: Sequence[bool]) -> list[bool]:
    jaxpr = getattr(closed, "jaxpr", closed)
    found = following(jaxpr, {v for v, is_plain in zip(jaxpr.invars, inputs, strict=True) if is_plain})
    return [isinstance(v, core.Literal) or v in found for v in jaxpr.outvars]


def _of_python(eqn: Any) -> bool:
    name = eqn.primitive.name
    aval: Any = eqn.outvars[0].aval if eqn.outvars else None
    to_array = name == "convert_element_type" and aval.dtype.kind in "fc" and not _jax.is_weak(aval)
    return name not in OF_ARRAYS and not to_array
