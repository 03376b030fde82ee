"""Lists of texts whose length a traced value decides: each program gives what plain Python gives."""

from __future__ import annotations

import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from tests.one_of import text_list_programs
from tests.one_of.agreement import PROGRAMS, agrees, same


@pytest.mark.parametrize(("function", "call"), PROGRAMS[text_list_programs.__name__])
def test_lists_of_texts(function, call) -> None:
    agrees(function, call)


WORDS = ("low", "high", ("pair", 1), None, 2.5, ("pair", "text"))


def _apply(log, operation, word, x):
    if operation == "append":
        log.append(word)
    elif operation == "number":
        log.append(x)
    elif operation == "extend":
        log.extend([word, "end"])
    elif operation == "insert":
        log.insert(1, word)
    elif operation == "write" and len(log) > 0:
        log[0] = word
    elif operation == "pop" and len(log) > 0:
        log.pop()
    elif operation == "first" and len(log) > 0:
        log.pop(0)
    elif operation == "reverse":
        log.reverse()


@pytest.mark.parametrize("seed", range(12))
def test_operations_in_any_order_under_traced_conditions(seed) -> None:
    choose = random.Random(seed)
    names = ["append", "append", "number", "extend", "insert", "write", "pop", "first", "reverse"]
    steps = [(choose.choice(names), choose.choice(WORDS), choose.randint(-2, 2)) for _ in range(4)]
    later = [(choose.choice(["append", "number", "pop"]), choose.choice(WORDS), choose.randint(-2, 2))]

    def f(x, xs):
        log = []
        for operation, word, limit in steps:
            if x > limit:
                _apply(log, operation, word, x)
        for v in xs:
            for operation, word, limit in later:
                if v > limit:
                    _apply(log, operation, word, v)
        return log, len(log), log.count(None), "low" in log

    converted = autograph_lite.convert(f)
    for x in (-3.0, -1.0, 0.5, 1.5, 3.0):
        xs = np.array([x, -x, 3.0], np.float32)
        assert same(converted(jnp.float32(x), jnp.asarray(xs)), f(np.float32(x), xs))


def test_the_number_of_texts_in_lanes_and_derivatives_beside_them() -> None:
    def f(x) -> Any:
        log = []
        if x > 0:
            log.append("positive")
            x = x * 3
        if x > 3:
            log.append("large")
        return x * len(log), log.count("large")

    function = autograph_lite.to_graph(f)
    xs = np.array([-1.0, 0.5, 2.0], np.float32)
    found = jax.vmap(function)(xs)
    for n, x in enumerate(xs):
        np.testing.assert_allclose([each[n] for each in found], f(x))
    np.testing.assert_allclose(jax.vmap(jax.grad(lambda x: function(x)[0]))(xs), [0, 3, 6])


def test_text_with_a_traced_value_in_it_is_refused() -> None:
    def f(xs):
        log = []
        for i, x in enumerate(xs):
            if x < 0:
                log.append(f"row {i}")
        return log

    with pytest.raises(autograph_lite.MutationError) as caught:
        autograph_lite.convert(f)(jnp.ones(100))
    assert caught.value.what == (
        "'log' has a length that only the data knows, and gets text with a traced value in it, 'row int32[]'."
    )
    assert "Fix: append what the text is made of" in str(caught.value)


def test_more_than_sixteen_texts_are_refused() -> None:
    def f(x):
        log = [f"text {k}" for k in range(17)]
        if x > 0:
            log.pop()
        return log

    with pytest.raises(autograph_lite.MutationError, match="An item of 'log' may be one of more than 16"):
        autograph_lite.convert(f)(jnp.float32(1))


def test_a_list_that_is_joined_is_no_text_while_tracing() -> None:
    def f(x):
        log = []
        if x > 0:
            log.append("positive")
        return ", ".join(log)

    with pytest.raises(autograph_lite.PythonOnlyError, match="The result is text with the value"):
        autograph_lite.convert(f)(jnp.float32(1))
