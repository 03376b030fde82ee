"""Is `obj.method(x)`, of an object that is a structure, what `convert(Class.method)(obj, x)` is?"""

from __future__ import annotations

import copy
import dataclasses
import functools
import gc
import inspect
import pickle
import threading
import typing
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, Variable, convert

X = np.arange(3, dtype=np.float32)


def scaled(self, x):
    """The method of all classes here."""
    return x * self.w if x.sum() > 0 else -x * self.w


def _dataclass(**options: Any) -> Any:
    return dataclasses.make_dataclass(
        "Scale", ["w", ("n", int, 3)], namespace={"__call__": convert(scaled)}, **options
    )


def _registered() -> Any:
    class Scale:
        def __init__(self, w: Any) -> None:
            self.w = w

        __call__ = convert(scaled)

    to = (lambda node: ((node.w,), None)), (lambda _, parts: Scale(*parts))
    jax.tree_util.register_pytree_node(Scale, *to)
    return Scale


def _registered_dataclass() -> Any:
    return jax.tree_util.register_dataclass(_dataclass(), ["w"], ["n"])


def _named_tuple() -> Any:
    made = typing.NamedTuple("Scale", [("w", Any)])
    return type("Scale", (made,), {"__call__": convert(scaled), "__slots__": ()})


KINDS = {
    "dataclass": _dataclass,
    "frozen": functools.partial(_dataclass, frozen=True),
    "slots": functools.partial(_dataclass, slots=True),
    "unequal": functools.partial(_dataclass, eq=False),
    "registered": _registered,
    "registered dataclass": _registered_dataclass,
    "named tuple": _named_tuple,
}


@pytest.mark.parametrize("kind", KINDS)
def test_new_arrays_are_seen_and_equal_structures_share_a_trace(kind: str) -> None:
    Scale = KINDS[kind]()
    for k in (1.0, 2.0, 3.0):
        scale = Scale(jnp.float32(k))
        assert scale(X).tolist() == (X * k).tolist()
        assert Scale.__call__(scale, X).tolist() == (X * k).tolist()
        if kind not in ("frozen", "named tuple"):
            scale.w = jnp.float32(10 * k)
            assert scale(X).tolist() == (X * 10 * k).tolist()
    assert (scale.__call__.trace_count, Scale.__call__.trace_count) == (1, 1)


@dataclasses.dataclass
class Model:
    w: Any
    gain: float = 2.0
    log: list[Any] = dataclasses.field(default_factory=list)

    @convert
    def read(self, x):
        return x * self.w * self.gain

    @convert
    def twice(self, x):
        return self.read(x) + self.read(x)

    @convert
    def train(self, x):
        self.w = self.w - x
        self.log.append(self.w)
        return self.w

    @convert
    def fails(self, x):
        self.w = self.w - x
        assert x < 0, "positive"
        return x

    @property
    @convert
    def double(self):
        return 2 * self.w

    @classmethod
    @convert
    def name_and(cls, x):
        return cls.__name__, x + 1

    halved = functools.partialmethod(read, np.float32(0.5))

    @convert(input_signature=[ArraySpec([None], jnp.float32)])
    def add(self, x):
        return x + self.w

    @convert(reduce_retracing=True)
    def total(self, x):
        return self.w.sum() + x.sum()


class Sub(Model):
    @convert
    def read(self, x):
        return super().read(x) + 100


@pytest.fixture(autouse=True)
def fresh() -> None:
    for function in vars(Model).values():
        if isinstance(function, autograph_lite.Function):
            function.clear_cache()


def test_a_field_that_is_a_python_value_is_a_literal() -> None:
    model, before = Model(jnp.float32(3)), Model.read.trace_count
    assert model.read(X)[1] == 6
    model.gain = 5.0
    assert model.read(X)[1] == 15
    model.gain = 2.0
    assert model.read(X)[1] == 6
    assert Model.read.trace_count == before + 2


def test_a_bound_method_that_is_kept_reads_its_instance_at_each_call() -> None:
    model = Model(jnp.float32(3))
    read = model.read
    assert read(X)[1] == 6
    model.w = jnp.float32(4)
    assert read(X)[1] == 8
    assert (read == model.read, read == Model(jnp.float32(4)).read) == (True, False)
    assert hash(read) == hash(model.read)


def test_what_a_method_writes_is_in_the_instance() -> None:
    model, before = Model(jnp.float32(3), log=[1]), Model.train.trace_count
    items, log = [float(model.train(jnp.float32(1))) for _ in range(2)], model.log
    assert (items, float(model.w), log) == ([2, 1], 1, [1, 2, 1])
    other = Model(jnp.float32(7), log=[1])
    assert (float(other.train(jnp.float32(1))), other.log, float(model.w)) == (6, [1, 6], 1)
    assert Model.train.trace_count == before + 2


def test_a_method_that_raises_leaves_its_instance() -> None:
    model = Model(jnp.float32(3))
    with pytest.raises(AssertionError, match="positive"):
        model.fails(jnp.float32(1))
    assert (model.w, model.fails(jnp.float32(-1)), model.w) == (3, -1, 4)


