"""Does the caller find in its objects what plain Python would have left there?"""

from __future__ import annotations

import collections
import copy
import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite import MutatedArgumentError, RetraceWarning, convert


@dataclasses.dataclass
class Inner:
    w: Any
    n: int = 0


@dataclasses.dataclass
class Outer:
    a: Any
    b: Any
    rows: list[Any] = dataclasses.field(default_factory=list)
    table: dict[str, Any] = dataclasses.field(default_factory=dict)
    inner: Inner | None = None
    other: Any = None


def swaps(o, x):
    o.a, o.b = o.b, o.a
    return x


def counts(o, x):
    o.inner.n += 1
    o.inner.w = o.inner.w * x


def lists(o, x):
    o.rows.append(x * 2)
    o.rows[0], o.rows[1] = o.rows[1], o.rows[0]
    del o.rows[2]
    return o.rows


def dicts(o, x):
    o.table["z"] = o.table.pop("a") + x
    o.table.update(b=3)


def shares(o, x):
    o.other = o.rows
    o.table["rows"] = [o.rows, (o.inner, x)]


def replaces(o, x):
    o.inner = Inner(x + o.inner.w, 5)
    o.rows = []


def deletes(o, x):
    del o.other
    o.fresh = x


def loops(o, x):
    for row in o.rows:
        if x > 1:
            o.a = o.a + row
        else:
            o.b = o.b - row
    while o.a < 100:
        o.a = o.a * 2
        o.inner.w = o.inner.w + 1
    return o.a + o.inner.w


def returns(o, x):
    o.a = x
    return o, o.inner


def made() -> Outer:
    rows = [jnp.float32(3), jnp.float32(4), 7]
    return Outer(
        jnp.float32(1), jnp.float32(2), rows, {"a": jnp.float32(5), "k": 1}, Inner(jnp.float32(6)), "text"
    )


@pytest.mark.parametrize(
    "fn", [swaps, counts, lists, dicts, shares, replaces, deletes, loops, returns], ids=lambda fn: fn.__name__
)
def test_what_is_written_is_what_python_writes(fn: Any) -> None:
    ours, theirs, f = made(), made(), convert(fn)
    held = ours.rows, ours.table, ours.inner
    if fn is loops:
        ours.rows.pop(), theirs.rows.pop()
    for x in (jnp.float32(2), jnp.float32(0.5)):
        before, others = copy.deepcopy(ours), copy.deepcopy(theirs)
        try:
            expected = fn(theirs, x)
        except (AttributeError, KeyError):
            break
        assert str(f(ours, x)) == str(expected)
        assert str(vars(ours)) == str(vars(theirs)), (before, others)
    assert [any(kept is now for now in vars(ours).values()) for kept in held[:2]] == [
        fn is not replaces,
        True,
    ]
    assert (ours.inner is held[2]) == (fn is not replaces)
    assert (ours.other is ours.rows) == (fn is shares)
    if fn is shares:
        assert ours.table["rows"][0] is ours.rows
        assert ours.table["rows"][1][0] is ours.inner
    if fn is returns:
        assert f(ours, jnp.float32(1))[0] is ours


def test_objects_in_arguments_of_all_kinds() -> None:
    Pair = collections.namedtuple("Pair", "left right")

    @convert
    def f(pair, *rest, **more):
        pair.left["w"] = pair.left["w"] + 1
        rest[0].append(1)
        more["inner"].w = more["inner"].w * 2

    pair, rows, inner = Pair({"w": jnp.float32(1)}, 2), [jnp.float32(2)], Inner(jnp.float32(3))
    f(pair, rows, inner=inner)
    assert (float(pair.left["w"]), [*map(float, rows)], float(inner.w)) == (2, [2, 1], 6)


def test_what_a_literal_was_is_what_it_becomes_at_each_call() -> None:
    @convert
    def f(inner):
        inner.n += 1
        return inner.n

    one, two = Inner(jnp.float32(1)), Inner(jnp.float32(1))
    assert [f(one), f(one), f(two), one.n, two.n] == [1, 2, 1, 2, 1]
    assert f.trace_count == 2


