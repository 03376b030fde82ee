"""What does `ConcreteFunction.export` give? The program as JAX's own `Exported`."""

from __future__ import annotations

from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import pytest

from autograph_lite import ArraySpec, SaveError, Variable, convert, py_function


def test_a_program_is_exported_for_other_platforms_and_any_size() -> None:
    concrete = convert(lambda x: {"y": x * 2, "n": 3}).get_concrete_function(ArraySpec([None], "float32"))
    exported = concrete.export(platforms=["cpu", "cuda"])
    again = jax.export.deserialize(exported.serialize())
    assert again.platforms == ("cpu", "cuda")
    for n in (3, 5):
        (doubled,) = again.call(jnp.ones(n))
        assert doubled.tolist() == [2] * n


def test_variables_and_checks_are_inputs_and_outputs() -> None:
    v = Variable(jnp.ones(3))

    @convert
    def f(x: Any) -> Any:
        assert x.sum() > 0
        v.assign_add(x)
        return v * 2

    exported = f.get_concrete_function(ArraySpec([3], "float32")).export()
    result, new, *checks = exported.call(jnp.ones(3), jnp.ones(3))
    assert (result.tolist(), new.tolist()) == ([4] * 3, [2] * 3)
    assert checks
    assert v.value.tolist() == [1] * 3


def test_a_program_that_calls_python_is_refused() -> None:
    @convert
    def f(x: Any) -> Any:
        return py_function(lambda a: a, [x], jax.ShapeDtypeStruct((3,), "float32"))

    with pytest.raises(SaveError, match=r"'.*f' calls the callback '.*lambda>' on the host"):
        f.get_concrete_function(ArraySpec([3], "float32")).export()
