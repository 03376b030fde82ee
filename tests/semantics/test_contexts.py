"""What of the place that a call is made from: another converted function, JAX's configuration, a transformation?"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, TensorArray, Variable

from .probe import C, Probe, echo, ran, runs, shaped
from .rows import deviates

INLINED = "a converted function that is called inside a trace is part of that trace: one program, which XLA optimises as one"


def twice(x):
    ran()
    return x * 2


@deviates("the inner function has its own trace for calls from outside: 0, 1, 1", why=INLINED)
def test_R119_a_function_that_is_called_from_another_and_from_outside() -> None:
    inner = autograph_lite.convert(twice)
    outer, direct = Probe(lambda x: inner(x) + 1), Probe(inner)

    assert (outer(C(1)), outer.value, direct.counts) == ("1/1", 3, "0/1")
    assert (direct(C(1)), direct.value) == ("1/2", 2)
    assert (outer(C(1.0)), direct.counts) == ("2/3", "1/3")


@deviates(
    "the outer trace of any size does not serve the inner function's own calls: 1, 1, and 1 of its own",
    why=INLINED,
)
def test_R120_an_inner_function_gets_a_size_that_is_open() -> None:
    inner = autograph_lite.convert(twice)
    outer, direct = Probe(lambda x: inner(x), input_signature=[ArraySpec([None], "float32")]), Probe(inner)

    assert (outer(shaped(3)), outer.value.shape) == ("1/1", (3,))
    assert (outer(shaped(4)), outer.value.shape) == ("1/1", (4,))
    assert direct(shaped(3)) == "1/2"


@deviates("1, 2, 2: the default device is in the key", why="JAX has it among what its programs depend on")
def test_R121_the_default_device() -> None:
    f = Probe(echo)

    assert f(C(1)) == "1/1"
    with jax.default_device(jax.devices("cpu")[0]):
        assert (f(C(1)), f.value) == ("2/2", 1)
    assert f(C(1)) == "2/2"


@pytest.fixture
def mesh() -> Iterator[jax.sharding.Mesh]:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("rows",))
    with jax.set_mesh(mesh):
        yield mesh


@deviates("a mesh is what takes the place of a strategy: 1, 2, 2", why="JAX traces under a mesh")
def test_R122_a_mesh() -> None:
    f = Probe(echo)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("rows",))

    f(shaped(2))
    with jax.set_mesh(mesh):
        f(shaped(2))
        assert (f.function.trace_count, f.value.tolist()) == (2, [1, 1])
    f(shaped(2))
    assert f.function.trace_count == 2


def test_64_bits_are_another_trace_with_the_right_answer() -> None:
    f = Probe(lambda x: (ran(), x + jnp.asarray(np.float64(1e-12)))[1])

    assert (f(np.float32(1)), f.value.dtype) == ("1/1", "float32")
    with jax.enable_x64(True):
        assert (f(np.float32(1)), f.value.dtype) == ("2/2", "float64")
        assert float(f.value) == 1 + 1e-12
        assert (f(np.float64(1)), f.value.dtype) == ("3/3", "float64")
    assert (f(np.float32(1)), f.value.dtype) == ("3/3", "float32")


def test_the_precision_of_products_is_another_trace() -> None:
    f, x = Probe(lambda x: (ran(), x @ x)[1]), shaped(2, 2)

    assert f(x) == "1/1"
    with jax.default_matmul_precision("float32"):
        assert (f(x), f.value.tolist()) == ("2/2", [[2, 2], [2, 2]])
    assert f(x) == "2/2"


@deviates(
    "inside of somebody else's `jax.jit` it is traced into that program: 1, 2, 3, 3",
    why="JAX has traces for graphs",
)
def test_R123_inside_of_another_trace() -> None:
    f = Probe(twice)

    assert f(C(1)) == "1/1"
    assert jax.jit(lambda x: f.function(x))(C(1)) == 2
    assert runs() == 2
    assert jax.jit(lambda x: f.function(x) + 1)(C(1)) == 3
    assert (f(C(2)), f.value) == (f.counts, 4)
    assert len(f.function.concrete_functions) == 1


def test_R124_running_eagerly() -> None:
    f = Probe(echo)

    assert f(C(1)) == "1/1"
    autograph_lite.run_functions_eagerly(True)
    try:
        assert f(C(1)) == "1/2"
        assert (f(C(2)), f.value) == ("1/3", 2)
    finally:
        autograph_lite.run_functions_eagerly(False)
    assert f.counts == "1/3"
    assert f(C(1)) == "1/3"


@deviates(
    "what is not converted is `jax.jit`: conversion of code without staged statements changes nothing",
    why="one way to do it",
)
def test_R127_a_function_that_excludes_itself() -> None:
    f = Probe(autograph_lite.do_not_convert(twice))

    assert f(C(1)) == "1/1"
    assert (f(C(2)), f.value) == ("1/1", 4)


@deviates(
    "the gradient is a trace of its own: 1, 2 runs, 2 runs", why="JAX differentiates what it traces, once"
)
def test_R128_a_gradient() -> None:
    f = Probe(lambda x: (ran(), x * x)[1])
    gradient = jax.jit(jax.grad(f.function))

    assert f(C(3.0)) == "1/1"
    assert (gradient(C(3.0)), runs()) == (6.0, 2)
    assert (gradient(C(4.0)), runs()) == (8.0, 2)
    assert f(C(3.0)) == f.counts


def test_R152_a_call_from_a_function_that_is_not_converted() -> None:
    f = Probe(twice)
    caller = autograph_lite.do_not_convert(lambda x: f(x))

    assert f(C(1)) == "1/1"
    assert caller(C(1)) == "1/1"


@deviates("it is traced once more, into that program", why="XLA compiles a program as a whole")
def test_R153_a_call_from_inside_of_a_compiled_function() -> None:
    f = Probe(twice)

    assert f(C(1)) == "1/1"
    assert jax.jit(f.function)(C(1)) == 2
    assert (runs(), len(f.function.concrete_functions)) == (2, 1)


def test_R154_init_scope_leaves_the_trace() -> None:
    inner = autograph_lite.convert(lambda: (ran("inner"), jnp.int32(1))[1])

    def body(x):
        ran()
        with autograph_lite.init_scope():
            inner()
        return x

    f = Probe(body)

    assert f(C(1)) == "1/1"
    assert (f(C(2)), f.value) == ("1/1", 2)
    assert (inner.trace_count, runs("inner")) == (1, 1)


@deviates(
    "`from_slices` is a pytree of arrays: another with the same types uses the trace; a mapped one is mapped arrays",
    why="there is no dataset in JAX",
)
def test_R47_data_to_iterate_over() -> None:
    def total(data):
        ran()
        sum_ = jnp.int32(0)
        for item in data:
            sum_ = sum_ + item
        return sum_

    f = Probe(total)

    assert (f(autograph_lite.from_slices(C([1, 2]))), f.value) == ("1/1", 3)
    assert (f(autograph_lite.from_slices(C([3, 4]))), f.value) == ("1/1", 7)
    assert f(autograph_lite.from_slices(C([1, 2, 3]))) == "2/2"


@deviates(
    "1, 1, 2: it is a pytree of its array and length",
    why="an array is told by its type, and not by which one it is",
)
def test_R146_an_array_of_elements() -> None:
    f = Probe(lambda items: (ran(), items.stack())[1])

    def filled(size: int) -> TensorArray:
        items = TensorArray("int32", size=size)
        for n in range(size):
            items = items.write(n, C(n))
        return items

    assert (f(filled(2)), f.value.tolist()) == ("1/1", [0, 1])
    assert f(filled(2)) == "1/1"
    assert (f(filled(3)), f.value.tolist()) == ("2/2", [0, 1, 2])


def test_R93_too_many_traces_give_a_warning() -> None:
    f = autograph_lite.convert(lambda n: n)

    with pytest.warns(autograph_lite.RetraceWarning) as caught:
        for n in range(12):
            f(n)

    assert len(caught) == 2


def test_a_variable_of_one_mesh_is_that_of_all(mesh: jax.sharding.Mesh) -> None:
    v = Variable([1.0, 2.0])
    f = Probe(lambda x: (ran(), v.assign_add(x).value)[1])

    f(shaped(2))
    f(shaped(2))

    assert (f.function.trace_count, v.value.tolist()) == (1, [3.0, 4.0])


def test_a_function_that_is_excluded_after_it_was_called_is_no_longer_converted() -> None:
    def step(x):
        return x + 1 if x > 0 else x

    run = autograph_lite.to_graph(lambda x: step(x))
    assert float(jax.jit(run)(1.0)) == 2
    autograph_lite.do_not_convert(step)
    with pytest.raises(autograph_lite.PythonOnlyError):
        jax.jit(lambda x: run(x))(1.0)  # of its own: JAX remembers the traces of functions that it has seen


def test_a_function_that_is_given_other_code_after_it_was_called_is_converted_anew() -> None:
    def step(x):
        return x + 1 if x > 0 else x

    def other(x):
        return x + 20 if x > 0 else x

    run = autograph_lite.to_graph(lambda x: step(x))
    assert float(jax.jit(run)(1.0)) == 2
    step.__code__ = other.__code__
    assert float(jax.jit(lambda x: run(x))(1.0)) == 21