def test_methods_of_other_kinds() -> None:
    model = Model(jnp.float32(3))
    assert (model.double, model.halved(), model.name_and(X)[0]) == (6, 3, "Model")
    assert model.twice(X).tolist() == [0, 12, 24]
    assert Sub(jnp.float32(3)).read(X).tolist() == [100, 106, 112]
    assert Sub(jnp.float32(3)).twice(X).tolist() == [200, 212, 224]


def test_an_input_signature_leaves_out_the_instance() -> None:
    model = Model(jnp.float32(3))
    assert (list(model.add([1, 2])), list(Model.add(model, X))) == ([4, 5], [3, 4, 5])
    model.w = jnp.float32(4)
    assert (list(model.add([1, 2])), list(Model.add.get_concrete_function(model)(model, X))) == (
        [5, 6],
        [4, 5, 6],
    )
    assert (str(model.add.input_signature), len(Model.add.concrete_functions)) == ("(x: float32[?])", 1)
    with pytest.raises(TypeError) as caught:
        model.add(jnp.ones((2, 2)))
    assert str(caught.value) == "Argument x: found float32[2,2]; allowed: float32[?]"


def test_sizes_in_the_instance_are_generalised() -> None:
    before = Model.total.trace_count
    assert [float(Model(jnp.ones(n)).total(jnp.ones(2 * n))) for n in (1, 2, 3, 4)] == [3, 6, 9, 12]
    assert Model.total.trace_count == before + 2


def test_a_concrete_function_has_its_instance() -> None:
    model = Model(jnp.float32(3))
    concrete = model.read.get_concrete_function(ArraySpec([3], "float32"))
    assert list(concrete(X)) == [0, 6, 12]
    model.w = jnp.float32(4)
    assert list(concrete(X)) == [0, 8, 16]
    assert [each == concrete for each in model.read.concrete_functions] == [True]
    assert Model(jnp.ones(3)).read.concrete_functions == []
    assert len(concrete.export().in_avals) == 1


def test_what_is_saved_has_the_arrays_that_the_instance_had(tmp_path: Any) -> None:
    model = Model(jnp.float32(3))
    model.read(X)
    autograph_lite.save(tmp_path / "traced", model.read)
    autograph_lite.save(tmp_path / "signature", model.read, (ArraySpec([None], "float32"),))
    model.w = jnp.float32(4)
    for name in ("traced", "signature"):
        assert list(autograph_lite.load(tmp_path / name)(X)) == [0, 6, 12]


def test_a_method_that_is_converted_on_its_instance() -> None:
    class Plain:
        def step(self, x):
            self.w = self.w + x
            return self.w

    @dataclasses.dataclass
    class Own(Plain):
        w: Any

        def __post_init__(self) -> None:
            self.step = convert(self.step)

    own = Own(jnp.float32(1))
    assert own.step(X).tolist() == [1, 2, 3]
    own.w = X * 10
    assert own.step(X).tolist() == [0, 11, 22]
    outside = convert(Own(jnp.float32(1)).step)
    assert outside(X).tolist() == [1, 2, 3]
    assert outside.trace_count == 1


def test_instances_of_which_one_trace_is_are_not_kept() -> None:
    before = Model.read.trace_count
    gone = []
    for k in range(100):
        model = Model(jnp.float32(k))
        assert model.read(X)[1] == 2 * k
        gone.append(weakref.ref(model))
    del model
    gc.collect()
    assert [each() for each in gone] == [None] * 100
    assert Model.read.trace_count == before + 1


def test_transformations_of_a_method() -> None:
    model = Model(jnp.float32(3))
    jax.tree_util.register_dataclass(Tree := _dataclass(), ["w"], ["n"])
    tree = Tree(jnp.float32(3))
    assert jax.grad(lambda x: model.read(x).sum())(jnp.asarray(X)).tolist() == [6, 6, 6]
    assert jax.grad(lambda tree: tree(X).sum())(tree).w == 3
    assert jax.vmap(lambda tree: tree(X))(Tree(jnp.ones(2))).tolist() == [[0, 1, 2]] * 2
    assert jax.jit(lambda tree: tree(X))(tree).tolist() == [0, 3, 6]


def test_a_change_inside_of_a_transformation_is_refused() -> None:
    model = Model(jnp.float32(3))
    with pytest.raises(autograph_lite.MutatedArgumentError) as caught:
        jax.jit(model.train)(jnp.float32(1))
    line = inspect.getsourcelines(Model.train.python_function)[1] + 2
    assert str(caught.value) == (
        "A Model that was passed as an argument is changed inside the function.\n"
        f"  {__file__}:{line} in train\n"
        "      self.w = self.w - x\n"
        "  The caller would not see the change: a compiled function gets the values of its arguments.\n"
        "  Fix: make a new Model and return it."
    )
    assert (float(model.w), model.log) == (3, [])


