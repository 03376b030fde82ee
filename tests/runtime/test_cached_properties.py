"""May a dataclass object among the arguments keep what its cached properties compute?"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite


def _circle(*, frozen: bool) -> Any:
    @dataclasses.dataclass(frozen=frozen)
    class Circle:
        radius: Any

        @functools.cached_property
        def area(self):
            return 3 * self.radius**2

    return Circle


@pytest.mark.parametrize("frozen", [True, False])
def test_a_cached_property_of_an_argument(frozen) -> None:
    circle = _circle(frozen=frozen)
    f = autograph_lite.convert(lambda c: c.area + c.area)

    for radius in (2.0, 3.0):
        given = circle(jnp.float32(radius))
        assert f(given) == 2 * circle(radius).area
        assert [*vars(given)] == ["radius"]
    assert f.trace_count == 1


@pytest.mark.parametrize("frozen", [True, False])
def test_the_argument_comes_back_as_the_callers_own(frozen) -> None:
    given = _circle(frozen=frozen)(jnp.float32(2))
    area, same = autograph_lite.convert(lambda c: (c.area, c))(given)

    assert area == 12
    assert same is given


def test_an_argument_that_has_computed_it_before() -> None:
    given = _circle(frozen=True)(jnp.float32(2))
    assert given.area == 12

    assert autograph_lite.convert(lambda c: c.area + c.radius)(given) == 14


def test_a_cached_property_of_an_argument_that_is_inside_of_another() -> None:
    circle = _circle(frozen=True)
    f = autograph_lite.convert(lambda held: held["both"][0].area - held["both"][1].area)

    assert f({"both": [circle(jnp.float32(2)), circle(jnp.float32(1))]}) == 9
