"""Which values does one trace serve? Rows named R... are the measured cases of the reference; `!` marks where we differ."""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import gc
import math
import pathlib
import pickle
import types
import weakref
from typing import Any

import equinox
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st

from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.casting import cast
from autograph_lite.runtime.types.literal import Literal
from autograph_lite.runtime.types.object_type import ObjectType, object_types_in
from autograph_lite.runtime.types.structure import Structure, from_value
from autograph_lite.runtime.types.trace_type import (
    Placeholders,
    Single,
    TraceType,
    TracingContext,
    VariableType,
    register_leaf,
)


def type_of(value: Any) -> TraceType:
    return from_value(value, TracingContext())


def families(values: list[Any]) -> list[int]:
    """The number of the trace that each value uses, if there is one for each type that was met."""
    known: dict[TraceType, int] = {}
    return [known.setdefault(type_of(value), len(known)) for value in values]


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


Pair = collections.namedtuple("Pair", "a b")
Other = collections.namedtuple("Other", "a b")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    y: Any


@dataclasses.dataclass(eq=False)
class Identity:
    x: Any


class Equal:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Equal) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


class Unhashable:
    __hash__ = None


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def method(self):
        return self.value


class Meters(float):
    pass


class Tagged(int):
    tag = None


class Plain:
    def method(self):
        return self


class Keyed:
    """An object that JAX takes apart, with a number that it keeps."""

    def __init__(self, array, known):
        self.array, self.known = array, known

    def __repr__(self):
        return f"Keyed({self.array},\n    {self.known})"


jax.tree_util.register_pytree_with_keys(
    Keyed,
    lambda k: (((jax.tree_util.GetAttrKey("array"), k.array),), k.known),
    lambda known, children: Keyed(children[0], known),
)


def function(x):
    return x


vector, matrix, scalar = jnp.ones(3), jnp.ones((2, 2)), jnp.float32(1)
integer = jnp.int32(1)

