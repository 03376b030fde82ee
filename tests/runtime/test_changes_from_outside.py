"""What Python changes between two calls, of what a function reads from outside: does the next call find it, as in Python?

Numbers, texts, flags, enums, None, functions, arrays, lists, dicts, tuples, sets, objects; in globals, closures, attributes of
objects and classes, items. Random sequences of calls and changes are compared with plain Python's.
"""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import enum
import functools
import importlib
import operator
import sys
import types
from collections.abc import Callable
from typing import Any, ClassVar

import jax
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import autograph_lite as al
from autograph_lite.operators.calls import method_patching

X = np.array([1.0, 2.0])

pytestmark = pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")


class Mode(enum.Enum):
    ADD = "add"
    TIMES = "times"


def double(x):
    return x * 2


def shifted(x):
    return x + 10


class Plain:
    """Without arrays."""

    def apply(self, x):
        return -x


class Scaled:
    """With one."""

    def __init__(self, by):
        self.by = by

    def apply(self, x):
        return x * self.by


class Settings:
    """What the function reads."""

    by_class = 1.0

    def __init__(self) -> None:
        self.rate, self.size, self.name, self.on = 0.5, 2, "a", True
        self.mode, self.best, self.act = Mode.ADD, None, double
        self.w = np.array([1.0, 3.0])
        self.sizes, self.table = [1, 2], {"lr": 0.1, "kind": "x"}
        self.shape, self.kept = (1, 2), {1, 2}
        self.rule: Any = Plain()


def reads(s):
    def read(x):
        y = x * s.rate + np.zeros(s.size).sum() + s.size
        if s.name == "a":
            y = y + 1
        elif s.on:
            y = y * 3
        if s.mode is Mode.TIMES:
            y = y * 5
        if s.best is not None:
            y = y + s.best
        y = s.act(y) + s.w
        for size in s.sizes:
            y = y + size
        if s.table["kind"] == "x":
            y = y * s.table["lr"]
        if 3 in s.kept:
            y = y - len(s.kept)
        return s.rule.apply(y) + np.ones(s.shape).sum() + s.by_class

    return read


NUMBERS = st.sampled_from([0.5, 0.25, 2, 3, -1.5])
CHANGES = st.one_of(
    st.tuples(st.just("rate"), NUMBERS),
    st.tuples(st.just("size"), st.sampled_from([1, 2, 3])),
    st.tuples(st.just("name"), st.sampled_from("ab")),
    st.tuples(st.just("on"), st.booleans()),
    st.tuples(st.just("mode"), st.sampled_from([*Mode])),
    st.tuples(st.just("best"), st.sampled_from([None, 1.0, 2.0, np.array([1.0, 2.0]), 3])),
    st.tuples(st.just("act"), st.sampled_from([double, shifted, np.tanh, np.abs])),
    st.tuples(st.just("w"), st.sampled_from([np.array([1.0, 3.0]), np.array([2.0, 1.0]), 4.0])),
    st.tuples(st.just("w[0]"), NUMBERS),
    st.tuples(st.just("sizes"), st.lists(NUMBERS, max_size=3)),
    st.tuples(st.just("sizes.append"), NUMBERS),
    st.tuples(st.just("table[lr]"), NUMBERS),
    st.tuples(st.just("table[kind]"), st.sampled_from("xy")),
    st.tuples(st.just("table"), st.fixed_dictionaries({"lr": NUMBERS, "kind": st.sampled_from("xy")})),
    st.tuples(st.just("shape"), st.sampled_from([(1, 2), (2, 2), (3,)])),
    st.tuples(st.just("kept.add"), st.sampled_from([3, 4])),
    st.tuples(st.just("rule"), st.sampled_from([None, 2.0, np.array([3.0, 1.0])])),
    st.tuples(st.just("rule.by"), st.sampled_from([5.0, np.array([1.0, 2.0])])),
    st.tuples(st.just("by_class"), NUMBERS),
    st.tuples(st.just("dict"), st.just(None)),
)


