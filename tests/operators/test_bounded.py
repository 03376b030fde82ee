"""Does a list whose length only the data knows hold what Python's would?"""

from __future__ import annotations

import collections
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, strategies as st

import autograph_lite as al
from autograph_lite import MutationError
from autograph_lite.operators.lists import dynamic_length
from tests.callees import positive
from tests.errors.messages import message

XS = np.array([3, -1, 4, -1, 5, -9, 2, 6], np.float32)
FLOATS = st.lists(st.integers(-6, 6).map(float), min_size=6, max_size=6)
compiled_once = functools.cache(al.convert)


def agree(fn: Callable[..., Any], *args: Any) -> None:
    """Compares the compiled function with plain Python: the results, or the exceptions."""
    try:
        plain = fn(*args)
    except Exception as expected:
        with pytest.raises(type(expected), match=str(expected)):
            compiled_once(fn)(*args)
        return
    compiled = compiled_once(fn)(*args)
    assert jax.tree.structure(compiled) == jax.tree.structure(plain)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), compiled, plain)


def until_negative(xs):
    ys = [0.5]
    for x in xs:
        if x < -4:
            break
        ys.append(2 * x)
    else:
        ys.append(100)
    return ys, len(ys)


def returned_early(xs):
    ys = []
    for i, x in enumerate(xs):
        if x == -1:
            return ys
        ys.append((x, i))
    ys.append((xs[0], -1))
    return ys


def skipping(xs):
    ys, zs = [], []
    for i, x in enumerate(xs):
        if x < 0:
            zs.append(i)
            continue
        ys.append(x)
    return ys, zs, len(ys) - len(zs)


def outside_a_loop(xs):
    ys = [xs[0]]
    if xs[1] > 0:
        ys.append(2 * xs[1])
        ys.append(1)
    elif xs[2] > 0:
        ys.pop()
    return ys, len(ys), bool(ys)


def pushing_and_popping(xs):
    ys = [1.0, 2.0]
    total = 0.0
    for x in xs:
        if x > 0:
            ys.append(x)
        elif len(ys) > 1:
            total = 2 * total + ys.pop()
    return ys, total, ys[-1], ys[0]


def draining(xs):
    stack = [xs[0], xs[1], xs[2]]
    steps = 0
    while stack and steps < 20:
        x = stack.pop()
        steps += 1
        if x > 1:
            stack.append(x - 1.5)
    return steps, stack


def queue(xs):
    ys = [xs[0], xs[1]]
    total = 0.0
    for x in xs:
        total = 0.5 * total + ys.pop(0)
        ys.append(x + total)
        if x > 3:
            ys.append(x)
    return ys, total


def sliding(xs):
    ys = []
    for x in xs:
        ys.append(x)
        if len(ys) > 2:
            ys.pop(0)
    return ys


def monotone(xs):
    ys = []
    for x in xs:
        while ys and ys[-1] > x:
            ys.pop()
        ys.append(x)
    return ys


def merged(xs):
    ys = [xs[0]]
    for x in xs[1:]:
        if abs(x - ys[-1]) < 3:
            ys[-1] = ys[-1] + x
        else:
            ys.append(x)
    return ys


def in_front(xs):
    ys = [xs[0]]
    for x in xs:
        if x > 0:
            ys.insert(0, x)
    return ys


def read_in_the_loop(xs):
    ys = [xs[0]]
    for x in xs:
        ys.append(x + sum(ys) / len(ys))
    return ys


def looked_at_as_a_whole(xs):
    ys = [xs[0]]
    n, total = 0, 0.0
    for x in xs:
        zs = ys + [x]
        n = n + len(zs) + len((*ys, 1)) + len(ys[1:])
        for z in [*ys, 1.0]:
            total = 0.5 * total + z
        if x in ys:
            total = total + 10
        ys.append(ys[n % len(ys)] + x)
    return n, total, ys


def iterated(xs):
    ys = positive(xs)
    total, zs = 0.0, []
    for i, y in enumerate(ys):
        total = total + y * i
        if y > 3:
            zs.append(y)
    for y in reversed(ys):
        total = 0.5 * total + y
    for y in ys:
        if y > 4:
            break
    else:
        total = -total
    return (
        total,
        zs,
        [2 * y for y in ys],
        [y for y in ys if y > 2],
        list(filter(lambda y: y > 3, ys)),
        list(map(abs, ys)),
    )


