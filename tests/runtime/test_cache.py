"""Which trace serves a call? Rows named R... are the measured cases of the reference; `!` marks where we differ."""

from __future__ import annotations

import gc
import weakref

import jax.numpy as jnp
import pytest
from hypothesis import given, strategies as st

from autograph_lite.runtime.tracing.trace_cache import TraceCache
from autograph_lite.runtime.types.array_spec import ArraySpec
from autograph_lite.runtime.types.function_type import FunctionType
from autograph_lite.runtime.types.trace_type import Single
from tests.runtime.traces import of_call


def anything(*args, **named): ...


def type_of(*args, **named) -> FunctionType:
    return of_call(anything, args, named, specs=True)[0]


def floats(*shape):
    return ArraySpec(shape, "float32")


def ints(*shape):
    return ArraySpec(shape, "int32")


ANY = ArraySpec(None, "float32")


class Object: ...


def traced(calls, *, reduce_retracing=True):
    """How many traces there are after each call, and the types of all of them."""
    cache: TraceCache[str] = TraceCache()
    counts = []
    for args, named in calls:
        type = type_of(*args, **named)
        if cache.lookup(type) is None:
            type = cache.generalize(type) if reduce_retracing else type
            cache.add(type, str(type))
        counts.append(len(cache))
    return counts, list(cache)


def calls(*rows):
    return [(row if isinstance(row, tuple) else (row,), {}) for row in rows]


REDUCED = {
    "R80": (
        calls(floats(3), floats(5), floats(7), floats(3)),
        [1, 2, 2, 2],
        ["(args_0: float32[3], /)", "(args_0: float32[?], /)"],
    ),
    "R81": (
        calls(floats(2, 3), floats(2, 4), floats(5, 6), floats(9, 9), floats(2, 3)),
        [1, 2, 3, 3, 3],
        ["(args_0: float32[2,3], /)", "(args_0: float32[2,?], /)", "(args_0: float32[?,?], /)"],
    ),
    "R82": (
        calls(floats(2), floats(2, 2), floats(2, 2, 2), floats()),
        [1, 2, 2, 2],
        ["(args_0: float32[2], /)", "(args_0: float32[...], /)"],
    ),
    "R83": (
        calls(floats(2), ints(2), floats(3), ints(3), ints(4)),
        [1, 2, 3, 4, 4],
        [f"(args_0: {text}, /)" for text in ("float32[2]", "int32[2]", "float32[?]", "int32[?]")],
    ),
    "R84": (
        calls((floats(2), 1), (floats(3), 2), (floats(3), 1), (floats(4), 1), (floats(4), 2), (floats(5), 2)),
        [1, 2, 3, 3, 4, 4],
        [
            f"(args_0: float32[{size}], args_1: Literal[{number}], /)"
            for size, number in (("2", 1), ("3", 2), ("?", 1), ("?", 2))
        ],
    ),
    "R85": (
        calls(
            {"a": floats(2), "b": [floats(2)]},
            {"a": floats(3), "b": [floats(2)]},
            {"a": floats(3), "b": [floats(4)]},
            {"a": floats(9), "b": [floats(9)]},
            {"a": floats(9), "b": [floats(9), floats(9)]},
        ),
        [1, 2, 3, 3, 4],
        [
            "(args_0: {'a': float32[2], 'b': [float32[2]]}, /)",
            "(args_0: {'a': float32[?], 'b': [float32[2]]}, /)",
            "(args_0: {'a': float32[?], 'b': [float32[?]]}, /)",
            "(args_0: {'a': float32[9], 'b': [float32[9], float32[9]]}, /)",
        ],
    ),
    "R86!": (
        calls(floats(2), (floats(2), floats(2)), floats(3), floats(4)),
        [1, 2, 3, 3],
        ["(args_0: float32[2], /)", "(args_0: float32[2], args_1: float32[2], /)", "(args_0: float32[?], /)"],
    ),
    "R99!": (
        calls(floats(2), (floats(2), floats(2))),
        [1, 2],
        ["(args_0: float32[2], /)", "(args_0: float32[2], args_1: float32[2], /)"],
    ),
    "R100": (
        calls((floats(2), floats(2)), floats(2), floats(3)),
        [1, 2, 3],
        ["(args_0: float32[2], args_1: float32[2], /)", "(args_0: float32[2], /)", "(args_0: float32[?], /)"],
    ),
    "R101!": (
        [((), {"a": floats(2)}), ((), {"b": floats(2)}), ((), {"a": floats(2), "b": floats(2)})],
        [1, 2, 3],
        ["(*, a: float32[2])", "(*, b: float32[2])", "(*, a: float32[2], b: float32[2])"],
    ),
}


