"""What does a call of a `Function` cost, next to one of `jax.jit` with static arguments chosen by hand, and to others'?"""

from __future__ import annotations

import dataclasses
import functools
import statistics
import timeit
from collections.abc import Callable
from typing import Any

import equinox
import jax
import jax.numpy as jnp

import autograph_lite
from autograph_lite import Variable
from benchmarks import table, tensorflow, timing
from benchmarks.timing import Row, Task

CALLS = 200  # in one timed task, inside of a loop that costs next to nothing


def scaled(x: Any, n: int = 1) -> Any:
    return x * n if n > 1 else x + 1


def first_and_last(tree: dict[str, Any]) -> Any:
    return tree["0"] + tree["99"]


class Scale:
    """A method that is compiled, in two ways."""

    def __init__(self, k: float) -> None:
        self.k = k

    @autograph_lite.convert
    def ours(self, x: Any) -> Any:
        return x * self.k

    @functools.partial(jax.jit, static_argnums=0)
    def jitted(self, x: Any) -> Any:
        return x * self.k


def _call(fn: Any, arguments: str, names: dict[str, Any]) -> Task:
    timer = timeit.Timer(f"f({arguments})", globals={"f": fn, **names})
    timer.timeit(5)
    return lambda: timer.timeit(CALLS)


def _pair(ours: Any, theirs: Any, arguments: str, **names: Any) -> dict[str, Task]:
    return {"ours": _call(ours, arguments, names), "jit": _call(theirs, arguments, names)}


Wrapped = dict[str, Any]


def _wrapped(fn: Callable[..., Any], literal: str | None = None) -> Wrapped:
    """A function under all that is measured, by name; TensorFlow where it is installed."""
    found = {
        "ours": autograph_lite.convert(fn),
        "jit": jax.jit(fn, static_argnames=literal),
        "equinox": equinox.filter_jit(fn),
    }
    return found | ({"tensorflow": tensorflow.function(fn)} if tensorflow.INSTALLED else {})


def _calls(wrapped: Wrapped, arguments: str, **names: Any) -> dict[str, Task]:
    """The same call of each, of tensors where it is TensorFlow's."""
    given = {name: names if name != "tensorflow" else tensorflow.tensor(names) for name in wrapped}
    return {name: _call(fn, arguments, given[name]) for name, fn in wrapped.items()}


def flat() -> dict[str, tuple[dict[str, Task], float]]:
    """Calls whose arguments are arrays and literals."""
    x = jnp.float32(2)
    names: dict[str, Any] = {"x": x, "tree": {str(i): x for i in range(100)}}
    small, big = _wrapped(scaled, "n"), _wrapped(first_and_last)
    return {
        "f(x)": (_calls(small, "x", **names), 1.05),
        "f(x, 3)": (_calls(small, "x, 3", **names), 1.08),
        "f(x, n=3)": (_calls(small, "x, n=3", **names), 1.08),
        "f(dict of 100)": (_calls(big, "tree", **names), 1.05),
    }


def literals(count: int = 400) -> tuple[dict[str, Task], float]:
    """The call with the last of many literals."""
    x, wrapped = jnp.float32(2), _wrapped(_added, "n")
    for n in range(count):
        for name, fn in wrapped.items():
            fn(tensorflow.tensor(x) if name == "tensorflow" else x, n)
    return _calls(wrapped, f"x, {count - 1}", x=x), 1.10


def _added(x: Any, n: int) -> Any:
    return x + n


def method() -> tuple[dict[str, Task], float]:
    """A method, of one of many instances."""
    x, instances = jnp.float32(2), [Scale(float(i)) for i in range(20)]
    for each in instances:
        each.ours(x)
        each.jitted(x)
    names = {"o": instances[-1], "x": x}
    tasks = {"ours": "o.ours(x)", "jit": "o.jitted(x)"}
    return {name: _statement(text, names) for name, text in tasks.items()}, 1.10


def _statement(text: str, names: dict[str, Any]) -> Task:
    timer = timeit.Timer(text, globals=names)
    timer.timeit(5)
    return lambda: timer.timeit(CALLS)


def module() -> tuple[dict[str, Task], float]:
    """An Equinox module as an argument, beside its arrays as arguments."""
    mlp = equinox.nn.MLP(4, 4, 8, 3, key=jax.random.key(0))
    arrays, static = equinox.partition(mlp, equinox.is_array)
    x = jnp.ones(4)
    by_hand = jax.jit(lambda arrays, x: equinox.combine(arrays, static)(x))
    filtered = equinox.filter_jit(lambda m, x: m(x))
    ours = autograph_lite.convert(lambda m, x: m(x))
    names = {"x": x, "m": mlp, "a": arrays}
    tasks = {"ours": _call(ours, "m, x", names), "jit": _call(by_hand, "a, x", names)}
    return {**tasks, "equinox": _call(filtered, "m, x", names)}, 1.25