def reduced(xs):
    ys = [*positive(xs), xs[0]]
    return sum(ys), min(ys), max(ys), sum(y * y for y in ys), any(y > 5 for y in ys), 4 in ys, 7 not in ys


def aliased(xs):
    ys = []
    table = {"ys": ys}
    zs = ys
    for x in xs:
        if x > 0:
            zs.append(x)
    table["ys"].append(1)
    ws = list(ys)
    ws[:] = [0]
    return len(ys), table["ys"][-1], ys is zs, [*ys, 2], ys + [3], ys * 2, list(ys), ys[:], ws


class Stack:
    def __init__(self):
        self.items = []

    def push(self, value):
        self.items.append(value)

    def __len__(self):
        return len(self.items)

    def top(self):
        return self.items[-1]


def in_an_object(xs):
    stack = Stack()
    stack.push(xs[0])
    for x in xs:
        if len(stack) > 1 and stack.top() > x:
            stack.items.pop()
        else:
            stack.push(x)
    return stack.items, stack.top()


def nested_loops(xs):
    ys = []
    for x in xs:
        for z in xs[:3]:
            if z > x:
                ys.append(x * z)
        if x > 3:
            ys.append(x)
            ys.append(-x)
    return ys


def unrolled(xs):
    ys = []
    for i in range(3):
        if xs[i] < 0 and i > 0:
            break
        ys.append(xs[i])
    return ys


def filtered(xs):
    return (
        [x for x in xs if x > 0],
        [2 * v for v in (xs[0], xs[1]) if v > 0],
        [[y for y in xs if y > x] for x in xs[:2]],
    )


def positions(xs):
    ys = positive(xs)
    k = 0
    for x in xs:
        if x > 2:
            k = k + 1
    ys.append(1.5)
    ys[k] = ys[0] + 10
    return ys, ys[k], ys[-k - 1]