@pytest.mark.parametrize(("rows", "counts", "types"), REDUCED.values(), ids=REDUCED)
def test_what_varies_is_generalized(rows, counts, types):
    assert traced(rows) == (counts, types)


class Number(Single):
    """A trace type with a supertype: that of all numbers."""

    def __init__(self, value):
        self.value = value

    def is_subtype_of(self, other):
        return isinstance(other, Number) and other.value in (None, self.value)

    def most_specific_common_supertype(self, others):
        alike = all(isinstance(other, Number) for other in others)
        return Number(self.value if {o.value for o in others} <= {self.value} else None) if alike else None

    def placeholder_value(self, context):
        return self.value

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


def test_R151_users_trace_types_generalize():
    assert traced(calls(Number(1), Number(2), Number(3), Number(1)))[0] == [1, 2, 2, 2]


def filled(*specs):
    cache: TraceCache[str] = TraceCache()
    for spec in specs:
        cache.add(type_of(spec), str(spec))
    return cache


SHAPES = {(2, 2): "float32[2,2]", (3, 2): "float32[?,2]", (2, 3): "float32[2,?]", (3, 3): "float32[?,?]"}
TARGETS = [floats(2, 2), floats(2, None), floats(None, 2), floats(None, None), ANY]


@pytest.mark.parametrize("order", [1, -1], ids=["R104-specific_first", "R91!-general_first"])
def test_the_most_specific_trace_serves(order):
    cache = filled(*TARGETS[::order])
    assert {shape: cache.lookup(type_of(floats(*shape))) for shape in SHAPES} == SHAPES
    assert cache.lookup(type_of(floats(3))) == "float32[...]"
    assert cache.lookup(type_of(floats())) == "float32[...]"


@pytest.mark.parametrize("order", [1, -1])
def test_R92_of_two_that_nothing_orders_the_older_serves(order):
    specs = [floats(None, 2), floats(2, None)][::order]
    assert filled(*specs).lookup(type_of(floats(2, 2))) == str(specs[0])


def test_R88_a_trace_of_any_size_serves_calls():
    cache = filled(floats(None))
    assert cache.lookup(type_of(floats(3))) == "float32[?]"
    assert cache.lookup(type_of(floats(2, 2))) is None
    assert cache.lookup(type_of(ints(3))) is None


@pytest.mark.parametrize("row", ["R105!", "R92!"])
def test_a_general_trace_does_not_block_a_more_specific_one(row):
    cache = filled(floats(None))
    special = type_of(floats(3))
    assert cache.lookup(special) == "float32[?]"
    assert cache.lookup(special, exact=True) is None
    cache.add(special, "special")
    assert cache.lookup(special) == "special"
    assert cache.lookup(special, exact=True) == "special"
    assert cache.lookup(type_of(floats(4))) == "float32[?]"


def test_R89_literals_are_told_apart():
    cache: TraceCache[str] = TraceCache()
    cache.add(type_of(floats(), 2), "two")
    assert cache.lookup(type_of(floats(), 2)) == "two"
    assert cache.lookup(type_of(floats(), 3)) is None
    assert cache.lookup(type_of(floats(), 2.0)) is None


def test_a_weakly_typed_call_is_not_served_by_a_strong_trace():
    cache = filled(floats())
    assert cache.lookup(type_of(jnp.asarray(1.0))) is None


def test_traces_of_another_context_do_not_serve():
    cache: TraceCache[str] = TraceCache()
    cache.add(type_of(floats(None)), "x64", context="x64")
    assert cache.lookup(type_of(floats(2))) is None
    assert cache.lookup(type_of(floats(2)), "x64") == "x64"
    assert cache.generalize(type_of(floats(2))) == type_of(floats(2))
    assert cache.generalize(type_of(floats(2)), "x64") == type_of(floats(None))