def change(s: Settings, what: str, value: Any) -> None:
    """Makes one of the changes, as plain Python does."""
    value = copy.deepcopy(value) if isinstance(value, (np.ndarray, list, dict)) else value
    match what:
        case "w[0]":
            if isinstance(s.w, np.ndarray):
                s.w[0] = value
        case "sizes.append":
            s.sizes.append(value)
        case "table[lr]" | "table[kind]":
            s.table[what[6:-1]] = value
        case "kept.add":
            s.kept.add(value)
        case "rule":
            s.rule = Plain() if value is None else Scaled(value)
        case "rule.by":
            s.rule.by = value
        case "dict":
            s.__dict__.update(rate=s.rate + 1, name="b")
        case _:
            setattr(s, what, value)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(CHANGES, max_size=3), min_size=2, max_size=6))
def test_each_call_finds_what_python_has_left(rounds: list[list[Any]]) -> None:
    with jax.enable_x64(True):
        ours, pythons = Settings(), Settings()
        converted, plain = al.convert(reads(ours)), reads(pythons)
        for changes in rounds:
            for what, value in changes:
                change(ours, what, value)
                change(pythons, what, value)
            np.testing.assert_allclose(converted(X), plain(X), err_msg=f"after {changes}")


def values(f: Any, put: Callable[[Any], object], given: list[Any]) -> list[Any]:
    """What calls give after each of the values was put where the function reads."""
    found = []
    for value in given:
        put(value)
        found.append(np.asarray(f(np.float32(1))).tolist())
    return found


RATE = 1.0


def test_a_number_is_an_input_after_the_first_change() -> None:
    global RATE
    RATE = 1.0
    f = al.convert(lambda x: x * RATE)
    assert values(f, lambda n: globals().update(RATE=n), [1.0, 2.0, 3.0, 4.0]) == [1, 2, 3, 4]
    assert f.trace_count == 2
    assert f.explain_retraces()[1].changed == ("RATE",)


def test_each_size_and_each_text_is_a_trace_and_comes_back_to_it() -> None:
    o = types.SimpleNamespace(n=1, name="a")
    f = al.convert(lambda x: np.zeros(o.n).size + x)
    g = al.convert(lambda x: x if o.name == "a" else -x)
    assert values(f, lambda n: setattr(o, "n", n), [1, 2, 3, 2, 1, 3]) == [2, 3, 4, 3, 2, 4]
    assert f.trace_count <= 4
    assert values(g, lambda text: setattr(o, "name", text), [*"abbab"]) == [1, -1, -1, 1, -1]
    assert g.trace_count <= 3


def test_a_variable_of_a_loop() -> None:
    found = []
    k = 0
    f = al.convert(lambda x: x * k)
    for k in range(5):  # noqa: B007 (the function reads it)
        found.append(float(f(np.float32(2))))
    assert found == [0, 2, 4, 6, 8]
    assert f.trace_count == 2


def test_a_schedule_of_plain_python() -> None:
    class Model:
        def __init__(self):
            self.rate, self.w = 0.5, np.zeros(2)

        @al.convert
        def step(self, g):
            self.w -= self.rate * g
            return self.w.sum()

    model, w = Model(), np.zeros(2)
    for i in range(5):
        model.step(X)
        w -= 0.5**i * 0.5 * X
        model.rate *= 0.5
        np.testing.assert_allclose(model.w, w, rtol=1e-6)
    assert model.step.trace_count == 2


class Constants:
    """A class without methods."""

    RATE = np.array([1.0, 2.0])


class Base:
    T: Any = np.array([1.0, 2.0])
    kept: ClassVar[dict[str, Any]] = {"a": np.array([1.0, 2.0])}


class Derived(Base):
    @al.convert
    def scaled(self, x):
        return self.T * x + self.kept["a"]

    @classmethod
    @al.convert
    def of_class(cls, x):
        return cls.T * x


@dataclasses.dataclass
class Held:
    w: Any
    T: ClassVar[Any] = np.array([1.0, 2.0])

    @al.convert
    def scaled(self, x):
        return self.w * self.T * x


