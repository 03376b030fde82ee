"""Do JAX's own tools do on converted functions what they do on others?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from .examples import load, output_of


@pytest.fixture
def tools():
    return load("jax_tools")


def guesses(tools, square):
    found = []
    tools.root(square, found.append)  # plain Python
    return [float(guess) for guess in found]


def test_debug_print_prints_each_iteration(tools, capfd):
    tools.printed(jnp.float32(2))
    jax.effects_barrier()
    shown = [float(line.split()[1]) for line in capfd.readouterr().out.splitlines()]
    np.testing.assert_allclose(shown, guesses(tools, jnp.float32(2)), rtol=1e-6)


def test_a_debug_callback_gets_each_iteration(tools):
    np.testing.assert_allclose(tools.recorded(jnp.float32(7)), guesses(tools, jnp.float32(7)), rtol=1e-6)


def test_checkify_gets_what_is_raised(tools):
    message, answer = tools.checked(jnp.float32(2))
    assert message is None
    np.testing.assert_allclose(answer, 2**0.5, rtol=1e-5)
    assert "ValueError: no real number has this square" in tools.checked(jnp.float32(-2))[0]


def test_a_profile_names_the_function(tools, tmp_path):
    files = tools.profiled(jnp.float32(2), str(tmp_path))
    [whole] = [path for path in files if path.endswith(".xplane.pb")]
    data = jax.profiler.ProfileData.from_file(whole)
    names = {event.name for plane in data.planes for line in plane.lines for event in line.events}
    assert "finding a root" in names
    assert any("root" in name and "finding" not in name for name in names)


def test_an_exported_program_serves_arrays_of_any_size(tools):
    pytest.importorskip("flatbuffers")
    program = jax.export.deserialize(bytearray(tools.exported()))
    for squares in ([2.0], [1.0, 4.0, 9.0, 1e4]):
        np.testing.assert_allclose(program.call(jnp.array(squares)), np.sqrt(squares), rtol=1e-4)


def k_means(points, centres):
    """Steps of NumPy."""
    steps, moved = 0, True
    while moved:
        numbers = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        new = np.array([points[numbers == k].mean(axis=0) for k in range(len(centres))])
        moved = np.abs(new - centres).max() > 1e-5
        centres, steps = new, steps + 1
    return centres, steps


def test_eight_devices_find_what_one_finds():
    centres, steps = k_means(*load("eight_devices").cloud())
    flags = "--xla_force_host_platform_device_count=8"
    first, second = output_of("eight_devices", XLA_FLAGS=flags, JAX_PLATFORMS="cpu").splitlines()
    assert first == f"8 devices, {steps} steps"
    np.testing.assert_allclose(eval(second), centres, atol=2e-3)
