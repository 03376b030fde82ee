"""Where nothing is traced, are items written as Python writes them, and arrays as values?"""

from __future__ import annotations

import collections
import copy
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

TABLE: object = None


class Holder:
    def __init__(self, items, log=None):
        self.__dict__["_items"] = items
        self.log = log

    @property
    def items(self):
        if self.log is not None:
            self.log.append("read")
        return self._items

    @items.setter
    def items(self, value):
        self.__dict__["_items"] = value


class Noted:
    """A container whose methods note what is asked of them, and when."""

    def __init__(self, log):
        self.log, self.held = log, {1: 10, 2: 20}

    def __getitem__(self, key):
        self.log.append(("get", key))
        return self.held[key]

    def __setitem__(self, key, value):
        self.log.append(("set", key, value))
        self.held[key] = value


def named(items, i, v):
    items[i] = v
    items[i] += v
    items[i] *= 2
    return items


def of_an_attribute(holder, i, v):
    holder.items[i] = v
    holder.items[i] += v
    return holder.items


def deeper(holder, i, v):
    outer = [holder, [holder.items]]
    outer[0].items[i] = v
    outer[1][0][i] += v
    outer[0].items[i] -= 1
    return holder.items


def of_the_module(i, v):
    TABLE[i] = v
    TABLE[i] += v
    return TABLE


CONTAINERS = [
    [1, 2, 3],
    {1: 2, 2: 3},
    np.arange(3),
    bytearray(b"abc"),
    collections.deque([1, 2, 3]),
    collections.defaultdict(int),
    collections.OrderedDict({1: 5}),
    collections.Counter(),
]


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda c: type(c).__name__)
def test_containers_are_changed_in_place(container):
    for f, wrap in ((named, lambda c: c), (of_an_attribute, Holder), (deeper, Holder)):
        results = []
        for run in (f, al.to_graph(f)):
            own = copy.deepcopy(container)
            found = run(wrap(own), 1, 4)
            assert found is own
            results.append(list(found.items()) if isinstance(found, dict) else list(found))
        assert results[0] == results[1]


def test_a_container_of_the_module_is_changed_in_place(monkeypatch):
    for run in (of_the_module, al.to_graph(of_the_module)):
        monkeypatch.setitem(globals(), "TABLE", [1, 2, 3])
        assert run(1, 4) == [1, 8, 3]
        assert TABLE == [1, 8, 3]


@pytest.mark.parametrize("run", [al.to_graph, al.convert])
def test_arrays_are_values(run):
    array = jnp.arange(3)
    assert run(named)(array, 1, 4).tolist() == [0, 16, 2]
    assert run(of_an_attribute)(Holder(array), 1, 4).tolist() == [0, 8, 2]
    assert array.tolist() == [0, 1, 2]


def test_an_array_that_no_name_takes_is_refused(monkeypatch):
    # It had been changed without a word, and the change was lost.
    monkeypatch.setitem(globals(), "TABLE", jnp.arange(3))

    def shared():
        array = jnp.zeros(2)

        def write():
            array[0] = 1

        write()
        return array

    def added():
        array = jnp.zeros(2)

        def write():
            array[0] += 1

        write()
        return array

    assert al.convert(shared)().tolist() == al.convert(added)().tolist() == [1, 0]
    calls = [lambda run=run: run(of_the_module)(1, 4) for run in (al.to_graph, al.convert)]
    for call in (*calls, al.to_graph(shared), al.to_graph(added)):
        with pytest.raises(al.MutationError, match="nothing in the function reads the array afterwards"):
            call()


def test_a_tensor_array_that_no_name_takes_is_refused():
    def f():
        rows = al.TensorArray(jnp.float32, size=2)
        rows.write(0, 1.0)
        return rows.stack()

    for run in (al.to_graph(f), al.convert(f), jax.jit(al.to_graph(f))):
        with pytest.raises(al.AutographError):
            run()


def ordered(log, container, holder):
    def note(what, value):
        log.append(what)
        return value

    container[note("index", 1)] = note("value", 5)
    container[note("index", 2)] += note("value", 6)
    holder.items[note("index", 1)] = note("value", 9)
    holder.items[note("index", 1)] += note("value", 1)
    return container


def unnamed(log, container, holder):
    def note(what, value):
        log.append(what)
        return value

    note("base", container)[note("index", 1)] += note("value", 7)
    note("base", container)[note("index", 1)] = note("value", 8)
    note("base", [container])[0][note("index", 1)] -= note("value", 8)


