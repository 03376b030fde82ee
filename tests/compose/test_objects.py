"""Is a converted function an object as Python's functions are: bound, wrapped, hashed, kept and passed on?"""

from __future__ import annotations

import functools
import gc
import importlib.util
import inspect
import pydoc
import sys
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import Function, Variable, convert
from autograph_lite.runtime.types.object_type import ObjectType


def relu(x: float, slope: float = 0.0) -> float:
    """The positive part."""
    if x < 0:
        x = x * slope
    return x


NEGATIVE = jnp.float32(-2)


def test_it_looks_like_the_function():
    f = convert(relu)
    assert inspect.signature(f) == inspect.signature(relu)
    assert (f.__name__, f.__qualname__, f.__doc__) == (relu.__name__, relu.__qualname__, relu.__doc__)
    assert (f.__module__, f.__annotations__, f.__wrapped__) == (relu.__module__, relu.__annotations__, relu)
    assert inspect.unwrap(f) is relu
    assert callable(f)


def test_a_bound_method_has_the_annotations_of_the_method():
    class Model:
        @convert
        def step(self, x: int) -> float:
            return x

        def plain(self, x: int) -> float: ...

    assert Model().step.__annotations__ == Model().plain.__annotations__
    assert inspect.signature(Model().step) == inspect.signature(Model().plain)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are lazy since 3.14")
def test_annotations_may_name_what_is_not_there_yet(tmp_path):
    path = tmp_path / "lazily_annotated.py"
    path.write_text(LAZY)
    tree = vars(loaded(path))["Tree"](jnp.float32(2))
    assert tree.joined(tree).value == 4
    assert tree.depth(jnp.int32(3)) == 0
    assert tree.joined.__annotations__ == {"other": type(tree), "return": type(tree)}
    assert inspect.signature(tree.joined) == inspect.signature(tree.plain)


LAZY = """
import jax

from autograph_lite import convert, to_graph


class Tree:
    def __init__(self, value):
        self.value = value

    @convert
    def joined(self, other: Tree) -> Tree:
        return Tree(self.value + other.value if self.value > 0 else self.value)

    def plain(self, other: Tree) -> Tree: ...

    @convert(reduce_retracing=True)
    def depth(self, n: Unknown) -> Unknown:
        def down(n: Unknown) -> Unknown:
            return n if n <= 0 else down(n - 1)

        return down(n)


jax.tree_util.register_pytree_node(Tree, lambda tree: ((tree.value,), None), lambda _, value: Tree(*value))
"""


