"""Are special methods and properties, which Python calls by itself, converted where nothing is traced, too?

Each program calls a method that writes into an array of the object's, which only a converted one can do with an array of JAX's.
"""

from __future__ import annotations

import dataclasses
import operator
from functools import cached_property, total_ordering

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite


class A:
    def __init__(self, v):
        self.v = v

    def __getitem__(self, i):
        if self.v[i] > 0:
            return self.v[i]
        return -self.v[i]

    def __setitem__(self, i, v):
        self.v[i] = v

    def __add__(self, o):
        self.v[0] = o
        return self

    def __call__(self, o):
        self.v[0] = o
        return self.v

    @property
    def p(self):
        y = self.v + 0
        y[0] = 3
        return y

    @p.setter
    def p(self, o):
        self.v[1] = o

    def __len__(self):
        y = self.v + 0
        y[0] = 2
        return int(y[0])

    def __bool__(self):
        y = self.v + 0
        y[0] = 2
        return bool(y[0] > 0)

    def __contains__(self, o):
        y = self.v + 0
        y[0] = o
        return bool(y[0] == o)

    def __eq__(self, o):
        y = self.v + 0
        y[0] = o
        return y[0] == o

    def __lt__(self, o):
        y = self.v + 0
        y[0] = o
        return y[0] < o

    def __iter__(self):
        y = self.v + 0
        y[0] = 7
        return iter([y[0], y[1]])

    def __enter__(self):
        self.v[0] = 9
        return self

    def __exit__(self, *a):
        self.v[1] = 9

    def __neg__(self):
        y = self.v + 0
        y[0] = 7
        return y

    def __iadd__(self, o):
        self.v[0] += o
        return self

    def __delitem__(self, i):
        self.v[i] = 0

    def __getattr__(self, n):
        if n.startswith("zz"):
            y = self.v + 0
            y[0] = 7
            return y
        raise AttributeError(n)

    def __radd__(self, o):
        y = self.v + 0
        y[0] = o
        return y

    def __matmul__(self, o):
        y = self.v + 0
        y[0] = o
        return y

    def __float__(self):
        y = self.v + 0
        y[0] = 4
        return float(y[0])

    def __index__(self):
        y = self.v + 0
        y[0] = 1
        return int(y[0])

    def __str__(self):
        y = self.v + 0
        y[0] = 1
        return str(float(y[0]))

    def __format__(self, s):
        y = self.v + 0
        y[0] = 1
        return str(float(y[0]))

    def __hash__(self):
        y = self.v + 0
        y[0] = 1
        return int(y[0])

    def __abs__(self):
        y = self.v + 0
        y[0] = 1
        return y

    def __divmod__(self, o):
        y = self.v + 0
        y[0] = 1
        return y, y

    def __reversed__(self):
        y = self.v + 0
        y[0] = 1
        return iter([y[0]])

    def __setattr__(self, n, v):
        if n == "ww":
            self.v[0] = v
        else:
            object.__setattr__(self, n, v)

    def __delattr__(self, n):
        self.v[0] = 11

    def __round__(self, n=0):
        y = self.v + 0
        y[0] = 1
        return y


class M(type):
    def __call__(cls, v):
        v = v + 0
        v[0] = 8
        return v


class B(metaclass=M):
    pass


class D:
    def __get__(self, o, t):
        y = o.v + 0
        y[0] = 5
        return y

    def __set__(self, o, v):
        o.v[0] = v


class C(A):
    d = D()


class E(A):
    @cached_property
    def cp(self):
        y = self.v + 0
        y[0] = 5
        return y


@total_ordering
class G:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return bool(self.v[0] == o.v[0])

    def __lt__(self, o):
        y = self.v + 0
        y[0] = 5
        return bool(y[0] < o.v[0])


@dataclasses.dataclass
class P:
    v: object

    def __post_init__(self):
        self.v = self.v + 0
        self.v[0] = 6


class N:
    def __new__(cls, v):
        s = object.__new__(cls)
        v = v + 0
        v[0] = 6
        s.v = v
        return s


class I:
    def __init__(self, v):
        self.v = v + 0
        self.v[1] = 1


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def getitem(x):
    return A(x + 0)[0]


@case
def setitem(x):
    a = A(x + 0)
    a[1] = 5
    return a.v


@case
def delitem(x):
    a = A(x + 0)
    del a[1]
    return a.v


