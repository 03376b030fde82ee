"""In which order does a call see the keys of its dicts, and its keywords, and in which do results have them?"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite
from autograph_lite import ArraySpec, Variable

X, Y, Z = map(np.float32, (1, 2, 3))


def digits(values: Any) -> Any:
    total = 0.0
    for value in values:
        total = total * 10 + value
    return total


@dataclasses.dataclass
class Box:
    held: dict[str, Any]


def plain(d):
    return digits(d.values())


def inside(pair):
    return digits(pair[1]["d"].values())


def in_a_dataclass(box):
    return digits(box.held.values())


def stacked(d):
    return np.stack(list(d.values()))


def returned(d):
    return {"z": d["b"], "a": d["a"], **d}


def ordered(d):
    return [*d], [k for k, v in d.items() if isinstance(k, str)]


WRAPPED = {
    plain: lambda d: d,
    inside: lambda d: (X, {"x": X, "d": d}),
    in_a_dataclass: Box,
    stacked: lambda d: d,
    returned: lambda d: d,
    ordered: lambda d: d,
}


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, in_order(item)) for key, item in value.items()]
    return np.asarray(value).tolist() if not isinstance(value, (list, tuple)) else list(map(in_order, value))


@pytest.mark.parametrize("fn", WRAPPED, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_a_dict_is_seen_sorted_and_one_that_has_an_order_as_it_is(fn, kind):
    f = autograph_lite.convert(fn)
    for _ in range(2):  # the second one in C++
        for keys in itertools.permutations("abc"):
            items = [*zip(keys, (X, Y, Z), strict=True)]
            given = WRAPPED[fn](kind(items))
            seen = WRAPPED[fn](kind(sorted(items) if kind is dict else items))
            assert in_order(f(given)) == in_order(fn(seen))
    assert f.trace_count == (1 if kind is dict else 6)


@given(
    st.lists(st.one_of(st.integers(-3, 3), st.sampled_from("abc"), st.booleans()), unique=True, max_size=5)
)
def test_results_with_keys_of_any_kind(keys):
    @autograph_lite.convert
    def f(x):
        found = {key: x + i for i, key in enumerate(keys)}
        if x > 0:
            found = {key: value * 2 for key, value in found.items()}
        return found, [found]

    for _ in range(2):
        for found in (f(X)[0], f(X)[1][0]):
            assert [(repr(key), float(value)) for key, value in found.items()] == [
                (repr(key), 2.0 * (1 + i)) for i, key in enumerate(keys)
            ]


def test_keywords_are_seen_in_the_order_of_the_call():
    def f(a, /, *rest, k=1.0, **named):
        return digits(named.values()) * k, list(named), sum(rest, a)

    f_ = autograph_lite.convert(f)
    calls = [
        (X,), dict(c=X, b=Y), dict(b=Y, c=X), dict(b=Y, k=X, c=X), dict(k=X, c=X, b=Y),
    ]  # fmt: skip
    for _ in range(2):
        for kwargs in calls[1:]:
            for args in ((X,), (X, Y)):
                assert in_order(f_(*args, **kwargs)) == in_order(f(*args, **kwargs))
    assert f_.trace_count == 8


def test_keywords_of_parameters_come_in_any_order():
    f = autograph_lite.convert(lambda x, y, *, z: x - y * z)
    for order in itertools.permutations(dict(x=X, y=Y, z=Z).items()):
        assert f(**dict(order)) == 1 - 2 * 3
    assert f.trace_count == 1


def test_with_variables():
    count = Variable(0.0)

    @autograph_lite.convert
    def f(x, **named):
        count.assign_add(x)
        return {"z": digits(named.values()), "count": count.value, "a": x}

    for number in range(1, 4):
        for names in ("cb", "bc"):
            found = f(x=X, **dict(zip(names, (Y, Z), strict=True)))
            assert [*found] == ["z", "count", "a"]
            assert found["z"] == 23
            assert found["count"] == 2 * number - (names == "cb")


def test_results_of_equal_arrays_keep_their_order():
    @autograph_lite.convert
    def f(x):
        y = x + 1
        return {"b": y, "a": y}

    assert [list(f(X)) for _ in range(3)] == [["b", "a"]] * 3


def test_a_dict_whose_keys_move_is_the_callers():
    def f(d):
        d["c"] = d["b"] * 2
        del d["b"]
        d["b"] = d["a"]
        d["a"] = d.pop("a") + 1

    for keys in itertools.permutations("abe"):
        mine, its = dict(zip(keys, (X, Y, Z), strict=True)), dict(zip(keys, (X, Y, Z), strict=True))
        autograph_lite.convert(f)(mine)
        f(its)
        assert in_order(mine) == in_order(its)


def test_an_input_signature_takes_any_order():
    spec = ArraySpec((), jnp.float32)
    f = autograph_lite.convert(
        lambda d: digits(d["in"].values()), input_signature=[{"in": {"b": spec, "a": spec}}]
    )
    assert f({"in": {"b": X, "a": Y}}) == 21
    assert f({"in": {"a": Y, "b": X}}) == 21
    assert f.trace_count == 1
    with pytest.raises(TypeError, match="found .*'c'.*; allowed: .*'b'"):
        f({"in": {"a": Y, "c": X}})


def test_a_loaded_function_takes_any_order_and_keeps_that_of_its_result(tmp_path):
    f = autograph_lite.convert(lambda d: {"z": plain(d), "in": {"y": 1, "b": d["b"]}})
    autograph_lite.save(tmp_path / "f.zip", f, ({"b": X, "a": Y},))
    loaded = autograph_lite.load(tmp_path / "f.zip")
    for d in ({"b": X, "a": Y}, {"a": Y, "b": X}):
        assert in_order(loaded(d)) == [("z", 21), ("in", [("y", 1), ("b", 1)])]


def test_a_result_of_pythons_may_have_its_keys_in_any_order():
    scalar = jax.ShapeDtypeStruct((), jnp.float32)

    @autograph_lite.py_function(result={"b": scalar, "a": scalar})
    def host(x, turned):
        return {"a": x, "b": x + 1} if turned else {"b": x + 1, "a": x}

    f = autograph_lite.convert(lambda x, turned: host(x, turned))
    for turned in (0, 1):
        assert in_order(f(X, jnp.int32(turned))) == [("b", 2), ("a", 1)]


def test_under_jax_the_keys_are_sorted_too():
    f = autograph_lite.convert(plain)
    assert jax.jit(f)({"b": X, "a": Y}) == 21
    assert jax.grad(f)({"b": X, "a": Y}) == {"a": 10, "b": 1}