def loaded(path):
    """What a file defines."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_help_tells_of_it():
    assert "The positive part." in pydoc.render_doc(convert(relu), renderer=pydoc.plaintext)


def test_help_of_a_class_tells_of_its_methods():
    class Model:
        @convert
        def step(self, x):
            """Goes on."""
            return x

    assert "Goes on." in pydoc.render_doc(Model, renderer=pydoc.plaintext)


def test_it_is_equal_to_itself_alone():
    f, g = convert(relu), convert(relu)
    assert f == f and f != g
    assert hash(f) == hash(f)
    assert {f: 1, g: 2}[f] == 1


def test_it_may_be_referenced_weakly():
    f = convert(relu)
    reference = weakref.ref(f)
    assert reference() is f
    f(NEGATIVE)
    del f
    gc.collect()
    assert reference() is None


def test_an_attribute_may_be_set():
    f = convert(relu)
    f.note = 3
    assert f.note == 3


def test_it_is_an_argument_of_another():
    @convert
    def twice(g, x):
        if x > 0:
            x = x + 1
        return g(g(x))

    @convert
    def double(x):
        return x * 2

    half = convert(lambda x: x / 2)
    assert [twice(double, jnp.float32(1)), twice(half, jnp.float32(1)), twice(double, jnp.float32(3))] == [
        8,
        0.5,
        16,
    ]
    assert twice.trace_count == 2


def test_a_dead_one_frees_the_trace_that_it_was_an_argument_of():
    @convert
    def twice(g, x):
        return g(g(x))

    g = convert(lambda x: x / 2)
    assert twice(g, jnp.float32(1)) == 0.25
    reference = weakref.ref(g)
    del g
    gc.collect()
    assert reference() is None
    assert len(twice.concrete_functions) == 0


def test_it_is_a_default_argument():
    double = convert(lambda x: x * 2)

    @convert
    def f(x, g=double):
        if x > 0:
            return g(x)
        return x

    assert f(jnp.float32(3)) == 6
    assert f(jnp.float32(3), double) == 6
    assert f.trace_count == 1


def test_it_is_an_attribute_of_an_object_and_an_item_of_a_list():
    double = convert(lambda x: x * 2)

    class Holder:
        fn = double

        def __init__(self):
            self.own = double

    holder, several = Holder(), [double, convert(lambda x: x + 1)]

    @convert
    def f(x):
        for g in several:
            x = g(x)
        return holder.own(x)

    assert f(jnp.float32(3)) == 14


def test_nested_ones_are_one_program():
    @convert
    def inner(x):
        if x > 0:
            return x * 2
        return x

    @convert
    def outer(x):
        total = x
        for _ in range(x.astype(int)):
            total = inner(total)
        return total

    assert outer(jnp.float32(3)) == 24
    assert outer(jnp.float32(2)) == 8
    assert outer.trace_count == 1
    assert inner.trace_count == 0
    assert inner(jnp.float32(1)) == 2
    assert inner.trace_count == 1


def test_nested_ones_share_a_variable():
    count = Variable(0)

    @convert
    def step(x):
        count.assign_add(1)
        return x + count

    @convert
    def steps(x):
        for _ in range(3):
            x = step(x)
        return x

    assert steps(jnp.int32(0)) == 6
    assert step(jnp.int32(0)) == 4
    assert steps(jnp.int32(0)) == 18
    assert int(count) == 7


def test_partial_of_it():
    f = convert(relu)
    leaky = functools.partial(f, slope=0.5)
    assert leaky(NEGATIVE) == -1
    assert functools.partial(f, NEGATIVE)() == 0
    assert f(NEGATIVE, slope=0.5) == -1
    assert f.trace_count == 2
    assert jax.jit(leaky)(NEGATIVE) == -1
    assert jax.grad(leaky)(-2.0) == 0.5


def test_it_of_a_partial():
    leaky = convert(functools.partial(relu, slope=0.5))
    assert leaky(NEGATIVE) == -1
    assert leaky(NEGATIVE, slope=0.25) == -0.5
    assert leaky.trace_count == 2
    assert list(inspect.signature(leaky).parameters) == ["x", "slope"]


def test_a_partial_of_it_is_an_argument():
    f = convert(relu)

    @convert
    def apply(g, x):
        return g(x) + 1

    assert apply(functools.partial(f, slope=0.5), NEGATIVE) == 0
    assert apply(functools.partial(f, slope=0.25), NEGATIVE) == 0.5


def test_a_partialmethod_of_it():
    class Model:
        @convert
        def scaled(self, x, by):
            return x * by

        double = functools.partialmethod(scaled, by=2)

    assert Model().double(jnp.float32(3)) == 6


def test_a_singledispatch_chooses_it():
    @functools.singledispatch
    def name(x):
        return "other"

    name.register(int)(convert(lambda x: "int"))
    assert (name(3), name("text")) == ("int", "other")


def test_a_cache_around_it():
    f = convert(relu)
    cached = functools.lru_cache(f)
    assert [cached(-2.0), cached(-2.0), cached(3.0)] == [0, 0, 3]
    assert (cached.cache_info().hits, f.trace_count) == (1, 2)


def test_it_around_a_cache():
    runs = []

    @functools.lru_cache
    def table(n):
        runs.append(n)
        return np.arange(n)

    @convert
    def f(x, n):
        return x + table(n)

    assert f(jnp.int32(1), 3).tolist() == [1, 2, 3]
    assert f(jnp.float32(1), 3).tolist() == [1, 2, 3]
    assert runs == [3]


def test_builtins_take_it():
    f = convert(relu)
    assert list(map(f, [-1.0, 2.0])) == [0, 2]
    assert max([1.0, -3.0], key=convert(lambda x: x * x)) == -3
    assert functools.reduce(convert(lambda x, y: x + y), [jnp.float32(1), jnp.float32(2)]) == 3


class Counter:
    scale = 3.0

    def __init__(self, start):
        self.count = Variable(start)

    @convert
    def step(self, x):
        self.count.assign_add(1.0)
        if x > 0:
            return x * self.count
        return x

    @convert
    @classmethod
    def scaled(cls, x):
        return x * cls.scale

    @classmethod
    @convert
    def scaled_outside(cls, x):
        return x * cls.scale

    @convert
    @staticmethod
    def doubled(x):
        return x * 2

    @staticmethod
    @convert
    def doubled_outside(x):
        return x * 2

    @convert
    @property
    def square(self):
        return self.count * self.count

    @property
    @convert
    def cube(self):
        return self.count * self.count * self.count

    @functools.cached_property
    def half(self):
        return convert(lambda x: x / 2)

    @convert
    def __call__(self, x):
        return x + self.count

    @convert
    def __add__(self, other):
        return self.count + other


class Doubled(Counter):
    scale = 6.0

    @convert
    def step(self, x):
        return super().step(x) * 2


def test_a_method_keeps_the_state_of_its_instance():
    one, other = Counter(0.0), Counter(10.0)
    assert [one.step(jnp.float32(2)), one.step(jnp.float32(2)), other.step(jnp.float32(2))] == [2, 4, 22]
    assert (float(one.count), float(other.count)) == (2, 11)
    assert Counter.step(one, jnp.float32(2)) == 6


def test_a_method_of_a_base_class_is_called_by_super():
    counter = Doubled(0.0)
    assert [counter.step(jnp.float32(2)), counter.step(jnp.float32(2))] == [4, 8]


def test_a_method_is_the_same_at_each_access():
    one, other = Counter(0.0), Counter(0.0)
    assert one.step == one.step and hash(one.step) == hash(one.step)
    assert one.step != other.step
    assert one.step.__self__ is one
    assert one.step.__func__ is Counter.step
    assert inspect.signature(one.step) == inspect.signature(lambda x: x)
    assert isinstance(Counter.step, Function)


def test_class_and_static_methods():
    x = jnp.float32(2)
    assert [Counter.scaled(x), Counter(0.0).scaled(x), Doubled.scaled(x)] == [6, 6, 12]
    assert [Counter.scaled_outside(x), Counter(0.0).scaled_outside(x), Doubled.scaled_outside(x)] == [
        6,
        6,
        12,
    ]
    assert [Counter.doubled(x), Counter(0.0).doubled_outside(x)] == [4, 4]


def test_properties():
    counter = Counter(3.0)
    assert (counter.square, counter.cube) == (9, 27)
    counter.count.assign(2.0)
    assert (counter.square, counter.cube) == (4, 8)
    assert counter.half(jnp.float32(2)) == 1


def test_methods_that_python_calls():
    counter = Counter(3.0)
    assert counter(jnp.float32(1)) == 4
    assert counter + jnp.float32(1) == 4
    assert list(map(counter.step, [jnp.float32(1)])) == [4]


def test_a_method_is_an_argument_of_another_function():
    @convert
    def apply(g, x):
        return g(x)

    one, other = Counter(0.0), Counter(10.0)
    x = jnp.float32(2)
    assert [apply(one.step, x), apply(one.step, x), apply(other.step, x), apply(one.step, x)] == [2, 4, 22, 6]
    assert apply.trace_count == 2
    assert len({hash(ObjectType(one.step)) for _ in range(9)}) == 1
    del one
    gc.collect()
    assert len(apply.concrete_functions) == 1


def test_a_method_under_transformations():
    counter = Counter(3.0)
    assert jax.grad(counter)(1.0) == 1
    assert jax.vmap(counter)(jnp.arange(2.0)).tolist() == [3, 4]
    assert jax.jit(counter)(1.0) == 4


def test_methods_of_objects_that_are_gone_are_gone():
    counter = Counter(0.0)
    counter.step(jnp.float32(2))
    reference = weakref.ref(counter)
    del counter
    gc.collect()
    assert reference() is None


def test_a_closure_made_in_a_loop_is_its_own():
    functions = [convert(lambda x, n=n: x * n) for n in range(3)]
    assert [f(jnp.int32(2)) for f in functions] == [0, 2, 4]


def test_a_function_that_makes_one():
    @convert
    def outer(x):
        @convert
        def inner(y):
            if y > x:
                return y
            return x

        return inner(x * 2) + inner(x / 2)

    assert outer(jnp.float32(2)) == 6
    assert jax.grad(outer)(2.0) == 3
