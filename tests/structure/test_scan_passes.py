"""Are the passes over a scan run in the order of their table, and is what each leaves checked?"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import config, convert
from autograph_lite.jax_internals.scan_passes import passes, verifier

X = np.linspace(-1, 1, 100, dtype=np.float32)


def follow(x: Any, y: Any) -> Any:
    for i in range(1, len(x)):
        v = x[i]
        if v > 0:
            y[i] = v - y[i - 1]
        else:
            y[i] = 0.0
    return y


def stages() -> list[tuple[str, Any]]:
    """The name of each pass, and the body after it, for the loop above."""
    found: list[tuple[str, Any]] = []
    with passes.observer.being(lambda name, jaxpr: found.append((name, jaxpr))):
        convert(follow).get_concrete_function(jnp.asarray(X), jnp.zeros(100))
    return found


def names(jaxpr: Any) -> list[str]:
    return [equation.primitive.name for equation in jaxpr.eqns]


def test_each_pass_is_shown_in_the_order_of_the_table() -> None:
    assert [name for name, _ in stages()] == ["given", *(each.name for each in passes.PASSES)]


def test_the_array_becomes_rows_and_the_choice_stays() -> None:
    found = dict(stages())
    assert {"scatter", "dynamic_slice"} <= set(names(found["given"]))
    assert "scatter" not in names(found["windows"])
    assert "dynamic_slice" not in names(found["rows"])
    assert not [v for v in found["dead_code"].invars if len(v.aval.shape) == 1]
    assert len(names(found["dead_code"])) < 6
    np.testing.assert_allclose(convert(follow)(X, np.zeros(100, np.float32)), follow(X, np.zeros(100)), 1e-6)


def without(name: str, **new: Any) -> Any:
    """The table with another pass of that name."""
    return tuple(dataclasses.replace(each, **new) if each.name == name else each for each in passes.PASSES)


def forget_an_equation(scan: Any) -> None:
    scan.equations = scan.equations[1:]


def carry_another_type(scan: Any) -> None:
    first = next(iter(scan.carried))
    scan.carried[first] = np.zeros(7, np.float32)
    scan.equations = [*scan.equations[:-1], scan.equations[-1].replace()]


def promise_more(_: Any) -> None:
    raise AssertionError("something remains")


@pytest.mark.parametrize(
    ("name", "new", "said"),
    [
        ("calls", {"run": forget_an_equation}, "Variable "),
        ("barriers", {"run": carry_another_type}, "float32[7] is given for float32[100]"),
        ("ranges", {"check": promise_more}, "something remains"),
    ],
)
def test_what_a_pass_breaks_is_told_with_its_name(
    name: str, new: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "PASSES", without(name, **new))
    with pytest.raises(verifier.BrokenPassError) as caught:
        stages()
    assert str(caught.value).startswith(f"after the pass {name!r}: {said}")


def test_nothing_is_checked_where_passes_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "check_passes", lambda: False)
    monkeypatch.setattr(passes, "PASSES", without("ranges", check=promise_more))
    assert len(stages()) == len(passes.PASSES) + 1
