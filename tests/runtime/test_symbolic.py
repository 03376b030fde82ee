"""Does one trace with symbolic sizes give, for each size, what the function gives?"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import autograph_lite as al
from autograph_lite.jax_internals import symbolic_comparisons
from autograph_lite.jax_internals.loops import symbolic_shapes
from autograph_lite.runtime.tracing import symbolic_sizes

ANY_ROWS = [((None, 3), jnp.float32, False)]


@jax.custom_vjp
def scaled(x):
    return jnp.sin(x) * x.shape[0]


scaled.defvjp(
    lambda x: (scaled(x), (x, jnp.ones(x.shape))),
    lambda kept, g: (g * jnp.cos(kept[0]) * kept[1] * kept[0].shape[0],),
)


@jax.custom_jvp
def bent(x):
    return jnp.sin(x) * x.shape[0]


bent.defjvp(lambda x, t: (bent(x[0]), t[0] * jnp.cos(x[0]) * jnp.full(x[0].shape, x[0].shape[0] * 1.0)))


def in_a_reference(x):
    ref = jax.new_ref(x)
    ref[0] = x[0] * 2
    return lax.scan(lambda c, row: (c + ref[0], row * 2), jnp.zeros(3), x)[1] + ref[...]


def walked(x):
    first = 0, jnp.zeros(3)
    return lax.while_loop(lambda c: c[0] < x.shape[0], lambda c: (c[0] + 1, c[1] * 0.5 + x[c[0]]), first)[1]


def on_the_host(x):
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential")


PROGRAMS = {
    "scan": lambda x: lax.scan(lambda c, r: (jnp.sin(c + r), c), jnp.zeros(3), x)[1],
    "while_loop": walked,
    "map": lambda x: lax.map(lambda r: jnp.tanh(r).sum(), x),
    "fori_loop": lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c * 0.5 + x[i], jnp.zeros(3)),
    "cond": lambda x: lax.cond(x.sum() > 0, lambda x: x * x.shape[0], lambda x: x[::-1], x),
    "switch": lambda x: lax.switch(jnp.int32(1), [lambda x: x, lambda x: x * 2 + x.shape[0]], x),
    "reshape": lambda x: x.reshape(-1)[::2] + x.reshape(x.shape[0] * 3)[::2],
    "slices": lambda x: x[1:] - x[:-1],
    "a slice of fixed length": lambda x: x[:2].sum(0) + x[-3:].sum(0),
    "half": lambda x: x[: x.shape[0] // 2],
    "concatenate": lambda x: jnp.concatenate([x, x[1:], jnp.ones((2, 3))]),
    "sort": lambda x: jnp.sort(x, 0) + x[jnp.argsort(x[:, 0])],
    "solve": lambda x: jnp.linalg.solve(x.T @ x + jnp.eye(3), x.T),
    "cholesky": lambda x: jnp.linalg.cholesky(x @ x.T + jnp.eye(x.shape[0])),
    "random": lambda x: x + jax.random.normal(jax.random.key(0), x.shape),
    "jit": lambda x: jax.jit(lambda y: y * 2 + y.shape[0])(x),
    "grad": lambda x: jax.grad(lambda y: (jnp.sin(y) * y.shape[0]).sum())(x),
    "vmap": lambda x: jax.vmap(lambda y: y.sum() * y)(x),
    "jacrev": lambda x: jax.jacrev(lambda y: y.sum(0))(x),
    "arange": lambda x: jnp.arange(x.shape[0]) * 2.0 + x[:, 0],
    "a size": lambda x: jnp.asarray(x.shape[0]),
    "a size times": lambda x: x.shape[0] * x / x.size,
    "mean and var": lambda x: x.mean(0) + x.var(0),
    "softmax": lambda x: jax.nn.softmax(x, 0),
    "relu": lambda x: jax.nn.relu(x),
    "one_hot": lambda x: jax.nn.one_hot(jnp.arange(x.shape[0]), 4),
    "top_k": lambda x: lax.top_k(x, 2)[0],
    "fft": lambda x: jnp.abs(jnp.fft.fft(x, axis=0)),
    "einsum": lambda x: jnp.einsum("bi,bj->ij", x, x),
    "scatter": lambda x: x.at[jnp.arange(x.shape[0]), 0].add(1.0),
    "pad": lambda x: jnp.pad(x, ((1, 2), (0, 0))),
    "checkpoint": lambda x: jax.checkpoint(lambda y: jnp.sin(y) * y.shape[0])(x),
    "interp": lambda x: jnp.interp(x[:, 0], jnp.arange(3.0), jnp.arange(3.0)),
    "cg": lambda x: jax.scipy.sparse.linalg.cg(lambda v: v + x.T @ (x @ v), jnp.ones(3))[0],
    "custom_vjp": scaled,
    "custom_jvp": bent,
    "reference": in_a_reference,
    "pure_callback": on_the_host,
}
DIFFERENTIATED = [
    "scan", "map", "fori_loop", "cond", "reshape", "concatenate", "sort", "random", "jit", "mean and var", "relu",
    "scatter", "checkpoint", "custom_vjp", "custom_jvp", "reference",
]  # fmt: skip
MAPPED = ["scan", "while_loop", "cond", "sort", "solve", "interp", "custom_vjp", "reference", "pure_callback"]


def rows(count):
    return jnp.sin(jnp.arange(count * 3.0)).reshape(count, 3)


def traced(f, specs=ANY_ROWS):
    return symbolic_sizes.trace_symbolic(lambda *arrays: [f(*arrays)], specs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_size_gives_what_the_function_gives(name):
    f = PROGRAMS[name]
    trace = traced(f)
    for count in (2, 5):
        found, wanted = trace.call(rows(count))[0], f(rows(count))
        assert (jax.typeof(found), found.weak_type) == (jax.typeof(wanted), wanted.weak_type)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_it_goes_under_grad(name):
    f = PROGRAMS[name]
    trace = traced(f)
    found = jax.grad(lambda x: trace.call(x)[0].sum())(rows(4))
    np.testing.assert_allclose(found, jax.grad(lambda x: f(x).sum())(rows(4)), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", MAPPED)
def test_it_goes_under_jit_and_vmap(name):
    f = PROGRAMS[name]
    trace = traced(f)
    pair = jnp.stack([rows(4), rows(4) + 1])  # not 3, to which a library may have compared the size
    found = jax.jit(jax.vmap(lambda x: trace.call(x)[0]))(pair)
    np.testing.assert_allclose(found, jax.vmap(f)(pair), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["slices", "sort", "half", "arange", "scan", "fori_loop", "mean and var"])
def test_size_one_is_served(name):
    found, wanted = traced(PROGRAMS[name]).call(rows(1))[0], PROGRAMS[name](rows(1))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_python_runs_once():
    runs = []

    def f(x):
        runs.append(x.shape)
        return x * x.shape[0]

    trace = traced(f)
    for count in (1, 4, 7, 4):
        trace.call(rows(count))
    assert len(runs) == 1
    assert trace.compiled_sizes == [(1,), (4,), (7,)]


def test_known_shapes_of_a_call_serve_as_shape_dtype_structs():
    trace = traced(lambda x: x[1:])
    assert jax.eval_shape(lambda x: trace.call(x)[0], jax.ShapeDtypeStruct((4, 3), jnp.float32)).shape == (
        3,
        3,
    )


def test_each_none_is_a_symbol_of_its_own():
    trace = traced(lambda x, y: x[0] * y.sum(), [((None,), jnp.float32, False)] * 2)
    assert trace.call(jnp.ones(2), jnp.ones(5))[0] == 5


def test_leading_sizes_that_have_to_be_equal_share_a_symbol():
    trace = traced(lambda x, y: x + y, [((None,), jnp.float32, False)] * 2)
    assert [str(kind.shape[0]) for kind in trace.types] == ["n", "n"]
    assert trace.serves([(4,), (4,)])
    assert not trace.serves([(4,), (1,)])


def test_sizes_solve():
    types = symbolic_sizes.symbolic_types([((None, 3), jnp.float32, False), ((None,), jnp.float32, False)])
    assert symbolic_sizes.solve(types, [(4, 3), (2,)]) == {"n0_0": 4, "n1_0": 2}
    assert symbolic_sizes.solve(types, [(4, 2), (2,)]) is None
    assert symbolic_sizes.solve(types, [(4, 3, 1), (2,)]) is None


def test_a_size_of_zero_is_not_served():
    trace = traced(lambda x: x * 2)
    assert not trace.serves([(0, 3)])
    assert trace.serves([(1, 3)])


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="does not serve arrays of shapes"):
        traced(lambda x: x * 2).call(jnp.ones((2, 4)))


def test_a_size_that_a_library_compares_is_not_served():
    @al.do_not_convert
    def library(x):
        return x * 100 if x.shape[0] == 3 else x

    trace = traced(al.to_graph(lambda x: library(x) + 1))
    assert [trace.serves([(count, 3)]) for count in (2, 3, 4)] == [True, False, True]
    np.testing.assert_array_equal(trace.call(rows(4))[0], rows(4) + 1)


def test_what_jax_does_itself_is_no_assumption():
    assert traced(lambda x: jax.nn.softmax(jnp.sort(x, 0)) @ x.T + jnp.linalg.norm(x)).different == []


@pytest.mark.parametrize("a", [1, 2, 5, 4000])
def test_sizes_are_computed_as_python_computes_them(a):
    b = 7
    m, n = export.symbolic_shape("m, n")
    sizes = {"m": a, "n": b}
    dims = [m * m * m * n, 2 * m - 3 * n + 1, (m + n) // 3, (m - n) % 4, m // n, n - m // 2, (m * n) // 5 * 2]
    known = [
        a * a * a * b,
        2 * a - 3 * b + 1,
        (a + b) // 3,
        (a - b) % 4,
        a // b,
        b - a // 2,
        (a * b) // 5 * 2,
    ]
    assert [symbolic_shapes.size(dim, sizes) for dim in dims] == known
    assert symbolic_shapes.size(symbolic_comparisons.larger(m, n - 3), sizes) == max(a, b - 3)
    assert symbolic_shapes.size(symbolic_comparisons.smaller(m, n), sizes) == min(a, b)


def pairs_up(x):
    return x.reshape(-1, 2, 3).sum(0)


def test_where_a_size_has_to_be_known_the_line_is_named():
    with pytest.raises(symbolic_sizes.InconclusiveSize) as caught:
        traced(pairs_up)
    assert (caught.value.where.line, caught.value.where.function) == (
        pairs_up.__code__.co_firstlineno + 1,
        "pairs_up",
    )
    assert str(caught.value.error).startswith(
        "Cannot divide evenly the sizes of shapes (n0_0, 3) and (-1, 2, 3)."
    )


def test_a_trace_around_is_not_captured():
    def outer(y):
        with pytest.raises(symbolic_sizes.InconclusiveSize, match="A value of a trace around"):
            traced(lambda x: x + y)
        return y

    jax.grad(outer)(1.0)


def test_arrays_around_the_function_are_part_of_the_trace():
    known, host = jnp.arange(3.0), np.arange(3.0, dtype=np.float32)
    trace = traced(lambda x: x * known + host)
    np.testing.assert_array_equal(trace.call(rows(2))[0], rows(2) * known + host)


def test_a_size_that_the_trace_does_not_serve_has_a_trace_of_its_own():
    @al.do_not_convert
    def library(x):
        return x * 100 if x.shape[0] == 3 else x

    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        return library(x) + 1

    for size in (2, 3, 4, 3):
        np.testing.assert_array_equal(f(jnp.ones(size)), jnp.full(size, 101.0 if size == 3 else 2.0))


def test_sizes_that_were_taken_for_equal_and_differ_have_a_trace_of_their_own():
    vector = al.ArraySpec([None], jnp.float32)

    @al.convert(input_signature=[vector, vector])
    def f(x, y):
        return x + y

    for sizes in ((3, 3), (4, 4), (4, 1), (1, 2), (3, 3)):
        x, y = map(jnp.ones, sizes)
        np.testing.assert_array_equal(f(x, y), x + y)


MATRIX_AND_VECTOR = [al.ArraySpec([None, None], jnp.float32), al.ArraySpec([None], jnp.float32)]


def traces_for(f, calls, *specs):
    """How often `f` is traced for arrays of these shapes, each of which gives what Python gives."""
    fn = al.convert(f, input_signature=[al.ArraySpec(spec, jnp.float32) for spec in specs])
    for shapes in calls:
        arrays = [jnp.sin(jnp.arange(float(np.prod(shape)))).reshape(shape) for shape in shapes]
        np.testing.assert_allclose(fn(*arrays), f(*arrays), rtol=1e-4, atol=1e-6)
    return fn.trace_count


@pytest.mark.parametrize("first", [((2, 3), (3,)), ((3, 3), (3,))], ids=["different", "equal"])
def test_sizes_that_have_to_be_equal_share_a_symbol_where_a_call_has_them_equal(first):
    calls = [first, ((4, 5), (5,)), ((4, 4), (4,)), ((1, 7), (7,))]
    assert traces_for(lambda a, b: a @ b, calls, [None, None], [None]) == 1


def test_several_pairs_of_sizes_are_equal():
    calls = [((2, 3), (3, 4), (4,)), ((5, 6), (6, 7), (7,)), ((5, 5), (5, 5), (5,))]
    assert traces_for(lambda a, b, c: a @ b @ c, calls, [None, None], [None, None], [None]) == 1


def test_sizes_that_were_equal_by_chance_have_a_second_trace():
    calls = [((3, 3), (3, 3), (3,)), ((5, 6), (6, 7), (7,)), ((4, 5), (5, 6), (6,)), ((2, 2), (2, 2), (2,))]
    assert traces_for(lambda a, b, c: a @ b @ c, calls, [None, None], [None, None], [None]) == 2


def test_one_array_is_square():
    assert traces_for(lambda a: a @ a, [((n, n),) for n in (3, 4, 1)], [None, None]) == 1


def test_python_runs_once_where_a_size_is_wanted_whatever_is_equal():
    runs = []

    @al.do_not_convert
    def noted(x):
        runs.append(x.shape)
        return float(x.shape[0])

    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)] * 3)
    def f(x, y, z):
        return x * noted(x)

    with pytest.warns(al.SymbolicSizeWarning):
        f(jnp.ones(3), jnp.ones(3), jnp.ones(3))
    assert len(runs) <= 3  # all apart, all as one, and with the known size


def test_shapes_that_do_not_fit_are_the_users_error_at_each_call():
    f = al.convert(lambda a, b: a @ b, input_signature=MATRIX_AND_VECTOR)
    for _ in range(2):
        with pytest.raises(TypeError, match="contracting dimensions"):
            f(jnp.ones((2, 3)), jnp.ones(4))
    assert f(jnp.ones((2, 3)), jnp.ones(3)).shape == (2,)
    assert f(jnp.ones((3, 4)), jnp.ones(4)).shape == (3,)
    assert f.trace_count == 1


def test_a_matrix_by_a_vector_of_any_sizes_is_saved(tmp_path):
    f = al.convert(lambda a, b: a @ b, input_signature=MATRIX_AND_VECTOR)
    al.save(tmp_path / "f.zip", f)
    loaded = al.load(tmp_path / "f.zip")
    assert [loaded(jnp.ones(shape), jnp.ones(shape[1])).tolist() for shape in ((2, 3), (3, 5))] == [
        [3, 3],
        [5, 5, 5],
    ]


def test_sizes_that_are_returned_are_those_of_the_call():
    traces = []

    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        traces.append(1)
        return {"shape": x.shape, "twice": 2 * x.shape[0], "name": "f"}

    found = [jax.tree.map(int, {k: v for k, v in f(jnp.ones(n)).items() if k != "name"}) for n in (3, 4)]
    assert found == [{"shape": (3,), "twice": 6}, {"shape": (4,), "twice": 8}]
    assert traces == [1]


def test_sizes_that_are_kept_in_objects_are_those_of_each_call():
    kept = {"last": None}
    seen = []

    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        kept["last"] = x.shape[0]
        seen.append(x.shape)
        return x

    for size in (3, 4, 3):
        f(jnp.ones(size))
        assert int(kept["last"]) == size
    assert [int(size) for (size,) in seen] == [3, 4, 3]


@pytest.mark.filterwarnings("ignore::autograph_lite.SymbolicSizeWarning")
def test_a_function_that_is_returned_has_the_size_of_its_call():
    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        size = x.shape[0]
        return lambda: size

    assert [f(jnp.ones(size))() for size in (3, 4, 3)] == [3, 4, 3]


def test_a_size_that_is_returned_is_saved(tmp_path):
    al.save(tmp_path / "f.zip", al.convert(lambda x: x.shape), (al.ArraySpec([None], jnp.float32),))
    loaded = al.load(tmp_path / "f.zip")
    assert [int(loaded(jnp.ones(size))[0]) for size in (3, 4)] == [3, 4]


@dataclasses.dataclass(frozen=True)
class Key:
    sizes: tuple[int, ...]


def test_a_cache_of_jax_that_compares_its_keys_decides_nothing():
    # Which keys a cache compares hangs on their hashes, and so on the process.
    inside = {}
    exec(compile("def same(a, b):\n    return a == b\n", jax.__file__, "exec"), inside)

    def f(x):
        inside["same"](Key(x.shape), Key((4, 3)))
        return x

    assert traced(f).serves([(4, 3)])


def test_a_library_that_compares_dataclasses_has_decided():
    def f(x):
        return x if Key(x.shape) == Key((4, 3)) else x + 1

    assert not traced(f).serves([(4, 3)])
    assert traced(f).serves([(5, 3)])
