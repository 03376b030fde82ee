"""Is state followed however it is written: as attributes, through `__dict__`, in slots, as items of a subclass?"""

from __future__ import annotations

import collections
import copy
import types
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import MutationError
from autograph_lite.operators.object_graph.places import object_places
from tests.examples import examples


class Plain:
    def __init__(self):
        self.a, self.b = 1, 2


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 1, 2


class Both(Slotted):
    def __init__(self):
        super().__init__()
        self.c = 3


class Table(dict):
    def __init__(self):
        super().__init__(k=5)
        self.a, self.b = 1, 2


class Row(list):
    def __init__(self):
        super().__init__([5, 6])
        self.a, self.b = 1, 2


class Queue(collections.deque):
    def __init__(self):
        super().__init__([5, 6])
        self.a, self.b = 1, 2


class Same(dict):
    def __init__(self):
        super().__init__(a=1, b=2)
        self.__dict__ = self


def by_name(o, name, v):
    if name == "a":
        o.a = v
    else:
        o.b = v


def by_setattr(o, name, v):
    setattr(o, name, v)


def past_the_class(o, name, v):
    object.__setattr__(o, name, v)


def by_dict(o, name, v):
    o.__dict__[name] = v


def by_update(o, name, v):
    o.__dict__.update({name: v})


def by_vars(o, name, v):
    vars(o)[name] = v


def added_by_vars(o, name, v):
    vars(o)[name] += v


WAYS = [by_name, by_setattr, past_the_class, by_dict, by_update, by_vars, added_by_vars]
WRITES = st.lists(
    st.tuples(st.sampled_from(WAYS), st.sampled_from("ab"), st.integers(0, 4)), min_size=1, max_size=3
)


def contents(o):
    items = (
        list(o.values())
        if isinstance(o, dict)
        else list(o)
        if isinstance(o, (list, collections.deque))
        else []
    )
    return [o.a, o.b, *items]


@examples(40)
@given(
    st.sampled_from([Plain, Slotted, Both, Table, Row, Queue, Same, types.SimpleNamespace]),
    WRITES, WRITES, WRITES, st.integers(0, 3),
)  # fmt: skip
def test_writes_of_all_kinds_agree_with_python(kind, first, then, otherwise, n):
    if kind is Slotted:
        first, then, otherwise = (
            [(way, name, v) for way, name, v in writes if way in (by_name, by_setattr, past_the_class)]
            for writes in (first, then, otherwise)
        )
    elif kind is Both:  # its `__dict__` holds another attribute
        first, then, otherwise = (
            [
                (way, "c" if way in (by_dict, by_vars, by_update, added_by_vars) else name, v)
                for way, name, v in writes
            ]
            for writes in (first, then, otherwise)
        )

    def f(n):
        o = kind(a=1, b=2) if kind is types.SimpleNamespace else kind()
        for way, name, v in first:
            way(o, name, n + v)
        if n > 1:
            for way, name, v in then:
                way(o, name, n * v)
        else:
            for way, name, v in otherwise:
                way(o, name, n - v)
        for i in range(n):
            for way, name, v in then:
                way(o, name, o.a + v * i)
        return [*contents(o), o.c] if kind is Both else contents(o)

    np.testing.assert_array_equal(al.convert(f)(jnp.int32(n)), f(n))


def test_items_and_attributes_of_one_object():
    def f(n):
        table, row = Table(), Row()
        if n > 1:
            table["k"], table.a = n, n + 1
            row[0] = row.a = n
        else:
            row.b = n
        for i in range(n):
            table.a += i
            row[1] += row.a
        return contents(table), contents(row)

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)
        assert jax.jit(al.to_graph(f))(jnp.int32(n)) == f(n)


OUTER = Plain()


def test_an_object_outside_gets_what_is_written_through_its_dict():
    OUTER.__init__()

    @al.convert
    def f(n):
        if n > 1:
            OUTER.__dict__["a"] += n
        return OUTER.a

    assert [int(f(jnp.int32(n))) for n in (3, 0, 2)] == [4, 4, 6]
    assert int(OUTER.a) == 6


def test_a_failure_leaves_the_object_as_it_was():
    OUTER.__init__()

    @al.convert
    def f(n):
        vars(OUTER)["a"] = n
        if n > 1:
            OUTER.__dict__.update(b=n)
            return jnp.zeros(3) + jnp.zeros(4)
        return jnp.zeros(3)

    with pytest.raises(TypeError):
        f(jnp.int32(3))
    assert vars(OUTER) == {"a": 1, "b": 2}


def test_the_message_names_what_was_written_through_the_dict():
    def f(n):
        o = Plain()
        if n > 1:
            o.__dict__["new"] = n
        return o

    with pytest.raises(MutationError, match=r"^'o\.__dict__\['new'\]' exists on one path"):
        al.convert(f)(jnp.int32(3))


def test_a_new_attribute_of_a_list_is_refused_by_name():
    def f(n):
        row = Row()
        if n > 1:
            row.new = n
        return row

    with pytest.raises(MutationError, match=r"^'row\.new' exists on one path"):
        al.convert(f)(jnp.int32(3))