@case
def augitem(x):
    a = A(x + 0)
    a[1] += 5
    return a.v


@case
def add(x):
    return (A(x + 0) + 3).v


@case
def radd(x):
    return 3 + A(x + 0)


@case
def iadd(x):
    a = A(x + 0)
    a += 3
    return a.v


@case
def call(x):
    return A(x + 0)(3)


@case
def prop(x):
    return A(x + 0).p


@case
def propset(x):
    a = A(x + 0)
    a.p = 3
    return a.v


@case
def length(x):
    return len(A(x + 0))


@case
def truth(x):
    return 1 if A(x + 0) else 2


@case
def truth2(x):
    return bool(A(x + 0)) + 0


@case
def not_(x):
    return (not A(x + 0)) + 0


@case
def contains(x):
    return (3 in A(x + 0)) + 0


@case
def eq(x):
    return A(x + 0) == 3


@case
def lt(x):
    return A(x + 0) < 3


@case
def it(x):
    s = 0
    for v in A(x + 0):
        s = s + v
    return s


@case
def unpack(x):
    a, b = A(x + 0)
    return a + b


@case
def star(x):
    return sum([*A(x + 0)])


@case
def with_(x):
    with A(x + 0) as a:
        pass
    return a.v


@case
def neg(x):
    return -A(x + 0)


@case
def getattr_(x):
    return A(x + 0).zz


@case
def getattr2(x):
    return getattr(A(x + 0), "zz")


@case
def setattr_(x):
    a = A(x + 0)
    a.ww = 4
    return a.v


@case
def setattr2(x):
    a = A(x + 0)
    setattr(a, "ww", 4)
    return a.v


@case
def delattr_(x):
    a = A(x + 0)
    del a.ww
    return a.v


@case
def matmul(x):
    return A(x + 0) @ 3


@case
def flt(x):
    return float(A(x + 0))


@case
def idx(x):
    return [1, 2, 3][A(x + 0)]


@case
def rng(x):
    return len(range(A(x + 0)))


@case
def string(x):
    return str(A(x + 0))


@case
def fstring(x):
    return f"{A(x + 0)}"


@case
def fmt(x):
    return "{}".format(A(x + 0))


@case
def hsh(x):
    return hash(A(x + 0))


@case
def dct(x):
    return len({A(x + 0): 1})


@case
def ab(x):
    return abs(A(x + 0))


@case
def dm(x):
    return divmod(A(x + 0), 2)[0]


@case
def rev(x):
    return list(reversed(A(x + 0)))[0]


@case
def rnd(x):
    return round(A(x + 0))


@case
def meta(x):
    return B(x + 0)


@case
def desc(x):
    return C(x + 0).d


@case
def descset(x):
    c = C(x + 0)
    c.d = 4
    return c.v


@case
def cached(x):
    return E(x + 0).cp


@case
def total(x):
    return (G(x + 0) >= G(x + 1)) + 0


@case
def post(x):
    return P(x + 0).v


@case
def new(x):
    return N(x + 0).v


@case
def init(x):
    return I(x + 0).v


@case
def sort(x):
    return sorted([G(x + 1), G(x + 0)])[0].v


@case
def mx(x):
    return max([G(x + 1), G(x + 0)]).v


@case
def mapped(x):
    return list(map(A(x + 0), [1]))[0]


@case
def inherits(x):
    class H(A):
        pass

    return H(x + 0)[0]


UNTRACED = {
    "to_graph": autograph_lite.to_graph,
    "to_graph under disable_jit": lambda f: jax.jit(autograph_lite.to_graph(f)),
}
# Which need the value of a traced array in Python, or choose one of two objects by it.
NO_ARRAYS = {"idx", "rng", "string", "fstring", "fmt", "hsh", "dct", "sort", "mx"}


@pytest.mark.parametrize("form", UNTRACED)
@pytest.mark.parametrize("name", CASES)
def test_it_does_what_it_does_in_numpy_where_nothing_is_traced(name, form):
    expected = CASES[name](np.array([-1.0, 2.0]))
    with jax.disable_jit(form != "to_graph"):
        result = UNTRACED[form](CASES[name])(jnp.array([-1.0, 2.0]))
    np.testing.assert_array_equal(result, expected)


