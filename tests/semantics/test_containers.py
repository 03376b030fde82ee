"""What counts of a list, a tuple, a dict: its kind, its keys and what is in it?"""

from __future__ import annotations

import collections
import math

from .probe import C, Probe, echo, ran, see
from .rows import deviates

KINDS = "code may ask for the class (`isinstance`, methods, the order of keys), and must get the caller's"


def test_R11_tuples_and_lists() -> None:
    f = Probe(echo)

    assert (f((1, 2)), f.value) == ("1/1", (1, 2))
    assert (f([1, 2]), f.value) == ("2/2", [1, 2])
    assert f((1, 2)) == "2/2"
    assert f([1, 3]) == "3/3"
    assert f((C(1), C(2))) == "4/4"
    assert f([C(1), C(2)]) == "5/5"
    assert f((C(3), C(4))) == "5/5"
    assert (f(()), f.value) == ("6/6", ())
    assert (f([]), f.value) == ("7/7", [])


@deviates(
    "1, 1, 2, 3, 4, 5, 6, 7: an OrderedDict by its order, and each class of dicts, is one of its own",
    why=KINDS + "; the order of a plain dict does not count, as in JAX",
)
def test_R12_dicts() -> None:
    f, a, b = Probe(echo), C(1), C(2)

    assert f({"a": a, "b": b}) == "1/1"
    assert (f({"b": b, "a": a}), f.value["b"]) == ("1/1", 2)
    assert f(collections.OrderedDict(a=a, b=b)) == "2/2"
    assert (f(collections.OrderedDict(b=b, a=a)), list(f.value)) == ("3/3", ["b", "a"])
    assert f(collections.defaultdict(int, a=a, b=b)) == "4/4"
    assert f({"a": a}) == "5/5"
    assert f({"a": a, "b": 1}) == "6/6"
    assert f({"a": a, "b": 2}) == "7/7"


@deviates(
    "1, 2, 3: such dicts are structures like others", why="Python has no need to sort keys, and nor have we"
)
def test_R13_a_dict_whose_keys_cannot_be_sorted() -> None:
    f = Probe(echo)

    assert (f({1: C(1), "a": C(2)}), f.value["a"]) == ("1/1", 2)
    assert (f({1: 2, "a": 3}), f.value) == ("2/2", {1: 2, "a": 3})
    assert f({1: C(1), 2: C(2)}) == "3/3"


@deviates("1, 1, 2, 3, 4, 5, 6: another class of the same name and fields is another", why=KINDS)
def test_R14_namedtuples() -> None:
    Pair = collections.namedtuple("Pair", "x y")
    Twin = collections.namedtuple("Pair", "x y")
    Other = collections.namedtuple("Other", "x y")
    f = Probe(echo)

    assert f(Pair(C(1), C(2))) == "1/1"
    assert (f(Pair(C(3), C(4))), type(f.value)) == ("1/1", Pair)
    assert (f(Twin(C(1), C(2))), type(f.value)) == ("2/2", Twin)
    assert f(Other(C(1), C(2))) == "3/3"
    assert (f((C(1), C(2))), type(f.value)) == ("4/4", tuple)
    assert f(Pair(1, 2)) == "5/5"
    assert f(Pair(1, 3)) == "6/6"


def test_R135_containers_in_containers_and_none_in_them() -> None:
    f = Probe(echo)

    assert f([{"a": (C(1), None)}]) == "1/1"
    assert (f([{"a": (C(2), None)}]), f.value) == ("1/1", [{"a": (2, None)}])
    assert f([{"a": (C(1), C(2))}]) == "2/2"


@deviates("1, 2, 3, 4, 5, 6: a subclass is itself, in the key and inside the trace", why=KINDS)
def test_R136_subclasses_of_containers() -> None:
    seen = []

    class Items(list): ...

    class Table(dict): ...

    class Pair(tuple): ...

    def body(x):
        ran()
        kinds(type(x))

    def kinds(kind):
        seen.append(kind)

    f = Probe(body)
    items, table, pair = Items([1]), Table(a=1), Pair((1,))

    assert [f([1]), f(items), f({"a": 1}), f(table), f((1,)), f(pair)] == [
        "1/1",
        "2/2",
        "3/3",
        "4/4",
        "5/5",
        "6/6",
    ]
    assert seen == [list, Items, dict, Table, tuple, Pair]


@deviates(
    "sets and slices are literals, by what is in them; a set that changes is another",
    why="they can be told by value, as a tuple can",
)
def test_R19_sets_ranges_slices_types_functions_and_modules() -> None:
    def named(): ...

    f, numbers = Probe(see), {1, 2}

    assert f(numbers) == "1/1"
    numbers.add(3)
    assert f(numbers) == "2/2"
    assert f(frozenset([1])) == "3/3"
    assert f(range(3)) == "4/4"
    assert f(range(3)) == "4/4"
    assert f(range(4)) == "5/5"
    assert f(slice(1)) == "6/6"
    assert f(slice(1)) == "6/6"
    assert f(int) == "7/7"
    assert f(float) == "8/8"
    assert f(math) == "9/9"
    assert f(named) == "10/10"
    assert f(named) == "10/10"
    first = lambda x: x  # noqa: E731
    second = lambda x: x  # noqa: E731
    assert f(first) == "11/11"
    assert f(second) == "12/12"
