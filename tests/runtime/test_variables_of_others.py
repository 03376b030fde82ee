"""Does a call hand its Variables' arrays over by itself, whatever becomes of Variables that have nothing to do with it?"""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite.runtime.state.variable import DEBUGGED, LENT


@pytest.fixture
def copies(monkeypatch):
    """The Variables that calls have asked, one by one, whether their array may be taken."""
    asked, taken = [], al.Variable.taken
    monkeypatch.setattr(al.Variable, "taken", lambda self: (asked.append(self), taken(self))[1])
    return asked


def counter():
    v = al.Variable(jnp.zeros(3))

    @al.convert
    def step(x):
        v.assign_add(x)
        return x + 1

    for _ in range(3):
        step(jnp.float32(1))
    return v, step


def test_an_array_of_another_variable_that_somebody_holds_changes_nothing(copies):
    v, step = counter()
    other = al.Variable(jnp.ones(3))
    held = other.value
    copies.clear()
    step(jnp.float32(1))
    assert copies == []
    np.testing.assert_array_equal(v.value, 4)
    np.testing.assert_array_equal(held, 1)


def test_an_array_of_its_own_that_somebody_holds_is_left_to_them(copies):
    v, step = counter()
    held = v.value
    copies.clear()
    step(jnp.float32(1))
    step(jnp.float32(1))
    assert copies == []  # another program takes no memory of Variables'
    np.testing.assert_array_equal(held, 3)
    np.testing.assert_array_equal(v.value, 5)


def test_what_jax_switches_off_for_itself_changes_nothing(copies):
    v, step = counter()
    copies.clear()
    jax.vmap(jax.jit(lambda x: jnp.where(x > 0, x, 0)))(jnp.arange(3.0))
    with jax.debug_nans(False):
        step(jnp.float32(1))
    step(jnp.float32(1))
    assert copies == []
    np.testing.assert_array_equal(v.value, 5)


def test_a_search_for_nans_keeps_what_it_may_need_once_more(copies):
    v, step = counter()
    copies.clear()
    with jax.debug_nans(True):
        step(jnp.float32(1))
    assert copies == [v]
    copies.clear()
    step(jnp.float32(1))
    assert copies == []
    np.testing.assert_array_equal(v.value, 5)


def test_a_search_for_nans_on_one_thread_is_known_while_another_ends_its_own():
    begun, end = threading.Event(), threading.Event()

    def search():
        with jax.debug_nans(True):
            begun.set()
            end.wait()

    thread = threading.Thread(target=search)
    thread.start()
    begun.wait()
    with jax.debug_nans(True):
        pass
    assert DEBUGGED in LENT
    end.set()
    thread.join()
    assert DEBUGGED not in LENT