ROWS = {
    "R1-arrays_by_shape_and_dtype": (
        [integer, jnp.int32(2), scalar, vector, jnp.zeros(3), jnp.ones(4), matrix],
        [0, 0, 1, 2, 2, 3, 4],
    ),
    "R2-ints_by_value": ([1, 1, 2, 1], [0, 0, 1, 0]),
    "R3!-numbers_by_type_too": ([1, True, 1.0, 1 + 0j, 1], [0, 1, 2, 3, 0]),
    "R149!-numbers_by_type_in_containers": ([[1], [True], [1.0], [1]], [0, 1, 2, 0]),
    "R149!-keys_by_type": ([{1: 2}, {True: 2}, {1.0: 2}, {1: 2}], [0, 1, 2, 0]),
    "R149!-what_a_node_keeps_by_type": ([Keyed(vector, 1), Keyed(vector, True), Keyed(vector, 1)], [0, 1, 0]),
    "R149!-keys_in_keys_by_type": (
        [
            {frozenset({1}): 2},
            {frozenset({True}): 2},
            {(1,): 2},
            {(True,): 2},
            {Level.LOW: 2},
            {1: 2},
            {(1,): 2},
        ],
        [0, 1, 2, 3, 4, 5, 2],
    ),
    "R149!-keys_by_sign": ([{0.0: 1}, {-0.0: 1}, {0.0: 1}], [0, 1, 0]),
    "R5!-zeros": ([0, False, 0.0, -0.0, 0], [0, 1, 2, 3, 0]),
    "R6-texts_and_constants": (["a", "a", "b", b"a", None, None, ...], [0, 0, 1, 2, 3, 3, 4]),
    "R7-nan": ([float("nan"), math.nan, complex("nan")], [0, 0, 1]),
    "R8-numbers_are_no_arrays": ([1, integer, 2, jnp.int32(2)], [0, 1, 2, 1]),
    "R155-a_float_is_no_float32": ([2.0, scalar, np.float64(2)], [0, 1, 1]),
    "R9-numpy_arrays_are_arrays": (
        [np.ones(3, "float32"), vector, np.ones(3), np.ones(3, "int16"), np.array(1, "float32"), scalar],
        [0, 0, 0, 1, 2, 2],
    ),
    "R10-numpy_scalars_are_arrays": (
        [np.int32(1), np.int32(2), integer, np.float32(1), np.bool_(True), True],
        [0, 0, 0, 1, 2, 3],
    ),
    "R142-numpy_texts_are_literals": (
        [np.str_("a"), np.str_("b"), "a", np.datetime64("NaT", "s"), np.datetime64("NaT", "s")],
        [0, 1, 2, 3, 3],
    ),
    "R143!-numbers_of_other_kinds": (
        [10**30, fractions.Fraction(1, 2), 0.5, decimal.Decimal("0.5"), decimal.Decimal("0.50"), 1j],
        [0, 1, 2, 3, 4, 5],
    ),
    "R144-a_thousand_ints": ([tuple(range(1000)), tuple(range(1000)), (*range(999), 0)], [0, 0, 1]),
    "R11-tuples_are_no_lists": (
        [(1, 2), [1, 2], (1, 2), [1, 3], (vector, vector), [vector, vector], (vector, vector), (), []],
        [0, 1, 0, 2, 3, 4, 3, 5, 6],
    ),
    "R12!-dicts_by_keys_and_class": (
        [
            {"a": vector, "b": vector},
            {"b": vector, "a": vector},
            collections.OrderedDict(a=vector, b=vector),
            collections.OrderedDict(b=vector, a=vector),
            collections.defaultdict(list, a=vector, b=vector),
            {"a": vector},
            {"a": 1},
            {"a": 2},
        ],
        [0, 0, 1, 2, 3, 4, 5, 6],
    ),
    "R13!-keys_without_an_order": (
        [{1: vector, "a": vector}, {1: vector, "a": vector}, {1: 2, "a": 3}, {1: 2, "a": 4}],
        [0, 0, 1, 2],
    ),
    "R14!-namedtuples_by_class": (
        [Pair(vector, vector), Pair(vector, vector), Other(vector, vector), (vector, vector), Pair(1, 2)],
        [0, 0, 1, 2, 3],
    ),
    "R135-None_inside": (
        [[{"a": (vector, None)}], [{"a": (vector, None)}], [{"a": (vector, vector)}]],
        [0, 0, 1],
    ),
    "R15!-dataclasses_are_structures": (
        [Point(vector, 1), Point(jnp.zeros(3), 1), Point(vector, 2), Frozen(vector, 1), Frozen(vector, 1)],
        [0, 0, 1, 2, 2],
    ),
    "R17!-dataclasses_without_equality_too": ([Identity(1), Identity(1), Identity(2)], [0, 0, 1]),
    "R18-fields_that_a_node_keeps": ([Keyed(vector, 1), Keyed(vector, 1), Keyed(vector, 2)], [0, 0, 1]),
    "R19-ranges_slices_frozensets": (
        [range(3), range(3), range(4), slice(1), slice(1), frozenset({1}), frozenset({True}), frozenset({1})],
        [0, 0, 1, 2, 2, 3, 4, 3],
    ),
    "R19!-equal_ranges_with_another_stop": ([range(0, 3, 2), range(0, 4, 2)], [0, 1]),
    "R19-classes_and_functions": (
        [int, float, int, function, function, math, len, len],
        [0, 1, 0, 2, 2, 3, 4, 4],
    ),
    "R50-enums": ([Color.RED, Color.RED, Color.BLUE, Level.LOW, 1], [0, 0, 1, 2, 3]),
    "R49-dtypes": (
        [np.dtype("float32"), np.dtype("float32"), np.dtype("float64"), jnp.float32],
        [0, 0, 1, 2],
    ),
    "R44!-a_wrapper_is_a_function_of_its_own": ([function, functools.wraps(function)(lambda x: x)], [0, 1]),
    "paths_and_times": (
        [
            pathlib.PurePosixPath("a"),
            pathlib.PurePosixPath("a"),
            "a",
            datetime.datetime(2000, 1, 1, 12, tzinfo=datetime.UTC),
            datetime.datetime(2000, 1, 1, 13, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        ],
        [0, 0, 1, 2, 3],
    ),
    "subclasses_of_numbers": ([Meters(1), Meters(1), 1.0, Meters("nan"), Meters("nan")], [0, 0, 1, 2, 2]),
    "specs_and_shapes_as_values": (
        [ArraySpec((3,), "int32"), ArraySpec((3,), "int32"), jax.ShapeDtypeStruct((3,), "int32")],
        [0, 0, 1],
    ),
    "weak_types": ([jnp.asarray(1.0), scalar, jnp.asarray(2.0)], [0, 1, 0]),
    "keys_of_random_numbers": ([jax.random.key(0), jax.random.key(1), jax.random.PRNGKey(0)], [0, 0, 1]),
    "other_floats": ([np.ones(2, ml_dtypes.bfloat16), jnp.ones(2, jnp.bfloat16)], [0, 0]),
    "equinox_modules_are_structures": (
        [equinox.nn.Linear(2, 3, key=jax.random.key(i)) for i in (0, 1)]
        + [equinox.nn.Linear(2, 4, key=jax.random.key(0))],
        [0, 0, 1],
    ),
}


@pytest.mark.parametrize(("values", "expected"), ROWS.values(), ids=ROWS)
def test_values_share_a_trace(values, expected):
    assert families(values) == expected


# Objects: by identity, then by equality, while they are alive.


def test_R30_objects_are_told_by_identity():
    one, other = Plain(), Plain()
    assert families([one, one, other]) == [0, 0, 1]


def test_R31_R141_a_changed_object_is_the_same():
    one = Plain()
    before = type_of(one)
    one.value = 5
    assert type_of(one) == before


def test_R32_equal_objects_are_one():
    one, two, three = Equal(1), Equal(1), Equal(2)
    assert families([one, two, three]) == [0, 0, 1]


def test_R33_a_dead_object_equals_no_other():
    dead = type_of(Equal(1))
    gc.collect()
    alive = Equal(1)
    assert dead.referent() is None
    assert dead != type_of(alive)
    assert dead == dead
    assert str(dead) == "<dead Equal object>"


def test_a_dead_object_has_no_placeholder():
    with pytest.raises(ReferenceError) as error:
        type_of(Plain()).placeholder_value(Arrays())
    assert str(error.value) == "The Plain object that the trace is made for is gone."


def test_R34_objects_that_cannot_be_hashed_are_told_by_identity():
    one, other = Unhashable(), Unhashable()
    assert families([one, one, other]) == [0, 0, 1]


def test_R35_R36_an_object_whose_hash_changes_is_the_same():
    one = Equal(1)
    before = type_of(one)
    one.value = 2
    assert type_of(one) == before
    assert hash(type_of(one)) == hash(before)


def test_R37_objects_without_weak_references_are_held():
    held = type_of(Slotted(1))
    gc.collect()
    assert held == type_of(Slotted(1))
    assert held != type_of(Slotted(2))
    assert held.referent().value == 1


def test_equality_that_raises_or_has_no_truth_is_none():
    class Odd:
        def __eq__(self, other):
            return np.array([True, True])

        def __hash__(self):
            return 1

    one, other = Odd(), Odd()
    assert families([one, other, one]) == [0, 1, 0]


def test_a_hash_that_raises_leaves_identity():
    class Odd:
        def __hash__(self):
            raise RuntimeError("no hash")

    one = Odd()
    assert type_of(one) == type_of(one)


def test_R43_partials_are_objects():
    one = functools.partial(function, 1)
    assert families([one, one, functools.partial(function, 1)]) == [0, 0, 1]


@pytest.mark.parametrize("owner", [Plain, Slotted, Unhashable], ids=["plain", "R64-slots", "R63-unhashable"])
def test_a_method_is_told_by_its_instance(owner):
    def method(self):
        return self

    make = owner if owner is not Slotted else lambda: Slotted(1)
    one, other = make(), make()
    bound = [types.MethodType(method, instance) for instance in (one, one, other)]
    assert families(bound) == [0, 0, 1]


def test_a_method_dies_with_its_instance():
    owner, deaths = Plain(), []
    type = type_of(owner.method)
    type.on_death(lambda: deaths.append(1))
    gc.collect()
    assert type.referent()() is owner
    del owner
    gc.collect()
    assert type.referent() is None
    assert deaths == [1]


def test_the_death_of_an_object_is_told():
    owner, deaths = Plain(), []
    type = type_of([1, {"model": owner}])
    assert isinstance(type, Structure)
    (part,) = object_types_in(type)
    part.on_death(lambda: deaths.append("gone"))
    assert deaths == []
    del owner
    gc.collect()
    assert deaths == ["gone"]


def test_a_set_that_was_changed_is_another():
    numbers = {1, 2}
    before = type_of(numbers)
    assert type_of(numbers) == before
    numbers.add(3)
    assert type_of(numbers) != before


def test_equal_sets_are_two_objects():
    one, other = {1}, {1}
    assert type_of(one) != type_of(other)


def test_a_number_with_attributes_is_an_object():
    one, other = Tagged(1), Tagged(1)
    one.tag, other.tag = "a", "b"
    assert isinstance(type_of(one), ObjectType)
    assert isinstance(type_of(Tagged(1)), Literal)


class TaggedText(str):
    __slots__ = ("tag",)


class TaggedPath(pathlib.PurePosixPath):
    pass


class TaggedDate(datetime.date):
    pass


class TaggedTuple(tuple):
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tagged(1),
        lambda: TaggedText("a"),
        lambda: TaggedPath("a"),
        lambda: TaggedDate(2000, 1, 1),
        lambda: TaggedTuple((1,)),
    ],
    ids=["number", "text", "path", "date", "tuple"],
)
def test_an_equality_that_knows_nothing_of_the_attributes_does_not_count(make):
    one, other = make(), make()
    one.tag, other.tag = "a", "b"
    assert one == other
    assert families([one, other, one]) == [0, 1, 0]


