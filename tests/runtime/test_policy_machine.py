"""Does the policy do, over random calls, mutations, failures and deaths, what a small model of it predicts?

Each step compares results, Variables, attributes, how often Python ran and how many traces there are. More steps with
AUTOGRAPH_LITE_FUZZ_PROGRAMS.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import dataclasses
import gc
import inspect
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

import autograph_lite as al
from autograph_lite import config
from tests.runtime.policy_model import Named, PlainVariable, Point, Policy, Thing, type_of


class Failed(Exception):
    """What tracing is made to raise."""


_runs, _fails = contextvars.ContextVar("runs", default=0), contextvars.ContextVar("fails", default=False)


class Probe:
    """Counts how often Python runs the function, and makes it fail; of no attribute that a trace would read."""

    runs = property(lambda self: _runs.get(), lambda self, runs: _runs.set(runs))
    fails = property(lambda self: _fails.get(), lambda self, fails: _fails.set(fails))

    def __deepcopy__(self, memo):
        return self

    @al.do_not_convert
    def __call__(self) -> None:
        self.runs += 1
        if self.fails:
            raise Failed


def make(count: Any, total: Any, probe: Any) -> Any:
    """The function: of arrays, literals, structures and objects, with Variables."""

    def f(x, n=2, *, tree=(), thing=None):
        probe()
        y = x
        for leaf in jax.tree.leaves([tree.x, tree.y] if isinstance(tree, Point) else tree):
            y = y + jnp.sum(leaf)
        if isinstance(n, str):
            y = y + len(n)
        elif n is not None:
            y = y * n
        if thing is not None:
            y = y + thing.gain
        count.assign_add(1)
        total.assign_add(jnp.sum(y).astype("float32"))
        if y.sum() > 0:
            y = y * 2
        return {"y": y, "n": n, "count": count.value}

    return f


def make_layer(probe: Any, convert: Any, variable: Any) -> Any:
    """A class with a converted method."""

    class Layer:
        def __init__(self, gain):
            self.gain, self.seen, self.last = gain, variable(0), jnp.float32(0)

        def __eq__(self, other):
            return isinstance(other, Layer)  # which makes no two methods one

        def __hash__(self):
            return 0

        @convert
        def step(self, x, n=2):
            probe()
            self.seen.assign_add(1)
            y = x * n + self.gain + self.last
            self.last = jnp.max(y).astype("float32")
            if y.sum() > 0:
                y = y * 2
            return y

    return Layer


def rooted(x: Any) -> Any:
    if x > 5:
        return x
    return jnp.sqrt(x)


def make_cell(probe: Any, convert: Any) -> Any:
    """A structure with a converted method, which reads its fields and writes one."""

    @dataclasses.dataclass
    class Cell:
        w: Any
        n: Any
        last: Any = 0.0

        @convert
        def step(self, x):
            probe()
            y = x * self.n + jnp.sum(self.w) + self.last
            self.last = jnp.max(y).astype("float32")
            if y.sum() > 0:
                y = y * 2
            return y

    return Cell


def moved(source: Any, target: Any) -> Any:
    """A function of Variables, which may be the same."""
    source.assign_sub(1.0)
    target.assign_add(2 * source.value)
    return target.value + source.value


def array(kind: str, dtype: str, shape: tuple[int, ...], first: int) -> Any:
    """An array; of JAX's or NumPy's, a scalar, or weakly typed."""
    if kind == "weak":
        return jnp.asarray(float(first) if dtype == "float32" else first)
    values = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 + first).astype(dtype)
    if kind == "numpy":
        return values.astype(np.dtype(dtype).kind + "8")
    return values.flat[0] if kind == "scalar" else jnp.asarray(values)


@dataclasses.dataclass(frozen=True)
class Spelled:
    """Arrays are made at the call, as they depend on x64."""

    make: Any
    arguments: tuple[Any, ...]

    def value(self) -> Any:
        return self.make(*self.arguments)


kinds = st.sampled_from(["jax", "jax", "jax", "numpy", "scalar", "weak"])
dtypes = st.sampled_from(["float32", "float32", "int32"])
sizes = st.sampled_from([(3,), (3,), (4,), (1,), (), (2, 3), (2, 2)])
usual = st.sampled_from([Spelled(array, ("jax", "float32", (size,), 1)) for size in (3, 3, 4)])
any_array = st.tuples(kinds, dtypes, sizes, st.integers(-3, 2)).map(lambda drawn: Spelled(array, drawn))
arrays = st.one_of(usual, usual, any_array)  # only what comes again can be taken for what it is not
literals = st.sampled_from([2, 2, 1, 1.0, True, 0.0, -0.0, "ab", None])
scalars = st.sampled_from(["float32", "int32"]).map(lambda dtype: Spelled(array, ("scalar", dtype, (1,), 2)))
leaves = st.one_of(st.sampled_from([1, 2, 1.0, True]), arrays)
trees = st.one_of(
    st.sampled_from([(), (), [], {}]),
    st.lists(leaves, max_size=2),
    st.tuples(leaves, leaves),
    st.dictionaries(st.sampled_from("abc"), leaves, max_size=2),
    st.builds(Point, leaves, leaves),
)


def built(value: Any) -> Any:
    """The value, with its arrays made."""
    match value:
        case Spelled():
            return value.value()
        case Point():
            return Point(built(value.x), built(value.y))
        case dict():
            return {key: built(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(built, value))
    return value


def plain(value: Any) -> Any:
    """The value with JAX's arrays in the place of NumPy's."""
    is_array = lambda leaf: isinstance(leaf, (np.ndarray, np.generic))
    if isinstance(value, Point):
        return Point(plain(value.x), plain(value.y))
    return jax.tree.map(lambda leaf: jnp.asarray(leaf) if is_array(leaf) else leaf, value)


@dataclasses.dataclass
class Beside:
    """A function beside its model."""

    function: Any
    policy: Policy
    variables: dict[str, Any]
    model: dict[str, PlainVariable]

    def expected(self, arguments: dict[str, Any]) -> Any:
        """What the plain function gives."""
        return make(**self.model, probe=lambda: None)(**arguments)


def spelled(signature: inspect.Signature, given: dict[str, Any], positional: int) -> Any:
    """Arguments by position, so many, and by keyword."""
    names = [name for name, p in signature.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    first: list[str] = []
    for name in names[:positional]:
        if name not in given:
            break
        first.append(name)
    return [given[n] for n in first], {n: v for n, v in given.items() if n not in first}


class PolicyMachine(RuleBasedStateMachine):
    """Calls of functions and methods, beside the model."""

    calls, things, layers, cells, functions = (
        Bundle("calls"),
        Bundle("things"),
        Bundle("layers"),
        Bundle("cells"),
        Bundle("functions"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.probe, self.objects, self.all = Probe(), {}, []
        self.methods: dict[int, tuple[Any, Any, Policy]] = {}

    def teardown(self) -> None:
        jax.config.update("jax_debug_nans", False)

    @initialize(target=functions, reduce=st.booleans(), bound=st.sampled_from([None, None, 3]))
    def start(self, reduce: bool, bound: int | None) -> Any:
        self.bound = bound
        variables = {"count": al.Variable(0), "total": al.Variable(0.0)}
        convert = lambda fn: al.convert(fn, reduce_retracing=reduce, max_traces=bound)
        self.layer = make_layer(self.probe, convert, al.Variable)
        self.plain_layer = make_layer(lambda: None, lambda fn: fn, PlainVariable)
        self.cell, self.plain_cell = make_cell(self.probe, convert), make_cell(lambda: None, lambda fn: fn)
        self.of_cells, self.pairs_of_cells = Policy(reduce=reduce), list[tuple[Any, Any]]()
        self.reduce = reduce
        model = {"count": PlainVariable(0), "total": PlainVariable(jnp.float32(0))}
        self.moved, self.pairs = al.convert(moved), set[bool]()
        self.rooted = al.convert(rooted)
        self.passed = [al.Variable(float(i)) for i in range(3)], [PlainVariable(float(i)) for i in range(3)]
        function = convert(make(**variables, probe=self.probe))
        self.all.append(Beside(function, Policy(reduce=reduce), variables, model))
        return 0

    def bound_types(self, signature: inspect.Signature, given: dict[str, Any], x64: bool) -> Any:
        values = {**{n: p.default for n, p in signature.parameters.items()}, **given}
        return tuple((name, type_of(value, x64=x64)) for name, value in values.items())

    def ran(
        self, policy: Policy, own: Any, x64: bool, call: Any, gains: Any = None, *, exact: bool = False
    ) -> Any:
        """What a call gives; Python runs only where the model has no trace. None if tracing failed, as it had to."""
        runs, known = self.probe.runs, policy.knows(own, gains or {}, x64=x64, exact=exact)
        if self.bound is not None:
            return call()
        if self.probe.fails and not known:
            with pytest.raises(Failed):
                call()
            return None
        result = call()
        assert (self.probe.runs == runs) == known
        return result

    def compared(self, got: Any, expected: Any) -> None:
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)

    def call(self, tested: Beside, drawn: dict[str, Any], positional: int, x64: bool) -> None:
        with jax.enable_x64(x64):
            given = {name: built(value) for name, value in drawn.items()}
            objects = [self.objects[given["thing"]]] if given.get("thing") in self.objects else []
            if "thing" in given:
                given["thing"] = objects[0] if objects else None
            args, kwargs = spelled(inspect.signature(tested.function), given, positional)
            own = self.bound_types(inspect.signature(tested.function), given, x64)
            gains = {thing.kind: thing.gain for thing in objects}
            result = self.ran(tested.policy, own, x64, lambda: tested.function(*args, **kwargs), gains)
            if result is None:
                return
            tested.policy.call(own, objects, gains, x64=x64)
            arguments = {name: plain(value) for name, value in given.items() if name != "thing"}
            if objects:
                arguments["thing"] = SimpleNamespace(gain=objects[0].gain)
            expected = tested.expected(arguments)
            self.compared(result["y"], expected["y"])
            self.compared(result["count"], expected["count"])
            n = given.get("n", 2)
            assert type(result["n"]) is type(n) or isinstance(result["n"], jax.Array)
            assert repr(result["n"]) == repr(n) or result["n"] == n

    @rule(on=st.booleans(), within=st.booleans(), x=st.sampled_from([-1.0, 4.0]))
    def look_for_nans(self, on: bool, within: bool, x: float) -> None:
        """What is switched for all threads stays on for the rules after it; for this one, as long as the call takes."""
        if not within:
            jax.config.update("jax_debug_nans", on)
        found = False
        with jax.debug_nans(on) if within else contextlib.nullcontext():
            try:
                self.rooted(jnp.float32(x))
            except FloatingPointError:
                found = True
        assert found == (on and x < 0)
        assert self.rooted.trace_count == 1

    @rule(
        target=calls,
        number=functions,
        x=arrays,
        given=st.fixed_dictionaries(
            {}, optional={"n": literals | scalars, "tree": trees, "thing": st.one_of(st.none(), things)}
        ),
        positional=st.integers(0, 2),
        x64=st.sampled_from([False, False, False, True]),
    )
    def call_anew(self, number: int, x: Any, given: Any, positional: int, x64: bool) -> Any:
        drawn = {"x": x, **given}
        self.call(self.all[number], drawn, positional, x64)
        return drawn, x64

    @rule(
        number=functions,
        known=calls,
        positional=st.integers(0, 2),
        x=arrays,
        n=literals,
        other=st.sampled_from(["", "", "x", "n"]),
    )
    def call_again(self, number: int, known: Any, positional: int, x: Any, n: Any, other: str) -> None:
        drawn, x64 = known
        changed = {"x": x} if other == "x" else {"n": n} if other == "n" else {}
        self.call(self.all[number], {**drawn, **changed}, positional, x64)

    @rule(number=functions, x=usual, literals=st.permutations([1, 1.0, True]), positional=st.integers(0, 2))
    def call_with_equal_literals(self, number: int, x: Any, literals: Any, positional: int) -> None:
        for n in literals:
            self.call(self.all[number], {"x": x, "n": n}, positional, False)

    @rule(number=functions, x=usual, thing=things, times=st.integers(1, 3))
    def call_with_thing(self, number: int, x: Any, thing: int, times: int) -> None:
        for _ in range(times):
            self.call(self.all[number], {"x": x, "thing": thing}, 1, False)

    @rule(number=functions, x=arrays, n=literals)
    def fail(self, number: int, x: Any, n: Any) -> None:
        self.probe.fails = self.bound is None
        try:
            self.call(self.all[number], {"x": x, "n": n}, 2, False)
        finally:
            self.probe.fails = False

    @rule(number=functions, x=arrays, n=literals)
    def run_eagerly(self, number: int, x: Any, n: Any) -> None:
        tested, given = self.all[number], {"x": built(x), "n": n}
        runs = self.probe.runs
        al.run_functions_eagerly(True)
        try:
            got = tested.function(**given)
        finally:
            al.run_functions_eagerly(False)
        expected = tested.expected({"x": plain(given["x"]), "n": n})
        np.testing.assert_array_equal(got["y"], expected["y"])
        assert self.probe.runs == runs + 1

    @rule(number=functions, shape=st.sampled_from([(3,), (4,), (None,), (None, 3), None, ()]), n=literals)
    def specify(self, number: int, shape: Any, n: Any) -> None:
        tested = self.all[number]
        given = {"x": al.ArraySpec(shape, "float32"), "n": n}
        own = (("x", ("array", shape, "float32", False)), *self.bound_types(_REST, {"n": n}, False))
        concrete = self.ran(
            tested.policy, own, False, lambda: tested.function.get_concrete_function(**given), exact=True
        )
        tested.policy.call(own, [], {}, x64=False, exact=True)
        assert len(concrete.function_type.parameters) == 4

    @rule(number=functions)
    def clear(self, number: int) -> None:
        self.all[number].function.clear_cache()
        self.all[number].policy.traces.clear()

    @rule(number=functions, count=st.integers(0, 3), total=st.integers(-3, 3))
    def assign(self, number: int, count: int, total: int) -> None:
        tested = self.all[number]
        for variables in (tested.variables, tested.model):
            variables["count"].assign(count)
            variables["total"].assign(jnp.float32(total))

    @rule(first=st.integers(0, 2), second=st.integers(0, 2))
    def pass_variables(self, first: int, second: int) -> None:
        """Other Variables use the same trace; the same one twice is another."""
        got, expected = (fn(held[first], held[second]) for fn, held in zip((self.moved, moved), self.passed))
        self.pairs.add(first == second)
        assert float(got) == float(expected)
        assert self.moved.trace_count == len(self.pairs)

    @rule(target=things, kind=st.sampled_from([Thing, Named]), gain=st.integers(-2, 2))
    def make_thing(self, kind: Any, gain: int) -> Any:
        thing = kind(gain)
        self.objects[id(thing)] = thing
        return id(thing)

    @rule(thing=things, gain=st.integers(-2, 2))
    def change(self, thing: int, gain: int) -> None:
        """What a trace has read of it is read again."""
        if isinstance(self.objects.get(thing), Thing) and self.bound is None:
            self.objects[thing].gain = gain

    @rule(thing=consumes(things))
    def kill(self, thing: int) -> None:
        if self.objects.pop(thing, None) is not None:
            gc.collect()
            for tested in self.all:
                tested.policy.gone(thing)

    @rule(number=functions, x=usual, kind=st.sampled_from([Thing, Named]), times=st.integers(1, 2))
    def call_with_passing_things(self, number: int, x: Any, kind: Any, times: int) -> None:
        for gain in range(times):
            thing = self.make_thing(kind, gain)
            self.call(self.all[number], {"x": x, "thing": thing}, 1, False)
            self.kill(thing)

    @rule(target=layers, gain=st.integers(-2, 2))
    def make_one_layer(self, gain: int) -> Any:
        layer = self.layer(gain)
        self.methods[id(layer)] = layer, self.plain_layer(gain), Policy(reduce=self.reduce)
        return id(layer)

    @rule(known=layers, x=arrays, n=st.sampled_from([2, 3, 0.5]), keyword=st.booleans(), fails=st.booleans())
    def step(self, known: int, x: Any, n: Any, keyword: bool, fails: bool) -> None:
        if known not in self.methods:
            return
        layer, model, policy = self.methods[known]
        given = {"x": built(x), **({"n": n} if n != 2 else {})}
        args, kwargs = ((), given) if keyword else (tuple(given.values()), {})
        own = self.bound_types(inspect.signature(layer.step), given, False)
        self.probe.fails = fails and self.bound is None
        try:
            gains = {"gain": model.gain}
            result = self.ran(policy, own, False, lambda: layer.step(*args, **kwargs), gains)
        finally:
            self.probe.fails = False
        if result is not None:
            policy.call(own, [], gains, x64=False)
            self.compared(result, model.step(plain(given["x"]), n))

    @rule(known=layers, gain=st.integers(-2, 2), last=st.integers(-2, 2))
    def change_layer(self, known: int, gain: int, last: int) -> None:
        """Its method writes one of the attributes."""
        for layer in self.methods.get(known, ())[:2]:
            layer.last = jnp.float32(last)
            if self.bound is None:
                layer.gain = gain

    @rule(known=consumes(layers))
    def kill_layer(self, known: int) -> None:
        if self.methods.pop(known, None) is not None:
            gc.collect()

    @rule(target=cells, w=leaves, n=st.sampled_from([2, 3, 0.5]))
    def make_one_cell(self, w: Any, n: Any) -> Any:
        w = built(w)
        self.pairs_of_cells.append((self.cell(w, n), self.plain_cell(plain(w), n)))
        return len(self.pairs_of_cells) - 1

    @rule(number=cells, x=arrays, by_class=st.booleans(), fails=st.booleans())
    def step_cell(self, number: int, x: Any, by_class: bool, fails: bool) -> None:
        """All cells share their traces, with calls by way of the class."""
        cell, model = self.pairs_of_cells[number]
        x = built(x)
        own = (("self", type_of(cell, x64=False)), ("x", type_of(x, x64=False)))
        self.probe.fails = fails and self.bound is None
        try:
            call = lambda: self.cell.step(cell, x) if by_class else cell.step(x)
            result = self.ran(self.of_cells, own, False, call)
        finally:
            self.probe.fails = False
        if result is not None:
            self.of_cells.call(own, [], {}, x64=False)
            self.compared(result, model.step(plain(x)))
            self.compared(cell.last, model.last)

    @rule(
        number=cells,
        field=st.sampled_from(["w", "w", "n", "last"]),
        array=leaves,
        literal=st.sampled_from([2, 3, 0.5]),
        again=usual,
    )
    def change_cell(self, number: int, field: str, array: Any, literal: Any, again: Any) -> None:
        """Its method sees what is there at the next call."""
        value = built(array) if field == "w" else literal
        for cell in self.pairs_of_cells[number]:
            setattr(cell, field, plain(value) if isinstance(cell, self.plain_cell) else value)
        self.step_cell(number, again, False, False)

    @rule(target=functions, number=functions, deep=st.booleans())
    def copied(self, number: int, deep: bool) -> Any:
        if not hasattr(al.Function, "__deepcopy__") or len(self.all) > 3:
            return multiple()
        old = self.all[number]
        function = copy.deepcopy(old.function) if deep else copy.copy(old.function)
        model = {k: PlainVariable(v.value) for k, v in old.model.items()} if deep else old.model
        held = inspect.getclosurevars(function.python_function).nonlocals
        variables = {name: held[name] for name in model}
        assert (variables["count"] is old.variables["count"]) == (not deep)
        self.all.append(Beside(function, Policy(reduce=self.reduce), variables, model))
        return len(self.all) - 1

    @invariant()
    def variables_hold_what_they_should(self) -> None:
        for tested in self.all:
            for name, variable in tested.variables.items():
                assert float(variable) == float(tested.model[name].value)
        assert [float(v) for v in self.passed[0]] == [float(v.value) for v in self.passed[1]]
        for layer, model, _ in self.methods.values():
            assert (float(layer.seen), float(layer.last)) == (float(model.seen.value), float(model.last))

    @invariant()
    def traces_are_those_of_the_model(self) -> None:
        functions = [(tested.function, tested.policy) for tested in self.all]
        functions.append((self.cell.step, self.of_cells))
        functions += [(layer.step, policy) for layer, _, policy in self.methods.values()]
        for function, policy in functions:
            kept = len(function.concrete_functions)
            if self.bound is None:
                assert (function.trace_count, kept) == (policy.count, len(policy.traces))
            else:
                assert kept <= self.bound
                assert function.trace_count >= policy.count


_REST = inspect.Signature(list(inspect.signature(make(None, None, None)).parameters.values())[1:])


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    yield
    al.run_functions_eagerly(False)


@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
def test_a_trace_for_any_rank_that_calls_have_made_is_not_traced_again_where_it_is_asked_for() -> None:
    steps = PolicyMachine()
    steps.start(reduce=True, bound=None)
    steps.specify(0, (None, 3), 2)
    steps.call(
        steps.all[0], {"x": jnp.ones(4), "n": 2}, 2, False
    )  # of any rank from here on, traced for (4,)
    steps.specify(0, None, 2)
    steps.traces_are_those_of_the_model()
    steps.call(steps.all[0], {"x": jnp.float32(1), "n": 2}, 2, False)
    steps.traces_are_those_of_the_model()
    assert steps.all[0].function.trace_count == 3
    steps.teardown()


@pytest.mark.filterwarnings("ignore::autograph_lite.RetraceWarning")
def test_the_policy_is_that_of_the_model() -> None:
    examples = max(1, config.options().fuzz_programs // 100)
    settings = hypothesis.settings(
        max_examples=examples,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=set(hypothesis.Phase) - {hypothesis.Phase.shrink, hypothesis.Phase.explain},
    )
    hypothesis.stateful.run_state_machine_as_test(PolicyMachine, settings=settings)
