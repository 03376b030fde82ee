"""Do the examples compute what NumPy, the outside world and a hand-written `lax` program compute?"""

from __future__ import annotations

import functools
import importlib
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
# As Python does for a script: the examples import their neighbour `show` by its bare name.
sys.path.insert(0, str(EXAMPLES))

import show  # noqa: E402

from benchmarks import lax_versions  # noqa: E402

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "show")


def load(name: str) -> Any:
    return importlib.import_module(name)


def jitted(function: Any, *arrays: Any, **static: Any) -> Any:
    """Runs what `to_graph` returns under the user's own `jax.jit`."""
    converted = functools.partial(autograph_lite.to_graph(function), **static, np=jnp)
    return jax.jit(converted)(*arrays)


RUNNERS = {"plain": show.plain, "convert": show.converted, "jit": jitted}
CASES = [
    pytest.param(case, id=f"{name}-{case.function.__name__}-{i}")
    for name in NAMES
    for i, case in enumerate(load(name).cases())
]
LAX_CASES = [
    pytest.param(case, id=f"{name}-{case.function.__name__}-{i}")
    for name in NAMES
    for i, case in enumerate(load(name).cases())
    if hasattr(lax_versions, case.function.__name__)
]


def assert_same(answer: Any, expected: Any) -> None:
    """Equal structure, shapes and dtypes (as JAX has them), exact integers, close floating-point numbers."""
    assert jax.tree.structure(answer) == jax.tree.structure(expected)
    assert_same_leaves(answer, expected)


def assert_same_leaves(answer: Any, expected: Any) -> None:
    for ours, theirs in zip(jax.tree.leaves(answer), jax.tree.leaves(expected), strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        dtype = jax.dtypes.canonicalize_dtype(theirs.dtype)
        assert (ours.shape, jax.dtypes.canonicalize_dtype(ours.dtype)) == (theirs.shape, dtype)
        if dtype.kind == "f":
            largest = np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 * largest)
        else:
            np.testing.assert_array_equal(ours, theirs)


