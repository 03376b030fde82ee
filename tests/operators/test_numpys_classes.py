"""Does `isinstance` see of a traced value what it sees of NumPy's in Python, where the caller has passed NumPy's?"""

from __future__ import annotations

import collections.abc
import math
import numbers
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

X = np.array([0.5, -1.0, 2.0])


def asked(v: Any) -> list[bool]:
    kinds = (
        float,
        np.ndarray,
        np.floating,
        int | float,
        numbers.Number,
        collections.abc.Iterable,
        (str, (np.float64, list)),
    )
    return [
        *(isinstance(v, kind) for kind in kinds),
        type(v) is np.ndarray,
        type(v) == np.float64,
        v.__class__ is type(v) is getattr(v, "__class__", None),
        isinstance(v, v.__class__),
        type(v).__name__ == v.__class__.__name__ in ("ndarray", "float64", "float", "ArrayImpl"),
        hasattr(v, "__len__"),
    ]


def of_arrays(x: Any) -> Any:
    y = np.zeros(3) + x
    return [asked(v) for v in (x, x[1:], x.T, -x, abs(x), x * 2 + 1, y, np.sin(x), x > 0, [x][0])]


def of_methods(x: Any) -> Any:
    m, i = np.outer(x, x), np.argsort(x)
    return [
        asked(v)
        for v in (
            m.dot(x), x.dot(x), x.clip(0, 1), x.clip(0, 1)[0], x.round(1), x.take([0, 1]), x.take(i), x.take(0), x.T.dot(m).dot(i),
            x.clip(-9, 9) * 2, i.round(), i.clip(0, 5), x[0].clip(0, 1), x.dot(2.0), m.trace(), x.std(),
        )
    ]  # fmt: skip


def of_selections(x: Any) -> Any:
    y = x[x > 0]
    values = (
        y,
        x.nonzero()[0],
        y * 2,
        y[0],
        y.sum(),
        np.where(x > 0)[0],
        x[: len(y)],
        x[x > 0].clip(0, 1),
        -y,
        y.round(),
        y > 1,
    )
    return [asked(v) for v in values]


def of_numbers(x: Any) -> Any:
    z = x[1]
    w = z if x[0] > 0 else x[2]
    return [
        asked(v)
        for v in (z, x.sum(), np.sum(x), z * 2, -z, abs(z), math.sin(z), float(z), w, max(z, w), x.shape[0])
    ]


def in_loops(x: Any) -> Any:
    s, n = 0.0, 0
    for v in x:
        if isinstance(v, float):
            s = s + v
        if v > 0 and isinstance(v * 2, np.ndarray):
            n += 1
    while s < 10:
        s = s + abs(x[0]) + 1
        if not isinstance(s, float):
            n += 100
    return s, n


def of_items(x: Any) -> Any:
    first, *others = x
    pairs = list(zip(x, ["a", 1, None], strict=True))
    return [asked(v) for v in (first, others[1], [*x][0], next(iter(x)), pairs[0][0], first * 2)]


def wrapped(angle: Any) -> Any:
    is_float = isinstance(angle, float)
    angles = np.asarray(angle).flatten()
    turned = (angles + np.pi) % (2 * np.pi) - np.pi
    return turned.item() if is_float else turned


def of_bools(x: Any) -> Any:
    count, found = 0, False
    for v in x:
        if v > 0:
            count, found = count + 1, True
    b, n, picked = x[0] > 0, int(x[0]), True if x[0] > 0 else False  # noqa: SIM210
    pythons = [
        bool(b), not b, x[0] in (1, 2), x[0] in x, any(x > 0), all(v > 0 for v in x), b.item(), (x > 0).tolist()[1],
        n > 0, 0 < n < 3, float(x[0]) == 2, count > 1, not count, picked, found, math.isnan(x[0]), (x[0], 1) == (n, 1),
        bool(b) and bool(x[1] > 0), len(x) > n,
    ]  # fmt: skip
    numpys = [
        b,
        ~b,
        (x[0], 1) < (x[1], n),
        b and x[1] > 0,
        (x > 0).any(),
        np.isnan(x[0]),
        x[1] == n,
        b & bool(x[1] > 0),
    ]
    return [
        (
            type(v) is bool,
            type(v) is np.bool_,
            isinstance(v, bool),
            isinstance(v, np.bool_),
            isinstance(v, int),
        )
        for v in pythons + numpys
    ]