def test_tuples_of_a_class_of_ones_own_are_not_told_by_equality():
    assert families([TaggedTuple((1,)), TaggedTuple((True,)), TaggedTuple((1.0,))]) == [0, 1, 2]


def test_paths_of_windows_are_told_by_their_text():
    paths = [pathlib.PureWindowsPath(text) for text in ("a/B", "A/b", "a/B")]
    assert paths[0] == paths[1]
    assert families(paths) == [0, 1, 0]


def test_differences_of_times_are_literals():
    assert families([np.timedelta64(1, "s"), np.timedelta64(1, "m"), np.timedelta64(1, "s")]) == [0, 1, 0]


def test_a_dataclass_object_that_holds_itself_is_an_object():
    one = Point(1, None)
    one.y = [one]
    assert isinstance(type_of(one), ObjectType)
    assert type_of(one) == type_of(one)


def test_dataclasses_in_dataclasses_and_in_dicts_of_any_keys():
    value = {(0, 1): Point(Point(vector, None), [1]), "k": {2: vector, "x": 3}}
    type = type_of(value)
    assert str(type) == (
        "{(0, 1): Point(x=Point(x=float32[3], y=Literal[None]), y=[Literal[1]]), 'k': {2: float32[3], 'x': Literal[3]}}"
    )
    assert type.paths == (
        "[(0, 1)].x.x",
        "[(0, 1)].x.y",
        "[(0, 1)].y[0]",
        "['k'][2]",
        "['k']['x']",
    )