def output_of(name: str, *options: str, folder: Path = ROOT) -> str:
    """What the example prints as a script that runs in `folder`, without an installed package."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_there_are_ten_examples():
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_plain_python_is_right(name):
    load(name).check(show.plain)


@pytest.mark.parametrize("case", CASES)
def test_converted_equals_numpy(case):
    expected = show.plain(case.function, *case.arrays, **case.static)
    assert_same(show.converted(case.function, *case.arrays, **case.static), expected)


@pytest.mark.parametrize("case", CASES)
def test_converted_under_jit_equals_numpy(case):
    expected = show.plain(case.function, *case.arrays, **case.static)
    assert_same(jitted(case.function, *case.arrays, **case.static), expected)


@pytest.mark.parametrize("run", [show.converted, jitted], ids=["convert", "jit"])
@pytest.mark.parametrize("name", NAMES)
def test_converted_is_right(name, run):
    load(name).check(run)


@pytest.mark.parametrize("case", LAX_CASES)
def test_hand_written_lax_equals_numpy(case):
    by_hand = functools.partial(getattr(lax_versions, case.function.__name__), **case.static)
    expected = show.plain(case.function, *case.arrays, **case.static)
    assert_same_leaves(jax.jit(by_hand)(*case.arrays), expected)


def test_arrays_of_the_caller_stay_as_they_were():
    values = jnp.array([3.0, 1.0, 2.0])
    show.converted(load("sorting").heap_sort, values)
    assert values.tolist() == [3, 1, 2]


def test_a_function_is_traced_into_one_loop_whatever_the_size():
    heap_sort = functools.partial(autograph_lite.to_graph(load("sorting").heap_sort), np=jnp)
    lengths = {n: len(str(jax.make_jaxpr(heap_sort)(jnp.zeros(n))).splitlines()) for n in (64, 4096)}
    assert lengths[64] == lengths[4096]


def test_many_fits_at_once_equal_single_ones():
    example = load("levenberg_marquardt")
    xs, ys = example.points(noise=0.05)
    guesses = np.array([[1, 1, 0], [1, 4, 3], [2, 1, 1]], np.float32)
    fit = functools.partial(autograph_lite.to_graph(example.fit), np=jnp)
    together = jax.jit(jax.vmap(fit, in_axes=(None, None, 0)))(xs, ys, guesses)
    for i, guess in enumerate(guesses):
        single = show.plain(example.fit, xs, ys, guess)
        assert_same_leaves(jax.tree.map(lambda leaf: leaf[i], together), single)


def test_padded_sequences_of_different_lengths_in_one_batch_equal_single_ones():
    example = load("viterbi")
    *model, _ = map(jnp.asarray, example.cases()[1].arrays)
    lengths = np.array([1, 7, 20], np.int32)
    decode = functools.partial(autograph_lite.to_graph(example.decode), *model, np=jnp)
    together = jax.jit(jax.vmap(decode))(lengths)
    for i, length in enumerate(lengths):
        single = show.plain(example.decode, *model, length)
        assert_same_leaves(jax.tree.map(lambda leaf: leaf[i], together), single)


def test_a_springs_state_after_a_turn_has_the_identity_as_derivative():
    example = load("dormand_prince")
    spring, turn, tolerance = example.cases()[2].arrays
    solve = functools.partial(
        autograph_lite.to_graph(example.solve), f=example.oscillator, event=example.never, np=jnp
    )
    derivative = jax.jit(jax.jacfwd(lambda y: solve(y, turn, tolerance).y))(spring)
    np.testing.assert_allclose(derivative, np.eye(2), atol=1e-3)


def test_gradient_of_a_recurrence_with_a_stop_equals_the_difference_quotient():
    example = load("recurrent")
    weights, inputs, certainty = example.cases()[0].arrays
    direction = {name: np.sign(array) / 100 for name, array in weights.items()}
    inputs = inputs[:20]
    read = functools.partial(autograph_lite.to_graph(example.read), np=jnp)

    def moved(distance):
        weights_there = {name: weights[name] + distance * direction[name] for name in weights}
        return example.read(weights_there, inputs, certainty)[0].sum()

    gradient = jax.grad(lambda weights: read(weights, jnp.asarray(inputs), certainty)[0].sum())(weights)
    slope = sum(np.vdot(gradient[name], direction[name]) for name in weights)
    np.testing.assert_allclose(slope, (moved(0.05) - moved(-0.05)) / 0.1, rtol=0.01)


def test_the_picture_is_the_same_pixel_by_pixel_and_at_once():
    example = load("ray_marcher")
    columns, rows = example.screen(12, 8)
    one_by_one = show.plain(example.render, columns, rows, example.LAMP)
    shade = functools.partial(autograph_lite.convert(example.shade), lamp=jnp.asarray(example.LAMP), np=jnp)
    at_once = jax.vmap(jax.vmap(shade, in_axes=(0, None)), in_axes=(None, 0))(columns, rows)
    np.testing.assert_allclose(at_once, one_by_one, atol=1e-3)


def test_a_png_file_holds_the_pixels(tmp_path):
    picture = np.array([[[0, 0.5, 1], [1, 0, 0]]], np.float32)
    load("ray_marcher").write_png(tmp_path / "two.png", picture)
    data = (tmp_path / "two.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (2, 1)
    start = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    assert zlib.decompress(data[start : start + length]) == bytes([0, 0, 128, 255, 255, 0, 0])


def test_the_main_command_shows_code_answers_and_times():
    shown = output_of("dormand_prince")
    for part in ("def solve(", "generated code", "ag.while_stmt", "plain Python, NumPy", "faster"):
        assert part in shown


def test_code_can_be_left_out():
    shown = output_of("sorting", "--no-code")
    assert "generated code" not in shown
    assert "plain Python, NumPy" in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_example_runs_as_a_script(name, tmp_path):
    output_of(name, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == (
        ["ray_marcher.png"] if name == "ray_marcher" else []
    )
