"""Is a size that stands for all sizes an int to the user's code?"""

from __future__ import annotations

import numbers

import jax.numpy as jnp

import autograph_lite
from autograph_lite import ArraySpec


def classes(n):
    kinds = [isinstance(n, int), isinstance(n, (float, int)), isinstance(n, numbers.Integral)]
    return [*kinds, isinstance(n, numbers.Number), isinstance(n, float), isinstance(n, (list, bool))]


def test_a_symbolic_size_is_what_an_int_is():
    @autograph_lite.convert(input_signature=[ArraySpec((None,), "float32")])
    def f(x):
        return classes(x.shape[0])

    for size in (1, 2, 3):
        assert f(jnp.ones(size)) == classes(size)
    assert f.trace_count == 1


def test_a_symbolic_size_takes_the_path_of_ints():
    def f(x):
        n = len(x)
        if isinstance(n, int) and not isinstance(n, (bool, float)):
            return x * 2
        return x * 3

    converted = autograph_lite.convert(f, input_signature=[ArraySpec((None,), "float32")])
    assert converted(jnp.ones(3)).tolist() == f(jnp.ones(3)).tolist()


def test_numbers_of_pythons_and_arrays_are_what_they_are():
    def f(x, n):
        return [isinstance(x, int), isinstance(n, int), isinstance(n, (int, str)), isinstance(n, bool)]

    converted = autograph_lite.convert(f)
    for n in (1, True, 1.0, "n"):
        assert converted(jnp.ones(2), n) == f(jnp.ones(2), n)


def test_a_name_of_the_users_is_not_taken_for_the_builtin():
    def classified(x):
        isinstance = lambda value, kind: x  # noqa: A001
        return isinstance(3, int)

    assert autograph_lite.convert(classified)(jnp.ones(2)).tolist() == [1, 1]
