"""Does a converted function run on many devices? Its loop on each of them, with sums over all of them.

JAX simulates eight devices on one CPU, if it is asked before it starts:

    XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/ecosystem/eight_devices.py
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

from autograph_lite import convert

CLUSTERS = 3


def k_means(points: Any, centres: Any) -> tuple[Any, Any]:
    """The centres of clusters, and how many steps it took until none moved; each device has a part of the points."""
    steps = 0
    moved = jnp.inf
    while moved > 1e-5:
        distances = ((points[:, None] - centres) ** 2).sum(axis=2)
        belongs = jax.nn.one_hot(distances.argmin(axis=1), CLUSTERS)
        counts = jax.lax.psum(belongs.sum(axis=0), "devices")
        sums = jax.lax.psum(belongs.T @ points, "devices")
        moved = 0.0
        for i, count in enumerate(counts):
            if count > 0:  # a centre without points stays where it is
                centre = sums[i] / count
                moved = max(moved, abs(centre - centres[i]).max())
                centres = centres.at[i].set(centre)
        steps += 1
    return centres, steps


def on_devices(points: Any, centres: Any) -> tuple[Any, Any]:
    """`k_means` by all devices together."""
    auto = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((jax.device_count(),), ("devices",), axis_types=auto)
    specs = {"in_specs": (P("devices"), P()), "out_specs": (P(), P())}
    return jax.jit(jax.shard_map(convert(k_means), mesh=mesh, **specs))(points, centres)


def cloud(n: int = 240) -> tuple[Any, Any]:
    """Points around three places, and where to start."""
    rng = np.random.default_rng(0)
    places = np.array([[0, 0], [5, 0], [0, 5]])
    points = places[rng.integers(CLUSTERS, size=n)] + rng.normal(size=(n, 2))
    return points.astype(np.float32), points[:CLUSTERS].astype(np.float32)


if __name__ == "__main__":
    centres, steps = on_devices(*cloud())
    print(f"{jax.device_count()} devices, {steps} steps")
    print(np.round(np.asarray(centres), 3).tolist())
