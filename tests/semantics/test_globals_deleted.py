"""A global that one path deletes: who reads it there gets Python's NameError, if that path is taken."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al

hits = 0


def of_a_branch(a):
    global hits
    hits = 1
    if a > 0:
        del hits
        return a + hits
    return a * 2 + hits


def of_a_loop(a, n):
    global hits
    hits = 1
    for i in range(n):
        if i == a:
            del hits
            a += hits
    return a


def of_a_name_that_was_never_there(a):
    if a > 0:
        return never  # noqa: F821
    return a


@pytest.mark.parametrize("way", [lambda f: f, al.to_graph, al.convert])
@pytest.mark.parametrize(("f", "args", "result"), [(of_a_branch, (-1,), -1), (of_a_loop, (5, 3), 5)])
def test_the_other_path_is_as_in_python(way, f, args, result):
    assert way(f)(*map(jnp.int32, args)) == result
    assert hits == 1


@pytest.mark.parametrize("way", [lambda f: f, al.to_graph, al.convert])
@pytest.mark.parametrize(("f", "args"), [(of_a_branch, (1,)), (of_a_loop, (2, 3))])
def test_the_read_is_pythons_error(way, f, args):
    with pytest.raises(NameError, match="'hits' is not defined"):
        way(f)(*map(jnp.int32, args))


def test_a_name_that_was_never_there_is_an_error_while_tracing():
    with pytest.raises(NameError, match="'never' is not defined"):
        jax.jit(al.to_graph(of_a_name_that_was_never_there))(-1)