def test_one_dict_is_one_place():
    o = Plain()
    assert [p.key for p in object_places(o)] == [p.key for p in object_places(o.__dict__)]
    same = Same()
    assert len(object_places(same)) == 1


class Strict(dict):
    """Has no `__dict__` entries, and bears no question for what it does not have."""

    def __getattr__(self, name):
        assert name == "a", name
        return self[name]

    __setattr__ = dict.__setitem__


class Silent:
    __slots__ = ("v",)

    def __init__(self):
        self.v = 1

    def __getattr__(self, name):
        raise AssertionError(name)

    def __call__(self, x):
        return x

    def __iter__(self):
        return iter([1, 2])


def test_no_attribute_is_looked_for_that_python_does_not_look_for():
    def f(n):
        d, s = Strict(a=1), Silent()
        if n > 1:
            d.a = n
            d["a"] += s(n)
            s.v = n
        for i in s:
            s.v += i
        for i in range(n):
            d.a += i + s.v
        return d.a, d["a"], s.v, sum(map(s, [n, 2]))

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)
        assert jax.jit(al.to_graph(f))(jnp.int32(n)) == f(n)


def test_containers_of_the_standard_library_that_hold_others():
    def f(n):
        key = Plain()
        table = collections.ChainMap({"a": 1}, {"b": 2})
        user, weak = collections.UserDict(a=1), weakref.WeakKeyDictionary({key: 1})
        if n > 1:
            table["a"] = n
            user["a"] = n
            weak[key] = 5
        for i in range(n):
            user.update(a=user["a"] + i)
            table["a"] += 1
        return table["a"], table["b"], user["a"], weak[key]

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)
        assert jax.jit(al.to_graph(f))(jnp.int32(n)) == f(n)


VALUE = 1


def test_a_global_written_in_several_ways():
    import sys

    me = sys.modules[__name__]

    def assign(v):
        global VALUE
        VALUE = v

    def by_module(v):
        me.VALUE = v

    def by_globals(v):
        globals()["VALUE"] = v

    for first in (assign, by_module, by_globals):
        for then in (assign, by_module, by_globals):

            def f(n):
                global VALUE
                VALUE = 1
                if n > 1:
                    first(n)
                    then(VALUE + n)
                else:
                    then(n + 5)
                for i in range(n):
                    first(VALUE + i)
                    then(VALUE * 2)
                return VALUE, me.VALUE

            for n in (0, 3):
                assert al.convert(f)(jnp.int32(n)) == f(n)
                assert jax.jit(al.to_graph(f))(jnp.int32(n)) == f(n)
    f(0)


def test_an_instance_given_another_dict():
    def f(n):
        o = Plain()
        if n > 1:
            o.__dict__ = {"a": n, "b": 4}
        for i in range(n):
            o.__dict__ = {"a": o.a + i, "b": i}
        return o.a, o.b

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)


class Shared:
    plain, table, items = Plain(), {"k": 1}, [1, 2]

    def add(self, n):
        self.table["k"] += n

    @classmethod
    def set(cls, n):
        cls.items[0] += n
        cls.plain.a = cls.plain.a + n


class Heir(Shared):
    pass


MODULE = types.ModuleType("autograph_lite_test_module")


def begin():
    Shared.plain, Shared.table, Shared.items = Plain(), {"k": 1}, [1, 2]
    MODULE.plain, MODULE.items = Plain(), [1, 2]


def in_a_class(n):
    Shared.plain.a, Shared.items[1] = n, n


def in_a_class_by_its_methods(n):
    Shared().add(n)
    Shared.set(n)


def in_a_base(n):
    Heir().add(n)
    Heir.set(n)
    Heir.table["k"] *= 2


def in_a_module(n):
    MODULE.plain.a, MODULE.items[1] = n, n


def behind_a_weak_reference(n):
    weakref.ref(Shared.plain)().a += n


@pytest.mark.parametrize(
    "write",
    [in_a_class, in_a_class_by_its_methods, in_a_base, in_a_module, behind_a_weak_reference],
    ids=lambda f: f.__name__,
)
def test_objects_that_no_variable_holds(write):
    def f(n):
        if n > 1:
            write(n)
        for _ in range(n):
            write(n)
        return Shared.plain.a, Shared.items, Shared.table, MODULE.plain.a, MODULE.items

    for n in (0, 3):
        begin()
        wanted = copy.deepcopy(f(n))
        begin()
        assert al.convert(f)(jnp.int32(n)) == wanted
        begin()
        assert jax.tree.map(int, jax.jit(al.to_graph(f))(jnp.int32(n))) == wanted
    begin()


def test_an_object_in_an_array_of_objects():
    def f(n):
        objects = np.array([Plain(), None])
        if n > 1:
            objects[0].a = n
        return objects[0].a

    for n in (0, 3):
        assert al.convert(f)(jnp.int32(n)) == f(n)