def test_variables_in_the_instance_are_those_of_the_call() -> None:
    @dataclasses.dataclass
    class Counter:
        v: Variable

        @convert
        def inc(self, x):
            self.v.assign_add(x)
            return self.v.value

    one, two = Counter(Variable(0.0)), Counter(Variable(10.0))
    assert [float(c.inc(1.0)) for c in (one, one, two)] == [1, 2, 11]
    assert (float(one.v), float(two.v), Counter.inc.trace_count) == (2, 11, 1)


@dataclasses.dataclass
class Late:
    v: Any = None

    @convert
    def inc(self, x):
        if self.v is None:
            self.v = Variable(0.0)
        self.v.assign_add(x)
        return self.v.value

    @convert
    def every(self, x):
        self.v = Variable(0.0)
        return self.v.value + x


def test_each_instance_may_create_its_variables_once() -> None:
    one, two = Late(), Late()
    assert [float(each.inc(1.0)) for each in (one, one, two)] == [1, 2, 1]
    assert (float(one.v), float(two.v)) == (2, 1)
    with pytest.raises(autograph_lite.VariableError, match="on a call that is not the first"):
        one.every(1.0)
    assert float(one.v) == 2


def test_threads_on_instances_of_their_own() -> None:
    models = [Model(jnp.float32(k)) for k in range(8)]
    results: dict[int, Any] = {}

    def work(k: int) -> None:
        for _ in range(20):
            results[k] = float(models[k].train(jnp.float32(1)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: k - 20 for k in range(8)}
    assert all(len(model.log) == 20 for model in models)


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("_", range(8))
def test_threads_on_one_instance(_: int) -> None:
    model = Model(jnp.float32(0))
    read: list[float] = []

    def work() -> None:
        for _ in range(4):
            model.train(jnp.float32(1))
            read.append(float(model.read(jnp.float32(1))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (float(model.w), sorted(map(float, model.log))) == (-16, [float(k) for k in range(-16, 0)])
    assert len(read) == 16 and set(read) <= {2.0 * k for k in range(-16, 0)}


@pytest.mark.usefixtures("eager_threads")
def test_threads_on_one_dict() -> None:
    @convert
    def book(accounts, log, x):
        accounts["sum"] = accounts["sum"] + x
        accounts["count"] += 1
        log.append(x)
        return accounts["sum"]

    accounts, log = {"sum": jnp.float32(0), "count": jnp.int32(0)}, [jnp.float32(0)]

    def work() -> None:
        for k in range(4):
            book(accounts, log, jnp.float32(k))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (float(accounts["sum"]), int(accounts["count"])) == (24, 16)
    assert sorted(map(float, log)) == [0.0, *(float(k) for k in range(4) for _ in range(4))]


def test_what_python_says_of_wrong_arguments() -> None:
    model = Model(jnp.float32(3))
    with pytest.raises(TypeError) as missing:
        model.read()
    with pytest.raises(TypeError) as many:
        model.read(1, 2)
    assert str(missing.value) == "Model.read() missing 1 required positional argument: 'x'"
    assert str(many.value) == "Model.read() takes 2 positional arguments but 3 were given"


def test_copies_and_pickles() -> None:
    model = Model(jnp.float32(3))
    for method in (copy.deepcopy(model.read), pickle.loads(pickle.dumps(model.read))):
        assert method.__self__ is not model
        assert method(X)[1] == 6
    assert copy.copy(model.read).__self__ is model
    assert copy.copy(model.read)._function is not Model.read
    outside = convert(Model.read.python_function.__get__(model))
    assert pickle.loads(pickle.dumps(outside))(X)[1] == 6


def test_tools_that_look_at_one_call() -> None:
    model = Model(jnp.float32(3))
    assert model.train.verify(jnp.float32(1)).ok
    assert autograph_lite.verify(model.train)(jnp.float32(1)).ok
    assert autograph_lite.verify(Model.train)(model, jnp.float32(1)).ok
    assert (float(model.w), model.log) == (0, [2, 1, 0])
    assert "scaled" in str(autograph_lite.explain(_dataclass()(jnp.float32(1)).__call__)(X))
    assert model.read.report(X).save is not None
    assert Model.read.inside() is not None


def test_an_object_with_types_of_its_own() -> None:
    class Ripe:
        def __init__(self, w: Any, name: str) -> None:
            self.w, self.name = w, name

        def __tracing_type__(self, context: Any) -> Any:
            return RipeType()

        __call__ = convert(scaled)

    class RipeType(autograph_lite.TraceType):
        def is_subtype_of(self, other: Any) -> bool:
            return True

        def most_specific_common_supertype(self, others: Any) -> Any:
            return self

        def placeholder_value(self, context: Any) -> Any:
            return Ripe(context.array(ArraySpec([], "float32")), "")

        def arrays(self, value: Any) -> list[Any]:
            return [value.w]

        def __eq__(self, other: object) -> bool:
            return isinstance(other, RipeType)

        def __hash__(self) -> int:
            return 0

    assert [float(Ripe(jnp.float32(k), str(k))(X)[1]) for k in (1, 2, 3)] == [1, 2, 3]
    assert Ripe.__call__.trace_count == 1
