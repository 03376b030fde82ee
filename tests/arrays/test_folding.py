"""Is what follows from Python's values alone a value of Python's, wherever Python needs one, and data nowhere?"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from jax import lax

import autograph_lite as al
from autograph_lite.errors import DynamicShapeError, PythonOnlyError
from tests.examples import examples
from tests.properties.running import loaded

T, DT = 1.0, 0.3
X = np.arange(1, 6, dtype=np.float32)
# `np` is NumPy for Python, and jax.numpy for the program.
CASES = {
    "an int": "return x[:int(np.ceil(T / dt))]",
    "a number of steps": "n, ys = int(np.ceil(T / dt)), []\nfor i in range(n):\n    x = x + dt * i\n    ys.append(x[i])\nreturn ys",
    "a size": "return np.zeros(int(np.sum(np.array([1, 2])))) + x[0]",
    "a size that is an array": "return np.zeros(np.prod(np.array(x.shape))) + x",
    "a size of linspace": "return np.linspace(0, 1, int(np.array(3))) + x[0]",
    "a shape": "return x.reshape(int(np.prod(np.array(x.shape))), 1)",
    "a mask": "A = x[:4, None] * np.ones((1, 4))\nreturn A[~np.eye(4, dtype=bool)]",
    "a mask of a triangle": "A = x[:, None] * x\nreturn A[np.tril(np.ones((5, 5), bool))]",
    "a mask of every other item": "return x[np.arange(5) % 2 == 0]",
    "a mask of members": "return x[np.isin(np.arange(5), np.array([1, 3]))]",
    "a mask from outside": "return x[MASK], x[np.logical_not(MASK)]",
    "positions": "i, j = np.where(~np.eye(4, dtype=bool))\nreturn x[i] - x[j]",
    "positions of a row": "return x[np.nonzero(np.arange(5) % 2)], x[np.flatnonzero(np.arange(5) > 2)]",
    "rows of positions": "return np.argwhere(np.arange(5) > 2) + x[0]",
    "different values": "u = np.unique(np.array([3, 1, 3]))\nreturn x[:len(u)], x[u]",
    "a triangle": "i, j = np.triu_indices(3)\nreturn x[i] * x[j], len(i)",
    "a mask in a grid": "a, b = np.meshgrid(np.arange(3), np.arange(2))\nreturn x[a[a > b]]",
    "repeated": "return np.repeat(x, np.array([1, 2, 0, 0, 3]))",
    "split": "return np.split(x, np.array([1, 3]))",
    "left out": "return np.delete(x, np.array([0, 2])), np.compress(np.arange(5) > 2, x)",
    "bounds": "k = np.max(np.array([1, 3]))\nreturn x[:k], x[k:], x[k - 2 : k + 1], x[::k]",
    "an item of a list": "w = [x, 'b', None]\nk = np.argmax(np.array([1, 2]))\nw[k] = 'c'\nreturn w[k], w[: k + 1][1], (1, 2, 3)[k]",
    "a key": "return {1: x, 2: x + 1}[int(np.array(2))]",
    "a test": "if np.all(np.array(x.shape) > 0): return x\nreturn 'empty'",
    "a value for a test": "return x if np.array(3) > 2 else 'no'",
    "operands": "return (np.array(3) > 2 and x[0] > 7), (np.array(0) or 'or'), not np.array(0), 0 < np.array(2) < 3",
    "a case": "match np.array(2):\n    case 1: return 'one'\n    case 2: return x[:2]\nreturn 'many'",
    "floats": "return x * float(np.sqrt(2)), float(np.sqrt(4)), bool(np.array(3) > 2), complex(np.array(2.0))",
    "a large int": "n = int(np.array(1e6)) * 5000\nreturn n, n > 2**31",
    "methods": "return x[: np.array([1, 3]).max().item()], np.arange(3).tolist()",
    "a loop over numbers": "s = 0\nfor k in np.arange(1, 4).tolist(): s = s + x[:k].sum() * k\nreturn s",
    "an array of bounds": "b = np.cumsum(np.array([0, 2, 3]))\nreturn [x[b[i] : b[i + 1]] for i in range(len(b) - 1)]",
    "text": "return f'{np.sqrt(4.0):.2f} {np.array([1, 2])}', 'n = %d' % np.array(3), str(np.array(2))",
    "repetition": "return 'ab' * int(np.array(3))",
    "a range": "return [x[i] * i for i in range(np.array(3))], [i for i, _ in enumerate(x[:2].tolist() if 0 else [1, 2], np.array(3))]",
    "math": "return x * math.floor(np.array(2.5)), math.comb(5, int(np.array(2)))",
    "an assertion": "assert np.allclose(np.array([1.0]), np.array([1.0])), 'no'\nreturn x",
    "an assertion that fails": "assert np.all(np.array([1, -2]) > 0), f'{np.array(3)}'\nreturn x",
    "a sum over a loop": "s = 0\nfor k in np.arange(3): s = s + k\nreturn x[: int(s)]",
    "in a branch": "k = np.array([1, 2]).sum()\nif x[0] > 0: y = x[:k].sum() + np.zeros(k).sum()\nelse: y = 0.0\nreturn y",
    "in a loop": "y = 0.0\nfor row in x:\n    y = y + row * np.ones(int(np.ceil(2.5))).sum()\n    if np.sqrt(4.0) > 1: y = y + 1\nreturn y",
    "in a function": "def part(v, n): return v[: int(np.log2(n))]\nreturn part(x, np.array(8.0))",
    "in a method": "class Grid:\n    def __init__(self, n): self.n = np.array(n) + 1\n    def __len__(self): return int(self.n)\n"
    "return len(Grid(2)), x[: Grid(2).n]",
    "a while loop": "k = 0\nwhile k < int(np.array(3)):\n    x = x + k\n    k += 1\nreturn x",
    "what a loop carries": "k = np.array(0)\nwhile k < 3: k = k + 1\nreturn x[:k]",
    "a carried int": "n = int(np.ceil(2.5))\nfor r in x:\n    if r > 2: n = n + 1\nreturn n",
}  # fmt: skip
EVERYWHERE = (
    "an int",
    "a number of steps",
    "a mask",
    "positions",
    "bounds",
    "in a branch",
    "in a loop",
    "what a loop carries",
)
WAYS = {
    "jit": lambda f: jax.jit(al.to_graph(f)),
    "vmap": lambda f: lambda x: jax.tree.map(lambda a: a[0], jax.vmap(al.to_graph(f))(x[None])),
    "grad": lambda f: lambda x: jax.vjp(al.convert(f), x)[0],
    "disable_jit": lambda f: jax.disable_jit()(al.to_graph(f)),
}


def outcome(lines: str, numpy: Any, way: Any) -> Any:
    source = "def main(x):\n" + "".join(f"    {line}\n" for line in lines.splitlines())
    with loaded(source, np=numpy, math=math, T=T, dt=DT, MASK=np.arange(5) % 2 == 0) as namespace:
        try:
            return jax.tree.map(np.asarray, way(namespace["main"]))
        except AssertionError as error:
            return np.asarray(f"{error}")


def assert_same(found: Any, expected: Any) -> None:
    def same(a: Any, b: Any) -> None:
        if a.dtype.kind in "fc":
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(a, b)

    jax.tree.map(same, found, expected)


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_python_has(case: str):
    expected = outcome(CASES[case], np, lambda f: f(X))
    assert_same(outcome(CASES[case], jnp, lambda f: al.convert(f)(jnp.asarray(X))), expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", EVERYWHERE)
def test_it_is_so_under_transformations(case: str, way: str):
    expected = outcome(CASES[case], np, lambda f: f(X))
    assert_same(outcome(CASES[case], jnp, lambda f: WAYS[way](f)(jnp.asarray(X))), expected)


def test_numbers_are_python_s_own():
    def f(x):
        kinds = (
            int(jnp.array(2.5)),
            float(jnp.sqrt(2.0)),
            bool(jnp.array(1)),
            complex(jnp.array(1)),
            round(jnp.array(2.5)),
        )
        return x, [type(kind).__name__ for kind in kinds], {int(jnp.array(2)): "a key"}

    assert al.convert(f)(1.0)[1:] == (["int", "float", "bool", "complex", "int"], {2: "a key"})


def test_nothing_is_added_to_the_program():
    def f(x):
        mask, n = ~jnp.eye(4, dtype=bool), int(jnp.log2(8))
        if jnp.all(jnp.array(x.shape) > 0) and len(jnp.where(mask)[0]) == 12:
            x = x[:n]
        assert jnp.allclose(jnp.array([1.0]), jnp.array([1.0]))
        return x + float(jnp.sqrt(4.0))

    jaxpr = al.convert(f).get_concrete_function(jnp.ones(5)).jaxpr
    assert [equation.primitive.name for equation in jaxpr.eqns] == ["slice", "add"]
    assert not jaxpr.consts
    text = jax.jit(al.to_graph(f)).lower(jnp.ones(5)).as_text()
    assert "iota" not in text
    assert "reduce" not in text


def test_what_nobody_asks_for_is_not_computed():
    def f(x):
        return (x + jnp.ones((1000, 1000))).sum()

    concrete = al.convert(f).get_concrete_function(jnp.ones(1000))
    assert not any(np.size(const) > 1 for const in concrete.jaxpr.consts)


def test_types_stay_those_of_jax():
    def f(x):
        half = x.astype(jnp.float16)
        return (
            half * jnp.sqrt(2.0),
            half * jnp.array(2.0),
            half * float(jnp.sqrt(jnp.float32(2))),
            x ** jnp.array(2),
        )

    found, plain = al.convert(f)(jnp.ones(2)), f(jnp.ones(2))
    assert [a.dtype for a in found] == [a.dtype for a in plain]


CAPTURED = jnp.array([1, 2])
MASK = jnp.array([True, False, True])
COUNT = al.Variable(2)


def of_captured(x):
    return x[: int(CAPTURED.sum())]


def of_a_variable(x):
    return x[: int(COUNT)]


def of_a_callback(x):
    return x[: int(jax.pure_callback(lambda: np.int32(2), jax.ShapeDtypeStruct((), jnp.int32)))]


def of_the_platform(x):
    return x[: lax.platform_dependent(cpu=lambda: jnp.int32(1), default=lambda: jnp.int32(2))]


def of_a_reference(x):
    ref = jax.new_ref(jnp.array(1))
    ref[...] = ref[...] + 1
    return x[: ref[...]]


def of_a_loop(x):
    n = jnp.array(1)
    while n < x[0]:
        n = n + 1
    return x[:n]


@pytest.mark.parametrize(
    "f", [of_captured, of_a_variable, of_a_callback, of_the_platform, of_a_reference, of_a_loop]
)
def test_data_stays_data(f: Any):
    with pytest.raises(DynamicShapeError, match="only the data knows how many items it has"):
        jax.jit(al.convert(f))(jnp.arange(5.0))


def test_a_captured_array_is_a_mask_as_it_is_under_jit():
    def f(x):
        return x[MASK]

    assert al.convert(f)(jnp.arange(3.0)).tolist() == jax.jit(f)(jnp.arange(3.0)).tolist() == [0, 2]


def test_a_condition_on_a_captured_array_stays_in_the_program():
    def f(x):
        if CAPTURED[0] > 0:
            x = x + 1
        return x

    names = [equation.primitive.name for equation in jax.make_jaxpr(al.to_graph(f))(1.0).eqns]
    assert "cond" in names or "select_n" in names


def test_a_condition_that_needs_a_loop_is_left_to_the_program():
    def f(x):
        k = jnp.array(0)
        while k < 1000:
            k = k + 1
        if k > 3:
            x = x + 1
        return x

    assert al.convert(f)(1.0) == 2
    assert "while" in str(jax.make_jaxpr(al.to_graph(f))(1.0))


def test_a_while_loop_over_arrays_is_compiled_once():
    def f(x):
        t, k = jnp.array(0.0), 0
        while t < 1000 and float(t) < 2000:
            t, k = t + 1, k + 1
        return x + t, k

    assert jax.tree.map(float, al.convert(f)(1.0)) == (1001.0, 1000.0)
    assert len(jax.make_jaxpr(al.to_graph(f))(1.0).eqns) < 20


def test_many_steps_are_rolled():
    def f(x):
        for i in range(int(jnp.ceil(100 / 0.1))):
            x = x + 0.001 * i * jnp.sin(x)
        return x

    assert len(jax.make_jaxpr(al.to_graph(f))(1.0).eqns) < 50
    assert np.isclose(al.convert(f)(0.5), al.convert(f, static_loops="stage")(0.5), rtol=1e-4)


def test_what_equations_follow_from_is_looked_for_once():
    def f(x):
        k = jnp.array(0)
        for i in range(60):
            k = k + i
            if k % 2 == 0:
                x = x + 1
        return x

    runs = 0

    def counting(*args: Any) -> Any:
        nonlocal runs
        runs += 1
        return run(*args)

    from autograph_lite.jax_internals import constant_folding

    run = constant_folding._run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constant_folding, "_run", counting)
        assert al.convert(f)(0.0) == sum(sum(range(i + 1)) % 2 == 0 for i in range(60))
    assert runs < 60 * 12


def test_a_size_that_depends_on_an_argument_is_refused_as_before():
    def f(x):
        return jnp.zeros(int(jnp.sum(x)))

    with pytest.raises(PythonOnlyError) as caught:
        al.convert(f)(jnp.ones(3))
    assert (
        caught.value.why
        == "The value is known when the compiled program runs, and not while the function is traced."
    )


def test_random_keys_follow_from_python_s_seeds():
    def f(x):
        n = int(jax.random.randint(jax.random.key(0), (), 1, 5))
        return x[:n]

    assert al.convert(f)(jnp.arange(5.0)).shape == f(jnp.arange(5.0)).shape


def test_a_program_of_another_size_has_other_numbers():
    @al.convert
    def f(x):
        n = int(jnp.log2(jnp.array(x.shape[0])))
        for i in range(n):
            x = x.reshape(2**i, -1)[:, ::-1].reshape(-1)
        return x

    for size in (4, 8, 4):
        x = np.arange(size, dtype=np.float32)
        expected = x
        for i in range(int(np.log2(size))):
            expected = expected.reshape(2**i, -1)[:, ::-1].reshape(-1)
        assert f(jnp.asarray(x)).tolist() == expected.tolist()


SMALL = st.integers(1, 4).map(str)


@st.composite
def ints(draw: Any, depth: int = 2) -> str:
    """A number from 0 to 5, made of Python's."""
    match draw(st.integers(0, 7)) if depth else 0:
        case 0:
            return f"np.array({draw(SMALL)})"
        case 1:
            return f"np.sum(np.array([{draw(SMALL)}, {draw(ints(depth - 1))}])) % 5"
        case 2:
            return f"np.max({draw(positions(depth - 1))})"
        case 3:
            return f"np.sum({draw(masks(depth - 1))})"
        case 4:
            return f"int(np.ceil(np.sqrt(float({draw(ints(depth - 1))}) + 0.5)))"
        case 5:
            return f"np.argmax({draw(positions(depth - 1))})"
        case 6:
            return f"min(np.array(5), abs({draw(ints(depth - 1))} - {draw(SMALL)}))"
    return f"({draw(SMALL)} if {draw(ints(depth - 1))} > {draw(SMALL)} else {draw(ints(depth - 1))})"