# What has no type.


@pytest.mark.parametrize(
    "value",
    [np.array(["a"]), np.array([None]), np.array(["2000"], "datetime64[Y]")],
    ids=["text", "object", "date"],
)
def test_R9_arrays_that_jax_has_no_dtype_for_are_refused(value):
    with pytest.raises(TypeError) as error:
        type_of([value])
    assert str(error.value) == (
        f"A NumPy array of dtype {str(value.dtype)!r} can be neither traced nor told from others by its value: "
        "pass a list or a tuple."
    )


def test_slices_with_an_array_that_may_be_written_to_are_refused():
    with pytest.raises(TypeError) as error:
        type_of([slice(np.array(1), 3)])
    assert str(error.value) == (
        "A slice with a NumPy array in it can be neither traced nor told from others by its value: "
        "pass numbers, slice(int(start), int(stop))."
    )
    assert type_of(slice(np.int64(1), 3)) == type_of(slice(np.int64(1), 3))


@pytest.mark.parametrize(
    ("refer", "name"), [(weakref.ref, "ReferenceType"), (weakref.proxy, "ProxyType")], ids=["R41", "R42"]
)
def test_weak_references_are_refused(refer, name):
    owner = Plain()
    with pytest.raises(TypeError) as error:
        type_of(refer(owner))
    assert str(error.value) == f"A {name} can't be an argument: pass the object that it refers to."


