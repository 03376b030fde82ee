"""Are callees converted, and their mutations kept, whoever calls them: Python, a library, or JAX?"""

from __future__ import annotations

import colorsys
import functools
import heapq
import operator
import runpy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.operators.agreement import agree


def relu(x):
    return x if x > 0 else 0.0 * x


def test_a_library_function_changes_a_list_in_one_branch_only():
    def f(x):
        heap = [1, 5, 2]
        if x > 0:
            heapq.heapreplace(heap, 9)
        return heap

    agree(f, 3.0, -3.0)


def test_operator_setitem_in_one_branch_only():
    def f(x):
        values = [1.0, 2.0]
        if x > 0:
            operator.setitem(values, 0, x)
        return values

    agree(f, 3.0, -3.0)


def test_single_dispatch_calls_converted_implementations():
    @functools.singledispatch
    def size(value):
        return 0.0

    @size.register
    def _(value: list):
        return value[0] * 2 if value[0] > 0 else 1.0

    agree(lambda x: (size([x]), size("text")), 3.0, -3.0)


def test_single_dispatch_takes_a_traced_value_for_an_array():
    @functools.singledispatch
    def kind(value):
        return "another"

    @kind.register
    def _(value: jax.Array):
        return "an array"

    @kind.register
    def _(value: int):
        return "an int"

    class Kinds:
        @functools.singledispatchmethod
        def of(self, value):
            return "another"

        @of.register
        def _(self, value: jax.Array):
            return "an array"

    kinds = Kinds()

    def f(x):
        return kind(x), kind([x]), kind(3), kinds.of(x), kinds.of("text")

    assert al.convert(f)(jnp.float32(3)) == f(jnp.float32(3))


def test_a_function_of_single_dispatch_is_converted_itself():
    @functools.singledispatch
    def lowered(value):
        return value

    @lowered.register
    def _(value: jax.Array):
        while value > 2:
            value = value - 1
        return value

    converted = al.convert(lowered)
    assert [float(f(jnp.float32(7.5))) for f in (lowered, converted, al.to_graph(lowered))] == [1.5] * 3
    assert float(jax.jit(al.to_graph(lowered))(jnp.float32(7.5))) == 1.5
    assert converted("text") == "text"


def test_single_dispatch_takes_a_symbolic_size_for_an_int():
    @functools.singledispatch
    def size(value):
        return 0

    size.register(int)(lambda value: value + 1)

    @al.convert(input_signature=[al.ArraySpec([None], jnp.float32)])
    def f(x):
        return size(x.shape[0])

    assert [int(f(jnp.ones(n))) for n in (3, 5)] == [4, 6]


def test_single_dispatch_keeps_what_is_registered_for_tracers():
    @functools.singledispatch
    def kind(value):
        return "known"

    kind.register(jax.Array)(lambda value: "an array")
    kind.register(jax.core.Tracer)(lambda value: "traced")

    assert al.convert(lambda x: kind(x))(jnp.float32(3)) == "traced"


def test_jitted_callee_with_a_static_argument():
    @functools.partial(jax.jit, static_argnames="n")
    def doubled(x, n):
        for i in range(n):
            if x > i:
                x = x * 2
        return x

    def f(x):
        return doubled(x, n=3)

    assert float(al.convert(f)(jnp.float32(3))) == 24.0
    assert float(al.convert(f)(jnp.float32(-3))) == -3.0


@pytest.mark.parametrize("value", [3.0, -3.0])
def test_custom_jvp_callee_is_converted_with_its_rule(value):
    @jax.custom_jvp
    def g(x):
        return x * 2 if x > 0 else x

    @g.defjvp
    def _(primals, tangents):
        (x,), (t,) = primals, tangents
        return g(x), t * 10 if x > 0 else t * 5

    def f(x):
        return jax.value_and_grad(g)(x)

    assert tuple(map(float, al.convert(f)(jnp.float32(value)))) == ((6.0, 10.0) if value > 0 else (-3.0, 5.0))


@pytest.mark.parametrize("value", [3.0, -3.0])
def test_custom_vjp_callee_is_converted_with_its_rules(value):
    @jax.custom_vjp
    def g(x):
        return x * 2 if x > 0 else x

    def forward(x):
        return g(x), x

    def backward(x, cotangent):
        return (cotangent * 10,) if x > 0 else (cotangent * 5,)

    g.defvjp(forward, backward)

    def f(x):
        return jax.value_and_grad(g)(x)

    assert tuple(map(float, al.convert(f)(jnp.float32(value)))) == ((6.0, 10.0) if value > 0 else (-3.0, 5.0))


