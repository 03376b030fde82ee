"""What does a concrete function say that it returns?"""

from __future__ import annotations

import jax.numpy as jnp

import autograph_lite
from autograph_lite import ArraySpec


def test_outputs_are_of_any_rank_where_an_argument_is() -> None:
    power = autograph_lite.convert(lambda a, b: {"power": a**b, "b": b})
    square = power.get_concrete_function(ArraySpec(None, jnp.float32), 2)
    assert str(square.function_type) == (
        "(a: float32[...], b: Literal[2]) -> {'b': Literal[2], 'power': float32[...]}"
    )
    assert list(square(jnp.array([3.0, 4.0]))["power"]) == [9, 16]


def test_python_values_are_shown_as_they_are_written() -> None:
    @autograph_lite.convert
    def double(a):
        return a + a

    double("a")
    assert double.pretty_printed_concrete_signatures() == (
        "double(a)\nArguments:\n  a (POSITIONAL_OR_KEYWORD): Literal['a']\nReturns:\n  'aa'"
    )
