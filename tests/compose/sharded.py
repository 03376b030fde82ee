"""What converted functions do on 8 devices; one line for each case that went well. Run by `test_devices`."""

from __future__ import annotations

import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

import autograph_lite as al

N = 8
MESH = jax.make_mesh((N,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
ROWS, WHOLE = NamedSharding(MESH, P("i")), NamedSharding(MESH, P())
X = np.arange(2.0 * N, dtype=np.float32)


def sharded(x=X, sharding=ROWS):
    return jax.device_put(jnp.asarray(x), sharding)


def doubled_while_small(x):
    while x.sum() < 1000:
        x = x * 2
    return x


def plain_doubled(x=X):
    while x.sum() < 1000:
        x = x * 2
    return x


def sharded_arguments_give_sharded_results():
    f = al.convert(doubled_while_small)
    for sharding in (ROWS, WHOLE, ROWS, WHOLE):
        y = f(sharded(sharding=sharding))
        np.testing.assert_allclose(y, plain_doubled())
        assert len(y.sharding.device_set) == N
    assert f(sharded()).sharding.is_equivalent_to(ROWS, 1)
    np.testing.assert_allclose(f(jnp.asarray(X)), plain_doubled())
    np.testing.assert_allclose(f(X), plain_doubled())
    assert f.trace_count == 1, f.trace_count


def two_arguments_of_different_shardings():
    f = al.convert(lambda x, y, n=2: x * y if x.sum() > 0 else x + n)
    for first in (ROWS, WHOLE):
        for second in (ROWS, WHOLE):
            np.testing.assert_allclose(f(sharded(sharding=first), sharded(sharding=second)), X * X)
            np.testing.assert_allclose(f(y=sharded(sharding=first), x=-sharded(sharding=second)), -X + 2)


def constraints_inside():
    @al.convert
    def f(x):
        total = 0.0
        for _ in range(3):
            x = lax.with_sharding_constraint(x * 2, ROWS)
            if x.sum() > 0:
                total = total + x.sum()
        return x, total

    x, total = f(sharded(sharding=WHOLE))
    assert x.sharding.is_equivalent_to(ROWS, 1)
    np.testing.assert_allclose(x, 8 * X)
    np.testing.assert_allclose(total, 14 * X.sum())


def collectives_in_a_staged_loop():
    @al.convert
    def each(x):
        steps = 0
        while lax.psum(x.sum(), "i") < 1000:
            x = x * 2
            steps += 1
        return x, jnp.full(1, steps)

    run = jax.jit(jax.shard_map(each, mesh=MESH, in_specs=P("i"), out_specs=P("i"), check_vma=False))
    y, steps = run(sharded())
    np.testing.assert_allclose(y, plain_doubled())
    assert steps.tolist() == [4] * N


def collectives_in_a_staged_loop_with_types_of_axes():
    @al.convert
    def each(x):
        while lax.psum(x.sum(), "i") < 1000:
            x = x * 2
        return x

    run = jax.shard_map(each, mesh=MESH, in_specs=P("i"), out_specs=P("i"))
    np.testing.assert_allclose(run(sharded()), plain_doubled())


def a_ring_of_ppermutes():
    @al.convert
    def each(x, hops):
        total = x
        for _ in range(hops):
            x = lax.ppermute(x, "i", [(j, (j + 1) % N) for j in range(N)])
            total = total + x
        return total

    run = jax.shard_map(each, mesh=MESH, in_specs=(P("i"), P()), out_specs=P("i"))
    expected = sum(np.roll(X.reshape(N, 2), k, axis=0) for k in range(4)).ravel()
    np.testing.assert_allclose(run(sharded(), jnp.int32(3)), expected)
    np.testing.assert_allclose(run(sharded(), jnp.int32(0)), X)
    known = jax.shard_map(lambda x: each(x, 3), mesh=MESH, in_specs=P("i"), out_specs=P("i"))
    np.testing.assert_allclose(known(sharded()), expected)


def a_branch_on_the_index_of_the_device():
    @al.convert
    def each(x):
        if lax.axis_index("i") % 2 == 0:
            x = x * 10
        return x

    run = jax.shard_map(each, mesh=MESH, in_specs=P("i"), out_specs=P("i"))
    expected = X.reshape(N, 2) * np.where(np.arange(N) % 2 == 0, 10, 1)[:, None]
    np.testing.assert_allclose(run(sharded()), expected.ravel())


def shard_map_inside():
    @al.convert
    def f(x):
        if x.sum() > 0:
            x = jax.shard_map(
                lambda x: x / lax.psum(x.sum(), "i"), mesh=MESH, in_specs=P("i"), out_specs=P("i")
            )(x)
        return x

    np.testing.assert_allclose(f(sharded()), X / X.sum(), rtol=1e-6)
    np.testing.assert_allclose(f(-sharded()), -X)


def gradients_through_shard_map():
    @al.convert
    def each(x):
        y = x
        for _ in range(2):
            y = y * x
        if lax.psum(y.sum(), "i") > 0:
            y = 2 * y
        return lax.psum(y.sum(), "i")

    total = jax.shard_map(each, mesh=MESH, in_specs=P("i"), out_specs=P())
    np.testing.assert_allclose(jax.grad(total)(sharded()), 6 * X**2, rtol=1e-5)


def vmap_with_a_name():
    @al.convert
    def each(x):
        while lax.psum(x, "v") < 100:
            x = x * 2
        return x

    expected = X.copy()
    while expected.sum() < 100:
        expected = expected * 2
    np.testing.assert_allclose(jax.vmap(each, axis_name="v")(jnp.asarray(X)), expected)


def donated_arguments():
    f = al.convert(doubled_while_small)
    outer = jax.jit(f, donate_argnums=0, out_shardings=ROWS)
    x = sharded()
    y = outer(x)
    assert x.is_deleted()
    assert y.sharding.is_equivalent_to(ROWS, 1)
    np.testing.assert_allclose(y, plain_doubled())
    np.testing.assert_allclose(f(sharded()), plain_doubled())


def variables_are_sharded():
    table, count = al.Variable(sharded()), al.Variable(0)

    @al.convert
    def step(x):
        if x.sum() > 0:
            table.assign_add(x)
        count.assign_add(1)
        return table.value.sum()

    for k in range(1, 4):
        np.testing.assert_allclose(step(sharded()), (k + 1) * X.sum())
        assert table.value.sharding.is_equivalent_to(ROWS, 1), table.value.sharding
    assert int(count) == 3
    assert step.trace_count == 1


def variables_given_other_shardings():
    table = al.Variable(sharded())

    @al.convert
    def step():
        table.assign(table * 2)
        return table.value

    step()
    table.assign(sharded(sharding=WHOLE))
    np.testing.assert_allclose(step(), 2 * X)
    table.assign(jnp.asarray(X))
    np.testing.assert_allclose(step(), 2 * X)


def calls_in_several_meshes():
    square = jax.make_mesh((4, 2), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)

    @al.convert
    def f(x):
        x = lax.with_sharding_constraint(x, P(jax.sharding.get_abstract_mesh().axis_names[0]))
        return x * 2 if x.sum() > 0 else x

    for _ in range(2):
        for mesh, parts in ((MESH, 8), (square, 4)):
            with jax.set_mesh(mesh):
                y = f(sharded(sharding=NamedSharding(mesh, P())))
                np.testing.assert_allclose(y, 2 * X)
                assert len({str(s.index) for s in y.addressable_shards}) == parts, y.sharding


def explicit_axes():
    mesh = jax.make_mesh((N,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
    f = al.convert(doubled_while_small)
    with jax.set_mesh(mesh):
        x, whole = (jax.device_put(jnp.asarray(X), P(*axes)) for axes in (("i",), ()))
        for each in (x, whole, x):
            np.testing.assert_allclose(f(each), plain_doubled())
            assert jax.typeof(f(each)).sharding.spec == jax.typeof(each).sharding.spec


def one_device_after_another():
    f = al.convert(doubled_while_small)
    for device in jax.devices()[:3]:
        y = f(jax.device_put(jnp.asarray(X), device))
        assert y.devices() == {device}
        np.testing.assert_allclose(y, plain_doubled())
    assert f.trace_count == 1


def containers_of_sharded_arrays():
    f = al.convert(lambda tree, n: jax.tree.map(lambda x: x * n if x.sum() > 0 else x, tree))
    for sharding in (ROWS, WHOLE):
        tree = f({"a": sharded(sharding=sharding), "b": [-sharded()]}, 3)
        np.testing.assert_allclose(tree["a"], 3 * X)
        np.testing.assert_allclose(tree["b"][0], -X)
        assert tree["a"].sharding.is_equivalent_to(sharding, 1)


def checks_of_sharded_values():
    @al.convert
    def f(x):
        assert x.sum() > 0, "negative"
        return x

    np.testing.assert_allclose(f(sharded()), X)
    try:
        f(-sharded())
    except AssertionError as error:
        assert str(error) == "negative"
    else:
        raise RuntimeError("no check")


CASES = [
    sharded_arguments_give_sharded_results,
    two_arguments_of_different_shardings,
    constraints_inside,
    collectives_in_a_staged_loop,
    collectives_in_a_staged_loop_with_types_of_axes,
    a_ring_of_ppermutes,
    a_branch_on_the_index_of_the_device,
    shard_map_inside,
    gradients_through_shard_map,
    vmap_with_a_name,
    donated_arguments,
    variables_are_sharded,
    variables_given_other_shardings,
    calls_in_several_meshes,
    explicit_axes,
    one_device_after_another,
    containers_of_sharded_arrays,
    checks_of_sharded_values,
]


def main() -> None:
    """Runs all cases, and prints how each went."""
    assert jax.device_count() == N
    for case in CASES:
        try:
            case()
            print("well:", case.__name__)
        except Exception:
            print("badly:", case.__name__, traceback.format_exc(), flush=True)


if __name__ == "__main__":
    main()
