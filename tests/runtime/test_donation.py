"""Which arrays does a call give away? Those that `jax.jit` would, and none that somebody still holds."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, DonatedArrayError, Variable, convert

X = jnp.arange(3.0)


def new(*shape: int) -> jax.Array:
    return jnp.ones(shape or 3)


def gone(tree: Any) -> list[bool]:
    return [leaf.is_deleted() for leaf in jax.tree.leaves(tree)]


def plain(a: Any, b: Any, c: Any = 1) -> Any:
    return a + 1, b + 2, c * 3.0


def with_rest(a: Any, *rest: Any, **named: Any) -> Any:
    return a + 1, [each + 2 for each in rest], {key: value + 3 for key, value in named.items()}


def by_keyword(a: Any, /, b: Any, *, c: Any) -> Any:
    return a + 1, b + 2, c + 3


@pytest.mark.parametrize(
    ("fn", "options", "args", "kwargs"),
    [
        (plain, {"donate_argnums": 0}, 2, ""),
        (plain, {"donate_argnums": (0, 1)}, 2, ""),
        (plain, {"donate_argnums": [1]}, 1, "b"),
        (plain, {"donate_argnums": 1, "donate_argnames": "c"}, 2, "c"),
        (plain, {"donate_argnames": ["a", "b"]}, 1, "b"),
        (plain, {"donate_argnames": "a"}, 0, "ba"),
        (with_rest, {"donate_argnums": 2}, 3, "k"),
        (with_rest, {"donate_argnames": "k"}, 2, "kl"),
        (by_keyword, {"donate_argnums": (0,), "donate_argnames": ("c",)}, 2, "c"),
        (by_keyword, {"donate_argnums": 1}, 1, "bc"),
    ],
)
def test_it_gives_away_what_jax_gives_away(
    fn: Callable[..., Any], options: dict[str, Any], args: int, kwargs: str
) -> None:
    ours, jits = convert(fn, **options), jax.jit(fn, **options)
    for _ in range(3):  # by the policy, by what it has made, and by C++
        calls = [([new() for _ in range(args)], {key: new() for key in kwargs}) for _ in range(2)]
        results = [call(*a, **k) for call, (a, k) in zip((ours, jits), calls, strict=True)]
        assert gone(calls[0]) == gone(calls[1])
        assert any(gone(calls[0]))
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), *results))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"donate_argnums": 3}, ValueError, "donate_argnums has 3; positional parameters are 'a', 'b', 'c'."),
        ({"donate_argnums": (0, -4)}, ValueError, "donate_argnums has -4; positional parameters are 'a', 'b', 'c'."),
        ({"donate_argnames": "d"}, ValueError, "donate_argnames has 'd'; parameters with a name are 'a', 'b', 'c'."),
        ({"donate_argnums": "a"}, TypeError, "donate_argnums is 'a'; it may be an int or a sequence of ints."),
        ({"donate_argnums": True}, TypeError, "donate_argnums is True; it may be an int or a sequence of ints."),
        ({"donate_argnums": (0, 1.0)}, TypeError, "donate_argnums is (0, 1.0); it may be an int or a sequence of ints."),
        ({"donate_argnames": 0}, TypeError, "donate_argnames is 0; it may be a name or a sequence of names."),
    ],
)  # fmt: skip
def test_another_value_is_an_error_at_once(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as failure:
        convert(plain, **options)
    assert str(failure.value) == message


def test_a_negative_position_counts_from_the_last() -> None:  # which jax.jit passes over before 0.12
    f = convert(plain, donate_argnums=(-1, -3))
    args = [new() for _ in range(3)]
    f(*args)
    assert gone(args) == [True, False, True]


def test_a_default_that_is_an_array_can_not_be_given_away() -> None:
    with pytest.raises(
        ValueError, match="'b' is donated, and its default is an array: it could be given away once"
    ):
        convert(lambda a, b=X: a + b, donate_argnames="b")


@convert(donate_argnums=0)
def step(state: Any, x: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf + x, state)


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_what_was_given_away_is_refused_afterwards(calls: int) -> None:
    add = convert(lambda state, x: state + x, donate_argnums=0)
    state = first = new(7)
    for _ in range(calls):
        state = add(state, 1.0)
    assert state.tolist() == [1.0 + calls] * 7
    with pytest.raises(DonatedArrayError) as failure:
        add(first, 1.0)
    assert failure.value.what == "'state' of '<lambda>' is an array whose memory was given away."
    assert failure.value.where[0].text == "add(first, 1.0)"
    assert failure.value.why.startswith("'<lambda>' gives 'state' away, as in the call at ")
    assert failure.value.fix == (
        "use what that call has returned, or pass a copy to the other call: jnp.copy(state)."
    )
    assert failure.value.__cause__ is None
    with pytest.raises(DonatedArrayError):
        convert(lambda x: x * 2)(first)  # of another function, too


def test_parts_of_a_structure_are_named() -> None:
    state = {"w": [new(), new()], "n": 3}
    step(state, 1.0)
    assert gone(state["w"]) == [True, True]
    state["w"][0] = new()
    with pytest.raises(DonatedArrayError) as failure:
        step(state, 1.0)
    assert failure.value.what == "'state['w'][1]' of 'step' is an array whose memory was given away."


def test_one_array_in_two_arguments_is_refused_and_stays() -> None:
    for _ in range(3):
        both = new()
        step(new(), both)
        with pytest.raises(DonatedArrayError) as failure:
            step(both, both)
        assert failure.value.what == "'state' of 'step' is donated, and is the array of 'x', too."
        assert failure.value.fix == "pass a copy: jnp.copy(state)."
        assert both.tolist() == [1, 1, 1]


def test_an_array_that_the_functions_own_variable_holds_is_never_overwritten() -> None:
    w = Variable(new())

    @convert(donate_argnums=0)
    def reads(x: Any) -> Any:
        return x + w

    for _ in range(3):
        assert reads(new()).tolist() == [2, 2, 2]
        with pytest.raises(DonatedArrayError) as failure:
            reads(w.value)
        assert failure.value.what == "'x' of 'reads' is donated, and is the array of a Variable, too."
        assert w.value.tolist() == [1, 1, 1]


def test_an_array_that_another_variable_holds_is_told_of_where_it_is_read() -> None:
    w = Variable(new(5), name="w")
    reads, writes = convert(lambda x: x + w), convert(lambda x: w.assign_add(x))
    for _ in range(3):
        reads(1.0)
    step(w.value, 1.0)
    uses: list[Callable[[], Any]] = [lambda: w.value, lambda: w + 1, lambda: reads(1.0), lambda: writes(1.0)]
    for use in uses:
        with pytest.raises(DonatedArrayError) as failure:
            use()
        assert failure.value.what == "Variable 'w' holds an array whose memory was given away."
    w.assign(new(5))
    assert reads(1.0).tolist() == [2.0] * 5


def test_variables_are_donated_beside_arguments() -> None:
    w = Variable(jnp.zeros(3))

    @convert(donate_argnums=1)
    def f(x: Any, state: Any) -> Any:
        w.assign_add(x)
        return state + w

    state = new()
    for n in range(1, 5):
        before = state
        state = f(1.0, state)
        assert before.is_deleted()
        assert w.value.tolist() == [n] * 3
    assert state.tolist() == [11] * 3


def test_what_the_callers_objects_still_hold_stays() -> None:
    @convert(donate_argnums=0)
    def f(state: Any, x: Any) -> Any:
        state["w"] = state["w"] + x
        state["moved"] = state.pop("old")
        return x

    for _ in range(3):
        state = {"w": new(), "b": new(), "old": new()}
        w, b, old = state["w"], state["b"], state["old"]
        f(state, 1.0)
        assert {key: value.tolist() for key, value in state.items()} == {
            "w": [2, 2, 2], "b": [1, 1, 1], "moved": [1, 1, 1],
        }  # fmt: skip
        assert gone([w, b, old]) == [True, False, False]


def test_an_object_that_is_returned_holds_what_it_held() -> None:
    @dataclasses.dataclass
    class State:
        w: Any

    f = convert(lambda state: (state, state.w * 2), donate_argnums=0)
    for _ in range(3):
        state = State(new())
        same, doubled = f(state)
        assert same is state
        assert (state.w.tolist(), doubled.tolist()) == ([1, 1, 1], [2, 2, 2])
    for _ in range(3):
        held = {"w": new()}
        other, doubled = f.of(lambda state: (state, state["w"] * 2))(held)
        assert (other["w"].tolist(), doubled.tolist()) == ([1, 1, 1], [2, 2, 2])
        assert held["w"].is_deleted()  # what is returned is another dict


def test_an_array_that_is_returned_as_it_is() -> None:
    f = convert(lambda a, b: (a, b, a), donate_argnums=(0, 1))
    for _ in range(3):
        a, b = new(), 2 * new()
        assert [each.tolist() for each in f(a, b)] == [[1, 1, 1], [2, 2, 2], [1, 1, 1]]
        assert gone([a, b]) == [True, True]


def test_an_array_that_the_function_has_from_outside() -> None:
    held = new()
    constant, listed = convert(lambda x: x + held, donate_argnums=0), [new()]

    @convert(donate_argnums=0)
    def writes(x: Any) -> Any:
        listed[0] = listed[0] + x
        return x * 2

    assert constant(held).tolist() == [2, 2, 2]  # what is a constant of the program stays in it
    assert constant(new()).tolist() == [2, 2, 2]
    for _ in range(3):
        before = listed[0]
        with pytest.raises(DonatedArrayError) as failure:
            writes(before)
        assert failure.value.what == (
            "'x' of 'writes' is donated, and is the array of what the function uses from outside, too."
        )
        assert before.tolist() == listed[0].tolist() == [1, 1, 1]


def test_numpys_arrays_stay() -> None:
    big = np.ones(100_000, np.float32)
    for _ in range(3):
        assert float(step(big, 1.0).sum()) == 200_000
    assert big.sum() == 100_000


def test_a_dataclass_object() -> None:
    @dataclasses.dataclass
    class State:
        w: Any
        rate: float = 0.5

    f = convert(lambda s, x: State(s.w + s.rate * x, s.rate), donate_argnames="s")
    for _ in range(3):
        state = State(new())
        assert f(state, X).w.tolist() == [1, 1.5, 2]
        assert state.w.is_deleted()


@dataclasses.dataclass
class Line:
    slope: Any

    @convert(donate_argnums=0)
    def moved(self, x: Any) -> Any:
        return self.slope + x

    @convert(donate_argnums=1)
    def at(self, x: Any) -> Any:
        return self.slope * x

    def plain(self, x: Any) -> Any:
        return self.slope * x


class Model:
    @convert(donate_argnums=(0, 1))
    def step(self, x: Any) -> Any:
        return x + 1

    def plain(self, x: Any) -> Any:
        return x + 1


def test_of_a_method_0_is_the_instance() -> None:
    for _ in range(3):
        line, x = Line(new()), new()
        assert line.moved(x).tolist() == [2, 2, 2]
        assert gone([line.slope, x]) == [True, False]
        line = Line(new())
        assert line.at(x).tolist() == [1, 1, 1]
        assert gone([line.slope, x]) == [False, True]
    model, x = Model(), new()  # not a structure: it has traces of its own, and nothing to give
    assert model.step(x).tolist() == [2, 2, 2]
    assert x.is_deleted()


@pytest.mark.parametrize("instance", [Line(jnp.ones(3)), Model()])
def test_of_a_bound_method_0_is_its_first_argument_as_of_jax(instance: Any) -> None:
    for make in (convert, jax.jit):
        x = new()
        make(instance.plain, donate_argnums=0)(x)
        assert x.is_deleted()


def test_a_list_whose_length_only_the_data_knows_keeps_the_arrays() -> None:
    @convert(donate_argnums=0)
    def f(x: Any, n: Any) -> Any:
        found = []
        while n > 0:
            found.append(n * x)
            n -= 1
        return found

    x = new()
    assert len(f(x, jnp.int32(40))) == 40  # the program ran again, with more room
    assert not x.is_deleted()


def test_a_call_that_raises_has_given_its_arguments_away() -> None:
    @convert(donate_argnums=0)
    def f(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError("negative")
        return x + 1

    assert f(new()).tolist() == [2, 2, 2]
    x = -new()
    with pytest.raises(ValueError, match="^negative$"):
        f(x)
    assert x.is_deleted()


def test_nothing_is_given_away_inside_of_somebody_elses_trace() -> None:
    f = convert(lambda a, b: a * b, donate_argnums=(0, 1))
    a, b = new(), 2 * new()
    assert jax.jit(f)(a, b).tolist() == [2, 2, 2]
    assert jax.vmap(f)(a, b).tolist() == [2, 2, 2]
    assert jax.grad(lambda a: f(a, b).sum())(a).tolist() == [2, 2, 2]
    assert convert(lambda a: f(a, b) + f(a, b))(a).tolist() == [4, 4, 4]
    assert gone([a, b]) == [False, False]
    with autograph_lite_eager():
        f(a, b)
    assert gone([a, b]) == [False, False]


class autograph_lite_eager:
    def __enter__(self) -> None:
        autograph_lite.run_functions_eagerly(True)

    def __exit__(self, *_: object) -> None:
        autograph_lite.run_functions_eagerly(False)


def test_a_concrete_function_gives_the_same_away() -> None:
    f = convert(lambda s, x: {"s": s["s"] + x}, donate_argnums=0)
    concrete = f.get_concrete_function({"s": ArraySpec([3], "float32")}, ArraySpec([3], "float32"))
    assert "tf.aliasing_output" in concrete.lowered_text()
    assert (
        "tf.aliasing_output"
        not in convert(f.python_function).get_concrete_function({"s": X}, X).lowered_text()
    )
    state, both = {"s": new()}, new()
    assert concrete(state, X)["s"].tolist() == [1, 2, 3]
    assert state["s"].is_deleted()
    with pytest.raises(
        DonatedArrayError, match=r"'s\['s'\]' of '<lambda>' is an array whose memory was given away"
    ):
        concrete(state, X)
    with pytest.raises(
        DonatedArrayError, match=r"'s\['s'\]' of '<lambda>' is donated, and is the array of 'x', too"
    ):
        concrete({"s": both}, both)


def test_an_input_signature_gives_away_what_it_has_not_cast() -> None:
    f = convert(lambda x: x + 1, input_signature=[ArraySpec([3], "float32")], donate_argnums=0)
    for _ in range(3):
        x, weak = new(), jax.jit(lambda: jnp.full(3, 1.0))()
        assert f(x).tolist() == f(weak).tolist() == [2, 2, 2]
        assert x.is_deleted()


def test_programs_for_any_size_give_away_too() -> None:
    f = convert(lambda x: x + 1, reduce_retracing=True, donate_argnums=0)
    for size in (2, 3, 4, 5, 4, 4):
        x = new(size)
        assert f(x).tolist() == [2] * size
        assert x.is_deleted()


def test_nothing_is_given_away_while_jax_looks_for_nans() -> None:
    f = convert(lambda x: jnp.log(x), donate_argnums=0)
    for _ in range(3):
        f(new())
    x = -new()
    jax.config.update("jax_debug_nans", True)
    try:
        with pytest.raises(FloatingPointError):
            f(x)
    finally:
        jax.config.update("jax_debug_nans", False)
    assert x.tolist() == [-1, -1, -1]
    f(x)
    assert x.is_deleted()


def test_copies_and_pickles_give_away_and_saved_functions_do_not(tmp_path: Any) -> None:
    for f in (copy.copy(step), copy.deepcopy(step), pickle.loads(pickle.dumps(step))):
        state = new()
        f(state, 1.0)
        assert state.is_deleted()
    state = new()
    autograph_lite.save(tmp_path / "f", step.get_concrete_function(state, X))
    assert autograph_lite.load(tmp_path / "f")(state, X).tolist() == [1, 2, 3]
    assert not state.is_deleted()


def test_what_is_verified_runs_on_the_values_before() -> None:
    f = convert(lambda s, x: s * x, donate_argnums=0, verify="first_call")
    state = new()
    assert f(state, X).tolist() == [0, 1, 2]
    assert f(new(), X).tolist() == [0, 1, 2]

    @convert(donate_argnums=0)
    def differs(s: Any) -> Any:
        y = s * 2 if isinstance(s, jax.core.Tracer) else s * 3
        return y + 1

    report = differs.verify(new())
    assert (report.ok, report.first is None, report.result.tolist()) == (False, False, [3, 3, 3])


def test_what_gives_nothing_away_is_traced_by_each_process(tmp_path: Any) -> None:
    autograph_lite.enable_compilation_cache(tmp_path)
    try:
        convert(plain, donate_argnums=0)(new(), X)
        x = new()
        convert(plain)(x, X)
        assert not x.is_deleted()
        assert len(list(tmp_path.glob("*.zip"))) == len(
            {1, 2}
        )  # of the second alone: for here, and for elsewhere
    finally:
        autograph_lite.disable_compilation_cache()
