"""Objects that a traced value chooses: read, called, and changed through the name that was chosen."""

from __future__ import annotations

import numpy as np

from tests.one_of.agreement import program
from tests.one_of.text_programs import Circle, Square


class Account:
    def __init__(self, n):
        self.n = n

    def add(self, k):
        if k > 0:
            self.n = self.n + k
        return self.n


@program((1,), (-1,))
def chosen_and_changed(c):
    a, b = Account(c + 10), Account(c + 20)
    t = a if c > 0 else b
    t.n += 5
    r = t.add(2)
    return a.n, b.n, t.n, r, t is a


@program((1,), (-1,), (2,))
def swapped(c):
    a, b = Account(c + 10), Account(c + 20)
    p, q = a, b
    if c > 0:
        p, q = q, p
    p.n = p.n + 1
    if c > 1:
        p, q = q, p
    q.n = q.n * 2
    return a.n, b.n, p.n, q.n


@program((3,), (4,), (0,))
def swapped_in_a_loop(n):
    a, b = Account(1), Account(2)
    p, q = a, b
    for i in range(n):
        p, q = q, p
        p.n = p.n * 2 + i
    return a.n, b.n, p.n, q.n


@program((1.0,), (-1.0,))
def changed_from_outside(c):
    a, b = Account(c), Account(c * 2)
    t = a if c > 0 else b
    a.n = a.n + 7
    before = t.n
    t.n = 0
    return before, a.n, b.n


@program((1.0,), (-1.0,))
def in_an_attribute(c):
    class Holder:
        pass

    h = Holder()
    h.cur = Account(c)
    h.other = Account(c * 2)
    if c > 0:
        h.cur = h.other
    h.cur.n += 7
    return h.cur.n, h.other.n


@program((1.0,), (-1.0,))
def object_or_none(c):
    a = Account(c)
    t = a if c > 0 else None
    if t is not None:
        t.n = t.n + 1
        t.add(4)
    return a.n, t is None


@program((1.0,), (-2.0,))
def two_classes(x):
    shape = Circle(x) if x > 0 else Square(x)
    extra = shape.r if isinstance(shape, Circle) else shape.s * 100
    return shape.area(), extra, type(shape) is Square, hasattr(shape, "s"), getattr(shape, "s", 5.0)


@program((1.0,), (-2.0,))
def attribute_of_one_class_only(x):
    shape = Circle(x) if x > 0 else Square(x)
    return shape.r + 1


@program((1.0,), (-2.0,))
def made_in_both_branches(x):
    if x > 0:
        account = Account(x)
    else:
        account = Account(x * 10)
        account.add(3)
    account.n += 1
    return account.add(5)


@program((5,), (2,))
def state_pattern(n):
    class Idle:
        def next(self, k):
            return self

    class Busy:
        def next(self, k):
            return self

    idle, busy = Idle(), Busy()
    s = idle
    c = 0
    for k in range(n):
        if isinstance(s, Idle):
            s = busy if k > 1 else s.next(k)
        else:
            c += 1
            s = idle if k > 3 else s
    return c, isinstance(s, Busy)


class Number:
    def __init__(self, k):
        self.k = k

    def __add__(self, other):
        return Number(self.k + (other.k if isinstance(other, Number) else other))

    def __eq__(self, other):
        return isinstance(other, Number) and self.k == other.k

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.k * i

    def __call__(self, z):
        return self.k + z

    def __contains__(self, z):
        return self.k > z


@program((1.0,), (-1.0,))
def operators_of_the_users(x):
    a, b = Number(x), Number(x * 2)
    t = a if x > 0 else b
    return (t + 1).k, t == a, len(t), t[2], t(5.0), 0 in t, (t + t).k


@program((1.0,), (-1.0,))
def property_that_writes(x):
    class Asked:
        def __init__(self):
            self.log = 0
            self.v = None

        @property
        def value(self):
            self.log += 1
            return 0.0 if self.v is None else self.v

    a, b = Asked(), Asked()
    if x > 0:
        a.v = x
    t = a if x > 0 else b
    return t.value + t.value, a.log, b.log


@program((1.0,), (-1.0,))
def its_class(x):
    shape = Circle(x) if x > 0 else Square(x)
    return shape.__class__ is Square, shape.__class__.__name__ == "Circle"


@program((1.0,), (-1.0,))
def of_a_class_of_the_function(x):
    class Node:
        def __init__(self, value, rest=None):
            self.value, self.rest = value, rest

    node = Node(x) if x > 0 else Node(2 * x)
    node.value += 1
    return node.value, node.rest is None


class Mark:
    """A class without methods."""


MISSING = object()


@program((1.0,), (-1.0,))
def sentinel_beside_a_number(x):
    value = x if x > 0 else MISSING
    return 0.0 if value is MISSING else value + 1


@program((np.array([1.0, 3.0, 2.0, 5.0], np.float32),))
def sentinel_before_a_loop(xs):
    last, count = MISSING, 0
    for x in xs:
        if last is not MISSING and x > last:
            count += 1
        last = x
    return count, last is MISSING


@program((1.0,), (-1.0,))
def objects_of_a_class_without_methods(x):
    a, b = Mark(), Mark()
    a.n, b.n = 1.0, 2.0
    chosen = a if x > 0 else b
    chosen.n += x
    return a.n, b.n, chosen is a, chosen == b


@program((np.array([1.0, -3.0, 2.0, 5.0], np.float32),))
def marks_that_change_places(xs):
    a, b = Mark(), Mark()
    a.n = b.n = 0.0
    first = a
    for x in xs:
        chosen = a if x > 0 else b
        chosen.n += x
        a, b = b, a
    return a.n, b.n, first is a


@program((1.0,), (-1.0,))
def marks_as_keys(x):
    other = Mark()
    table = {MISSING: 1.0, other: 2.0}
    key = MISSING if x > 0 else other
    return table[key], key in (other,)


class Number:
    """An ordinary class whose methods give new objects, or the object itself."""

    def __init__(self, a):
        self.a = a

    def doubled(self):
        return Number(self.a * 2)

    def __abs__(self):
        return Number(-self.a) if self.a < 0 else self


@program((2.0,), (-1.0,), (0.3,), (9.0,))
def chosen_more_often_than_values_are_told_apart(x):
    r = Number(x)
    if r.a < 1:
        r = abs(r).doubled()
    if r.a < 3:
        r = abs(r).doubled()
    if r.a < 5:
        r = abs(r).doubled()
    if r.a < 7:
        r = abs(r).doubled()
    return r.a


@program((2.0,), (-1.0,), (0.3,))
def chosen_in_each_iteration(x):
    r = Number(x)
    for _ in range(5):
        if r.a < 3:
            r = r.doubled()
        else:
            r = abs(r)
    return r.a
