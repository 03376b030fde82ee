"""What of the values that a function reads from outside: those of trace time, or of the call?"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import Variable

from .probe import C, Probe, ran, runs, shaped
from .rows import LIVE, deviates

number = 1
array = C(1)


def returned(f: Probe, rebind: Any, *values: Any) -> list[Any]:
    """What `f` returns after each of the values was bound."""
    results = []
    for value in values:
        rebind(value)
        f()
        results.append(f.value)
    return results


@deviates("the value of the call, after one more trace: it is an input from then on", why=LIVE)
def test_R112_a_number_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Probe(lambda: (ran(), jnp.int32(number))[1])

    assert returned(f, lambda n: monkeypatch.setitem(globals(), "number", n), 1, 100, 7) == [1, 100, 7]
    assert f.counts == "2/2"


@deviates(
    "what the name leads to is read at each call, after one more trace",
    why="an array is data, and to compute with another one would be a wrong value",
)
def test_R113_an_array_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    f = Probe(lambda: (ran(), array + 0)[1])

    assert returned(f, lambda n: monkeypatch.setitem(globals(), "array", C(n)), 1, 100, 7) == [1, 100, 7]
    assert f.counts == "2/2"


def test_R114_a_variable_is_read_by_each_call() -> None:
    v = Variable(1)
    f = Probe(lambda: (ran(), v + 0)[1])

    assert returned(f, v.assign, 1, 100) == [1, 100]
    assert f.counts == "1/1"


@deviates("the value of the call, after one more trace: it is an input from then on", why=LIVE)
def test_R115_an_attribute_of_an_object() -> None:
    class Settings:
        n = 1

    settings = Settings()
    f = Probe(lambda: (ran(), jnp.int32(settings.n))[1])

    assert returned(f, lambda n: setattr(settings, "n", n), 1, 100, 7) == [1, 100, 7]
    assert f.counts == "2/2"


@deviates("a Variable, or an argument, is what is read by each call", why="one way to say it is enough")
def test_R116_a_value_of_call_time() -> None:
    v = Variable(1)
    f = Probe(lambda n: (ran(), n + v)[1])

    assert (f(C(1)), f.value) == ("1/1", 2)
    v.assign(100)
    assert (f(C(5)), f.value) == ("1/1", 105)


@deviates(
    "a Variable keeps its shape and dtype: another is a `VariableError` where it is assigned",
    why="programs are compiled for them",
)
def test_R148_a_value_of_call_time_of_another_shape() -> None:
    v = Variable(1)
    f = Probe(lambda: (ran(), v + 0)[1])

    assert returned(f, v.assign, 1, 100) == [1, 100]
    with pytest.raises(autograph_lite.VariableError):
        v.assign(shaped(2))
    assert returned(f, v.assign, 5) == [5]
    assert f.counts == "1/1"


def of_the_module(x):
    ran()
    return x + 1


converted_of_the_module = autograph_lite.convert(of_the_module)


@deviates(
    "copies have traces of their own, before and after the first call", why="what is copied is the function"
)
@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("called", [False, True])
def test_R118_copies(make: Any, called: bool) -> None:
    f = autograph_lite.convert(of_the_module)
    if called:
        f(C(1))

    copied = make(f)

    assert copied(C(1)) == 2
    assert (copied.trace_count, f.trace_count) == (1, int(called))
    assert runs() == 1 + called


@deviates("works before and after the first call", why="what is pickled is the function's name")
def test_R118_pickles() -> None:
    converted_of_the_module(C(1))

    again = pickle.loads(pickle.dumps(converted_of_the_module))

    assert again(C(1)) == 2