def test_attributes_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    one = np.float32(1)
    f, g = al.convert(lambda x: Constants.RATE * x), al.convert(lambda kind, x: kind.T * x)
    d, held = Derived(), Held(np.ones(2))
    calls = [
        lambda: f(one), lambda: d.scaled(one), lambda: Derived.of_class(one), lambda: held.scaled(one),
        lambda: g(Base, one), lambda: g(d, one),
    ]  # fmt: skip
    assert [call().tolist() for call in calls] == [[1, 2], [2, 4], *[[1, 2]] * 4]
    monkeypatch.setattr(Constants, "RATE", np.array([1.0, 2.0]))
    Constants.RATE[0] = 7
    for kind in (Base, Held):
        monkeypatch.setattr(kind, "T", np.array([7.0, 8.0]))
    monkeypatch.setitem(Base.kept, "a", np.array([1.0, 1.0]))
    assert [call().tolist() for call in calls] == [[7, 2], [8, 9], *[[7, 8]] * 4]


def test_other_ways_to_read() -> None:
    class Point:
        __match_args__ = ("t",)

        def __init__(self, t):
            self.t = t

    point, get = Point(np.float32(1)), operator.attrgetter("t")

    def matched(x):
        match point:
            case Point(t):
                return t * x

    f, g = al.convert(matched), al.convert(lambda x: get(point) * x)
    h = al.convert(lambda x: globals()["RATE"] * x)
    assert values(f, lambda t: setattr(point, "t", t), [1.0, np.float32(5), 6.0]) == [1, 5, 6]
    assert values(g, lambda t: setattr(point, "t", t), [1.0, np.float32(5), 6.0]) == [1, 5, 6]
    assert values(h, lambda n: globals().update(RATE=n), [1.0, 2.0, 3.0]) == [1, 2, 3]


@pytest.mark.parametrize("make", [dict, collections.OrderedDict, lambda pairs: [array for _, array in pairs]])
def test_a_container_is_replaced_each_time_and_its_array_is_written(make: Any) -> None:
    class Optimiser:
        def __init__(self):
            self.reset()

        def reset(self):
            self.state = make([(0, np.zeros(2))])

        @al.convert
        def step(self, g):
            self.state[0] += g
            return self.state[0] * 2

    optimiser = Optimiser()
    for _ in range(4):
        for n in (1, 2):
            np.testing.assert_array_equal(optimiser.step(np.float64(1)), [2 * n, 2 * n])
            np.testing.assert_array_equal(optimiser.state[0], [n, n])
        optimiser.reset()


def test_what_is_made_in_the_first_call() -> None:
    class Lazy:
        def __init__(self):
            self.counts = {}
            self.k = None

        @al.convert
        def step(self, x):
            if self.k is None:
                self.k = 3
                return x * 100
            self.counts["n"] = self.counts.get("n", 0) + 1
            return x * self.k + self.counts["n"]

    lazy = Lazy()
    assert [int(lazy.step(np.int32(1))) for _ in range(4)] == [100, 4, 5, 6]
    lazy.k = None
    assert [int(lazy.step(np.int32(1))) for _ in range(3)] == [100, 7, 8]


def test_what_the_function_sets_and_python_takes_back() -> None:
    o = types.SimpleNamespace(dirty=True)

    @al.convert
    def f(x):
        o.dirty = True
        return x * 2

    for _ in range(3):
        f(X)
        assert o.dirty
        o.dirty = False


def test_a_counter_that_another_function_has_read_before() -> None:
    o = types.SimpleNamespace(n=0)

    @al.convert
    def push(x):
        o.n += 1
        return x

    get = al.convert(lambda x: x * o.n)
    found = []
    for _ in range(3):
        found.append(int(get(np.int32(1))))
        push(X)
    assert found == [0, 1, 2]


def test_an_array_that_is_computed_and_then_written() -> None:
    class Population:
        def __init__(self):
            self.rows = np.ones((3, 2))

        @al.convert
        def step(self, x):
            self.rows = self.rows * 2
            self.rows[1] = x
            return self.rows[0]

    population, rows = Population(), np.ones((3, 2))
    for i in range(3):
        rows = rows * 2
        rows[1] = i
        np.testing.assert_array_equal(population.step(np.float64(i)), rows[0])
        np.testing.assert_array_equal(population.rows, rows)


def test_a_function_is_named_as_an_attribute_that_it_reads() -> None:
    buffer = np.zeros(2)

    @al.convert
    def push(x):
        buffer[0] = x

    @al.convert
    def mean():
        return buffer.mean() if mean else 0

    for i in range(4):
        push(np.float64(i))
        assert float(mean()) == i / 2
    assert mean.trace_count == 2


