"""Is an item that is not there, or None, while tracing an error only where the data comes to it, as in Python?"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite

from .outcomes import assert_like_python


def popped(xs):
    ys = []
    for x in xs:
        if x > 0:
            ys.append(x)
        else:
            ys.pop()
    return ys


def popped_in_a_while(xs):
    ys, i = [], 0
    while i < len(xs):
        if xs[i] > 0:
            ys.append(xs[i])
        elif xs[i] < -5:
            ys.pop(0)
        else:
            ys.append(ys.pop() + 1)
        i += 1
    return ys


def last_read(xs):
    ys, last = [], xs[0] * 0
    for x in xs:
        if x > 0:
            ys.append(x)
        else:
            last = ys[-1]
    return ys, last


def never_filled(xs):
    ys = []
    if xs[0] > 0:
        ys.pop()
    return len(ys)


def key_read(xs):
    known = {"a": 1}
    if xs[0] > 0:
        return known["b"]
    return known["a"]


def key_popped(xs):
    known = {"a": 1}
    if xs[1] > 0:
        known.pop("b")
    return known["a"]


def removed(xs):
    names = {1, 2}
    if xs[1] > 0:
        names.remove(3)
    return len(names)


def caught(xs):
    if xs[0] > 0:
        try:
            y = {}["a"]
        except KeyError:
            y = 7
        return y
    return 8


def searched_back(xs):
    stack, n = np.zeros(4), 0
    if xs[0] > 0:
        stack[n] = xs[1]
        n += 1
    else:
        while stack[n - 1] != 5:
            n -= 1
    return stack[0], n


def differences(xs):
    before, n, total = None, 0, xs[0] * 0
    for x in xs:
        if n > 0:
            total += less(x, before)
        before, n = x, n + 1
    return total, before


def less(x, before):
    return x - before


def greatest(xs):
    best, found = None, False
    for x in xs:
        if x > 0:
            if found:
                best = max(best, x) + best.size
            else:
                best, found = x, True
    return -1.0 if best is None else best, found


def nothing_to_divide_by(xs):
    parts = 0
    if xs[0] > 0:
        return 1 / parts
    return 2.0


def grows_in_its_loop(xs):
    counts = {"a": 1, "b": 2}
    if xs[0] > 0:
        for key in counts:
            counts[key + "!"] = 1
    return counts["a"]


def shrinks_in_its_loop(xs):
    kinds = {1, 2, 3}
    if xs[0] > 0:
        for kind in kinds:
            kinds.discard(4 - kind)
    return len(kinds)


PROGRAMS = [
    differences,
    greatest,
    nothing_to_divide_by,
    grows_in_its_loop,
    shrinks_in_its_loop,
    popped,
    popped_in_a_while,
    last_read,
    never_filled,
    key_read,
    key_popped,
    removed,
    caught,
    searched_back,
]


@pytest.mark.parametrize("values", [[1, -2, 3], [-1, 2, 3], [1, 2, -9], [1, -2, -3], [-1, -2, -3]])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_it_is_an_error_where_python_comes_to_it(fn, values):
    assert_like_python(fn, jnp.asarray(np.array(values, np.float32)))


def test_the_text_about_none_names_no_tracer():
    @autograph_lite.convert
    def f(x, n):
        before = None
        return x - before if n > 0 else x

    assert f(np.float32(1), np.int32(0)) == 1
    with pytest.raises(TypeError, match="for -: 'Array' and 'NoneType'"):
        f(np.float32(1), np.int32(1))


def test_an_attribute_error_of_the_users_is_not_about_none():
    @autograph_lite.do_not_convert
    def refuse(x):
        raise AttributeError("too much", x)

    def f(x):
        if x > 0:
            refuse(x)
        return x

    with pytest.raises(AttributeError) as caught:
        autograph_lite.convert(f)(np.float32(2))
    assert not isinstance(caught.value.args[1], str)


def taken_of_all(x, n):
    try:
        return np.take(x, n)
    except IndexError:
        return x[0, 0] * 0 - 1


def taken_of_an_axis(x, n):
    try:
        return np.take(x, n, axis=-1)
    except IndexError:
        return x[:, 0] * 0 - 1


def taken_by_a_method(x, n):
    try:
        return x.take([0, n], axis=0)
    except IndexError:
        return x * 0 - 1


@pytest.mark.parametrize("n", [0, 1, -2, 2, 3, 5, 6, -7])
@pytest.mark.parametrize("fn", [taken_of_all, taken_of_an_axis, taken_by_a_method])
def test_what_take_does_not_find_is_caught(fn, n):
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(autograph_lite.convert(fn)(x, np.int32(n)), fn(x, n))


class Bare:
    pass


def attribute_of_the_other_path(k):
    s = Bare()
    if k > 2:
        s.a = 1
    else:
        k += s.a
    return k


def missing_method(k):
    s = Bare()
    if k < 2:
        return s.foo()
    return k


def attribute_of_an_iteration(k):
    s = Bare()
    for v in range(3):
        if v + k < 3:
            s.rows = [v]
        else:
            s.rows[0] += 10
    return s.rows[0]


def too_few_items(k):
    pair = (1, 2)
    if k < 2:
        a, b, c = pair
    else:
        a, b, c = 1, 2, 3
    return a + b + c + k


def too_many_items(k):
    a = b = 1
    if k < 2:
        a, b = 1, 2, 3
    return a + b + k


@pytest.mark.parametrize(
    "f",
    [attribute_of_the_other_path, missing_method, attribute_of_an_iteration, too_few_items, too_many_items],
)
def test_what_is_missing_on_a_path_is_missed_if_it_is_taken(f):
    converted, staged = autograph_lite.convert(f), jax.jit(autograph_lite.to_graph(f))
    for k in (1, 3):
        try:
            expected = f(k)
        except (AttributeError, ValueError) as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                converted(jnp.int32(k))
        else:
            assert converted(jnp.int32(k)) == expected
            assert staged(jnp.int32(k)) == expected


def removed_from_an_array(x):
    if x[0] > 5:
        x.remove(x[0])
    return x


def appended_to_a_number(x):
    total = x[0] * 0
    for value in x:
        if value > 5:
            value.append(1)
        total += value
    return total


def method_of_lists_in_a_try(x):
    try:
        if x[0] > 5:
            x.insert(0, 1)
    except AttributeError:
        return x * 0
    return x


@pytest.mark.parametrize("f", [removed_from_an_array, appended_to_a_number, method_of_lists_in_a_try])
def test_a_method_that_arrays_lack_is_missed_if_the_path_is_taken(f):
    converted = autograph_lite.convert(f)
    for x in (np.array([1, 2]), np.array([8, 2])):
        try:
            expected = f(x)
        except AttributeError:
            with pytest.raises(AttributeError, match="has no attribute '(remove|append)'"):
                converted(jnp.asarray(x))
        else:
            np.testing.assert_array_equal(converted(jnp.asarray(x)), expected)