def test_a_type_that_is_added_again_has_the_new_trace():
    cache = filled(floats(2))
    cache.add(type_of(floats(2)), "new")
    assert list(cache) == ["new"]
    assert cache.lookup(type_of(floats(2))) == "new"


# Dropped traces.


def test_R33_traces_of_dead_objects_are_dropped():
    cache: TraceCache[Object] = TraceCache()
    trace, owner = Object(), Object()
    alive = weakref.ref(trace)
    cache.add(type_of({"model": owner}, floats(2)), trace)
    del trace
    assert cache.lookup(type_of({"model": owner}, floats(2))) is alive()
    assert cache.evict() == 0
    del owner
    gc.collect()
    assert len(cache) == 0
    gc.collect()
    assert alive() is None


def test_the_trace_of_a_method_goes_with_its_instance():
    class Model:
        def step(self): ...

    cache: TraceCache[str] = TraceCache()
    model = Model()
    cache.add(type_of(model.step), "step")
    gc.collect()
    assert cache.lookup(type_of(model.step)) == "step"
    del model
    gc.collect()
    assert cache.evict() == 1


def test_an_object_that_dies_twice_over_drops_one_trace():
    cache: TraceCache[str] = TraceCache()
    owner = Object()
    cache.add(type_of(owner, [owner]), "first")
    cache.add(type_of(owner, [owner]), "second")
    cache.add(type_of(1), "other")
    del owner
    gc.collect()
    assert cache.evict() == 1
    assert list(cache) == ["other"]


def test_R134_the_trace_that_was_used_least_recently_is_dropped():
    cache: TraceCache[int] = TraceCache(max_traces=2)
    cache.add(type_of(1), 1)
    cache.add(type_of(2), 2)
    assert cache.lookup(type_of(1)) == 1
    cache.add(type_of(3), 3)
    assert list(cache) == [1, 3]
    assert cache.lookup(type_of(2)) is None


def test_R134_no_bound_keeps_all():
    cache: TraceCache[int] = TraceCache()
    for number in range(300):
        cache.add(type_of(number), number)
    assert len(cache) == 300


def test_a_bound_below_one_is_refused():
    with pytest.raises(ValueError) as error:
        TraceCache(0)
    assert str(error.value) == "max_traces is at least 1, or None for any number: found 0."


def test_a_dropped_trace_answers_no_more():
    cache: TraceCache[str] = TraceCache(max_traces=1)
    cache.add(type_of(floats(None)), "general")
    assert cache.lookup(type_of(floats(3))) == "general"
    cache.add(type_of(1), "other")
    assert cache.lookup(type_of(floats(3))) is None


def test_no_trace_is_left_when_all_are_cleared():
    cache = filled(*TARGETS)
    cache.clear()
    assert len(cache) == 0
    assert cache.lookup(type_of(floats(2, 2))) is None


# Laws.

shapes = st.lists(st.one_of(st.none(), st.integers(1, 2)), max_size=2).map(tuple)


@given(st.lists(shapes, max_size=6, unique=True), shapes)
def test_the_trace_that_serves_accepts_the_call_and_no_other_is_more_specific(targets, shape):
    cache: TraceCache[FunctionType] = TraceCache()
    for target in targets:
        cache.add(type_of(floats(*target)), type_of(floats(*target)))
    wanted = type_of(floats(*shape))
    accepting = [type for type in cache if wanted.is_subtype_of(type)]
    found = cache.lookup(wanted)
    assert (found is None) == (not accepting)
    if found is not None:
        assert wanted.is_subtype_of(found)
        assert not any(type.is_subtype_of(found) for type in accepting if type != found)


@given(st.lists(shapes, min_size=1, max_size=6))
def test_a_generalized_type_serves_the_call(rows):
    cache: TraceCache[FunctionType] = TraceCache()
    for row in rows:
        type = type_of(floats(*row))
        general = cache.generalize(type)
        assert type.is_subtype_of(general)
        cache.add(general, general)