def test_what_is_counted_in_code_that_is_not_converted_is_counted_while_tracing() -> None:
    class Probe:
        runs = 0

        @al.do_not_convert
        def __call__(self):
            self.runs += 1

    probe = Probe()
    f, g = (al.convert(functools.partial(lambda n, x: (probe(), x * n)[1], n)) for n in (2, 3))
    for _ in range(3):
        f(X)
        g(X)
    assert (f.trace_count, g.trace_count, probe.runs, type(probe.runs)) == (1, 1, 2, int)


def test_what_an_inner_converted_function_reads() -> None:
    o = types.SimpleNamespace(k=1.0)
    g = al.convert(lambda x: x * o.k)
    f = al.convert(lambda x: g(x) + 1)
    assert values(f, lambda k: setattr(o, "k", k), [1.0, 2.0, 3.0]) == [2, 3, 4]


def test_what_a_partial_function_holds() -> None:
    settings_, table = types.SimpleNamespace(rate=0.5), {"rate": 2.0}
    f = al.convert(functools.partial(lambda s, x: x * s.rate, settings_))
    g = functools.partial(lambda x, t: x * t["rate"], t=table)
    h = al.convert(lambda x: g(x))
    assert values(f, lambda n: setattr(settings_, "rate", n), [0.5, 0.25, 1.0]) == [0.5, 0.25, 1]
    assert values(h, lambda n: table.update(rate=n), [2.0, 3.0]) == [2, 3]


class Clip:
    def __call__(self, x):
        return np.minimum(x, 1.5)


@pytest.mark.parametrize("make", [lambda: lambda x: x * 2, Clip])
def test_what_only_the_place_has_held_is_taken_away(make: Any) -> None:
    o, table = types.SimpleNamespace(act=make()), {"act": make()}
    f = al.convert(lambda x: o.act(x) if o.act is not None else -x)
    g = al.convert(lambda x: table["act"](x) if "act" in table else -x)
    assert float(f(np.float32(1))) == float(g(np.float32(1))) > 0
    o.act = None
    del table["act"]
    assert float(f(np.float32(1))) == float(g(np.float32(1))) == -1


@pytest.mark.parametrize("holder", [list, dict])
def test_functions_that_are_registered(holder: Any) -> None:
    held: Any = [np.sin] if holder is list else {"a": np.sin}

    def through(x):
        for g in held if holder is list else held.values():
            x = g(x)
        return x

    f = al.convert(through)
    np.testing.assert_allclose(f(X), np.sin(X), rtol=1e-6)
    if holder is list:
        held.append(np.cos)
    else:
        held["b"] = np.cos
    np.testing.assert_allclose(f(X), np.cos(np.sin(X)), rtol=1e-6)


def test_an_attribute_that_was_not_there_or_stood_in_the_class() -> None:
    class C:
        k: Any = 2.0
        sizes = (1, 2)

    o = C()
    f = al.convert(lambda x: x * getattr(o, "bias", 1))
    g = al.convert(lambda x: x * o.k if o.k is not None else -x)
    h = al.convert(lambda x: x * sum(o.sizes))
    assert values(f, lambda n: setattr(o, "bias", n), [3.0, 4.0]) == [3, 4]
    del o.bias  # type: ignore[attr-defined]
    assert float(f(np.float32(1))) == 1
    assert float(g(np.float32(1))) == 2
    assert values(g, lambda k: setattr(o, "k", k), [None, 5.0, 6.0, None]) == [-1, 5, 6, -1]
    del o.k
    assert float(g(np.float32(1))) == 2
    assert float(h(np.float32(1))) == 3
    assert values(h, lambda n: setattr(o, "sizes", n), [(3, 4), (5,)]) == [7, 5]


def test_methods_and_classes_that_are_replaced() -> None:
    class A:
        def go(self, x):
            return x * 2

    class B:
        def go(self, x):
            return x * 5

    o: Any = A()
    f = al.convert(lambda x: o.go(x))
    found = [float(f(np.float32(1)))]
    A.go = lambda self, x: x * 3  # type: ignore[method-assign]
    found.append(float(f(np.float32(1))))
    o.go = lambda x: x * 4
    found.append(float(f(np.float32(1))))
    del o.go
    o.__class__ = B
    found.append(float(f(np.float32(1))))
    assert found == [2, 3, 4, 5]