# The tracing protocol.


class Fruit(Single):
    def __init__(self, kind):
        self.kind = kind

    def placeholder_value(self, context):
        return self.kind(context.array(ArraySpec((), "float32")))

    def arrays(self, value):
        return [value.weight]

    def __eq__(self, other):
        return isinstance(other, Fruit) and self.kind is other.kind

    def __hash__(self):
        return hash(self.kind)


class Apple:
    def __init__(self, weight=None):
        self.weight = weight

    def __tracing_type__(self, context):
        return Fruit(type(self))


class Mango(Apple):
    pass


class Arrays:
    """Placeholders that are their own types."""

    def array(self, spec):
        return spec

    def variable(self, type):
        return type


def test_R38_a_class_chooses_its_trace_type():
    assert families([Apple(), Apple(), Mango(), Apple()]) == [0, 0, 1, 0]


def test_R39_a_trace_type_that_is_none_is_refused():
    class Junk:
        def __tracing_type__(self, context):
            return 5

    with pytest.raises(TypeError) as error:
        type_of(Junk())
    assert str(error.value) == (
        f"'{Junk.__qualname__}.__tracing_type__' is to return an autograph_lite.TraceType, and returned 5."
    )


def test_a_class_of_ones_own_has_arrays_that_are_traced():
    value = [Apple(scalar), 2, vector]
    type = type_of(value)
    assert type.arrays(value) == [scalar, vector]
    made = type.placeholder_value(Arrays())
    assert made[0].weight == ArraySpec((), "float32")
    assert made[1:] == [2, ArraySpec((3,), "float32")]


class Cell:
    def __init__(self, shape=(), trainable=True):
        self.shape, self.trainable = shape, trainable


@pytest.fixture
def cells():
    register_leaf(
        Cell, lambda v, context: VariableType(v.shape, jnp.dtype("int32"), v.trainable, context.alias(v))
    )


def test_R52_variables_by_kind(cells):
    assert families([Cell(), Cell(), Cell((2,)), integer]) == [0, 0, 1, 2]


@pytest.mark.parametrize("make", [tuple, list], ids=["R53", "R54"])
def test_variables_by_which_are_the_same(cells, make):
    v, w = Cell(), Cell()
    calls = [(v, w), (w, v), (v, v), (w, w), (v, w)]
    assert families([make(call) for call in calls]) == [0, 0, 1, 1, 0]


def test_R55_variables_by_whether_they_are_trained(cells):
    assert families([Cell(), Cell(trainable=False)]) == [0, 1]


def test_R56_arrays_that_are_the_same_are_not_told():
    assert families([(scalar, scalar), (scalar, jnp.float32(2))]) == [0, 0]


def test_the_variables_of_a_value_are_found(cells):
    v, w = Cell(), Cell((2,))
    type = type_of({"a": v, "b": [w, v]})
    assert type.variables({"a": v, "b": [w, v]}) == [v, w, v]
    assert str(type) == "{'a': Variable(int32[], #0), 'b': [Variable(int32[2], #1), Variable(int32[], #0)]}"
    assert type.placeholder_value(Arrays())["a"].alias == 0


