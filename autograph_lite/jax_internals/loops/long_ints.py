"""Long ints: what stands for an int of Python's that a loop starts with, or leaves, and that may have more than 32 bits?

    while n > 0:
        h = h * 31 % 2**40
    return h % 1000

Its bits: they become an int again, and that bits, by equations that are there until the program ends, whose ints are then as wide
as they have to be: see `wide_programs`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax._src import core
from jax._src.interpreters import batching, mlir

from autograph_lite.jax_internals.dataflow.intervals import Ends
from autograph_lite.jax_internals.dataflow.long_literals import INT
from autograph_lite.jax_internals.loops.double_floats import BITS, U32, bind, cast_bits, convert_double
from autograph_lite.jax_internals.loops.int_tests import I32, I64

int_of_bits = core.Primitive("int_of_bits")
int_of_bits.def_abstract_eval(lambda _, **__: INT)
bits_of_int = core.Primitive("bits_of_int")
bits_of_int.def_abstract_eval(lambda _: BITS)


def kept(bits: Any, ends: Ends, made_by: Any) -> Any:
    """The int of Python's, of 64 bits and between these ends, whose bits a loop leaves.

    It is `made_by` the equation of the loop that computes it; None where there is none.
    """
    return int_of_bits.bind(bits, ends=ends, made_by=made_by)


def bits_of(number: Any) -> Any:
    """The bits of an int of Python's, for a loop that starts with it."""
    return bits_of_int.bind(number)


def _of_lanes(
    fun: Callable[..., Any], operands: Sequence[Any], axes: Sequence[int], **_: Any
) -> tuple[Any, int]:
    return jax.vmap(fun, in_axes=(*axes,))(*operands), 0


def _int(bits: Any, **_: Any) -> Any:
    return convert_double(bind, cast_bits(bind, bits, I64, None), I32, None, weak=True)


def _bits(number: Any) -> Any:
    return cast_bits(bind, convert_double(bind, number, I64, None), U32, None)


# Where a program does something with them before it ends, they have 32 bits, and a check that they fit.
for _primitive, _fun in ((int_of_bits, _int), (bits_of_int, _bits)):
    _primitive.def_impl(_fun)
    mlir.register_lowering(_primitive, mlir.lower_fun(_fun, multiple_results=False))
    batching.primitive_batchers[_primitive] = functools.partial(_of_lanes, _fun)
