"""Do the fixture of pytest and the strategies of Hypothesis serve users' own tests, at no cost where nobody asks?"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies

import autograph_lite
from autograph_lite.testing import arrays, assert_converts, keys

from . import model

ROOT = pathlib.Path(__file__).parents[2]


def run_pytest(folder: pathlib.Path, text: str) -> str:
    """What pytest says of a file of tests, with our plugin as it is when it is installed."""
    (folder / "test_it.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "pytest", "-p", "pytest_autograph_lite", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), "test_it.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_the_fixture_asserts_and_shows_the_statement(tmp_path: pathlib.Path) -> None:
    said = run_pytest(
        tmp_path,
        """\
import jax.numpy as jnp

def factorial(n):
    result = 1
    for i in range(1, n + 1):
        result = result * i
    return result

def test_right(assert_converts):
    assert assert_converts(factorial, jnp.int32(5)) == 120

def test_wrong(assert_converts):
    assert_converts(factorial, jnp.int32(20))
""",
    )
    assert "1 failed, 1 passed" in said
    assert (
        "VerificationError: The compiled program of factorial(n: int32[]) does not do what Python does."
        in said
    )
    assert "test_it.py:6 in factorial" in said


def test_pytest_does_not_import_jax_for_the_plugin(tmp_path: pathlib.Path) -> None:
    said = run_pytest(
        tmp_path,
        """\
import sys

def test_nothing_is_imported():
    assert not {"jax", "autograph_lite", "hypothesis"} & {*sys.modules}
""",
    )
    assert "1 passed" in said


def test_importing_the_module_does_not_import_hypothesis() -> None:
    program = "import sys, autograph_lite.testing; print('hypothesis' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_it_gives_what_the_function_returns() -> None:
    assert float(assert_converts(model.mean, jnp.ones(3))) == 1
    assert int(assert_converts(autograph_lite.convert(model.last_digit), jnp.int32(4))) == 9


def test_it_raises_what_both_raise_and_what_is_refused() -> None:
    with pytest.raises(ValueError, match="-1.0 is negative"):
        assert_converts(model.Counter().add, jnp.float32(-1))

    def f(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(autograph_lite.VerificationError) as caught:
        assert_converts(f, jnp.float32(1))
    refusal = caught.value.__cause__
    assert isinstance(refusal, autograph_lite.UndefinedVariableError)
    assert caught.value.fix == refusal.fix != ""


def test_tolerances_can_be_given() -> None:
    def f(x):
        return x * (1.001 if isinstance(x, jax.core.Tracer) else 1.0)

    with pytest.raises(autograph_lite.VerificationError):
        assert_converts(f, jnp.float32(1))
    assert_converts(f, jnp.float32(1), rtol=0.01)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "bfloat16", "float16", "float32", "complex64"]
)
def test_arrays_have_the_dtype_and_the_shape(dtype: str) -> None:
    @settings(max_examples=10)
    @given(arrays(dtype, (2, 3)))
    def check(x):
        assert isinstance(x, jax.Array)
        assert (x.dtype, x.shape) == (dtype, (2, 3))
        assert bool(jnp.all(jnp.isfinite(x)))
        assert not x.weak_type

    check()


@settings(max_examples=10)
@given(arrays("float32", strategies.tuples(strategies.integers(0, 3)), elements=strategies.just(2.0)), keys())
def test_shapes_and_elements_may_be_strategies(x, key) -> None:
    assert x.ndim == 1
    assert np.all(np.asarray(x) == 2)
    assert jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
