"""Do objects that one path makes outlive it, with what the path has computed in them?"""

from __future__ import annotations

import copy
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import convert
from autograph_lite.errors import BranchMismatchError, UndefinedVariableError

from .agreement import agree


class Box:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.kind = "box"

    def doubled(self) -> Any:
        return self.value * 2


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Pair:
    def __init__(self, x: Any) -> None:
        self.first = Box(x + 1)
        self.rest = [x, {"twice": x * 2}]


def positive(x, kind):
    if x > 0:
        return kind(x * 3)
    raise ValueError("not positive")


def made_or_raised(x):
    box = positive(x, Box)
    slotted = positive(x, Slotted)
    return box.value + slotted.value, box.doubled()


def made_in_one_of_three(x):
    if x > 5:
        raise ValueError("too large")
    elif x > 2:
        raise KeyError("large")
    else:
        pair = Pair(x)
    return pair.first.value + pair.rest[0] + pair.rest[1]["twice"]


def made_in_nested_branches(x):
    if x > 0:
        if x < 10:
            box = Box(x)
            box.value += 1
            box.extra = x * x
        else:
            raise ValueError
        box.value = box.value * 2
    else:
        raise ValueError
    return box.value, box.extra


def held_by_an_object(x):
    holder = Box(None)
    if x > 0:
        holder.value = Box(x * 2)
    else:
        raise ValueError
    return holder.value.value


def read_under_the_same_condition(x):
    total = x
    if x > 1:
        box = Box(x * 2)
    if x > 1:
        total += box.value
        box.value = total
    while x > 1 and total < 30:
        total += box.value
    return total


@pytest.mark.parametrize(
    "f",
    [made_or_raised, made_in_one_of_three, held_by_an_object, read_under_the_same_condition],
)
def test_what_an_object_holds_is_a_result_of_the_path_that_made_it(f) -> None:
    agree(f, 1.0, 2.0)
    first: Any = lambda f: lambda x: jax.tree.leaves(f(x))[0]  # noqa: E731
    assert np.allclose(jax.grad(first(convert(f)))(1.5), jax.grad(first(f))(1.5))
    lanes = jnp.array([0.5, 1.5])
    assert np.allclose(jax.vmap(first(convert(f)))(lanes), [first(f)(x) for x in lanes])


class Own(Box):
    def __new__(cls, value: Any) -> Any:
        made = super().__new__(cls)
        made.more = 5
        return made


class Kind(type):
    def __call__(cls, *args: Any) -> Any:
        return super().__call__(*args)


class Other(type):
    def __call__(cls, *args: Any) -> Any:
        return type.__call__(cls, *args)


class OfKind(Box, metaclass=Kind):
    pass


class OfOther(Box, metaclass=Other):
    pass


class OfBoth(Own, metaclass=Kind):
    pass


class Pooled(Box):
    free: list[Any] = []  # noqa: RUF012

    def __new__(cls, value: Any) -> Any:
        return cls.free.pop() if cls.free else object.__new__(cls)


class OfOld(Box, metaclass=Kind):
    known = None

    def __new__(cls, value: Any) -> Any:
        if cls.known is None:
            cls.known = object.__new__(cls)
        return cls.known


@pytest.mark.parametrize("kind", [Own, OfKind, OfOther, OfBoth, Pooled, OfOld])
def test_a_class_that_makes_its_objects_itself_has_them_outlive_a_path(kind: Any) -> None:
    def held(x):
        holder, first = Box(None), kind(1)
        if x > 1:
            holder.value = kind(x * 2)
            holder.value.value += 1
        else:
            holder.value = kind(7)
        holder.value.value += x
        return holder.value.value, first.value, first is holder.value

    def named(x):
        if x > 1:
            box = kind(x * 2)
        else:
            box = kind(7)
            box.value += x
        return box.value

    agree(held, 1.0, 2.0)
    agree(named, 1.0, 2.0)


class Shared(Box):
    def __copy__(self) -> Any:
        return self


def copied(x):
    holder, box, shared = Box(None), Box(1.0), Shared(2.0)
    if x > 1:
        holder.value = copy.copy(box)
        holder.value.value = x * 3
        same = copy.copy(shared)
        same.value += x
    return box.value if holder.value is None else holder.value.value, box.value, shared.value


def copied_with_what_it_holds(x):
    holder, boxes = Box(None), [Box(Box(1.0)), Box(2.0)]
    if x > 1:
        holder.value = copy.deepcopy(boxes)
        holder.value[0].value.value = x
        holder.value[1].value *= x
    else:
        holder.value = boxes
    return holder.value[0].value.value, holder.value[1].value, boxes[0].value.value, boxes[1].value


def copied_in_a_loop(x):
    best, n = Box(x), 0
    while n < x:
        new = copy.copy(best)
        new.value = new.value + n
        if new.value > 2:
            best.value = new.value
        n += 1
    return best.value


@pytest.mark.parametrize("f", [copied, copied_with_what_it_holds, copied_in_a_loop])
def test_a_copy_outlives_the_path_that_makes_it(f) -> None:
    agree(f, 1.0, 2.0)


def test_an_object_of_nested_branches_comes_out_whole() -> None:
    assert convert(made_in_nested_branches)(jnp.float32(3)) == (8, 9)
    with pytest.raises(ValueError, match="^not positive"):
        convert(made_or_raised)(jnp.float32(-1))


def test_an_object_that_was_not_made_is_unassigned() -> None:
    def f(x, y):
        if x > 1:
            box = Box(x * 2)
        if y > 1:
            x += box.value
        return x

    assert convert(f)(jnp.float32(2), jnp.float32(2)) == 6
    assert convert(f)(jnp.float32(0), jnp.float32(0)) == 0
    with pytest.raises(UndefinedVariableError, match="'box' was used before it was assigned"):
        convert(f)(jnp.float32(0), jnp.float32(2))


def test_an_object_that_was_there_before_stays_as_it_is() -> None:
    box = Box(4.0)

    @convert
    def f(x):
        if x > 0:
            found = box
        else:
            raise ValueError
        return found.value + x, found

    result, found = f(jnp.float32(1))
    assert result == 5
    assert found is box
    assert box.value == 4.0


def of_a_closure(x):
    def made(y):
        return lambda: y * 2

    if x > 0:
        f = made(x + 1)
    else:
        raise ValueError
    return f()


def of_a_partial(x):
    if x > 0:
        f = functools.partial(jnp.add, x + 1)
    else:
        raise ValueError
    return f(1)


@pytest.mark.parametrize(
    ("f", "what", "fix"),
    [
        (of_a_closure, "the function 'of_a_closure.<locals>.made.<locals>.<lambda>'", "call it on that path"),
        (of_a_partial, "a partial object", "register partial as a pytree"),
    ],
)
def test_what_can_not_be_given_other_arrays_is_refused(f, what: str, fix: str) -> None:
    with pytest.raises(BranchMismatchError) as caught:
        convert(f)(jnp.float32(1))
    text = str(caught.value)
    assert text.startswith(f"'f' is {what} on one path, with an array in it that this path computes.")
    assert "if x > 0:" in text
    assert f"Fix: {fix}" in text
