"""Does an exception, or a text, hold what it was given: deques, namespaces, subclasses of dict and list, with the program's values?"""

from __future__ import annotations

import collections
import types

import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Tracer

import autograph_lite


class FullError(Exception):
    def __init__(self, text, held=None):
        super().__init__(text)
        self.held = held


class Named(dict):
    name = "n"


class Row(list):
    label: str | None = None


class Pair(tuple):
    __slots__ = ()


class Cell:
    def __init__(self, value):
        self.value = value


class Slot:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Shown(Cell):
    def __repr__(self):
        return f"Shown({self.value})"


def attributed(x):
    row = Row([1, x])
    row.label = f"<{x}>"
    return row


MADE = {
    "a deque": lambda x: collections.deque([1, x], 3),
    "a deque without a limit": lambda x: collections.deque([x]),
    "a namespace": lambda x: types.SimpleNamespace(a=x, b="t"),
    "a chain": lambda x: collections.ChainMap({"a": x}, {"b": 1}),
    "a dict of Python's": lambda x: collections.UserDict(a=x),
    "a list of Python's": lambda x: collections.UserList([x, 1]),
    "a counter": lambda x: collections.Counter(a=x, b=2),
    "a dict of a class": lambda x: Named(b=x, a=1),
    "a list of a class": lambda x: Row([x, "t"]),
    "a tuple of a class": lambda x: Pair((x, 2)),
    "with attributes": attributed,
    "one in the other": lambda x: [collections.deque([types.SimpleNamespace(a=[Row([x])])])],
    "an exception": lambda x: KeyError("a", collections.deque([x])),
    "text in one": lambda x: collections.deque([f"<{x}>"]),
}

OBJECTS = {
    "objects in a deque": lambda x: collections.deque([Cell(x), Slot(x)]),
    "a deque in an object": lambda x: Cell(collections.deque([x])),
    "in turns": lambda x: [Slot(types.SimpleNamespace(a=Cell(Row([x]))))],
    "text in an object": lambda x: Cell([f"<{x}>"]),
}
SHOWN = {
    "shown in a deque": lambda x: collections.deque([Shown(x)]),
    "a shown deque": lambda x: Shown(collections.deque([x, Shown(x)])),
}


def content(value):
    """A value in lists, dicts and tuples, with the classes of its containers."""
    if isinstance(value, BaseException):
        return type(value), content(value.args), content(vars(value))
    if isinstance(
        value, (types.SimpleNamespace, collections.ChainMap, collections.UserDict, collections.UserList)
    ):
        return type(value), content(vars(value))
    if isinstance(value, (Cell, Slot)):
        return type(value), content(value.value)
    if isinstance(value, dict):
        return type(value), [(key, content(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple, collections.deque)):
        return (
            type(value),
            getattr(value, "maxlen", None),
            [content(item) for item in value],
            content(getattr(value, "label", None)),
        )
    assert not isinstance(value, Tracer)
    return value if isinstance(value, str) or value is None else float(value)


HELD = {**MADE, **OBJECTS, **SHOWN}


@pytest.mark.parametrize("made", HELD.values(), ids=HELD.keys())
def test_an_exception_holds_the_containers_that_it_was_given(made) -> None:
    def by_name(x):
        if x < 0:
            raise FullError("full", held=made(x))
        return x

    def as_argument(x):
        if x < 0:
            raise ValueError("full", made(x * 2))
        return x

    def made_before(x):
        error = FullError("full", [made(x)])
        if x < 0:
            raise error
        return x

    for f in (by_name, as_argument, made_before):
        with pytest.raises((FullError, ValueError)) as plain:
            f(np.float32(-2))
        with pytest.raises((FullError, ValueError)) as ours:
            autograph_lite.convert(f)(np.float32(-2))
        assert content(ours.value) == content(plain.value)
        assert autograph_lite.convert(f)(np.float32(2)) == 2


@pytest.mark.parametrize("made", {**MADE, **SHOWN}.values(), ids={**MADE, **SHOWN}.keys())
def test_a_text_shows_the_values_in_containers(made) -> None:
    def f(x):
        shown = f"{made(x)} {made(x)!s:>3}|"
        if x < 0:
            raise ValueError(shown + "%s" % ([made(x)],) + str(made(x)) + repr(made(x)))
        return x

    with pytest.raises(ValueError) as plain:
        f(jnp.float32(-2))
    with pytest.raises(ValueError) as ours:
        autograph_lite.convert(f)(jnp.float32(-2))
    assert str(ours.value) == str(plain.value)


def test_a_container_without_traced_values_stays_what_it_is() -> None:
    queue, around = collections.deque([1, 2]), collections.deque()
    around.append(around)

    def f(x):
        if x < 0:
            raise FullError("full", held=(queue, around))
        return x

    with pytest.raises(FullError) as caught:
        autograph_lite.convert(f)(np.float32(-2))
    assert [*map(id, caught.value.held or ())] == [id(queue), id(around)]


def test_a_text_is_made_of_what_a_container_held_then() -> None:
    def f(x):
        queue = collections.deque([x])
        text = f"{queue}"
        queue.append(x + 1)
        if x < 0:
            raise ValueError(text)
        return x

    with pytest.raises(ValueError, match=r"^deque\(\[Array\(-2., dtype=float32\)\]\)$"):
        autograph_lite.convert(f)(np.float32(-2))


def test_such_a_text_is_refused_where_it_is_read() -> None:
    with pytest.raises(autograph_lite.PythonOnlyError, match="with the value of a traced array in it"):
        autograph_lite.convert(lambda x: str(types.SimpleNamespace(a=x)))(np.float32(2))
    with pytest.raises(autograph_lite.PythonOnlyError, match="looked into or changed"):
        autograph_lite.convert(lambda x: len(repr(collections.deque([x]))))(np.float32(2))