def variables(count: int) -> tuple[dict[str, Task], float]:
    """Variables that a call updates, beside donated state that the caller hands on."""
    x = jnp.float32(1)
    state = [Variable(jnp.ones(4)) for _ in range(count)]

    @autograph_lite.convert
    def ours(x: Any) -> Any:
        for variable in state:
            variable.assign_add(x)
        return x + 1

    step = jax.jit(lambda state, x: (x + 1, [each + x for each in state]), donate_argnums=0)
    held = [jnp.ones(4) for _ in range(count)]

    def by_hand(x: Any) -> Any:
        nonlocal held
        result, held = step(held, x)
        return result

    return _pair(ours, by_hand, "x", x=x), 1.10


@dataclasses.dataclass
class Point:
    """A structure that JAX does not know."""

    a: Any
    b: Any
    n: int = 3


class Counted:
    """A method that uses a Variable."""

    def __init__(self) -> None:
        self.total = Variable(jnp.ones(4))

    @autograph_lite.convert
    def step(self, x: Any) -> Any:
        self.total.assign_add(x)
        return x + 1


def structures() -> dict[str, tuple[dict[str, Task], float]]:
    """Arguments that hold arrays, beside `jax.jit` of the same, or of what it knows of it."""
    x = jnp.float32(2)
    ours, by_hand = autograph_lite.convert(lambda p, x: p.a * x + p.b), jax.jit(lambda a, b, x: a * x + b)
    layers = {f"layer{i}": {"w": x, "b": x} for i in range(150)}
    first = _wrapped(lambda layers: layers["layer0"]["w"] + layers["layer9"]["b"])
    names = {"p": Point(x, x), "x": x}
    return {
        "dataclass": ({"ours": _call(ours, "p, x", names), "jit": _call(by_hand, "x, x, x", names)}, 1.2),
        "dict of 300": (_calls(_wrapped(first_and_last), "t", t={str(i): x for i in range(300)}), 1.2),
        "150 dicts of 2": (_calls(first, "layers", layers=layers), 1.2),
    }


def kept_method() -> tuple[dict[str, Task], float]:
    """A bound method that was taken before the first call, beside one that is looked up at each."""
    counted = Counted()
    names = {"kept": counted.step, "o": counted, "x": jnp.float32(2)}
    return {"ours": _statement("kept(x)", names), "jit": _statement("o.step(x)", names)}, 1.05


def check() -> tuple[dict[str, Task], float]:
    """A check, beside one by hand: the program returns whether it holds, and Python looks at that."""

    def ours(x: Any) -> Any:
        if x <= 0:
            raise ValueError
        return x + 1

    step = jax.jit(lambda x: (x + 1, x <= 0))

    def by_hand(x: Any) -> Any:
        result, failed = step(x)
        if failed:
            raise ValueError
        return result

    return _pair(autograph_lite.convert(ours), by_hand, "x", x=jnp.float32(2)), 1.5


def cases() -> dict[str, tuple[dict[str, Task], float]]:
    """The calls, each with the ratio that is asked for."""
    found = flat()
    found["400 literals"] = literals()
    found["method"] = method()
    found["Equinox module"] = module()
    found |= structures()
    found["kept method, beside method"] = kept_method()
    found["check"] = check()
    found["1 Variable"] = variables(1)
    found["2 Variables"] = variables(2)
    found["100 Variables"] = variables(100)
    return found


def measure(rounds: int = 11) -> list[Row]:
    """Microseconds of a call whose program exists."""
    rows = []
    for name, (tasks, target) in cases().items():
        times = timing.interleaved(tasks, rounds=rounds)
        micro = {task: 1000 * timing.milliseconds(times[task]) / CALLS for task in tasks}
        rows.append(_row(name, micro, timing.ratio(times, "ours", "jit"), target))
    return rows


def _row(name: str, micro: dict[str, float], ratio: float, target: float) -> Row:
    row: Row = {"call": name, "Function, us": micro["ours"], "jax.jit, us": micro["jit"]}
    row |= {"ratio": ratio, "target": target, "filter_jit, us": micro.get("equinox", "-")}
    return row | ({"tf.function, us": micro.get("tensorflow", "-")} if tensorflow.INSTALLED else {})


def first_call(rounds: int = 15) -> Row:
    """Microseconds of the first call, of functions that are new each time."""
    x = jnp.float32(2)

    def new(make: Callable[..., Any], x: Any) -> Task:
        counter = iter(range(1_000_000))

        def task() -> object:
            k = next(counter)
            return make(lambda x: x * 2 + k)(x)

        return task

    tasks = {
        "ours": new(autograph_lite.convert, x),
        "jit": new(jax.jit, x),
        "equinox": new(equinox.filter_jit, x),
    }
    if tensorflow.INSTALLED:
        tasks["tensorflow"] = new(tensorflow.function, tensorflow.tensor(x))
    times = timing.interleaved(tasks, rounds=rounds)
    micro = {task: 1e6 * statistics.median(times[task]) for task in tasks}
    return _row("first call", micro, timing.ratio(times, "ours", "jit"), 1.1)


def main() -> None:
    """Prints the table."""
    table.show("Calls of a compiled function", [*measure(), first_call()])


if __name__ == "__main__":
    main()