def test_callbacks_of_jax_are_converted():
    def f(x):
        mapped = jax.vmap(lambda v: v if v > 0 else -v)(jnp.stack([x, -2 * x]))
        last, _ = jax.lax.scan(lambda c, v: (c + v if v > c else c, v), 0.0, mapped)
        tree = jax.tree.map(relu, {"a": x, "b": (-x,)})
        return mapped, last, tree

    for value in (3.0, -3.0):
        last = 0.0
        for v in (3.0, 6.0):
            last = last + v if v > last else last
        got = al.convert(f)(jnp.float32(value))
        np.testing.assert_allclose(got[0], [3.0, 6.0])
        assert (float(got[1]), float(got[2]["a"])) == (last, relu(value))


def test_an_array_of_an_enclosing_function_is_not_changed_in_silence():
    table = np.zeros(3, np.float32)

    def f(x):
        if x > 0:
            table[0] = 1.0
        return x

    with pytest.raises(MutationError):
        jax.jit(al.to_graph(f))(jnp.float32(3))
    assert table.tolist() == [0, 0, 0]
    for run, x in ((al.to_graph(f), 3.0), (al.convert(f), jnp.float32(3))):
        table[:] = 0
        run(x)
        assert table.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    "path", ["numpy_foo.py", "mock.py", "jax/numpy.py", "autograph_lite_own.py", "site-packages/package.py"]
)
def test_a_file_of_the_users_is_converted_whatever_it_is_called(path, tmp_path):
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text("def relu(x):\n    return x if x > 0 else 0.0 * x\n")
    module = runpy.run_path(str(file), run_name=f"numpy.{file.stem}")

    agree(lambda x: module["relu"](x), 3.0, -3.0)


def test_a_file_of_the_standard_library_is_not_converted():
    @al.convert
    def f(x):
        return colorsys.rgb_to_hsv(x, 0.2, 0.3)

    with pytest.raises(al.PythonOnlyError, match=r"return colorsys.rgb_to_hsv\(x, 0.2, 0.3\)"):
        f(jnp.float32(0.1))


@jax.vmap
def of_a_row(r):
    return r if r > 0 else r * 0


def loss(x):
    return x * x if x > 0 else -x


gradient, both, saved = jax.grad(loss), jax.value_and_grad(loss), jax.checkpoint(loss)


class Scaled:
    limit = 1.0

    @functools.partial(jax.jit, static_argnums=0)
    def compiled(self, x):
        return x if x > self.limit else -x

    @functools.partial(jax.vmap, in_axes=(None, 0))
    def mapped(self, x):
        return x if x > self.limit else -x


scaled = Scaled()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: of_a_row(jnp.stack([x, -x])), [2.0, 0.0]),
        (lambda x: gradient(x), 4.0),
        (lambda x: both(x), (4.0, 4.0)),
        (lambda x: saved(x), 4.0),
        (lambda x: scaled.compiled(x), 2.0),
        (lambda x: scaled.mapped(jnp.stack([x, -x])), [2.0, 1.0 * 2.0]),
    ],
    ids=["vmap", "grad", "value_and_grad", "checkpoint", "method under jit", "method under vmap"],
)
def test_a_transformation_made_outside_of_converted_code(function, expected):
    for run in (al.convert(function), jax.jit(al.to_graph(function)), al.to_graph(function)):
        found = run(jnp.float32(2))
        assert jax.tree.map(lambda leaf: leaf.tolist(), found) == expected


def test_a_transformation_is_converted_itself():
    assert al.convert(jax.vmap(loss))(jnp.array([2.0, -3.0])).tolist() == [4.0, 3.0]
    assert float(al.convert(jax.grad(loss))(jnp.float32(-3))) == -1.0


def test_a_return_from_a_loop_in_an_inner_function_gives_no_placeholder():
    def f(a):
        def first(v):
            for i in range(a % 3, 6, 2):
                return i
            return v

        return first(1) <= 5, first(first(2)) + 1

    for a in (0, 1, 5):
        assert tuple(map(int, jax.jit(al.to_graph(f))(a))) == tuple(map(int, f(a)))
