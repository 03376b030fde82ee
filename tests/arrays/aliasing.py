"""How does a program that writes to arrays under several names run, converted and on NumPy's own?"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.properties.running import loaded

# Of lines, a way of converting and a module of arrays: what the program returns.
Outcome = Callable[[str, Callable[[Any], Any], Any], Any]


def outcome(helpers: str, head: str, lines: str, way: Callable[[Any], Any], xp: Any, number: int) -> Any:
    """What `lines` return, the body of `head`: of a vector, a matrix and `number`, with arrays of the module `xp`."""
    source = f"{helpers}{head}\n" + textwrap.indent(lines, "    ")
    with loaded(source, np=xp) as namespace:
        x, m = np.arange(3, dtype=np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
        return jax.tree.map(np.asarray, way(namespace["main"])(xp.array(x), xp.array(m), number))


def traced(main: Any) -> Any:
    return jax.jit(al.to_graph(main))


def derived(main: Any) -> Any:
    """The program in a derivative of a function that is not converted: nobody records it there, and no write is followed."""
    converted = al.to_graph(main)
    return lambda *args: jax.jit(lambda *args: jax.jvp(lambda *each: converted(*each), args, args)[0])(*args)


WAYS = {"convert": al.convert, "jit": traced, "nothing traced": al.to_graph}


def assert_same(ours: Any, python: Any) -> None:
    """The two have one structure, and arrays with the same items."""
    assert jax.tree.structure(ours) == jax.tree.structure(python)
    assert all(map(np.array_equal, jax.tree.leaves(ours), jax.tree.leaves(python)))


def assert_close(ours: Any, python: Any) -> None:
    """The two have arrays with the same items, but for rounding."""
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(python), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-6)


def plain(main: Any) -> Any:
    return main


def assert_refused(outcome: Outcome, lines: str, way: Callable[[Any], Any]) -> None:
    """NumPy runs the program, and converted it is a MutationError."""
    outcome(lines, plain, np)
    with pytest.raises(MutationError):
        outcome(lines, way, jnp)


def assert_seen(outcome: Outcome, lines: str, way: Callable[[Any], Any], *, unknown: bool = False) -> None:
    """Where a program is recorded, all names of an array see a write; it is refused where `unknown`, and in other ways."""
    if way in (al.convert, traced) and not unknown:
        assert_numpys_answer(outcome, lines, way)
    else:
        assert_refused(outcome, lines, way)


def assert_numpys_answer(outcome: Outcome, lines: str, way: Callable[[Any], Any]) -> None:
    """The converted program gives what it gives on NumPy."""
    assert_same(outcome(lines, way, jnp), outcome(lines, plain, np))


def assert_in_place(outcome: Outcome, lines: str, way: Callable[[Any], Any] = al.to_graph) -> None:
    """On NumPy's own arrays the converted program changes what the plain one does."""
    ours, python = outcome(lines, way, np), outcome(lines, plain, np)
    assert all(map(np.array_equal, jax.tree.leaves(ours), jax.tree.leaves(python)))
