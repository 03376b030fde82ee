"""Which calls find their program without the policy? Those of a kind that was seen, in whatever way they are made."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import Variable
from autograph_lite.jax_internals import cpp_registry
from autograph_lite.runtime.tracing.trace_table import Traces

pytestmark = pytest.mark.skipif(not cpp_registry.works(), reason="each call goes through the policy")
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


def test_a_variable_that_is_read_after_each_call(asked: Callable[[Callable[[], Any]], int]) -> None:
    n, seen = Variable(jnp.zeros(3)), []

    @autograph_lite.convert
    def step(x: Any, *, keep: Any) -> Any:
        n.assign_add(x)
        return keep * n

    def call() -> None:
        step(1.0, keep=X)
        seen.append(n.value)

    assert asked(call) == 0
    assert [value.tolist() for value in seen] == [[k] * 3 for k in range(1, 9)]  # no program has taken them
    assert step(1.0, keep=X).tolist() == [18.0] * 3


def test_a_check(asked: Callable[[Callable[[], Any]], int]) -> None:
    @autograph_lite.convert
    def root(x: Any) -> Any:
        if x < 0:
            raise ValueError(f"{x} is negative")
        return {"root": jnp.sqrt(x), "name": "x"}

    assert asked(lambda: root(X)) == 0
    with pytest.raises(ValueError, match="^-2.0 is negative$"):
        root(-X)
    assert root(4 * X) == {"root": jnp.sqrt(4 * X), "name": "x"}


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Registered:
    x: Any
    power: Any = dataclasses.field(metadata={"static": True}, default=1)


@dataclasses.dataclass
class Plain:
    x: Any
    power: Any = 1


@pytest.mark.parametrize("kind", [Registered, Plain])
def test_an_object_of_a_dataclass(asked: Callable[[Callable[[], Any]], int], kind: Any) -> None:
    @autograph_lite.convert
    def told(p: Any) -> Any:
        return p.x + 1, type(p.power).__name__, p.power

    point = kind(X)
    assert asked(lambda: told(point)) == 0
    for power in (1, True, 1.0, 1, "1", (1, True), (1, 1), None, True, 0.0, -0.0):
        point.power = power
        assert repr(told(point)) == repr((X + 1, type(power).__name__, power))


def test_what_is_beside_the_fields_of_a_dataclass(asked: Callable[[Callable[[], Any]], int]) -> None:
    f = autograph_lite.convert(lambda p: p.x + getattr(p, "more", 0))
    plain: Any = Plain(X)
    assert asked(lambda: f(plain)) == 0
    plain.more = X
    assert f(plain) == 4


def test_keys_of_dictionaries(asked: Callable[[Callable[[], Any]], int]) -> None:
    class Key(enum.StrEnum):
        a = "a"

    f = autograph_lite.convert(lambda d: [(type(k).__name__, str(k), v + 1) for k, v in d.items()])
    dicts: list[dict[Any, Any]] = [
        {"a": X}, {Key.a: X}, {"b": X, "a": 2 * X}, {"a": 2 * X, "b": X}, {Key.a: X, "b": X},
        {1: X, 2: X}, {True: X, 2: X}, {1.0: X, 2: X}, {"a": {"b": X, "a": 2 * X}, "b": {}}, {},
    ]  # fmt: skip
    for d in [each for each in dicts if "a" not in each or not isinstance(each["a"], dict)] * 3:
        found = sorted(f(d), key=lambda row: row[1])
        wanted = sorted([(type(k).__name__, str(k), v + 1) for k, v in d.items()], key=lambda row: row[1])
        assert found == wanted
    nested = dicts[-2]
    inner = autograph_lite.convert(lambda d: d["a"]["a"] - d["a"]["b"])
    assert asked(lambda: inner(nested)) == 0
    assert inner({"b": {}, "a": {"a": 3 * X, "b": X}}) == 4