def test_it_does_what_it_does_in_numpy_under_a_trace():
    traced = {name: case for name, case in CASES.items() if name not in NO_ARRAYS}

    def run(x):
        return {name: case(x) for name, case in traced.items()}

    for form in (autograph_lite.convert(run), jax.jit(autograph_lite.to_graph(run))):
        result = form(jnp.array([-1.0, 2.0]))
        for name, case in traced.items():
            np.testing.assert_array_equal(result[name], case(np.array([-1.0, 2.0])), err_msg=name)


one = A(jnp.zeros(2))
inside = {"k": [A(jnp.zeros(2))]}


@pytest.mark.parametrize(
    "call", [autograph_lite.to_graph, lambda f: jax.jit(autograph_lite.to_graph(f)), autograph_lite.convert]
)
def test_objects_from_around_the_function_are_met(call):
    two = A(jnp.zeros(2))

    def f(x, three, *more):
        return [(each + x).v for each in (one, inside["k"][0], two, three, *more)]

    g = call(lambda x: f(x, A(x + jnp.zeros(2)), A(x + jnp.zeros(2))))
    assert [v.tolist() for v in g(jnp.array(3.0))] == [[3, 0]] * 3 + [[3, 3]] * 2
    one.v = inside["k"][0].v = jnp.zeros(2)


def test_an_object_among_the_arguments_is_met():
    def f(a, rest):
        return (a + 1).v[0] + (rest[0] + 2).v[0] + (rest[1]["k"] + 3).v[0]

    a, b, c = (A(jnp.zeros(2)) for _ in range(3))
    assert autograph_lite.to_graph(f)(a, (b, {"k": c})) == 6


def test_classes_have_their_own_methods_afterwards():
    own = dict(vars(A))

    def f(x):
        a = A(x + 0)
        a[0] = 3
        assert vars(A)["__setitem__"] is not own["__setitem__"]
        raise ValueError("on the way")

    for form in (autograph_lite.to_graph(f), autograph_lite.to_graph(lambda x: f(x))):
        with pytest.raises(ValueError, match="on the way"):
            form(jnp.array([1.0, 2.0]))
        assert dict(vars(A)) == own


def test_a_converted_function_that_another_one_calls_leaves_them_converted():
    inner = autograph_lite.to_graph(lambda a: a + 1)

    def outer(x):
        a = A(x + 0)
        inner(a)
        a[1] = 7
        return a.v

    assert autograph_lite.to_graph(outer)(jnp.array([0.0, 0.0])).tolist() == [1, 7]


class Ordered(type):
    def __eq__(cls, other):
        return cls is other


class Unhashable(metaclass=Ordered):
    def __init__(self, v):
        self.v = v

    def double(self):
        return self.v * 2


def test_a_class_whose_metaclass_compares_is_left_alone():
    def f(x):
        return Unhashable(x).double()

    assert autograph_lite.to_graph(f)(jnp.array(3.0)) == 6
    assert autograph_lite.to_graph(lambda a: a.double())(Unhashable(jnp.array(3.0))) == 6


class Positive:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value > 0)


class OfLength:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return int(self.length)


ASKED = {
    "any": lambda x: any([Positive(x)]),
    "all": lambda x: all([Positive(x), Positive(x + 1)]),
    "any of a generator": lambda x: any(each for each in [Positive(x)] if each),
    "a condition": lambda x: sum(each.value for each in [Positive(x), Positive(x + 5)] if each),
    "one of two conditions": lambda x: sum(each.value for each in [Positive(x)] if each and each.value < 9),
    "the first": lambda x: next((each.value for each in [Positive(x), Positive(x + 5)] if each), 0),
    "the largest": lambda x: max((each.value for each in [Positive(x), Positive(x + 5)] if each), default=0),
    "a list": lambda x: len([1 for each in [Positive(x), Positive(x + 5)] if each]),
    "truth": lambda x: operator.truth(Positive(x)),
    "not": lambda x: operator.not_(Positive(x)),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_a_class_says_of_its_truth_is_asked_wherever_python_asks(name):
    for run in (autograph_lite.convert(ASKED[name]), jax.jit(autograph_lite.to_graph(ASKED[name]))):
        for x in (-2, 3):
            assert run(jnp.int32(x)) == ASKED[name](x)


def test_a_hint_of_a_length_is_the_length():
    assert autograph_lite.convert(lambda x: operator.length_hint(OfLength(x)))(jnp.int32(3)) == 3
    assert autograph_lite.convert(lambda x: operator.length_hint(x, 7))(5) == 7
