"""However much there is to look through, and however deep it lies: what a function sees is found, and a change of it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import IterationError, MutationError
from autograph_lite.jax_internals import provenance
from autograph_lite.operators.calls import method_patching
from autograph_lite.operators.object_graph import held_items


class Holder:
    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def innermost(value: Any) -> Any:
    while isinstance(value, list):
        (value,) = value
    return value


VECTOR = np.array([1.0, 2.0], np.float32)


@pytest.mark.parametrize("count", [255, 256, 20_000])
@pytest.mark.parametrize(
    "make", [lambda n: [*range(n)], lambda n: [[] for _ in range(n)]], ids=["ints", "lists"]
)
def test_an_array_behind_many_values_is_not_written_to_unseen(make: Any, count: int) -> None:
    def f(x: Any) -> Any:
        h = Holder(first=make(count), then=[x])
        y = x
        y[0] = 9.0
        return h.then[0], y

    with pytest.raises(MutationError, match="is the array of 'h.then\\[0\\]', too"):
        jax.jvp(al.to_graph(f), (VECTOR,), (VECTOR,))
    assert [each.tolist() for each in al.convert(f)(VECTOR)] == [[9.0, 2.0]] * 2


def test_an_array_deep_inside_is_not_written_to_unseen() -> None:
    def f(x: Any) -> Any:
        h = Holder(box=nested(x, 300))
        y = x
        y[0] = 9.0
        return innermost(h.box), y

    with pytest.raises(MutationError, match="is the array of 'h.box"):
        jax.jvp(al.to_graph(f), (VECTOR,), (VECTOR,))
    assert [each.tolist() for each in al.convert(f)(VECTOR)] == [[9.0, 2.0]] * 2


@pytest.mark.parametrize("count", [254, 255, 300])
def test_a_list_behind_many_that_a_branch_makes_longer_is_put_back(count: int) -> None:
    lists: list[Any] = [*([i] for i in range(count)), [1]]

    def f(x: Any) -> Any:
        if x[0] > 5:
            last = lists[count]
            last += [5]
            x = x + 1
        return x

    with pytest.raises(MutationError, match="gets a length that only the data knows"):
        al.convert(f)(VECTOR)
    assert lists[-1] == [1]


@pytest.mark.parametrize("size", [1 << 14, (1 << 14) + 1, 1 << 18])
def test_an_array_of_numpys_in_a_list_that_a_branch_changes_whatever_its_size(size: int) -> None:
    arrays = [np.zeros(size, np.float32)]

    def f(x: Any) -> Any:
        if x[0] > 5:
            a = arrays[0]
            a += 1
            x = x + 1
        return x

    way = al.convert if size > 1 << 14 else lambda f: jax.jit(al.to_graph(f))  # what is large is not undone
    if size == 1 << 14:
        converted = al.convert(f)
        for x, wanted in ((VECTOR * 0, 0), (VECTOR + 9, 1), (VECTOR + 9, 2)):
            converted(x)
            assert (arrays[0] == wanted).all()
    with pytest.raises(MutationError) as caught:
        way(f)(VECTOR)
    line = f.__code__.co_firstlineno + 1
    assert str(caught.value) == (
        "An array of NumPy's is changed in place inside a staged statement.\n"
        f"  {__file__}:{line} in f\n"
        "      if x[0] > 5:\n"
        "  A compiled program computes the new items, and an array of NumPy's can't hold them.\n"
        "  Fix: make it an array of JAX's, jnp.asarray(...), and bind the changed array to the name."
    )


def test_a_large_array_in_a_list_that_nobody_changes_is_read() -> None:
    arrays = [np.ones(1 << 15, np.float32)]

    def f(x: Any) -> Any:
        total = 0.0
        if x[0] > 0:
            total += arrays[0].sum()
        return x + total

    np.testing.assert_array_equal(al.convert(f)(VECTOR), f(VECTOR))


BOXES = {"deep": lambda it: nested(it, 12), "behind many": lambda it: [it, *([] for _ in range(6000))]}


@pytest.mark.parametrize("box", BOXES.values(), ids=BOXES)
def test_an_iterator_behind_much_is_not_used_up_unseen(box: Any) -> None:
    held = box(iter([1.0, 2.0]))

    def f(x: Any) -> Any:
        inside = held
        while isinstance(inside, list):
            inside = inside[0]
        a, b = inside
        return x + a + b

    with pytest.raises(IterationError):
        al.convert(f)(VECTOR)


def test_a_value_that_a_large_object_hides_is_refused() -> None:
    def f(x: Any) -> Any:
        return Holder(value=x * 2, others=[[] for _ in range(10_050)])

    with pytest.raises(MutationError, match="holds a traced value inside a Holder object"):
        al.convert(f)(VECTOR)


def test_methods_of_an_object_deep_inside_a_librarys_are_converted() -> None:
    class Deep:
        def value(self, x: Any) -> Any:
            return x if x > 0 else -x

    plain = vars(Deep)["value"]
    met: list[bool] = []

    def f(x: Any) -> Any:
        with method_patching.converted_methods():
            method_patching.seen_inside([[[] for _ in range(2100)], nested(Deep(), 12)])
            met.append(vars(Deep)["value"] is not plain)
        return x

    jax.make_jaxpr(f)(1.0)
    assert met == [True] and vars(Deep)["value"] is plain


@pytest.mark.parametrize("count", [63, 64, 70])
def test_functions_in_a_long_list_are_converted(count: int) -> None:
    def branch(k: int) -> Any:
        def run(x: Any) -> Any:
            return x + k if x > 0 else x - k

        return run

    branches = [branch(k) for k in range(count)]

    def f(i: Any, x: Any) -> Any:
        return jax.lax.switch(i, branches, x)

    assert al.convert(f)(jnp.int32(count - 1), jnp.float32(-1.0)) == -count


def test_a_function_in_many_wrappers_is_converted() -> None:
    def cube(x: Any) -> Any:
        return x**4 if x > 0 else x

    third = jax.grad(jax.grad(jax.grad(jax.grad(cube))))

    def f(x: Any) -> Any:
        return third(x)

    assert al.convert(f)(jnp.float32(2.0)) == 24.0


def test_the_origin_of_an_array_is_found_behind_many_operations() -> None:
    found: list[Any] = []

    def f(x: Any) -> Any:
        y = x
        for _ in range(300):
            y = y + 1
        found.append((provenance.origin(y) is x, provenance.origin(y.reshape(1, 2) * 1)))
        return y

    jax.make_jaxpr(f)(VECTOR)
    assert found == [(True, ...)]


def test_a_container_is_known_by_the_kinds_of_its_items() -> None:
    def is_int(kind: type) -> bool:
        return issubclass(kind, int)

    assert held_items.are_all([1, True], is_int) and held_items.are_all({"a": 1}, is_int)
    assert not held_items.are_all([1, "a"], is_int) and not held_items.are_all(1, is_int)
    assert not held_items.are_all(type("Named", (list,), {})([1]), is_int)