def test_what_the_making_of_new_objects_reads() -> None:
    config = types.SimpleNamespace(hidden=2)

    class Layer:
        def __init__(self, config):
            self.k = config.hidden

    f = al.convert(lambda x: x * Layer(config).k)
    assert values(f, lambda n: setattr(config, "hidden", n), [2, 3, 4]) == [2, 3, 4]


def test_functions_that_the_function_swaps() -> None:
    o = types.SimpleNamespace(act=np.sin, other=np.cos)

    @al.convert
    def f(x):
        y = o.act(x)
        o.act, o.other = o.other, o.act
        return y

    for expected in (np.sin, np.cos, np.sin, np.cos):
        np.testing.assert_allclose(f(X), expected(X), rtol=1e-6)


def test_a_default_that_python_changes() -> None:
    config = {"mode": "a"}

    def f(x, config=config):
        return x if config["mode"] == "a" else -x

    converted = al.convert(f)
    assert values(converted, lambda text: config.update(mode=text), [*"abab"]) == [1, -1, 1, -1]


def test_objects_that_are_gone_are_no_error() -> None:
    class Item:
        def __init__(self, k):
            self.k = k

    class Model:
        def __init__(self):
            self.items = [Item(1.0)]

        @al.convert
        def up(self, x):
            for item in self.items:
                item.k = item.k + x.sum()
            return self.items[0].k

        @al.convert
        def read(self, x):
            return self.items[0].k * x

    model = Model()
    model.read(X)
    model.up(X)
    for _ in range(3):
        model.items = [Item(3.0)]
        assert float(model.up(X)) == 6
        np.testing.assert_allclose(model.read(X), 6 * X)


def test_sizes_beside_rates_and_replaced_settings_cost_no_traces() -> None:
    o: Any = types.SimpleNamespace(n=1, rate=1.0, config={"rate": 1.0, "n": 2}, pair=[1.0, 2.0])
    f = al.convert(lambda x: np.zeros(o.n).sum() + x * o.rate)
    g = al.convert(lambda x: x * o.config["rate"] + np.zeros(o.config["n"]).size)
    h = al.convert(lambda x: x * o.pair[0] + o.pair[1])
    for i in range(8):
        o.rate, o.config, o.pair = 0.5**i, {**o.config, "rate": i + 0.5}, [i + 0.5, 2.0]
        o.n = 1 if i < 3 else 2
        one = np.float32(1)
        assert [float(f(one)), float(g(one)), float(h(one))] == [0.5**i, i + 2.5, i + 2.5]
    assert max(f.trace_count, h.trace_count) <= 3
    assert g.trace_count <= 6  # the texts in its code may name attributes, too


def test_many_numbers_are_compared_at_one_go_until_one_changes() -> None:
    numbers, table = [float(i) for i in range(100)], {str(i): float(i) for i in range(100)}
    mixed = [*numbers, np.ones(2)]
    f = al.convert(lambda x: x * numbers[5] + table["7"] + mixed[8] + mixed[-1][0])
    expected = lambda: numbers[5] + table["7"] + mixed[8] + mixed[-1][0]
    for i in range(4):
        assert float(f(np.float32(1))) == expected()
        numbers[5] = table["7"] = mixed[8] = float(i)
        mixed[-1][0] = i
        assert float(f(np.float32(1))) == expected()
    numbers.append(1.0)
    table["new"] = 1.0
    assert float(f(np.float32(1))) == expected()


scale = 1.0


def test_a_global_of_the_name_of_an_attribute_is_not_read() -> None:
    o = types.SimpleNamespace(scale=2.0)
    f = al.convert(lambda x: x * o.scale)
    assert values(f, lambda n: globals().update(scale=n), [1.0, 3.0, 4.0]) == [2, 2, 2]
    assert f.trace_count == 1