@st.composite
def positions(draw: Any, depth: int = 2) -> str:
    """Some numbers from 0 to 4, at least one."""
    match draw(st.integers(0, 4)) if depth else 0:
        case 0:
            return f"np.array([{draw(st.integers(0, 4))}, {draw(st.integers(0, 4))}])"
        case 1:
            return f"(np.arange({draw(SMALL)}) * {draw(SMALL)}) % 5"
        case 2:
            return f"np.unique({draw(positions(depth - 1))})"
        case 3:
            return f"np.concatenate([np.array([0]), np.nonzero({draw(masks(depth - 1))})[0]])"
    return f"np.cumsum({draw(positions(depth - 1))}) % 5"


@st.composite
def masks(draw: Any, depth: int = 2) -> str:
    """Five bools."""
    match draw(st.integers(0, 5)) if depth else 0:
        case 0:
            return f"(np.arange(5) % {draw(SMALL)} == {draw(st.integers(0, 1))})"
        case 1:
            return f"np.eye(5, dtype=bool)[{draw(ints(depth - 1))} % 5]"
        case 2:
            return f"~{draw(masks(depth - 1))}"
        case 3:
            return f"({draw(masks(depth - 1))} | {draw(masks(depth - 1))})"
        case 4:
            return f"np.isin(np.arange(5), {draw(positions(depth - 1))})"
    return f"np.where(np.arange(5) < {draw(ints(depth - 1))}, True, False)"


