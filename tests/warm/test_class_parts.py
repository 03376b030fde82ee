"""Does all of a class count that its file can change, whatever Python could have made of the rest?"""

from __future__ import annotations

import abc
import collections
import dataclasses
import enum
import functools
import typing

import pytest

from autograph_lite.runtime.warm import fingerprint, stable_names

Pair = collections.namedtuple("Pair", "a b")
T = typing.TypeVar("T")
HERE = {"__module__": __name__}


def over(value):
    return fingerprint.fingerprint_of([lambda x: (x, value)])


def below_a_namedtuple(**attributes):
    return type("Sub", (Pair,), attributes)


def typed_tuple(last):
    class Options(typing.NamedTuple):
        rate: float = last

    return Options


def own_new(last):
    class Own(Pair):
        def __new__(cls, a, b=last):
            return super().__new__(cls, a, b)

    return Own


def assigned_defaults(last):
    made = collections.namedtuple("Made", "a b")
    made.__new__.__defaults__ = (last,)
    return made


def swapped_fields(last):
    made = collections.namedtuple("Made", "a b")
    if last == 2:
        made.a, made.b = made.b, made.a
    return made


def an_attribute_of_the_tuple(last):
    class Sub(Pair):
        pass

    made = Sub(1, 2)
    made.c = last
    return made


def flags(last):
    class Flags(enum.Flag):
        A, B, D = 1, 2, 4
        C = A | (B if last == 1 else D)

    return Flags


def boundary(last):
    class Flags(enum.Flag, boundary=enum.KEEP if last == 1 else enum.CONFORM):
        A = 1

    return Flags


def dunder_of_an_enum(last):
    class Kind(enum.Enum):
        __scale__ = last
        A = 1

    return Kind


def metaclass_of_an_enum(last):
    class Meta(enum.EnumMeta):
        def __len__(cls):
            return last

    class Kind(enum.Enum, metaclass=Meta):
        A = 1

    return Kind


def more_values_of_a_member(last):
    class Kind(enum.Enum):
        A = 1

    Kind._value2member_map_[last + 10] = Kind.A
    return Kind


def dataclass(last, **told):
    field = dataclasses.field(**{key: of(last) for key, of in told.items()})
    return dataclasses.make_dataclass("Data", [("a", int, field)], repr=False, eq=False, namespace=HERE)


def order_of_fields(last):
    def __init__(self, *values):
        self.a, self.b = values

    names = ["a", "b"] if last == 1 else ["b", "a"]
    told = dict.fromkeys(("init", "repr", "eq", "match_args"), False)
    return dataclasses.make_dataclass("Data", names, namespace={**HERE, "__init__": __init__}, **told)


def method_of_a_dataclass(last):
    return dataclasses.make_dataclass(
        "Data", ["a"], repr=False, namespace={**HERE, "__eq__": lambda self, other: last}
    )


def ordered(last):
    @functools.total_ordering
    class Ordered:
        def __lt__(self, other):
            return last

    return Ordered


def registered(last):
    class Base(abc.ABC):
        pass

    class Below(Base):
        pass

    (Base if last == 1 else Below).register(int if last == 1 else str)
    Base.kept = [Below]
    return Base


def generic(last):
    class Of(typing.Generic[T]):
        pass

    class Sub(Of[int if last == 1 else str]):
        pass

    return Sub


def kind_of_property(last):
    class Own(property):
        def __get__(self, owner, kind=None):
            return last

    return type("Sub", (), {"a": Own(ordered)})


def kind_of_static_method(last):
    class Own(staticmethod):
        def __get__(self, owner, kind=None):
            return last

    return type("Sub", (), {"a": Own(ordered)})


def another_slot(last):
    class Slots:
        __slots__ = ("a", "b")

    Slots.c = Slots.a if last == 1 else Slots.b
    return Slots


def an_attribute_of_a_partial(last):
    made = functools.partial(ordered, 1)
    made.rate = last
    return made


def the_name_of_a_function(last):
    def made():
        pass

    made.__name__ = "made" * last
    return made


def order_that_vars_tells(last):
    return [vars, type("Made", (), {"a": 1, "b": 1} if last == 1 else {"b": 1, "a": 1})]


SHORT = {
    "defaults": lambda last: collections.namedtuple("Made", "a b", defaults=(last,)),
    "defaults of renamed": lambda last: collections.namedtuple("Made", "a _", rename=True, defaults=(last,)),
    "a property": lambda last: below_a_namedtuple(b=property(lambda self: last)),
    "_replace": lambda last: below_a_namedtuple(_replace=lambda self: last),
    "_asdict": lambda last: below_a_namedtuple(_asdict=lambda self: last),
    "__repr__": lambda last: below_a_namedtuple(__repr__=lambda self: last),
    "fields of its own": lambda last: below_a_namedtuple(_fields=("a", "b"), _make=lambda: last),
    "below a typed one": lambda last: type(
        "Sub", (typed_tuple(last),), {"twice": lambda self: self.rate * 2}
    ),
    "an alias": lambda last: enum.Enum("Kind", {"A": 1, "B": 2, "C": last}),
    "an integer's alias": lambda last: enum.IntEnum("Kind", {"A": 1, "B": 2, "C": last}),
    "default": lambda last: dataclass(last, default=lambda k: k),
    "metadata": lambda last: dataclass(last, metadata=lambda k: {"unit": k}),
    "init": lambda last: dataclass(last, init=lambda k: k == 1),
    "repr": lambda last: dataclass(last, repr=lambda k: k == 1),
    "kw_only": lambda last: dataclass(last, kw_only=lambda k: k == 1),
}
LONG = (
    typed_tuple, own_new, assigned_defaults, swapped_fields, an_attribute_of_the_tuple, flags, boundary,
    dunder_of_an_enum, metaclass_of_an_enum, more_values_of_a_member, order_of_fields, method_of_a_dataclass,
    ordered, registered, generic, kind_of_property, kind_of_static_method, another_slot, an_attribute_of_a_partial,
    the_name_of_a_function, order_that_vars_tells,
)  # fmt: skip


@pytest.mark.parametrize("make", [*SHORT.values(), *LONG], ids=[*SHORT, *[make.__name__ for make in LONG]])
def test_what_python_could_have_made_of_the_rest_counts_where_it_has_not(make):
    assert over(make(1)) == over(make(1))
    assert over(make(1)) != over(make(2))


def test_sums_of_flags_that_were_met_do_not_count():
    kind = flags(1)
    before = over(kind)
    assert kind(5) and ~kind.A
    assert over(kind) == before


def test_the_classes_below_one_are_not_known():
    with pytest.raises(stable_names.UnknownError):
        over(lambda: Pair.__subclasses__())