def test_converted_methods_that_stand_in_for_a_while_are_no_change() -> None:
    class A:
        def go(self, x):
            return x * 2

    o = A()
    f = al.convert(lambda x: o.go(x))
    with method_patching.converted_methods():  # as somebody else's trace that is open meanwhile
        method_patching.convert_methods(o)
        f(X)
    f(X)
    assert f.trace_count == 1
    A.go = lambda self, x: x * 3  # type: ignore[method-assign]
    np.testing.assert_allclose(f(X), X * 3)


@pytest.mark.parametrize("text", [
    "from changing_config import rate\n    return x * rate",
    "import changing_config\n    return x * changing_config.rate",
    "import changing_config as config\n    return x * config.rate",
    "from changing_config import rate as other, size\n    return x * other * size",
    "import sys\n    return x * sys.modules['changing_config'].rate",
    "import sys\n    return x * sys.modules[__name__].rate",
], ids=["from", "whole", "as", "two", "of sys", "own"])  # fmt: skip
def test_what_a_function_imports_itself(text: str, tmp_path: Any, monkeypatch: Any) -> None:
    for name in ("changing_config", "changing_program"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "changing_config.py").write_text("rate, size = 1.0, 2.0\n")
    (tmp_path / "changing_program.py").write_text(
        f"import changing_config\nrate = 1.0\n\ndef f(x):\n    {text}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    program = importlib.import_module("changing_program")
    config = sys.modules["changing_config"]
    f = al.convert(program.f)
    for number in range(1, 4):
        config.rate = program.rate = float(number)
        assert f(1.5) == program.f(1.5)
    assert f.trace_count == 2


class Abstract(abc.ABC):
    @abc.abstractmethod
    def go(self, x: Any) -> Any: ...


class Concrete(Abstract):
    rate = 2.0

    def go(self, x: Any) -> Any:
        return x * self.rate


def test_an_abstract_class_does_not_lead_to_all_that_were_asked_whether_they_are_its_own() -> None:
    class Other:
        rate = 1.0

        def go(self, x: Any) -> Any:
            return x

    asked, thing = Other(), Concrete()
    assert not isinstance(asked, Abstract)

    @al.convert
    def f(x: Any) -> Any:
        return thing.go(x) if isinstance(thing, Abstract) else getattr(x, "nothing")  # noqa: B009

    assert f(1.5) == 3
    Other.rate = 3.0
    assert f(1.5) == 3
    assert f.trace_count == 1
    Concrete.rate = 4.0
    assert f(1.5) == 6


@pytest.mark.parametrize("text", [
    "from changing_config import w\n    w[0] += x\n    return w * 1",
    "import changing_config\n    changing_config.w[1] += x\n    changing_config.n = changing_config.n + x\n    return changing_config.n",
    "import changing_config as m\n    m.d['a'] = m.d['a'] + x\n    return m.d['a'] * 1",
    "from changing_config import o\n    o.w = o.w + x\n    o.n += 1\n    return o.w * o.n",
    "from changing_config import rows\n    rows[0] = rows[1] + x\n    return rows[0]",
    "import importlib\n    m = importlib.import_module('changing_config')\n    m.n = m.n + x\n    return m.n",
    "from changing_config import push\n    return push(x)",
], ids=["array", "whole", "dict", "object", "list", "by its name", "function"])  # fmt: skip
def test_what_a_function_writes_in_a_module_that_it_imports_itself(
    text: str, tmp_path: Any, monkeypatch: Any
) -> None:
    (tmp_path / "changing_config.py").write_text(
        "import types\nimport numpy as np\nw, n, d = np.ones(2), 1.0, {'a': np.ones(2)}\no = types.SimpleNamespace(w=np.ones(2), n=1)\n"
        "rows = [np.zeros(2), np.ones(2)]\n\ndef push(v):\n    global w\n    w = w + v\n    return w\n"
    )
    (tmp_path / "changing_program.py").write_text(f"def f(x):\n    {text}\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for convert in (al.convert, lambda f: f):
        for name in ("changing_config", "changing_program"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        f = convert(importlib.import_module("changing_program").f)
        found.append([np.asarray(f(np.float64(number))).tolist() for number in range(1, 5)])
        config = sys.modules["changing_config"]
        left = [config.w, config.n, config.d["a"], config.o.w, config.o.n, *config.rows]
        found[-1] += [np.asarray(each).tolist() for each in left]
    assert found[0] == found[1]
