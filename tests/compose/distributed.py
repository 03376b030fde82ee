"""One of two processes that run converted functions on arrays that both hold parts of. Run by `test_processes`."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

import autograph_lite as al


def main(port: str, number: int) -> None:
    """Runs the cases; fails with the first that fails."""
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=number)
    assert (jax.process_count(), jax.device_count(), jax.local_device_count()) == (2, 4, 2)
    mesh = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    rows = NamedSharding(mesh, P("i"))
    whole = np.arange(8, dtype=np.float32)
    x = jax.make_array_from_process_local_data(rows, whole[4 * number : 4 * number + 4])

    @al.convert
    def grown(x):
        while x.sum() < 100:
            x = x * 2
        return x

    expected = whole
    while expected.sum() < 100:
        expected = expected * 2
    for _ in range(2):
        y = grown(x)
        assert y.sharding.is_equivalent_to(rows, 1)
        for shard in y.addressable_shards:
            np.testing.assert_allclose(shard.data, expected[shard.index])
    assert grown.trace_count == 1

    @al.convert
    def around(x, hops):
        for _ in range(hops):
            x = lax.ppermute(x, "i", [(j, (j + 1) % 4) for j in range(4)])
            if lax.psum(x.sum(), "i") < 50:
                x = x * 2
        return x

    run = jax.jit(jax.shard_map(around, mesh=mesh, in_specs=(P("i"), P()), out_specs=P("i"), check_vma=False))
    moved = np.roll(whole.reshape(4, 2), 2, axis=0).ravel() * 2
    for shard in run(x, jnp.int32(2)).addressable_shards:
        np.testing.assert_allclose(shard.data, moved[shard.index])

    table, count = al.Variable(x), al.Variable(0)

    @al.convert
    def step(x):
        table.assign_add(x)
        count.assign_add(1)
        return (table * x).sum()

    for k in range(2, 5):
        assert float(step(x)) == k * (whole**2).sum()
    assert int(count) == 3
    print("well:", number)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
