"""Which calls find their program without the policy? Those of a kind that was seen, in whatever way they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import Variable, _jax_dispatch
from autograph_lite.runtime.traces import Traces

pytestmark = pytest.mark.skipif(not _jax_dispatch.works(), reason="each call goes through the policy")
X = jnp.float32(2)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], int]:
    """How often the policy is asked what serves a call, in five of them that come after three."""
    count, resolve = 0, Traces.resolve

    def counted(self: Traces, *args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        return resolve(self, *args, **kwargs)

    monkeypatch.setattr(Traces, "resolve", counted)

    def of(call: Callable[[], Any]) -> int:
        nonlocal count
        for n in range(8):
            count = 0 if n == 3 else count
            call()
        return count

    return of


class Steps:
    def __init__(self) -> None:
        self.n = Variable(0)

    @autograph_lite.convert
    def step(self, x: Any) -> Any:
        self.n.assign_add(1)
        return x + self.n


def test_a_method_that_is_kept(asked: Callable[[Callable[[], Any]], int]) -> None:
    steps = Steps()
    kept = steps.step
    assert asked(lambda: kept(X)) == 0
    assert asked(lambda: steps.step(X)) == 0
    assert asked(lambda: kept(X)) == 0
    assert (steps.n.value, kept(X)) == (24, 27)


def test_what_ran_the_first_calls_is_kept(asked: Callable[[Callable[[], Any]], int]) -> None:
    n = Variable(0)
    f = autograph_lite.convert(lambda x: n.assign_add(1) + x)
    first = f.__call__
    assert float(first(X)) == 3
    second = f.__call__
    assert float(first(X)) == 4
    assert f.__call__ is second  # no other was made for it


def test_a_method_that_is_kept_is_what_the_function_becomes() -> None:
    ran = 0

    class Model:
        @autograph_lite.convert
        def step(self, x: Any) -> Any:
            nonlocal ran
            ran += 1
            return x + 1

    model = Model()
    kept = model.step
    kept(X)
    autograph_lite.run_functions_eagerly(True)
    try:
        assert kept(X) == 3
        assert ran == 2
    finally:
        autograph_lite.run_functions_eagerly(False)
    kept(X)
    assert ran == 2