# Arrays and placeholders.


def test_arrays_and_placeholders_are_in_the_same_order():
    value = {"w": [vector, (np.ones(4, "float32"), None)], "d": Point(scalar, 1)}
    type = type_of(value)
    found = type.arrays(value)
    assert [x.shape for x in found] == [(), (3,), (4,)]

    class Next(Arrays):
        rest = iter(found)

        def array(self, spec):
            return next(self.rest)

    made = type.placeholder_value(Next())
    assert made["d"].x is scalar
    assert made["w"][0] is vector
    assert made["w"] is not value["w"]
    assert type_of(made) == type


# Differences, in the words of the user.


@pytest.mark.parametrize(
    ("new", "old", "texts"),
    [
        (1, 1.0, ["x: Literal[1] where Literal[1.0] was"]),
        (vector, vector, []),
        (
            {"w": [scalar, vector]},
            {"w": [scalar, jnp.ones(4)]},
            ["x['w'][1]: float32[3] where float32[4] was"],
        ),
        (Point(1, vector), Point(2, vector), ["x.x: Literal[1] where Literal[2] was"]),
        ([1, vector], [1], ["x[1]: float32[3] where nothing was"]),
        (
            {"a": 1},
            {"b": 1},
            ["x['a']: Literal[1] where nothing was", "x['b']: nothing where Literal[1] was"],
        ),
        ([1], (1,), ["x: [Literal[1]] where (Literal[1],) was"]),
        (
            {"w": [1], "b": {"c": 2}},
            {"w": (1,), "b": 3},
            [
                "x['b']: {'c': Literal[2]} where Literal[3] was",
                "x['w']: [Literal[1]] where (Literal[1],) was",
            ],
        ),
        (
            Point(1, 2),
            Frozen(1, 2),
            ["x: Point(x=Literal[1], y=Literal[2]) where Frozen(x=Literal[1], y=Literal[2]) was"],
        ),
        (Keyed([vector], 1), Keyed([scalar], 1), ["x.array[0]: float32[3] where float32[] was"]),
        (Keyed(vector, 1), Keyed(vector, 2), ["x: Keyed(float32[3], 1) where Keyed(float32[3], 2) was"]),
        ({1: 2}, {True: 2}, ["x[1]: Literal[2] where nothing was", "x[True]: nothing where Literal[2] was"]),
        (None, vector, ["x: Literal[None] where float32[3] was"]),
        ([None], [vector], ["x[0]: Literal[None] where float32[3] was"]),
    ],
)
def test_differences_name_the_place(new, old, texts):
    assert type_of(new).differences(type_of(old), "x") == texts


def test_types_print_as_users_write_them():
    values = [vector, jnp.asarray(1.0), 3, "s", int, function, Plain]
    assert list(map(str, map(type_of, values))) == [
        "float32[3]",
        "weak float32[]",
        "Literal[3]",
        "Literal['s']",
        "Literal[int]",
        "<function function>",
        "Literal[Plain]",
    ]


@pytest.mark.parametrize(
    ("value", "start"),
    [("x" * 500, "Literal['xxxx"), (10**5000, "Literal[<int object at"), (list(range(100)), "[Literal[0], ")],
    ids=["long", "endless", "list"],
)
def test_every_type_prints(value, start):
    assert str(type_of(value)).startswith(start)
    assert len(str(type_of("x" * 500))) == 209


def test_an_object_that_raises_for_every_attribute_has_a_type():
    class Odd:
        def __getattr__(self, name):
            raise RuntimeError(name)

    one = Odd()
    assert type_of([one]) == type_of([one])
    assert str(type_of(one)) == f"<{Odd.__qualname__} object>"


# ArraySpec.


def test_a_spec_prints_its_sizes():
    assert str(ArraySpec((3, None), "float32")) == "float32[3,?]"
    assert str(ArraySpec(None, jnp.int8)) == "int8[...]"


def test_a_spec_takes_whatever_names_a_dtype():
    specs = {
        ArraySpec([3], dtype)
        for dtype in ("float32", np.float32, jnp.float32, np.dtype("float32"), jnp.dtype("f4"))
    }
    assert len(specs) == 1


