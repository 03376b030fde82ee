"""Does a call that always raises leave nothing behind, so that the next one asks Python again?"""

from __future__ import annotations

import jax.numpy as jnp
import pytest

import autograph_lite as al


def test_a_call_after_one_that_always_raised_is_traced_anew():
    settings: dict[str, float] = {}

    @al.convert
    def f(x):
        if "scale" not in settings:
            raise LookupError("set the scale")
        return x * settings["scale"]

    for _ in range(2):
        with pytest.raises(LookupError, match="set the scale"):
            f(jnp.float32(3))
    settings["scale"] = 2.0
    assert [float(f(jnp.float32(3))) for _ in range(2)] == [6, 6]
    assert len(f.concrete_functions) == 1


def test_each_call_that_always_raises_runs_python_once():
    runs, total = [], al.Variable(0.0)

    @al.convert
    def f(x, *rest):
        runs.append(1)
        total.assign_add(x)
        assert x > 0, "not positive"
        raise KeyError("k")

    for call, expected in ((1, KeyError), (-1, AssertionError), (1, KeyError)):
        with pytest.raises(expected):
            f(jnp.float32(call))
    assert (len(runs), float(total), f.concrete_functions) == (3, 0, [])


def test_the_traces_of_other_calls_stay_where_one_always_raises():
    @al.convert
    def f(x, refused):
        if refused:
            raise ValueError("refused")
        return x + 1

    assert float(f(jnp.float32(1), False)) == 2
    with pytest.raises(ValueError, match="refused"):
        f(jnp.float32(1), True)
    assert float(f(jnp.float32(1), False)) == 2
    assert f.trace_count == 1