def test_the_caller_keeps_attributes_that_jax_is_not_told_of() -> None:
    import jax

    @jax.tree_util.register_pytree_node_class
    class Scale:
        def __init__(self, w: Any, name: str = "made") -> None:
            self.w, self.name = w, name

        def tree_flatten(self) -> Any:
            return (self.w,), None

        @classmethod
        def tree_unflatten(cls, _: Any, parts: Any) -> Any:
            return cls(*parts)

        @convert
        def grow(self, x):
            self.w = self.w + x

    scale = Scale(jnp.float32(1), "mine")
    scale.extra = 5  # type: ignore[attr-defined]
    scale.grow(jnp.float32(2))
    assert vars(scale) == {"w": 3, "name": "mine", "extra": 5}


def test_a_program_of_sizes_that_vary_writes_too() -> None:
    @convert(reduce_retracing=True)
    def f(inner):
        inner.w = inner.w * 2
        return inner.w.sum()

    sums = []
    for n in range(1, 5):
        inner = Inner(np.ones(n, np.float32))
        sums.append(float(f(inner)))
        assert np.asarray(inner.w).tolist() == [2.0] * n
    assert (sums, f.trace_count) == ([2, 4, 6, 8], 2)


def test_another_functions_program_takes_the_change() -> None:
    @convert
    def inside(inner, x):
        inner.w = inner.w + x

    @convert
    def f(inner, x):
        inside(inner, x)
        inside(inner, x)
        return inner.w

    inner = Inner(jnp.float32(1))
    assert (float(f(inner, jnp.float32(2))), float(inner.w)) == (5, 5)


def refused(fn: Any, *args: Any) -> list[str]:
    with pytest.raises(MutatedArgumentError) as caught:
        convert(fn)(*args)
    return [str(caught.value).splitlines()[i].strip() for i in (0, -2, -1)]


def test_an_ordinary_object_that_leads_to_what_is_changed_is_refused() -> None:
    class Holder:
        def __init__(self, inner: Inner) -> None:
            self.inner = inner

    def f(inner, holder):
        inner.w = inner.w + 1
        return holder.inner.w

    inner = Inner(jnp.float32(1))
    assert convert(f)(inner, Holder(Inner(jnp.float32(1)))) == 1
    assert refused(f, inner, Holder(inner)) == [
        "A Inner that was passed as an argument is used from outside by the function, too, and changed.",
        "Each argument is made of its values: a change of one is not seen in the other.",
        "Fix: pass it, or use it from outside, but not both.",
    ]
    assert inner.w == 2


def test_what_is_put_into_an_object_that_is_new_is_refused() -> None:
    def f(outer):
        outer.other = Inner(outer.rows)

    assert refused(f, made()) == [
        "A list that was passed as an argument is put into a new object.",
        "The new object would hold a copy of it.",
        "Fix: keep it in an attribute, or in a list, tuple or dict.",
    ]


def test_a_function_that_changes_what_it_is_given_is_not_saved(tmp_path: Any) -> None:
    def f(xs):
        xs.append(xs[0])
        return xs[0]

    function = convert(f)
    function([jnp.float32(1)])
    with pytest.raises(autograph_lite.SaveError) as caught:
        autograph_lite.save(tmp_path / "f", function)
    assert str(caught.value).splitlines()[::3] == [
        "'f' changes an object that it is given, and can't be saved.",
        "  Fix: return the new values.",
    ]


def test_verify_compares_what_is_left_in_the_arguments() -> None:
    function, xs = convert(lists), made()
    assert function.verify(xs, jnp.float32(1)).ok
    assert str(xs.rows) == str([jnp.float32(4), jnp.float32(3), jnp.float32(2)])


def test_the_warning_of_retraces_names_the_field() -> None:
    @dataclasses.dataclass
    class Steps:
        n: int

        @convert
        def step(self, x):
            return x * self.n

    with pytest.warns(RetraceWarning) as caught:
        for n in range(6):
            Steps(n).step(jnp.ones(3))
    assert str(caught[0].message).splitlines()[3:] == [
        "  'self.n' changed in 4 of them: 0, 1, 2, 3, 4.",
        "  Fix: pass an array, jnp.asarray(self.n): each Python number is a trace of its own.",
    ]
