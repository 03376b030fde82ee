"""Does `static_loops` roll the loops over Python values whose body is one program, and only those?"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite.operators.loops import rolling

X = np.float32(1.5)
SERIES = jnp.arange(1.0, 9.0)


def ways(function: Callable[..., Any], *args: Any) -> tuple[Any, Any, bool]:
    """What Python's loops give, and rolled ones; and whether there is a loop in the program."""
    rolled = autograph_lite.convert(function, static_loops="stage")
    program = str(rolled.get_concrete_function(*args).jaxpr)
    python = autograph_lite.convert(function, static_loops="python")(*args)
    return python, rolled(*args), "scan[" in program or "while[" in program


def same(ours: Any, python: Any) -> bool:
    """Whether types and structure are the same, and the numbers equal up to rounding."""
    leaves, tree = jax.tree.flatten(ours)
    others, structure = jax.tree.flatten(python)
    return tree == structure and all(map(_same, leaves, others))


def _same(ours: Any, python: Any) -> bool:
    if type(ours) is not type(python):
        return False
    if not isinstance(python, jax.Array):
        return bool(ours == python)
    return jax.typeof(ours) == jax.typeof(python) and np.allclose(ours, python, rtol=2e-6)


def arithmetic(x):
    for i in range(20):
        x = jnp.sin(x) * 0.5 + (i**2) / (i + 1) + SERIES[i % 8] - (i // 3)
    return x, i


def parities(x):
    for i in range(20):
        if i % 2 == 0:
            x = x + 1
        else:
            x = x * 2
    return x


def leaves_at_seven(x):
    for i in range(20):
        if i == 7:
            break
        x = x + i
    return x, i


def leaves_when_large(x):
    for i in range(20):
        if x > 30:
            break
        x = x + i
    return x


def skips(x):
    for i in range(20):
        if i % 3 == 1:
            continue
        x = x + i
    return x


def returns(x):
    for i in range(20):
        if x > 9:
            return x * i
        x = x + i
    return x


def has_else(x):
    for i in range(20):
        x = x + i
        if x < 0:
            break
    else:
        x = -x
    return x


def nested(x):
    for i in range(10):
        for j in range(5):
            x = x + i * j
    return x, i, j


def triangular(x):
    for i in range(10):
        for j in range(i):
            x = x + i * j * 0.5
    return x, i


def counts(x):
    n = 0
    for i in range(10):
        n += i
        x = x + n
    return x + jnp.zeros(n).sum(), n


def keeps_time(x):
    t = 0.0
    for _ in range(200):
        x = x + jnp.sin(t) * 0.01
        t += 0.1
    return x, t


def appends(x):
    found = []
    for i in range(10):
        x = jnp.sin(x) + i
        found.append(x)
    return found


class Body:
    def __init__(self, x):
        self.x, self.steps = x, 0


def writes_attributes(x):
    body = Body(x)
    for _ in range(10):
        body.steps += 1
        body.x = body.x + body.steps
    return body.x, body.steps


def over_numbers(x):
    for weight in [0.1, 0.2, 0.3, 0.4]:
        x = x * weight + 1
    return x


def combined(x):
    for i, (a, b) in enumerate(zip([1, 2, 3], (0.5, 0.25, 0.125), strict=False)):
        x = x * a + b * i
    return x, i, a, b


def backwards(x):
    for i in reversed(range(10)):
        x = x * 0.5 + i
    for v in reversed([3.0, 1.0, 2.0]):
        x = x * 0.5 + v
    return x


def starts_with_none(x):
    best = None
    for i in range(10):
        y = jnp.sin(x * i)
        best = y if best is None else jnp.maximum(best, y)
    return best


def guards_division(x):
    for i in range(5):
        if i > 0:
            x = x + 1 / i
    return x


def shifts(x):
    for i in range(10):
        x = x + (1 << i)
    return x


def step(x, count):
    for k in range(count):
        x = x + k
    return x


def calls(x):
    for i in range(1, 5):
        x = step(x, i)
    return x


def collatz(x):
    for i in range(1, 20):
        n, steps = i, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        x = x + steps
    return x


def becomes_a_number(x):
    y = x
    for i in range(10):
        x = x + i
        y = i * 0.5
    return x, y


def turns(x):
    t = 1 + 0j
    for i in range(10):
        t = t * 1j + i
        x = x + t + abs(t) + t.conjugate() * (t.imag > 0) + jnp.exp(2j * jnp.pi * i / 10)
    return x, t


def complex_temporaries(x):
    for i in range(10):
        z = complex(i, 1)
        if (1j * i).imag > 3:
            x = x + z.real
        x = x + (i + 1j) ** 2 + 1 / z + (1e6 + 0.1j * i) - 1e6
    return x, z


def chosen(x):
    n = 0
    for b in (True, False, True, True):
        n += b
        x = x * n + 1 if b else x + b
    return x, b, n


def complex_items(x):
    for c in [1j, 2 + 1j, 3.5j]:
        x = x + abs(x * c) + c.real
    return x, c


def the_same_in_all(x):
    for w, name, f in zip([1.0, 2.0, 3.0], ["sine"] * 3, [jnp.sin] * 3, strict=False):
        x = f(x) * w + len(name) if name == "sine" else x
    return x, w, name


def pairs(x):
    for i, j in itertools.product(range(3), [0.5, 0.25, 0.125]):
        if i == 1:
            continue
        x = x * j + i
        if j < 0.2 and i == 2:
            break
    return x, i, j


def cells(x):
    table = jnp.ones((3, 4)) * x
    for place in np.ndindex(table.shape):
        table[place] = table[place] * x + place[0]
    return table, place


def keys(x):
    weights = {1: 0.5, 3: 0.25, 7: 2.0}
    for n, (k, w) in enumerate(weights.items()):
        x = x * w + k * n
    for k in weights:
        x = x - k
    for v, w in zip(weights.values(), weights.values(), strict=False):
        x = x + v * w
    return x, n, k, w


ROLLED = [
    chosen, complex_items, the_same_in_all, pairs, cells, keys,
    becomes_a_number, turns, complex_temporaries,
    arithmetic, parities, leaves_at_seven, leaves_when_large, skips, returns, has_else, nested, triangular, counts,
    keeps_time, appends, writes_attributes, over_numbers, combined, backwards, starts_with_none, guards_division, shifts,
    calls, collatz,
]  # fmt: skip


@pytest.mark.parametrize("function", ROLLED, ids=lambda f: f.__name__)
def test_a_loop_whose_body_is_one_program_is_rolled(function: Callable[..., Any]) -> None:
    python, ours, rolled = ways(function, X)
    assert same(ours, python)
    assert rolled


def test_a_loop_over_arrays_of_one_type_is_rolled() -> None:
    def layers(x, weights):
        for w in weights:
            x = jnp.tanh(x @ w)
        return x

    python, ours, rolled = ways(layers, jnp.ones((2, 2)), [jnp.eye(2) * k for k in range(1, 5)])
    assert rolled
    assert same(ours, python)


def test_a_loop_over_dicts_of_arrays_is_rolled() -> None:
    def layers(x, weights):
        for layer in weights:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return x

    weights = [{"w": jnp.eye(2) * k, "b": jnp.ones(2)} for k in range(1, 5)]
    python, ours, rolled = ways(layers, jnp.ones((2, 2)), weights)
    assert rolled
    assert same(ours, python)


def test_a_loop_over_the_values_of_a_dict_is_rolled() -> None:
    def layers(x, weights):
        for k, w in weights.items():
            x = jnp.tanh(x @ w) + k
        return x

    python, ours, rolled = ways(layers, jnp.ones((2, 2)), {k: jnp.eye(2) * k for k in range(1, 5)})
    assert rolled
    assert same(ours, python)


def test_a_dict_that_changes_while_it_is_run_over_is_pythons() -> None:
    def scaled(x):
        d = {k: x * k for k in range(1, 5)}
        total = x
        for k, v in d.items():
            d[k] = v * x
            d[2] = d[2] + 1
            total = total + v
        return total, d

    python, ours, rolled = ways(scaled, X)
    assert not rolled
    assert same(ours, python)


def test_who_holds_the_iterator_keeps_what_is_left() -> None:
    def some(x):
        rest = itertools.product(range(3), range(2))
        for i, j in rest:
            x = x * i + j
            if j == 1:
                break
        return x, [*rest]

    python, ours, _ = ways(some, X)
    assert len(ours[1]) == 4
    assert same(ours, python)


@pytest.mark.parametrize("counted", [False, True])
def test_modules_in_a_list_of_flax(counted: bool) -> None:
    nnx = pytest.importorskip("flax.nnx")

    class Layer(nnx.Module):
        def __init__(self, seed: int) -> None:
            self.linear, self.calls = nnx.Linear(2, 2, rngs=nnx.Rngs(seed)), nnx.Variable(jnp.float32(0))

        def __call__(self, x: Any) -> Any:
            if counted:
                self.calls[...] += x.sum()
            return jnp.tanh(self.linear(x))

    class Net(nnx.Module):
        def __init__(self) -> None:
            self.layers = nnx.List([Layer(seed) for seed in range(4)])

    def run(x, net):
        for layer in net.layers:
            x = layer(x)
        return x

    first, second = Net(), Net()
    ours = autograph_lite.convert(run, static_loops="stage")
    assert np.allclose(ours(jnp.ones((3, 2)), first), run(jnp.ones((3, 2)), second), rtol=2e-6)
    for one, other in zip(first.layers, second.layers, strict=True):
        assert np.allclose(one.calls[...], other.calls[...], rtol=1e-4, atol=1e-5)
    assert ("scan[" in str(ours.get_concrete_function(jnp.ones((3, 2)), Net()).jaxpr)) is not counted


def test_a_module_list_in_enumerate_and_zip_is_rolled() -> None:
    nnx = pytest.importorskip("flax.nnx")
    layers = nnx.List([nnx.Linear(2, 2, rngs=nnx.Rngs(seed)) for seed in range(4)])

    def run(x, layers, kinds):
        for i, layer in enumerate(layers):
            x = layer(x) * i + 1
        for kind, layer in zip(kinds, layers, strict=False):
            x = jnp.tanh(layer(x)) if kind == "tanh" else x
        return x

    ours = autograph_lite.convert(run, static_loops="stage")
    given = jnp.ones((3, 2)), layers, ["tanh"] * 3
    assert np.allclose(ours(*given), run(*given), rtol=1e-5)
    assert str(ours.get_concrete_function(*given).jaxpr).count("scan[") == 2


def test_writes_to_an_array_are_rolled() -> None:
    def doubling(a):
        for i in range(1, 8):
            a[i] = a[i - 1] * 2 + i
        return a

    python, ours, rolled = ways(doubling, jnp.zeros(8))
    assert rolled
    assert same(ours, python)


def table(x):
    names = {0: 1.0, 1: 2.0, 2: 3.0}
    for i in range(3):
        x = x + names[i]
    return x


def unlike_items(x):
    values = [1.0, "a", 3.0]
    for i in range(2):
        x = x + values[i * 2]
    return x


def shapes(x):
    for i in range(5):
        x = x + jnp.ones(i).sum()
    return x


def text(x):
    name = ""
    for i in range(3):
        name = f"{name}{i}"
        x = x + len(name)
    return x, name


def sines(x):
    for i in range(3):
        x = x + math.sin(i)
    return x


def complex_sines(x):
    for i in range(3):
        x = x + cmath.sin(1j * i)
    return x


def asks_for_the_type(x):
    for i in range(3):
        x = x + (1 if isinstance(i, int) else 100)
    return x


def kind(x, i):
    return x * i if type(i) is int else x * 0


def callee_asks(x):
    for i in range(1, 4):
        x = kind(x, i)
    return x


def lengths(x):
    for i in range(3):
        x = x + len(str(i)) + len("%s" % i)  # noqa: UP031
    return x


def catches(x):
    for i in range(3):
        try:
            x = x + math.sin(i)
        except TypeError:
            x = x + 100
    return x


def is_one(x):
    found = None
    for i in (0, 1, 2):
        one = i
        if one is i:
            found = x
        x = x + 1
    return x, found


def overflows(x):
    for i in range(0, 100000, 9000):
        x = x + i * i * 1e-9
    return x


def shifts_far(x):
    for i in range(40):
        x = x + (1 << i) * 1e-9
    return x


def powers(x):
    for i in range(10):
        x = x + 2**i
    return x


def pure(x):
    total = 0
    for i in range(100):
        total += i * i
    return x + total, total


def appends_numbers(x):
    found = []
    for i in range(10):
        x = jnp.sin(x)
        found.append(i)
    return x, found


def counts_in_a_list(x):
    count = [0, 0]
    for i in range(10):
        count[i % 2] += 1
        x = x + 1
    return x, count


def unlike_numbers(x):
    for v in [1, 0.5, 2, 3]:
        x = x * v + 1
    return x


def rounding_decides(x):
    t = 0.0
    for _ in range(10):
        if t > 0.3:
            x = x + 1
        x = x * 1.01
        t += 0.1
    return x


def grows(x):
    for _ in range(3):
        x = jnp.concatenate([x[None] if x.ndim == 0 else x] * 2)
    return x


def list_changes(x):
    values = [1.0, 2.0, 3.0]
    for v in values:
        x = x + v
        if len(values) < 6:
            values.append(v + 1)
    return x, values


def takes_more(x):
    values = iter([1.0, 2.0, 3.0, 4.0])
    for v in values:
        x = x + v * next(values)
    return x


def takes_pairs(x):
    values = iter([1.0, 2.0, 3.0, 4.0])
    for a, b in zip(values, values, strict=False):
        x = x + a * b
    return x


def fills_a_dict(x):
    found = {}
    for i in range(4):
        found[i] = x * i
    return found


def items_of_two_types(x):
    found, k = [], jnp.int32(16_777_217) + (x > 9)  # which float32 does not hold
    for i in range(4):
        found.append(x)
        if i % 2:
            found.append(k)
    return found


KEPT = [
    table, unlike_items, shapes, text, complex_sines, asks_for_the_type, callee_asks, lengths, is_one, overflows, shifts_far,
    powers, pure, appends_numbers, counts_in_a_list, unlike_numbers, grows, list_changes, takes_more,
    takes_pairs, fills_a_dict, items_of_two_types,
]  # fmt: skip


@pytest.mark.parametrize("function", KEPT, ids=lambda f: f.__name__)
def test_a_loop_that_only_python_can_run_stays_pythons(function: Callable[..., Any]) -> None:
    python, ours, rolled = ways(function, X)
    assert same(ours, python)
    assert not rolled


@pytest.mark.parametrize("function", [sines, catches, rounding_decides], ids=lambda f: f.__name__)
def test_a_loop_whose_iterations_are_given_what_python_computes_is_rolled(
    function: Callable[..., Any],
) -> None:
    python, ours, rolled = ways(function, X)
    assert same(ours, python)
    assert rolled


def test_a_number_too_large_for_a_narrow_type_is_what_it_is_in_python() -> None:
    def add(a):
        for i in range(100, 140):
            a = a + i
        return a

    python, ours, rolled = ways(add, jnp.int8(3))
    assert same(ours, python)
    assert not rolled


def test_dividing_by_zero_raises_as_in_python() -> None:
    @autograph_lite.convert(static_loops="stage")
    def divides(x):
        for i in range(3):
            x = x + 1 / i
        return x

    with pytest.raises(ZeroDivisionError, match="^division by zero"):
        divides(X)


def test_shifting_by_a_negative_number_raises_as_in_python() -> None:
    @autograph_lite.convert(static_loops="stage")
    def shift(x):
        for i in range(3):
            x = x + (1 << (1 - i))
        return x

    with pytest.raises(ValueError, match="^negative shift count"):
        shift(X)


def test_prints_are_pythons(capsys: pytest.CaptureFixture[str]) -> None:
    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(3):
            print("item", i)
            x = x + i
        return x

    f(X)
    assert capsys.readouterr().out == "item 0\nitem 1\nitem 2\n"


def test_a_failed_trial_leaves_no_trace_in_objects() -> None:
    class Log:
        def __init__(self) -> None:
            self.seen: list[Any] = []
            self.count = 0

    log = Log()
    names = ["a", "b", "c"]

    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(3):
            log.count += 1
            log.seen.append(i)
            log.seen.append(names[i])
            x = x + i
        return x

    assert float(f(X)) == 4.5
    assert (log.seen, log.count) == ([0, "a", 1, "b", 2, "c"], 3)


def counted_trials(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines of the loops that are tried, one for each trial."""
    tried: list[int] = []
    roll = rolling._rolled

    def rolled(iterable: Any, items: Any, body_fun: Any, stage: Any, cost: Any) -> Any:
        tried.append(body_fun.__code__.co_firstlineno)
        return roll(iterable, items, body_fun, stage, cost)

    monkeypatch.setattr(rolling, "_rolled", rolled)
    return tried


def test_a_loop_that_failed_once_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [1.0, "a"]

    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for _ in range(4):
            for i in range(2):
                x = x + i
                names[i]
            x = x + 1
        return x

    tried = counted_trials(monkeypatch)
    f(X)
    inner = max(tried)
    assert tried.count(inner) == 1
    f(np.ones(3, np.float32))
    assert tried.count(inner) == 2  # the variables are of other types the second time


def test_nested_loops_that_fail_are_not_tried_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a"] * 9

    @autograph_lite.convert(static_loops="stage")
    def f(x):
        for i in range(2):
            for j in range(2):
                for k in range(2):
                    for m in range(2):
                        x = x + i
                        names[i + j + k + m]
        return x

    tried = counted_trials(monkeypatch)
    f(X)
    assert len(tried) <= 4 * 5


def test_the_program_does_not_grow_with_the_loop() -> None:
    def size(function: Callable[..., Any], n: int, mode: str) -> int:
        converted = autograph_lite.to_graph(function, static_loops=mode)
        return len(str(jax.make_jaxpr(lambda x: converted(x, n))(2.0)))

    def loop(x, n):
        for i in range(n):
            x = jnp.sin(x) * i
        return x

    assert size(loop, 1000, "stage") <= size(loop, 100, "stage") + 40
    assert size(loop, 100, "python") > 5 * size(loop, 100, "stage")


def test_another_option_is_refused() -> None:
    for option in ("roll", ("auto", 0), ("auto", True), ("stage", 3), 5):
        with pytest.raises(ValueError) as caught:
            autograph_lite.convert(lambda x: x, static_loops=option)  # type: ignore[call-overload]
        assert str(caught.value) == (
            f"static_loops is {option!r}; it may be 'auto', 'python', 'stage' or ('auto', n) with a positive int n."
        )


@pytest.mark.parametrize("function", [arithmetic, parities, triangular, nested, counts, leaves_when_large])
def test_gradients_of_rolled_loops(function: Callable[..., Any]) -> None:
    def first(x: Any, mode: str) -> Any:
        return jax.tree.leaves(autograph_lite.to_graph(function, static_loops=mode)(x))[0]

    ours = jax.grad(lambda x: first(x, "stage"))(X)
    assert np.allclose(ours, jax.grad(lambda x: first(x, "python"))(X), rtol=1e-5)


@pytest.mark.parametrize("function", [arithmetic, parities, triangular, counts, leaves_when_large, returns])
def test_rolled_loops_under_vmap(function: Callable[..., Any]) -> None:
    xs = jnp.asarray([0.5, 1.5, 12.0])

    def first(x: Any, mode: str) -> Any:
        return jax.tree.leaves(autograph_lite.to_graph(function, static_loops=mode)(x))[0]

    ours = jax.vmap(lambda x: first(x, "stage"))(xs)
    assert np.allclose(ours, jax.vmap(lambda x: first(x, "python"))(xs), rtol=1e-5)


def product(a: Any, b: Any) -> Any:
    n = a.shape[0]
    c = jnp.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    return c


def test_a_nest_in_which_no_number_follows_from_two_indices_is_rolled_whatever_its_size() -> None:
    square = jax.ShapeDtypeStruct((500, 500), jnp.float32)
    staged = autograph_lite.to_graph(product, static_loops="stage")
    assert len(jax.make_jaxpr(staged)(square, square).jaxpr.eqns) < 10
    a, b = np.random.default_rng(0).normal(size=(2, 30, 30)).astype(np.float32)
    assert np.allclose(jax.jit(staged)(a, b), a @ b, rtol=1e-4, atol=1e-4)


def divided(x: Any, n: int) -> Any:
    for i in range(n):
        for j in range(n):
            x = x + 1 // (i + j - 150)
    return x


def divided_inside(x: Any, n: int) -> Any:
    for _ in range(n):
        for j in range(n):
            x = x + 1 // (j - 110)
    return x


def divided_by_chance(x: Any, n: int) -> Any:
    for i in range(n):
        for j in range(n):
            half = i * 2
            if i < 5:
                half = j + 1
            x = x + 1 // (half - 240)
    return x


@pytest.mark.parametrize("function", [divided, divided_inside, divided_by_chance])
def test_numbers_of_large_nests_are_still_compared_with_those_of_python(function: Callable[..., Any]) -> None:
    for n in (105, 125):  # more pairs than are gone through without a look at what meets
        outcomes = []
        staged = jax.jit(autograph_lite.to_graph(function, static_loops="stage"), static_argnums=1)
        for run in (function, staged):
            try:
                outcomes.append(float(run(np.float32(1), n)))
            except ZeroDivisionError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


def decided_without_the_data(x):
    n, t = 2, 0.5
    for i in range(4, 8):
        x = x * t + i
        if (-n) == 2 and x < 3:
            n += n * n
        if not (n == 2 or x < 3):
            n = 7
        t = min(n, 3) * 0.25
        if x > 9:
            break
    return x, n, t


def test_a_number_that_no_traced_value_can_change_stays_pythons() -> None:
    python, rolled, has_loop = ways(decided_without_the_data, X)
    assert has_loop
    assert same(rolled, python)
    assert rolled[1:] == (2, 0.5)


def newton(a, steps=40):
    value = 2.0 if a > 2 else 3.0
    for _ in range(steps):
        before = value
        value = value - (math.pow(value, 2) - a) / (2 * value)
        if abs(before - value) < 1e-6:
            return value
    return value


def sines_of_a_sum(a, steps=40):
    value = 2.0
    for _ in range(steps):
        value = math.sin(value) + a
    return value


def another_dtype(a, steps=40):
    value, i = a, steps
    while i > 1:
        i //= 2
        for _ in range(i):
            value = jnp.int32(2) + i
    return value


@pytest.mark.parametrize("function", [newton, sines_of_a_sum])
def test_functions_of_math_on_what_a_loop_carries_keep_it_rolled(function: Callable[..., Any]) -> None:
    np.testing.assert_allclose(autograph_lite.convert(function)(jnp.float32(4)), function(4.0), rtol=1e-5)
    decision = next(
        d for d in autograph_lite.explain(function)(jnp.float32(4)) if d.statement.startswith("for")
    )
    assert decision.became.startswith("scan of")
    assert decision.equations < 60


def test_a_loop_in_a_rolled_one_that_makes_another_dtype_is_pythons() -> None:
    found = autograph_lite.convert(another_dtype)(jnp.float32(1))
    assert (found.dtype, int(found)) == (jnp.int32, another_dtype(1.0))


def returns_from_an_inner_loop(a, b):
    for i in range(3):
        j = 0
        while j < i:
            j += 1
            if j != a:
                b = b + 1
            return i, b
        if b > 0:
            return j, b
    return a, b


def test_a_loop_whose_parts_a_traced_value_leaves() -> None:
    for a, b in ((1, -4), (9, 2), (0, -1)):
        found = autograph_lite.convert(returns_from_an_inner_loop)(jnp.int32(a), jnp.int32(b))
        assert [int(value) for value in found] == [*returns_from_an_inner_loop(a, b)]


def uses_a_number_twice_again_and_again(x):
    for i in range(30):
        t = i * 0.01
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        t = t + t + t + t
        x = x + math.sin(t / 4**16)
    return x


def test_what_a_number_follows_from_is_looked_at_once() -> None:
    # By each of its ways it would be 4**16 looks, which is hours.
    found = autograph_lite.convert(uses_a_number_twice_again_and_again)(jnp.float32(0.5))
    np.testing.assert_allclose(found, uses_a_number_twice_again_and_again(0.5), rtol=1e-6)