def test_a_spec_of_an_array_is_that_of_its_shape_and_dtype():
    expected = ArraySpec((2, 2), "float32")
    for array in (
        matrix,
        np.ones((2, 2)),
        np.ones((2, 2), "float32"),
        jax.ShapeDtypeStruct((2, 2), "float32"),
    ):
        assert ArraySpec.from_array(array) == expected


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda: ArraySpec(3, "int32"),
            TypeError,
            "A shape is a tuple of sizes, or None for any rank: found 3.",
        ),
        (
            lambda: ArraySpec("3", "int32"),
            TypeError,
            "A shape is a tuple of sizes, or None for any rank: found '3'.",
        ),
        (lambda: ArraySpec([2.5], "int32"), TypeError, "A size is an int, or None for any: found 2.5."),
        (lambda: ArraySpec([-1], "int32"), ValueError, "A size is not negative: found -1."),
        (lambda: ArraySpec([1], str), TypeError, "Arrays can't have the dtype '<U0'."),
        (lambda: ArraySpec([1], None), TypeError, "An ArraySpec has a dtype: found None."),
    ],
)
def test_a_wrong_spec_is_refused(make, kind, text):
    with pytest.raises(kind) as error:
        make()
    assert str(error.value) == text


def test_specs_stand_for_values_where_they_are_asked_for():
    context = TracingContext(specs=True)
    value = {"a": ArraySpec([None], "int64"), "b": jax.ShapeDtypeStruct((2,), "float32"), "c": 3}
    assert str(from_value(value, context)) == "{'a': int32[?], 'b': float32[2], 'c': Literal[3]}"


# Casting to a spec.

AnyInts, AnyFloats = ArraySpec([None], "int32"), ArraySpec(None, "float32")


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        pytest.param(jnp.array([1, 2], "int32"), AnyInts, id="R70-array"),
        pytest.param([1, 2], AnyInts, id="R70-list"),
        pytest.param(np.array([1, 2], "int32"), AnyInts, id="R70-int32"),
        pytest.param(np.array([1, 2], "int64"), AnyInts, id="R70-int64"),
        pytest.param(3.0, AnyFloats, id="R71-float"),
        pytest.param(3, AnyFloats, id="R71-int"),
        pytest.param(np.float64(3), AnyFloats, id="R71-float64"),
        pytest.param(jnp.asarray(3), AnyFloats, id="R71-weak_int"),
        pytest.param([jnp.float32(1), 2.0], AnyFloats, id="arrays_in_a_list"),
        pytest.param(3, ArraySpec([], jnp.bfloat16), id="bfloat16"),
        pytest.param(2, ArraySpec([], "complex64"), id="complex"),
        pytest.param([True], ArraySpec([1], "bool"), id="bool"),
    ],
)
def test_values_are_cast_to_a_spec(value, spec):
    made = cast(value, spec)
    assert type_of(made).is_subtype_of(spec)
    np.testing.assert_array_equal(np.asarray(made, "complex64"), np.asarray(value, "complex64"))


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        pytest.param(jnp.ones((1, 1), int), AnyInts, "found int32[1,1]; allowed: int32[?]", id="R70-rank"),
        pytest.param(jnp.ones(1), AnyInts, "found float32[1]; allowed: int32[?]", id="R70-dtype"),
        pytest.param(
            [1.5], AnyInts, "found a list, float32[1] as an array; allowed: int32[?]", id="R70-floats"
        ),
        pytest.param(integer, AnyFloats, "found int32[]; allowed: float32[...]", id="R71-int_array"),
        pytest.param(np.array([1]), AnyFloats, "found int64[1]; allowed: float32[...]", id="R71-numpy_ints"),
        pytest.param("a", AnyFloats, "found 'a'; allowed: float32[...]", id="R71-text"),
        pytest.param(None, AnyFloats, "found None; allowed: float32[...]", id="None"),
        pytest.param([[1], [2, 3]], AnyFloats, "found [[1], [2, 3]]; allowed: float32[...]", id="ragged"),
        pytest.param(3.5, ArraySpec([], "int32"), "found 3.5, a float; allowed: int32[]", id="float"),
        pytest.param(True, ArraySpec([], "int32"), "found True, a bool; allowed: int32[]", id="bool"),
        pytest.param(
            np.float64(2), ArraySpec([], "int32"), "found float64[]; allowed: int32[]", id="numpy_float"
        ),
        pytest.param(
            jnp.asarray(1.5),
            ArraySpec([], "int32"),
            "found weak float32[]; allowed: int32[]",
            id="weak_float",
        ),
        pytest.param(
            2**40,
            ArraySpec([], "int32"),
            "found 1099511627776, which int32 can't hold; allowed: int32[]",
            id="big",
        ),
        pytest.param(
            -1, ArraySpec([], "uint8"), "found -1, which uint8 can't hold; allowed: uint8[]", id="negative"
        ),
        pytest.param(
            1e9,
            ArraySpec([], "float16"),
            "found 1000000000.0, which float16 can't hold; allowed: float16[]",
            id="huge",
        ),
        pytest.param(
            1, ArraySpec([], jax.random.key(0).dtype), "found 1, an int; allowed: key<fry>[]", id="key"
        ),
    ],
)
def test_other_values_are_refused(value, spec, text):
    with pytest.raises(TypeError) as error:
        cast(value, spec)
    assert str(error.value) == text