def decided_by_bools(x: Any) -> Any:
    b = x[0] > 0
    if b:
        y = x[1]
    is_first, is_other = bool(b), not b
    if is_first and not is_other:
        y = y + 1
    if not is_first:
        y = x[2]
    if bool(b) and is_first is True:
        y = y * 2
    return y, sum([is_first, is_other, is_first]), is_first & b, is_first == is_other


@pytest.mark.parametrize("given", [X, -X], ids=["positive first", "negative first"])
@pytest.mark.parametrize(
    "fn",
    [
        of_arrays,
        of_methods,
        of_selections,
        of_numbers,
        of_items,
        of_bools,
        decided_by_bools,
        in_loops,
        wrapped,
    ],
)
def test_classes_are_those_of_numpys_values(fn: Any, given: Any) -> None:
    for found, expected in zip(
        jax.tree.leaves(autograph_lite.convert(fn)(given.copy())), jax.tree.leaves(fn(given)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_stands_for_python_has_its_class() -> None:
    def f(x, n):
        items = range(n), zip(x, x), enumerate(x), reversed(x), map(abs, x), int(x[0]), float(x[0])
        return [type(v) is v.__class__ and type(v).__name__ for v in items]

    given = np.arange(3.0), np.int64(2)
    assert autograph_lite.convert(f)(*given) == f(*given)


def test_first_parameter_of_a_function_is_asked_as_others_are() -> None:
    def f(x):
        return x.__class__ is np.float64, x.__class__.__name__

    assert autograph_lite.convert(f)(np.float64(1)) == f(np.float64(1))
    assert autograph_lite.convert(f)(jnp.float32(1)) == f(jnp.float32(1))


def test_class_of_a_size_that_stands_for_all() -> None:
    @autograph_lite.convert(input_signature=[autograph_lite.ArraySpec([None], jnp.float32)])
    def f(x):
        return x * 2 if type(x.shape[0]) is x.shape[0].__class__ is int else x

    assert f(jnp.ones(3)).tolist() == [2, 2, 2]


@pytest.mark.parametrize("given", [np.float64(4.0), np.int64(4), np.array(4.0)], ids=repr)
def test_numbers_of_numpys(given: Any) -> None:
    assert autograph_lite.convert(asked)(given) == asked(given)
    assert np.shape(autograph_lite.convert(wrapped)(given)) == np.shape(wrapped(given))


def test_jaxs_arrays_are_jaxs() -> None:
    def f(x):
        y = jnp.sin(x)
        return [*asked(x), *asked(y), *asked(y[0]), isinstance(x, jax.Array), isinstance(y, (str, jax.Array))]

    assert autograph_lite.convert(f)(jnp.asarray(X)) == f(jnp.asarray(X))
    assert autograph_lite.convert(lambda x: isinstance(jnp.sin(x), np.ndarray))(X) is False
    kept = lambda x: [isinstance(v, np.ndarray) for v in (x.dot(x[:, None]), x.clip(0, 1), x[x > 0])]  # noqa: E731
    assert autograph_lite.convert(kept)(jnp.asarray(X)) == [False] * 3
    assert autograph_lite.convert(lambda x, y: isinstance(x.dot(y[:, None]), jax.Array))(X, jnp.asarray(X))


def test_who_asks_has_a_program_for_numpys_arrays_and_one_for_jaxs() -> None:
    converted = autograph_lite.convert(lambda x: x + 1 if isinstance(x, np.ndarray) else x - 1)
    for _ in range(2):
        assert [
            float(converted(one)) for one in (jnp.float32(1), np.array(1.0, np.float32), np.float32(1))
        ] == [0, 2, 0]

    silent = autograph_lite.convert(lambda x: x + 1)
    assert float(silent(jnp.float32(1))) == float(silent(np.array(1.0, np.float32))) == 2
    assert silent.trace_count == 1


def of_a_double(x: Any, n: Any) -> Any:
    t, u = np.float64(0.5), np.float64(70000)
    for _ in range(n):
        t = t * 300
    if n > 1:
        u = u * 2
    v = np.sqrt(2.0)
    while n > 0:
        v, n = v * 1e6, n - 1
    return x + t, x * u, x[1] + u, v * x


def test_number_of_numpys_beside_narrow_floats_stays_no_number_of_pythons() -> None:
    x, n = np.arange(3, dtype=np.float16), np.int32(2)
    for found, expected in zip(autograph_lite.convert(of_a_double)(x, n), of_a_double(x, n), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def name_of(value: Any) -> str:
    return type(value).__name__


def beside_pythons_floats(n: Any, x: Any) -> Any:
    i = np.int64(n)
    values = (
        i + 1.0,
        2.0 * i,
        n - 0.5,
        abs(i) * 1.5,
        i**2.0,
        i % 2.0,
        i // 2.0,
        i + 1,
        int(n) + 1.0,
        int(n) / 2,
    )
    return (
        [name_of(v) for v in values],
        isinstance(i + 1.0, np.floating),
        isinstance(int(n) + 1.0, np.floating),
    )


def of_arrays_without_axes(n: Any, x: Any) -> Any:
    values = (np.array(x), np.asarray(n), np.array(float(x)), np.array(x) + 1, np.sin(np.array(x)))
    return [name_of(v) for v in values], isinstance(np.array(x), np.ndarray), isinstance(np.array(x), float)


def of_sorted_numbers(n: Any, x: Any) -> Any:
    values = [*sorted([x, x + 1, -x]), *sorted(np.array([x, 2.0])), *sorted([n, n + 1]), *sorted([int(n), 7])]
    return [name_of(v) for v in values], name_of(sorted([x, x / 2])[0] * 2)


def of_rounded_numbers(n: Any, x: Any) -> Any:
    return [name_of(v) for v in (round(x, 1), round(x), round(float(x), 1), round(n, 1))]


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize(
    "fn",
    [beside_pythons_floats, of_arrays_without_axes, of_sorted_numbers, of_rounded_numbers],
    ids=lambda fn: fn.__name__,
)
def test_classes_of_numbers(fn: Any, wide: bool) -> None:
    with jax.enable_x64(wide):
        assert autograph_lite.convert(fn)(np.int64(3), np.float64(2.5)) == fn(np.int64(3), np.float64(2.5))


def or_another(n: Any, x: Any) -> str:
    return name_of(n or x)


def and_another(n: Any, x: Any) -> str:
    return name_of(n and x)


def chosen(n: Any, x: Any) -> str:
    v = n if n > 0 else x
    return name_of(v)


def first_of_unlike(n: Any, x: Any) -> str:
    return name_of(sorted([n, x])[0])


@pytest.mark.parametrize("fn", [or_another, and_another, chosen, first_of_unlike], ids=lambda fn: fn.__name__)
def test_a_number_of_one_of_two_classes_has_none_that_is_known(fn: Any) -> None:
    with pytest.raises(autograph_lite.PythonOnlyError, match="in which numbers of several classes have met"):
        autograph_lite.convert(fn)(np.int64(3), np.float64(2.5))
    assert autograph_lite.convert(fn)(np.float64(3), np.float64(2.5)) == "float64"
    assert autograph_lite.convert(fn)(jnp.int32(3), jnp.float32(2.5)) == "ArrayImpl"


def item(values: Any, k: Any) -> list[bool]:
    return asked(values[k])


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("values", [[*X], [0.5, 1.5], [np.int64(3), np.int64(4)]], ids=str)
def test_an_item_of_a_list_has_the_class_of_its_numbers(values: Any, wide: bool) -> None:
    with jax.enable_x64(wide):
        assert autograph_lite.convert(item)(values, np.int64(1)) == item(values, 1)