def changed_numbers(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(1)
        elif x < -2:
            ys.append(x > -5)
    return ys, sum(ys)


def slices(xs):
    ys = [x for x in xs if x > -2]
    k = 0
    for x in xs:
        if x > 2:
            k += 1
    return ys[1:], ys[:-1], ys[-2:], ys[k:], ys[1:k], ys[-k:3], ys[:2] + ys[100:], sum(ys[1:])


def push(items, v):
    items.append(v)


def push_twice(items, v, *, times=1):
    items += [v, v * times]


def last_of(items):
    return items.pop() if len(items) > 0 else 0.0


def by_helpers(xs):
    ys, ws, taken = [], [], 0.0
    for x in xs:
        if x > 4:
            break
        push(ys, x)
        if x < 0:
            push_twice(ws, x, times=3)
        else:
            taken += last_of(ys) + sum(ws)
    return ys, ws, taken


def by_a_helper_that_chooses(xs):
    def put(low, high, v):
        if v > 1:
            high.append(v)
        else:
            low.append(v)

    low, high = [], []
    for x in xs:
        put(low, high, x)
    return low, high


def from_a_helper(xs):
    ys = positive(xs)
    first = ys[0] if ys else -1.0
    second = list(ys)[1] if len(ys) > 1 else 0.5
    steps = sum(b - a for a, b in zip(ys, ys[1:]))
    return first, second, steps, len(ys[:2]), sum(ys[::2]), ys[1:], positive(xs)[:2]


def item_from_a_helper(xs):
    return positive(xs)[0], positive(xs)[::-1][0]


def searched_in_a_helpers_list(xs):
    ys = sorted(positive(xs))
    for y in ys[1:]:
        if y > 3:
            return y
    return ys[0]


PROGRAMS = [
    positive, until_negative, returned_early, skipping, outside_a_loop, pushing_and_popping, draining, queue, sliding, monotone,
    merged, in_front, read_in_the_loop, iterated, reduced, aliased, in_an_object, nested_loops, unrolled, filtered,
    positions, changed_numbers, slices, looked_at_as_a_whole, by_helpers, by_a_helper_that_chooses, from_a_helper, item_from_a_helper,
    searched_in_a_helpers_list,
]  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_the_list_is_pythons(fn):
    agree(fn, XS)


@given(FLOATS, st.sampled_from(PROGRAMS))
def test_the_list_is_pythons_on_any_values(values, fn):
    agree(fn, np.array(values, np.float32))


def score(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(x * x)
        elif ys:
            ys[-1] = ys[-1] * x
    total = 0.0
    for y in ys:
        total = 0.5 * total + y
    return total + sum(ys) * len(ys) + (ys[-1] if ys else 0.0)


gradient = jax.jit(jax.grad(al.to_graph(score)))
batched = jax.jit(jax.vmap(al.to_graph(score)))


@given(FLOATS)
def test_items_are_differentiable_in_reverse(values):
    xs = jnp.asarray(values, jnp.float32)
    np.testing.assert_allclose(gradient(xs), jax.grad(score)(xs), rtol=1e-5)


def test_items_are_differentiable_forwards():
    np.testing.assert_allclose(jax.jacfwd(al.convert(positive))(XS), jax.jacfwd(positive)(XS))


@given(st.lists(st.lists(st.integers(-3, 3).map(float), min_size=4, max_size=4), min_size=3, max_size=3))
def test_each_member_of_a_batch_has_a_length_of_its_own(rows):
    batch = np.array(rows, np.float32)
    np.testing.assert_allclose(batched(batch), [score(row) for row in batch], rtol=1e-5)


def looked_at(xs):
    ys = positive(xs)
    return len(ys), ys[-1] if ys else 0.0, sum(ys)


look = jax.jit(al.to_graph(looked_at))


@given(FLOATS)
def test_the_length_and_the_items_come_out_of_the_users_own_jit(values):
    xs = np.array(values, np.float32)
    np.testing.assert_allclose(look(xs), looked_at(xs))


def test_the_length_is_an_int32_that_adds_like_an_int():
    length = jax.jit(al.to_graph(lambda xs: len(positive(xs))))(XS)
    assert length.dtype == np.int32
    assert jax.jit(al.to_graph(lambda xs: len(positive(xs)) + np.int8(1)))(XS).dtype == np.int8


def test_the_body_is_traced_as_often_however_long_the_loop():
    def sines(count):
        def fn(xs):
            ys = []
            for x in xs:
                if x > 0:
                    ys.append(jnp.sin(x))
            return len(ys)

        return str(jax.make_jaxpr(al.to_graph(fn))(jnp.ones(count))).count("= sin ")

    assert sines(3) == sines(300) == 1


def test_one_object_stands_for_all_room_that_is_left(monkeypatch):
    made = []
    make = dynamic_length.Gap.__init__
    monkeypatch.setattr(
        dynamic_length.Gap, "__init__", lambda gap, origin: made.append(origin) or make(gap, origin)
    )
    agree(lambda xs: positive(xs), np.concatenate([XS] * 50))
    assert len(made) <= len(set(made))


def test_a_second_call_gets_a_list_of_another_length():
    compiled = al.convert(positive)
    assert len(compiled(XS)) == 5
    assert compiled(-np.abs(XS)) == []
    assert len(compiled(np.abs(XS))) == 8


def test_items_that_are_constants_are_counted():
    def fn(xs):
        words = []
        for x in xs:
            if x > 0:
                words.append("up")
        return words

    assert al.convert(fn)(XS) == ["up"] * 5


def test_a_list_in_an_attribute_of_the_callers_object_is_cut():
    class Box:
        pass

    box = Box()

    def fn(xs):
        box.found = positive(xs)

    al.convert(fn)(XS)
    np.testing.assert_allclose(box.found, [3, 4, 5, 2, 6])


@pytest.mark.parametrize("index", [5, -6])
def test_an_index_out_of_range_raises_as_python_does(index):
    def fn(xs):
        ys = positive(xs)
        return ys[index]

    with pytest.raises(IndexError, match="list index out of range"):
        al.convert(fn)(XS)


def test_pop_from_an_empty_list_raises_as_python_does():
    def fn(xs):
        ys = positive(xs)
        return ys.pop()

    with pytest.raises(IndexError, match="pop from empty list"):
        al.convert(fn)(-np.abs(XS))


WHY = """  In a compiled program the list is a buffer and a traced length. It can be asked for its len() and its items, \
changed by its methods, iterated over, sorted, given to sum(), min(), max(), any() and all(), made an array by np.array(), \
and returned from a function that went through `convert`.
  Fix: use these, or fill an array of fixed size by index, ys[k] = v, and count the items in k."""


def test_what_python_takes_apart_is_refused():
    def fn(xs):
        ys = []
        for x in xs:
            if x > 0:
                ys.append(x)
        a, *b = ys
        return a, b

    assert (
        message(fn, XS)
        == f"""\
MutationError: 'ys' has a length that only the data knows, and is used where it has to be known.
  test.py:5 in fn
      a, *b = ys
  test.py:4 in fn
      ys.append(x)
{WHY}"""
    )


def mapped(ys):
    return jax.tree.map(lambda y: y + 1, ys)


def compared(ys):
    return ys == [1.0]


def unpacked(ys):
    first, *rest = ys
    return rest


def matched(ys):
    match ys:
        case [first]:
            return first


def kept_in_a_tuple(ys):
    return tuple(ys)


def in_order_of_a_key(ys):
    return sorted(ys, key=lambda y: -y)


def in_a_bounded_deque(ys):
    return len(collections.deque(ys, 2))


def at_the_end_of_a_bounded_deque(ys):
    queue = collections.deque(maxlen=2)
    queue.extend(ys)
    return len(queue)


def chained(ys):
    count = 0
    for _ in itertools.chain(ys):
        count += 1
    return count


def some(ys):
    return list(itertools.islice(ys, 3))


def counted(ys):
    return collections.Counter(ys)


def zipped(ys):
    return [a for a, b in zip(ys, ["a", "b"], strict=True)]


@pytest.mark.parametrize(
    "use",
    [
        mapped,
        compared,
        unpacked,
        matched,
        kept_in_a_tuple,
        in_order_of_a_key,
        in_a_bounded_deque,
        at_the_end_of_a_bounded_deque,
        chained,
        some,
        counted,
        zipped,
    ],
    ids=lambda f: f.__name__,
)
def test_what_needs_the_length_is_refused(use):
    def fn(xs):
        ys = []
        for x in xs:
            if x > 0:
                ys.append(x)
        return use(ys)

    with pytest.raises(MutationError, match="'ys' has a length that only the data knows"):
        al.convert(fn)(XS)


@pytest.mark.parametrize("transform", [jax.jit, jax.make_jaxpr, jax.vmap], ids=lambda t: t.__name__)
def test_the_list_can_not_leave_somebody_elses_trace(transform):
    for converted in (al.to_graph(positive), al.convert(positive)):
        with pytest.raises(MutationError, match="'ys' has a length that only the data knows"):
            transform(converted)(jnp.stack([XS]) if transform is jax.vmap else XS)


def test_a_loop_without_a_bound_is_refused_in_somebody_elses_trace():
    def fn(n):
        def countdown(n):
            ys = []
            while n > 0:
                ys.append(n)
                n = n - 1
            return len(ys)

        return jax.vmap(countdown)(n)

    assert (
        message(fn, np.arange(3))
        == """\
MutationError: 'ys' grows in a loop that may run any number of times.
  test.py:4 in countdown
      ys.append(n)
  test.py:3 in countdown
      while n > 0:
  A compiled program needs room for all items before it starts, so the number of iterations must have a bound.
  Fix: loop over a range with a known bound and leave it with `break`: for _ in autograph_lite.range(1000). What \
`autograph_lite.convert` makes needs no bound where the call is no part of another program."""
    )


def test_a_list_that_changes_while_it_is_iterated_is_refused():
    def fn(xs):
        ys = [xs[0], xs[1]]
        for i, y in enumerate(ys):
            if y > i:
                ys.append(y - 1)
        return ys

    assert (
        message(fn, XS)
        == """\
MutationError: 'ys' is changed in a loop over its own items, and a traced value decides how.
  test.py:2 in fn
      for i, y in enumerate(ys):
  test.py:4 in fn
      ys.append(y - 1)
  How often such a loop runs depends on what it does.
  Fix: loop over a copy, list(ys), or over a range with a known bound."""
    )


def test_an_iterator_of_a_list_that_was_changed_before_is_no_change_in_the_loop():
    def fn(xs):
        ys = []
        for x in xs:
            if x > 1:
                ys.append(x)
        total = 0.0
        for y in iter(ys):
            total += y
        return total

    found = message(fn, XS)
    assert found.startswith(
        "MutationError: 'ys' has a length that only the data knows, and is used where it has to be known.\n"
        "  test.py:6 in fn\n"
        "      for y in iter(ys):\n"
        "  test.py:4 in fn\n"
        "      ys.append(x)\n"
    )


def test_items_of_different_shapes_are_refused():
    def fn(xs):
        ys = [xs]
        if xs[0] > 0:
            ys.append(xs[0])
        return ys

    assert (
        message(fn, XS)
        == """\
MutationError: An item of 'ys' is float32[8], and another one float32[].
  test.py:3 in fn
      ys.append(xs[0])
  test.py:2 in fn
      if xs[0] > 0:
  The length of the list depends on a traced value, so that its items are kept in one array.
  Fix: give all items the same structure and shape."""
    )


def test_items_that_can_be_changed_in_place_are_refused():
    def fn(xs):
        ys = []
        for x in xs:
            if x > 0:
                ys.append({"x": x})
        return ys

    assert (
        message(fn, XS)
        == """\
MutationError: 'ys' has a length that only the data knows, and one of its items is a dict.
  test.py:4 in fn
      ys.append({"x": x})
  test.py:3 in fn
      if x > 0:
  The items of such a list are kept in arrays.
  Fix: append arrays, numbers, texts, or tuples of them."""
    )


log: list[Any] = []


def test_a_list_from_outside_of_the_function_is_refused():
    def fn(xs):
        for x in xs:
            if x > 0:
                log.append(x)

    assert "'log', a list from outside of the function, gets a length that only the data knows." in message(
        fn, XS
    )
    assert log == []


def test_a_deque_with_a_bound_is_refused():
    def fn(xs):
        ys = collections.deque(maxlen=9)
        for x in xs:
            if x > 0:
                ys.append(x)
        return len(ys)

    assert (
        message(fn, XS)
        == """\
MutationError: 'ys' has more items on one path of a staged statement than on another.
  test.py:4 in fn
      ys.append(x)
  test.py:3 in fn
      if x > 0:
  The condition depends on a traced value, so the program must know the length without knowing the path.
  Fix: make the deque without maxlen, and take items off yourself: if len(d) > n: d.popleft()."""
    )


def spread(x, f):
    return f(*[v for v in x if v > 3])


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@pytest.mark.parametrize("f", [print, max, np.hypot, jnp.add, lambda a, b: a + b, Pair, math.dist])
def test_a_call_that_would_have_to_know_how_many_items_it_gets_is_refused(f):
    with pytest.raises(al.MutationError, match="is used where it has to be known"):
        al.convert(lambda x: spread(x, f))(jnp.array([4.0, 1.0, 9.0]))


def test_a_function_that_takes_any_number_of_items_gets_the_list():
    class Bag:
        def __init__(self, *items):
            self.items = items

        def more(self, *items):
            return sum(items) + len(self.items)

    def f(x):
        big = [v for v in x if v > 3]
        return Bag(*big).more(1.0, *big), spread(x, lambda *items: sum(items))

    x = np.array([4.0, 1.0, 9.0], np.float32)
    assert al.convert(f)(x) == f(x)


def test_a_list_that_a_path_makes_new_is_to_be_emptied():
    def longest(x, *, clears):
        now, best = [], 0
        for value in x:
            if value < 0:
                if clears:
                    now.clear()
                else:
                    now = []
            now.append(value)
            best = max(best, len(now))
        return best

    x = np.array([1, 3, -1, -3, 5, 2])
    fix = r"If only some paths run 'now = \[\]', change the list that there is: now.clear\(\) or now\[:\] = \[...\]\."
    with pytest.raises(al.MutationError, match=fix):
        al.convert(functools.partial(longest, clears=False))(x)
    assert al.convert(functools.partial(longest, clears=True))(x) == longest(x, clears=False) == 3
