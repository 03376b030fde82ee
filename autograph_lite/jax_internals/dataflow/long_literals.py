"""Long literals: what is a number of the text that has more bits than the program's ints, beside one of Python's ints?

    seed = (1103515245 * seed + 12345) % 2**31     a product and a remainder of 64 bits
    while h < 5_000_000_000:                       true of all that have 32

It is an equation without operands until the program ends, whose ints are then as wide as they have to be: see `wide_programs`.
Where that does not happen there is no such number, and a comparison with it is one with the last number on its side.
"""

from __future__ import annotations

import operator
from typing import Any

import jax
import numpy as np
from jax._src import core
from jax._src.interpreters import batching, mlir

from autograph_lite.jax_internals import avals, configuration, constant_folding
from autograph_lite.jax_internals.dataflow import recorded_ints
from autograph_lite.jax_internals.dataflow.induction_variables import is_integer
from autograph_lite.jax_internals.dataflow.python_ints import LONG as LONG_INTS, NARROW
from autograph_lite.jax_internals.references import ambient

_MOST = 2**63 - 1
_I32 = np.iinfo(np.int32)

INT = core.ShapedArray((), np.dtype(np.int32), weak_type=True)
LONG = frozenset({"long_literal", "power_of_ints", "int_of_bits", "bits_of_int"})
"""The names of what JAX does not know: this, and what stands for ints at loops, see `long_ints`."""
long_literal = core.Primitive("long_literal")
long_literal.def_abstract_eval(lambda **_: INT)
power_of_ints = core.Primitive("power_of_ints")
power_of_ints.def_abstract_eval(lambda aval: INT.update(dtype=aval.dtype))


def beside_number(number: Any, literal: int) -> Any:
    """`literal`, as an int of the program where `number` is one of Python's in it that may have 64 bits; else as it is."""
    is_long = _may_be_long(number, literal) and ambient.has_end()
    return _recorded(literal, compared=False) if is_long else literal


def beside_each_other(a: Any, b: Any) -> tuple[Any, Any]:
    """Two numbers, one of them maybe such a literal."""
    if type(a) is int and isinstance(b, core.Tracer):
        return beside_number(b, a), b
    return (a, beside_number(a, b)) if type(b) is int and isinstance(a, core.Tracer) else (a, b)


def python_power(power: Any) -> Any:
    """`base ** exponent`, which JAX has computed, as an int of Python's, which both are: JAX forgets that."""
    if not isinstance(power, core.Tracer) or not is_integer(power.aval) or avals.is_weak(power.aval):
        return power
    return power_of_ints.bind(power)


def compared_with(name: str, number: Any, literal: int) -> Any:
    """`number < literal` and the like, by the name of the method; None where `number` can't have as many bits."""
    if not _may_be_long(number, literal):
        return None
    low, high = recorded_ints.ends_of(number, LONG_INTS.most) or NARROW
    if high < literal or literal < low:
        return None
    # Such that the largest or smallest int, in the literal's place, gives the same for all that have 32 bits.
    first, last = (literal - 1, literal) if literal > 0 else (literal, literal + 1)
    is_up_to = operator.le if literal > 0 else operator.lt
    if name in ("__eq__", "__ne__"):
        same = is_up_to(number, _recorded(last)) & ~is_up_to(number, _recorded(first))
        return same if name == "__eq__" else ~same
    found = is_up_to(number, _recorded(first if name in ("__lt__", "__ge__") else last))
    return ~found if name in ("__ge__", "__gt__") else found


def _may_be_long(number: Any, literal: int) -> bool:
    aval = number.aval
    if getattr(aval, "shape", None) != () or aval.dtype != np.int32 or not avals.is_weak(aval):
        return False
    has_long = not configuration.has_64_bits() and jax.default_backend() != "tpu"
    return has_long and abs(literal) <= _MOST and jax.sharding.get_abstract_mesh().empty


def _recorded(literal: int, *, compared: bool = True) -> Any:
    if _I32.min <= literal <= _I32.max:
        return literal
    return long_literal.bind(value=literal, compared=compared, told=Told())


class Told:
    """Whether a program that has no such number tells so where it looks at the literal."""

    is_told = False


def _alone(*, value: int, compared: bool, told: Told) -> np.int32:
    """The number in a program that has no other ints than those of 32 bits."""
    if not compared and not told.is_told:
        raise OverflowError(
            f"{value} does not fit int32, and there are no ints of more bits in a loop within jax.shard_map, or in what"
            " `to_graph` has made and a function that is not converted hands to jax.vmap. To fix it, make it a float,"
            " as in 1.0, or have ints of 64 bits: jax.config.update('jax_enable_x64', True)."
        )
    return np.int32(_I32.max if value > 0 else _I32.min)


def _same(number: Any) -> Any:
    return avals.as_type(number, number.dtype, True)


long_literal.def_impl(_alone)
power_of_ints.def_impl(_same)
mlir.register_lowering(power_of_ints, mlir.lower_fun(_same, multiple_results=False))
batching.primitive_batchers[power_of_ints] = lambda operands, axes: (_same(operands[0]), axes[0])
mlir.register_lowering(long_literal, lambda _, **params: [mlir.ir_constant(_alone(**params))])
constant_folding.with_long_literal.append(beside_number)
constant_folding.compared_with_long_literal.append(compared_with)
