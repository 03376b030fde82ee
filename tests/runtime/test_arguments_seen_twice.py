"""What if an argument is a container that the function reaches from outside, too, and changes there?"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
import pytest

from autograph_lite import MutatedArgumentError, convert


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any = 2


ROWS: list[Any] = []


def writes_a_traced_value(given: Any) -> Any:
    ROWS[0] = ROWS[0] + 1
    return given[0]


def appends(given: Any) -> Any:
    ROWS.append(1)
    return len(given)


@pytest.mark.parametrize("fn", [writes_a_traced_value, appends])
def test_a_list_that_is_passed_and_changed_from_outside_is_refused(fn: Any) -> None:
    ROWS[:] = [jnp.arange(3.0)]
    f = convert(fn)
    with pytest.raises(
        MutatedArgumentError, match="'ROWS', a list that was passed as an argument, is changed"
    ):
        f(ROWS)
    assert len(ROWS) == 1
    assert ROWS[0].tolist() == [0, 1, 2]


def test_it_is_refused_by_a_trace_that_was_made_for_another_list() -> None:
    ROWS[:] = [jnp.arange(3.0)]
    f = convert(writes_a_traced_value)
    assert f([jnp.ones(3)]).tolist() == [1, 1, 1]
    concrete = f.concrete_functions[0]
    for call in (f, concrete):
        with pytest.raises(MutatedArgumentError, match="'ROWS', a list that was passed"):
            call(ROWS)
    assert f([jnp.ones(3)]).tolist() == [1, 1, 1]
    assert ROWS[0].tolist() == [2, 3, 4]


def test_a_dataclass_object_that_is_passed_and_changed_from_outside_is_refused() -> None:
    pair = Pair(jnp.arange(3.0))

    @convert
    def f(given: Any, x: Any) -> Any:
        pair.left = pair.left + x
        return given.left

    assert f(Pair(jnp.ones(3)), 1.0).tolist() == [1, 1, 1]
    with pytest.raises(MutatedArgumentError, match="A Pair that was passed as an argument is changed"):
        f(pair, 1.0)
    assert pair.left.tolist() == [1, 2, 3]


def test_a_list_of_the_instance_that_is_passed_to_its_method_is_refused() -> None:
    class Log:
        def __init__(self) -> None:
            self.rows = [jnp.arange(3.0)]

        @convert
        def double(self, rows: Any) -> Any:
            self.rows[0] = self.rows[0] * 2
            return rows[0]

    log = Log()
    with pytest.raises(MutatedArgumentError, match=r"'self\.rows', a list that was passed"):
        log.double(log.rows)
    assert log.rows[0].tolist() == [0, 1, 2]
