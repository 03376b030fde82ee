"""NumPy's arrays as arguments: they hold afterwards what NumPy would have left in them; JAX's stay as they are."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import ArraySpec, MutatedArgumentError, MutationError

X = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
M = np.arange(6, dtype=np.float32).reshape(2, 3)
ONES = np.ones(4, np.float32)
N = np.int32(3)


@dataclasses.dataclass
class Particle:
    """An argument that is rebuilt from its values."""

    at: Any
    speed: Any

    def step(self, dt: Any) -> None:
        """Moves."""
        self.at[:] = self.at + dt * self.speed
        self.speed *= 0.5


def items(x: Any, m: Any) -> Any:
    x[1] = x[0] * 2
    x[2:] = x[:2]
    m[1, m[1] > 4] = 0
    x[0], x[1] = x[1], x[0]
    return x.sum()


def callees(x: Any, v: Any) -> None:
    def fill(out: Any, v: Any) -> None:
        out[0] = v
        out[-1] += v

    fill(x, v)
    fill(x[1:3], v + 1)


def views(x: Any, m: Any) -> Any:
    y = x[1:]
    row = m[0]
    y[0] = 10 * x[0]
    row[1] = m.T[2, 1]
    m.T[0, 1] = 7
    m.ravel()[3] = row[1]
    return y, row


def loops(x: Any, n: Any) -> Any:
    for i in range(1, len(x)):
        x[i] += x[i - 1]
    i = 0
    while i < n:
        x[i] = x[i] + n
        i += 1
    return i


def branches(x: Any, n: Any) -> Any:
    if x[0] > n:
        x[1] = 0
        return 1
    x[2] = n
    return 2


def structures(xs: Any, named: Any, pair: Any) -> None:
    xs[0][1] = xs[1][0] * 2
    named["a"][:] = named["b"] + 1
    pair[0][pair[1]] = 5


def objects(p: Any, dt: Any) -> None:
    p.step(dt)
    p.step(dt)


def out_parameters(a: Any, b: Any, x: Any, y: Any) -> Any:
    np.add(a, b, out=x)
    np.multiply(a, 2, y)
    np.sqrt(b, out=y, where=b > 1)
    np.cumsum(x, out=x)
    return x is x


def in_place(x: Any, y: Any, z: Any, i: Any) -> None:
    x.sort()
    y.fill(x[0])
    np.copyto(z, x * 2, where=x > 2)
    np.add.at(y, i, 1.0)
    np.multiply.at(z, slice(1, None), x[0])
    np.put(x, [0, 1], y[0])
    z.partition(2)


def matrices(m: Any, x: Any) -> None:
    np.fill_diagonal(m, m[0, 1])
    np.putmask(x, x > 2, -x)
    np.place(m, m > 4, [x[0], 8.0])
    np.add.at(m, (..., [0, 1, 0]), x[:3])


def augmented(a: Any, b: Any) -> Any:
    before, part = a, a[1:]
    a += b
    a *= 2
    part -= 1
    return before, part


def augmented_in_loops(a: Any, n: Any) -> Any:
    before = a
    for _ in range(n):
        a += before[0]
    if a[0] > n:
        a /= 2
    return before


def augmented_on_paths(a: Any, n: Any) -> Any:
    if a[0] > n:
        a += 1
    if a[1] > 0:
        a *= 2
    return a


def rebound(x: Any, n: Any) -> Any:
    x = x * 2
    x += 1
    x[0] = n
    return x


def computed(x: Any) -> Any:
    y = x * 2
    z = y
    y += 1
    s = np.sin(x)
    t = s
    s *= 2
    of_operators = []
    for w in (-x, abs(x), +x, 2**x):
        v = w
        v += 1
        of_operators.append(w)
    return z, t, of_operators


def all_items(m: Any, x: Any, y: Any) -> Any:
    m[:] -= m[0, 0] - 1
    for k in range(2):
        m[k:] *= 2
    x[0] = 5
    y[:] = x
    x[...] += 1
    y[1] = 3
    x[1:] = y[1:]
    y[:] = x
    y *= 2
    return m[:]


def all_items_in_turn(x: Any, y: Any, n: Any) -> Any:
    for _ in range(n):
        x[:] += y
        y[:] = x
        x[1] = 7
    if y[0] > 2:
        y[1] = 5
        x[:] = y
    else:
        x[:] = y
        x[1] = 9
    x[:], y[:] = y, x.copy()


def in_a_row(m: Any, x: Any) -> Any:
    m.flat[5] = x[0]
    items = m.flat
    items[:2] += 1
    x.flat = 7.0
    return items[3], sum(v for v in m.flat)


def twice(a: Any, b: Any) -> Any:
    a[0] = 9.0 * b[1]
    return b[0]


def many(*xs: Any, **named: Any) -> None:
    for x in xs:
        x[0] = 9
    named["k"][1] = 3


PROGRAMS: dict[Any, tuple[Any, ...]] = {
    items: (X, M), callees: (X, np.float32(5)), views: (X, M), loops: (X, N), branches: (X, N),
    structures: ([X, ONES], {"a": X, "b": ONES}, (X, N)), objects: (Particle(X, ONES), np.float32(0.5)),
    out_parameters: (X, X * X, ONES, ONES), in_place: (X[::-1].copy(), ONES, ONES, np.array([1, 1, 2])), matrices: (M, X), in_a_row: (M, X),
    augmented: (X, ONES), augmented_in_loops: (X, N), augmented_on_paths: (X, N), rebound: (X, N), computed: (X,), twice: (X, ONES),
    all_items: (M, X, ONES), all_items_in_turn: (X, ONES, N),
}  # fmt: skip


def leaves(value: Any) -> list[Any]:
    return jax.tree.leaves(vars(value) if isinstance(value, Particle) else value)


def run(fn: Any, args: Any) -> list[Any]:
    result = fn(*args)
    return [*leaves(result), *(leaf for arg in args for leaf in leaves(arg))]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_arguments_hold_what_numpy_leaves(program: Any) -> None:
    args = PROGRAMS[program]
    converted = autograph_lite.convert(program)
    for sign in (1, -1):
        given = copy.deepcopy([*args])
        for leaf in [leaf for arg in given for leaf in leaves(arg) if isinstance(leaf, np.ndarray)]:
            leaf *= sign if leaf.dtype == np.float32 else 1
        expected = run(program, copy.deepcopy(given))
        for found, wanted in zip(run(converted, copy.deepcopy(given)), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("set_it", "what", "fix"),
    [
        (lambda m: setattr(m, "shape", 12), "The shape of an array, float32[3,4], is set.", "x = x.reshape(...), which is a part of it."),
        (lambda m: setattr(m, "dtype", int), "The dtype of an array, float32[3,4], is set.", "x = x.astype(...), or x = x.view(...)."),
        (
            lambda m: m.T.flat[0], "The items of an array, float32[4,3], are asked for by `.flat`, and do not lie in a row.",
            "x.ravel() for a copy; or x[i, j] for an item of the array.",
        ),
    ],
)  # fmt: skip
def test_what_an_array_keeps(set_it: Any, what: str, fix: str) -> None:
    with pytest.raises(MutationError) as caught:
        autograph_lite.convert(lambda x: set_it(x * 2))(np.ones((3, 4), np.float32))

    assert (caught.value.what, caught.value.fix) == (what, fix)


def test_the_callers_objects_keep_their_arrays() -> None:
    x, xs = X.copy(), [X.copy()]
    p = Particle(x, ONES.copy())
    first = xs[0]
    autograph_lite.convert(lambda p, xs: (p.step(1.0), xs[0].fill(2.0)) and None)(p, xs)

    assert p.at is x
    assert xs[0] is first
    assert first.tolist() == [2, 2, 2, 2]


def test_one_array_twice_is_one() -> None:
    x, y = X.copy(), X.copy()
    converted = autograph_lite.convert(twice)

    assert converted(x, y) == 1
    assert converted(x, x) == twice(y, y)
    assert x.tolist() == y.tolist()
    assert converted.trace_count == 2


def test_an_array_without_items() -> None:
    def f(x):
        x[:] = 3
        x += 1
        return x.sum()

    for shape in ((0,), (0, 3)):
        x = np.zeros(shape)  # of a type that JAX has not
        assert autograph_lite.convert(f)(x) == 0
        assert x.shape == shape


def test_arguments_by_other_ways() -> None:
    xs = [X.copy() for _ in range(3)]
    autograph_lite.convert(many)(xs[0], xs[1], k=xs[2])
    assert [x[:2].tolist() for x in xs] == [[9, 2], [9, 2], [1, 3]]

    def kept(v, buf=np.zeros(2)):
        buf[0] += v
        return buf[0]

    converted = autograph_lite.convert(kept)
    assert [converted(1.0), converted(1.0)] == [1, 2]
    assert kept(1.0) == 3


def test_layouts_and_types() -> None:
    def fill(x, v):
        x[1:] = v

    converted = autograph_lite.convert(fill)
    wide = np.zeros((3, 4), order="F")
    converted(wide[:, ::-2], 5.0)
    assert wide.tolist() == [[0] * 4, [0, 5, 0, 5], [0, 5, 0, 5]]

    doubles, ints = np.array([0.1, 0.2, 0.3]), np.array([2**40, 1, 1])
    converted(doubles, 0.5)
    converted(ints, np.float32(2.7))
    assert doubles.tolist() == [0.1, 0.5, 0.5]  # what is not written keeps its digits
    assert ints.tolist() == [2**40, 2, 2]


def test_memory_order_decides_what_is_a_view() -> None:
    def f(m, n):
        flat = m.T.reshape(-1) if turned else m.ravel()
        flat[1] = n
        return flat

    for m, turned in (
        (M, True),
        (np.asfortranarray(M), True),
        (np.asfortranarray(M), False),
        (M[:, ::-1], False),
    ):
        converted = autograph_lite.convert(f)
        one, other = (np.copy(m, order="K") for _ in range(2))
        expected = f(one, N)
        for found, wanted in zip([converted(other, N), other], [expected, one], strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_arrays_of_jax_stay_as_they_are() -> None:
    def f(x):
        x[0] = 5
        return x * 1

    converted, x, y = autograph_lite.convert(f), jnp.asarray(X), X.copy()
    for _ in range(2):
        assert converted(x)[0] == converted(y)[0] == 5
    assert (x[0], y[0]) == (1, 5)
    assert converted.trace_count == 2  # one for each kind, where the function writes
    assert "written arrays: JAX's -> NumPy's x, as of trace 1" in str(converted.explain_retraces())
    assert autograph_lite.convert(lambda x: x * 2).get_concrete_function(y).jaxpr.out_avals[0].shape == (4,)

    z = X.copy()
    assert autograph_lite.convert(f, write_back=False)(z)[0] == 5
    assert z[0] == 1
    with pytest.raises(ValueError, match=r"^write_back is 1.5; it may be True or False\.$"):
        autograph_lite.convert(f, write_back=1.5)  # type: ignore[call-overload]


def test_what_does_not_write_has_one_program_for_both() -> None:
    converted = autograph_lite.convert(lambda x: x + 1)
    converted(X)
    converted(jnp.asarray(X))

    assert converted.trace_count == 1
    assert all(program.plain for each in converted.concrete_functions for program in each.trace.programs)


@pytest.mark.filterwarnings(
    "ignore::autograph_lite.errors.SymbolicSizeWarning"
)  # views of such sizes are not known
@pytest.mark.parametrize(
    "options", [{"reduce_retracing": True}, {"donate_argnums": 0}, {"verify": "first_call"}, {}]
)
def test_with_options(options: dict[str, Any]) -> None:
    def f(x):
        x[0] = x[1] + 1
        return x.sum()

    converted = autograph_lite.convert(f, **options)
    for size in (12, 13, 13):
        x, y = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32)
        assert converted(x) == f(y)
        assert x.tolist() == y.tolist()


def test_with_an_input_signature() -> None:
    def f(x):
        x[0] = x[1] + 1
        return x.sum()

    x = np.array([1, 2, 3], np.float32)
    converted = autograph_lite.convert(f, input_signature=[ArraySpec([3], "float32")])
    assert converted(x) == 8
    assert x.tolist() == [3, 2, 3]
    assert converted.get_concrete_function()(x) == 8
    assert len(converted.get_concrete_function().jaxpr.out_avals) == 1


def test_under_transformations() -> None:
    def f(x):
        x[0] = 5 * x[1]
        return (x**2).sum()

    x, converted = X.copy(), autograph_lite.convert(f)
    assert jax.grad(converted)(x).tolist() == [0, 104, 6, 8]
    assert jax.vmap(converted)(np.stack([x, x])).tolist() == [129, 129]
    assert jax.jit(converted)(x) == 129
    assert x.tolist() == X.tolist()  # they hand over tracers
    with pytest.raises(MutatedArgumentError) as caught:
        jax.jit(lambda s: converted(x) * s)(2.0)
    assert caught.value.what == (
        "An array of NumPy's that was passed as an argument is written, and the call is part of somebody else's trace."
    )


def test_a_call_that_raises_leaves_them_as_they_were() -> None:
    def f(x, n):
        x[0] = 7
        if n > 1:
            raise ValueError("no")

    x = X.copy()
    with pytest.raises(ValueError, match=r"^no$"):
        autograph_lite.convert(f)(x, N)
    assert x[0] == 1


def test_a_saved_function_writes_to_none(tmp_path: Any) -> None:
    def f(x):
        x[0] = 7
        return x.sum()

    autograph_lite.save(tmp_path / "f.zip", autograph_lite.convert(f), (ArraySpec([4], "float32"),))
    loaded = autograph_lite.load(tmp_path / "f.zip")

    assert loaded(jnp.asarray(X)) == 16
    with pytest.raises(MutatedArgumentError, match="loaded from a file, and writes to an array of NumPy's"):
        loaded(X.copy())


def test_what_numpy_lets_nobody_write() -> None:
    def f(x, n):
        if n > 0:
            x[0] = 1
        return x.sum()

    x, converted = X.copy(), autograph_lite.convert(f)
    x.flags.writeable = False
    assert converted(x, np.int32(0)) == 10
    for given in (x, np.broadcast_to(ONES[:1], (4,))):
        with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
            converted(given, N)


def test_what_numpy_refuses_to_change_in_place() -> None:
    def f(x, y):
        x += y

    converted = autograph_lite.convert(f)
    for x, y in ((np.arange(3), 1.5), (np.ones(3, bool), 1), (ONES, M)):
        with pytest.raises((TypeError, ValueError)) as wanted:
            f(x.copy(), y)
        with pytest.raises((TypeError, ValueError)) as found:
            converted(x.copy(), y)
        assert isinstance(wanted.value, type(found.value))


def test_arrays_that_share_memory() -> None:
    x, converted = X.copy(), autograph_lite.convert(twice)
    converted(x[:2], x[2:])
    assert x.tolist() == [36, 2, 3, 4]
    assert autograph_lite.convert(lambda a, b: (a * b).sum())(x[:3], x[1:]) == 90  # nothing is written
    with pytest.raises(MutatedArgumentError) as caught:
        converted(x[:3], x[1:])
    assert caught.value.what == (
        "'twice' writes to an array of NumPy's, float32[3], that shares its memory with another argument, float32[3]."
    )


def test_an_array_that_is_read_from_outside_too() -> None:
    x = X.copy()

    def f(y):
        y[0] = 5
        return x.sum()

    assert autograph_lite.convert(f)(ONES.copy()) == 10
    with pytest.raises(MutatedArgumentError, match="float32\\[4\\], that it uses from outside, too"):
        autograph_lite.convert(f)(x)


def test_one_of_several() -> None:
    def f(a, b, n):
        c = a if n > 1 else b
        c += 1
        return c

    def g(a, b, n):
        c = b * 1
        for _ in range(n):
            c = a[1:]
        c += 1

    def h(a, b, n):
        other = b * 1
        for _ in range(n):
            other[1:] = a[:-1]
            a, other = other, a
        return a

    with pytest.raises(
        MutationError, match="and the loop makes 'other' an array for its next iteration that the caller"
    ):
        autograph_lite.convert(h)(X.copy(), ONES.copy(), N)
    with pytest.raises(MutationError, match="is changed in place, which is one of several, and"):
        autograph_lite.convert(g)(X.copy(), ONES[1:].copy(), N)
    with pytest.raises(MutationError) as caught:
        autograph_lite.convert(f)(X.copy(), ONES.copy(), N)
    assert caught.value.what == (
        "An array, float32[4], is changed in place, which is one of several, and the caller has another."
    )