def test_an_infinity_stays_one():
    assert cast(float("inf"), AnyFloats) == np.inf


def test_a_weak_array_becomes_a_strong_one():
    assert not cast(jnp.asarray(1.0), ArraySpec([], "float32")).weak_type


# Copies.


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize("value", [3, int, Color.RED, vector, math.nan, {"a": [1, 2]}, len])
def test_a_copy_of_a_type_is_equal(again, value):
    assert again(type_of(value)) == type_of(value)


# Laws.

sizes = st.one_of(st.none(), st.integers(1, 2))
specs = st.builds(
    ArraySpec,
    st.one_of(st.none(), st.lists(sizes, max_size=2)),
    st.sampled_from(["float32", "int32"]),
    st.booleans(),
)
leaves = st.one_of(specs, st.sampled_from([1, True, 1.0, None, "a"]))
structures = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.tuples(inner),
        st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    ),
    max_leaves=3,
)
any_type = structures.map(lambda value: from_value(value, TracingContext(specs=True)))


@given(any_type, any_type, any_type)
def test_subtyping_is_a_partial_order(a, b, c):
    assert a.is_subtype_of(a)
    if a.is_subtype_of(b) and b.is_subtype_of(a):
        assert a == b
        assert hash(a) == hash(b)
    if a.is_subtype_of(b) and b.is_subtype_of(c):
        assert a.is_subtype_of(c)


@given(specs, specs, specs)
def test_the_common_supertype_is_the_least_one(a, b, c):
    common = a.most_specific_common_supertype([b])
    if common is None:
        assert not (a.is_subtype_of(c) and b.is_subtype_of(c))
    else:
        assert a.is_subtype_of(common)
        assert b.is_subtype_of(common)
        assert common == b.most_specific_common_supertype([a])
        if a.is_subtype_of(c) and b.is_subtype_of(c):
            assert common.is_subtype_of(c)


@given(any_type, any_type)
def test_the_common_supertype_of_structures_is_one(a, b):
    common = a.most_specific_common_supertype([b])
    if common is not None:
        assert a.is_subtype_of(common)
        assert b.is_subtype_of(common)
        assert common == b.most_specific_common_supertype([a])


@given(any_type, any_type)
def test_a_subtype_differs_nowhere(a, b):
    assert (a.differences(b, "x") == []) == a.is_subtype_of(b)


def test_placeholders_are_what_a_trace_gives():
    context: Placeholders = Arrays()
    assert type_of([vector, 1]).placeholder_value(context) == [ArraySpec((3,), "float32"), 1]
