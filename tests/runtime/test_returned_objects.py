"""Which objects does a call return? Dataclass objects of its own, those that it was given, and those that live elsewhere."""

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import ArraySpec, Variable, convert
from autograph_lite.errors import MutationError

T = TypeVar("T")
X = jnp.arange(3.0)


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any = "r"


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: Any
    other: Any = None


@dataclasses.dataclass(slots=True)
class Slotted:
    value: Any
    items: list[Any] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlotted:
    value: Any


@dataclasses.dataclass
class Derived:
    value: Any
    twice: Any = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.twice = self.value * 2


@dataclasses.dataclass
class Box(Generic[T]):
    held: T


class Sub(Pair):
    """With an attribute that is no field."""

    def noted(self) -> Sub:
        self.note = self.left + 1
        return self


def contents(value: Any) -> Any:
    """What a dataclass object holds, in slots and attributes; arrays as lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = getattr(value, "__slots__", None) or vars(value)
        return type(value), {name: contents(getattr(value, name)) for name in names}
    if isinstance(value, (list, tuple)):
        return type(value), [contents(item) for item in value]
    return np.asarray(value).tolist() if isinstance(value, (jax.Array, np.ndarray)) else value


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda x: Pair(x * 2), id="mutable, with a default"),
        pytest.param(lambda x: Frozen(x * 2, Pair(x, 3)), id="frozen and nested"),
        pytest.param(lambda x: Slotted(x, [x, "text"]), id="slots"),
        pytest.param(lambda x: FrozenSlotted(x), id="frozen slots"),
        pytest.param(lambda x: Derived(x), id="init=False"),
        pytest.param(lambda x: Box[jax.Array](x), id="generic"),
        pytest.param(lambda x: Sub(x).noted(), id="subclass"),
        pytest.param(lambda x: dataclasses.replace(Frozen(x), other=x + 1), id="replace"),
        pytest.param(lambda x: ([Pair(x)], {"k": Frozen(len(x))}), id="in containers"),
        pytest.param(lambda x: Pair(None, Frozen("text")), id="no arrays"),
    ],
)
def test_a_call_returns_dataclass_objects(make: Any) -> None:
    f = convert(make)
    for x in (X, X + 1, jnp.ones(2)):
        assert contents(f(x)) == contents(make(x))
    assert f.trace_count == 2


def test_each_call_makes_an_object_of_its_own() -> None:
    @convert
    def f(x: Any) -> Any:
        return x, Pair(1), {2}, bytearray(b"a"), np.zeros(2)

    _, pair, numbers, text, array = f(X)
    pair.left = 5
    numbers.add(5)
    text.append(5)
    array[0] = 5
    _, pair, numbers, text, array = f(X)
    assert (pair, numbers, text, array.tolist()) == (Pair(1), {2}, bytearray(b"a"), [0, 0])


def test_one_object_in_two_places_is_one_object() -> None:
    @convert
    def f(x: Any) -> Any:
        pair, numbers = Pair(x), {1}
        return pair, [pair, numbers], Frozen(pair, numbers)

    pair, (same, numbers), frozen = f(X)
    assert pair is same is frozen.value
    assert numbers is frozen.other


def test_an_object_that_holds_itself_comes_back() -> None:
    @convert
    def f(x: Any) -> Any:
        pair = Pair(x)
        pair.right = [Frozen(pair)]
        return pair

    pair = f(X)
    assert pair.right[0].value is pair
    assert pair.left.tolist() == [0, 1, 2]


def test_an_argument_comes_back_as_the_callers_object() -> None:
    @convert
    def f(x: Any, *rest: Any, key: Any = None, **more: Any) -> Any:
        return x.left, [x, Frozen(rest[0])], key, more["z"].other

    inner, rest, key, last = Frozen(X), Pair(1), Pair(2), Pair(X)
    for outer in (Pair(inner), Pair(inner, "r")):
        found, (same, made), by_name, deep = f(outer, rest, z=Frozen(1, last), key=key)
        assert found is inner
        assert same is outer
        assert made.value is rest
        assert by_name is key
        assert deep is last
    assert f.trace_count == 1


def test_a_default_comes_back_as_it_is() -> None:
    default = Pair(X)

    @convert
    def f(x: Any, pair: Any = default) -> Any:
        return pair

    other = Pair(X)
    assert f(X) is default
    assert f(X, other) is other


def test_an_argument_of_a_signature_comes_back_uncast() -> None:
    @convert(input_signature=[Pair(ArraySpec([None], "float32"), ArraySpec([], "float32"))])
    def f(pair: Any) -> Any:
        return pair, Pair(pair.right)

    given = Pair(X, 2)
    same, made = f(given)
    assert same is given
    assert given.right == 2
    assert made.left.dtype == "float32"


def test_an_object_from_outside_comes_back_as_it_is() -> None:
    kept = Pair(X)

    @convert
    def f(x: Any) -> Any:
        kept.left = x
        return kept, Frozen(kept)

    for x in (X, X + 1):
        same, made = f(x)
        assert same is made.value is kept
        assert contents(kept.left) == contents(x)


def test_self_comes_back_and_a_replaced_one_is_new() -> None:
    @dataclasses.dataclass
    class Model:
        w: Any

        @convert
        def step(self, x: Any) -> Any:
            self.w = self.w + x
            return self, dataclasses.replace(self, w=x)

    model = Model(X)
    same, other = model.step(X)
    assert same is model
    assert contents(model.w) == [0, 2, 4]
    assert contents(other) == (Model, {"w": [0, 1, 2]})


def test_the_objects_of_a_staged_branch_and_loop_come_back() -> None:
    def f(x: Any) -> Any:
        pair = Pair(0, [])
        for item in x:
            pair.left = pair.left + item
            if item > 0:
                pair.right.append(item)
        if x[0] > 0:
            return pair, Frozen(x)
        return pair, Frozen(-x)

    for x in (X, X + 1):
        assert contents(convert(f)(x)) == contents(f(np.asarray(x)))


def test_calls_inside_of_traces_return_objects() -> None:
    @convert
    def make(x: Any, pair: Any = None) -> Any:
        return Pair(x**2), pair

    @convert
    def outer(x: Any) -> Any:
        given = Pair(x)
        made, same = make(x, given)
        return made.left + int(same is given), made

    def plain(x: Any) -> Any:
        given = Pair(x)
        made, same = make(x, given)
        assert same is given
        return made.left

    assert contents(outer(X)[0]) == [1, 2, 5]
    assert contents(jax.jit(plain)(X)) == [0, 1, 4]
    assert contents(jax.vmap(plain)(X)) == [0, 1, 4]
    assert jax.grad(plain)(3.0) == 6


def test_variables_in_objects_that_a_call_makes_are_their_values() -> None:
    v = Variable(X)

    @convert
    def f(x: Any) -> Any:
        v.assign_add(x)
        return Pair(v, v + 0)

    pairs = [f(X), f(X)]
    for pair, expected in zip(pairs, ([0, 2, 4], [0, 3, 6]), strict=True):
        assert contents(pair.left) == contents(pair.right) == expected


def test_concrete_functions_return_objects_and_show_their_types() -> None:
    @convert
    def f(pair: Any) -> Any:
        return pair, Frozen(pair.left)

    concrete = f.get_concrete_function(Pair(ArraySpec([3], "float32")))
    given = Pair(X)
    assert concrete(given)[0] is given
    assert contents(concrete(given)[1].value) == [0, 1, 2]
    assert repr(concrete.structured_outputs) == (
        "(Pair(left=float32[3], right='r'), Frozen(value=float32[3], other=None))"
    )
    assert copy.deepcopy(f)(given)[0] is given


def test_sizes_that_are_symbols_come_back_in_objects() -> None:
    @convert(input_signature=[ArraySpec([None], "float32")])
    def f(x: Any) -> Any:
        return Pair(x, x.shape[0])

    for n in (3, 5):
        pair = f(jnp.ones(n))
        assert (len(pair.left), int(pair.right)) == (n, n)


def test_an_object_that_a_function_of_its_own_sees_is_refused() -> None:
    @convert
    def f(x: Any) -> Any:
        pair = Pair(x)
        pair.right = lambda: pair
        return pair

    with pytest.raises(MutationError, match="holds a traced value inside a Pair object"):
        f(X)


@pytest.mark.parametrize("base", [dict, list, Exception])
def test_an_object_that_is_more_than_its_attributes_is_refused(base: type) -> None:
    @dataclasses.dataclass
    class Mixed(base):  # type: ignore[misc]
        value: Any

    with pytest.raises(MutationError, match="holds a traced value inside"):
        convert(lambda x: Mixed(x))(X)


def test_a_cyclic_argument_is_an_object_like_others() -> None:
    @convert
    def f(pair: Any, x: Any) -> Any:
        return pair, x + 1

    pair = Pair(1)
    pair.right = pair
    assert f(pair, X)[0] is pair


def test_a_call_makes_a_deque_of_its_own() -> None:
    @convert
    def last(x, n):
        kept = collections.deque([1, 2], maxlen=3)
        kept.append(x)
        kept.append(Pair(n, collections.deque([x * 2])))
        return kept, kept[-1].right, {"empty": collections.deque()}

    first, again = last(jnp.float32(3), 1), last(jnp.float32(4), 1)
    first[0].clear()
    first[2]["empty"].append(1)

    for (kept, inner, rest), x in [(again, 4), (last(jnp.float32(3), 1), 3)]:
        assert type(kept) is collections.deque
        assert (kept.maxlen, kept[0], float(kept[1]), kept[2].left) == (3, 2, x, 1)
        assert kept[2].right is inner
        assert [float(each) for each in inner] == [2 * x]
        assert not rest["empty"]


class Queue(collections.deque[Any]):
    """A deque of the user's."""


KEEPING = {
    "items": lambda x: {"a": x}.items(),
    "values": lambda x: {"a": x}.values(),
    "queue": lambda x: Queue([x]),
}


@pytest.mark.parametrize("make", KEEPING.values(), ids=KEEPING)
def test_what_would_keep_a_traced_value_is_refused(make: Any) -> None:
    with pytest.raises(MutationError, match="The result holds a traced value inside"):
        convert(lambda x: make(x))(jnp.float32(1))


def test_keys_are_returned() -> None:
    assert [*convert(lambda x: {"a": x}.keys())(jnp.float32(3))] == ["a"]