@st.composite
def uses(draw: Any) -> str:
    """A statement that adds to `out` what Python needs such a value for."""
    n, where, mask = draw(ints()), draw(positions()), draw(masks())
    return draw(
        st.sampled_from([
            f"out.append(np.zeros(int({n})) + x[0])", f"out.append(x[: {n}])", f"out.append(x[{n} :])",
            f"out.append(x[{mask}])", f"out.append(np.cumsum(x)[np.nonzero({mask})])", f"out.append(x[{where}][: {n}])",
            f"out.append((1, 'b', x, None, 2.5, 'c')[{n}] is None)",
            f"for k in range(int({n})):\n    out.append(x[k % 5] * k)",
            f"for k in ({where}).tolist():\n    out.append(x[:k])",
            f"if {n} > {draw(SMALL)}:\n    out.append(x)\nelse:\n    out = [x.sum(), out]",
            f"if x[1] > 2:\n    out.append(x[{mask}].sum())\nelse:\n    out.append(x[: {n}].sum())",
            f"x = x + float(np.sqrt(float({n})))",
            f"for v in x:\n    x = x + v * np.ones(int({n})).sum()",
            f"out.append(np.repeat(x, {where} if len({where}) == 5 else {n}))",
        ])
    )  # fmt: skip


@examples(25)
@given(st.lists(uses(), min_size=1, max_size=3))
def test_random_programs_give_what_numpy_gives(lines: list[str]):
    program = "out = []\n" + "\n".join(lines) + "\nreturn x, out"
    expected = outcome(program, np, lambda f: f(X))
    assert_same(outcome(program, jnp, lambda f: al.convert(f)(jnp.asarray(X))), expected)