def logged(run, make):
    log: list[object] = []
    container = make(log)
    own = container + 0 if isinstance(container, jax.Array) else container  # a second name would be refused
    run(log, container, Holder(own, log))
    return log


@pytest.mark.parametrize("f", [ordered, unnamed])
@pytest.mark.parametrize("make", [Noted, lambda log: [1, 2, 3]], ids=["noted", "list"])
def test_the_order_of_evaluation_is_pythons(f, make):
    assert logged(al.to_graph(f), make) == logged(f, make)


def deep(log, container, holder):
    def note(what, value):
        log.append(what)
        return value

    rows = [holder]
    rows[note("row", 0)].items[note("index", 1)] = note("value", 9)
    rows[note("row", 0)].items[note("index", 2)] += note("value", 9)
    holder.items[note("index", 1)], rows[0].items[note("index", 2)] = note("value", 4), note("value", 5)
    holder.items[(lambda i: note("index", i))(1)] = (lambda: note("value", 3))()
    return container[1]


@pytest.mark.parametrize("f", [ordered, unnamed, deep])
@pytest.mark.parametrize("make", [Noted, lambda log: [1, 2, 3]], ids=["noted", "list"])
def test_the_order_of_evaluation_is_pythons_under_a_trace(f, make):
    # What holds the item was read when its index had been evaluated.
    found = []

    def traced(x):
        found.append(logged(al.to_graph(f), make))
        return x

    jax.jit(traced)(1)
    assert found == [logged(f, make)]
    assert logged(al.to_graph(f), make) == found[0]


@pytest.mark.parametrize(
    "run", [lambda f: f, al.to_graph, lambda f: jax.jit(al.to_graph(f))], ids=["python", "light", "traced"]
)
def test_an_index_that_runs_code_may_be_traced(run):
    def f(x, i):
        rows = [Plain([x, x]), Plain([x, 2 * x])]
        rows[int(i)].items[int(i + 1) - 1] += x
        rows[abs(i)].items[abs(i)] = rows[1].items[0] + 1
        return rows[0].items[0], rows[0].items[1], rows[1].items[0], rows[1].items[1]

    assert [int(y) for y in run(f)(5, 1)] == [5, 5, 5, 6]


def test_the_order_of_evaluation_is_the_same_for_arrays():
    assert logged(al.to_graph(ordered), lambda log: jnp.arange(3)) == logged(ordered, lambda log: [1, 2, 3])


@pytest.mark.parametrize(
    ("container", "index", "value"),
    [([1], 5, 1), ({}, "k", 1), ((1, 2), 0, 1), ([1], 0, "a"), ("text", 0, "x"), (None, 0, 1), ([1], "k", 1)],
)
def test_pythons_errors_come_out(container, index, value):
    def adds(items, i, v):
        items[i] += v

    def puts(items, i, v):
        items[i] = v

    for f in (adds, puts):
        found = []
        for run in (f, al.to_graph(f)):
            items = copy.copy(container)
            try:
                run(items, index, value)
            except Exception as error:
                found.append((type(error), str(error)))
            else:
                found.append(items)
        assert found[0] == found[1]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="NumPy can no longer tell who else holds an array")
def test_an_array_of_numpys_can_be_resized_after_a_store():
    def grows(holder):
        holder.items[0] += 1
        holder.items[1] = 5
        holder.items.resize(4)
        return holder.items

    for run in (grows, al.to_graph(grows)):
        holder = Plain(np.array([1, 2]))
        assert run(holder).tolist() == [2, 5, 0, 0]


class Plain:
    def __init__(self, items):
        self.items = items


def test_methods_of_a_users_own_list_are_converted():
    class Doubling(list):
        def append(self, value):
            for _ in range(2):
                super().append(value)

    def f(items, value):
        items.append(value)
        items.sort(key=lambda item: -item)
        return items

    for items in (Doubling([1]), [1]):
        assert al.to_graph(f)(copy.copy(items), 3) == f(copy.copy(items), 3)


def test_a_lambda_that_is_stored_may_be_called_under_a_trace():
    def made():
        table, holder = {}, Plain([None])
        table["f"] = lambda y: y if y > 0 else -y
        holder.items[0] = lambda y: y + 1 if y > 0 else y
        return table["f"], holder.items[0]

    for fn, values in zip(al.to_graph(made)(), ([2, 3], [3, -3]), strict=True):
        assert [int(jax.jit(fn)(x)) for x in (2, -3)] == values
